"""Image files of more than 8 bits a sample, of which Pillow reads 8, and those that only look like it."""

import struct
import warnings
from io import BytesIO

import imagecodecs
import numpy as np
import pytest
from PIL import ExifTags, Image
from tests.images import noise, saved

from fdcodec.errors import ConversionWarning, TruncatedError, UnsupportedError
from fdcodec.image.arrays import as_picture
from fdcodec.image.reading import read_image


def test_sixteen_bit_colour_is_read_as_pillow_gives_it_with_a_note():
    """The bits that Pillow drops are not dropped in silence."""
    picture, notes = read_image(b"P6 1 1 65535\n" + np.array([0, 32768, 65535], ">u2").tobytes())
    assert picture.samples.tolist() == [[[0, 128, 255]]]
    assert notes == ("colour of more than 8 bits was reduced to 8 bits: Pillow reads no more",)


EIGHT_BITS = np.array([8, 8, 8], "<u2")
DEEP_COLOUR = {
    "PPM": b"P6 1 1 65535\n" + bytes(6),
    "PPM of text": b"P3 1 1 65535\n0 256 65535",
    "TIFF": saved(noise(4, 4, 3, seed=10), "TIFF").replace(EIGHT_BITS.tobytes(), (2 * EIGHT_BITS).tobytes()),
    "PNG": imagecodecs.png_encode(noise(4, 4, 3, seed=11, dtype=np.uint16)),
    "PNG with alpha": imagecodecs.png_encode(noise(4, 4, 2, seed=12, dtype=np.uint16)),
    "JPEG 2000": imagecodecs.jpeg2k_encode(noise(40, 40, 3, seed=13, dtype=np.uint16), level=0),
    "AVIF": imagecodecs.avif_encode(noise(40, 40, 3, seed=14, dtype=np.uint16) >> 6, bitspersample=10),
}
"""Files of 16-bit colour, and of 16-bit gray with alpha, by kind."""


@pytest.mark.parametrize("kind", DEEP_COLOUR)
def test_sixteen_bit_colour_is_refused_where_nothing_may_be_lost(kind):
    """With `lossless`, samples of which Pillow reads half the bits are refused, and the message says what to do."""
    with pytest.raises(UnsupportedError, match=r"lossless: Pillow reads only 8 bits .* \.npy of uint16"):
        read_image(DEEP_COLOUR[kind], lossless=True)


@pytest.mark.parametrize(
    ("header", "greatest"),
    [(b"P5 2 1 4095\n", 4095), (b"P5 2 1 100\n", 100), (b"P6 1 1 1000\n", 1000), (b"P2 2 1 300\n", 300)],
)
def test_values_that_pillow_scales_are_told(header, greatest):
    """A greatest value of its own makes other samples than those of the file: a note, or with `lossless` a refusal."""
    data = header + (b"7 9" if header.startswith(b"P2") else bytes(6))
    notes = read_image(data).notes
    assert f"values 0..{greatest} were scaled to the full range of 8 or 16 bits, as Pillow reads them" in notes
    with pytest.raises(UnsupportedError, match=f"lossless: Pillow scales the values 0..{greatest}"):
        read_image(data, lossless=True)


def test_twelve_bits_of_jpeg_2000_are_told():
    """Pillow shifts them up to 16."""
    data = bytearray(imagecodecs.jpeg2k_encode(noise(40, 40, 1, seed=16, dtype=np.uint16)[:, :, 0], level=0))
    data[data.find(b"\xff\x4f\xff\x51") + 42] = 11
    assert any("values 0..4095 were scaled" in note for note in read_image(bytes(data)).notes)


@pytest.mark.parametrize(("bits", "stored"), [(1, [0, 128]), (4, [0, 240])])
def test_few_bits_of_jpeg_2000_are_told(bits, stored):
    """Pillow shifts them up to 8, of colour as of gray."""
    for samples in (np.indices((40, 40))[0] % 2, np.indices((40, 40, 3))[0] % 2):
        drawn = (samples * (2**bits - 1)).astype(np.uint8)
        data = imagecodecs.jpeg2k_encode(drawn, level=0, reversible=True, bitspersample=bits)
        picture, notes = read_image(data)
        assert np.unique(picture.samples).tolist() == stored
        assert any(f"values 0..{2**bits - 1} were scaled" in note for note in notes)


def test_depths_of_jpeg_2000_that_differ_are_told_by_the_greatest():
    """Each component has its own depth, and the note has the greatest value of all."""
    data = bytearray(imagecodecs.jpeg2k_encode(np.zeros((40, 40, 3), np.uint8), level=0, reversible=True))
    size = data.index(b"\xff\x4f\xff\x51")
    data[size + 42], data[size + 45], data[size + 48] = 3, 5, 3  # a bit less than the depth
    assert any("values 0..63 were scaled" in note for note in read_image(bytes(data)).notes)


def test_signs_of_jpeg_2000_are_told():
    """Pillow adds half the range: a note says so, and where nothing may be lost that is refused."""
    data = imagecodecs.jpeg2k_encode(
        noise(40, 40, 1, seed=19)[:, :, 0].astype(np.int16) - 128, level=0, reversible=True
    )
    assert read_image(data).notes == ("signed samples were read as unsigned, the least as 0",)
    with pytest.raises(UnsupportedError, match="lossless: the samples of this JPEG2000 file are signed"):
        read_image(data, lossless=True)


@pytest.mark.parametrize("data", [b"P1 2 1\n01", b"P1 2 1\n# one\n0 1\n", b"P4 2 1\n\x40"])
def test_one_bit_of_pnm_is_read_as_it_is(data):
    """In text or not, 0 is white and 1 black, and nothing is lost."""
    picture, notes = read_image(data, lossless=True)
    assert (picture.samples.ravel().tolist(), notes) == ([255, 0], ())


FOLLOWED = {
    "one bit": b"P4 9 2\n" + bytes(4),
    "gray": b"P5 3 2 255\n" + bytes(6),
    "16 bits": b"P5 3 2 65535\n" + bytes(12),
    "12 bits": b"P5 3 2 4095\n" + bytes(12),
    "colour": b"P6 3 2 255\n" + bytes(18),
    "deep colour": b"P6 3 2 65535\n" + bytes(36),
}


@pytest.mark.parametrize("kind", FOLLOWED)
def test_images_behind_the_first_of_a_pnm_are_told(kind):
    """A file may hold several, as from a pipe: a note, or a refusal where nothing may be lost."""
    data, told = FOLLOWED[kind], "images behind the first of this PPM file were left out"
    for between in (b"", b"\n"):
        assert told in read_image(data + between + data).notes
    assert told not in read_image(data + b"anything else").notes
    with pytest.raises(UnsupportedError, match="lossless: "):
        read_image(data + data, lossless=True)


def test_images_behind_the_first_are_refused_without_loss():
    """The message says what to do."""
    with pytest.raises(UnsupportedError, match=r"other images follow the first of this PPM file, .*; save each as its"):
        read_image(2 * FOLLOWED["gray"], lossless=True)


@pytest.mark.parametrize("kind", ["PNG", "TIFF", "PPM"])
def test_full_ranges_are_not_scaled(kind):
    """Of 8 and of 16 bits nothing is said, and every sample is the file's."""
    for dtype in (np.uint8, np.uint16):
        samples = noise(5, 7, 1, seed=17, dtype=dtype)
        picture, notes = read_image(saved(samples, kind), lossless=True)
        assert (picture.samples.tolist(), notes) == (samples.tolist(), ())


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_white_that_is_zero_is_turned_round(dtype):
    """A TIFF whose 0 is white gives the picture, not its negative, of 8 bits and of 16."""
    samples = noise(5, 7, 1, seed=18, dtype=dtype)
    data = saved(samples, "TIFF")
    black, white = (struct.pack("<HHII", 262, 3, 1, value) for value in (1, 0))
    assert data.count(black) == 1
    negative = data.replace(black, white)
    assert np.array_equal(read_image(negative).picture.samples, np.invert(samples))
    assert np.array_equal(picture_told(negative, dtype == np.uint16).samples, np.invert(samples))


def picture_told(data, is_told):
    """Return the picture of a file that Pillow has opened, of which a warning says that Pillow shows its negative."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        picture = as_picture(Image.open(BytesIO(data)))
    told = ["the negative of what Pillow shows was stored: 0 is white in this TIFF"] * is_told
    assert [str(warning.message) for warning in caught if warning.category is ConversionWarning] == told
    return picture


def test_floating_point_is_refused_for_what_it_is():
    """With `lossless` or without, the message is that of the mode."""
    for lossless in (False, True):
        with pytest.raises(UnsupportedError, match=r"mode F \(floating point\) is not supported"):
            read_image(saved(np.zeros((4, 4), np.float32), "TIFF"), lossless=lossless)


@pytest.mark.parametrize("kind", ["PNG", "TIFF", "JPEG2000", "AVIF"])
def test_eight_bit_colour_is_not_taken_for_deep(kind):
    """Of 8 bits nothing is lost, and nothing is said."""
    assert read_image(saved(noise(40, 40, 3, seed=15), kind), lossless=True).notes == ()


def test_colour_of_five_and_six_bits_is_read():
    """A BMP of 16 bits a pixel has no more than 8 a sample."""
    masks = (0xF800, 0x7E0, 0x1F)
    header = struct.pack("<2sIIIIiiHHIIiiIIIII", b"BM", 70, 0, 66, 40, 1, 1, 1, 16, 3, 4, 0, 0, 0, 0, *masks)
    picture, notes = read_image(header + struct.pack("<HH", 0xF81F, 0), lossless=True)
    assert (picture.samples.tolist(), notes) == ([[[255, 0, 255]]], ())


def separate_planes(bits, height=1):
    """Return a TIFF, two pixels wide, of separate planes of 8 or 16 bits; its three strips begin with 0, 4 and 8."""
    tags = [(256, 4, 1, 2), (257, 4, 1, height), (258, 3, 3, 134), (259, 3, 1, 1), (262, 3, 1, 2), (273, 4, 3, 140)]
    tags += [(277, 3, 1, 3), (278, 4, 1, 1), (279, 4, 3, 152), (284, 3, 1, 2)]
    directory = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags) + bytes(4)
    arrays = struct.pack("<HHH", *3 * [bits]) + struct.pack("<IIIIII", 164, 168, 172, *3 * [bits // 4])
    return b"II*\0\x08\0\0\0" + directory + arrays + bytes(range(12))


@pytest.mark.parametrize("lossless", [False, True])
def test_separate_planes_of_sixteen_bits_are_refused(lossless):
    """Pillow takes the bytes of such a TIFF for samples; they are not stored as a picture, with loss neither."""
    with pytest.raises(UnsupportedError, match=r"^TIFF of separate planes of 16 bits"):
        read_image(separate_planes(16), lossless=lossless)
    with (
        pytest.raises(UnsupportedError, match=r"^TIFF of separate planes of 16 bits"),
        Image.open(BytesIO(separate_planes(16))) as image,
    ):
        as_picture(image)


def test_separate_planes_of_eight_bits_are_read():
    """Each sample of such a TIFF is that of its plane, and nothing is lost."""
    picture, notes = read_image(separate_planes(8), lossless=True)
    assert (picture.samples.tolist(), notes) == ([[[0, 4, 8], [1, 5, 9]]], ())


def test_separate_planes_without_all_strips_are_damaged():
    """Three strips of a row are those of three planes of one row, and not of two."""
    with pytest.raises(TruncatedError, match="strips of this TIFF are missing"):
        read_image(separate_planes(8, height=2))


def test_one_plane_of_sixteen_bits_is_read():
    """With one sample a pixel it says nothing that planes are separate."""
    samples = noise(6, 5, 1, seed=16, dtype=np.uint16)[:, :, 0]
    data = saved(samples, "TIFF", tiffinfo={ExifTags.Base.PlanarConfiguration: 2}, compression="tiff_adobe_deflate")
    assert Image.open(BytesIO(data)).tag_v2[ExifTags.Base.PlanarConfiguration] == 2
    assert np.array_equal(read_image(data).picture.samples[:, :, 0], samples)
