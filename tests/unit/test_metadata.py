"""Metadata of image files and of Pillow's images: kept as it is, or left out with a note."""

import re
import struct
import warnings
from io import BytesIO

import pytest
from PIL import Image
from PIL.TiffImagePlugin import ImageFileDirectory_v2
from tests.images import noise, orientation_exif, saved

from fdcodec.errors import ConversionWarning
from fdcodec.image.arrays import as_picture
from fdcodec.image.picture import Picture
from fdcodec.image.reading import read_image
from fdcodec.image.writing import FORMATS, image_bytes

ICC = b"not really a profile, but opaque"
XMP = b'<x:xmpmeta xmlns:x="adobe:ns:meta/">\xc3\xa9</x:xmpmeta>'


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".webp"])
def test_metadata_is_kept_byte_for_byte(suffix):
    """EXIF, XMP and ICC come back exactly as they were written."""
    picture = Picture(noise(4, 4, 3, seed=6), orientation_exif(6), XMP, ICC)
    read = read_image(image_bytes(picture, suffix)[0]).picture
    assert (read.exif, read.xmp, read.icc) == (picture.exif, picture.xmp, picture.icc)


@pytest.mark.parametrize("exif", [None, orientation_exif(6)])
def test_metadata_is_kept_in_tiff(exif):
    """XMP and ICC come back exactly, EXIF as the tags that describe the picture, each without the others too."""
    read = read_image(image_bytes(Picture(noise(4, 4, 3, seed=6), exif, XMP, ICC), ".tiff")[0]).picture
    assert (read.xmp, read.icc, read.exif is None) == (XMP, ICC, exif is None)
    assert exif is None or Image.open(BytesIO(image_bytes(read, ".png")[0])).getexif()[274] == 6


def test_extended_xmp_is_told():
    """Of XMP that is larger than a segment of a JPEG the first packet is kept, and a note tells of the rest."""
    data = saved(noise(2, 2, 3, seed=1), "JPEG", xmp=XMP)
    segment = b"http://ns.adobe.com/xmp/extension/\0" + b"0" * 32 + bytes(8) + b"<more/>"
    read = read_image(data[:2] + b"\xff\xe1" + (len(segment) + 2).to_bytes(2, "big") + segment + data[2:])
    assert (read.picture.xmp, read.notes) == (XMP, ("only the first of several XMP packets was read",))
    assert read_image(data).notes == ()


@pytest.mark.parametrize("name", ["JPEG", "GIF"])
def test_comments_are_told(name):
    """A comment has no place, and a note says so."""
    samples = noise(2, 2, 1, seed=1)
    assert read_image(saved(samples, name, comment=b"scan 3")).notes == ("texts were left out: comment",)
    assert read_image(saved(samples, name)).notes == ()


def bmp_5(colour_space):
    """Return a black BMP of version 5 and 4x4 pixels, whose header names a colour space or where its profile is."""
    header = struct.pack("<IiiHHIIiiII16x4s36x12xIIII", 124, 4, 4, 1, 24, 0, 48, 0, 0, 0, 0, colour_space, 4, 172, 9, 0)
    return b"BM" + struct.pack("<IHHI", 195, 0, 0, 138) + header + bytes(48) + b"a profile"


def gif_with(extension):
    """Return a GIF with an extension before its image."""
    gif = saved(noise(4, 4, 1, seed=7)[:, :, 0], "GIF")
    place = 13 + (3 << (gif[10] & 7) + 1)
    return gif[:place] + extension + gif[place:]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        *((bmp_5(b"BGRs"), ()), (bmp_5(b"DEBM"), ("BMP", "ICC")), (bmp_5(b"KNIL"), ("BMP", "ICC"))),
        (gif_with(b"\x21\xff\x0bNETSCAPE2.0\3\1\0\0\0"), ()),
        (gif_with(b"\x21\xff\x0bICCRGBG1012\1p\0"), ("GIF", "ICC")),
        (gif_with(b"\x21\xff\x0bXMP DataXMP\4<x/>\0"), ("GIF", "XMP")),
    ],
)
def test_metadata_that_pillow_does_not_read_is_told(data, told):
    """A profile of a BMP or a GIF, and XMP of a GIF, are not dropped in silence."""
    notes = ("parts of this {} file were left out: {}".format(*told),) if told else ()
    assert read_image(data).notes == notes


@pytest.mark.parametrize(
    ("primaries", "transfer", "options", "is_told"),
    [
        *((1, 13, {}, False), (2, 2, {}, False), (9, 16, {}, True), (12, 13, {}, True), (1, 18, {}, True)),
        (12, 13, {"icc_profile": ICC}, False),
    ],
)
def test_colour_space_of_avif_is_told(primaries, transfer, options, is_told):
    """Primaries or a transfer (H.273) that are not those of sRGB are no loss in silence, unless a profile is there."""
    start, mark, rest = saved(noise(16, 16, 3, seed=8), "AVIF", **options).partition(b"colrnclx")
    picture, notes = read_image(start + mark + struct.pack(">HH", primaries, transfer) + rest[4:])
    assert notes == ("parts of this AVIF file were left out: colour space (nclx)",) * is_told
    assert picture.icc == options.get("icc_profile")


@pytest.mark.parametrize("orientation", [1, 6])
def test_private_tags_of_tiff_are_told(orientation):
    """What satellites and microscopes note has no place, and a note says so; what is kept has none."""
    info = ImageFileDirectory_v2()
    info[50844], info[34682], info[33432], info[274] = (2.0, 2.0), "PixelWidth=1e-9", "me", orientation
    info[50838] = 3
    data = saved(noise(2, 3, 1, seed=1), "TIFF", tiffinfo=info, icc_profile=ICC)
    expected = "tags were left out: 34682 unknown, 50838 ImageJMetaDataByteCounts, 50844 unknown"
    assert read_image(data, lossless=True).notes == (expected,)
    with pytest.warns(ConversionWarning, match=re.escape(expected)):
        as_picture(Image.open(BytesIO(data)))


def test_iptc_of_jpeg_is_told():
    """Captions of the press, among what Photoshop stores in a JPEG, have no place, and a note says so."""
    data = saved(noise(2, 2, 3, seed=1), "JPEG")
    for resource, notes in ((0x0404, ("IPTC was left out",)), (0x0425, ())):
        segment = b"Photoshop 3.0\0" + b"8BIM" + resource.to_bytes(2, "big") + b"\0\0" + b"\0\0\0\2" + b"ab"
        photoshop = b"\xff\xed" + (len(segment) + 2).to_bytes(2, "big") + segment
        assert read_image(data[:2] + photoshop + data[2:]).notes == notes


def test_format_without_metadata_says_so():
    """Metadata that the output cannot hold is dropped with a note, not in silence."""
    _, notes = image_bytes(Picture(noise(2, 2, 3, seed=7), exif=b"x", icc=b"y"), ".ppm")
    assert notes == (".ppm holds no metadata: EXIF, ICC dropped",)


@pytest.mark.parametrize("orientation", range(1, 10))
def test_orientation_that_is_lost_is_told(orientation):
    """Where EXIF is dropped that has viewers turn the picture, a note says that they no longer will."""
    picture = Picture(noise(2, 2, 3, seed=7), exif=orientation_exif(orientation))
    told = f"orientation {orientation} went with the EXIF, so viewers will not turn the picture"
    for suffix in (".ppm", ".npy"):
        _, notes = image_bytes(picture, suffix)
        expected = (f"{suffix}: {told}",) if 2 <= orientation <= 8 else ()
        assert notes == (f"{suffix} holds no metadata: EXIF dropped", *expected)
    assert image_bytes(picture, ".png")[1] == ()


@pytest.mark.parametrize("name", ["exif", "xmp", "icc_profile"])
@pytest.mark.parametrize("value", ["\udc80", 5, [1, 300], 1.5], ids=repr)
def test_odd_metadata_of_a_pillow_image_is_left_out_with_a_warning(name, value):
    """What is neither bytes nor text that can be encoded is no reason to refuse an image."""
    image = Image.new("L", (2, 2))
    image.info[name] = value
    with pytest.warns(ConversionWarning, match=f"^{name[:3].upper()}.* was left out, as it is damaged: "):
        picture = as_picture(image)
    assert (picture.exif, picture.xmp, picture.icc) == (None, None, None)


def test_tags_of_odd_types_do_not_refuse_a_tiff():
    """EXIF that Pillow cannot put together again is left out with a note."""
    picture = Picture(noise(2, 2, 1, seed=2), exif=orientation_exif(6))
    data = image_bytes(picture, ".tiff")[0]
    short, text = b"\x12\x01\x03\0\x01\0\0\0", b"\x12\x01\x02\0\x01\0\0\0"
    assert data.count(short) == 1
    read, notes = read_image(data.replace(short, text))
    assert (read.exif, read.samples.tobytes()) == (None, picture.samples.tobytes())
    assert notes[0].startswith("EXIF was left out, as it is damaged: ")


@pytest.mark.parametrize("encoding", ["utf-32-le", "utf-32-be"])
def test_xmp_in_utf_32_is_not_taken_for_utf_16(encoding):
    """One mark of an encoding begins another."""
    picture = Picture(noise(2, 2, 3, seed=3), xmp=("\ufeff" + XMP.decode()).encode(encoding))
    data, notes = image_bytes(picture, ".png")
    assert (read_image(data).picture.xmp, notes) == (XMP, (".png: XMP converted from UTF-32 to UTF-8",))


@pytest.mark.parametrize(("name", "limit"), [("exif", 65527), ("xmp", 65504), ("icc", 16707345)])
def test_metadata_above_the_limits_of_jpeg_is_dropped(name, limit):
    """JPEG holds as much as its markers do; a byte more is dropped with a note, and the samples are written."""
    samples = noise(2, 2, 3, seed=5)
    data, notes = image_bytes(Picture(samples, **{name: bytes(limit)}), ".jpg")
    assert (getattr(read_image(data).picture, name), notes) == (bytes(limit), ())
    data, notes = image_bytes(Picture(samples, **{name: bytes(limit + 1)}), ".jpg")
    assert getattr(read_image(data).picture, name) is None
    assert notes == (f".jpg holds {limit} bytes of {name.upper()} at most: {limit + 1} bytes dropped",)


@pytest.mark.parametrize("suffix", [*FORMATS, ".npy"])
def test_writing_damaged_metadata_warns_of_nothing(suffix):
    """Python warnings do not reach the user: what there is to say is a note."""
    damaged = b"II*\0\xff\xff\xff\x7f"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        image_bytes(Picture(noise(2, 2, 1 if suffix == ".pgm" else 3, seed=6), exif=damaged), suffix)
