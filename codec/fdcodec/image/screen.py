"""Whether a picture looks drawn: its blocks with contrast have few colours, and its patterns repeat."""

from functools import reduce

import numpy as np
from numpy.typing import NDArray

from fdcodec.aliases import Samples
from fdcodec.image.picture import colours_of

BLOCK = 8  # side of the blocks looked at
MAX_BLOCKS = 2048  # about as many, evenly spread
LEAST_CONTRAST = 24  # of a channel; flat blocks tell nothing
MAX_COLOURS = 16  # that are few
LEAST_SHARE = 1 / 8  # of the blocks with contrast; photographs have at most 1/40, screens and pixel art at least 1/2
_MULTIPLIER = 0x1E3779B97F4A7C15  # of digests modulo 2^64; odd, so that patterns share one as seldom as by chance


def is_screen(samples: NDArray[np.uint8]) -> bool:
    """Tell whether a picture looks drawn rather than taken.

    Parameters
    ----------
    samples
        Shape (height, width, 1 or 3), uint8.
    """
    blocks = _blocks(samples)
    by_pixel = blocks.swapaxes(0, 1).copy()  # eight times as fast
    busy = blocks[(np.ptp(by_pixel, axis=0) >= LEAST_CONTRAST).any(axis=1)]
    if len(busy) == 0:
        return False
    colours = np.sort(_numbered(busy), axis=1)
    counts = 1 + np.count_nonzero(np.diff(colours, axis=1), axis=1)
    return bool(np.mean(counts <= MAX_COLOURS) > LEAST_SHARE)


def count_patterns(samples: Samples) -> int:
    """Return how many different patterns a pixel and the four neighbours coded before it form.

    Parameters
    ----------
    samples
        Shape (height, width, 1..4); alpha plays no part. Pixels at the left, upper and right border are left out.
    """
    colours = _numbered(colours_of(samples))
    above, row = colours[:-1], colours[1:]
    pixels = (row[:, :-2], above[:, :-2], above[:, 1:-1], above[:, 2:], row[:, 1:-1])
    digests = np.sort(reduce(lambda digest, pixel: digest * _MULTIPLIER + pixel, pixels), axis=None)
    return min(digests.size, 1) + int(np.count_nonzero(np.diff(digests)))


def _numbered(samples: Samples) -> NDArray[np.int64]:
    """Return one number for each colour along the last axis."""
    numbers: NDArray[np.int64] = samples.astype(np.int64) @ (256 ** np.arange(samples.shape[-1]))
    return numbers


def _blocks(samples: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return evenly spread whole blocks of a picture, shape (n, 64, channels)."""
    rows, columns, channels = samples.shape[0] // BLOCK, samples.shape[1] // BLOCK, samples.shape[2]
    whole = samples[: rows * BLOCK, : columns * BLOCK].reshape(rows, BLOCK, columns, BLOCK, channels)
    stride = max(1, round((rows * columns / MAX_BLOCKS) ** 0.5))
    return whole.swapaxes(1, 2)[::stride, ::stride].reshape(-1, BLOCK * BLOCK, channels)
