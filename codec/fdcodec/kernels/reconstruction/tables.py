# mypy: disable-error-code="no-any-return"
"""The tables that the block kernels read: matrices, scans, orders, and the rotations of a class model (SPEC 4.2)."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from fdcodec.format.constants import (
    ANGLE_LEVELS,
    FRACTION_BITS,
    MATRIX_BITS,
    MAX_LEARNED,
    MAX_LOG2,
    MAX_STEP_INDEX,
    MIN_LOG2,
    N_GROUPS,
    ROTATION_BITS,
    STEP_BITS,
    STEPS_PER_OCTAVE,
    ZONE_LOG2,
)
from fdcodec.format.contexts import N_SIZES
from fdcodec.kernels.reconstruction.learned_tables import LearnedMode, learned_matrices, learned_tables
from fdcodec.kernels.reconstruction.matrices import dct_matrix, dst_matrix, fixed
from fdcodec.kernels.reconstruction.rotations import compose_rotations

NEXT_STATE = np.array([[0, 2], [2, 0], [1, 3], [3, 1]])  # of the dependent quantizer, by state and parity (SPEC 4.3)


class Tables(NamedTuple):
    """What one class model lays before the block kernels; arrays are int32 unless said.

    `matrices[k]` and `transposed[k]` are the 2^k-point DCT (DST-VII at 4 points) and its transpose, scaled by 2^11;
    `scans[log2 height, log2 width]` the scan order as 32 * row + column and `places` the low zone's positions in it.
    `zones[size, group]` is the product of the rotations of that size class and mode group, int16 scaled by 2^14, rows
    in the group's scan order; `has_zone` tells where there is one. `n_learned[k]` (int64) is the number of learned
    modes of 2^k x 2^k; `predictors` and `learned_bases` are those of `learned_tables`, whose matrices follow the
    others, and a learned mode's rotations are those of group N_GROUPS + i. `weighs` tells whether coefficients have
    weights by frequency.
    """

    matrices: np.ndarray
    transposed: np.ndarray
    scans: np.ndarray
    places: np.ndarray
    zones: np.ndarray
    has_zone: np.ndarray
    n_learned: np.ndarray
    predictors: np.ndarray
    learned_bases: np.ndarray
    weighs: bool


class Maps(NamedTuple):
    """What the codestream says of one plane, int32: of each 4x4 cell its block's size, mode, end, vector; levels."""

    log2_widths: np.ndarray
    log2_heights: np.ndarray
    modes: np.ndarray
    ends: np.ndarray
    levels: np.ndarray
    vectors: np.ndarray


class Known(NamedTuple):
    """What is known where the next block of a plane is coded: its maps, as far as they are filled, and luma's.

    In luma `guide` is the plane's own maps; `kind` is 0 in luma and 1 in chroma.
    """

    maps: Maps
    guide: Maps
    kind: int


def new_maps(height: int, width: int, levels: np.ndarray | None = None) -> Maps:
    """Return empty maps of a plane of `height` by `width` samples, multiples of 4, around `levels` if given."""
    cells = (height >> 2, width >> 2)
    return Maps(
        np.zeros(cells, np.int32),
        np.zeros(cells, np.int32),
        np.zeros(cells, np.int32),
        np.zeros(cells, np.int32),
        np.zeros((height, width), np.int32) if levels is None else levels,
        np.zeros((*cells, 2), np.int32),
    )


def base_matrix(log2_size: int) -> np.ndarray:
    """Return the base transform of a block size: the DST-VII at 4x4, the DCT above."""
    return dst_matrix(4) if log2_size == MIN_LOG2 else dct_matrix(1 << log2_size)


def _scan(log2_width: int, log2_height: int) -> list[int]:
    places = [(row, column) for row in range(1 << log2_height) for column in range(1 << log2_width)]
    return [32 * row + column for row, column in sorted(places, key=lambda place: (sum(place), place[1]))]


def zone_places(log2_width: int, log2_height: int) -> list[int]:
    """Return the positions of a block's low zone in scan order, as 32 * row + column."""
    width, height = 1 << min(log2_width, ZONE_LOG2), 1 << min(log2_height, ZONE_LOG2)
    return [place for place in _scan(log2_width, log2_height) if place >> 5 < height and place & 31 < width]


def rotation_weights(angle_index: np.ndarray) -> np.ndarray:
    """Return (cosine, sine) of each angle index, shape (m, 2), int32 scaled by 2^14."""
    angle = 2 * np.pi * np.asarray(angle_index) / ANGLE_LEVELS
    return np.stack([fixed(np.cos(angle), ROTATION_BITS), fixed(np.sin(angle), ROTATION_BITS)], axis=1)


@cache
def _shared_tables() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return what is the same for all models, made once a process: matrices, transposed ones, scans, places."""
    matrices = np.zeros((MAX_LOG2 + 1, 32, 32), np.int32)
    scans = np.zeros((MAX_LOG2 + 1, MAX_LOG2 + 1, 1024), np.int32)
    places = np.zeros((MAX_LOG2 + 1, MAX_LOG2 + 1, 64), np.int32)
    for log2_height in range(MIN_LOG2, MAX_LOG2 + 1):
        size = 1 << log2_height
        matrices[log2_height, :size, :size] = fixed(base_matrix(log2_height), MATRIX_BITS)
        for log2_width in range(max(log2_height - 1, MIN_LOG2), min(log2_height + 1, MAX_LOG2) + 1):
            scans[log2_height, log2_width, : size << log2_width] = _scan(log2_width, log2_height)
            zone = zone_places(log2_width, log2_height)
            places[log2_height, log2_width, : len(zone)] = zone
    matrices = np.concatenate([matrices, learned_matrices()])
    return matrices, np.ascontiguousarray(matrices.transpose(0, 2, 1)), scans, places


def build_tables(
    transforms: Mapping[tuple[int, int], tuple[np.ndarray, np.ndarray, np.ndarray]],
    learned: Sequence[LearnedMode] = (),
) -> Tables:
    """Build the tables from a model's transforms: (pairs (m, 2), angle indices (m,), order) by size class and group."""
    n_groups = N_GROUPS + MAX_LEARNED
    zones, has_zone = np.zeros((N_SIZES, n_groups, 64, 64), np.int16), np.zeros((N_SIZES, n_groups), np.bool_)
    columns = np.zeros((64, 64), np.int64)
    for (size, group), (pairs, angles, order) in transforms.items():
        has_zone[size, group] = True
        pairs = np.asarray(pairs, np.int32).reshape(-1, 2)
        compose_rotations(pairs, rotation_weights(angles), np.asarray(order, np.int32), columns, zones[size, group])
    return Tables(*_shared_tables(), zones, has_zone, *learned_tables(learned), False)


STEPS = 2.0 ** (np.arange(MAX_STEP_INDEX + 1) / STEPS_PER_OCTAVE - 4 + FRACTION_BITS)
"""Quantization step by step index, in the unit of planes and coefficients (SPEC 4.3)."""

HALF_STEPS = np.rint(STEPS * (1 << (STEP_BITS - 1))).astype(np.int64)
"""Half a quantization step by step index, in 1/64 of that unit (SPEC 4.3)."""
