# mypy: disable-error-code="no-any-return"
"""The base transforms as orthonormal matrices, and their rounding to integers (SPEC 4.2)."""

import numpy as np


def dct_matrix(size: int) -> np.ndarray:
    """Return the orthonormal DCT-II, one basis vector a row."""
    k, n = np.arange(size)[:, None], np.arange(size)[None, :]
    matrix = np.sqrt(2 / size) * np.cos(np.pi * (2 * n + 1) * k / (2 * size))
    matrix[0] /= np.sqrt(2)
    return matrix


def dst_matrix(size: int) -> np.ndarray:
    """Return the orthonormal DST-VII, one basis vector a row."""
    k, n = np.arange(size)[:, None], np.arange(size)[None, :]
    return 2 / np.sqrt(2 * size + 1) * np.sin(np.pi * (2 * k + 1) * (n + 1) / (2 * size + 1))


def identity_matrix(size: int) -> np.ndarray:
    """Return the transform that leaves samples as they are."""
    return np.eye(size)


def haar_matrix(size: int) -> np.ndarray:
    """Return the orthonormal Haar transform, one basis vector a row, coarse to fine."""
    if size == 1:
        return np.ones((1, 1))
    half = size // 2
    coarse, fine = np.kron(haar_matrix(half), [1.0, 1.0]), np.kron(np.eye(half), [1.0, -1.0])
    return np.concatenate([coarse, fine]) / np.sqrt(2)


def fixed(matrix: np.ndarray, bits: int) -> np.ndarray:
    """Round to `bits` fractional bits; no entry lies near enough to a half for a last-bit difference to matter."""
    return np.rint(matrix * (1 << bits)).astype(np.int32)
