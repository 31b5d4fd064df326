"""Functions and adaptive cells of the lossless decoder in plain Python (docs/spec/lossless.md, L3, L4, L7.2)."""

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


def bucket(value):
    """BUCKET of L4.3."""
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
