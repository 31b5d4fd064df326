"""Notes on many inputs, or advice: each kind once instead of a line for every file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from fdcodec.words import first_of

_ADVICE = "; "
"""What separates a fault from what to do about it."""


def split_advice(message: str, paths: Iterable[Path]) -> tuple[str, str]:
    """Return what is wrong, and what to do about it, which may be empty; names in `paths` are not cut."""
    hidden = message
    names = {part for path in paths for part in path.parts if _ADVICE in part}
    for name in sorted(names, key=len, reverse=True):  # one may be in another
        hidden = hidden.replace(name, len(name) * "_")
    reason, _, _ = hidden.partition(_ADVICE)
    return message[: len(reason)], message[len(reason) + len(_ADVICE) :]


class Notes:
    """Notes by kind: those that differ only in numbers, or in what follows a colon, are of one kind.

    Parameters
    ----------
    one, several
        What stands before a note, and before one that stands for others of its kind.
    """

    def __init__(self, one: str = "note: ", several: str = "notes such as: ") -> None:
        self._one, self._several = one, several
        self._by_kind: dict[str, list[tuple[str, str]]] = {}

    def add(self, source: str, note: str) -> None:
        """Take a note on an input."""
        kind = re.sub(r"\d+(\.\d+)?", "", note.partition(": ")[0])
        self._by_kind.setdefault(kind, []).append((source, note))

    def lines(self) -> Iterator[str]:
        """Yield a line for each kind: a note, how many inputs have it, and the first of them."""
        for pairs in self._by_kind.values():
            sources, (note, *others) = list(dict(pairs)), dict.fromkeys(note for _, note in pairs)
            if len(sources) == 1:
                yield from (f"{sources[0]}: {self._one}{each}" for each in (note, *others))
            else:
                begin = self._several if others else self._one
                yield f"{len(sources)} inputs: {begin}{note} ({', '.join(first_of(sources))})"
