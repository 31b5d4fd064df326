"""What a file or a class model holds, without decoding anything: numba is not imported here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fdcodec import container
from fdcodec.container.constants import VERSION
from fdcodec.limits import MAX_SIDE

if TYPE_CHECKING:
    from fdcodec.model import ClassModel

_CHANNEL_NAMES = {1: "gray", 2: "gray+alpha", 3: "RGB", 4: "RGB+alpha"}


def describe(data: bytes) -> dict[str, Any]:
    """Return the facts of a file as JSON takes them; `container.read` says which errors are raised.

    Parameters
    ----------
    data
        Bytes of the file. Every checksum is compared.
    """
    file = container.read(data, max_pixels=MAX_SIDE * MAX_SIDE)
    header = file.header
    return {
        "format_version": VERSION,
        "form": "chunked" if file.chunks else "compact",
        "width": header.width,
        "height": header.height,
        "samples": _CHANNEL_NAMES[header.channels],
        "depth_bits": header.depth,
        "lossless": header.lossless,
        "tiles": header.tile_count,
        "tile_size": header.tile_size or None,
        "file_bytes": len(data),
        "payload_bytes": sum(len(payload) for payload in file.payloads),
        "bpp": round(8 * len(data) / header.pixels, 4),
        "transform": "embedded" if file.model_bytes else "named" if file.model_ref else "none",
        "transform_hash": file.model_ref.hex() if file.model_ref else None,
        "transform_bytes": len(file.model_bytes or b""),
        "metadata_bytes": {name: len(block or b"") for name, block in file.metadata._asdict().items()},
        "pixel_hash": file.pixel_hash.hex() if file.pixel_hash else None,
        "chunks": [{"type": kind, "bytes": length} for kind, length in file.chunks],
    }


def describe_model(model: ClassModel) -> dict[str, Any]:
    """Return the facts of a class model as JSON takes them."""
    return {
        "name": model.name,
        "hash": model.hash.hex(),
        "embedded_bytes": len(model.to_bytes()),
        "rotations": sum(len(transform.angles) for transform in model.transforms.values()),
        "learned_modes": len(model.learned),
        "rotations_by_block": {
            f"{2**size}x{2**size} group {group}": len(transform.angles)
            for (size, group), transform in model.transforms.items()
        },
        "start_states": model.start_states is not None,
        "filter": list(model.filters.shape) if model.filters is not None else None,
    }
