# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""Samples to planes and back (SPEC 3.2). Planes are centred on 128 and have FRACTION_BITS fractional bits."""

from fdcodec.coding.constants import COLOUR_BITS, FRACTION_BITS
from fdcodec.kernels.jit import kernel

_MIDDLE = 128 << FRACTION_BITS
_HALF = 1 << (COLOUR_BITS - 1)


@kernel()
def rotate_colour(samples, matrix, planes):
    """Write planes[k] = matrix[k] . (samples - 127.5) + 128.

    `samples` is uint8 (height, width, 3), `matrix` int64 scaled by 2^14.
    """
    height, width = samples.shape[0], samples.shape[1]
    for k in range(3):
        a, b, c = matrix[k]
        for y in range(height):
            for x in range(width):
                red, green, blue = (
                    2 * int(samples[y, x, 0]) - 255,
                    2 * int(samples[y, x, 1]) - 255,
                    2 * int(samples[y, x, 2]) - 255,
                )
                total = (a * red + b * green + c * blue) << (FRACTION_BITS - 1)
                planes[k, y, x] = ((total + _HALF) >> COLOUR_BITS) + _MIDDLE


@kernel()
def restore_colour(planes, matrix, samples):
    """Invert `rotate_colour` by the transposed matrix, rounded and clipped to 0..255."""
    height, width = samples.shape[0], samples.shape[1]
    for y in range(height):
        for x in range(width):
            a, b, c = int(planes[0, y, x]) - _MIDDLE, int(planes[1, y, x]) - _MIDDLE, int(planes[2, y, x]) - _MIDDLE
            for k in range(3):
                total = (matrix[0, k] * a + matrix[1, k] * b + matrix[2, k] * c + _HALF) >> COLOUR_BITS
                value = (total + (255 << (FRACTION_BITS - 1)) + (1 << (FRACTION_BITS - 1))) >> FRACTION_BITS
                samples[y, x, k] = min(max(value, 0), 255)
