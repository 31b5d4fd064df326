"""What a model is worth: the bytes that it saves on images, against the presets that "auto" takes for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fdcodec.choice import choose_models, total_cost
from fdcodec.coding.settings import EncoderSettings
from fdcodec.coding.tuning import bit_price
from fdcodec.filtering.post import strength_errors
from fdcodec.format.parameters import step_index_of
from fdcodec.model import ClassModel
from fdcodec.parallel import each
from fdcodec.training.traces import N_THREADS, STEPS, parameters_of, trace


class Worth(NamedTuple):
    """What share of the bytes of images a model saves, None if there are none, and the presets it is compared with."""

    share: float | None
    presets: list[str]


def share_saved(images: list[NDArray[np.uint8]], model: ClassModel, progress: Callable[[int, int], None]) -> Worth:
    """Return the share of the bytes of images that a model saves against the best preset for each.

    It is over all steps together and at equal squared error: error that a model saves counts as the bytes that buy as
    much. The model's own bytes are left out.

    Parameters
    ----------
    images
        Arrays (height, width, 1..4), uint8, which the model was not learned from.
    model
        What is compared with the presets.
    progress
        Called with the encodes done and those in all.
    """
    jobs = [(samples, step) for samples in images for step in STEPS]
    total = total_saved = 0.0
    names: Counter[str] = Counter()
    for done, (size, saved, name) in enumerate(each(lambda job: _size_and_saved(*job, model), jobs, N_THREADS), 1):
        total, total_saved = total + size, total_saved + saved
        names[name] += 1
        progress(done, len(jobs))
    return Worth(total_saved / total if total else None, [name for name, _ in names.most_common()])


def _size_and_saved(samples: NDArray[np.uint8], step: float, model: ClassModel) -> tuple[int, float, str]:
    """Return the bytes of an image with the best preset for it, how many of them a model saves, and that preset."""
    presets = choose_models(samples, EncoderSettings(), parameters_of(samples, step))
    cost, size, name = min((*_cost_and_size(samples, step, preset), preset.name) for preset in presets)
    return size, (cost - _cost_and_size(samples, step, model)[0]) / (8 * bit_price(step_index_of(step))), name


def _cost_and_size(samples: NDArray[np.uint8], step: float, model: ClassModel) -> tuple[float, int]:
    """Return the squared error of an encode after the filter plus the price of its bits, and its bytes."""
    traced = trace(samples, step, model)
    errors = strength_errors(traced.original, traced.decoded, traced.maps, model, traced.step_index)
    return total_cost(errors, traced.size_bytes, traced.step_index), traced.size_bytes
