"""Batch-OMP: sparse coding, and with it the sums that the update of a general (not orthogonal) dictionary needs.

It works on one chunk of samples; Z = Y X^T and W = X X^T come out of the same pass. In the accumulators `sums[0]` is
Z^T and `sums[1]` is W.

`samples` are float64 (n_samples, n), `correlations` (n_samples, n_atoms), `gram` (n_atoms, n_atoms), `sums` (2, n, n).
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,assignment"

import math
from typing import NamedTuple

import numpy as np

from fdcodec.kernels.jit import kernel

PIVOT_FLOOR = 1e-10
"""Smallest squared distance of a unit atom from the span of the chosen ones; below it the search stops."""


class Workspace(NamedTuple):
    """Batch-OMP's state for one sample: chosen atoms, their coefficients, Cholesky rows, correlations."""

    support: np.ndarray
    coefficients: np.ndarray
    half: np.ndarray
    cholesky: np.ndarray
    correlations: np.ndarray


@kernel(allocates=True)
def new_workspace(n, sparsity):
    """Return buffers for samples of n correlations."""
    return Workspace(
        np.empty(sparsity, np.int64),
        np.empty(sparsity),
        np.empty(sparsity),
        np.empty((sparsity, sparsity)),
        np.empty(n),
    )


@kernel()
def strongest(correlations):
    """Return the index of the largest magnitude; the lowest wins a tie."""
    best, index = 0.0, 0
    for k in range(correlations.shape[0]):
        value = abs(correlations[k])
        if value > best:
            best, index = value, k
    return index


@kernel()
def extend_cholesky(gram, work, count, atom):
    """Append the row of `atom` to the Cholesky factor of the chosen atoms' Gram matrix; False if they span it."""
    L, support = work.cholesky, work.support
    pivot = gram[atom, atom]
    for row in range(count):
        value = gram[support[row], atom]
        for k in range(row):
            value -= L[row, k] * L[count, k]
        L[count, row] = value / L[row, row]
        pivot -= L[count, row] * L[count, row]
    if pivot <= PIVOT_FLOOR:
        return False
    L[count, count] = math.sqrt(pivot)
    return True


@kernel()
def solve_cholesky(start, work, count):
    """Set the coefficients of the chosen atoms to the least-squares ones, by two triangular solves."""
    L, half, solution = work.cholesky, work.half, work.coefficients
    row = count - 1  # the forward solve of the earlier rows stays valid
    value = start[work.support[row]]
    for k in range(row):
        value -= L[row, k] * half[k]
    half[row] = value / L[row, row]
    for row in range(count - 1, -1, -1):
        value = half[row]
        for k in range(row + 1, count):
            value -= L[k, row] * solution[k]
        solution[row] = value / L[row, row]


@kernel(allocates=True)
def pursue(start, gram, sparsity, work):
    """Choose up to `sparsity` atoms for the correlations `start` = D^T y (Rubinstein's Batch-OMP); return how many.

    The squared residual falls by the sum of coefficient times start over the support.
    """
    work.correlations[:] = start
    count = 0
    while count < sparsity:
        atom = strongest(work.correlations)
        chosen = False
        for k in range(count):
            chosen = chosen or work.support[k] == atom
        if chosen or not extend_cholesky(gram, work, count, atom):
            break
        work.support[count] = atom
        count += 1
        solve_cholesky(start, work, count)
        work.correlations[:] = start
        for k in range(count):
            row, weight = gram[work.support[k]], work.coefficients[k]
            for index in range(start.shape[0]):
                work.correlations[index] -= weight * row[index]
    return count


@kernel(allocates=True)
def accumulate_pursuit(samples, correlations, gram, sparsity, sums):
    """Code a chunk by OMP, add its Z^T and W to `sums`, and return the energy that the representation explains."""
    n = samples.shape[1]
    work = new_workspace(gram.shape[0], sparsity)
    explained = 0.0
    for sample in range(samples.shape[0]):
        start = correlations[sample]
        count = pursue(start, gram, sparsity, work)
        for k in range(count):
            atom, weight = work.support[k], work.coefficients[k]
            explained += weight * start[atom]
            row = sums[0, atom]
            for index in range(n):
                row[index] += weight * samples[sample, index]
            for other in range(count):
                sums[1, atom, work.support[other]] += weight * work.coefficients[other]
    return explained


@kernel(allocates=True)
def code_by_pursuit(correlations, gram, sparsity, codes):
    """Write the OMP codes of every row of correlations into `codes`; return the energy that they explain."""
    work = new_workspace(gram.shape[0], sparsity)
    explained = 0.0
    for sample in range(correlations.shape[0]):
        start = correlations[sample]
        count = pursue(start, gram, sparsity, work)
        codes[sample] = 0.0
        for k in range(count):
            codes[sample, work.support[k]] = work.coefficients[k]
            explained += work.coefficients[k] * start[work.support[k]]
    return explained
