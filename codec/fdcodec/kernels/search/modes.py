# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The encoder's prices of prediction modes: SATD, the sum of the residual's Hadamard coefficients, and rates.

Planes are int32 (height, width), blocks int32 (32, 32); `satds`, `costs` and `rates` are int64, one for each mode.
"""

from fdcodec.format.constants import CHROMA_FROM_LUMA, DC, DIAGONAL, N_MODES, N_PROBABLE
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.prediction import predict, predict_from_luma, predict_lines
from fdcodec.kernels.search.costs import mode_cost
from fdcodec.kernels.search.learned_modes import price_learned
from fdcodec.kernels.search.quantization import INFINITE
from fdcodec.kernels.simd.lanes import LANES, block_lanes, butterflies, spread, swap_pairs, total_of
from fdcodec.kernels.simd.registers import larger, magnitudes
from fdcodec.kernels.syntax.modes import probable_modes


@kernel(inner=True)
def difference_lanes(original, block, prediction, row, column):
    """Return lanes of the residual of a block."""
    x, y, width = block[0] + column, block[1] + row, 1 << block[2]
    return block_lanes(original[y], x, width) - block_lanes(prediction[row], column, width)


@kernel()
def _larger_pairs(row):
    """Return the larger of |a + b| and |c + d|, and of |a - b| and |c - d|, twice, of each four neighbours."""
    pairs = magnitudes(butterflies(row))
    return larger(pairs, swap_pairs(pairs))


@kernel()
def _satd(original, block, prediction):
    """Return the sum of absolute 4x4 Hadamard coefficients of the residual, 4 times the orthonormal scale.

    Four rows at a time are combined, then columns by fours, where |u + v| + |u - v| = 2 max(|u|, |v|).
    """
    sums = spread(0)
    for row in range(0, 1 << block[3], 4):
        for column in range(0, 1 << block[2], LANES):
            a = difference_lanes(original, block, prediction, row, column)
            b = difference_lanes(original, block, prediction, row + 1, column)
            c = difference_lanes(original, block, prediction, row + 2, column)
            d = difference_lanes(original, block, prediction, row + 3, column)
            sums = sums + _larger_pairs(a + b + c + d) + _larger_pairs(a - b + c - d)
            sums = sums + _larger_pairs(a + b - c - d) + _larger_pairs(a - b - c + d)
    return total_of(sums)


@kernel()
def _transpose(original, block, transposed):
    """Write a block of the original with its rows as columns."""
    x, y, log2_width, log2_height = block
    for row in range(1 << log2_height):
        line = original[y + row, x : x + (1 << log2_width)]
        for column in range(1 << log2_width):
            transposed[column, row] = line[column]


@kernel(merged=True)
def _price_mode(mode, originals, block, buffers, satds):
    """Enter the SATD of a mode's residual, which is that of its transpose, into `satds`, unless it is there."""
    if satds[mode] < INFINITE:
        return
    original, transposed = originals
    references, smoothed, line, lines, prediction = buffers
    _, _, log2_width, log2_height = block
    if DC < mode < DIAGONAL:
        predict_lines(references, smoothed, log2_width, log2_height, mode, line, lines)
        satds[mode] = _satd(transposed, (0, 0, log2_height, log2_width), lines) << 8
    else:
        predict(references, smoothed, log2_width, log2_height, mode, line, lines, prediction)
        satds[mode] = _satd(original, block, prediction) << 8


@kernel()
def _price_residuals(originals, block, buffers, probable, parent, angle_stride, satds):
    """Enter the SATD of the modes worth a look.

    Planar, DC, the probable modes, the parent's best mode and angles `angle_stride` apart, then the angles beside the
    best; `angle_stride` 0 stops before the angles. `originals` is the plane and scratch for the block transposed,
    `buffers` the references, as they are and smoothed, and scratch of a prediction.
    """
    satds[:] = INFINITE
    original, transposed = originals
    _transpose(original, block, transposed)
    for k in range(N_PROBABLE + 3):
        mode = k if k < 2 else (probable[k - 2] if k < N_PROBABLE + 2 else parent)
        _price_mode(mode, originals, block, buffers, satds)
    if angle_stride == 0:
        return
    for mode in range(2, N_MODES, angle_stride):
        _price_mode(mode, originals, block, buffers, satds)
    for distance in (2, 1):
        best = 2
        for mode in range(2, N_MODES):
            if satds[mode] < satds[best]:
                best = mode
        for mode in (best - distance, best + distance):
            if 2 <= mode < N_MODES:
                _price_mode(mode, originals, block, buffers, satds)


@kernel(merged=True)
def _price_rates(contexts, known, block, satd_lagrangian, probable, costs, rates):
    """Add the rate of each priced mode, weighed by `satd_lagrangian`, to its cost."""
    other = mode_cost(contexts, known, block, -1, probable)
    rates[:N_MODES] = other
    for index in range(N_PROBABLE):
        rates[probable[index]] = mode_cost(contexts, known, block, probable[index], probable)
    if known.kind == 1:
        rates[CHROMA_FROM_LUMA] = mode_cost(contexts, known, block, CHROMA_FROM_LUMA, probable)
    for mode in range(N_MODES + 1):
        if costs[mode] < INFINITE:
            costs[mode] += satd_lagrangian * rates[mode]


@kernel(inline=True)
def price_modes(search, options, block, parent, angle_stride):
    """Price the modes worth a look by the SATD of their residual and their rate."""
    work = search.work
    probable_modes(search.known, block, search.probable)
    parent = parent if 0 <= parent < N_MODES else DC
    angle_stride = 0 if search.known.kind == 1 else angle_stride
    originals = search.original, search.transposed
    buffers = work.references, work.smoothed, work.line, work.lines, work.prediction
    _price_residuals(originals, block, buffers, search.probable, parent, angle_stride, search.mode_costs)
    if search.known.kind == 1:
        predict_from_luma(search.luma, search.plane, block, work.prediction)
        search.mode_costs[CHROMA_FROM_LUMA] = _satd(search.original, block, work.prediction) << 8
    weight, costs, rates = options.satd_lagrangian, search.mode_costs, search.mode_rates
    _price_rates(search.contexts, search.known, block, weight, search.probable, costs, rates)
    price_learned(search, options, block)
