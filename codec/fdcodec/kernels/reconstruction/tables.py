# mypy: disable-error-code="no-any-return"
"""The tables that the block kernels read: matrices, scans, orders, and the rotations of a class model (SPEC 4.2)."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
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
def scan_orders() -> np.ndarray:
    """Return the scan order of each size of blocks, as `Tables.scans`; those of no block are zeros."""
    scans = np.zeros((MAX_LOG2 + 1, MAX_LOG2 + 1, 1024), np.int32)
    for log2_height, log2_width in block_sizes():
        scans[log2_height, log2_width, : 1 << (log2_height + log2_width)] = _scan(log2_width, log2_height)
    return scans


def block_sizes() -> Iterator[tuple[int, int]]:
    """Yield (log2 height, log2 width) of all blocks."""
    logs = range(MIN_LOG2, MAX_LOG2 + 1)
    return ((height, width) for height, width in product(logs, logs) if abs(height - width) < 2)


@cache
def _shared_tables() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return what is the same for all models, made once a process: matrices, transposed ones, scans, places."""
    matrices, places = np.zeros((MAX_LOG2 + 1, 32, 32), np.int32), np.zeros((MAX_LOG2 + 1, MAX_LOG2 + 1, 64), np.int32)
    for log2_size in range(MIN_LOG2, MAX_LOG2 + 1):
        matrices[log2_size, : 1 << log2_size, : 1 << log2_size] = fixed(base_matrix(log2_size), MATRIX_BITS)
    for log2_height, log2_width in block_sizes():
        zone = zone_places(log2_width, log2_height)
        places[log2_height, log2_width, : len(zone)] = zone
    matrices = np.concatenate([matrices, learned_matrices()])
    return matrices, np.ascontiguousarray(matrices.transpose(0, 2, 1)), scan_orders(), places


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
