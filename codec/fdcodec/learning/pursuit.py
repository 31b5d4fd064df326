"""The objective of dictionaries that are not orthogonal: sparse coding by Batch-OMP."""

from __future__ import annotations

from functools import partial

import numpy as np

from fdcodec.learning.samples import chunks_of
from fdcodec.learning.statistics import ErrorObjective, share_left
from fdcodec.parallel import each
from fdcodec.transform.blocks import FloatArray
from fdcodec.transform.fast import Dictionary, FastTransform, correlations, times_matrix


class PursuitObjective(ErrorObjective):
    """The paper's objective for any D: the error with ``X = OMP(D, Y, s)`` (eq. dictionaryGeneral)."""

    def evaluate(self, dictionary: Dictionary) -> tuple[FloatArray, FloatArray, float]:
        """Return ``Z = Y X^T``, ``W = X X^T`` and the relative error; the atoms must have unit norm or be zero."""
        sums, explained = self.samples.reduce(partial(_pursue, dictionary, atom_gram(dictionary), self.sparsity))
        return np.ascontiguousarray(sums[0].T), sums[1], share_left(explained, self.energy)


def atom_gram(dictionary: Dictionary) -> FloatArray:
    """Return ``D^T D``, by the structure of D where it has one (section VI)."""
    if isinstance(dictionary, FastTransform):
        return dictionary.apply_transpose(dictionary.to_dense().T)
    return times_matrix(np.ascontiguousarray(dictionary.T), dictionary)


def pursuit_codes(
    dictionary: Dictionary, rows: FloatArray, sparsity: int, n_threads: int = 1
) -> tuple[FloatArray, float]:
    """Return ``X = OMP(D, Y, s)``, one code a row, and the energy that it explains."""
    code = partial(_code, dictionary, atom_gram(dictionary), sparsity)
    results = list(each(code, chunks_of([rows]), n_threads))
    return np.concatenate([codes for codes, _ in results]), sum(explained for _, explained in results)


def _code(dictionary: Dictionary, gram: FloatArray, sparsity: int, chunk: FloatArray) -> tuple[FloatArray, float]:
    from fdcodec.kernels.learning.pursuit import code_by_pursuit

    start = correlations(dictionary, chunk)
    codes = np.empty_like(start)
    return codes, code_by_pursuit(start, gram, sparsity, codes)


def _pursue(dictionary: Dictionary, gram: FloatArray, sparsity: int, chunk: FloatArray) -> tuple[FloatArray, float]:
    from fdcodec.kernels.learning.pursuit import accumulate_pursuit

    sums = np.zeros((2, chunk.shape[1], chunk.shape[1]))
    return sums, accumulate_pursuit(chunk, correlations(dictionary, chunk), gram, sparsity, sums)
