"""Work in threads: kernels run without the GIL, so several of them go at a time."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")


def usable_processors() -> int:
    """Return the number of processors that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(work: Callable[[S], T], items: Iterable[S], threads: int, ahead: int | None = None) -> Iterator[T]:
    """Yield the work on each item, in order; no more than `threads` of them at a time.

    Where results are large, `ahead` is how many there may be before the first is taken; with None it is all. After an
    interrupt nothing more is begun, and what is in work is not waited for.
    """
    if threads == 1:
        yield from map(work, items)
        return
    pool, waits, rest = ThreadPoolExecutor(threads), True, iter(items)
    try:
        pending = deque(pool.submit(work, item) for item in islice(rest, ahead))
        while pending:
            result = pending.popleft().result()
            pending.extend(pool.submit(work, item) for item in islice(rest, 1))
            yield result
    except KeyboardInterrupt:
        waits = False  # for what is in work
        raise
    finally:
        pool.shutdown(waits, cancel_futures=True)
