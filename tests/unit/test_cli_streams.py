"""The command line with standard streams that are closed or full."""

import errno
import json
import os
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.images import PNG

from fdcodec.cli.jobs import Job
from fdcodec.cli.main import run
from fdcodec.model import get

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
NO_SPACE = f"fdcodec: standard output: {os.strerror(errno.ENOSPC)}"


@pytest.mark.parametrize(
    "arguments", ["info a.fdc", "info a.fdc --json", "check a.fdc --json", "transforms", "completion zsh"]
)
def test_report_that_nobody_gets_is_a_failure(encoded, arguments):
    """With stdout closed, a command whose result is text ends with exit code 1 and says why in one line."""
    command = [sys.executable, "-m", "fdcodec", *arguments.split()]
    run = subprocess.run(["bash", "-c", '"$@" >&-', "bash", *command], capture_output=True, text=True, check=False)
    lines = [line for line in run.stderr.splitlines() if "compiling" not in line]
    assert (run.returncode, len(lines), lines[0].endswith("standard output is closed")) == (1, 1, True)


def test_messages_that_nobody_hears_do_not_end_the_work(cli):
    """With the reader of stderr gone, all inputs are done, and the exit code is that of the work."""
    names = [f"{number}.png" for number in range(3)]
    for name in names:
        Path(name).write_bytes(PNG)
    command = [sys.executable, "-m", "fdcodec", "encode", *names, "-e", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as run:
        run.stderr.close()
    assert (run.returncode, [Path(name).with_suffix(".fdc").exists() for name in names]) == (0, 3 * [True])


def with_full(stream, *arguments):
    """Return the exit code and the lines on stderr, but for those on compiling, where a stream finds no space."""
    other = "stderr" if stream == "stdout" else "stdout"
    with FULL.open("wb") as full:
        streams = {stream: full, other: subprocess.PIPE}
        run = subprocess.run([sys.executable, "-m", "fdcodec", *arguments], **streams, text=True, check=False)
    return run.returncode, [line for line in (run.stderr or "").splitlines() if "compiling" not in line]


@needs_full
@pytest.mark.parametrize(
    "arguments",
    ["info a.fdc", "info a.fdc a.fdc", "decode a.fdc -o -", "transforms", "--help", "encode --help", "--version"],
)
def test_full_standard_output_is_named(encoded, arguments):
    """Where standard output finds no space, that is told in its name, and neither the input nor the next is blamed."""
    assert with_full("stdout", *arguments.split()) == (1, [NO_SPACE])


@needs_full
@pytest.mark.parametrize("threads", ["1", "2"])
def test_full_standard_output_ends_a_run_with_its_summary(cli, threads):
    """Where no record of a run can be written it stops, and says how many are done, which are all that there are."""
    names = [f"{number}.png" for number in range(8)]
    for name in names:
        Path(name).write_bytes(PNG)
    code, told = with_full("stdout", "encode", *names, "-e", "1", "--json", "-j", threads)
    done = len(list(Path().glob("*.fdc")))
    assert (code, told, done >= 1) == (1, [f"{done} of 8 done", NO_SPACE], True)


@needs_full
def test_messages_that_find_no_space_do_not_end_the_work(cli):
    """With stderr on a full disk all inputs are done, and exit codes are those of the work."""
    names = [f"{number}.png" for number in range(3)]
    for name in names:
        Path(name).write_bytes(PNG)
    assert with_full("stderr", "encode", *names, "-e", "1")[0] == 0
    assert all(Path(name).with_suffix(".fdc").exists() for name in names)
    assert with_full("stderr", "check", "0.png")[0] == 1
    assert with_full("stderr", "encode")[0] == 2


def test_names_that_are_not_utf8_are_escaped_in_json(cli):
    """A file name of any bytes is reported as JSON, and the inputs after it are done."""
    for name in ("\udcff.png", "\xe9.png"):
        Path(name).write_bytes(PNG)
    lines = cli("encode", "\udcff.png", "\xe9.png", "--json").out.splitlines()
    assert [json.loads(line)["input"] for line in lines] == ["\udcff.png", "\xe9.png"]
    assert ["\\udcff" in lines[0].decode(), "\xe9" in lines[1].decode()] == [True, True]


def output_in(encoding, monkeypatch):
    """Return the bytes that are written to a standard output of an encoding, which refuses what it does not have."""
    output = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(output, encoding))
    return output


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "ascii"])
def test_json_is_utf8_whatever_standard_output_is(cli, encoded, monkeypatch, encoding):
    """JSON of names that standard output cannot show is escaped, and a program reads them as they are."""
    names = ["\u6f22.fdc", "\xe9.fdc", "\udcff.fdc"]
    for name in names:
        Path(name).write_bytes(encoded)
    output = output_in(encoding, monkeypatch)
    assert run(["check", "--json", *names]) == 0
    assert [json.loads(line)["input"] for line in output.getvalue().decode().splitlines()] == names


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_names_that_standard_output_cannot_show_are_escaped(cli, encoded, monkeypatch, encoding):
    """Facts and lists are written where names are not UTF-8, with escapes in their place."""
    Path("\udcff.fdc").write_bytes(encoded)
    get("photo").save(Path("\udcfe.fdt"))
    monkeypatch.setenv("FDCODEC_MODEL_PATH", ".")
    output = output_in(encoding, monkeypatch)
    assert [run(["info", "\udcff.fdc"]), run(["transforms"])] == [0, 0]
    assert [rf"\{name}" in output.getvalue().decode() for name in ("udcff.fdc\n", "udcfe ")] == [True, True]


def test_line_breaks_in_names_of_models_are_escaped(cli, monkeypatch):
    """The list of class models has one line for each, whatever their names."""
    get("photo").save(Path("a\nb.fdt"))
    monkeypatch.setenv("FDCODEC_MODEL_PATH", ".")
    assert b"a\\nb " in cli("transforms").out


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


def test_dash_behind_several_names_is_an_input(cli, encoded):
    """Of more than two names the last is standard input, whose picture goes to standard output."""
    Path("b.fdc").write_bytes(encoded)
    result = cli("decode", "a.fdc", "b.fdc", "-", "-f", stdin=encoded)
    assert (result.code, Path("b.png").read_bytes() == result.out != b"") == (0, True)


def test_terminal_is_no_hindrance_to_files(cli, monkeypatch):
    """Where results go to files, standard output may be a terminal."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert cli("encode", "a.png", "x.fdc").code == 0


def test_output_is_whole_where_parts_of_it_are_taken(monkeypatch):
    """Without a buffer, as with python -u, a system may take a part only: the rest is written, and all is flushed."""
    calls = []
    buffer = SimpleNamespace(write=lambda rest: calls.append(bytes(rest[:3])) or 3, flush=lambda: calls.append("end"))
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=buffer))
    Job(Path("a.fdc")).write(b"picture")
    assert calls == [b"pic", b"tur", b"e", "end"]


def test_files_need_no_standard_output(cli):
    """With stdout closed, what goes to a file is written and the exit code is 0."""
    Path("b.png").write_bytes(PNG)
    command = [sys.executable, "-m", "fdcodec", "encode", "b.png"]
    run = subprocess.run(["bash", "-c", '"$@" >&-', "bash", *command], capture_output=True, text=True, check=False)
    assert (run.returncode, Path("b.fdc").exists()) == (0, True)
