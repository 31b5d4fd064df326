"""The command line with a standard output that is closed."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.images import PNG


@pytest.mark.parametrize(
    "arguments", ["info a.fdc", "info a.fdc --json", "check a.fdc --json", "transforms", "completion zsh"]
)
def test_report_that_nobody_gets_is_a_failure(encoded, arguments):
    """With stdout closed, a command whose result is text ends with exit code 1 and says why in one line."""
    command = [sys.executable, "-m", "fdcodec", *arguments.split()]
    run = subprocess.run(["bash", "-c", '"$@" >&-', "bash", *command], capture_output=True, text=True, check=False)
    lines = [line for line in run.stderr.splitlines() if "compiling" not in line]
    assert (run.returncode, len(lines), lines[0].endswith("standard output is closed")) == (1, 1, True)


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch])
def test_file_called_dash_is_not_standard_output(cli, encoded, make):
    """What is called like standard output, file or directory, keeps nobody from writing there or from checking."""
    make(Path("-"))
    result = cli("encode", "a.png", "-o", "-")
    assert (result.code, result.out) == (0, encoded)
    assert cli("check", "a.fdc").code == 0


@pytest.mark.parametrize(
    "arguments",
    [("encode", "a.png", "-"), ("encode", "-"), ("decode", "a.fdc", "-o", "-"), ("decode", "-", "--format", "ppm")],
    ids=str,
)
def test_no_image_goes_to_a_terminal(cli, monkeypatch, arguments):
    """Where standard output is a terminal, what would go there is a usage error before any work, with what to do."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    result = cli(*arguments)
    assert (result.code, result.out) == (2, b"")
    assert "standard output is a terminal, which shows no images; redirect it, or name a file with -o" in result.err


def test_terminal_is_no_hindrance_to_files(cli, monkeypatch):
    """Where results go to files, standard output may be a terminal."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert cli("encode", "a.png", "x.fdc").code == 0


def test_files_need_no_standard_output(cli):
    """With stdout closed, what goes to a file is written and the exit code is 0."""
    Path("b.png").write_bytes(PNG)
    command = [sys.executable, "-m", "fdcodec", "encode", "b.png"]
    run = subprocess.run(["bash", "-c", '"$@" >&-', "bash", *command], capture_output=True, text=True, check=False)
    assert (run.returncode, Path("b.fdc").exists()) == (0, True)
