"""What the encoder chooses for a whole picture: parameters, and the class models that are cheapest on a sample."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from fdcodec.aliases import Samples
from fdcodec.coding.lossy import encode_planes
from fdcodec.coding.settings import EncoderSettings
from fdcodec.coding.tuning import bit_price, search_options
from fdcodec.filtering.post import strength_errors
from fdcodec.format.parameters import Parameters, finest_step_index, step_index_for, step_of, visual_step_index
from fdcodec.image.colour import choose_colour, picture_matrix, plane_bounds, to_planes
from fdcodec.image.picture import colours_of
from fdcodec.image.sample_range import eight_bits, range_of
from fdcodec.image.screen import is_screen
from fdcodec.model import ClassModel, resolve
from fdcodec.model.registry import presets
from fdcodec.parallel import each

WINDOW = 32  # side of a window of the first sample, in pixels, and how many of them stand a side
GRID = 2
QUARTER_WINDOW = 64  # side of the second sample's windows, one in each quarter of the picture
FINALISTS = 3
# Models of nearly the same cost change places between neighbouring qualities, where the size may then fall: 15 times in
# 456 steps on 19 pictures, by 3 % but in a file of 90 bytes. To choose at steps half an octave apart costs more.
_QUICK = EncoderSettings(effort=1)
_SMALL, _MIDDLE, _ANY = 1 << 16, 1 << 18, 1 << 62
WHOLE_PIXELS = (0, 0, 0, _SMALL, _SMALL, _MIDDLE, _MIDDLE, _ANY, _ANY)
"""By effort 1..9, pictures of how many pixels are coded with each of the finalists, the cheapest of which is kept."""


def choose_parameters(samples: Samples, settings: EncoderSettings) -> Parameters:
    """Return step, colour transform and tools; the filter's strengths are chosen when all is coded."""
    sample_range = range_of(samples)
    deep, colours = sample_range is not None, eight_bits(samples, sample_range)
    screen = not deep and is_screen(colours)  # values of 16-bit samples are not on the grid that screen tools code
    adaptive = settings.tune == "visual" and not screen
    step_index = (visual_step_index if adaptive else step_index_for)(settings.quality, deep)
    if sample_range is not None:
        step_index = max(step_index, finest_step_index(sample_range))
    colour = settings.colour
    if colour == "auto":
        colour = None if colours.shape[2] == 1 else choose_colour(colours, step_of(step_index))
    return Parameters(step_index, colour, screen=screen, adaptive=adaptive, sample_range=sample_range)


def choose_models(samples: Samples, settings: EncoderSettings, parameters: Parameters) -> list[ClassModel]:
    """Return the model that `settings` name, or for "auto" the presets of the least costs on samples of the luma plane.

    There is one, or three where the picture is to be coded with each, and the cheapest kept.

    Parameters
    ----------
    samples
        Shape (height, width, 1..4), uint8 or uint16; alpha plays no part.
    settings
        Class model ("auto", a preset's name, a path, or itself), effort and threads.
    parameters
        Step and colour transform that the picture will be coded with.
    """
    if isinstance(settings.model, ClassModel) or settings.model != "auto":
        return [resolve(settings.model)]
    models = presets()
    costs = _costs(models, [busy_sample(samples)], parameters, settings.threads)
    ranks = np.argsort(costs, kind="stable")[:FINALISTS]
    finalists = [models[k] for k in ranks]
    if samples.shape[0] * samples.shape[1] <= WHOLE_PIXELS[settings.effort - 1]:
        return finalists
    costs = costs[ranks] + _costs(finalists, quarter_samples(samples), parameters, settings.threads)
    return [finalists[np.argmin(costs)]]


def busy_sample(samples: Samples) -> Samples:
    """Return four windows from the busier half of a picture in a square; of a small one, a corner."""
    if min(samples.shape[:2]) < (GRID + 1) * WINDOW:
        return samples[: GRID * WINDOW, : GRID * WINDOW]
    corners = _busy_windows(samples, GRID * GRID)
    windows = [samples[y : y + WINDOW, x : x + WINDOW] for y, x in corners]
    rows = [np.concatenate(windows[k * GRID : (k + 1) * GRID], axis=1) for k in range(GRID)]
    return np.concatenate(rows, axis=0)


def quarter_samples(samples: Samples) -> list[Samples]:
    """Return a window from the middle of each quarter of a picture."""
    tops, lefts = (
        [min(max(side * k // 4 - QUARTER_WINDOW // 2, 0), max(side - QUARTER_WINDOW, 0)) for k in (1, 3)]
        for side in samples.shape[:2]
    )
    return [samples[y : y + QUARTER_WINDOW, x : x + QUARTER_WINDOW] for y in tops for x in lefts]


def _busy_windows(samples: Samples, count: int) -> NDArray[np.intp]:
    """Return corners (y, x) of windows, evenly from the busier half of all, by the gradients of every second row."""
    rows, columns = samples.shape[0] // WINDOW, samples.shape[1] // WINDOW
    plane = samples[: rows * WINDOW : 2, : columns * WINDOW, int(samples.shape[2] >= 3)].astype(np.int32)
    gradients = np.abs(np.diff(plane, axis=1, append=plane[:, -1:]))
    busyness = gradients.reshape(rows, WINDOW // 2, columns, WINDOW).sum(axis=(1, 3), dtype=np.int64).ravel()
    ranks = np.linspace(len(busyness) // 2, len(busyness) - 1, count).astype(np.intp)
    chosen = np.sort(np.argsort(busyness, kind="stable")[ranks])
    return np.stack([chosen // columns * WINDOW, chosen % columns * WINDOW], axis=1)


def _costs(models: list[ClassModel], parts: list[Samples], parameters: Parameters, threads: int) -> NDArray[np.float64]:
    """Return what the luma planes of parts of a picture cost with each model, all parts together."""
    colours = [colours_of(part) for part in parts]
    matrix = picture_matrix(parameters, colours[0].shape[2])
    lumas = [to_planes(part, matrix, parameters.sample_range)[:1] for part in colours]
    cost = partial(_cost, parameters=parameters, bounds=plane_bounds(matrix))
    costs = np.fromiter(each(cost, product(lumas, models), threads), np.float64)
    totals: NDArray[np.float64] = costs.reshape(len(lumas), len(models)).sum(axis=0)
    return totals


def _cost(trial: tuple[NDArray[np.int32], ClassModel], parameters: Parameters, bounds: list[tuple[int, int]]) -> float:
    """Return squared error after the filter plus the price of the bits.

    Step offsets and weights of pictures tuned by eye are left out: with them 14 pictures took 0.01 % fewer bits at
    equal SSIMULACRA 2, single ones 2.4 % fewer to 1.9 % more.
    """
    (planes, model), step_index, screen = trial, parameters.step_index, parameters.screen
    tile = encode_planes(planes, model, search_options(_QUICK, step_index, bounds, screen), screen)
    errors = strength_errors(planes, tile.planes, tile.maps, model, step_index)
    return total_cost(errors, len(tile.payload), step_index)


def total_cost(errors: NDArray[np.float64], size_bytes: int, step_index: int) -> float:
    """Return the squared error at the best of the filter's strengths plus the price of the bits."""
    return float(errors.min(axis=1).sum()) + bit_price(step_index) * 8 * size_bytes
