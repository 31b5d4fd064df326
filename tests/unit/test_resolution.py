"""The resolution that a file states beside its EXIF, or only there."""

from io import BytesIO

import pytest
from PIL import ExifTags, Image
from PIL.TiffImagePlugin import IFDRational
from tests.images import noise, orientation_exif, saved, with_chunk

from fdcodec.image.arrays import as_picture
from fdcodec.image.picture import Picture
from fdcodec.image.reading import read_image
from fdcodec.image.writing import image_bytes

Tag = ExifTags.Base
SAMPLES = noise(4, 5, 3, seed=1)


def tags_of(exif):
    """Return the tags of an EXIF block."""
    tags = Image.Exif()
    tags.load(exif)
    return tags


def exif_of(x, y, unit):
    """Return EXIF, without a prefix, that states a resolution."""
    tags = Image.Exif()
    tags[Tag.XResolution], tags[Tag.YResolution], tags[Tag.ResolutionUnit] = x, y, unit
    return tags.tobytes().removeprefix(b"Exif\0\0")


@pytest.mark.parametrize("source", ["PNG", "JPEG", "BMP"])
@pytest.mark.parametrize("suffix", [".png", ".jpg", ".tif"])
def test_resolution_without_exif_goes_from_format_to_format(source, suffix):
    """It becomes EXIF, and the output states it where Pillow's users look for it; pixels a metre are integers."""
    picture, notes = read_image(saved(SAMPLES, source, dpi=(300, 150)))
    tags = tags_of(picture.exif)
    assert (len(tags), tags[Tag.ResolutionUnit], notes) == (3, 2, ())
    assert (tags[Tag.XResolution], tags[Tag.YResolution]) == pytest.approx((300, 150), abs=0.013)
    data, notes = image_bytes(picture, suffix)
    assert Image.open(BytesIO(data)).info["dpi"] == pytest.approx((300, 150), abs=0.013)
    assert (read_image(data).notes, notes) == ((), ())


@pytest.mark.parametrize("per_metre", [1, 11811, 10_000_000, 100_000_000])
def test_pixels_per_metre_of_png_come_back(per_metre):
    """The scale of a scan or a microscope is exact, however fine it is."""
    data = saved(SAMPLES, "PNG", dpi=(per_metre * 0.0254, per_metre * 0.0254))
    stated = per_metre.to_bytes(4, "big") * 2 + b"\1"
    assert (b"pHYs" + stated in data, b"pHYs" + stated in image_bytes(read_image(data).picture, ".png")[0]) == (
        True,
        True,
    )


def test_exif_with_a_resolution_stays_as_it_is():
    """What EXIF states is what counts, in centimetres too, and no byte of it changes."""
    exif = exif_of(100.0, 50.0, 3)
    picture, notes = read_image(saved(SAMPLES, "PNG", exif=exif, dpi=(72, 72)))
    assert (picture.exif, notes) == (exif, ())
    assert Image.open(BytesIO(image_bytes(picture, ".jpg")[0])).info["dpi"] == (254, 127)


@pytest.mark.parametrize("source", ["PNG", "JPEG"])
def test_exif_without_a_resolution_stays_as_it_is(source):
    """No byte of it changes, and a note tells of the resolution that is dropped, if there is one."""
    exif = b"Exif\0\0" + orientation_exif(6)
    picture, notes = read_image(saved(SAMPLES, source, exif=exif, dpi=(254, 254)))
    assert picture.exif == orientation_exif(6)
    assert notes == ("the resolution of 254x254 dpi was left out, as the EXIF has none",)
    assert read_image(saved(SAMPLES, source, exif=exif)).notes == ()


@pytest.mark.parametrize("source", ["PNG", "JPEG", "TIFF", "BMP"])
def test_no_resolution_is_made_up(source):
    """A file that states none, or one of 0, which in TIFF is a tag like any other, brings no EXIF."""
    assert read_image(saved(SAMPLES, source, dpi=(0, 0))).picture.exif is None or source == "TIFF"
    assert read_image(saved(SAMPLES, source)).picture.exif is None or source == "BMP"  # Pillow writes 96 dpi there


@pytest.mark.parametrize("density", [(2, 1), (1, 2), (3, 3), (0, 1), (1, 0)])
def test_the_shape_of_pixels_is_told(density):
    """PNG and JPEG may say that pixels are not square, and not how large they are: a note tells of it."""
    told = "the shape of pixels, {} across as long as {} down, was left out".format(*density)
    expected = (told,) if density in ((2, 1), (1, 2)) else ()
    content = b"".join(value.to_bytes(4, "big") for value in density) + b"\0"
    assert read_image(with_chunk(saved(SAMPLES, "PNG"), b"pHYs", content)).notes == expected
    jpeg = bytearray(saved(SAMPLES, "JPEG"))
    jpeg[13:18] = b"\0" + b"".join(value.to_bytes(2, "big") for value in density)
    assert read_image(bytes(jpeg)).notes == expected


@pytest.mark.parametrize("dpi", [300, (1,), (1, None), (-1, 1), (1, 0), (1, 2**32), (1, float("nan"))], ids=str)
def test_what_is_no_resolution_is_ignored(dpi):
    """An odd value in a Pillow image is no reason to refuse it, and makes no EXIF."""
    image = Image.open(BytesIO(saved(SAMPLES, "PNG")))
    image.info["dpi"] = dpi
    assert as_picture(image).exif is None


@pytest.mark.parametrize(
    "exif",
    [
        *(
            exif_of(1e6, 1e6, 2),
            exif_of(9.0, 65536.0, 2),
            exif_of(65536.0, 9.0, 2),
            exif_of(1.0, 1.0, 1),
            exif_of(0.0, 9.0, 2),
            exif_of(9.0, IFDRational(0, 0), 2),
        ),
        *(b"II*\0\xff\xff\xff\x7f", orientation_exif(3)),
    ],
    ids=["too fine", "down", "across", "no unit", "zero", "no number", "damaged", "none"],
)
def test_jpeg_states_what_it_can_hold(exif):
    """Otherwise its header states none, and EXIF is there as it was."""
    data, notes = image_bytes(Picture(SAMPLES, exif=exif), ".jpg")
    assert (data[13], notes, exif in data) == (0, (), True)


def test_jpeg_states_the_greatest_resolution():
    """What just fits into its header is stated there."""
    data = image_bytes(Picture(SAMPLES, exif=exif_of(65535.0, 65535.0, 2)), ".jpg")[0]
    assert data[13:18] == b"\1\xff\xff\xff\xff"
