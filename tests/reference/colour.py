"""Planes to samples in plain Python, from the text of SPEC 3.2."""

from math import cos, pi, sin


def matrix_of(angles):
    """Return the colour matrix, scaled by 2^14, of three angles or None."""
    if angles is None:
        return [[9459, 9459, 9459], [11585, 0, -11585], [6689, -13377, 6689]]
    matrix = [[1 << 14 if i == j else 0 for j in range(3)] for i in range(3)]
    for (p, q), index in zip(((0, 1), (0, 2), (1, 2)), angles, strict=True):
        c, s = (round((1 << 14) * f(2 * pi * index / 512)) for f in (cos, sin))
        pairs = list(zip(matrix[p], matrix[q], strict=True))
        matrix[p] = [(c * a + s * b + 8192) >> 14 for a, b in pairs]
        matrix[q] = [(c * b - s * a + 8192) >> 14 for a, b in pairs]
    return matrix


def ranges_of(matrix):
    """Return the range of each plane of a colour matrix; None means gray."""
    if matrix is None:
        return [(0, 2040)]
    reaches = [(255 * 4 * sum(map(abs, row))) >> 14 for row in matrix]
    return [(1024 - reach, 1024 + reach) for reach in reaches]


def sample_of(value, sample_range):
    """Return a value of the scale as a sample of 8 bits, or of 16 bits in a range."""
    if sample_range is None:
        return min(max((value + 4) >> 3, 0), 255)
    low, high = sample_range
    return low + ((high - low) * min(max(value, 0), 2040) + 1020) // 2040


def samples_of(planes, matrix, sample_range=None):
    """Return the samples of one pixel's planes."""
    if matrix is None:
        return [sample_of(planes[0], sample_range)]
    totals = [(sum(matrix[k][channel] * (planes[k] - 1024) for k in range(3)) + 8192) >> 14 for channel in range(3)]
    return [sample_of(total + 1020, sample_range) for total in totals]
