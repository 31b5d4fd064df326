# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""Rows of the lossless mode: plain rows, and rows of pictures with few colours (SPEC L2, L7, L8).

* In an indexed picture a pixel is first guessed. If no guess is right, the index is coded bit by bit, and a colour
  never seen before is coded plane by plane like any other sample.
* Nothing is stored of the whole picture but its planes; all else is a row or two, or of fixed size.

`s` is the `State`; `y` and `x` are row and column of the picture, `i` and `j` the same with the pads of the planes.
"""

import numpy as np

from fdcodec.kernels.jit import kernel
from fdcodec.kernels.lossless.guesses import (
    best_guess,
    bit_length,
    code_guess,
    code_other_guess,
    escape_pattern,
    find_slots,
    hashed,
    other_guesses,
)
from fdcodec.kernels.lossless.mixing import adapted, code_mixed
from fdcodec.kernels.lossless.samples import code_sample
from fdcodec.kernels.lossless.state import (
    FRESH_SLOT,
    GUESSES,
    INPUTS,
    N_PREDICTORS,
    N_SLOTS,
    N_TREE_INPUTS,
    NEW_CONTEXTS,
    PAD,
    REPLACE_BELOW,
    REPLACED_SLOT,
    ROOTS,
    ROW_CONTEXTS,
    SLOT_CELLS,
    SLOT_LIMIT,
    SLOTS,
    TREE_BITS,
    TREE_CELLS,
    TREE_PLACES,
    TREE_RATE,
    TREE_WEIGHTS,
)
from fdcodec.kernels.syntax.range_coder import code_bin


@kernel(checked=True, merged=True)
def code_index(s, i, y, j, wanted):
    """Code the index of a known colour, most significant bit first, in six contexts (SPEC L8)."""
    here = s.indices[y % 3]
    above = s.indices[(y + 2) % 3]
    w = np.int64(s.planes[0, i, j - 1])
    n = np.int64(s.planes[0, i - 1, j])
    median = max(min(w, n), min(max(w, n), w + n - np.int64(s.planes[0, i - 1, j - 1])))
    roots = s.scratch[ROOTS]
    roots[0] = hashed(1, 0)
    roots[1] = hashed(2, here[j - 1])
    roots[2] = hashed(3, above[j])
    roots[3] = hashed(hashed(4, here[j - 1]), above[j])
    roots[4] = hashed(5, (median - s.limits[0, 0]) >> 2)
    roots[5] = hashed(hashed(6, above[j - 1]), above[j + 1])
    inputs, places = s.scratch[INPUTS], s.scratch[TREE_PLACES]
    n_bits = bit_length(s.n_colours[0] - 1)
    node = np.int64(1)
    for b in range(n_bits - 1, -1, -1):
        for k in range(N_TREE_INPUTS):
            places[k] = TREE_CELLS + (hashed(roots[k], node) & ((1 << TREE_BITS) - 1))
        weights, bit = s.weights[TREE_WEIGHTS + b], (wanted >> b) & 1
        bit = code_mixed(s.coder, s.buffer, s.cells, weights, inputs, places, N_TREE_INPUTS, TREE_RATE, bit)
        node = 2 * node + bit
    return min(node - (1 << n_bits), s.n_colours[0] - 1)


@kernel(checked=True, inner=True)
def code_new_colour(s, i, j):
    """Code the samples of a colour not seen before; return its index."""
    index = s.n_colours[0]
    for channel in range(s.planes.shape[0]):
        code_sample(s, channel, i, j)
        s.colours[index, channel] = s.planes[channel, i, j]
    s.n_colours[0] = index + 1
    return index


@kernel(checked=True, merged=True)
def code_escape(s, i, y, j, wanted):
    """Code an index that no guess found: a new colour or a known one."""
    known = s.n_colours[0]
    is_new = 0
    if known == 0:
        is_new = 1
    elif known < s.n_colours[1]:
        age = min((bit_length(known) + 1) >> 1, 7)
        context = NEW_CONTEXTS + escape_pattern(s.escapes, y, j) * 8 + age
        is_new = code_bin(s.coder, s.buffer, s.contexts, context, 1 if wanted == known else 0)
    return code_new_colour(s, i, j) if is_new else code_index(s, i, y, j, wanted)


@kernel(merged=True)
def set_known_pixel(s, i, j, index):
    """Write a known colour, with no residual and no errors."""
    row = i & 1
    for channel in range(s.planes.shape[0]):
        s.planes[channel, i, j] = s.colours[index, channel]
        s.residuals[channel, row, j] = 0
        s.errors[channel, row, j, :] = 0


@kernel(merged=True)
def record(s, slots, index):
    """Enter `index` into the three contexts' slots."""
    for k in range(3):
        slot = slots[k]
        place = SLOT_CELLS + k * N_SLOTS + slot
        if s.candidates[k, slot] < 0:
            s.candidates[k, slot] = index
            s.cells[place] = FRESH_SLOT
            continue
        is_same = 1 if s.candidates[k, slot] == index else 0
        cell = adapted(np.int64(s.cells[place]), is_same, SLOT_LIMIT)
        if not is_same and cell >> 8 < REPLACE_BELOW:
            s.candidates[k, slot] = index
            cell = np.int64(REPLACED_SLOT)
        s.cells[place] = cell


@kernel(checked=True, merged=True)
def code_indexed_pixel(s, y, x):
    """Code one pixel of an indexed picture (SPEC L7)."""
    i = y + 2
    j = x + PAD
    wanted = s.wanted[x]
    slots = s.scratch[SLOTS]
    guesses = s.scratch[GUESSES]
    find_slots(s.indices, y, j, slots)
    index = np.int64(-1)
    known = s.n_colours[0]
    if known:
        guess, order = best_guess(s, y, j, slots)
        if code_guess(s, y, j, slots, guess, order, 1 if guess == wanted else 0):
            index = guess
        else:
            guesses[0] = guess
            index = code_other_guess(s, y, j, guesses, other_guesses(s, y, j, slots, guesses), wanted)
    s.escapes[y & 1, j] = 1 if index < 0 else 0
    if index < 0:
        index = code_escape(s, i, y, j, wanted)
    if index < known:
        set_known_pixel(s, i, j, index)
    s.indices[y % 3, j] = index
    record(s, slots, index)


@kernel(inner=True)
def copy_column(s, y, target, source_y, source):
    """Copy planes, residuals, errors and indices of column `source` of one row into column `target` of row `y`."""
    for channel in range(s.planes.shape[0]):
        s.planes[channel, y + 2, target] = s.planes[channel, source_y + 2, source]
        s.residuals[channel, y & 1, target] = s.residuals[channel, source_y & 1, source]
        for k in range(N_PREDICTORS):
            s.errors[channel, y & 1, target, k] = s.errors[channel, source_y & 1, source, k]
    s.indices[y % 3, target] = s.indices[source_y % 3, source]


@kernel(inner=True)
def begin_row(s, y):
    """Fill the left pads of row `y` from the first column of the row above."""
    for k in range(PAD):
        copy_column(s, y, k, y - 1, PAD)


@kernel(inner=True)
def end_row(s, y, width):
    """Fill the right pads of row `y` from its last column."""
    for k in range(PAD):
        copy_column(s, y, PAD + width + k, y, PAD + width - 1)


@kernel(inner=True)
def equals_above(s, y, width):
    """Return 1 if row `y` equals the row above in every plane."""
    for channel in range(s.planes.shape[0]):
        for j in range(PAD, PAD + width):
            if s.planes[channel, y + 2, j] != s.planes[channel, y + 1, j]:
                return 0
    return 1


@kernel(inner=True)
def copy_above(s, y, width):
    """Make row `y` a copy of the row above, with no residuals and no errors."""
    for j in range(PAD, PAD + width):
        for channel in range(s.planes.shape[0]):
            s.planes[channel, y + 2, j] = s.planes[channel, y + 1, j]
            s.residuals[channel, y & 1, j] = 0
            s.errors[channel, y & 1, j, :] = 0
        s.indices[y % 3, j] = s.indices[(y + 2) % 3, j]
        s.escapes[y & 1, j] = 0


@kernel(checked=True)
def code_row(s, y, width, was_copy):
    """Code row `y`; return 1 if it is a copy of the row above (SPEC L2)."""
    begin_row(s, y)
    is_copy = 0
    if y:
        is_copy = code_bin(s.coder, s.buffer, s.contexts, ROW_CONTEXTS + was_copy, equals_above(s, y, width))
    if is_copy:
        copy_above(s, y, width)
    elif s.n_colours[1]:
        for x in range(width):
            code_indexed_pixel(s, y, x)
    else:
        for x in range(width):
            for channel in range(s.planes.shape[0]):
                code_sample(s, channel, y + 2, x + PAD)
    end_row(s, y, width)
    return is_copy
