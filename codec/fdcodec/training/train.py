"""learn(): images of a class to a class model, in two passes over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fdcodec.errors import ParameterError
from fdcodec.format.constants import N_GROUPS
from fdcodec.model import ClassModel
from fdcodec.training.filters import FilterSums
from fdcodec.training.held_out import Part, parts_of
from fdcodec.training.learned import train_learned
from fdcodec.training.learned_samples import BlockSamples
from fdcodec.training.start_states import StartStateSums
from fdcodec.training.traces import STEPS, traces
from fdcodec.training.training_images import TrainingImage, windows
from fdcodec.training.transforms import ZoneSamples, train_transforms
from fdcodec.training.worth import share_saved

Progress = Callable[[str, int, int], None]

STAGES = ("blocks", "rotations", "learned modes", "contexts and filter", "comparison with the presets")
"""What learning does, in order; the last only where images are held out."""


def _silent(stage: str, done: int, total: int) -> None:
    """Show no progress."""


def _numbered(progress: Progress, stages: tuple[str, ...]) -> Progress:
    """Return progress that also tells which stage of how many it is."""
    names = {stage: f"{stage}, {number} of {len(stages)}" for number, stage in enumerate(stages, 1)}
    return lambda stage, done, total: progress(names[stage], done, total)


def learn_model(
    images: list[TrainingImage],
    name: str,
    parent: ClassModel | None = None,
    progress: Progress | None = None,
    parts: list[Part] | None = None,
) -> ClassModel:
    """Learn a class model.

    Parameters
    ----------
    images
        What is kept of each; the middle of each is used, ten megapixels of them all.
    name
        What the model is to be called.
    parent
        The model to start from and to keep where the images say too little; None starts from the plain DCT.
    progress
        Called with (stage, done, total) after each encode, and after each group and block size that is learned; a
        stage is for instance "rotations, 2 of 5".
    parts
        What each image has part in; None if none is of a stack or a copy.

    Returns
    -------
    model
        With a recipe: hashes of the images, steps, sizes in bytes before and after; and on images held out, what parts
        save: rotations (by group, and all together), learned modes and filter; and all, against the presets, which
        are named.
    """
    if not images:
        raise ParameterError("images: none given; give at least one image of the class")
    parts = parts or parts_of(range(len(images)))
    middles = windows([image.middle for image, part in zip(images, parts, strict=True) if part is not Part.SKIPPED])
    unseen = [part is Part.HELD_OUT for part in parts if part is not Part.SKIPPED]
    start = replace(parent or ClassModel("dct"), name=name)
    shown = _numbered(progress or _silent, STAGES if any(unseen) else STAGES[:-1])
    model, recipe = _first_pass(middles, unseen, start, shown)
    model, second = _second_pass(middles, unseen, model, shown)
    details: dict[str, Any] = {
        "parent": parent.hash.hex() if parent else None,
        "images": [image.hash for image in images],
        "steps": list(STEPS),
    }
    return replace(model, recipe=details | recipe | second)


def _first_pass(
    middles: list[NDArray[np.uint8]], unseen: list[bool], model: ClassModel, progress: Progress
) -> tuple[ClassModel, dict[str, Any]]:
    """Learn start states, transforms and learned modes from encodes with the model as it is."""
    parent, model = model, _without_learned(model)
    states, zones = StartStateSums(model.start_states), ZoneSamples()
    is_unseen = np.repeat(unseen, len(STEPS)).tolist()
    blocks = BlockSamples(is_unseen)
    size_bytes = 0
    for done, trace in enumerate(traces(middles, model), 1):
        states.add(trace.contexts)
        zones.add(trace, is_unseen[done - 1])
        blocks.add(trace)
        size_bytes += trace.size_bytes
        progress("blocks", done, len(is_unseen))
    transforms, gains, share = train_transforms(zones, model.transforms, partial(progress, "rotations"))
    modes, transforms, saved = train_learned(blocks, transforms, parent, partial(progress, "learned modes"))
    learned = replace(model, transforms=transforms, start_states=states.start_states(), learned=modes)
    details = {"cost_saved_by_group": gains, "share_saved_by_rotations": share, "share_saved_by_learned_modes": saved}
    return learned, {"size_bytes_before": size_bytes} | details


def _without_learned(model: ClassModel) -> ClassModel:
    """Return a model without its learned modes: blocks are traced without, so that new ones compete with the others."""
    transforms = {key: transform for key, transform in model.transforms.items() if key[1] < N_GROUPS}
    return replace(model, transforms=transforms, learned=())


def _second_pass(
    middles: list[NDArray[np.uint8]], unseen: list[bool], model: ClassModel, progress: Progress
) -> tuple[ClassModel, dict[str, Any]]:
    """Learn start states again, and the filter, from encodes with the transforms in place."""
    states, seen_states = StartStateSums(model.start_states), StartStateSums(model.start_states)
    seen, held_out = FilterSums(), FilterSums()
    is_unseen = np.repeat(unseen, len(STEPS)).tolist()
    size_bytes = 0
    for done, trace in enumerate(traces(middles, model), 1):
        states.add(trace.contexts)
        if is_unseen[done - 1]:
            held_out.add(trace)
        else:
            seen.add(trace)
            seen_states.add(trace.contexts)
        size_bytes += trace.size_bytes
        progress("contexts and filter", done, len(is_unseen))
    seen_filters = seen.filters(model.filters)
    judged = replace(model, start_states=seen_states.start_states(), filters=seen_filters)
    saved = held_out.share_saved(seen_filters)
    against = share_saved(
        [middle for middle, flag in zip(middles, unseen, strict=True) if flag],
        judged,
        partial(progress, "comparison with the presets"),
    )
    filters = seen.joined(held_out).filters(model.filters)
    learned = replace(model, start_states=states.start_states(), filters=filters)
    return learned, {
        "size_bytes_after": size_bytes,
        "share_saved_by_filter": saved if saved is None else round(saved, 4),
        "share_saved_against_presets": against.share if against.share is None else round(against.share, 4),
        "presets_compared": against.presets,
        "images_held_out": sum(unseen),
    }
