# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The class of each 4x4 cell, by which the filter weighs: how much its samples bend, and which way (SPEC 6.2).

A bend is a second difference, at most twice the range of a plane: below 2^13, so int16 holds those of two rows.

`band` is as in `bands`, `classes_row` int32 (cells,).
"""

from typing import NamedTuple

import numpy as np

from fdcodec.kernels.filters.bands import BORDER, PHASES, fill_band, new_band, pitch_of, place_of
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.tables import STEPS
from fdcodec.kernels.simd.lanes import LANES
from fdcodec.kernels.simd.registers import magnitudes
from fdcodec.kernels.simd.shorts import put_shorts, shorts_at

N_SUMS = 4  # pairs of rows whose sums are kept: a row of cells has three, and shares one with the next
N_DIRECTIONS = 4  # of second differences: vertical, horizontal, falling, rising

STEP_INT = np.maximum(np.rint(STEPS), 1).astype(np.int64)


class ClassWork(NamedTuple):
    """What `classify_row` works with: the bends of two rows, by phase and place, and their sums by cell; all int32.

    `bends` is (directions, phases, places), of which each is twice an int16, `sums` (N_SUMS, directions, cells).
    """

    bends: np.ndarray
    sums: np.ndarray


@kernel(inner=True, allocates=True)
def new_class_work(n_cells):
    """Return what a plane of so many columns of cells is classed with."""
    bends = np.empty((N_DIRECTIONS, PHASES, pitch_of(n_cells)), np.int32)
    return ClassWork(bends, np.empty((N_SUMS, N_DIRECTIONS, n_cells), np.int32))


@kernel()
def _bend(before, middle, after):
    """Return second differences of samples, as shorts."""
    return magnitudes(middle + middle - before - after)


@kernel()
def _three_at(band, places, offset):
    """Return the samples at three places and after them, as shorts."""
    left, middle, right = places
    return shorts_at(band, left + offset), shorts_at(band, middle + offset), shorts_at(band, right + offset)


@kernel()
def _add_rows(band, pitch, y, bends):
    """Write the bends of rows y and y + 1 of a band, added, by phase, from the cell before the plane on.

    All directions at once, as they share their samples: vertical, horizontal, falling, rising.
    """
    row = PHASES * pitch
    for phase in range(PHASES):
        left, right = place_of(pitch, y, phase - 1) - 1, place_of(pitch, y, phase + 1) - 1
        places = left, place_of(pitch, y, phase) - 1, right
        for x in range(0, bends.shape[2], LANES):
            a, b, c = _three_at(band, places, x - row)
            d, e, f = _three_at(band, places, x)
            g, h, i = _three_at(band, places, x + row)
            j, k, m = _three_at(band, places, x + 2 * row)
            put_shorts(_bend(b, e, h) + _bend(e, h, k), bends[0, phase], x)
            put_shorts(_bend(d, e, f) + _bend(g, h, i), bends[1, phase], x)
            put_shorts(_bend(a, e, i) + _bend(d, h, m), bends[2, phase], x)
            put_shorts(_bend(c, e, g) + _bend(f, h, j), bends[3, phase], x)


@kernel()
def _sum_cells(bends, sums):
    """Write the sum of the bends over the six columns in and around each cell."""
    first, second, third, fourth = bends[0], bends[1], bends[2], bends[3]
    for x in range(len(sums)):
        inner = np.int32(first[x + 1] >> 16) + np.int32(second[x + 1] >> 16) + np.int32(third[x + 1] >> 16)
        outer = np.int32(fourth[x] >> 16) + np.int32(first[x + 2] >> 16)
        sums[x] = inner + np.int32(fourth[x + 1] >> 16) + outer


@kernel()
def _class_of(vertical, horizontal, falling, rising, activity_unit):
    """Return the class of a cell by its four sums: 5 activities, 5 directions, 2 orientations, without a branch."""
    straight_high, straight_low = max(vertical, horizontal), min(vertical, horizontal)
    slanted_high, slanted_low = max(falling, rising), min(falling, rising)
    is_slanted = straight_high * slanted_low <= slanted_high * straight_low
    high, low = (slanted_high, slanted_low) if is_slanted else (straight_high, straight_low)
    orientation = falling > rising if is_slanted else vertical > horizontal
    direction = (1 if high > 2 * low else 0) + (1 if 2 * high > 9 * low else 0)
    direction_code = 2 * direction + (4 if is_slanted else 0) + (1 if orientation else 0) if direction > 0 else 0
    bends, activity = 100 * (vertical + horizontal), 0
    for bound in (12, 30, 60, 110):
        activity += 1 if bends >= bound * activity_unit else 0
    return 10 * activity + direction_code


@kernel()
def _total_of(first, second, third, x):
    """Return the sum of three lines of sums at a cell."""
    return np.int64(first[x]) + np.int64(second[x]) + np.int64(third[x])


@kernel(inner=True)
def classify_row(band, pitch, cell_y, activity_unit, work, classes_row):
    """Class a row of cells, after the one above it; `band` has its samples and BORDER rows around them."""
    first = 2 * cell_y
    for k in range(0 if cell_y == 0 else 1, 3):
        _add_rows(band, pitch, BORDER - 1 + 2 * k, work.bends)
        for direction in range(N_DIRECTIONS):
            _sum_cells(work.bends[direction], work.sums[(first + k) % N_SUMS, direction])
    a, b, c = work.sums[first % N_SUMS], work.sums[(first + 1) % N_SUMS], work.sums[(first + 2) % N_SUMS]
    for x in range(a.shape[1]):
        vertical, horizontal = _total_of(a[0], b[0], c[0], x), _total_of(a[1], b[1], c[1], x)
        falling, rising = _total_of(a[2], b[2], c[2], x), _total_of(a[3], b[3], c[3], x)
        classes_row[x] = _class_of(vertical, horizontal, falling, rising, activity_unit)


@kernel(allocates=True)
def classify_cells(plane, step_index, classes):
    """Class each 4x4 cell of a deblocked plane, int32 (SPEC 6.2)."""
    n_cells = classes.shape[1]
    band, work, unit = new_band(n_cells), new_class_work(n_cells), 32 * STEP_INT[step_index]
    for cell_y in range(classes.shape[0]):
        fill_band(plane, cell_y, band)
        classify_row(band, pitch_of(n_cells), cell_y, unit, work, classes[cell_y])
