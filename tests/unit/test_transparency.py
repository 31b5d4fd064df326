"""PNG files in which one gray value or one colour is transparent."""

import struct
import zlib
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from fdcodec.errors import UnsupportedError
from fdcodec.image.arrays import as_picture
from fdcodec.image.reading import read_image

GRAY, COLOUR = 0, 2  # as PNG numbers them


def chunk(kind, body):
    """Return a chunk of a PNG."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(row, width, depth, colour_type, *transparent):
    """Return a PNG of one row, given as its bytes, in which one value or colour is transparent."""
    header = struct.pack(">IIBBBBB", width, 1, depth, colour_type, 0, 0, 0)
    chunks = [chunk(b"IHDR", header), chunk(b"tRNS", struct.pack(f">{len(transparent)}H", *transparent))]
    return b"".join([b"\x89PNG\r\n\x1a\n", *chunks, chunk(b"IDAT", zlib.compress(b"\0" + row)), chunk(b"IEND", b"")])


@pytest.mark.parametrize("read", ["file", "Pillow"])
@pytest.mark.parametrize(
    ("depth", "row"), [(1, b"\x40"), (2, b"\x1b"), (4, bytes(range(0, 256, 17))), (8, bytes(range(16)))]
)
def test_a_gray_value_becomes_alpha(depth, row, read):
    """Of each depth exactly the samples of the transparent value have alpha 0, and gray is scaled to 255."""
    greatest, count = 2**depth - 1, 8 * len(row) // depth
    bits = "".join(f"{byte:08b}" for byte in row)
    values = [int(bits[k * depth : (k + 1) * depth], 2) for k in range(count)]
    for transparent in range(0, min(greatest, 15) + 1):
        data = png(row, count, depth, GRAY, transparent)
        picture = read_image(data, lossless=True).picture if read == "file" else as_picture(Image.open(BytesIO(data)))
        expected = [[value * 255 // greatest, 0 if value == transparent else 255] for value in values]
        assert picture.samples[0].tolist() == expected


def test_a_pillow_image_gives_the_same_picture_twice():
    """What Pillow forgets when it loads an image is put right in the image."""
    image = Image.open(BytesIO(png(b"\x0f\xf0", 4, 4, GRAY, 15)))
    pictures = [as_picture(image).samples[0, :, 1].tolist() for _ in range(2)]
    assert pictures == [[255, 0, 0, 255]] * 2


def test_a_colour_becomes_alpha():
    """Of 8 bits exactly the pixels of the transparent colour have alpha 0."""
    picture = read_image(png(bytes([1, 2, 3, 1, 2, 4]), 2, 8, COLOUR, 1, 2, 3), lossless=True).picture
    assert picture.samples.tolist() == [[[1, 2, 3, 0], [1, 2, 4, 255]]]


def test_a_colour_of_sixteen_bits_is_dropped():
    """Of pixels that differ in the bits that Pillow does not read none becomes transparent, and a note says so."""
    row = np.array([0x1234, 0x3456, 0x5678, 0x3400, 0x5600, 0x7800], ">u2").tobytes()
    picture, notes = read_image(png(row, 2, 16, COLOUR, 0x1234, 0x3456, 0x5678))
    assert picture.samples.tolist() == [[[0x12, 0x34, 0x56], [0x34, 0x56, 0x78]]]
    assert notes[1:] == ("the transparent colour was dropped: Pillow reads 8 of its 16 bits",)


def test_a_gray_value_of_sixteen_bits_is_dropped_or_refused():
    """The samples are exact and a note tells of the value; where nothing may be lost that is refused."""
    data = png(struct.pack(">3H", 1, 2, 65535), 3, 16, GRAY, 2)
    picture, notes = read_image(data)
    assert picture.samples.ravel().tolist() == [1, 2, 65535]
    assert notes == ("the transparent gray value was dropped: 16-bit gray has no alpha",)
    with pytest.raises(UnsupportedError, match="lossless: 16-bit gray has no alpha"):
        read_image(data, lossless=True)
