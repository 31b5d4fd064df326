"""Inputs to jobs: which files, and where each result goes."""

import os
import sys
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

import click

from fdcodec.cli.console import STDOUT_CLOSED, Console
from fdcodec.image.files import replace_file
from fdcodec.words import counted

STREAM = Path("-")
"""Standard input or standard output in place of a file."""


@dataclass(frozen=True)
class Job:
    """One input, where its result goes, whether the user named that, and an earlier input that goes there, `rival`."""

    source: Path
    target: Path = STREAM
    make_directory: bool = False
    rival: Path | None = None
    is_named: bool = False

    def is_done(self) -> bool:
        """Tell whether there is an output, which is this job's own."""
        if self.target == STREAM or self.rival is not None or not self.target.is_file():
            return False
        return not (self.source.exists() and self.source.samefile(self.target))

    def read(self) -> bytes:
        """Return the bytes of the input."""
        if self.source != STREAM:
            return self.source.read_bytes()
        if sys.stdin is None:
            raise OSError("standard input is closed")
        return sys.stdin.buffer.read()

    def write(self, data: bytes) -> None:
        """Write the result in one step."""
        if self.target == STREAM:
            if sys.stdout is None:
                raise OSError(STDOUT_CLOSED)
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            return
        if self.make_directory:
            self.target.parent.mkdir(parents=True, exist_ok=True)
        replace_file(self.target, data)


def split_output(
    inputs: tuple[str, ...], output: str | None, out_dir: str | None, is_output: Callable[[Path], bool]
) -> tuple[tuple[str, ...], str | None]:
    """Return the inputs and the output, which without -o and --out-dir may be the last of several inputs.

    Of two names a last ``-`` is standard output.

    Raises
    ------
    click.UsageError
        The last of two names is that of neither an input nor an output.
    """
    if output is not None or out_dir is not None or len(inputs) < 2:
        return inputs, output
    last = Path(inputs[-1])
    is_stream = last == STREAM and len(inputs) == 2
    if len(inputs) == 2 and not is_stream and not is_output(last) and not last.exists():
        raise click.UsageError(f"{last} does not exist, and its suffix is not an output's; name an output with -o")
    return (inputs[:-1], inputs[-1]) if is_stream or (is_output(last) and not last.is_dir()) else (inputs, None)


def find_files(inputs: Iterable[str], suffixes: Collection[str], *, recursive: bool) -> list[tuple[Path, Path]]:
    """Return the files among and below the inputs, each with its path relative to the input it was found under.

    Raises
    ------
    click.UsageError
        A directory was given without `recursive`.
    """
    found: list[tuple[Path, Path]] = []
    for path in map(Path, inputs):
        if not path.is_dir():
            found.append((path, Path(path.name)))
            continue
        if not recursive:
            raise click.UsageError(
                f"{path} is a directory; add -r to take the files below it, or --out-dir to write into it"
            )
        below = sorted(file for file in path.rglob("*") if file.suffix.lower() in suffixes and file.is_file())
        found += [(file, file.relative_to(path)) for file in below]
    return found


def plan_jobs(files: list[tuple[Path, Path]], suffix: str, output: str | None, out_dir: str | None) -> list[Job]:
    """Give each input its output: `output`, or the name with `suffix` in `out_dir` or beside the input.

    An input that was named twice is one job.

    Raises
    ------
    click.UsageError
        One output for several inputs, standard input and a directory, or standard output that is a terminal.
    """
    if output is not None and (len(files) > 1 or out_dir is not None):
        raise click.UsageError("an output file takes exactly one input and no --out-dir; use --out-dir for several")
    if out_dir is not None and any(file == STREAM for file, _ in files):
        raise click.UsageError("standard input has no name to take into --out-dir; name its output by -o")
    targets = [_target(file, relative, suffix, output, out_dir) for file, relative in files]
    jobs, first = [], dict[Path, Path]()
    for (file, _), target in dict.fromkeys(zip(files, targets, strict=True)):
        owner = file if target == STREAM else first.setdefault(Path(os.path.realpath(target)), file)
        rival = None if owner == file else owner
        jobs.append(Job(file, target, out_dir is not None, rival, is_named=output is not None))
    _refuse_terminal(jobs)
    return jobs


def without_done(jobs: list[Job], console: Console) -> list[Job]:
    """Return the jobs whose outputs do not exist yet; an output is written in one step, so what is there is whole.

    What cannot be done at all, as onto the input or another input's output, remains, to be reported.
    """
    remaining = [job for job in jobs if not job.is_done()]
    console.say(f"{counted(len(jobs) - len(remaining), 'input')} skipped, whose output exists")
    return remaining


def _refuse_terminal(jobs: list[Job]) -> None:
    """Raise an error if an image would go to standard output and that is a terminal."""
    if any(job.target == STREAM for job in jobs) and sys.stdout is not None and sys.stdout.isatty():
        raise click.UsageError(
            "standard output is a terminal, which shows no images; redirect it, or name a file with -o"
        )


def _target(file: Path, relative: Path, suffix: str, output: str | None, out_dir: str | None) -> Path:
    if output is not None:
        return Path(output)
    if file == STREAM:
        return STREAM
    return Path(out_dir) / relative.with_suffix(suffix) if out_dir is not None else file.with_suffix(suffix)


def split_threads(threads: int, jobs: list[Job]) -> tuple[int, int]:
    """Return how many jobs go at a time, and how many threads each has."""
    at_once = max(min(threads, len(jobs)), 1)
    return at_once, threads // at_once
