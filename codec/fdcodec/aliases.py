"""Types that pass between the parts of the package."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Samples: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16]
"""Of a picture: shape (height, width, 1..4)."""

Planes: TypeAlias = NDArray[np.int32]
"""What is coded: shape (number of planes, height, width), or one of them."""

Region: TypeAlias = tuple[int, int, int, int]
"""A rectangle (x, y, width, height) of a picture, in pixels."""
