# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""Bins coded with a mixture of adaptive probabilities (SPEC L3).

READ ME FIRST

* A cell is an int32: a probability of a one in 22 bits above a count in 8 bits; `NEW_CELL` is 1/2 with count 0.
* Probabilities are mixed as logarithms of odds, in units of 1/256, within -2048..2047; `STRETCH` maps a probability
  to them and `SQUASH` maps them back. Both tables come from 33 integers, so that no machine's `exp` decides a bit.
* `SQUASH` never goes below 22 / 2**16, so one bin leaves `range` above 2**16 * 22 > 2**20 and one refill is enough.

Cells are int32, `weights` int64 (6,), `inputs` and `places` int64 (16,), of which the first `n_inputs` count.
"""

import numpy as np

from fdcodec.format.constants import PROBABILITY_BITS
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.simd.memory import value_at
from fdcodec.kernels.syntax.interval import LOW, RANGE, decodes, go_on

CELL_COUNT_BITS = 8
MAX_CELL_COUNT = 255
NEW_CELL = 1 << 29
ADAPT_LIMIT = 250
WEIGHT_SHIFT = 16

# 65536 / (1 + exp(-k / 2)) for k = -16..16, rounded.
SQUASH_KNOTS = (
    22, 36, 60, 98, 162, 267, 439, 720, 1179, 1921, 3108, 4971, 7812, 11955, 17625, 24743, 32768,
    40793, 47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438, 65476, 65500, 65514,
)  # fmt: skip


def _squash_table() -> np.ndarray:
    """Return SQUASH: entry x + 2048 interpolates the knots, 128 apart, at x."""
    position = np.arange(4096)
    knots = np.array(SQUASH_KNOTS, dtype=np.int64)
    left, fraction = position >> 7, position & 127
    squash = (knots[left] * (128 - fraction) + knots[left + 1] * fraction + 64) >> 7
    return squash.astype(np.uint16)


def _stretch_table(squash: np.ndarray) -> np.ndarray:
    """Return STRETCH: entry i is the number of SQUASH entries up to 16 i + 8, less 2048."""
    found = np.searchsorted(squash, 16 * np.arange(4096) + 8, side="right") - 2048
    return np.minimum(found, 2047).astype(np.int16)


SQUASH = _squash_table()
STRETCH = _stretch_table(SQUASH)
# 2**16 / (n + 1.6): the step of the n-th update of a cell, of the mean of its bits with a little of the start.
ADAPT = np.array([655360 // (10 * min(n, ADAPT_LIMIT) + 16) for n in range(MAX_CELL_COUNT + 1)], dtype=np.uint16)


@kernel(inline=True)
def stretched(cell):
    """Return the log-odds of a cell."""
    return np.int64(STRETCH[cell >> 18])


@kernel(inline=True)
def adapted(cell, bit, limit):
    """Return `cell` after `bit`; its count stops slowing it down at `limit`."""
    probability = cell >> CELL_COUNT_BITS
    count = cell & MAX_CELL_COUNT
    step = np.int64(ADAPT[count if count < limit else limit])
    probability += (((bit << 22) - probability) * step) >> 16
    return (probability << CELL_COUNT_BITS) | min(count + 1, MAX_CELL_COUNT)


@kernel(inline=True)
def mixed(weights, inputs, n_inputs):
    """Return the probability of a one, of 2**16, that the weighted log-odds `inputs` give."""
    dot = np.int64(0)
    for k in range(n_inputs):
        dot += weights[k] * inputs[k]
    position = (dot >> WEIGHT_SHIFT) + 2048
    return np.int64(SQUASH[0 if position < 0 else (position if position < 4095 else 4095)])


@kernel(inline=True)
def train(weights, inputs, n_inputs, bit, probability, rate):
    """Move the weights down the gradient of the code length of `bit`."""
    error = (bit << PROBABILITY_BITS) - probability
    for k in range(n_inputs):
        weights[k] += (inputs[k] * error) >> rate


@kernel(checked=True, merged=True)
def code_with(coder, buffer, probability, bit):
    """Code one bin that is a one with `probability` of 2**16."""
    low, width = value_at(coder, LOW), value_at(coder, RANGE)
    bound = (width >> PROBABILITY_BITS) * probability
    if decodes(buffer):
        bit = 1 if low < bound else 0
    if bit:
        width = bound
    else:
        width -= bound
        low += -bound if decodes(buffer) else bound
    go_on(coder, buffer, low, width)
    return bit


@kernel(checked=True, merged=True)
def code_mixed(coder, buffer, cells, weights, inputs, places, n_inputs, rate, bit):
    """Code one bin with the cells at `places[:n_inputs]` and adapt them and the weights; `inputs` is scratch."""
    for k in range(n_inputs):
        inputs[k] = stretched(np.int64(cells[places[k]]))
    probability = mixed(weights, inputs, n_inputs)
    bit = code_with(coder, buffer, probability, bit)
    train(weights, inputs, n_inputs, bit, probability, rate)
    for k in range(n_inputs):
        cells[places[k]] = adapted(np.int64(cells[places[k]]), bit, ADAPT_LIMIT)
    return bit
