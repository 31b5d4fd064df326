"""The command line: a full disk ends a run at its first output, and costs nothing that is complete."""

import errno
import os
from itertools import count
from pathlib import Path

import pytest

from fdcodec.cli.batch import run_jobs
from fdcodec.cli.console import Console
from fdcodec.cli.jobs import Job
from fdcodec.image import files

ROOM = 2


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """Return a function that writes eight files where there is room for two, and gives the code and what is said."""

    def call(fault: int = errno.ENOSPC, **options: object) -> tuple[int, str]:
        written = count()

        def flush(descriptor):
            if next(written) >= ROOM:
                raise OSError(fault, os.strerror(fault))

        monkeypatch.setattr(files.os, "fsync", flush)
        jobs = [Job(Path(f"{k}.png"), tmp_path / f"{k}.fdc") for k in range(8)]
        code = run_jobs(jobs, lambda job: job.write(b"x") or {"summary": "done"}, Console(), **options)
        return code, capfd.readouterr().err

    return call


@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EDQUOT])
def test_run_stops_where_no_space_is_left(run, tmp_path, fault):
    """One input fails, those behind it are not begun but counted, and what is complete stays."""
    code, told = run(fault, force=False)
    assert code == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.fdc", "1.fdc"]
    assert told.splitlines()[2:] == [
        f"fdcodec: 2.png: {tmp_path}/2.fdc: {os.strerror(fault)}",
        "2 of 8 done, 1 failed",
        "fdcodec: stopped, as no space is left: 5 of 8 not begun; make room and run again with --skip-existing",
    ]


def test_run_that_replaces_does_not_skip_when_it_goes_on(run):
    """Where outputs are replaced, --skip-existing would pass over those not yet replaced, and is not advised."""
    assert run(force=True)[1].endswith("make room and run again\n")


def test_threads_begin_nothing_on_a_full_disk(run, tmp_path):
    """With several threads only what is in work by then may fail, too."""
    code, told = run(at_once=3)
    assert (code, len(list(tmp_path.iterdir()))) == (1, ROOM)
    assert 1 <= told.count(os.strerror(errno.ENOSPC)) <= 3


def test_other_errors_do_not_stop_a_run(run):
    """An output that cannot be written for a reason of its own costs no other input."""
    assert run(errno.EIO)[1].splitlines()[-1] == "2 of 8 done, 6 failed"
