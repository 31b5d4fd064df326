"""Prediction of a block in plain Python, from the text of SPEC 4.1."""

HORIZONTAL_DISPLACEMENTS = [32, 26, 21, 17, 13, 9, 5, 2, 0, -2, -5, -9, -13, -17, -21, -26]
VERTICAL_DISPLACEMENTS = [-32, -26, -21, -17, -13, -9, -5, -2, 0, 2, 5, 9, 13, 17, 21, 26, 32]
DISPLACEMENTS = dict(enumerate(HORIZONTAL_DISPLACEMENTS + VERTICAL_DISPLACEMENTS, 2))
SHARP_DISTANCE = {4: 99, 8: 7, 16: 1, 32: 0}


def coding_order(x, y):
    """Return what sorts cells in coding order: row and column of the tree, then the place in its Z order."""
    place = 0
    for bit in (4, 3, 2):
        place = 4 * place + 2 * ((y >> bit) & 1) + ((x >> bit) & 1)
    return y >> 5, x >> 5, place


def is_there(plane, x, y, k, size, own):
    """Tell whether sample `k` of an arm, at (x, y), may be used by the block whose place in coding order is `own`."""
    if not (0 <= x < len(plane[0]) and 0 <= y < len(plane)):
        return False
    return k < size or coding_order(x, y) < own


def references_of(plane, x, y, size):
    """Return 4N + 1 references: the left arm from bottom to top, the corner, the top arm from left to right."""
    own = coding_order(x, y)
    arms = []
    for places in ([(x - 1, y + k) for k in range(2 * size)], [(x + k, y - 1) for k in range(2 * size)]):
        arm = []
        for k, (column, row) in enumerate(places):
            if len(arm) == k and is_there(plane, column, row, k, size, own):
                arm.append(int(plane[row][column]))
        arms.append(arm)
    left, top = arms
    corner = int(plane[y - 1][x - 1]) if left and top else (left + top + [1024])[0]
    for arm in arms:
        arm += [arm[-1] if arm else corner] * (2 * size - len(arm))
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


def predict_flat(references, size, mode):
    """Return the planar (0) or DC (1) prediction, pulled towards the edges."""
    middle = 2 * size
    line = smoothed(references) if size >= 8 else references
    mean = (sum(references[middle - size : middle]) + sum(references[middle + 1 : middle + size + 1]) + size) >> (
        log2(size) + 1
    )
    scale = (2 * log2(size) - 2) >> 2
    block = [[mean] * size for _ in range(size)]
    for y in range(size):
        for x in range(size):
            if mode == 0:
                total = (size - 1 - x) * line[middle - 1 - y] + (x + 1) * line[middle + size + 1]
                total += (size - 1 - y) * line[middle + 1 + x] + (y + 1) * line[middle - size - 1]
                block[y][x] = (total + size) >> (log2(size) + 1)
            p, wx, wy = block[y][x], 32 >> ((2 * x) >> scale), 32 >> ((2 * y) >> scale)
            pull = wx * (references[middle - 1 - y] - p) + wy * (references[middle + 1 + x] - p)
            block[y][x] = p + ((pull + 32) >> 6)
    return block


def predict_angular(references, size, mode):
    """Return the prediction along a direction, modes 2..34."""
    displacement, vertical = DISPLACEMENTS[mode], mode >= 18
    is_smooth = min(abs(mode - 10), abs(mode - 26)) > SHARP_DISTANCE[size]
    source = smoothed(references) if is_smooth else references

    def at(line, j):  # sample j of the main arm, of the side arm where j < 0, the corner at 0
        return line[2 * size + j] if vertical else line[2 * size - j]

    def main(j):
        if j >= 0:
            return at(source, min(j, 2 * size))
        return at(source, -min((-j * (8192 // -displacement) + 128) >> 8, 2 * size))

    lines = []
    for k in range(size):
        whole, fraction = divmod((k + 1) * displacement, 32)
        line = []
        for i in range(size):
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
        blend_side(lines, size, displacement, lambda j: at(references if displacement == 0 else source, -j))
    return lines if vertical else [list(line) for line in zip(*lines, strict=True)]


def blend_side(lines, size, displacement, side):
    """Pull a prediction towards the side arm, `side(0)` being the corner."""
    scale = (2 * log2(size) - 2) >> 2
    if displacement > 0:
        inverse = 8192 // displacement
        scale = min(2, log2(size) - ((3 * inverse - 2).bit_length() - 1) + 8)
    if scale < 0:
        return
    for k in range(size):
        for i in range(size):
            weight = 32 >> ((2 * i) >> scale)
            if displacement == 0:
                lines[k][i] += (weight * (side(k + 1) - side(0)) + 32) >> 6
            else:
                target = side(min(k + (((i + 1) * inverse + 256) >> 9) + 1, 2 * size))
                lines[k][i] += (weight * (target - lines[k][i]) + 32) >> 6


def predict_from_luma(luma, plane, x, y, size):
    """Return a chroma block as a line of the luma block."""
    places = [(x + k, y - 1) for k in range(size) if y > 0] + [(x - 1, y + k) for k in range(size) if x > 0]
    pairs = [(int(luma[row][column]), int(plane[row][column])) for column, row in places]
    n, slope, mean_luma, mean_chroma = len(pairs), 0, 0, 1024
    if n:
        sum_a, sum_b = sum(a for a, _ in pairs), sum(b for _, b in pairs)
        covariance = n * sum(a * b for a, b in pairs) - sum_a * sum_b
        variance = n * sum(a * a for a, _ in pairs) - sum_a**2
        slope = min(max((covariance << 10) // (variance + 128 * n * n), -4096), 4096)
        mean_luma, mean_chroma = sum_a // n, sum_b // n
    rows = [[int(luma[y + row][x + column]) for column in range(size)] for row in range(size)]
    return [[mean_chroma + ((slope * (value - mean_luma) + 512) >> 10) for value in row] for row in rows]


def predict(plane, luma, x, y, size, mode):
    """Return the prediction of the block at (x, y), modes 0..35, from decoded planes."""
    if mode == 35:
        return predict_from_luma(luma, plane, x, y, size)
    references = references_of(plane, x, y, size)
    return predict_flat(references, size, mode) if mode < 2 else predict_angular(references, size, mode)
