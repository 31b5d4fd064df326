# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,arg-type"
"""Prediction of a block from its decoded neighbours, in integers (SPEC 4.1).

Blocks and references are those of `references`.

Loops run over slices, and in int32 throughout: numba tests an index that is a sum for being negative, and does not
compute several samples at a time then.

Arrays are int32: `references` and `smoothed` as of `references`, `line` as long, `lines` and `prediction` (32, 32).
"""

import numpy as np

from fdcodec.format.constants import DC, DIAGONAL, FRACTION_BITS, HORIZONTAL, N_MODES, PLANAR, VERTICAL
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.simd.lanes import LANES, block_lanes, gathered_lanes, lanes_at, put_lanes, spread
from fdcodec.kernels.simd.registers import smaller
from fdcodec.kernels.simd.sides import SIDE, crossed, put_side, side_at

_OFFSETS = [0, 2, 5, 9, 13, 17, 21, 26, 32]
# Displacement, in 1/32 sample per row, of modes 2..34: horizontal ones from +32 down to -26, vertical ones from -32 up.
ANGLES = np.array([0, 0] + _OFFSETS[:0:-1] + [-a for a in _OFFSETS[:-1]] + [-a for a in _OFFSETS[:0:-1]] + _OFFSETS)
# Distance from pure horizontal or vertical above which a block reads smoothed references, by half its log2 area.
SMOOTHING_DISTANCE = np.array([99, 99, 99, 7, 1, 0])


def _cubic_taps() -> np.ndarray:
    """Return the 4-tap interpolation filter of each 1/32 position, scaled by 64."""
    fraction = np.arange(32) / 32
    outer_left = np.rint(-24 * fraction * (1 - fraction) ** 2).astype(np.int64)
    outer_right = np.rint(-24 * fraction**2 * (1 - fraction)).astype(np.int64)
    inner_left = np.rint(64 * (1 - fraction)).astype(np.int64) - outer_left
    return np.stack([outer_left, inner_left, 64 - outer_left - inner_left - outer_right, outer_right], axis=1)


CUBIC_TAPS = _cubic_taps().astype(np.int32)
_FROM_ONE = np.arange(1, 33, dtype=np.int32)
# What an edge pulls samples by, in 64ths, by how fast that falls and how far away they are; zero from 3 << scale on.
_EDGE_WEIGHTS = np.array([[32 >> (2 * k >> scale) for k in range(32)] for scale in range(3)], np.int32)


@kernel()
def _predict_planar(references, log2_width, log2_height, prediction):
    width, height = 1 << log2_width, 1 << log2_height
    corner, shift = width + height, log2_width + log2_height + 1
    right, bottom = spread(references[corner + width + 1]), spread(references[corner - height - 1])
    half = spread(width << log2_height)
    for row in range(height):
        left = spread(references[corner - 1 - row] << log2_height)
        above, below = spread((height - 1 - row) << log2_width), spread((row + 1) << log2_width)
        for column in range(0, width, LANES):
            after = lanes_at(_FROM_ONE, column)
            across = (spread(width) - after) * left + after * right * spread(height)
            down = above * lanes_at(references, corner + 1 + column) + below * bottom
            put_lanes((across + down + half) >> shift, prediction[row], column)


@kernel()
def _predict_dc(references, log2_width, log2_height, prediction):
    """Predict by the mean of the edges, of an oblong block by that of the longer one."""
    width, height = 1 << log2_width, 1 << log2_height
    corner = width + height
    total = max(width, height) if width != height else width + height
    total >>= 1
    if width >= height:
        for k in range(1, width + 1):
            total += references[corner + k]
    if height >= width:
        for k in range(1, height + 1):
            total += references[corner - k]
    total >>= max(log2_width, log2_height) + (1 if width == height else 0)
    for row in range(height):
        for column in range(0, width, LANES):
            put_lanes(spread(total), prediction[row], column)


@kernel()
def _blend_edges(references, log2_width, log2_height, prediction):
    """Pull a planar or DC prediction towards the edges it starts from, with weights that halve away from them."""
    width, corner = 1 << log2_width, (1 << log2_width) + (1 << log2_height)
    scale = (log2_width + log2_height - 2) >> 2
    for row in range(1 << log2_height):
        weight_top = _EDGE_WEIGHTS[scale, row]
        left, out = spread(references[corner - 1 - row]), prediction[row]
        for column in range(0, width if weight_top > 0 else min(width, 3 << scale), LANES):
            samples, top = lanes_at(out, column), lanes_at(references, corner + 1 + column)
            pull = lanes_at(_EDGE_WEIGHTS[scale], column) * (left - samples) + spread(weight_top) * (top - samples)
            put_lanes(samples + ((pull + spread(32)) >> 6), out, column)


@kernel(inline=True)
def _main_reference(references, extent, depth, angle, sign, line):
    """Lay the references out along the main edge (`sign` +1: top, -1: left); `line[extent]` is the corner.

    `depth` is how many lines the block has away from that edge; the last reference goes on past the end.
    """
    n_read = extent - depth + ((depth * max(angle, 0)) >> 5) + 2
    for k in range(min(n_read, extent) + 1):
        line[extent + k] = references[extent + sign * k]
    for k in range(extent + 1, n_read + 1):
        line[extent + k] = references[extent + sign * extent]
    if angle < 0:
        inverse = 8192 // -angle
        for k in range(1, ((depth * -angle) >> 5) + 2):
            line[extent - k] = references[extent - sign * min((k * inverse + 128) >> 8, extent)]


@kernel(inline=True)
def _predict_angular(line, extent, depth, length, angle, cubic, lines):
    """Predict line by line from the main edge: `lines[k]` is the k-th of `depth`, `length` samples long."""
    for k in range(depth):
        displacement = (k + 1) * angle
        start, fraction = extent + (displacement >> 5), displacement & 31
        for i in range(start, start + length, LANES):
            first, second = lanes_at(line, i + 1), lanes_at(line, i + 2)
            if cubic:
                before, inner_left, inner_right, after = CUBIC_TAPS[fraction]
                near = spread(inner_left) * first + spread(inner_right) * second
                far = spread(before) * lanes_at(line, i) + spread(after) * lanes_at(line, i + 3)
                samples = (near + far + spread(32)) >> 6
            else:
                samples = first + ((spread(fraction) * (second - first) + spread(16)) >> 5)
            put_lanes(samples, lines[k], i - start)


@kernel(inline=True)
def _blend_side(references, log2_depth, log2_length, angle, sign, lines):
    """Pull an angular prediction of positive or zero angle towards the side edge (SPEC 4.1.5)."""
    depth, length = 1 << log2_depth, 1 << log2_length
    corner = depth + length
    if angle == 0:
        scale = (log2_depth + log2_length - 2) >> 2
        for k in range(depth):
            slope = spread(references[corner - sign * (1 + k)] - references[corner])
            for i in range(0, min(length, 3 << scale), LANES):
                pull = lanes_at(_EDGE_WEIGHTS[scale], i) * slope
                put_lanes(lanes_at(lines[k], i) + ((pull + spread(32)) >> 6), lines[k], i)
        return
    inverse = 8192 // angle
    log2_inverse = 0
    while (3 * inverse - 2) >> (log2_inverse + 1):
        log2_inverse += 1
    scale = min(2, log2_depth - log2_inverse + 8)
    if scale < 0:
        return
    for i in range(0, min(length, 3 << scale), LANES):
        weights = lanes_at(_EDGE_WEIGHTS[scale], i)
        offsets = ((lanes_at(_FROM_ONE, i) * spread(inverse) + spread(256)) >> 9) + spread(1)
        for k in range(depth):
            places = spread(corner) - spread(sign) * smaller(offsets + spread(k), spread(corner))
            samples = lanes_at(lines[k], i)
            pull = weights * (gathered_lanes(references, places) - samples)
            put_lanes(samples + ((pull + spread(32)) >> 6), lines[k], i)


@kernel(inner=True)
def reads_smoothed(mode, log2_width, log2_height):
    """Tell whether a block is predicted from smoothed references (SPEC 4.1.3, 4.1.4)."""
    if mode == PLANAR:
        return log2_width + log2_height >= 6
    if mode == DC or mode >= N_MODES:
        return False
    distance = min(abs(mode - HORIZONTAL), abs(mode - VERTICAL))
    return distance > SMOOTHING_DISTANCE[(log2_width + log2_height) >> 1]


@kernel(merged=True)
def predict_lines(references, smoothed, log2_width, log2_height, mode, line, lines):
    """Write the prediction of an angular mode by lines along its main edge: by columns if before the diagonal."""
    angle, vertical = ANGLES[mode], mode >= DIAGONAL
    smooth = reads_smoothed(mode, log2_width, log2_height)
    sign = 1 if vertical else -1
    log2_depth, log2_length = (log2_height, log2_width) if vertical else (log2_width, log2_height)
    depth, length = 1 << log2_depth, 1 << log2_length
    source = smoothed if smooth else references
    _main_reference(source, depth + length, depth, angle, sign, line)
    _predict_angular(line, depth + length, depth, length, angle, not smooth, lines)
    if angle >= 0:
        _blend_side(references if angle == 0 else source, log2_depth, log2_length, angle, sign, lines)


@kernel(merged=True)
def predict(references, smoothed, log2_width, log2_height, mode, line, lines, prediction):
    """Write the prediction of `mode` (0..34) for one block; `line` and `lines` are scratch."""
    if mode == PLANAR:
        source = smoothed if reads_smoothed(mode, log2_width, log2_height) else references
        _predict_planar(source, log2_width, log2_height, prediction)
        _blend_edges(references, log2_width, log2_height, prediction)
    elif mode == DC:
        _predict_dc(references, log2_width, log2_height, prediction)
        _blend_edges(references, log2_width, log2_height, prediction)
    else:
        target = prediction if mode >= DIAGONAL else lines
        predict_lines(references, smoothed, log2_width, log2_height, mode, line, target)
        if mode < DIAGONAL:
            _turn_lines(lines, 1 << log2_width, 1 << log2_height, prediction)


@kernel()
def _turn_lines(lines, width, height, prediction):
    """Write the columns of a prediction, which `lines` are, into its rows."""
    for row in range(0, height, SIDE):
        for column in range(0, width, SIDE):
            first, second = side_at(lines[column], row), side_at(lines[column + 1], row)
            third, fourth = side_at(lines[column + 2], row), side_at(lines[column + 3], row)
            rows = crossed(first, second, third, fourth)
            put_side(rows[0], prediction[row], column)
            put_side(rows[1], prediction[row + 1], column)
            put_side(rows[2], prediction[row + 2], column)
            put_side(rows[3], prediction[row + 3], column)


@kernel()
def _edge_sums(luma, chroma):
    """Return the sums of luma, chroma, luma squared and luma times chroma over the samples of one edge."""
    sum_luma, sum_chroma, sum_squares, sum_products = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for k in range(len(luma)):
        a, b = np.int64(luma[k]), np.int64(chroma[k])
        sum_luma += a
        sum_chroma += b
        sum_squares += a * a
        sum_products += a * b
    return sum_luma, sum_chroma, sum_squares, sum_products


@kernel()
def predict_from_luma(luma, plane, block, prediction):
    """Predict a chroma block as a line of the luma block, fitted on the decoded border (SPEC 4.1.6).

    The slope has 10 fractional bits; sums are int64: at most 64 samples of 13 bits. Its products with them are int32.
    """
    x, y, log2_width, log2_height = block
    width, height = 1 << log2_width, 1 << log2_height
    n_above, n_left = width if y > 0 else 0, height if x > 0 else 0
    above = _edge_sums(luma[y - 1, x : x + n_above], plane[y - 1, x : x + n_above])
    left = _edge_sums(luma[y : y + n_left, x - 1], plane[y : y + n_left, x - 1])
    count, sum_luma, sum_chroma = np.int64(n_above + n_left), above[0] + left[0], above[1] + left[1]
    sum_squares, sum_products = above[2] + left[2], above[3] + left[3]
    slope = np.int64(0)
    mean_luma, mean_chroma = np.int64(0), np.int64(128 << FRACTION_BITS)
    if count > 0:
        mean_luma = sum_luma // count
        mean_chroma = sum_chroma // count
        variance = sum_squares * count - sum_luma * sum_luma + (count * count << (2 * FRACTION_BITS + 1))
        slope = ((sum_products * count - sum_luma * sum_chroma) << 10) // variance
        slope = min(max(slope, -4096), 4096)
    for row in range(height):
        for column in range(0, width, LANES):
            difference = block_lanes(luma[y + row], x + column, width) - spread(mean_luma)
            put_lanes(spread(mean_chroma) + ((spread(slope) * difference + spread(512)) >> 10), prediction[row], column)
