# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""Prediction by learned modes: linear in the decoded border, in integers (SPEC 4.4).

Border values differ from their mean by less than 2^12, weights are below 2^13 and a predictor has at most 17 inputs, so
that sums stay below 2^30: all fits int32.

All arrays are int32: `references` as of `references`, `inputs` (17 or more,), `weights` (inputs, samples), `prediction`
(32, 32), of which the block is the upper left.
"""

import numpy as np

from fdcodec.format.constants import BORDER_LOG2, LEARNED, MIN_LOG2, PREDICTION_LIMIT, WEIGHT_BITS
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.simd.lanes import LANES, lanes_at, put_lanes, spread

_HALF = 1 << (WEIGHT_BITS - 1)
_LIMIT = np.int32(PREDICTION_LIMIT)


@kernel()
def learned_inputs(references, log2_size, inputs):
    """Write the border from bottom left to top right as differences from its mean, which is returned.

    Sides of more than eight samples are averaged by pairs.
    """
    size = 1 << log2_size
    corner = 2 * size
    total = size
    for k in range(1, size + 1):
        total += references[corner - k] + references[corner + k]
    mean = total >> (log2_size + 1)
    if log2_size <= BORDER_LOG2:
        for k in range(2 * size + 1):
            inputs[k] = references[corner - size + k] - mean
        return mean
    half = size >> 1
    inputs[half] = references[corner] - mean
    for k in range(half):
        first = corner - size + 2 * k
        inputs[k] = ((references[first] + references[first + 1] + 1) >> 1) - mean
        first = corner + 1 + 2 * k
        inputs[half + 1 + k] = ((references[first] + references[first + 1] + 1) >> 1) - mean
    return mean


@kernel()
def predict_learned(inputs, mean, weights, log2_size, sums, prediction):
    """Write the prediction of one learned mode; `weights[i]` are those of input i, row by row.

    The samples are summed up side by side in `sums`, int32 (256).
    """
    size = 1 << log2_size
    middle = np.int32(mean)
    for k in range(0, size * size, LANES):
        total = spread(_HALF)
        for i in range((2 << min(log2_size, BORDER_LOG2)) + 1):
            total = total + spread(inputs[i]) * lanes_at(weights[i], k)
        put_lanes(total, sums, k)
    for row in range(size):
        for column in range(size):
            sample = middle + (sums[row * size + column] >> WEIGHT_BITS)
            prediction[row, column] = min(max(sample, -_LIMIT), _LIMIT)


@kernel()
def predict_by_model(log2_size, mode, tables, work):
    """Predict a square block in a learned mode from its gathered references into `work.prediction`."""
    mean = learned_inputs(work.references, log2_size, work.line)
    weights = tables.predictors[log2_size - MIN_LOG2, mode - LEARNED]
    predict_learned(work.line, mean, weights, log2_size, work.sums, work.prediction)
