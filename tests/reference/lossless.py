"""A decoder of lossless planes in plain Python, written from docs/spec/lossless.md: dictionaries and no kernels."""

from tests.reference.lossless_indices import IndexDecoder
from tests.reference.lossless_samples import SampleDecoder
from tests.reference.lossless_tables import Bias, Cell, Table, clip, squash
from tests.reference.range_coder import AdaptiveBin, Decoder


class LosslessDecoder(SampleDecoder, IndexDecoder):
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

    def samples(self):
        """L1.3."""
        most = (1 << self.depth) - 1
        planes = [[[self.value[c][y, x] for x in range(self.width)] for y in range(self.height)]
                  for c in range(self.channels)]  # fmt: skip
        if self.channels < 3:
            return [[[value & most for value in row] for row in plane] for plane in planes]
        for y in range(self.height):
            for x in range(self.width):
                first, second, third = (plane[y][x] for plane in planes[:3])
                rgb = self.rgb(first, second, third)
                for plane, value in zip(planes, (*rgb, *(plane[y][x] for plane in planes[3:])), strict=True):
                    plane[y][x] = value & most
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
