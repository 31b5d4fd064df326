# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,arg-type"
"""Forward and inverse block transforms in integers (SPEC 4.2).

A block's transform is the separable DCT (DST-VII at 4x4), then the rotations of its size and mode group on the low 8x8
coefficients, composed into one matrix when a model is loaded: 448 rotations take 30 ns a sample, their product 5 where
it skips the zeros (ADR 0013).

Widths: sums over a zone are int64. A residual is below 2^13, or below 17700 where chroma is predicted from luma. Both
forward stages together multiply it by at most 32, and either by 2^11 before it rounds: sums stay below 2^31. An inverse
stage starts from values clamped to 2^17 and stays below 2^17 * sqrt(32) * 2^11 < 2^31. All these fit int32.

Blocks are int32 (32, 32), of which the upper left counts; `tables` and `work` are the `Tables` and `Work`.
"""

import numpy as np

from fdcodec.format.constants import (
    COEFFICIENT_LIMIT,
    DC,
    DIAGONAL,
    FREQUENCY_BITS,
    FREQUENCY_SLOPE,
    LEARNED,
    MATRIX_BITS,
    MIN_LOG2,
    N_GROUPS,
    N_MODES,
    PLANAR,
)
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.blocks import size_class
from fdcodec.kernels.reconstruction.zones import ZONE, analyze, gather_zone, synthesize, zone_of
from fdcodec.kernels.simd.lanes import LANES, block_lanes, lanes_at, put_lanes, spread
from fdcodec.kernels.simd.registers import larger, smaller

_MATRIX_HALF = 1 << (MATRIX_BITS - 1)
_LIMIT = np.int32(COEFFICIENT_LIMIT)


@kernel()
def mode_group(mode, log2_width, log2_height):
    """Return the group of a mode: planar and chroma from luma, DC, eight of angular modes.

    In squares these are folded at the diagonal; standing blocks count as the lying ones they are when transposed.
    """
    if mode >= LEARNED:
        return N_GROUPS + mode - LEARNED
    if mode == PLANAR or mode >= N_MODES:
        return 0
    if mode == DC:
        return 1
    if log2_width == log2_height:
        folded = mode if mode <= DIAGONAL else 2 * DIAGONAL - mode
        return 2 + min((folded - 2) >> 1, 7)
    lying = mode if log2_width > log2_height else 2 * DIAGONAL - mode
    return 2 + min((lying - 2) >> 2, 7)


@kernel(inner=True)
def base_rows(tables, mode, log2_width, log2_height):
    """Return which of the matrices act on the columns and on the rows of a block."""
    if mode >= LEARNED:
        rows = tables.learned_bases[log2_width - MIN_LOG2, mode - LEARNED]
        return np.int64(rows[0]), np.int64(rows[1])
    return np.int64(log2_height), np.int64(log2_width)


@kernel()
def _multiply(left, right, rows, inner, width, out):
    """Write out[:rows] = (left[:rows, :inner] @ right[:inner] + half) >> MATRIX_BITS, by four rows and eight columns.

    Of `left` and `out` the rows up to a multiple of four are read and written.
    """
    for column in range(0, width, LANES):
        for i in range(0, rows, 4):
            first, second, third, fourth = left[i], left[i + 1], left[i + 2], left[i + 3]
            a = b = c = d = spread(_MATRIX_HALF)
            for k in range(inner):
                line = lanes_at(right[k], column)
                a, b = a + spread(first[k]) * line, b + spread(second[k]) * line
                c, d = c + spread(third[k]) * line, d + spread(fourth[k]) * line
            put_lanes(a >> MATRIX_BITS, out[i], column)
            put_lanes(b >> MATRIX_BITS, out[i + 1], column)
            put_lanes(c >> MATRIX_BITS, out[i + 2], column)
            put_lanes(d >> MATRIX_BITS, out[i + 3], column)


@kernel(inner=True)
def frequency_weight(row, column, log2_width, log2_height):
    """Return a coefficient's weight, scaled by 2^FREQUENCY_BITS: 1 at the lowest frequency, more above (SPEC 4.2)."""
    frequency = (row << (FREQUENCY_BITS - log2_height)) + (column << (FREQUENCY_BITS - log2_width))
    return (1 << FREQUENCY_BITS) + ((FREQUENCY_SLOPE * frequency) >> FREQUENCY_BITS)


@kernel()
def _weigh(coefficients, rows, columns, log2_width, log2_height):
    """Multiply the coefficients of a block by their weights."""
    for row in range(rows):
        for column in range(columns):
            if coefficients[row, column] != 0:
                weight = frequency_weight(row, column, log2_width, log2_height)
                value = np.int64(coefficients[row, column]) * weight
                coefficients[row, column] = (value + (1 << (FREQUENCY_BITS - 1))) >> FREQUENCY_BITS


@kernel()
def _divide_by_weights(coefficients, log2_width, log2_height):
    """Undo `_weigh` (encoder only)."""
    for row in range(1 << log2_height):
        for column in range(1 << log2_width):
            weight = frequency_weight(row, column, log2_width, log2_height)
            value = np.int64(coefficients[row, column]) << FREQUENCY_BITS
            coefficients[row, column] = (2 * value + weight) // (2 * weight)


@kernel(inner=True)
def subtract_prediction(target, prediction, residual):
    """Write the residual of a block, whose samples are `target`."""
    height, width = target.shape
    for row in range(height):
        for column in range(0, width, LANES):
            difference = block_lanes(target[row], column, width) - lanes_at(prediction[row], column)
            put_lanes(difference, residual[row], column)


@kernel(inner=True)
def forward_base(residual, mode, log2_width, log2_height, tables, work, coefficients):
    """Transform a residual block by the bases of a mode, without its rotations."""
    width, height = 1 << log2_width, 1 << log2_height
    vertical, horizontal = base_rows(tables, mode, log2_width, log2_height)
    _multiply(tables.matrices[vertical], residual, height, height, width, work.scratch)
    _multiply(work.scratch, tables.transposed[horizontal], height, width, width, coefficients)


@kernel()
def forward_transform(residual, mode, log2_width, log2_height, tables, work, coefficients):
    """Transform a residual block into coefficients, both in samples with FRACTION_BITS."""
    forward_base(residual, mode, log2_width, log2_height, tables, work, coefficients)
    if tables.weighs and mode < LEARNED:
        _divide_by_weights(coefficients, log2_width, log2_height)
    size, group = size_class(log2_width, log2_height), mode_group(mode, log2_width, log2_height)
    if tables.has_zone[size, group]:
        zone, places = zone_of(mode, log2_width, log2_height), tables.places[log2_height, log2_width]
        analyze(coefficients, zone, tables.zones[size, group], places, work)


@kernel()
def _scatter(work, n_found, scan, coefficients):
    """Write the coefficients of a block, all but those found zero; return how many rows and columns they fill."""
    coefficients[:] = 0
    rows, columns = np.int64(0), np.int64(0)
    for n in range(n_found):
        place = scan[work.places[n]]
        coefficients[place >> 5, place & 31] = work.found[n]
        rows, columns = max(rows, (place >> 5) + 1), max(columns, (place & 31) + 1)
    return rows, columns


@kernel(merged=True)
def _coefficients_of(n_found, mode, log2_width, log2_height, tables, work):
    """Write the coefficients of a block, its rotations undone; return how many rows and columns may not be zero."""
    width, height = 1 << log2_width, 1 << log2_height
    coefficients, scan = work.coefficients[:height, :width], tables.scans[log2_height, log2_width]
    size, group = size_class(log2_width, log2_height), mode_group(mode, log2_width, log2_height)
    if not tables.has_zone[size, group]:
        return _scatter(work, n_found, scan, coefficients)
    zone, rows, columns = zone_of(mode, log2_width, log2_height), np.int64(height), np.int64(width)
    if max(width, height) > ZONE:  # in smaller blocks the scan is the zone's
        rows, columns = _scatter(work, n_found, scan, coefficients)
        rows, columns = max(rows, min(height, ZONE)), max(columns, min(width, ZONE))
        places = tables.places[log2_height, log2_width]
        n_found = gather_zone(coefficients, places, 1 << (zone[0] + zone[1]), work.found, work.places)
    synthesize(work.found, work.places, n_found, zone, tables.zones[size, group], work.line, coefficients)
    return rows, columns


@kernel(inline=True)
def inverse_transform(n_found, mode, log2_width, log2_height, tables, work, residual):
    """Transform the coefficients of a block, of which `work` has the `n_found` that are not zero, into its residual."""
    coefficients = work.coefficients
    rows, columns = _coefficients_of(n_found, mode, log2_width, log2_height, tables, work)
    if tables.weighs and mode < LEARNED:
        _weigh(coefficients, rows, columns, log2_width, log2_height)
    _clamp(coefficients, rows, columns)
    width, height = 1 << log2_width, 1 << log2_height
    vertical, horizontal = base_rows(tables, mode, log2_width, log2_height)
    _multiply(coefficients, tables.matrices[horizontal], rows, columns, width, work.scratch)
    _clamp(work.scratch, rows, width)
    _multiply(tables.transposed[vertical], work.scratch, height, rows, width, residual)


@kernel()
def _clamp(block, n_rows, n_columns):
    """Clamp a block to +-COEFFICIENT_LIMIT, up to a multiple of eight columns."""
    for i in range(n_rows):
        line = block[i]
        for j in range(0, n_columns, LANES):
            put_lanes(smaller(larger(lanes_at(line, j), spread(-_LIMIT)), spread(_LIMIT)), line, j)
