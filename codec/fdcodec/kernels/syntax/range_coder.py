# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,arg-type"
"""The adaptive binary range coder, both directions (SPEC 5.1 to 5.3).

READ ME FIRST

* The coder is one int64 array, so that kernels can pass it on; its fields are the index constants below.
* Between bins `range` lies in [2**32, 2**48). A probability is at least 384 / 2**16, so one bin leaves `range` above
  2**16 * 384 > 2**24, and a refill of 16 bits brings it back above 2**40: one `if` renormalizes. A bypass of up to
  16 bits leaves it at 2**16 or more, and one refill is again enough.
* Every syntax function is written once, for both directions: `code_bin(..., bit)` writes `bit` and returns it when
  encoding; when decoding it ignores the argument and returns what it reads.
* The encoder's carry runs back over bytes already written. The decoder reads zeros past the end; a valid payload makes
  it read at most `MAX_OVERRUN` of them, which `has_overrun` verifies.
* `coder` is int64 (CODER_FIELDS,), `buffer` uint8, `contexts` uint16 (n_contexts, 3): those of a plane fit the first
  cache.
"""

import numpy as np
from numba import types
from numba.extending import overload

from fdcodec.format.constants import FAST_MARGIN, FAST_SHIFT, MAX_COUNT, MAX_OVERRUN, PROBABILITY_BITS, SLOW_MARGIN
from fdcodec.format.contexts import PREFIX_BINS
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.simd.memory import put_value, value_at

LOW, RANGE, POSITION, LENGTH, DECODING = range(5)
CODER_FIELDS = 5

TALLY_UNIT = 1 << 20

WORD_MASK = (1 << 48) - 1
REFILL_BELOW = 1 << 32
LOW32_MASK = (1 << 32) - 1

# Shift of the n-th update of a fresh context: about log2(n + 1.5), so that the first bins count for much.
START_SHIFT = np.array([1] * 1 + [2] * 3 + [3] * 6 + [4] * 12 + [5] * 22 + [6] * 19 + [7], dtype=np.int64)


def new_contexts(n_contexts: int) -> np.ndarray:
    """Return fresh contexts: a uint16 array (n_contexts, 3) of fast probability, slow probability, update count."""
    contexts = np.zeros((n_contexts, 3), dtype=np.uint16)
    contexts[:, :2] = 1 << (PROBABILITY_BITS - 1)
    return contexts


def new_encoder(capacity_bytes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return an encoder's state and its output buffer of `capacity_bytes`."""
    coder = np.zeros(CODER_FIELDS, dtype=np.int64)
    coder[RANGE] = WORD_MASK
    coder[LENGTH] = capacity_bytes
    return coder, np.zeros(capacity_bytes, dtype=np.uint8)


def new_decoder(payload: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Return a decoder's state, its first 48 bits read, and the payload as a uint8 array."""
    buffer = np.frombuffer(payload, dtype=np.uint8).copy()
    coder = np.zeros(CODER_FIELDS, dtype=np.int64)
    coder[LOW] = int.from_bytes(payload[:6].ljust(6, b"\0"), "big")
    coder[LOW] = min(coder[LOW], WORD_MASK - 1)
    coder[RANGE] = WORD_MASK
    coder[POSITION] = 6
    coder[LENGTH] = len(payload)
    coder[DECODING] = 1
    return coder, buffer


def finish_encoder(coder: np.ndarray, buffer: np.ndarray) -> bytes:
    """Return the payload: the shortest bytes that, followed by zeros, lie inside the final interval."""
    low, high = int(coder[LOW]), int(coder[LOW]) + int(coder[RANGE]) - 1
    for zero_bits in range(48, -1, -1):
        value = (low + (1 << zero_bits) - 1) >> zero_bits << zero_bits
        if value <= high:
            break
    head = int.from_bytes(bytes(buffer[: coder[POSITION]]), "big") + (value >> 48)
    payload = head.to_bytes(int(coder[POSITION]), "big") + (value & WORD_MASK).to_bytes(6, "big")
    least = max(0, int(coder[POSITION]) + 6 - MAX_OVERRUN)  # the decoder has read up to POSITION + 6
    return payload.rstrip(b"\0").ljust(least, b"\0")


@kernel(inner=True)
def has_overrun(coder):
    """Tell whether a decoder has read farther past the end of its payload than one that is whole makes it."""
    return coder[POSITION] > coder[LENGTH] + MAX_OVERRUN


@kernel()
def _carry(buffer, position):
    """Add one to the bytes already written."""
    index = position - 1
    while buffer[index] == 255:
        buffer[index] = 0
        index -= 1
    buffer[index] += 1


@kernel(checked=True)
def _refill(coder, buffer, low):
    """Return `low` after 16 bits were shifted out of (encoder) or into (decoder) the 48-bit word."""
    position = coder[POSITION]
    coder[POSITION] = position + 2
    if coder[DECODING]:
        word = np.int64(0)
        if position < coder[LENGTH]:
            word = np.int64(buffer[position]) << 8
        if position + 1 < coder[LENGTH]:
            word |= np.int64(buffer[position + 1])
        return (low << 16) | word
    buffer[position] = low >> 40
    buffer[position + 1] = (low >> 32) & 255
    return (low & LOW32_MASK) << 16


@kernel(checked=True, merged=True)
def renormalize(coder, buffer, low, width):
    """Store the interval, its carry passed on and its width brought back to 32 bits or more."""
    if coder[DECODING]:
        low = min(low, width - 1)  # only a damaged payload lies outside; the value must stay inside, or it overflows
    elif low > WORD_MASK:
        low &= WORD_MASK
        _carry(buffer, coder[POSITION])
    if width < REFILL_BELOW:
        low = _refill(coder, buffer, low)
        width <<= 16
    coder[LOW] = low
    coder[RANGE] = width


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
    """Code one bin with adaptive context `context`, which the caller keeps below the number of contexts.

    `LOW` holds the code value, relative to the interval, when decoding.
    """
    tally(coder, contexts, context)
    state = contexts[context]  # a test of the index; those of its fields need none
    fast, slow, count = np.int64(value_at(state, 0)), np.int64(value_at(state, 1)), np.int64(value_at(state, 2))
    low, width = coder[LOW], coder[RANGE]
    bound = (width >> PROBABILITY_BITS) * ((fast + slow) >> 1)
    if coder[DECODING]:
        bit = 1 if low < bound else 0
    start = START_SHIFT[count]
    fast_shift = min(start, FAST_SHIFT)
    if bit:
        width = bound
        fast = min(fast + ((65536 - fast) >> fast_shift), 65536 - FAST_MARGIN)
        slow = min(slow + ((65536 - slow) >> start), 65536 - SLOW_MARGIN)
    else:
        width -= bound
        low += -bound if coder[DECODING] else bound
        fast = max(fast - (fast >> fast_shift), FAST_MARGIN)
        slow = max(slow - (slow >> start), SLOW_MARGIN)
    put_value(fast, state, 0)
    put_value(slow, state, 1)
    put_value(min(count + 1, MAX_COUNT), state, 2)
    renormalize(coder, buffer, low, width)
    return bit


@kernel(checked=True, merged=True)
def code_bypass(coder, buffer, bit):
    """Code one equiprobable bin."""
    low, width = coder[LOW], coder[RANGE] >> 1
    if coder[DECODING]:
        bit = 1 if low >= width else 0
    if bit:
        low += -width if coder[DECODING] else width
    renormalize(coder, buffer, low, width)
    return bit


@kernel(checked=True)
def code_bits(coder, buffer, value, n_bits):
    """Code `n_bits` (at most 16) equiprobable bits, most significant first, as one number."""
    low, width = coder[LOW], coder[RANGE] >> n_bits
    if coder[DECODING]:
        value = min(low // width, (1 << n_bits) - 1)
    low += -value * width if coder[DECODING] else value * width
    renormalize(coder, buffer, low, width)
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
