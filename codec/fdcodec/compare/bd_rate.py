"""Bjontegaard delta rate: how many percent of the bits a codec takes more (or, if negative, less) at equal quality.

G. Bjontegaard, VCEG-M33, 2001, with piecewise cubic Hermite (PCHIP) interpolation as in the JVET common test
conditions (JVET-T2010): the mean, over the quality range that both curves cover, of the difference of log rates.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from fdcodec.words import counted

MIN_POINTS = 4  # VCEG-M33 defines the measure on four points
MIN_OVERLAP = 0.75  # of the narrower of the two quality ranges
MIN_RANGE = 1.0  # dB, or points of SSIMULACRA2; a shorter interval says nothing about a codec


class BDRate(NamedTuple):
    """A BD-rate and the quality interval it is the mean over; refused ones are NaN and say why in `reason`."""

    percent: float
    low: float
    high: float
    overlap: float
    reason: str = ""


def bd_rate(
    anchor_rate: Sequence[float], anchor_quality: Sequence[float], rate: Sequence[float], quality: Sequence[float]
) -> BDRate:
    """Return the BD-rate of a test curve against an anchor curve.

    Points that cost more than another one without being better are left out of a curve (nobody would choose them), so
    that both curves are increasing.

    Parameters
    ----------
    anchor_rate, rate
        Rates > 0 in any one unit, such as bits a pixel, in any order.
    anchor_quality, quality
        A measure that grows with quality, on a scale near linear (PSNR in dB), one value a rate.

    Returns
    -------
    BDRate
        `percent` is NaN where fewer than 4 points remain, or the curves share less than 75 % of the narrower quality
        range or less than 1 unit of it.

    Examples
    --------
    >>> bd_rate([1, 2, 4, 8], [30, 33, 36, 39], [0.5, 1, 2, 4], [30, 33, 36, 39]).percent
    -50.0
    """
    anchor, test = _front(anchor_rate, anchor_quality), _front(rate, quality)
    points = min(len(anchor[0]), len(test[0]))
    if points < MIN_POINTS:
        return BDRate(
            math.nan, math.nan, math.nan, 0.0, f"{counted(points, 'usable point')} on a curve, {MIN_POINTS} are needed"
        )
    low, high = max(anchor[1][0], test[1][0]), min(anchor[1][-1], test[1][-1])
    narrower = min(np.ptp(anchor[1]), np.ptp(test[1]))
    overlap = float(max(high - low, 0) / narrower)
    reason = _refusal(high - low, overlap)
    percent = math.nan if reason else 100 * math.expm1(_mean_log(test, low, high) - _mean_log(anchor, low, high))
    return BDRate(float(percent), float(low), float(high), overlap, reason)


def _front(rate: Sequence[float], quality: Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return (log rate, quality) of the points that no cheaper point equals in quality, in increasing order."""
    points = [(r, q) for r, q in zip(rate, quality, strict=True) if math.isfinite(q)]
    front: list[tuple[float, float]] = []
    for r, q in sorted(points, key=lambda point: (point[0], -point[1])):
        if not front or q > front[-1][1]:
            front.append((r, q))
    table = np.array(front, dtype=np.float64).reshape(-1, 2)
    return np.log(table[:, 0]), table[:, 1]


def _refusal(length: float, overlap: float) -> str:
    if length <= 0:
        return "the curves share no quality"
    if length < MIN_RANGE:
        return f"the curves share a quality range of {length:.2f}, less than {MIN_RANGE:g}"
    if overlap < MIN_OVERLAP:
        return f"the curves share {overlap:.0%} of the narrower quality range, less than {MIN_OVERLAP:.0%}"
    return ""


def _mean_log(curve: tuple[NDArray[np.float64], NDArray[np.float64]], low: float, high: float) -> float:
    log_rate, quality = curve
    return float(PchipInterpolator(quality, log_rate).integrate(low, high) / (high - low))
