"""How a decoded image differs: PSNR, the one measure that the encoder can aim at, and the largest difference."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

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
    mean_square = sum(int(np.sum(band * band)) for band in _differences(reference, decoded)) / reference.size
    return 10 * math.log10(np.iinfo(reference.dtype).max ** 2 / mean_square) if mean_square else math.inf


def largest_difference(reference: Samples, decoded: Samples) -> int:
    """Return by how much the two samples that differ most do.

    Examples
    --------
    >>> largest_difference(np.array([[10, 255]], np.uint8), np.array([[11, 250]], np.uint8))
    5
    """
    return max(int(np.abs(band).max()) for band in _differences(reference, decoded))


def _differences(reference: Samples, decoded: Samples) -> Iterator[NDArray[np.int64]]:
    rows = max(_BAND_SAMPLES // reference[0].size, 1)
    for row in range(0, len(reference), rows):
        band = slice(row, row + rows)
        yield reference[band].astype(np.int64) - decoded[band]
