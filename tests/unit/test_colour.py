"""The colour transform against the specification's text in plain Python."""

import numpy as np
import pytest
from tests.images import noise, photo
from tests.reference import colour as reference

from fdcodec.image.colour import (
    OPPONENT,
    aim_beyond,
    choose_colour,
    colour_matrix,
    from_planes,
    plane_bounds,
    to_planes,
)

RANGES = [None, (0, 0), (7, 8), (100, 4195), (0, 65535)]
ANGLES = [None, (0, 0, 0), (128, 0, 0), (511, 511, 511), (63, 40, 301), (17, 256, 490)]


@pytest.mark.parametrize("angles", ANGLES, ids=str)
def test_matrix_and_ranges(angles):
    """The matrix of each triple of angles and the ranges of its planes are the specification's."""
    assert reference.matrix_of(angles) == colour_matrix(angles).tolist()
    assert reference.ranges_of(reference.matrix_of(angles)) == plane_bounds(colour_matrix(angles))


def test_range_of_gray():
    """A gray plane goes from 0 to 2040."""
    assert reference.ranges_of(None) == plane_bounds(None)


@pytest.mark.parametrize("sample_range", RANGES)
@pytest.mark.parametrize("angles", ANGLES, ids=str)
def test_random_planes_become_samples(angles, sample_range):
    """Planes of random values, some far outside their ranges, give the specification's samples."""
    planes = np.random.default_rng(1).integers(-4000, 6000, (3, 8, 12), np.int32)
    samples = from_planes(planes, colour_matrix(angles), 7, 10, sample_range)
    matrix = reference.matrix_of(angles)
    expected = [
        [reference.samples_of(planes[:, y, x].tolist(), matrix, sample_range) for x in range(10)] for y in range(7)
    ]
    assert expected == samples.tolist()


@pytest.mark.parametrize("sample_range", RANGES)
def test_random_gray_becomes_samples(sample_range):
    """A gray plane of any values gives the specification's samples."""
    plane = np.arange(-20, 2060, dtype=np.int32).reshape(1, 40, 52)
    expected = [[reference.samples_of([value], None, sample_range) for value in row] for row in plane[0].tolist()]
    assert expected == from_planes(plane, None, 40, 52, sample_range).tolist()


@pytest.mark.parametrize("angles", ANGLES, ids=str)
def test_planes_give_the_samples_back(angles):
    """Samples come back from their planes exactly, black, white and primaries among them."""
    corners = np.array([[[r, g, b] for r in (0, 255) for g in (0, 255) for b in (0, 255)]], np.uint8)
    samples = np.concatenate([corners, noise(6, 8, 3, seed=2)])
    matrix = colour_matrix(angles)
    planes = to_planes(samples, matrix)
    assert samples.tolist() == from_planes(planes, matrix, 7, 8).tolist()
    for plane, (low, high) in zip(planes, plane_bounds(matrix), strict=True):
        assert low - 2 <= plane.min() <= plane.max() <= high + 2


@pytest.mark.parametrize(("height", "width"), [(1, 1), (3, 4), (4, 5), (8, 8)])
def test_padding_repeats_the_edge(height, width):
    """Planes are padded on the right and below to multiples of 4, with the last column and row."""
    samples = noise(height, width, 1, seed=3)
    planes = to_planes(samples, None)
    rows, columns = np.minimum(np.arange(-(-height // 4) * 4), height - 1), np.arange(-(-width // 4) * 4)
    expected = samples[rows][:, np.minimum(columns, width - 1), 0].astype(int) * 8
    assert expected.tolist() == planes[0].tolist()


def test_black_and_white_cells_aim_beyond_the_range():
    """Cells of 4x4 that are all black or all white aim half a sample value beyond it; all others at themselves."""
    samples = noise(8, 12, 3, seed=5)
    samples[:4, :4], samples[4:, 8:], samples[:4, 8:, :2] = 0, 255, 0
    planes = to_planes(samples, OPPONENT)
    moved = (aim_beyond(planes, OPPONENT) - planes)[:, ::4, ::4]
    assert moved.tolist() == [[[-7, 0, 0], [0, 0, 7]], [[0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]]]
    gray = to_planes(samples[:, :, :1], None)
    assert (aim_beyond(gray, None) - gray)[0, ::4, ::4].tolist() == [[-4, 0, -4], [0, 0, 4]]


@pytest.mark.parametrize("tint", [(1, 0.1, 0.05), (0.05, 0.2, 1), (1, 1, 0)], ids=["red", "blue", "yellow"])
def test_choice_beats_the_opponent_transform(tint):
    """The angles chosen for a tinted picture make its differences cheaper than the default matrix does."""
    samples = np.uint8(photo(48, 64)[:, :, :1] * np.array(tint))

    def rate(matrix):
        planes = to_planes(samples, matrix) / 8
        return sum(np.log2(1 + (np.diff(planes, axis=axis) / 3) ** 2).sum() for axis in (1, 2))

    assert rate(colour_matrix(choose_colour(samples, 12.0))) < rate(colour_matrix(None))


def test_choice_for_gray_content_and_tiny_pictures():
    """A picture without colour or without two pixels keeps the default transform."""
    assert choose_colour(np.repeat(photo(32, 32)[:, :, :1], 3, axis=2), 12.0) is None
    assert choose_colour(noise(1, 1, 3, seed=4), 12.0) is None
