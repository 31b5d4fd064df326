"""Where the samples come from, and the one way to sum over them.

Every sum runs over chunks of `CHUNK` samples, and the sums of the chunks are added in the order of the samples. So the
same data give the same bits with one thread or many, in memory, in batches of any size, or from dask partitions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from fdcodec.errors import ParameterError
from fdcodec.learning.estimator import validated_samples
from fdcodec.parallel import each
from fdcodec.transform.blocks import FloatArray

CHUNK = 1024

Work = Callable[[FloatArray], tuple[FloatArray, float]]
"""From a chunk of samples, shape ``(<= CHUNK, n)``, to an array and a number, to be summed over the chunks."""

Batches = Iterable[ArrayLike] | Callable[[], Iterable[ArrayLike]]
"""Batches of samples, each of shape ``(any, n)``, in what can be iterated again, or the function that returns them."""


class Samples(Protocol):
    """Samples of n features, read as often as needed."""

    @property
    def n(self) -> int:
        """Number of features."""

    def reduce(self, work: Work) -> tuple[FloatArray, float]:
        """Return the sums over all chunks of the two results of `work`."""


class ArraySamples:
    """Samples in memory.

    Parameters
    ----------
    array
        Shape ``(n_samples, n)``, C-contiguous doubles.
    n_threads
        Number of threads that share the chunks; it changes the time only.
    """

    def __init__(self, array: FloatArray, n_threads: int = 1) -> None:
        self.array = array
        self.n_threads = n_threads

    @property
    def n(self) -> int:
        """Number of features."""
        return int(self.array.shape[1])

    def reduce(self, work: Work) -> tuple[FloatArray, float]:
        """Return the sums over all chunks of the two results of `work`."""
        return add_results(each(work, chunks_of([self.array]), self.n_threads, 2 * self.n_threads))


class BatchSamples:
    """Samples that are read again, batch by batch, on every pass; one batch and a chunk a thread are held at a time.

    Parameters
    ----------
    batches
        What can be iterated again, or a function that is called once a pass; gives arrays of shape ``(any, n)``, the
        same samples in the same order.
    n_threads
        Number of threads that share the chunks; it changes the time only.
    """

    def __init__(self, batches: Batches, n_threads: int = 1) -> None:
        self.batches = repeatable(batches)
        self.n_threads = n_threads

    @cached_property
    def n(self) -> int:
        """Number of features."""
        for batch in self.batches():
            return int(validated_samples(batch, "batches[0]", least=0).shape[1])
        raise ParameterError("batches holds no batch; at least one is required")

    def reduce(self, work: Work) -> tuple[FloatArray, float]:
        """Return the sums over all chunks of the two results of `work`."""
        return add_results(each(work, chunks_of(self._checked()), self.n_threads, 2 * self.n_threads))

    def _checked(self) -> Iterator[FloatArray]:
        for number, batch in enumerate(self.batches()):
            rows = validated_samples(batch, f"batches[{number}]", least=0)
            if rows.shape[1] != self.n:
                raise ParameterError(
                    f"batches[{number}] has {rows.shape[1]} features, batches[0] {self.n}; give all as many"
                )
            yield rows


def repeatable(batches: Batches) -> Callable[[], Iterable[ArrayLike]]:
    """Return the function that gives the batches on every pass; ParameterError for what can be iterated once only."""
    if callable(batches):
        return batches
    if isinstance(batches, Iterable) and not isinstance(batches, Iterator):
        return lambda: batches
    raise ParameterError(
        f"batches is a {type(batches).__name__}; every pass reads the batches again: give what can be iterated more "
        "than once, such as a list of arrays, or a function that returns a new iterator at each call"
    )


def chunks_of(batches: Iterable[FloatArray]) -> Iterator[FloatArray]:
    """Yield the rows of the batches in chunks of `CHUNK`, the last one shorter, whatever the sizes of the batches."""
    rest: FloatArray | None = None
    for batch in batches:
        rows = batch if rest is None or len(rest) == 0 else np.concatenate([rest, batch])
        whole = len(rows) - len(rows) % CHUNK
        yield from (rows[first : first + CHUNK] for first in range(0, whole, CHUNK))
        rest = rows[whole:]
    if rest is not None and len(rest):
        yield rest


def add_results(results: Iterable[tuple[FloatArray, float]]) -> tuple[FloatArray, float]:
    """Return the sums of arrays and numbers, added in order."""
    total: FloatArray | None = None
    value = 0.0
    for array, number in results:
        total = array.copy() if total is None else np.add(total, array, out=total)
        value += number
    if total is None:
        raise ParameterError("there are no samples; at least one is required")
    return total, value
