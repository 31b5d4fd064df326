"""How long learners iterate, and whom they tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

Callback = Callable[[int, float], object]
"""Called after each iteration with its number, from 1, and the objective that it reached."""


WINDOW = 10
"""Iterations over which a run must gain: the errors of R_m-DLA and K-SVD rise now and then on their way down."""


@dataclass(frozen=True)
class Iterations:
    """The iterations of one run.

    Parameters
    ----------
    count
        Most iterations.
    tol
        Stop when `WINDOW` iterations have lowered the least objective by less than this share of it; 0 runs all.
    callback
        What to call after each iteration, if anything.
    """

    count: int
    tol: float = 0.0
    callback: Callback | None = None

    def over(self, curve: list[float]) -> Iterator[int]:
        """Yield the number of each iteration, from 0, whose objective the caller appends to `curve`, until the end."""
        for number in range(self.count):
            yield number
            if self.callback is not None:
                self.callback(number + 1, curve[-1])
            if len(curve) > WINDOW and min(curve) > (1.0 - self.tol) * min(curve[:-WINDOW]):
                return
