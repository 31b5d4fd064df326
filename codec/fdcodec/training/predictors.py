"""Fitting one learned mode: predictor, pair of bases, rotations; everything in units of the quantization step."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fdcodec.format.constants import BORDER_LOG2, PREDICTOR_BITS, WEIGHT_BITS
from fdcodec.kernels.reconstruction.learned_tables import BASES, LearnedMode, sample_weights
from fdcodec.kernels.reconstruction.matrices import dct_matrix
from fdcodec.model.body import GroupTransform
from fdcodec.rates import log_rates
from fdcodec.training.learned_samples import Floats
from fdcodec.training.transforms import LAYOUTS, RATE_STEP, learn_group, rotate_zones

RIDGE = 1e-3  # of the mean diagonal; 1e-2 costs 0.1 to 1 % of the log-rate, except on texture
START_STEPS = 2
ROTATION_ITERATIONS = 60
ROTATION_BLOCKS = 6000
MIN_BLOCKS = {16: 400, 64: 800}  # with fewer, by zone size, a mode has no rotations
_TINY = np.float32(1e-6)


@dataclass(frozen=True)
class Mode:
    """A learned mode in training: `weights` (inputs, samples), `matrix` its transform, `bases` as 4 * row + column."""

    log2_size: int
    weights: Floats
    matrix: Floats
    bases: int = 0
    transform: GroupTransform | None = None


def coefficients(mode: Mode, inputs: Floats, targets: Floats) -> Floats:
    """Return the transformed residuals of blocks."""
    residuals: Floats = (targets - inputs @ mode.weights) @ mode.matrix.T
    return residuals


def bits_of(blocks: Floats) -> Floats:
    """Return about the bits of the coefficients of each block, a row: half their log-rate."""
    bits: Floats = log_rates(blocks, RATE_STEP).sum(axis=1) / 2
    return bits


def fit_predictor(mode: Mode, inputs: Floats, targets: Floats) -> Mode:
    """Lower the log-rate: each coefficient's least squares weighed by the slope of its logarithm at the present fit.

    Weighing majorizes the log-rate, so a step without ridge never raises it. Of 16x16 blocks only the low coefficients
    are predicted, as the format has it.
    """
    wanted = targets @ mode.matrix.T
    slopes = np.asarray(1 / (np.square(coefficients(mode, inputs, targets)) + RATE_STEP**2), np.float32)
    fitted = np.empty((inputs.shape[1], wanted.shape[1]), np.float32)
    for k in range(wanted.shape[1]):
        fitted[:, k] = _ridge(inputs, wanted[:, k], slopes[:, k : k + 1])
    weights: Floats = fitted @ mode.matrix
    return replace(mode, weights=_low_zone(weights, mode.log2_size))


def _ridge(inputs: Floats, targets: Floats, slopes: Floats) -> Floats:
    """Return the least squares predictor of targets, each block weighed by its slope."""
    weighed = inputs * slopes
    gram = weighed.T @ inputs
    gram += (RIDGE * np.trace(gram) / len(gram) + _TINY) * np.eye(len(gram), dtype=np.float32)
    predictor: Floats = np.linalg.solve(gram, weighed.T @ targets)
    return predictor


def start_mode(log2_size: int, inputs: Floats, targets: Floats) -> Mode:
    """Return a mode fitted to blocks from nothing, with its best bases.

    All coefficients of a block weigh the same here: weighed one by one, those that the mean of the border predicts
    well already would hold the fit there.
    """
    weights = np.zeros((inputs.shape[1], targets.shape[1]), np.float32)
    for _ in range(START_STEPS):
        errors = np.square(targets - inputs @ weights).mean(axis=1, keepdims=True)
        weights = _ridge(inputs, targets, np.asarray(1 / (errors + RATE_STEP**2), np.float32))
    mode = Mode(log2_size, _low_zone(weights, log2_size), matrix_of(log2_size, 0))
    return choose_bases(mode, inputs, targets)


def matrix_of(log2_size: int, bases: int, transform: GroupTransform | None = None) -> Floats:
    """Return the transform of a block as one matrix on its samples, row by row."""
    size = 1 << log2_size
    vertical, horizontal = divmod(bases, len(BASES))
    matrix = np.kron(BASES[vertical](size), BASES[horizontal](size))
    if transform is not None:
        zone = _zone(log2_size)
        matrix[zone] = rotate_zones(matrix[zone].T, transform.pairs, transform.angles).T
    return matrix.astype(np.float32)


def choose_bases(mode: Mode, inputs: Floats, targets: Floats) -> Mode:
    """Give a mode, without rotations, the pair of bases of the least log-rate."""
    size = 1 << mode.log2_size
    residuals = (targets - inputs @ mode.weights).reshape(-1, size, size)
    matrices = [base(size).astype(np.float32) for base in BASES]
    rates = [
        bits_of((vertical @ residuals @ horizontal.T).reshape(len(residuals), -1)).mean()
        for vertical in matrices
        for horizontal in matrices
    ]
    bases = int(np.argmin(rates))
    return replace(mode, bases=bases, matrix=matrix_of(mode.log2_size, bases), transform=None)


def learn_mode_rotations(mode: Mode, inputs: Floats, targets: Floats) -> Mode:
    """Give a mode rotations and a scan order, learned on its blocks, unless they are too few.

    Rotations of 16x16 modes save 0.4 % of fingerprint files, for 5 kB of class model.
    """
    zone = _zone(mode.log2_size)
    plain = replace(mode, matrix=matrix_of(mode.log2_size, mode.bases), transform=None)
    zones = coefficients(plain, inputs[:ROTATION_BLOCKS], targets[:ROTATION_BLOCKS])[:, zone]
    zones = zones[np.abs(zones).max(axis=1, initial=0) > 0.5]
    if len(zones) < MIN_BLOCKS[len(zone)]:
        return plain
    transform = learn_group(zones, ROTATION_ITERATIONS, LAYOUTS[len(zone)][1])
    return replace(plain, transform=transform, matrix=matrix_of(mode.log2_size, mode.bases, transform))


def mode_of(learned: LearnedMode, transform: GroupTransform | None) -> Mode:
    """Return a model's learned mode as training sees it."""
    bases = len(BASES) * learned.vertical + learned.horizontal
    matrix = matrix_of(learned.log2_size, bases, transform)
    return Mode(learned.log2_size, _exact_weights(learned), matrix, bases, transform)


def _exact_weights(learned: LearnedMode) -> Floats:
    return (sample_weights(learned) / (1 << WEIGHT_BITS)).astype(np.float32)


def finished(mode: Mode) -> tuple[LearnedMode, Mode]:
    """Return a mode as the format holds it, and as it then predicts."""
    size = 1 << mode.log2_size
    side = min(size, 1 << BORDER_LOG2)
    basis = dct_matrix(size)[:side]
    zones = basis @ mode.weights.reshape(-1, size, size).astype(np.float64) @ basis.T
    weights = np.rint(zones * 2.0**PREDICTOR_BITS).clip(-(1 << 15), (1 << 15) - 1).astype(np.int16)
    learned = LearnedMode(mode.log2_size, *divmod(mode.bases, len(BASES)), weights.reshape(len(weights), -1))
    return learned, replace(mode, weights=_exact_weights(learned))


def _zone(log2_size: int) -> NDArray[np.int64]:
    """Return the indices of a block's low zone, row by row."""
    size = 1 << log2_size
    side = min(size, 1 << BORDER_LOG2)
    return (np.arange(side)[:, None] * size + np.arange(side)).ravel()


def _low_zone(weights: Floats, log2_size: int) -> Floats:
    """Return weights without what lies outside the low DCT coefficients of the prediction."""
    size = 1 << log2_size
    basis = dct_matrix(size)[: 1 << BORDER_LOG2].astype(np.float32)
    low = basis.T @ basis
    projected: Floats = low @ weights.reshape(-1, size, size) @ low
    return projected.reshape(weights.shape)
