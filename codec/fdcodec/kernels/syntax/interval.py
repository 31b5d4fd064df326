# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,arg-type"
"""The interval of the range coder, both directions (SPEC 5.1).

READ ME FIRST

* The coder is one int64 array, so that kernels can pass it on; its fields are the index constants below. They always
  exist, and so are read and written without a test of the index.
* Between bins `range` lies in [2**32, 2**48). A probability is at least 384 / 2**16, so one bin leaves `range` above
  2**16 * 384 > 2**24, and a refill of 16 bits brings it back above 2**40: one `if` renormalizes. A bypass of up to
  16 bits leaves it at 2**16 or more, and one refill is again enough.
* A decoder's buffer cannot be written to, which numba knows as a type of its own: kernels compile once for each
  direction, and `decodes(buffer)` is a constant in them (ADR 0033).
* The encoder's carry runs back over bytes already written. The decoder reads zeros past the end; a valid payload makes
  it read at most `MAX_OVERRUN` of them, which `has_overrun` verifies.
* `LOW` holds the code value, relative to the interval, when decoding. It is below `RANGE`: a bin leaves it so, and
  where bits are read at once a damaged payload is clipped, or it would grow from refill to refill.

`coder` is int64 (CODER_FIELDS,), `buffer` uint8.
"""

import numpy as np
from numba.extending import overload

from fdcodec.format.constants import MAX_OVERRUN
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.simd.memory import put_value

LOW, RANGE, POSITION, LENGTH = range(4)
CODER_FIELDS = 4

WORD_MASK = (1 << 48) - 1
REFILL_BELOW = 1 << 32
LOW32_MASK = (1 << 32) - 1


def new_encoder(capacity_bytes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return an encoder's state and its output buffer of `capacity_bytes`."""
    coder = np.zeros(CODER_FIELDS, dtype=np.int64)
    coder[RANGE] = WORD_MASK
    coder[LENGTH] = capacity_bytes
    return coder, np.zeros(capacity_bytes, dtype=np.uint8)


def new_decoder(payload: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Return a decoder's state, its first 48 bits read, and the payload as a uint8 array that cannot be written to."""
    buffer = np.frombuffer(payload, dtype=np.uint8)
    buffer.flags.writeable = False
    coder = np.zeros(CODER_FIELDS, dtype=np.int64)
    coder[LOW] = int.from_bytes(payload[:6].ljust(6, b"\0"), "big")
    coder[LOW] = min(coder[LOW], WORD_MASK - 1)
    coder[RANGE] = WORD_MASK
    coder[POSITION] = 6
    coder[LENGTH] = len(payload)
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


def decodes(buffer):
    """Tell whether a coder with that buffer reads it; when compiled, a constant."""
    return not buffer.flags.writeable


@overload(decodes, inline="always")
def _typed_decodes(buffer):
    is_read = not buffer.mutable
    return lambda buffer: is_read


@kernel(checked=True)
def _read_word(coder, buffer):
    """Return the next 16 bits of a payload, zeros past its end."""
    position, word = coder[POSITION], np.int64(0)
    coder[POSITION] = position + 2
    if position < coder[LENGTH]:
        word = np.int64(buffer[position]) << 8
    if position + 1 < coder[LENGTH]:
        word |= np.int64(buffer[position + 1])
    return word


@kernel(merged=True)
def _read_on(coder, buffer, low, width):
    """Store a decoder's interval, its width brought back to 32 bits or more; `low` is below `width`."""
    if width < REFILL_BELOW:
        low, width = (low << 16) | _read_word(coder, buffer), width << 16
    put_value(low, coder, LOW)
    put_value(width, coder, RANGE)


@kernel()
def _carry(buffer, position):
    """Add one to the bytes already written."""
    index = position - 1
    while buffer[index] == 255:
        buffer[index] = 0
        index -= 1
    buffer[index] += 1


@kernel(checked=True)
def _write_word(coder, buffer, low):
    """Write the upper 16 bits of the 48-bit word."""
    position = coder[POSITION]
    coder[POSITION] = position + 2
    buffer[position], buffer[position + 1] = low >> 40, (low >> 32) & 255


@kernel(merged=True)
def _write_on(coder, buffer, low, width):
    """Store an encoder's interval, its carry passed on and its width brought back to 32 bits or more."""
    if low > WORD_MASK:
        low &= WORD_MASK
        _carry(buffer, coder[POSITION])
    if width < REFILL_BELOW:
        _write_word(coder, buffer, low)
        low, width = (low & LOW32_MASK) << 16, width << 16
    put_value(low, coder, LOW)
    put_value(width, coder, RANGE)


def go_on(coder, buffer, low, width):
    """Store the interval after a bin, renormalized."""
    (_read_on if decodes(buffer) else _write_on)(coder, buffer, low, width)


@overload(go_on, inline="always")
def _typed_go_on(coder, buffer, low, width):
    own = _write_on if buffer.mutable else _read_on
    return lambda coder, buffer, low, width: own(coder, buffer, low, width)
