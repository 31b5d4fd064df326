# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,arg-type"
"""References: the decoded samples around a block, that it is predicted from (SPEC 4.1.1, 4.1.2).

A block is (x, y, log2 width, log2 height). References are one array of 2E+1 samples, with E = width + height: index E
is the corner above left, E-1-k the k-th sample down the left edge, E+1+k the k-th along the top edge. What is not
decoded yet repeats the nearest decoded sample before it.

References and planes, (height, width), are int32.
"""

import numpy as np

from fdcodec.format.constants import CELL_LOG2, FRACTION_BITS, MAX_LOG2
from fdcodec.kernels.jit import kernel


def _z_order(log2_size: int) -> np.ndarray:
    """Return each cell's place in the Z order of a tree of 2^log2_size by 2^log2_size cells."""
    rows, columns = np.indices((1 << log2_size, 1 << log2_size))
    bits = [(((columns >> b) & 1) << (2 * b)) | (((rows >> b) & 1) << (2 * b + 1)) for b in range(log2_size)]
    return np.sum(bits, axis=0)


TREE_CELLS_LOG2 = MAX_LOG2 - CELL_LOG2
Z_ORDER = _z_order(TREE_CELLS_LOG2)


@kernel()
def is_decoded(cell_x, cell_y, x, y):
    """Tell whether a 4x4 cell comes before the block at (x, y) in coding order: trees in raster, cells in Z order."""
    tree_x, tree_y = cell_x >> TREE_CELLS_LOG2, cell_y >> TREE_CELLS_LOG2
    own_x, own_y = x >> MAX_LOG2, y >> MAX_LOG2
    if tree_y != own_y:
        return tree_y < own_y
    if tree_x != own_x:
        return tree_x < own_x
    mask = (1 << TREE_CELLS_LOG2) - 1
    return Z_ORDER[cell_y & mask, cell_x & mask] < Z_ORDER[(y >> CELL_LOG2) & mask, (x >> CELL_LOG2) & mask]


@kernel()
def gather_references(plane, block, references):
    """Copy the decoded border of a block into `references`; mid-gray where nothing is decoded."""
    x, y, log2_width, log2_height = block
    corner = (1 << log2_width) + (1 << log2_height)
    height, width = plane.shape
    left, top = 0, 0
    if x > 0:
        left = 1 << log2_height
        while left < corner and y + left < height and is_decoded((x - 1) >> CELL_LOG2, (y + left) >> CELL_LOG2, x, y):
            left += 4
    if y > 0:
        top = 1 << log2_width
        while top < corner and x + top < width and is_decoded((x + top) >> CELL_LOG2, (y - 1) >> CELL_LOG2, x, y):
            top += 4
    for k in range(left):
        references[corner - 1 - k] = plane[y + k, x - 1]
    if top > 0:
        row, arm = plane[y - 1, x : x + top], references[corner + 1 : corner + 1 + top]
        for k in range(top):
            arm[k] = row[k]
    if left > 0 and top > 0:
        references[corner] = plane[y - 1, x - 1]
    elif left > 0:
        references[corner] = references[corner - 1]
    elif top > 0:
        references[corner] = references[corner + 1]
    else:
        references[corner] = 128 << FRACTION_BITS
    references[: corner - left] = references[corner - left]
    references[corner + 1 + top : 2 * corner + 1] = references[corner + top]


@kernel()
def smooth_references(references, extent, smoothed):
    """Filter the 2 `extent` + 1 references by (1, 2, 1) / 4, the two ends excepted."""
    last = 2 * extent
    smoothed[0] = references[0]
    smoothed[last] = references[last]
    before, after = references[: last - 1], references[2 : last + 1]
    middle, inner = references[1:last], smoothed[1:last]
    for k in range(last - 1):
        inner[k] = np.int32(np.int32(before[k] + after[k]) + 2 * np.int32(middle[k] + np.int32(1))) >> 2
