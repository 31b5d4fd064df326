"""Ctrl-C and other signals to a real process: its exit code, no traceback, and no file that is half written."""

import os
import signal
import subprocess
import sys
import tomllib
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

import pytest

from fdcodec.image import files
from fdcodec.image.files import nothing_unfinished, replace_file

PROGRAM = """
import signal, sys, time
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from fdcodec.cli import main
from fdcodec.image.files import replace_file

def write():
    while True:
        replace_file(Path("out"), bytes(10_000))

def run(arguments):
    Thread(target=write, daemon=True).start()
    try:
        print("works", flush=True)
        time.sleep(30)
    except KeyboardInterrupt:
        print("cleans up", flush=True)
        time.sleep(30 * (arguments == ["slowly"]))
        return main.INTERRUPTED
    return 0

# a test that runs in the background, or under nohup, ignores signals, and hands that down
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
main.run = run
main.main()
"""


def interrupted(*arguments, says):
    """Return the exit code and the errors of a process that is sent a signal after each word it says."""
    command = [sys.executable, "-c", PROGRAM, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        for word in says:
            assert process.stdout.readline().strip() == word
            process.send_signal(signal.SIGINT)
        return process.wait(20), process.stderr.read()


@pytest.mark.parametrize(
    ("arguments", "says"), [((), ["works"]), (("slowly",), ["works", "cleans up"])], ids=["once", "twice"]
)
def test_interrupt_leaves_no_traceback_and_no_file(tmp_path, monkeypatch, arguments, says):
    """The second Ctrl-C ends a command that still cleans up after the first, and what was being written is removed."""
    monkeypatch.chdir(tmp_path)
    assert interrupted(*arguments, says=says) == (130, "")
    assert {path.name for path in Path().iterdir()} <= {"out"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_ended_from_outside(tmp_path, monkeypatch, number):
    """The signals of `kill` and of a closed terminal end a command, and leave no part of a file."""
    monkeypatch.chdir(tmp_path)
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"works\n"
        process.send_signal(number)
        assert (process.wait(20), process.stderr.read()) == (-number, b"")
    assert {path.name for path in Path().iterdir()} <= {"out"}


def test_a_command_outlives_its_terminal_under_nohup(tmp_path):
    """Where the signal of a closed terminal is ignored, it still is."""
    program = PROGRAM.replace("main.run = run", "main.run = run; signal.signal(signal.SIGHUP, signal.SIG_IGN)")
    with subprocess.Popen(
        [sys.executable, "-c", program.replace("sleep(30)", "sleep(1)")], stdout=subprocess.PIPE, cwd=tmp_path
    ) as process:
        assert process.stdout.readline() == b"works\n"
        process.send_signal(signal.SIGHUP)
        assert process.wait(20) == 0


LOST = """
import ctypes, signal
from fdcodec.cli import main

def run(arguments):
    ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))()
    return 0

signal.signal(signal.SIGINT, signal.default_int_handler)
main.run = run
main.main()
"""


def test_interrupt_that_is_lost_in_a_callback_ends_the_command():
    """Ctrl-C while the compiler calls back, where Python drops exceptions, is exit code 130 and not a word."""
    process = subprocess.run([sys.executable, "-c", LOST], capture_output=True)
    assert (process.returncode, process.stderr) == (130, b"")


@pytest.mark.parametrize(
    "command", [["-m", "fdcodec"], ["-c", "from fdcodec.__main__ import main; main()"]], ids=["module", "script"]
)
def test_interrupt_of_imports_leaves_no_traceback(tmp_path, monkeypatch, command):
    """Ctrl-C while the first import of a command is still going on ends it with exit code 130 and not a word."""
    (tmp_path / "click.py").write_text("import time\nprint('imports', flush=True)\ntime.sleep(30)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    with subprocess.Popen(
        [sys.executable, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdout.readline() == b"imports\n"
        process.send_signal(signal.SIGINT)
        assert (process.wait(20), process.stderr.read()) == (130, b"")


def test_script_begins_where_interrupts_are_seen_to():
    """The command that is installed starts in the module whose first lines see to Ctrl-C."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == {"fdcodec": "fdcodec.__main__:main"}


def test_nothing_is_begun_while_a_process_ends(tmp_path):
    """A thread that comes to write once the unfinished is removed creates no file any more."""
    thread = Thread(target=replace_file, args=(tmp_path / "new", b"new"))
    with nothing_unfinished():
        thread.start()
        thread.join(0.2)
        assert list(tmp_path.iterdir()) == []
    thread.join()
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_thread_whose_file_is_removed_waits_for_the_end(tmp_path, monkeypatch):
    """What becomes of a file that is removed because the process ends is told to nobody."""
    written, removed = Event(), Event()

    def write():
        with suppress(FileNotFoundError):
            replace_file(tmp_path / "new", b"new")

    monkeypatch.setattr(files.os, "fsync", lambda descriptor: (written.set(), removed.wait()))
    thread = Thread(target=write)
    thread.start()
    written.wait()
    with nothing_unfinished():
        removed.set()
        thread.join(0.2)
        assert thread.is_alive()
    thread.join()
    assert list(tmp_path.iterdir()) == []


def test_background_commands_go_on(tmp_path):
    """Where interrupts are ignored, as in the background of a shell, they still are."""
    program = PROGRAM.replace("signal.default_int_handler", "signal.SIG_IGN").replace("sleep(30)", "sleep(1)")
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdout.readline() == b"works\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
