"""Image files of more than 8 bits a sample, of which Pillow reads 8, and those that only look like it."""

import struct

import imagecodecs
import numpy as np
import pytest
from tests.images import noise, saved

from fdcodec.errors import UnsupportedError
from fdcodec.image.reading import read_image


def test_sixteen_bit_colour_is_read_as_pillow_gives_it_with_a_note():
    """The bits that Pillow drops are not dropped in silence."""
    picture, notes = read_image(b"P6 1 1 65535\n" + np.array([0, 32768, 65535], ">u2").tobytes())
    assert picture.samples.tolist() == [[[0, 128, 255]]]
    assert notes == ("colour of more than 8 bits was reduced to 8 bits: Pillow reads no more",)


def deep_colour() -> dict[str, bytes]:
    """Return files of 16-bit colour, and of 16-bit gray with alpha, by kind."""
    shallow, bits = saved(noise(4, 4, 3, seed=10), "TIFF"), np.array([8, 8, 8], "<u2")
    return {
        "PPM": b"P6 1 1 65535\n" + bytes(6),
        "TIFF": shallow.replace(bits.tobytes(), (2 * bits).tobytes()),
        "PNG": imagecodecs.png_encode(noise(4, 4, 3, seed=11, dtype=np.uint16)),
        "PNG with alpha": imagecodecs.png_encode(noise(4, 4, 2, seed=12, dtype=np.uint16)),
        "JPEG 2000": imagecodecs.jpeg2k_encode(noise(40, 40, 3, seed=13, dtype=np.uint16), level=0),
        "AVIF": imagecodecs.avif_encode(noise(40, 40, 3, seed=14, dtype=np.uint16) >> 6, bitspersample=10),
    }


@pytest.mark.parametrize("kind", deep_colour())
def test_sixteen_bit_colour_is_refused_where_nothing_may_be_lost(kind):
    """With `lossless`, samples of which Pillow reads half the bits are refused, and the message says what to do."""
    with pytest.raises(UnsupportedError, match=r"lossless: of the more than 8 bits .* \.npy of uint16"):
        read_image(deep_colour()[kind], lossless=True)


def test_floating_point_is_refused_for_what_it_is():
    """With `lossless` or without, the message is that of the mode."""
    for lossless in (False, True):
        with pytest.raises(UnsupportedError, match="mode F"):
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


def test_separate_planes_of_sixteen_bits_are_refused():
    """Pillow takes the bytes of such a TIFF for samples; they are not stored as a picture."""
    tags = [(256, 4, 1, 2), (257, 4, 1, 1), (258, 3, 3, 134), (259, 3, 1, 1), (262, 3, 1, 2), (273, 4, 3, 140)]
    tags += [(277, 3, 1, 3), (278, 4, 1, 1), (279, 4, 3, 152), (284, 3, 1, 2)]
    directory = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags) + bytes(4)
    arrays = struct.pack("<HHH", 16, 16, 16) + struct.pack("<IIIIII", 164, 168, 172, 4, 4, 4)
    data = b"II*\0\x08\0\0\0" + directory + arrays + bytes(12)
    with pytest.raises(UnsupportedError, match="separate planes of 16 bits"):
        read_image(data)
