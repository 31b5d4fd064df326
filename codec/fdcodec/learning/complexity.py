"""Operations of transforms on one vector, and sizes of equal cost (paper, sections VI and VII).

All counts are the paper's: additions, multiplications and comparisons alike, leading terms only. `n` is the size of a
sample, `s` the sparsity.
"""

from __future__ import annotations

from fdcodec.transform.blocks import FACTOR_OPERATIONS


def g_factors_of_r_product(n: int, s: int, m: int) -> int:
    """Return the m_1 whose G-transforms cost what m R-transforms do: ``floor(m + (s^2 + 3s + 1) n / 6)`` (eq. m1m2)."""
    return m + (s**2 + 3 * s + 1) * n // FACTOR_OPERATIONS


def g_factors_of_reflectors(n: int, p: int) -> int:
    """Return the m whose G-transforms cost what p Householder reflectors do: ``floor(2 n p / 3)`` (section VII)."""
    return 2 * n * p // 3


def reflector_operations(n: int, p: int) -> int:
    """Return the operations of p Householder reflectors on one vector: ``4 n p`` (section VII)."""
    return 4 * n * p


def sparse_ksvd_operations(p: int, n: int, base_operations: int) -> int:
    """Return the operations of ``S^T Phi^T y`` with p entries an atom: ``2 p n + C`` (section VII, figure 7)."""
    return 2 * p * n + base_operations
