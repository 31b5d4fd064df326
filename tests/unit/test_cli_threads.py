"""The command line: several inputs at a time."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.images import noise, photo, saved

from fdcodec.cli import batch
from fdcodec.cli.jobs import Job, split_threads

NAMES = [f"{k}.png" for k in range(5)]


@pytest.fixture
def pictures(cli):
    """Write five pictures, the middle one of which is none."""
    for k, name in enumerate(NAMES):
        Path(name).write_bytes(b"no picture" if k == 2 else saved(photo(16 + 8 * k, 24), "PNG"))
    return cli


def files(directory):
    """Return the names and bytes of the files of a directory."""
    return {path.name: path.read_bytes() for path in sorted(Path(directory).iterdir())}


def test_outputs_do_not_depend_on_threads(pictures):
    """Encoded and decoded in three threads, all files are those of one, and a failure is that of its input."""
    for threads in ("1", "3"):
        assert pictures("encode", *NAMES, "--out-dir", f"fdc{threads}", "-j", threads).code == 1
        assert pictures("decode", "-r", f"fdc{threads}", "--out-dir", f"png{threads}", "-j", threads).code == 0
        assert pictures("check", "-r", f"fdc{threads}", "-j", threads).code == 0
    assert files("fdc1") == files("fdc3")
    assert files("png1") == files("png3")
    assert sorted(files("png1")) == ["0.png", "1.png", "3.png", "4.png"]


def test_reports_have_the_order_of_inputs(pictures):
    """Whichever ends first, reports come as the inputs do."""
    lines = pictures("encode", *NAMES, "--out-dir", "fdc", "-j", "4", "--json").out.splitlines()
    assert [json.loads(line)["input"] for line in lines] == NAMES


@pytest.mark.parametrize("threads", ["1", "3"])
def test_one_output_for_two_inputs_is_refused(pictures, threads):
    """Whatever the paths look like, a second input with an output of the first is refused; one named twice is one."""
    Path("d").mkdir()
    Path("link").symlink_to(".")
    Path("0.jpg").write_bytes(saved(photo(16, 24), "JPEG"))
    result = pictures("encode", "0.png", "d/../0.jpg", "link/0.jpg", "0.png", "./0.png", "-j", threads)
    assert (result.code, result.err.count("rename one of them")) == (1, 2)
    assert "1 of 3 done" in result.err


# A test run in the background ignores interrupts, and hands that down.
INTERRUPTIBLE = """
import os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from fdcodec.cli import encode, main

def told(job, work=encode._encode, **options):
    os.write(1, b"works\\n")  # in one piece, as two threads do so
    return work(job, **options)

encode._encode = told
main.main()
"""


def test_interrupt_ends_all_threads(cli):
    """After Ctrl-C the command ends with its own exit code, without a traceback and without any output."""
    names = ("0.png", "1.png")
    for name in names:
        Path(name).write_bytes(saved(noise(1400, 1400, 3, seed=1), "PNG"))
    command = [sys.executable, "-c", INTERRUPTIBLE, "encode", *names, "-j", "2", "-e", "9"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert [process.stdout.readline() for _ in names] == 2 * ["works\n"]
        process.send_signal(signal.SIGINT)
        message = process.communicate()[1]
    assert (process.returncode, "interrupted: 0 of 2 done" in message, "Traceback" in message) == (130, True, False)
    assert list(Path().glob("*.fdc")) == []


def test_notes_are_those_of_their_input(pictures):
    """What is said of one picture is not said of another that is encoded at the same time."""
    for name in NAMES[:2]:
        Path(name).write_bytes(saved(photo(96, 96), "PNG"))
    result = pictures("encode", *NAMES[:2], NAMES[3], "--out-dir", "fdc", "-j", "3", "--size", "800", "--json")
    notes = {json.loads(line)["input"]: json.loads(line)["notes"] for line in result.out.splitlines()}
    assert {name: len(found) for name, found in notes.items()} == {"0.png": 0, "1.png": 0, "3.png": 2}


@pytest.mark.parametrize("command", [("encode", "--out-dir", "out"), ("decode", "--out-dir", "out"), ("check",)])
@pytest.mark.parametrize("threads", ["-1", "65"])
def test_number_of_threads_is_checked_first(pictures, command, threads):
    """A number of threads out of range is told once, before any input."""
    result = pictures(*command, *NAMES, "-j", threads)
    assert (result.code, result.err.count("--threads")) == (2, 1)


@pytest.mark.parametrize(
    ("threads", "jobs", "expected"), [(1, 0, (1, 1)), (4, 1, (1, 4)), (2, 9, (2, 1)), (8, 3, (3, 2)), (1, 5, (1, 1))]
)
def test_threads_are_shared_out(threads, jobs, expected):
    """Threads go to the inputs first; what remains is for the tiles and models of each."""
    assert split_threads(threads, [Job(Path("a.png"))] * jobs) == expected


def test_several_inputs_go_at_a_time(pictures, monkeypatch):
    """With two threads the first two inputs are in work before either is done."""
    begun = []
    monkeypatch.setattr(batch, "each", lambda work, jobs, threads: begun.append(threads) or map(work, jobs))
    pictures("encode", *NAMES, "--out-dir", "fdc", "-j", "2")
    assert begun == [2]
