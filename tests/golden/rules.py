"""The rules of the container in plain Python, written from docs/spec/fdc-0.md: a second opinion on what breaks them."""

import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from tests.golden.refused import Chunk

from fdcodec.model.registry import presets

ONCE = {b"FHDR", b"TREF", b"TFAC", b"TIDX", b"FEND", b"exIf", b"xMPp", b"iCCp", b"pHSH"}
MAX_SIDE, MAX_PIXELS = 65535, 268435456


class Picture(NamedTuple):
    """The fields of either form's header."""

    lossless: int
    two_dimensional: int
    channels: int
    depth: int
    width: int
    height: int
    tile_size: int
    parameters: bytes


def broken_clauses(data: bytes) -> set[str]:
    """Return the clauses of 2, 3.1 and 3.3 that a file breaks."""
    if data.startswith(b"\x8bfdc"):
        return set(_of_compact(data))
    if data.startswith(b"\x8bFDC\r\n\x1a\n"):
        return set(_of_chunked(data))
    return {"2.1"}


def _of_compact(data: bytes) -> Iterator[str]:
    if data[4] > 0:
        yield "2.2"
        return
    flags = data[5]
    sides, length = "<HH" if flags & 64 else "<BB", "<I" if flags & 128 else "<H"
    try:
        width, height = struct.unpack_from(sides, data, 6)
        at = 6 + struct.calcsize(sides)
        parameters, at = data[at + 1 : at + 1 + data[at]], at + 1 + data[at]
        reference, at = (data[at : at + 4], at + 4) if flags & 32 else (None, at)
        start = at + struct.calcsize(length)
        end = start + struct.unpack_from(length, data, at)[0]
    except (IndexError, struct.error):
        yield "2.5"
        return
    if end + 4 != len(data) or data[end:] != struct.pack("<I", zlib.crc32(data[:end])) or 0 in (width, height):
        yield "2.5"
        return
    depth = 16 if flags & 4 else 8
    picture = Picture(flags >> 3 & 1, flags >> 4 & 1, (flags & 3) + 1, depth, width, height, 0, parameters)
    yield from _of_picture(picture, [data[start:end]])
    if not picture.lossless and not _is_known(reference):
        yield "2.4"


def _of_chunked(data: bytes) -> Iterator[str]:
    chunks, position = list[Chunk](), 8
    while position < len(data):
        end = position + 12 + int.from_bytes(data[position : position + 4], "little")
        if len(data) - position < 12 or end > len(data):
            yield "2.3.5"
            return
        chunks.append(Chunk(data[position + 4 : position + 8], data[position + 8 : end - 4]))
        if chunks[-1].framed != data[position:end]:
            yield "2.3.6"
            return
        position = end
        if chunks[-1].kind == b"FEND":
            break
    kinds = [chunk.kind for chunk in chunks]
    if kinds[:1] != [b"FHDR"] or chunks[-1] != Chunk(b"FEND", b"") or position != len(data):
        yield "2.3.1"
    elif chunks[0].body[:1] > b"\0":
        yield "2.2"
    else:
        yield from _of_kinds(kinds)
        yield from _of_header(chunks[0].body, chunks)


def _of_kinds(kinds: list[bytes]) -> Iterator[str]:
    for kind in kinds:
        if not (kind.isalpha() and kind.isascii()) or (kind[:1].isupper() and kind not in {*ONCE, b"DATA"}):
            yield "2.3"
        if kind in ONCE and kinds.count(kind) > 1:
            yield "2.3.2"
    if {b"TREF", b"TFAC"} <= set(kinds):
        yield "2.3.3"


def _of_header(header: bytes, chunks: list[Chunk]) -> Iterator[str]:
    if len(header) < 15 or len(header) != 15 + header[14]:
        yield "2.4"
        return
    _, flags, channels, depth, width, height, tile_size, _ = struct.unpack_from("<BBBBIIHB", header)
    picture = Picture(flags & 1, flags >> 1 & 1, channels, depth, width, height, tile_size, header[15:])
    if (
        flags > 3
        or channels not in range(1, 5)
        or depth not in (8, 16)
        or not all(0 < side <= MAX_SIDE for side in (width, height))
        or 0 < tile_size < 16
    ):
        yield "2.4"
        return
    payloads = [chunk.body for chunk in chunks if chunk.kind == b"DATA"]
    yield from _of_picture(picture, payloads)
    side = tile_size or MAX_SIDE
    if len(payloads) != -(-width // side) * -(-height // side):
        yield "2.3.2"
    bodies = {chunk.kind: chunk.body for chunk in chunks}
    lengths = struct.pack(f"<{len(payloads)}I", *map(len, payloads))
    if bodies.get(b"TIDX", lengths) != lengths:
        yield "2.3.4"
    if len(bodies.get(b"pHSH", bytes(32))) != 32:
        yield "2.3.8"
    reference = bodies.get(b"TREF")
    if (reference is not None and not 4 <= len(reference) <= 32) or (
        not picture.lossless and b"TFAC" not in bodies and not _is_known(reference)
    ):
        yield "2.4"


def _of_picture(picture: Picture, payloads: list[bytes]) -> Iterator[str]:
    if picture.two_dimensional and picture.channels != 1:
        yield "2.4"
    if picture.width * picture.height > MAX_PIXELS:
        yield "2.6"
    if not _are_parameters(picture):
        yield "3.1"
    if not picture.lossless and picture.channels in (2, 4):
        yield from ("3.3" for tile in payloads if int.from_bytes(tile[:4], "little") + 4 > len(tile))


def _are_parameters(picture: Picture) -> bool:
    block = picture.parameters
    if picture.lossless:
        return not block
    head = int.from_bytes(block[:2], "little")
    angles, rest = (block[2:6], block[6:]) if head >> 15 else (b"", block[2:])
    is_deep = picture.depth == 16
    sample_range, tools = (rest[-4:], rest[:-4]) if is_deep else (b"", rest)
    return (
        len(block) >= 2
        and head & 511 <= 383
        and len(angles) == 4 * (head >> 15)
        and not angles[3:] > b"\7"
        and tools in (b"", b"\2", b"" if is_deep else b"\1")
        and len(sample_range) == 4 * is_deep
        and sample_range[1::-1] <= sample_range[:1:-1]
    )


def _is_known(reference: bytes | None) -> bool:
    """Tell whether a preset has the hash of which these are the first bytes."""
    return reference is not None and any(preset.hash.startswith(reference) for preset in presets())
