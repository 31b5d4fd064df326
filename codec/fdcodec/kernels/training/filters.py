# mypy: disable-error-code="no-untyped-def,no-untyped-call"
"""What the training of the filter adds up: its features' products with each other and with the error (SPEC 6.3).

`padded` is a plane, int32, with BORDER samples around, `classes` int32, one for each cell, `target` int32 (height,
width), `matrices` float64 (classes, weights, weights), of which the upper triangle is filled, `vectors` float64
(classes, weights).
"""

import numpy as np

from fdcodec.format.constants import FILTER_WEIGHTS
from fdcodec.kernels.filters.bands import BORDER
from fdcodec.kernels.filters.corrections import LARGE_CLIP, SMALL_CLIP, TAPS
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.simd.lanes import LANES, lanes_at, total_of


@kernel(inline=True)
def _fill_features(padded, y, x, small, large, features):
    """Write the two features of each tap pair, differences clipped small and large, for the cell at (y, x)."""
    for tap in range(len(TAPS)):
        row, column = TAPS[tap]
        for k in range(16):
            i, j = y + (k >> 2), x + (k & 3)
            ahead, behind = padded[i + row, j + column] - padded[i, j], padded[i - row, j - column] - padded[i, j]
            features[2 * tap, k] = min(max(ahead, -small), small) + min(max(behind, -small), small)
            features[2 * tap + 1, k] = min(max(ahead, -large), large) + min(max(behind, -large), large)


@kernel(allocates=True)
def accumulate_normal_equations(padded, classes, target, step_index, matrices, vectors):
    """Add, by class, the features' products and their products with the error `target`.

    Cells of a class below 0 are left out.
    """
    small, large = np.int32(SMALL_CLIP[step_index]), np.int32(LARGE_CLIP[step_index])
    features, errors = np.zeros((FILTER_WEIGHTS, 16), np.int32), np.zeros(16, np.int32)
    for cell_y in range(classes.shape[0]):
        for cell_x in range(classes.shape[1]):
            group = classes[cell_y, cell_x]
            if group < 0:
                continue
            _fill_features(padded, 4 * cell_y + BORDER, 4 * cell_x + BORDER, small, large, features)
            for k in range(16):
                errors[k] = target[4 * cell_y + (k >> 2), 4 * cell_x + (k & 3)]
            for a in range(FILTER_WEIGHTS):
                vectors[group, a] += _product(features[a], errors)
                for b in range(a, FILTER_WEIGHTS):
                    matrices[group, a, b] += _product(features[a], features[b])


@kernel()
def _product(first, second):
    """Return the sum of the products of two lines of sixteen int32; features and errors are below 2^13."""
    left, right = lanes_at(first, 0) * lanes_at(second, 0), lanes_at(first, LANES) * lanes_at(second, LANES)
    return total_of(left + right)
