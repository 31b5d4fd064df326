# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The screen tools of a block: whether it is sampled or copied (SPEC 5.9).

`known` and `stream` are as in `trees`, `screen` is the `Screen` of the plane.
"""

from typing import NamedTuple

from fdcodec.format import contexts as ctx
from fdcodec.format.constants import CELL_LOG2, COPIED, SAMPLED
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.blocks import fill_cells, size_class
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
    cell_x, cell_y, count = x >> CELL_LOG2, y >> CELL_LOG2, 0
    if x > 0 and known.maps.modes[cell_y, cell_x - 1] < 0:
        count += 1
    if y > 0 and known.maps.modes[cell_y - 1, cell_x] < 0:
        count += 1
    return ctx.USES_TOOL + (known.kind * ctx.N_SIZES + size_class(log2_width, log2_height)) * ctx.N_COUNTS + count


@kernel(inner=True)
def copied_context(known, block):
    """Return the context of copied against sampled: the blocks left and above, and in chroma luma's."""
    x, y, log2_width, log2_height = block
    cell_x, cell_y, count = x >> CELL_LOG2, y >> CELL_LOG2, 0
    if x > 0 and known.maps.modes[cell_y, cell_x - 1] == COPIED:
        count += 1
    if y > 0 and known.maps.modes[cell_y - 1, cell_x] == COPIED:
        count += 1
    if known.kind == 1 and known.guide.modes[cell_y, cell_x] == COPIED:
        count += ctx.N_COUNTS
    return ctx.IS_COPIED + (known.kind * ctx.N_SIZES + size_class(log2_width, log2_height)) * 2 * ctx.N_COUNTS + count


@kernel(inner=True)
def coded_context(kind, block):
    """Return the context of the flag that a sampled block's samples are coded."""
    return ctx.IS_CODED + kind * ctx.N_SIZES + size_class(block[2], block[3])


@kernel(inner=True)
def fill_vectors(maps, block, left, up):
    """Enter a block's vector into its cells."""
    fill_cells(maps.vectors[:, :, 0], block, left)
    fill_cells(maps.vectors[:, :, 1], block, up)


@kernel(checked=True, inner=True)
def code_tool_leaf(stream, screen, known, block):
    """Code whether a block uses a screen tool and, if so, which and how; return whether it does.

    The end of a sampled block is 1 where its samples are coded and 0 where each is the first one expected.
    """
    coder, buffer, contexts = stream
    maps, kind = known.maps, known.kind
    x, y, _, _ = block
    mode, end = maps.modes[y >> CELL_LOG2, x >> CELL_LOG2], maps.ends[y >> CELL_LOG2, x >> CELL_LOG2]
    if code_bin(coder, buffer, contexts, tool_context(known, block), 1 if mode < 0 else 0) == 0:
        return False
    context = copied_context(known, block)
    if code_bin(coder, buffer, contexts, context, 1 if mode == COPIED else 0):
        left, up = code_vector(stream, screen.vectors, known, x, y)
        fill_cells(maps.modes, block, COPIED)
        fill_cells(maps.ends, block, 0)
        fill_vectors(maps, block, left, up)
        copy_block(screen.expected.plane, block, left, up, screen.expected.low)
        return True
    is_coded = code_bin(coder, buffer, contexts, coded_context(kind, block), 1 if end > 0 else 0)
    fill_cells(maps.modes, block, SAMPLED)
    fill_cells(maps.ends, block, is_coded)
    code_samples(stream, screen.expected, kind, block, is_coded)
    return True
