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


@kernel(allocates=True)
def select_largest(slab, sparsity, largest):
    """Put the `sparsity` largest magnitudes of every lane into `largest`, in decreasing order.

    An insertion sort of all lanes at once: the compiler makes vectors of the inner loops, which one sort a lane is not
    (12 times slower).
    """
    value = np.empty(LANES)
    largest[:] = -1.0
    for index in range(slab.shape[0]):
        for lane in range(LANES):
            value[lane] = abs(slab[index, lane])
        for rank in range(sparsity):
            kept = largest[rank]
            for lane in range(LANES):
                a, b = kept[lane], value[lane]
                kept[lane] = a if a > b else b
                value[lane] = b if a > b else a


@kernel(allocates=True)
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


@kernel(allocates=True)
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


@kernel(allocates=True)
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


@kernel(allocates=True)
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


@kernel(allocates=True)
def add_outer(left, right, count, sums):
    """Add the outer products of `count` rows of `left` and `right` to `sums`, four rows at a time."""
    for first in range(0, count, 4):
        for i in range(left.shape[1]):
            row = sums[i]
            a, b, c, d = left[first, i], left[first + 1, i], left[first + 2, i], left[first + 3, i]
            for j in range(right.shape[1]):
                low = a * right[first, j] + b * right[first + 1, j]
                row[j] += low + (c * right[first + 2, j] + d * right[first + 3, j])


@kernel(allocates=True)
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


@kernel(allocates=True)
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


@kernel(allocates=True)
def nuclear_gain(a, b, c, d):
    """Return C_ij = ||Z||_* - tr Z of ``[[a, b], [c, d]]`` (eqs. detailedobjective, singularvalues).

    (sigma_1 + sigma_2)^2 = ||Z||_F^2 + 2 |det Z|, written as a sum of two squares so that nothing cancels.
    """
    if a * d - b * c >= 0.0:
        return math.sqrt((a + d) * (a + d) + (b - c) * (b - c)) - (a + d)
    return math.sqrt((a - d) * (a - d) + (b + c) * (b + c)) - (a + d)


@kernel(allocates=True)
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


@kernel(allocates=True)
def multiply_left(Z, i, j, p, r, q, t):
    """Replace rows i, j of Z by those of ``[[p, r], [q, t]] Z``."""
    for h in range(Z.shape[1]):
        a, b = Z[i, h], Z[j, h]
        Z[i, h] = p * a + r * b
        Z[j, h] = q * a + t * b


@kernel(allocates=True)
def multiply_right_transposed(Z, i, j, p, r, q, t):
    """Replace columns i, j of Z by those of ``Z [[p, r], [q, t]]^T``."""
    for h in range(Z.shape[0]):
        a, b = Z[h, i], Z[h, j]
        Z[h, i] = p * a + r * b
        Z[h, j] = q * a + t * b


# ---- the table of scores -------------------------------------------------------------------------------------------


@kernel(allocates=True)
def best_of_row(scores, i):
    """Find again the best score of row i among the columns j > i; the lowest column wins a tie."""
    value, column = -np.inf, -1
    for j in range(i + 1, scores.score.shape[0]):
        if scores.score[i, j] > value:
            value, column = scores.score[i, j], j
    scores.value[i] = value
    scores.column[i] = column


@kernel(allocates=True)
def fill_scores(Z, scores):
    """Compute every C_ij of Z."""
    n = Z.shape[0]
    for i in range(n):
        for j in range(i + 1, n):
            score = nuclear_gain(Z[i, i], Z[i, j], Z[j, i], Z[j, j])
            scores.score[i, j] = score
            scores.score[j, i] = score
        best_of_row(scores, i)


@kernel(allocates=True)
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


@kernel(allocates=True)
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


@kernel(allocates=True)
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


# ---- construction and sweeps ---------------------------------------------------------------------------------------


@kernel(allocates=True)
def pick(Z, scores, rule, pair, block):
    """Set `pair` to the arguments of the largest C_ij and `block` to its Procrustes solution (eq. score)."""
    i = np.argmax(scores.value)
    j = scores.column[i]
    pair[0], pair[1] = i, j
    procrustes(Z[i, i], Z[i, j], Z[j, i], Z[j, j], rule, block)


@kernel(allocates=True)
def enter_right(Z, pair, block):
    """Move a factor to the side of X: Z <- Z G^T."""
    multiply_right_transposed(Z, pair[0], pair[1], block[0, 0], block[0, 1], block[1, 0], block[1, 1])


@kernel(allocates=True)
def leave_left(Z, pair, block):
    """Take a factor off the side of Y: Z <- G Z."""
    multiply_left(Z, pair[0], pair[1], block[0, 0], block[0, 1], block[1, 0], block[1, 1])


@kernel(allocates=True)
def enter_left(Z, pair, block):
    """Move a factor to the side of Y: Z <- G^T Z."""
    multiply_left(Z, pair[0], pair[1], block[0, 0], block[1, 0], block[0, 1], block[1, 1])


@kernel(allocates=True)
def leave_right(Z, pair, block):
    """Take a factor off the side of X: Z <- Z G."""
    multiply_right_transposed(Z, pair[0], pair[1], block[0, 0], block[1, 0], block[0, 1], block[1, 1])


@kernel(allocates=True)
def refresh_layer(Z, scores, pairs):
    """Refresh the scores of every index in `pairs`."""
    for k in range(pairs.shape[0]):
        refresh_scores(Z, scores, pairs[k, 0])
        refresh_scores(Z, scores, pairs[k, 1])


@kernel(allocates=True)
def pick_disjoint(Z, scores, rule, pairs, blocks):
    """Fill `pairs` and `blocks` with the best pair, then the best disjoint from it, and so on; return the sum of C_ij.

    More than one factor leaves the touched rows of the table retired, to be refreshed when Z moves on.
    """
    gain = 0.0
    for k in range(pairs.shape[0]):
        gain += np.max(scores.value)
        pick(Z, scores, rule, pairs[k], blocks[k])
        if pairs.shape[0] > 1:
            retire(scores, pairs[k, 0])
            retire(scores, pairs[k, 1])
    return gain


@kernel(allocates=True)
def solve_on_pairs(Z, rule, pairs, blocks):
    """Solve for the blocks of disjoint pairs at Z; return the sum of their C_ij."""
    gain = 0.0
    for k in range(pairs.shape[0]):
        i, j = pairs[k]
        gain += nuclear_gain(Z[i, i], Z[i, j], Z[j, i], Z[j, j])
        procrustes(Z[i, i], Z[i, j], Z[j, i], Z[j, j], rule, blocks[k])
    return gain


@kernel(allocates=True)
def update_layer(Z, pairs, blocks, scores, rule):
    """Solve a layer anew at its Z_k: on the pairs it has, or with `rule.repick` on new ones where they gain more."""
    gain = solve_on_pairs(Z, rule, pairs, blocks)
    if rule.repick:
        new_pairs, new_blocks = np.empty_like(pairs), np.empty_like(blocks)
        if pick_disjoint(Z, scores, rule, new_pairs, new_blocks) >= gain:
            pairs[:] = new_pairs
            blocks[:] = new_blocks
        else:
            refresh_layer(Z, scores, new_pairs)


@kernel(allocates=True)
def construct(Z, pairs, blocks, offsets, threshold, gains):
    """Build the factors one layer after another on Y = Z's left side (Algorithm 1, initialization, step 3).

    `offsets` bounds the layers; factors of one layer take disjoint pairs. Stops before a layer whose best C_ij is not
    above `threshold`. Writes the sum of C_ij of each layer into `gains`; returns the number of layers. Z becomes J_m.
    """
    rule = Rule(True, True, 0)
    scores = new_scores(Z.shape[0])
    fill_scores(Z, scores)
    for layer in range(offsets.shape[0] - 1):
        if np.max(scores.value) <= threshold:
            return layer
        first, last = offsets[layer], offsets[layer + 1]
        gains[layer] = pick_disjoint(Z, scores, rule, pairs[first:last], blocks[first:last])
        for k in range(first, last):
            enter_right(Z, pairs[k], blocks[k])
        refresh_layer(Z, scores, pairs[first:last])
    return offsets.shape[0] - 1


@kernel(allocates=True)
def walk(Z, pairs, blocks, offsets, here, step):
    """Go from a layer to the next (`step` 1) or the one before (-1); return the layer where Z now stands."""
    after = here + step
    for k in range(offsets[here], offsets[here + 1]):
        if step > 0:
            enter_right(Z, pairs[k], blocks[k])
        else:
            enter_left(Z, pairs[k], blocks[k])
    for k in range(offsets[after], offsets[after + 1]):
        if step > 0:
            leave_left(Z, pairs[k], blocks[k])
        else:
            leave_right(Z, pairs[k], blocks[k])
    return after


@kernel(allocates=True)
def sweep(Z, pairs, blocks, offsets, order, rule):
    """Update every layer once, in the order given (Algorithm 1, iterations, step 1); Z = Y X^T is overwritten.

    Walking from a layer to the next moves the first to the side of X and takes the second off the side of Y; walking
    back does the reverse. The table of scores follows the rows and columns that changed; a long walk fills it anew.
    """
    scores = new_scores(Z.shape[0])
    for k in range(pairs.shape[0] - 1, offsets[1] - 1, -1):
        enter_left(Z, pairs[k], blocks[k])
    if rule.repick:
        fill_scores(Z, scores)
    here = 0
    for layer in order:
        origin = here
        while here != layer:
            here = walk(Z, pairs, blocks, offsets, here, 1 if layer > here else -1)
        first, last = offsets[here], offsets[here + 1]
        if rule.repick and abs(here - origin) > 1:
            fill_scores(Z, scores)
        elif rule.repick and here != origin:
            refresh_layer(Z, scores, pairs[offsets[origin] : offsets[origin + 1]])
            refresh_layer(Z, scores, pairs[first:last])
        update_layer(Z, pairs[first:last], blocks[first:last], scores, rule)


@kernel(allocates=True)
def angle_slopes(Z, pairs, blocks, slopes, curvatures):
    """Write the derivative of tr(U^T Z) by the angle of each rotation, and its largest second derivative in magnitude.

    With X held fixed; tr(G^T Z_k) is a cosine of the angle, whose amplitude is that second derivative.
    """
    for k in range(pairs.shape[0] - 1, -1, -1):
        enter_left(Z, pairs[k], blocks[k])
    for k in range(pairs.shape[0]):
        leave_left(Z, pairs[k], blocks[k])
        i, j = pairs[k]
        cosine, sine = Z[i, i] + Z[j, j], Z[i, j] - Z[j, i]
        slopes[k] = blocks[k, 0, 0] * sine - blocks[k, 0, 1] * cosine
        curvatures[k] = math.sqrt(cosine * cosine + sine * sine)
        enter_right(Z, pairs[k], blocks[k])


# ---- insertion and deletion ------------------------------------------------------------------------------------------


@kernel(allocates=True)
def insertion_gains(Z, pairs, blocks, gains, places):
    """Write the best C_ij, and its pair, of one more factor before factor k, for k = 0 .. m; Z is overwritten."""
    m = pairs.shape[0]
    scores = new_scores(Z.shape[0])
    for k in range(m - 1, -1, -1):
        enter_left(Z, pairs[k], blocks[k])
    fill_scores(Z, scores)
    for k in range(m + 1):
        i = np.argmax(scores.value)
        gains[k] = scores.value[i]
        places[k, 0], places[k, 1] = i, scores.column[i]
        if k < m:
            leave_left(Z, pairs[k], blocks[k])
            enter_right(Z, pairs[k], blocks[k])
            refresh_layer(Z, scores, pairs[k : k + 1])


@kernel(allocates=True)
def insertion_block(Z, pairs, blocks, position, pair, block):
    """Write into `block` the G-transform on `pair` that is best before factor `position`; Z is overwritten."""
    for k in range(pairs.shape[0] - 1, position - 1, -1):
        enter_left(Z, pairs[k], blocks[k])
    for k in range(position):
        enter_right(Z, pairs[k], blocks[k])
    i, j = pair
    procrustes(Z[i, i], Z[i, j], Z[j, i], Z[j, j], Rule(False, True, 0), block)


@kernel(allocates=True)
def deletion_losses(Z, pairs, blocks, losses):
    """Write by how much tr(U^T Z) falls when factor k alone becomes the identity; Z is overwritten."""
    for k in range(pairs.shape[0] - 1, -1, -1):
        enter_left(Z, pairs[k], blocks[k])
    for k in range(pairs.shape[0]):
        i, j = pairs[k]
        leave_left(Z, pairs[k], blocks[k])
        with_factor = blocks[k, 0, 0] * Z[i, i] + blocks[k, 0, 1] * Z[i, j]
        with_factor += blocks[k, 1, 0] * Z[j, i] + blocks[k, 1, 1] * Z[j, j]
        losses[k] = with_factor - Z[i, i] - Z[j, j]
        enter_right(Z, pairs[k], blocks[k])
