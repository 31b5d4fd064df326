# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The encoder's choice of one block's mode and levels, by rate and distortion (encoder only).

Modes are priced by sums of differences; the best of them are quantized by the trellis, as they would be coded, and the
one that costs least is reconstructed as the decoder will.

`search` and `options` are the `Search` and `Options` of the plane, `tools` the `Tools` or None.
"""

import numpy as np

from fdcodec.format.constants import LEARNED
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.planes import add_residual, gather_border, predict_gathered
from fdcodec.kernels.reconstruction.quantizer import dequantize
from fdcodec.kernels.reconstruction.transforms import forward_transform, inverse_transform, subtract_prediction
from fdcodec.kernels.search.copies import try_tools
from fdcodec.kernels.search.modes import difference_lanes, price_modes
from fdcodec.kernels.search.quantization import INFINITE, keep_largest
from fdcodec.kernels.search.state import END, LEFT, MODE, UP
from fdcodec.kernels.search.trellis import trellis_levels
from fdcodec.kernels.simd.lanes import LANES, lanes_at, put_lanes, spread_wide, total_of, wide_product
from fdcodec.kernels.syntax.levels import fullness_around


@kernel()
def _squared_error(original, block, samples):
    total = spread_wide(0)
    for row in range(1 << block[3]):
        for column in range(0, 1 << block[2], LANES):
            difference = difference_lanes(original, block, samples, row, column)
            total = total + wide_product(difference, difference)
    return total_of(total)


@kernel(inner=True)
def copy_levels(source, target):
    """Copy the levels of a block up to its end."""
    for k in range(len(source)):
        target[k] = source[k]


@kernel(merged=True)
def _transform_residual(search, options, block, mode):
    """Write the coefficients of original minus prediction into `work.coefficients`, cut to `sparsity` if asked."""
    x, y, log2_width, log2_height = block
    work, width, height = search.work, 1 << log2_width, 1 << log2_height
    subtract_prediction(search.original[y : y + height, x : x + width], work.prediction, work.residual)
    forward_transform(work.residual, mode, log2_width, log2_height, search.tables, work, work.coefficients)
    if options.sparsity > 0:
        keep_largest(work.coefficients, width, height, options.sparsity, work.scratch)


@kernel(merged=True)
def _coded(search, block):
    """Return what the cost of a block's levels depends on: (log2 width, log2 height, fullness, scan)."""
    x, y, log2_width, log2_height = block
    fullness = fullness_around(search.known, x, y)
    return log2_width, log2_height, fullness, search.tables.scans[log2_height, log2_width]


@kernel(merged=True)
def _quantize(search, options, block):
    """Quantize `work.coefficients` by the trellis into `levels`, as they would be coded; return (end, cost)."""
    coded, half_step, lagrangian = _coded(search, block), options.half_step, options.lagrangian
    return trellis_levels(
        search.work.coefficients, coded, half_step, lagrangian, search.costs, search.levels, search.steps
    )


@kernel(inline=True)
def _try_mode(search, options, block, mode, best):
    """Code the block in one mode; if that costs less than `best`, it is the trial. Return the lower cost."""
    predict_gathered(search.plane, search.luma, block, mode, search.tables, search.work)
    _transform_residual(search, options, block, mode)
    end, cost = _quantize(search, options, block)
    cost += options.lagrangian * search.mode_rates[mode]
    if cost >= best:
        return best
    search.trial[MODE], search.trial[END] = mode, end
    copy_levels(search.levels[:end], search.trial_levels[:end])
    for row in range(1 << block[3]):
        for column in range(0, 1 << block[2], LANES):
            put_lanes(lanes_at(search.work.prediction[row], column), search.trial_prediction[row], column)
    return cost


@kernel(merged=True)
def _reconstruct_trial(search, options, block):
    """Write the trial's samples, as the decoder will, into `trial_samples`; return their squared error."""
    _, _, log2_width, log2_height = block
    work, width, height = search.work, 1 << log2_width, 1 << log2_height
    levels = search.trial_levels[: search.trial[END]]
    if len(levels) == 0:
        work.residual[:height, :width] = 0
    else:
        n_found, mode = dequantize(levels, options.half_step, work), search.trial[MODE]
        inverse_transform(n_found, mode, log2_width, log2_height, search.tables, work, work.residual)
    origin, bounds = (0, 0, log2_width, log2_height), (options.low, options.high)
    add_residual(search.trial_samples, origin, bounds, search.trial_prediction, work.residual)
    return _squared_error(search.original, block, search.trial_samples)


@kernel()
def _least(costs):
    """Return the index of the first of the least costs; np.argmin would bring in all of numba's array library."""
    least = 0
    for k in range(1, len(costs)):
        if costs[k] < costs[least]:
            least = k
    return least


@kernel(inner=True)
def search_block(search, tools, options, block, parent, angle_stride, n_candidates):
    """Find the best mode and levels of one block and leave them as the trial; return (cost, squared error)."""
    gather_border(search.plane, block, search.work)
    price_modes(search, options, block, parent, angle_stride)
    cost, limit = INFINITE, np.int64(0)
    for k in range(n_candidates + options.n_learned):
        costs, first = (search.mode_costs, 0) if k < n_candidates else (search.learned_costs, LEARNED)
        mode = _least(costs)
        if k in (0, n_candidates):
            limit = costs[mode] + (costs[mode] >> 5) * options.candidate_margin_32nds
        if costs[mode] < INFINITE and costs[mode] <= limit:
            costs[mode] = INFINITE
            cost = _try_mode(search, options, block, first + mode, cost)
    error = _reconstruct_trial(search, options, block)
    search.trial[LEFT], search.trial[UP] = 0, 0
    if tools is not None:  # decided when compiled
        cost = try_tools(search, tools, options, block, cost)
    return cost, error
