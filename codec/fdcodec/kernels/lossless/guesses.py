# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""Guesses of the colour of a pixel, in pictures with few colours (SPEC L7).

An indexed picture gives every colour the number of its first appearance. A pixel is first guessed: three contexts of
3, 6 and 12 neighbours each remember the index last seen in them.

`s` is the `State`; `y` is the row of the picture, `j` the column with its pad. `slots` and `guesses` are rows of the
scratch, int64 (16,); `indices` and `escapes` those of the state.
"""

import numpy as np

from fdcodec.kernels.jit import kernel
from fdcodec.kernels.lossless.mixing import ADAPT_LIMIT, adapted, code_with, mixed, stretched, train
from fdcodec.kernels.lossless.state import (
    ANY_CONTEXTS,
    GUESS_RATE,
    GUESS_WEIGHTS,
    HASH_FACTOR,
    HASH_MASK,
    INPUTS,
    N_SLOTS,
    PATTERN_CELLS,
    PRODUCT_MASK,
    SLOT_CELLS,
    WHICH_CONTEXTS,
)
from fdcodec.kernels.syntax.range_coder import code_bin


@kernel(merged=True)
def hashed(state, number):
    """Return `state` with `number` hashed into it, 30 bits (SPEC L7)."""
    product = ((state ^ number) * HASH_FACTOR) & PRODUCT_MASK
    return (product ^ (product >> 29)) & HASH_MASK


@kernel()
def bit_length(value):
    """Return the number of bits of `value` >= 0."""
    n_bits = 0
    while value >> n_bits:
        n_bits += 1
    return n_bits


@kernel(merged=True)
def find_slots(indices, y, j, slots):
    """Fill the numbers of the slots of the contexts of 12, 6 and 3 neighbours."""
    here = indices[y % 3]
    above = indices[(y + 2) % 3]
    second = indices[(y + 1) % 3]
    small = hashed(hashed(hashed(1, here[j - 1]), above[j]), above[j + 1])
    medium = hashed(hashed(hashed(small, above[j - 1]), here[j - 2]), second[j])
    large = hashed(hashed(hashed(medium, second[j + 1]), second[j - 1]), above[j + 2])
    large = hashed(hashed(hashed(large, above[j - 2]), here[j - 3]), above[j + 3])
    slots[0] = large & (N_SLOTS - 1)
    slots[1] = medium & (N_SLOTS - 1)
    slots[2] = small & (N_SLOTS - 1)


@kernel(merged=True)
def best_guess(s, y, j, slots):
    """Return the index of the most trusted slot (or of W or N) and 0..2, or 3 when no slot knows one."""
    here = s.indices[y % 3]
    above = s.indices[(y + 2) % 3]
    guess = here[j - 1] if here[j - 1] == above[j - 1] or above[j] != above[j - 1] else above[j]
    order = 3
    trust = np.int64(0)
    for k in range(3):
        cell = np.int64(s.cells[SLOT_CELLS + k * N_SLOTS + slots[k]])
        if s.candidates[k, slots[k]] >= 0 and cell >> 8 > trust:
            guess = s.candidates[k, slots[k]]
            trust = cell >> 8
            order = k
    return guess, order


@kernel(merged=True)
def pattern(indices, y, j, guess):
    """Return six bits: which neighbours are equal to each other and to the guess."""
    here = indices[y % 3]
    above = indices[(y + 2) % 3]
    bits = 1 if here[j - 1] == above[j] else 0
    bits |= 2 if above[j] == above[j - 1] else 0
    bits |= 4 if above[j] == above[j + 1] else 0
    bits |= 8 if guess == here[j - 1] else 0
    bits |= 16 if guess == above[j] else 0
    bits |= 32 if here[j - 1] == here[j - 2] else 0
    return bits


@kernel(checked=True, merged=True)
def code_guess(s, y, j, slots, guess, order, is_right):
    """Code whether the first guess is right, from the slots' records and the pattern around (SPEC L7)."""
    inputs = s.scratch[INPUTS]
    for k in range(3):
        inputs[k] = 0
        candidate = s.candidates[k, slots[k]]
        if candidate >= 0:
            odds = stretched(np.int64(s.cells[SLOT_CELLS + k * N_SLOTS + slots[k]]))
            inputs[k] = odds if candidate == guess else -odds
    escapes_here = s.escapes[y & 1]
    escapes_above = s.escapes[1 - (y & 1)]
    n_escapes = escapes_here[j - 1] + escapes_above[j - 1] + escapes_above[j] + escapes_above[j + 1]
    cell = PATTERN_CELLS + (pattern(s.indices, y, j, guess) * 5 + n_escapes) * 4 + order
    inputs[3] = stretched(np.int64(s.cells[cell]))
    weights = s.weights[GUESS_WEIGHTS + order * 5 + n_escapes]
    probability = mixed(weights, inputs, 4)
    is_right = code_with(s.coder, s.buffer, probability, is_right)
    train(weights, inputs, 4, is_right, probability, GUESS_RATE)
    s.cells[cell] = adapted(np.int64(s.cells[cell]), is_right, ADAPT_LIMIT)
    return is_right


@kernel(merged=True)
def other_guesses(s, y, j, slots, guesses):
    """Fill the distinct guesses, the first one being given: the slots', then W, N, NE, NW; return their number."""
    here = s.indices[y % 3]
    above = s.indices[(y + 2) % 3]
    n_guesses = 1
    for k in range(7):
        if k < 3:
            guess = s.candidates[k, slots[k]]
        elif k == 3:
            guess = here[j - 1]
        else:
            guess = above[j + (0 if k == 4 else (1 if k == 5 else -1))]
        is_new = guess >= 0
        for m in range(n_guesses):
            is_new = is_new and guesses[m] != guess
        if is_new:
            guesses[n_guesses] = guess
            n_guesses += 1
    return n_guesses


@kernel(merged=True)
def escape_pattern(escapes, y, j):
    """Return four bits: where around no guess was right."""
    here = escapes[y & 1]
    above = escapes[1 - (y & 1)]
    return here[j - 1] | (above[j] << 1) | (above[j + 1] << 2) | (above[j - 1] << 3)


@kernel(checked=True, merged=True)
def code_other_guess(s, y, j, guesses, n_guesses, wanted):
    """Code which of the other guesses is right; return its index, or -1 when none is."""
    right = 0
    for m in range(1, n_guesses):
        if guesses[m] == wanted:
            right = m
    context = ANY_CONTEXTS + escape_pattern(s.escapes, y, j) * 9 + n_guesses
    if n_guesses == 1 or not code_bin(s.coder, s.buffer, s.contexts, context, 1 if right else 0):
        return np.int64(-1)
    found = 1
    while found < n_guesses - 1:
        context = WHICH_CONTEXTS + found * 9 + n_guesses
        if not code_bin(s.coder, s.buffer, s.contexts, context, 1 if right > found else 0):
            break
        found += 1
    return guesses[found]
