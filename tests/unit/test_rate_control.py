"""The search for a quality."""

from bisect import bisect
from math import exp, log

import numpy as np
import pytest

from fdcodec.format.parameters import step_index_for
from fdcodec.rate_control import MAX_ENCODES, Goal, search, step_and_thrift

STEPS = sorted({step_and_thrift(k / 4)[0] for k in range(401)})


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


def test_low_qualities_are_tried_where_the_lowest_nearly_does():
    """A limit that quality 0 misses by a byte is met by one of the qualities above it that has a smaller file."""
    measure = Counter(lambda quality: log(36 if 1 < quality < 4 else 37 + quality / 2))
    quality = search(measure, Goal(log(0.97 * 36), log(36), 0.042, True))
    assert measure.curve(quality) == log(36)
    assert len(measure.tried) == len(set(measure.tried)) <= MAX_ENCODES


def test_quality_just_above_the_lowest_is_tried_first():
    """A limit that quality 0 misses by a byte is met by one half, where only that is smaller."""
    measure = Counter(lambda quality: log(36 if 0 < quality < 1 else 37 + quality / 2))
    assert 0 < search(measure, Goal(log(0.97 * 36), log(36), 0.042, True)) < 1


def test_sizes_that_hardly_grow_are_left_in_long_strides():
    """Where sizes are alike over most of the qualities and just above the limit, what lies below these is found."""

    def curve(quality):
        step, share = step_and_thrift(quality)
        return 10 + 0.0005 * step - 0.03 * max(10 - step, 0) - 0.12 * share

    limit = exp(curve(10) - 0.01)
    measure = Counter(curve)
    quality = search(measure, Goal(log(0.97 * limit), log(limit), 0.042, True))
    assert 0.97 * limit <= exp(curve(quality)) <= limit
    assert len(measure.tried) <= MAX_ENCODES


def test_low_qualities_cost_nothing_where_the_lowest_is_far():
    """Where quality 0 is far above the limit nothing is tried after it."""
    measure = Counter(lambda quality: 6 + 0.042 * quality)
    assert search(measure, Goal(4.97, 5.0, 0.042, True)) == measure.tried[-1] == 0


def test_limit_above_every_size_gives_the_highest_quality():
    """Where everything is small enough the finest is returned."""
    assert search(lambda quality: quality / 20, Goal(9.9, 10.0, 0.04, True)) == 100


def test_nearest_is_returned_where_the_band_is_stepped_over():
    """Without a hard limit the nearest measure wins, on either side."""
    assert search(lambda quality: 30.0 if quality < 50 else 40.0, Goal(36.9, 37.1, 0.25, False)) >= 50


def test_hard_limit_prefers_the_lower_side():
    """With a hard limit a nearer measure above it loses."""
    assert search(lambda quality: 30.0 if quality < 50 else 40.0, Goal(36.9, 37.1, 0.25, True)) < 50


def test_what_lies_between_two_steps_is_tried_after_both():
    """A quality between two steps of quantization is tried once both have been, where five encodes suffice for that."""
    measure = Counter(lambda quality: 34 + 0.27 * quality)
    search(measure, Goal(46.1769, 46.1771, 0.27, False))
    first = next(k for k, quality in enumerate(measure.tried) if step_and_thrift(quality)[1] > 0)
    above = bisect(STEPS, measure.tried[first])
    assert first < 5
    assert set(STEPS[above - 1 : above + 1]) < set(measure.tried[:first])


def test_what_lies_between_two_steps_is_tried_after_five_encodes():
    """After five encodes what lies below a step is tried, though other steps lie between; not before."""
    measure = Counter(lambda quality: 34 + 0.1 * quality)
    search(measure, Goal(38.5099, 38.5101, 0.27, False))
    assert [step_and_thrift(quality)[1] > 0 for quality in measure.tried] == 5 * [False] + 3 * [True]


def test_wide_gap_is_halved_before_thrift_is_tried():
    """Where long strides leave many steps between five encodes, the sixth is one of them, and meets the size."""
    qualities, sizes = (0, 59.5, 62.75, 69.25, 77.75, 85, 100), (7, 9.4302, 9.4425, 9.4853, 9.5378, 9.607, 9.8)

    def curve(quality):
        step, share = step_and_thrift(quality)
        return float(np.interp(step, qualities, sizes)) - 0.02 * share

    measure = Counter(curve)
    quality = search(measure, Goal(log(0.97 * 14637), log(14637), 0.042, True))
    assert 0.97 * 14637 <= exp(curve(quality)) <= 14637
    assert [step_and_thrift(tried)[1] for tried in measure.tried] == 6 * [0]


def test_what_lies_between_two_steps_is_reached():
    """Where neighbouring steps step over the goal, a share of trees with thrift at the upper one is tried."""
    upper = step_and_thrift(50)[0]

    def measure(quality):
        step, share = step_and_thrift(quality)
        return 6 + 0.042 * step + (0.1 if step >= upper else 0) - 0.15 * share

    highest = measure(upper)
    quality = search(measure, Goal(highest - 0.06, highest - 0.03, 0.042, True))
    assert step_and_thrift(quality)[0] == upper
    assert highest - 0.06 <= measure(quality) <= highest - 0.03


@pytest.mark.parametrize("seed", range(8))
def test_steps_that_waver_do_not_keep_a_search_from_its_goal(seed):
    """Where a PSNR leaps from step to step but falls evenly with the trees that have thrift, it is met."""
    leaps = dict(zip(STEPS, np.random.default_rng(seed).normal(0, 0.15, len(STEPS)), strict=True))

    def curve(quality):
        step, share = step_and_thrift(quality)
        return 22 + 0.27 * step + leaps[step] - 0.9 * share

    measure = Counter(curve)
    quality = search(measure, Goal(35.92, 36.08, 0.27, False))
    assert curve(quality) == pytest.approx(36, abs=0.08)
    assert len(measure.tried) <= MAX_ENCODES


def test_thrift_that_does_not_do_gives_way_to_lower_steps():
    """Where nearly all trees have thrift and the size is above the goal still, the steps between are tried."""
    qualities, sizes = (0, 59.5, 67, 75.75, 78.25, 79, 100), (7, 9.6131, 9.7578, 9.9076, 9.955, 10.0281, 12)

    def curve(quality):
        step, share = step_and_thrift(quality)
        return float(np.interp(step, qualities, sizes)) - 0.063 * share

    quality = search(Counter(curve), Goal(log(0.97 * 21095), log(21095), 0.042, True))
    assert 0.97 * 21095 <= exp(curve(quality)) <= 21095
    assert step_and_thrift(quality)[1] == 0


def test_steps_have_no_thrift():
    """The qualities of the steps are encoded as they are, and every step has one."""
    assert {step_and_thrift(step) for step in STEPS} == {(step, 0.0) for step in STEPS}
    assert {step_index_for(step) for step in STEPS} == {step_index_for(k / 4) for k in range(401)}


def test_end_that_stays_does_not_hold_the_search():
    """A size is met where one end of the secant would stay at quality 0 and the other creep."""
    qualities = (0, 9, 9.5, 10, 10.25, 10.75, 12.25, 15.75, 23.75, 59.5, 100)  # of kodim05
    sizes = (5286, 18850, 19233, 19565, 20242, 21305, 23586, 29484, 38632, 89018, 400000)
    measure = Counter(lambda quality: float(np.interp(quality, qualities, np.log(sizes))))
    quality = search(measure, Goal(log(0.97 * 20000), log(20000), 0.042, True))
    assert 0.97 * 20000 <= exp(measure.curve(quality)) <= 20000


@pytest.mark.parametrize("excess", [1e-5, 4e-4, -0.0305, -0.033])
def test_first_attempt_that_nearly_does_is_not_the_last(excess):
    """Where the next quality would be the one just tried, its neighbour is tried."""
    measure = Counter(lambda quality: 6 + 0.042 * quality)
    limit = exp(measure.curve(59.5) - excess)
    quality = search(measure, Goal(log(0.97 * limit), log(limit), 0.042, True))
    assert 0.97 <= exp(measure.curve(quality)) / limit <= 1


def test_last_encode_is_the_coarsest():
    """Where all files are a little too large, however little a lower quality helps, the last tried is the lowest."""
    size = Counter(lambda quality: 1.0005 + 1e-6 * quality)
    assert search(size, Goal(0.9999, 1.0, 0.042, never_above=True)) == 0
    assert (len(size.tried), size.tried.index(0)) == (MAX_ENCODES, MAX_ENCODES - 1)
