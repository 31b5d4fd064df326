# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The filter after deblocking: clipped differences to the samples around, weighed by class (SPEC 6.3, 6.4).

Samples of planes lie within 12 bits, what deblocking adds is at most 160: int16 holds their differences.

`plane` is int32 (height, width) and deblocked, `padded` the same as int16 with BORDER samples around and
`columns_of(width)` columns; `cells` are those of the `Maps`, `classes` int32, one for each of them.
"""

import numpy as np

from fdcodec.format.constants import FILTER_SHIFT
from fdcodec.kernels.filters.cell_classes import BAND, BORDER, classify_row, columns_of, new_class_work
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.maps import MODE
from fdcodec.kernels.reconstruction.tables import STEPS
from fdcodec.kernels.simd.registers import larger, smaller
from fdcodec.kernels.simd.shorts import SHORTS, put_sums, shorts_at, spread_short, spread_sum, weighed

# Half of a 7x7 diamond, the other half by symmetry: (row, column) of each of the twelve pairs.
TAPS = np.array([(0, 1), (0, 2), (0, 3), (1, -2), (1, -1), (1, 0), (1, 1), (1, 2), (2, -1), (2, 0), (2, 1), (3, 0)])

SMALL_CLIP = np.maximum(np.rint(0.2 * STEPS), 1).astype(np.int64)
LARGE_CLIP = np.maximum(np.rint(0.8 * STEPS), 1).astype(np.int64)
STEP_INT = np.maximum(np.rint(STEPS), 1).astype(np.int64)


@kernel()
def _pad_row(samples, padded):
    """Copy a row of samples into the middle of `padded`, repeating its ends BORDER samples out."""
    width = len(samples)
    for x in range(BORDER):
        padded[x], padded[width + BORDER + x] = samples[0], samples[width - 1]
    for x in range(width):
        padded[x + BORDER] = samples[x]


@kernel()
def pad_plane(plane, padded):
    """Copy the plane into the middle of `padded`, repeating its edges BORDER samples out."""
    height = plane.shape[0]
    for y in range(height + 2 * BORDER):
        _pad_row(plane[min(max(y - BORDER, 0), height - 1)], padded[y])


@kernel()
def _spread_weights(classes_row, cells_row, weights, spread):
    """Lay the weights of a row of cells out, by tap pair a pair of int16 for each cell; 0 in exact cells."""
    for cell_x in range(len(classes_row)):
        group, is_exact = classes_row[cell_x], cells_row[cell_x, MODE] < 0
        for k in range(len(TAPS)):
            spread[k, cell_x] = 0 if is_exact else weights[group, k]


@kernel()
def _clamp(shorts, limit):
    return smaller(larger(shorts, spread_short(-limit)), spread_short(limit))


@kernel()
def _correct_row(band, y, weights, small, large, total):
    """Write the corrections of row y of a band, scaled by 2^FILTER_SHIFT, and a half to round them by.

    Two clipped differences are below 2^12, times an int8 for each of two weights 2^20, twelve times 2^24.
    """
    for x in range(0, len(total), SHORTS):
        column, corrections = BORDER + x, spread_sum(1 << (FILTER_SHIFT - 1))
        centre = shorts_at(band[y], column)
        for tap in range(len(TAPS)):
            row, step = TAPS[tap]
            ahead = shorts_at(band[y + row], column + step) - centre
            behind = shorts_at(band[y - row], column - step) - centre
            near, far = _clamp(ahead, small) + _clamp(behind, small), _clamp(ahead, large) + _clamp(behind, large)
            corrections = corrections + weighed(near, far, weights[tap], x >> 2)
        put_sums(corrections, total, x)


@kernel()
def _add_row(samples, total, quarters, low, high):
    """Add `quarters` / 4 of the corrections to a row of samples, clipped to their range; all int32."""
    for x in range(len(samples)):
        share = np.int32(np.int32(quarters * np.int32(total[x] >> FILTER_SHIFT)) + np.int32(2)) >> 2
        samples[x] = min(max(np.int32(samples[x] + np.int32(share)), low), high)


@kernel()
def _fill_band(plane, cell_y, band):
    """Move the band down to a row of cells; rows that it had hold samples from before they were filtered."""
    kept = 0 if cell_y == 0 else 2 * BORDER
    for y in range(kept):
        for x in range(band.shape[1]):
            band[y, x] = band[y + 4, x]
    for y in range(kept, BAND):
        _pad_row(plane[min(max(4 * cell_y + y - BORDER, 0), plane.shape[0] - 1)], band[y])


@kernel(allocates=True)
def filter_plane(plane, cells, weights, step_index, quarters, low, high):
    """Add `quarters` / 4 of the trained correction to a deblocked plane but for exact cells, in place (SPEC 6.3, 6.4).

    `weights` is (classes, tap pairs), int32, each the two int16 of a pair. The filter goes down the plane with a copy
    of ten rows, and so stays in the cache; a copy of the plane cost 2 ms of page faults.
    """
    width, n_columns = plane.shape[1], cells.shape[1]
    columns = columns_of(width)
    band, total = np.zeros((BAND, columns), np.int16), np.empty(columns - 2 * BORDER, np.int32)
    classes, spread = np.empty(n_columns, np.int32), np.zeros((len(TAPS), len(total) >> 2), np.int32)
    work = new_class_work(n_columns)
    for cell_y in range(cells.shape[0]):
        _fill_band(plane, cell_y, band)
        classify_row(band, cell_y, 32 * STEP_INT[step_index], work, classes)
        _spread_weights(classes, cells[cell_y], weights, spread)
        for y in range(4):
            small, large = SMALL_CLIP[step_index], LARGE_CLIP[step_index]
            _correct_row(band, BORDER + y, spread.view(np.int16), small, large, total)
            _add_row(plane[4 * cell_y + y], total, np.int32(quarters), np.int32(low), np.int32(high))


@kernel(allocates=True)
def classify_cells(padded, step_index, classes):
    """Class each 4x4 cell of a padded plane, int16 (SPEC 6.2)."""
    work = new_class_work(classes.shape[1])
    for y in range(classes.shape[0]):
        classify_row(padded[4 * y : 4 * y + BAND], y, 32 * STEP_INT[step_index], work, classes[y])
