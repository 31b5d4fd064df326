"""BD-rate against published vectors and cases that can be worked out by hand."""

import math

import pytest

from fdcodec.compare.bd_rate import bd_rate

PUBLISHED = {  # curves of FAU-LMS/bjontegaard, example_usage.py; values of its release 1.3.0, method "pchip"
    -4.417485350589045: (
        ([9487.76, 4593.60, 2486.44, 1358.24], [40.037, 38.615, 36.845, 34.851]),
        ([9787.80, 4469.00, 2451.52, 1356.24], [40.121, 38.651, 36.970, 34.987]),
    ),
    -4.47218200276197: (
        ([82472.76, 26875.24, 9487.76, 4593.6], [43.825, 41.404, 40.037, 38.615]),
        ([99896.96, 33952.04, 9787.8, 4469.0], [44.731, 41.875, 40.121, 38.651]),
    ),
    -2.9528024116427964: (
        ([82472.76, 26875.24, 9487.76, 4593.6, 3600, 2900], [43.825, 41.404, 40.037, 38.615, 36.5, 35.1]),
        ([99896.96, 33952.04, 9787.8, 4469.0, 4040, 3300], [44.731, 41.875, 40.121, 38.651, 37, 36.5]),
    ),
}
RATES, QUALITIES = [1.0, 2.0, 4.0, 8.0, 16.0], [30.0, 33.0, 36.0, 39.0, 42.0]


@pytest.mark.parametrize("expected", PUBLISHED)
def test_published_vectors(expected):
    """The PCHIP variant gives the values of the published implementation."""
    anchor, test = PUBLISHED[expected]
    assert expected == pytest.approx(bd_rate(*anchor, *test).percent, abs=1e-9)


@pytest.mark.parametrize("factor", [0.5, 1.0, 1.25])
def test_a_constant_factor_in_rate_is_the_bd_rate(factor):
    """A curve that takes `factor` times the bits at every quality has BD-rate ``100 (factor - 1)``."""
    actual = bd_rate(RATES, QUALITIES, [factor * rate for rate in RATES], QUALITIES)
    assert 100 * (factor - 1) == pytest.approx(actual.percent, abs=1e-9)


def test_log_linear_curves_on_different_points():
    """Doubling every 3 dB against doubling every 3 dB shifted by 1 dB is ``2^(-1/3) - 1``, whatever the points."""
    shifted = bd_rate(RATES, QUALITIES, RATES, [quality + 1 for quality in QUALITIES])
    assert pytest.approx(shifted.percent, abs=1e-9) == 100 * (2 ** (-1 / 3) - 1)
    assert (shifted.low, shifted.high) == (31.0, 42.0)


def test_order_of_points_does_not_matter():
    """Points may come in any order."""
    forward = bd_rate(RATES, QUALITIES, [0.9, 2.1, 3.9, 8.2, 15.0], QUALITIES)
    backward = bd_rate(RATES[::-1], QUALITIES[::-1], [15.0, 8.2, 3.9, 2.1, 0.9], QUALITIES[::-1])
    assert forward == backward


def test_dominated_points_are_left_out():
    """A point that costs more than another without being better changes nothing."""
    clean = bd_rate(RATES, QUALITIES, RATES, QUALITIES)
    bent = bd_rate(RATES, QUALITIES, [*RATES, 5.0, 4.0, 4.0], [*QUALITIES, 35.0, 31.0, 34.0])
    assert clean == bent


def test_infinite_quality_is_left_out():
    """A lossless point (infinite PSNR) cannot be interpolated and is dropped."""
    assert bd_rate(RATES, QUALITIES, RATES, QUALITIES) == bd_rate(
        RATES, QUALITIES, [*RATES, 20.0], [*QUALITIES, math.inf]
    )


@pytest.mark.parametrize(
    ("anchor", "test", "overlap"),
    [
        ([30.0, 30.25, 30.5, 31.0], [30.0, 30.25, 30.5, 31.0], 1.0),
        ([30.0, 31.0, 32.0, 34.0], [31.0, 32.0, 33.0, 35.0], 0.75),
        ([30.0, 33.0, 36.0, 42.0], [33.0, 34.0, 35.0, 36.0], 1.0),
        ([33.0, 34.0, 35.0, 36.0], [30.0, 33.0, 36.0, 42.0], 1.0),
    ],
    ids=["shortest range", "least overlap", "narrow test", "narrow anchor"],
)
def test_least_that_curves_must_share_is_enough(anchor, test, overlap):
    """Curves that share just one unit, or just 75 % of the narrower one, whichever that is, are compared."""
    actual = bd_rate(RATES[:4], anchor, RATES[:4], test)
    assert (actual.overlap, actual.reason, math.isfinite(actual.percent)) == (overlap, "", True)


@pytest.mark.parametrize(
    ("qualities", "reason"),
    [
        ([50.0, 53.0, 56.0, 59.0, 62.0], "the curves share no quality"),
        ([41.5, 45.0, 48.0, 51.0, 54.0], "the curves share a quality range of 0.50, less than 1"),
        ([36.0, 39.0, 42.0, 45.0, 48.0], "the curves share 50% of the narrower quality range, less than 75%"),
        ([30.0, 33.0, 36.0, math.nan, math.nan], "3 usable points on a curve, 4 are needed"),
        ([33.0, 33.0, 33.0, 33.0, 33.0], "1 usable point on a curve, 4 are needed"),
    ],
)
def test_refusals_are_nan_and_say_why(qualities, reason):
    """Curves that do not allow a comparison give NaN and the reason."""
    actual = bd_rate(RATES, QUALITIES, RATES, qualities)
    assert (True, reason) == (math.isnan(actual.percent), actual.reason)
