# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""Kernels that rows of the ablation put in the place of the package's, before anything is compiled."""

import numpy as np

from fdcodec.format.constants import (
    CHROMA_FROM_LUMA,
    DC,
    MAX_LEVEL,
    MAX_LOG2,
    MAX_UNARY,
    MIN_LOG2,
    N_MODES,
    STEP_BITS,
)
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.blocks import size_class
from fdcodec.kernels.search.blocks import _coded
from fdcodec.kernels.search.costs import end_cost, escape_cost
from fdcodec.kernels.search.modes import _price_rates, _price_residuals
from fdcodec.kernels.search.planes import _open_node, _search_cuts
from fdcodec.kernels.search.quantization import ERROR_SHIFT, INFINITE, dropping_cost, last_candidate, zero_cost
from fdcodec.kernels.search.state import BEST, PARTS, QUARTER
from fdcodec.kernels.syntax.levels import FREQUENCY_CLASS, MAX_NEIGHBOURS, NEIGHBOUR_CLASS, coefficient_context

LARGEST_LOG2, SMALLEST_LOG2 = MAX_LOG2, MIN_LOG2  # log2 sides of squares; rows set others
DEAD_ZONE_64THS = 26  # of a step, added before a level is rounded down: the best of 16, 21, 26 and 30 on kodim01


@kernel()
def open_bounded_node(search, tools, options, x, y, log2_side):
    """Open a square, never to be coded whole above the largest side, nor quartered at the smallest."""
    _open_node(search, tools, options, x, y, log2_side)
    node = search.nodes[log2_side]
    if log2_side > LARGEST_LOG2:
        node[BEST], node[PARTS], node[QUARTER] = INFINITE, 0, 0
    elif log2_side <= SMALLEST_LOG2 and node[BEST] < INFINITE:
        node[PARTS], node[QUARTER] = INFINITE, 4


@kernel()
def search_bounded_cuts(search, tools, options, x, y, log2_side, rate):
    """Try halves only of squares above the smallest side: the halves of that are smaller."""
    if log2_side > SMALLEST_LOG2:
        _search_cuts(search, tools, options, x, y, log2_side, rate)


@kernel()
def price_without_angles(originals, block, buffers, probable, parent, angle_stride, satds):
    """Price planar and DC only."""
    _price_residuals(originals, block, buffers, probable, parent, 0, satds)
    satds[DC + 1 : N_MODES] = INFINITE


@kernel()
def price_without_chroma_from_luma(contexts, known, block, satd_lagrangian, probable, costs, rates):
    """Price every mode but chroma from luma."""
    _price_rates(contexts, known, block, satd_lagrangian, probable, costs, rates)
    costs[CHROMA_FROM_LUMA] = INFINITE


@kernel()
def copy_references(references, extent, smoothed):
    """Smooth nothing."""
    for k in range(2 * extent + 1):
        smoothed[k] = references[k]


@kernel()
def blend_no_edges(references, log2_width, log2_height, prediction):
    """Leave a planar or DC prediction as it is."""


@kernel()
def blend_no_side(references, log2_depth, log2_length, angle, sign, lines):
    """Leave an angular prediction as it is."""


@kernel()
def first_state(high, low, level):
    """Return the first state of the quantizer, in which levels mean whole steps."""
    return np.int64(0), np.int64(0)


@kernel()
def _neighbours(levels, row, column, height, width):
    """Return the neighbour class of a coefficient by the levels already chosen, which fill the rest of the block."""
    total = np.int64(0)
    for down, right, weight in ((0, 1, 2), (1, 0, 2), (0, 2, 1), (1, 1, 1), (2, 0, 1)):
        if row + down < height and column + right < width:
            total += weight * min(abs(levels[row + down, column + right]), 15)
    return NEIGHBOUR_CLASS[min(total, MAX_NEIGHBOURS)]


@kernel()
def _price(row, magnitude, lagrangian):
    return row[min(magnitude, MAX_UNARY)] + lagrangian * escape_cost(magnitude)


@kernel()
def quantize_by_rate(search, options, block):
    """Round each coefficient down or to nearest by rate and distortion, then take the best end; return (end, cost)."""
    log2_width, log2_height, fullness, scan = _coded(search, block)
    width, height, size = 1 << log2_width, 1 << log2_height, size_class(log2_width, log2_height)
    coefficients, levels, step = search.work.coefficients, search.work.scratch, 2 * np.int64(options.half_step)
    costs, last_costs, last_magnitudes = search.steps[:, 0], search.steps[:, 1], search.steps[:, 2]
    last = last_candidate(coefficients, scan, width * height, options.half_step)
    levels[:height, :width] = 0
    above = dropping_cost(coefficients, log2_width, log2_height)
    best, end, total = above + end_cost(search.costs, size, fullness, 0), 0, np.int64(0)
    for k in range(last, -1, -1):
        row, column = scan[k] >> 5, scan[k] & 31
        amplitude = abs(np.int64(coefficients[row, column])) << STEP_BITS
        neighbours = _neighbours(levels, row, column, height, width)
        context = coefficient_context(0, size, 0, FREQUENCY_CLASS[size, row + column], neighbours)
        chosen, costs[k], last_costs[k] = (
            0,
            zero_cost(coefficients[row, column]) + search.costs.levels[context, 0],
            INFINITE,
        )
        nearest = min((2 * amplitude + step) // (2 * step), MAX_LEVEL)
        for magnitude in range(max(nearest - 1, 1), nearest + 1):
            error = (amplitude - magnitude * step) * (amplitude - magnitude * step) << ERROR_SHIFT
            cost = error + _price(search.costs.levels[context], magnitude, options.lagrangian)
            if cost < costs[k]:
                chosen, costs[k] = magnitude, cost
            cost = error + _price(search.costs.last_levels[context], magnitude, options.lagrangian)
            if cost < last_costs[k]:
                last_magnitudes[k], last_costs[k] = magnitude, cost
        levels[row, column] = chosen if coefficients[row, column] >= 0 else -chosen
        total += costs[k]
        above -= zero_cost(coefficients[row, column])
    for k in range(last, -1, -1):
        total -= costs[k]
        if last_costs[k] < INFINITE:
            cost = above + last_costs[k] + total + end_cost(search.costs, size, fullness, k + 1)
            if cost < best:
                best, end = cost, k + 1
        above += zero_cost(coefficients[scan[k] >> 5, scan[k] & 31])
    if end > 0:
        row, column = scan[end - 1] >> 5, scan[end - 1] & 31
        levels[row, column] = last_magnitudes[end - 1] if coefficients[row, column] >= 0 else -last_magnitudes[end - 1]
    for k in range(end):
        search.levels[k] = levels[scan[k] >> 5, scan[k] & 31]
    return end, best


@kernel()
def quantize_by_dead_zone(search, options, block):
    """Quantize uniformly with a dead zone; return (end, cost)."""
    log2_width, log2_height, fullness, scan = _coded(search, block)
    width, height, size = 1 << log2_width, 1 << log2_height, size_class(log2_width, log2_height)
    step, end, cost = 2 * np.int64(options.half_step), 0, np.int64(0)
    for k in range(width * height):
        row, column = scan[k] >> 5, scan[k] & 31
        amplitude = np.int64(search.work.coefficients[row, column]) << STEP_BITS
        magnitude = min((abs(amplitude) + ((step * DEAD_ZONE_64THS) >> 6)) // step, MAX_LEVEL)
        search.levels[k] = search.work.scratch[row, column] = magnitude if amplitude >= 0 else -magnitude
        difference = abs(amplitude) - magnitude * step
        cost += (difference * difference) << ERROR_SHIFT
        if magnitude > 0:
            end = k + 1
    cost += end_cost(search.costs, size, fullness, end)
    for k in range(end):
        row, column = scan[k] >> 5, scan[k] & 31
        neighbours = _neighbours(search.work.scratch, row, column, height, width)
        context = coefficient_context(0, size, 0, FREQUENCY_CLASS[size, row + column], neighbours)
        table = search.costs.last_levels if k == end - 1 else search.costs.levels
        cost += _price(table[context], abs(np.int64(search.levels[k])), options.lagrangian)
    return end, cost
