"""Learning from a dask array: the sums over the samples are a map over its partitions, reduced in order.

Needs the `dask` extra. The partitions are cut at multiples of the learners' chunk, and the chunks' sums are added in
the order of the samples, so the result equals the single-process one bit for bit.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from fdcodec.errors import ParameterError
from fdcodec.integrations import needing
from fdcodec.learning.estimator import check_values, checked_integer
from fdcodec.learning.learner import TransformLearner
from fdcodec.learning.samples import CHUNK, Work, add_results, chunks_of
from fdcodec.transform.blocks import FloatArray

with needing("dask"):
    from dask.base import compute
    from dask.delayed import delayed

Learner = TypeVar("Learner", bound=TransformLearner)


class DaskSamples:
    """Samples in a dask array.

    Parameters
    ----------
    array
        A dask array of shape ``(n_samples, n)`` of known size, of integers or floating point.
    partition_size
        Samples a task, rounded up to a multiple of `CHUNK`.

    Raises
    ------
    ParameterError
        An argument is outside what is allowed.
    """

    def __init__(self, array: Any, partition_size: int = 16 * CHUNK) -> None:
        if array.ndim != 2 or not np.all(np.isfinite(array.shape)) or 0 in array.shape:
            raise ParameterError(f"array has shape {array.shape}; it must be (n_samples >= 1, n >= 1), of known size")
        if array.dtype.kind not in "biuf":
            raise ParameterError(f"array has dtype {array.dtype}; it must be real numbers, convert it to float64")
        rows = -(-checked_integer("partition_size", partition_size, 1) // CHUNK) * CHUNK
        self._partitions = array.rechunk({0: rows, 1: -1}).to_delayed().ravel()
        self.n = int(array.shape[1])

    def reduce(self, work: Work) -> tuple[FloatArray, float]:
        """Return the sums over all chunks of the two results of `work`, computed by dask's scheduler."""
        tasks = [delayed(_sums_of_chunks)(partition, work) for partition in self._partitions]
        return add_results(result for partition in compute(*tasks) for result in partition)


def fit(learner: Learner, array: Any, partition_size: int = 16 * CHUNK) -> Learner:
    """Fit a learner on a dask array and return it.

    Parameters
    ----------
    learner
        Any learner of `fdcodec.learning` that does not need its samples in memory (all but the K-SVDs).
    array
        A dask array of shape ``(n_samples, n)`` of integers or floating point; every value finite.
    partition_size
        Samples a task.

    Raises
    ------
    ParameterError
        As for `DaskSamples`, or a value is not finite.
    """
    return learner.fit_samples(DaskSamples(array, partition_size))


def _sums_of_chunks(partition: FloatArray, work: Work) -> list[tuple[FloatArray, float]]:
    rows = np.ascontiguousarray(partition, dtype=np.float64)
    check_values(rows, "array")
    return [work(chunk) for chunk in chunks_of([rows])]
