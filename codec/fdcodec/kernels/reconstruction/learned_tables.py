"""The tables of learned modes: bases, and predictors in samples from predictors in coefficients (SPEC 4.4)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fdcodec.format.constants import (
    BORDER_LOG2,
    MATRIX_BITS,
    MAX_LEARNED,
    MAX_LEARNED_LOG2,
    MAX_LOG2,
    MAX_WEIGHT,
    MIN_LOG2,
    PREDICTOR_BITS,
    WEIGHT_BITS,
)
from fdcodec.format.contexts import N_LEARNED_SIZES
from fdcodec.kernels.reconstruction.matrices import dct_matrix, dst_matrix, fixed, haar_matrix, identity_matrix

BASES = (dct_matrix, dst_matrix, identity_matrix, haar_matrix)


class LearnedMode(NamedTuple):
    """A learned mode of square luma blocks.

    `vertical` and `horizontal` are the bases, 0..3: DCT, DST-VII, identity, Haar. `weights` (2M+1, M^2) int16, with
    PREDICTOR_BITS fractional bits and M the smaller of 8 and the block's side, give for each input of the border the
    low DCT coefficients of what it adds to the prediction, row by row.
    """

    log2_size: int
    vertical: int
    horizontal: int
    weights: NDArray[np.int16]


def n_inputs(log2_size: int) -> int:
    """Return the number of border values that a predictor reads."""
    return (2 << min(log2_size, BORDER_LOG2)) + 1


def n_outputs(log2_size: int) -> int:
    """Return the number of coefficients that a predictor gives for each input."""
    return 1 << (2 * min(log2_size, BORDER_LOG2))


def learned_matrices() -> np.ndarray:
    """Return the matrices of the four bases at 4, 8 and 16 points, as rows of `Tables.matrices` from MAX_LOG2 + 1."""
    matrices = np.zeros((len(BASES) * N_LEARNED_SIZES, 32, 32), np.int32)
    for base, matrix in enumerate(BASES):
        for index in range(N_LEARNED_SIZES):
            size = 1 << (MIN_LOG2 + index)
            matrices[base * N_LEARNED_SIZES + index, :size, :size] = fixed(matrix(size), MATRIX_BITS)
    return matrices


def sample_weights(mode: LearnedMode) -> NDArray[np.int32]:
    """Return a mode's weights in samples, shape (inputs, samples), with WEIGHT_BITS fractional bits."""
    size, side = 1 << mode.log2_size, 1 << min(mode.log2_size, BORDER_LOG2)
    basis = fixed(dct_matrix(size), MATRIX_BITS)[:side].astype(np.int64)
    coefficients = mode.weights.astype(np.int64).reshape(-1, side, side)
    shift = 2 * MATRIX_BITS + PREDICTOR_BITS - WEIGHT_BITS
    samples = (basis.T @ coefficients @ basis + (1 << (shift - 1))) >> shift
    weights: NDArray[np.int32] = np.clip(samples, -MAX_WEIGHT, MAX_WEIGHT).astype(np.int32)
    return weights.reshape(-1, size * size)


def learned_tables(modes: Sequence[LearnedMode]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the modes by log2 size (int64), the predictors by size and mode, and the rows of their bases' matrices."""
    counts = np.zeros(MAX_LOG2 + 1, np.int64)
    shape = (N_LEARNED_SIZES, MAX_LEARNED, n_inputs(MAX_LEARNED_LOG2), 1 << (2 * MAX_LEARNED_LOG2))
    predictors = np.zeros(shape, np.int32)
    rows = np.zeros((N_LEARNED_SIZES, MAX_LEARNED, 2), np.int32)
    for mode in modes:
        size, index = mode.log2_size - MIN_LOG2, counts[mode.log2_size]
        weights = sample_weights(mode)
        predictors[size, index, : weights.shape[0], : weights.shape[1]] = weights
        rows[size, index] = [MAX_LOG2 + 1 + base * N_LEARNED_SIZES + size for base in (mode.vertical, mode.horizontal)]
        counts[mode.log2_size] += 1
    return counts, predictors, rows
