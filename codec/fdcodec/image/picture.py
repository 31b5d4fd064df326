"""The image that passes between the stages: samples and opaque metadata."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fdcodec.aliases import Samples
from fdcodec.errors import LimitError, ParameterError
from fdcodec.limits import MAX_SIDE

MAX_CHANNELS = 4
"""Most channels of a picture: RGB and alpha."""

EXIF_PREFIX = b"Exif\0\0"
"""What JPEG, and Pillow in its place, puts before EXIF; pictures and files have none."""

AnySamples = TypeVar("AnySamples", NDArray[np.uint8], NDArray[np.uint16], Samples)


def colours_of(samples: AnySamples) -> AnySamples:
    """Return samples (height, width, 1..4) without alpha: gray or RGB."""
    return samples[:, :, : 3 if samples.shape[2] >= 3 else 1]


def check_sides(width: int, height: int) -> None:
    """Raise LimitError for a picture that is wider or higher than the format holds."""
    if max(width, height) > MAX_SIDE:
        raise LimitError(f"image: {width}x{height} has a side above {MAX_SIDE}; split it")


@dataclass(frozen=True)
class Picture:
    r"""Samples as they were given, never rotated, and the metadata that travels with them.

    Parameters
    ----------
    samples
        Shape ``(height, width, channels)``, C-contiguous, uint8 or uint16 in native byte order. One channel is gray,
        two are gray and alpha, three are RGB, four are RGBA.
    exif, xmp, icc
        Metadata as opaque bytes; `exif` starts with the TIFF header, without the ``Exif\0\0`` of JPEG.
    two_dimensional
        Whether the caller gave the gray samples as ``(height, width)`` and expects them back so.
    """

    samples: Samples
    exif: bytes | None = None
    xmp: bytes | None = None
    icc: bytes | None = None
    two_dimensional: bool = False

    def __post_init__(self) -> None:
        shape, dtype = self.samples.shape, self.samples.dtype
        if len(shape) != 3 or not 1 <= shape[2] <= 4 or min(shape) < 1:
            raise ParameterError(f"samples: shape {shape} is not (height, width, 1..4) with height and width >= 1")
        if dtype not in (np.uint8, np.uint16) or not self.samples.flags.c_contiguous:
            raise ParameterError(f"samples: {dtype} is not a C-contiguous uint8 or uint16 array")
        check_sides(self.width, self.height)

    @property
    def height(self) -> int:
        """Rows."""
        return int(self.samples.shape[0])

    @property
    def width(self) -> int:
        """Columns."""
        return int(self.samples.shape[1])

    @property
    def channels(self) -> int:
        """Samples per pixel, 1..4."""
        return int(self.samples.shape[2])

    @property
    def depth(self) -> int:
        """Bits per sample, 8 or 16."""
        return 8 * self.samples.dtype.itemsize

    @property
    def array(self) -> Samples:
        """The samples in the shape the caller uses: ``(height, width)`` if `two_dimensional`, else with channels."""
        return self.samples[:, :, 0] if self.two_dimensional else self.samples
