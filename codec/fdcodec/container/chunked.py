"""The chunked form: any number of tiles, metadata, an embedded model (SPEC 2.3 and 2.4)."""

import struct
from collections.abc import Collection, Iterator, Mapping, Sequence
from os import SEEK_CUR
from typing import IO

from fdcodec.container import constants as names
from fdcodec.container.bodies import PICTURE_HEADER, parse
from fdcodec.container.chunks import Chunk, build_chunk, chunk_at, split_chunks
from fdcodec.container.file import File, Metadata, check_pixels, check_version
from fdcodec.container.header import Header
from fdcodec.errors import ChecksumError, LimitError, TruncatedError, UnsupportedError, damaged
from fdcodec.limits import MAX_METADATA_BYTES, MAX_MODEL_BYTES, MAX_OTHER_CHUNKS
from fdcodec.words import counted, first_of, place_of

_LIMITS = {
    names.MODEL_CHUNK: MAX_MODEL_BYTES,
    names.EXIF_CHUNK: MAX_METADATA_BYTES,
    names.XMP_CHUNK: MAX_METADATA_BYTES,
    names.ICC_CHUNK: MAX_METADATA_BYTES,
}
_HASHES = {
    names.REFERENCE_CHUNK: range(names.COMPACT_REFERENCE_BYTES, names.HASH_BYTES + 1),
    names.PIXEL_HASH_CHUNK: range(names.HASH_BYTES, names.HASH_BYTES + 1),
}
_METADATA = (names.EXIF_CHUNK, names.XMP_CHUNK, names.ICC_CHUNK)
_KNOWN = {names.HEADER_CHUNK, names.INDEX_CHUNK, names.DATA_CHUNK, names.END_CHUNK, *_LIMITS, *_HASHES}


def write_chunked(file: File) -> bytes:
    """Return the chunked file, chunks in the order of SPEC 2.3."""
    optional = {
        names.REFERENCE_CHUNK: file.model_ref and file.model_ref[: names.REFERENCE_BYTES],
        names.MODEL_CHUNK: file.model_bytes,
        names.EXIF_CHUNK: file.metadata.exif,
        names.XMP_CHUNK: file.metadata.xmp,
        names.ICC_CHUNK: file.metadata.icc,
        names.INDEX_CHUNK: _build_index(file.payloads) if len(file.payloads) > 1 else None,
    }
    parts = [names.SIGNATURE, build_chunk(names.HEADER_CHUNK, _build_header(file.header))]
    parts += [_build_limited(kind, body) for kind, body in optional.items() if body is not None]
    parts += [build_chunk(names.DATA_CHUNK, payload) for payload in file.payloads]
    if file.pixel_hash is not None:
        parts.append(build_chunk(names.PIXEL_HASH_CHUNK, file.pixel_hash))
    return b"".join([*parts, build_chunk(names.END_CHUNK, b"")])


def read_chunked(data: memoryview, tiles: Collection[int] | None, max_pixels: int) -> File:
    """Parse a chunked file; raises as `container.read` does."""
    header = read_chunked_header(data)
    check_pixels(header, max_pixels)
    chunks = list(chunks_to_end(data, header))
    check_unknown(chunks)
    single = {chunk.kind: checked_body(chunk) for chunk in distinct_chunks(chunks)}
    return file_of(header, _payloads(header, chunks, tiles, single.get(names.INDEX_CHUNK)), single, chunks)


def file_of(
    header: Header, payloads: tuple[bytes, ...], single: Mapping[bytes, bytes], chunks: Sequence[Chunk]
) -> File:
    """Return the parts of a file from its payloads and the bodies of its other chunks."""
    if names.REFERENCE_CHUNK in single and names.MODEL_CHUNK in single:
        raise damaged("the file both names a class model and embeds one, expected one of TREF and TFAC")
    return File(
        header,
        payloads,
        single.get(names.REFERENCE_CHUNK),
        single.get(names.MODEL_CHUNK),
        Metadata(*map(single.get, _METADATA)),
        single.get(names.PIXEL_HASH_CHUNK),
        tuple((chunk.name, chunk.length) for chunk in chunks),
    )


def read_chunked_header(data: memoryview) -> Header:
    """Parse only the header of a chunked file."""
    for chunk in split_chunks(data[len(names.SIGNATURE) :]):
        return _parse_header(chunk)
    raise damaged("the file ends after its signature", TruncatedError)


def read_chunked_front(file: IO[bytes]) -> tuple[Header, Metadata]:
    """Parse the header and the metadata of a chunked file that is open behind its signature."""
    chunks = list(_front_chunks(file))
    if not chunks:
        raise damaged(f"there is no {names.HEADER_CHUNK.decode()} chunk before the first payload")
    header = _parse_header(chunks[0])
    single = {chunk.kind: checked_body(chunk) for chunk in distinct_chunks(chunks)}
    return header, Metadata(*map(single.get, _METADATA))


def _front_chunks(file: IO[bytes]) -> Iterator[Chunk]:
    """Yield the chunks of header and metadata before the first payload; no other body is read."""
    while (frame := file.read(8))[4:] not in (names.DATA_CHUNK, names.END_CHUNK):
        length, kind = int.from_bytes(frame[:4], "little"), frame[4:]
        if kind in (names.HEADER_CHUNK, *_METADATA) or len(frame) < 8:
            _check_length(kind, length)
            yield chunk_at(memoryview(frame + file.read(min(length, MAX_METADATA_BYTES) + 4)), 0)
        else:
            file.seek(length + 4, SEEK_CUR)


def _build_header(header: Header) -> bytes:
    fields = {
        "version": names.VERSION,
        "flags": {"reserved": 0, "two_dimensional": header.two_dimensional, "lossless": header.lossless},
        "channels": header.channels,
        "depth": header.depth,
        "width": header.width,
        "height": header.height,
        "tile_size": header.tile_size,
        "parameters": header.parameters,
    }
    return bytes(PICTURE_HEADER.build(fields))


def _parse_header(chunk: Chunk) -> Header:
    if chunk.kind != names.HEADER_CHUNK:
        raise damaged(f"the first chunk is {chunk.name}, not {names.HEADER_CHUNK.decode()}")
    body = chunk.checked_body()
    if body:
        check_version(body[0])
    fields = parse(PICTURE_HEADER, body, chunk.name)
    if fields.flags.reserved:
        raise UnsupportedError(f"the header has unknown flags {fields.flags.reserved:#08b}; update fdcodec")
    return Header(
        fields.width,
        fields.height,
        fields.channels,
        fields.depth,
        fields.flags.lossless,
        fields.flags.two_dimensional,
        fields.tile_size,
        fields.parameters,
    )


def _build_limited(kind: bytes, body: bytes) -> bytes:
    _check_length(kind, len(body))
    return build_chunk(kind, body)


def _build_index(payloads: Sequence[bytes]) -> bytes:
    return struct.pack(f"<{len(payloads)}I", *(len(payload) for payload in payloads))


def _check_length(kind: bytes, length: int) -> None:
    if length > _LIMITS.get(kind, length):
        raise LimitError(
            f"chunk {kind.decode()} has {length} bytes, at most {_LIMITS[kind]} are allowed; write the file with less"
        )
    if kind in _HASHES and length not in _HASHES[kind]:
        raise damaged(f"chunk {kind.decode()} has {length} bytes, but a hash has {_HASHES[kind].start} to 32")


def chunks_to_end(data: memoryview, header: Header) -> Iterator[Chunk]:
    """Yield the chunks up to FEND and FEND itself, which must be there, be empty and end the file."""
    position, most = len(names.SIGNATURE), header.tile_count + MAX_OTHER_CHUNKS
    for number, chunk in enumerate(split_chunks(data[position:])):
        if number == most:
            raise LimitError(f"the file has more than {most} chunks, which is the limit; write it with fewer")
        yield chunk
        position += names.CHUNK_OVERHEAD_BYTES + chunk.length
        if chunk.kind == names.END_CHUNK:
            break
    else:
        raise damaged(f"the file ends before its {names.END_CHUNK.decode()} chunk", TruncatedError)
    if chunk.checked_body() or position != len(data):
        raise damaged(f"{counted(len(data) - position + chunk.length, 'byte')} too many at the end of the file")


def check_unknown(chunks: Sequence[Chunk]) -> None:
    """Refuse unknown critical chunks; the checksum comes first, because damage can make a type unknown."""
    for chunk in chunks:
        if chunk.kind in _KNOWN:
            continue
        chunk.checked_body()
        if chunk.is_critical:
            raise UnsupportedError(f"the file needs the unknown chunk {chunk.name}; update fdcodec")


def distinct_chunks(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return the known chunks other than DATA, none of which may come twice."""
    single = [chunk for chunk in chunks if chunk.kind in _KNOWN and chunk.kind != names.DATA_CHUNK]
    kinds = [chunk.kind for chunk in single]
    for kind in set(kinds):
        if kinds.count(kind) > 1:
            raise damaged(f"chunk {kind.decode()} comes {kinds.count(kind)} times, at most once is allowed")
    return single


def checked_body(chunk: Chunk) -> bytes:
    """Return the body of a chunk other than DATA once its length and its checksum are found right."""
    _check_length(chunk.kind, chunk.length)
    return chunk.checked_body()


def _payloads(
    header: Header, chunks: Sequence[Chunk], tiles: Collection[int] | None, index: bytes | None
) -> tuple[bytes, ...]:
    data = [chunk for chunk in chunks if chunk.kind == names.DATA_CHUNK]
    if len(data) != header.tile_count:
        raise damaged(f"the file has {counted(len(data), 'DATA chunk')} for {counted(header.tile_count, 'tile')}")
    if index is not None and index != struct.pack(f"<{len(data)}I", *(chunk.length for chunk in data)):
        raise damaged("the tile index does not fit the DATA chunks")
    payloads, wrong = [b""] * len(data), list[int]()
    for tile, chunk in enumerate(data):
        try:
            payloads[tile] = chunk.checked_body() if tiles is None or tile in tiles else b""
        except ChecksumError:
            if len(data) == 1:
                raise
            wrong.append(tile)
    if wrong:
        raise _wrong_tiles(header, wrong)
    return tuple(payloads)


def _wrong_tiles(header: Header, wrong: Sequence[int]) -> ChecksumError:
    """Return the error of tiles whose checksums are wrong: how many and where, and what gives back the others."""
    places = ", ".join(first_of([place_of(header.tile_rectangle(tile)) for tile in wrong]))
    told = f"chunk DATA: the checksum of {len(wrong)} of {header.tile_count} tiles is wrong, {places}"
    others = ", or decode the other tiles (`partial`, --partial)" if len(wrong) < header.tile_count else ""
    return ChecksumError(f"{told}; the file is damaged, get it again{others}")
