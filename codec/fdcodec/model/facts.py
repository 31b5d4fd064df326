"""What a class model holds."""

from __future__ import annotations

from typing import Any

from fdcodec.format.constants import N_GROUPS
from fdcodec.model.body import SIZE_NAMES
from fdcodec.model.class_model import ClassModel
from fdcodec.model.embedding import embedding
from fdcodec.model.registry import is_preset


def describe_model(model: ClassModel) -> dict[str, Any]:
    """Return the facts of a class model as JSON takes them."""
    return {
        "name": model.name,
        "hash": model.hash.hex(),
        "embedded_bytes": len(embedding(model, is_preset(model) or "auto")),
        "rotations": sum(len(transform.angles) for transform in model.transforms.values()),
        "learned_modes": len(model.learned),
        "rotations_by_block": _rotations_by_block(model),
        "start_states": model.start_states is not None,
        "filter": list(model.filters.shape) if model.filters is not None else None,
    }


def _rotations_by_block(model: ClassModel) -> dict[str, int]:
    """Return the number of rotations by block size and mode group or learned mode."""
    modes = [f"group {k}" for k in range(N_GROUPS)] + [f"learned mode {k}" for k in range(len(model.learned))]
    return {
        f"{SIZE_NAMES[size]} {modes[group]}": len(transform.angles)
        for (size, group), transform in model.transforms.items()
    }
