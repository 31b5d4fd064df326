"""Which images judge what is learned from the others."""

from collections.abc import Hashable, Sequence
from enum import Enum

import numpy as np
from numpy.typing import NDArray

HELD_OUT_OF = 5
"""One image of so many is held out; where there are fewer images, as many blocks judge learned modes."""


class Part(Enum):
    """What an image has part in: training sees it, or only judges by it, or leaves it out."""

    SEEN = "seen"
    HELD_OUT = "held out"
    SKIPPED = "skipped"


def parts_of(stacks: Sequence[Hashable], are_alike: NDArray[np.bool_] | None = None) -> list[Part]:
    """Return the part of each image; one is skipped if it is beside one that is held out, or a copy of it.

    Images of which a fifth and more are copies are seen. If all are such, or there are fewer than five, none is
    held out, so that blocks judge, and each is seen once: other copies are skipped.

    Parameters
    ----------
    stacks
        Which stack each image is of. Neighbours in a stack are nearly the same picture, so that a stack is held out as
        a whole, or if it is longer than a fifth of the images in part, and the images at the two sides are skipped.
    are_alike
        Of each two images whether they are copies, as `copies_among` has it; None if no two are.
    """
    n_images = len(stacks)
    parts, longest = np.full(n_images, Part.SEEN), -(-n_images // HELD_OUT_OF)
    copies_of = np.eye(n_images, dtype=np.bool_) if are_alike is None else are_alike
    n_before = n_taken = 0
    for members in _in_stacks(stacks) if n_images >= HELD_OUT_OF else []:
        for start in range(0, len(members), longest):
            piece = members[start : start + longest]
            held, copies = _that_can_judge(piece, copies_of, longest)
            if not len(held):
                continue
            if HELD_OUT_OF * n_taken <= n_before and (parts[piece] == Part.SEEN).all():
                parts[members[max(start - 1, 0) : start + longest + 1]] = Part.SKIPPED
                parts[copies] = Part.SKIPPED
                parts[held] = Part.HELD_OUT
                n_taken += len(piece) + len(copies)
            n_before += len(piece)
    if n_before == 0:
        parts[_repeated(copies_of)] = Part.SKIPPED
    return list(parts)


def _that_can_judge(
    piece: list[int], copies_of: NDArray[np.bool_], too_many: int
) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Return the images of a piece that have few copies beyond it, and these copies; nothing if they are too many."""
    beyond = copies_of[piece]
    beyond[:, piece] = False
    have_few = beyond.sum(axis=1) < too_many
    copies = np.flatnonzero(beyond[have_few].any(axis=0))
    return np.array(piece)[have_few & (len(copies) < too_many)], copies


def _repeated(copies_of: NDArray[np.bool_]) -> list[int]:
    """Return the places of the images that are copies of one before that is not such a copy itself."""
    originals: list[int] = []
    repeated: list[int] = []
    for k, are_copies in enumerate(copies_of):
        (repeated if are_copies[originals].any() else originals).append(k)
    return repeated


def _in_stacks(stacks: Sequence[Hashable]) -> list[list[int]]:
    """Return the places of the images of each stack."""
    places: dict[Hashable, list[int]] = {}
    for k, stack in enumerate(stacks):
        places.setdefault(stack, []).append(k)
    return list(places.values())
