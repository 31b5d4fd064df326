"""Batch-OMP, and the updates of general (not orthogonal) dictionaries.

Sparse coding works on one chunk of samples; the sums that the dictionary update needs, Z = Y X^T and W = X X^T, come
out of the same pass. In the accumulators `sums[0]` is Z^T and `sums[1]` is W.
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


# ---- sparse coding ---------------------------------------------------------------------------------------------------


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


@kernel(allocates=True)
def strongest(correlations):
    """Return the index of the largest magnitude; the lowest wins a tie."""
    best, index = 0.0, 0
    for k in range(correlations.shape[0]):
        value = abs(correlations[k])
        if value > best:
            best, index = value, k
    return index


@kernel(allocates=True)
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


@kernel(allocates=True)
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


# ---- R-transforms ----------------------------------------------------------------------------------------------------


@kernel(allocates=True)
def least_squares_gain(Z, W, i, j):
    """Return C_ij of eq. sij; -inf where the 2x2 Gram matrix of X is singular to working precision."""
    determinant = W[i, i] * W[j, j] - W[i, j] * W[j, i]
    if not determinant > PIVOT_FLOOR * W[i, i] * W[j, j]:
        return -np.inf
    gain = W[i, i] * (Z[i, j] * Z[i, j] + Z[j, j] * Z[j, j]) + W[j, j] * (Z[i, i] * Z[i, i] + Z[j, i] * Z[j, i])
    gain -= (Z[i, i] * Z[i, j] + Z[j, i] * Z[j, j]) * (W[i, j] + W[j, i])
    return W[i, i] + W[j, j] - 2.0 * (Z[i, i] + Z[j, j]) + gain / determinant


@kernel(allocates=True)
def best_gain_of_row(score, value, column, i):
    """Find again the best score of row i among the columns j > i; the lowest column wins a tie."""
    value[i], column[i] = -np.inf, -1
    for j in range(i + 1, score.shape[0]):
        if score[i, j] > value[i]:
            value[i], column[i] = score[i, j], j


@kernel(allocates=True)
def refresh_gains(Z, W, score, value, column, index):
    """Recompute the scores of the pairs that contain `index`, and the best of every row that they touch."""
    for other in range(Z.shape[0]):
        if other != index:
            low, high = min(other, index), max(other, index)
            score[low, high] = least_squares_gain(Z, W, low, high)
            if low == other:
                if column[low] == index or score[low, high] > value[low]:
                    best_gain_of_row(score, value, column, low)
    best_gain_of_row(score, value, column, index)


@kernel(allocates=True)
def least_squares_block(Z, W, i, j, block):
    """Write the R-transform ``Z_{ij} W_{ij}^-1`` (eq. leastsquares)."""
    determinant = W[i, i] * W[j, j] - W[i, j] * W[j, i]
    block[0, 0] = (Z[i, i] * W[j, j] - Z[i, j] * W[j, i]) / determinant
    block[0, 1] = (Z[i, j] * W[i, i] - Z[i, i] * W[i, j]) / determinant
    block[1, 0] = (Z[j, i] * W[j, j] - Z[j, j] * W[j, i]) / determinant
    block[1, 1] = (Z[j, j] * W[i, i] - Z[j, i] * W[i, j]) / determinant


@kernel(allocates=True)
def mix_columns(matrix, i, j, block):
    """Replace columns i, j of the matrix by those of ``matrix R^T``."""
    for h in range(matrix.shape[0]):
        a, b = matrix[h, i], matrix[h, j]
        matrix[h, i] = block[0, 0] * a + block[0, 1] * b
        matrix[h, j] = block[1, 0] * a + block[1, 1] * b


@kernel(allocates=True)
def advance(Z, W, pair, block):
    """Move a factor to the side of X: Z <- Z R^T, W <- R W R^T."""
    mix_columns(Z, pair[0], pair[1], block)
    mix_columns(W, pair[0], pair[1], block)
    mix_columns(W.T, pair[0], pair[1], block)


@kernel(allocates=True)
def construct_general(Z, W, pairs, blocks):
    """Build the R-transforms one after another (Algorithm 2, first iterations, step 1); return how many.

    Fewer than asked are built only when no pair of X has a regular Gram matrix. Z and W are overwritten.
    """
    n = Z.shape[0]
    score, value, column = np.full((n, n), -np.inf), np.full(n, -np.inf), np.full(n, -1, np.int64)
    for i in range(n - 1, -1, -1):
        refresh_gains(Z, W, score, value, column, i)
    for k in range(pairs.shape[0]):
        i = np.argmax(value)
        if value[i] == -np.inf:
            return k
        pairs[k, 0], pairs[k, 1] = i, column[i]
        least_squares_block(Z, W, pairs[k, 0], pairs[k, 1], blocks[k])
        advance(Z, W, pairs[k], blocks[k])
        refresh_gains(Z, W, score, value, column, pairs[k, 0])
        refresh_gains(Z, W, score, value, column, pairs[k, 1])
    return pairs.shape[0]


@kernel(allocates=True)
def solve_block(B, Z, W, i, j, block):
    """Write the R-transform that minimizes ``||Y - B R X||_F^2`` with its pair fixed (eq. foriterationsR).

    The normal equations in vec R: ``(W_S kron B_S^T B_S) vec R = vec(B_S^T Z_S - B_S^T B_o W_oS)``, S the pair, o the
    rest. A block whose normal equations are singular is left as it is.
    """
    n = B.shape[0]
    S = (i, j)
    rhs = np.zeros((2, 2))
    cross = np.zeros((2, n))
    for a in range(2):
        for h in range(n):
            weight = B[h, S[a]]
            for b in range(2):
                rhs[a, b] += weight * Z[h, S[b]]
            for index in range(n):
                cross[a, index] += weight * B[h, index]
    for a in range(2):
        for index in range(n):
            if index != i and index != j:
                for b in range(2):
                    rhs[a, b] -= cross[a, index] * W[index, S[b]]
    solve_kronecker(cross[0, i], cross[0, j], cross[1, j], W[i, i], W[i, j], W[j, j], rhs, block)


@kernel(allocates=True)
def solve_kronecker(g00, g01, g11, w00, w01, w11, rhs, block):
    """Write ``G^-1 rhs W^-1`` for symmetric 2x2 G and W; keep the block where one is singular."""
    g, w = g00 * g11 - g01 * g01, w00 * w11 - w01 * w01
    if g > PIVOT_FLOOR * g00 * g11 and w > PIVOT_FLOOR * w00 * w11:
        for b in range(2):
            top, bottom = rhs[0, b], rhs[1, b]
            rhs[0, b] = (g11 * top - g01 * bottom) / g
            rhs[1, b] = (g00 * bottom - g01 * top) / g
        for a in range(2):
            block[a, 0] = (rhs[a, 0] * w11 - rhs[a, 1] * w01) / w
            block[a, 1] = (rhs[a, 1] * w00 - rhs[a, 0] * w01) / w


@kernel(allocates=True)
def update_general(Z, W, pairs, blocks):
    """Solve every block in turn, pairs fixed (Algorithm 2, second iterations, step 1); Z and W are overwritten.

    B_k, the product of the factors after k, is built from the last factor down; each step changes two columns, which
    are kept so that the way up restores them exactly, without inverses.
    """
    n, m = Z.shape[0], pairs.shape[0]
    B = np.eye(n)
    saved = np.empty((m, 2, n))
    for k in range(m - 1, -1, -1):
        i, j = pairs[k]
        saved[k, 0] = B[:, i]
        saved[k, 1] = B[:, j]
        B[:, i] = blocks[k, 0, 0] * saved[k, 0] + blocks[k, 1, 0] * saved[k, 1]
        B[:, j] = blocks[k, 0, 1] * saved[k, 0] + blocks[k, 1, 1] * saved[k, 1]
    for k in range(m):
        i, j = pairs[k]
        B[:, i] = saved[k, 0]
        B[:, j] = saved[k, 1]
        solve_block(B, Z, W, i, j, blocks[k])
        advance(Z, W, pairs[k], blocks[k])


# ---- K-SVD -----------------------------------------------------------------------------------------------------------


@kernel(allocates=True)
def group_by_atom(codes, starts, members):
    """List the samples that use each atom: atom k's are ``members[starts[k] : starts[k + 1]]``, in order."""
    n_atoms = codes.shape[1]
    starts[:] = 0
    for sample in range(codes.shape[0]):
        for k in range(n_atoms):
            if codes[sample, k] != 0.0:
                starts[k + 1] += 1
    for k in range(n_atoms):
        starts[k + 1] += starts[k]
    filled = starts[:-1].copy()
    for sample in range(codes.shape[0]):
        for k in range(n_atoms):
            if codes[sample, k] != 0.0:
                members[filled[k]] = sample
                filled[k] += 1


@kernel(allocates=True)
def keep_strongest(atom, count):
    """Zero all but the `count` largest magnitudes of a vector in place; the lower index wins a tie."""
    kept = np.zeros(atom.shape[0], np.bool_)
    for _ in range(count):
        best, index = -1.0, 0
        for k in range(atom.shape[0]):
            if not kept[k] and abs(atom[k]) > best:
                best, index = abs(atom[k]), k
        kept[index] = True
    for k in range(atom.shape[0]):
        if not kept[k]:
            atom[k] = 0.0


@kernel(allocates=True)
def update_atoms(residual, codes, atoms, atom_sparsity):
    """Update every atom and its coefficients in turn (approximate K-SVD; Sparse K-SVD in the domain of its base).

    `residual` is Y - X D^T row by row and stays up to date; `atoms` holds one atom a row. The new atom is the
    `atom_sparsity` largest entries of ``E_k x_k``, normalized: exact for an orthonormal base.
    """
    n_atoms, n = atoms.shape
    starts, members = np.zeros(n_atoms + 1, np.int64), np.empty(np.count_nonzero(codes), np.int64)
    group_by_atom(codes, starts, members)
    for k in range(n_atoms):
        group = members[starts[k] : starts[k + 1]]
        old = atoms[k].copy()
        new = np.zeros(n)
        energy = 0.0
        for sample in group:
            weight = codes[sample, k]
            energy += weight * weight
            for index in range(n):
                new[index] += weight * residual[sample, index]
        new += energy * old
        keep_strongest(new, atom_sparsity)
        norm = math.sqrt(np.sum(new * new))
        if norm > 0.0:
            new /= norm
            replace_atom(residual, codes, k, group, old, new)
            atoms[k] = new


@kernel(allocates=True)
def replace_atom(residual, codes, k, group, old, new):
    """Give the samples of `group` the atom `new` for `old`, with their best coefficients."""
    n = old.shape[0]
    for sample in group:
        weight = codes[sample, k]
        coefficient = 0.0
        for index in range(n):
            coefficient += (residual[sample, index] + weight * old[index]) * new[index]
        for index in range(n):
            residual[sample, index] += weight * old[index] - coefficient * new[index]
        codes[sample, k] = coefficient
