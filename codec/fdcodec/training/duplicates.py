"""Images that are nearly the same, as copies saved again or scaled are: one must not judge what the other taught."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

SIDE = 16
LIKENESS = 0.97
"""Least likeness of copies.

Images of 17 classes have 0.97 and more to what JPEG at quality 20 or half the size leaves of them. Of other pairs only
neighbouring slices and windows of one program come near it, with 0.969 and 0.962. To copies that are cut by a hundredth
at each side images have 0.89 and more: some are found, smaller crops not.
"""
FLAT = 1.0  # in gray values: the length of a relief below which it is noise


def relief_of(samples: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return by how much the means of the SIDE x SIDE parts of an image differ from those beside and below them.

    Parameters
    ----------
    samples
        Gray or RGB, shape (height, width, 1 or 3).

    Returns
    -------
    relief
        Shape (2 SIDE (SIDE - 1),), of mean 0 and length 1, or all 0 of a flat image. The product of two is their
        likeness, which even light does not change.
    """
    gray = Image.fromarray(samples if samples.shape[2] == 3 else samples[:, :, 0]).convert("L").convert("F")
    means = np.asarray(gray.resize((SIDE, SIDE), Image.Resampling.BOX))
    slopes = np.concatenate([np.diff(means, axis=0).ravel(), np.diff(means, axis=1).ravel()])
    slopes -= slopes.mean()
    length = np.linalg.norm(slopes)
    relief: NDArray[np.float32] = slopes / length if length > FLAT else np.zeros_like(slopes)
    return relief


def copies_among(reliefs: Sequence[NDArray[np.float32]], hashes: Sequence[str]) -> NDArray[np.bool_]:
    """Tell of images, by their reliefs and the hashes of their samples, which are copies of each other: shape (n, n).

    Flat images are copies only if they are equal.
    """
    stacked, numbers = np.array(reliefs), np.unique(hashes, return_inverse=True)[1]
    are_copies: NDArray[np.bool_] = (stacked @ stacked.T > LIKENESS) | (numbers[:, None] == numbers)
    return are_copies
