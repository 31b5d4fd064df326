"""What a factor is worth: the best G-transform of a 2x2 part of Z, and the table of all scores C_ij.

Z is float64 (n, n), a `block` (2, 2).
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"

import math
from typing import NamedTuple

import numpy as np

from fdcodec.kernels.jit import kernel


class Scores(NamedTuple):
    """Table of C_ij: `score` (n, n) symmetric, and for each row i its best value and column among j > i."""

    score: np.ndarray
    value: np.ndarray
    column: np.ndarray


@kernel()
def nuclear_gain(a, b, c, d):
    """Return C_ij = ||Z||_* - tr Z of ``[[a, b], [c, d]]`` (eqs. detailedobjective, singularvalues).

    (sigma_1 + sigma_2)^2 = ||Z||_F^2 + 2 |det Z|, written as a sum of two squares so that nothing cancels.
    """
    if a * d - b * c >= 0.0:
        return math.sqrt((a + d) * (a + d) + (b - c) * (b - c)) - (a + d)
    return math.sqrt((a - d) * (a - d) + (b + c) * (b + c)) - (a + d)


@kernel()
def nearest_direction(x, y, levels):
    """Return the unit vector along (x, y), on a grid of so many angles the nearest to it; levels 0 is no grid."""
    norm = math.sqrt(x * x + y * y)
    if not norm > 0.0:
        return 1.0, 0.0
    if levels == 0:
        return x / norm, y / norm
    angle = 2.0 * math.pi * np.rint(math.atan2(y / norm, x / norm) * levels / (2.0 * math.pi)) / levels
    return math.cos(angle), math.sin(angle)


@kernel()
def procrustes(a, b, c, d, levels, block):
    """Write into `block` the G-transform that maximizes tr(G^T Z) for Z = ``[[a, b], [c, d]]`` (eq. GivensLearning2).

    tr(G^T Z) is a cosine of the angle's distance from the best one, so on a grid the nearest angle is the best of
    rotations, and of reflectors; a coarse grid may suit either.
    """
    cosine, sine = nearest_direction(a + d, b - c, levels)
    mirrored_cosine, mirrored_sine = nearest_direction(a - d, b + c, levels)
    reflects = a * d - b * c < 0.0
    if levels > 0:
        reflects = mirrored_cosine * (a - d) + mirrored_sine * (b + c) > cosine * (a + d) + sine * (b - c)
    if reflects:
        cosine, sine = mirrored_cosine, mirrored_sine
    sign = -1.0 if reflects else 1.0
    block[0, 0] = cosine
    block[0, 1] = sine
    block[1, 0] = -sign * sine
    block[1, 1] = sign * cosine


@kernel()
def multiply_left(Z, i, j, p, r, q, t):
    """Replace rows i, j of Z by those of ``[[p, r], [q, t]] Z``."""
    for h in range(Z.shape[1]):
        a, b = Z[i, h], Z[j, h]
        Z[i, h] = p * a + r * b
        Z[j, h] = q * a + t * b


@kernel()
def multiply_right_transposed(Z, i, j, p, r, q, t):
    """Replace columns i, j of Z by those of ``Z [[p, r], [q, t]]^T``."""
    for h in range(Z.shape[0]):
        a, b = Z[h, i], Z[h, j]
        Z[h, i] = p * a + r * b
        Z[h, j] = q * a + t * b


@kernel()
def best_of_row(scores, i):
    """Find again the best score of row i among the columns j > i; the lowest column wins a tie."""
    value, column = -np.inf, -1
    for j in range(i + 1, scores.score.shape[0]):
        if scores.score[i, j] > value:
            value, column = scores.score[i, j], j
    scores.value[i] = value
    scores.column[i] = column


@kernel()
def fill_scores(Z, scores):
    """Compute every C_ij of Z."""
    n = Z.shape[0]
    for i in range(n):
        for j in range(i + 1, n):
            score = nuclear_gain(Z[i, i], Z[i, j], Z[j, i], Z[j, j])
            scores.score[i, j] = score
            scores.score[j, i] = score
        best_of_row(scores, i)


@kernel()
def offer(scores, i, j):
    """Bring row i's best up to date after ``score[i, j]`` changed, i < j."""
    score = scores.score[i, j]
    if scores.column[i] == j:
        if score >= scores.value[i]:
            scores.value[i] = score
        else:
            best_of_row(scores, i)
    elif score > scores.value[i] or (score == scores.value[i] and j < scores.column[i]):
        scores.value[i] = score
        scores.column[i] = j


@kernel()
def refresh_scores(Z, scores, index):
    """Recompute the scores of all pairs that contain `index`, whose row or column of Z changed."""
    n = Z.shape[0]
    for other in range(n):
        if other != index:
            score = nuclear_gain(Z[index, index], Z[index, other], Z[other, index], Z[other, other])
            scores.score[index, other] = score
            scores.score[other, index] = score
            if other < index:
                offer(scores, other, index)
    best_of_row(scores, index)


@kernel()
def retire(scores, index):
    """Exclude the pairs that contain `index` until it is refreshed."""
    for other in range(scores.score.shape[0]):
        scores.score[index, other] = -np.inf
        scores.score[other, index] = -np.inf
        if other < index:
            offer(scores, other, index)
    best_of_row(scores, index)


@kernel(allocates=True)
def new_scores(n):
    """Return an empty table of scores."""
    return Scores(np.full((n, n), -np.inf), np.full(n, -np.inf), np.full(n, -1, np.int64))
