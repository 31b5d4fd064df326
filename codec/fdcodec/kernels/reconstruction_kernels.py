# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""From levels and modes to samples: the decoder's part, which the encoder's loop shares (SPEC 4)."""

from typing import NamedTuple

import numpy as np

from fdcodec.coding.constants import CELL_LOG2, CHROMA_FROM_LUMA, COEFFICIENT_LIMIT, MAX_LOG2, STEP_BITS
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.prediction_kernels import gather_references, predict, predict_from_luma, smooth_references
from fdcodec.kernels.tables import NEXT_STATE
from fdcodec.kernels.transform_kernels import inverse_transform

TREE_CELLS = 1 << (2 * (MAX_LOG2 - CELL_LOG2))


class Work(NamedTuple):
    """Scratch arrays of one thread, int32: reference lines, and blocks of 32x32."""

    references: np.ndarray
    smoothed: np.ndarray
    line: np.ndarray
    lines: np.ndarray
    prediction: np.ndarray
    coefficients: np.ndarray
    scratch: np.ndarray
    residual: np.ndarray


def new_work() -> Work:
    """Return fresh scratch arrays."""
    lines = [np.zeros(4 * 32 + 8, np.int32) for _ in range(3)]
    return Work(*lines, *[np.zeros((32, 32), np.int32) for _ in range(5)])


@kernel()
def predict_block(plane, luma, x, y, log2_size, mode, work):
    """Predict the block at (x, y) from decoded samples into `work.prediction`."""
    if mode == CHROMA_FROM_LUMA:
        predict_from_luma(luma, plane, x, y, log2_size, work.prediction)
        return
    gather_references(plane, x, y, log2_size, work.references)
    smooth_references(work.references, log2_size, work.smoothed)
    predict(work.references, work.smoothed, log2_size, mode, work.line, work.lines, work.prediction)


@kernel()
def dequantize(levels, scan, end, half_step, coefficients):
    """Write the coefficients of one block: the dependent quantizer's reconstruction (SPEC 4.3).

    In states 0 and 1 a level means `level` whole steps, in 2 and 3 half a step less; the state follows the parity.
    """
    size = levels.shape[0]
    coefficients[:size, :size] = 0
    state = 0
    for k in range(end - 1, -1, -1):
        row, column = scan[k] >> 5, scan[k] & 31
        level = np.int64(levels[row, column])
        if level != 0:
            half_steps = 2 * abs(level) - (state >> 1)
            value = min((half_steps * half_step + (1 << (STEP_BITS - 1))) >> STEP_BITS, COEFFICIENT_LIMIT)
            coefficients[row, column] = value if level > 0 else -value
        state = NEXT_STATE[state, level & 1]


@kernel()
def add_residual(plane, x, y, size, bounds, prediction, residual):
    """Write prediction plus residual, clipped to the plane's range, into the plane."""
    low, high = bounds
    for row in range(size):
        for column in range(size):
            plane[y + row, x + column] = min(max(prediction[row, column] + residual[row, column], low), high)


@kernel()
def reconstruct_block(plane, luma, maps, x, y, log2_size, half_step, bounds, tables, work):
    """Predict, dequantize, transform back and write the block at (x, y)."""
    size = 1 << log2_size
    mode = np.int64(maps.modes[y >> CELL_LOG2, x >> CELL_LOG2])
    end = maps.ends[y >> CELL_LOG2, x >> CELL_LOG2]
    predict_block(plane, luma, x, y, log2_size, mode, work)
    if end == 0:
        work.residual[:size, :size] = 0
    else:
        levels = maps.levels[y : y + size, x : x + size]
        dequantize(levels, tables.scans[log2_size], end, half_step, work.coefficients)
        inverse_transform(work.coefficients, mode, log2_size, tables, work.scratch, work.residual)
    add_residual(plane, x, y, size, bounds, work.prediction, work.residual)


@kernel()
def tree_cell(tree_x, tree_y, z_index):
    """Return the sample position of a tree's cell by its place in the Z order."""
    x, y = tree_x, tree_y
    for bit in range(MAX_LOG2 - CELL_LOG2):
        x += ((z_index >> (2 * bit)) & 1) << (CELL_LOG2 + bit)
        y += ((z_index >> (2 * bit + 1)) & 1) << (CELL_LOG2 + bit)
    return x, y


@kernel()
def reconstruct_plane(plane, luma, maps, half_step, bounds, tables, work):
    """Reconstruct every block of a plane in coding order; `luma` is the decoded luma plane (or `plane` itself)."""
    height, width = plane.shape
    for tree_y in range(0, height, 1 << MAX_LOG2):
        for tree_x in range(0, width, 1 << MAX_LOG2):
            for z_index in range(TREE_CELLS):
                x, y = tree_cell(tree_x, tree_y, z_index)
                if x < width and y < height:
                    log2_size = np.int64(maps.log2_sizes[y >> CELL_LOG2, x >> CELL_LOG2])
                    if ((x | y) & ((1 << log2_size) - 1)) == 0:
                        reconstruct_block(plane, luma, maps, x, y, log2_size, half_step, bounds, tables, work)
