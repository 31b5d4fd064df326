"""The encoder's choice of levels against the cost of every other choice."""

from itertools import product

import numpy as np
import pytest

from fdcodec.coding.contexts import N_CONTEXTS
from fdcodec.kernels.cost_kernels import end_cost, magnitude_cost, new_costs, update_costs
from fdcodec.kernels.quantization_kernels import keep_largest, optimize_levels, trellis_levels
from fdcodec.kernels.range_coder import new_contexts
from fdcodec.kernels.syntax_kernels import NEXT_STATE, STRIDE, coefficient_context
from fdcodec.kernels.tables import build_tables

SCANS = build_tables({}).scans
HALF_STEP = 700  # in 1/64 of a coefficient unit
LAGRANGIAN = HALF_STEP**2 // 30


class Choice:
    """One block, what the encoder chose for it, and what any other choice would cost."""

    def __init__(self, coefficients, lagrangian=LAGRANGIAN, seed=0):
        self.coefficients, self.log2 = coefficients, len(coefficients).bit_length() - 1
        self.lagrangian, self.scan = lagrangian, SCANS[self.log2]
        self.contexts, self.costs = new_contexts(N_CONTEXTS), new_costs()
        if seed:
            probabilities = np.random.default_rng(seed).integers(3000, 62000, N_CONTEXTS)
            self.contexts[:, 0] = self.contexts[:, 1] = probabilities
        update_costs(self.contexts, 0, self.costs)
        self.levels, self.neighbours = np.zeros((32, 32), np.int32), np.zeros(1024, np.int64)
        self.block = np.zeros((32, 32), np.int32)
        self.block[: len(coefficients), : len(coefficients)] = coefficients
        self.scalar_end, self.scalar_cost = self.run(
            optimize_levels, (np.zeros(STRIDE * STRIDE + 2, np.int32), np.zeros((3, 1024), np.int64))
        )
        self.scalar_levels = self.levels.copy()
        paths = np.zeros((2, 1024, 4), np.int64)
        self.end = self.run(trellis_levels, (paths[0], paths[1], np.zeros((6, 4), np.int64)))

    def run(self, kernel, scratch):
        """Run one of the two quantizers."""
        block = (0, self.log2, 0, self.scan)
        arrays = (self.levels, self.neighbours, scratch)
        return kernel(self.block, block, HALF_STEP, self.lagrangian, self.contexts, self.costs, *arrays)

    def cost(self, magnitudes):
        """Return the cost of magnitudes by scan position from 0, the rest being zero, as the trellis counts it."""
        n_positions = 1 << (2 * self.log2)
        magnitudes = [*magnitudes, *[0] * (n_positions - len(magnitudes))]
        end = max((k + 1 for k, magnitude in enumerate(magnitudes) if magnitude), default=0)
        total, state = self.lagrangian * end_cost(self.contexts, self.costs, 0, self.log2, 0, end), 0
        for k in range(n_positions - 1, -1, -1):
            row, column = self.scan[k] >> 5, self.scan[k] & 31
            magnitude, quantizer = magnitudes[k], state >> 1
            error = 64 * abs(int(self.block[row, column])) - max(2 * magnitude - quantizer, 0) * HALF_STEP
            total += error * error << 6
            if k < end:
                table = self.costs.last_levels if k == end - 1 else self.costs.levels
                context = coefficient_context(0, self.log2, quantizer, row + column, self.neighbours[k])
                total += self.lagrangian * magnitude_cost(table[context], magnitude)
                state = NEXT_STATE[state, magnitude & 1]
        return total

    def magnitudes(self):
        """Return the trellis's magnitudes by scan position."""
        places = self.scan[: 1 << (2 * self.log2)]
        return np.abs(self.levels[places >> 5, places & 31]).tolist()


def block_of(values, log2_size=2):
    """Return a block with these coefficients at the start of the scan."""
    block = np.zeros((1 << log2_size, 1 << log2_size), np.int32)
    for place, value in zip(SCANS[log2_size], values, strict=False):
        block[place >> 5, place & 31] = value
    return block


def laplacian_block(log2_size, scale, seed):
    """Return random coefficients, in steps, that fall off with the frequency."""
    size, rng = 1 << log2_size, np.random.default_rng(seed)
    falloff = 1 / (1 + np.indices((size, size)).sum(axis=0))
    return np.int32(rng.laplace(0, scale * 2 * HALF_STEP / 64, (size, size)) * falloff)


def test_zeros_stay_zeros():
    """A block of zeros ends at 0."""
    choice = Choice(block_of([]))
    assert (choice.scalar_end, choice.end) == (0, 0)
    assert choice.cost([]) == choice.scalar_cost


def test_whole_steps_are_kept_where_bits_are_cheap():
    """At a low price, coefficients of whole steps are kept with their signs."""
    step = 2 * HALF_STEP // 64
    coefficients = block_of([5 * step, -3 * step, 0, 2 * step, -step])
    choice = Choice(coefficients, lagrangian=1)
    assert choice.scalar_levels[:4, :4].tolist() == np.abs(np.rint(coefficients / step)).astype(int).tolist()
    assert choice.cost(choice.magnitudes()) <= 2 * choice.cost([5, 3, 0, 2, 1])
    assert (np.sign(choice.levels[:4, :4]) * np.sign(coefficients) >= 0).all()


def test_everything_is_dropped_where_bits_are_dear():
    """At a high price nothing is coded."""
    choice = Choice(laplacian_block(3, 4, seed=1), lagrangian=1 << 36)
    assert (choice.scalar_end, choice.end) == (0, 0)
    assert not choice.levels.any()


@pytest.mark.parametrize("log2_size", [2, 3, 4, 5])
@pytest.mark.parametrize("scale", [0.3, 1, 4, 2000])
@pytest.mark.parametrize("seed", range(1, 4))
def test_chosen_levels_cost_no_more_than_zeros(log2_size, scale, seed):
    """Neither quantizer is worse than coding nothing, and the end is one past the last level that is not zero."""
    choice = Choice(laplacian_block(log2_size, scale, seed), seed=seed)
    magnitudes = choice.magnitudes()
    assert choice.scalar_cost <= choice.cost([])
    assert choice.cost(magnitudes) <= choice.cost([])
    assert choice.end == max((k + 1 for k, magnitude in enumerate(magnitudes) if magnitude), default=0)


@pytest.mark.parametrize("seed", range(1, 9))
def test_trellis_finds_the_cheapest_path(seed):
    """On four coefficients no choice among zero and the two nearest levels of each state is cheaper."""
    rng = np.random.default_rng(seed)
    values = rng.integers(-3 * HALF_STEP // 32, 3 * HALF_STEP // 32, 4)
    choice = Choice(block_of(values), seed=seed)
    best = choice.cost([])
    for magnitudes in product(range(6), repeat=4):
        if any(magnitudes) and is_allowed(values, magnitudes):
            best = min(best, choice.cost(magnitudes))
    assert best == choice.cost(choice.magnitudes())


def is_allowed(values, magnitudes):
    """Tell whether each magnitude is zero or one of the two nearest of the state it is met in."""
    last = max(k for k in range(4) if abs(int(values[k])) * 64 >= HALF_STEP)
    end = max(k + 1 for k in range(4) if magnitudes[k])
    state = 0
    for k in range(end - 1, -1, -1):
        whole = abs(int(values[k])) * 64 // HALF_STEP
        if values[k] == 0 and magnitudes[k]:
            return False
        if magnitudes[k] not in (0, (whole + (state >> 1)) >> 1, ((whole + (state >> 1)) >> 1) + 1):
            return False
        state = NEXT_STATE[state, magnitudes[k] & 1]
    return end - 1 <= last


@pytest.mark.parametrize("seed", range(1, 9))
def test_zero_coefficients_get_no_levels(seed):
    """A level that would only steer the quantizer's state is not coded, so that a sparsity holds."""
    block = laplacian_block(3, 6, seed)
    block[np.random.default_rng(seed).random((8, 8)) < 0.5] = 0
    choice = Choice(block, lagrangian=1, seed=seed)
    assert choice.levels.any()
    assert not choice.levels[:8, :8][block == 0].any()


@pytest.mark.parametrize("sparsity", [1, 3, 16, 99])
@pytest.mark.parametrize("seed", range(3))
def test_keep_largest(sparsity, seed):
    """The s largest magnitudes stay, of equal ones the first by rows; the rest is zero."""
    block = np.zeros((32, 32), np.int32)
    block[:4, :4] = np.random.default_rng(seed).integers(-4, 5, (4, 4))
    order = np.argsort(-np.abs(block[:4, :4]).ravel(), kind="stable")
    expected = block[:4, :4].ravel().copy()
    expected[order[sparsity:]] = 0
    keep_largest(block, 4, sparsity, np.zeros((32, 32), np.int32))
    assert expected.tolist() == block[:4, :4].ravel().tolist()
