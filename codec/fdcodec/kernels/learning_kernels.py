"""The inner loops of learning orthogonal products: statistics of one pass over the data, and sweeps over the factors.

READ ME FIRST

* Everything a sweep needs from the data is Z = Y X^T (n x n), X being the sparse (or shrunk) coefficients. One pass
  over the data analyses, selects and accumulates Z slab by slab, so that X is never stored.
* A pass sees one chunk of the samples; the caller adds the chunks in a fixed order. No sum depends on the threads.
* The accumulators hold Z^T: row k is the sum of x_k * y, contiguous in y.
* While a sweep stands at a layer, Z is the Z_k of eq. solvemultipleGivens: the factors before the layer have been
  applied to X, the transposed factors after it to Y, and the layer itself to neither.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"

import math
from typing import NamedTuple

import numpy as np

from fdcodec.kernels.factor_kernels import LANES, apply_to_slab, load_slab
from fdcodec.kernels.jit import kernel

LOG_GROUP = 8


class Scores(NamedTuple):
    """Table of C_ij: `score` (n, n) symmetric, and for each row i its best value and column among j > i."""

    score: np.ndarray
    value: np.ndarray
    column: np.ndarray


class Rule(NamedTuple):
    """How a sweep updates a factor."""

    repick: bool
    reflectors: bool
    levels: int


# ---- one pass over the data ------------------------------------------------------------------------------------------


@kernel()
def select_largest(slab, sparsity, largest):
    """Put the `sparsity` largest magnitudes of every lane into `largest`, in decreasing order, lane by lane at once."""
    largest[:] = -1.0
    for index in range(slab.shape[0]):
        for lane in range(LANES):
            value = abs(slab[index, lane])
            for rank in range(sparsity):
                kept = largest[rank, lane]
                largest[rank, lane] = kept if kept >= value else value
                value = value if kept >= value else kept


@kernel()
def keep_lane(slab, largest, sparsity, lane, support):
    """Fill `support` with the indices of the `sparsity` largest magnitudes of a lane; the lower index wins a tie."""
    threshold = largest[sparsity - 1, lane]
    ties = 0
    for rank in range(sparsity):
        if largest[rank, lane] == threshold:
            ties += 1
    count = 0
    for index in range(slab.shape[0]):
        value = abs(slab[index, lane])
        if value > threshold or (value == threshold and ties > 0):
            if value == threshold:
                ties -= 1
            support[count] = index
            count += 1


@kernel()
def accumulate_sparse(samples, start, pairs, blocks, sparsity, sums):
    """Add x y^T over a chunk to `sums` for x = T_s(analysis of a row of `start`), y the row of `samples`.

    Returns the sum of the squares of x, which is the energy that the representation keeps.
    """
    n_samples, n = samples.shape
    slab = np.empty((n, LANES))
    largest = np.empty((sparsity, LANES))
    support = np.empty(n, np.int64)
    energy = 0.0
    for first in range(0, n_samples, LANES):
        count = min(LANES, n_samples - first)
        load_slab(start, first, count, slab)
        apply_to_slab(pairs, blocks, slab)
        select_largest(slab, sparsity, largest)
        for lane in range(count):
            keep_lane(slab, largest, sparsity, lane, support)
            sample = samples[first + lane]
            for rank in range(sparsity):
                value = slab[support[rank], lane]
                energy += value * value
                row = sums[support[rank]]
                for index in range(n):
                    row[index] += value * sample[index]
    return energy


@kernel()
def keep_largest(coefficients, sparsity):
    """Zero in place all but the `sparsity` largest magnitudes of each row: the operator T_s."""
    n_samples, n = coefficients.shape
    slab = np.empty((n, LANES))
    largest = np.empty((sparsity, LANES))
    support = np.empty(n, np.int64)
    for first in range(0, n_samples, LANES):
        count = min(LANES, n_samples - first)
        load_slab(coefficients, first, count, slab)
        select_largest(slab, sparsity, largest)
        for lane in range(count):
            keep_lane(slab, largest, sparsity, lane, support)
            row = coefficients[first + lane]
            row[:] = 0.0
            for rank in range(sparsity):
                row[support[rank]] = slab[support[rank], lane]


@kernel()
def log_rate(slab, count, step):
    """Return the sum over the first `count` lanes of log2(1 + c^2 / step^2), one logarithm for LOG_GROUP factors."""
    inverse = 1.0 / (step * step)
    product = np.ones(LANES)
    total = 0.0
    for index in range(slab.shape[0]):
        for lane in range(LANES):
            product[lane] *= 1.0 + slab[index, lane] * slab[index, lane] * inverse
        if (index + 1) % LOG_GROUP == 0 or index + 1 == slab.shape[0]:
            for lane in range(count):
                total += math.log2(product[lane])
            product[:] = 1.0
    return total


@kernel()
def add_outer(left, right, count, sums):
    """Add the outer products of `count` rows of `left` and `right` to `sums`, four rows at a time."""
    for first in range(0, count, 4):
        for i in range(left.shape[1]):
            row = sums[i]
            a, b, c, d = left[first, i], left[first + 1, i], left[first + 2, i], left[first + 3, i]
            for j in range(right.shape[1]):
                low = a * right[first, j] + b * right[first + 1, j]
                row[j] += low + (c * right[first + 2, j] + d * right[first + 3, j])


@kernel()
def accumulate_rate(samples, start, pairs, blocks, step, sums):
    """Add x y^T over a chunk to `sums` for x = c^3 / (step^2 + c^2), c the analysis of a row of `start`.

    -2 tr(Z) of these x, with the sum of c^2 x weights fixed, majorizes the log-rate at the current factors, so any
    sweep that raises tr(G^T Z) lowers the log-rate. Returns the sum of log2(1 + c^2 / step^2).
    """
    n_samples, n = samples.shape
    slab = np.empty((n, LANES))
    shrunk = np.zeros((LANES, n))
    padded = np.zeros((LANES, n))
    total = 0.0
    for first in range(0, n_samples, LANES):
        count = min(LANES, n_samples - first)
        load_slab(start, first, count, slab)
        apply_to_slab(pairs, blocks, slab)
        total += log_rate(slab, count, step)
        for index in range(n):
            for lane in range(LANES):
                square = slab[index, lane] * slab[index, lane]
                slab[index, lane] *= square / (step * step + square)
        for lane in range(LANES):
            for index in range(n):
                shrunk[lane, index] = slab[index, lane]
                padded[lane, index] = samples[first + lane, index] if lane < count else 0.0
        add_outer(shrunk, padded, LANES, sums)
    return total


@kernel()
def accumulate_gram(samples, sums):
    """Add y y^T over a chunk to `sums`."""
    n_samples, n = samples.shape
    padded = np.zeros((LANES, n))
    for first in range(0, n_samples, LANES):
        count = min(LANES, n_samples - first)
        padded[:] = 0.0
        padded[:count] = samples[first : first + count]
        add_outer(padded, padded, LANES, sums)


# ---- the best G-transform of a 2x2 Z -------------------------------------------------------------------------------


@kernel()
def nuclear_gain(a, b, c, d):
    """Return C_ij = ||Z||_* - tr Z of ``[[a, b], [c, d]]`` (eqs. detailedobjective, singularvalues).

    (sigma_1 + sigma_2)^2 = ||Z||_F^2 + 2 |det Z|, written as a sum of two squares so that nothing cancels.
    """
    if a * d - b * c >= 0.0:
        return math.sqrt((a + d) * (a + d) + (b - c) * (b - c)) - (a + d)
    return math.sqrt((a - d) * (a - d) + (b + c) * (b + c)) - (a + d)


@kernel()
def procrustes(a, b, c, d, rule, block):
    """Write into `block` the G-transform that maximizes tr(G^T Z) for Z = ``[[a, b], [c, d]]`` (eq. GivensLearning2).

    tr(G^T Z) is a cosine of the angle's distance from the best one, so on a grid the nearest angle is the best.
    """
    reflect = rule.reflectors and a * d - b * c < 0.0
    cosine, sine = (a - d, b + c) if reflect else (a + d, b - c)
    norm = math.sqrt(cosine * cosine + sine * sine)
    if norm > 0.0:
        cosine, sine = cosine / norm, sine / norm
    else:
        cosine, sine = 1.0, 0.0
    if rule.levels > 0:
        angle = 2.0 * math.pi * np.rint(math.atan2(sine, cosine) * rule.levels / (2.0 * math.pi)) / rule.levels
        cosine, sine = math.cos(angle), math.sin(angle)
    sign = -1.0 if reflect else 1.0
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


# ---- the table of scores -------------------------------------------------------------------------------------------


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


@kernel()
def new_scores(n):
    """Return an empty table of scores."""
    return Scores(np.full((n, n), -np.inf), np.full(n, -np.inf), np.full(n, -1, np.int64))


# ---- construction and sweeps ---------------------------------------------------------------------------------------


@kernel()
def pick(Z, scores, rule, pair, block):
    """Set `pair` to the arguments of the largest C_ij and `block` to its Procrustes solution (eq. score)."""
    i = np.argmax(scores.value)
    j = scores.column[i]
    pair[0], pair[1] = i, j
    procrustes(Z[i, i], Z[i, j], Z[j, i], Z[j, j], rule, block)


@kernel()
def enter_right(Z, pair, block):
    """Move a factor to the side of X: Z <- Z G^T."""
    multiply_right_transposed(Z, pair[0], pair[1], block[0, 0], block[0, 1], block[1, 0], block[1, 1])


@kernel()
def leave_left(Z, pair, block):
    """Take a factor off the side of Y: Z <- G Z."""
    multiply_left(Z, pair[0], pair[1], block[0, 0], block[0, 1], block[1, 0], block[1, 1])


@kernel()
def enter_left(Z, pair, block):
    """Move a factor to the side of Y: Z <- G^T Z."""
    multiply_left(Z, pair[0], pair[1], block[0, 0], block[1, 0], block[0, 1], block[1, 1])


@kernel()
def leave_right(Z, pair, block):
    """Take a factor off the side of X: Z <- Z G."""
    multiply_right_transposed(Z, pair[0], pair[1], block[0, 0], block[1, 0], block[0, 1], block[1, 1])


@kernel()
def construct(Z, pairs, blocks, offsets, threshold, gains):
    """Build the factors one layer after another on Y = Z's left side (Algorithm 1, initialization, step 3).

    `offsets` bounds the layers; factors of one layer take disjoint pairs. Stops before a layer whose best C_ij is not
    above `threshold`. Writes C_ij of each factor into `gains`; returns the number of factors built. Z becomes J_m.
    """
    rule = Rule(True, True, 0)
    scores = new_scores(Z.shape[0])
    fill_scores(Z, scores)
    for layer in range(offsets.shape[0] - 1):
        if np.max(scores.value) <= threshold:
            return offsets[layer]
        for k in range(offsets[layer], offsets[layer + 1]):
            gains[k] = np.max(scores.value)
            pick(Z, scores, rule, pairs[k], blocks[k])
            if offsets[layer + 1] - offsets[layer] > 1:
                retire(scores, pairs[k, 0])
                retire(scores, pairs[k, 1])
        for k in range(offsets[layer], offsets[layer + 1]):
            enter_right(Z, pairs[k], blocks[k])
        for k in range(offsets[layer], offsets[layer + 1]):
            refresh_scores(Z, scores, pairs[k, 0])
            refresh_scores(Z, scores, pairs[k, 1])
    return pairs.shape[0]


@kernel()
def refresh_layer(Z, scores, pairs, first, last):
    """Refresh the scores of every index that the factors `first` to `last` - 1 touch."""
    for k in range(first, last):
        refresh_scores(Z, scores, pairs[k, 0])
        refresh_scores(Z, scores, pairs[k, 1])


@kernel()
def update_layer(Z, pairs, blocks, first, last, scores, rule):
    """Solve the layer anew at its Z_k; with `rule.repick` on the best disjoint pairs, else on the pairs it has."""
    for k in range(first, last):
        if rule.repick:
            pick(Z, scores, rule, pairs[k], blocks[k])
            if last - first > 1:
                retire(scores, pairs[k, 0])
                retire(scores, pairs[k, 1])
        else:
            i, j = pairs[k]
            procrustes(Z[i, i], Z[i, j], Z[j, i], Z[j, j], rule, blocks[k])


@kernel()
def sweep(Z, pairs, blocks, offsets, order, rule):
    """Update every layer once, in the order given (Algorithm 1, iterations, step 1); Z = Y X^T is overwritten.

    Walking from a layer to the next moves the first to the side of X and takes the second off the side of Y; walking
    back does the reverse. The table of scores follows the rows and columns that changed.
    """
    scores = new_scores(Z.shape[0])
    for k in range(pairs.shape[0] - 1, offsets[1] - 1, -1):
        enter_left(Z, pairs[k], blocks[k])
    if rule.repick:
        fill_scores(Z, scores)
    here = 0
    for layer in order:
        while here != layer:
            here = walk(Z, pairs, blocks, offsets, here, layer, scores, rule.repick)
        update_layer(Z, pairs, blocks, offsets[here], offsets[here + 1], scores, rule)


@kernel()
def walk(Z, pairs, blocks, offsets, here, target, scores, keep_scores):
    """Stand at the layer next to `here` in the direction of `target`; return it."""
    after = here + 1 if target > here else here - 1
    for k in range(offsets[here], offsets[here + 1]):
        if target > here:
            enter_right(Z, pairs[k], blocks[k])
        else:
            enter_left(Z, pairs[k], blocks[k])
    for k in range(offsets[after], offsets[after + 1]):
        if target > here:
            leave_left(Z, pairs[k], blocks[k])
        else:
            leave_right(Z, pairs[k], blocks[k])
    if keep_scores:
        refresh_layer(Z, scores, pairs, offsets[here], offsets[here + 1])
        refresh_layer(Z, scores, pairs, offsets[after], offsets[after + 1])
    return after
