"""Householder reflectors (paper, Remark 4)."""

import numpy as np

from fdcodec.transform.blocks import FloatArray


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
    return np.asarray(rows - 2.0 * np.outer(rows @ u, u), dtype=np.float64)
