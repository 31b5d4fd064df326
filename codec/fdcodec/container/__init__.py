"""The `.fdc` file: bytes to its parts and back, without decoding a pixel (docs/spec/fdc-0.md, clause 2)."""

from collections.abc import Collection
from dataclasses import replace
from typing import IO

from fdcodec.container.chunked import read_chunked, read_chunked_front, read_chunked_header, write_chunked
from fdcodec.container.compact import MAX_HEADER_BYTES, read_compact, read_compact_header, write_compact
from fdcodec.container.constants import COMPACT_SIGNATURE, SIGNATURE
from fdcodec.container.file import NO_METADATA, File, Metadata
from fdcodec.container.header import Header
from fdcodec.container.salvage import Salvaged, salvage_chunked
from fdcodec.errors import FormatError, ParameterError, TruncatedError, damaged
from fdcodec.limits import DEFAULT_MAX_PIXELS
from fdcodec.words import counted

__all__ = ["NO_METADATA", "File", "Header", "Metadata", "Salvaged"]
__all__ += ["read", "read_front", "read_header", "salvage", "write"]


def write(file: File) -> bytes:
    """Return the bytes of a file: compact where its parts allow it, chunked otherwise.

    A tile size that covers the whole picture is written as 0. `chunks` are ignored.

    Raises
    ------
    ParameterError
        The number of payloads is not the number of tiles, or both a reference and a model are given.
    LimitError
        A metadata block or the model is too large.
    """
    header, n_payloads = file.header, len(file.payloads)
    if n_payloads != header.tile_count or (file.model_ref is not None and file.model_bytes is not None):
        raise ParameterError(
            f"payloads: {n_payloads} for {counted(header.tile_count, 'tile')}, or both model_ref and model_bytes; "
            "give one payload for each tile, and one of the two or none"
        )
    if header.tile_count > 1:
        return write_chunked(file)
    file = replace(file, header=replace(header, tile_size=0))
    is_plain = file.model_bytes is None and file.metadata == NO_METADATA and file.pixel_hash is None
    return write_compact(file) if is_plain else write_chunked(file)


def read(
    data: bytes | bytearray | memoryview, *, tiles: Collection[int] | None = None, max_pixels: int = DEFAULT_MAX_PIXELS
) -> File:
    """Parse a whole file: every length is bounded, every checksum compared, and nothing may follow its end.

    Parameters
    ----------
    data
        The bytes of the file.
    tiles
        Numbers of the tiles whose payloads are needed; the others come back empty and unchecked. None means all.
    max_pixels
        Larger pictures are refused.

    Raises
    ------
    FormatError
        The bytes are not an `.fdc` file; TruncatedError where they end too early, ChecksumError where they are damaged.
    LimitError
        The picture, a side, a metadata block or the model is too large.
    UnsupportedError
        A newer version, or a feature this release does not know.
    """
    view = memoryview(data)
    return read_compact(view, max_pixels) if _is_compact(view) else read_chunked(view, tiles, max_pixels)


def salvage(data: bytes | bytearray | memoryview, *, max_pixels: int = DEFAULT_MAX_PIXELS) -> Salvaged:
    """Return what is intact in a damaged file (SPEC 2.9); of a compact file all or nothing. Raises what `read` does.

    Raises
    ------
    FormatError
        The header or the class model is damaged, or it is not known which payload belongs to which tile.
    """
    view = memoryview(data)
    return Salvaged(read_compact(view, max_pixels)) if _is_compact(view) else salvage_chunked(view, max_pixels)


def read_header(data: bytes | bytearray | memoryview) -> Header:
    """Parse the picture header alone; the rest of the file may be missing. Raises as `read` does."""
    view = memoryview(data)
    return read_compact_header(view) if _is_compact(view) else read_chunked_header(view)


def read_front(file: IO[bytes]) -> tuple[Header, Metadata]:
    """Parse the header and the metadata of an open file; of a chunked file nothing behind them is read.

    Parameters
    ----------
    file
        Open for reading at the start of the signature. Its position afterwards is undefined.

    Returns
    -------
    header, metadata
        Metadata behind the first payload, where no writer puts any, is not found.

    Raises
    ------
    FormatError, LimitError, UnsupportedError
        As for `read`, as far as these parts tell.
    """
    start = file.read(len(SIGNATURE))
    if _is_compact(memoryview(start)):
        return read_compact_header(memoryview(start + file.read(MAX_HEADER_BYTES))), NO_METADATA
    return read_chunked_front(file)


def _is_compact(data: memoryview) -> bool:
    start = bytes(data[: len(SIGNATURE)])
    if start.startswith(COMPACT_SIGNATURE):
        return True
    if start == SIGNATURE:
        return False
    if SIGNATURE.startswith(start) or COMPACT_SIGNATURE.startswith(start):
        if not start:
            raise TruncatedError("the file is empty; get it again")
        raise damaged(f"the file ends after {counted(len(start), 'byte')}, inside its signature", TruncatedError)
    expected = f"{SIGNATURE.hex(' ')} or {COMPACT_SIGNATURE.hex(' ')}"
    raise FormatError(
        f"not an .fdc file: it starts with {start.hex(' ')} where such files have {expected}; "
        "give one that `fdcodec encode` made"
    )
