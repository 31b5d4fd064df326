# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The encoder's choice of levels: rate-distortion optimized quantization, and the trellis of the dependent quantizer.

Units: amplitudes in 1/64 coefficient unit (those of `half_step`); a cost is the squared error in these units times 64
plus lambda times the rate in 1/1024 bit, so `lambda` carries all scaling and every cost fits int64.
"""

import numpy as np

from fdcodec.coding.constants import MAX_LEVEL, STEP_BITS
from fdcodec.kernels.block_kernels import size_class
from fdcodec.kernels.cost_kernels import end_cost, magnitude_cost
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.level_syntax import (
    MAX_NEIGHBOURS,
    NEIGHBOUR_CLASS,
    STRIDE,
    coefficient_context,
    neighbour_class,
)
from fdcodec.kernels.tables import NEXT_STATE

ERROR_SHIFT = 6
RECIPROCAL_BITS = 40
INFINITE = np.int64(1) << 62
NO_STATE = 4  # of a path that starts here; its history is empty


@kernel()
def keep_largest(coefficients, width, height, sparsity, keep):
    """Zero all but the `sparsity` largest magnitudes of a block: the paper's T_s; of equal ones the first in raster.

    `keep` is scratch of the block's size.
    """
    keep[:height, :width] = 0
    for _ in range(min(sparsity, width * height)):
        best, best_row, best_column = 0, -1, -1
        for row in range(height):
            for column in range(width):
                if keep[row, column] == 0 and abs(coefficients[row, column]) > best:
                    best, best_row, best_column = abs(coefficients[row, column]), row, column
        if best == 0:
            break
        keep[best_row, best_column] = 1
    for row in range(height):
        for column in range(width):
            if keep[row, column] == 0:
                coefficients[row, column] = 0


@kernel()
def _last_candidate(coefficients, scan, n_positions, threshold):
    """Return the highest scan position whose amplitude reaches `threshold`, or -1."""
    for k in range(n_positions - 1, -1, -1):
        if abs(np.int64(coefficients[scan[k] >> 5, scan[k] & 31])) << STEP_BITS >= threshold:
            return k
    return -1


@kernel()
def optimize_levels(coefficients, coded, half_step, lagrangian, contexts, costs, levels, scratch):
    """Quantize uniformly with the best of rounding down or to nearest per coefficient, then the best end.

    `coded` is (kind, log2 width, log2 height, activity, scan); `levels` receives magnitudes, `scratch` is (magnitudes,
    costs (3, 1024)). Returns (end, cost).
    """
    kind, log2_width, log2_height, activity, scan = coded
    magnitudes, table = scratch
    size = size_class(log2_width, log2_height)
    step = 2 * half_step
    reciprocal = (np.int64(1) << RECIPROCAL_BITS) // step
    last = _last_candidate(coefficients, scan, 1 << (log2_width + log2_height), half_step)
    total_zero = np.int64(0)
    for row in range(1 << log2_height):
        for column in range(1 << log2_width):
            levels[row, column] = 0
            amplitude = np.int64(coefficients[row, column]) << STEP_BITS
            total_zero += amplitude * amplitude
    total_zero <<= ERROR_SHIFT
    best = total_zero + lagrangian * end_cost(contexts, costs, kind, size, activity, 0)
    if last < 0:
        return 0, best
    total = np.int64(0)
    zero_below = np.int64(0)
    for k in range(last, -1, -1):
        row, column = scan[k] >> 5, scan[k] & 31
        amplitude = abs(np.int64(coefficients[row, column])) << STEP_BITS
        index = row * STRIDE + column
        context = coefficient_context(0, size, 0, row + column, neighbour_class(magnitudes, index))
        zero = (amplitude * amplitude) << ERROR_SHIFT
        chosen, cost = 0, zero + lagrangian * costs.levels[context, 0]
        cost_last = INFINITE
        nearest = min((amplitude * reciprocal + (np.int64(1) << (RECIPROCAL_BITS - 1))) >> RECIPROCAL_BITS, MAX_LEVEL)
        for magnitude in range(max(nearest - 1, 1), nearest + 1):
            error = amplitude - magnitude * step
            base = (error * error) << ERROR_SHIFT
            candidate = base + lagrangian * magnitude_cost(costs.levels[context], magnitude)
            if candidate < cost:
                chosen, cost = magnitude, candidate
            candidate = base + lagrangian * magnitude_cost(costs.last_levels[context], magnitude)
            if candidate < cost_last:
                cost_last = candidate
                table[2, k] = magnitude
        levels[row, column] = chosen
        magnitudes[index] = chosen
        table[0, k] = cost
        table[1, k] = cost_last
        total += cost
        zero_below += zero
    above = total_zero - zero_below
    end = 0
    for k in range(last, -1, -1):
        total -= table[0, k]
        if table[1, k] < INFINITE:
            cost = above + table[1, k] + total
            cost += lagrangian * end_cost(contexts, costs, kind, size, activity, k + 1)
            if cost < best:
                best, end = cost, k + 1
        amplitude = np.int64(coefficients[scan[k] >> 5, scan[k] & 31]) << STEP_BITS
        above += (amplitude * amplitude) << ERROR_SHIFT
    for k in range(last + 1):
        row, column = scan[k] >> 5, scan[k] & 31
        magnitudes[row * STRIDE + column] = 0
        if k >= end:
            levels[row, column] = 0
    if end > 0:
        levels[scan[end - 1] >> 5, scan[end - 1] & 31] = table[2, end - 1]
    return end, best


@kernel()
def _history(words, diagonal, row):
    """Return the magnitude, at most 15, that a path holds at a row of an anti-diagonal."""
    return np.int64((words[diagonal % 3, row >> 4] >> np.uint64(4 * (row & 15))) & np.uint64(15))


@kernel()
def _path_class(words, diagonal, row):
    """Return the neighbour class of a position by the magnitudes of a path, capped at 15 each."""
    near = _history(words, diagonal + 1, row) + _history(words, diagonal + 1, row + 1)
    far = _history(words, diagonal + 2, row) + _history(words, diagonal + 2, row + 1)
    far += _history(words, diagonal + 2, row + 2)
    return NEIGHBOUR_CLASS[min(near + near + far, MAX_NEIGHBOURS - 1)]


@kernel(inline=True)
def _extend(words, new_words, n_words, diagonal, row, magnitude, opens):
    """Copy a path's magnitudes of three anti-diagonals and add one; the first on a diagonal clears the oldest."""
    for part in range(n_words):
        new_words[0, part], new_words[1, part], new_words[2, part] = words[0, part], words[1, part], words[2, part]
        if opens:
            new_words[diagonal % 3, part] = 0
    new_words[diagonal % 3, row >> 4] |= np.uint64(min(magnitude, 15)) << np.uint64(4 * (row & 15))


@kernel()
def trellis_levels(coefficients, coded, half_step, lagrangian, contexts, costs, levels, paths):
    """Choose the levels of the dependent quantizer by a Viterbi search over its four states (SPEC 4.3).

    A path carries the magnitudes of its last three anti-diagonals, four bits each, for the contexts of what follows.
    `paths` is scratch: (previous state, level), each (1024, 4), (4, 4) costs and ends, and uint64 (2, 5, 3, 3)
    histories. Returns (end, cost); `levels` receives signed levels.
    """
    kind, log2_width, log2_height, activity, scan = coded
    previous, chosen, lanes, histories = paths
    path_costs, new_costs, ends, new_ends = lanes[0], lanes[1], lanes[2], lanes[3]
    size = size_class(log2_width, log2_height)
    last = _last_candidate(coefficients, scan, 1 << (log2_width + log2_height), half_step + (half_step >> 3))
    tail = np.int64(0)
    for row in range(1 << log2_height):
        for column in range(1 << log2_width):
            levels[row, column] = 0
            amplitude = np.int64(coefficients[row, column]) << STEP_BITS
            tail += amplitude * amplitude
    tail <<= ERROR_SHIFT
    best = tail + lagrangian * end_cost(contexts, costs, kind, size, activity, 0)
    if last < 0:
        return 0, best
    for k in range(last + 1):
        amplitude = np.int64(coefficients[scan[k] >> 5, scan[k] & 31]) << STEP_BITS
        tail -= (amplitude * amplitude) << ERROR_SHIFT
    reciprocal = (np.int64(1) << RECIPROCAL_BITS) // half_step
    path_costs[:] = INFINITE
    histories[:] = 0
    now, diagonal = 0, -1
    n_words = 1 + ((1 << log2_height) >> 4)  # a path's magnitudes reach two rows past the block
    for k in range(last, -1, -1):
        row, column = scan[k] >> 5, scan[k] & 31
        opens = row + column != diagonal
        diagonal = row + column
        amplitude = abs(np.int64(coefficients[row, column])) << STEP_BITS
        zero = (amplitude * amplitude) << ERROR_SHIFT
        whole = min((amplitude * reciprocal) >> RECIPROCAL_BITS, 2 * MAX_LEVEL - 2)
        new_costs[:] = INFINITE
        for state in range(4):
            if path_costs[state] >= INFINITE:
                continue
            quantizer = state >> 1
            neighbours = _path_class(histories[now, state], diagonal, row)
            rates = costs.levels[coefficient_context(0, size, quantizer, diagonal, neighbours)]
            low = (whole + quantizer) >> 1
            for choice in range(3 if low > 0 else 2):
                magnitude = low + choice if choice < 2 else 0
                if amplitude == 0 and magnitude > 0:  # or a block could keep more levels than `sparsity` allows
                    continue
                error = zero
                if magnitude > 0:
                    difference = amplitude - (2 * magnitude - quantizer) * half_step
                    error = (difference * difference) << ERROR_SHIFT
                cost = path_costs[state] + error + lagrangian * magnitude_cost(rates, magnitude)
                following = NEXT_STATE[state, magnitude & 1]
                if cost < new_costs[following]:
                    new_costs[following] = cost
                    previous[k, following] = state
                    chosen[k, following] = magnitude
                    new_ends[following] = ends[state]
        rates = costs.last_levels[coefficient_context(0, size, 0, diagonal, 0)]
        start = tail + lagrangian * end_cost(contexts, costs, kind, size, activity, k + 1)
        for magnitude in range(max(whole >> 1, 1), (whole >> 1) + (2 if amplitude > 0 else 0)):
            difference = amplitude - 2 * magnitude * half_step
            cost = start + ((difference * difference) << ERROR_SHIFT) + lagrangian * magnitude_cost(rates, magnitude)
            following = NEXT_STATE[0, magnitude & 1]
            if cost < new_costs[following]:
                new_costs[following] = cost
                previous[k, following] = NO_STATE
                chosen[k, following] = magnitude
                new_ends[following] = k + 1
        tail += zero
        for state in range(4):
            path_costs[state] = new_costs[state]
            ends[state] = new_ends[state]
            if new_costs[state] < INFINITE:
                before = histories[now, previous[k, state]]
                _extend(before, histories[1 - now, state], n_words, diagonal, row, chosen[k, state], opens)
        now = 1 - now
    state = NO_STATE
    for candidate in range(4):
        if path_costs[candidate] < best:
            best, state = path_costs[candidate], candidate
    if state == NO_STATE:
        return 0, best
    end = ends[state]
    for k in range(end):
        row, column = scan[k] >> 5, scan[k] & 31
        magnitude = chosen[k, state]
        levels[row, column] = magnitude if coefficients[row, column] >= 0 else -magnitude
        state = previous[k, state]
    return end, best
