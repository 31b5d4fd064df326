"""Inputs to jobs, and jobs one by one: a failure is reported and the others go on."""

import sys
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from traceback import extract_tb
from typing import Any, NamedTuple

import click

from fdcodec.cli.console import STDOUT_CLOSED, Console
from fdcodec.errors import FdcError, ParameterError, TargetWarning
from fdcodec.image.files import replace_file
from fdcodec.parallel import each

NOT_AS_ASKED = TargetWarning.exit_code
"""Exit code of a result that was written, but is not what was asked for; `not_as_asked` among its facts says why."""

STREAM = Path("-")
"""Standard input or standard output in place of a file."""


@dataclass(frozen=True)
class Job:
    """One input and where its result goes; `rival` is an earlier input with the same output."""

    source: Path
    target: Path = STREAM
    make_directory: bool = False
    rival: Path | None = None

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
            raise click.UsageError(f"{path} is a directory; add -r to take the files below it")
        below = sorted(file for file in path.rglob("*") if file.suffix.lower() in suffixes and file.is_file())
        found += [(file, file.relative_to(path)) for file in below]
    return found


def plan_jobs(files: list[tuple[Path, Path]], suffix: str, output: str | None, out_dir: str | None) -> list[Job]:
    """Give each input its output: `output`, or the name with `suffix` in `out_dir` or beside the input.

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
    for (file, _), target in zip(files, targets, strict=True):
        owner = file if target == STREAM else first.setdefault(target, file)
        jobs.append(Job(file, target, out_dir is not None, None if owner == file else owner))
    _refuse_terminal(jobs)
    return jobs


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


class Outcome(NamedTuple):
    """What became of a job: its exit code, and facts to report or, where there is no result, why."""

    code: int
    facts: dict[str, Any]
    fault: str = ""


def split_threads(threads: int, jobs: list[Job]) -> tuple[int, int]:
    """Return how many jobs go at a time, and how many threads each has."""
    at_once = max(min(threads, len(jobs)), 1)
    return at_once, threads // at_once


def run_jobs(
    jobs: list[Job],
    work: Callable[[Job], dict[str, Any]],
    console: Console,
    *,
    force: bool = True,
    at_once: int = 1,
) -> int:
    """Do the jobs, report them in order, and return the exit code.

    It is that of the only job; of several, 1 if any failed, else 5 if any was not done as asked.

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
    at_once
        How many jobs are done at a time, in threads.
    """
    if not jobs:
        console.say("no input was found; nothing was done")
    outcomes = each(lambda job: _outcome(job, work, force), jobs, at_once)
    codes = []
    for job, (code, facts, fault) in console.track(zip(jobs, outcomes, strict=True), len(jobs)):
        console.fail(str(job.source), fault) if fault else console.report(str(job.source), facts)
        codes.append(code)
    failed = sum(code not in (0, NOT_AS_ASKED) for code in codes)
    if len(jobs) > 1:
        console.say(f"{len(jobs) - failed} of {len(jobs)} done" + (f", {failed} failed" if failed else ""))
    return (codes or [0])[0] if len(codes) < 2 else 1 if failed else max(codes)


def _outcome(job: Job, work: Callable[[Job], dict[str, Any]], force: bool) -> Outcome:
    try:
        if job.target != STREAM:
            _check_target(job, force)
        facts = work(job)
    except BrokenPipeError:
        raise
    except FdcError as error:
        return Outcome(error.exit_code, {}, str(error))
    except OSError as error:
        return Outcome(1, {}, describe_os_error(error))
    except Exception as error:  # a defect of ours must not keep the other inputs from being done
        place = extract_tb(error.__traceback__)[-1]
        message = f"internal error, please report it: {error!r} at {place.filename}:{place.lineno}"
        return Outcome(1, {}, message)
    return Outcome(NOT_AS_ASKED if facts.get("not_as_asked") else 0, facts)


def check_directory(target: Path) -> None:
    """Raise an error, before any work, if the directory of an output does not exist."""
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{target} would be in a directory that does not exist; create {target.parent} first")


def check_model_path(target: Path, force: bool) -> None:
    """Raise an error, before any work, if a class model cannot be written to a path or not be found there."""
    from fdcodec.model.registry import SUFFIX

    check_directory(target)
    if target.suffix != SUFFIX:
        raise ParameterError(f"output: {target} does not end in {SUFFIX}, by which class models are known; add it")
    if target.exists() and not force:
        raise FileExistsError(f"{target} exists; add --force to replace it")


def _check_target(job: Job, force: bool) -> None:
    """Raise an error if the output is that of another input, the input itself, in no directory, or there and kept."""
    if not job.make_directory and (job.source == STREAM or job.source.exists()):
        check_directory(job.target)
    if job.rival is not None:
        raise ParameterError(f"would be written to {job.target}, as {job.rival} is; rename one of them")
    if job.source != STREAM and job.target.exists() and job.source.samefile(job.target):
        opposite = "decode" if job.target.suffix == ".fdc" else "encode"
        raise ParameterError(f"{job.target} is the input itself; name another output, or did you mean {opposite}?")
    if job.target.is_dir():
        raise IsADirectoryError(f"{job.target} is a directory; name a file in it")
    if not force and job.target.is_file():
        raise FileExistsError(f"{job.target} exists; add --force to replace it")


def describe_os_error(error: OSError) -> str:
    """Return the file and the reason, in one line."""
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason
