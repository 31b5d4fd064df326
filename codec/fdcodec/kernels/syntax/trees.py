# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The syntax of trees, each element once for both directions (SPEC 5.4).

`stream` is (coder, buffer, contexts). Encoding, a function writes what the plane's maps hold; decoding, it fills them
with what it reads.

`coder` is int64, `buffer` uint8, `contexts` uint16 (n_contexts, 3); `known` is the `Known` of the plane, `work` a
`CodeWork`, `screen` the `Screen` of the plane or None.
"""

from typing import NamedTuple

import numpy as np

from fdcodec.format import contexts as ctx
from fdcodec.format.constants import MAX_LOG2, MIN_LOG2, N_PROBABLE
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.blocks import (
    LYING,
    QUARTERS,
    STANDING,
    WHOLE,
    n_parts,
    part_of,
    size_class,
)
from fdcodec.kernels.reconstruction.maps import (
    block_at,
    end_at,
    enter_block,
    levels_place,
    log2_height_at,
    log2_width_at,
    sides_of,
)
from fdcodec.kernels.reconstruction.planes import reconstruct_block
from fdcodec.kernels.syntax.interval import decodes, has_overrun
from fdcodec.kernels.syntax.levels import STRIDE, code_end, code_levels, fullness_around, magnitude_places
from fdcodec.kernels.syntax.modes import code_mode
from fdcodec.kernels.syntax.offsets import code_offset
from fdcodec.kernels.syntax.range_coder import code_bin
from fdcodec.kernels.syntax.screens import code_tool_leaf


class CodeWork(NamedTuple):
    """What the syntax reads, and its scratch: magnitudes, probable modes, squares yet to be coded."""

    magnitude_places: np.ndarray
    n_learned: np.ndarray
    magnitudes: np.ndarray
    probable: np.ndarray
    stack: np.ndarray


@kernel()
def _n_smaller(maps, x, y, log2_side):
    """Return how many of the blocks left and above are shorter, or narrower, than the square at (x, y)."""
    count = 0
    if x > 0 and log2_height_at(maps, x - 1, y) < log2_side:
        count += 1
    if y > 0 and log2_width_at(maps, x, y - 1) < log2_side:
        count += 1
    return count


@kernel(inner=True)
def quarter_context(known, x, y, log2_side):
    """Return the context of the flag that quarters a square: smaller blocks left and above, or of luma in chroma."""
    guided = 0
    if known.kind == 1 and min(log2_width_at(known.guide, x, y), log2_height_at(known.guide, x, y)) < log2_side:
        guided = 1
    square = known.kind * ctx.N_SQUARES + log2_side - MIN_LOG2
    return ctx.QUARTER + (square * ctx.N_COUNTS + _n_smaller(known.maps, x, y, log2_side)) * 2 + guided


@kernel(inner=True)
def halve_context(known, x, y, log2_side):
    """Return the context of the flag that halves a square: smaller blocks left and above."""
    square = known.kind * ctx.N_SQUARES + log2_side - MIN_LOG2
    return ctx.HALVE + square * ctx.N_COUNTS + _n_smaller(known.maps, x, y, log2_side)


@kernel(inner=True)
def standing_context(known, x, y, log2_side):
    """Return the context of the flag of standing halves: what luma's block, or those left and above, are like."""
    maps, guide, hint = known.maps, known.guide, 0
    if known.kind == 1:
        tall = log2_height_at(guide, x, y) - log2_width_at(guide, x, y)
    else:
        above = log2_width_at(maps, x, y - 1) if y > 0 else log2_side
        left = log2_height_at(maps, x - 1, y) if x > 0 else log2_side
        tall = left - above
    if tall != 0:
        hint = 1 if tall > 0 else 2
    return ctx.STANDING + (known.kind * ctx.N_SQUARES + log2_side - MIN_LOG2) * ctx.N_HINTS + hint


@kernel()
def _reconstruct_at_once(stream, screen, maps, block):
    """Reconstruct a block as soon as it is read: what follows is told by its samples."""
    _, buffer, _ = stream
    if decodes(buffer):
        expected = screen.expected
        bounds = expected.low, expected.high
        reconstruct_block(
            expected.plane, expected.first, maps, block, screen.half_step, bounds, screen.tables, screen.work
        )


@kernel(checked=True, merged=True)
def _code_leaf(stream, known, block, work, screen):
    """Code one block: its mode, its end, its levels; with screen tools on, a decoder reconstructs it at once."""
    maps, kind = known.maps, known.kind
    x, y, log2_width, log2_height = block
    size = size_class(log2_width, log2_height)
    if screen is not None:  # decided when compiled
        if code_tool_leaf(stream, screen, known, block):
            return
    mode = code_mode(stream, known, block, work.n_learned, work.probable)
    fullness = fullness_around(known, x, y)
    end = code_end(stream, kind, size, fullness, end_at(maps, x, y))
    enter_block(maps, block, mode, end)
    place = levels_place(maps, block)
    levels, places = maps.levels[place : place + end], work.magnitude_places[log2_height, log2_width]
    code_levels(stream, kind, size, places, levels, work.magnitudes)
    if screen is not None:
        _reconstruct_at_once(stream, screen, maps, block)


@kernel()
def _cut_of(maps, x, y, log2_side):
    """Return how the square at (x, y) is cut, from the size of its first block."""
    _, _, log2_width, log2_height = block_at(maps, x, y)
    if log2_width == log2_side:
        return WHOLE if log2_height == log2_side else LYING
    return STANDING if log2_height == log2_side else QUARTERS


@kernel(checked=True, merged=True)
def _code_cut(stream, known, x, y, log2_side):
    """Code how a square is cut: in quarters where it crosses the plane's edge, and never at 4x4 (SPEC 5.4)."""
    height, width = sides_of(known.maps)
    if x + (1 << log2_side) > width or y + (1 << log2_side) > height:
        return QUARTERS
    if log2_side == MIN_LOG2:
        return WHOLE
    coder, buffer, contexts = stream
    cut = _cut_of(known.maps, x, y, log2_side)
    context = quarter_context(known, x, y, log2_side)
    if code_bin(coder, buffer, contexts, context, 1 if cut == QUARTERS else 0):
        return QUARTERS
    context = halve_context(known, x, y, log2_side)
    if not code_bin(coder, buffer, contexts, context, 1 if cut != WHOLE else 0):
        return WHOLE
    context = standing_context(known, x, y, log2_side)
    return LYING + code_bin(coder, buffer, contexts, context, 1 if cut == STANDING else 0)


@kernel(checked=True)
def code_tree(stream, known, x, y, work, screen):
    """Code the tree whose root is at (x, y): cuts and blocks, depth first, in Z order (SPEC 5.4)."""
    (height, width), stack = sides_of(known.maps), work.stack
    stack[0, 0], stack[0, 1], stack[0, 2] = x, y, MAX_LOG2
    depth = 1
    while depth > 0:
        depth -= 1
        x, y, log2_side = stack[depth]
        if x >= width or y >= height:
            continue
        cut = _code_cut(stream, known, x, y, log2_side)
        if cut == QUARTERS:
            half = 1 << (log2_side - 1)
            for quarter in range(3, -1, -1):
                stack[depth, 0] = x + (quarter & 1) * half
                stack[depth, 1] = y + (quarter >> 1) * half
                stack[depth, 2] = log2_side - 1
                depth += 1
            continue
        for part in range(n_parts(cut)):
            block = part_of(x, y, log2_side, cut, part)
            _code_leaf(stream, known, block, work, screen)


@kernel(checked=True)
def code_plane(stream, known, work, screen, offsets):
    """Code a whole plane: its trees in raster order; a decoder stops at a row of trees past its payload's end.

    `screen` is None or screen tools, `offsets` None or the step offset of each tree, coded with the first plane.
    """
    height, width = sides_of(known.maps)
    coder, buffer, _ = stream
    for y in range(0, height, 1 << MAX_LOG2):
        if decodes(buffer) and has_overrun(coder):
            return
        for x in range(0, width, 1 << MAX_LOG2):
            if offsets is not None:  # decided when compiled
                if known.kind == 0:
                    code_offset(stream, offsets, y >> MAX_LOG2, x >> MAX_LOG2)
            code_tree(stream, known, x, y, work, screen)


def new_code_work(tables):
    """Return what the syntax works with under a class model, of which `tables` are the `Tables`."""
    magnitudes, probable = np.zeros(STRIDE * STRIDE, np.int32), np.zeros(N_PROBABLE + 2, np.int64)
    return CodeWork(magnitude_places(), tables.n_learned, magnitudes, probable, np.zeros((16, 3), np.int64))
