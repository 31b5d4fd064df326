# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The dependent quantizer: its four states, and coefficients from levels (SPEC 4.3)."""

import numpy as np

from fdcodec.format.constants import COEFFICIENT_LIMIT, STEP_BITS
from fdcodec.kernels.jit import kernel


@kernel(inner=True)
def next_state(high, low, level):
    """Return the two bits of the state after a level, which follows its parity."""
    return low ^ (level & 1), high


@kernel()
def dequantize(levels, half_step, work):
    """Find the coefficients of one block that are not zero: the dependent quantizer's reconstruction (SPEC 4.3).

    `levels`, int16, are those up to the block's end, in the order of the scan; a level means `level` whole steps, or
    half a step less where the state's high bit is set. Returns how many there are: of the `Work`, `found` has them and
    `places` their places in the scan.
    """
    found, places, n_found = work.found, work.places, 0
    high, low = np.int64(0), np.int64(0)
    for k in range(len(levels) - 1, -1, -1):
        level = np.int64(levels[k])
        half_steps = max(2 * abs(level) - high, 0)
        value = min((half_steps * half_step + (1 << (STEP_BITS - 1))) >> STEP_BITS, COEFFICIENT_LIMIT)
        found[n_found], places[n_found] = -value if level < 0 else value, k  # written over by the next where it is zero
        n_found += 1 if level != 0 else 0
        high, low = next_state(high, low, level)
    return n_found
