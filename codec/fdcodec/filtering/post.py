"""The filter after the loop, as the decoder applies it and as the encoder chooses its strength (SPEC 6)."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fdcodec.coding.constants import FILTER_BUCKET_OCTAVES, MAX_STRENGTH, STEPS_PER_OCTAVE
from fdcodec.kernels.deblock_kernels import deblock_plane
from fdcodec.kernels.filter_kernels import BORDER, add_corrections, classify_cells, filter_corrections, pad_plane
from fdcodec.kernels.tables import Maps
from fdcodec.model import ClassModel

Planes = NDArray[np.int32]
Sums = NDArray[np.float64]
Sample = TypeVar("Sample", np.int32, np.float64)


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
            corrections = trained_corrections(plane, model, step_index, min(k, 1))
            _cells(corrections)[_exact_cells(maps[k])] = 0
            add_corrections(plane, corrections, strength - 1, *bounds[k])


def deblock(plane: Planes, maps: Maps, step_index: int) -> None:
    """Deblock a plane in place; sampled and copied blocks stay as they are (SPEC 6.1)."""
    exact = _exact_cells(maps)
    samples = _cells(plane)[exact]
    deblock_plane(plane, maps.log2_widths, maps.log2_heights, step_index)
    _cells(plane)[exact] = samples


def _exact_cells(maps: Maps) -> tuple[NDArray[np.intp], ...]:
    """Return rows and columns of the cells of sampled and copied blocks, mostly none: a mask took longer to apply."""
    return np.nonzero(maps.modes < 0)


def _cells(plane: NDArray[Sample]) -> NDArray[Sample]:
    """Return a view of a plane by 4x4 cells, shape (rows, columns, 4, 4)."""
    height, width = plane.shape
    return plane.reshape(height // 4, 4, width // 4, 4).swapaxes(1, 2)


def trained_corrections(plane: Planes, model: ClassModel, step_index: int, kind: int) -> Planes:
    """Return the trained filter's full correction of a deblocked plane; zeros where the model has no filter."""
    corrections = np.zeros_like(plane)
    if model.filters is not None:
        padded, classes = classified(plane, step_index)
        weights = np.repeat(model.filters[kind, step_bucket(step_index)], 4, axis=1).view(np.int32)
        filter_corrections(padded, classes, weights, step_index, corrections)
    return corrections


def classified(plane: Planes, step_index: int) -> tuple[Planes, Planes]:
    """Return a plane with its borders, and the class of each of its cells."""
    height, width = plane.shape
    padded = np.empty((height + 2 * BORDER, width + 2 * BORDER), np.int32)
    pad_plane(plane, padded)
    classes = np.empty((height // 4, width // 4), np.int32)
    classify_cells(padded, step_index, classes)
    return padded, classes


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
        errors[kind, 0] += float(np.sum((original[k] - plane).astype(np.float64) ** 2))
        deblock(plane, maps[k], step_index)
        corrections = trained_corrections(plane, model, step_index, kind).astype(np.float64)
        _cells(corrections)[_exact_cells(maps[k])] = 0
        residual = (original[k] - plane).astype(np.float64)
        square, cross, own = np.sum(residual**2), np.sum(residual * corrections), np.sum(corrections**2)
        errors[kind, 1:] += square - 2 * shares * cross + shares**2 * own
    return errors


def best_strengths(errors: Sums) -> tuple[int, int]:
    """Return the strengths of the least error, the weakest where several are equal."""
    luma, chroma = errors.argmin(axis=1)
    return int(luma), int(chroma)
