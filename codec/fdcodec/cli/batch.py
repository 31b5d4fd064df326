"""Jobs one by one, or several at a time: a failure is reported and the others go on."""

import errno
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from threading import Event
from traceback import extract_tb
from typing import Any, NamedTuple

from fdcodec.cli.console import Console
from fdcodec.cli.inputs import STREAM
from fdcodec.cli.jobs import Job
from fdcodec.cli.outputs import check_target
from fdcodec.cli.streams import StandardOutputError
from fdcodec.errors import NO_MEMORY, FdcError, LimitError, TargetWarning
from fdcodec.parallel import each

NOT_AS_ASKED = TargetWarning.exit_code
"""Exit code of a result that was written, but not as asked; its fact `not_as_asked` says so."""

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


class Outcome(NamedTuple):
    """The result of a job: its exit code, the facts to report, and the fault, empty if there is none.

    `no_space` says that there was no space for its output; other jobs would find none either.
    """

    code: int
    facts: dict[str, Any]
    fault: str = ""
    no_space: bool = False


def run_jobs(
    jobs: list[Job],
    work: Callable[[Job], dict[str, Any]],
    console: Console,
    *,
    force: bool = True,
    at_once: int = 1,
    of_several: bool = False,
) -> int:
    """Do the jobs, report them in order, and return the exit code.

    The code of one job that is not `of_several` is its own. That of several is 1 if any failed, else 5 if any was not
    done as asked. Once there is no space for an output, or standard output cannot be written to, no other job is
    begun.

    Parameters
    ----------
    jobs
        What to do, at least one.
    work
        Does one job and returns the facts to report; a `fault` among them is the FdcError that made the job fail.
    console
        Where to report.
    force
        Whether existing outputs may be replaced.
    at_once
        How many jobs are done at a time, in threads.
    of_several
        Whether there were other jobs, which are done already.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C; its message says how many of several are done.
    StandardOutputError, BrokenPipeError
        A result cannot be written to standard output.
    """
    several = of_several or len(jobs) > 1
    finished: dict[Job, Outcome] = {}
    stops = Event()

    def do(job: Job) -> Outcome | None:
        if stops.is_set():
            return None
        finished[job] = outcome = _outcome(replace(job, may_replace=force), work)
        if outcome.no_space:
            stops.set()
        return outcome

    outcomes = each(do, jobs, at_once)
    codes: list[int] = []
    try:
        with console.gathered_notes(len(jobs)), console.progress() as show:
            show("", 0, len(jobs))
            for job, outcome in zip(jobs, outcomes, strict=True):
                if outcome is not None:
                    codes.append(_report(job, outcome, console))
                    show("", len(codes), len(jobs))
    except KeyboardInterrupt:
        codes += [_report(job, finished[job], console) for job in jobs[len(codes) :] if job in finished]
        raise KeyboardInterrupt(*[f"{len(codes)} of {len(jobs)} done"] * several) from None
    except StandardOutputError:
        stops.set()
        deque(outcomes, 0)  # of what is in work
        if several:
            _count([outcome.code for outcome in finished.values()], len(jobs), console)
        raise
    return _summarized(codes, len(jobs), console, force) if several else codes[0]


def _count(codes: list[int], n_jobs: int, console: Console) -> int:
    """Say how many of several jobs are done, and return how many failed."""
    failed = sum(code not in (0, NOT_AS_ASKED) for code in codes)
    console.say(f"{len(codes) - failed} of {n_jobs} done" + (f", {failed} failed" if failed else ""))
    return failed


def _summarized(codes: list[int], n_jobs: int, console: Console, force: bool) -> int:
    """Say how many of several jobs are done, and return the exit code of all."""
    failed = _count(codes, n_jobs, console)
    if left := n_jobs - len(codes):
        again = "" if force else " with --skip-existing"
        console.tell(f"stopped, as no space is left: {left} of {n_jobs} not begun; make room and run again{again}")
    return 1 if failed else max(codes)


def _report(job: Job, outcome: Outcome, console: Console) -> int:
    """Report the result of a job, and return its exit code."""
    if outcome.fault:
        console.fail(job.name, outcome.fault, job.place | outcome.facts, job.paths)
    else:
        console.report(job.name, job.place | outcome.facts)
    return outcome.code


def _outcome(job: Job, work: Callable[[Job], dict[str, Any]]) -> Outcome:
    try:
        if job.target != STREAM:
            check_target(job)
        facts = work(job)
    except StandardOutputError:
        raise
    except BrokenPipeError as error:
        if job.target == STREAM:
            raise
        return Outcome(1, {}, describe_os_error(error))
    except FdcError as error:
        return Outcome(error.exit_code, {}, str(error))
    except MemoryError:
        return Outcome(LimitError.exit_code, {}, NO_MEMORY)
    except OSError as error:
        return Outcome(1, {}, describe_os_error(error), error.errno in _NO_SPACE)
    except Exception as error:  # a defect of ours must not stop the other inputs
        place = extract_tb(error.__traceback__)[-1]
        message = f"internal error, please report it: {error!r} at {place.filename}:{place.lineno}"
        return Outcome(1, {}, message)
    if fault := facts.pop("fault", None):
        return Outcome(fault.exit_code, facts, str(fault))
    return Outcome(NOT_AS_ASKED if facts.get("not_as_asked") else 0, facts)


def describe_os_error(error: OSError) -> str:
    """Return the file and the reason, in one line."""
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason
