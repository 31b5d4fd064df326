"""What `fdcodec learn` reports at its end: what the model saves, what to do next, and what it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any

from fdcodec.model import ClassModel
from fdcodec.model.embedding import embedding
from fdcodec.model.registry import get
from fdcodec.words import counted

_HARDLY = 0.01  # share saved below which a model is hardly worth what it takes to have it at hand


def report(model: ClassModel, path: Path, n_images: int) -> Iterator[str]:
    """Yield the lines: what the model saves on held-out images, what to do next, then details.

    Parameters
    ----------
    model
        With the recipe of `learn`.
    path
        Where it was saved.
    n_images
        Number of images it was learned from.
    """
    recipe = model.recipe
    yield f"{path}: {saving(recipe)}"
    yield f"  next: {advice(recipe, path, len(embedding(model, 'auto')))}"
    held_out = f", {recipe['images_held_out']} of them held out" if recipe["images_held_out"] else ""
    yield f"  from {counted(n_images, 'image')}{held_out}; hash {model.hash.hex()[:16]}"
    yield f"  {worth_of_parts(recipe)}"
    yield f"  {worth_of_modes(model)}"


def saving(recipe: dict[str, Any]) -> str:
    """Return how held-out images compare with the presets that were the best for them."""
    saved = recipe["share_saved_against_presets"]
    if saved is None:
        return (
            "what it saves is not known: with fewer than five images, or copies of few, none is held out to measure it"
        )
    best, *others = recipe["presets_compared"]
    preset = f"the best preset, most often {best}" if others else f"the preset {best}"
    change = f"{abs(saved):.1%} {'fewer' if saved >= 0 else 'more'} bytes at equal error than with {preset}"
    return f"{change}, on {counted(recipe['images_held_out'], 'held-out image')}, without the model's own bytes"


def advice(recipe: dict[str, Any], path: Path, n_bytes: int) -> str:
    """Return what to do with a model of this recipe that takes `n_bytes` in each file that carries it."""
    saved, given = recipe["share_saved_against_presets"], quote(str(path))
    if saved is None:
        return f"learn from five different images or more; or compare the sizes that encode -t {given} and -t auto give"
    if saved <= 0:
        return f"encode with -t auto; or learn from more images{_other_parent(recipe)}"
    hardly = "the presets do nearly as well, and -t auto takes one. Or " if saved < _HARDLY else ""
    return hardly + (
        f"encode -t {given}, for files above {_size(n_bytes / saved)}: each carries {n_bytes} bytes of the model. "
        f"For smaller ones add --no-embed, and readers need {path.name} in a directory that FDCODEC_MODEL_PATH names"
    )


def _other_parent(recipe: dict[str, Any]) -> str:
    """Return what to try: the preset that was the best for most held-out images as the parent, if it was not."""
    best = recipe["presets_compared"][0]
    return "" if get(best).hash.hex() == recipe["parent"] else f", or with --parent {best}"


def _size(n_bytes: float) -> str:
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e6 else f"{n_bytes / 1e3:.0f} kB"


def worth_of_parts(recipe: dict[str, Any]) -> str:
    """Return what rotations and filter save on what was held out."""
    filtered, rotated = recipe["share_saved_by_filter"], recipe["share_saved_by_rotations"]
    if rotated is None:
        return "too few blocks to learn rotations from: they are the parent's; give more or larger images"
    parts = [f"rotations save {rotated:.1%} of the cost of blocks"]
    parts += [] if filtered is None else [f"the filter {filtered:.1%} of the squared error"]
    return f"on what was held out, {', '.join(parts)}"


def worth_of_modes(model: ClassModel) -> str:
    """Return how many learned modes a model has, and what those of each block size save on held-out blocks."""
    counts = {str(1 << size): sum(mode.log2_size == size for mode in model.learned) for size in range(2, 5)}
    saved = model.recipe["share_saved_by_learned_modes"]
    notes = {side: f"{saved[side]:.1%}" if side in saved else "the parent's" for side in counts}
    parts = [f"{count} of {side}x{side} ({notes[side]})" for side, count in counts.items() if count]
    return f"learned modes, and the share of the rate they save on held-out blocks: {', '.join(parts) or 'none'}"
