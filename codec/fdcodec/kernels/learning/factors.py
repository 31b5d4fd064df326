"""Transforms applied to samples by their structure: 2x2 factors and sparse atoms slab by slab, reflectors row by row.

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
def store_slab(slab, first, count, out):
    """Copy the first `count` columns of `slab` into the rows of `out` from row `first`."""
    for lane in range(count):
        for index in range(slab.shape[0]):
            out[first + lane, index] = slab[index, lane]


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
        store_slab(slab, first, count, out)


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


@kernel()
def dot(u, x):
    """Return the sum of the products of two vectors, in eight sums of every eighth: one would wait for itself."""
    whole = u.shape[0] - u.shape[0] % 8
    a = b = c = d = e = f = g = h = 0.0
    for k in range(0, whole, 8):
        a += u[k] * x[k]
        b += u[k + 1] * x[k + 1]
        c += u[k + 2] * x[k + 2]
        d += u[k + 3] * x[k + 3]
        e += u[k + 4] * x[k + 4]
        f += u[k + 5] * x[k + 5]
        g += u[k + 6] * x[k + 6]
        h += u[k + 7] * x[k + 7]
    for k in range(whole, u.shape[0]):
        a += u[k] * x[k]
    return ((a + e) + (c + g)) + ((b + f) + (d + h))


@kernel()
def apply_reflectors(samples, vectors, out):
    """Write into `out` each row x of `samples` after x - 2 u (u^T x) for each row u of `vectors`, the first first."""
    n_samples, n = samples.shape
    for sample in range(n_samples):
        row = out[sample]
        for index in range(n):
            row[index] = samples[sample, index]
        for k in range(vectors.shape[0]):
            weight = -2.0 * dot(vectors[k], row)
            for index in range(n):
                row[index] += weight * vectors[k, index]


@kernel(allocates=True)
def gather_entries(samples, indices, values, out):
    """Write into `out` S^T y for each row y: entry k is the sum of `values[k]` times the entries `indices[k]` of y."""
    n_samples, n = samples.shape
    slab, sums = np.empty((n, LANES)), np.empty((indices.shape[0], LANES))
    for first in range(0, n_samples, LANES):
        count = min(LANES, n_samples - first)
        load_slab(samples, first, count, slab)
        sums[:] = 0.0
        for k in range(indices.shape[0]):
            row_k = sums[k]
            for entry in range(indices.shape[1]):
                row, weight = slab[indices[k, entry]], values[k, entry]
                for lane in range(LANES):
                    row_k[lane] += weight * row[lane]
        store_slab(sums, first, count, out)


@kernel()
def scatter_entries(samples, indices, values, out):
    """Add to `out` S x for each row x: `values[k]` times entry k of x go to the entries `indices[k]`."""
    for sample in range(samples.shape[0]):
        for k in range(indices.shape[0]):
            weight = samples[sample, k]
            if weight != 0.0:
                for entry in range(indices.shape[1]):
                    out[sample, indices[k, entry]] += weight * values[k, entry]
