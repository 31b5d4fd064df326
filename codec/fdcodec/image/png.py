"""What Pillow does not check in a PNG: checksums of the image data, its end, and missing rows."""

import zlib
from collections.abc import Iterator
from typing import NamedTuple

from fdcodec.errors import ChecksumError, FormatError, TruncatedError

SIGNATURE = b"\x89PNG\r\n\x1a\n"

_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # by colour type
_WHOLE = ((0, 0, 1, 1),)  # x, y, distances across and down
_PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
_PIECE_BYTES, _MOST_AT_ONCE = 1 << 16, 1 << 20


class PngChunk(NamedTuple):
    """A chunk as it stands in a PNG."""

    kind: bytes
    content: bytes
    checksum: bytes


def chunks(data: bytes) -> Iterator[PngChunk]:
    """Yield the chunks of a PNG up to its end; TruncatedError if it has none."""
    place = len(SIGNATURE)
    while (end := place + 8 + int.from_bytes(data[place : place + 4], "big")) + 4 <= len(data):
        chunk = PngChunk(data[place + 4 : place + 8], data[place + 8 : end], data[end : end + 4])
        yield chunk
        if chunk.kind == b"IEND":
            return
        place = end + 4
    raise TruncatedError("damaged image: the PNG ends before its last chunk (IEND); get the whole file")


def check_checksums(data: bytes) -> None:
    """Raise ChecksumError for a PNG with a wrong checksum, TruncatedError for one that is cut."""
    for chunk in chunks(data):
        if zlib.crc32(chunk.content, zlib.crc32(chunk.kind)).to_bytes(4, "big") != chunk.checksum:
            name = chunk.kind.decode("ascii", "backslashreplace")
            raise ChecksumError(f"damaged image: the checksum of chunk {name} is wrong; get the file again")


def check_rows(data: bytes, frame: int = 0) -> None:
    """Raise TruncatedError if the data of a PNG's frame ends before its last row: Pillow leaves the rest at 0."""
    missing, inflater = None, zlib.decompressobj()
    for number, header, content in _image_data(data):
        if number == frame and not inflater.eof:
            missing = _image_bytes(header) if missing is None else missing
            missing -= _inflated_bytes(inflater, content, missing)
    if missing is None or missing > 0:
        raise TruncatedError("damaged image: its data ends before the last row; get the whole file")


def _image_data(data: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield the pieces of image data, each with the number of its frame, and a header with the size of that."""
    number, header, is_behind_image = 0, b"", False
    for kind, content, _ in chunks(data):
        if kind == b"IHDR":
            header = content
        elif kind == b"IDAT":
            is_behind_image = True
            yield number, header, content
        elif kind == b"fcTL" and is_behind_image:
            number, header = number + 1, content[4:12] + header[8:]
        elif kind == b"fdAT":
            yield number, header, content[4:]


def _image_bytes(header: bytes) -> int:
    """Return how many bytes the rows of an image have, with the filter byte of each."""
    width, height = int.from_bytes(header[:4], "big"), int.from_bytes(header[4:8], "big")
    depth, colour_type, _, _, interlaced = header[8:13]
    total, bits = 0, depth * _CHANNELS[colour_type]
    for x, y, across, down in _PASSES if interlaced else _WHOLE:
        columns, rows = -((x - width) // across), -((y - height) // down)
        total += rows * (1 + (columns * bits + 7) // 8) if columns > 0 and rows > 0 else 0
    return total


def _inflated_bytes(inflater: "zlib._Decompress", content: bytes, most: int) -> int:
    """Return how many bytes a chunk inflates to, counting up to `most`."""
    count = 0
    try:
        for start in range(0, len(content), _PIECE_BYTES):
            piece = content[start : start + _PIECE_BYTES]  # as each call copies what it leaves
            while piece and count < most:
                count += len(inflater.decompress(piece, _MOST_AT_ONCE))
                piece = inflater.unconsumed_tail
            if inflater.eof or count >= most:
                break
    except zlib.error as error:
        raise FormatError(f"damaged image: {error}; get the file again") from error
    return count
