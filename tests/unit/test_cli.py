"""The command line: outputs, exit codes, messages; every command runs in this process."""

import json
import os
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from PIL import Image
from tests.images import orientation_exif, ramp, saved

import fdcodec
from fdcodec import container, verification
from fdcodec.cli.main import run
from fdcodec.image import files

PNG = saved(ramp(24, 40, 3), "PNG", exif=b"Exif\0\0" + orientation_exif(6))


class Result(NamedTuple):
    """What a run of the command line gave."""

    code: int
    out: bytes
    err: str


@pytest.fixture
def cli(tmp_path, monkeypatch, capfdbinary):
    """Return a function that runs a command line in an empty directory that holds one image, a.png."""
    monkeypatch.chdir(tmp_path)
    Path("a.png").write_bytes(PNG)

    def call(*arguments: str, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(stdin)))
        code = run(arguments)
        out, err = capfdbinary.readouterr()
        return Result(code, out, err.decode())

    return call


@pytest.fixture
def encoded(cli):
    """Return the bytes of a.fdc, which is made from a.png."""
    assert cli("encode", "a.png").code == 0
    return Path("a.fdc").read_bytes()


def test_encode_and_decode_beside_the_input(cli):
    """Without -o the results lie beside the inputs."""
    assert cli("encode", "a.png").code == 0
    Path("a.png").rename("original.png")
    assert cli("decode", "a.fdc").code == 0
    with Image.open("a.png") as image:
        assert image.size == (40, 24)
        assert image.getexif()[274] == 6


def test_pipes(cli):
    """A dash reads stdin and writes stdout, in the format that --format names."""
    data = cli("encode", "-", stdin=PNG).out
    decoded = cli("decode", "-", "--format", "ppm", stdin=data).out
    assert decoded.startswith(b"P6\n40 24\n255\n")


def test_encode_equals_the_library(cli):
    """The command adds nothing to what `fdcodec.encode` returns."""
    assert cli("encode", "a.png", "-q", "40", "--metadata", "none").code == 0
    assert Path("a.fdc").read_bytes() == fdcodec.encode(ramp(24, 40, 3), quality=40)


def test_existing_output_is_kept_without_force(cli, encoded):
    """An existing output is refused, and replaced with --force."""
    Path("a.fdc").write_bytes(b"precious")
    result = cli("encode", "a.png")
    assert (result.code, Path("a.fdc").read_bytes()) == (1, b"precious")
    assert "--force" in result.err
    assert cli("encode", "a.png", "-f").code == 0
    assert Path("a.fdc").read_bytes() == encoded


def test_one_bad_input_among_several(cli):
    """The others are done, the exit code is 1, and the summary counts."""
    Path("text.png").write_text("I am no image")
    Path("b.png").write_bytes(PNG)
    result = cli("encode", "a.png", "text.png", "b.png")
    assert result.code == 1
    assert "text.png: not an image" in result.err
    assert result.err.splitlines()[-1] == "2 of 3 done, 1 failed"
    assert {path.name for path in Path().glob("*.fdc")} == {"a.fdc", "b.fdc"}


def test_directory_tree_is_mirrored(cli):
    """With -r the tree below a directory is mirrored below --out-dir."""
    Path("in/deep").mkdir(parents=True)
    Path("in/deep/x.png").write_bytes(PNG)
    Path("in/notes.txt").write_text("not an image")
    assert cli("encode", "in", "-r", "--out-dir", "out").code == 0
    assert [str(path) for path in Path("out").rglob("*") if path.is_file()] == ["out/deep/x.fdc"]


def test_nothing_to_do_is_no_failure(cli):
    """A directory without images is done at once."""
    Path("empty").mkdir()
    assert cli("encode", "empty", "-r").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("encode",),
        ("encode", "a.png", "--unknown"),
        ("encode", "."),
        ("encode", "a.png", "a.png", "-o", "b.fdc"),
        ("encode", "a.png", "--metadata", "some"),
        ("encode", "-", "--json"),
        ("decode", "a.fdc", "--region", "1,2,3"),
        ("decode", "a.fdc", "--format", "docx"),
        ("encode", "a.png", "-q", "40", "--bpp", "1"),
        ("encode", "a.png", "-q", "101"),
        ("encode", "a.png", "-e", "0"),
        ("encode", "a.png", "-j", "65"),
        ("encode", "a.png", "--sparsity", "0"),
        ("encode", "a.png", "--tile", "8"),
        ("encode", "a.png", "--size", "10"),
    ],
)
def test_usage_errors(cli, arguments):
    """Wrong arguments are exit code 2 and leave no output."""
    result = cli(*arguments)
    assert result.code == 2
    assert not Path("a.fdc").exists()


def test_two_inputs_with_one_output_are_refused_before_anything_is_done(cli):
    """No result overwrites another of the same run."""
    Path("a.ppm").write_bytes(saved(ramp(4, 4, 3), "PPM"))
    result = cli("encode", "a.png", "a.ppm", "--force")
    assert (result.code, Path("a.fdc").exists()) == (2, False)


@pytest.mark.parametrize("damage", [lambda d: d[:-1], lambda d: d[:9], lambda d: d + b"x", lambda d: b"hello"])
def test_damaged_input_is_exit_code_one(cli, encoded, damage):
    """Truncated, extended and foreign files are one line and exit code 1."""
    Path("bad.fdc").write_bytes(damage(encoded))
    for command in ("decode", "info", "check"):
        result = cli(command, "bad.fdc")
        lines = [line for line in result.err.splitlines() if not line.startswith("compiling")]
        assert (result.code, len(lines)) == (1, 1)


def test_missing_transform_is_exit_code_three(cli):
    """The message names the transform."""
    result = cli("encode", "a.png", "-t", "no-such-class")
    assert result.code == 3
    assert "no-such-class" in result.err


def test_newer_version_is_exit_code_three(cli, encoded):
    """A file of the future is refused by its version."""
    data = bytearray(container.write(container.Header(4, 4), [b""]))
    data[4] = 9
    Path("new.fdc").write_bytes(data)
    result = cli("decode", "new.fdc")
    assert (result.code, "version 9" in result.err) == (3, True)


def test_pixel_limit_is_exit_code_four(cli, encoded):
    """--max-pixels is a limit."""
    assert cli("decode", "a.fdc", "-o", "b.png", "--max-pixels", "959").code == 4
    assert cli("decode", "a.fdc", "-o", "b.png", "--max-pixels", "960").code == 0


def test_failed_verification_is_exit_code_six(cli, monkeypatch):
    """A file whose samples do not have the hash it carries fails the check."""
    assert cli("encode", "a.png", "--verify").code == 0
    assert cli("check", "a.fdc").code == 0
    monkeypatch.setattr(verification, "pixel_hash", lambda picture: bytes(32))
    assert cli("check", "a.fdc").code == 6
    assert cli("check", "a.fdc", "--structure-only").code == 0


@pytest.mark.parametrize("target", ["missing-directory/a.fdc", "directory"])
def test_unwritable_output_is_exit_code_one(cli, target):
    """An output that cannot be written is named."""
    Path("directory").mkdir()
    result = cli("encode", "a.png", "-o", target, "--force")
    assert (result.code, target in result.err) == (1, True)


def test_full_disk_leaves_the_existing_output(cli, encoded, monkeypatch):
    """A write error costs nothing that was there."""

    def full_disk(descriptor):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(files.os, "fsync", full_disk)
    result = cli("encode", "a.png", "-q", "10", "--force")
    assert (result.code, Path("a.fdc").read_bytes()) == (1, encoded)
    assert {path.name for path in Path().iterdir()} == {"a.fdc", "a.png"}


def test_defect_of_ours_is_one_line(cli, monkeypatch):
    """An unexpected exception is reported as ours, without a traceback, and the other inputs are done."""
    original = verification.check_file

    def broken(data, **options):
        if len(data) < 5:
            raise IndexError("out of range")
        return original(data, **options)

    monkeypatch.setattr(verification, "check_file", broken)
    Path("bad.fdc").write_bytes(b"bad")
    Path("good.fdc").write_bytes(container.write(container.Header(4, 4), [b""]))
    result = cli("check", "--structure-only", "bad.fdc", "good.fdc")
    assert result.code == 1
    assert "internal error" in result.err
    assert "Traceback" not in result.err
    assert "good.fdc: right" in result.err


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize(("source", "target"), [("png", "png"), ("png", "jpg"), ("jpg", "png"), ("jpg", "jpg")])
def test_orientation_through_the_codec(cli, orientation, source, target):
    """The tag goes through encode and decode, and the stored pixels are not turned."""
    exif = b"Exif\0\0" + orientation_exif(orientation)
    Path(f"in.{source}").write_bytes(saved(ramp(8, 20, 3), {"png": "PNG", "jpg": "JPEG"}[source], exif=exif))
    assert cli("encode", f"in.{source}", "-o", "x.fdc").code == 0
    assert cli("decode", "x.fdc", "-o", f"out.{target}").code == 0
    with Image.open(f"out.{target}") as image:
        assert (image.size, image.getexif()[274]) == ((20, 8), orientation)


@pytest.mark.parametrize(("choice", "kept"), [("all", 1), ("none", 0), ("exif", 1), ("xmp,icc", 0)])
def test_metadata_choice(cli, choice, kept):
    """--metadata says which blocks go into the file."""
    assert cli("encode", "a.png", "--metadata", choice).code == 0
    assert (container.read(Path("a.fdc").read_bytes()).metadata.exif is not None) == kept


def test_json_reports(cli):
    """With --json stdout holds one object a line and nothing else."""
    encode = json.loads(cli("encode", "a.png", "--json").out)
    assert {"input": "a.png", "output": "a.fdc", "width": 40, "height": 24, "channels": 3}.items() <= encode.items()
    assert encode["bytes"] == Path("a.fdc").stat().st_size
    info = json.loads(cli("info", "a.fdc", "--json").out)
    assert (info["width"], info["samples"], info["metadata_bytes"]["exif"] > 0) == (40, "RGB", True)
    assert info["file_bytes"] == encode["bytes"]
    lines = cli("check", "a.fdc", "missing.fdc", "--json").out.splitlines()
    assert [sorted(json.loads(line)) for line in lines] == [["checked", "input", "summary"], ["error", "input"]]


def test_info_as_text(cli, encoded):
    """`info` writes the facts to stdout."""
    out = cli("info", "a.fdc").out.decode()
    assert "width             40" in out
    assert "FHDR" in out


def test_region(cli, encoded):
    """--region decodes a rectangle."""
    assert cli("decode", "a.fdc", "-o", "whole.npy").code == 0
    assert cli("decode", "a.fdc", "-o", "part.npy", "--region", "5,3,20,10").code == 0
    assert np.array_equal(np.load("part.npy"), np.load("whole.npy")[3:13, 5:25])


def test_quiet(cli):
    """--quiet says nothing but errors."""
    assert cli("encode", "a.png", "--quiet") == (0, b"", "")
    assert "exists" in cli("encode", "a.png", "--quiet").err


def test_no_control_characters_when_piped(cli):
    """Progress is for terminals."""
    Path("b.png").write_bytes(PNG)
    assert "\x1b" not in cli("encode", "a.png", "b.png").err


@pytest.mark.parametrize("name", ["with space.png", "-dash.png", "\N{GRINNING FACE}.png"])
def test_any_file_name(cli, name):
    """Spaces, leading dashes and other alphabets are file names."""
    Path(name).write_bytes(PNG)
    assert cli("encode", "--out-dir", "out", "--", name).code == 0
    assert Path("out", name).with_suffix(".fdc").exists()


def test_notes_are_said(cli):
    """What was left out on reading is said, with the name of the input."""
    frames = [Image.fromarray(ramp(4, 4, 3)), Image.fromarray(ramp(4, 4, 3)[::-1])]
    frames[0].save("moving.png", save_all=True, append_images=frames[1:])
    assert "moving.png: note: only the first of 2 frames" in cli("encode", "moving.png").err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(cli, shell):
    """Each shell gets its script."""
    assert b"_FDCODEC_COMPLETE" in cli("completion", shell).out


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("encode", "--help"), ("compare", "--help")])
def test_help_and_version(cli, arguments):
    """Help and version are exit code 0."""
    assert cli(*arguments).code == 0


def test_closed_pipe_is_silent(encoded):
    """A reader that stops reading is no error."""
    command = f"{sys.executable} -m fdcodec info {'a.fdc ' * 3000}| head -1"
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert (run.stdout, run.stderr) == ("a.fdc\n", "")
