"""The colours of a lossless picture that has few: how many there are, and the number of each pixel's (SPEC L7)."""

import numpy as np
from numpy.typing import NDArray

from fdcodec.aliases import Planes


def _colour_keys(samples: Planes) -> NDArray[np.uint64]:
    """Return one number a pixel, equal where all samples are equal."""
    keys = np.zeros(samples.shape[1:], dtype=np.uint64)
    for plane in samples:
        keys = (keys << np.uint64(16)) | plane.astype(np.uint64)
    return keys


def count_colours(samples: Planes) -> int:
    """Return the number of distinct colours."""
    return len(np.unique(_colour_keys(samples)))


def repeats(samples: Planes) -> float:
    """Return the share of pixels that are equal to one of W, NW, N and NE; those at the border do not count."""
    keys = _colour_keys(samples)
    here, above = keys[1:, 1:-1], keys[:-1]
    equal = (here == keys[1:, :-2]) | (here == above[:, :-2]) | (here == above[:, 1:-1]) | (here == above[:, 2:])
    return float(equal.mean()) if equal.size else 0.0


def appearance_indices(samples: Planes) -> NDArray[np.int64]:
    """Return the index of every pixel's colour, colours numbered as they first appear in raster order."""
    keys = _colour_keys(samples)
    _, first, inverse_indices = np.unique(keys, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse_indices].reshape(keys.shape)
