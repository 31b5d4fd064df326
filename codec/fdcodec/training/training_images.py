"""What `learn` makes of an image, and the hash by which a recipe knows it."""

from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fdcodec.aliases import Samples
from fdcodec.image.sample_range import eight_bits, range_of


def training_samples(samples: Samples) -> NDArray[np.uint8]:
    """Return gray or RGB of 8 bits, those within the range of 16-bit samples; alpha is left out."""
    return eight_bits(samples, range_of(samples))


def training_hash(samples: NDArray[Any]) -> str:
    """Return the SHA-256 of samples, in hexadecimal."""
    return sha256(np.ascontiguousarray(samples).tobytes()).hexdigest()
