# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The encoder's quick choice of levels, rate-distortion optimized, and what it shares with the trellis. Encoder only.

Units: amplitudes in 1/64 coefficient unit (those of `half_step`); a cost is the squared error in these units times 64
plus lambda times the rate in 1/1024 bit, so `lambda` carries all scaling and every cost fits int64.
"""

import numpy as np

from fdcodec.coding.constants import MAX_LEVEL, STEP_BITS
from fdcodec.kernels.block_kernels import size_class
from fdcodec.kernels.cost_kernels import end_cost, magnitude_cost
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.level_syntax import STRIDE, coefficient_context, neighbour_class

ERROR_SHIFT = 6
RECIPROCAL_BITS = 40
INFINITE = np.int64(1) << 62


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


@kernel(inner=True)
def last_candidate(coefficients, scan, n_positions, threshold):
    """Return the highest scan position whose amplitude reaches `threshold`, or -1."""
    for k in range(n_positions - 1, -1, -1):
        if abs(np.int64(coefficients[scan[k] >> 5, scan[k] & 31])) << STEP_BITS >= threshold:
            return k
    return -1


@kernel(inner=True)
def dropping_cost(coefficients, scan, first, stop):
    """Return what it costs to drop the coefficients at scan positions `first` to `stop` - 1."""
    total = np.int64(0)
    for k in range(first, stop):
        amplitude = np.int64(coefficients[scan[k] >> 5, scan[k] & 31]) << STEP_BITS
        total += amplitude * amplitude
    return total << ERROR_SHIFT


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
    last = last_candidate(coefficients, scan, 1 << (log2_width + log2_height), half_step)
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
