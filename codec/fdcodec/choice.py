"""The encoder's choice of a class model: the one that makes a sample of the picture cheapest, all costs counted."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from fdcodec.coding.lossy import encode_tile
from fdcodec.coding.parameters import Parameters
from fdcodec.coding.settings import EncoderSettings
from fdcodec.coding.tuning import bit_price, search_options
from fdcodec.filtering.post import strength_errors
from fdcodec.image.colour import colour_matrix, plane_bounds, to_planes
from fdcodec.model import ClassModel, resolve
from fdcodec.model.registry import presets

WINDOW = 32  # side of a sample window, in pixels
GRID = 2  # windows a side
_QUICK = EncoderSettings(effort=1)


def choose_model(
    transform: str | os.PathLike[str] | ClassModel, samples: NDArray[np.uint8], parameters: Parameters
) -> ClassModel:
    """Return the model that `transform` names, or for "auto" the preset of the least rate-distortion cost on a sample.

    Parameters
    ----------
    transform
        "auto", a preset's name, a path, or a class model.
    samples
        Shape (height, width, 1..4), uint8; alpha plays no part.
    parameters
        Step and colour transform that the picture will be coded with.
    """
    if isinstance(transform, ClassModel) or transform != "auto":
        return resolve(transform)
    colours = 3 if samples.shape[2] >= 3 else 1
    matrix = colour_matrix(parameters.colour) if colours == 3 else None
    planes = to_planes(sample_of(samples)[:, :, :colours], matrix)
    candidates = presets()
    costs = [_cost(planes, model, parameters.step_index, plane_bounds(matrix)) for model in candidates]
    return candidates[int(np.argmin(costs))]


def sample_of(samples: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return GRID x GRID windows of WINDOW pixels, spread evenly and laid side by side, or a small picture whole."""
    rows, columns = (_window_starts(side) for side in samples.shape[:2])
    return np.ascontiguousarray(samples[rows][:, columns])


def _window_starts(side: int) -> NDArray[np.intp]:
    """Return the pixel numbers that the windows cover along one side."""
    if side <= GRID * WINDOW:
        return np.arange(side)
    starts = [(2 * k + 1) * side // (2 * GRID) - WINDOW // 2 for k in range(GRID)]
    return np.concatenate([np.arange(start, start + WINDOW) for start in starts])


def _cost(planes: NDArray[np.int32], model: ClassModel, step_index: int, bounds: list[tuple[int, int]]) -> float:
    """Return squared error after the filter plus the price of the bits."""
    tile = encode_tile(planes, model, search_options(_QUICK, step_index, bounds))
    errors = strength_errors(planes, tile.planes, tile.maps, model, step_index)
    return float(errors.min(axis=1).sum()) + bit_price(step_index) * 8 * len(tile.payload)
