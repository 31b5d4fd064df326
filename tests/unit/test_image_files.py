"""Image files in and out: samples, orientation, modes, frames."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from tests.images import noise, orientation_exif, saved

from fdcodec.errors import ParameterError, UnsupportedError
from fdcodec.image.arrays import picture_of
from fdcodec.image.picture import Picture
from fdcodec.image.reading import READABLE_FORMATS, READABLE_SUFFIXES, read_image
from fdcodec.image.writing import image_bytes

ICC = b"not really a profile, but opaque"


@pytest.mark.parametrize("size", [(1, 1), (1, 9), (9, 1), (7, 5)])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("suffix", [".png", ".tif", ".npy"])
def test_lossless_formats_round_trip(size, channels, suffix):
    """What is written to a lossless format is read back, sample for sample."""
    picture = Picture(noise(*size, channels, seed=channels))
    read, notes = read_image(image_bytes(picture, suffix)[0])
    assert read.samples.tobytes() == picture.samples.tobytes()
    assert read.samples.shape == picture.samples.shape
    assert notes == ()


@pytest.mark.parametrize("suffix", [".png", ".tiff", ".pgm", ".npy"])
def test_sixteen_bit_gray_round_trip(suffix):
    """16-bit gray keeps all its bits in every format that holds it."""
    picture = picture_of(noise(5, 6, 1, seed=4, dtype=np.uint16)[:, :, 0])
    read = read_image(image_bytes(picture, suffix)[0], lossless=True).picture
    assert np.array_equal(read.array, picture.array)


def test_colours_without_opacity_are_written():
    """Lossless WebP has the colours where alpha is 0, too."""
    samples = noise(9, 8, 4, seed=1)
    samples[:, :4, 3] = 0
    assert np.array_equal(read_image(image_bytes(Picture(samples), ".webp")[0]).picture.samples, samples)


def test_jpeg_is_written_with_little_loss():
    """Its colours have the resolution of its light, and its quality is 95."""
    data = image_bytes(Picture(noise(16, 16, 3, seed=1)), ".jpg")[0]
    usual = saved(noise(16, 16, 3, seed=1), "JPEG", quality=95, subsampling="4:4:4")
    image, expected = Image.open(BytesIO(data)), Image.open(BytesIO(usual))
    assert (image.layer, image.quantization) == (expected.layer, expected.quantization)
    assert {component[1:3] for component in image.layer} == {(1, 1)}


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("source", ["PNG", "JPEG", "TIFF", "WEBP"])
@pytest.mark.parametrize("suffix", [".png", ".jpg"])
def test_orientation_is_neither_applied_nor_dropped(orientation, source, suffix):
    """Stored samples stay as they are and the tag travels, from every format to every format."""
    samples = noise(4, 9, 3, seed=5)
    exif, options = b"Exif\0\0" + orientation_exif(orientation), {"lossless": True} if source == "WEBP" else {}
    picture = read_image(saved(samples, source, exif=exif, **options)).picture
    assert (picture.width, picture.height) == (9, 4)
    assert source == "JPEG" or np.array_equal(picture.samples, samples)
    with Image.open(BytesIO(image_bytes(picture, suffix)[0])) as written:
        assert written.size == (9, 4)
        assert written.getexif()[274] == orientation


@pytest.mark.parametrize("channels", [1, 2])
def test_gray_is_written_to_webp_as_rgb(channels):
    """WebP has no gray: three equal channels are exact, and alpha too; a profile of gray does not go with them."""
    samples = noise(5, 7, channels, seed=2)
    profile = bytes(16) + b"GRAY"
    data, notes = image_bytes(Picture(samples, icc=profile), ".webp")
    read = read_image(data).picture
    assert np.array_equal(read.samples, samples[:, :, [0, 0, 0, *range(1, channels)]])
    assert (read.icc, notes) == (None, (".webp: ICC of gray dropped, as gray is stored as RGB",))
    assert read_image(image_bytes(Picture(samples, icc=ICC), ".webp")[0]).picture.icc == ICC


@pytest.mark.parametrize(
    ("channels", "dtype", "suffix", "able"),
    [
        (4, np.uint8, ".ppm", ".png"),
        (1, np.uint8, ".ppm", ".pgm"),
        (1, np.uint16, ".ppm", ".pgm"),
        (2, np.uint8, ".jpg", ".png"),
        (4, np.uint8, ".jpg", ".png"),
        (3, np.uint16, ".png", ".npy"),
        (3, np.uint8, ".pgm", ".ppm"),
        (3, np.uint16, ".pgm", ".npy"),
    ],
)
def test_format_that_cannot_hold_the_samples_is_refused(channels, dtype, suffix, able):
    """No channel and no bit is dropped to make a picture fit a format; one that can hold it is named."""
    with pytest.raises(UnsupportedError, match=f"{suffix} cannot .* write {able},"):
        image_bytes(Picture(noise(2, 2, channels, seed=8, dtype=dtype)), suffix)


def test_unknown_suffix_lists_the_known_ones():
    """The message says what may be written."""
    with pytest.raises(ParameterError, match=r"'\.xyz' is not one of \.png"):
        image_bytes(Picture(noise(2, 2, 3, seed=9)), ".xyz")


def test_directories_are_searched_for_every_suffix_of_the_formats():
    """No file that Pillow knows by its suffix to be of a format that is read is passed over."""
    known = {suffix for suffix, name in Image.registered_extensions().items() if name in READABLE_FORMATS}
    assert known - READABLE_SUFFIXES == set()


def test_palette_with_transparency_becomes_rgba():
    """A transparent palette entry becomes alpha 0."""
    image = Image.new("P", (2, 1))
    image.putpalette([10, 20, 30, 40, 50, 60])
    image.putdata([0, 1])
    buffer = BytesIO()
    image.save(buffer, "PNG", transparency=1)
    assert read_image(buffer.getvalue()).picture.samples.tolist() == [[[10, 20, 30, 255], [40, 50, 60, 0]]]


def test_bilevel_becomes_gray():
    """One-bit samples are 0 and 255."""
    buffer = BytesIO()
    Image.fromarray(np.eye(3, dtype=bool)).save(buffer, "PNG")
    assert read_image(buffer.getvalue()).picture.array.tolist() == (255 * np.eye(3, dtype=int)).tolist()


def test_cmyk_is_converted_and_its_profile_dropped():
    """CMYK becomes RGB; its profile would be wrong for RGB, and both are said."""
    buffer = BytesIO()
    Image.new("CMYK", (2, 2)).save(buffer, "JPEG", icc_profile=ICC)
    picture, notes = read_image(buffer.getvalue())
    assert (picture.channels, picture.icc) == (3, None)
    assert notes == (
        "CMYK colours are stored as RGB, converted by a plain formula; its colour profile, not one of RGB, is left out",
    )


def test_previews_of_a_photograph_are_no_frames_that_could_be_lost():
    """A phone's JPEG with a second picture behind the first is coded without loss, with the note."""
    pictures = [Image.fromarray(noise(16, 16, 3, seed=i)) for i in range(2)]
    buffer = BytesIO()
    pictures[0].save(buffer, "MPO", save_all=True, append_images=pictures[1:])
    assert read_image(buffer.getvalue(), lossless=True).notes == ("only the first of 2 frames was read",)


def test_first_frame_of_an_animation_is_read_with_a_note():
    """The frames that are left out are counted."""
    frames = [Image.fromarray(noise(3, 3, 1, seed=i)[:, :, 0]) for i in range(3)]
    buffer = BytesIO()
    frames[0].save(buffer, "PNG", save_all=True, append_images=frames[1:])
    picture, notes = read_image(buffer.getvalue())
    assert np.array_equal(picture.array, np.asarray(frames[0]))
    assert notes == ("only the first of 3 frames was read",)
    with pytest.raises(UnsupportedError, match="lossless: only one of the 3 frames of this PNG file would be kept"):
        read_image(buffer.getvalue(), lossless=True)
