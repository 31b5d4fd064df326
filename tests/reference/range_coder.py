"""The range coder in plain Python: one number of any length, no carries, no buffer (SPEC 5.1 to 5.3)."""

MAX_PROBABILITY = 1 << 16


def shift_of_update(count):
    """Return the shift of update number `count` of a fresh context, before it is limited by the rate."""
    for shift, last in ((1, 0), (2, 3), (3, 9), (4, 21), (5, 43), (6, 62)):
        if count <= last:
            return shift
    return 7


class AdaptiveBin:
    """The two probabilities of a one and the count of one context."""

    def __init__(self):
        self.fast = self.slow = 1 << 15
        self.count = 0

    def state(self):
        """Return what the kernels keep of a context."""
        return [self.fast, self.slow, self.count]

    def update(self, bit):
        """Move both probabilities towards `bit`."""
        shift = shift_of_update(self.count)
        self.fast = self._moved(self.fast, bit, min(shift, 4), 1 << 9)
        self.slow = self._moved(self.slow, bit, shift, 1 << 8)
        self.count = min(self.count + 1, 63)

    @staticmethod
    def _moved(probability, bit, shift, margin):
        if bit:
            return min(probability + ((MAX_PROBABILITY - probability) >> shift), MAX_PROBABILITY - margin)
        return max(probability - (probability >> shift), margin)


class Coder:
    """What encoder and decoder have in common: the syntax on top of `split` and `pick`."""

    def __init__(self):
        self.range = (1 << 48) - 1

    def with_probability(self, probability, bit):
        """Code a bin that is a one with `probability` of 2**16."""
        return self.split((self.range >> 16) * probability, bit)

    def adaptive(self, context, bit):
        """Code a bin in an `AdaptiveBin`."""
        bit = self.with_probability((context.fast + context.slow) >> 1, bit)
        context.update(bit)
        return bit

    def bits(self, value, n_bits):
        """Code `n_bits` equiprobable bits as one number."""
        self.range >>= n_bits
        return self.pick(value, (1 << n_bits) - 1)

    def exp_golomb(self, value):
        """Code a number below 2**16 - 1: the length of value + 1 in unary, then its bits below the first."""
        length = (value + 1).bit_length() - 1
        decoded = 0
        while decoded < 15 and self.bits(1 if length > decoded else 0, 1):
            decoded += 1
        if decoded == 0:
            return 0
        return (1 << decoded) + self.bits((value + 1) & ((1 << decoded) - 1), decoded) - 1

    def renormalize(self):
        """Append 16 bits when the range is below 2**32."""
        if self.range < 1 << 32:
            self.range <<= 16
            self.append_word()


class Encoder(Coder):
    """Keeps the lower end of the interval as one integer."""

    def __init__(self):
        super().__init__()
        self.low, self.n_words = 0, 0

    def split(self, bound, bit):
        """Keep the lower part for a one, the upper for a zero."""
        if bit:
            self.range = bound
        else:
            self.low += bound
            self.range -= bound
        self.renormalize()
        return bit

    def pick(self, value, _):
        """Keep part number `value`."""
        self.low += value * self.range
        self.renormalize()
        return value

    def append_word(self):
        """Make room for 16 bits."""
        self.low <<= 16
        self.n_words += 1

    def shortest(self):
        """Return the number with the most zeros at its end, of at most 48, that lies in the interval, and its bytes."""
        for zeros in range(48, -1, -1):
            value = -(-self.low >> zeros) << zeros
            if value < self.low + self.range:
                break
        return value.to_bytes(6 + 2 * self.n_words, "big")


class Decoder(Coder):
    """Keeps the distance of the payload, followed by zeros, from the lower end of the interval."""

    def __init__(self, payload):
        super().__init__()
        self.payload, self.position = payload, 0
        self.offset = min(self._read(6), self.range - 1)

    def _read(self, n_bytes):
        part = self.payload[self.position : self.position + n_bytes].ljust(n_bytes, b"\0")
        self.position += n_bytes
        return int.from_bytes(part, "big")

    def split(self, bound, _):
        """Tell in which part the payload lies."""
        bit = 1 if self.offset < bound else 0
        if bit:
            self.range = bound
        else:
            self.offset -= bound
            self.range -= bound
        self.renormalize()
        return bit

    def pick(self, _, last):
        """Tell in which of the equal parts the payload lies."""
        value = min(self.offset // self.range, last)
        self.offset -= value * self.range
        self.renormalize()
        return value

    def renormalize(self):
        """Keep the payload inside the interval, from which only a damaged one leaves it."""
        self.offset = min(self.offset, self.range - 1)
        super().renormalize()

    def append_word(self):
        """Read 16 bits."""
        self.offset = (self.offset << 16) + self._read(2)
