"""Products of 2x2 factors applied to samples, slab by slab.

A slab is `LANES` samples with the coefficient index first, so that every factor is two contiguous rows combined, and
the whole slab stays in the first-level cache while all factors pass over it.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"

import numpy as np

from fdcodec.kernels.jit import kernel

LANES = 32


@kernel()
def load_slab(samples, first, count, slab):
    """Copy `count` rows of `samples`, from row `first`, into the columns of `slab`; clear the other columns."""
    for lane in range(count):
        for index in range(slab.shape[0]):
            slab[index, lane] = samples[first + lane, index]
    for index in range(slab.shape[0]):
        for lane in range(count, LANES):
            slab[index, lane] = 0.0


@kernel()
def apply_to_slab(pairs, blocks, slab):
    """Replace rows i, j of the slab by p x_i + r x_j and q x_i + t x_j, for each factor in turn (eq. multiply)."""
    for k in range(pairs.shape[0]):
        row_i = slab[pairs[k, 0]]
        row_j = slab[pairs[k, 1]]
        p, r = blocks[k, 0, 0], blocks[k, 0, 1]
        q, t = blocks[k, 1, 0], blocks[k, 1, 1]
        for lane in range(LANES):
            x_i = row_i[lane]
            x_j = row_j[lane]
            row_i[lane] = p * x_i + r * x_j
            row_j[lane] = q * x_i + t * x_j


@kernel(allocates=True)
def apply_factors(samples, pairs, blocks, out):
    """Write into `out` each row of `samples` after all factors, the first factor first."""
    n_samples, n = samples.shape
    slab = np.empty((n, LANES))
    for first in range(0, n_samples, LANES):
        count = min(LANES, n_samples - first)
        load_slab(samples, first, count, slab)
        apply_to_slab(pairs, blocks, slab)
        for lane in range(count):
            for index in range(n):
                out[first + lane, index] = slab[index, lane]


@kernel()
def apply_matrix(samples, matrix, out):
    """Write `samples @ matrix` into `out`; each sum runs in the order of the inner index, on any machine."""
    n_samples, n = samples.shape
    for sample in range(n_samples):
        row = out[sample]
        row[:] = 0.0
        for index in range(n):
            value = samples[sample, index]
            for column in range(matrix.shape[1]):
                row[column] += value * matrix[index, column]
