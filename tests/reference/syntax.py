"""The lossy codestream of a plane in plain Python, from the text of SPEC 5, on top of the range coder's oracle."""

from tests.reference.range_coder import AdaptiveBin
from tests.reference.reconstruction import NEXT_STATE, scan_of, size_class

SHAPES = {
    "quarters": (2, 4, 3, 2),
    "halves": (2, 4, 3),
    "standing": (2, 4, 3),
    "chroma from luma": (7, 3),
    "probable": (2, 7),
    "place": (2, 5),
    "end class": (2, 7, 9, 12),
    "end bit": (2, 7, 12),
    "significance": (2, 7, 2, 4, 10),
    "above one": (2, 7, 2, 4, 10),
    "above m": (2, 16, 10),
    "learned": (3, 3),
    "which learned": (3, 9, 8),
    "screen tools": (2, 734),
    "offset differs": (3,),
    "offset sign": (1,),
    "offset magnitude": (4,),
}
MAX_OFFSET = 6
FALLBACK_MODES = (1, 26, 10, 22, 30, 27, 11, 2)


def size_of(shape):
    """Return the product of a shape."""
    return shape[0] * size_of(shape[1:]) if shape else 1


class Contexts:
    """All contexts, numbered in the order of SHAPES, the last index running fastest."""

    def __init__(self, start_states=None):
        self.bins = [AdaptiveBin() for _ in range(sum(map(size_of, SHAPES.values())))]
        for bin_, (probability, count) in zip(self.bins, [] if start_states is None else start_states, strict=False):
            bin_.fast = bin_.slow = 256 * int(probability) + 128
            bin_.count = int(count)

    def __call__(self, element, *indices):
        """Return a context."""
        number, base = 0, 0
        for name, shape in SHAPES.items():
            if name == element:
                break
            base += size_of(shape)
        for index, length in zip(indices, SHAPES[element], strict=True):
            assert 0 <= index < length
            number = number * length + index
        return self.bins[base + number]


class Block:
    """A block: its place and its sides; when decoded, its mode and its end."""

    def __init__(self, x, y, width, height):
        self.x, self.y, self.width, self.height = x, y, width, height
        self.size = size_class(width, height)
        self.mode, self.end = 0, 0

    @property
    def log2_sides(self):
        """Return log2 of width and height."""
        return self.width.bit_length() - 1, self.height.bit_length() - 1

    def fullness(self):
        """Return 0 for an empty block, 1 for a few levels, 2 for more."""
        return 0 if self.end == 0 else 1 if 16 * self.end <= self.width * self.height else 2


class PlaneDecoder:
    """Decodes one plane; `guide` is the decoder of the luma plane, None for luma; `n_learned` modes by log2 size.

    With `adaptive`, trees have step offsets, by the place of their first sample.
    """

    def __init__(self, coder, contexts, height, width, guide=None, n_learned=None, adaptive=False):
        self.n_learned, self.offsets = n_learned or {}, {}
        self.coder, self.contexts, self.guide, self.kind = coder, contexts, guide, 0 if guide is None else 1
        self.height, self.width = height, width
        self.blocks = {}
        self.levels = [[0] * width for _ in range(height)]
        for y in range(0, height, 32):
            for x in range(0, width, 32):
                if adaptive:
                    self.offsets[x, y] = self.offset(x, y)
                self.square(x, y, 32)

    def offset(self, x, y):
        """Decode the step offset of a tree."""
        left, above = self.offsets.get((x - 32, y)), self.offsets.get((x, y - 32))
        left, above = [
            0 if a is None and b is None else b if a is None else a for a, b in ((left, above), (above, left))
        ]
        expected = (left + above) // 2
        if not self.bin("offset differs", min(abs(left - above), 2)):
            return expected
        sign, magnitude = -1 if self.bin("offset sign", 0) else 1, 1
        while magnitude < 2 * MAX_OFFSET and self.bin("offset magnitude", min(magnitude - 1, 3)):
            magnitude += 1
        return max(min(expected + sign * magnitude, MAX_OFFSET), -MAX_OFFSET)

    def at(self, x, y):
        """Return the block over a sample, None where none is decoded."""
        return self.blocks.get((x >> 2, y >> 2)) if x >= 0 and y >= 0 else None

    def neighbours(self, x, y):
        """Return the blocks left of and above a place, those that there are."""
        return [block for block in (self.at(x - 1, y), self.at(x, y - 1)) if block]

    def bin(self, element, *indices):
        """Decode a bin."""
        return self.coder.adaptive(self.contexts(element, *indices), 0)

    def square(self, x, y, side):
        """Decode a square: its quarters, its halves or itself."""
        half = side // 2
        if x >= self.width or y >= self.height:
            return
        if x + side > self.width or y + side > self.height or (side > 4 and self.has_quarters(x, y, side)):
            for dy in (0, half):
                for dx in (0, half):
                    self.square(x + dx, y + dy, half)
        elif side > 4 and self.bin("halves", self.kind, side.bit_length() - 3, self.smaller(x, y, side)):
            if self.is_standing(x, y, side):
                self.leaf(Block(x, y, half, side))
                self.leaf(Block(x + half, y, half, side))
            else:
                self.leaf(Block(x, y, side, half))
                self.leaf(Block(x, y + half, side, half))
        else:
            self.leaf(Block(x, y, side, side))

    def smaller(self, x, y, side):
        """Return how many of the blocks left and above are shorter, or narrower, than a square."""
        left, above = self.at(x - 1, y), self.at(x, y - 1)
        return (left is not None and left.height < side) + (above is not None and above.width < side)

    def has_quarters(self, x, y, side):
        """Decode whether a square is cut in quarters."""
        guide = None if self.guide is None else self.guide.at(x, y)
        guided = guide is not None and min(guide.width, guide.height) < side
        return self.bin("quarters", self.kind, side.bit_length() - 3, self.smaller(x, y, side), int(guided))

    def is_standing(self, x, y, side):
        """Decode whether a square's halves stand."""
        left, above = self.at(x - 1, y), self.at(x, y - 1)
        tall, wide = (side if left is None else left.height), (side if above is None else above.width)
        if self.guide is not None:
            tall, wide = self.guide.at(x, y).height, self.guide.at(x, y).width
        hint = 1 if tall > wide else 2 if tall < wide else 0
        return self.bin("standing", self.kind, side.bit_length() - 3, hint)

    def leaf(self, block):
        """Decode a block."""
        block.mode, block.end = self.mode(block), self.end(block)
        for row in range(block.y // 4, (block.y + block.height) // 4):
            for column in range(block.x // 4, (block.x + block.width) // 4):
                self.blocks[column, row] = block
        self.block_levels(block)

    def mode(self, block):
        """Decode a prediction mode."""
        if self.guide is not None:
            alike = sum(other.mode == 35 for other in self.neighbours(block.x, block.y))
            if self.bin("chroma from luma", block.size, alike):
                return 35
        elif block.size + 2 in self.n_learned and (learned := self.learned_mode(block)):
            return learned
        probable = self.probable_modes(block)
        if self.bin("probable", self.kind, block.size):
            place = 0
            while place < 5 and self.bin("place", self.kind, place):
                place += 1
            return probable[place]
        return [mode for mode in range(35) if mode not in probable][min(self.coder.bits(0, 5), 28)]

    def learned_mode(self, block):
        """Decode a learned mode, 36 and above, or None."""
        beside = [other.mode - 35 for other in self.neighbours(block.x, block.y) if other.mode >= 36]
        if not self.bin("learned", block.size, len(beside)):
            return None
        count, node = self.n_learned[block.size + 2], 1
        depth = (count - 1).bit_length()
        for _ in range(depth):
            node = 2 * node + self.bin("which learned", block.size, beside[0] if beside else 0, node)
        return 36 + min(node - (1 << depth), count - 1)

    def probable_modes(self, block):
        """Return the six probable modes."""
        x, y = block.x, block.y
        around = [self.at(x - 1, y + block.height - 1), self.at(x + block.width - 1, y - 1)]
        left, above = (0 if block is None or block.mode >= 35 else block.mode for block in around)
        guided = 0 if self.guide is None else self.guide.at(x, y).mode
        modes = [] if self.guide is None else [0 if guided >= 35 else guided]
        modes += [0, left, above]
        high, low = max(left, above), min(left, above)
        if high > 1:
            beside = [(mode, step) for mode in (high, low) if mode > 1 for step in (-1, 1)]
            modes += [1] + [2 + (mode - 2 + step) % 33 for mode, step in [*beside, (high, -2), (high, 2)]]
        return list(dict.fromkeys([*modes, *FALLBACK_MODES]))[:6]

    def end(self, block):
        """Decode the end of a block."""
        fullness = sum(other.fullness() for other in self.neighbours(block.x, block.y))
        if self.guide is not None:
            fullness = 3 * min(fullness, 2) + self.guide.at(block.x, block.y).fullness()
        length, area = 0, block.width * block.height
        while length < area.bit_length() and self.bin("end class", self.kind, block.size, fullness, length):
            length += 1
        if length < 2:
            return length
        end = 2 + self.bin("end bit", self.kind, block.size, length)
        if length > 2:
            end = (end << (length - 2)) + self.coder.bits(0, length - 2)
        return min(end, area)

    def block_levels(self, block):
        """Decode the levels of a block, from its end to its start."""
        state, magnitudes, third = 0, {}, 6 if max(block.width, block.height) <= 8 else 10
        for k, (row, column) in reversed(list(enumerate(scan_of(block.width, block.height)[: block.end]))):
            near, far = ((0, 1), (1, 0)), ((0, 2), (1, 1), (2, 0))
            total = sum(2 * magnitudes.get((row + dy, column + dx), 0) for dy, dx in near)
            total += sum(magnitudes.get((row + dy, column + dx), 0) for dy, dx in far)
            neighbours = sum(total >= bound for bound in (1, 2, 3, 4, 5, 7, 10, 15, 25))
            frequency = sum(row + column >= bound for bound in (1, 3, third))
            magnitude = self.magnitude((block.size, state >> 1, frequency, neighbours), k == block.end - 1)
            if magnitude:
                self.levels[block.y + row][block.x + column] = -magnitude if self.coder.bits(0, 1) else magnitude
                magnitudes[row, column] = magnitude
            state = NEXT_STATE[state][magnitude % 2]

    def magnitude(self, indices, is_last):
        """Decode the magnitude of a level."""
        if not is_last and not self.bin("significance", self.kind, *indices):
            return 0
        if not self.bin("above one", self.kind, *indices):
            return 1
        for m in range(2, 15):
            if not self.bin("above m", self.kind, m, indices[-1]):
                return m
        return min(15 + self.coder.exp_golomb(0), (1 << 15) - 1)
