"""The non-zero part of one G- or R-transform (paper, section III and eq. localstructure)."""

import numpy as np
from numpy.typing import NDArray

from fdcodec.format.constants import ANGLE_LEVELS

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

FACTOR_OPERATIONS = 6
"""Operations of a 2x2 factor on one vector (paper, eq. multiply)."""


def rotation(angle: float) -> FloatArray:
    """Return the rotation ``[[c, d], [-d, c]]`` of an angle in radians (eq. localstructure, left)."""
    c, d = np.cos(angle), np.sin(angle)
    return np.array([[c, d], [-d, c]])


def reflector(angle: float) -> FloatArray:
    """Return the reflector ``[[c, d], [d, -c]]`` of an angle in radians (eq. localstructure, right)."""
    c, d = np.cos(angle), np.sin(angle)
    return np.array([[c, d], [d, -c]])


def grid_blocks(codes: IntArray, levels: int = ANGLE_LEVELS) -> FloatArray:
    """Return the G-transforms of codes on the angle grid.

    Parameters
    ----------
    codes
        Shape ``(m,)``; ``2 * index + is_reflector`` with the angle ``2 pi index / levels``.
    levels
        Number of angles in the full circle.

    Returns
    -------
    blocks
        Shape ``(m, 2, 2)``.
    """
    angle = 2.0 * np.pi * (codes >> 1) / levels
    sign = np.where(codes & 1, -1.0, 1.0)
    c, d = np.cos(angle), np.sin(angle)
    return np.stack([np.stack([c, d], -1), np.stack([-sign * d, sign * c], -1)], -2)


def grid_codes(blocks: FloatArray, levels: int = ANGLE_LEVELS) -> IntArray:
    """Return the codes of the G-transforms on the grid nearest to `blocks`; inverse of `grid_blocks` on the grid."""
    index = np.rint(np.arctan2(blocks[:, 0, 1], blocks[:, 0, 0]) * levels / (2.0 * np.pi)).astype(np.int64) % levels
    is_reflector = np.linalg.det(blocks) < 0 if len(blocks) else np.zeros(0, dtype=bool)
    return np.asarray(2 * index + is_reflector, dtype=np.int64)
