"""The encoder's choice of step offsets for `tune="visual"`: coarser where a picture is busy. No decoder needs it."""

import numpy as np
from numpy.typing import NDArray

from fdcodec.coding.lossy import Steps, local_indices
from fdcodec.coding.settings import EncoderSettings
from fdcodec.coding.tuning import search_options
from fdcodec.format.constants import MAX_LOG2, MAX_OFFSET

STRENGTH = 0.75  # offsets for one octave of variance; 0.5 and 1 save 1.7 and 0.3 % less at equal SSIMULACRA 2
PIVOT = 7.8  # mean log2 variance of trees that keep the picture's step: that of Kodak's
_CELL = 8  # side of the squares whose variance is taken


def adaptive_steps(
    samples: NDArray[np.uint8], settings: EncoderSettings, step_index: int, bounds: list[tuple[int, int]]
) -> Steps:
    """Return the step offset of each tree of a tile, and the search options of every plane at every offset.

    Parameters
    ----------
    samples
        Shape (height, width, 1 or 3), uint8.
    settings, step_index, bounds
        As for `search_options`.
    """
    offsets = np.clip(np.rint(STRENGTH * (activities(samples) - PIVOT)), -MAX_OFFSET, MAX_OFFSET).astype(np.int64)
    indices = local_indices(step_index, np.arange(-MAX_OFFSET, MAX_OFFSET + 1))
    by_offset = [search_options(settings, int(index), bounds) for index in indices]
    return Steps(offsets, list(zip(*by_offset, strict=True)))


def activities(samples: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the mean over each tree of log2(1 + 3 variance) of the gray of its 8x8 squares, edges repeated.

    The sums are exact, so that flat squares have a variance of 0.
    """
    side = 1 << MAX_LOG2
    height, width = (-(-extent // side) for extent in samples.shape[:2])
    missing = [(0, count * side - extent) for count, extent in zip((height, width), samples.shape, strict=False)]
    gray = np.pad(samples.sum(axis=2, dtype=np.int64), missing, mode="edge")
    squares = gray.reshape(height, side // _CELL, _CELL, width, side // _CELL, _CELL)
    sums, squared = squares.sum(axis=(2, 5)), (squares * squares).sum(axis=(2, 5))
    variances = (_CELL**2 * squared - sums * sums) / (_CELL**2 * samples.shape[2]) ** 2
    activity: NDArray[np.float64] = np.log2(1 + 3 * variances).mean(axis=(1, 3))
    return activity
