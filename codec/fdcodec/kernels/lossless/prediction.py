# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""Prediction of one sample of the lossless mode (SPEC L4, L5).

READ ME FIRST

* Planes, errors and residuals have `PAD` columns on both sides, planes two rows above; `i`, `j` count with them.
* `W N NW NE WW NN NNE ...` are the neighbours by compass; predictions have `FRACTION` more bits than samples.
* Eight predictors (twelve when earlier planes know the pixel) are averaged with weights that fall with their recent
  errors; two of them are linear filters trained on the way. Everything the decoder needs it has decoded before.

Planes and `residuals` are those of the `State`, `errors` those of one plane, int32 (2, columns, N_PREDICTORS);
`predictions` and `sums` int32 (N_PREDICTORS,), `taps` and `coefficients` int32 (N_TAPS,).

Loops compute in int32, which is twice as many at a time. Planes lie within 17 bits with sign, as the header bounds
them, so taps are below 2**18, their products with a step of 2**12 below 2**30, and predictions below 2**24; sums of
errors are at most 10 MAX_ERROR < 2**24.
"""

import numpy as np

from fdcodec.kernels.jit import kernel
from fdcodec.kernels.lossless.state import (
    BIAS_SHIFT,
    ERROR_WEIGHT,
    FRACTION,
    MAX_BIAS_COUNT,
    MAX_ERROR,
    N_OWN_PREDICTORS,
    N_PREDICTORS,
    N_TAPS,
    TAP_LIMIT,
    TAP_ONE_BITS,
)


@kernel(inline=True)
def own_predictions(plane, i, j, predictions, taps):
    """Fill the six fixed predictions and eleven taps from the plane's own neighbours; return the taps' base."""
    w = np.int64(plane[i, j - 1])
    n = np.int64(plane[i - 1, j])
    nw = np.int64(plane[i - 1, j - 1])
    ne = np.int64(plane[i - 1, j + 1])
    nn = np.int64(plane[i - 2, j])
    nne = np.int64(plane[i - 2, j + 1])
    predictions[0] = w << FRACTION
    predictions[1] = n << FRACTION
    predictions[2] = (w + n - nw) << FRACTION
    predictions[3] = (n + ne - nne) << FRACTION
    predictions[4] = (w + ne - n) << FRACTION
    predictions[5] = (2 * n - nn) << FRACTION
    base = (w + n) >> 1
    taps[0] = w - base
    taps[1] = n - base
    taps[2] = nw - base
    taps[3] = ne - base
    taps[4] = np.int64(plane[i, j - 2]) - base
    taps[5] = nn - base
    taps[6] = nne - base
    taps[7] = np.int64(plane[i - 1, j + 2]) - base
    taps[8] = np.int64(plane[i - 2, j - 1]) - base
    taps[9] = np.int64(plane[i - 1, j - 2]) - base
    taps[10] = np.int64(plane[i - 2, j + 2]) - base
    return base


@kernel(inline=True)
def cross_predictions(planes, channel, i, j, predictions, taps):
    """Add predictions and taps from the planes that already know this pixel; return the number of predictions."""
    taps[11:] = 0
    if channel == 0:
        return N_OWN_PREDICTORS
    here = np.int64(planes[channel - 1, i, j])
    from_w = here - np.int64(planes[channel - 1, i, j - 1])
    from_n = here - np.int64(planes[channel - 1, i - 1, j])
    from_gradient = from_w + from_n - here + np.int64(planes[channel - 1, i - 1, j - 1])
    taps[11] = from_w
    taps[12] = from_n
    taps[13] = from_gradient
    predictions[8] = predictions[0] + (from_w << FRACTION)
    predictions[9] = predictions[1] + (from_n << FRACTION)
    predictions[10] = predictions[2] + (from_gradient << FRACTION)
    if channel == 1:
        return 11
    here = np.int64(planes[channel - 2, i, j])
    from_w = here - np.int64(planes[channel - 2, i, j - 1])
    from_n = here - np.int64(planes[channel - 2, i - 1, j])
    taps[14] = from_w
    taps[15] = from_n
    predictions[11] = (predictions[0] + predictions[1] + ((from_w + from_n) << FRACTION)) >> 1
    return 12


@kernel(inline=True)
def filtered(taps, coefficients):
    """Return the inner product of taps and coefficients, in units of predictions."""
    total = np.int64(0)
    for k in range(N_TAPS):
        total += np.int64(coefficients[k]) * np.int64(taps[k])
    return total >> (TAP_ONE_BITS - FRACTION)


@kernel(inline=True)
def move_halfway(coefficients, above):
    """Move the coefficients half the way to those of the filter above."""
    for k in range(N_TAPS):
        coefficients[k] += np.int32(np.int32(above[k] - coefficients[k]) >> 1)


@kernel(inline=True)
def tap_norm(taps):
    """Return the sum of squares of the taps, plus 4."""
    norm = np.int64(4)
    for k in range(N_TAPS):
        norm += np.int64(taps[k]) * np.int64(taps[k])
    return norm


@kernel(inline=True)
def train_filter(taps, coefficients, error, gain, shift):
    """Move the coefficients by normalized least mean squares; with `shift` 0, so far that `error` would be zero."""
    step = np.int32(min(max((error * gain) >> 24, -4096), 4096))
    for k in range(N_TAPS):
        moved = np.int32(coefficients[k] + (np.int32(step * taps[k]) >> shift))
        coefficients[k] = min(max(moved, -TAP_LIMIT), TAP_LIMIT)


@kernel(inline=True)
def sum_errors(errors, row, j, n_predictions, sums):
    """Fill the weighted sums of the predictors' errors at W, WW, NW, N, NE, NEE; return the smallest."""
    here = errors[row]
    above = errors[1 - row]
    for k in range(N_PREDICTORS):
        near = np.int32(above[j - 1, k] + above[j, k] + above[j + 1, k] + here[j - 1, k])
        sums[k] = np.int32(2 * near) + here[j - 2, k] + above[j + 2, k]
    smallest = np.int64(sums[0])
    for k in range(1, n_predictions):
        smallest = min(smallest, np.int64(sums[k]))
    return smallest


@kernel(inline=True)
def record_errors(errors, predictions, value):
    """Fill half the absolute errors of the predictions."""
    for k in range(N_PREDICTORS):
        error = np.int32(predictions[k] - np.int32(value))
        errors[k] = min(np.int32(abs(error)) >> 1, MAX_ERROR)


@kernel(inline=True)
def store(coefficients, target):
    """Copy a filter's coefficients."""
    for k in range(N_TAPS):
        target[k] = coefficients[k]


@kernel(inline=True)
def average(predictions, sums, n_predictions, smallest_bucket):
    """Return the predictions' average, weighted by the errors, the smallest sum brought below 32."""
    shift = max((smallest_bucket >> 2) - 3, 0)
    numerator = np.int64(0)
    denominator = np.int64(0)
    for k in range(n_predictions):
        weight = np.int64(ERROR_WEIGHT[min(np.int64(sums[k]) >> shift, 1023)])
        numerator += weight * np.int64(predictions[k])
        denominator += weight
    return numerator // denominator


@kernel(inline=True)
def train_bias(bias, error, final_shift):
    """Move one (bias, count) towards `error`, first fast, at last by 2**-final_shift."""
    count = np.int64(bias[1])
    value = np.int64(bias[0])
    shift = BIAS_SHIFT[count] if count < MAX_BIAS_COUNT else final_shift
    bias[0] = value + ((error - value) >> shift)
    bias[1] = count + 1 if count < MAX_BIAS_COUNT else count
