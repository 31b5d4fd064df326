"""Prediction of a block in plain Python, from the text of SPEC 4.1."""

HORIZONTAL_DISPLACEMENTS = [32, 26, 21, 17, 13, 9, 5, 2, 0, -2, -5, -9, -13, -17, -21, -26]
VERTICAL_DISPLACEMENTS = [-32, -26, -21, -17, -13, -9, -5, -2, 0, 2, 5, 9, 13, 17, 21, 26, 32]
DISPLACEMENTS = dict(enumerate(HORIZONTAL_DISPLACEMENTS + VERTICAL_DISPLACEMENTS, 2))
SHARP_DISTANCE = {4: 99, 5: 99, 6: 7, 7: 7, 8: 1, 9: 1, 10: 0}  # by log2 of the area


def coding_order(x, y):
    """Return what sorts cells in coding order: row and column of the tree, then the place in its Z order."""
    place = 0
    for bit in (4, 3, 2):
        place = 4 * place + 2 * ((y >> bit) & 1) + ((x >> bit) & 1)
    return y >> 5, x >> 5, place


def is_there(plane, x, y, k, side, own):
    """Tell whether sample `k` of an arm, at (x, y), may be used by the block whose place in coding order is `own`."""
    if not (0 <= x < len(plane[0]) and 0 <= y < len(plane)):
        return False
    return k < side or coding_order(x, y) < own


def references_of(plane, x, y, width, height):
    """Return the left arm from bottom to top, the corner, the top arm from left to right, width + height each."""
    own, extent = coding_order(x, y), width + height
    arms = []
    for side, places in (
        (height, [(x - 1, y + k) for k in range(extent)]),
        (width, [(x + k, y - 1) for k in range(extent)]),
    ):
        arm = []
        for k, (column, row) in enumerate(places):
            if len(arm) == k and is_there(plane, column, row, k, side, own):
                arm.append(int(plane[row][column]))
        arms.append(arm)
    left, top = arms
    corner = int(plane[y - 1][x - 1]) if left and top else (left + top + [1024])[0]
    for arm in arms:
        arm += [arm[-1] if arm else corner] * (extent - len(arm))
    return [*left[::-1], corner, *top]


def smoothed(references):
    """Return the references filtered by (1, 2, 1) / 4, but for the two ends."""
    inner = [(a + 2 * b + c + 2) >> 2 for a, b, c in zip(references, references[1:], references[2:], strict=False)]
    return [references[0], *inner, references[-1]]


def log2(size):
    """Return the logarithm of a power of two."""
    return size.bit_length() - 1


def taps_of(fraction):
    """Return the four interpolation taps of a fraction k / 32, in 1/64."""
    first = round(-3 * fraction * (32 - fraction) ** 2 / 4096)
    last = round(-3 * fraction**2 * (32 - fraction) / 4096)
    return first, 64 - 2 * fraction - first, 2 * fraction - last, last


def mean_of(references, width, height):
    """Return the rounded mean of both edges of a square, of the longer edge of an oblong block."""
    middle = width + height
    left, top = references[middle - height : middle], references[middle + 1 : middle + width + 1]
    edge = left + top if width == height else max(left, top, key=len)
    return (sum(edge) + len(edge) // 2) // len(edge)


def predict_flat(references, width, height, mode):
    """Return the planar (0) or DC (1) prediction, pulled towards the edges."""
    middle, area = width + height, width * height
    line = smoothed(references) if area >= 64 else references
    scale = (log2(area) - 2) >> 2
    block = [[mean_of(references, width, height)] * width for _ in range(height)]
    for y in range(height):
        for x in range(width):
            if mode == 0:
                across = (width - 1 - x) * line[middle - 1 - y] + (x + 1) * line[middle + width + 1]
                down = (height - 1 - y) * line[middle + 1 + x] + (y + 1) * line[middle - height - 1]
                block[y][x] = (across * height + down * width + area) // (2 * area)
            p, wx, wy = block[y][x], 32 >> ((2 * x) >> scale), 32 >> ((2 * y) >> scale)
            pull = wx * (references[middle - 1 - y] - p) + wy * (references[middle + 1 + x] - p)
            block[y][x] = p + ((pull + 32) >> 6)
    return block


def predict_angular(references, width, height, mode):
    """Return the prediction along a direction, modes 2..34."""
    displacement, vertical, extent = DISPLACEMENTS[mode], mode >= 18, width + height
    depth, length = (height, width) if vertical else (width, height)
    is_smooth = min(abs(mode - 10), abs(mode - 26)) > SHARP_DISTANCE[log2(width * height)]
    source = smoothed(references) if is_smooth else references

    def at(line, j):  # sample j of the main arm, of the side arm where j < 0, the corner at 0
        return line[extent + j] if vertical else line[extent - j]

    def main(j):
        if j >= 0:
            return at(source, min(j, extent))
        return at(source, -min((-j * (8192 // -displacement) + 128) >> 8, extent))

    lines = []
    for k in range(depth):
        whole, fraction = divmod((k + 1) * displacement, 32)
        line = []
        for i in range(length):
            u, v = main(i + 1 + whole), main(i + 2 + whole)
            if fraction == 0:
                line.append(u)
            elif is_smooth:
                line.append(((32 - fraction) * u + fraction * v + 16) >> 5)
            else:
                a, b, c, d = taps_of(fraction)
                line.append((a * main(i + whole) + b * u + c * v + d * main(i + 3 + whole) + 32) >> 6)
        lines.append(line)
    if displacement >= 0:
        blend_side(lines, displacement, lambda j: at(references if displacement == 0 else source, -j))
    return lines if vertical else [list(line) for line in zip(*lines, strict=True)]


def blend_side(lines, displacement, side):
    """Pull a prediction towards the side arm, `side(0)` being the corner."""
    depth, length = len(lines), len(lines[0])
    scale = (log2(depth * length) - 2) >> 2
    if displacement > 0:
        inverse = 8192 // displacement
        scale = min(2, log2(depth) - ((3 * inverse - 2).bit_length() - 1) + 8)
    if scale < 0:
        return
    for k in range(depth):
        for i in range(length):
            weight = 32 >> ((2 * i) >> scale)
            if displacement == 0:
                lines[k][i] += (weight * (side(k + 1) - side(0)) + 32) >> 6
            else:
                target = side(min(k + (((i + 1) * inverse + 256) >> 9) + 1, depth + length))
                lines[k][i] += (weight * (target - lines[k][i]) + 32) >> 6


def predict_from_luma(luma, plane, x, y, width, height):
    """Return a chroma block as a line of the luma block."""
    places = [(x + k, y - 1) for k in range(width) if y > 0] + [(x - 1, y + k) for k in range(height) if x > 0]
    pairs = [(int(luma[row][column]), int(plane[row][column])) for column, row in places]
    n, slope, mean_luma, mean_chroma = len(pairs), 0, 0, 1024
    if n:
        sum_a, sum_b = sum(a for a, _ in pairs), sum(b for _, b in pairs)
        covariance = n * sum(a * b for a, b in pairs) - sum_a * sum_b
        variance = n * sum(a * a for a, _ in pairs) - sum_a**2
        slope = min(max((covariance << 10) // (variance + 128 * n * n), -4096), 4096)
        mean_luma, mean_chroma = sum_a // n, sum_b // n
    rows = [[int(luma[y + row][x + column]) for column in range(width)] for row in range(height)]
    return [[mean_chroma + ((slope * (value - mean_luma) + 512) >> 10) for value in row] for row in rows]


def predict(plane, luma, x, y, width, height, mode):
    """Return the prediction of the block at (x, y), modes 0..35, from decoded planes."""
    if mode == 35:
        return predict_from_luma(luma, plane, x, y, width, height)
    references = references_of(plane, x, y, width, height)
    return (predict_flat if mode < 2 else predict_angular)(references, width, height, mode)
