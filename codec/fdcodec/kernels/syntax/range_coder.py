# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,arg-type"
"""The adaptive binary range coder, both directions (SPEC 5.1 to 5.3).

Every syntax function is written once, for both directions: `code_bin(..., bit)` writes `bit` and returns it when
encoding; when decoding it ignores the argument and returns what it reads.

`coder` and `buffer` are those of `interval`, `contexts` uint16 (n_contexts, 3): those of a plane fit the first cache.
"""

import numpy as np
from numba import types
from numba.extending import overload

from fdcodec.format.constants import FAST_MARGIN, FAST_SHIFT, MAX_COUNT, PROBABILITY_BITS, SLOW_MARGIN
from fdcodec.format.contexts import PREFIX_BINS
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.simd.memory import put_value, value_at
from fdcodec.kernels.syntax.interval import LOW, POSITION, RANGE, decodes, go_on

TALLY_UNIT = 1 << 20

# Shift of the n-th update of a fresh context: about log2(n + 1.5), so that the first bins count for much.
START_SHIFT = np.array([1] * 1 + [2] * 3 + [3] * 6 + [4] * 12 + [5] * 22 + [6] * 19 + [7], dtype=np.int64)


def new_contexts(n_contexts: int) -> np.ndarray:
    """Return fresh contexts: a uint16 array (n_contexts, 3) of fast probability, slow probability, update count."""
    contexts = np.zeros((n_contexts, 3), np.uint16)
    contexts[:, 0] = contexts[:, 1] = 1 << (PROBABILITY_BITS - 1)
    return contexts


def new_tally(contexts: np.ndarray) -> np.ndarray:
    """Return contexts that also keep the bits spent, for `info --bits`: int64, with a column and a row more.

    The kernels compile a second time for int64 contexts, with `tally` in them; for uint16 ones it is nothing.
    """
    counted = np.zeros((len(contexts) + 1, 4), dtype=np.int64)
    counted[:-1, :3] = contexts
    return counted


def tally(coder, contexts, context):
    """Charge what was coded since the last call to the context of that call: its bin, and the bypass bins after it.

    The last row holds that context, and the bits coded until then, in 1 / TALLY_UNIT.
    """
    if contexts.dtype == np.int64:
        _charge(coder, contexts, context)


@overload(tally, inline="always")
def _typed_tally(coder, contexts, context):
    if contexts.dtype == types.int64:
        return lambda coder, contexts, context: _charge(coder, contexts, context)
    return lambda coder, contexts, context: None


def close_tally(coder: np.ndarray, contexts: np.ndarray) -> None:
    """Charge what is left to the last context."""
    _charge(coder, contexts, contexts[-1, 0])


@kernel()
def _charge(coder, contexts, context):
    now = 8 * TALLY_UNIT * coder[POSITION] - np.int64(np.log2(coder[RANGE]) * TALLY_UNIT)
    last = contexts.shape[0] - 1
    contexts[contexts[last, 0], 3] += now - contexts[last, 1]
    contexts[last, 0] = context
    contexts[last, 1] = now


@kernel(checked=True, merged=True)
def code_bin(coder, buffer, contexts, context, bit):
    """Code one bin with adaptive context `context`, which the caller keeps below the number of contexts."""
    tally(coder, contexts, context)
    state = contexts[np.uint64(context)]  # a test of the index; those of its fields need none
    fast, slow, count = np.int64(value_at(state, 0)), np.int64(value_at(state, 1)), np.int64(value_at(state, 2))
    low, width = value_at(coder, LOW), value_at(coder, RANGE)
    bound = (width >> PROBABILITY_BITS) * ((fast + slow) >> 1)
    if decodes(buffer):
        bit = 1 if low < bound else 0
    start = value_at(START_SHIFT, count)
    fast_shift = min(start, FAST_SHIFT)
    if bit:
        width = bound
        fast = min(fast + ((65536 - fast) >> fast_shift), 65536 - FAST_MARGIN)
        slow = min(slow + ((65536 - slow) >> start), 65536 - SLOW_MARGIN)
    else:
        width -= bound
        low += -bound if decodes(buffer) else bound
        fast = max(fast - (fast >> fast_shift), FAST_MARGIN)
        slow = max(slow - (slow >> start), SLOW_MARGIN)
    put_value(fast, state, 0)
    put_value(slow, state, 1)
    put_value(min(count + 1, MAX_COUNT), state, 2)
    go_on(coder, buffer, low, width)
    return bit


@kernel(checked=True, merged=True)
def code_bypass(coder, buffer, bit):
    """Code one equiprobable bin."""
    low, width = value_at(coder, LOW), value_at(coder, RANGE) >> 1
    if decodes(buffer):
        bit = 1 if low >= width else 0
    if bit:
        low += -width if decodes(buffer) else width
    if decodes(buffer):
        low = min(low, width - 1)
    go_on(coder, buffer, low, width)
    return bit


@kernel(checked=True)
def code_bits(coder, buffer, value, n_bits):
    """Code `n_bits` (at most 16) equiprobable bits, most significant first, as one number."""
    low, width = value_at(coder, LOW), value_at(coder, RANGE) >> n_bits
    if decodes(buffer):
        value = min(low // width, (1 << n_bits) - 1)
        low = min(low - value * width, width - 1)
    else:
        low += value * width
    go_on(coder, buffer, low, width)
    return value


@kernel(checked=True)
def code_exp_golomb(coder, buffer, value):
    """Code `value` >= 0 (below 2**16 - 1) as exponential Golomb of order 0 in bypass bins (SPEC 5.3)."""
    target = value + 1
    n_bits = 0
    while n_bits < 15 and code_bypass(coder, buffer, 1 if target >> (n_bits + 1) else 0):
        n_bits += 1
    if n_bits == 0:
        return 0
    low_bits = code_bits(coder, buffer, target & ((1 << n_bits) - 1), n_bits)
    return (1 << n_bits) + low_bits - 1


@kernel(checked=True, inner=True)
def code_golomb(stream, first, value):
    """Code `value` >= 0 as exponential Golomb whose prefix has contexts from `first` on (SPEC 5.3)."""
    coder, buffer, contexts = stream
    target, n_bits = value + 1, 0
    while n_bits < PREFIX_BINS:
        if code_bin(coder, buffer, contexts, first + n_bits, 1 if target >> (n_bits + 1) else 0) == 0:
            break
        n_bits += 1
    low_bits = np.int64(0)
    if n_bits > 0:
        low_bits = np.int64(code_bits(coder, buffer, target & ((1 << n_bits) - 1), n_bits))
    return (np.int64(1) << n_bits) + low_bits - 1
