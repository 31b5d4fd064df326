"""G-transforms over q indices, beside the 2x2 ones (Remark 3)."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from fdcodec.errors import ParameterError
from fdcodec.transform.blocks import FloatArray, IntArray

MAX_SUBSETS = 1_000_000


def wide_gains(Z: FloatArray, subsets: IntArray) -> FloatArray:
    """Return ``||Z_S||_* - tr Z_S`` of each set S of indices: half of what its best block lowers the squared error by.

    Parameters
    ----------
    Z
        ``Y X^T``, shape ``(n, n)``.
    subsets
        Shape ``(count, q)``, different indices in each row.
    """
    sub_matrices = Z[subsets[:, :, None], subsets[:, None, :]]
    nuclear = np.linalg.svd(sub_matrices, compute_uv=False).sum(axis=1)
    return np.asarray(nuclear - np.trace(sub_matrices, axis1=1, axis2=2), dtype=np.float64)


def wide_block(Z: FloatArray, subset: IntArray) -> FloatArray:
    """Return the q x q orthogonal block that is best on a set of indices: U V^T of Z there (Procrustes)."""
    U, _, Vt = np.linalg.svd(Z[np.ix_(subset, subset)])
    return np.asarray(U @ Vt, dtype=np.float64)


def best_wide_transform(Z: FloatArray, q: int) -> tuple[IntArray, FloatArray]:
    """Return the best G-transform over q indices of all n over q (Remark 3).

    Parameters
    ----------
    Z
        ``Y X^T``, shape ``(n, n)``.
    q
        Number of indices, 2 to n; n over q must be at most a million.

    Returns
    -------
    subset
        Shape ``(q,)``, rising indices; the first of equals in the order of `itertools.combinations`.
    block
        Shape ``(q, q)``, orthogonal.
    """
    n = len(Z)
    if not 2 <= q <= n or math.comb(n, q) > MAX_SUBSETS:
        raise ParameterError(f"q is {q}; it must be in [2, {n}] with at most {MAX_SUBSETS} sets of q among {n} indices")
    subsets = np.array(list(combinations(range(n), q)), dtype=np.int64)
    subset = subsets[wide_gains(Z, subsets).argmax()]
    return subset, wide_block(Z, subset)


def apply_wide(samples: FloatArray, subset: IntArray, block: FloatArray) -> FloatArray:
    """Return ``G x`` for each row x of shape ``(n_samples, n)``, in (2q - 1) q operations a row."""
    result = samples.copy()
    result[:, subset] = samples[:, subset] @ block.T
    return result
