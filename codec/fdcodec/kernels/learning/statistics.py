"""One pass over the data: what a sweep of learning needs from it.

* Everything a sweep needs from the data is Z = Y X^T (n x n), X being the sparse (or shrunk) coefficients. One pass
  over the data analyses, selects and accumulates Z slab by slab, so that X is never stored.
* A pass sees one chunk of the samples; the caller adds the chunks in a fixed order. No sum depends on the threads.
* The accumulators hold Z^T: row k is the sum of x_k * y, contiguous in y.

All are float64: `samples` and `start` (n_samples, n), `slab` (n, LANES), `largest` (sparsity, LANES), `sums` (n, n); of
the factors `blocks` (m, 2, 2), and `pairs` int64 (m, 2).
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"

import math

import numpy as np

from fdcodec.kernels.jit import kernel
from fdcodec.kernels.learning.factors import LANES, apply_to_slab, load_slab

LOG_GROUP = 8


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


@kernel()
def add_outer(left, right, sums):
    """Add the outer products of LANES rows of `left` and `right` to `sums`, four rows at a time."""
    for first in range(0, LANES, 4):
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
        add_outer(shrunk, padded, sums)
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
        add_outer(padded, padded, sums)
