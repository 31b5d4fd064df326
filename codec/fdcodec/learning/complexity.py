"""Operations of sparse coding with each kind of transform, and sizes of equal cost (paper, section VI).

All counts are the paper's: additions, multiplications and comparisons alike, leading terms only. `n` is the size of a
sample, `s` the sparsity, `n_samples` N.
"""

from __future__ import annotations

import math

from fdcodec.errors import ParameterError
from fdcodec.transform.blocks import FACTOR_OPERATIONS


def general_operations(n: int, s: int, n_samples: int) -> int:
    """Return N_A, Batch-OMP with a general dictionary: ``(2n^2 + s^2 n + 3sn + s^3) N + n^3`` (eq. NOMPCholesky)."""
    _check(n, s, n_samples)
    return (2 * n**2 + _pursuit(n, s)) * n_samples + n**3


def orthogonal_operations(n: int, s: int, n_samples: int) -> int:
    """Return N_Q, the s largest projections on an orthogonal matrix: ``(2n^2 + ns) N`` (eq. NOMPCholeskyQ)."""
    _check(n, s, n_samples)
    return (2 * n**2 + n * s) * n_samples


def g_product_operations(n: int, s: int, n_samples: int, m: int) -> int:
    """Return N_U, the same with m G-transforms: ``(6m + ns) N`` (eq. NOMPCholeskyForF)."""
    _check(n, s, n_samples)
    return (FACTOR_OPERATIONS * m + n * s) * n_samples


def r_product_operations(n: int, s: int, n_samples: int, m: int) -> int:
    """Return N_D, Batch-OMP with m R-transforms: ``(6m + n + s^2 n + 3sn + s^3) N + 6mn`` (eq. NOMPCholeskyForR)."""
    _check(n, s, n_samples)
    return (FACTOR_OPERATIONS * m + n + _pursuit(n, s)) * n_samples + FACTOR_OPERATIONS * m * n


def g_factors_of_orthogonal(n: int) -> int:
    """Return the m_1 at which N_U equals N_Q: ``floor(n^2 / 3)`` (eq. limitU)."""
    return n**2 // 3


def r_factors_of_general(n: int, s: int, n_samples: int | None = None) -> int:
    """Return the m_2 at which N_D equals N_A: the paper's formula, or its limit ``floor(n^2 / 3)`` for N to infinity.

    The paper leaves the n operations of Delta out of this comparison.
    """
    if n_samples is None:
        return n**2 // 3
    return general_operations(n, s, n_samples) // (FACTOR_OPERATIONS * (n_samples + n))


def g_factors_of_r_product(n: int, s: int, m: int) -> int:
    """Return the m_1 whose G-transforms cost what m R-transforms do: ``floor(m + (s^2 + 3s + 1) n / 6)`` (eq. m1m2)."""
    return m + (s**2 + 3 * s + 1) * n // FACTOR_OPERATIONS


def g_factors_of_reflectors(n: int, p: int) -> int:
    """Return the m whose G-transforms cost what p Householder reflectors do: ``floor(2 n p / 3)`` (section VII)."""
    return 2 * n * p // 3


def reflector_operations(n: int, p: int) -> int:
    """Return the operations of p Householder reflectors on one vector: ``4 n p`` (section VII)."""
    return 4 * n * p


def cosine_operations(n: int) -> int:
    """Return the operations of the DCT of n points, those of G_m with ``m = n log2(n) / 3``: G_128 (section VII)."""
    return round(2 * n * math.log2(n))


def sparse_ksvd_operations(p: int, n: int, base_operations: int) -> int:
    """Return the operations of ``S^T Phi^T y`` with p entries an atom: ``2 p n + C`` (section VII, figure 7)."""
    return 2 * p * n + base_operations


def block_transform_operations(q: int) -> int:
    """Return the operations of a transform over q indices on one vector: ``(2q - 1) q`` (Remark 3)."""
    return (2 * q - 1) * q


def _pursuit(n: int, s: int) -> int:
    return s**2 * n + 3 * s * n + s**3


def _check(n: int, s: int, n_samples: int) -> None:
    if n < 1 or n_samples < 0 or not 1 <= s <= n:
        raise ParameterError(f"n is {n} (>= 1), s is {s} (1 to n), n_samples is {n_samples} (>= 0)")
