# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""What training reads from an encoded plane: the coefficients that a class model's rotations are to make cheap."""

import numpy as np

from fdcodec.coding.constants import CELL_LOG2, MAX_LOG2, MIN_LOG2, ZONE_LOG2
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction_kernels import TREE_CELLS, predict_mode, tree_cell
from fdcodec.kernels.transform_kernels import forward_transform, is_transposed, mode_group


@kernel()
def collect_zones(original, plane, luma, maps, tables, work, zones, keys):
    """Write each block's low coefficients in the base transform, as its rotations would see them.

    `zones` is int32 (blocks, 64), `keys` int32 (blocks, 2) of log2 size and mode group; returns the number of blocks.
    `tables` must hold no rotations.
    """
    height, width = plane.shape
    count = 0
    for tree_y in range(0, height, 1 << MAX_LOG2):
        for tree_x in range(0, width, 1 << MAX_LOG2):
            for z_index in range(TREE_CELLS):
                x, y = tree_cell(tree_x, tree_y, z_index)
                if x >= width or y >= height:
                    continue
                log2_size = np.int64(maps.log2_sizes[y >> CELL_LOG2, x >> CELL_LOG2])
                if ((x | y) & ((1 << log2_size) - 1)) == 0:
                    _collect_block(original, plane, luma, maps, (x, y, log2_size), tables, work, zones[count])
                    keys[count, 0] = log2_size
                    keys[count, 1] = mode_group(maps.modes[y >> CELL_LOG2, x >> CELL_LOG2])
                    count += 1
    return count


@kernel()
def _collect_block(original, plane, luma, maps, place, tables, work, zone):
    x, y, log2_size = place
    size = 1 << log2_size
    mode = np.int64(maps.modes[y >> CELL_LOG2, x >> CELL_LOG2])
    predict_mode(plane, luma, x, y, log2_size, mode, tables, work)
    for row in range(size):
        for column in range(size):
            work.residual[row, column] = original[y + row, x + column] - work.prediction[row, column]
    forward_transform(work.residual, mode, log2_size, tables, work.scratch, work.coefficients)
    zone_log2 = min(log2_size, ZONE_LOG2)
    for row in range(1 << zone_log2):
        for column in range(1 << zone_log2):
            value = work.coefficients[column, row] if is_transposed(mode) else work.coefficients[row, column]
            zone[(row << zone_log2) + column] = value


ZONE_SIZES = {log2_size: 1 << (2 * min(log2_size, ZONE_LOG2)) for log2_size in range(MIN_LOG2, MAX_LOG2 + 1)}
