"""The one measure of a decoded image that the encoder needs, too: it can aim at it."""

import math

import numpy as np

from fdcodec.aliases import Samples


def psnr(reference: Samples, decoded: Samples) -> float:
    """Return the peak signal-to-noise ratio in dB, infinite for equal images.

    ``10 log10(peak^2 / MSE)``, peak the greatest value of the type, and the mean squared error pooled over all samples
    of all planes.

    Examples
    --------
    >>> psnr(np.full((2, 2), 10, np.uint8), np.full((2, 2), 11, np.uint8))
    48.130803608679104
    """
    difference = reference.astype(np.int64) - decoded
    mean_square = float(np.mean(difference * difference))
    return 10 * math.log10(np.iinfo(reference.dtype).max ** 2 / mean_square) if mean_square else math.inf
