"""Checks of what users pass to the public functions; messages name the argument, its value and what is allowed."""

import os
from numbers import Integral
from typing import Any

from fdcodec.errors import ParameterError


def check_integers(**values: tuple[Any, int, int]) -> None:
    """Check that each value, given as ``name=(value, lowest, highest)``, is None or an integer in its range."""
    for name, (value, lowest, highest) in values.items():
        if value is not None and not (isinstance(value, Integral) and lowest <= int(value) <= highest):
            raise ParameterError(f"{name}: {value!r} is not an integer in {lowest}..{highest}")


def check_region(region: Any) -> None:
    """Check that a region is four integers; whether it is inside the picture only the file can tell."""
    if not isinstance(region, tuple | list) or len(region) != 4 or not all(isinstance(v, Integral) for v in region):
        raise ParameterError(f"region: {region!r} is not four integers (x, y, width, height)")


def check_transform(transform: Any, embed: Any) -> None:
    """Check the types of the arguments that say which class model is used and how it is stored."""
    from fdcodec.model import ClassModel

    if not isinstance(transform, str | os.PathLike | ClassModel):
        raise ParameterError(f"transform: {transform!r} is not a name, a path or a class model")
    if embed not in (True, False, "auto"):
        raise ParameterError(f'embed: {embed!r} is not True, False or "auto"')
