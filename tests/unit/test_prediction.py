"""Prediction against the specification's text in plain Python."""

import numpy as np
import pytest
from tests.reference import prediction as reference

from fdcodec.format.constants import CHROMA_FROM_LUMA, N_MODES
from fdcodec.kernels.reconstruction.planes import new_work, predict_block
from fdcodec.kernels.reconstruction.prediction import CUBIC_TAPS
from fdcodec.kernels.reconstruction.references import gather_references, is_decoded
from fdcodec.kernels.reconstruction.tables import build_tables

MODES = range(N_MODES + 1)
LOG2_SIDES = [(2, 2), (3, 3), (4, 4), (5, 5), (3, 2), (2, 3), (4, 3), (3, 4), (5, 4), (4, 5)]


def predicted(plane, luma, x, y, log2_sides, mode):
    """Return the kernels' prediction of a block, as a list."""
    work = new_work()
    predict_block(plane, luma, (x, y, *log2_sides), mode, build_tables({}), work)
    return work.prediction[: 1 << log2_sides[1], : 1 << log2_sides[0]].tolist()


def mismatches(plane, luma, x, y, log2_sides):
    """Return the modes whose prediction of a block differs from the specification's."""
    width, height = (1 << side for side in log2_sides)
    return [
        mode
        for mode in MODES
        if reference.predict(plane, luma, x, y, width, height, mode) != predicted(plane, luma, x, y, log2_sides, mode)
    ]


def random_plane(height, width, seed, low=0, high=2040):
    """Return a plane of uniform noise."""
    return np.random.default_rng(seed).integers(low, high, (height, width), np.int32, endpoint=True)


@pytest.mark.parametrize("log2_sides", LOG2_SIDES)
def test_first_block_is_middle_gray(log2_sides):
    """A block without neighbours is predicted as 1024 in every mode."""
    plane = np.zeros((32, 32), np.int32)
    expected = [[1024] * (1 << log2_sides[0])] * (1 << log2_sides[1])
    for mode in MODES:
        assert expected == predicted(plane, plane, 0, 0, log2_sides, mode)


@pytest.mark.parametrize("log2_sides", LOG2_SIDES)
@pytest.mark.parametrize("value", [0, 1024, 2040])
def test_constant_border_is_continued(log2_sides, value):
    """In a plane of one value every mode predicts that value."""
    plane = np.full((96, 96), value, np.int32)
    expected = [[value] * (1 << log2_sides[0])] * (1 << log2_sides[1])
    for mode in MODES:
        assert expected == predicted(plane, plane, 32, 32, log2_sides, mode)


@pytest.mark.parametrize("log2_sides", LOG2_SIDES)
@pytest.mark.parametrize("place", ["corner", "top edge", "left edge", "inside", "odd quarter", "last"])
def test_every_mode_follows_the_specification(log2_sides, place):
    """All 36 modes of a block with and without neighbours give the specification's integers."""
    width, height = (1 << side for side in log2_sides)
    x, y = {
        "corner": (0, 0),
        "top edge": (32, 0),
        "left edge": (0, 32),
        "inside": (32, 32),
        "odd quarter": (64 - width, 64 - height),
        "last": (100 - width, 68 - height),
    }[place]
    x, y = x // width * width, y // height * height
    plane, luma = random_plane(68, 100, seed=width), random_plane(68, 100, seed=10 + height)
    assert mismatches(plane, luma, x, y, log2_sides) == []


@pytest.mark.parametrize("log2_sides", LOG2_SIDES)
def test_extreme_samples_follow_the_specification(log2_sides):
    """Planes of nothing but the least and the greatest sample give the specification's integers."""
    plane = random_plane(96, 96, seed=7, high=1) * 2600 - 300
    luma = random_plane(96, 96, seed=8, high=1) * 2040
    assert mismatches(plane, luma, 32, 32, log2_sides) == []


@pytest.mark.parametrize("seed", range(8))
def test_smooth_planes_follow_the_specification(seed):
    """On plane waves, where chroma from luma has a slope, every mode gives the specification's integers."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:64, :64]
    luma = np.int32(1000 + 500 * np.sin(x / rng.uniform(3, 20) + y / rng.uniform(3, 20)) + rng.normal(0, 9, (64, 64)))
    plane = np.int32(rng.uniform(-5, 5) * (luma - 1000) + 900 + rng.normal(0, 9, (64, 64)))
    assert mismatches(plane, luma, 16, 32, LOG2_SIDES[seed]) == []


def test_references_of_every_block_of_a_plane():
    """At every place and size of a plane of 36x68 the references are the specification's."""
    plane = np.arange(36 * 68, dtype=np.int32).reshape(36, 68)
    references = np.zeros(4 * 32 + 8, np.int32)
    for log2_sides in LOG2_SIDES:
        width, height = (1 << side for side in log2_sides)
        for y in range(0, 36 - height + 1, height):
            for x in range(0, 68 - width + 1, width):
                gather_references(plane, (x, y, *log2_sides), references)
                expected = reference.references_of(plane, x, y, width, height)
                assert expected == references[: len(expected)].tolist()


def test_coding_order_exhaustively():
    """A cell is decoded before a block exactly where it comes first in raster order of trees and Z order of cells."""
    places = [(x, y) for y in range(0, 64, 4) for x in range(0, 96, 4)]
    for x, y in places:
        expected = [reference.coding_order(*cell) < reference.coding_order(x, y) for cell in places]
        assert expected == [bool(is_decoded(cell_x >> 2, cell_y >> 2, x, y)) for cell_x, cell_y in places]


def test_interpolation_taps():
    """The taps of each fraction are the specification's, sum to 64, and are mirrored."""
    assert [list(reference.taps_of(fraction)) for fraction in range(32)] == CUBIC_TAPS.tolist()
    assert CUBIC_TAPS.sum(axis=1).tolist() == [64] * 32
    assert CUBIC_TAPS[1:].tolist() == CUBIC_TAPS[:0:-1, ::-1].tolist()


@pytest.mark.parametrize("factor", [-30, 30])
def test_chroma_from_luma_keeps_the_slope_bounded(factor):
    """A border whose chroma runs far ahead of its luma, either way, gives a slope of 4, no more."""
    luma = np.tile(np.array([0, 2040], np.int32), (32, 16))
    first = predicted(factor * luma, luma, 16, 16, (3, 3), CHROMA_FROM_LUMA)[0]
    assert np.diff(first[:3]).tolist() == [np.sign(factor) * 8160, -np.sign(factor) * 8160]
