"""Slow oracles of whole methods, on the columns of Y: dense matrices, one sample at a time."""

import numpy as np
from tests.reference.learning import factor, top
from tests.reference.rm_dla import best_block, omp, r_gain


def codes_of(D, Y, sparsity):
    """Return OMP(D, Y, s)."""
    return np.array([omp(D, y, sparsity) for y in Y.T]).T


def error_of(D, X, Y):
    """Return the relative representation error (eq. reperror)."""
    return float(np.sum((Y - D @ X) ** 2) / np.sum(Y**2))


def thresholded(Q, Y, sparsity):
    """Return T_s(Q^T Y)."""
    return np.array([top(list(column), sparsity) for column in (Q.T @ Y).T]).T


def q_dla(Y, Q, sparsity, n_iterations):
    """Alternate T_s and the orthogonal Procrustes solution (eq. dictionaryOrtho); return Q and the errors."""
    X = thresholded(Q, Y, sparsity)
    errors = [error_of(Q, X, Y)]
    for _ in range(n_iterations):
        U, _, Vt = np.linalg.svd(Y @ X.T)
        Q = U @ Vt
        X = thresholded(Q, Y, sparsity)
        errors.append(error_of(Q, X, Y))
    return Q, errors


def h_dla(Y, Q, p, sparsity, n_iterations):
    """Update p reflectors in turn, each with the others fixed, then X; return their product and the errors."""
    reflectors, errors = [np.eye(len(Y))] * p, []
    X = thresholded(Q, Y, sparsity)
    for _ in range(n_iterations + 1):
        for k in range(p):
            Z = product(reflectors[k + 1 :], len(Y)).T @ Y @ (product(reflectors[:k], len(Y)) @ X).T
            values, vectors = np.linalg.eigh(Z + Z.T)
            u = vectors[:, 0]
            reflectors[k] = np.eye(len(Y)) - 2.0 * np.outer(u, u) if values[0] < 0.0 else np.eye(len(Y))
        D = product(reflectors, len(Y))
        X = thresholded(D, Y, sparsity)
        errors.append(error_of(D, X, Y))
    return D, errors


def product(factors, n):
    """Return the matrix of factors of which the first acts first."""
    D = np.eye(n)
    for F in factors:
        D = F @ D
    return D


def rm_dla(Y, start, m, sparsity, n_iterations):
    """Return D and the errors of Algorithm 2: build, then refine what was the best, then take the best of all.

    Without iterations it is built once, and the only error is that of the start.
    """
    n, X = len(Y), codes_of(start, Y, sparsity)
    errors, first, second = [error_of(start, X, Y)], [], []
    for _ in range(max(n_iterations, 1)):
        pairs, blocks, X_k = [], [], X
        for _ in range(m):
            gains = {(i, j): r_gain(Y, X_k, i, j) for i in range(n) for j in range(i + 1, n)}
            pairs.append(max(gains, key=lambda pair: gains[pair][0]))
            blocks.append(gains[pairs[-1]][1])
            X_k = factor(n, *pairs[-1], blocks[-1]) @ X_k
        first.append(scaled(Y, pairs, blocks, sparsity))
        X = first[-1][2]
    best = min(first, key=lambda result: result[0])
    _, D, X, pairs, blocks, scale = best
    for _ in range(n_iterations):
        blocks, X_k = list(blocks), scale[:, None] * X
        for k, (i, j) in enumerate(pairs):
            B = product([factor(n, *pair, block) for pair, block in zip(pairs[k + 1 :], blocks[k + 1 :])], n)  # noqa: B905
            blocks[k] = best_block(Y, B, X_k, i, j, n)
            X_k = factor(n, i, j, blocks[k]) @ X_k
        second.append(scaled(Y, pairs, blocks, sparsity))
        _, D, X, pairs, blocks, scale = second[-1]
    D = min([best, *second], key=lambda result: result[0])[1]
    return D, errors + [result[0] for result in (first + second)[: 2 * n_iterations]]


def scaled(Y, pairs, blocks, sparsity):
    """Return the error of factors with the Delta that gives atoms of unit norm, and what made it."""
    D = product([factor(len(Y), *pair, block) for pair, block in zip(pairs, blocks, strict=True)], len(Y))
    scale = 1.0 / np.linalg.norm(D, axis=0)
    X = codes_of(D * scale, Y, sparsity)
    return error_of(D * scale, X, Y), D * scale, X, pairs, blocks, scale


def ksvd(Y, D, sparsity, n_iterations, atom_sparsity=None):
    """Alternate OMP and approximate updates of the atoms one by one; return the best D and the errors."""
    X = codes_of(D, Y, sparsity)
    errors, best = [error_of(D, X, Y)], D
    for _ in range(n_iterations):
        D, X = D.copy(), X.copy()
        for k in range(D.shape[1]):
            used = np.flatnonzero(X[k])
            E = Y[:, used] - D @ X[:, used] + np.outer(D[:, k], X[k, used])
            atom = np.array(top(list(E @ X[k, used]), atom_sparsity or len(Y)))
            if np.any(atom):
                D[:, k] = atom / np.linalg.norm(atom)
                X[k, used] = D[:, k] @ E
        X = codes_of(D, Y, sparsity)
        errors.append(error_of(D, X, Y))
        best = D if errors[-1] == min(errors) else best
    return best, errors


def staged_ksvd(Y, sparsity, sizes, shares):
    """Run K-SVD on ever more atoms, the new ones the principal directions of what is left; return the errors."""
    D, errors = np.zeros((len(Y), 0)), []
    for size, share in zip(sizes, shares, strict=True):
        residual = Y - D @ codes_of(D, Y, min(sparsity, D.shape[1])) if D.size else Y
        D = np.concatenate([D, np.linalg.svd(residual)[0][:, : size - D.shape[1]]], axis=1)
        D, curve = ksvd(Y, D, min(sparsity, size), share)
        errors += curve
    return D, errors
