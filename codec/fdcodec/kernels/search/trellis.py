# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,assignment,call-overload"
"""The encoder's trellis: a Viterbi search over the four states of the dependent quantizer (SPEC 4.3). Encoder only.

Units: amplitudes in 1/64 coefficient unit (those of `half_step`); a cost is the squared error in these units times 64
plus lambda times the rate in 1/1024 bit, so lambda carries all scaling and every cost fits int64.

The paths to the four states go side by side in quads. A path carries, for the contexts of what follows, its magnitudes
on the anti-diagonal in hand and the two before, at most 15 each, four bits a row: of each the first 16 rows in one
word, the others in another.
"""

import numpy as np

from fdcodec.format.constants import MAX_LEVEL, MAX_UNARY, STEP_BITS
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.blocks import size_class
from fdcodec.kernels.search.costs import end_cost, escape_cost
from fdcodec.kernels.search.quantization import (
    ERROR_SHIFT,
    RECIPROCAL_BITS,
    dropping_cost,
    last_candidate,
    zero_cost,
)
from fdcodec.kernels.simd.quads import (
    bits_above,
    choose,
    even_places,
    odd_places,
    put_quad,
    quad_of,
    spread_quad,
    values_of,
)
from fdcodec.kernels.simd.registers import is_below, smaller
from fdcodec.kernels.syntax.levels import MAX_NEIGHBOURS, NEIGHBOUR_CLASS, coefficient_context

FRESH = 4  # the source of a path that starts at a coefficient
SOURCE_BITS = 3
_UNREACHED = np.int64(1) << 60  # of a state without a path; costs are below 2^57, so that sums with it fit
_WORD_ROWS = 16


@kernel(merged=True)
def _window(first, second, row, is_tall):
    """Return the magnitudes of an anti-diagonal from a row on, of the first three rows at least."""
    if row >= _WORD_ROWS:
        return bits_above(second, 4 * (row - _WORD_ROWS))
    if is_tall and row > _WORD_ROWS - 3:
        return bits_above(first, 4 * row) | (second << (4 * (_WORD_ROWS - row)))
    return bits_above(first, 4 * row)


@kernel(merged=True)
def _classes(near, far):
    """Return the neighbour class of the coefficient in hand by the windows of each path."""
    nibble = spread_quad(15)
    near = (near & nibble) + (bits_above(near, 4) & nibble)
    far = (far & nibble) + (bits_above(far, 4) & nibble) + (bits_above(far, 8) & nibble)
    totals = smaller(near + near + far, spread_quad(MAX_NEIGHBOURS - 1))
    a, b, c, d = values_of(totals)
    return NEIGHBOUR_CLASS[a], NEIGHBOUR_CLASS[b], NEIGHBOUR_CLASS[c], NEIGHBOUR_CLASS[d]


@kernel(merged=True)
def _level_cost(amplitude, magnitude, quantizer, half_step, lagrangian):
    """Return what a magnitude costs whatever its context: its error and the bits of its escape."""
    difference = amplitude - (2 * magnitude - quantizer) * half_step if magnitude > 0 else amplitude
    return ((difference * difference) << ERROR_SHIFT) + lagrangian * escape_cost(magnitude)


@kernel(merged=True)
def _followed(is_second, paths):
    """Return what each state's path brings from the state before, the first or the second that leads to it."""
    return choose(is_second, odd_places(paths, paths), even_places(paths, paths))


@kernel(merged=True)
def _start(tail, low, lower, upper, rates):
    """Return the cost of a path that starts with an even and with an odd magnitude, none of them zero."""
    lower = tail + lower + rates[min(low, MAX_UNARY)] if low > 0 else _UNREACHED
    upper = tail + upper + rates[min(low + 1, MAX_UNARY)]
    return (upper, lower) if low & 1 else (lower, upper)


@kernel()
def _walk_back(steps, state, end, coefficients, scan, levels):
    """Write the signed levels of the path that ends in a state."""
    for k in range(end):
        row, column = scan[k] >> 5, scan[k] & 31
        magnitude = steps[k, state] >> SOURCE_BITS
        levels[row, column] = magnitude if coefficients[row, column] >= 0 else -magnitude
        state = steps[k, state] & ((1 << SOURCE_BITS) - 1)


@kernel()
def trellis_levels(coefficients, coded, half_step, lagrangian, costs, levels, steps):
    """Choose the levels of the dependent quantizer; return (end, cost); `levels` receives signed levels.

    `coded` is (log2 width, log2 height, fullness, scan); `steps` is scratch, int64 (1024, 4): by coefficient and
    state a magnitude and, in its low bits, the state it comes from. States 0 and 2 follow 0 and 1, and 1 and 3 follow
    2 and 3, by parities that differ.
    """
    log2_width, log2_height, fullness, scan = coded
    size, is_tall = size_class(log2_width, log2_height), 1 << log2_height > _WORD_ROWS
    last = last_candidate(coefficients, scan, 1 << (log2_width + log2_height), half_step + (half_step >> 3))
    levels[: 1 << log2_height, : 1 << log2_width] = 0
    tail = dropping_cost(coefficients, log2_width, log2_height)
    best = tail + end_cost(costs, size, fullness, 0)
    if last < 0:
        return 0, best
    for k in range(last + 1):
        tail -= zero_cost(coefficients[scan[k] >> 5, scan[k] & 31])
    reciprocal = (np.int64(1) << RECIPROCAL_BITS) // half_step
    zeros, unreached = spread_quad(0), spread_quad(_UNREACHED)
    ends, cost = zeros, unreached
    now = near = far = now_below = near_below = far_below = zeros
    even_sources, odd_sources, fresh_sources = quad_of(0, 2, 0, 2), quad_of(1, 3, 1, 3), spread_quad(FRESH)
    diagonal = -1
    for k in range(last, -1, -1):
        row, column = np.int64(scan[k] >> 5), np.int64(scan[k] & 31)
        if row + column != diagonal:
            now, near, far = zeros, now, near
            now_below, near_below, far_below = zeros, now_below, near_below
        diagonal = row + column
        amplitude = abs(np.int64(coefficients[row, column])) << STEP_BITS
        whole = min((amplitude * reciprocal) >> RECIPROCAL_BITS, 2 * MAX_LEVEL - 2)
        low, shifted_low = whole >> 1, (whole + 1) >> 1
        zero = _level_cost(amplitude, 0, 0, half_step, lagrangian)
        lower = _level_cost(amplitude, low, 0, half_step, lagrangian)
        shifted_lower = _level_cost(amplitude, shifted_low, 1, half_step, lagrangian)
        upper, shifted_upper = _UNREACHED, _UNREACHED
        if amplitude > 0:  # or a block could keep more levels than `sparsity` allows
            upper = _level_cost(amplitude, low + 1, 0, half_step, lagrangian)
            shifted_upper = _level_cost(amplitude, shifted_low + 1, 1, half_step, lagrangian)

        class0, class1, class2, class3 = _classes(
            _window(near, near_below, row, is_tall), _window(far, far_below, row, is_tall)
        )
        context = coefficient_context(0, size, 0, diagonal, 0)
        shifted_context = coefficient_context(0, size, 1, diagonal, 0)
        rates0, rates1 = costs.levels[context + class0], costs.levels[context + class1]
        rates2, rates3 = costs.levels[shifted_context + class2], costs.levels[shifted_context + class3]
        unary, shifted_unary = min(low, MAX_UNARY), min(shifted_low, MAX_UNARY)
        zero_costs = cost + spread_quad(zero) + quad_of(rates0[0], rates1[0], rates2[0], rates3[0])
        lower_costs = cost + quad_of(lower, lower, shifted_lower, shifted_lower)
        lower_costs = lower_costs + quad_of(rates0[unary], rates1[unary], rates2[shifted_unary], rates3[shifted_unary])
        unary, shifted_unary = min(low + 1, MAX_UNARY), min(shifted_low + 1, MAX_UNARY)
        upper_costs = cost + quad_of(upper, upper, shifted_upper, shifted_upper)
        upper_costs = upper_costs + quad_of(rates0[unary], rates1[unary], rates2[shifted_unary], rates3[shifted_unary])

        parity, shifted_parity = low & 1, shifted_low & 1
        parities = quad_of(parity, parity, shifted_parity, shifted_parity)
        lows, is_odd = quad_of(low, low, shifted_low, shifted_low), zeros - parities
        even_costs, odd_costs = choose(is_odd, upper_costs, lower_costs), choose(is_odd, lower_costs, upper_costs)
        even_magnitudes, odd_magnitudes = lows + parities, lows + spread_quad(1) - parities
        is_zero = is_below(zero_costs, even_costs)  # of equal ones the level goes before zero
        even_costs = choose(is_zero, zero_costs, even_costs)
        even_magnitudes = choose(is_zero, zeros, even_magnitudes)

        first, second = even_places(even_costs, odd_costs), odd_places(odd_costs, even_costs)
        is_second = is_below(second, first)
        cost = smaller(smaller(first, second), unreached)
        magnitudes = choose(
            is_second, odd_places(odd_magnitudes, even_magnitudes), even_places(even_magnitudes, odd_magnitudes)
        )
        sources = choose(is_second, odd_sources, even_sources)
        ends, now = _followed(is_second, ends), _followed(is_second, now)
        near, far = _followed(is_second, near), _followed(is_second, far)

        fresh = tail + end_cost(costs, size, fullness, k + 1)
        even, odd = _start(fresh, low, lower, upper, costs.last_levels[context])
        fresh_costs = quad_of(even, _UNREACHED, odd, _UNREACHED)
        is_fresh = is_below(fresh_costs, cost)
        cost, sources = choose(is_fresh, fresh_costs, cost), choose(is_fresh, fresh_sources, sources)
        magnitudes = choose(is_fresh, quad_of(low + parity, 0, low | 1, 0), magnitudes)
        ends = choose(is_fresh, spread_quad(k + 1), ends)
        now, near, far = choose(is_fresh, zeros, now), choose(is_fresh, zeros, near), choose(is_fresh, zeros, far)
        if is_tall:
            now_below = choose(is_fresh, zeros, _followed(is_second, now_below))
            near_below = choose(is_fresh, zeros, _followed(is_second, near_below))
            far_below = choose(is_fresh, zeros, _followed(is_second, far_below))
        nibbles = smaller(magnitudes, spread_quad(15))
        if row < _WORD_ROWS:
            now = now | (nibbles << (4 * row))
        else:
            now_below = now_below | (nibbles << (4 * (row - _WORD_ROWS)))
        put_quad((magnitudes << SOURCE_BITS) | sources, steps[k])
        tail += zero
    state, end = FRESH, 0
    path_costs, path_ends = values_of(cost), values_of(ends)
    for candidate in range(4):
        if path_costs[candidate] < best:
            best, state, end = path_costs[candidate], candidate, path_ends[candidate]
    _walk_back(steps, state, end, coefficients, scan, levels)
    return end, best
