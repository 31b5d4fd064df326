# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""Kernels that rows of the ablation put in the place of the package's, before anything is compiled."""

import numpy as np

from fdcodec.coding.constants import CHROMA_FROM_LUMA, DC, MAX_LEVEL, MAX_LOG2, MIN_LOG2, N_MODES, STEP_BITS
from fdcodec.kernels.block_kernels import END, MODE, size_class
from fdcodec.kernels.block_search import _coded, _price_fits, _price_rates
from fdcodec.kernels.cost_kernels import end_cost, magnitude_cost
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.level_syntax import STRIDE, coefficient_context, neighbour_class
from fdcodec.kernels.quantization_kernels import ERROR_SHIFT, INFINITE, optimize_levels
from fdcodec.kernels.search_kernels import _open_node, _search_cuts
from fdcodec.kernels.search_state import BEST, PARTS, QUARTER

LARGEST_LOG2, SMALLEST_LOG2 = MAX_LOG2, MIN_LOG2  # log2 sides of squares; rows set others
DEAD_ZONE_64THS = 26  # of a step, added before a level is rounded down: the best of 16, 21, 26 and 30 on kodim01


@kernel()
def open_bounded_node(s, tools, o, x, y, log2_side):
    """Open a square, never to be coded whole above the largest side, nor quartered at the smallest."""
    _open_node(s, tools, o, x, y, log2_side)
    node = s.nodes[log2_side]
    if log2_side > LARGEST_LOG2:
        node[BEST], node[PARTS], node[QUARTER] = INFINITE, 0, 0
    elif log2_side <= SMALLEST_LOG2 and node[BEST] < INFINITE:
        node[PARTS], node[QUARTER] = INFINITE, 4


@kernel()
def search_bounded_cuts(s, tools, o, x, y, log2_side, rate):
    """Try halves only of squares above the smallest side: the halves of that are smaller."""
    if log2_side > SMALLEST_LOG2:
        _search_cuts(s, tools, o, x, y, log2_side, rate)


@kernel()
def price_without_angles(
    original, block, references, smoothed, line, lines, prediction, rows, probable, parent, fan, fits
):
    """Price planar and DC only."""
    _price_fits(original, block, references, smoothed, line, lines, prediction, rows, probable, parent, 0, fits)
    fits[DC + 1 : N_MODES] = INFINITE


@kernel()
def price_without_chroma_from_luma(contexts, maps, kind, block, root, probable, costs, rates):
    """Price every mode but chroma from luma."""
    _price_rates(contexts, maps, kind, block, root, probable, costs, rates)
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
def dequantize_uniformly(levels, scan, end, half_step, coefficients):
    """Write the coefficients of one block whose levels mean whole steps."""
    height, width = levels.shape
    coefficients[:height, :width] = 0
    for k in range(end):
        row, column = scan[k] >> 5, scan[k] & 31
        coefficients[row, column] = (2 * np.int64(levels[row, column]) * half_step) >> STEP_BITS


@kernel()
def settle_by_rate(s, o, block):
    """Quantize the trial uniformly by rate and distortion; return its cost."""
    scratch = (s.magnitudes, s.quantizer_costs)
    s.trial[END], cost = optimize_levels(
        s.trial_coefficients,
        _coded(s, o, block),
        o.half_step,
        o.lagrangian,
        s.contexts,
        s.costs,
        s.trial_levels,
        scratch,
    )
    for row in range(1 << block[3]):
        for column in range(1 << block[2]):
            if s.trial_coefficients[row, column] < 0:
                s.trial_levels[row, column] = -s.trial_levels[row, column]
    return cost + o.lagrangian * s.mode_rates[s.trial[MODE]]


@kernel()
def settle_by_dead_zone(s, o, block):
    """Quantize the trial uniformly with a dead zone; return its cost."""
    kind, log2_width, log2_height, activity, scan = _coded(s, o, block)
    step, size = 2 * np.int64(o.half_step), size_class(log2_width, log2_height)
    end, error = 0, np.int64(0)
    for k in range(1 << (log2_width + log2_height)):
        row, column = scan[k] >> 5, scan[k] & 31
        amplitude = np.int64(s.trial_coefficients[row, column]) << STEP_BITS
        magnitude = min((abs(amplitude) + ((step * DEAD_ZONE_64THS) >> 6)) // step, MAX_LEVEL)
        s.trial_levels[row, column] = magnitude if amplitude >= 0 else -magnitude
        difference = abs(amplitude) - magnitude * step
        error += (difference * difference) << ERROR_SHIFT
        if magnitude > 0:
            end = k + 1
    s.trial[END] = end
    rate = end_cost(s.contexts, s.costs, kind, size, activity, end) + s.mode_rates[s.trial[MODE]]
    for k in range(end - 1, -1, -1):
        row, column = scan[k] >> 5, scan[k] & 31
        index, magnitude = row * STRIDE + column, abs(s.trial_levels[row, column])
        context = coefficient_context(0, size, 0, row + column, neighbour_class(s.magnitudes, index))
        table = s.costs.last_levels if k == end - 1 else s.costs.levels
        rate += magnitude_cost(table[context], magnitude)
        s.magnitudes[index] = magnitude
    for k in range(end):
        s.magnitudes[(scan[k] >> 5) * STRIDE + (scan[k] & 31)] = 0
    return error + o.lagrangian * rate
