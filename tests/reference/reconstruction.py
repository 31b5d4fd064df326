"""From levels to samples in plain Python, from the text of SPEC 4.2 and 4.3."""

from math import cos, pi, sin, sqrt

from tests.reference.learned import points

LIMIT = (1 << 17) - 1
NEXT_STATE = {0: (0, 2), 1: (2, 0), 2: (1, 3), 3: (3, 1)}


def clamp(value, limit=LIMIT):
    """Return the value, not below -limit, not above limit."""
    return min(max(value, -limit), limit)


def basis(size):
    """Return the base transform, one vector a row, scaled by 2^11: DST-VII of 4 points, DCT-II above."""
    if size == 4:
        rows = [[2 / 3 * sin(pi * (2 * k + 1) * (n + 1) / 9) for n in range(4)] for k in range(4)]
    else:
        scale = [sqrt((1 if k == 0 else 2) / size) for k in range(size)]
        rows = [[scale[k] * cos(pi * (2 * n + 1) * k / (2 * size)) for n in range(size)] for k in range(size)]
    return [[round(2048 * value) for value in row] for row in rows]


def group_of(mode):
    """Return the mode group, 0..9 or that of a learned mode, whose rotations a block takes."""
    if mode >= 36:
        return mode - 26
    if mode in (0, 35):
        return 0
    if mode == 1:
        return 1
    return 2 + min(((mode if mode <= 18 else 36 - mode) - 2) >> 1, 7)


def scan_of(size):
    """Return (row, column) by scan position: anti-diagonals, each from its leftmost column."""
    places = [(row, column) for row in range(size) for column in range(size)]
    return sorted(places, key=lambda place: (sum(place), place[1]))


def half_step_of(step_index):
    """Return half a step in 1/64 of a coefficient unit."""
    return round(2 ** (4 + step_index / 32))


def dequantize(levels, size, end, step_index):
    """Return the coefficients of a block of levels: a quantizer with four states, from the end of the scan."""
    coefficients, state = [[0] * size for _ in range(size)], 0
    for row, column in reversed(scan_of(size)[:end]):
        level = int(levels[row][column])
        half_steps = 2 * abs(level) - (1 if state >= 2 and level else 0)
        magnitude = min((half_steps * half_step_of(step_index) + 32) >> 6, LIMIT)
        coefficients[row][column] = magnitude if level >= 0 else -magnitude
        state = NEXT_STATE[state][level % 2]
    return coefficients


def place_of(index, zone, mode):
    """Return (row, column) of a coefficient of the zone; past the diagonal the block is seen transposed."""
    row, column = divmod(int(index), zone)
    return (column, row) if 18 < mode < 35 else (row, column)


def put_in_place(coefficients, mode, order):
    """Return the block with the zone's coefficients moved from their places in scan order to where they belong."""
    zone, block = min(len(coefficients), 8), [list(row) for row in coefficients]
    places = [(row, column) for row, column in scan_of(len(coefficients)) if row < zone and column < zone]
    for index, (row, column) in zip(order, places, strict=True):
        i, j = place_of(index, zone, mode)
        block[i][j] = coefficients[row][column]
    return block


def undo_rotations(coefficients, mode, pairs, angles):
    """Undo a group's rotations, last to first, in place."""
    zone = min(len(coefficients), 8)
    for pair, angle in reversed(list(zip(pairs, angles, strict=True))):
        (i, j), (k, m) = (place_of(index, zone, mode) for index in pair)
        cosine, sine = (round((1 << 14) * f(2 * pi * int(angle) / 1024)) for f in (cos, sin))
        a, b = coefficients[i][j], coefficients[k][m]
        coefficients[i][j] = (cosine * a - sine * b + 8192) >> 14
        coefficients[k][m] = (cosine * b + sine * a + 8192) >> 14


def inverse_transform(coefficients, mode, transforms, learned=None):
    """Return the residual of a block's coefficients; `transforms` is {(log2 size, group): (pairs, angles, order)}."""
    size, block = len(coefficients), coefficients
    key = (size.bit_length() - 1, group_of(mode))
    if key in transforms:
        pairs, angles, order = transforms[key]
        block = put_in_place(block, mode, order)
        undo_rotations(block, mode, pairs, angles)
    vertical = horizontal = basis(size)
    if learned is not None:
        vertical, horizontal = points(learned.vertical, size), points(learned.horizontal, size)
    indices = range(size)
    block = [[clamp(value) for value in row] for row in block]
    rows = [[(sum(block[y][k] * horizontal[k][x] for k in indices) + 1024) >> 11 for x in indices] for y in indices]
    rows = [[clamp(value) for value in row] for row in rows]
    return [[(sum(vertical[k][y] * rows[k][x] for k in indices) + 1024) >> 11 for x in indices] for y in indices]
