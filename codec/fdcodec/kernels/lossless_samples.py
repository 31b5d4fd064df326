# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""Prediction and coding of one sample of the lossless mode (SPEC L4 to L6).

READ ME FIRST

* Planes, errors and residuals have `PAD` columns on both sides, planes two rows above; `i`, `j` count with them.
* `W N NW NE WW NN NNE ...` are the neighbours by compass; predictions have `FRACTION` more bits than samples.
* Eight predictors (twelve when earlier planes know the pixel) are averaged with weights that fall with their recent
  errors; two of them are linear filters trained on the way. Everything the decoder needs it has decoded before.
"""

from math import isqrt
from typing import NamedTuple

import numpy as np

from fdcodec.kernels.jit import kernel
from fdcodec.kernels.lossless_mixing import code_mixed
from fdcodec.kernels.range_coder import code_bin, code_bits

PAD = 3
FRACTION = 4
N_OWN_PREDICTORS = 8
N_PREDICTORS = 12
FAST_FILTER, SLOW_FILTER = 6, 7
N_TAPS = 16
TAP_ONE_BITS = 16
TAP_LIMIT = 1 << 20
SLOW_FILTER_SHIFT = 4
MAX_ERROR = 1 << 20

N_ENERGIES = 40
N_CLASSES = 34
MIXING_RATE = 17

# Rows of cells: SET_A by energy (8 zero flags, then the classes), SET_B by spread and neighbours, SET_C by prediction.
SET_A = 0
A_ROW = 8 + N_CLASSES - 1
SET_B = SET_A + N_ENERGIES * 2 * A_ROW
SET_C = SET_B + 20 * 16 * 2 * N_CLASSES
N_SAMPLE_CELLS = SET_C + 5 * 256 * 2 * N_CLASSES

SIGN_CONTEXTS = 0
EXTRA_CONTEXTS = SIGN_CONTEXTS + 16 * 3 * 3
N_SAMPLE_CONTEXTS = EXTRA_CONTEXTS + N_CLASSES * 3

TEXTURE_BIASES = 256 * 8
N_BIASES = TEXTURE_BIASES + 7 * 7 * 7

LEVEL_BITS = 12


def _level_table() -> np.ndarray:
    """Return LEVEL: 0..3 themselves, then four levels an octave."""
    return np.array(
        [v if v < 4 else 4 * (v.bit_length() - 2) + ((v >> (v.bit_length() - 3)) & 3) for v in range(1 << LEVEL_BITS)],
        dtype=np.int64,
    )


LEVEL = _level_table()
# 2**20 / S**1.5 of a sum of errors S that is shifted so that the smallest sum is below 32.
ERROR_WEIGHT = np.array([(1 << 20) // isqrt(max(s, 4) ** 3) + 1 for s in range(1024)], dtype=np.int64)
# Shift of the n-th update of a bias: about log2(n + 2).
BIAS_SHIFT = np.array([1] + [2] * 2 + [3] * 6 + [4] * 14 + [5], dtype=np.int64)
MAX_BIAS_COUNT = 23
# A bias learns at most activity / 32 + 1 of an error: one edge must not shift a flat region (-25 % on two head CTs).
BIAS_CAP_SHIFT = 5


class State(NamedTuple):
    """All that coding a picture reads and changes."""

    coder: np.ndarray
    buffer: np.ndarray
    cells: np.ndarray  # int32 (n_cells,)
    contexts: np.ndarray  # int32 (n_contexts, 3), of the range coder
    weights: np.ndarray  # int64 (n_sets, 6), mixing weights
    planes: np.ndarray  # int32 (channels, height + 2, width + 2 PAD)
    limits: np.ndarray  # int64 (channels, 3): lowest sample, highest sample, shift of the prediction to 8 bits
    errors: np.ndarray  # int32 (channels, 2, width + 2 PAD, N_PREDICTORS), of this row and the one above
    residuals: np.ndarray  # int32 (channels, 2, width + 2 PAD)
    biases: np.ndarray  # int32 (channels, N_BIASES, 2): bias in 1/256 sample, count
    filters: np.ndarray  # int32 (channels, 2, N_TAPS): fast, slow
    above: np.ndarray  # int32 (channels, width + 2 PAD, N_TAPS): the fast filter as it was above
    taps: np.ndarray  # int32 (N_TAPS,)
    scratch: np.ndarray  # int64 (6, 16)
    wanted: np.ndarray  # int64 (width,): the row's colour indices, for the encoder
    colours: np.ndarray  # int32 (capacity, channels)
    n_colours: np.ndarray  # int64 (2,): known so far, capacity (0: the picture is not indexed)
    indices: np.ndarray  # int64 (3, width + 2 PAD), of this row and the two above, by row modulo 3
    escapes: np.ndarray  # int64 (2, width + 2 PAD): 1 where no candidate was right
    candidates: np.ndarray  # int64 (3, 2**SLOT_BITS): index last seen in a context, or -1


@kernel()
def level(value):
    """Return the logarithmic level of `value` >= 0, four an octave."""
    octaves = 0
    while value >= 1 << LEVEL_BITS:
        value >>= 1
        octaves += 4
    return LEVEL[value] + octaves


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
def meet(coefficients, above):
    """Move the coefficients half the way to those of the filter above."""
    for k in range(N_TAPS):
        here = np.int64(coefficients[k])
        coefficients[k] = here + ((np.int64(above[k]) - here) >> 1)


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
    step = min(max((error * gain) >> 24, -4096), 4096)
    for k in range(N_TAPS):
        moved = np.int64(coefficients[k]) + ((step * np.int64(taps[k])) >> shift)
        coefficients[k] = min(max(moved, -TAP_LIMIT), TAP_LIMIT)


@kernel(inline=True)
def sum_errors(errors, row, j, n_predictions, sums):
    """Fill the weighted sums of the predictors' errors at W, WW, NW, N, NE, NEE; return the smallest."""
    here = errors[row]
    above = errors[1 - row]
    smallest = np.int64(1) << 40
    for k in range(n_predictions):
        near = np.int64(above[j - 1, k]) + np.int64(above[j, k]) + np.int64(above[j + 1, k]) + np.int64(here[j - 1, k])
        sums[k] = 2 * near + np.int64(here[j - 2, k]) + np.int64(above[j + 2, k])
        smallest = min(smallest, sums[k])
    return smallest


@kernel(inline=True)
def record_errors(errors, predictions, n_predictions, value):
    """Fill half the absolute errors of the predictions."""
    for k in range(n_predictions):
        errors[k] = min(abs(predictions[k] - value) >> 1, MAX_ERROR)


@kernel(inline=True)
def store(coefficients, target):
    """Copy a filter's coefficients."""
    for k in range(N_TAPS):
        target[k] = coefficients[k]


@kernel(inline=True)
def average(predictions, sums, n_predictions, smallest_level):
    """Return the predictions' average, weighted by the errors, the smallest sum brought below 32."""
    shift = max((smallest_level >> 2) - 3, 0)
    numerator = np.int64(0)
    denominator = np.int64(0)
    for k in range(n_predictions):
        weight = ERROR_WEIGHT[min(sums[k] >> shift, 1023)]
        numerator += weight * predictions[k]
        denominator += weight
    return numerator // denominator


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


@kernel(inline=True)
def train_bias(bias, error, final_shift):
    """Move one (bias, count) towards `error`, first fast, at last by 2**-final_shift."""
    count = np.int64(bias[1])
    value = np.int64(bias[0])
    shift = BIAS_SHIFT[count] if count < MAX_BIAS_COUNT else final_shift
    bias[0] = value + ((error - value) >> shift)
    bias[1] = count + 1 if count < MAX_BIAS_COUNT else count


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


@kernel(checked=True, inner=True)
def code_magnitude(coder, buffer, cells, contexts, weights, inputs, slots, first_weight, magnitude):
    """Code a magnitude >= 0; the three `slots` point at the zero flag and are moved over the classes' cells."""
    symbol = magnitude_class(magnitude)
    decoded = np.int64(0)
    while decoded < N_CLASSES - 1:
        more = 1 if symbol > decoded else 0
        if not code_mixed(coder, buffer, cells, weights[first_weight + decoded], inputs, slots, 3, MIXING_RATE, more):
            break
        decoded += 1
        slots[0] += 1
        slots[1] += 1
        slots[2] += 1
    if decoded < 4:
        return decoded
    return code_extra_bits(coder, buffer, contexts, magnitude, decoded)


@kernel(inline=True)
def code_residual(s, channel, residual, prediction, fraction, energy, row_b, row_c, sign_of_west):
    """Code `residual`, which with `prediction` lies within the plane's limits (SPEC L6)."""
    group = min(channel, 1)
    slots = s.scratch[3]
    row_a = SET_A + (energy * 2 + group) * A_ROW
    slots[0] = row_a + min(abs(fraction), 7)
    slots[1] = row_b
    slots[2] = row_c
    weights = group * N_CLASSES
    is_zero = 1 if residual == 0 else 0
    if code_mixed(s.coder, s.buffer, s.cells, s.weights[weights], s.scratch[2], slots, 3, MIXING_RATE, is_zero):
        return np.int64(0)
    slots[0] = row_a + 8
    slots[1] += 1
    slots[2] += 1
    magnitude = 1 + code_magnitude(
        s.coder, s.buffer, s.cells, s.contexts, s.weights, s.scratch[2], slots, weights + 1, abs(residual) - 1
    )
    if prediction + magnitude > s.limits[channel, 1]:
        return -magnitude
    if prediction - magnitude < s.limits[channel, 0]:
        return magnitude
    context = SIGN_CONTEXTS + ((fraction + 8) * 3 + sign_of_west) * 3 + min(magnitude - 1, 2)
    return magnitude if code_bin(s.coder, s.buffer, s.contexts, context, 1 if residual > 0 else 0) else -magnitude


@kernel(inner=True)
def code_sample(s, channel, i, j):
    """Code sample (i, j) of a plane (SPEC L4 to L6)."""
    plane = s.planes[channel]
    lowest = s.limits[channel, 0]
    highest = s.limits[channel, 1]
    if lowest == highest:
        plane[i, j] = lowest
        return
    row = i & 1
    predictions = s.scratch[0]
    sums = s.scratch[1]
    fast = s.filters[channel, 0]
    slow = s.filters[channel, 1]
    errors = s.errors[channel]
    residuals = s.residuals[channel]

    base = own_predictions(plane, i, j, predictions, s.taps) << FRACTION
    n_predictions = cross_predictions(s.planes, channel, i, j, predictions, s.taps)
    meet(fast, s.above[channel, j + 1])
    low = lowest << FRACTION
    high = highest << FRACTION
    predictions[FAST_FILTER] = min(max(base + filtered(s.taps, fast), low), high)
    predictions[SLOW_FILTER] = min(max(base + filtered(s.taps, slow), low), high)
    smallest_level = level(sum_errors(errors, row, j, n_predictions, sums))
    blend = average(predictions, sums, n_predictions, smallest_level)
    gain = (1 << 36) // tap_norm(s.taps)

    activity = residual_energy(s.residuals, plane, channel, row, i, j)
    energy = min(level(activity), N_ENERGIES - 1)
    west = np.int64(residuals[row, j - 1])
    north = np.int64(residuals[1 - row, j])
    before = clipped_residual(s.residuals[channel - 1, row, j]) if channel else 3
    texture_bias = s.biases[channel, (texture(plane, i, j, blend >> FRACTION) << 3) + min(energy >> 2, 7)]
    residual_bias = s.biases[
        channel, TEXTURE_BIASES + (clipped_residual(west) * 7 + clipped_residual(north)) * 7 + before
    ]
    bias = (np.int64(texture_bias[0]) + np.int64(residual_bias[0])) >> 1
    fine = min(max(blend + (bias >> 4), low), high)
    prediction = (fine + (1 << (FRACTION - 1))) >> FRACTION

    group = min(channel, 1)
    spread = abs(predictions[0] - predictions[1]) + abs(predictions[2] - predictions[3])
    spread = (spread + abs(predictions[4] - predictions[5])) >> 2
    near = min(level(abs(west)) >> 1, 3) * 4 + min(level(abs(north)) >> 1, 3)
    row_b = SET_B + ((min(level(spread) >> 1, 19) * 16 + near) * 2 + group) * N_CLASSES
    shade = (prediction - lowest) >> s.limits[channel, 2]
    row_c = SET_C + ((min(smallest_level >> 3, 4) * 256 + shade) * 2 + group) * N_CLASSES
    sign_of_west = 0 if west == 0 else (1 if west > 0 else 2)
    residual = code_residual(
        s, channel, np.int64(plane[i, j]) - prediction, prediction, fine - (prediction << FRACTION), energy,
        row_b, row_c, sign_of_west,
    )  # fmt: skip
    value = min(max(prediction + residual, lowest), highest)
    plane[i, j] = value

    residuals[row, j] = value - prediction
    value <<= FRACTION
    record_errors(errors[row, j], predictions, n_predictions, value)
    most = ((activity >> BIAS_CAP_SHIFT) + 1) << 8
    error = min(max((value - blend) << 4, -most), most)
    train_bias(texture_bias, error, 5)
    train_bias(residual_bias, error, 6)
    train_filter(s.taps, fast, value - predictions[FAST_FILTER], gain, 0)
    train_filter(s.taps, slow, value - predictions[SLOW_FILTER], gain, SLOW_FILTER_SHIFT)
    store(fast, s.above[channel, j])
