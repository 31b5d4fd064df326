"""Finding the quality that meets a size or a PSNR: at most eight encodes, none of them twice.

Size and PSNR both grow with the quality, log size and PSNR nearly in a straight line. So the search draws a secant
through the nearest attempts on both sides of the target, with a fixed slope while it has only one side of it.
One quality is tried for each quantization step. Then, or after five encodes, a fraction between a step and the one
below is, which `step_and_thrift` turns into the step and a share of its trees, the last ones, coded with thrift:
those before them are as in the file of the step, so that a measure that leaps from step to step goes little by little.
"""

from bisect import bisect_left
from collections.abc import Callable
from functools import cache
from math import inf, isinf
from typing import NamedTuple

from fdcodec.format.parameters import step_index_for

MAX_ENCODES = 8
"""Encodes that one target may cost."""

FIRST_QUALITY = 60.0
"""About where a search starts of which nothing better is known."""

_LOWEST = 0.0
_PARTS = (4, 16)  # of a quality that are tried, of 8 and 16 bits: the finer the steps fall

# ADR 0026 has the experiments of these four: targets that are met, encodes, how far thrift takes files down.
_COARSE_ENCODES = 5  # encodes after which what lies below a step is tried though other steps lie between; one later
_FAR = 6  # where so many do, as after long strides
_FALL = 3.5  # qualities by which thrift in all trees takes a file down, typically
_ENOUGH = 0.8  # share of that fall within which the aim must lie

# Guards against single bad cases (4484c0c, 09f6d66), held by tests; no experiment on many pictures is recorded.
_WAVERING = 3.0  # qualities by which a file may be beside what its quality lets expect: a byte or two of thirty
_STEEPEST = 4.0  # times the slope that is guessed: files that are all but exact lie far above, and a secant would creep
_LEAST_RISE = 1.25  # times the rise to the aim: however flat the guess, a secant leads beyond the aim
_MARGIN = 0.05  # a secant stays this share of the interval away from its ends, so that the interval always shrinks


class Goal(NamedTuple):
    """What a search is after, in a measure that grows with the quality.

    Parameters
    ----------
    lowest, highest
        Any measure between them ends the search.
    slope
        First guess of the measure's growth for one unit of quality.
    never_above
        Whether a result above `highest` is worthless, however near.
    start
        About the quality that is tried first.
    most_encodes
        How many the search may cost.
    """

    lowest: float
    highest: float
    slope: float
    never_above: bool
    start: float = FIRST_QUALITY
    most_encodes: int = MAX_ENCODES

    @property
    def aim(self) -> float:
        """Middle of what is accepted."""
        return (self.lowest + self.highest) / 2

    def rank(self, measure: float) -> tuple[bool, float]:
        """Order attempts, the best first: those allowed at all, then the nearest to the aim."""
        return self.never_above and measure > self.highest, abs(measure - self.aim)


def search(measure: Callable[[float], float], goal: Goal, deep: bool = False) -> float:
    """Return the quality that comes nearest to a goal.

    Parameters
    ----------
    measure
        Encodes at a quality (0..100) and returns what the goal is about.
    goal
        What is accepted.
    deep
        Whether the picture has 16-bit samples, whose steps are others.

    Returns
    -------
    quality
        The best of the attempts; where all measure above a goal that must not be exceeded, that of the least.
    """
    state = _Search({}, goal, _steps(deep))
    quality = _nearest(state.steps, goal.start)
    while quality not in state.attempts and len(state.attempts) < goal.most_encodes:
        state.attempts[quality] = measure(quality)
        if goal.lowest <= state.attempts[quality] <= goal.highest:
            break
        quality = state.next_quality()
    return min(state.attempts, key=lambda attempt: (*goal.rank(state.attempts[attempt]), attempt))


@cache
def _steps(deep: bool) -> list[float]:
    """Return the lowest quality, in _PARTS, of each quantization step, in order."""
    parts = _PARTS[deep]
    return sorted({step_index_for(k / parts, deep): k / parts for k in range(100 * parts, -1, -1)}.values())


def step_and_thrift(quality: float, deep: bool = False) -> tuple[float, float]:
    """Return the quality of the step at or above a quality, and the share of trees whose thrift takes it down there."""
    return _step_and_share(_steps(deep), quality)


def _step_and_share(steps: list[float], quality: float) -> tuple[float, float]:
    above = bisect_left(steps, quality)
    step, below = steps[above], steps[max(above - 1, 0)]
    return step, (step - quality) / max(step - below, 1e-9)


class _Search(NamedTuple):
    """A search as far as it has come: the measure of each quality tried, in order; the goal; the qualities of steps."""

    attempts: dict[float, float]
    goal: Goal
    steps: list[float]

    def next_quality(self) -> float:
        """Return what to try next; a quality that was tried ends the search."""
        goal, tried = self.goal, self.attempts.items()
        above = min((q for q, value in tried if value > goal.aim), default=inf)
        below = max((q for q, value in tried if value <= goal.aim and q < above), default=-inf)
        if isinf(above):
            return self._beyond(below)
        if isinf(below):
            return self._downward(above)
        between = [step for step in self.steps if below < step < above]
        n_more = len(tried) - _COARSE_ENCODES
        is_coarse = n_more > 0 or (n_more == 0 and len(between) < _FAR)
        if not between or (is_coarse and self._is_within_reach(above)):
            return self._part_of_step(above)
        return _nearest(between, self._between(below, above, _STEEPEST * goal.slope * (above - below)))

    def _is_within_reach(self, above: float) -> bool:
        """Tell whether thrift in the trees that have none at a quality may take the measure to the aim."""
        _, share = _step_and_share(self.steps, above)
        return self.attempts[above] - self.goal.aim <= _ENOUGH * (1 - share) * _FALL * self.goal.slope

    def _between(self, below: float, above: float, steepest: float) -> float:
        """Return about where the aim lies between two qualities, taking the rise between them as `steepest` at most."""
        least = self.attempts[below]
        cliff = least + max(steepest, _LEAST_RISE * (self.goal.aim - least))
        share = self._share(least, min(self.attempts[above], cliff))
        return below + (above - below) * min(max(share, _MARGIN), 1 - _MARGIN)

    def _share(self, below: float, above: float) -> float:
        """Return where the secant between two measures meets the aim; after two attempts on one side, nearer the other.

        This is the Illinois method: on a curve that is bent, one end would stay and the other creep.
        """
        under, over = self.goal.aim - below, above - self.goal.aim
        are_above = [value > self.goal.aim for value in list(self.attempts.values())[-2:]]
        if all(are_above):
            under /= 2
        elif not any(are_above):
            over /= 2
        return under / (under + over)

    def _part_of_step(self, above: float) -> float:
        """Return a fraction between a step and the one below it, or between two such fractions."""
        index, aim = bisect_left(self.steps, above), self.goal.aim
        top, floor = self.steps[index], self.steps[index - 1]
        below = max((q for q, value in self.attempts.items() if floor < q < above and value <= aim), default=floor)
        fall = _FALL * self.goal.slope
        if below > floor:
            return self._between(below, above, _STEEPEST * fall)
        down, width = (self.attempts[above] - aim) / fall * (top - floor), above - floor
        return above - min(max(down, _MARGIN * width), (1 - _MARGIN) * width)

    def _downward(self, nearest: float) -> float:
        """Return a quality below all that were tried; where the lowest nearly does, a low one: small files waver."""
        if _LOWEST not in self.attempts:
            return _LOWEST if len(self.attempts) == self.goal.most_encodes - 1 else self._beyond(nearest)
        if self.attempts[_LOWEST] - self.goal.highest > _WAVERING * self.goal.slope:
            return _LOWEST
        low = (_nearest(self.steps, quality) for quality in (0.5, *range(1, MAX_ENCODES)))
        return next(step for step in low if step not in self.attempts)

    def _beyond(self, nearest: float) -> float:
        """Return a step on the far side of all that were tried, where the aim would lie if the slope is as guessed.

        Each further step on the same side is twice as long: the slope was too steep for this picture.
        """
        stride = 2 ** (len(self.attempts) - 1) * (self.goal.aim - self.attempts[nearest]) / self.goal.slope
        wanted = nearest + stride
        beyond = [step for step in self.steps if (step > nearest if wanted > nearest else step < nearest)]
        return _nearest(beyond, wanted) if beyond else nearest


def _nearest(steps: list[float], quality: float) -> float:
    """Return the step nearest to a quality, or where there is none the quality itself."""
    return min(steps, key=lambda step: abs(step - quality), default=quality)
