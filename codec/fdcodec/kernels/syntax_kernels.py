# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The syntax of the lossy codestream, each element once for both directions (SPEC 5.4, 5.6, 5.7).

`stream` is (coder, buffer, contexts). Encoding, a function writes what the maps hold; decoding, it fills the maps with
what it reads. `guide` is the maps of the luma plane while a chroma plane is coded, and the plane's own maps for luma.
"""

import numpy as np

from fdcodec.coding import contexts as ctx
from fdcodec.coding.constants import (
    CELL_LOG2,
    MAX_LEVEL,
    MAX_LOG2,
    MAX_UNARY,
    MIN_LOG2,
    N_PROBABLE,
)
from fdcodec.kernels.block_kernels import (
    LYING,
    QUARTERS,
    STANDING,
    WHOLE,
    block_at,
    fill_cells,
    fill_sizes,
    log2_area,
    part_of,
    size_class,
)
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.mode_syntax import code_mode
from fdcodec.kernels.range_coder import (
    DECODING,
    LENGTH,
    MAX_OVERRUN,
    POSITION,
    code_bin,
    code_bits,
    code_bypass,
    code_exp_golomb,
)
from fdcodec.kernels.reconstruction_kernels import reconstruct_block
from fdcodec.kernels.screen_kernels import code_tool_leaf
from fdcodec.kernels.tables import NEXT_STATE

STRIDE = 34  # of the magnitudes of a block, which have two columns and two rows of zeros past the largest block
NEIGHBOUR_CLASS = np.array([0, 1, 2, 3, 4, 5, 5] + [6] * 3 + [7] * 5 + [8] * 10 + [9] * 8)
MAX_NEIGHBOURS = 32


@kernel()
def frequency_class(diagonal, size):
    """Return the class, 0..3, of a coefficient on anti-diagonal `diagonal` of a block of that size class (SPEC 5.2)."""
    if diagonal == 0:
        return 0
    if diagonal < 3:
        return 1
    return 2 if diagonal < (6 if size < 2 or size == ctx.N_SQUARES else 10) else 3


@kernel()
def coefficient_context(kind, size, quantizer, diagonal, neighbours):
    """Return the context, relative to SIGNIFICANT or ABOVE_ONE, of a coefficient (SPEC 5.2)."""
    row = ((kind * ctx.N_SIZES + size) * ctx.N_QUANTIZERS + quantizer) * ctx.N_FREQUENCY_CLASSES
    return (row + frequency_class(diagonal, size)) * ctx.N_NEIGHBOUR_CLASSES + neighbours


@kernel()
def neighbour_class(magnitudes, index):
    """Return the class, 0..9, of the five decoded neighbours to the right and below, the nearest counted twice."""
    total = (
        2 * (magnitudes[index + 1] + magnitudes[index + STRIDE])
        + magnitudes[index + 2]
        + magnitudes[index + STRIDE + 1]
        + magnitudes[index + 2 * STRIDE]
    )
    return NEIGHBOUR_CLASS[min(total, MAX_NEIGHBOURS - 1)]


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
        context = ctx.MAGNITUDE + (kind * 16 + unary) * ctx.N_NEIGHBOUR_CLASSES + neighbours
        if code_bin(coder, buffer, contexts, context, 1 if magnitude > unary else 0) == 0:
            return unary
        unary += 1
    return min(MAX_UNARY + code_exp_golomb(coder, buffer, magnitude - MAX_UNARY), MAX_LEVEL)


@kernel(checked=True)
def _code_levels(stream, kind, size, scan, end, levels, magnitudes):
    """Code the levels of one block from position `end` - 1 of the scan down to 0 (SPEC 5.7)."""
    coder, buffer, _ = stream
    state = 0
    for k in range(end - 1, -1, -1):
        row, column = scan[k] >> 5, scan[k] & 31
        index = row * STRIDE + column
        level = levels[row, column]
        neighbours = neighbour_class(magnitudes, index)
        context = coefficient_context(kind, size, state >> 1, row + column, neighbours)
        magnitude = _code_magnitude(stream, context, kind, neighbours, abs(level), k == end - 1)
        if magnitude > 0:
            negative = code_bypass(coder, buffer, 1 if level < 0 else 0)
            levels[row, column] = -magnitude if negative else magnitude
            magnitudes[index] = magnitude
        state = NEXT_STATE[state, magnitude & 1]
    for k in range(end):
        magnitudes[(scan[k] >> 5) * STRIDE + (scan[k] & 31)] = 0


@kernel()
def _activity(maps, cell_y, cell_x):
    """Return 0 for an empty block, 1 for few, 2 for many coefficients, by the block covering a cell."""
    end = maps.ends[cell_y, cell_x]
    if end == 0:
        return 0
    return 1 if end << 4 <= 1 << (maps.log2_widths[cell_y, cell_x] + maps.log2_heights[cell_y, cell_x]) else 2


@kernel()
def activity_context(maps, guide, kind, x, y):
    """Return the activity class, 0..8, of the blocks left and above, and in chroma of the luma block (SPEC 5.2)."""
    cell_x, cell_y = x >> CELL_LOG2, y >> CELL_LOG2
    around = 0
    if x > 0:
        around += _activity(maps, cell_y, cell_x - 1)
    if y > 0:
        around += _activity(maps, cell_y - 1, cell_x)
    if kind == 0:
        return around
    return 3 * min(around, 2) + _activity(guide, cell_y, cell_x)


@kernel(checked=True)
def _code_end(stream, kind, size, activity, end):
    """Code the end of a block, 0..area: its binary class in unary, then what is below the leading bit (SPEC 5.6)."""
    coder, buffer, contexts = stream
    n_classes = log2_area(size) + 1
    size_kind = kind * ctx.N_SIZES + size
    first = ctx.END_CLASS + (size_kind * ctx.N_ACTIVITIES + activity) * ctx.END_BINS
    end_class = 0
    while end_class < n_classes and code_bin(coder, buffer, contexts, first + end_class, 1 if end >> end_class else 0):
        end_class += 1
    if end_class < 2:
        return end_class
    detail = (end >> (end_class - 2)) & 1
    value = 2 | code_bin(coder, buffer, contexts, ctx.END_DETAIL + size_kind * ctx.END_BINS + end_class, detail)
    if end_class > 2:
        low_bits = code_bits(coder, buffer, end & ((1 << (end_class - 2)) - 1), end_class - 2)
        value = (value << (end_class - 2)) | low_bits
    return min(value, 1 << log2_area(size))


@kernel()
def _n_smaller(maps, x, y, log2_side):
    """Return how many of the blocks left and above are shorter, or narrower, than the square at (x, y)."""
    count = 0
    if x > 0 and maps.log2_heights[y >> CELL_LOG2, (x - 1) >> CELL_LOG2] < log2_side:
        count += 1
    if y > 0 and maps.log2_widths[(y - 1) >> CELL_LOG2, x >> CELL_LOG2] < log2_side:
        count += 1
    return count


@kernel()
def split_context(maps, guide, kind, x, y, log2_side):
    """Return the context of a split flag: smaller blocks left and above, and in chroma whether luma is smaller."""
    guided = 0
    cell_x, cell_y = x >> CELL_LOG2, y >> CELL_LOG2
    if kind == 1 and min(guide.log2_widths[cell_y, cell_x], guide.log2_heights[cell_y, cell_x]) < log2_side:
        guided = 1
    square = kind * ctx.N_SQUARES + log2_side - MIN_LOG2
    return ctx.SPLIT + (square * 3 + _n_smaller(maps, x, y, log2_side)) * 2 + guided


@kernel()
def halve_context(maps, kind, x, y, log2_side):
    """Return the context of the flag that halves a square: smaller blocks left and above."""
    return ctx.HALVE + (kind * ctx.N_SQUARES + log2_side - MIN_LOG2) * 3 + _n_smaller(maps, x, y, log2_side)


@kernel()
def standing_context(maps, guide, kind, x, y, log2_side):
    """Return the context of the flag of standing halves: what luma's block, or those left and above, are like."""
    cell_x, cell_y = x >> CELL_LOG2, y >> CELL_LOG2
    hint = 0
    if kind == 1:
        tall = guide.log2_heights[cell_y, cell_x] - guide.log2_widths[cell_y, cell_x]
    else:
        above = maps.log2_widths[cell_y - 1, cell_x] if y > 0 else log2_side
        left = maps.log2_heights[cell_y, cell_x - 1] if x > 0 else log2_side
        tall = left - above
    if tall != 0:
        hint = 1 if tall > 0 else 2
    return ctx.STANDING + (kind * ctx.N_SQUARES + log2_side - MIN_LOG2) * 3 + hint


@kernel()
def _reconstruct_at_once(stream, screen, maps, block):
    """Reconstruct a block as soon as it is read: what follows is told by its samples."""
    coder, _, _ = stream
    if coder[DECODING]:
        e, bounds = screen.expected, (screen.low, screen.high)
        reconstruct_block(e.plane, e.first, maps, block, screen.half_step, bounds, screen.tables, screen.work)


@kernel(checked=True)
def code_leaf(stream, maps, guide, kind, block, scans, work, screen):
    """Code one block: its mode, its end, its levels; with screen tools on, a decoder reconstructs it at once."""
    magnitudes, probable, n_learned, _ = work
    x, y, log2_width, log2_height = block
    cell_x, cell_y = x >> CELL_LOG2, y >> CELL_LOG2
    size = size_class(log2_width, log2_height)
    fill_sizes(maps, block)
    if screen is not None:  # decided when compiled
        if code_tool_leaf(stream, screen, maps, guide, kind, block):
            return
    mode = code_mode(stream, maps, guide, kind, block, n_learned, probable)
    activity = activity_context(maps, guide, kind, x, y)
    end = _code_end(stream, kind, size, activity, maps.ends[cell_y, cell_x])
    fill_cells(maps.modes, block, mode)
    fill_cells(maps.ends, block, end)
    levels = maps.levels[y : y + (1 << log2_height), x : x + (1 << log2_width)]
    _code_levels(stream, kind, size, scans[log2_height, log2_width], end, levels, magnitudes)
    if screen is not None:
        _reconstruct_at_once(stream, screen, maps, block)


@kernel()
def _cut_of(maps, x, y, log2_side):
    """Return how the square at (x, y) is cut, from the size of its first block."""
    _, _, log2_width, log2_height = block_at(maps, x, y)
    if log2_width == log2_side:
        return WHOLE if log2_height == log2_side else LYING
    return STANDING if log2_height == log2_side else QUARTERS


@kernel(checked=True)
def _code_cut(stream, maps, guide, kind, x, y, log2_side):
    """Code how a square is cut: in quarters where it crosses the plane's edge, and never at 4x4 (SPEC 5.4)."""
    height, width = maps.levels.shape
    if x + (1 << log2_side) > width or y + (1 << log2_side) > height:
        return QUARTERS
    if log2_side == MIN_LOG2:
        return WHOLE
    coder, buffer, contexts = stream
    cut = _cut_of(maps, x, y, log2_side)
    context = split_context(maps, guide, kind, x, y, log2_side)
    if code_bin(coder, buffer, contexts, context, 1 if cut == QUARTERS else 0):
        return QUARTERS
    context = halve_context(maps, kind, x, y, log2_side)
    if not code_bin(coder, buffer, contexts, context, 1 if cut != WHOLE else 0):
        return WHOLE
    context = standing_context(maps, guide, kind, x, y, log2_side)
    return LYING + code_bin(coder, buffer, contexts, context, 1 if cut == STANDING else 0)


@kernel(checked=True)
def code_tree(stream, maps, guide, kind, x, y, scans, work, screen):
    """Code the tree whose root is at (x, y): cuts and blocks, depth first, in Z order (SPEC 5.4)."""
    height, width = maps.levels.shape
    _, _, _, stack = work
    stack[0, 0], stack[0, 1], stack[0, 2] = x, y, MAX_LOG2
    depth = 1
    while depth > 0:
        depth -= 1
        x, y, log2_side = stack[depth]
        if x >= width or y >= height:
            continue
        cut = _code_cut(stream, maps, guide, kind, x, y, log2_side)
        if cut == QUARTERS:
            half = 1 << (log2_side - 1)
            for quarter in range(3, -1, -1):
                stack[depth, 0] = x + (quarter & 1) * half
                stack[depth, 1] = y + (quarter >> 1) * half
                stack[depth, 2] = log2_side - 1
                depth += 1
        elif cut == WHOLE:
            code_leaf(stream, maps, guide, kind, (x, y, log2_side, log2_side), scans, work, screen)
        else:
            for part in range(2):
                block = part_of(x, y, log2_side, cut, part)
                code_leaf(stream, maps, guide, kind, block, scans, work, screen)


@kernel(checked=True)
def code_plane(stream, maps, guide, kind, scans, work, screen):
    """Code a whole plane: its trees in raster order; a decoder stops at a row of trees past its payload's end."""
    height, width = maps.levels.shape
    coder, _, _ = stream
    for y in range(0, height, 1 << MAX_LOG2):
        if coder[DECODING] and coder[POSITION] > coder[LENGTH] + MAX_OVERRUN:
            return
        for x in range(0, width, 1 << MAX_LOG2):
            code_tree(stream, maps, guide, kind, x, y, scans, work, screen)


def new_code_work(n_learned=None):
    """Return what `code_plane` works with: magnitudes, probable and learned modes, open blocks."""
    magnitudes, probable = np.zeros(STRIDE * STRIDE + 2, np.int32), np.zeros(N_PROBABLE + 2, np.int64)
    n_learned = np.zeros(MAX_LOG2 + 1, np.int64) if n_learned is None else n_learned
    return magnitudes, probable, n_learned, np.zeros((16, 3), np.int64)
