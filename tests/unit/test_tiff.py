"""TIFF files that are written: the samples, and EXIF as their tags."""

from io import BytesIO

import numpy as np
import pytest
from PIL import ExifTags, Image
from tests.images import noise, orientation_exif

from fdcodec.image.picture import Picture
from fdcodec.image.reading import read_image
from fdcodec.image.writing import image_bytes

Tag, Ifd = ExifTags.Base, ExifTags.IFD
MAKER_NOTE = b"opaque, and with offsets into the block"


def camera_exif(endian, **tags):
    """Return EXIF as cameras write it, with sub-directories, and with the tags that are given by name."""
    exif = Image.Exif()
    exif.endian = endian
    exif[Tag.Make], exif[Tag.Orientation], exif[Tag.XPTitle] = "Camera", 6, "title".encode("utf-16-le")
    exif.get_ifd(Ifd.Exif).update({Tag.ExposureTime: (1, 60), Tag.MakerNote: MAKER_NOTE})
    exif.get_ifd(Ifd.GPSInfo).update({1: "N", 2: (1.0, 2.0, 3.0)})
    for name, value in tags.items():
        exif[Tag[name]] = value
    return exif.tobytes().removeprefix(b"Exif\0\0")


def written(picture, *told):
    """Return the opened TIFF file of a picture whose EXIF is sound, and of which is `told` what is left out."""
    data, notes = image_bytes(picture, ".tiff")
    assert notes == told
    return Image.open(BytesIO(data))


@pytest.mark.parametrize("endian", "<>")
@pytest.mark.parametrize(
    ("channels", "dtype"), [(1, np.uint8), (2, np.uint8), (3, np.uint8), (4, np.uint8), (1, np.uint16)]
)
def test_samples_come_back_beside_exif_of_either_byte_order(endian, channels, dtype):
    """The samples are those of the picture, several strips of them where they are many."""
    samples = noise(300, 301, channels, seed=1, dtype=dtype)
    data, _ = image_bytes(Picture(samples, exif=camera_exif(endian)), ".tiff")
    assert np.array_equal(read_image(data).picture.samples, samples)


@pytest.mark.parametrize("xmp", [None, b"<x:xmpmeta/>"])
@pytest.mark.parametrize("endian", "<>")
def test_sub_directories_are_kept(endian, xmp):
    """What a camera says of the exposure, the place and its own notes is in the TIFF, with XMP and without."""
    image = written(Picture(noise(4, 5, 3, seed=2), exif=camera_exif(endian), xmp=xmp))
    exif = image.getexif()
    assert (exif[Tag.Make], exif[Tag.XPTitle]) == ("Camera", "title".encode("utf-16-le"))
    assert exif.get_ifd(Ifd.Exif) == {Tag.ExposureTime: (1, 60), Tag.MakerNote: MAKER_NOTE}
    assert exif.get_ifd(Ifd.GPSInfo) == {1: "N", 2: (1.0, 2.0, 3.0)}
    assert image.info.get("xmp") == xmp


def test_exif_survives_from_tiff_to_tiff():
    """What a TIFF says of the picture, with sub-directories and texts beyond ASCII, its copy says too."""
    exif = camera_exif("<", Artist="Xavier").replace(b"Xavier", b"Zo\xeb K.")
    first = image_bytes(Picture(noise(4, 5, 3, seed=2), exif=exif), ".tiff")[0]
    tags = written(read_image(first).picture).getexif()
    assert (tags[Tag.Make], tags[Tag.Orientation], tags[Tag.Artist]) == ("Camera", 6, "Zo\xeb K.")
    assert tags.get_ifd(Ifd.Exif) == {Tag.ExposureTime: (1, 60), Tag.MakerNote: MAKER_NOTE}
    assert tags.get_ifd(Ifd.GPSInfo) == {1: "N", 2: (1.0, 2.0, 3.0)}


def test_pointers_into_the_old_block_are_left_out():
    """The directory of interoperability, which Pillow does not write, leaves no pointer that damages the EXIF."""
    exif = Image.Exif()
    exif.get_ifd(Ifd.Exif).update({Tag.ExposureTime: (1, 60), Ifd.Interop: {1: "R98"}})
    image = written(Picture(noise(4, 5, 3, seed=2), exif=exif.tobytes().removeprefix(b"Exif\0\0")))
    assert image.getexif().get_ifd(Ifd.Exif) == {Tag.ExposureTime: (1, 60)}
    assert read_image(image.fp.getvalue()).notes == ()


def test_tags_that_describe_the_picture_are_kept():
    """Each of them is in the TIFF, and comes back from it, with its value."""
    texts = ("ImageDescription", "Make", "Model", "Software", "DateTime", "Artist", "Copyright", "DocumentName")
    tags = {Tag[name]: name for name in (*texts, "HostComputer", "PageName")}
    tags |= {Tag[name]: name.encode("utf-16-le") for name in ("XPTitle", "XPComment", "XPAuthor", "XPKeywords")}
    tags |= {Tag.XPSubject: b"s\0", Tag.Orientation: 6, Tag.Rating: 4, Tag.RatingPercent: 75, Tag.ResolutionUnit: 3}
    tags |= {Tag.XResolution: 100.0, Tag.YResolution: 50.0, Tag.WhitePoint: (0.25, 0.5)}
    tags |= {Tag.PrimaryChromaticities: (0.5, 0.25, 0.25, 0.5, 0.125, 0.0625)}
    exif = Image.Exif()
    exif.update(tags)
    image = written(Picture(noise(4, 5, 3, seed=2), exif=exif.tobytes().removeprefix(b"Exif\0\0")))
    back = Image.Exif()
    back.load(read_image(image.fp.getvalue()).picture.exif)
    assert dict(back) == tags


@pytest.mark.parametrize(("name", "value"), [("Orientation", 1), ("Orientation", 8), ("ResolutionUnit", 3)])
def test_values_that_tiff_has_are_kept(name, value):
    """The least and the greatest of them are no damage."""
    image = written(Picture(noise(4, 5, 3, seed=2), exif=camera_exif("<", **{name: value})))
    assert image.getexif()[Tag[name]] == value


def test_samples_are_compressed_where_there_are_no_sub_directories():
    """EXIF without the sub-directories that libtiff does not take leaves the samples deflated."""
    flat = np.zeros((200, 200, 3), np.uint8)
    assert len(image_bytes(Picture(flat, exif=orientation_exif(6)), ".tiff")[0]) < 2000


def test_text_beyond_ascii_is_kept():
    """Bytes of a tag are those of the EXIF block, whatever their encoding."""
    exif = camera_exif("<", Artist="Xavier").replace(b"Xavier", "Zo\u00eb K".encode())
    assert "Zo\u00eb K".encode() in written(Picture(noise(2, 2, 1, seed=3), exif=exif)).getexif()[Tag.Artist].encode(
        "latin-1"
    )


@pytest.mark.parametrize(
    "tags",
    [
        {"ImageWidth": 4032, "ImageLength": 3024},
        {"ImageWidth": 2, "ImageLength": 1},
        {"PhotometricInterpretation": 0},
        {"BitsPerSample": (16, 16, 16), "SamplesPerPixel": 4, "ExtraSamples": 1},
        {"SampleFormat": (3, 3, 3)},
        {"PlanarConfiguration": 2, "FillOrder": 2, "Predictor": 2, "Compression": 6},
        {"StripOffsets": 8, "StripByteCounts": 1, "RowsPerStrip": 1},
        {"TileWidth": 16, "TileLength": 16, "TileOffsets": 8, "TileByteCounts": 1},
        {"SubIFDs": 8, "NewSubfileType": 1, "ColorMap": (1, 2, 3)},
        {"DNGVersion": b"\1\4\0\0", "InterColorProfile": b"of the old file"},
    ],
    ids=str,
)
@pytest.mark.parametrize("channels", [1, 3])
def test_tags_of_the_old_file_do_not_make_another_picture(tags, channels):
    """EXIF that tells how an old file stored its samples says nothing of the new one."""
    picture = Picture(noise(5, 7, channels, seed=4), exif=camera_exif(">", **tags))
    image = written(picture, *([".tiff: tags of EXIF were left out: 50706 DNGVersion"] if "DNGVersion" in tags else []))
    assert not {Tag[name] for name in tags} & {Tag.SubIFDs, Tag.DNGVersion, Tag.InterColorProfile} & set(image.tag_v2)
    read, notes = read_image(image.fp.getvalue())
    assert (read.samples.tobytes(), read.icc, notes) == (picture.samples.tobytes(), None, ())


def test_tags_that_are_left_out_are_told():
    """Tags of EXIF that belong into a directory, and stand beside it, have no place in a TIFF, and a note."""
    exif = Image.Exif()
    exif[Tag.UserComment], exif[Tag.ExposureTime], exif[Tag.Make] = b"hello", 0.5, "Camera"
    picture = Picture(noise(5, 7, 1, seed=4), exif=exif.tobytes().removeprefix(b"Exif\0\0"))
    image = written(picture, ".tiff: tags of EXIF were left out: 33434 ExposureTime, 37510 UserComment")
    assert image.tag_v2[Tag.Make] == "Camera"


@pytest.mark.parametrize(
    ("exif", "note"),
    [
        (b"x", ".tiff: EXIF is damaged: dropped"),
        (b"II*\0", ".tiff: EXIF is damaged: dropped"),
        (b"MM\0*\0\0\xff\0", ".tiff: EXIF is damaged: only what can be read of it is kept"),
        (camera_exif("<")[:40], ".tiff: EXIF is damaged: only what can be read of it is kept"),
    ],
    ids=["no header", "no directory", "directory elsewhere", "cut"],
)
def test_damaged_exif_is_dropped_as_far_as_it_is(exif, note):
    """The samples are written, and a note tells of the EXIF."""
    picture = Picture(noise(3, 3, 3, seed=5), exif=exif)
    data, notes = image_bytes(picture, ".tiff")
    assert (read_image(data).picture.samples.tobytes(), notes) == (picture.samples.tobytes(), (note,))


def test_every_changed_byte_of_exif_leaves_the_samples_readable():
    """No EXIF, however damaged, makes a file of other samples."""
    exif, samples = camera_exif("<"), noise(3, 4, 1, seed=6, dtype=np.uint16)
    for place in range(len(exif)):
        for value in (0, 1, 255):
            damaged = exif[:place] + bytes([value]) + exif[place + 1 :]
            data, _ = image_bytes(Picture(samples, exif=damaged), ".tiff")
            assert np.array_equal(read_image(data).picture.samples, samples)


@pytest.mark.parametrize(
    ("tag", "value"), [("Orientation", 0), ("Orientation", 9), ("ResolutionUnit", 0), ("ResolutionUnit", 4)]
)
def test_values_that_tiff_does_not_have_cost_no_other_tag(tag, value):
    """Cameras write an orientation of 0: it is left out with a note, and the rest is kept."""
    exif = Image.Exif()
    exif[Tag[tag]], exif[Tag.Model] = value, "Camera"
    image = written(
        Picture(noise(4, 5, 3, seed=9), exif=exif.tobytes().removeprefix(b"Exif\0\0")),
        f".tiff: tags of EXIF were left out: {Tag[tag].value} {tag}",
    )
    assert (image.getexif()[Tag.Model], Tag[tag] in image.getexif()) == ("Camera", False)
