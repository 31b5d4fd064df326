"""One sample of the lossless decoder in plain Python: prediction and residual (docs/spec/lossless.md, L4 to L6)."""

from math import isqrt

from tests.reference.lossless_tables import bucket, clip


class SampleDecoder:
    """What a `LosslessDecoder` does where samples are predicted."""

    def predict(self, c, y, x):
        """L4.1, L4.2, L5.1, L5.2: return predictions and taps."""
        v = self.neighbour(c, y, x)
        w, n, nw, ne, nn, nne = v(0, -1), v(-1, 0), v(-1, -1), v(-1, 1), v(-2, 0), v(-2, 1)
        p = [16 * u for u in (w, n, w + n - nw, n + ne - nne, w + ne - n, 2 * n - nn)]
        base = (w + n) >> 1
        around = [w, n, nw, ne, v(0, -2), nn, nne, v(-1, 2), v(-2, -1), v(-1, -2), v(-2, 2)]
        taps = [u - base for u in around] + [0] * 5
        extra = []
        if c >= 1:
            r = self.neighbour(c - 1, y, x)
            a, b, d = r(0, 0) - r(0, -1), r(0, 0) - r(-1, 0), r(0, 0) - r(0, -1) - r(-1, 0) + r(-1, -1)
            taps[11:14] = a, b, d
            extra = [p[0] + 16 * a, p[1] + 16 * b, p[2] + 16 * d]
        if c >= 2:
            r = self.neighbour(c - 2, y, x)
            a, b = r(0, 0) - r(0, -1), r(0, 0) - r(-1, 0)
            taps[14:16] = a, b
            extra.append((p[0] + p[1] + 16 * (a + b)) >> 1)
        north_east = self.stored_at(c, y - 1, x + 1)
        self.fast[c] = [f + ((s - f) >> 1) for f, s in zip(self.fast[c], north_east, strict=True)]
        lowest, highest = self.limits[c]
        for coefficients in (self.fast[c], self.slow[c]):
            total = sum(f * tap for f, tap in zip(coefficients, taps, strict=True)) >> 12
            p.append(clip(16 * base + total, 16 * lowest, 16 * highest))
        return p + extra, taps

    def blend(self, c, y, x, predictions):
        """L4.3, L4.4: return blend and T."""
        error = [self.at(self.error[c], y + dy, x + dx, [0] * 12) for dy, dx in
                 ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, -2), (-1, 2))]  # fmt: skip
        sums = [2 * sum(e[k] for e in error[:4]) + error[4][k] + error[5][k] for k in range(len(predictions))]
        smallest = bucket(min(sums))
        shift = max((smallest >> 2) - 3, 0)
        weights = [(1 << 20) // isqrt(max(min(s >> shift, 1023), 4) ** 3) + 1 for s in sums]
        return sum(g * p for g, p in zip(weights, predictions, strict=True)) // sum(weights), smallest

    def energy(self, c, y, x):
        """L4.5: return e."""
        r = [abs(self.at(self.residual[c], y + dy, x + dx, 0)) for dy, dx in
             ((0, -1), (-1, 0), (-1, -1), (-1, 1), (0, -2))]  # fmt: skip
        v = self.neighbour(c, y, x)
        e = 4 * r[0] + 3 * r[1] + 2 * (r[2] + r[3]) + r[4]
        e += abs(v(0, -1) - v(-1, -1)) + abs(v(-1, 0) - v(-1, -1)) + abs(v(-1, 0) - v(-1, 1))
        if c:
            e = ((e + 4 * abs(self.residual[c - 1][y, x])) * 3) >> 2
        return e

    def sample(self, c, y, x):
        """L4 to L6."""
        lowest, highest = self.limits[c]
        if lowest == highest:
            self.value[c][y, x], self.residual[c][y, x], self.error[c][y, x] = lowest, 0, [0] * 12
            return
        predictions, taps = self.predict(c, y, x)
        blend, smallest = self.blend(c, y, x, predictions)
        energy = self.energy(c, y, x)
        energy_bucket = min(bucket(energy), 39)
        v = self.neighbour(c, y, x)
        signs = [v(0, -1), v(-1, 0), v(-1, -1), v(-1, 1), v(0, -2), v(-2, 0)]
        signs += [2 * v(-1, 0) - v(-2, 0), 2 * v(0, -1) - v(0, -2)]
        texture = sum(1 << k for k, value in enumerate(signs) if value > blend >> 4)
        west = self.at(self.residual[c], y, x - 1, 0)
        north = self.at(self.residual[c], y - 1, x, 0)
        before = self.residual[c - 1][y, x] if c else 0
        biases = (
            self.texture_bias[c, texture, min(energy_bucket >> 2, 7)],
            self.residual_bias[c, clip(west, -3, 3), clip(north, -3, 3), clip(before, -3, 3)],
        )
        bias = (biases[0].value + biases[1].value) >> 1
        fine = clip(blend + (bias >> 4), 16 * lowest, 16 * highest)
        prediction = (fine + 8) >> 4

        p = predictions
        spread = (abs(p[0] - p[1]) + abs(p[2] - p[3]) + abs(p[4] - p[5])) >> 2
        group = min(c, 1)
        row_b = (min(bucket(spread) >> 1, 19), min(bucket(abs(west)) >> 1, 3), min(bucket(abs(north)) >> 1, 3), group)
        shade = (prediction - lowest) >> max((highest - lowest).bit_length() - 8, 0)
        row_c = (min(smallest >> 3, 4), shade, group)
        rows = (("A", energy_bucket, group), ("B", *row_b), ("C", *row_c))
        residual = self.decode_residual(rows, group, prediction, fine - 16 * prediction, west, (lowest, highest))
        value = clip(prediction + residual, lowest, highest)

        self.value[c][y, x] = value
        self.residual[c][y, x] = value - prediction
        errors = [min(abs(k - 16 * value) >> 1, 1 << 20) for k in predictions]
        self.error[c][y, x] = errors + [0] * (12 - len(errors))
        for one in biases:
            most = ((energy >> 5) + 1) << 8
            one.update(clip((16 * value - blend) << 4, -most, most))
        gain = (1 << 36) // (4 + sum(tap * tap for tap in taps))
        self.fast[c] = self.trained(self.fast[c], taps, 16 * value - predictions[6], gain, 0)
        self.slow[c] = self.trained(self.slow[c], taps, 16 * value - predictions[7], gain, 4)
        self.stored[c][y, x] = self.fast[c]

    @staticmethod
    def trained(coefficients, taps, error, gain, shift):
        """L5.3."""
        step = clip((error * gain) >> 24, -4096, 4096)
        moved = [f + ((step * tap) >> shift) for f, tap in zip(coefficients, taps, strict=True)]
        return [clip(f, -(1 << 20), 1 << 20) for f in moved]

    def residual_bin(self, rows, group, number, first):
        """L6.2."""
        cells = [self.cells[rows[0], number, first]] + [self.cells[row, number] for row in rows[1:]]
        bit = self.mixed([cell.odds() for cell in cells], ("residual", group, number), 24000, 17)
        for cell in cells:
            cell.update(bit)
        return bit

    def decode_residual(self, rows, group, prediction, fraction, west, limits):
        """L6.3 to L6.5."""
        if self.residual_bin(rows, group, 0, min(abs(fraction), 7)):
            return 0
        symbol = 0
        while symbol < 33 and self.residual_bin(rows, group, 1 + symbol, None):
            symbol += 1
        m = self.decode_magnitude(symbol)
        if prediction + m + 1 > limits[1]:
            return -m - 1
        if prediction - m - 1 < limits[0]:
            return m + 1
        sign = 0 if west == 0 else (1 if west > 0 else 2)
        return m + 1 if self.coder.adaptive(self.bins["sign", fraction, sign, min(m, 2)], 0) else -m - 1

    def decode_magnitude(self, symbol):
        """L6.4: return m of its class."""
        if symbol < 4:
            return symbol
        octave = symbol >> 1
        n_bits = octave - 1
        bits = self.coder.adaptive(self.bins["extra", symbol, 0], 0)
        if n_bits >= 2:
            bits = 2 * bits + self.coder.adaptive(self.bins["extra", symbol, 1 + bits], 0)
        if n_bits > 2:
            bits = (bits << (n_bits - 2)) + self.coder.bits(0, n_bits - 2)
        return (1 << octave) + ((symbol & 1) << (octave - 1)) + bits
