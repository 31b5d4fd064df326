"""Encoding for training: everything the encoder knows of an image at one step."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from fdcodec.coding.lossy import encode_planes
from fdcodec.coding.settings import EncoderSettings
from fdcodec.coding.tuning import search_options
from fdcodec.format.constants import FRACTION_BITS
from fdcodec.format.parameters import Parameters, step_index_of, step_of
from fdcodec.image.colour import choose_colour, picture_matrix, plane_bounds, to_planes
from fdcodec.image.picture import colours_of
from fdcodec.image.screen import is_screen
from fdcodec.kernels.reconstruction.tables import Maps
from fdcodec.model import ClassModel
from fdcodec.parallel import each, usable_processors

STEPS = (6.0, 12.0, 22.0, 44.0)  # pixel values; one in each range of the filter
N_THREADS = min(usable_processors(), 4)  # each has a window of up to MAX_SIDE in work
MAX_PIXELS = 10_000_000  # of all windows together: more of them make a model no better, only the training longer
MIN_SIDE = 64
MAX_SIDE = 1024  # of the window cut from the middle of a training image


@dataclass(frozen=True)
class Trace:
    """An encoded image: original and decoded planes (before the filter), maps, final contexts, bytes."""

    step_index: int
    original: NDArray[np.int32]
    decoded: NDArray[np.int32]
    maps: list[Maps]
    contexts: NDArray[np.int32]
    size_bytes: int

    @property
    def step(self) -> np.float32:
        """Quantization step in the unit of the planes."""
        return np.float32(step_of(self.step_index) * (1 << FRACTION_BITS))


def trace(samples: NDArray[np.uint8], step: float, model: ClassModel, effort: int = 4) -> Trace:
    """Encode samples (height, width, channels) at a step, alpha ignored, and keep what training needs."""
    parameters, colours = parameters_of(samples, step), colours_of(samples)
    matrix = picture_matrix(parameters, colours.shape[2])
    planes = to_planes(colours, matrix)
    step_index, screen = parameters.step_index, parameters.screen
    options = search_options(EncoderSettings(effort=effort), step_index, plane_bounds(matrix), screen)
    payload, decoded, maps, contexts = encode_planes(planes, model, options, screen)
    return Trace(step_index, planes, decoded, maps, contexts, len(payload))


def parameters_of(samples: NDArray[np.uint8], step: float) -> Parameters:
    """Return the coding parameters of a trace at a step."""
    colours = colours_of(samples)
    colour = choose_colour(colours, step) if colours.shape[2] == 3 else None
    return Parameters(step_index_of(step), colour, screen=is_screen(colours))


def windows(images: list[NDArray[np.uint8]]) -> list[NDArray[np.uint8]]:
    """Return the middle of each image: squares of at most MAX_SIDE, smaller where images are many."""
    side = min(max(isqrt(MAX_PIXELS // len(images)), MIN_SIDE), MAX_SIDE)
    return [_middle(samples, side) for samples in images]


def _middle(samples: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """Return the middle of an image, at most side x side."""
    height, width = samples.shape[:2]
    top, left = max(0, (height - side) // 2), max(0, (width - side) // 2)
    return samples[top : top + side, left : left + side]


def traces(images: list[NDArray[np.uint8]], model: ClassModel) -> Iterator[Trace]:
    """Return the trace of each image at each training step, in order, a few encodes at a time."""
    jobs = [(samples, step) for samples in images for step in STEPS]
    return each(lambda job: trace(*job, model), jobs, N_THREADS, N_THREADS)
