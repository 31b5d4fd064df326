"""Notes on many inputs: each kind once, and not the same line for every file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fdcodec.words import first_of


class Notes:
    """Notes by kind: of one kind are those that differ in numbers, or in what follows a colon."""

    def __init__(self) -> None:
        self._by_kind: dict[str, dict[str, str]] = {}

    def add(self, source: str, note: str) -> None:
        """Take a note on an input; of several of one kind the first."""
        kind = re.sub(r"\d+(\.\d+)?", "", note.partition(": ")[0])
        self._by_kind.setdefault(kind, {}).setdefault(source, note)

    def lines(self) -> Iterator[str]:
        """Yield a line for each kind: a note, how many inputs have one, and the first of these."""
        for notes in self._by_kind.values():
            sources, (note, *others) = list(notes), dict.fromkeys(notes.values())
            if len(sources) == 1:
                yield f"{sources[0]}: note: {note}"
            else:
                such = "notes such as" if others else "note"
                yield f"{len(sources)} files: {such}: {note} ({', '.join(first_of(sources))})"
