# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The encoder's choice of one block's mode and levels, by rate and distortion (encoder only).

Modes are priced by sums of differences; the best of them are compared by quick quantization, or by the trellis; the
best of all is quantized by the trellis, as it will be coded, and reconstructed as the decoder will.
"""

import numpy as np

from fdcodec.coding.constants import CHROMA_FROM_LUMA, DC, LEARNED, N_MODES, N_PROBABLE
from fdcodec.kernels.block_kernels import END, LEFT, MODE, UP
from fdcodec.kernels.copy_search import try_tools
from fdcodec.kernels.cost_kernels import mode_cost
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.learned_search import price_learned
from fdcodec.kernels.level_syntax import activity_context
from fdcodec.kernels.mode_syntax import probable_modes
from fdcodec.kernels.prediction_kernels import predict, predict_from_luma
from fdcodec.kernels.quantization_kernels import INFINITE, keep_largest, optimize_levels
from fdcodec.kernels.reconstruction_kernels import add_residual, dequantize, gather_border, predict_gathered
from fdcodec.kernels.transform_kernels import forward_transform, inverse_transform, subtract_prediction
from fdcodec.kernels.trellis_kernels import trellis_levels


@kernel(inner=True)
def hadamard_cost(original, block, prediction, rows):
    """Return the sum of absolute 4x4 Hadamard coefficients of the residual, 4 times the orthonormal scale.

    `rows` is int32 (4, 32) scratch: four rows at a time are combined over the whole width, then by fours of columns,
    where |u + v| + |u - v| = 2 max(|u|, |v|).
    """
    x, y, log2_width, log2_height = block
    total = np.int64(0)
    for row in range(0, 1 << log2_height, 4):
        for column in range(1 << log2_width):
            a = original[y + row, x + column] - prediction[row, column]
            b = original[y + row + 1, x + column] - prediction[row + 1, column]
            c = original[y + row + 2, x + column] - prediction[row + 2, column]
            d = original[y + row + 3, x + column] - prediction[row + 3, column]
            rows[0, column] = a + b + c + d
            rows[1, column] = a - b + c - d
            rows[2, column] = a + b - c - d
            rows[3, column] = a - b - c + d
        for i in range(4):
            for k in range(1 << (log2_width - 2)):
                a, b, c, d = rows[i, 4 * k], rows[i, 4 * k + 1], rows[i, 4 * k + 2], rows[i, 4 * k + 3]
                total += max(abs(a + b), abs(c + d)) + max(abs(a - b), abs(c - d))
    return 2 * total


@kernel()
def _price_angle(mode, original, block, references, smoothed, line, lines, prediction, rows, fits):
    """Enter the Hadamard cost of a mode's residual into `fits`, unless it is there."""
    if fits[mode] < INFINITE:
        return
    predict(references, smoothed, block[2], block[3], mode, line, lines, prediction)
    fits[mode] = hadamard_cost(original, block, prediction, rows) << 8


@kernel()
def _price_fits(original, block, references, smoothed, line, lines, prediction, rows, probable, parent, fan, fits):
    """Enter the Hadamard costs of the modes worth a look.

    Planar, DC, the probable modes, the parent's best mode and angles `fan` apart, then the angles beside the best;
    `fan` 0 stops before the angles.
    """
    fits[:] = INFINITE
    for k in range(N_PROBABLE + 3):
        mode = k if k < 2 else (probable[k - 2] if k < N_PROBABLE + 2 else parent)
        _price_angle(mode, original, block, references, smoothed, line, lines, prediction, rows, fits)
    if fan == 0:
        return
    for mode in range(2, N_MODES, fan):
        _price_angle(mode, original, block, references, smoothed, line, lines, prediction, rows, fits)
    for distance in (2, 1):
        best = 2
        for mode in range(2, N_MODES):
            if fits[mode] < fits[best]:
                best = mode
        for mode in (best - distance, best + distance):
            if 2 <= mode < N_MODES:
                _price_angle(mode, original, block, references, smoothed, line, lines, prediction, rows, fits)


@kernel()
def _price_rates(contexts, maps, kind, block, root, probable, costs, rates):
    """Add the rate of each priced mode, weighed by `root`, to its cost."""
    other = mode_cost(contexts, maps, kind, block, -1, probable)
    rates[:N_MODES] = other
    for index in range(N_PROBABLE):
        rates[probable[index]] = mode_cost(contexts, maps, kind, block, probable[index], probable)
    if kind == 1:
        rates[CHROMA_FROM_LUMA] = mode_cost(contexts, maps, kind, block, CHROMA_FROM_LUMA, probable)
    for mode in range(N_MODES + 1):
        if costs[mode] < INFINITE:
            costs[mode] += root * rates[mode]


@kernel(inline=True)
def _price_modes(s, o, block, parent, fan):
    """Price the modes worth a look by the Hadamard cost of their residual and their rate."""
    work = s.work
    probable_modes(s.maps, s.guide, o.kind, block, s.probable)
    parent = parent if 0 <= parent < N_MODES else DC
    _price_fits(
        s.original, block, work.references, work.smoothed, work.line, work.lines, work.prediction, s.rows, s.probable,
        parent, 0 if o.kind == 1 else fan, s.mode_costs,
    )  # fmt: skip
    if o.kind == 1:
        predict_from_luma(s.luma, s.plane, block, work.prediction)
        s.mode_costs[CHROMA_FROM_LUMA] = hadamard_cost(s.original, block, work.prediction, s.rows) << 8
    _price_rates(s.contexts, s.maps, o.kind, block, o.root, s.probable, s.mode_costs, s.mode_rates)
    price_learned(s, o, block)


@kernel()
def _squared_error(target, samples):
    height, width = target.shape
    error = np.int64(0)
    for row in range(height):
        for column in range(width):
            difference = np.int64(target[row, column] - samples[row, column])
            error += difference * difference
    return error


@kernel()
def _transform_residual(s, o, block, mode):
    """Write the coefficients of original minus prediction into `work.coefficients`, cut to `sparsity` if asked."""
    x, y, log2_width, log2_height = block
    width, height = 1 << log2_width, 1 << log2_height
    subtract_prediction(s.original[y : y + height, x : x + width], s.work.prediction, s.work.residual)
    forward_transform(s.work.residual, mode, log2_width, log2_height, s.tables, s.work, s.work.coefficients)
    if o.sparsity > 0:
        keep_largest(s.work.coefficients, width, height, o.sparsity, s.levels)


@kernel()
def _coded(s, o, block):
    """Return what the cost of a block's levels depends on: (kind, log2 width, log2 height, activity, scan)."""
    x, y, log2_width, log2_height = block
    activity = activity_context(s.maps, s.guide, o.kind, x, y)
    return o.kind, log2_width, log2_height, activity, s.tables.scans[log2_height, log2_width]


@kernel()
def _quantization_cost(s, o, block):
    """Return what the levels of `work.coefficients` and their error cost, by quick quantization or the trellis."""
    coded, coefficients = _coded(s, o, block), s.work.coefficients
    if o.trellis_all:
        return trellis_levels(coefficients, coded, o.half_step, o.lagrangian, s.contexts, s.costs, s.levels, s.steps)[1]
    scratch = (s.magnitudes, s.quantizer_costs)
    return optimize_levels(coefficients, coded, o.half_step, o.lagrangian, s.contexts, s.costs, s.levels, scratch)[1]


@kernel(inline=True)
def _try_mode(s, o, block, mode, best, is_only):
    """Quantize the block in one mode and keep it if its cost is below `best`, or unpriced if it `is_only`."""
    predict_gathered(s.plane, s.luma, block, mode, s.tables, s.work)
    _transform_residual(s, o, block, mode)
    cost = np.int64(0) if is_only else _quantization_cost(s, o, block) + o.lagrangian * s.mode_rates[mode]
    if cost >= best:
        return best
    s.trial[MODE] = mode
    for row in range(1 << block[3]):
        for column in range(1 << block[2]):
            s.trial_coefficients[row, column] = s.work.coefficients[row, column]
            s.trial_prediction[row, column] = s.work.prediction[row, column]
    return cost


@kernel()
def _settle_trial(s, o, block):
    """Quantize the trial by the trellis, as it will be coded; return its cost."""
    s.trial[END], cost = trellis_levels(
        s.trial_coefficients, _coded(s, o, block), o.half_step, o.lagrangian, s.contexts, s.costs, s.trial_levels,
        s.steps,
    )  # fmt: skip
    return cost + o.lagrangian * s.mode_rates[s.trial[MODE]]


@kernel()
def _reconstruct_trial(s, o, block):
    """Write the trial's samples, as the decoder will, into `trial_samples`; return their squared error."""
    x, y, log2_width, log2_height = block
    width, height = 1 << log2_width, 1 << log2_height
    if s.trial[END] == 0:
        s.work.residual[:height, :width] = 0
    else:
        scan = s.tables.scans[log2_height, log2_width]
        dequantize(s.trial_levels[:height, :width], scan, s.trial[END], o.half_step, s.work.coefficients)
        inverse_transform(
            s.work.coefficients, s.trial[MODE], log2_width, log2_height, s.tables, s.work, s.work.residual
        )
    origin = (0, 0, log2_width, log2_height)
    add_residual(s.trial_samples, origin, (o.low, o.high), s.trial_prediction, s.work.residual)
    return _squared_error(s.original[y : y + height, x : x + width], s.trial_samples)


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
    _price_modes(s, o, block, parent, fan)
    best, is_only = INFINITE, n_candidates == 1 and s.learned_costs[_least(s.learned_costs)] == INFINITE
    limit = np.int64(0)
    for k in range(n_candidates + o.n_learned):
        costs, first = (s.mode_costs, 0) if k < n_candidates else (s.learned_costs, LEARNED)
        mode = _least(costs)
        if k in (0, n_candidates):
            limit = costs[mode] + (costs[mode] >> 5) * o.near
        if costs[mode] < INFINITE and costs[mode] <= limit:
            costs[mode] = INFINITE
            best = _try_mode(s, o, block, first + mode, best, is_only)
    cost = _settle_trial(s, o, block)
    error = _reconstruct_trial(s, o, block)
    s.trial[LEFT], s.trial[UP] = 0, 0
    if tools is not None:  # decided when compiled
        cost = try_tools(s, tools, o, block, cost)
    return cost, error
