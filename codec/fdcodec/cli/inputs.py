"""Inputs: files that are named, and those below directories."""

import os
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from reprlib import repr as shown
from typing import NamedTuple

import click

from fdcodec.paths import holds
from fdcodec.words import counted, first_of

STREAM = Path("-")
"""Standard input or standard output instead of a file."""

_OF_MACOS = "._"  # what metadata of a file, kept beside it, are called


class Found(NamedTuple):
    """An input, and its path relative to the directory that was named, if one was.

    `fault` says why a directory cannot be read. For one of several frames, `frame` is its number from 1, and `relative`
    ends in a name for that frame.
    """

    path: Path
    relative: Path
    fault: OSError | None = None
    frame: int | None = None


class Files(NamedTuple):
    """Inputs, and the other files below the directories where they were found, with links to directories."""

    inputs: list[Found]
    others: list[Path]


def find_files(
    inputs: tuple[str, ...], suffixes: Collection[str], *, recursive: bool, out_dir: str | None = ""
) -> Files:
    """Return the files among and below the inputs, and the directories below them that cannot be read.

    `out_dir` is None if --out-dir was not given, for a message that names it; a command without it has the default.

    Raises
    ------
    click.UsageError
        A directory was given without `recursive`, or no file is found.
    """
    found = Files([], [])
    for path in map(Path, inputs):
        if not holds(path.is_dir):
            found.inputs.append(Found(path, Path(path.name)))
            continue
        if not recursive:
            besides = "" if out_dir is not None else " (--out-dir names one to write into)"
            raise click.UsageError(f"{path} is a directory; add -r to take the files below it{besides}")
        below, others = _files_below(path, suffixes)
        found.inputs.extend(below)
        found.others.extend(others)
    if not found.inputs:
        told = f"no file below {' and '.join(inputs)} ends in {', '.join(sorted(suffixes))}"
        raise click.UsageError("; ".join(filter(None, (told, note_on_links(found.others)))))
    return found


def _files_below(top: Path, suffixes: Collection[str]) -> Files:
    faults: list[OSError] = []
    found, others = [], []
    for folder, folders, names in os.walk(top, onerror=faults.append):
        others += [link for link in (Path(folder, name) for name in folders) if link.is_symlink()]
        for file in (Path(folder, name) for name in names):
            if _is_taken(file, suffixes):
                found.append(Found(file, file.relative_to(top)))
            else:
                others.append(file)
    return Files(sorted(found + [Found(Path(fault.filename), Path(), fault) for fault in faults]), others)


def _is_taken(file: Path, suffixes: Collection[str]) -> bool:
    """Tell whether a file below a directory is an input; the `._` files of macOS are not."""
    named_so = file.suffix.lower() in suffixes and not file.name.startswith(_OF_MACOS)
    return named_so and holds(file.is_file, unreachable=True)


def note_on_left_out(others: Sequence[Path]) -> str:
    """Return a note on files below directories that are left out, and on links; empty if there are none.

    `.fdc` files do not count, as an encode writes them beside its inputs, nor do the `._` files of macOS.
    """
    counting = (file for file in others if file.suffix != ".fdc" and not file.name.startswith(_OF_MACOS))
    left_out = [file.suffix.lower() for file in counting if holds(file.is_file)]
    ends = Counter(shown(suffix)[1:-1] or "no suffix" for suffix in left_out)
    listed = ", ".join(first_of([name for name, _ in ends.most_common()]))
    told = f"{counted(ends.total(), 'file')} below directories left out, by suffix: {listed}" if ends else ""
    return "; ".join(filter(None, (told, note_on_links(others))))


def note_on_links(others: Sequence[Path]) -> str:
    """Return a note on links to directories, which are not followed, as they may lead in a circle; empty if none."""
    links = [str(link) for link in others if holds(link.is_dir)]
    listed = ", ".join(first_of(links))
    return f"links to directories are not followed, name them as inputs: {listed}" if links else ""
