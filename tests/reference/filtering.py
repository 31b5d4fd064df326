"""The filter after reconstruction in plain Python, from the text of SPEC 6."""

TAPS = [(0, 1), (0, 2), (0, 3), (1, -2), (1, -1), (1, 0), (1, 1), (1, 2), (2, -1), (2, 0), (2, 1), (3, 0)]
ACTIVITY_BOUNDS = (12, 30, 60, 110)


def clamp(value, limit):
    """Return the value, not below -limit, not above limit."""
    return min(max(value, -limit), limit)


def share_of_step(share, step_index):
    """Return a share of the step in sample units, at least 1."""
    return max(1, round(share * 2 ** (step_index / 32 - 1)))


def roughness_of(step_index):
    """Return the limit on second differences, in sample units."""
    if step_index <= 197:
        return 0
    return 3 * step_index - 496 if step_index <= 261 else 6 * step_index - 1280


def smooth_strongly(p, q, limit):
    """Return three samples before and three past an edge, smoothed over eight samples."""
    sides = []
    for near, far in ((p, q), (q, p)):
        goals = (
            (near[2] + 2 * near[1] + 2 * near[0] + 2 * far[0] + far[1] + 4) >> 3,
            (near[2] + near[1] + near[0] + far[0] + 2) >> 2,
            (2 * near[3] + 3 * near[2] + near[1] + near[0] + far[0] + 4) >> 3,
        )
        sides.append([value + clamp(goal - value, 2 * limit) for value, goal in zip(near[:3], goals, strict=True)])
    return sides


def smooth_weakly(p, q, limit, bend_p, bend_q):
    """Return up to two samples before and past an edge, moved by a limited share of the jump."""
    delta = (9 * (q[0] - p[0]) - 3 * (q[1] - p[1]) + 8) >> 4
    if abs(delta) >= 10 * limit:
        return [p[:1], q[:1]]
    sides = []
    for near, bends, shift in ((p, bend_p, clamp(delta, limit)), (q, bend_q, -clamp(delta, limit))):
        side = [near[0] + shift]
        if bends:
            side.append(near[1] + clamp((((near[2] + near[0] + 1) >> 1) - near[1] + shift) >> 1, limit >> 1))
        sides.append(side)
    return sides


def deblock_segment(lines, small, step_index):
    """Return four lines of eight samples across an edge, smoothed where both sides are smooth."""
    limit, rough = share_of_step(0.04, step_index), roughness_of(step_index)
    ps, qs = [line[3::-1] for line in lines], [line[4:] for line in lines]

    def bend(side):
        return abs(side[2] - 2 * side[1] + side[0])

    if bend(ps[0]) + bend(qs[0]) + bend(ps[3]) + bend(qs[3]) >= rough:
        return lines
    strong = not small and all(
        8 * (bend(p) + bend(q)) < rough
        and 8 * (abs(p[3] - p[0]) + abs(q[0] - q[3])) < rough
        and 2 * abs(p[0] - q[0]) < 5 * limit
        for p, q in ((ps[0], qs[0]), (ps[3], qs[3]))
    )
    bend_p, bend_q = (16 * (bend(side[0]) + bend(side[3])) < 3 * rough for side in (ps, qs))
    out = []
    for p, q in zip(ps, qs, strict=True):
        new_p, new_q = smooth_strongly(p, q, limit) if strong else smooth_weakly(p, q, limit, bend_p, bend_q)
        p, q = new_p + p[len(new_p) :], new_q + q[len(new_q) :]
        out.append(p[::-1] + q)
    return out


def deblock_columns(plane, log2_sides, step_index):
    """Deblock the vertical edges of a plane of lists in place; `log2_sides` are the blocks' extents across them."""
    for y in range(0, len(plane), 4):
        for x in range(8, len(plane[0]), 8):
            left, right = int(log2_sides[y // 4][x // 4 - 1]), int(log2_sides[y // 4][x // 4])
            if x % (1 << right):
                continue  # inside a block
            lines = [plane[y + k][x - 4 : x + 4] for k in range(4)]
            for k, line in enumerate(deblock_segment(lines, min(left, right) == 2, step_index)):
                plane[y + k][x - 4 : x + 4] = line


def transposed(rows):
    """Return columns as rows."""
    return [list(column) for column in zip(*rows, strict=True)]


def deblock(plane, sides, step_index):
    """Return a deblocked plane: vertical edges first, then horizontal ones; `sides` are log2 widths and heights."""
    log2_widths, log2_heights = sides
    plane = [list(row) for row in plane]
    deblock_columns(plane, log2_widths, step_index)
    plane = transposed(plane)
    deblock_columns(plane, transposed(log2_heights), step_index)
    return transposed(plane)


def at(plane, y, x):
    """Return a sample; those beyond the plane repeat its edge."""
    return plane[min(max(y, 0), len(plane) - 1)][min(max(x, 0), len(plane[0]) - 1)]


def class_of(plane, cell_y, cell_x, step_index):
    """Return the class of a 4x4 cell, 0..49."""
    sums = []
    for dy, dx in ((1, 0), (0, 1), (1, 1), (1, -1)):
        places = [(4 * cell_y + i, 4 * cell_x + j) for i in range(-1, 5) for j in range(-1, 5)]
        bends = [2 * at(plane, y, x) - at(plane, y - dy, x - dx) - at(plane, y + dy, x + dx) for y, x in places]
        sums.append(sum(map(abs, bends)))
    vertical, horizontal, falling, rising = sums
    straight, slanted = sorted((vertical, horizontal)), sorted((falling, rising))
    if straight[1] * slanted[0] > slanted[1] * straight[0]:
        (low, high), direction, orientation = straight, 1, vertical > horizontal
    else:
        (low, high), direction, orientation = slanted, 3, falling > rising
    if high <= 2 * low:
        direction, orientation = 0, False
    elif 2 * high > 9 * low:
        direction += 1
    activity = 100 * (vertical + horizontal) // (32 * share_of_step(1, step_index))
    level = sum(activity >= bound for bound in ACTIVITY_BOUNDS)
    return 2 * (5 * level + direction) + int(orientation)


def correction_of(plane, y, x, weights, step_index):
    """Return the trained correction of one sample; `weights` are the 24 of its class."""
    total, centre = 64, plane[y][x]
    for k, (dy, dx) in enumerate(TAPS):
        for clip, share in enumerate((0.2, 0.8)):
            limit = share_of_step(share, step_index)
            pair = (at(plane, y + dy, x + dx), at(plane, y - dy, x - dx))
            total += int(weights[2 * k + clip]) * sum(clamp(value - centre, limit) for value in pair)
    return total >> 7


def filtered(plane, sides, filters, step_index, strength, bounds):
    """Return a filtered plane; `filters` are those of its kind, shape (4 step ranges, 50 classes, 24)."""
    if strength == 0:
        return plane
    plane = deblock(plane, sides, step_index)
    if strength == 1:
        return plane
    weights = filters[sum(2 ** (step_index / 32 - 4) >= bound for bound in (8, 16, 32))]
    height, width = len(plane), len(plane[0])
    classes = [[class_of(plane, y, x, step_index) for x in range(width // 4)] for y in range(height // 4)]
    low, high = bounds
    out = []
    for y in range(height):
        corrections = [correction_of(plane, y, x, weights[classes[y // 4][x // 4]], step_index) for x in range(width)]
        row = [value + (((strength - 1) * c + 2) >> 2) for value, c in zip(plane[y], corrections, strict=True)]
        out.append([min(max(value, low), high) for value in row])
    return out
