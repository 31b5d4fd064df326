"""Inputs to jobs, and jobs one by one: a failure is reported and the others go on."""

import sys
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from traceback import extract_tb
from typing import Any

import click

from fdcodec.cli.console import Console
from fdcodec.errors import FdcError, ParameterError
from fdcodec.image.files import replace_file

STREAM = Path("-")
"""Standard input or standard output in place of a file."""


@dataclass(frozen=True)
class Job:
    """One input and where its result goes."""

    source: Path
    target: Path = STREAM
    make_directory: bool = False

    def read(self) -> bytes:
        """Return the bytes of the input."""
        return sys.stdin.buffer.read() if self.source == STREAM else self.source.read_bytes()

    def write(self, data: bytes) -> None:
        """Write the result in one step."""
        if self.target == STREAM:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            return
        if self.make_directory:
            self.target.parent.mkdir(parents=True, exist_ok=True)
        replace_file(self.target, data)


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
            raise click.UsageError(f"{path} is a directory; add -r to take the files below it")
        below = sorted(file for file in path.rglob("*") if file.suffix.lower() in suffixes and file.is_file())
        found += [(file, file.relative_to(path)) for file in below]
    return found


def plan_jobs(files: list[tuple[Path, Path]], suffix: str, output: str | None, out_dir: str | None) -> list[Job]:
    """Give each input its output: `output`, or the name with `suffix` in `out_dir` or beside the input.

    Raises
    ------
    click.UsageError
        One output for several inputs, or two inputs with the same output.
    """
    if output is not None and (len(files) > 1 or out_dir is not None):
        raise click.UsageError("-o takes exactly one input and no --out-dir; use --out-dir for several")
    targets = [_target(file, relative, suffix, output, out_dir) for file, relative in files]
    jobs = [Job(file, target, out_dir is not None) for (file, _), target in zip(files, targets, strict=True)]
    sources: dict[Path, Path] = {}
    for job in jobs:
        if job.target != STREAM and sources.setdefault(job.target, job.source) != job.source:
            raise click.UsageError(f"{sources[job.target]} and {job.source} would both be written to {job.target}")
    return jobs


def _target(file: Path, relative: Path, suffix: str, output: str | None, out_dir: str | None) -> Path:
    if output is not None:
        return Path(output)
    if file == STREAM:
        return STREAM
    return Path(out_dir) / relative.with_suffix(suffix) if out_dir is not None else file.with_suffix(suffix)


def run_jobs(jobs: list[Job], work: Callable[[Job], dict[str, Any]], console: Console, *, force: bool = True) -> int:
    """Do the jobs in turn and return the exit code: that of the failure for one job, 1 if any of several failed.

    Parameters
    ----------
    jobs
        What to do.
    work
        Does one job and returns the facts to report.
    console
        Where to report.
    force
        Whether existing outputs may be replaced.
    """
    codes = [_run_job(job, work, console, force) for job in console.track(jobs)]
    failed = sum(code != 0 for code in codes)
    if len(jobs) > 1:
        console.say(f"{len(jobs) - failed} of {len(jobs)} done" + (f", {failed} failed" if failed else ""))
    return (codes or [0])[0] if len(codes) < 2 else min(failed, 1)


def _run_job(job: Job, work: Callable[[Job], dict[str, Any]], console: Console, force: bool) -> int:
    try:
        if not force and job.target.is_file():
            raise FileExistsError(f"{job.target} exists; add --force to replace it")
        if job.source != STREAM and job.target.exists() and job.source.samefile(job.target):
            raise ParameterError(f"{job.target} is the input itself; choose another output")
        console.report(str(job.source), work(job))
    except BrokenPipeError:
        raise
    except FdcError as error:
        console.fail(str(job.source), str(error))
        return error.exit_code
    except OSError as error:
        console.fail(str(job.source), describe_os_error(error))
        return 1
    except Exception as error:  # a defect of ours must not keep the other inputs from being done
        place = extract_tb(error.__traceback__)[-1]
        console.fail(str(job.source), f"internal error, please report it: {error!r} at {place.filename}:{place.lineno}")
        return 1
    return 0


def describe_os_error(error: OSError) -> str:
    """Return the file and the reason, in one line."""
    return f"{error.filename}: {error.strerror}" if error.filename else str(error)
