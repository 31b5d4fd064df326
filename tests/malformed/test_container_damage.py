"""Damaged files: every prefix and every flipped bit of small files is refused with an FdcError."""

from contextlib import suppress
from io import BytesIO

import pytest

from fdcodec import container
from fdcodec.container import Header, Metadata
from fdcodec.errors import FdcError, FormatError, TruncatedError

FILES = {
    "compact": container.write(
        container.File(Header(60, 50, 3, parameters=b"ab"), [b"payload" * 3], model_ref=bytes(range(32)))
    ),
    "chunked": container.write(
        container.File(Header(60, 50, 3, parameters=b"ab"), [b"payload"], metadata=Metadata(exif=b"e"))
    ),
    "tiled": container.write(
        container.File(
            Header(60, 50, 1, 16, two_dimensional=True, tile_size=32),
            [b"a", b"", b"bcd", b"e"],
            model_bytes=b"m",
            pixel_hash=bytes(32),
        )
    ),
}
files = pytest.mark.parametrize("data", FILES.values(), ids=FILES)


@files
def test_every_prefix_is_truncated(data):
    """A file that ends early is recognized as such at every length."""
    for length in range(len(data)):
        with pytest.raises(TruncatedError):
            container.read(data[:length])


@files
def test_the_front_of_damaged_files(data):
    """Of every prefix and every file with a wrong bit the front is read or refused with an FdcError."""
    flipped = (data[:i] + bytes([data[i] ^ 1 << bit]) + data[i + 1 :] for i in range(len(data)) for bit in range(8))
    for damaged in (*flipped, *(data[:length] for length in range(len(data)))):
        with suppress(FdcError):
            container.read_front(BytesIO(damaged))


@files
def test_every_flipped_bit_is_refused(data):
    """No single wrong bit goes unnoticed."""
    for bit in range(8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(FdcError):
            container.read(damaged)


@files
def test_nothing_may_follow_the_end(data):
    """Trailing bytes, even another whole file, are refused."""
    for tail in (b"\0", data):
        with pytest.raises(FormatError, match="too many at the end"):
            container.read(data + tail)


@files
def test_header_of_damaged_bytes_is_a_header_or_an_error(data):
    """Reading the header alone lets nothing but an FdcError out."""
    for position in range(len(data)):
        for value in (0, 0x7F, 0xFF):
            damaged = bytearray(data)
            damaged[position] = value
            try:
                container.read_header(damaged)
            except FdcError:
                continue
