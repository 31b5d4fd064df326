# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""Blocks: how a tree of 32x32 samples is cut (SPEC 5.4).

A block is (x, y, log2 width, log2 height). A square is whole, cut in quarters that are cut in turn, or in two halves
that are not.

Positions are in samples.
"""

from fdcodec.format import contexts as ctx
from fdcodec.format.constants import CELL_LOG2, MAX_LOG2, MIN_LOG2
from fdcodec.kernels.jit import kernel

TREE_CELLS = 1 << (2 * (MAX_LOG2 - CELL_LOG2))
WHOLE, QUARTERS, LYING, STANDING = range(4)  # how a square is cut


@kernel()
def size_class(log2_width, log2_height):
    """Return the class, 0..6, of a block's size: squares from 4x4 to 32x32, then halves of squares (SPEC 4)."""
    if log2_width == log2_height:
        return log2_width - MIN_LOG2
    return ctx.N_SQUARES + min(log2_width, log2_height) - MIN_LOG2


@kernel()
def log2_area(size):
    """Return log2 of the number of samples of a block of that size class."""
    if size < ctx.N_SQUARES:
        return 2 * (size + MIN_LOG2)
    return 2 * (size - ctx.N_SQUARES + MIN_LOG2) + 1


@kernel(inner=True)
def n_parts(cut):
    """Return of how many blocks a square is that is not cut in quarters."""
    return 1 if cut == WHOLE else 2


@kernel(inner=True)
def part_of(x, y, log2_side, cut, part):
    """Return the block that is the given part, from 0 on, of a square that is whole or cut in halves."""
    if cut == LYING:
        return x, y + (part << (log2_side - 1)), log2_side, log2_side - 1
    if cut == STANDING:
        return x + (part << (log2_side - 1)), y, log2_side - 1, log2_side
    return x, y, log2_side, log2_side


@kernel(inner=True)
def starts_block(block):
    """Tell whether a block of `block_at` starts there: blocks lie on the grid of their own width and height."""
    x, y, log2_width, log2_height = block
    return x & ((1 << log2_width) - 1) == 0 and y & ((1 << log2_height) - 1) == 0


@kernel(inner=True)
def cells_in_turn(block):
    """Return how many cells from a block's first, or from that of its second square, follow in Z order."""
    _, _, log2_width, log2_height = block
    return 1 << (2 * (min(log2_width, log2_height) - CELL_LOG2))


@kernel(inner=True)
def tree_cell(tree_x, tree_y, z_index):
    """Return the sample position of a tree's cell by its place in the Z order."""
    x, y = tree_x, tree_y
    for bit in range(MAX_LOG2 - CELL_LOG2):
        x += ((z_index >> (2 * bit)) & 1) << (CELL_LOG2 + bit)
        y += ((z_index >> (2 * bit + 1)) & 1) << (CELL_LOG2 + bit)
    return x, y
