# mypy: disable-error-code="no-untyped-def,no-untyped-call"
"""Bands: the rows of a plane that a row of cells is classed and filtered by, by phases (SPEC 6.2, 6.3).

READ ME FIRST

* A phase is every fourth sample of a row: that of column 4 c + p stands in phase p, at place c + 1. So samples of
  neighbouring cells lie side by side, each with the class and the weights of its own cell.
* Each sample stands twice at its place, as two int16: the one is clipped narrowly, the other widely, and one
  instruction multiplies both by their weights and adds (ADR 0033).
* A cell stands on either side of the plane, of samples that repeat the edge: differences reach BORDER samples.
* What is read past the end of a phase belongs to the next and counts for nothing; past the last one there is room.

`band` is int32, of one dimension: BAND rows of four phases of `pitch` places.
"""

import numpy as np

from fdcodec.kernels.jit import kernel
from fdcodec.kernels.simd.lanes import LANES
from fdcodec.kernels.simd.sides import crossed, put_sides, side_at, spread_side

BORDER = 3
BAND = 4 + 2 * BORDER  # rows
PHASES = 4
LINE = 16  # places in 64 bytes
_LOW_HALF = 0xFFFF


@kernel(inner=True)
def pitch_of(n_cells):
    """Return how many places a phase of so many cells has: an odd number of lines of the cache.

    Samples of neighbouring rows and phases so lie in different sets of it: at a width of 4096 they would all have been
    in a few, which took twice the time.
    """
    return (-(-(n_cells + 2) // LINE) | 1) * LINE


@kernel(inner=True, allocates=True)
def new_band(n_cells):
    """Return a band of zeros."""
    return np.zeros(BAND * PHASES * pitch_of(n_cells) + 2 * LANES, np.int32)


@kernel(inner=True)
def place_of(pitch, row, column):
    """Return the place in a band of the sample at a row and a column, which may lie up to four before the plane."""
    return (PHASES * row + (column & 3)) * pitch + (column >> 2) + 1


@kernel()
def _twice(samples, low_half):
    """Return a sample, or a side of them, each as two equal int16; `low_half` is the mask of the lower one."""
    return (samples << 16) | (samples & low_half)


@kernel()
def _fill_one(samples, column, band, start, pitch):
    """Write the sample at a column, or the one at the end of the row that is nearest to it."""
    sample = samples[min(max(column, 0), len(samples) - 1)]
    band[start + place_of(pitch, 0, column)] = _twice(sample, np.int32(_LOW_HALF))


@kernel()
def _fill_row(samples, band, start, pitch):
    """Lay a row of samples out in phases, four cells at a time, then what is left and the ends."""
    whole, low_half = len(samples) & ~15, spread_side(_LOW_HALF)
    for column in range(0, whole, 16):
        rows = side_at(samples, column), side_at(samples, column + 4)
        a, b, c, d = crossed(rows[0], rows[1], side_at(samples, column + 8), side_at(samples, column + 12))
        phases = _twice(a, low_half), _twice(b, low_half), _twice(c, low_half), _twice(d, low_half)
        put_sides(phases, band, start + place_of(pitch, 0, column), pitch)
    for column in range(whole, len(samples) + PHASES):
        _fill_one(samples, column, band, start, pitch)
    for column in range(-PHASES, 0):
        _fill_one(samples, column, band, start, pitch)


@kernel(inner=True)
def fill_band(plane, cell_y, band):
    """Move the band down to a row of cells; rows that it had hold samples from before they were filtered."""
    height, width = plane.shape
    pitch = pitch_of(width >> 2)
    size, kept = PHASES * pitch, 0 if cell_y == 0 else 2 * BORDER
    for y in range(kept):
        row, below = band[y * size : (y + 1) * size], band[(y + 4) * size : (y + 5) * size]
        for x in range(size):
            row[x] = below[x]
    for y in range(kept, BAND):
        _fill_row(plane[min(max(4 * cell_y + y - BORDER, 0), height - 1)], band, y * size, pitch)
