"""What one pass over the samples gives for a transform: Z = Y X^T (and W = X X^T) and the objective."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from fdcodec.errors import ParameterError
from fdcodec.learning.samples import Samples
from fdcodec.transform.blocks import FloatArray, IntArray
from fdcodec.transform.fast import Dictionary, correlations
from fdcodec.transform.product import FactorProduct

Analysis = tuple[Dictionary | None, IntArray, FloatArray]
"""``(first, pairs, blocks)``: correlate a row with the first, if there is one, then apply the factors in order."""


@dataclass(frozen=True)
class ErrorObjective:
    """The relative error of sparse codes, ``||Y - D X||_F^2 / ||Y||_F^2`` (eq. reperror).

    Parameters
    ----------
    samples
        Y, one sample a row.
    sparsity
        s, the number of coefficients kept.
    """

    samples: Samples
    sparsity: int

    @cached_property
    def energy(self) -> float:
        """``||Y||_F^2``; 1 if the samples are all zero, so that errors stay finite."""
        return float(np.trace(gram_matrix(self.samples))) or 1.0


class SparseObjective(ErrorObjective):
    """The paper's objective for an orthogonal U: the error with ``X = T_s(U^T Y)`` (eq. dictionaryOrtho)."""

    @property
    def slope(self) -> float:
        """The error falls by this for each unit that tr(U^T Z) rises by at fixed X, to first order."""
        return 2.0 / self.energy

    def evaluate(self, transform: Dictionary) -> tuple[FloatArray, float]:
        """Return Z and the relative error for an orthogonal transform or matrix."""
        sums, kept = self.samples.reduce(partial(_sparse, analysis_of(transform), self.sparsity))
        return np.ascontiguousarray(sums.T), share_left(kept, self.energy)


@dataclass(frozen=True)
class RateObjective:
    """The mean log-rate of a sample, ``sum_k log2(1 + c_k^2 / step^2)`` with ``c = U^T y``, in bits.

    Parameters
    ----------
    samples
        Y, one sample a row.
    step
        Quantizer step in the unit of the samples, > 0.
    """

    samples: Samples
    step: float

    @cached_property
    def n_samples(self) -> float:
        """Number of samples."""
        return self.samples.reduce(_count)[1]

    @property
    def slope(self) -> float:
        """The rate falls by this for each unit that tr(U^T Z) rises by at fixed X, to first order."""
        return 2.0 / (math.log(2.0) * self.step**2 * self.n_samples)

    def evaluate(self, transform: Dictionary) -> tuple[FloatArray, float]:
        """Return Z for ``X = C^3 / (step^2 + C^2)``, and the mean log-rate, for an orthogonal transform."""
        sums, bits = self.samples.reduce(partial(_rate, analysis_of(transform), self.step))
        if not math.isfinite(bits):
            raise ParameterError(
                f"step is {self.step:g}, too small for such samples; give 1e-18 of the greatest or more"
            )
        return np.ascontiguousarray(sums.T), bits / self.n_samples


Objective = SparseObjective | RateObjective


def analysis_of(transform: Dictionary) -> Analysis:
    """Return ``U^T`` as the kernels take it."""
    if isinstance(transform, FactorProduct):
        blocks = np.ascontiguousarray(transform.blocks[::-1].transpose(0, 2, 1))
        return None, np.ascontiguousarray(transform.pairs[::-1]), blocks
    return transform, np.zeros((0, 2), np.int64), np.zeros((0, 2, 2))


def share_left(explained: float, energy: float) -> float:
    """Return the relative error of what explains so much of the energy; not below 0, which the difference may fall."""
    return max(1.0 - explained / energy, 0.0)


def gram_matrix(samples: Samples) -> FloatArray:
    """Return ``Y Y^T``, shape ``(n, n)``."""
    return samples.reduce(_gram)[0]


def _started(first: Dictionary | None, chunk: FloatArray) -> FloatArray:
    """Return what the factors are applied to."""
    return chunk if first is None else correlations(first, chunk)


def _sparse(analysis: Analysis, sparsity: int, chunk: FloatArray) -> tuple[FloatArray, float]:
    from fdcodec.kernels.learning.statistics import accumulate_sparse

    first, pairs, blocks = analysis
    sums = np.zeros((chunk.shape[1], chunk.shape[1]))
    return sums, accumulate_sparse(chunk, _started(first, chunk), pairs, blocks, sparsity, sums)


def _rate(analysis: Analysis, step: float, chunk: FloatArray) -> tuple[FloatArray, float]:
    from fdcodec.kernels.learning.statistics import accumulate_rate

    first, pairs, blocks = analysis
    sums = np.zeros((chunk.shape[1], chunk.shape[1]))
    return sums, accumulate_rate(chunk, _started(first, chunk), pairs, blocks, step, sums)


def _gram(chunk: FloatArray) -> tuple[FloatArray, float]:
    from fdcodec.kernels.learning.statistics import accumulate_gram

    sums = np.zeros((chunk.shape[1], chunk.shape[1]))
    accumulate_gram(chunk, sums)
    return sums, 0.0


def _count(chunk: FloatArray) -> tuple[FloatArray, float]:
    return np.zeros(0), float(len(chunk))
