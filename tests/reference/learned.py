"""Learned modes in plain Python, from the text of SPEC 4.4."""

from math import cos, pi, sin, sqrt

from tests.reference.prediction import references_of


def points(kind, size):
    """Return base 0..3 (DCT, DST-VII, identity, Haar) of `size` points, one vector a row, scaled by 2^11."""
    if kind == 0:
        rows = [[sqrt((1 if k == 0 else 2) / size) * cos(pi * (2 * n + 1) * k / (2 * size)) for n in range(size)]
                for k in range(size)]  # fmt: skip
    elif kind == 1:
        rows = [[2 / sqrt(2 * size + 1) * sin(pi * (2 * k + 1) * (n + 1) / (2 * size + 1)) for n in range(size)]
                for k in range(size)]  # fmt: skip
    elif kind == 2:
        rows = [[float(k == n) for n in range(size)] for k in range(size)]
    else:
        rows = [[1 / sqrt(size)] * size]
        length = size
        while length > 1:
            half, height = length // 2, 1 / sqrt(length)
            for start in range(0, size, length):
                rows.append([
                    height * ((start <= n < start + half) - (start + half <= n < start + length)) for n in range(size)
                ])  # fmt: skip
            length = half
    return [[round(2048 * value) for value in row] for row in rows]


def sample_weights(weights, size):
    """Return each input's weights in samples (rows of rows), 10 fractional bits, from its DCT coefficients."""
    side, basis = min(size, 8), points(0, size)
    inputs = []
    for coefficients in weights:
        zone = [[int(value) for value in coefficients[side * u : side * (u + 1)]] for u in range(side)]
        rows = []
        for y in range(size):
            rows.append([])
            for x in range(size):
                total = sum(basis[u][y] * zone[u][v] * basis[v][x] for u in range(side) for v in range(side))
                rows[-1].append(min(max((total + (1 << 18)) >> 19, -8191), 8191))
        inputs.append(rows)
    return inputs


def inputs_of(references, size):
    """Return what a predictor reads, left side from below, corner, top side, and the mean that is taken off."""
    left, corner, top = references[size : 2 * size], references[2 * size], references[2 * size + 1 : 3 * size + 1]
    mean = (sum(left) + sum(top) + size) // (2 * size)
    if size == 16:
        left, top = ([(side[k] + side[k + 1] + 1) >> 1 for k in range(0, 16, 2)] for side in (left, top))
    return [value - mean for value in [*left, corner, *top]], mean


def predict_learned(plane, x, y, mode):
    """Return the prediction of a block in a learned mode."""
    size = 1 << mode.log2_size
    inputs, mean = inputs_of(references_of(plane, x, y, size, size), size)
    weights = sample_weights(mode.weights, size)
    rows = []
    for row in range(size):
        sums = [sum(v * w[row][column] for v, w in zip(inputs, weights, strict=True)) for column in range(size)]
        rows.append([min(max(mean + ((total + 512) >> 10), -4095), 4095) for total in sums])
    return rows
