"""PSNR: the one measure of a decoded image that the encoder can aim at."""

import math

import numpy as np

from fdcodec.aliases import Samples

_BAND_SAMPLES = 2**16
"""How many samples are compared at a time; at least a row."""


def psnr(reference: Samples, decoded: Samples) -> float:
    """Return the peak signal-to-noise ratio in dB, infinite for equal images.

    ``10 log10(peak^2 / MSE)``, peak the greatest value of the type, and the mean squared error pooled over all samples
    of all planes.

    Examples
    --------
    >>> round(psnr(np.full((2, 2), 10, np.uint8), np.full((2, 2), 11, np.uint8)), 4)
    48.1308
    """
    rows = max(_BAND_SAMPLES // reference[0].size, 1)
    bands = (slice(row, row + rows) for row in range(0, len(reference), rows))
    mean_square = sum(_squared_error(reference[band], decoded[band]) for band in bands) / reference.size
    return 10 * math.log10(np.iinfo(reference.dtype).max ** 2 / mean_square) if mean_square else math.inf


def _squared_error(reference: Samples, decoded: Samples) -> int:
    difference = reference.astype(np.int64) - decoded
    return int(np.sum(difference * difference))
