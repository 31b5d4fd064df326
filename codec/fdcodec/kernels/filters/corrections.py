# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The filter after deblocking: clipped differences to the samples around, weighed by class (SPEC 6.3, 6.4).

Samples of planes lie within 12 bits, what deblocking adds is at most 160: int16 holds their differences.

`plane` is int32 (height, width) and deblocked; `cells` are those of the `Maps`, `band` is as in `bands`, `classes_row`
int32 (whole registers,). `weights` is as of `laid_out`, `spread` those of a row of cells.
"""

import numpy as np

from fdcodec.format.constants import FILTER_SHIFT
from fdcodec.kernels.filters.bands import BORDER, PHASES, fill_band, new_band, pitch_of, place_of
from fdcodec.kernels.filters.cell_classes import STEP_INT, classify_row, new_class_work
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.maps import MODE
from fdcodec.kernels.reconstruction.tables import STEPS
from fdcodec.kernels.simd.lanes import LANES, put_lanes
from fdcodec.kernels.simd.lanes import spread as spread_lanes
from fdcodec.kernels.simd.registers import larger, smaller
from fdcodec.kernels.simd.shorts import pair_sums, shorts_at, spread_pair
from fdcodec.kernels.simd.sides import SIDE, crossed, put_sides, side_at

# Half of a 7x7 diamond, the other half by symmetry: (row, column) of each of the twelve pairs.
TAPS = np.array([(0, 1), (0, 2), (0, 3), (1, -2), (1, -1), (1, 0), (1, 1), (1, 2), (2, -1), (2, 0), (2, 1), (3, 0)])

SMALL_CLIP = np.maximum(np.rint(0.2 * STEPS), 1).astype(np.int64)
LARGE_CLIP = np.maximum(np.rint(0.8 * STEPS), 1).astype(np.int64)

WEIGHT_PAIRS = 16  # of a class: those of the taps, that of the sample itself, and zeros up to whole registers


def laid_out(weights):
    """Return what the kernels weigh by: int32 (..., classes + 1, WEIGHT_PAIRS), the two weights of a pair as int16.

    `weights` are int8 (..., classes, FILTER_WEIGHTS). After those of the taps stand the ones of the sample itself,
    minus twice their sums; the last class has zeros.
    """
    *kinds, n_classes, n_weights = weights.shape
    pairs = np.zeros((*kinds, n_classes + 1, WEIGHT_PAIRS, 2), np.int16)
    taps = weights.reshape(*kinds, n_classes, n_weights // 2, 2).astype(np.int16)
    pairs[..., :-1, : len(TAPS), :] = taps
    pairs[..., :-1, len(TAPS), :] = -2 * taps.sum(axis=-2)
    return pairs.view(np.int32)[..., 0]


@kernel(allocates=True)
def _places_of_taps(pitch):
    """Return how far from a sample those of each tap pair lie in a band, (phases, taps, 2), ahead and behind."""
    places = np.empty((PHASES, len(TAPS), 2), np.int64)
    for phase in range(PHASES):
        centre = place_of(pitch, BORDER, phase)
        for tap in range(len(TAPS)):
            row, step = TAPS[tap]
            places[phase, tap, 0] = place_of(pitch, BORDER + row, phase + step) - centre
            places[phase, tap, 1] = place_of(pitch, BORDER - row, phase - step) - centre
    return places


@kernel()
def _leave_exact_cells(classes_row, cells_row, no_class):
    """Give exact cells the class that has no weights."""
    for x in range(len(cells_row)):
        classes_row[x] = no_class if cells_row[x, MODE] < 0 else classes_row[x]


@kernel()
def _spread_weights(classes_row, weights, spread):
    """Lay the weights of a row of cells out, for eight cells at a time: those of a pair side by side, then the next."""
    for x in range(0, len(classes_row), SIDE):
        first, second = weights[classes_row[x]], weights[classes_row[x + 1]]
        third, fourth = weights[classes_row[x + 2]], weights[classes_row[x + 3]]
        start = (x & -LANES) * WEIGHT_PAIRS + (x & (LANES - 1))
        for k in range(0, WEIGHT_PAIRS, SIDE):
            pairs = crossed(side_at(first, k), side_at(second, k), side_at(third, k), side_at(fourth, k))
            put_sides(pairs, spread, start + k * LANES, LANES)


@kernel()
def _correct_phase(band, start, places, spread, reach, total):
    """Write the corrections of the samples of a phase, scaled by 2^FILTER_SHIFT, and a half to round them by.

    A sample within reach of another, less that other, is their difference clipped; what is to be taken off is the same
    for all pairs and has weights of its own. Sums of two samples are below 2^14, times two weights of an int8 2^22,
    twelve times 2^26.
    """
    for x in range(0, len(total), LANES):
        centre, weights = shorts_at(band, start + x), x * WEIGHT_PAIRS
        low, high = centre - reach, centre + reach
        corrections = spread_lanes(1 << (FILTER_SHIFT - 1)) + pair_sums(centre, spread, weights + len(TAPS) * LANES)
        for tap in range(len(TAPS)):
            ahead, behind = shorts_at(band, start + x + places[tap, 0]), shorts_at(band, start + x + places[tap, 1])
            both = smaller(larger(ahead, low), high) + smaller(larger(behind, low), high)
            corrections = corrections + pair_sums(both, spread, weights + tap * LANES)
        put_lanes(corrections, total, x)


@kernel()
def _join_phases(total, row):
    """Write the corrections of the four phases into a row, which is as long as whole registers of them."""
    first, second, third, fourth = total[0], total[1], total[2], total[3]
    for x in range(0, len(first), SIDE):
        cells = crossed(side_at(first, x), side_at(second, x), side_at(third, x), side_at(fourth, x))
        put_sides(cells, row, PHASES * x, SIDE)


@kernel()
def _add_row(samples, total, quarters, low, high):
    """Add `quarters` / 4 of the corrections to a row of samples, clipped to their range; all int32."""
    for x in range(len(samples)):
        share = np.int32(np.int32(quarters * np.int32(total[x] >> FILTER_SHIFT)) + np.int32(2)) >> 2
        samples[x] = min(max(np.int32(samples[x] + np.int32(share)), low), high)


@kernel(allocates=True)
def filter_plane(plane, cells, weights, step_index, quarters, low, high):
    """Add `quarters` / 4 of the trained correction to a deblocked plane but for exact cells, in place (SPEC 6.3, 6.4).

    `weights` is as of `laid_out`. The filter goes down the plane with a copy of ten rows, and so stays in the cache; a
    copy of the plane cost 2 ms of page faults.
    """
    n_cells = cells.shape[1]
    pitch, columns = pitch_of(n_cells), -(-n_cells // LANES) * LANES
    band, work, places = new_band(n_cells), new_class_work(n_cells), _places_of_taps(pitch)
    total, row = np.empty((PHASES, columns), np.int32), np.empty(PHASES * columns, np.int32)
    spread, classes = np.empty(WEIGHT_PAIRS * columns, np.int32), np.zeros(columns, np.int32)
    reach = spread_pair(SMALL_CLIP[step_index], LARGE_CLIP[step_index])
    for cell_y in range(cells.shape[0]):
        fill_band(plane, cell_y, band)
        classify_row(band, pitch, cell_y, 32 * STEP_INT[step_index], work, classes)
        _leave_exact_cells(classes, cells[cell_y], len(weights) - 1)
        _spread_weights(classes, weights, spread)
        for y in range(4):
            for phase in range(PHASES):
                start = place_of(pitch, BORDER + y, phase)
                _correct_phase(band, start, places[phase], spread, reach, total[phase])
            _join_phases(total, row)
            _add_row(plane[4 * cell_y + y], row, np.int32(quarters), np.int32(low), np.int32(high))
