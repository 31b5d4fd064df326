"""Dictionaries whose atoms have few entries over a base (Sparse K-SVD)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from fdcodec.errors import ParameterError
from fdcodec.transform.blocks import FloatArray, IntArray
from fdcodec.transform.fast import Dictionary, FastTransform, correlations, operations_of, synthesis


@dataclass(frozen=True, eq=False)
class SparseDictionary(FastTransform):
    """The matrix ``D = Phi S`` of size n x n with p entries a column of S (paper, section VII).

    Parameters
    ----------
    base
        Phi, a transform or a matrix of shape ``(n, n)``.
    indices
        Shape ``(n, p)``: the atoms of the base that make up each atom.
    values
        Shape ``(n, p)``: their weights; 0 for an atom of fewer.
    """

    base: Dictionary
    indices: IntArray
    values: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "indices", np.ascontiguousarray(self.indices, dtype=np.int64))
        object.__setattr__(self, "values", np.ascontiguousarray(self.values, dtype=np.float64))
        n, shape = self.n, self.indices.shape
        if len(shape) != 2 or shape[0] != n or self.values.shape != shape:
            raise ParameterError(
                f"indices has shape {shape}, values {self.values.shape}; both must be ({n}, p), n that of the base"
            )
        if self.indices.size and not (self.indices.min() >= 0 and self.indices.max() < n):
            raise ParameterError(f"indices holds {self.indices.min()} to {self.indices.max()}; allowed is 0 to {n - 1}")

    @classmethod
    def from_atoms(cls, base: Dictionary, atoms: FloatArray) -> Self:
        """Return the dictionary of sparse atoms, one a row in the domain of the base; p is the most that one has."""
        p = int(np.count_nonzero(atoms, axis=1).max())
        indices = np.sort(np.argsort(atoms == 0.0, axis=1, kind="stable")[:, :p], axis=1)
        return cls(base, indices, np.take_along_axis(atoms, indices, axis=1))

    @property
    def n(self) -> int:  # type: ignore[override]
        """Size of the vectors."""
        return self.base.n if isinstance(self.base, FastTransform) else len(self.base)

    @property
    def is_orthogonal(self) -> bool:
        """No: atoms of few entries need not be."""
        return False

    @property
    def n_operations(self) -> int:
        """Operations of one product with a vector: ``2 p n`` and those of the base."""
        return 2 * self.indices.size + operations_of(self.base)

    def __repr__(self) -> str:
        """Return size, entries an atom and cost; the arrays would fill a notebook."""
        return f"SparseDictionary(n={self.n}, entries={self.indices.shape[1]}, operations={self.n_operations})"

    def _apply(self, rows: FloatArray) -> FloatArray:
        from fdcodec.kernels.learning.factors import scatter_entries

        out = np.zeros_like(rows)
        scatter_entries(rows, self.indices, self.values, out)
        return synthesis(self.base, out)

    def _apply_transpose(self, rows: FloatArray) -> FloatArray:
        from fdcodec.kernels.learning.factors import gather_entries

        out = np.empty_like(rows)
        gather_entries(correlations(self.base, rows), self.indices, self.values, out)
        return out
