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
    LEARNED,
    MATRIX_BITS,
    MIN_LOG2,
    N_GROUPS,
    N_MODES,
    PLANAR,
    ROTATION_BITS,
    ZONE_LOG2,
)
from fdcodec.kernels.jit import kernel

_MATRIX_HALF = 1 << (MATRIX_BITS - 1)
_ROTATION_HALF = 1 << (ROTATION_BITS - 1)


@kernel()
def mode_group(mode):
    """Return the group of a mode: planar and chroma from luma, DC, eight of folded angular modes, each learned mode."""
    if mode >= LEARNED:
        return N_GROUPS + mode - LEARNED
    if mode == PLANAR or mode >= N_MODES:
        return 0
    if mode == DC:
        return 1
    folded = mode if mode <= DIAGONAL else 2 * DIAGONAL - mode
    return 2 + min((folded - 2) >> 1, 7)


@kernel()
def base_rows(tables, mode, log2_size):
    """Return which of the matrices act on the columns and on the rows of a block."""
    if mode >= LEARNED:
        rows = tables.learned_bases[log2_size - MIN_LOG2, mode - LEARNED]
        return rows[0], rows[1]
    return np.int32(log2_size), np.int32(log2_size)


@kernel()
def is_transposed(mode):
    """Tell whether the rotations see the block transposed: modes past the diagonal are folded onto those before."""
    return DIAGONAL < mode < N_MODES


@kernel()
def _multiply_left(matrix, block, rows, size, out):
    """Write out = (matrix[:, :rows] @ block[:rows] + half) >> MATRIX_BITS."""
    for i in range(size):
        for j in range(size):
            out[i, j] = _MATRIX_HALF
        for k in range(rows):
            weight = matrix[i, k]
            for j in range(size):
                out[i, j] += weight * block[k, j]
        for j in range(size):
            out[i, j] >>= MATRIX_BITS


@kernel()
def _multiply_right(block, matrix, rows, columns, size, out):
    """Write out[:rows] = (block[:rows, :columns] @ matrix[:columns] + half) >> MATRIX_BITS, skipping zeros."""
    for i in range(rows):
        for j in range(size):
            out[i, j] = _MATRIX_HALF
        for k in range(columns):
            value = block[i, k]
            if value != 0:
                for j in range(size):
                    out[i, j] += value * matrix[k, j]
        for j in range(size):
            out[i, j] >>= MATRIX_BITS


@kernel()
def _rotate(coefficients, zone, transposed, tables, first, last, step, sign):
    """Apply rotations `first`, `first + step`, ... before `last`, their angles times `sign`, to the low zone."""
    for k in range(first, last, step):
        i, j = tables.pairs[k]
        row_i, column_i, row_j, column_j = i >> zone, i & ((1 << zone) - 1), j >> zone, j & ((1 << zone) - 1)
        if transposed:
            row_i, column_i, row_j, column_j = column_i, row_i, column_j, row_j
        a, b = np.int64(coefficients[row_i, column_i]), np.int64(coefficients[row_j, column_j])
        if a == 0 and b == 0:
            continue
        cosine, sine = np.int64(tables.weights[k, 0]), sign * np.int64(tables.weights[k, 1])
        coefficients[row_i, column_i] = (cosine * a + sine * b + _ROTATION_HALF) >> ROTATION_BITS
        coefficients[row_j, column_j] = (cosine * b - sine * a + _ROTATION_HALF) >> ROTATION_BITS


@kernel()
def _reorder(coefficients, zone, transposed, order, places, scratch, inverse):
    """Move the zone's k-th coefficient in `order` to the k-th of its places in scan order, or back."""
    count = 1 << (2 * zone)
    mask = (1 << zone) - 1
    for k in range(count):
        row, column = order[k] >> zone, order[k] & mask
        if transposed:
            row, column = column, row
        if inverse:
            scratch[row, column] = coefficients[places[k] >> 5, places[k] & 31]
        else:
            scratch[places[k] >> 5, places[k] & 31] = coefficients[row, column]
    for row in range(1 << zone):
        for column in range(1 << zone):
            coefficients[row, column] = scratch[row, column]


@kernel()
def forward_base(residual, mode, log2_size, tables, scratch, coefficients):
    """Transform a residual block by the bases of a mode, without its rotations."""
    size = 1 << log2_size
    vertical, horizontal = base_rows(tables, mode, log2_size)
    _multiply_left(tables.matrices[vertical], residual, size, size, scratch)
    _multiply_right(scratch, tables.transposed[horizontal], size, size, size, coefficients)


@kernel()
def forward_transform(residual, mode, log2_size, tables, scratch, coefficients):
    """Transform a residual block into coefficients, both in samples with FRACTION_BITS."""
    forward_base(residual, mode, log2_size, tables, scratch, coefficients)
    group, zone, transposed = mode_group(mode), min(log2_size, ZONE_LOG2), is_transposed(mode)
    first, last = tables.starts[log2_size, group], tables.starts[log2_size, group + 1]
    _rotate(coefficients, zone, transposed, tables, first, last, 1, 1)
    order = tables.orders[log2_size, group]
    if order[0] >= 0:
        _reorder(coefficients, zone, transposed, order, tables.places[log2_size], scratch, False)


@kernel()
def inverse_transform(coefficients, mode, log2_size, tables, scratch, residual):
    """Transform coefficients (overwritten) back into a residual block."""
    size = 1 << log2_size
    group, zone, transposed = mode_group(mode), min(log2_size, ZONE_LOG2), is_transposed(mode)
    order = tables.orders[log2_size, group]
    if order[0] >= 0:
        _reorder(coefficients, zone, transposed, order, tables.places[log2_size], scratch, True)
    first, last = tables.starts[log2_size, group], tables.starts[log2_size, group + 1]
    _rotate(coefficients, zone, transposed, tables, last - 1, first - 1, -1, -1)
    rows, columns = _clamp(coefficients, size, size)
    vertical, horizontal = base_rows(tables, mode, log2_size)
    _multiply_right(coefficients, tables.matrices[horizontal], rows, columns, size, scratch)
    _clamp(scratch, rows, size)
    _multiply_left(tables.transposed[vertical], scratch, rows, size, residual)


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
