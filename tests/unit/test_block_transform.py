"""Dequantization and inverse transform against the specification's text in plain Python."""

import numpy as np
import pytest
from tests.reference import reconstruction as reference

from fdcodec.coding.constants import ANGLE_LEVELS, COEFFICIENT_LIMIT, MAX_LEVEL, MAX_STEP_INDEX, N_GROUPS, N_MODES
from fdcodec.kernels.reconstruction_kernels import dequantize
from fdcodec.kernels.tables import HALF_STEPS, build_tables
from fdcodec.kernels.transform_kernels import forward_transform, inverse_transform, mode_group
from fdcodec.model.body import GroupTransform

LOG2_SIZES = (2, 3, 4, 5)
MODES = range(N_MODES + 1)


def random_transforms(n_rotations, seed):
    """Return that many random rotations and a random order for every size and mode group."""
    rng, transforms = np.random.default_rng(seed), {}
    for log2_size in LOG2_SIZES:
        zone = 16 if log2_size == 2 else 64
        for group in range(N_GROUPS):
            pairs = np.sort([rng.choice(zone, 2, replace=False) for _ in range(n_rotations)], axis=1)
            angles, order = rng.integers(0, ANGLE_LEVELS, n_rotations), rng.permutation(zone)
            transforms[log2_size, group] = GroupTransform(pairs.astype(np.uint8), angles, order)
    return transforms


def residual_of(coefficients, mode, tables):
    """Return the kernels' residual of a block of coefficients, as a list."""
    size = len(coefficients)
    block, scratch, residual = (np.zeros((32, 32), np.int32) for _ in range(3))
    block[:size, :size] = coefficients
    inverse_transform(block, mode, size.bit_length() - 1, tables, scratch, residual)
    return residual[:size, :size].tolist()


def sparse_block(size, high, n_nonzero, seed):
    """Return a block with some random coefficients up to +-high, more of them low."""
    rng, block = np.random.default_rng(seed), np.zeros((size, size), np.int32)
    places = np.minimum(rng.exponential(size / 4, (n_nonzero, 2)).astype(int), size - 1)
    block[places[:, 0], places[:, 1]] = rng.integers(-high, high, n_nonzero, endpoint=True)
    return block


PLAIN = build_tables({})
TRANSFORMS = random_transforms(20, seed=3)
LEARNED = build_tables(TRANSFORMS)


@pytest.mark.parametrize("log2_size", LOG2_SIZES)
def test_zeros_give_zeros(log2_size):
    """A block without coefficients has no residual."""
    zeros = [[0] * (1 << log2_size)] * (1 << log2_size)
    assert zeros == residual_of(zeros, 5, LEARNED)


@pytest.mark.parametrize("log2_size", LOG2_SIZES)
def test_one_coefficient_at_each_place(log2_size):
    """Each basis image is the specification's."""
    size = 1 << log2_size
    places = [(row, column) for row in range(0, size, size // 4) for column in range(0, size, size // 4)]
    for row, column in [*places, (size - 1, size - 1)]:
        block = np.zeros((size, size), np.int32)
        block[row, column] = -1000
        assert reference.inverse_transform(block.tolist(), 0, {}) == residual_of(block, 0, PLAIN)


@pytest.mark.parametrize("log2_size", LOG2_SIZES)
@pytest.mark.parametrize("sign", [-1, 1])
def test_extreme_coefficients(log2_size, sign):
    """Blocks full of the greatest coefficients are clamped where the specification clamps, without overflow."""
    size = 1 << log2_size
    block = np.full((size, size), sign * COEFFICIENT_LIMIT, np.int32)
    checkered = block * (1 - 2 * (np.indices((size, size)).sum(axis=0) % 2)).astype(np.int32)
    for extreme in (block, checkered):
        assert reference.inverse_transform(extreme.tolist(), 26, TRANSFORMS) == residual_of(extreme, 26, LEARNED)


@pytest.mark.parametrize("mode", MODES)
def test_transforms_of_every_mode(mode):
    """The rotations and order of each mode's group, transposed past the diagonal, give the specification's residual."""
    assert reference.group_of(mode) == mode_group(mode)
    for log2_size in (2, 3):
        block = sparse_block(1 << log2_size, 3000, 12, seed=mode)
        assert reference.inverse_transform(block.tolist(), mode, TRANSFORMS) == residual_of(block, mode, LEARNED)


@pytest.mark.parametrize("log2_size", [4, 5])
@pytest.mark.parametrize("seed", range(3))
def test_random_large_blocks(log2_size, seed):
    """Random coefficients of 16 and 32 points give the specification's residual."""
    block, mode = sparse_block(1 << log2_size, COEFFICIENT_LIMIT >> seed, 40, seed), 7 + 11 * seed
    assert reference.inverse_transform(block.tolist(), mode, TRANSFORMS) == residual_of(block, mode, LEARNED)


@pytest.mark.parametrize("log2_size", LOG2_SIZES)
@pytest.mark.parametrize("mode", [0, 1, 10, 18, 26, 34])
def test_inverse_undoes_forward(log2_size, mode):
    """Forward and inverse transform with rotations and order give back even noise to within one sample value."""
    size = 1 << log2_size
    residual = np.random.default_rng(mode).integers(-2040, 2040, (32, 32), np.int32)
    scratch, coefficients = np.zeros((32, 32), np.int32), np.zeros((32, 32), np.int32)
    forward_transform(residual, mode, log2_size, LEARNED, scratch, coefficients)
    error = np.array(residual_of(coefficients[:size, :size], mode, LEARNED)) - residual[:size, :size]
    assert np.abs(error).max() <= 8


@pytest.mark.parametrize("log2_size", LOG2_SIZES)
def test_scan_order(log2_size):
    """The scan is the specification's order of places."""
    expected = [32 * row + column for row, column in reference.scan_of(1 << log2_size)]
    assert expected == PLAIN.scans[log2_size, : len(expected)].tolist()


def test_half_steps():
    """Half a step of every index is the specification's."""
    assert [reference.half_step_of(index) for index in range(MAX_STEP_INDEX + 1)] == HALF_STEPS.tolist()


@pytest.mark.parametrize("end", [0, 1, 2, 3, 8, 16])
@pytest.mark.parametrize("seed", range(8))
def test_quantizer_walks_its_four_states(end, seed):
    """Levels of every parity and size give the coefficients of the four-state quantizer, up to the clamp."""
    rng = np.random.default_rng(seed)
    levels, scan = np.zeros((4, 4), np.int32), PLAIN.scans[2]
    magnitudes = rng.choice([0, 0, 1, 1, 2, 3, 4, 500, MAX_LEVEL], end)
    levels[scan[:end] >> 5, scan[:end] & 31] = magnitudes * rng.choice([-1, 1], end)
    step_index = int(rng.integers(MAX_STEP_INDEX + 1))
    coefficients = np.full((32, 32), 7, np.int32)
    dequantize(levels, scan, end, int(HALF_STEPS[step_index]), coefficients)
    assert reference.dequantize(levels, 4, end, step_index) == coefficients[:4, :4].tolist()


@pytest.mark.parametrize("log2_size", LOG2_SIZES)
@pytest.mark.parametrize("mode", [0, 10, 18, 19, 34])
def test_order_of_the_scan_moves_nothing(log2_size, mode):
    """A group whose order is the zone's own order of scan, seen as the group sees it, transforms as the plain base."""
    side = min(1 << log2_size, 8)
    order = [side * column + row if 18 < mode < 35 else side * row + column for row, column in reference.scan_of(side)]
    group = {(log2_size, reference.group_of(mode)): (np.zeros((0, 2)), np.zeros(0), np.array(order))}
    block = sparse_block(1 << log2_size, 3000, 20, seed=mode)
    assert residual_of(block, mode, PLAIN) == residual_of(block, mode, build_tables(group))


@pytest.mark.parametrize("log2_size", LOG2_SIZES)
@pytest.mark.parametrize("mode", [0, 10, 26])
def test_first_position_holds_the_first_of_the_order(log2_size, mode):
    """The coefficient at the first place of the scan is the one that the order names first."""
    side = min(1 << log2_size, 8)
    order = np.roll(np.arange(side * side), -(side + 2))
    group = {(log2_size, reference.group_of(mode)): (np.zeros((0, 2)), np.zeros(0), order)}
    first, named = (np.zeros((1 << log2_size, 1 << log2_size), np.int32) for _ in range(2))
    first[0, 0] = 500
    named[reference.place_of(order[0], side, mode)] = 500
    assert residual_of(named, mode, PLAIN) == residual_of(first, mode, build_tables(group))
