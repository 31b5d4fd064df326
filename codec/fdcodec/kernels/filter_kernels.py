# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The filter after reconstruction: deblocking, then a trained filter of clipped differences (SPEC 6)."""

import numpy as np

from fdcodec.coding.constants import CELL_LOG2, FILTER_SHIFT, FRACTION_BITS, MAX_STEP_INDEX, STEPS_PER_OCTAVE
from fdcodec.kernels.jit import kernel

# Half of a 7x7 diamond, the other half by symmetry: (row, column) of each of the twelve pairs.
TAPS = np.array([(0, 1), (0, 2), (0, 3), (1, -2), (1, -1), (1, 0), (1, 1), (1, 2), (2, -1), (2, 0), (2, 1), (3, 0)])
BORDER = 3

_STEP = 2.0 ** (np.arange(MAX_STEP_INDEX + 1) / STEPS_PER_OCTAVE - 4 + FRACTION_BITS)  # in sample units
CORRECTION_LIMIT = np.maximum(np.rint(0.04 * _STEP), 1).astype(np.int64)
_OCTAVE = 6 * (np.log2(_STEP) - FRACTION_BITS) + 3
_ROUGHNESS = np.where(_OCTAVE < 16, 0, np.where(_OCTAVE <= 28, _OCTAVE - 10, 2 * _OCTAVE - 38))
ROUGHNESS_LIMIT = np.rint(2 * _ROUGHNESS * (1 << FRACTION_BITS)).astype(np.int64)
SMALL_CLIP = np.maximum(np.rint(0.2 * _STEP), 1).astype(np.int64)
LARGE_CLIP = np.maximum(np.rint(0.8 * _STEP), 1).astype(np.int64)
STEP_INT = np.maximum(np.rint(_STEP), 1).astype(np.int64)


@kernel()
def _clamp(value, limit):
    return min(max(value, -limit), limit)


@kernel()
def _deblock_line(line, start, stride, limit, strong, far_left, far_right):
    """Smooth the eight samples across one edge; `line[start]` is the first sample past it."""
    p0, p1, p2, p3 = line[start - stride], line[start - 2 * stride], line[start - 3 * stride], line[start - 4 * stride]
    q0, q1, q2, q3 = line[start], line[start + stride], line[start + 2 * stride], line[start + 3 * stride]
    if strong:
        line[start - stride] = p0 + _clamp(((p2 + 2 * p1 + 2 * p0 + 2 * q0 + q1 + 4) >> 3) - p0, 2 * limit)
        line[start - 2 * stride] = p1 + _clamp(((p2 + p1 + p0 + q0 + 2) >> 2) - p1, 2 * limit)
        line[start - 3 * stride] = p2 + _clamp(((2 * p3 + 3 * p2 + p1 + p0 + q0 + 4) >> 3) - p2, 2 * limit)
        line[start] = q0 + _clamp(((q2 + 2 * q1 + 2 * q0 + 2 * p0 + p1 + 4) >> 3) - q0, 2 * limit)
        line[start + stride] = q1 + _clamp(((q2 + q1 + q0 + p0 + 2) >> 2) - q1, 2 * limit)
        line[start + 2 * stride] = q2 + _clamp(((2 * q3 + 3 * q2 + q1 + q0 + p0 + 4) >> 3) - q2, 2 * limit)
        return
    delta = (9 * (q0 - p0) - 3 * (q1 - p1) + 8) >> 4
    if abs(delta) >= 10 * limit:
        return
    delta = _clamp(delta, limit)
    line[start - stride] = p0 + delta
    line[start] = q0 - delta
    if far_left:
        line[start - 2 * stride] = p1 + _clamp((((p2 + p0 + 1) >> 1) - p1 + delta) >> 1, limit >> 1)
    if far_right:
        line[start + stride] = q1 + _clamp((((q2 + q0 + 1) >> 1) - q1 - delta) >> 1, limit >> 1)


@kernel()
def _deblock_edge(line, start, stride, along, small, limit, roughness):
    """Decide on and smooth a segment of four samples along an edge (SPEC 6.1); `small`: a 4x4 block touches it."""
    last = start + 3 * along
    p_first = abs(line[start - 3 * stride] - 2 * line[start - 2 * stride] + line[start - stride])
    q_first = abs(line[start + 2 * stride] - 2 * line[start + stride] + line[start])
    p_last = abs(line[last - 3 * stride] - 2 * line[last - 2 * stride] + line[last - stride])
    q_last = abs(line[last + 2 * stride] - 2 * line[last + stride] + line[last])
    if p_first + q_first + p_last + q_last >= roughness:
        return
    strong = not small
    for k in range(0, 4, 3):
        at = start + k * along
        bend = 2 * (p_first + q_first) if k == 0 else 2 * (p_last + q_last)
        reach = abs(line[at - 4 * stride] - line[at - stride]) + abs(line[at] - line[at + 3 * stride])
        jump = abs(line[at - stride] - line[at])
        if 4 * bend >= roughness or 8 * reach >= roughness or 2 * jump >= 5 * limit:
            strong = False
    far_left = 16 * (p_first + p_last) < 3 * roughness
    far_right = 16 * (q_first + q_last) < 3 * roughness
    for k in range(4):
        _deblock_line(line, start + k * along, stride, limit, strong, far_left, far_right)


@kernel()
def deblock_plane(plane, log2_widths, log2_heights, step_index):
    """Smooth, in place, block edges on the 8x8 grid where both sides are smooth: vertical, then horizontal ones."""
    height, width = plane.shape
    line = plane.reshape(height * width)
    limit, roughness = CORRECTION_LIMIT[step_index], ROUGHNESS_LIMIT[step_index]
    for y in range(0, height, 4):
        for x in range(8, width - 3, 8):
            left, right = log2_widths[y >> CELL_LOG2, (x - 1) >> CELL_LOG2], log2_widths[y >> CELL_LOG2, x >> CELL_LOG2]
            if x & ((1 << right) - 1) == 0:
                _deblock_edge(line, y * width + x, 1, width, min(left, right) == 2, limit, roughness)
    for y in range(8, height - 3, 8):
        for x in range(0, width, 4):
            above = log2_heights[(y - 1) >> CELL_LOG2, x >> CELL_LOG2]
            below = log2_heights[y >> CELL_LOG2, x >> CELL_LOG2]
            if y & ((1 << below) - 1) == 0:
                _deblock_edge(line, y * width + x, width, 1, min(above, below) == 2, limit, roughness)


@kernel()
def pad_plane(plane, padded):
    """Copy the plane into the middle of `padded`, repeating its edges BORDER samples out."""
    height, width = plane.shape
    for y in range(height + 2 * BORDER):
        source = min(max(y - BORDER, 0), height - 1)
        for x in range(BORDER):
            padded[y, x] = plane[source, 0]
            padded[y, width + BORDER + x] = plane[source, width - 1]
        for x in range(width):
            padded[y, x + BORDER] = plane[source, x]


@kernel()
def classify_cells(padded, step_index, classes):
    """Class each 4x4 cell by sums over 6x6 samples: 5 activities, 5 directions, 2 orientations (SPEC 6.2)."""
    for cell_y in range(classes.shape[0]):
        for cell_x in range(classes.shape[1]):
            vertical, horizontal, falling, rising = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
            for y in range(4 * cell_y + BORDER - 1, 4 * cell_y + BORDER + 5):
                for x in range(4 * cell_x + BORDER - 1, 4 * cell_x + BORDER + 5):
                    twice = 2 * padded[y, x]
                    vertical += abs(twice - padded[y - 1, x] - padded[y + 1, x])
                    horizontal += abs(twice - padded[y, x - 1] - padded[y, x + 1])
                    falling += abs(twice - padded[y - 1, x - 1] - padded[y + 1, x + 1])
                    rising += abs(twice - padded[y - 1, x + 1] - padded[y + 1, x - 1])
            straight_high, straight_low = max(vertical, horizontal), min(vertical, horizontal)
            slanted_high, slanted_low = max(falling, rising), min(falling, rising)
            if straight_high * slanted_low > slanted_high * straight_low:
                high, low, orientation, direction = straight_high, straight_low, vertical > horizontal, 1
            else:
                high, low, orientation, direction = slanted_high, slanted_low, falling > rising, 3
            if high <= 2 * low:
                direction = 0
            elif 2 * high > 9 * low:
                direction += 1
            activity = (100 * (vertical + horizontal)) // (32 * STEP_INT[step_index])
            level = (
                0 if activity < 12 else (1 if activity < 30 else (2 if activity < 60 else (3 if activity < 110 else 4)))
            )
            classes[cell_y, cell_x] = (level * 5 + direction) * 2 + (1 if direction > 0 and orientation else 0)


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
def _spread_weights(classes_row, weights, spread):
    """Lay the weights of a row of cells out by sample: `spread` is int32 (taps, 2, width)."""
    for cell_x in range(len(classes_row)):
        group = classes_row[cell_x]
        for tap in range(len(TAPS)):
            for clip in range(2):
                weight = weights[group, tap, clip]
                for x in range(4 * cell_x, 4 * cell_x + 4):
                    spread[tap, clip, x] = weight


@kernel()
def _add_tap(centre, ahead, behind, weights, small, large, total):
    """Add one tap pair's share to a row of corrections; all int32, so that eight samples go at a time."""
    for x in range(len(total)):
        forward, backward = np.int32(ahead[x] - centre[x]), np.int32(behind[x] - centre[x])
        near = np.int32(min(max(forward, -small), small) + min(max(backward, -small), small))
        far = np.int32(min(max(forward, -large), large) + min(max(backward, -large), large))
        total[x] += np.int32(np.int32(weights[0, x] * near) + np.int32(weights[1, x] * far))


@kernel(allocates=True)
def filter_corrections(padded, classes, weights, step_index, corrections):
    """Write the trained filter's correction of every sample, in sample units; `weights` is int32 (classes, taps, 2)."""
    height, width = corrections.shape
    small, large = np.int32(SMALL_CLIP[step_index]), np.int32(LARGE_CLIP[step_index])
    spread = np.zeros((len(TAPS), 2, width), np.int32)
    for y in range(height):
        if y & 3 == 0:
            _spread_weights(classes[y >> 2], weights, spread)
        total = corrections[y]
        total[:] = 1 << (FILTER_SHIFT - 1)
        centre = padded[y + BORDER, BORDER : BORDER + width]
        for tap in range(len(TAPS)):
            row, column = TAPS[tap]
            ahead = padded[y + BORDER + row, BORDER + column : BORDER + column + width]
            behind = padded[y + BORDER - row, BORDER - column : BORDER - column + width]
            _add_tap(centre, ahead, behind, spread[tap], small, large, total)
        for x in range(width):
            total[x] >>= FILTER_SHIFT


@kernel()
def add_corrections(plane, corrections, quarters, low, high):
    """Add `quarters` / 4 of the corrections to the plane, clipped to its range."""
    for y in range(plane.shape[0]):
        for x in range(plane.shape[1]):
            plane[y, x] = min(max(plane[y, x] + ((quarters * corrections[y, x] + 2) >> 2), low), high)


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
