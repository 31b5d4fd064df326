"""Random partitions of a plane into blocks, for tests of whatever reads maps."""

from collections.abc import Iterator

import numpy as np

from fdcodec.format.constants import COPIED
from fdcodec.kernels.reconstruction.maps import levels_place
from fdcodec.kernels.reconstruction.tables import scan_orders

Block = tuple[int, int, int, int]  # x, y, log2 width, log2 height
ALL_SIZES = [(2, 2), (3, 3), (4, 4), (5, 5), (3, 2), (2, 3), (4, 3), (3, 4), (5, 4), (4, 5)]


def parts_of(x: int, y: int, log2_side: int, halved: float, rng: np.random.Generator) -> list[Block]:
    """Return a square that is not cut in quarters: whole, or with a probability in halves, lying or standing."""
    half = 1 << log2_side >> 1
    if log2_side == 2 or rng.random() >= halved:
        return [(x, y, log2_side, log2_side)]
    if rng.random() < 0.5:
        return [(x, y + dy, log2_side, log2_side - 1) for dy in (0, half)]
    return [(x + dx, y, log2_side - 1, log2_side) for dx in (0, half)]


def random_blocks(shape: tuple[int, int], split: float, halved: float, rng: np.random.Generator) -> Iterator[Block]:
    """Yield the blocks of a random partition; squares are cut in quarters, the others in halves, with probabilities."""
    height, width = shape
    waiting = [(x, y, 5) for y in range(0, height, 32) for x in range(0, width, 32)]
    while waiting:
        x, y, log2_side = waiting.pop()
        side, half = 1 << log2_side, 1 << log2_side >> 1
        if x >= width or y >= height:
            continue
        if x + side > width or y + side > height or (log2_side > 2 and rng.random() < split):
            waiting += [(x + dx, y + dy, log2_side - 1) for dx in (0, half) for dy in (0, half)]
        else:
            yield from parts_of(x, y, log2_side, halved, rng)


def levels_of(maps, block):
    """Return a view of the places for a block's levels, in the order of its scan."""
    place = levels_place(maps, block)
    return maps.levels[place : place + (1 << (block[2] + block[3]))]


def blocks_in(maps):
    """Yield the blocks of a plane in raster order of their first cells."""
    for row, column in np.ndindex(maps.modes.shape):
        x, y, sides = 4 * column, 4 * row, (int(maps.log2_widths[row, column]), int(maps.log2_heights[row, column]))
        if x % (1 << sides[0]) == 0 and y % (1 << sides[1]) == 0:
            yield x, y, *sides


def put_found(work, coefficients):
    """Put the coefficients of a block that are not zero where `dequantize` leaves them; return how many there are."""
    height, width = np.shape(coefficients)
    scan = scan_orders()[height.bit_length() - 1, width.bit_length() - 1, : height * width]
    values = np.asarray(coefficients)[scan >> 5, scan & 31]
    places = np.flatnonzero(values)
    work.found[: len(places)], work.places[: len(places)] = values[places], places
    return len(places)


def as_decoded(maps):
    """Return the cells and the vectors of copied blocks of a tile's maps: all of them that a decoder keeps."""
    return [(plane.cells.tolist(), plane.vectors[plane.modes == COPIED].tolist()) for plane in maps]
