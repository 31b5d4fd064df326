"""A transform as a product of 2x2 factors, the object that learning makes and the codec applies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from fdcodec.errors import ParameterError
from fdcodec.format.constants import ANGLE_LEVELS
from fdcodec.transform import serial
from fdcodec.transform.blocks import FACTOR_OPERATIONS, FloatArray, IntArray, grid_blocks, grid_codes
from fdcodec.transform.fast import FastTransform

ORTHOGONAL_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class FactorProduct(FastTransform):
    """The matrix ``D = F_m ... F_2 F_1 Delta`` of size n x n (paper, eqs. factorization and factorizationofD).

    Parameters
    ----------
    n
        Size of the vectors.
    pairs
        Shape ``(m, 2)``, integers, ``0 <= i < j < n``; row k is the pair of ``F_{k+1}``.
    blocks
        Shape ``(m, 2, 2)``, the non-zero parts ``[[p, r], [q, t]]`` (eq. localstructureR).
    scale
        Shape ``(n,)``, the diagonal of ``Delta``; None is the identity.
    """

    n: int
    pairs: IntArray
    blocks: FloatArray
    scale: FloatArray | None = None

    def __post_init__(self) -> None:
        pairs = np.ascontiguousarray(self.pairs, dtype=np.int64).reshape(-1, 2)
        blocks = np.ascontiguousarray(self.blocks, dtype=np.float64).reshape(-1, 2, 2)
        object.__setattr__(self, "pairs", pairs)
        object.__setattr__(self, "blocks", blocks)
        if self.scale is not None:
            object.__setattr__(self, "scale", np.ascontiguousarray(self.scale, dtype=np.float64))
        if len(pairs) != len(blocks):
            raise ParameterError(f"blocks has {len(blocks)} entries, pairs has {len(pairs)}; give one block a pair")
        if len(pairs) and not (pairs.min() >= 0 and pairs.max() < self.n and np.all(pairs[:, 0] < pairs[:, 1])):
            raise ParameterError(f"pairs must hold 0 <= i < j < n = {self.n} in every row")
        if self.scale is not None and self.scale.shape != (self.n,):
            raise ParameterError(f"scale has shape {self.scale.shape}; it must be ({self.n},)")

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        """Return size, number of factors, kind and cost; the arrays would fill a notebook."""
        parts = f"n={self.n}, factors={len(self)}, orthogonal={self.is_orthogonal}, operations={self.n_operations}"
        return f"FactorProduct({parts})"

    @cached_property
    def is_orthogonal(self) -> bool:
        """Whether every factor is a G-transform and there is no Delta."""
        gram = self.blocks @ self.blocks.transpose(0, 2, 1)
        return self.scale is None and bool(np.all(np.abs(gram - np.eye(2)) < ORTHOGONAL_TOLERANCE))

    @property
    def n_operations(self) -> int:
        """Operations of one product with a vector: 6 a factor, and n for Delta (paper, sections III and VI)."""
        return FACTOR_OPERATIONS * len(self) + (0 if self.scale is None else self.n)

    @cached_property
    def layers(self) -> list[IntArray]:
        """Indices of factors on disjoint pairs that can run side by side, in an order equivalent to the product's."""
        ready = np.zeros(self.n, dtype=np.int64)
        depth = np.zeros(len(self), dtype=np.int64)
        for k, pair in enumerate(self.pairs):
            depth[k] = ready[pair].max()
            ready[pair] = depth[k] + 1
        return [np.flatnonzero(depth == layer) for layer in range(int(ready.max(initial=0)))]

    def _apply(self, rows: FloatArray) -> FloatArray:
        return _run(rows if self.scale is None else rows * self.scale, self.pairs, self.blocks)

    def _apply_transpose(self, rows: FloatArray) -> FloatArray:
        result = _run(rows, self.pairs[::-1], self.blocks[::-1].transpose(0, 2, 1))
        return result if self.scale is None else result * self.scale

    def solve(self, samples: ArrayLike) -> FloatArray:
        """Return the x with ``D x = y`` for each row y, factor by factor; ParameterError if a factor is singular."""
        if np.any(np.linalg.det(self.blocks) == 0.0) or (self.scale is not None and np.any(self.scale == 0.0)):
            raise ParameterError("the product is singular: solve needs invertible factors")
        result = _run(self._rows(samples), self.pairs[::-1], np.linalg.inv(self.blocks[::-1]).astype(np.float64))
        return (result if self.scale is None else result / self.scale).reshape(np.shape(samples))

    def then(self, other: FactorProduct) -> FactorProduct:
        """Return the product ``other self``: `self` acts first in `apply`; `other` has no Delta."""
        if other.n != self.n or other.scale is not None:
            raise ParameterError(f"cannot chain products of sizes {self.n} and {other.n} with a scale in between")
        pairs = np.concatenate([self.pairs, other.pairs])
        return FactorProduct(self.n, pairs, np.concatenate([self.blocks, other.blocks]), self.scale)

    def quantized(self, levels: int = ANGLE_LEVELS) -> FactorProduct:
        """Return the orthogonal product with every angle moved to the nearest of `levels` angles."""
        if not self.is_orthogonal:
            raise ParameterError("only a product of G-transforms has angles to quantize")
        return FactorProduct(self.n, self.pairs, grid_blocks(grid_codes(self.blocks, levels), levels))

    def to_bytes(self) -> bytes:
        """Return the canonical bytes: angle codes if every angle is on the grid of 1024, IEEE doubles otherwise."""
        return serial.build(self.n, self.pairs, self.blocks, self.scale)

    @classmethod
    def from_bytes(cls, data: bytes) -> FactorProduct:
        """Read what `to_bytes` wrote; FormatError or TruncatedError on anything else."""
        return cls(*serial.parse(data))


def _run(rows: FloatArray, pairs: IntArray, blocks: FloatArray) -> FloatArray:
    from fdcodec.kernels.learning.factors import apply_factors

    out = np.empty_like(rows)
    apply_factors(rows, np.ascontiguousarray(pairs), np.ascontiguousarray(blocks), out)
    return out
