# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""What the trellis starts from: which coefficients there are, and what dropping them costs. Encoder only.

`coefficients` are int32 (32, 32), of which the upper left counts, `scan` int32 with 32 * row + column.
"""

import numpy as np

from fdcodec.format.constants import STEP_BITS
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.simd.lanes import LANES, block_lanes, spread_wide, total_of, wide_product

ERROR_SHIFT = 6  # from squared amplitudes to the unit of costs
SAMPLE_ERROR_SHIFT = 2 * STEP_BITS + ERROR_SHIFT  # from squared sample or coefficient units to that of costs
RECIPROCAL_BITS = 40
INFINITE = np.int64(1) << 62


@kernel()
def keep_largest(coefficients, width, height, sparsity, keep):
    """Zero all but the `sparsity` largest magnitudes of a block: the paper's T_s; of equal ones the first in raster.

    `keep` is scratch of the block's size.
    """
    keep[:height, :width] = 0
    for _ in range(min(sparsity, width * height)):
        best, best_row, best_column = 0, -1, -1
        for row in range(height):
            for column in range(width):
                if keep[row, column] == 0 and abs(coefficients[row, column]) > best:
                    best, best_row, best_column = abs(coefficients[row, column]), row, column
        if best == 0:
            break
        keep[best_row, best_column] = 1
    for row in range(height):
        for column in range(width):
            if keep[row, column] == 0:
                coefficients[row, column] = 0


@kernel(inner=True)
def last_candidate(coefficients, scan, n_positions, threshold):
    """Return the highest scan position whose amplitude reaches `threshold`, or -1."""
    for k in range(n_positions - 1, -1, -1):
        if abs(np.int64(coefficients[scan[k] >> 5, scan[k] & 31])) << STEP_BITS >= threshold:
            return k
    return -1


@kernel()
def zero_cost(coefficient):
    """Return what it costs to drop a coefficient."""
    amplitude = np.int64(coefficient) << STEP_BITS
    return (amplitude * amplitude) << ERROR_SHIFT


@kernel(inner=True)
def dropping_cost(coefficients, log2_width, log2_height):
    """Return what it costs to drop all coefficients of a block."""
    total, width = spread_wide(0), 1 << log2_width
    for row in range(1 << log2_height):
        for column in range(0, width, LANES):
            lanes = block_lanes(coefficients[row], column, width)
            total = total + wide_product(lanes, lanes)
    return total_of(total) << SAMPLE_ERROR_SHIFT
