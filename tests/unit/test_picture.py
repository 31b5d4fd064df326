"""Pictures and what users hand to the public functions."""

import re
import warnings
from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from tests.images import noise, orientation_exif, saved

import fdcodec
from fdcodec.errors import ConversionWarning, FormatError, LimitError, ParameterError, UnsupportedError
from fdcodec.image.arrays import as_picture
from fdcodec.image.picture import Picture


@pytest.mark.parametrize("shape", [(1, 1), (1, 1, 1), (1, 300, 3), (300, 1, 4), (7, 9, 2), (65535, 1)])
def test_shape_comes_back_as_given(shape):
    """The array of a picture has the shape that was handed in."""
    assert as_picture(np.zeros(shape, np.uint8)).array.shape == shape


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::-1],
        lambda a: a[:, ::-2],
        lambda a: np.asfortranarray(a),
        lambda a: a.astype(a.dtype.newbyteorder()),
        lambda a: a[2:5, 3:9],
    ],
    ids=["negative", "strided", "fortran", "swapped", "window"],
)
def test_memory_layout_does_not_matter(view):
    """Any strides and byte order give the samples of the contiguous native copy."""
    array = view(noise(10, 12, 3, seed=1, dtype=np.uint16))
    picture = as_picture(array)
    assert picture.samples.dtype == np.dtype(np.uint16)
    assert picture.samples.flags.c_contiguous
    assert np.array_equal(picture.samples, array)


def test_an_empty_mask_is_nothing():
    """A masked array of which nothing is masked is an array."""
    array = np.ma.masked_greater(noise(4, 5, 3, seed=2), 255)
    assert as_picture(array).samples.tobytes() == array.data.tobytes()


def test_read_only_array_is_accepted():
    """An array that cannot be written to is as good as any."""
    array = noise(4, 5, 3, seed=2)
    array.flags.writeable = False
    assert as_picture(array).samples.tobytes() == array.tobytes()


@pytest.mark.parametrize(
    ("image", "words"),
    [
        ([[1, 2]], "list"),
        (np.ma.masked_less(np.arange(4, dtype=np.uint8).reshape(2, 2), 1), "a masked array, and a file holds no mask"),
        (np.zeros((2, 2, 5), np.uint8), "(2, 2, 5)"),
        (np.zeros((12, 2, 5), np.uint8), "encode images of a stack, or channels beyond four, one by one"),
        (np.zeros((0, 2), np.uint8), "(0, 2)"),
        (np.zeros(4, np.uint8), "(4,)"),
        (np.zeros((2, 2, 2, 2), np.uint8), "(2, 2, 2, 2)"),
        (np.zeros((2, 2), np.float32), "float32"),
        (np.zeros((2, 2), np.int16), "int16"),
        (np.zeros((2, 2), np.uint32), "uint32"),
        (np.zeros((2, 2), bool), "by .astype(numpy.uint8) * 255"),
        (np.zeros((3, 8, 9), np.uint8), "numpy.moveaxis(image, 0, -1) is"),
        ("photo.png", "open a file with PIL.Image.open"),
    ],
)
def test_refusal_names_argument_and_value(image, words):
    """What cannot be coded is refused with the argument and the offending value in the message."""
    with pytest.raises(ParameterError) as caught:
        as_picture(image)
    assert str(caught.value).startswith("image: ")
    assert words in str(caught.value)


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize(
    ("values", "advice"),
    [
        ((0, 255), "its values 0..255 fit: convert it by .astype(numpy.uint8)"),
        ((3, 256), "its values 3..256 fit: convert it by .astype(numpy.uint16)"),
    ],
)
def test_other_integers_are_refused_with_the_conversion_that_fits(dtype, values, advice):
    """Whether integers of another type are 8 or 16 bits is the user's to say, and the message says which hold them."""
    with pytest.raises(ParameterError, match=re.escape(f"dtype {np.dtype(dtype)} is not uint8 or uint16; {advice}")):
        as_picture(np.array([values], dtype))


@pytest.mark.parametrize("values", [(-1, 255), (-32768, 32767)])
def test_signed_integers_of_sixteen_bits_are_to_have_an_offset(values):
    """Values such as elevations below the sea are kept whole by an offset, which the message has."""
    image = np.array([values], np.int16)
    with pytest.raises(ParameterError, match=re.escape("(image.astype(numpy.int32) + 32768).astype(numpy.uint16)")):
        as_picture(image)
    assert np.array_equal((image.astype(np.int32) + 32768).astype(np.uint16) - 32768.0, image)


@pytest.mark.parametrize("values", [(-32769, 255), (-1, 32768), (0, 65536)])
def test_integers_that_fit_nowhere_are_to_be_scaled(values):
    """Integers that 16 bits do not hold, signed or not, have no conversion that keeps them."""
    with pytest.raises(ParameterError, match="int64 is not uint8 or uint16; scale and convert it"):
        as_picture(np.array([values], np.int64))


def test_side_limit():
    """A side above 65535 is a limit, not a format error."""
    with pytest.raises(LimitError, match="65536"):
        as_picture(np.zeros((65536, 1), np.uint8))


def test_side_limit_comes_before_the_copy():
    """A view that repeats samples is refused for its sides, however much memory a copy of it would take."""
    with pytest.raises(LimitError, match="3000000x70000"):
        as_picture(np.broadcast_to(np.uint8(0), (70_000, 3_000_000)))


@pytest.mark.parametrize(
    ("mode", "shape"),
    [("1", (3, 4)), ("L", (3, 4)), ("P", (3, 4, 3)), ("LA", (3, 4, 2)), ("RGB", (3, 4, 3)), ("RGBA", (3, 4, 4))],
)
def test_pillow_modes(mode, shape):
    """Every Pillow mode of the format gives its own number of channels; palettes are expanded."""
    assert as_picture(Image.new(mode, (4, 3))).array.shape == shape


def test_pillow_sixteen_bit_gray():
    """Pillow's 16-bit gray keeps its 16 bits."""
    array = noise(3, 4, 1, seed=3, dtype=np.uint16)[:, :, 0]
    assert np.array_equal(as_picture(Image.fromarray(array)).array, array)


def test_pillow_gray_of_32_bits_is_taken_where_16_hold_it():
    """Pillow's mode I keeps values in 0..65535, and others are refused with what to do."""
    array = np.array([[0, 65535]], np.int32)
    assert as_picture(Image.fromarray(array)).array.tolist() == array.tolist()
    for value in (-1, 65536):
        with pytest.raises(UnsupportedError, match=r"^image mode I holds values outside 0..65535; scale them, or add"):
            as_picture(Image.fromarray(np.array([[0, value]], np.int32)))


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("CMYK", "stored as RGB, converted by a plain formula; its colour profile"),
        ("HSV", "stored as RGB"),
        ("La", "stored as LA: its colours are divided by alpha"),
        ("RGBa", "stored as RGBA: its colours are divided by alpha"),
        ("I;16", "the transparent gray value was dropped"),
    ],
)
def test_conversions_that_lose_are_warned_of(mode, words):
    """What the format has no place for is converted or dropped with a warning of this file, and never losslessly."""
    image = Image.new(mode, (4, 3))
    image.info |= {"icc_profile": b"profile", "transparency": 0}
    with pytest.warns(ConversionWarning, match=words) as caught:
        fdcodec.encode(image)
    assert [warning.filename for warning in caught] == [__file__]
    with pytest.raises(UnsupportedError, match=r"^lossless: .*, or leave lossless=True out"):
        fdcodec.encode(image, lossless=True)


def test_profile_is_told_only_where_there_is_one():
    """A conversion of colours without a profile says nothing of one."""
    with pytest.warns(ConversionWarning, match="^CMYK colours are stored as RGB, converted by a plain formula$"):
        as_picture(Image.new("CMYK", (4, 3)))


def pages(file_format):
    """Return an opened image of two frames, 50 and 200."""
    file = BytesIO()
    Image.new("L", (4, 3), 50).save(file, file_format, save_all=True, append_images=[Image.new("L", (4, 3), 200)])
    return Image.open(BytesIO(file.getvalue()))


@pytest.mark.parametrize("file_format", ["TIFF", "PNG", "GIF", "WEBP"])
def test_frames_that_are_left_out_are_warned_of(file_format):
    """Of an image that is opened the first frame is stored with a warning, and one that was sought without."""
    with pytest.warns(ConversionWarning, match="only the first of several frames is stored"):
        assert as_picture(pages(file_format)).samples.max() == 50
    sought = pages(file_format)
    sought.seek(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert as_picture(sought).samples.max() == 200


@pytest.mark.parametrize("file_format", ["TIFF", "PNG", "GIF"])
@pytest.mark.filterwarnings("ignore::fdcodec.errors.ConversionWarning")
def test_looking_for_frames_keeps_what_was_drawn(file_format):
    """Pixels that were changed since the image was opened are those that are stored."""
    image = pages(file_format)
    image.paste(1, (0, 0, 2, 3))
    assert (as_picture(image).samples[:, :, 0] == 50).tolist() == [[False, False, True, True]] * 3


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "PA", "RGB", "RGBA", "I", "I;16"])
def test_conversions_that_keep_everything_are_not_warned_of(mode):
    """A mode whose samples all have their place gives no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        as_picture(Image.new(mode, (4, 3)))


@pytest.mark.parametrize("mode", ["L", "RGB", "I", "I;16"])
def test_empty_pillow_image_is_refused(mode):
    """An image without a sample is a wrong argument, whatever its mode."""
    with pytest.raises(ParameterError, match=r"^image: size \(0, 5\) is not \(width, height\), both >= 1"):
        as_picture(Image.new(mode, (0, 5)))


@pytest.mark.parametrize(("mode", "transparency"), [("L", b"\0\x80"), ("L", None), ("P", 300), ("P", "x")])
def test_odd_transparency_is_a_wrong_argument(mode, transparency):
    """What Pillow cannot make alpha of is not let out as an exception of Pillow's."""
    image = Image.new(mode, (2, 2))
    image.info["transparency"] = transparency
    with pytest.raises(ParameterError, match=f"^image: Pillow cannot load or convert it from mode {mode}: .* info$"):
        as_picture(image)


def test_closed_pillow_image_is_a_wrong_argument():
    """An image that cannot be loaded is refused, and the message says to open it."""
    image = Image.new("L", (2, 2))
    image.close()
    with pytest.raises(ParameterError, match=r"^image: Pillow cannot load .* closed .*; open it again"):
        as_picture(image)


@pytest.mark.parametrize("file_format", ["PNG", "JPEG", "TIFF"])
def test_pillow_image_of_a_file_that_is_cut_is_damaged(file_format):
    """An opened image whose samples are not all there is a fault of its file, and no wrong argument."""
    data = saved(noise(20, 30, 3, seed=4), file_format)
    with pytest.raises(FormatError, match=r"^image: its file is damaged: .*; get the whole file$"):
        as_picture(Image.open(BytesIO(data[: len(data) - 300])))


@pytest.mark.parametrize("mode", ["F", "LAB"])
def test_unsupported_pillow_modes(mode):
    """Modes without a place in the format are refused by name."""
    with pytest.raises(UnsupportedError, match=mode):
        as_picture(Image.new(mode, (4, 3)))


def test_metadata_of_pillow_image_is_kept_replaced_or_left_out():
    """None keeps what the Pillow image brings, bytes replace it, empty bytes leave it out."""
    image = Image.new("L", (2, 2))
    image.info |= {"exif": b"Exif\0\0" + orientation_exif(3), "icc_profile": b"profile", "xmp": b"<x/>"}
    picture = as_picture(image, icc=b"other", xmp=b"")
    assert (picture.exif, picture.icc, picture.xmp) == (orientation_exif(3), b"other", None)


def test_exif_prefix_is_optional():
    """EXIF with and without JPEG's prefix is the same block."""
    bare = orientation_exif(6)
    image = np.zeros((2, 2), np.uint8)
    assert as_picture(image, exif=b"Exif\0\0" + bare).exif == as_picture(image, exif=bare).exif == bare


def test_metadata_must_be_bytes():
    """Text is not metadata."""
    with pytest.raises(ParameterError, match="xmp: str"):
        as_picture(np.zeros((2, 2), np.uint8), xmp="text")


@pytest.mark.parametrize(
    "samples", [np.zeros((2, 2), np.uint8), np.zeros((2, 2, 3), np.int32), np.zeros((4, 4, 3), np.uint8)[:, ::2]]
)
def test_picture_checks_its_samples(samples):
    """A picture cannot be made of samples in another shape, type or layout."""
    with pytest.raises(ParameterError, match="samples"):
        Picture(samples)
