"""The lossy codestream of a plane in plain Python, from the text of SPEC 5, on top of the range coder's oracle."""

from tests.reference.range_coder import AdaptiveBin
from tests.reference.reconstruction import NEXT_STATE, scan_of

SHAPES = {
    "split": (2, 4, 3, 2),
    "chroma from luma": (4, 3),
    "probable": (2, 4),
    "place": (2, 5),
    "end class": (2, 4, 9, 12),
    "end bit": (2, 4, 12),
    "significance": (2, 4, 2, 4, 10),
    "above one": (2, 4, 2, 4, 10),
    "above m": (2, 16, 10),
    "learned": (3, 3),
    "which learned": (3, 9, 8),
}
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
    """A decoded block: place, log2 of its size, mode, end."""

    def __init__(self, x, y, log2, mode=0, end=0):
        self.x, self.y, self.log2, self.mode, self.end = x, y, log2, mode, end

    def activity(self):
        """Return 0 for an empty block, 1 for a few levels, 2 for more."""
        return 0 if self.end == 0 else 1 if 16 * self.end <= 4**self.log2 else 2


class PlaneDecoder:
    """Decodes one plane; `guide` is the decoder of the luma plane, None for luma; `n_learned` modes by log2 size."""

    def __init__(self, coder, contexts, height, width, guide=None, n_learned=None):
        self.n_learned = n_learned or {}
        self.coder, self.contexts, self.guide, self.kind = coder, contexts, guide, 0 if guide is None else 1
        self.height, self.width = height, width
        self.blocks = {}
        self.levels = [[0] * width for _ in range(height)]
        for y in range(0, height, 32):
            for x in range(0, width, 32):
                self.tree(x, y, 5)

    def at(self, x, y):
        """Return the block over a sample, None where none is decoded."""
        return self.blocks.get((x >> 2, y >> 2)) if x >= 0 and y >= 0 else None

    def neighbours(self, x, y):
        """Return the blocks left of and above a place, those that there are."""
        return [block for block in (self.at(x - 1, y), self.at(x, y - 1)) if block]

    def bin(self, element, *indices):
        """Decode a bin."""
        return self.coder.adaptive(self.contexts(element, *indices), 0)

    def tree(self, x, y, log2):
        """Decode a block or its quarters."""
        if x >= self.width or y >= self.height:
            return
        if x + (1 << log2) > self.width or y + (1 << log2) > self.height or (log2 > 2 and self.is_split(x, y, log2)):
            half = 1 << (log2 - 1)
            for dy in (0, half):
                for dx in (0, half):
                    self.tree(x + dx, y + dy, log2 - 1)
            return
        block = Block(x, y, log2, self.mode(x, y, log2), self.end(x, y, log2))
        for row in range(y >> 2, (y >> 2) + (1 << (log2 - 2))):
            for column in range(x >> 2, (x >> 2) + (1 << (log2 - 2))):
                self.blocks[column, row] = block
        self.block_levels(block)

    def is_split(self, x, y, log2):
        """Decode a split flag."""
        smaller = sum(block.log2 < log2 for block in self.neighbours(x, y))
        guided = self.guide is not None and self.guide.at(x, y).log2 < log2
        return self.bin("split", self.kind, log2 - 2, smaller, int(guided))

    def mode(self, x, y, log2):
        """Decode a prediction mode."""
        if self.guide is not None:
            alike = sum(block.mode == 35 for block in self.neighbours(x, y))
            if self.bin("chroma from luma", log2 - 2, alike):
                return 35
        elif log2 in self.n_learned and (learned := self.learned_mode(x, y, log2)):
            return learned
        probable = self.probable_modes(x, y, 1 << log2)
        if self.bin("probable", self.kind, log2 - 2):
            place = 0
            while place < 5 and self.bin("place", self.kind, place):
                place += 1
            return probable[place]
        return [mode for mode in range(35) if mode not in probable][min(self.coder.bits(0, 5), 28)]

    def learned_mode(self, x, y, log2):
        """Decode a learned mode, 36 and above, or None."""
        beside = [block.mode - 35 for block in self.neighbours(x, y) if block.mode >= 36]
        if not self.bin("learned", log2 - 2, len(beside)):
            return None
        count, node = self.n_learned[log2], 1
        depth = (count - 1).bit_length()
        for _ in range(depth):
            node = 2 * node + self.bin("which learned", log2 - 2, beside[0] if beside else 0, node)
        return 36 + min(node - (1 << depth), count - 1)

    def probable_modes(self, x, y, size):
        """Return the six probable modes."""
        around = [self.at(x - 1, y + size - 1), self.at(x + size - 1, y - 1)]
        left, above = (0 if block is None or block.mode >= 35 else block.mode for block in around)
        guided = 0 if self.guide is None else self.guide.at(x, y).mode
        modes = [] if self.guide is None else [0 if guided >= 35 else guided]
        modes += [0, left, above]
        high, low = max(left, above), min(left, above)
        if high > 1:
            beside = [(mode, step) for mode in (high, low) if mode > 1 for step in (-1, 1)]
            modes += [1] + [2 + (mode - 2 + step) % 33 for mode, step in [*beside, (high, -2), (high, 2)]]
        return list(dict.fromkeys([*modes, *FALLBACK_MODES]))[:6]

    def end(self, x, y, log2):
        """Decode the end of a block."""
        activity = sum(block.activity() for block in self.neighbours(x, y))
        if self.guide is not None:
            activity = 3 * min(activity, 2) + self.guide.at(x, y).activity()
        length = 0
        while length <= 2 * log2 and self.bin("end class", self.kind, log2 - 2, activity, length):
            length += 1
        if length < 2:
            return length
        end = 2 + self.bin("end bit", self.kind, log2 - 2, length)
        if length > 2:
            end = (end << (length - 2)) + self.coder.bits(0, length - 2)
        return min(end, 4**log2)

    def block_levels(self, block):
        """Decode the levels of a block, from its end to its start."""
        size, state, magnitudes = 1 << block.log2, 0, {}
        for k, (row, column) in reversed(list(enumerate(scan_of(size)[: block.end]))):
            near, far = ((0, 1), (1, 0)), ((0, 2), (1, 1), (2, 0))
            total = sum(2 * magnitudes.get((row + dy, column + dx), 0) for dy, dx in near)
            total += sum(magnitudes.get((row + dy, column + dx), 0) for dy, dx in far)
            neighbours = sum(total >= bound for bound in (1, 2, 3, 4, 5, 7, 10, 15, 25))
            frequency = sum(row + column >= bound for bound in (1, 3, 6 if size < 16 else 10))
            magnitude = self.magnitude((block.log2 - 2, state >> 1, frequency, neighbours), k == block.end - 1)
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
