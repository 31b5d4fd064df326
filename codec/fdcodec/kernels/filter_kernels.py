# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The filter after deblocking: clipped differences to the samples around, weighed by class (SPEC 6.2 to 6.4)."""

import numpy as np

from fdcodec.coding.constants import FILTER_SHIFT, FILTER_WEIGHTS, FRACTION_BITS, MAX_STEP_INDEX, STEPS_PER_OCTAVE
from fdcodec.kernels.jit import kernel

# Half of a 7x7 diamond, the other half by symmetry: (row, column) of each of the twelve pairs.
TAPS = np.array([(0, 1), (0, 2), (0, 3), (1, -2), (1, -1), (1, 0), (1, 1), (1, 2), (2, -1), (2, 0), (2, 1), (3, 0)])
BORDER = 3
BAND = 4 + 2 * BORDER  # rows of samples that filter a row of cells
DIRECTIONS = np.array([(1, 0), (0, 1), (1, 1), (1, -1)])  # of second differences: vertical, horizontal, falling, rising

STEP = 2.0 ** (np.arange(MAX_STEP_INDEX + 1) / STEPS_PER_OCTAVE - 4 + FRACTION_BITS)  # in sample units
SMALL_CLIP = np.maximum(np.rint(0.2 * STEP), 1).astype(np.int64)
LARGE_CLIP = np.maximum(np.rint(0.8 * STEP), 1).astype(np.int64)
STEP_INT = np.maximum(np.rint(STEP), 1).astype(np.int64)


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
def _add_bends(centre, ahead, behind, sums):
    """Add the second differences of a row of samples to `sums`; all int32, so that sixteen samples go at a time."""
    for x in range(len(sums)):
        sums[x] += abs(np.int32(np.int32(np.int32(2 * centre[x]) - ahead[x]) - behind[x]))


@kernel()
def _sum_columns(sums, cell_x):
    """Return the sum over the six columns of a cell and around it."""
    x = 4 * cell_x
    return np.int64(sums[x]) + sums[x + 1] + sums[x + 2] + sums[x + 3] + sums[x + 4] + sums[x + 5]


@kernel()
def _class_of(vertical, horizontal, falling, rising, activity_unit):
    """Return the class of a cell by its four sums: 5 activities, 5 directions, 2 orientations, without a branch."""
    straight_high, straight_low = max(vertical, horizontal), min(vertical, horizontal)
    slanted_high, slanted_low = max(falling, rising), min(falling, rising)
    is_slanted = straight_high * slanted_low <= slanted_high * straight_low
    high, low = (slanted_high, slanted_low) if is_slanted else (straight_high, straight_low)
    orientation = falling > rising if is_slanted else vertical > horizontal
    direction = (1 if high > 2 * low else 0) + (1 if 2 * high > 9 * low else 0)
    turned = 2 * direction + (4 if is_slanted else 0) + (1 if orientation else 0) if direction > 0 else 0
    activity, level = 100 * (vertical + horizontal), 0
    for bound in (12, 30, 60, 110):
        level += 1 if activity >= bound * activity_unit else 0
    return 10 * level + turned


@kernel()
def _classify_row(band, sums, activity_unit, classes_row):
    """Class a row of cells by sums over the 6x6 samples in and around each; `band` has BORDER rows around it.

    A sum is one of 72 differences of samples, each below 2^12: below 2^19.
    """
    width = sums.shape[1]
    sums[:] = 0
    for y in range(BORDER - 1, BORDER + 5):
        centre = band[y, BORDER - 1 : BORDER - 1 + width]
        for k in range(len(DIRECTIONS)):
            row, column = DIRECTIONS[k]
            ahead = band[y + row, BORDER - 1 + column : BORDER - 1 + column + width]
            behind = band[y - row, BORDER - 1 - column : BORDER - 1 - column + width]
            _add_bends(centre, ahead, behind, sums[k])
    for x in range(len(classes_row)):
        vertical, horizontal = _sum_columns(sums[0], x), _sum_columns(sums[1], x)
        falling, rising = _sum_columns(sums[2], x), _sum_columns(sums[3], x)
        classes_row[x] = _class_of(vertical, horizontal, falling, rising, activity_unit)


@kernel(allocates=True)
def classify_cells(padded, step_index, classes):
    """Class each 4x4 cell of a padded plane (SPEC 6.2)."""
    sums = np.empty((len(DIRECTIONS), 4 * classes.shape[1] + 2), np.int32)
    for y in range(classes.shape[0]):
        _classify_row(padded[4 * y : 4 * y + BAND], sums, 32 * STEP_INT[step_index], classes[y])


@kernel(inline=True)
def cell_features(padded, y, x, tap, small, large, features):
    """Write the two features of a tap pair for the cell at (y, x) of `padded`: differences clipped small and large."""
    row, column = TAPS[tap]
    for i in range(4):
        for j in range(4):
            centre = padded[y + i, x + j]
            ahead = padded[y + i + row, x + j + column] - centre
            behind = padded[y + i - row, x + j - column] - centre
            features[0, i, j] = min(max(ahead, -small), small) + min(max(behind, -small), small)
            features[1, i, j] = min(max(ahead, -large), large) + min(max(behind, -large), large)


@kernel()
def _spread_weights(classes_row, modes_row, weights, spread):
    """Lay the weights of a row of cells out by sample, 0 in exact cells; `spread` has a cell's four in one int32."""
    for cell_x in range(len(classes_row)):
        group, is_exact = classes_row[cell_x], modes_row[cell_x] < 0
        for k in range(FILTER_WEIGHTS):
            spread[k, cell_x] = 0 if is_exact else weights[group, k]


@kernel()
def _clamp(value, limit):
    return np.int32(min(max(value, np.int32(-limit)), limit))


@kernel()
def _add_tap(centre, ahead, behind, small_weights, large_weights, small, large, total):
    """Add one tap pair's share to a row of corrections; all int32, so that sixteen samples go at a time.

    A share is two differences clipped below 2^11 times an int8, for each of two weights: 2^20, twelve 2^24, at most.
    """
    for x in range(len(total)):
        forward, backward = np.int32(ahead[x] - centre[x]), np.int32(behind[x] - centre[x])
        near = np.int32(_clamp(forward, small) + _clamp(backward, small))
        far = np.int32(_clamp(forward, large) + _clamp(backward, large))
        total[x] += np.int32(np.int32(small_weights[x] * near) + np.int32(large_weights[x] * far))


@kernel()
def _correct_row(band, weights, small, large, total):
    """Write the corrections of row BORDER of a band, scaled by 2^FILTER_SHIFT, and a half to round them by."""
    width = len(total)
    total[:] = 1 << (FILTER_SHIFT - 1)
    centre = band[BORDER, BORDER : BORDER + width]
    for tap in range(len(TAPS)):
        row, column = TAPS[tap]
        ahead = band[BORDER + row, BORDER + column : BORDER + column + width]
        behind = band[BORDER - row, BORDER - column : BORDER - column + width]
        _add_tap(centre, ahead, behind, weights[2 * tap], weights[2 * tap + 1], small, large, total)


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
def filter_plane(plane, modes, weights, step_index, quarters, low, high):
    """Add `quarters` / 4 of the trained correction to a deblocked plane but for exact cells, in place (SPEC 6.3, 6.4).

    `weights` holds each of the int8 (classes, FILTER_WEIGHTS) four times, as an int32. The filter goes down the plane
    with a copy of ten rows, and so stays in the cache; a copy of the plane cost 2 ms of page faults.
    """
    small, large = np.int32(SMALL_CLIP[step_index]), np.int32(LARGE_CLIP[step_index])
    width, cells = plane.shape[1], modes.shape[1]
    band, sums = np.empty((BAND, width + 2 * BORDER), np.int32), np.empty((len(DIRECTIONS), width + 2), np.int32)
    classes, total = np.empty(cells, np.int32), np.empty(width, np.int32)
    spread = np.empty((FILTER_WEIGHTS, cells), np.int32)
    for cell_y in range(modes.shape[0]):
        _fill_band(plane, cell_y, band)
        _classify_row(band, sums, 32 * STEP_INT[step_index], classes)
        _spread_weights(classes, modes[cell_y], weights, spread)
        for y in range(4):
            _correct_row(band[y:], spread.view(np.int8), small, large, total)
            _add_row(plane[4 * cell_y + y], total, np.int32(quarters), np.int32(low), np.int32(high))


@kernel(allocates=True)
def accumulate_normal_equations(padded, classes, target, step_index, matrices, vectors):
    """Add, by class, the features' products and their products with the error `target` (training only).

    Cells of a class below 0 are left out.
    """
    small, large = np.int32(SMALL_CLIP[step_index]), np.int32(LARGE_CLIP[step_index])
    n_features = 2 * len(TAPS)
    pair, features = np.zeros((2, 4, 4), np.int32), np.zeros((n_features, 16), np.float64)
    for cell_y in range(classes.shape[0]):
        for cell_x in range(classes.shape[1]):
            if classes[cell_y, cell_x] < 0:
                continue
            for tap in range(len(TAPS)):
                cell_features(padded, 4 * cell_y + BORDER, 4 * cell_x + BORDER, tap, small, large, pair)
                for i in range(16):
                    features[2 * tap, i] = pair[0, i >> 2, i & 3]
                    features[2 * tap + 1, i] = pair[1, i >> 2, i & 3]
            group = classes[cell_y, cell_x]
            for a in range(n_features):
                for b in range(a, n_features):
                    product = 0.0
                    for i in range(16):
                        product += features[a, i] * features[b, i]
                    matrices[group, a, b] += product
                for i in range(16):
                    vectors[group, a] += features[a, i] * target[4 * cell_y + (i >> 2), 4 * cell_x + (i & 3)]
