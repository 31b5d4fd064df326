# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The syntax of ends and levels, for both directions as in `trees` (SPEC 5.2, 5.6, 5.7).

`known` and `stream` are as in `trees`, `maps` the `Maps` of a plane; `levels` are int16 and those of one block in the
order of its scan, `magnitudes` int32 in rows of STRIDE, `places` those of `magnitude_places` for the block.
"""

from functools import cache

import numpy as np

from fdcodec.format import contexts as ctx
from fdcodec.format.constants import MAX_LEVEL, MAX_UNARY
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.blocks import log2_area, size_class
from fdcodec.kernels.reconstruction.maps import end_at, log2_height_at, log2_width_at
from fdcodec.kernels.reconstruction.quantizer import next_state
from fdcodec.kernels.reconstruction.tables import block_sizes, scan_orders
from fdcodec.kernels.simd.memory import put_value, value_at
from fdcodec.kernels.syntax.interval import decodes
from fdcodec.kernels.syntax.range_coder import code_bin, code_bits, code_bypass, code_exp_golomb

STRIDE = 34  # of the magnitudes of a block, which have two columns and two rows of zeros past the largest block
NEIGHBOUR_CLASS = np.array([0, 1, 2, 3, 4, 5, 5] + [6] * 3 + [7] * 5 + [8] * 10 + [9])
_CLASS_SHIFT, _PLACE_MASK = 16, 0xFFFF  # of `magnitude_places`
MAX_NEIGHBOURS = len(NEIGHBOUR_CLASS) - 1  # sums from here on are of one class


def _frequency_class(diagonal, size):
    if diagonal == 0:
        return 0
    if diagonal < 3:
        return 1
    return 2 if diagonal < (6 if size < 2 or size == ctx.N_SQUARES else 10) else 3


FREQUENCY_CLASS = np.array(
    [[_frequency_class(diagonal, size) for diagonal in range(63)] for size in range(ctx.N_SIZES)]
)
"""The class, 0..3, of a coefficient by its block's size class and its anti-diagonal (SPEC 5.2)."""


@cache
def magnitude_places():
    """Return by log2 height and width and place in the scan where a magnitude stands, and from bit 16 on its class."""
    rows, columns = scan_orders() >> 5, scan_orders() & 31
    places = rows * STRIDE + columns
    for log2_height, log2_width in block_sizes():
        frequencies = FREQUENCY_CLASS[size_class(log2_width, log2_height)][rows + columns]
        places[log2_height, log2_width] |= frequencies[log2_height, log2_width] << _CLASS_SHIFT
    return places


@kernel()
def coefficient_context(kind, size, quantizer, frequency, neighbours):
    """Return the context, relative to SIGNIFICANT or ABOVE_ONE, of a coefficient by its FREQUENCY_CLASS (SPEC 5.2)."""
    row = ((kind * ctx.N_SIZES + size) * ctx.N_QUANTIZERS + quantizer) * ctx.N_FREQUENCY_CLASSES
    return (row + frequency) * ctx.N_NEIGHBOUR_CLASSES + neighbours


@kernel(merged=True)
def magnitude_context(kind, magnitude, neighbours):
    """Return the context of the bin that tells whether a magnitude of 2 or more is larger (SPEC 5.7)."""
    return ctx.MAGNITUDE + (kind * ctx.N_MAGNITUDES + magnitude) * ctx.N_NEIGHBOUR_CLASSES + neighbours


@kernel(inner=True)
def neighbour_class(magnitudes, index):
    """Return the class, 0..9, of the five decoded neighbours to the right and below, the nearest counted twice."""
    total = (
        2 * (value_at(magnitudes, index + 1) + value_at(magnitudes, index + STRIDE))
        + value_at(magnitudes, index + 2)
        + value_at(magnitudes, index + STRIDE + 1)
        + value_at(magnitudes, index + 2 * STRIDE)
    )
    return value_at(NEIGHBOUR_CLASS, min(total, MAX_NEIGHBOURS))


@kernel(inline=True)
def _code_magnitude(stream, context, kind, neighbours, magnitude, is_last):
    """Code one magnitude: significance (implied for the last), above one, unary to MAX_UNARY, then an escape."""
    coder, buffer, contexts = stream
    if not is_last and code_bin(coder, buffer, contexts, ctx.SIGNIFICANT + context, 1 if magnitude > 0 else 0) == 0:
        return 0
    if code_bin(coder, buffer, contexts, ctx.ABOVE_ONE + context, 1 if magnitude > 1 else 0) == 0:
        return 1
    unary = 2
    while unary < MAX_UNARY:
        context = magnitude_context(kind, unary, neighbours)
        if code_bin(coder, buffer, contexts, context, 1 if magnitude > unary else 0) == 0:
            return unary
        unary += 1
    return min(MAX_UNARY + code_exp_golomb(coder, buffer, magnitude - MAX_UNARY), MAX_LEVEL)


@kernel(checked=True, merged=True)
def code_levels(stream, kind, size, places, levels, magnitudes):
    """Code the levels of one block from its end down to the first of the scan (SPEC 5.7)."""
    coder, buffer, _ = stream
    end, high, low = len(levels), np.int64(0), np.int64(0)
    for k in range(end - 1, -1, -1):
        place = value_at(places, k)
        index, frequency = place & _PLACE_MASK, place >> _CLASS_SHIFT
        level = np.int64(0) if decodes(buffer) else np.int64(levels[k])
        neighbours = neighbour_class(magnitudes, index)
        context = coefficient_context(kind, size, high, frequency, neighbours)
        magnitude = _code_magnitude(stream, context, kind, neighbours, abs(level), k == end - 1)
        negative = code_bypass(coder, buffer, 1 if level < 0 else 0) if magnitude > 0 else 0
        put_value(-magnitude if negative else magnitude, levels, k)
        put_value(magnitude, magnitudes, index)
        high, low = next_state(high, low, magnitude)
    for k in range(end):
        put_value(0, magnitudes, value_at(places, k) & _PLACE_MASK)


@kernel()
def _fullness(maps, x, y):
    """Return 0 for an empty block, 1 for few, 2 for many coefficients, by the block that covers a sample."""
    end = end_at(maps, x, y)
    if end == 0:
        return 0
    return 1 if end << 4 <= 1 << (log2_width_at(maps, x, y) + log2_height_at(maps, x, y)) else 2


@kernel(inner=True)
def fullness_around(known, x, y):
    """Return the fullness class, 0..8, of the blocks left and above, and in chroma of the luma block (SPEC 5.2)."""
    around = 0
    if x > 0:
        around += _fullness(known.maps, x - 1, y)
    if y > 0:
        around += _fullness(known.maps, x, y - 1)
    if known.kind == 0:
        return around
    return 3 * min(around, 2) + _fullness(known.guide, x, y)


@kernel(inner=True)
def end_class_context(kind, size, fullness):
    """Return the first context, of END_BINS, of the class of a block's end (SPEC 5.6)."""
    return ctx.END_CLASS + ((kind * ctx.N_SIZES + size) * ctx.N_FULLNESSES + fullness) * ctx.END_BINS


@kernel(inner=True)
def end_detail_context(kind, size, end_class):
    """Return the context of the bit below the leading one of an end."""
    return ctx.END_DETAIL + (kind * ctx.N_SIZES + size) * ctx.END_BINS + end_class


@kernel(checked=True, merged=True)
def code_end(stream, kind, size, fullness, end):
    """Code the end of a block, 0..area: its binary class in unary, then what is below the leading bit (SPEC 5.6)."""
    coder, buffer, contexts = stream
    n_classes = log2_area(size) + 1
    first = end_class_context(kind, size, fullness)
    end_class = 0
    while end_class < n_classes and code_bin(coder, buffer, contexts, first + end_class, 1 if end >> end_class else 0):
        end_class += 1
    if end_class < 2:
        return end_class
    detail = (end >> (end_class - 2)) & 1
    value = 2 | code_bin(coder, buffer, contexts, end_detail_context(kind, size, end_class), detail)
    if end_class > 2:
        low_bits = code_bits(coder, buffer, end & ((1 << (end_class - 2)) - 1), end_class - 2)
        value = (value << (end_class - 2)) | low_bits
    return min(value, 1 << log2_area(size))
