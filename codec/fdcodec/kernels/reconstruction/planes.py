# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""From levels and modes to samples: the decoder's part, which the encoder's loop shares (SPEC 4).

`plane` and `luma` are int32 (height, width), `maps`, `tables` and `work` the `Maps`, `Tables` and `Work`. Arrays of one
block are int32 (32, 32), of which it is the upper left; `bounds` are the least and the greatest sample.
"""

from typing import NamedTuple

import numpy as np

from fdcodec.format.constants import (
    CELL_LOG2,
    CHROMA_FROM_LUMA,
    LEARNED,
    MAX_LEARNED_LOG2,
    MAX_LOG2,
)
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.blocks import TREE_CELLS, cells_in_turn, starts_block, tree_cell
from fdcodec.kernels.reconstruction.learned_modes import predict_by_model
from fdcodec.kernels.reconstruction.maps import block_at, end_at, levels_place, mode_at
from fdcodec.kernels.reconstruction.prediction import predict, predict_from_luma, reads_smoothed
from fdcodec.kernels.reconstruction.quantizer import dequantize
from fdcodec.kernels.reconstruction.references import gather_references, smooth_references
from fdcodec.kernels.reconstruction.transforms import inverse_transform
from fdcodec.kernels.simd.lanes import LANES, lanes_at, put_block_lanes, spread
from fdcodec.kernels.simd.memory import fetch
from fdcodec.kernels.simd.registers import larger, smaller


class Work(NamedTuple):
    """Scratch of one thread: reference lines, blocks of 32x32 and 256 sums, int32; 64 values, int64 and int16.

    `found`, int32, are the coefficients of a block that are not zero, `places`, int16, their places in the scan.
    """

    references: np.ndarray
    smoothed: np.ndarray
    line: np.ndarray
    lines: np.ndarray
    prediction: np.ndarray
    coefficients: np.ndarray
    scratch: np.ndarray
    residual: np.ndarray
    values: np.ndarray
    short: np.ndarray
    sums: np.ndarray
    found: np.ndarray
    places: np.ndarray


def new_work() -> Work:
    """Return fresh scratch arrays."""
    lines = [np.zeros(4 * 32 + 8, np.int32) for _ in range(3)]  # the most references, and what lanes read past them
    blocks = [np.zeros((32, 32), np.int32) for _ in range(5)]
    zone = np.zeros(64, np.int64), np.zeros(64, np.int16)
    sums = np.zeros(1 << (2 * MAX_LEARNED_LOG2), np.int32)
    return Work(*lines, *blocks, *zone, sums, np.zeros(1024, np.int32), np.zeros(1024, np.int16))  # type: ignore[call-arg]


@kernel(merged=True)
def gather_border(plane, block, work):
    """Write a block's references, as they are and smoothed, into `work`."""
    gather_references(plane, block, work.references)
    smooth_references(work.references, (1 << block[2]) + (1 << block[3]), work.smoothed)


@kernel(inline=True)
def predict_gathered(plane, luma, block, mode, tables, work):
    """Predict a block in any mode into `work.prediction`, its border gathered before."""
    _, _, log2_width, log2_height = block
    if mode == CHROMA_FROM_LUMA:
        predict_from_luma(luma, plane, block, work.prediction)
    elif mode >= LEARNED:
        predict_by_model(log2_width, mode, tables, work)
    else:
        predict(work.references, work.smoothed, log2_width, log2_height, mode, work.line, work.lines, work.prediction)


@kernel(inline=True)
def predict_block(plane, luma, block, mode, tables, work):
    """Predict a block from decoded samples in any mode into `work.prediction`."""
    if mode != CHROMA_FROM_LUMA:
        gather_references(plane, block, work.references)
        if reads_smoothed(mode, block[2], block[3]):
            smooth_references(work.references, (1 << block[2]) + (1 << block[3]), work.smoothed)
    predict_gathered(plane, luma, block, mode, tables, work)


@kernel(merged=True)
def add_residual(plane, block, bounds, prediction, residual):
    """Write prediction plus residual, clipped to the plane's range, into the plane; all int32."""
    x, y, log2_width, log2_height = block
    low, high, width = spread(bounds[0]), spread(bounds[1]), 1 << log2_width
    for row in range(1 << log2_height):
        for column in range(0, width, LANES):
            samples = lanes_at(prediction[row], column) + lanes_at(residual[row], column)
            put_block_lanes(smaller(larger(samples, low), high), plane[y + row], x + column, width)


@kernel(inline=True)
def reconstruct_block(plane, luma, maps, block, half_step, bounds, tables, work):
    """Predict, dequantize, transform back and write a block."""
    x, y, log2_width, log2_height = block
    width, height = 1 << log2_width, 1 << log2_height
    mode = mode_at(maps, x, y)
    place, end = levels_place(maps, block), end_at(maps, x, y)
    fetch(maps.levels, place)
    predict_block(plane, luma, block, mode, tables, work)
    if end == 0:
        work.residual[:height, :width] = 0
    else:
        n_found = dequantize(maps.levels[place : place + end], half_step, work)
        inverse_transform(n_found, mode, log2_width, log2_height, tables, work, work.residual)
    add_residual(plane, block, bounds, work.prediction, work.residual)


@kernel()
def _fetch_tree(plane, maps, tree_x, tree_y):
    """Have the cells and samples of a tree, or of what there is of it, fetched."""
    height, width = plane.shape
    x, end_y = min(tree_x, width - 1), min(tree_y + (1 << MAX_LOG2), height)
    for y in range(tree_y, end_y):
        fetch(plane[y], x)
    for cell_y in range(tree_y >> CELL_LOG2, end_y >> CELL_LOG2):
        fetch(maps.cells[cell_y, x >> CELL_LOG2], 0)


@kernel()
def reconstruct_plane(plane, luma, maps, half_steps, bounds, tables, work):
    """Reconstruct every block of a plane in coding order, with the half step of its tree.

    `luma` is the decoded luma plane (or `plane` itself).
    """
    height, width = plane.shape
    for tree_y in range(0, height, 1 << MAX_LOG2):
        for tree_x in range(0, width, 1 << MAX_LOG2):
            half_step = half_steps[tree_y >> MAX_LOG2, tree_x >> MAX_LOG2]
            _fetch_tree(plane, maps, tree_x + (1 << MAX_LOG2), tree_y)
            z_index = 0
            while z_index < TREE_CELLS:
                x, y = tree_cell(tree_x, tree_y, z_index)
                n_cells = 1
                if x < width and y < height:
                    block = block_at(maps, x, y)
                    n_cells = cells_in_turn(block)
                    if starts_block(block):
                        reconstruct_block(plane, luma, maps, block, half_step, bounds, tables, work)
                z_index += n_cells
