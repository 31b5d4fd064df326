"""Words of messages."""

from collections.abc import Sequence

SHOWN = 6
"""How many of many things are named."""


def counted(number: int, noun: str) -> str:
    """Return for instance ``1 tile`` or ``2 tiles``."""
    return f"{number} {noun}{'s'[: number != 1]}"


def place_of(rectangle: tuple[int, int, int, int]) -> str:
    """Return a rectangle (x, y, width, height) as ``16x16 at 32,0``."""
    x, y, width, height = rectangle
    return f"{width}x{height} at {x},{y}"


def first_of(things: Sequence[str], rest: str = "more") -> list[str]:
    """Return the first few of many things, and last how many more there are, as ``3 more``; one more is named, too."""
    if len(things) <= SHOWN + 1:
        return [*things]
    return [*things[:SHOWN], f"{len(things) - SHOWN} {rest}"]
