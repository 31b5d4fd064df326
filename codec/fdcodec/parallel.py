"""Work in threads: kernels run without the GIL, so several of them go at a time."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")


def usable_processors() -> int:
    """Return the number of processors that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(work: Callable[[S], T], items: Iterable[S], threads: int) -> Iterator[T]:
    """Yield the work on each item, in order; no more than `threads` of them at a time.

    After an interrupt nothing more is begun, and what is in work is not waited for.
    """
    if threads == 1:
        yield from map(work, items)
        return
    pool, waits = ThreadPoolExecutor(threads), True
    try:
        yield from pool.map(work, items)
    except KeyboardInterrupt:
        waits = False  # for what is in work
        raise
    finally:
        pool.shutdown(waits, cancel_futures=True)
