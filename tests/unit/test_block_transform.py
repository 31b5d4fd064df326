"""Dequantization and inverse transform against the specification's text in plain Python."""

import numpy as np
import pytest
from tests.blocks import put_found
from tests.reference import reconstruction as reference

from fdcodec.format.constants import ANGLE_LEVELS, COEFFICIENT_LIMIT, MAX_LEVEL, MAX_STEP_INDEX, N_GROUPS, N_MODES
from fdcodec.kernels.reconstruction.planes import new_work
from fdcodec.kernels.reconstruction.quantizer import dequantize
from fdcodec.kernels.reconstruction.tables import HALF_STEPS, build_tables
from fdcodec.kernels.reconstruction.transforms import forward_transform, inverse_transform, mode_group
from fdcodec.model.body import ZONE_SIZES, GroupTransform

SHAPES = [(4, 4), (8, 8), (16, 16), (32, 32), (8, 4), (4, 8), (16, 8), (8, 16), (32, 16), (16, 32)]
MODES = range(N_MODES + 1)


def random_transforms(n_rotations, seed):
    """Return that many random rotations and a random order for every size class and mode group."""
    rng, transforms = np.random.default_rng(seed), {}
    for size, zone in enumerate(ZONE_SIZES):
        for group in range(N_GROUPS):
            pairs = np.sort([rng.choice(zone, 2, replace=False) for _ in range(n_rotations)], axis=1)
            angles, order = rng.integers(0, ANGLE_LEVELS, n_rotations), rng.permutation(zone)
            transforms[size, group] = GroupTransform(pairs.astype(np.uint8), angles, order)
    return transforms


def log2(side):
    """Return the logarithm of a power of two."""
    return side.bit_length() - 1


def residual_of(coefficients, mode, tables):
    """Return the kernels' residual of a block of coefficients, as a list."""
    height, width = np.shape(coefficients)
    residual, work = np.zeros((32, 32), np.int32), new_work()
    n_found = put_found(work, coefficients)
    inverse_transform(n_found, mode, log2(width), log2(height), tables, work, residual)
    return residual[:height, :width].tolist()


def sparse_block(width, height, high, n_nonzero, seed):
    """Return a block with some random coefficients up to +-high, more of them low."""
    rng, block = np.random.default_rng(seed), np.zeros((height, width), np.int32)
    sides = np.array([height, width])
    places = np.minimum((rng.exponential(0.25, (n_nonzero, 2)) * sides).astype(int), sides - 1)
    block[places[:, 0], places[:, 1]] = rng.integers(-high, high, n_nonzero, endpoint=True)
    return block


PLAIN = build_tables({})
TRANSFORMS = random_transforms(20, seed=3)
LEARNED = build_tables(TRANSFORMS)


@pytest.mark.parametrize(("width", "height"), SHAPES)
def test_zeros_give_zeros(width, height):
    """A block without coefficients has no residual."""
    zeros = [[0] * width] * height
    assert zeros == residual_of(zeros, 5, LEARNED)


@pytest.mark.parametrize(("width", "height"), SHAPES)
def test_one_coefficient_at_each_place(width, height):
    """Each basis image is the specification's."""
    places = [(row, column) for row in range(0, height, height // 4) for column in range(0, width, width // 4)]
    for row, column in [*places, (height - 1, width - 1)]:
        block = np.zeros((height, width), np.int32)
        block[row, column] = -1000
        assert reference.inverse_transform(block.tolist(), 0, {}) == residual_of(block, 0, PLAIN)


@pytest.mark.parametrize(("width", "height"), SHAPES)
@pytest.mark.parametrize("sign", [-1, 1])
def test_extreme_coefficients(width, height, sign):
    """Blocks full of the greatest coefficients are clamped where the specification clamps, without overflow."""
    block = np.full((height, width), sign * COEFFICIENT_LIMIT, np.int32)
    checkered = block * (1 - 2 * (np.indices((height, width)).sum(axis=0) % 2)).astype(np.int32)
    for extreme in (block, checkered):
        assert reference.inverse_transform(extreme.tolist(), 26, TRANSFORMS) == residual_of(extreme, 26, LEARNED)


@pytest.mark.parametrize("mode", MODES)
def test_transforms_of_every_mode(mode):
    """The matrix of each mode's group, transposed where the group says so, gives the specification's residual."""
    for width, height in SHAPES[:2] + SHAPES[4:6]:
        assert reference.group_of(mode, width, height) == mode_group(mode, log2(width), log2(height))
        block = sparse_block(width, height, 3000, 12, seed=mode)
        assert reference.inverse_transform(block.tolist(), mode, TRANSFORMS) == residual_of(block, mode, LEARNED)


@pytest.mark.parametrize(("width", "height"), [shape for shape in SHAPES if max(shape) > 8])
@pytest.mark.parametrize("seed", range(3))
def test_random_large_blocks(width, height, seed):
    """Random coefficients of 16 and 32 points give the specification's residual."""
    block, mode = sparse_block(width, height, COEFFICIENT_LIMIT >> seed, 40, seed), 7 + 11 * seed
    assert reference.inverse_transform(block.tolist(), mode, TRANSFORMS) == residual_of(block, mode, LEARNED)


@pytest.mark.parametrize(("width", "height"), SHAPES)
@pytest.mark.parametrize("mode", [0, 1, 10, 18, 26, 34])
def test_inverse_undoes_forward(width, height, mode):
    """Forward and inverse transform with rotations and order give back even noise to within one sample value."""
    residual = np.random.default_rng(mode).integers(-2040, 2040, (32, 32), np.int32)
    coefficients = np.zeros((32, 32), np.int32)
    forward_transform(residual, mode, log2(width), log2(height), LEARNED, new_work(), coefficients)
    error = np.array(residual_of(coefficients[:height, :width], mode, LEARNED)) - residual[:height, :width]
    assert np.abs(error).max() <= 8


@pytest.mark.parametrize("size", range(len(ZONE_SIZES)))
def test_composed_rotations(size):
    """The matrix of a group is the specification's, and orthogonal to within its rounding."""
    group = TRANSFORMS[size, 4]
    matrix = LEARNED.zones[size, 4, : len(group.order), : len(group.order)]
    assert reference.composed(*group) == matrix.tolist()
    product = matrix.astype(np.float64) @ matrix.T / (1 << 28)
    assert np.abs(product - np.eye(len(matrix))).max() < 1e-3


@pytest.mark.parametrize(("width", "height"), SHAPES)
def test_scan_order(width, height):
    """The scan is the specification's order of places."""
    expected = [32 * row + column for row, column in reference.scan_of(width, height)]
    assert expected == PLAIN.scans[log2(height), log2(width), : len(expected)].tolist()


def test_half_steps():
    """Half a step of every index is the specification's."""
    assert [reference.half_step_of(index) for index in range(MAX_STEP_INDEX + 1)] == HALF_STEPS.tolist()


@pytest.mark.parametrize("end", [0, 1, 2, 3, 8, 16])
@pytest.mark.parametrize("seed", range(8))
def test_quantizer_walks_its_four_states(end, seed):
    """Levels of every parity and size give the coefficients of the four-state quantizer, up to the clamp."""
    rng = np.random.default_rng(seed)
    block, places, work = np.zeros((4, 4), np.int64), PLAIN.scans[2, 2, :end], new_work()
    magnitudes = rng.choice([0, 0, 1, 1, 2, 3, 4, 500, MAX_LEVEL], end)
    levels = (magnitudes * rng.choice([-1, 1], end)).astype(np.int16)
    block[places >> 5, places & 31] = levels
    step_index, coefficients = int(rng.integers(MAX_STEP_INDEX + 1)), np.zeros((4, 4), np.int64)
    n_found = dequantize(levels, int(HALF_STEPS[step_index]), work)
    found = places[work.places[:n_found]]
    coefficients[found >> 5, found & 31] = work.found[:n_found]
    assert n_found == np.count_nonzero(levels)
    assert reference.dequantize(block, end, step_index) == coefficients.tolist()


@pytest.mark.parametrize(("width", "height"), SHAPES)
@pytest.mark.parametrize("mode", [0, 10, 18, 19, 34])
def test_order_of_the_scan_moves_nothing(width, height, mode):
    """A group whose order is the zone's own order of scan, seen as the group sees it, transforms as the plain base."""
    places = [place for place in reference.scan_of(width, height) if max(place) < 8]
    count = min(width, 8) * min(height, 8)
    order = [next(j for j in range(count) if reference.place_of(j, mode, width, height) == place) for place in places]
    key = (reference.size_class(width, height), reference.group_of(mode, width, height))
    group = {key: (np.zeros((0, 2)), np.zeros(0), np.array(order))}
    block = sparse_block(width, height, 3000, 20, seed=mode)
    assert residual_of(block, mode, PLAIN) == residual_of(block, mode, build_tables(group))


@pytest.mark.parametrize(("width", "height"), SHAPES)
@pytest.mark.parametrize("mode", [0, 10, 26])
def test_first_position_holds_the_first_of_the_order(width, height, mode):
    """The coefficient at the first place of the scan is the one that the order names first."""
    order = np.roll(np.arange(min(width, 8) * min(height, 8)), -6)
    key = (reference.size_class(width, height), reference.group_of(mode, width, height))
    group = {key: (np.zeros((0, 2)), np.zeros(0), order)}
    first, named = (np.zeros((height, width), np.int32) for _ in range(2))
    first[0, 0] = 500
    named[reference.place_of(order[0], mode, width, height)] = 500
    assert residual_of(named, mode, PLAIN) == residual_of(first, mode, build_tables(group))


@pytest.mark.parametrize(("width", "height"), SHAPES)
@pytest.mark.parametrize("high", [0, 1, 300, COEFFICIENT_LIMIT])
def test_weights_follow_the_specification(width, height, high):
    """Where coefficients are weighed, the residual is the specification's, the greatest coefficients clamped."""
    block, tables = sparse_block(width, height, high, 12, seed=high), LEARNED._replace(weighs=True)
    expected = reference.inverse_transform(block.tolist(), 26, TRANSFORMS, weighs=True)
    assert expected == residual_of(block, 26, tables)


@pytest.mark.parametrize(("width", "height"), SHAPES)
def test_weights_are_undone_by_weights(width, height):
    """Forward and inverse transform with weights give back a residual to within a sample value or two."""
    tables, coefficients = LEARNED._replace(weighs=True), np.zeros((32, 32), np.int32)
    residual = np.random.default_rng(5).integers(-500, 500, (32, 32), np.int32)
    forward_transform(residual, 26, log2(width), log2(height), tables, new_work(), coefficients)
    error = np.array(residual_of(coefficients[:height, :width], 26, tables)) - residual[:height, :width]
    assert np.abs(error).max() <= 12
