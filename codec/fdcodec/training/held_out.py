"""Which images judge what is learned from the others."""

from collections.abc import Hashable, Sequence

VALIDATION = 5
"""One image in five is held out, or one block in five where there are fewer images."""


def held_out(stacks: Sequence[Hashable]) -> list[bool | None]:
    """Tell of each image whether training must not see it; None of one that is left out, as it is beside such a one.

    Of fewer than VALIDATION images none is held out.

    Parameters
    ----------
    stacks
        Of each image which stack it is of. Neighbours in a stack are nearly the same picture, so that a stack is held
        out as a whole, or of one longer than a fifth of the images a part, without the images at its two sides.
    """
    flags: list[bool | None] = [False] * len(stacks)
    n_before = n_held_out = 0
    longest = -(-len(stacks) // VALIDATION)
    for members in _in_stacks(stacks):
        for start in range(0, len(members), longest):
            end = min(start + longest, len(members))
            if len(stacks) >= VALIDATION and VALIDATION * n_held_out <= n_before:
                for k in members[start:end]:
                    flags[k] = True
                for k in members[max(start - 1, 0) : start] + members[end : end + 1]:
                    flags[k] = None
                n_held_out += end - start
            n_before += end - start
    return flags


def _in_stacks(stacks: Sequence[Hashable]) -> list[list[int]]:
    """Return the places of the images of each stack."""
    places: dict[Hashable, list[int]] = {}
    for k, stack in enumerate(stacks):
        places.setdefault(stack, []).append(k)
    return list(places.values())
