# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The maps of a plane: what is known of each 4x4 cell, and the levels.

A block is as in `blocks`, positions are in samples; `maps` are the `Maps` of a plane.
"""

from typing import NamedTuple

import numpy as np

from fdcodec.format.constants import CELL_LOG2, MAX_LOG2
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.simd.memory import value_at

LOG2_WIDTH, LOG2_HEIGHT, MODE, END = range(4)  # of the block that covers a cell
_Z_COLUMNS = np.array([0, 1, 4, 5, 16, 17, 20, 21])  # place in Z order of the cells of a tree's first row


class Maps(NamedTuple):
    """What the codestream says of one plane: of each 4x4 cell its block's size, mode and end, and vector; and levels.

    `cells` is int16 (rows, columns, 4), `vectors` int32 (rows, columns, 2). `levels`, int16, are those of each block up
    to its end in the order of its scan, from `levels_place` on; what follows there may be anything.
    """

    cells: np.ndarray
    levels: np.ndarray
    vectors: np.ndarray

    @property
    def log2_widths(self) -> np.ndarray:
        """View of the log2 widths."""
        return self.cells[:, :, LOG2_WIDTH]

    @property
    def log2_heights(self) -> np.ndarray:
        """View of the log2 heights."""
        return self.cells[:, :, LOG2_HEIGHT]

    @property
    def modes(self) -> np.ndarray:
        """View of the modes."""
        return self.cells[:, :, MODE]

    @property
    def ends(self) -> np.ndarray:
        """View of the ends."""
        return self.cells[:, :, END]


class Known(NamedTuple):
    """What is known where the next block of a plane is coded: its maps, as far as they are filled, and luma's.

    In luma `guide` is the plane's own maps; `kind` is 0 in luma and 1 in chroma.
    """

    maps: Maps
    guide: Maps
    kind: int


def n_levels(height: int, width: int) -> int:
    """Return how many places for levels a plane of `height` by `width` samples has: those of its whole trees."""
    return -(-height >> MAX_LOG2) * -(-width >> MAX_LOG2) << (2 * MAX_LOG2)


def new_maps(height: int, width: int, levels: np.ndarray | None = None) -> Maps:
    """Return empty maps of a plane of `height` by `width` samples, multiples of 4.

    Those around `levels`, which a decoder's planes share, hold what memory held before: each cell is written before it
    is read, and zeros take a hundredth of all decoding.
    """
    new_array = np.zeros if levels is None else np.empty
    rows, columns = height >> CELL_LOG2, width >> CELL_LOG2
    levels = np.zeros(n_levels(height, width), np.int16) if levels is None else levels
    return Maps(new_array((rows, columns, 4), np.int16), levels, new_array((rows, columns, 2), np.int32))


@kernel(inner=True)
def sides_of(maps):
    """Return height and width of a plane."""
    n_rows, n_columns, _ = maps.cells.shape
    return n_rows << CELL_LOG2, n_columns << CELL_LOG2


@kernel()
def _field_at(maps, x, y, field):
    """Return a field of the cell of a sample; places that are unsigned are not tested for negative ones."""
    return np.int64(value_at(maps.cells[np.uint64(y >> CELL_LOG2), np.uint64(x >> CELL_LOG2)], field))


@kernel(inner=True)
def log2_width_at(maps, x, y):
    """Return log2 of the width of the block that covers a sample."""
    return _field_at(maps, x, y, LOG2_WIDTH)


@kernel(inner=True)
def log2_height_at(maps, x, y):
    """Return log2 of the height of the block that covers a sample."""
    return _field_at(maps, x, y, LOG2_HEIGHT)


@kernel(inner=True)
def mode_at(maps, x, y):
    """Return the mode of the block that covers a sample."""
    return _field_at(maps, x, y, MODE)


@kernel(inner=True)
def end_at(maps, x, y):
    """Return the end of the block that covers a sample."""
    return _field_at(maps, x, y, END)


@kernel(inner=True)
def block_at(maps, x, y):
    """Return the block whose first cell is at (x, y), or whose size is that of the block covering it."""
    return x, y, log2_width_at(maps, x, y), log2_height_at(maps, x, y)


@kernel(inner=True)
def enter_block(maps, block, mode, end):
    """Enter a block, its mode and its end into the cells that it covers."""
    x, y, log2_width, log2_height = block
    for row in range(y >> CELL_LOG2, (y + (1 << log2_height)) >> CELL_LOG2):
        for column in range(x >> CELL_LOG2, (x + (1 << log2_width)) >> CELL_LOG2):
            cell = maps.cells[row, column]
            cell[LOG2_WIDTH], cell[LOG2_HEIGHT], cell[MODE], cell[END] = log2_width, log2_height, mode, end


@kernel(inner=True)
def levels_place(maps, block):
    """Return where the levels of a block begin: trees in raster, in each the blocks in the order of coding."""
    x, y, log2_width, log2_height = block
    _, width = sides_of(maps)
    tree = (y >> MAX_LOG2) * ((width - 1 >> MAX_LOG2) + 1) + (x >> MAX_LOG2)
    mask = len(_Z_COLUMNS) - 1
    z_index = _Z_COLUMNS[x >> CELL_LOG2 & mask] + 2 * _Z_COLUMNS[y >> CELL_LOG2 & mask]
    place = (tree << (2 * MAX_LOG2)) + (z_index << (2 * CELL_LOG2))
    is_second = log2_height > log2_width and x >> log2_width & 1  # the first has the second quarter's cells, too
    return place + (1 << (2 * log2_width)) if is_second else place
