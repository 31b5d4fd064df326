"""Householder reflectors (paper, Remark 4), and products of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fdcodec.errors import ParameterError
from fdcodec.transform.blocks import FloatArray
from fdcodec.transform.fast import FastTransform

REFLECTOR_OPERATIONS = 4
"""Operations of a reflector on one vector, for each of its n entries (section VII)."""

UNIT_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class ReflectorProduct(FastTransform):
    """The orthogonal matrix ``D = H_p ... H_2 H_1`` with ``H_k = I - 2 u_k u_k^T`` (paper's DictHouseholder).

    Parameters
    ----------
    vectors
        Shape ``(p, n)``, row k is ``u_{k+1}``, of unit norm, or zeros for the identity.
    """

    vectors: FloatArray

    def __post_init__(self) -> None:
        vectors = np.ascontiguousarray(self.vectors, dtype=np.float64)
        object.__setattr__(self, "vectors", vectors)
        if vectors.ndim != 2:
            raise ParameterError(f"vectors has shape {vectors.shape}; it must be (p, n), one reflector a row")
        norms = np.linalg.norm(vectors, axis=1)
        wrong = np.flatnonzero((norms != 0.0) & ~(np.abs(norms - 1.0) <= UNIT_TOLERANCE))
        if len(wrong):
            raise ParameterError(f"vectors has a row {wrong[0]} of norm {norms[wrong[0]]:g}; allowed are 1 and 0")

    @property
    def n(self) -> int:  # type: ignore[override]
        """Size of the vectors."""
        return int(self.vectors.shape[1])

    def __len__(self) -> int:
        return len(self.vectors)

    def __repr__(self) -> str:
        """Return size, number of reflectors and cost; the arrays would fill a notebook."""
        return f"ReflectorProduct(n={self.n}, reflectors={len(self)}, operations={self.n_operations})"

    @property
    def is_orthogonal(self) -> bool:
        """Yes: reflectors are."""
        return True

    @property
    def n_operations(self) -> int:
        """Operations of one product with a vector: ``4 n`` a reflector that is not the identity."""
        return REFLECTOR_OPERATIONS * self.n * int(np.count_nonzero(self.vectors.any(axis=1)))

    def _apply(self, rows: FloatArray) -> FloatArray:
        return _reflected(rows, self.vectors)

    def _apply_transpose(self, rows: FloatArray) -> FloatArray:
        return _reflected(rows, self.vectors[::-1])


def reflector_vector(block: FloatArray) -> FloatArray:
    """Return the unit g of a Givens reflector ``[[c, d], [d, -c]] = I - 2 g g^T`` (Remark 4), shape ``(2,)``."""
    c, d = block[0]
    return np.array([np.sqrt(max(0.0, 0.5 * (1.0 - c))), -np.copysign(np.sqrt(max(0.0, 0.5 * (1.0 + c))), d)])


def best_reflector(Z: FloatArray) -> FloatArray:
    """Return the u whose Householder reflector ``I - 2 u u^T`` is best at Z, or zeros where none helps.

    It is the eigenvector of the smallest eigenvalue of ``Z + Z^T``, if that is negative.
    """
    values, directions = np.linalg.eigh(Z + Z.T)
    return directions[:, 0] if values[0] < 0.0 else np.zeros(len(Z))


def reflect(rows: FloatArray, u: FloatArray) -> FloatArray:
    """Return ``(I - 2 u u^T) x`` for each row x, in 4 n operations a row."""
    return _reflected(np.ascontiguousarray(rows), u[None])


def _reflected(rows: FloatArray, vectors: FloatArray) -> FloatArray:
    from fdcodec.kernels.learning.factors import apply_reflectors

    out = np.empty_like(rows)
    apply_reflectors(rows, np.ascontiguousarray(vectors[vectors.any(axis=1)]), out)
    return out
