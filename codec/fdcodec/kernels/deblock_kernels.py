# mypy: disable-error-code="no-untyped-def,no-untyped-call"
"""Deblocking: the first half of the filter after reconstruction (SPEC 6.1)."""

import numpy as np

from fdcodec.coding.constants import CELL_LOG2, FRACTION_BITS
from fdcodec.kernels.filter_kernels import STEP
from fdcodec.kernels.jit import kernel

CORRECTION_LIMIT = np.maximum(np.rint(0.04 * STEP), 1).astype(np.int64)
_OCTAVE = 6 * (np.log2(STEP) - FRACTION_BITS) + 3
_ROUGHNESS = np.where(_OCTAVE < 16, 0, np.where(_OCTAVE <= 28, _OCTAVE - 10, 2 * _OCTAVE - 38))
ROUGHNESS_LIMIT = np.rint(2 * _ROUGHNESS * (1 << FRACTION_BITS)).astype(np.int64)


@kernel()
def _clamp(value, limit):
    return min(max(value, -limit), limit)


@kernel()
def _deblock_line(line, limit, strong, far_left, far_right):
    """Smooth the eight samples across one edge, four on each side."""
    p3, p2, p1, p0 = line[0], line[1], line[2], line[3]
    q0, q1, q2, q3 = line[4], line[5], line[6], line[7]
    if strong:
        line[3] = p0 + _clamp(((p2 + 2 * p1 + 2 * p0 + 2 * q0 + q1 + 4) >> 3) - p0, 2 * limit)
        line[2] = p1 + _clamp(((p2 + p1 + p0 + q0 + 2) >> 2) - p1, 2 * limit)
        line[1] = p2 + _clamp(((2 * p3 + 3 * p2 + p1 + p0 + q0 + 4) >> 3) - p2, 2 * limit)
        line[4] = q0 + _clamp(((q2 + 2 * q1 + 2 * q0 + 2 * p0 + p1 + 4) >> 3) - q0, 2 * limit)
        line[5] = q1 + _clamp(((q2 + q1 + q0 + p0 + 2) >> 2) - q1, 2 * limit)
        line[6] = q2 + _clamp(((2 * q3 + 3 * q2 + q1 + q0 + p0 + 4) >> 3) - q2, 2 * limit)
        return
    delta = (9 * (q0 - p0) - 3 * (q1 - p1) + 8) >> 4
    if abs(delta) >= 10 * limit:
        return
    delta = _clamp(delta, limit)
    line[3] = p0 + delta
    line[4] = q0 - delta
    if far_left:
        line[2] = p1 + _clamp((((p2 + p0 + 1) >> 1) - p1 + delta) >> 1, limit >> 1)
    if far_right:
        line[5] = q1 + _clamp((((q2 + q0 + 1) >> 1) - q1 - delta) >> 1, limit >> 1)


@kernel()
def _deblock_edge(lines, small, limit, roughness):
    """Decide on and smooth a segment of an edge: four lines of eight samples; `small`: a 4x4 block touches it."""
    p_first = abs(lines[0, 1] - 2 * lines[0, 2] + lines[0, 3])
    q_first = abs(lines[0, 6] - 2 * lines[0, 5] + lines[0, 4])
    p_last = abs(lines[3, 1] - 2 * lines[3, 2] + lines[3, 3])
    q_last = abs(lines[3, 6] - 2 * lines[3, 5] + lines[3, 4])
    if p_first + q_first + p_last + q_last >= roughness:
        return
    strong = not small
    for k in range(0, 4, 3):
        bend = 2 * (p_first + q_first) if k == 0 else 2 * (p_last + q_last)
        reach = abs(lines[k, 0] - lines[k, 3]) + abs(lines[k, 4] - lines[k, 7])
        jump = abs(lines[k, 3] - lines[k, 4])
        if 4 * bend >= roughness or 8 * reach >= roughness or 2 * jump >= 5 * limit:
            strong = False
    far_left = 16 * (p_first + p_last) < 3 * roughness
    far_right = 16 * (q_first + q_last) < 3 * roughness
    for k in range(4):
        _deblock_line(lines[k], limit, strong, far_left, far_right)


@kernel()
def deblock_plane(plane, log2_widths, log2_heights, step_index):
    """Smooth, in place, block edges on the 8x8 grid where both sides are smooth: vertical, then horizontal ones."""
    height, width = plane.shape
    limit, roughness = CORRECTION_LIMIT[step_index], ROUGHNESS_LIMIT[step_index]
    for y in range(0, height, 4):
        for x in range(8, width - 3, 8):
            left, right = log2_widths[y >> CELL_LOG2, (x - 1) >> CELL_LOG2], log2_widths[y >> CELL_LOG2, x >> CELL_LOG2]
            if x & ((1 << right) - 1) == 0:
                _deblock_edge(plane[y : y + 4, x - 4 : x + 4], min(left, right) == 2, limit, roughness)
    for y in range(8, height - 3, 8):
        for x in range(0, width, 4):
            above = log2_heights[(y - 1) >> CELL_LOG2, x >> CELL_LOG2]
            below = log2_heights[y >> CELL_LOG2, x >> CELL_LOG2]
            if y & ((1 << below) - 1) == 0:
                _deblock_edge(plane[y - 4 : y + 4, x : x + 4].T, min(above, below) == 2, limit, roughness)
