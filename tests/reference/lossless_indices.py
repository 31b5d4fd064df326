"""One pixel of indexed colours of the lossless decoder in plain Python (docs/spec/lossless.md, L7)."""

from tests.reference.lossless_tables import Cell, hashed


class IndexDecoder:
    """What a `LosslessDecoder` does where colours have an index."""

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
