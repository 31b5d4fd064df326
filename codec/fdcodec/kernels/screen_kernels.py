# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The screen tools of a block: whether it is sampled or copied (SPEC 5.9)."""

from functools import cache
from typing import NamedTuple

import numpy as np

from fdcodec.coding import contexts as ctx
from fdcodec.coding.constants import CELL_LOG2, COPIED, MIN_LOG2, SAMPLED
from fdcodec.kernels.copy_kernels import Vectors, code_vector, copy_block, new_vectors
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.range_coder import code_bin
from fdcodec.kernels.reconstruction_kernels import Work, new_work
from fdcodec.kernels.sampled_kernels import Expected, code_samples, new_expected
from fdcodec.kernels.tables import Tables, build_tables


class Screen(NamedTuple):
    """The screen tools of one plane, and what a decoder needs to reconstruct its other blocks as it reads them."""

    is_on: int
    half_step: int
    low: int
    high: int
    expected: Expected
    vectors: Vectors
    tables: Tables
    work: Work


def new_screen(half_step, bounds, expected, tables, work):
    """Return the screen tools at the start of a plane."""
    return Screen(1, half_step, *bounds, expected, new_vectors(), tables, work)


@cache
def no_screen():
    """Return screen tools that are off."""
    plane = np.zeros((1, 1), np.int32)
    expected = new_expected(plane, plane, plane, 0, 0, 1)
    return Screen(0, 0, 0, 0, expected, new_vectors(), build_tables({}), new_work())


@kernel()
def tool_context(maps, kind, x, y, log2_size):
    """Return the context that tells whether a block uses a screen tool: how many of the blocks left and above do."""
    count = 0
    if x > 0 and maps.modes[y >> CELL_LOG2, (x - 1) >> CELL_LOG2] >= SAMPLED:
        count += 1
    if y > 0 and maps.modes[(y - 1) >> CELL_LOG2, x >> CELL_LOG2] >= SAMPLED:
        count += 1
    return ctx.USES_TOOL + (kind * ctx.N_SIZES + log2_size - MIN_LOG2) * 3 + count


@kernel()
def copied_context(maps, guide, kind, x, y, log2_size):
    """Return the context of copied against sampled: the blocks left and above, and in chroma luma's."""
    cell_x, cell_y = x >> CELL_LOG2, y >> CELL_LOG2
    count = 0
    if x > 0 and maps.modes[cell_y, cell_x - 1] == COPIED:
        count += 1
    if y > 0 and maps.modes[cell_y - 1, cell_x] == COPIED:
        count += 1
    if kind == 1 and guide.modes[cell_y, cell_x] == COPIED:
        count += 3
    return ctx.IS_COPIED + (kind * ctx.N_SIZES + log2_size - MIN_LOG2) * 6 + count


@kernel()
def enter(maps, x, y, log2_size, mode, end, left, up):
    """Enter a block that uses a tool into the maps."""
    for row in range(y >> CELL_LOG2, (y + (1 << log2_size)) >> CELL_LOG2):
        for column in range(x >> CELL_LOG2, (x + (1 << log2_size)) >> CELL_LOG2):
            maps.modes[row, column] = mode
            maps.ends[row, column] = end
            maps.vectors[row, column, 0], maps.vectors[row, column, 1] = left, up


@kernel(checked=True)
def code_tool_leaf(stream, screen, maps, guide, kind, x, y, log2_size):
    """Code whether a block uses a screen tool and, if so, which and how; return whether it does.

    The end of a sampled block is 1 where its samples are coded and 0 where each is the first one expected.
    """
    coder, buffer, contexts = stream
    cell_x, cell_y = x >> CELL_LOG2, y >> CELL_LOG2
    mode = maps.modes[cell_y, cell_x]
    context = tool_context(maps, kind, x, y, log2_size)
    if code_bin(coder, buffer, contexts, context, 1 if mode >= SAMPLED else 0) == 0:
        return False
    context = copied_context(maps, guide, kind, x, y, log2_size)
    if code_bin(coder, buffer, contexts, context, 1 if mode == COPIED else 0):
        left, up = code_vector(stream, screen.vectors, maps, guide, kind, x, y)
        enter(maps, x, y, log2_size, COPIED, 0, left, up)
        copy_block(screen.expected.plane, x, y, log2_size, left, up, screen.low)
        return True
    context = ctx.IS_CODED + kind * ctx.N_SIZES + log2_size - MIN_LOG2
    is_coded = code_bin(coder, buffer, contexts, context, 1 if maps.ends[cell_y, cell_x] > 0 else 0)
    enter(maps, x, y, log2_size, SAMPLED, is_coded, 0, 0)
    code_samples(stream, screen.expected, kind, x, y, log2_size, is_coded)
    return True
