"""What the encoder chooses for a whole picture: parameters, and the class model that is cheapest on a sample of it."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from fdcodec.coding.adaptation import visual_step
from fdcodec.coding.lossy import encode_tile
from fdcodec.coding.parameters import Parameters, step_index_for
from fdcodec.coding.settings import EncoderSettings
from fdcodec.coding.tuning import bit_price, search_options
from fdcodec.filtering.post import strength_errors
from fdcodec.image.colour import choose_colour, colour_matrix, plane_bounds, to_planes
from fdcodec.image.picture import Samples
from fdcodec.image.screen import is_screen
from fdcodec.model import ClassModel, resolve
from fdcodec.model.registry import presets

WINDOW = 32  # side of a sample window, in pixels
ROUNDS = ((2, 3), (3, 1))  # windows a side of the sample, and how many models go on
# Models of nearly the same cost change places between neighbouring qualities, where the size may then fall: 15 times in
# 456 steps on 19 pictures, by 3 % but in a file of 90 bytes. To choose at steps half an octave apart costs more.
_QUICK = EncoderSettings(effort=1)


def choose_parameters(samples: Samples, settings: EncoderSettings) -> Parameters:
    """Return step, colour transform and tools; the filter's strengths are chosen when all is coded."""
    colours = samples[:, :, : 3 if samples.shape[2] >= 3 else 1].astype(np.uint8, copy=False)
    screen = is_screen(colours)
    adaptive = settings.tune == "visual" and not screen
    step_index = visual_step(settings.quality) if adaptive else step_index_for(settings.quality)
    colour = None if colours.shape[2] == 1 else choose_colour(colours, 2.0 ** (step_index / 32 - 4))
    return Parameters(step_index, colour, screen=screen, adaptive=adaptive)


def choose_model(
    transform: str | os.PathLike[str] | ClassModel, samples: NDArray[np.uint8], parameters: Parameters
) -> ClassModel:
    """Return the model that `transform` names, or for "auto" the preset of the least cost on samples of the luma plane.

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
    candidates = presets()
    for grid, kept in ROUNDS:
        costs = _costs(candidates, sample_of(samples, grid), parameters)
        candidates = [candidates[k] for k in np.argsort(costs, kind="stable")[:kept]]
    return candidates[0]


def sample_of(samples: NDArray[np.uint8], grid: int) -> NDArray[np.uint8]:
    """Return grid x grid windows from the busier half of a picture, side by side; of a small one, a corner."""
    if min(samples.shape[:2]) < (grid + 1) * WINDOW:
        return samples[: grid * WINDOW, : grid * WINDOW]
    corners = _busy_windows(samples, grid * grid)
    windows = [samples[y : y + WINDOW, x : x + WINDOW] for y, x in corners]
    rows = [np.concatenate(windows[k * grid : (k + 1) * grid], axis=1) for k in range(grid)]
    return np.concatenate(rows, axis=0)


def _busy_windows(samples: NDArray[np.uint8], count: int) -> NDArray[np.intp]:
    """Return corners (y, x) of windows, evenly from the busier half of all, by the gradients of every second row."""
    rows, columns = samples.shape[0] // WINDOW, samples.shape[1] // WINDOW
    plane = samples[: rows * WINDOW : 2, : columns * WINDOW, int(samples.shape[2] >= 3)].astype(np.int16)
    gradients = np.abs(np.diff(plane, axis=1, append=plane[:, -1:]))
    busyness = gradients.reshape(rows, WINDOW // 2, columns, WINDOW).sum(axis=(1, 3), dtype=np.int64).ravel()
    ranks = np.linspace(len(busyness) // 2, len(busyness) - 1, count).astype(np.intp)
    chosen = np.sort(np.argsort(busyness, kind="stable")[ranks])
    return np.stack([chosen // columns * WINDOW, chosen % columns * WINDOW], axis=1)


def _costs(models: list[ClassModel], samples: NDArray[np.uint8], parameters: Parameters) -> list[float]:
    """Return what the luma plane of a sample costs with each model."""
    colours = 3 if samples.shape[2] >= 3 else 1
    matrix = colour_matrix(parameters.colour) if colours == 3 else None
    planes = to_planes(samples[:, :, :colours], matrix)[:1]
    bounds = plane_bounds(matrix)
    return [_cost(planes, model, parameters.step_index, bounds, parameters.screen) for model in models]


def _cost(
    planes: NDArray[np.int32], model: ClassModel, step_index: int, bounds: list[tuple[int, int]], screen: bool
) -> float:
    """Return squared error after the filter plus the price of the bits.

    Step offsets and weights of pictures tuned by eye are left out: with them 14 pictures took 0.01 % fewer bits at
    equal SSIMULACRA 2, single ones 2.4 % fewer to 1.9 % more.
    """
    tile = encode_tile(planes, model, search_options(_QUICK, step_index, bounds), screen)
    errors = strength_errors(planes, tile.planes, tile.maps, model, step_index)
    return float(errors.min(axis=1).sum()) + bit_price(step_index) * 8 * len(tile.payload)
