"""Checks of what users pass to the public functions; messages name the argument, its value and what is allowed."""

import os
from numbers import Integral
from reprlib import repr as shown
from typing import TYPE_CHECKING, Any

from fdcodec.errors import ParameterError

if TYPE_CHECKING:
    from fdcodec.model import ClassModel

TUNES = ("psnr", "visual")
"""What an encode can be tuned for."""


def check_integers(**values: tuple[Any, int, int]) -> None:
    """Check that each value, given as ``name=(value, lowest, highest)``, is an integer in its range."""
    for name, (value, lowest, highest) in values.items():
        if not (_is_integer(value) and lowest <= int(value) <= highest):
            raise ParameterError(f"{name}: {shown(value)} is not an integer in {lowest}..{highest}")


def check_flags(**values: Any) -> None:
    """Check that each value is True or False."""
    for name, value in values.items():
        if not isinstance(value, bool):
            raise ParameterError(f"{name}: {shown(value)} is not True or False")


def check_tune(tune: Any) -> None:
    """Check what an encode is tuned for."""
    if not (isinstance(tune, str) and tune in TUNES):
        raise ParameterError(f"tune: {shown(tune)} is not one of {', '.join(TUNES)}; psnr is the default")


def check_region(region: Any) -> None:
    """Check that a region is four integers; whether it is inside the picture only the file can tell."""
    if not isinstance(region, tuple | list) or len(region) != 4 or not all(map(_is_integer, region)):
        raise ParameterError(f"region: {shown(region)} is not four integers (x, y, width, height)")


def check_transform(transform: Any, embed: Any = "auto") -> None:
    """Check the types of the arguments that say which class model is used and how it is stored."""
    from fdcodec.model import ClassModel

    if not isinstance(transform, str | os.PathLike | ClassModel):
        raise ParameterError(f"transform: {shown(transform)} is not a name, a path or a class model")
    if not (isinstance(embed, bool) or (isinstance(embed, str) and embed == "auto")):
        raise ParameterError(f'embed: {shown(embed)} is not True, False or "auto"')


def resolved(transform: Any) -> "ClassModel":
    """Return the class model that an argument means, once its type is checked."""
    from fdcodec.model import resolve

    check_transform(transform)
    return resolve(transform)


def _is_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
