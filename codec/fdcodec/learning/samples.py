"""Where the samples come from, and the one way to sum over them.

Every sum runs over chunks of `CHUNK` samples, and the sums of the chunks are added in the order of the samples. So the
same data give the same bits with one thread or many, in memory, in batches of any size, or from dask partitions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Protocol

import numpy as np

from fdcodec.errors import ParameterError
from fdcodec.parallel import each
from fdcodec.transform.blocks import FloatArray

CHUNK = 1024

Work = Callable[[FloatArray], tuple[FloatArray, float]]
"""From a chunk of samples, shape ``(<= CHUNK, n)``, to an array and a number, to be summed over the chunks."""


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
        Called once a pass; returns the batches, arrays of shape ``(any, n)``, the same samples in the same order.
    n_threads
        Number of threads that share the chunks; it changes the time only.
    """

    def __init__(self, batches: Callable[[], Iterable[FloatArray]], n_threads: int = 1) -> None:
        self.batches = batches
        self.n_threads = n_threads

    @cached_property
    def n(self) -> int:
        """Number of features."""
        for batch in self.batches():
            return int(np.asarray(batch).shape[-1])
        raise ParameterError("batches() returned no batch; at least one is required")

    def reduce(self, work: Work) -> tuple[FloatArray, float]:
        """Return the sums over all chunks of the two results of `work`."""
        return add_results(each(work, chunks_of(self._checked()), self.n_threads, 2 * self.n_threads))

    def _checked(self) -> Iterator[FloatArray]:
        for batch in self.batches():
            array = np.ascontiguousarray(batch, dtype=np.float64)
            if array.ndim != 2 or array.shape[1] != self.n or not np.all(np.isfinite(array)):
                raise ParameterError(
                    f"batches() gave shape {array.shape}; each must be (any, {self.n}), without NaN or inf"
                )
            yield array


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
