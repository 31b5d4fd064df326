"""What is intact in a damaged chunked file, and which tile each intact payload belongs to (SPEC 2.9)."""

import struct
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from contextlib import suppress
from itertools import accumulate, groupby
from typing import NamedTuple

from fdcodec.container import constants as names
from fdcodec.container.chunked import (
    check_unknown,
    checked_body,
    chunks_to_end,
    distinct_chunks,
    file_of,
    read_chunked_header,
)
from fdcodec.container.chunks import Chunk, build_chunk, chunk_at
from fdcodec.container.file import File, check_pixels
from fdcodec.container.header import Header
from fdcodec.errors import ChecksumError, FormatError, damaged, fault_of
from fdcodec.words import counted

_END = build_chunk(names.END_CHUNK, b"")
_HASH_CHUNK_BYTES = names.CHUNK_OVERHEAD_BYTES + names.HASH_BYTES
_VITAL = (names.HEADER_CHUNK, names.REFERENCE_CHUNK, names.MODEL_CHUNK)
_ONCE = (names.INDEX_CHUNK, names.PIXEL_HASH_CHUNK, names.EXIF_CHUNK, names.XMP_CHUNK, names.ICC_CHUNK)
_MAX_INDEXES = 8  # places that look like the index are tried


class Salvaged(NamedTuple):
    """The intact parts of a file.

    Parameters
    ----------
    file
        Its payloads are empty where they are lost.
    lost
        Numbers of the tiles whose payloads are not intact.
    faults
        What else is damaged, in words.
    """

    file: File
    lost: frozenset[int] = frozenset()
    faults: tuple[str, ...] = ()


def salvage_chunked(data: memoryview, max_pixels: int) -> Salvaged:
    """Return the intact parts; raises as `container.salvage` does."""
    header = read_chunked_header(data)
    check_pixels(header, max_pixels)
    chunks, faults = _frames(data, header)
    for chunk in chunks:
        with suppress(ChecksumError):
            check_unknown([chunk])
    known = distinct_chunks(_without_doubles(chunks, faults))
    single = {chunk.kind: body for chunk in known if (body := _intact(chunk, faults)) is not None}
    payloads = _payloads(data, header, chunks, faults)
    lost = frozenset(set(range(header.tile_count)) - set(payloads))
    all_payloads = tuple(payloads.get(tile, b"") for tile in range(header.tile_count))
    return Salvaged(file_of(header, all_payloads, single, chunks), lost, tuple(dict.fromkeys(faults)))


def _frames(data: memoryview, header: Header) -> tuple[list[Chunk], list[str]]:
    """Return the chunks up to FEND or to the first broken frame, and what is wrong there."""
    chunks: list[Chunk] = []
    try:
        for chunk in chunks_to_end(data, header):
            chunks.append(chunk)  # noqa: PERF402 -- what came before an error is kept
    except FormatError as error:
        return chunks, [fault_of(error)]
    return chunks, []


def _without_doubles(chunks: Sequence[Chunk], faults: list[str]) -> list[Chunk]:
    """Return the chunks without repeated ones, if their kind may come once; vital ones stay, for an error."""
    counts = Counter(chunk.kind for chunk in chunks)
    doubled = {chunk.kind: chunk for chunk in reversed(chunks) if chunk.kind in _ONCE and counts[chunk.kind] > 1}
    faults += [
        f"chunk {first.name} comes {counts[kind]} times, and the first one is taken" for kind, first in doubled.items()
    ]
    return [chunk for chunk in chunks if doubled.get(chunk.kind, chunk) is chunk]


def _intact(chunk: Chunk, faults: list[str]) -> bytes | None:
    """Return the body of a chunk, or None and one more fault; header and class model must be intact."""
    try:
        return checked_body(chunk)
    except FormatError as error:
        if chunk.kind in _VITAL:
            raise
        faults.append(fault_of(error))
        return None


def _payloads(data: memoryview, header: Header, chunks: Sequence[Chunk], faults: list[str]) -> dict[int, bytes]:
    """Return the intact payloads by tile: by the index, or without it by their order where none is missing."""
    in_order = [chunk for chunk in chunks if chunk.kind == names.DATA_CHUNK]
    index = _find_index(data, header.tile_count)
    if index is None and len(in_order) == header.tile_count:
        if header.tile_count > 1:  # writers give others no index
            faults.append("the tile index is not intact, and tiles are taken in their order")
        return _right(enumerate(in_order))
    if index is None:
        found = counted(len(in_order), "DATA chunk")
        raise damaged(f"the file has {found} for {header.tile_count} tiles, and no intact index")
    lengths, start = index
    if [chunk.length for chunk in in_order] == list(lengths):
        return _right(enumerate(in_order))
    if len(in_order) == header.tile_count and chunks[-1].kind == names.END_CHUNK:
        raise damaged("the tile index does not fit the DATA chunks, and none is missing: they are out of order")
    return _right(_placed(data, lengths, start))


def _right(tiles: Iterable[tuple[int, Chunk]]) -> dict[int, bytes]:
    """Return the bodies of the chunks whose checksums are right."""
    bodies = {}
    for tile, chunk in tiles:
        with suppress(ChecksumError):
            bodies[tile] = chunk.checked_body()
    return bodies


def _find_index(data: memoryview, tile_count: int) -> tuple[tuple[int, ...], int] | None:
    """Return the lengths of an intact tile index and where it ends, or None; broken frames may lie before it."""
    content, frame, position = bytes(data), struct.pack("<I", 4 * tile_count) + names.INDEX_CHUNK, 0
    for _ in range(_MAX_INDEXES):
        position = content.find(frame, position)
        if position < 0:
            return None
        with suppress(FormatError):
            body = chunk_at(data, position).checked_body()
            return struct.unpack(f"<{tile_count}I", body), position + names.CHUNK_OVERHEAD_BYTES + len(body)
        position += 1
    return None


def _placed(data: memoryview, lengths: Sequence[int], start: int) -> list[tuple[int, Chunk]]:
    """Return the intact DATA chunks that lie where the index says, counted from `start` or from the end of the file.

    From the end, because bytes may be missing or too many. A chunk that could be that of two tiles is left out. If the
    end is missing, or the file has another length and misses several tiles, a run of tiles of one length counts only
    if all of it is found: a chunk that is gone moves the others to each other's places.
    """
    offsets = list(accumulate((names.CHUNK_OVERHEAD_BYTES + length for length in lengths), initial=start))
    end = _end_of_tiles(data)
    shifts = {0} if end is None else {0, end - offsets[-1]}
    places = {(tile, offsets[tile] + shift) for shift in shifts for tile in range(len(lengths))}
    found = {
        (tile, place): chunk for tile, place in places if (chunk := _data_at(data, place, lengths[tile])) is not None
    }
    tiles, at = Counter(tile for tile, _ in found), Counter(place for _, place in found)
    placed = {tile: chunk for (tile, place), chunk in found.items() if tiles[tile] == 1 and at[place] == 1}
    may_be_moved = end is None or (end != offsets[-1] and len(placed) < len(lengths) - 1)
    certain = _whole_runs(lengths, placed) if may_be_moved else placed
    return [(tile, chunk) for tile, chunk in placed.items() if tile in certain]


def _whole_runs(lengths: Sequence[int], found: Container[int]) -> set[int]:
    """Return the tiles of those runs of one length that are found whole."""
    runs = [list(run) for _, run in groupby(range(len(lengths)), key=lambda tile: lengths[tile])]
    return {tile for run in runs if all(other in found for other in run) for tile in run}


def _end_of_tiles(data: memoryview) -> int | None:
    """Return where the last DATA chunk ends, counted from the end of the file; None where that is missing."""
    end = len(data) - len(_END)
    if bytes(data[end:]) != _END:
        return None
    before = end - _HASH_CHUNK_BYTES
    return before if before > 0 and data[before + 4 : before + 8] == names.PIXEL_HASH_CHUNK else end


def _data_at(data: memoryview, position: int, length: int) -> Chunk | None:
    """Return the DATA chunk of that length at a position if its checksum is right, else None."""
    if position < 0 or bytes(data[position + 4 : position + 8]) != names.DATA_CHUNK:
        return None
    with suppress(FormatError):
        chunk = chunk_at(data, position)
        if chunk.length == length:
            chunk.checked_body()
            return chunk
    return None
