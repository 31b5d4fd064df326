# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The syntax of the lossy codestream, each element once for both directions (SPEC 5.4 to 5.8).

`stream` is (coder, buffer, contexts). Encoding, a function writes what the maps hold; decoding, it fills the maps with
what it reads. `guide` is the maps of the luma plane while a chroma plane is coded, and the plane's own maps for luma.
"""

import numpy as np

from fdcodec.coding import contexts as ctx
from fdcodec.coding.constants import (
    CELL_LOG2,
    CHROMA_FROM_LUMA,
    DC,
    HORIZONTAL,
    MAX_LEVEL,
    MAX_LOG2,
    MAX_UNARY,
    MIN_LOG2,
    N_MODES,
    N_PROBABLE,
    PLANAR,
    VERTICAL,
)
from fdcodec.kernels.jit import kernel
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
from fdcodec.kernels.screen_kernels import code_tool_leaf, no_screen
from fdcodec.kernels.tables import NEXT_STATE

STRIDE = 34  # of the magnitudes of a block, which have two columns and two rows of zeros past the largest block
NEIGHBOUR_CLASS = np.array([0, 1, 2, 3, 4, 5, 5] + [6] * 3 + [7] * 5 + [8] * 10 + [9] * 8)
MAX_NEIGHBOURS = 32


@kernel()
def frequency_class(diagonal, log2_size):
    """Return the class, 0..3, of a coefficient on anti-diagonal `diagonal` (SPEC 5.2)."""
    if diagonal == 0:
        return 0
    if diagonal < 3:
        return 1
    return 2 if diagonal < (6 if log2_size < 4 else 10) else 3


@kernel()
def coefficient_context(kind, log2_size, quantizer, diagonal, neighbours):
    """Return the context, relative to SIGNIFICANT or ABOVE_ONE, of a coefficient (SPEC 5.2)."""
    row = ((kind * ctx.N_SIZES + log2_size - MIN_LOG2) * ctx.N_QUANTIZERS + quantizer) * ctx.N_FREQUENCY_CLASSES
    return (row + frequency_class(diagonal, log2_size)) * ctx.N_NEIGHBOUR_CLASSES + neighbours


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
def _code_levels(stream, kind, log2_size, scan, end, levels, magnitudes):
    """Code the levels of one block from position `end` - 1 of the scan down to 0 (SPEC 5.7)."""
    coder, buffer, _ = stream
    state = 0
    for k in range(end - 1, -1, -1):
        row, column = scan[k] >> 5, scan[k] & 31
        index = row * STRIDE + column
        level = levels[row, column]
        neighbours = neighbour_class(magnitudes, index)
        context = coefficient_context(kind, log2_size, state >> 1, row + column, neighbours)
        magnitude = _code_magnitude(stream, context, kind, neighbours, abs(level), k == end - 1)
        if magnitude > 0:
            negative = code_bypass(coder, buffer, 1 if level < 0 else 0)
            levels[row, column] = -magnitude if negative else magnitude
            magnitudes[index] = magnitude
        state = NEXT_STATE[state, magnitude & 1]
    for k in range(end):
        magnitudes[(scan[k] >> 5) * STRIDE + (scan[k] & 31)] = 0


@kernel()
def _activity(ends, log2_sizes, cell_y, cell_x):
    """Return 0 for an empty block, 1 for few, 2 for many coefficients, by the block covering a cell."""
    end = ends[cell_y, cell_x]
    if end == 0:
        return 0
    return 1 if end << 4 <= 1 << (2 * log2_sizes[cell_y, cell_x]) else 2


@kernel()
def activity_context(maps, guide, kind, x, y):
    """Return the activity class, 0..8, of the blocks left and above, and in chroma of the luma block (SPEC 5.2)."""
    cell_x, cell_y = x >> CELL_LOG2, y >> CELL_LOG2
    around = 0
    if x > 0:
        around += _activity(maps.ends, maps.log2_sizes, cell_y, cell_x - 1)
    if y > 0:
        around += _activity(maps.ends, maps.log2_sizes, cell_y - 1, cell_x)
    if kind == 0:
        return around
    return 3 * min(around, 2) + _activity(guide.ends, guide.log2_sizes, cell_y, cell_x)


@kernel(checked=True)
def _code_end(stream, kind, log2_size, activity, end):
    """Code the end of a block, 0..size^2: its binary class in unary, then what is below the leading bit (SPEC 5.6)."""
    coder, buffer, contexts = stream
    n_classes = 2 * log2_size + 1
    size_kind = kind * ctx.N_SIZES + log2_size - MIN_LOG2
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
    return min(value, 1 << (2 * log2_size))


@kernel()
def _append(modes, count, mode):
    """Append `mode` to the first `count` modes unless it is among them; return the new count."""
    for k in range(count):
        if modes[k] == mode:
            return count
    modes[count] = mode
    return count + 1


@kernel()
def _append_adjacent(modes, count, mode):
    """Append the two angular modes beside an angular `mode`, wrapping around."""
    if mode > DC and count < N_PROBABLE:
        count = _append(modes, count, 2 + (mode - 2 + N_MODES - 3) % (N_MODES - 2))
        if count < N_PROBABLE:
            count = _append(modes, count, 2 + (mode - 1) % (N_MODES - 2))
    return count


@kernel()
def probable_modes(maps, guide, kind, x, y, size, modes):
    """Fill `modes` with the six most probable modes of the block at (x, y), most probable first (SPEC 5.5)."""
    left, above = PLANAR, PLANAR
    if x > 0:
        left = maps.modes[(y + size - 1) >> CELL_LOG2, (x - 1) >> CELL_LOG2]
    if y > 0:
        above = maps.modes[(y - 1) >> CELL_LOG2, (x + size - 1) >> CELL_LOG2]
    left = PLANAR if left >= N_MODES else left
    above = PLANAR if above >= N_MODES else above
    count = 0
    if kind == 1:
        guided = guide.modes[y >> CELL_LOG2, x >> CELL_LOG2]
        count = _append(modes, count, PLANAR if guided >= N_MODES else guided)
    count = _append(modes, count, PLANAR)
    count = _append(modes, count, left)
    count = _append(modes, count, above)
    if left > DC or above > DC:
        count = _append(modes, count, DC)
        count = _append_adjacent(modes, count, max(left, above))
        count = _append_adjacent(modes, count, min(left, above))
        angular = max(left, above)
        if count < N_PROBABLE:
            count = _append(modes, count, 2 + (angular - 2 + N_MODES - 4) % (N_MODES - 2))
        if count < N_PROBABLE:
            count = _append(modes, count, 2 + angular % (N_MODES - 2))
    for mode in (DC, VERTICAL, HORIZONTAL, VERTICAL - 4, VERTICAL + 4, VERTICAL + 1, HORIZONTAL + 1, 2):
        if count < N_PROBABLE:
            count = _append(modes, count, mode)


@kernel()
def _rank_to_mode(rank, probable):
    """Return the mode of that rank among the modes that are not probable."""
    mode = 0
    while True:
        is_probable = False
        for k in range(N_PROBABLE):
            is_probable |= probable[k] == mode
        if not is_probable:
            if rank == 0:
                return mode
            rank -= 1
        mode += 1


@kernel()
def _mode_to_rank(mode, probable):
    """Return the rank of a mode among the modes that are not probable; the inverse of `_rank_to_mode`."""
    rank = mode
    for k in range(N_PROBABLE):
        if probable[k] < mode:
            rank -= 1
    return rank


@kernel()
def chroma_from_luma_context(maps, log2_size, x, y):
    """Return the context of the chroma from luma flag: how many of the blocks left and above use it."""
    count = 0
    if x > 0 and maps.modes[y >> CELL_LOG2, (x - 1) >> CELL_LOG2] == CHROMA_FROM_LUMA:
        count += 1
    if y > 0 and maps.modes[(y - 1) >> CELL_LOG2, x >> CELL_LOG2] == CHROMA_FROM_LUMA:
        count += 1
    return ctx.CHROMA_FROM_LUMA + (log2_size - MIN_LOG2) * 3 + count


@kernel(checked=True)
def _code_mode(stream, maps, guide, kind, x, y, log2_size, probable):
    """Code a block's prediction mode (SPEC 5.5)."""
    coder, buffer, contexts = stream
    mode = maps.modes[y >> CELL_LOG2, x >> CELL_LOG2]
    if kind == 1:
        context = chroma_from_luma_context(maps, log2_size, x, y)
        if code_bin(coder, buffer, contexts, context, 1 if mode == CHROMA_FROM_LUMA else 0):
            return CHROMA_FROM_LUMA
    probable_modes(maps, guide, kind, x, y, 1 << log2_size, probable)
    index = 0
    while index < N_PROBABLE and probable[index] != mode:
        index += 1
    context = ctx.PROBABLE + kind * ctx.N_SIZES + log2_size - MIN_LOG2
    if code_bin(coder, buffer, contexts, context, 1 if index < N_PROBABLE else 0):
        coded = 0
        while coded < N_PROBABLE - 1 and code_bin(
            coder, buffer, contexts, ctx.PROBABLE_INDEX + kind * 5 + coded, 1 if index > coded else 0
        ):
            coded += 1
        return probable[coded]
    rank = code_bits(coder, buffer, _mode_to_rank(mode, probable) & 31, 5)
    return _rank_to_mode(min(rank, N_MODES - N_PROBABLE - 1), probable)


@kernel()
def split_context(maps, guide, kind, x, y, log2_size):
    """Return the context of a split flag: smaller blocks left and above, and in chroma whether luma is smaller."""
    smaller = 0
    if x > 0 and maps.log2_sizes[y >> CELL_LOG2, (x - 1) >> CELL_LOG2] < log2_size:
        smaller += 1
    if y > 0 and maps.log2_sizes[(y - 1) >> CELL_LOG2, x >> CELL_LOG2] < log2_size:
        smaller += 1
    guided = 0
    if kind == 1 and guide.log2_sizes[y >> CELL_LOG2, x >> CELL_LOG2] < log2_size:
        guided = 1
    return ctx.SPLIT + ((kind * ctx.N_SIZES + log2_size - MIN_LOG2) * 3 + smaller) * 2 + guided


@kernel()
def fill_cells(cells, x, y, log2_size, value):
    """Set the cells of a map that a block covers."""
    for row in range(y >> CELL_LOG2, (y + (1 << log2_size)) >> CELL_LOG2):
        for column in range(x >> CELL_LOG2, (x + (1 << log2_size)) >> CELL_LOG2):
            cells[row, column] = value


@kernel(checked=True)
def code_leaf(stream, maps, guide, kind, x, y, log2_size, scans, work):
    """Code one block: its mode, its end, its levels; in a picture with screen tools a decoder reconstructs it, too."""
    magnitudes, probable, screen = work
    if screen.is_on and code_tool_leaf(stream, screen, maps, guide, kind, x, y, log2_size):
        return
    size = 1 << log2_size
    cell_x, cell_y = x >> CELL_LOG2, y >> CELL_LOG2
    mode = _code_mode(stream, maps, guide, kind, x, y, log2_size, probable)
    end = _code_end(stream, kind, log2_size, activity_context(maps, guide, kind, x, y), maps.ends[cell_y, cell_x])
    fill_cells(maps.modes, x, y, log2_size, mode)
    fill_cells(maps.ends, x, y, log2_size, end)
    levels = maps.levels[y : y + size, x : x + size]
    _code_levels(stream, kind, log2_size, scans[log2_size], end, levels, magnitudes)
    coder, _, _ = stream
    if screen.is_on and coder[DECODING]:
        e, bounds = screen.expected, (screen.low, screen.high)
        reconstruct_block(
            e.plane, e.first, maps, x, y, log2_size, screen.half_step, bounds, screen.tables, screen.work
        )


@kernel(checked=True)
def _code_split(stream, maps, guide, kind, x, y, log2_size):
    """Code whether a block is split: implied where it crosses the plane's edge, and never at 4x4 (SPEC 5.4)."""
    height, width = maps.levels.shape
    size = 1 << log2_size
    if x + size > width or y + size > height:
        return 1
    if log2_size == MIN_LOG2:
        return 0
    coder, buffer, contexts = stream
    context = split_context(maps, guide, kind, x, y, log2_size)
    is_smaller = maps.log2_sizes[y >> CELL_LOG2, x >> CELL_LOG2] < log2_size
    return code_bin(coder, buffer, contexts, context, 1 if is_smaller else 0)


@kernel(checked=True)
def code_tree(stream, maps, guide, kind, x, y, scans, work):
    """Code the quadtree whose root is at (x, y): split flags and blocks, depth first, in Z order (SPEC 5.4)."""
    height, width = maps.levels.shape
    magnitudes, probable, stack, screen = work
    stack[0, 0], stack[0, 1], stack[0, 2] = x, y, MAX_LOG2
    depth = 1
    while depth > 0:
        depth -= 1
        x, y, log2_size = stack[depth]
        if x >= width or y >= height:
            continue
        if _code_split(stream, maps, guide, kind, x, y, log2_size):
            half = 1 << (log2_size - 1)
            for quarter in range(3, -1, -1):
                stack[depth, 0] = x + (quarter & 1) * half
                stack[depth, 1] = y + (quarter >> 1) * half
                stack[depth, 2] = log2_size - 1
                depth += 1
        else:
            fill_cells(maps.log2_sizes, x, y, log2_size, log2_size)
            code_leaf(stream, maps, guide, kind, x, y, log2_size, scans, (magnitudes, probable, screen))


@kernel(checked=True)
def code_plane(stream, maps, guide, kind, scans, work):
    """Code a whole plane: its trees in raster order; a decoder stops at a row of trees past its payload's end."""
    height, width = maps.levels.shape
    coder, _, _ = stream
    for y in range(0, height, 1 << MAX_LOG2):
        if coder[DECODING] and coder[POSITION] > coder[LENGTH] + MAX_OVERRUN:
            return
        for x in range(0, width, 1 << MAX_LOG2):
            code_tree(stream, maps, guide, kind, x, y, scans, work)


def new_code_work(screen=None):
    """Return the scratch of `code_plane`: a block's magnitudes, its probable modes, open blocks, and the screen tools."""
    screen = no_screen() if screen is None else screen
    magnitudes, probable = np.zeros(STRIDE * STRIDE + 2, np.int32), np.zeros(N_PROBABLE + 2, np.int64)
    return magnitudes, probable, np.zeros((16, 3), np.int64), screen
