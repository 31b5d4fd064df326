"""The encoder's choice of levels against the cost of every other choice."""

from itertools import product

import numpy as np
import pytest
from tests.blocks import ALL_SIZES
from tests.reference.reconstruction import NEXT_STATE

from fdcodec.format.constants import MAX_UNARY
from fdcodec.format.contexts import N_CONTEXTS
from fdcodec.kernels.reconstruction.blocks import size_class
from fdcodec.kernels.reconstruction.tables import build_tables
from fdcodec.kernels.search.costs import end_cost, escape_cost, new_costs, update_costs
from fdcodec.kernels.search.quantization import keep_largest
from fdcodec.kernels.search.trellis import trellis_levels
from fdcodec.kernels.syntax.levels import FREQUENCY_CLASS, NEIGHBOUR_CLASS, coefficient_context
from fdcodec.kernels.syntax.range_coder import new_contexts

SCANS = build_tables({}).scans
HALF_STEP = 700  # in 1/64 of a coefficient unit
LAGRANGIAN = HALF_STEP**2 // 30


class Choice:
    """One block, what the encoder chose for it, and what any other choice would cost."""

    def __init__(self, coefficients, lagrangian=LAGRANGIAN, seed=0):
        height, width = coefficients.shape
        self.log2_width, self.log2_height = width.bit_length() - 1, height.bit_length() - 1
        self.size = size_class(self.log2_width, self.log2_height)
        self.lagrangian, self.scan = lagrangian, SCANS[self.log2_height, self.log2_width]
        self.contexts, self.costs = new_contexts(N_CONTEXTS), new_costs()
        if seed:
            probabilities = np.random.default_rng(seed).integers(3000, 62000, N_CONTEXTS)
            self.contexts[:, 0] = self.contexts[:, 1] = probabilities
        update_costs(self.contexts, 0, lagrangian, self.costs)
        self.levels, self.block = np.zeros(1024, np.int16), np.zeros((32, 32), np.int32)
        self.block[:height, :width] = coefficients
        coded, steps = (self.log2_width, self.log2_height, 0, self.scan), np.zeros((1024, 4), np.int64)
        self.end, self.end_cost = trellis_levels(
            self.block, coded, HALF_STEP, lagrangian, self.costs, self.levels, steps
        )

    @property
    def n_positions(self):
        """The number of coefficients."""
        return 1 << (self.log2_width + self.log2_height)

    def error(self, k, magnitude, quantizer):
        """Return the squared error of a magnitude at a scan position."""
        value = abs(int(self.block[self.scan[k] >> 5, self.scan[k] & 31]))
        return (64 * value - max(2 * magnitude - quantizer, 0) * HALF_STEP) ** 2 << 6

    def rate(self, k, magnitude, quantizer, above, is_last):
        """Return the price of a magnitude at a scan position; `above`: those of higher positions, 15 at most."""
        row, column = int(self.scan[k]) >> 5, int(self.scan[k]) & 31
        near, far = ((0, 1), (1, 0)), ((0, 2), (1, 1), (2, 0))
        total = sum(2 * above.get((row + dy, column + dx), 0) for dy, dx in near)
        total += sum(above.get((row + dy, column + dx), 0) for dy, dx in far)
        frequency, neighbours = FREQUENCY_CLASS[self.size, row + column], NEIGHBOUR_CLASS[min(total, 25)]
        context = coefficient_context(0, self.size, quantizer, frequency, neighbours)
        table = self.costs.last_levels if is_last else self.costs.levels
        return int(table[context, min(magnitude, MAX_UNARY)]) + self.lagrangian * int(escape_cost(magnitude))

    def cost(self, magnitudes):
        """Return the cost of magnitudes by scan position from 0, the rest being zero, with the contexts they have."""
        magnitudes = [*magnitudes, *[0] * (self.n_positions - len(magnitudes))]
        end = max((k + 1 for k, magnitude in enumerate(magnitudes) if magnitude), default=0)
        total = int(end_cost(self.costs, self.size, 0, end))
        state, above = 0, {}
        for k in range(self.n_positions - 1, -1, -1):
            magnitude, quantizer = int(magnitudes[k]), state >> 1
            total += self.error(k, magnitude, quantizer)
            if k < end:
                total += self.rate(k, magnitude, quantizer, above, k == end - 1)
                above[int(self.scan[k]) >> 5, int(self.scan[k]) & 31] = min(magnitude, 15)
                state = NEXT_STATE[state][magnitude & 1]
        return total

    def magnitudes(self):
        """Return the trellis's magnitudes by scan position."""
        return np.abs(self.levels[: self.n_positions]).tolist()

    def levels_by_place(self):
        """Return the trellis's levels where their coefficients stand."""
        places, plane = self.scan[: self.n_positions], np.zeros_like(self.block)
        plane[places >> 5, places & 31] = self.levels[: self.n_positions]
        return plane


def candidates(choice, k, state):
    """Return the magnitudes that the trellis weighs in a state: zero and the two nearest of its quantizer."""
    value = abs(int(choice.block[choice.scan[k] >> 5, choice.scan[k] & 31])) * 64
    low = (value // HALF_STEP + (state >> 1)) >> 1
    return {0} if value == 0 else {0, low, low + 1}


def viterbi(choice):
    """Return the cost of the path a search over four states finds, each state keeping its cheapest path so far."""
    amplitudes = np.abs(choice.block[choice.scan >> 5, choice.scan & 31][: choice.n_positions].astype(np.int64)) * 64
    last = max((k for k in range(choice.n_positions) if amplitudes[k] >= HALF_STEP), default=-1)
    zeros = [choice.error(k, 0, 0) for k in range(choice.n_positions)]
    ends = [int(end_cost(choice.costs, choice.size, 0, end))
            for end in range(choice.n_positions + 1)]  # fmt: skip
    paths = {}
    for k in range(last, -1, -1):
        starts = [(sum(zeros[k + 1 :]) + ends[k + 1], 0, {}, True)]
        steps = []
        for cost, state, above, opens in [(c, s, a, False) for s, (c, a) in sorted(paths.items())] + starts:
            for magnitude in sorted(candidates(choice, k, state)):
                if opens and not magnitude:
                    continue
                price = choice.rate(k, magnitude, state >> 1, above, opens) + choice.error(k, magnitude, state >> 1)
                place = (int(choice.scan[k]) >> 5, int(choice.scan[k]) & 31)
                steps.append((cost + price, NEXT_STATE[state][magnitude & 1], {**above, place: min(magnitude, 15)}))
        paths = {}
        for cost, state, above in steps:
            if state not in paths or cost < paths[state][0]:
                paths[state] = cost, above
    return min([sum(zeros) + ends[0], *(cost for cost, _ in paths.values())])


def block_of(values, sides=(2, 2)):
    """Return a block with these coefficients at the start of the scan."""
    block = np.zeros((1 << sides[1], 1 << sides[0]), np.int32)
    for place, value in zip(SCANS[sides[1], sides[0]], values, strict=False):
        block[place >> 5, place & 31] = value
    return block


def laplacian_block(sides, scale, seed):
    """Return random coefficients, in steps, that fall off with the frequency."""
    shape, rng = (1 << sides[1], 1 << sides[0]), np.random.default_rng(seed)
    falloff = 1 / (1 + np.indices(shape).sum(axis=0))
    return np.int32(rng.laplace(0, scale * 2 * HALF_STEP / 64, shape) * falloff)


def test_zeros_stay_zeros():
    """A block of zeros ends at 0."""
    choice = Choice(block_of([]))
    assert choice.end == 0
    assert choice.cost([]) == choice.end_cost


def test_whole_steps_are_kept_where_bits_are_cheap():
    """At a low price, coefficients of whole steps are kept with their signs."""
    step = 2 * HALF_STEP // 64
    coefficients = block_of([5 * step, -3 * step, 0, 2 * step, -step])
    choice = Choice(coefficients, lagrangian=1)
    assert choice.cost(choice.magnitudes()) <= 2 * choice.cost([5, 3, 0, 2, 1])
    assert (np.sign(choice.levels_by_place()[:4, :4]) * np.sign(coefficients) >= 0).all()


def test_everything_is_dropped_where_bits_are_dear():
    """At a high price nothing is coded."""
    choice = Choice(laplacian_block((3, 3), 4, seed=1), lagrangian=1 << 36)
    assert choice.end == 0
    assert not choice.levels.any()


@pytest.mark.parametrize("sides", ALL_SIZES)
@pytest.mark.parametrize("scale", [0.3, 1, 4, 2000])
@pytest.mark.parametrize("seed", range(1, 4))
def test_chosen_levels_cost_what_is_said(sides, scale, seed):
    """The trellis costs what it returns, not more than coding nothing; the end is past the last level."""
    choice = Choice(laplacian_block(sides, scale, seed), seed=seed)
    magnitudes = choice.magnitudes()
    assert choice.end == max((k + 1 for k, magnitude in enumerate(magnitudes) if magnitude), default=0)
    assert choice.end_cost == choice.cost(magnitudes) <= choice.cost([])


@pytest.mark.parametrize("sides", [(2, 2), (3, 2), (2, 3), (3, 3), (4, 3), (3, 4)])
@pytest.mark.parametrize("scale", [1, 4, 30])
@pytest.mark.parametrize("seed", range(1, 4))
def test_trellis_follows_the_search_in_plain_python(sides, scale, seed):
    """The cheapest path, with the contexts of its own magnitudes, is that of a plain search over four states."""
    choice = Choice(laplacian_block(sides, scale, seed), seed=seed)
    assert viterbi(choice) == choice.end_cost


@pytest.mark.parametrize("seed", range(1, 9))
def test_trellis_finds_the_cheapest_of_three(seed):
    """On three coefficients, of which one has a path to each state, no choice among the candidates is cheaper."""
    values = np.random.default_rng(seed).integers(-3 * HALF_STEP // 32, 3 * HALF_STEP // 32, 3)
    choice = Choice(block_of(values), seed=seed)
    best = choice.cost([])
    for magnitudes in product(range(6), repeat=3):
        if any(magnitudes) and is_allowed(choice, values, magnitudes):
            best = min(best, choice.cost(magnitudes))
    assert best == choice.end_cost


def is_allowed(choice, values, magnitudes):
    """Tell whether each magnitude is among the candidates of the state it is met in."""
    last = max((k for k, value in enumerate(values) if abs(int(value)) * 64 >= HALF_STEP), default=-1)
    end, state = max(k + 1 for k, magnitude in enumerate(magnitudes) if magnitude), 0
    for k in range(end - 1, -1, -1):
        if magnitudes[k] not in candidates(choice, k, state):
            return False
        state = NEXT_STATE[state][magnitudes[k] & 1]
    return end - 1 <= last


@pytest.mark.parametrize("seed", range(1, 9))
def test_zero_coefficients_get_no_levels(seed):
    """A level that would only steer the quantizer's state is not coded, so that a sparsity holds."""
    block = laplacian_block((3, 3), 6, seed)
    block[np.random.default_rng(seed).random((8, 8)) < 0.5] = 0
    choice = Choice(block, lagrangian=1, seed=seed)
    assert choice.levels.any()
    assert not choice.levels_by_place()[:8, :8][block == 0].any()


@pytest.mark.parametrize("sparsity", [1, 3, 16, 99])
@pytest.mark.parametrize("sides", [(4, 4), (8, 4), (4, 8)])
@pytest.mark.parametrize("seed", range(3))
def test_keep_largest(sparsity, sides, seed):
    """The s largest magnitudes stay, of equal ones the first by rows; the rest is zero."""
    width, height = sides
    block = np.zeros((32, 32), np.int32)
    part = block[:height, :width]
    part[:] = np.random.default_rng(seed).integers(-4, 5, (height, width))
    order = np.argsort(-np.abs(part).ravel(), kind="stable")
    expected = part.ravel().copy()
    expected[order[sparsity:]] = 0
    keep_largest(block, width, height, sparsity, np.zeros((32, 32), np.int32))
    assert expected.tolist() == part.ravel().tolist()
