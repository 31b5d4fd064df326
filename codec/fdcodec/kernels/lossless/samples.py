# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""Contexts and coding of one sample of the lossless mode (SPEC L6).

Arrays are those of the `State`, `s`; `plane` is int32 (rows, columns), `places` of cells and `inputs` int64 (16,); `i`
and `j` count as in `prediction`.
"""

import numpy as np

from fdcodec.kernels.jit import kernel
from fdcodec.kernels.lossless.mixing import code_mixed
from fdcodec.kernels.lossless.prediction import (
    average,
    cross_predictions,
    filtered,
    move_halfway,
    own_predictions,
    record_errors,
    store,
    sum_errors,
    tap_norm,
    train_bias,
    train_filter,
)
from fdcodec.kernels.lossless.state import (
    A_ROW,
    BIAS_CAP_SHIFT,
    EXTRA_CONTEXTS,
    FAST_FILTER,
    FRACTION,
    INPUTS,
    MIXING_RATE,
    N_CLASSES,
    N_ENERGIES,
    PLACES,
    SET_A,
    SET_B,
    SET_C,
    SIGN_CONTEXTS,
    SLOW_FILTER,
    SLOW_FILTER_SHIFT,
    TEXTURE_BIASES,
    log_bucket,
)
from fdcodec.kernels.syntax.range_coder import code_bin, code_bits


@kernel(inline=True)
def texture(plane, i, j, prediction):
    """Return eight bits: which neighbours and extrapolations lie above the prediction."""
    w = np.int64(plane[i, j - 1])
    n = np.int64(plane[i - 1, j])
    ww = np.int64(plane[i, j - 2])
    nn = np.int64(plane[i - 2, j])
    bits = 1 if w > prediction else 0
    bits |= 2 if n > prediction else 0
    bits |= 4 if np.int64(plane[i - 1, j - 1]) > prediction else 0
    bits |= 8 if np.int64(plane[i - 1, j + 1]) > prediction else 0
    bits |= 16 if ww > prediction else 0
    bits |= 32 if nn > prediction else 0
    bits |= 64 if 2 * n - nn > prediction else 0
    bits |= 128 if 2 * w - ww > prediction else 0
    return bits


@kernel(inline=True)
def residual_energy(residuals, plane, channel, row, i, j):
    """Return the sum of the neighbours' residuals and gradients, and of this pixel's residual one plane before."""
    above = residuals[channel, 1 - row]
    here = residuals[channel, row]
    energy = 4 * abs(np.int64(here[j - 1])) + 3 * abs(np.int64(above[j])) + abs(np.int64(here[j - 2]))
    energy += 2 * (abs(np.int64(above[j - 1])) + abs(np.int64(above[j + 1])))
    n = np.int64(plane[i - 1, j])
    nw = np.int64(plane[i - 1, j - 1])
    energy += abs(np.int64(plane[i, j - 1]) - nw) + abs(n - nw) + abs(n - np.int64(plane[i - 1, j + 1]))
    if channel:
        energy = ((energy + 4 * abs(np.int64(residuals[channel - 1, row, j]))) * 3) >> 2
    return energy


@kernel(inline=True)
def clipped_residual(residual):
    """Return 0..6 for residuals -3 and below .. 3 and above."""
    return max(min(np.int64(residual) + 3, 6), 0)


@kernel()
def magnitude_class(value):
    """Return the class of `value` >= 0: 0..3 themselves, then two classes an octave (SPEC L6)."""
    if value < 4:
        return value
    octave = 2
    while value >> (octave + 1):
        octave += 1
    return 2 * octave + ((value >> (octave - 1)) & 1)


@kernel(checked=True, inner=True)
def code_extra_bits(coder, buffer, contexts, magnitude, symbol):
    """Code what the class `symbol` >= 4 leaves open of a magnitude; return the magnitude."""
    octave = symbol >> 1
    lowest = (1 << octave) + ((symbol & 1) << (octave - 1))
    n_bits = octave - 1
    offset = magnitude - lowest
    context = EXTRA_CONTEXTS + symbol * 3
    n_bits -= 1
    decoded = code_bin(coder, buffer, contexts, context, (offset >> n_bits) & 1)
    if n_bits:
        n_bits -= 1
        decoded = 2 * decoded + code_bin(coder, buffer, contexts, context + 1 + decoded, (offset >> n_bits) & 1)
    if n_bits:
        decoded = (decoded << n_bits) + code_bits(coder, buffer, offset & ((1 << n_bits) - 1), n_bits)
    return lowest + decoded


@kernel(checked=True, merged=True)
def code_magnitude(coder, buffer, cells, contexts, weights, inputs, places, first_weight, magnitude):
    """Code a magnitude >= 0; the three `places` are those of the first class and move on from class to class."""
    symbol = magnitude_class(magnitude)
    decoded = np.int64(0)
    while decoded < N_CLASSES - 1:
        more = 1 if symbol > decoded else 0
        if not code_mixed(coder, buffer, cells, weights[first_weight + decoded], inputs, places, 3, MIXING_RATE, more):
            break
        decoded += 1
        places[0] += 1
        places[1] += 1
        places[2] += 1
    if decoded < 4:
        return decoded
    return code_extra_bits(coder, buffer, contexts, magnitude, decoded)


@kernel(inline=True)
def code_residual(s, channel, residual, prediction, fraction, energy_bucket, row_b, row_c, sign_of_west):
    """Code `residual`, which with `prediction` lies within the plane's limits (SPEC L6)."""
    group = min(channel, 1)
    inputs, places = s.scratch[INPUTS], s.scratch[PLACES]
    row_a = SET_A + (energy_bucket * 2 + group) * A_ROW
    places[0] = row_a + min(abs(fraction), 7)
    places[1] = row_b
    places[2] = row_c
    first_weight = group * N_CLASSES
    is_zero = 1 if residual == 0 else 0
    if code_mixed(s.coder, s.buffer, s.cells, s.weights[first_weight], inputs, places, 3, MIXING_RATE, is_zero):
        return np.int64(0)
    places[0] = row_a + 8
    places[1] += 1
    places[2] += 1
    magnitude = 1 + code_magnitude(
        s.coder, s.buffer, s.cells, s.contexts, s.weights, inputs, places, first_weight + 1, abs(residual) - 1
    )
    if prediction + magnitude > s.limits[channel, 1]:
        return -magnitude
    if prediction - magnitude < s.limits[channel, 0]:
        return magnitude
    context = SIGN_CONTEXTS + ((fraction + 8) * 3 + sign_of_west) * 3 + min(magnitude - 1, 2)
    return magnitude if code_bin(s.coder, s.buffer, s.contexts, context, 1 if residual > 0 else 0) else -magnitude


@kernel(merged=True)
def code_sample(s, channel, i, j):
    """Code sample (i, j) of a plane (SPEC L4 to L6)."""
    plane = s.planes[channel]
    lowest = s.limits[channel, 0]
    highest = s.limits[channel, 1]
    if lowest == highest:
        plane[i, j] = lowest
        return
    row = i & 1
    predictions = s.predictions
    fast = s.filters[channel, 0]
    slow = s.filters[channel, 1]
    errors = s.errors[channel]
    residuals = s.residuals[channel]

    base = own_predictions(plane, i, j, predictions, s.taps) << FRACTION
    n_predictions = cross_predictions(s.planes, channel, i, j, predictions, s.taps)
    move_halfway(fast, s.above[channel, j + 1])
    low = lowest << FRACTION
    high = highest << FRACTION
    predictions[FAST_FILTER] = min(max(base + filtered(s.taps, fast), low), high)
    predictions[SLOW_FILTER] = min(max(base + filtered(s.taps, slow), low), high)
    smallest_bucket = log_bucket(sum_errors(errors, row, j, n_predictions, s.sums))
    blend = average(predictions, s.sums, n_predictions, smallest_bucket)
    gain = (1 << 36) // tap_norm(s.taps)

    energy = residual_energy(s.residuals, plane, channel, row, i, j)
    energy_bucket = min(log_bucket(energy), N_ENERGIES - 1)
    west = np.int64(residuals[row, j - 1])
    north = np.int64(residuals[1 - row, j])
    before = clipped_residual(s.residuals[channel - 1, row, j]) if channel else 3
    texture_bias = s.biases[channel, (texture(plane, i, j, blend >> FRACTION) << 3) + min(energy_bucket >> 2, 7)]
    residual_bias = s.biases[
        channel, TEXTURE_BIASES + (clipped_residual(west) * 7 + clipped_residual(north)) * 7 + before
    ]
    bias = (np.int64(texture_bias[0]) + np.int64(residual_bias[0])) >> 1
    fine = min(max(blend + (bias >> 4), low), high)
    prediction = (fine + (1 << (FRACTION - 1))) >> FRACTION

    group = min(channel, 1)
    spread = abs(predictions[0] - predictions[1]) + abs(predictions[2] - predictions[3])
    spread = (spread + abs(predictions[4] - predictions[5])) >> 2
    near = min(log_bucket(abs(west)) >> 1, 3) * 4 + min(log_bucket(abs(north)) >> 1, 3)
    row_b = SET_B + ((min(log_bucket(spread) >> 1, 19) * 16 + near) * 2 + group) * N_CLASSES
    shade = (prediction - lowest) >> s.limits[channel, 2]
    row_c = SET_C + ((min(smallest_bucket >> 3, 4) * 256 + shade) * 2 + group) * N_CLASSES
    sign_of_west = 0 if west == 0 else (1 if west > 0 else 2)
    residual = code_residual(
        s, channel, np.int64(plane[i, j]) - prediction, prediction, fine - (prediction << FRACTION), energy_bucket,
        row_b, row_c, sign_of_west,
    )  # fmt: skip
    value = min(max(prediction + residual, lowest), highest)
    plane[i, j] = value

    residuals[row, j] = value - prediction
    value <<= FRACTION
    record_errors(errors[row, j], predictions, value)
    most = ((energy >> BIAS_CAP_SHIFT) + 1) << 8
    error = min(max((value - blend) << 4, -most), most)
    train_bias(texture_bias, error, 5)
    train_bias(residual_bias, error, 6)
    train_filter(s.taps, fast, value - predictions[FAST_FILTER], gain, 0)
    train_filter(s.taps, slow, value - predictions[SLOW_FILTER], gain, SLOW_FILTER_SHIFT)
    store(fast, s.above[channel, j])
