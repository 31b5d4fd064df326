"""What Pillow does not look at in a PNG."""

import tracemalloc
import zlib

import pytest
from PIL import Image
from tests.images import noise, saved

from fdcodec.errors import ChecksumError, FormatError, TruncatedError
from fdcodec.image.png import SIGNATURE, check_checksums, check_rows, chunks

GRAY = saved(noise(9, 7, 1, seed=1)[:, :, 0], "PNG")


def chunk(kind, content=b""):
    """Return a chunk with its length and checksum."""
    return len(content).to_bytes(4, "big") + kind + content + zlib.crc32(kind + content).to_bytes(4, "big")


def png(size, depth, colour_type, interlaced, rows):
    """Return a PNG of any image data."""
    header = b"".join(side.to_bytes(4, "big") for side in size) + bytes([depth, colour_type, 0, 0, interlaced])
    return SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND")


def test_chunks_are_listed_up_to_the_end():
    """Each chunk has its name and content; what follows the last one is not looked at."""
    found = list(chunks(GRAY + b"more"))
    assert [each.kind for each in found] == [b"IHDR", b"IDAT", b"IEND"]
    assert (found[0].content[:8], found[-1].content) == (bytes([0, 0, 0, 7, 0, 0, 0, 9]), b"")


@pytest.mark.parametrize("cut", range(8, len(GRAY)))
def test_cut_files_are_refused(cut):
    """A PNG cut anywhere behind its signature is refused."""
    with pytest.raises(TruncatedError, match="IEND"):
        check_checksums(GRAY[:cut])


@pytest.mark.parametrize("place", range(8, len(GRAY)))
def test_changed_bytes_are_refused(place):
    """A changed byte is a wrong checksum, or a chunk that is too long or not the last one."""
    changed = GRAY[:place] + bytes([GRAY[place] ^ 1]) + GRAY[place + 1 :]
    with pytest.raises((ChecksumError, TruncatedError)):
        check_checksums(changed)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
@pytest.mark.parametrize("size", [(1, 1), (5, 1), (1, 9), (17, 6)])
def test_whole_files_are_taken(size, mode, tmp_path):
    """PNG of every mode that Pillow writes are whole."""
    Image.new(mode, size).save(tmp_path / "whole.png")
    data = (tmp_path / "whole.png").read_bytes()
    check_checksums(data)
    check_rows(data)


SAMPLES = {(0, 1): 1, (0, 8): 8, (0, 16): 16, (2, 8): 24, (2, 16): 48, (3, 4): 4, (4, 8): 16, (6, 16): 64}
"""Bits of a pixel by colour type and depth."""


def slow_length(width, height, bits, interlaced):
    """Return the length of the rows of an image, of an interlaced one pixel by pixel."""
    if not interlaced:
        return height * (1 + -(-width * bits // 8))
    tile = ["16462646", "77777777", "56565656", "77777777", "36463646", "77777777", "56565656", "77777777"]
    passes = {name: {} for name in "1234567"}
    for y in range(height):
        for x in range(width):
            passes[tile[y % 8][x % 8]].setdefault(y, []).append(x)
    return sum(1 + -(-len(row) * bits // 8) for rows in passes.values() for row in rows.values())


@pytest.mark.parametrize("interlaced", [0, 1])
@pytest.mark.parametrize(("kind", "bits"), SAMPLES.items(), ids=str)
@pytest.mark.parametrize("size", [(1, 1), (3, 2), (4, 9), (8, 8), (13, 17)])
def test_one_byte_less_is_refused(size, kind, bits, interlaced):
    """Rows that are a byte short are refused, and whole ones are not."""
    length = slow_length(*size, bits, interlaced)
    check_rows(png(size, kind[1], kind[0], interlaced, bytes(length)))
    with pytest.raises(TruncatedError, match="last row"):
        check_rows(png(size, kind[1], kind[0], interlaced, bytes(length - 1)))


def test_what_cannot_be_inflated_is_refused():
    """Image data that is no deflate stream is a FormatError."""
    data = png((4, 4), 8, 0, 0, bytes(20))
    start = data.index(b"IDAT") + 4
    with pytest.raises(FormatError, match="damaged"):
        check_rows(data[:start] + b"\xff" + data[start + 1 :])


def test_only_what_is_needed_is_inflated():
    """Of image data that goes on for long no more is inflated than a mebibyte beyond what a picture of its size has."""
    data = png((1, 1), 8, 0, 0, bytes(50_000_000))
    tracemalloc.start()
    check_rows(data)
    assert tracemalloc.get_traced_memory()[1] < 3_000_000
    tracemalloc.stop()


def test_chunks_after_the_end_of_the_data_are_not_kept():
    """What comes after the deflate stream is not gathered, which took time with the square of it."""
    data = png((100, 100), 8, 0, 0, bytes(500))
    longer = data[:-12] + chunk(b"IDAT", bytes(10_000)) * 1000 + data[-12:]
    tracemalloc.start()
    with pytest.raises(TruncatedError, match="last row"):
        check_rows(longer)
    assert tracemalloc.get_traced_memory()[1] < 3_000_000
    tracemalloc.stop()
