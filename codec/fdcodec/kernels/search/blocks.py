# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The encoder's choice of one block's mode and levels, by rate and distortion (encoder only).

Modes are priced by sums of differences; the best of them are quantized by the trellis, as they would be coded, and the
one that costs least is reconstructed as the decoder will.
"""

import numpy as np

from fdcodec.coding.constants import LEARNED
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.blocks import END, LEFT, MODE, UP
from fdcodec.kernels.reconstruction.planes import add_residual, dequantize, gather_border, predict_gathered
from fdcodec.kernels.reconstruction.transforms import forward_transform, inverse_transform, subtract_prediction
from fdcodec.kernels.search.copies import try_tools
from fdcodec.kernels.search.modes import difference_lanes, price_modes
from fdcodec.kernels.search.quantization import INFINITE, keep_largest
from fdcodec.kernels.search.trellis import trellis_levels
from fdcodec.kernels.simd.lanes import LANES, lanes_at, put_lanes, spread_wide, total_of, wide_product
from fdcodec.kernels.syntax.levels import activity_context


@kernel()
def _squared_error(original, block, samples):
    total = spread_wide(0)
    for row in range(1 << block[3]):
        for column in range(0, 1 << block[2], LANES):
            difference = difference_lanes(original, block, samples, row, column)
            total = total + wide_product(difference, difference)
    return total_of(total)


@kernel(merged=True)
def _transform_residual(s, o, block, mode):
    """Write the coefficients of original minus prediction into `work.coefficients`, cut to `sparsity` if asked."""
    x, y, log2_width, log2_height = block
    width, height = 1 << log2_width, 1 << log2_height
    subtract_prediction(s.original[y : y + height, x : x + width], s.work.prediction, s.work.residual)
    forward_transform(s.work.residual, mode, log2_width, log2_height, s.tables, s.work, s.work.coefficients)
    if o.sparsity > 0:
        keep_largest(s.work.coefficients, width, height, o.sparsity, s.levels)


@kernel(merged=True)
def _coded(s, o, block):
    """Return what the cost of a block's levels depends on: (log2 width, log2 height, activity, scan)."""
    x, y, log2_width, log2_height = block
    activity = activity_context(s.maps, s.guide, o.kind, x, y)
    return log2_width, log2_height, activity, s.tables.scans[log2_height, log2_width]


@kernel(merged=True)
def _quantize(s, o, block):
    """Quantize `work.coefficients` by the trellis into `levels`, as they would be coded; return (end, cost)."""
    coded = _coded(s, o, block)
    return trellis_levels(s.work.coefficients, coded, o.half_step, o.lagrangian, s.costs, s.levels, s.steps)


@kernel(inline=True)
def _try_mode(s, o, block, mode, best):
    """Code the block in one mode; if that costs less than `best`, it is the trial. Return the lower cost."""
    predict_gathered(s.plane, s.luma, block, mode, s.tables, s.work)
    _transform_residual(s, o, block, mode)
    end, cost = _quantize(s, o, block)
    cost += o.lagrangian * s.mode_rates[mode]
    if cost >= best:
        return best
    s.trial[MODE], s.trial[END] = mode, end
    for row in range(1 << block[3]):
        for column in range(0, 1 << block[2], LANES):
            put_lanes(lanes_at(s.levels[row], column), s.trial_levels[row], column)
            put_lanes(lanes_at(s.work.prediction[row], column), s.trial_prediction[row], column)
    return cost


@kernel(merged=True)
def _reconstruct_trial(s, o, block):
    """Write the trial's samples, as the decoder will, into `trial_samples`; return their squared error."""
    _, _, log2_width, log2_height = block
    width, height = 1 << log2_width, 1 << log2_height
    if s.trial[END] == 0:
        s.work.residual[:height, :width] = 0
    else:
        scan = s.tables.scans[log2_height, log2_width]
        extent = dequantize(s.trial_levels[:height, :width], scan, s.trial[END], o.half_step, s.work.coefficients)
        inverse_transform(
            s.work.coefficients, extent, s.trial[MODE], log2_width, log2_height, s.tables, s.work, s.work.residual
        )
    origin = (0, 0, log2_width, log2_height)
    add_residual(s.trial_samples, origin, (o.low, o.high), s.trial_prediction, s.work.residual)
    return _squared_error(s.original, block, s.trial_samples)


@kernel()
def _least(costs):
    """Return the index of the first of the least costs; np.argmin would bring in all of numba's array library."""
    least = 0
    for k in range(1, len(costs)):
        if costs[k] < costs[least]:
            least = k
    return least


@kernel(inner=True)
def search_block(s, tools, o, block, parent, fan, n_candidates):
    """Find the best mode and levels of one block and leave them as the trial; return (cost, squared error)."""
    gather_border(s.plane, block, s.work)
    price_modes(s, o, block, parent, fan)
    cost, limit = INFINITE, np.int64(0)
    for k in range(n_candidates + o.n_learned):
        costs, first = (s.mode_costs, 0) if k < n_candidates else (s.learned_costs, LEARNED)
        mode = _least(costs)
        if k in (0, n_candidates):
            limit = costs[mode] + (costs[mode] >> 5) * o.near
        if costs[mode] < INFINITE and costs[mode] <= limit:
            costs[mode] = INFINITE
            cost = _try_mode(s, o, block, first + mode, cost)
    error = _reconstruct_trial(s, o, block)
    s.trial[LEFT], s.trial[UP] = 0, 0
    if tools is not None:  # decided when compiled
        cost = try_tools(s, tools, o, block, cost)
    return cost, error
