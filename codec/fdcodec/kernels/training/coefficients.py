# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""What training reads from an encoded plane: the coefficients that a class model's rotations are to make cheap.

Planes are int32 (height, width); `maps`, `tables` and `work` are the `Maps`, `Tables` and `Work`.
"""

from fdcodec.format.constants import MAX_LOG2
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.blocks import TREE_CELLS, size_class, starts_block, tree_cell
from fdcodec.kernels.reconstruction.maps import block_at, mode_at
from fdcodec.kernels.reconstruction.planes import predict_block
from fdcodec.kernels.reconstruction.transforms import forward_transform, mode_group, subtract_prediction
from fdcodec.kernels.reconstruction.zones import zone_of


@kernel()
def collect_zones(original, plane, luma, maps, tables, work, zones, keys):
    """Write each block's low coefficients in the base transform, as its rotations would see them.

    `zones` is int32 (blocks, 64), `keys` int32 (blocks, 2) of size class and mode group; returns the number of blocks.
    Blocks of the screen tools have none. `tables` must hold no rotations.
    """
    height, width = plane.shape
    count = 0
    for tree_y in range(0, height, 1 << MAX_LOG2):
        for tree_x in range(0, width, 1 << MAX_LOG2):
            for z_index in range(TREE_CELLS):
                x, y = tree_cell(tree_x, tree_y, z_index)
                if x >= width or y >= height:
                    continue
                block, mode = block_at(maps, x, y), mode_at(maps, x, y)
                if starts_block(block) and mode >= 0:
                    _collect_block(original, plane, luma, block, mode, tables, work, zones[count])
                    keys[count, 0] = size_class(block[2], block[3])
                    keys[count, 1] = mode_group(mode, block[2], block[3])
                    count += 1
    return count


@kernel()
def _collect_block(original, plane, luma, block, mode, tables, work, zone):
    x, y, log2_width, log2_height = block
    predict_block(plane, luma, block, mode, tables, work)
    target = original[y : y + (1 << log2_height), x : x + (1 << log2_width)]
    subtract_prediction(target, work.prediction, work.residual)
    forward_transform(work.residual, mode, log2_width, log2_height, tables, work, work.coefficients)
    log2_rows, log2_columns, transposed = zone_of(mode, log2_width, log2_height)
    for row in range(1 << log2_rows):
        for column in range(1 << log2_columns):
            value = work.coefficients[column, row] if transposed else work.coefficients[row, column]
            zone[(row << log2_columns) + column] = value
