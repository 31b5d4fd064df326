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


def group_of(mode, width, height):
    """Return the mode group, 0..9 or that of a learned mode, whose rotations a block takes."""
    if mode >= 36:
        return mode - 26
    if mode in (0, 35):
        return 0
    if mode == 1:
        return 1
    if width == height:
        return 2 + min(((mode if mode <= 18 else 36 - mode) - 2) >> 1, 7)
    return 2 + min(((mode if width > height else 36 - mode) - 2) >> 2, 7)


def size_class(width, height):
    """Return 0..3 for squares of 4 to 32, 4..6 for halves whose short side is 4 to 16."""
    return min(width, height).bit_length() - 3 + (0 if width == height else 4)


def scan_of(width, height):
    """Return (row, column) by scan position: anti-diagonals, each from its leftmost column."""
    places = [(row, column) for row in range(height) for column in range(width)]
    return sorted(places, key=lambda place: (sum(place), place[1]))


def half_step_of(step_index):
    """Return half a step in 1/64 of a coefficient unit."""
    return round(2 ** (4 + step_index / 32))


def dequantize(levels, end, step_index):
    """Return the coefficients of a block of levels: a quantizer with four states, from the end of the scan."""
    height, width = len(levels), len(levels[0])
    coefficients, state = [[0] * width for _ in range(height)], 0
    for row, column in reversed(scan_of(width, height)[:end]):
        level = int(levels[row][column])
        half_steps = 2 * abs(level) - (1 if state >= 2 and level else 0)
        magnitude = min((half_steps * half_step_of(step_index) + 32) >> 6, LIMIT)
        coefficients[row][column] = magnitude if level >= 0 else -magnitude
        state = NEXT_STATE[state][level % 2]
    return coefficients


def place_of(index, mode, width, height):
    """Return (row, column) of a coefficient of the zone; standing blocks and some modes see it transposed."""
    row, column = divmod(int(index), min(max(width, height), 8))
    is_transposed = height > width or (height == width and 18 < mode < 35)
    return (column, row) if is_transposed else (row, column)


def composed(pairs, angles, order):
    """Return the matrix of a group's rotations, rows in its order, scaled by 2^14: they act in turn on unit vectors."""
    count = len(order)
    rows = [[1 << 20 if i == j else 0 for j in range(count)] for i in range(count)]
    for (i, j), angle in zip(pairs, angles, strict=True):
        cosine, sine = (round((1 << 14) * f(2 * pi * int(angle) / 1024)) for f in (cos, sin))
        first = [(cosine * a + sine * b + 8192) >> 14 for a, b in zip(rows[i], rows[j], strict=True)]
        rows[j] = [(cosine * b - sine * a + 8192) >> 14 for a, b in zip(rows[i], rows[j], strict=True)]
        rows[i] = first
    return [[(value + 32) >> 6 for value in rows[k]] for k in order]


def undo_rotations(coefficients, mode, pairs, angles, order):
    """Return the block with the zone's coefficients, as they are scanned, put back into the base transform's domain."""
    height, width = len(coefficients), len(coefficients[0])
    matrix, block = composed(pairs, angles, order), [list(row) for row in coefficients]
    places = [place for place in scan_of(width, height) if place[0] < 8 and place[1] < 8]
    for j in range(len(order)):
        total = sum(matrix[k][j] * coefficients[row][column] for k, (row, column) in enumerate(places))
        row, column = place_of(j, mode, width, height)
        block[row][column] = (total + 8192) >> 14
    return block


def weighed(block):
    """Return a block's coefficients times their weights: 1 and 180/256 times the frequency, all in 1/256."""
    height, width = len(block), len(block[0])

    def product(row, column):
        frequency = 256 * row // height + 256 * column // width
        return (block[row][column] * (256 + 180 * frequency // 256) + 128) >> 8

    return [[product(row, column) for column in range(width)] for row in range(height)]


def inverse_transform(coefficients, mode, transforms, learned=None, weighs=False):
    """Return the residual of a block's coefficients; `transforms` is {(size class, group): (pairs, angles, order)}."""
    height, width, block = len(coefficients), len(coefficients[0]), coefficients
    key = (size_class(width, height), group_of(mode, width, height))
    if key in transforms:
        block = undo_rotations(block, mode, *transforms[key])
    if weighs and learned is None:
        block = weighed(block)
    vertical, horizontal = basis(height), basis(width)
    if learned is not None:
        vertical, horizontal = points(learned.vertical, height), points(learned.horizontal, width)
    columns, rows = range(width), range(height)
    block = [[clamp(value) for value in row] for row in block]
    block = [[(sum(block[y][k] * horizontal[k][x] for k in columns) + 1024) >> 11 for x in columns] for y in rows]
    block = [[clamp(value) for value in row] for row in block]
    return [[(sum(vertical[k][y] * block[k][x] for k in rows) + 1024) >> 11 for x in columns] for y in rows]
