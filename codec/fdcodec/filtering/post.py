"""The filter after the loop, as the decoder applies it and as the encoder chooses its strength (SPEC 6)."""

import numpy as np
from numpy.typing import NDArray

from fdcodec.aliases import Planes
from fdcodec.format.constants import (
    FILTER_BUCKET_OCTAVES,
    MAX_STRENGTH,
    STEPS_PER_OCTAVE,
)
from fdcodec.kernels.filters.cell_classes import classify_cells
from fdcodec.kernels.filters.corrections import filter_plane
from fdcodec.kernels.filters.deblocking import deblock_plane
from fdcodec.kernels.reconstruction.maps import Maps
from fdcodec.model import ClassModel

Sums = NDArray[np.float64]


def apply_filter(
    planes: Planes,
    maps: list[Maps],
    model: ClassModel,
    step_index: int,
    strengths: tuple[int, int],
    bounds: list[tuple[int, int]],
) -> None:
    """Filter the decoded planes of a tile in place.

    Parameters
    ----------
    planes
        Shape (1 or 3, height, width), int32 with FRACTION_BITS.
    maps
        The maps of each plane.
    model
        The class model, whose filter is used.
    step_index
        Quantization step.
    strengths
        0..7 for luma and for chroma: 0 nothing, 1 deblocking, s above: (s - 1) / 4 of the trained correction too.
    bounds
        Range that each plane's samples are clipped to.
    """
    for k, plane in enumerate(planes):
        strength = strengths[min(k, 1)]
        if strength == 0:
            continue
        deblock(plane, maps[k], step_index)
        if strength > 1:
            weights = model.filter_weights[min(k, 1), step_bucket(step_index)]
            filter_plane(plane, maps[k].cells, weights, step_index, strength - 1, *bounds[k])


def deblock(plane: Planes, maps: Maps, step_index: int) -> None:
    """Deblock a plane in place; sampled and copied blocks stay as they are (SPEC 6.1)."""
    if maps.cells.min() >= 0:  # nothing but modes is ever negative, and this is contiguous
        deblock_plane(plane, maps.cells, step_index)
        return
    is_exact = maps.modes < 0
    samples = _cells(plane)[is_exact]
    deblock_plane(plane, maps.cells, step_index)
    _cells(plane)[is_exact] = samples


def _cells(plane: Planes) -> Planes:
    """Return a view of a plane by 4x4 cells, shape (rows, columns, 4, 4)."""
    height, width = plane.shape
    return plane.reshape(height // 4, 4, width // 4, 4).swapaxes(1, 2)


def trained_corrections(plane: Planes, maps: Maps, model: ClassModel, step_index: int, kind: int) -> Planes:
    """Return the trained filter's full correction of a deblocked plane, before clipping; 0 in exact cells."""
    filtered = plane.copy()
    no_bound = int(np.iinfo(np.int32).max)
    weights = model.filter_weights[kind, step_bucket(step_index)]
    filter_plane(filtered, maps.cells, weights, step_index, 4, -no_bound, no_bound)
    return filtered - plane


def classes_of(plane: Planes, step_index: int) -> NDArray[np.int32]:
    """Return the class of each cell of a deblocked plane."""
    height, width = plane.shape
    classes = np.empty((height // 4, width // 4), np.int32)
    classify_cells(plane, step_index, classes)
    return classes


def step_bucket(step_index: int) -> int:
    """Return which of the filter's step ranges an index lies in."""
    return sum(step_index >= STEPS_PER_OCTAVE * octave for octave in FILTER_BUCKET_OCTAVES)


def strength_errors(original: Planes, planes: Planes, maps: list[Maps], model: ClassModel, step_index: int) -> Sums:
    """Return the squared error of a tile at each strength, shape (2 kinds, 8); `planes` are left deblocked.

    The error at a strength above 1 is that of adding exactly its share of the correction, before rounding.
    """
    errors = np.zeros((2, MAX_STRENGTH + 1))
    shares = np.arange(MAX_STRENGTH) / 4
    for k, plane in enumerate(planes):
        kind = min(k, 1)
        errors[kind, 0] += _product(original[k] - plane, original[k] - plane)
        deblock(plane, maps[k], step_index)
        corrections = trained_corrections(plane, maps[k], model, step_index, kind)
        residual = original[k] - plane
        square, cross, own = (
            _product(*pair) for pair in ((residual, residual), (residual, corrections), (corrections, corrections))
        )
        errors[kind, 1:] += square - 2 * shares * cross + shares**2 * own
    return errors


def _product(first: Planes, second: Planes) -> float:
    """Return the sum of the products of two planes, without a copy of either in float64."""
    return float(np.einsum("yx,yx", first, second, dtype=np.float64, casting="safe"))


def best_strengths(errors: Sums) -> tuple[int, int]:
    """Return the strengths of the least error, the weakest where several are equal."""
    luma, chroma = errors.argmin(axis=1)
    return int(luma), int(chroma)
