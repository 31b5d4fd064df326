"""The search for a quality."""

from math import exp, log

import pytest

from fdcodec.rate_control import MAX_ENCODES, Goal, search


class Counter:
    """A measure that remembers where it was taken."""

    def __init__(self, curve):
        self.curve, self.tried = curve, []

    def __call__(self, quality):
        """Return the curve's value."""
        self.tried.append(quality)
        return self.curve(quality)


CURVES = {
    "straight": lambda quality: 6 + 0.042 * quality,
    "steep": lambda quality: 6 + 0.09 * quality,
    "bent up": lambda quality: 6 + 0.02 * quality + 0.0004 * quality**2,
    "bent down": lambda quality: 6 + 0.09 * quality - 0.0004 * quality**2,
    "stairs": lambda quality: 6 + 0.0215 * round(quality / 0.512),
}


@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)
@pytest.mark.parametrize("share", [0.05, 0.3, 0.5, 0.9])
def test_size_is_met_from_below(curve, share):
    """Within eight tries the size is at most the limit and at least 97 % of it, and no quality is tried twice."""
    limit = exp(curve(0) + share * (curve(100) - curve(0)))
    measure = Counter(curve)
    quality = search(measure, Goal(log(0.97 * limit), log(limit), 0.042, True))
    assert 0.97 <= exp(curve(quality)) / limit <= 1
    assert len(measure.tried) == len(set(measure.tried)) <= MAX_ENCODES


def test_limit_below_every_size_gives_the_lowest_quality():
    """Where nothing is small enough the smallest is returned, for the caller to refuse."""
    assert search(lambda quality: 10 + quality / 1000, Goal(4.9, 5.0, 0.04, True)) == 0


def test_limit_above_every_size_gives_the_highest_quality():
    """Where everything is small enough the finest is returned."""
    assert search(lambda quality: quality / 20, Goal(9.9, 10.0, 0.04, True)) == 100


def test_nearest_is_returned_where_the_band_is_stepped_over():
    """Without a hard limit the nearest measure wins, on either side."""
    assert search(lambda quality: 30.0 if quality < 50 else 40.0, Goal(36.9, 37.1, 0.25, False)) >= 50


def test_hard_limit_prefers_the_lower_side():
    """With a hard limit a nearer measure above it loses."""
    assert search(lambda quality: 30.0 if quality < 50 else 40.0, Goal(36.9, 37.1, 0.25, True)) < 50
