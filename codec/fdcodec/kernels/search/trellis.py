# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,assignment,call-overload"
"""The encoder's trellis: a Viterbi search over the four states of the dependent quantizer (SPEC 4.3). Encoder only.

Units: amplitudes in 1/64 coefficient unit (those of `half_step`); a cost is the squared error in these units times 64
plus lambda times the rate in 1/1024 bit, so lambda carries all scaling and every cost fits int64.

The paths to the four states go side by side in quads. A path carries, for the contexts of what follows, its magnitudes
on the anti-diagonal in hand and the two before, at most 15 each, four bits a row: of each the first 16 rows in one
word, the others in another.
"""

from typing import NamedTuple

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
from fdcodec.kernels.syntax.levels import FREQUENCY_CLASS, MAX_NEIGHBOURS, NEIGHBOUR_CLASS, coefficient_context

FRESH = 4  # the source of a path that starts at a coefficient
SOURCE_BITS = 3
_UNREACHED = np.int64(1) << 60  # of a state without a path; costs are below 2^57, so that sums with it fit
_WORD_ROWS = 16


class Window(NamedTuple):
    """Of sixteen rows the magnitudes of each path on the anti-diagonal in hand and on the two before, as quads."""

    now: np.ndarray
    near: np.ndarray
    far: np.ndarray


@kernel(merged=True)
def _next_diagonal(window):
    """Return a window where the next anti-diagonal is in hand."""
    return Window(spread_quad(0), window.now, window.near)


@kernel(merged=True)
def _from_row(first, second, row, is_tall):
    """Return the magnitudes of an anti-diagonal from a row on, of the first three rows at least."""
    if row >= _WORD_ROWS:
        return bits_above(second, 4 * (row - _WORD_ROWS))
    if is_tall and row > _WORD_ROWS - 3:
        return bits_above(first, 4 * row) | (second << (4 * (_WORD_ROWS - row)))
    return bits_above(first, 4 * row)


@kernel(merged=True)
def _rows_of(levels, context, shifted_context, upper, lower, row, is_tall):
    """Return the prices of the magnitudes in each state, whose context depends on the neighbours that its path has."""
    near = _from_row(upper.near, lower.near, row, is_tall)
    far = _from_row(upper.far, lower.far, row, is_tall)
    nibble = spread_quad(15)
    near = (near & nibble) + (bits_above(near, 4) & nibble)
    far = (far & nibble) + (bits_above(far, 4) & nibble) + (bits_above(far, 8) & nibble)
    a, b, c, d = values_of(smaller(near + near + far, spread_quad(MAX_NEIGHBOURS)))
    plain = levels[context + NEIGHBOUR_CLASS[a]], levels[context + NEIGHBOUR_CLASS[b]]
    return *plain, levels[shifted_context + NEIGHBOUR_CLASS[c]], levels[shifted_context + NEIGHBOUR_CLASS[d]]


@kernel(merged=True)
def _by_quantizer(plain, shifted):
    """Return what each state has by its quantizer, the plain one of states 0 and 1 or the shifted one."""
    return quad_of(plain, plain, shifted, shifted)


@kernel(merged=True)
def _level_cost(amplitude, magnitude, quantizer, half_step, lagrangian):
    """Return what a magnitude costs whatever its context: its error and the bits of its escape."""
    difference = amplitude - (2 * magnitude - quantizer) * half_step if magnitude > 0 else amplitude
    return ((difference * difference) << ERROR_SHIFT) + lagrangian * escape_cost(magnitude)


@kernel(merged=True)
def _level_costs(amplitude, low, shifted_low, half_step, lagrangian):
    """Return what the magnitudes around an amplitude cost: the lower one of each quantizer, then the upper ones."""
    lower = _level_cost(amplitude, low, 0, half_step, lagrangian)
    shifted_lower = _level_cost(amplitude, shifted_low, 1, half_step, lagrangian)
    if amplitude == 0:  # or a block could keep more levels than `sparsity` allows
        return lower, shifted_lower, _UNREACHED, _UNREACHED
    upper = _level_cost(amplitude, low + 1, 0, half_step, lagrangian)
    return lower, shifted_lower, upper, _level_cost(amplitude, shifted_low + 1, 1, half_step, lagrangian)


@kernel(merged=True)
def _rates(rows, magnitude, shifted_magnitude):
    """Return the price of a magnitude in each state, from the rows of their contexts."""
    plain, shifted = min(magnitude, MAX_UNARY), min(shifted_magnitude, MAX_UNARY)
    return quad_of(rows[0][plain], rows[1][plain], rows[2][shifted], rows[3][shifted])


@kernel(merged=True)
def _by_parity(zero_costs, lower_costs, upper_costs, lows):
    """Return cost and magnitude of the best even step from each state, then those of its odd step."""
    parities = lows & spread_quad(1)
    is_odd = spread_quad(0) - parities
    even_costs, odd_costs = choose(is_odd, upper_costs, lower_costs), choose(is_odd, lower_costs, upper_costs)
    is_zero = is_below(zero_costs, even_costs)  # of equal ones the level goes before zero
    even_costs = choose(is_zero, zero_costs, even_costs)
    even_magnitudes = choose(is_zero, spread_quad(0), lows + parities)
    return even_costs, even_magnitudes, odd_costs, lows + spread_quad(1) - parities


@kernel(merged=True)
def _survivors(even_costs, even_magnitudes, odd_costs, odd_magnitudes):
    """Return whether the second of the two steps that lead to each state is the cheaper, and its cost and magnitude."""
    first, second = even_places(even_costs, odd_costs), odd_places(odd_costs, even_costs)
    is_second = is_below(second, first)
    first_magnitudes = even_places(even_magnitudes, odd_magnitudes)
    magnitudes = choose(is_second, odd_places(odd_magnitudes, even_magnitudes), first_magnitudes)
    return is_second, smaller(smaller(first, second), spread_quad(_UNREACHED)), magnitudes


@kernel(merged=True)
def _followed(is_second, paths):
    """Return what each state's path brings from the state before, the first or the second that leads to it."""
    return choose(is_second, odd_places(paths, paths), even_places(paths, paths))


@kernel(merged=True)
def _start_costs(tail, low, lower, upper, rates):
    """Return the cost of a path that starts with the magnitude, not zero, that leads to each state."""
    lower = tail + lower + rates[min(low, MAX_UNARY)] if low > 0 else _UNREACHED
    upper = tail + upper + rates[min(low + 1, MAX_UNARY)]
    even, odd = (upper, lower) if low & 1 else (lower, upper)
    return quad_of(even, _UNREACHED, odd, _UNREACHED)


@kernel(merged=True)
def _carried(window, is_second):
    """Return the magnitudes that each state's path brings along."""
    return Window(_followed(is_second, window.now), _followed(is_second, window.near), _followed(is_second, window.far))


@kernel(merged=True)
def _cleared(window, is_fresh):
    """Return a window without the magnitudes of paths before those that start in their place."""
    now, near, far = window
    zeros = spread_quad(0)
    return Window(choose(is_fresh, zeros, now), choose(is_fresh, zeros, near), choose(is_fresh, zeros, far))


@kernel(merged=True)
def _with_magnitudes(window, magnitudes, row):
    """Return a window with the magnitudes of a row on the anti-diagonal in hand."""
    return Window(window.now | (smaller(magnitudes, spread_quad(15)) << (4 * row)), window.near, window.far)


@kernel()
def _walk_back(steps, state, end, coefficients, scan, levels):
    """Write the signed levels, in the order of the scan, of the path that ends in a state."""
    for k in range(end):
        row, column = scan[k] >> 5, scan[k] & 31
        magnitude = steps[k, state] >> SOURCE_BITS
        levels[k] = magnitude if coefficients[row, column] >= 0 else -magnitude
        state = steps[k, state] & ((1 << SOURCE_BITS) - 1)


@kernel()
def trellis_levels(coefficients, coded, half_step, lagrangian, costs, levels, steps):
    """Choose the levels of the dependent quantizer; return (end, cost); `levels` receives signed levels.

    `coefficients` are int32 (32, 32); `levels`, int16 (1024,), are written up to the end; `coded` is (log2 width, log2
    height, fullness, scan); `steps` is scratch, int64 (1024, 4): by coefficient and state a magnitude and, in its low
    bits, the state it comes from. States 0 and 2 follow 0 and 1, and 1 and 3 follow 2 and 3, by parities that differ.
    """
    log2_width, log2_height, fullness, scan = coded
    size, is_tall = size_class(log2_width, log2_height), 1 << log2_height > _WORD_ROWS
    last = last_candidate(coefficients, scan, 1 << (log2_width + log2_height), half_step + (half_step >> 3))
    tail = dropping_cost(coefficients, log2_width, log2_height)
    best = tail + end_cost(costs, size, fullness, 0)
    if last < 0:
        return 0, best
    for k in range(last + 1):
        tail -= zero_cost(coefficients[scan[k] >> 5, scan[k] & 31])
    reciprocal = (np.int64(1) << RECIPROCAL_BITS) // half_step
    ends, cost = spread_quad(0), spread_quad(_UNREACHED)
    upper_rows = lower_rows = Window(ends, ends, ends)
    diagonal = -1
    for k in range(last, -1, -1):
        row, column = np.int64(scan[k] >> 5), np.int64(scan[k] & 31)
        if row + column != diagonal:
            upper_rows, lower_rows = _next_diagonal(upper_rows), _next_diagonal(lower_rows)
        diagonal = row + column
        amplitude = abs(np.int64(coefficients[row, column])) << STEP_BITS
        whole = min((amplitude * reciprocal) >> RECIPROCAL_BITS, 2 * MAX_LEVEL - 2)
        low, shifted_low = whole >> 1, (whole + 1) >> 1
        zero = _level_cost(amplitude, 0, 0, half_step, lagrangian)
        lower, shifted_lower, upper, shifted_upper = _level_costs(amplitude, low, shifted_low, half_step, lagrangian)

        context = coefficient_context(0, size, 0, FREQUENCY_CLASS[size, diagonal], 0)
        shifted_context = coefficient_context(0, size, 1, FREQUENCY_CLASS[size, diagonal], 0)
        rows = _rows_of(costs.levels, context, shifted_context, upper_rows, lower_rows, row, is_tall)
        zero_costs = cost + spread_quad(zero) + _rates(rows, 0, 0)
        lower_costs = cost + _by_quantizer(lower, shifted_lower) + _rates(rows, low, shifted_low)
        rates = _rates(rows, low + 1, shifted_low + 1)
        upper_costs = cost + _by_quantizer(upper, shifted_upper) + rates
        lows = _by_quantizer(low, shifted_low)
        even_costs, even_magnitudes, odd_costs, odd_magnitudes = _by_parity(zero_costs, lower_costs, upper_costs, lows)
        is_second, cost, magnitudes = _survivors(even_costs, even_magnitudes, odd_costs, odd_magnitudes)

        ends, upper_rows = _followed(is_second, ends), _carried(upper_rows, is_second)
        start = tail + end_cost(costs, size, fullness, k + 1)
        start_costs = _start_costs(start, low, lower, upper, costs.last_levels[context])
        is_fresh = is_below(start_costs, cost)
        cost = choose(is_fresh, start_costs, cost)
        magnitudes = choose(is_fresh, quad_of(low + (low & 1), 0, low | 1, 0), magnitudes)
        sources = choose(is_second, quad_of(1, 3, 1, 3), quad_of(0, 2, 0, 2))
        sources = choose(is_fresh, spread_quad(FRESH), sources)
        ends = choose(is_fresh, spread_quad(k + 1), ends)
        upper_rows = _cleared(upper_rows, is_fresh)
        if is_tall:
            lower_rows = _cleared(_carried(lower_rows, is_second), is_fresh)
        if row < _WORD_ROWS:
            upper_rows = _with_magnitudes(upper_rows, magnitudes, row)
        else:
            lower_rows = _with_magnitudes(lower_rows, magnitudes, row - _WORD_ROWS)
        put_quad((magnitudes << SOURCE_BITS) | sources, steps[k])
        tail += zero
    state, end = FRESH, 0
    path_costs, path_ends = values_of(cost), values_of(ends)
    for candidate in range(4):
        if path_costs[candidate] < best:
            best, state, end = path_costs[candidate], candidate, path_ends[candidate]
    _walk_back(steps, state, end, coefficients, scan, levels)
    return end, best
