# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""Forward and inverse block transforms in integers (SPEC 4.2).

A block's transform is the separable DCT (DST-7 at 4x4), then the rotations of its size and mode group on the low
8x8 coefficients. Widths: a residual has at most 13 bits with its sign, a forward stage multiplies by less than
sqrt(32) * 2^11, so sums stay below 2^29; an inverse stage starts from values clamped to 2^17 and stays below
2^17 * sqrt(32) * 2^11 < 2^31. All fits int32.
"""

import numpy as np

from fdcodec.coding.constants import (
    COEFFICIENT_LIMIT,
    DC,
    DIAGONAL,
    MATRIX_BITS,
    N_MODES,
    PLANAR,
    ROTATION_BITS,
    ZONE_LOG2,
)
from fdcodec.kernels.block_kernels import size_class
from fdcodec.kernels.jit import kernel

_MATRIX_HALF = 1 << (MATRIX_BITS - 1)
_ROTATION_HALF = 1 << (ROTATION_BITS - 1)


@kernel()
def mode_group(mode, log2_width, log2_height):
    """Return the group of a mode: planar and chroma from luma, DC, eight of angular modes.

    In squares these are folded at the diagonal; standing blocks count as the lying ones they are when transposed.
    """
    if mode == PLANAR or mode >= N_MODES:
        return 0
    if mode == DC:
        return 1
    if log2_width == log2_height:
        folded = mode if mode <= DIAGONAL else 2 * DIAGONAL - mode
        return 2 + min((folded - 2) >> 1, 7)
    lying = mode if log2_width > log2_height else 2 * DIAGONAL - mode
    return 2 + min((lying - 2) >> 2, 7)


@kernel()
def is_transposed(mode, log2_width, log2_height):
    """Tell whether the rotations see the block transposed: standing blocks, squares of modes past the diagonal."""
    return log2_height > log2_width or (log2_height == log2_width and DIAGONAL < mode < N_MODES)


@kernel()
def zone_of(mode, log2_width, log2_height):
    """Return how the rotations see a block's low zone: (log2 of its rows, log2 of its columns, is it transposed)."""
    rows, columns = min(log2_width, log2_height), max(log2_width, log2_height)
    return min(rows, ZONE_LOG2), min(columns, ZONE_LOG2), is_transposed(mode, log2_width, log2_height)


@kernel()
def _multiply_left(matrix, block, rows, height, width, out):
    """Write out = (matrix[:, :rows] @ block[:rows] + half) >> MATRIX_BITS."""
    for i in range(height):
        for j in range(width):
            out[i, j] = _MATRIX_HALF
        for k in range(rows):
            weight = matrix[i, k]
            for j in range(width):
                out[i, j] += weight * block[k, j]
        for j in range(width):
            out[i, j] >>= MATRIX_BITS


@kernel()
def _multiply_right(block, matrix, rows, columns, width, out):
    """Write out[:rows] = (block[:rows, :columns] @ matrix[:columns] + half) >> MATRIX_BITS, skipping zeros."""
    for i in range(rows):
        for j in range(width):
            out[i, j] = _MATRIX_HALF
        for k in range(columns):
            value = block[i, k]
            if value != 0:
                for j in range(width):
                    out[i, j] += value * matrix[k, j]
        for j in range(width):
            out[i, j] >>= MATRIX_BITS


@kernel()
def _rotate(coefficients, zone, tables, first, last, step, sign):
    """Apply rotations `first`, `first + step`, ... before `last`, their angles times `sign`, to the low zone."""
    _, log2_columns, transposed = zone
    mask = (1 << log2_columns) - 1
    for k in range(first, last, step):
        i, j = tables.pairs[k]
        row_i, column_i, row_j, column_j = i >> log2_columns, i & mask, j >> log2_columns, j & mask
        if transposed:
            row_i, column_i, row_j, column_j = column_i, row_i, column_j, row_j
        a, b = np.int64(coefficients[row_i, column_i]), np.int64(coefficients[row_j, column_j])
        if a == 0 and b == 0:
            continue
        cosine, sine = np.int64(tables.weights[k, 0]), sign * np.int64(tables.weights[k, 1])
        coefficients[row_i, column_i] = (cosine * a + sine * b + _ROTATION_HALF) >> ROTATION_BITS
        coefficients[row_j, column_j] = (cosine * b - sine * a + _ROTATION_HALF) >> ROTATION_BITS


@kernel()
def _reorder(coefficients, zone, order, places, scratch, inverse):
    """Move the zone's k-th coefficient in `order` to the k-th of its places in scan order, or back."""
    log2_rows, log2_columns, transposed = zone
    count = 1 << (log2_rows + log2_columns)
    for k in range(count):
        row, column = order[k] >> log2_columns, order[k] & ((1 << log2_columns) - 1)
        if transposed:
            row, column = column, row
        if inverse:
            scratch[row, column] = coefficients[places[k] >> 5, places[k] & 31]
        else:
            scratch[places[k] >> 5, places[k] & 31] = coefficients[row, column]
    for k in range(count):
        row, column = places[k] >> 5, places[k] & 31
        coefficients[row, column] = scratch[row, column]


@kernel()
def forward_transform(residual, mode, log2_width, log2_height, tables, scratch, coefficients):
    """Transform a residual block into coefficients, both in samples with FRACTION_BITS."""
    width, height = 1 << log2_width, 1 << log2_height
    _multiply_left(tables.matrices[log2_height], residual, height, height, width, scratch)
    _multiply_right(scratch, tables.transposed[log2_width], height, width, width, coefficients)
    zone = zone_of(mode, log2_width, log2_height)
    size, group = size_class(log2_width, log2_height), mode_group(mode, log2_width, log2_height)
    _rotate(coefficients, zone, tables, tables.starts[size, group], tables.starts[size, group + 1], 1, 1)
    order = tables.orders[size, group]
    if order[0] >= 0:
        _reorder(coefficients, zone, order, tables.places[log2_height, log2_width], scratch, False)


@kernel()
def inverse_transform(coefficients, mode, log2_width, log2_height, tables, scratch, residual):
    """Transform coefficients (overwritten) back into a residual block."""
    width, height = 1 << log2_width, 1 << log2_height
    zone = zone_of(mode, log2_width, log2_height)
    size, group = size_class(log2_width, log2_height), mode_group(mode, log2_width, log2_height)
    order = tables.orders[size, group]
    if order[0] >= 0:
        _reorder(coefficients, zone, order, tables.places[log2_height, log2_width], scratch, True)
    first, last = tables.starts[size, group], tables.starts[size, group + 1]
    _rotate(coefficients, zone, tables, last - 1, first - 1, -1, -1)
    rows, columns = _clamp(coefficients, height, width)
    _multiply_right(coefficients, tables.matrices[log2_width], rows, columns, width, scratch)
    _clamp(scratch, rows, width)
    _multiply_left(tables.transposed[log2_height], scratch, rows, height, width, residual)


@kernel()
def _clamp(block, n_rows, n_columns):
    """Clamp a block to +-COEFFICIENT_LIMIT and return how many rows and columns reach its nonzero values."""
    rows, columns = 0, 0
    for i in range(n_rows):
        for j in range(n_columns):
            value = block[i, j]
            if value != 0:
                rows = i + 1
                columns = max(columns, j + 1)
                block[i, j] = min(max(value, -COEFFICIENT_LIMIT), COEFFICIENT_LIMIT)
    return rows, columns
