"""A decoder of lossless planes in plain Python, written from docs/spec/lossless.md: dictionaries and no kernels."""

from math import isqrt

from tests.reference.range_coder import AdaptiveBin, Decoder

KNOTS = (
    22, 36, 60, 98, 162, 267, 439, 720, 1179, 1921, 3108, 4971, 7812, 11955, 17625, 24743, 32768,
    40793, 47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438, 65476, 65500, 65514,
)  # fmt: skip


def clip(value, low, high):
    """Return the nearest of `low..high`."""
    return min(max(value, low), high)


def squash(x):
    """L3.2."""
    k, f = divmod(x + 2048, 128)
    return (KNOTS[k] * (128 - f) + KNOTS[k + 1] * f + 64) >> 7


squashed = [squash(x) for x in range(-2048, 2048)]


def stretch(i):
    """L3.3."""
    return min(sum(1 for value in squashed if value <= 16 * i + 8) - 2048, 2047)


stretched = [stretch(i) for i in range(4096)]


def level(value):
    """LEVEL of L4.3."""
    octaves = 0
    while value >= 4096:
        value, octaves = value >> 1, octaves + 4
    if value < 4:
        return value + octaves
    return 4 * (value.bit_length() - 2) + ((value >> (value.bit_length() - 3)) & 3) + octaves


def hashed(state, number):
    """L7.2."""
    product = ((state ^ number) * 0x2545F491) & (2**61 - 1)
    return (product ^ (product >> 29)) & (2**30 - 1)


class Cell:
    """L3.1."""

    def __init__(self, probability=1 << 21, count=0):
        self.probability, self.count = probability, count

    def update(self, bit, limit=250):
        """Move towards `bit`."""
        step = 655360 // (10 * min(self.count, limit, 250) + 16)
        self.probability += (((bit << 22) - self.probability) * step) >> 16
        self.count = min(self.count + 1, 255)

    def odds(self):
        """Return the log-odds."""
        return stretched[self.probability >> 10]


class Table(dict):
    """A dictionary that makes what is asked for."""

    def __init__(self, make):
        super().__init__()
        self.make = make

    def __missing__(self, key):
        self[key] = self.make()
        return self[key]


class Bias:
    """L4.6."""

    def __init__(self, final_shift):
        self.value, self.count, self.final_shift = 0, 0, final_shift

    def update(self, error):
        """Move towards `error`."""
        shift = self.final_shift
        for last, value in ((22, 4), (8, 3), (2, 2), (0, 1)):
            shift = value if self.count <= last else shift
        self.value += (error - self.value) >> shift
        self.count += 1


class LosslessDecoder:
    """Decodes one payload; attributes are named as in the specification."""

    def __init__(self, payload, channels, height, width, depth):
        self.coder = Decoder(payload)
        self.channels, self.height, self.width, self.depth = channels, height, width, depth
        self.cells, self.bins = Table(Cell), Table(AdaptiveBin)
        self.weights = {}
        self.read_header()
        self.value = [{} for _ in range(channels)]
        self.residual = [{} for _ in range(channels)]
        self.error = [{} for _ in range(channels)]
        self.index, self.escaped = {}, {}
        self.texture_bias = Table(lambda: Bias(5))
        self.residual_bias = Table(lambda: Bias(6))
        self.fast = [[32768, 32768] + [0] * 14 for _ in range(channels)]
        self.slow = [[32768, 32768] + [0] * 14 for _ in range(channels)]
        self.stored = [{} for _ in range(channels)]
        self.known, self.candidates = [], {}

    def number(self, n_bits):
        """L1.2."""
        if n_bits > 16:
            return self.coder.bits(0, n_bits - 16) << 16 | self.coder.bits(0, 16)
        return self.coder.bits(0, n_bits)

    def read_header(self):
        """L1.2."""
        self.transform = self.number(2) if self.channels >= 3 else 0
        self.limits = []
        for _ in range(self.channels):
            lowest = self.number(self.depth + 1) - (1 << self.depth)
            self.limits.append((lowest, self.number(self.depth + 1) - (1 << self.depth)))
        self.n_colours = self.number(16) + 1 if self.number(1) else 0

    def at(self, plane, y, x, outside):
        """L2.3: return an entry of `plane`, a dictionary, at any place around the picture."""
        if x < 0:
            y, x = y - 1, 0
        if y < 0:
            return outside
        return plane[y, min(x, self.width - 1)]

    def mixed(self, inputs, key, initial, rate):
        """L3.4."""
        weights = self.weights.setdefault(key, [initial] * len(inputs))
        total = sum(weight * odds for weight, odds in zip(weights, inputs, strict=True)) >> 16
        q = squash(clip(total, -2048, 2047))
        bit = self.coder.with_probability(q, 0)
        for k, odds in enumerate(inputs):
            weights[k] += (odds * ((bit << 16) - q)) >> rate
        return bit

    def decode(self):
        """Return the samples as nested lists [channel][row][column]."""
        was_copy = 0
        for y in range(self.height):
            if y:
                was_copy = self.coder.adaptive(self.bins["row", was_copy], 0)
            for x in range(self.width):
                if was_copy:
                    self.copy_pixel(y, x)
                elif self.n_colours:
                    self.indexed_pixel(y, x)
                else:
                    for c in range(self.channels):
                        self.sample(c, y, x)
        return self.samples()

    def copy_pixel(self, y, x):
        """L2.1."""
        for c in range(self.channels):
            self.value[c][y, x] = self.value[c][y - 1, x]
            self.residual[c][y, x], self.error[c][y, x] = 0, [0] * 12
            self.stored[c][y, x] = self.stored_at(c, y - 1, x)
        if self.n_colours:
            self.index[y, x] = self.index[y - 1, x]
            self.escaped[y, x] = 0

    def stored_at(self, c, y, x):
        """Return the filter stored at a place, the initial one where none was."""
        return self.stored[c].get((y, x), [32768, 32768] + [0] * 14)

    def neighbour(self, c, y, x):
        """Return a function of (dy, dx) that gives the samples around a pixel of plane `c`."""
        middle = (sum(self.limits[c]) + 1) >> 1
        return lambda dy, dx: self.at(self.value[c], y + dy, x + dx, middle)

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
        smallest = level(min(sums))
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
        activity = self.energy(c, y, x)
        energy = min(level(activity), 39)
        v = self.neighbour(c, y, x)
        signs = [v(0, -1), v(-1, 0), v(-1, -1), v(-1, 1), v(0, -2), v(-2, 0)]
        signs += [2 * v(-1, 0) - v(-2, 0), 2 * v(0, -1) - v(0, -2)]
        texture = sum(1 << k for k, value in enumerate(signs) if value > blend >> 4)
        west = self.at(self.residual[c], y, x - 1, 0)
        north = self.at(self.residual[c], y - 1, x, 0)
        before = self.residual[c - 1][y, x] if c else 0
        biases = (
            self.texture_bias[c, texture, min(energy >> 2, 7)],
            self.residual_bias[c, clip(west, -3, 3), clip(north, -3, 3), clip(before, -3, 3)],
        )
        bias = (biases[0].value + biases[1].value) >> 1
        fine = clip(blend + (bias >> 4), 16 * lowest, 16 * highest)
        prediction = (fine + 8) >> 4

        p = predictions
        spread = (abs(p[0] - p[1]) + abs(p[2] - p[3]) + abs(p[4] - p[5])) >> 2
        group = min(c, 1)
        row_b = (min(level(spread) >> 1, 19), min(level(abs(west)) >> 1, 3), min(level(abs(north)) >> 1, 3), group)
        shade = (prediction - lowest) >> max((highest - lowest).bit_length() - 8, 0)
        row_c = (min(smallest >> 3, 4), shade, group)
        rows = (("A", energy, group), ("B", *row_b), ("C", *row_c))
        residual = self.decode_residual(rows, group, prediction, fine - 16 * prediction, west, (lowest, highest))
        value = clip(prediction + residual, lowest, highest)

        self.value[c][y, x] = value
        self.residual[c][y, x] = value - prediction
        errors = [min(abs(k - 16 * value) >> 1, 1 << 20) for k in predictions]
        self.error[c][y, x] = errors + [0] * (12 - len(errors))
        for one in biases:
            most = ((activity >> 5) + 1) << 8
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

    def indexed_pixel(self, y, x):
        """L7."""

        def i(dy, dx):
            return self.at(self.index, y + dy, x + dx, 0)

        def escape(dy, dx):
            inside = 0 <= x + dx < self.width and y + dy >= 0
            return self.escaped[y + dy, x + dx] if inside else 0

        slots = self.slots(i)
        escapes = [escape(0, -1), escape(-1, 0), escape(-1, 1), escape(-1, -1)]
        bits = sum(bit << k for k, bit in enumerate(escapes))
        known = len(self.known)
        index = self.decode_guesses(i, slots, sum(escapes), bits) if known else None
        self.escaped[y, x] = 1 if index is None else 0
        if index is None:
            index = self.decode_escape(i, y, x, bits)
        if index < known:
            for c in range(self.channels):
                self.value[c][y, x] = self.known[index][c]
                self.residual[c][y, x], self.error[c][y, x] = 0, [0] * 12
                self.stored[c][y, x] = self.stored_at(c, y - 1, x)
        self.index[y, x] = index
        self.record(slots, index)

    def slots(self, i):
        """L7.2."""
        state, found = 1, []
        for group in (
            [(0, -1), (-1, 0), (-1, 1)],
            [(-1, -1), (0, -2), (-2, 0)],
            [(-2, 1), (-2, -1), (-1, 2), (-1, -2), (0, -3), (-1, 3)],
        ):
            for dy, dx in group:
                state = hashed(state, i(dy, dx))
            found.append(state & (2**17 - 1))
        return [("large", found[2]), ("medium", found[1]), ("small", found[0])]

    def decode_guesses(self, i, slots, n_escapes, escape_bits):
        """L7.3, L7.4: return the index or None."""
        w, n, nw, ne, ww = i(0, -1), i(-1, 0), i(-1, -1), i(-1, 1), i(0, -2)
        guess, order, trust = (w if w == nw or n != nw else n), 3, 0
        for k, slot in enumerate(slots):
            if slot in self.candidates and self.cells[slot].probability > trust:
                guess, order, trust = self.candidates[slot], k, self.cells[slot].probability
        inputs = []
        for slot in slots:
            odds = self.cells[slot].odds() if slot in self.candidates else 0
            inputs.append(odds if self.candidates.get(slot) == guess else -odds)
        equal = [w == n, n == nw, n == ne, guess == w, guess == n, w == ww]
        cell = self.cells["pattern", tuple(equal), n_escapes, order]
        right = self.mixed([*inputs, cell.odds()], ("guess", order, n_escapes), 20000, 16)
        cell.update(right)
        if right:
            return guess
        guesses = [guess]
        for other in [*(self.candidates.get(slot) for slot in slots), w, n, ne, nw]:
            if other is not None and other not in guesses:
                guesses.append(other)
        count = len(guesses)
        if count == 1 or not self.coder.adaptive(self.bins["any", escape_bits, count], 0):
            return None
        k = 1
        while k < count - 1 and self.coder.adaptive(self.bins["which", k, count], 0):
            k += 1
        return guesses[k]

    def decode_escape(self, i, y, x, escape_bits):
        """L7.5."""
        known = len(self.known)
        new = 1 if known == 0 else 0
        if 0 < known < self.n_colours:
            age = min((known.bit_length() + 1) >> 1, 7)
            new = self.coder.adaptive(self.bins["new", escape_bits, age], 0)
        if not new:
            return self.decode_index(i, y, x)
        for c in range(self.channels):
            self.sample(c, y, x)
        self.known.append([self.value[c][y, x] for c in range(self.channels)])
        return known

    def decode_index(self, i, y, x):
        """L8."""
        v = self.neighbour(0, y, x)
        median = sorted((v(0, -1), v(-1, 0), v(0, -1) + v(-1, 0) - v(-1, -1)))[1]
        w, n, nw, ne = i(0, -1), i(-1, 0), i(-1, -1), i(-1, 1)
        roots = [
            hashed(1, 0), hashed(2, w), hashed(3, n), hashed(hashed(4, w), n),
            hashed(5, (median - self.limits[0][0]) >> 2), hashed(hashed(6, nw), ne),
        ]  # fmt: skip
        n_bits = (len(self.known) - 1).bit_length()
        node = 1
        for significance in range(n_bits - 1, -1, -1):
            cells = [self.cells["tree", hashed(root, node) & (2**18 - 1)] for root in roots]
            bit = self.mixed([cell.odds() for cell in cells], ("tree", significance), 16000, 15)
            for cell in cells:
                cell.update(bit)
            node = 2 * node + bit
        return min(node - (1 << n_bits), len(self.known) - 1)

    def record(self, slots, index):
        """L7.6."""
        for slot in slots:
            if slot not in self.candidates:
                self.candidates[slot], self.cells[slot] = index, Cell(3 << 20, 1)
                continue
            self.cells[slot].update(1 if self.candidates[slot] == index else 0, 60)
            if self.candidates[slot] != index and self.cells[slot].probability < 1 << 21:
                self.candidates[slot], self.cells[slot] = index, Cell(1 << 21, 1)

    def samples(self):
        """L1.3."""
        planes = [[[self.value[c][y, x] for x in range(self.width)] for y in range(self.height)]
                  for c in range(self.channels)]  # fmt: skip
        if self.channels < 3:
            return planes
        for y in range(self.height):
            for x in range(self.width):
                first, second, third = (plane[y][x] for plane in planes[:3])
                rgb = self.rgb(first, second, third)
                for plane, value in zip(planes, rgb, strict=False):
                    plane[y][x] = value & ((1 << self.depth) - 1)
        return planes

    def rgb(self, first, second, third):
        """L1.3: return red, green, blue."""
        if self.transform == 0:
            return second, first, third
        if self.transform == 1:
            return first + second, first, first + third
        middle = first - (third >> 1)
        blue = middle - (second >> 1)
        return blue + second, third + middle, blue
