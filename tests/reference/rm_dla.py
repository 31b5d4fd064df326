"""Slow oracles of the non-orthogonal methods: dense matrices and least squares by numpy."""

import numpy as np


def omp(D, y, sparsity):
    """Return the orthogonal matching pursuit code of one sample, least squares solved anew at each step."""
    support, code, residual = [], np.zeros(D.shape[1]), y
    for _ in range(sparsity):
        support.append(int(np.argmax(np.abs(D.T @ residual))))
        code = np.zeros(D.shape[1])
        code[support] = np.linalg.lstsq(D[:, support], y, rcond=None)[0]
        residual = y - D @ code
    return code


def r_gain(Y, X, i, j):
    """Return by how much the best R-transform on (i, j) lowers ||Y - R X||^2, from two least-squares problems."""
    block = np.linalg.lstsq(X[[i, j]].T, Y[[i, j]].T, rcond=None)[0].T
    before = np.sum((Y[[i, j]] - X[[i, j]]) ** 2)
    return before - np.sum((Y[[i, j]] - block @ X[[i, j]]) ** 2), block


def best_block(Y, B, X, i, j, n):
    """Return the R block on (i, j) that minimizes ||Y - B R X||^2, by the Kronecker system of eq. foriterationsR."""
    rest = [k for k in range(n) if k not in (i, j)]
    w = (Y - B[:, rest] @ X[rest]).T.ravel()
    C = np.stack([np.kron(X[b], B[:, a]) for b in (i, j) for a in (i, j)], axis=1)
    p, q, r, t = np.linalg.lstsq(C, w, rcond=None)[0]
    return np.array([[p, r], [q, t]])
