"""Reversible colour transforms of the lossless mode, in integers (SPEC L1)."""

import numpy as np

from fdcodec.aliases import Planes


def _green_first(r: Planes, g: Planes, b: Planes) -> list[Planes]:
    return [g, r, b]


def _green_first_inverse(g: Planes, r: Planes, b: Planes) -> list[Planes]:
    return [r, g, b]


def _subtract_green(r: Planes, g: Planes, b: Planes) -> list[Planes]:
    return [g, r - g, b - g]


def _subtract_green_inverse(g: Planes, r: Planes, b: Planes) -> list[Planes]:
    return [r + g, g, b + g]


def _ycocg(r: Planes, g: Planes, b: Planes) -> list[Planes]:
    """Malvar and Sullivan's YCoCg-R."""
    orange = r - b
    middle = b + (orange >> 1)
    green = g - middle
    return [middle + (green >> 1), orange, green]


def _ycocg_inverse(y: Planes, orange: Planes, green: Planes) -> list[Planes]:
    middle = y - (green >> 1)
    b = middle - (orange >> 1)
    return [b + orange, green + middle, b]


TRANSFORMS = (
    (_green_first, _green_first_inverse),
    (_subtract_green, _subtract_green_inverse),
    (_ycocg, _ycocg_inverse),
)


def forward(planes: Planes, transform: int) -> Planes:
    """Return planes with the first three, red, green and blue, transformed; fewer than three stay as they are."""
    if len(planes) < 3:
        return planes
    return np.stack([*TRANSFORMS[transform][0](*planes[:3]), *planes[3:]])


def inverse(planes: Planes, transform: int) -> Planes:
    """Undo `forward`."""
    if len(planes) < 3:
        return planes
    return np.stack([*TRANSFORMS[transform][1](*planes[:3]), *planes[3:]])
