"""Samples of 8 or 16 bits as values of one scale, 0 to 255 with FRACTION_BITS fractional bits, and back (SPEC 3.2)."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fdcodec.aliases import Samples
from fdcodec.format.constants import FRACTION_BITS
from fdcodec.image.picture import colours_of

SampleRange: TypeAlias = tuple[int, int]

TOP = 255 << FRACTION_BITS
"""Greatest value."""


def range_of(samples: Samples) -> SampleRange | None:
    """Return the least and the greatest 16-bit sample without alpha, the ends of the scale; None for 8 bits."""
    if samples.dtype == np.uint8:
        return None
    colours = colours_of(samples)
    return int(colours.min()), int(colours.max())


def to_values(samples: Samples, sample_range: SampleRange | None) -> NDArray[np.uint16]:
    """Return samples, any shape, as values 0..TOP: 8-bit ones exactly, 16-bit ones within `sample_range` rounded."""
    if sample_range is None:
        return samples.astype(np.uint16) << np.uint16(FRACTION_BITS)
    low, high = sample_range
    span = high - low
    scale = (TOP * np.arange(span + 1) + span // 2) // max(span, 1)
    # clipped, as another thread may write on samples whose range is known already
    values: NDArray[np.uint16] = scale.astype(np.uint16).take(samples - np.uint16(low), mode="clip")
    return values


def from_values(values: NDArray[np.uint16], sample_range: SampleRange) -> NDArray[np.uint16]:
    """Return the 16-bit samples of values; exact where the range is at most TOP long."""
    low, high = sample_range
    scale = low + ((high - low) * np.arange(TOP + 1) + TOP // 2) // TOP
    samples: NDArray[np.uint16] = scale.astype(np.uint16)[values]
    return samples


def eight_bits(samples: Samples, sample_range: SampleRange | None) -> NDArray[np.uint8]:
    """Return gray or RGB of samples reduced to 8 bits: what the encoder's choices and training look at."""
    colours = colours_of(samples)
    if sample_range is None:
        return colours.astype(np.uint8, copy=False)
    return ((to_values(colours, sample_range) + (1 << (FRACTION_BITS - 1))) >> FRACTION_BITS).astype(np.uint8)
