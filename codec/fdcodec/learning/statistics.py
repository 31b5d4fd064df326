"""One pass over the data for a given product: Z = Y X^T and the objective, summed over a fixed number of chunks.

The number of chunks never depends on the number of threads, and their sums are added in order, so the same data give
the same bits on one thread and on many.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fdcodec.transform.blocks import FloatArray, IntArray
from fdcodec.transform.product import FactorProduct

N_CHUNKS = 8


def sum_over_chunks(
    work: Callable[[slice, FloatArray], float | None], n_samples: int, shape: tuple[int, ...], n_threads: int
) -> tuple[FloatArray, float]:
    """Return the sums over all chunks of what `work(chunk, sums)` adds to its own `sums` and of what it returns.

    Parameters
    ----------
    work
        Called once a chunk with the slice of samples and a zeroed array of `shape`; must release the GIL to gain.
    n_samples
        Number of samples to share out.
    shape
        Shape of the array of sums.
    n_threads
        Number of threads; it changes the time only.
    """
    edges = np.linspace(0, n_samples, N_CHUNKS + 1).astype(np.int64)

    def run(index: int) -> tuple[FloatArray, float]:
        sums = np.zeros(shape)
        return sums, float(work(slice(edges[index], edges[index + 1]), sums) or 0.0)

    if n_threads == 1:
        parts = [run(index) for index in range(N_CHUNKS)]
    else:
        with ThreadPoolExecutor(n_threads) as pool:
            parts = list(pool.map(run, range(N_CHUNKS)))
    total, value = parts[0]
    for part, part_value in parts[1:]:
        total += part
        value += part_value
    return total, value


@dataclass(frozen=True)
class SparseObjective:
    """The paper's objective: ``||Y - U X||_F^2 / ||Y||_F^2`` with ``X = T_s(U^T Y)`` (eqs. dictionaryOrtho, reperror).

    Parameters
    ----------
    samples
        Y, one sample a row: shape ``(n_samples, n)``, C-contiguous doubles.
    sparsity
        s, the number of coefficients kept.
    n_threads
        Threads of one pass.
    """

    samples: FloatArray
    sparsity: int
    n_threads: int = 1

    @cached_property
    def energy(self) -> float:
        """``||Y||_F^2``, 1 if the samples are all zero so that errors stay finite."""
        return float(np.einsum("ij,ij->", self.samples, self.samples)) or 1.0

    def evaluate(self, product: FactorProduct) -> tuple[FloatArray, float]:
        """Return Z and the relative error for an orthogonal product."""
        return self._evaluate(self.samples, product)

    def evaluate_dense(self, matrix: FloatArray) -> tuple[FloatArray, float]:
        """Return Z and the relative error for an orthogonal matrix U of shape ``(n, n)``."""
        return self._evaluate(times_matrix(self.samples, matrix, self.n_threads), identity(len(matrix)))

    def _evaluate(self, start: FloatArray, product: FactorProduct) -> tuple[FloatArray, float]:
        from fdcodec.kernels.learning_kernels import accumulate_sparse

        n = self.samples.shape[1]
        pairs, blocks = analysis_factors(product)

        def work(chunk: slice, sums: FloatArray) -> float:
            return float(accumulate_sparse(self.samples[chunk], start[chunk], pairs, blocks, self.sparsity, sums))

        sums, kept = sum_over_chunks(work, len(self.samples), (n, n), self.n_threads)
        return np.ascontiguousarray(sums.T), 1.0 - kept / self.energy


@dataclass(frozen=True)
class RateObjective:
    """The mean log-rate of a sample, ``sum_k log2(1 + c_k^2 / step^2)`` with ``c = U^T y``.

    Parameters
    ----------
    samples
        Y, one sample a row: shape ``(n_samples, n)``, C-contiguous doubles.
    step
        Quantizer step in the unit of the samples, > 0.
    n_threads
        Threads of one pass.
    """

    samples: FloatArray
    step: float
    n_threads: int = 1

    def evaluate(self, product: FactorProduct) -> tuple[FloatArray, float]:
        """Return Z for ``X = C^3 / (step^2 + C^2)`` and the mean log-rate in bits a sample."""
        from fdcodec.kernels.learning_kernels import accumulate_rate

        n = self.samples.shape[1]
        pairs, blocks = analysis_factors(product)

        def work(chunk: slice, sums: FloatArray) -> float:
            return float(accumulate_rate(self.samples[chunk], self.samples[chunk], pairs, blocks, self.step, sums))

        sums, bits = sum_over_chunks(work, len(self.samples), (n, n), self.n_threads)
        return np.ascontiguousarray(sums.T), bits / len(self.samples)


Objective = SparseObjective | RateObjective


def identity(n: int) -> FactorProduct:
    """Return the product of no factors."""
    return FactorProduct(n, np.zeros((0, 2), np.int64), np.zeros((0, 2, 2)))


def analysis_factors(product: FactorProduct) -> tuple[IntArray, FloatArray]:
    """Return the pairs and blocks of ``U^T`` in the order in which they act."""
    return np.ascontiguousarray(product.pairs[::-1]), np.ascontiguousarray(product.blocks[::-1].transpose(0, 2, 1))


def times_matrix(samples: FloatArray, matrix: FloatArray, n_threads: int) -> FloatArray:
    """Return ``samples @ matrix`` with sums in a fixed order."""
    from fdcodec.kernels.factor_kernels import apply_matrix

    out = np.empty((len(samples), matrix.shape[1]))
    right = np.ascontiguousarray(matrix)
    sum_over_chunks(lambda chunk, _: apply_matrix(samples[chunk], right, out[chunk]), len(samples), (0,), n_threads)
    return out


def gram_matrix(samples: FloatArray, n_threads: int) -> FloatArray:
    """Return ``Y Y^T`` (n x n) for samples in rows."""
    from fdcodec.kernels.learning_kernels import accumulate_gram

    n = samples.shape[1]

    def work(chunk: slice, sums: FloatArray) -> None:
        accumulate_gram(samples[chunk], sums)

    return sum_over_chunks(work, len(samples), (n, n), n_threads)[0]
