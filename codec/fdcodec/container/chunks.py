"""Framing: length, type, body, CRC-32, every bound checked before it is used (SPEC 2.3)."""

import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from fdcodec.container.constants import CHUNK_OVERHEAD_BYTES
from fdcodec.errors import ChecksumError, TruncatedError, damaged
from fdcodec.words import counted


class Chunk(NamedTuple):
    """One chunk as it lies in the file; the checksum is not compared until `checked_body` is called."""

    kind: bytes
    framed: memoryview
    crc: int

    @property
    def name(self) -> str:
        """Type as text."""
        return self.kind.decode("ascii")

    @property
    def length(self) -> int:
        """Bytes of the body."""
        return len(self.framed) - 4

    @property
    def is_critical(self) -> bool:
        """Whether a reader that does not know the chunk must refuse the file."""
        return self.kind[:1].isupper()

    def checked_body(self) -> bytes:
        """Return the body once its CRC-32 is found right; ChecksumError otherwise."""
        if zlib.crc32(self.framed) != self.crc:
            raise damaged(f"chunk {self.name}: its checksum is wrong", ChecksumError)
        return bytes(self.framed[4:])


def build_chunk(kind: bytes, body: bytes) -> bytes:
    """Return a chunk: length u32le, type, body, CRC-32 u32le over type and body."""
    return struct.pack("<I", len(body)) + kind + body + struct.pack("<I", zlib.crc32(body, zlib.crc32(kind)))


def split_chunks(data: memoryview) -> Iterator[Chunk]:
    """Yield the chunks that fill `data` to its last byte.

    Raises
    ------
    TruncatedError
        `data` ends inside a chunk.
    FormatError
        A type is not four letters.
    """
    position = 0
    while position < len(data):
        chunk = chunk_at(data, position)
        yield chunk
        position += CHUNK_OVERHEAD_BYTES + chunk.length


def chunk_at(data: memoryview, position: int) -> Chunk:
    """Return the chunk that starts at a position; raises as `split_chunks` does."""
    if len(data) - position < CHUNK_OVERHEAD_BYTES:
        inside = counted(len(data) - position, "byte")
        raise damaged(f"the file ends inside the frame of a chunk, {inside} into it", TruncatedError)
    length = int.from_bytes(data[position : position + 4], "little")
    kind = bytes(data[position + 4 : position + 8])
    if not (kind.isascii() and kind.isalpha()):
        raise damaged(f"chunk type {kind.hex(' ')} is not four letters")
    end = position + CHUNK_OVERHEAD_BYTES + length
    if end > len(data):
        missing = end - len(data)
        raise damaged(f"chunk {kind.decode()} declares {length} bytes, {missing} more than there are", TruncatedError)
    return Chunk(kind, data[position + 4 : end - 4], int.from_bytes(data[end - 4 : end], "little"))
