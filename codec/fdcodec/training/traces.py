"""Encoding for training: everything the encoder knows of an image at one step."""

from collections.abc import Iterator
from dataclasses import dataclass

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
from fdcodec.kernels.reconstruction.maps import Maps
from fdcodec.model import ClassModel
from fdcodec.parallel import each, usable_processors

STEPS = (6.0, 12.0, 22.0, 44.0)  # pixel values; one in each range of the filter
N_THREADS = min(usable_processors(), 4)  # each has a window in work


@dataclass(frozen=True)
class Trace:
    """An encoded image: original and decoded planes (before the filter), maps, final contexts, bytes."""

    step_index: int
    original: NDArray[np.int32]
    decoded: NDArray[np.int32]
    maps: list[Maps]
    contexts: NDArray[np.uint16]
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


def traces(images: list[NDArray[np.uint8]], model: ClassModel) -> Iterator[Trace]:
    """Return the trace of each image at each training step, in order, a few encodes at a time."""
    jobs = [(samples, step) for samples in images for step in STEPS]
    return each(lambda job: trace(*job, model), jobs, N_THREADS, N_THREADS)
