# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The class of each 4x4 cell, by which the filter weighs: how much its samples bend, and which way (SPEC 6.2).

A bend is a second difference, at most twice the range of a plane: below 2^13, so int16 holds those of two rows.

`band` is int16 (BAND or more rows, `columns_of(width)`), rows of a plane with BORDER samples around; `classes_row`
int32 (cells,).
"""

import numpy as np

from fdcodec.kernels.jit import kernel
from fdcodec.kernels.simd.registers import magnitudes
from fdcodec.kernels.simd.shorts import SHORTS, put_shorts, shorts_at

BORDER = 3
BAND = 4 + 2 * BORDER  # rows of samples that class and filter a row of cells
N_BENDS = 4  # pairs of rows whose bends are kept: a row of cells has three, and shares one with the next

DIRECTIONS = np.array([(1, 0), (0, 1), (1, 1), (1, -1)])  # of second differences: vertical, horizontal, falling, rising


@kernel(inner=True)
def columns_of(width):
    """Return how many columns a band of a plane of `width` samples has: its borders, and whole registers."""
    return -(-(width + 2) // SHORTS) * SHORTS + 2 * BORDER


@kernel()
def _bend_of(band, y, column, direction):
    """Return the second differences of samples of row y from `column` on, as shorts."""
    row, step = DIRECTIONS[direction]
    centre = shorts_at(band[y], column)
    ahead, behind = shorts_at(band[y + row], column + step), shorts_at(band[y - row], column - step)
    return magnitudes(centre + centre - ahead - behind)


@kernel()
def _add_rows(band, y, bends):
    """Write the bends of rows y and y + 1 of a band, added, from one column before the plane on."""
    for direction in range(len(DIRECTIONS)):
        for x in range(0, bends.shape[1], SHORTS):
            column = BORDER - 1 + x
            upper, lower = _bend_of(band, y, column, direction), _bend_of(band, y + 1, column, direction)
            put_shorts(upper + lower, bends[direction], x)


@kernel()
def _sum_cells(first, second, third, pairs, sums):
    """Write the sum of the bends over the 6x6 samples in and around each cell, from those of three pairs of rows."""
    for k in range(len(pairs)):
        left, right = 2 * k, 2 * k + 1
        upper = np.int32(first[left]) + np.int32(first[right]) + np.int32(second[left]) + np.int32(second[right])
        pairs[k] = upper + np.int32(third[left]) + np.int32(third[right])
    for x in range(len(sums)):
        sums[x] = pairs[2 * x] + pairs[2 * x + 1] + pairs[2 * x + 2]


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


@kernel(inner=True, allocates=True)
def new_class_work(n_cells):
    """Return what `classify_row` works with: bends of pairs of rows, their sums by two columns, and by cell."""
    bends = np.empty((N_BENDS, len(DIRECTIONS), columns_of(4 * n_cells) - 2 * BORDER), np.int16)
    return bends, np.empty(2 * n_cells + 1, np.int32), np.empty((len(DIRECTIONS), n_cells), np.int32)


@kernel(inner=True)
def classify_row(band, cell_y, activity_unit, work, classes_row):
    """Class a row of cells, after the one above it; `band` has its samples and BORDER rows around them."""
    bends, pairs, sums = work
    first = 2 * cell_y
    for k in range(0 if cell_y == 0 else 1, 3):
        _add_rows(band, BORDER - 1 + 2 * k, bends[(first + k) % N_BENDS])
    for k in range(len(DIRECTIONS)):
        upper, middle = bends[first % N_BENDS, k], bends[(first + 1) % N_BENDS, k]
        _sum_cells(upper, middle, bends[(first + 2) % N_BENDS, k], pairs, sums[k])
    for x in range(len(classes_row)):
        vertical, horizontal, falling, rising = sums[0, x], sums[1, x], sums[2, x], sums[3, x]
        classes_row[x] = _class_of(
            np.int64(vertical), np.int64(horizontal), np.int64(falling), np.int64(rising), activity_unit
        )
