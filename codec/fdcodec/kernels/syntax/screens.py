# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The screen tools of a block: whether it is sampled or copied (SPEC 5.9).

`known` and `stream` are as in `trees`, `screen` is the `Screen` of the plane.
"""

from typing import NamedTuple

from fdcodec.format import contexts as ctx
from fdcodec.format.constants import CELL_LOG2, COPIED, SAMPLED
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.blocks import size_class
from fdcodec.kernels.reconstruction.maps import end_at, enter_block, mode_at
from fdcodec.kernels.reconstruction.planes import Work
from fdcodec.kernels.reconstruction.tables import Tables
from fdcodec.kernels.syntax.copies import Vectors, code_vector, copy_block
from fdcodec.kernels.syntax.range_coder import code_bin
from fdcodec.kernels.syntax.sampled import Expected, code_samples


class Screen(NamedTuple):
    """The screen tools of one plane, and what a decoder needs to reconstruct its other blocks as it reads them.

    Where they are off, kernels are given None, and compile without them.
    """

    half_step: int
    expected: Expected
    vectors: Vectors
    tables: Tables
    work: Work


@kernel(inner=True)
def tool_context(known, block):
    """Return the context that tells whether a block uses a screen tool: how many of the blocks left and above do."""
    x, y, log2_width, log2_height = block
    count = 0
    if x > 0 and mode_at(known.maps, x - 1, y) < 0:
        count += 1
    if y > 0 and mode_at(known.maps, x, y - 1) < 0:
        count += 1
    return ctx.USES_TOOL + (known.kind * ctx.N_SIZES + size_class(log2_width, log2_height)) * ctx.N_COUNTS + count


@kernel(inner=True)
def copied_context(known, block):
    """Return the context of copied against sampled: the blocks left and above, and in chroma luma's."""
    x, y, log2_width, log2_height = block
    count = 0
    if x > 0 and mode_at(known.maps, x - 1, y) == COPIED:
        count += 1
    if y > 0 and mode_at(known.maps, x, y - 1) == COPIED:
        count += 1
    if known.kind == 1 and mode_at(known.guide, x, y) == COPIED:
        count += ctx.N_COUNTS
    return ctx.IS_COPIED + (known.kind * ctx.N_SIZES + size_class(log2_width, log2_height)) * 2 * ctx.N_COUNTS + count


@kernel(inner=True)
def coded_context(kind, block):
    """Return the context of the flag that a sampled block's samples are coded."""
    return ctx.IS_CODED + kind * ctx.N_SIZES + size_class(block[2], block[3])


@kernel(inner=True)
def fill_vectors(maps, block, left, up):
    """Enter a block's vector into its cells."""
    x, y, log2_width, log2_height = block
    for row in range(y >> CELL_LOG2, (y + (1 << log2_height)) >> CELL_LOG2):
        for column in range(x >> CELL_LOG2, (x + (1 << log2_width)) >> CELL_LOG2):
            maps.vectors[row, column, 0], maps.vectors[row, column, 1] = left, up


@kernel(checked=True, inner=True)
def code_tool_leaf(stream, screen, known, block):
    """Code whether a block uses a screen tool and, if so, which and how; return whether it does.

    The end of a sampled block is 1 where its samples are coded and 0 where each is the first one expected.
    """
    coder, buffer, contexts = stream
    maps, kind = known.maps, known.kind
    x, y, _, _ = block
    mode, end = mode_at(maps, x, y), end_at(maps, x, y)
    if code_bin(coder, buffer, contexts, tool_context(known, block), 1 if mode < 0 else 0) == 0:
        return False
    context = copied_context(known, block)
    if code_bin(coder, buffer, contexts, context, 1 if mode == COPIED else 0):
        left, up = code_vector(stream, screen.vectors, known, x, y)
        enter_block(maps, block, COPIED, 0)
        fill_vectors(maps, block, left, up)
        copy_block(screen.expected.plane, block, left, up, screen.expected.low)
        return True
    is_coded = code_bin(coder, buffer, contexts, coded_context(kind, block), 1 if end > 0 else 0)
    enter_block(maps, block, SAMPLED, is_coded)
    code_samples(stream, screen.expected, kind, block, is_coded)
    return True
