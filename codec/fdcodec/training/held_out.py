"""Which images judge what is learned from the others."""

from collections.abc import Hashable, Sequence
from enum import Enum

VALIDATION = 5
"""One image in five is held out, or one block in five where there are fewer images."""


class Part(Enum):
    """What an image has part in: training sees it, or only judges by it, or leaves it out."""

    SEEN = "seen"
    HELD_OUT = "held out"
    SKIPPED = "skipped"


def parts_of(stacks: Sequence[Hashable]) -> list[Part]:
    """Return the part of each image; one is skipped if it is beside one that is held out.

    If there are fewer than VALIDATION images, all are seen.

    Parameters
    ----------
    stacks
        Which stack each image is of. Neighbours in a stack are nearly the same picture, so that a stack is held out as
        a whole, or if it is longer than a fifth of the images in part, and the images at the two sides are skipped.
    """
    parts = [Part.SEEN] * len(stacks)
    n_before = n_held_out = 0
    longest = -(-len(stacks) // VALIDATION)
    for members in _in_stacks(stacks):
        for start in range(0, len(members), longest):
            end = min(start + longest, len(members))
            if len(stacks) >= VALIDATION and VALIDATION * n_held_out <= n_before:
                for k in members[start:end]:
                    parts[k] = Part.HELD_OUT
                for k in members[max(start - 1, 0) : start] + members[end : end + 1]:
                    parts[k] = Part.SKIPPED
                n_held_out += end - start
            n_before += end - start
    return parts


def _in_stacks(stacks: Sequence[Hashable]) -> list[list[int]]:
    """Return the places of the images of each stack."""
    places: dict[Hashable, list[int]] = {}
    for k, stack in enumerate(stacks):
        places.setdefault(stack, []).append(k)
    return list(places.values())
