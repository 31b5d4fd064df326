# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The rotations of a block's low zone, composed into one matrix, in integers (SPEC 4.2). Sums over a zone are int64.

`coefficients` are int32 (32, 32), of which the upper left counts, `matrix` is int16 (64, 64), `places` int32 (64,) with
32 * row + column; a `zone` is what `zone_of` returns.
"""

import numpy as np

from fdcodec.format.constants import DIAGONAL, N_MODES, ROTATION_BITS, ZONE_LOG2
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.simd.lanes import LANES, block_lanes, lanes_at, put_block_lanes, put_lanes, spread

ZONE = 1 << ZONE_LOG2
_ROTATION_HALF = 1 << (ROTATION_BITS - 1)
_SHORT_REACH = 1 << 15


@kernel()
def _is_transposed(mode, log2_width, log2_height):
    """Tell whether the rotations see the block transposed: standing blocks, squares of modes past the diagonal."""
    return log2_height > log2_width or (log2_height == log2_width and DIAGONAL < mode < N_MODES)


@kernel(inner=True)
def zone_of(mode, log2_width, log2_height):
    """Return how the rotations see a block's low zone: (log2 of its rows, log2 of its columns, is it transposed)."""
    rows, columns = min(log2_width, log2_height), max(log2_width, log2_height)
    return min(rows, ZONE_LOG2), min(columns, ZONE_LOG2), _is_transposed(mode, log2_width, log2_height)


@kernel()
def _zone_place(zone, j):
    """Return row and column of the j-th coefficient of a block's low zone."""
    _, log2_columns, transposed = zone
    row, column = j >> log2_columns, j & ((1 << log2_columns) - 1)
    return (column, row) if transposed else (row, column)


@kernel()
def _wide_product(weights, values, count):
    total = np.int64(_ROTATION_HALF)
    for j in range(count):
        total += weights[j] * np.int64(values[j])
    return total >> ROTATION_BITS


@kernel()
def _short_product(weights, values, count):
    """Return the same of values whose magnitudes add up to less than 2^15, five times as fast."""
    total = np.int32(_ROTATION_HALF)
    for j in range(count):
        total = np.int32(total + np.int32(np.int32(weights[j]) * np.int32(values[j])))
    return np.int64(total >> ROTATION_BITS)


@kernel(inner=True)
def analyze(coefficients, zone, matrix, places, work):
    """Replace the low zone's coefficients by `matrix` times them, the k-th at the k-th place of the scan."""
    values, short = work.values, work.short
    count, reach = 1 << (zone[0] + zone[1]), np.int64(0)
    for j in range(count):
        row, column = _zone_place(zone, j)
        values[j] = coefficients[row, column]
        reach += abs(values[j])
    for j in range(count):
        short[j] = values[j] if reach < _SHORT_REACH else 0
    for k in range(count):
        product = (
            _short_product(matrix[k], short, count) if reach < _SHORT_REACH else _wide_product(matrix[k], values, count)
        )
        coefficients[places[k] >> 5, places[k] & 31] = product


@kernel(inner=True)
def gather_zone(coefficients, places, count, values, rows):
    """Write the coefficients at the first places but for zeros, and their numbers; return how many there are."""
    n_values = 0
    for k in range(count):
        value = coefficients[places[k] >> 5, places[k] & 31]
        values[n_values], rows[n_values] = value, k  # written over by the next one where it is zero
        n_values += 1 if value != 0 else 0
    return n_values


@kernel()
def _reach_of(values, n_values):
    reach = np.int64(0)
    for n in range(n_values):
        reach += abs(np.int64(values[n]))
    return reach


@kernel()
def _wide_columns(matrix, values, rows, n_values, count, sums):
    for j in range(count):
        total = np.int64(_ROTATION_HALF)
        for n in range(n_values):
            total += matrix[rows[n], j] * np.int64(values[n])
        sums[j] = total >> ROTATION_BITS


@kernel()
def _short_columns(matrix, values, rows, n_values, count, sums):
    """Write the same of values whose magnitudes add up to less than 2^15, sixteen sums at a time."""
    for j in range(0, count, 2 * LANES):
        first = second = spread(_ROTATION_HALF)
        for n in range(n_values):
            value, weights = spread(values[n]), matrix[rows[n]]
            first, second = first + value * lanes_at(weights, j), second + value * lanes_at(weights, j + LANES)
        put_lanes(first >> ROTATION_BITS, sums, j)
        put_lanes(second >> ROTATION_BITS, sums, j + LANES)


@kernel()
def _put_zone(sums, zone, coefficients):
    """Write the coefficients of a zone, a row after the other as the rotations see them."""
    log2_rows, log2_columns, transposed = zone
    width = 1 << log2_columns
    for row in range(1 << log2_rows):
        if transposed:
            for column in range(width):
                coefficients[column, row] = sums[row * width + column]
        else:
            put_block_lanes(block_lanes(sums, row * width, width), coefficients[row], 0, width)


@kernel(merged=True)
def synthesize(values, rows, n_values, zone, matrix, line, coefficients):
    """Undo `analyze` by the transpose of `matrix`: write the zone whose `values` stand at the places numbered `rows`.

    All others are zero; `line` is scratch.
    """
    count = 1 << (zone[0] + zone[1])
    if _reach_of(values, n_values) < _SHORT_REACH:
        _short_columns(matrix, values, rows, n_values, count, line)
    else:
        _wide_columns(matrix, values, rows, n_values, count, line)
    _put_zone(line, zone, coefficients)
