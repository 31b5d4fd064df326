"""Sampled and copied blocks in plain Python, decoding only (SPEC 5.9, 5.10)."""

EMPTY = -(1 << 20)
SHORT = (0x1E3779B1, 0x05EBCA77, 0x42B2AE3D)


def bucket(total):
    """Return the place in a table of 2^14 entries."""
    return (total ^ (total >> 17) ^ (total >> 31)) % (1 << 14)


class SampledPlane:
    """A plane whose sampled blocks are decoded; `before` are the planes decoded before it, luma first."""

    def __init__(self, coder, bins, kind, height, width, before, grid):
        self.coder, self.bins, self.kind, self.before, self.grid = coder, bins, kind, before, grid
        self.plane = [[0] * width for _ in range(height)]
        self.tables, self.recent = ({}, {}), [EMPTY] * 32

    def bin(self, element, *indices):
        """Decode a bin; `bins` are made as they are first used."""
        return self.coder.adaptive(self.bins[element, self.kind, *indices], 0)

    def around(self, x, y, is_last):
        """Return the neighbours left, above, above right, above left, left of left and above the one above."""
        plane = self.plane
        left = plane[y][x - 1] if x else plane[y - 1][x] if y else 128 << 3
        above = plane[y - 1][x] if y else left
        right = above if is_last or not y else plane[y - 1][x + 1]
        corner = plane[y - 1][x - 1] if x and y else above
        return left, above, right, corner, plane[y][x - 2] if x > 1 else left, plane[y - 2][x] if y > 1 else above

    def expected(self, x, y, is_last):
        """Return the candidates with the contexts of their flags, and the places in the tables."""
        left, above, right, corner, left2, above2 = self.around(x, y, is_last)
        pattern = [left == above, left == corner, above == corner, above == right]
        if self.kind == 0:
            pattern += [left == right, left == left2, above == above2]
            short = left * SHORT[0] + above * SHORT[1] + right * SHORT[2]
            places = short + corner * 0x27D4EB2F + left2 * 0x165667B1 + above2 * 0x3C6EF372, short
        else:
            guide, other = self.before[0], self.before[-1]
            for column, row in ((x - 1, y), (x, y - 1)):
                is_there = column >= 0 and row >= 0
                pattern.append(is_there and all(p[y][x] == p[row][column] for p in (guide, other)))
            short = guide[y][x] * SHORT[0] + other[y][x] * SHORT[1]
            places = short, short + left * SHORT[2] + above * 0x27D4EB2F
        places = [bucket(place) for place in places]
        candidates = {}
        for table, place in enumerate(places):
            value, confidence = self.tables[table].get(place, (None, 0))
            if value is not None:
                context = ("follower", table, confidence, (value == left) + 2 * (value == above))
                candidates.setdefault(value, context)
        for slot, value in enumerate((left, above, right, corner)):
            candidates.setdefault(value, ("neighbour", slot, sum(bit << k for k, bit in enumerate(pattern))))
        return candidates, places

    def learn(self, places, value):
        """Enter a value into both tables."""
        for table, place in zip(self.tables, places, strict=True):
            held, confidence = table.get(place, (None, 0))
            table[place] = value, min(confidence + 1, 7) if held == value else 0

    def golomb(self, *element):
        """Decode an exponential Golomb number with a prefix in contexts."""
        length = 0
        while length < 15 and self.bin(*element, length):
            length += 1
        return (1 << length) + (self.coder.bits(0, length) if length else 0) - 1

    def other(self, x, y):
        """Decode a value that is no candidate."""
        low, high, distance = self.grid
        if self.bin("recent"):
            node = 1
            for _ in range(5):
                node = 2 * node + self.bin("recent index", node)
            value = self.recent.pop(node - 32)
        else:
            left, above, _, corner, _, _ = self.around(x, y, False)
            predicted = sorted((left, above, left + above - corner))[1]
            base = (predicted - low + distance // 2) // distance
            sign = -1 if self.bin("sign") else 1
            value = min(max(low + (base + sign * self.golomb("prefix")) * distance, low), high)
            self.recent.pop()
        self.recent.insert(0, value)
        return value

    def block(self, x, y, width, height, is_coded):
        """Decode the samples of a block."""
        for row in range(y, y + height):
            for column in range(x, x + width):
                candidates, places = self.expected(column, row, column == x + width - 1)
                if is_coded:
                    value = next((v for v, context in candidates.items() if self.bin(*context)), None)
                    value = self.other(column, row) if value is None else value
                else:
                    value = next(iter(candidates))
                self.plane[row][column] = value
                self.learn(places, value)
