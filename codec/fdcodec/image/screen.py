"""The encoder's choice whether a picture is worth the screen tools: blocks of contrast that have few colours."""

import numpy as np
from numpy.typing import NDArray

BLOCK = 8  # side of the blocks looked at
MAX_BLOCKS = 2048  # about as many, evenly spread
LEAST_CONTRAST = 24  # of a channel; flat blocks tell nothing
MAX_COLOURS = 16  # that are few
LEAST_SHARE = 1 / 8  # of the blocks with contrast; photographs have up to 1/40, screens and pixel art from 1/2


def is_screen(samples: NDArray[np.uint8]) -> bool:
    """Tell whether a picture looks drawn rather than taken.

    Parameters
    ----------
    samples
        Shape (height, width, 1 or 3), uint8.
    """
    blocks = _blocks(samples)
    busy = blocks[(np.ptp(blocks, axis=1) >= LEAST_CONTRAST).any(axis=1)].astype(np.int64)
    if len(busy) == 0:
        return False
    colours = np.sort(busy @ (256 ** np.arange(busy.shape[2])), axis=1)
    counts = 1 + np.count_nonzero(np.diff(colours, axis=1), axis=1)
    return bool(np.mean(counts <= MAX_COLOURS) > LEAST_SHARE)


def _blocks(samples: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return evenly spread whole blocks of a picture, shape (n, 64, channels)."""
    rows, columns, channels = samples.shape[0] // BLOCK, samples.shape[1] // BLOCK, samples.shape[2]
    whole = samples[: rows * BLOCK, : columns * BLOCK].reshape(rows, BLOCK, columns, BLOCK, channels)
    stride = max(1, round((rows * columns / MAX_BLOCKS) ** 0.5))
    return whole.swapaxes(1, 2)[::stride, ::stride].reshape(-1, BLOCK * BLOCK, channels)
