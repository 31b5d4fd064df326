"""What `learn` keeps of an image: the middle, the hash by which a recipe knows it, and what its copies have alike."""

from collections.abc import Sequence
from hashlib import sha256
from math import isqrt
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fdcodec.aliases import Samples
from fdcodec.image.sample_range import eight_bits, range_of
from fdcodec.training.duplicates import relief_of

MAX_PIXELS = 10_000_000  # of all windows together: more of them make a model no better, only the training longer
MIN_SIDE = 64
MAX_SIDE = 1024  # of the window cut from the middle of a training image
MAX_IMAGES = MAX_PIXELS // MIN_SIDE**2
"""More images would be more than MAX_PIXELS."""

_Item = TypeVar("_Item")


class TrainingImage(NamedTuple):
    """What is kept of an image.

    `middle` is (height, width, 1 or 3), uint8, as large as its window will be or larger, but for copies; `hash` is that
    of all samples, `relief` as `relief_of` has it.
    """

    middle: NDArray[np.uint8]
    hash: str
    relief: NDArray[np.float32]


def training_image(samples: Samples, n_before: int = 0) -> TrainingImage:
    """Return what is kept of an image, of which `n_before` were read before; of many images the middles are smaller.

    At least half of all images are used, which bounds the size of a window; where most are copies, windows of those
    that were read late are smaller than they might be.
    """
    colours = training_samples(samples)
    height, width = colours.shape[:2]
    side = _window_side(max(n_before // 2, 1))
    # with the parity of the image, so that the middle of the middle is that of the image
    middle = _middle(colours, side + (height - side) % 2, side + (width - side) % 2)
    return TrainingImage(middle.copy(), training_hash(colours), relief_of(colours))


def evenly_chosen(items: Sequence[_Item]) -> list[_Item]:
    """Return the items of the images that are used: of more than MAX_IMAGES so many, at even distances."""
    n_used = min(len(items), MAX_IMAGES)
    return [items[k * len(items) // n_used] for k in range(n_used)]


def training_samples(samples: Samples) -> NDArray[np.uint8]:
    """Return gray or RGB of 8 bits, those within the range of 16-bit samples; alpha is left out."""
    return eight_bits(samples, range_of(samples))


def training_hash(samples: NDArray[Any]) -> str:
    """Return the SHA-256 of samples, in hexadecimal."""
    return sha256(np.ascontiguousarray(samples).tobytes()).hexdigest()


def windows(images: list[NDArray[np.uint8]]) -> list[NDArray[np.uint8]]:
    """Return the middle of each image: squares of at most MAX_SIDE, smaller where images are many."""
    side = _window_side(len(images))
    return [_middle(samples, side, side) for samples in images]


def _window_side(n_images: int) -> int:
    return min(max(isqrt(MAX_PIXELS // n_images), MIN_SIDE), MAX_SIDE)


def _middle(samples: NDArray[np.uint8], most_height: int, most_width: int) -> NDArray[np.uint8]:
    """Return the middle of an image, at most so high and wide."""
    height, width = samples.shape[:2]
    top, left = max(0, (height - most_height) // 2), max(0, (width - most_width) // 2)
    return samples[top : top + most_height, left : left + most_width]
