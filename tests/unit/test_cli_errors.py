"""The command line: what goes wrong, with which exit code, and what stays untouched."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.images import PNG, ramp, saved

from fdcodec import container, verification
from fdcodec.image import files


def test_existing_output_is_kept_without_force(cli, encoded):
    """An existing output is refused, and replaced with --force."""
    Path("a.fdc").write_bytes(b"precious")
    result = cli("encode", "a.png")
    assert (result.code, Path("a.fdc").read_bytes()) == (1, b"precious")
    assert "--force" in result.err
    assert cli("encode", "a.png", "-f").code == 0
    assert Path("a.fdc").read_bytes() == encoded


def test_an_input_is_never_its_own_output(cli):
    """Input and output that are one file are refused, also with --force, and the file stays as it was."""
    before = Path("a.png").rename("picture").read_bytes()
    result = cli("encode", "picture", "-o", "picture", "-f")
    assert (result.code, Path("picture").read_bytes()) == (2, before)
    assert "the input itself; name another" in result.err


def test_file_of_ours_is_no_image_to_encode(cli):
    """Encoding an .fdc file to another name says that it is one, and what to do."""
    assert cli("encode", "a.png").code == 0
    assert "decode it first" in cli("encode", "a.fdc", "-o", "b.fdc").err


def test_one_bad_input_among_several(cli):
    """The others are done, the exit code is 1, and the summary counts."""
    Path("text.png").write_text("I am no image")
    Path("b.png").write_bytes(PNG)
    result = cli("encode", "a.png", "text.png", "b.png")
    assert result.code == 1
    assert "text.png: not an image" in result.err
    assert result.err.splitlines()[-1] == "2 of 3 done, 1 failed"
    assert {path.name for path in Path().glob("*.fdc")} == {"a.fdc", "b.fdc"}


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
        ("encode", "a.png", "--tune", "ear"),
    ],
)
def test_usage_errors(cli, arguments):
    """Wrong arguments are exit code 2 and leave no output."""
    result = cli(*arguments)
    assert result.code == 2
    assert not Path("a.fdc").exists()


def test_an_output_that_is_taken_aborts_only_its_own_input(cli, encoded):
    """No result overwrites another of the same run: the first input is done, the second fails by name."""
    Path("a.ppm").write_bytes(saved(ramp(4, 4, 3), "PPM"))
    result = cli("encode", "a.png", "a.ppm", "--force")
    assert (result.code, Path("a.fdc").read_bytes()) == (1, encoded)
    assert "a.ppm: would be written to a.fdc, like a.png; rename one of them, or give it a run" in result.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("encode", "a.png", "--size", "9" * 400), "--size: 99"),
        (("encode", "a.png", "--psnr", "inf"), "--psnr: inf is not allowed; give a number in 1..120"),
        (("encode", "a.png", "-q", "101"), "--quality: 101 is not allowed; give a number in 0..100"),
        (("encode", "a.png", "--psnr", "30", "--bpp", "1"), "--psnr and --bpp were given"),
        (("encode", "a.png", "-e", "0"), "--effort: 0"),
        (("encode", "a.png", "-t", "none-such"), "--transform: class model 'none-such' is not known; known are"),
        (("decode", "a.fdc", "-o", "b.foo"), "Invalid value for '-o' / '--output': .foo is not one of .png,"),
        (("decode", "a.fdc", "-j", "65", "-o", "b.png"), "--threads: 65"),
        (("decode", "a.fdc", "--region", "0,0,99,99", "-o", "b.png"), "--region: (0, 0, 99, 99)"),
        (("decode", "a.fdc", "--max-pixels", "9", "-o", "b.png"), "raise --max-pixels"),
    ],
)
def test_messages_name_options(cli, encoded, arguments, message):
    """What the library calls an argument the command line calls an option."""
    result = cli(*arguments, "-f")
    assert result.code in (2, 3, 4)
    assert message in result.err
    assert "internal error" not in result.err


@pytest.mark.parametrize("name", ["max_pixels.fdc", "d/max_pixels", "x-reduce=4.fdc"])
def test_files_are_not_taken_for_arguments(cli, name):
    """A file whose name has that of an argument in it is named as it is."""
    Path("d").mkdir()
    Path(name).touch()
    assert f"a.png: {name} exists; add --force" in cli("encode", "a.png", "-o", name).err


def test_file_name_is_said_once(cli):
    """A missing input is named once."""
    for command in ("encode", "decode", "info", "check"):
        assert cli(command, "missing.fdc").err.count("missing.fdc") == 1


def test_format_that_contradicts_the_output_is_refused(cli, encoded):
    """--format and the suffix of -o agree, or nothing is written; without a suffix --format decides."""
    assert cli("decode", "a.fdc", "-o", "b.tiff", "--format", "png").code == 2
    assert cli("decode", "a.fdc", "-o", "b.jpeg", "--format", "jpg").code == 0
    assert cli("decode", "a.fdc", "-o", "b.PNG", "--format", "PNG").code == 0
    assert cli("decode", "a.fdc", "-o", "b", "--format", "ppm").code == 0
    assert Path("b").read_bytes().startswith(b"P6")
    assert not Path("b.tiff").exists()


@pytest.mark.parametrize(("stream", "redirection"), [("input", "<&-"), ("output", ">&-")])
def test_closed_stream_is_named(encoded, stream, redirection):
    """A closed standard stream is an input or output error of one line."""
    command = f"{sys.executable} -m fdcodec decode {'-' if stream == 'input' else 'a.fdc'} -o - {redirection}"
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert f"standard {stream} is closed" in run.stderr
    assert "internal" not in run.stderr


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
    data = bytearray(container.write(container.File(container.Header(4, 4), [b""])))
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


def test_existing_export_is_kept_without_force(cli):
    """An existing model file is refused."""
    Path("dct.fdt").write_bytes(b"precious")
    assert cli("transforms", "export", "dct").code == 1
    assert Path("dct.fdt").read_bytes() == b"precious"


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
    Path("good.fdc").write_bytes(container.write(container.File(container.Header(4, 4), [b""])))
    result = cli("check", "--structure-only", "bad.fdc", "good.fdc")
    assert result.code == 1
    assert "internal error" in result.err
    assert "Traceback" not in result.err
    assert "good.fdc: structure and checksums are right" in result.err
