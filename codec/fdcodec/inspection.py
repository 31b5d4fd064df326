"""What a file holds; only `describe_bits` decodes, and imports numba."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import Any

from fdcodec import container
from fdcodec.arguments import check_flags
from fdcodec.container.constants import COMPACT_SIGNATURE, CRC_BYTES, VERSION
from fdcodec.errors import (
    FdcError,
    FormatError,
    PartialWarning,
    TransformNotFoundError,
    fault_of,
    memory_as_limit,
    warn_caller,
)
from fdcodec.limits import MAX_SIDE
from fdcodec.sources import Source, read_source

_CHANNEL_NAMES = {1: "gray", 2: "gray+alpha", 3: "RGB", 4: "RGB+alpha"}


def info(data: Source, *, bits: bool = False, partial: bool = False) -> dict[str, Any]:
    """Return what `fdcodec info` shows of a file; without `bits` no pixel is decoded.

    Parameters
    ----------
    data
        As for `decode`. Every checksum is compared.
    bits
        Decode the file, and add where its bits go.
    partial
        Of a damaged file, return what can be read, without where bits go: the facts of its intact chunks, with the
        number of `lost_tiles`, or of its header alone.

    Returns
    -------
    dict
        Facts by name, as JSON takes them and `fdcodec info --json` has them; None where the file has no such thing.

    Raises
    ------
    FormatError, UnsupportedError
        As for `decode`.
    LimitError
        A side, a block of metadata or the class model is above the limit of the format, or the file above the memory
        that is free; with `bits`, also the picture.
    TransformNotFoundError
        As for `decode`, with `bits` only.
    OSError
        A named file is not there, or cannot be read.

    Warns
    -----
    PartialWarning
        With `partial`: the file is damaged.
    """
    check_flags(bits=bits, partial=partial)
    facts, fault = facts_and_fault(read_source(data), bits)
    if fault is not None:
        if not (partial and facts and isinstance(fault, FormatError)):
            raise fault
        warn_caller(PartialWarning(f"damaged file: {fault_of(fault)}"))
    return facts


def facts_and_fault(data: bytes, bits: bool) -> tuple[dict[str, Any], FdcError | None]:
    """Return the facts of a file and None; if it cannot be read, those that can, and why the others cannot."""
    facts: dict[str, Any] = {}
    try:
        with memory_as_limit():
            facts = facts_of(container.read(data, max_pixels=MAX_SIDE * MAX_SIDE), data)
            return facts | (describe_bits(data) if bits else {}), None
    except FdcError as error:
        return facts or _readable_facts(data), error


def _readable_facts(data: bytes) -> dict[str, Any]:
    """Return the facts of a damaged file: of its intact chunks, else of its header, or none."""
    with suppress(FdcError), memory_as_limit():
        file, lost, _ = container.salvage(data, max_pixels=MAX_SIDE * MAX_SIDE)
        return facts_of(file, data) | {"lost_tiles": len(lost)}
    with suppress(FdcError):
        return _facts_of_front(container.read_header(data), data)
    return {}


def facts_of(file: container.File, data: bytes) -> dict[str, Any]:
    """Return the facts of a file that was read from these bytes."""
    return {
        **_facts_of_front(file.header, data),
        "payload_bytes": sum(len(payload) for payload in file.payloads),
        "bpp": round(8 * len(data) / file.header.pixels, 4),
        **_facts_of_model(file),
        "metadata_bytes": {name: len(block or b"") for name, block in file.metadata._asdict().items()},
        "pixel_hash": file.pixel_hash.hex() if file.pixel_hash else None,
        "chunks": [{"type": kind, "bytes": length} for kind, length in file.chunks],
    }


def _facts_of_front(header: container.Header, data: bytes) -> dict[str, Any]:
    return {
        "format_version": VERSION,
        "form": "compact" if data.startswith(COMPACT_SIGNATURE) else "chunked",
        "width": header.width,
        "height": header.height,
        "samples": _CHANNEL_NAMES[header.channels],
        "depth_bits": header.depth,
        "lossless": header.lossless,
        **_coding_of(header),
        "tiles": header.tile_count,
        "tile_size": header.tile_size or None,
        "file_bytes": len(data),
    }


def _coding_of(header: container.Header) -> dict[str, Any]:
    """Return quality, step in sample values, tuning and range of 16-bit samples; None of a lossless file.

    The quality is one that gives the step; None if none does.
    """
    from fdcodec.format.parameters import Parameters, step_of

    if header.lossless:
        return {"quality": None, "quantization_step": None, "tune": None, "sample_range": None}
    parameters = Parameters.from_bytes(header.parameters, header.depth)
    low, high = parameters.sample_range or (0, 255)
    step = step_of(parameters.step_index) * (high - low) / 255  # SPEC 3.2
    return {
        "quality": parameters.quality,
        "quantization_step": round(step, 4),
        "tune": "visual" if parameters.adaptive else "psnr",
        "sample_range": parameters.sample_range,
    }


def _facts_of_model(file: container.File) -> dict[str, Any]:
    """Return how a file has its class model, the name it is installed under, its hash, and the parent that it needs."""
    reference = file.model_ref if file.model_bytes is None else _hash_of(file.model_bytes)
    name, full = (None, None) if reference is None else _known(reference)
    return {
        "transform": "embedded" if file.model_bytes else "named" if file.model_ref else "none",
        "transform_name": name,
        "transform_hash": full and full.hex(),
        "transform_parent": None if file.model_bytes is None else _parent_of(file.model_bytes),
        "transform_bytes": len(file.model_bytes or b""),
    }


def _hash_of(model_bytes: bytes) -> bytes | None:
    """Return the hash of an embedded class model; None if the bytes are damaged, or its parent is missing."""
    from fdcodec.model.embedding import embedded

    with suppress(FormatError, TransformNotFoundError):
        return embedded(model_bytes).hash
    return None


def _parent_of(model_bytes: bytes) -> str | None:
    """Return the name or hash of the model that an embedded one differs from; None if it is stored whole."""
    from fdcodec.model.body import inflate
    from fdcodec.model.relative import parent_of

    with suppress(FormatError):
        reference = parent_of(inflate(model_bytes))
        if reference is not None:
            name, full = _known(reference)
            return name or full.hex()
    return None


def _known(reference: bytes) -> tuple[str | None, bytes]:
    """Return the name under which a class model is installed, None if there is none, and its hash, whole if it is."""
    from fdcodec.model import find, get

    full = reference
    with suppress(FdcError, OSError):
        model = find(reference)
        full = model.hash
        if get(model.name).hash == full:
            return model.name, full
    return None, full


def describe_bits(data: bytes) -> dict[str, Any]:
    """Return where the bits of a file go, by its parts and, of lossy tiles, by syntax elements; the tiles are decoded.

    Errors are those of `fdcodec.decode`.
    """
    file = container.read(data)
    tiles, model = sum(map(len, file.payloads)), len(file.model_bytes or b"")
    metadata, parameters = file.metadata.size_bytes, len(file.header.parameters)
    checksums = CRC_BYTES * max(len(file.chunks), 1)
    parts = {"tiles": tiles, "parameters": parameters, "model": model, "metadata": metadata, "checksums": checksums}
    parts["header"] = len(data) - sum(parts.values())
    elements = {} if file.header.lossless else _element_bits(file)
    return {"part_bits": {name: 8 * size for name, size in parts.items()}, "element_bits": elements}


def _element_bits(file: container.File) -> dict[str, dict[str, int]]:
    from fdcodec.coding.accounting import bits_of_tile
    from fdcodec.coding.lossy import coding_of, plane_shape
    from fdcodec.format.parameters import Parameters
    from fdcodec.image.colour import picture_matrix
    from fdcodec.model.embedding import model_of
    from fdcodec.tiles import split_alpha

    model, header, total = model_of(file), file.header, dict[str, Counter[str]]()
    parameters = Parameters.from_bytes(header.parameters, header.depth)
    coding = coding_of(parameters, picture_matrix(parameters, header.channels))
    for tile, payload in enumerate(file.payloads):
        _, _, width, height = header.tile_rectangle(tile)
        colours, alpha = split_alpha(payload, header.channels)
        shape = plane_shape(height, width, header.channels)
        bits = bits_of_tile(colours, shape, model, coding)
        for plane, counts in (bits | {"alpha": {"samples": 8.0 * len(alpha)}}).items():
            total.setdefault(plane, Counter()).update(counts)
    return {plane: {name: round(count) for name, count in counts.items()} for plane, counts in total.items()}
