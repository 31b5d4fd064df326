"""Jobs: one for each input, and where its result goes."""

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from fdcodec.cli.console import Console
from fdcodec.cli.inputs import STREAM, Found
from fdcodec.cli.streams import standard_output
from fdcodec.image.files import replace_file
from fdcodec.paths import content_of, holds, is_device
from fdcodec.words import counted


@dataclass(frozen=True)
class Job:
    """One input, and where its result goes.

    `is_named` says that the user named that output, `rival` is an earlier input that has the same, and `may_replace`
    says that an existing one may be replaced. `fault` is why a directory cannot be read; it has no result. `frame` is
    the number, from 1, of one of several frames.
    """

    source: Path
    target: Path = STREAM
    make_directory: bool = False
    rival: Path | None = None
    is_named: bool = False
    fault: OSError | None = None
    frame: int | None = None
    may_replace: bool = False

    @property
    def name(self) -> str:
        """What the input is called in messages."""
        return str(self.source) if self.frame is None else f"{self.source}, frame {self.frame}"

    @property
    def place(self) -> dict[str, Any]:
        """What JSON has for a frame: the file as its input, and its number."""
        return {} if self.frame is None else {"input": str(self.source), "frame": self.frame}

    @property
    def paths(self) -> tuple[Path, ...]:
        """The paths that messages about it may name."""
        others = (self.rival,) if self.rival is not None else ()
        return self.source, self.target, *others, Path(os.path.realpath(self.target))

    @property
    def writes_stdout(self) -> bool:
        """Whether the result goes to standard output."""
        return self.target == STREAM and self.fault is None

    def is_done(self) -> bool:
        """Tell whether this job's own output exists and is not empty."""
        if self.target == STREAM or self.rival is not None or not holds(self.target.is_file):
            return False
        if self.target.stat().st_size == 0:
            return False
        return not (holds(self.source.exists) and self.source.samefile(self.target))

    def read(self) -> bytes:
        """Return the bytes of the input."""
        if self.fault is not None:
            raise self.fault
        if self.source != STREAM:
            return content_of(self.source)
        if sys.stdin is None:
            raise OSError("standard input is closed")
        return sys.stdin.buffer.read()

    def write(self, data: bytes) -> None:
        """Write the result in one step."""
        if self.target == STREAM:
            with standard_output():
                rest = memoryview(data)
                while rest:  # without a buffer, as with python -u, only a part may be written
                    rest = rest[sys.stdout.buffer.write(rest) :]
                sys.stdout.buffer.flush()
            return
        if self.make_directory:
            self.target.parent.mkdir(parents=True, exist_ok=True)
        replace_file(self.target, data, may_replace=self.may_replace)


def split_output(
    inputs: tuple[str, ...], output: str | None, out_dir: str | None, is_output: Callable[[Path], bool], endings: str
) -> tuple[tuple[str, ...], str | None]:
    """Return the inputs and the output; without -o and --out-dir that may be the last of several inputs.

    With two names, a last ``-`` is standard output. `endings` lists suffixes of outputs for the message.

    Raises
    ------
    click.UsageError
        The last of two names is neither an input nor an output, the output ends as a directory does, or a device that
        may be it is the last name.
    """
    if out_dir is None and (output is not None or len(inputs) > 1):
        _refuse_directory(output, inputs[-1])
    if output is not None or out_dir is not None or len(inputs) < 2:
        return inputs, output
    last = Path(inputs[-1])
    if is_device(last):
        raise click.UsageError(f"{last} is a device, which is no input; if it is the output, name it with -o")
    is_stream = last == STREAM and len(inputs) == 2
    if len(inputs) == 2 and not is_stream and not is_output(last) and not holds(last.exists):
        raise click.UsageError(f"{last} does not exist; if it is the output, end its name in {endings}")
    return (inputs[:-1], inputs[-1]) if is_stream or (is_output(last) and not holds(last.is_dir)) else (inputs, None)


def _refuse_directory(output: str | None, last: str) -> None:
    """Raise an error if an output ends as a directory does: the one named, or a last name where there is nothing."""
    named = last if output is None else output
    if named.endswith((os.sep, os.altsep or os.sep)) and not (output is None and holds(Path(last).is_dir)):
        raise click.UsageError(f"{named} is named as a directory; an output is a file, and --out-dir names a directory")


def plan_jobs(files: list[Found], suffix: str, output: str | None, out_dir: str | None) -> list[Job]:
    """Give each input its output: `output`, or the name with `suffix` in `out_dir` or beside the input.

    An input that was named twice is one job.

    Raises
    ------
    click.UsageError
        One output for several inputs, standard input and a directory, or standard output that is a terminal.
    """
    if output is not None and (len(files) > 1 or out_dir is not None):
        if files[0].frame is not None:
            raise click.UsageError(f"{files[0].path} has several frames; name a directory with --out-dir, not a file")
        raise click.UsageError("an output file takes exactly one input and no --out-dir; use --out-dir for several")
    if out_dir is not None and any(file.path == STREAM for file in files):
        raise click.UsageError("standard input has no name to take into --out-dir; name its output with -o")
    jobs, first = jobs_of(file for file in files if file.fault), dict[Path, tuple[Path, int | None]]()
    readable = [file for file in files if not file.fault]
    targets = [_target(file, suffix, output, out_dir) for file in readable]
    for (path, _, _, frame), target in dict.fromkeys(zip(readable, targets, strict=True)):
        one = path, frame
        owner = one if target == STREAM else first.setdefault(Path(os.path.realpath(target)), one)
        rival = None if owner == one else owner[0]
        jobs.append(Job(path, target, out_dir is not None, rival, is_named=output is not None, frame=frame))
    refuse_terminal(jobs)
    return jobs


def jobs_of(files: Iterable[Found]) -> list[Job]:
    """Return a job without an output for each input."""
    return [Job(file.path, fault=file.fault, frame=file.frame) for file in files]


def without_done(jobs: list[Job], console: Console) -> list[Job]:
    """Return the jobs whose outputs do not exist yet; outputs are written in one step, so existing ones are whole.

    Jobs that cannot be done, such as onto their own input or another output, remain, to be reported.
    """
    done = {job: job.is_done() for job in jobs}
    for job in filter(done.get, jobs):
        console.record(job.name, job.place | {"output": str(job.target), "skipped": True})
    remaining = [job for job in jobs if not done[job]]
    console.say(f"{counted(len(jobs) - len(remaining), 'existing output')} skipped")
    return remaining


def refuse_terminal(jobs: list[Job]) -> None:
    """Raise an error if an image would go to standard output and that is a terminal."""
    if any(job.writes_stdout for job in jobs) and sys.stdout is not None and sys.stdout.isatty():
        raise click.UsageError(
            "standard output is a terminal, which shows no images; redirect it, or name a file with -o"
        )


def _target(file: Found, suffix: str, output: str | None, out_dir: str | None) -> Path:
    if output is not None:
        return Path(output)
    if file.path == STREAM:
        return STREAM
    near = file.path.with_name(file.relative.name) if out_dir is None else Path(out_dir) / file.relative
    return near.with_suffix(suffix)


def split_threads(threads: int, jobs: list[Job]) -> tuple[int, int]:
    """Return how many jobs run at once, and how many threads each has."""
    at_once = max(min(threads, len(jobs)), 1)
    return at_once, threads // at_once
