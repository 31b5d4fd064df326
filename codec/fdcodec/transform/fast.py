"""Matrices that are applied by their structure, and the two ways to apply any dictionary."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from fdcodec.errors import ParameterError
from fdcodec.transform.blocks import FloatArray


class FastTransform(ABC):
    """A square matrix D with the atoms in its columns, applied without ever being there as a whole.

    Attributes
    ----------
    n
        Size of the vectors.
    """

    n: int

    @property
    @abstractmethod
    def is_orthogonal(self) -> bool:
        """Whether ``D^T D`` is the identity."""

    @property
    @abstractmethod
    def n_operations(self) -> int:
        """Additions and multiplications of one product with a vector."""

    @abstractmethod
    def _apply(self, rows: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _apply_transpose(self, rows: FloatArray) -> FloatArray: ...

    def apply(self, samples: ArrayLike) -> FloatArray:
        """Return ``D x`` for each row x: synthesis.

        Parameters
        ----------
        samples
            Shape ``(n_samples, n)`` or ``(n,)``.

        Returns
        -------
        result
            Same shape.
        """
        rows = self._rows(samples)
        return self._apply(rows).reshape(np.shape(samples))

    def apply_transpose(self, samples: ArrayLike) -> FloatArray:
        """Return ``D^T y`` for each row y: analysis, when D is orthogonal. Shapes as in `apply`."""
        rows = self._rows(samples)
        return self._apply_transpose(rows).reshape(np.shape(samples))

    def to_dense(self) -> FloatArray:
        """Return D as an array of shape ``(n, n)``; its columns are the atoms."""
        return self.apply(np.eye(self.n)).T.copy()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """Return D, which numpy asks for in `np.asarray`; it is always made anew."""
        return np.asarray(self.to_dense(), dtype=dtype)

    def _rows(self, samples: ArrayLike) -> FloatArray:
        array = np.ascontiguousarray(samples, dtype=np.float64)
        if np.ndim(samples) not in (1, 2) or array.shape[-1] != self.n:
            raise ParameterError(
                f"samples has shape {np.shape(samples)}; it must be (n_samples, {self.n}) or ({self.n},)"
            )
        return array.reshape(-1, self.n)


Dictionary = FastTransform | FloatArray
"""D by its structure, or as a matrix of shape ``(n, n)`` with the atoms in its columns."""


def correlations(dictionary: Dictionary, rows: FloatArray) -> FloatArray:
    """Return ``D^T y`` for each row y; its bits do not depend on the other rows."""
    if isinstance(dictionary, FastTransform):
        return dictionary.apply_transpose(rows)
    return times_matrix(rows, np.ascontiguousarray(dictionary))


def synthesis(dictionary: Dictionary, codes: FloatArray) -> FloatArray:
    """Return ``D x`` for each row x."""
    return dictionary.apply(codes) if isinstance(dictionary, FastTransform) else codes @ dictionary.T


def operations_of(dictionary: Dictionary) -> int:
    """Return the operations of one product with a vector; of a matrix they are ``2 n^2``."""
    return dictionary.n_operations if isinstance(dictionary, FastTransform) else 2 * len(dictionary) ** 2


def times_matrix(rows: FloatArray, matrix: FloatArray) -> FloatArray:
    """Return ``rows @ matrix`` with its sums in a fixed order."""
    from fdcodec.kernels.learning.factors import apply_matrix

    out = np.empty((len(rows), matrix.shape[1]))
    apply_matrix(rows, matrix, out)
    return out
