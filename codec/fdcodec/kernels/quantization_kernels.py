# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The encoder's choice of levels: rate-distortion optimized quantization, and the trellis of the dependent quantizer.

Units: amplitudes in 1/64 coefficient unit (those of `half_step`); a cost is the squared error in these units times 64
plus lambda times the rate in 1/1024 bit, so `lambda` carries all scaling and every cost fits int64.
"""

import numpy as np

from fdcodec.coding.constants import MAX_LEVEL, STEP_BITS
from fdcodec.kernels.cost_kernels import end_cost, magnitude_cost
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.syntax_kernels import STRIDE, coefficient_context, neighbour_class
from fdcodec.kernels.tables import NEXT_STATE

ERROR_SHIFT = 6
RECIPROCAL_BITS = 40
INFINITE = np.int64(1) << 62


@kernel()
def keep_largest(coefficients, size, sparsity, keep):
    """Zero all but the `sparsity` largest magnitudes of a block: the paper's T_s; of equal ones the first in raster.

    `keep` is scratch of the block's size.
    """
    keep[:size, :size] = 0
    for _ in range(min(sparsity, size * size)):
        best, best_row, best_column = 0, -1, -1
        for row in range(size):
            for column in range(size):
                if keep[row, column] == 0 and abs(coefficients[row, column]) > best:
                    best, best_row, best_column = abs(coefficients[row, column]), row, column
        if best == 0:
            break
        keep[best_row, best_column] = 1
    for row in range(size):
        for column in range(size):
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
def optimize_levels(coefficients, block, half_step, lagrangian, contexts, costs, levels, neighbours, scratch):
    """Quantize uniformly with the best of rounding down or to nearest per coefficient, then the best end.

    `block` is (kind, log2 size, activity, scan); `levels` receives magnitudes, `neighbours` each position's neighbour
    class, `scratch` is (magnitudes, costs (3, 1024)). Returns (end, cost).
    """
    kind, log2_size, activity, scan = block
    magnitudes, table = scratch
    size = 1 << log2_size
    step = 2 * half_step
    reciprocal = (np.int64(1) << RECIPROCAL_BITS) // step
    last = _last_candidate(coefficients, scan, size * size, half_step)
    total_zero = np.int64(0)
    for row in range(size):
        for column in range(size):
            levels[row, column] = 0
            amplitude = np.int64(coefficients[row, column]) << STEP_BITS
            total_zero += amplitude * amplitude
    total_zero <<= ERROR_SHIFT
    best = total_zero + lagrangian * end_cost(contexts, costs, kind, log2_size, activity, 0)
    if last < 0:
        return 0, best
    total = np.int64(0)
    zero_below = np.int64(0)
    for k in range(last, -1, -1):
        row, column = scan[k] >> 5, scan[k] & 31
        amplitude = abs(np.int64(coefficients[row, column])) << STEP_BITS
        index = row * STRIDE + column
        neighbour = neighbour_class(magnitudes, index)
        neighbours[k] = neighbour
        context = coefficient_context(0, log2_size, 0, row + column, neighbour)
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
            cost += lagrangian * end_cost(contexts, costs, kind, log2_size, activity, k + 1)
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
def trellis_levels(coefficients, block, half_step, lagrangian, contexts, costs, levels, neighbours, paths):
    """Choose the levels of the dependent quantizer by a Viterbi search over its four states (SPEC 4.3).

    The neighbour classes are those left by `optimize_levels`, so that a path's cost does not depend on its past.
    `paths` is (previous state, level), each (1024, 4), and (6, 4) scratch. Returns the end; `levels` receives signed
    levels.
    """
    kind, log2_size, activity, scan = block
    previous, chosen, lanes = paths
    path_costs, new_costs, ends, new_ends, options = lanes[0], lanes[1], lanes[2], lanes[3], lanes[4:]
    size = 1 << log2_size
    last = _last_candidate(coefficients, scan, size * size, half_step)
    levels[:size, :size] = 0
    if last < 0:
        return 0
    reciprocal = (np.int64(1) << RECIPROCAL_BITS) // half_step
    path_costs[:] = INFINITE
    tail = np.int64(0)
    for k in range(last, -1, -1):
        row, column = scan[k] >> 5, scan[k] & 31
        amplitude = abs(np.int64(coefficients[row, column])) << STEP_BITS
        zero = (amplitude * amplitude) << ERROR_SHIFT
        whole = min((amplitude * reciprocal) >> RECIPROCAL_BITS, 2 * MAX_LEVEL - 2)
        new_costs[:] = INFINITE
        for quantizer in range(2):
            context = coefficient_context(0, log2_size, quantizer, row + column, neighbours[k])
            low = (whole + quantizer) >> 1
            for choice in range(3):
                magnitude = low + choice if choice < 2 else 0
                error = zero
                if magnitude > 0:
                    difference = amplitude - (2 * magnitude - quantizer) * half_step
                    error = (difference * difference) << ERROR_SHIFT
                options[quantizer, choice] = error + lagrangian * magnitude_cost(costs.levels[context], magnitude)
                if amplitude == 0 and magnitude > 0:  # or a block could keep more levels than `sparsity` allows
                    options[quantizer, choice] = INFINITE
        for state in range(4):
            if path_costs[state] >= INFINITE:
                continue
            quantizer = state >> 1
            low = (whole + quantizer) >> 1
            for choice in range(3 if low > 0 else 2):
                magnitude = low + choice if choice < 2 else 0
                cost = path_costs[state] + options[quantizer, choice]
                following = NEXT_STATE[state, magnitude & 1]
                if cost < new_costs[following]:
                    new_costs[following] = cost
                    previous[k, following] = state
                    chosen[k, following] = magnitude
                    new_ends[following] = ends[state]
        context = coefficient_context(0, log2_size, 0, row + column, neighbours[k])
        start = tail + lagrangian * end_cost(contexts, costs, kind, log2_size, activity, k + 1)
        for magnitude in range(max(whole >> 1, 1), (whole >> 1) + (2 if amplitude > 0 else 0)):
            difference = amplitude - 2 * magnitude * half_step
            cost = start + ((difference * difference) << ERROR_SHIFT)
            cost += lagrangian * magnitude_cost(costs.last_levels[context], magnitude)
            following = NEXT_STATE[0, magnitude & 1]
            if cost < new_costs[following]:
                new_costs[following] = cost
                previous[k, following] = -1
                chosen[k, following] = magnitude
                new_ends[following] = k + 1
        tail += zero
        for state in range(4):
            path_costs[state] = new_costs[state]
            ends[state] = new_ends[state]
    best = tail + lagrangian * end_cost(contexts, costs, kind, log2_size, activity, 0)
    state = -1
    for candidate in range(4):
        if path_costs[candidate] < best:
            best, state = path_costs[candidate], candidate
    if state < 0:
        return 0
    end = ends[state]
    for k in range(end):
        row, column = scan[k] >> 5, scan[k] & 31
        magnitude = chosen[k, state]
        levels[row, column] = magnitude if coefficients[row, column] >= 0 else -magnitude
        state = previous[k, state]
    return end
