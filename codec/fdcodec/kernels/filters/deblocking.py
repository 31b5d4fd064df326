# mypy: disable-error-code="no-untyped-def,no-untyped-call"
"""Deblocking: the first half of the filter after reconstruction (SPEC 6.1).

`plane` is int32 (height, width), sides multiples of 4; `cells` are those of its `Maps`.
"""

import numpy as np

from fdcodec.format.constants import CELL_LOG2, MAX_STEP_INDEX
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.maps import LOG2_HEIGHT, LOG2_WIDTH
from fdcodec.kernels.reconstruction.tables import STEPS
from fdcodec.kernels.simd.registers import is_below, larger, magnitudes, smaller
from fdcodec.kernels.simd.sides import crossed, ends_of, put_side, side_at, spread_side

CORRECTION_LIMIT = np.maximum(np.rint(0.04 * STEPS), 1).astype(np.int64)
_INDEX = np.arange(MAX_STEP_INDEX + 1)
ROUGHNESS_LIMIT = np.where(_INDEX <= 197, 0, np.where(_INDEX <= 261, 3 * _INDEX - 496, 6 * _INDEX - 1280))


@kernel()
def _clamp(side, limit):
    return smaller(larger(side, spread_side(-limit)), spread_side(limit))


@kernel(merged=True)
def _smooth_strongly(own, other, limit):
    """Return the samples of one side of an edge, the nearest first, with the three next to it smoothed."""
    (p0, p1, p2, p3), (q0, q1, _, _) = own, other
    centre = p1 + p0 + q0
    near = p0 + _clamp(((p2 + centre + centre + q1 + spread_side(4)) >> 3) - p0, 2 * limit)
    middle = p1 + _clamp(((p2 + centre + spread_side(2)) >> 2) - p1, 2 * limit)
    far = p2 + _clamp(((p3 + p3 + p2 + p2 + p2 + centre + spread_side(4)) >> 3) - p2, 2 * limit)
    return near, middle, far, p3


@kernel(merged=True)
def _smooth_weakly(own, delta, is_smooth, reaches_far, limit):
    """Return the samples of one side of an edge moved by `delta`, the second half as far where it `reaches_far`."""
    p0, p1, p2, p3 = own
    if reaches_far:
        pull = (((p2 + p0 + spread_side(1)) >> 1) - p1 + delta) >> 1
        p1 = p1 + (_clamp(pull, limit >> 1) & is_smooth)
    return p0 + delta, p1, p2, p3


@kernel(merged=True)
def _bends_of(own):
    """Return how far the three samples next to an edge on one side are from a straight line."""
    return magnitudes(own[2] - own[1] - own[1] + own[0])


@kernel(merged=True)
def _is_rough(p_bends, q_bends, roughness):
    """Tell whether the first and the last line of a segment bend too much for it to be smoothed."""
    first, last = ends_of(p_bends + q_bends)
    return first + last >= roughness


@kernel(merged=True)
def _is_strong(p, q, bends, limit, roughness):
    """Tell whether the first and the last line of a segment are so flat that it is smoothed strongly."""
    reaches = ends_of(magnitudes(p[3] - p[0]) + magnitudes(q[3] - q[0]))
    jumps = ends_of(magnitudes(p[0] - q[0]))
    return 8 * max(ends_of(bends)) < roughness and 8 * max(reaches) < roughness and 2 * max(jumps) < 5 * limit


@kernel(merged=True)
def _smooth_segment(p, q, p_bends, q_bends, small, limit, roughness):
    """Return a segment of an edge smoothed: four samples of each line on both sides, the nearest first.

    `small` tells that a block on either side measures four samples across the edge.
    """
    if not small and _is_strong(p, q, p_bends + q_bends, limit, roughness):
        return _smooth_strongly(p, q, limit), _smooth_strongly(q, p, limit)
    delta = (spread_side(9) * (q[0] - p[0]) - spread_side(3) * (q[1] - p[1]) + spread_side(8)) >> 4
    is_smooth = is_below(magnitudes(delta), spread_side(10 * limit))
    delta = _clamp(delta, limit) & is_smooth
    p_far, q_far = 16 * sum(ends_of(p_bends)) < 3 * roughness, 16 * sum(ends_of(q_bends)) < 3 * roughness
    back = spread_side(0) - delta
    return _smooth_weakly(p, delta, is_smooth, p_far, limit), _smooth_weakly(q, back, is_smooth, q_far, limit)


@kernel()
def _smooth_standing(plane, x, y, small, limit, roughness):
    """Smooth the segment of a vertical edge that has the sample at (x, y) on its right."""
    lines = plane[y], plane[y + 1], plane[y + 2], plane[y + 3]
    a, b, c, d = lines
    p3, p2, p1, p0 = crossed(side_at(a, x - 4), side_at(b, x - 4), side_at(c, x - 4), side_at(d, x - 4))
    q = crossed(side_at(a, x), side_at(b, x), side_at(c, x), side_at(d, x))
    p = p0, p1, p2, p3
    p_bends, q_bends = _bends_of(p), _bends_of(q)
    if _is_rough(p_bends, q_bends, roughness):
        return
    p, q = _smooth_segment(p, q, p_bends, q_bends, small, limit, roughness)
    left, right = crossed(p[3], p[2], p[1], p[0]), crossed(q[0], q[1], q[2], q[3])
    for k in range(4):
        put_side(left[k], lines[k], x - 4)
        put_side(right[k], lines[k], x)


@kernel()
def _smooth_lying(plane, x, y, small, limit, roughness):
    """Smooth the segment of a horizontal edge that has the sample at (x, y) below it."""
    p = side_at(plane[y - 1], x), side_at(plane[y - 2], x), side_at(plane[y - 3], x), side_at(plane[y - 4], x)
    q = side_at(plane[y], x), side_at(plane[y + 1], x), side_at(plane[y + 2], x), side_at(plane[y + 3], x)
    p_bends, q_bends = _bends_of(p), _bends_of(q)
    if _is_rough(p_bends, q_bends, roughness):
        return
    p, q = _smooth_segment(p, q, p_bends, q_bends, small, limit, roughness)
    for k in range(3):
        put_side(p[k], plane[y - 1 - k], x)
        put_side(q[k], plane[y + k], x)


@kernel()
def _smooth_standing_edges(plane, cells, y, limit, roughness):
    """Smooth the vertical edges in the row of cells at y."""
    row = cells[y >> CELL_LOG2]
    for x in range(8, plane.shape[1], 8):
        left, right = np.int64(row[(x - 1) >> CELL_LOG2, LOG2_WIDTH]), np.int64(row[x >> CELL_LOG2, LOG2_WIDTH])
        if x & ((1 << right) - 1) == 0:
            _smooth_standing(plane, x, y, min(left, right) == 2, limit, roughness)


@kernel()
def _smooth_lying_edges(plane, cells, y, limit, roughness):
    """Smooth the horizontal edges right above y."""
    upper, lower = cells[(y - 1) >> CELL_LOG2], cells[y >> CELL_LOG2]
    for x in range(0, plane.shape[1], 4):
        above = np.int64(upper[x >> CELL_LOG2, LOG2_HEIGHT])
        below = np.int64(lower[x >> CELL_LOG2, LOG2_HEIGHT])
        if y & ((1 << below) - 1) == 0:
            _smooth_lying(plane, x, y, min(above, below) == 2, limit, roughness)


@kernel()
def deblock_plane(plane, cells, step_index):
    """Smooth, in place, block edges on the 8x8 grid where both sides are smooth: vertical, then horizontal ones.

    Horizontal ones follow as soon as the vertical ones beside them are done, while their samples are in the cache.
    """
    limit, roughness = CORRECTION_LIMIT[step_index], ROUGHNESS_LIMIT[step_index]
    for y in range(0, plane.shape[0], 4):
        _smooth_standing_edges(plane, cells, y, limit, roughness)
        if y > 0 and y & 7 == 0:
            _smooth_lying_edges(plane, cells, y, limit, roughness)
