# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,assignment,call-overload"
"""The encoder's trellis: a Viterbi search over the four states of the dependent quantizer (SPEC 4.3). Encoder only.

Costs are those of `quantization_kernels`. A path carries, for the contexts of what follows, its magnitudes on the
anti-diagonal in hand and the two before, at most 15 each, four bits a row: of each the first 16 rows in one word, the
others in another. Paths are compared by conditional moves: which is the better no branch predictor can tell.
"""

import numpy as np

from fdcodec.coding.constants import MAX_LEVEL, MAX_UNARY, STEP_BITS
from fdcodec.kernels.block_kernels import size_class
from fdcodec.kernels.cost_kernels import end_cost, escape_cost
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.level_syntax import MAX_NEIGHBOURS, NEIGHBOUR_CLASS, coefficient_context
from fdcodec.kernels.quantization_kernels import ERROR_SHIFT, RECIPROCAL_BITS, dropping_cost, last_candidate

FRESH = 4  # the source of a path that starts at a coefficient
SOURCE_BITS = 3
_UNREACHED = np.int64(1) << 60  # of a state without a path; costs are below 2^57, so that sums with it fit
_WORD_ROWS = 16
_NONE, _ALL, _MAGNITUDE = np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(15)
_ONE_ROW, _TWO_ROWS = np.uint64(4), np.uint64(8)
_EMPTY = (_NONE, _NONE, _NONE, _NONE, _NONE, _NONE)


@kernel()
def _window(first, second, row):
    """Return the magnitudes of an anti-diagonal from a row on."""
    if row <= _WORD_ROWS - 3:
        return first >> np.uint64(4 * row)
    if row < _WORD_ROWS:
        return (first >> np.uint64(4 * row)) | (second << np.uint64(4 * (_WORD_ROWS - row)))
    return second >> np.uint64(4 * (row - _WORD_ROWS))


@kernel()
def _path_class(path, row):
    """Return the neighbour class of the coefficient in hand by the magnitudes of a path."""
    near, far = _window(path[2], path[3], row), _window(path[4], path[5], row)
    total = 2 * ((near & _MAGNITUDE) + ((near >> _ONE_ROW) & _MAGNITUDE))
    total += (far & _MAGNITUDE) + ((far >> _ONE_ROW) & _MAGNITUDE) + ((far >> _TWO_ROWS) & _MAGNITUDE)
    return NEIGHBOUR_CLASS[min(np.int64(total), MAX_NEIGHBOURS - 1)]


@kernel()
def _open_diagonal(path):
    """Return a path's magnitudes before the first coefficient of the next anti-diagonal."""
    return _NONE, _NONE, path[0], path[1], path[2], path[3]


@kernel()
def _select(mask, word, other):
    return other ^ ((word ^ other) & mask)


@kernel()
def _extend(is_first, path, other, is_tall, row, magnitude):
    """Return the magnitudes of one of two paths with that of the coefficient in hand."""
    mask = _ALL if is_first else _NONE
    now, near, far = (
        _select(mask, path[0], other[0]),
        _select(mask, path[2], other[2]),
        _select(mask, path[4], other[4]),
    )
    nibble = np.uint64(min(magnitude, 15))
    if not is_tall:
        return now | (nibble << np.uint64(4 * row)), _NONE, near, _NONE, far, _NONE
    below = _select(mask, path[1], other[1])
    near_below, far_below = _select(mask, path[3], other[3]), _select(mask, path[5], other[5])
    if row < _WORD_ROWS:
        now |= nibble << np.uint64(4 * row)
    else:
        below |= nibble << np.uint64(4 * (row - _WORD_ROWS))
    return now, below, near, near_below, far, far_below


@kernel()
def _level_cost(amplitude, magnitude, quantizer, half_step, lagrangian):
    """Return what a magnitude costs whatever its context: its error and the bits of its escape."""
    difference = amplitude - (2 * magnitude - quantizer) * half_step if magnitude > 0 else amplitude
    return ((difference * difference) << ERROR_SHIFT) + lagrangian * escape_cost(magnitude)


@kernel()
def _branch(cost, path, row, rates, context, low, level_costs, lagrangian):
    """Return how a path goes on for less by an even and by an odd magnitude: (cost, magnitude, cost, magnitude).

    `level_costs` are those of zero, `low` and `low` + 1. Of equal ones `low` goes before zero.
    """
    row_rates = rates[context + _path_class(path, row)]
    zero = cost + level_costs[0] + lagrangian * row_rates[0]
    lower = cost + level_costs[1] + lagrangian * row_rates[min(low, MAX_UNARY)]
    upper = cost + level_costs[2] + lagrangian * row_rates[min(low + 1, MAX_UNARY)]
    is_odd = low & 1
    even, odd = (upper, lower) if is_odd else (lower, upper)
    return min(zero, even), 0 if zero < even else low + is_odd, odd, low + 1 - is_odd


@kernel()
def _start(tail, low, level_costs, rates, lagrangian):
    """Return the cost of a path that starts with an even and with an odd magnitude, none of them zero."""
    lower = tail + level_costs[1] + lagrangian * rates[min(low, MAX_UNARY)] if low > 0 else _UNREACHED
    upper = tail + level_costs[2] + lagrangian * rates[min(low + 1, MAX_UNARY)]
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
def trellis_levels(coefficients, coded, half_step, lagrangian, contexts, costs, levels, steps):
    """Choose the levels of the dependent quantizer; return (end, cost); `levels` receives signed levels.

    `coded` is (kind, log2 width, log2 height, activity, scan); `steps` is scratch, int64 (1024, 4): by coefficient and
    state a magnitude and, in its low bits, the state it comes from. States 0 and 2 follow 0 and 1, and 1 and 3 follow
    2 and 3, by parities that differ.
    """
    kind, log2_width, log2_height, activity, scan = coded
    size, is_tall = size_class(log2_width, log2_height), 1 << log2_height > _WORD_ROWS
    n_positions = 1 << (log2_width + log2_height)
    last = last_candidate(coefficients, scan, n_positions, half_step + (half_step >> 3))
    levels[: 1 << log2_height, : 1 << log2_width] = 0
    tail = dropping_cost(coefficients, scan, last + 1, n_positions)
    best = tail + dropping_cost(coefficients, scan, 0, last + 1)
    best += lagrangian * end_cost(contexts, costs, kind, size, activity, 0)
    if last < 0:
        return 0, best
    reciprocal = (np.int64(1) << RECIPROCAL_BITS) // half_step
    cost0, cost1, cost2, cost3 = _UNREACHED, _UNREACHED, _UNREACHED, _UNREACHED
    path0, path1, path2, path3 = _EMPTY, _EMPTY, _EMPTY, _EMPTY
    end0, end1, end2, end3 = 0, 0, 0, 0
    diagonal = -1
    for k in range(last, -1, -1):
        row, column = np.int64(scan[k] >> 5), np.int64(scan[k] & 31)
        if row + column != diagonal:
            path0, path1, path2, path3 = (
                _open_diagonal(path0), _open_diagonal(path1), _open_diagonal(path2), _open_diagonal(path3),
            )  # fmt: skip
        diagonal = row + column
        amplitude = abs(np.int64(coefficients[row, column])) << STEP_BITS
        whole = min((amplitude * reciprocal) >> RECIPROCAL_BITS, 2 * MAX_LEVEL - 2)
        low, shifted_low = whole >> 1, (whole + 1) >> 1
        zero = _level_cost(amplitude, 0, 0, half_step, lagrangian)
        upper, shifted_upper = _UNREACHED, _UNREACHED
        if amplitude > 0:  # or a block could keep more levels than `sparsity` allows
            upper = _level_cost(amplitude, low + 1, 0, half_step, lagrangian)
            shifted_upper = _level_cost(amplitude, shifted_low + 1, 1, half_step, lagrangian)
        plain = zero, _level_cost(amplitude, low, 0, half_step, lagrangian), upper
        shifted = zero, _level_cost(amplitude, shifted_low, 1, half_step, lagrangian), shifted_upper
        context = coefficient_context(0, size, 0, diagonal, 0)
        shifted_context = coefficient_context(0, size, 1, diagonal, 0)
        even0, even_magnitude0, odd0, odd_magnitude0 = _branch(
            cost0, path0, row, costs.levels, context, low, plain, lagrangian
        )
        even1, even_magnitude1, odd1, odd_magnitude1 = _branch(
            cost1, path1, row, costs.levels, context, low, plain, lagrangian
        )
        even2, even_magnitude2, odd2, odd_magnitude2 = _branch(
            cost2, path2, row, costs.levels, shifted_context, shifted_low, shifted, lagrangian
        )
        even3, even_magnitude3, odd3, odd_magnitude3 = _branch(
            cost3, path3, row, costs.levels, shifted_context, shifted_low, shifted, lagrangian
        )
        is0, is1, is2, is3 = even0 <= odd1, even2 <= odd3, odd0 <= even1, odd2 <= even3  # comes from the lower state
        magnitude0 = even_magnitude0 if is0 else odd_magnitude1
        magnitude1 = even_magnitude2 if is1 else odd_magnitude3
        magnitude2 = odd_magnitude0 if is2 else even_magnitude1
        magnitude3 = odd_magnitude2 if is3 else even_magnitude3
        cost0, cost1 = min(even0, odd1, _UNREACHED), min(even2, odd3, _UNREACHED)
        cost2, cost3 = min(odd0, even1, _UNREACHED), min(odd2, even3, _UNREACHED)
        end0, end1, end2, end3 = (
            end0 if is0 else end1, end2 if is1 else end3, end0 if is2 else end1, end2 if is3 else end3,
        )  # fmt: skip
        path0, path1, path2, path3 = (
            _extend(is0, path0, path1, is_tall, row, magnitude0), _extend(is1, path2, path3, is_tall, row, magnitude1),
            _extend(is2, path0, path1, is_tall, row, magnitude2), _extend(is3, path2, path3, is_tall, row, magnitude3),
        )  # fmt: skip
        steps[k, 0] = (magnitude0 << SOURCE_BITS) | (0 if is0 else 1)
        steps[k, 1] = (magnitude1 << SOURCE_BITS) | (2 if is1 else 3)
        steps[k, 2] = (magnitude2 << SOURCE_BITS) | (0 if is2 else 1)
        steps[k, 3] = (magnitude3 << SOURCE_BITS) | (2 if is3 else 3)
        fresh = tail + lagrangian * end_cost(contexts, costs, kind, size, activity, k + 1)
        even, odd = _start(fresh, low, plain, costs.last_levels[context], lagrangian)
        if even < cost0:
            magnitude = low + (low & 1)
            cost0, end0, steps[k, 0] = even, k + 1, (magnitude << SOURCE_BITS) | FRESH
            path0 = _extend(True, _EMPTY, _EMPTY, is_tall, row, magnitude)
        if odd < cost2:
            magnitude = low | 1
            cost2, end2, steps[k, 2] = odd, k + 1, (magnitude << SOURCE_BITS) | FRESH
            path2 = _extend(True, _EMPTY, _EMPTY, is_tall, row, magnitude)
        tail += zero
    state, end = FRESH, 0
    for candidate, cost, candidate_end in ((0, cost0, end0), (1, cost1, end1), (2, cost2, end2), (3, cost3, end3)):
        if cost < best:
            best, state, end = cost, candidate, candidate_end
    _walk_back(steps, state, end, coefficients, scan, levels)
    return end, best
