# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""Samples to planes and back (SPEC 3.2). Planes are centred on 128 and have FRACTION_BITS fractional bits.

`planes` are int32 (3, height, width), `matrix` is int64 (3, 3), scaled by 2^14.
"""

import numpy as np

from fdcodec.format.constants import COLOUR_BITS, FRACTION_BITS
from fdcodec.kernels.jit import kernel

_UINT8 = np.dtype(np.uint8)
_MIDDLE = 128 << FRACTION_BITS
_CENTRE = 255 << (FRACTION_BITS - 1)
_HALF = 1 << (COLOUR_BITS - 1)


@kernel()
def rotate_colour(values, matrix, planes):
    """Write planes[k] = matrix[k] . (values - 127.5) + 128.

    `values` is uint16 (height, width, 3), with FRACTION_BITS fractional bits as the planes have.
    """
    height, width = values.shape[0], values.shape[1]
    for k in range(3):
        a, b, c = matrix[k]
        for y in range(height):
            for x in range(width):
                red, green, blue = (
                    int(values[y, x, 0]) - _CENTRE,
                    int(values[y, x, 1]) - _CENTRE,
                    int(values[y, x, 2]) - _CENTRE,
                )
                total = a * red + b * green + c * blue
                planes[k, y, x] = ((total + _HALF) >> COLOUR_BITS) + _MIDDLE


@kernel(merged=True)
def _restore_channel(first, second, third, a, b, c, channel, shift):
    """Write a row of one channel; all int32, and a sum of three samples below 2^12 times 2^14 is below 2^28."""
    half, top = np.int32(1 << shift >> 1), np.int32(255 << FRACTION_BITS >> shift)
    for x in range(len(channel)):
        total = np.int32(np.int32(a * np.int32(first[x] - _MIDDLE)) + np.int32(b * np.int32(second[x] - _MIDDLE)))
        total = np.int32(np.int32(total + np.int32(c * np.int32(third[x] - _MIDDLE))) + _HALF) >> COLOUR_BITS
        value = np.int32(np.int32(total + _CENTRE) + half) >> shift
        channel[x] = min(max(np.int32(value), np.int32(0)), top)


@kernel()
def _interleave(red, green, blue, row):
    """Write a row of samples, pixel after pixel."""
    for x in range(len(red)):
        row[3 * x], row[3 * x + 1], row[3 * x + 2] = red[x], green[x], blue[x]


@kernel(allocates=True)
def restore_colour(planes, matrix, samples):
    """Invert `rotate_colour` by the transposed matrix, clipped; channel by channel in a row.

    uint8 samples are rounded, uint16 ones are values with FRACTION_BITS. Which they are, and so the shift, is a
    constant when compiled: a shift that is not takes 1.7 times as long.
    """
    height, width = samples.shape[0], samples.shape[1]
    shift = FRACTION_BITS if samples.dtype == _UINT8 else 0
    rows, channels = samples.reshape(height, 3 * width), np.empty((3, width), samples.dtype)
    for y in range(height):
        first, second, third = planes[0, y], planes[1, y], planes[2, y]
        for k in range(3):
            a, b, c = np.int32(matrix[0, k]), np.int32(matrix[1, k]), np.int32(matrix[2, k])
            _restore_channel(first, second, third, a, b, c, channels[k], shift)
        _interleave(channels[0], channels[1], channels[2], rows[y])
