"""The command line: inputs that cannot be reached, or are not there, cost no other input."""

import errno
import json
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.images import ramp, saved

import fdcodec
from fdcodec.errors import FormatError

TOO_LONG = "x" * 300
COMMANDS = {"encode": "png", "decode": "fdc", "check": "fdc", "info": "fdc"}


@pytest.fixture
def tree(cli, encoded, locked):
    """Make a directory of images and files of ours, beside one that cannot be read."""
    for folder in ("in/open", "in/locked"):
        Path(folder).mkdir(parents=True)
        Path(folder, "a.png").write_bytes(Path("a.png").read_bytes())
        Path(folder, "b.fdc").write_bytes(encoded)


@pytest.mark.parametrize("command", COMMANDS)
def test_name_that_is_too_long_fails_alone(cli, encoded, command):
    """An input whose name no file can have is one failure, and the others are done."""
    suffix = COMMANDS[command]
    result = cli(command, f"{TOO_LONG}.{suffix}", f"a.{suffix}", *(["--out-dir", "out"] if suffix == "png" else []))
    assert (result.code, result.err.count("File name too long")) == (1, 1)
    assert "internal error" not in result.err


def test_input_without_permission_fails_alone(cli, tree, monkeypatch):
    """An input that may not be read is no usage error, which would end the run, but a failure of its own."""
    monkeypatch.setattr(os, "access", lambda path, mode: mode == os.W_OK)
    result = cli("encode", "-r", "in/locked", "a.png", "-f")
    assert (result.code, "fdcodec: in/locked: Permission denied" in result.err) == (1, True)
    assert "1 of 2 done, 1 failed" in result.err


@pytest.mark.parametrize("command", COMMANDS)
def test_directory_that_cannot_be_read_is_a_failed_input(cli, tree, command):
    """Below a directory each one that cannot be read is a failure with its name, and the other files are done."""
    options = ["--out-dir", "out"] if command in ("encode", "decode") else []
    result = cli(command, "-r", "in", *options)
    assert (result.code, "fdcodec: in/locked: Permission denied" in result.err) == (1, True)
    assert "1 of 2 done, 1 failed" in result.err or command == "info"
    if options:
        assert [path.name for path in Path("out").rglob("*.*")] == ["a.fdc" if command == "encode" else "b.png"]


def test_directory_that_cannot_be_read_is_no_original(cli, tree):
    """Of files and originals below one directory, what cannot be read is told once, and the others are compared."""
    Path("in/open/a.png").rename("in/open/b.png")
    result = cli("check", "-r", "in", "--against", "in")
    assert (result.code, "1 of 2 done, 1 failed" in result.err) == (1, True)
    assert result.err.count("Permission denied") == 1


def test_directory_that_cannot_be_read_takes_no_output(cli, tree):
    """A failed directory neither takes the output of a picture beside it, nor is standard output taken for its."""
    Path("in/locked.png").write_bytes(Path("a.png").read_bytes())
    result = cli("encode", "-r", "in", "--json")
    assert (result.code, Path("in/locked.fdc").is_file()) == (1, True)


def test_file_that_cannot_be_asked_what_it_is_is_tried(cli, monkeypatch):
    """Where a directory may be listed, and what is in it not looked at, reading tells what is wrong, if anything is."""
    Path("d").mkdir()
    Path("a.png").rename("d/b.png")
    is_file = Path.is_file

    def refusing(path):
        if path.name == "b.png":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", refusing)
    assert cli("encode", "-r", "d").code == 0
    assert Path("d/b.fdc").exists()


def test_inputs_below_directories_are_in_order(cli):
    """Files are taken in the order of their paths, and by suffixes in letters of either case."""
    for name in ("d/a/c.PNG", "d/b.png", "d/c/a.Jpeg"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(Path("a.png").read_bytes())
    lines = cli("encode", "-r", "d", "--json").out.splitlines()
    assert [json.loads(line)["input"] for line in lines] == ["d/a/c.PNG", "d/b.png", "d/c/a.Jpeg"]


def test_learning_goes_on_without_what_cannot_be_reached(cli, tree, learned_from):
    """`learn` names what it leaves out and takes the other images."""
    result = cli("learn", "-r", "in", f"{TOO_LONG}.png", "-o", "new.fdt")
    assert [samples.shape for samples in learned_from] == [(24, 40, 3)]
    assert "in/locked: Permission denied" in result.err
    assert "File name too long" in result.err


def test_learning_tells_what_is_lost_of_images(cli, learned_from):
    """What was left out on reading is said of images to learn from, as of images to encode."""
    frames = [Image.fromarray(ramp(16, 16, 3)), Image.fromarray(ramp(16, 16, 3)[::-1])]
    frames[0].save("pages.tif", save_all=True, append_images=frames[1:])
    told = cli("learn", "pages.tif", "-o", "new.fdt").err
    assert "pages.tif: note: only the first of 2 frames was read; --frames takes them all" in told
    assert len(learned_from) == 1


@pytest.mark.parametrize("command", [*COMMANDS, "learn"])
def test_no_inputs_is_a_usage_error(cli, command):
    """Directories without a file of the kind are an error that says which files are looked for."""
    Path("empty").mkdir()
    options = ["-o", "new.fdt"] if command == "learn" else []
    result = cli(command, "-r", "empty", *options)
    assert (result.code, "no file below empty ends in ." in result.err) == (2, True)


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_what_is_no_file_is_left_out(cli, kind):
    """A link to nothing and a pipe with the name of an image are no inputs."""
    Path("in").mkdir()
    Path("in/a.png").write_bytes(saved(np.zeros((8, 8), np.uint8), "PNG"))
    Path("in/b.png").symlink_to("nothing") if kind == "link" else os.mkfifo("in/b.png")
    assert cli("encode", "-r", "in").code == 0


@pytest.mark.parametrize("command", ["encode", "decode", "check"])
def test_links_to_directories_are_told(cli, encoded, command):
    """They are not followed, as they may lead in a circle, and no picture behind one is left out without a word."""
    suffix = COMMANDS[command]
    Path("in").mkdir()
    Path("in/link").symlink_to("..")
    told = "links to directories are not followed, name them as inputs: in/link"
    alone = cli(command, "-r", "in")
    assert (alone.code, f"; {told}\n" in alone.err) == (2, True)
    Path(f"in/b.{suffix}").write_bytes(Path(f"a.{suffix}").read_bytes())
    result = cli(command, "-r", "in", "--json")
    assert (result.code, f"note: {told}\n" in result.err, len(result.out.splitlines())) == (0, True, 1)


@pytest.mark.skipif(not Path("/dev/zero").is_char_device(), reason="needs a device without an end")
@pytest.mark.parametrize("command", ["encode", "decode", "info", "check"])
def test_devices_are_refused(cli, command):
    """A device is no file and may have no end: it is refused before it is read."""
    result = cli(command, "/dev/zero")
    assert (result.code, "/dev/zero: this is a device" in result.err) == (1, True)


@pytest.mark.skipif(not Path("/dev/zero").is_char_device(), reason="needs a device without an end")
@pytest.mark.parametrize("call", [fdcodec.decode, fdcodec.open, fdcodec.read_header])
def test_devices_are_refused_in_python(call):
    """The library refuses a device as the command does."""
    with pytest.raises(FormatError, match="this is a device"):
        call("/dev/zero")
