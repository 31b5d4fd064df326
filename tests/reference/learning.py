"""Slow, plain oracles of the learning kernels: loops over Python floats, formulas as in the paper."""

import math

import numpy as np


def rotate(vector, pairs, angles):
    """Apply the analysis rotations (a, b) -> (c a + s b, -s a + c b) in order to a list."""
    out = [float(v) for v in vector]
    for (i, j), angle in zip(pairs, angles, strict=True):
        c, s = math.cos(angle), math.sin(angle)
        out[i], out[j] = c * out[i] + s * out[j], -s * out[i] + c * out[j]
    return out


def log_rate(samples, pairs, angles, step):
    """Return the mean over the samples of sum log2(1 + c^2 / step^2) after the rotations."""
    rows = [rotate(sample, pairs, angles) for sample in samples]
    return sum(math.log2(1.0 + c * c / (step * step)) for row in rows for c in row) / len(rows)


def top(vector, sparsity):
    """Return T_s of a list: the lower index wins a tie."""
    kept = sorted(range(len(vector)), key=lambda k: (-abs(vector[k]), k))[:sparsity]
    return [v if k in kept else 0.0 for k, v in enumerate(vector)]


def score(Z, i, j):
    """Return C_ij from the singular values of the 2x2 block (eqs. singularvalues, detailedobjective)."""
    block = np.array([[Z[i][i], Z[i][j]], [Z[j][i], Z[j][j]]])
    return float(np.linalg.svd(block, compute_uv=False).sum() - np.trace(block))


def procrustes(Z, i, j):
    """Return U V^T of the 2x2 block's singular value decomposition."""
    U, _, Vt = np.linalg.svd(np.array([[Z[i, i], Z[i, j]], [Z[j, i], Z[j, j]]]))
    return U @ Vt


def factor(n, i, j, block):
    """Return the n x n matrix of one factor."""
    F = np.eye(n)
    F[np.ix_([i, j], [i, j])] = block
    return F


def best_factor(Z):
    """Return (i, j, block) of the largest score."""
    n = len(Z)
    i, j = max(((i, j) for i in range(n) for j in range(i + 1, n)), key=lambda pair: score(Z, *pair))
    return i, j, procrustes(Z, i, j)


def gm_dla(Y, U0, m, sparsity, n_iterations):
    """Algorithm 1 on the columns of Y from the orthogonal U0, with dense matrices throughout; returns U and errors."""
    n = len(Y)
    codes = lambda U: np.array([top(list(column), sparsity) for column in (U.T @ Y).T]).T  # noqa: E731
    error = lambda U: float(((Y - U @ codes(U)) ** 2).sum() / (Y**2).sum())  # noqa: E731
    X = codes(U0)
    factors = []
    for _ in range(m):
        factors.append(factor(n, *best_factor(Y @ (_product(n, factors) @ X).T)))
    errors = [error(_product(n, factors))]
    for _ in range(n_iterations):
        X = codes(_product(n, factors))
        for k in range(m):
            Y_k = _product(n, factors[k + 1 :]).T @ Y
            X_k = _product(n, factors[:k]) @ X
            factors[k] = factor(n, *best_factor(Y_k @ X_k.T))
        errors.append(error(_product(n, factors)))
    return _product(n, factors), errors


def _product(n, factors):
    U = np.eye(n)
    for F in factors:
        U = F @ U
    return U
