# mypy: disable-error-code="no-any-return"
"""The tables that the block kernels read: matrices, scans, orders, and the rotations of a class model (SPEC 4.2)."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from fdcodec.coding.constants import (
    ANGLE_LEVELS,
    MATRIX_BITS,
    MAX_LOG2,
    MAX_STEP_INDEX,
    MIN_LOG2,
    N_GROUPS,
    ROTATION_BITS,
    STEPS_PER_OCTAVE,
    ZONE_LOG2,
)


NEXT_STATE = np.array([[0, 2], [2, 0], [1, 3], [3, 1]])  # of the dependent quantizer, by state and parity (SPEC 4.3)


class Tables(NamedTuple):
    """What one class model lays before the block kernels; every array is int32.

    `matrices[k]` and `transposed[k]` are the 2^k-point DCT (DST-7 at 4 points) and its transpose, scaled by 2^11;
    `scans[k]` the scan order as 32 * row + column; `starts[k, group]` to `starts[k, group + 1]` the rotations of that
    size and mode group; `pairs` and `weights` their index pairs and (cosine, sine), scaled by 2^14. `orders[k, group]`
    are the zone's coefficients in the group's scan order, -1 where it has none; `places[k]` the zone's positions in the
    scan.
    """

    matrices: np.ndarray
    transposed: np.ndarray
    scans: np.ndarray
    starts: np.ndarray
    pairs: np.ndarray
    weights: np.ndarray
    orders: np.ndarray
    places: np.ndarray


class Maps(NamedTuple):
    """What the codestream says of one plane: per 4x4 cell the block's log2 size, mode, end and vector, per sample its level."""

    log2_sizes: np.ndarray
    modes: np.ndarray
    ends: np.ndarray
    levels: np.ndarray
    vectors: np.ndarray


def new_maps(height: int, width: int) -> Maps:
    """Return empty maps of a plane of `height` by `width` samples, multiples of 4."""
    cells = (height >> 2, width >> 2)
    return Maps(
        np.zeros(cells, np.int32),
        np.zeros(cells, np.int32),
        np.zeros(cells, np.int32),
        np.zeros((height, width), np.int32),
        np.zeros((*cells, 2), np.int32),
    )


def dct_matrix(size: int) -> np.ndarray:
    """Return the orthonormal DCT-II, one basis vector a row."""
    k, n = np.arange(size)[:, None], np.arange(size)[None, :]
    matrix = np.sqrt(2 / size) * np.cos(np.pi * (2 * n + 1) * k / (2 * size))
    matrix[0] /= np.sqrt(2)
    return matrix


def dst_matrix(size: int) -> np.ndarray:
    """Return the orthonormal DST-VII, one basis vector a row."""
    k, n = np.arange(size)[:, None], np.arange(size)[None, :]
    return 2 / np.sqrt(2 * size + 1) * np.sin(np.pi * (2 * k + 1) * (n + 1) / (2 * size + 1))


def base_matrix(log2_size: int) -> np.ndarray:
    """Return the base transform of a block size: the DST-VII at 4x4, the DCT above."""
    return dst_matrix(4) if log2_size == MIN_LOG2 else dct_matrix(1 << log2_size)


def _scan(log2_size: int) -> list[int]:
    size = 1 << log2_size
    order = sorted((row + column, column, row) for row in range(size) for column in range(size))
    return [32 * row + column for _, column, row in order]


def zone_places(log2_size: int) -> list[int]:
    """Return the positions of a block's low zone in scan order, as 32 * row + column."""
    side = 1 << min(log2_size, ZONE_LOG2)
    return [place for place in _scan(log2_size) if place >> 5 < side and place & 31 < side]


def _fixed(matrix: np.ndarray, bits: int) -> np.ndarray:
    """Round to `bits` fractional bits; no entry lies near enough to a half for a last-bit difference to matter."""
    return np.rint(matrix * (1 << bits)).astype(np.int32)


def rotation_weights(angle_index: np.ndarray) -> np.ndarray:
    """Return (cosine, sine) of each angle index, shape (m, 2), int32 scaled by 2^14."""
    angle = 2 * np.pi * np.asarray(angle_index) / ANGLE_LEVELS
    return np.stack([_fixed(np.cos(angle), ROTATION_BITS), _fixed(np.sin(angle), ROTATION_BITS)], axis=1)


def build_tables(transforms: Mapping[tuple[int, int], tuple[np.ndarray, np.ndarray, np.ndarray]]) -> Tables:
    """Build the tables from a model's transforms: (pairs (m, 2), angle indices (m,), order) by log2 size and group."""
    matrices = np.zeros((MAX_LOG2 + 1, 32, 32), np.int32)
    scans = np.zeros((MAX_LOG2 + 1, 1024), np.int32)
    starts = np.zeros((MAX_LOG2 + 1, N_GROUPS + 1), np.int32)
    pairs, angles = [np.zeros((0, 2), np.int32)], [np.zeros(0, np.int32)]
    orders, places = np.full((MAX_LOG2 + 1, N_GROUPS, 64), -1, np.int32), np.zeros((MAX_LOG2 + 1, 64), np.int32)
    count = 0
    for log2_size in range(MIN_LOG2, MAX_LOG2 + 1):
        size = 1 << log2_size
        matrices[log2_size, :size, :size] = _fixed(base_matrix(log2_size), MATRIX_BITS)
        scans[log2_size, : size * size] = _scan(log2_size)
        zone = zone_places(log2_size)
        places[log2_size, : len(zone)] = zone
        for group in range(N_GROUPS):
            starts[log2_size, group] = count
            if (log2_size, group) in transforms:
                group_pairs, group_angles, order = transforms[log2_size, group]
                orders[log2_size, group, : len(order)] = order
                pairs.append(np.asarray(group_pairs, np.int32).reshape(-1, 2))
                angles.append(np.asarray(group_angles, np.int32))
                count += len(group_angles)
        starts[log2_size, N_GROUPS] = count
    transposed = np.ascontiguousarray(matrices.transpose(0, 2, 1))
    weights = rotation_weights(np.concatenate(angles))
    return Tables(matrices, transposed, scans, starts, np.concatenate(pairs), weights, orders, places)


HALF_STEPS = np.rint(2.0 ** (4 + np.arange(MAX_STEP_INDEX + 1) / STEPS_PER_OCTAVE)).astype(np.int64)
"""Half a quantization step by step index, in 1/64 of a coefficient unit (SPEC 4.3)."""
