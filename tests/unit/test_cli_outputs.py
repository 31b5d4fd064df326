"""The command line: outputs that cannot be, told before any work."""

import errno
import os
from pathlib import Path

import pytest

from fdcodec import api_learn, targets
from fdcodec.cli import encode


@pytest.fixture
def idle(monkeypatch):
    """Let nothing be encoded or learned."""

    def refuse(*arguments, **options):
        raise AssertionError("work was begun")

    monkeypatch.setattr(targets, "encode_to_target", refuse)
    monkeypatch.setattr(api_learn, "learn_from", refuse)


@pytest.mark.parametrize("command", [("encode", "a.png", "-o", "no/a.fdc"), ("learn", "a.png", "-o", "no/a.fdt")])
def test_directory_that_is_not_there_is_told_before_work(cli, idle, command):
    """An output in no directory is an error at once, and names the directory."""
    result = cli(*command)
    assert (result.code, "does not exist; create no first" in result.err) == (1, True)


def test_format_that_cannot_hold_the_picture_is_told_before_it_is_decoded(cli, monkeypatch):
    """Colours do not go into a .pgm, which the header tells."""
    cli("encode", "a.png", "a.fdc", "--lossless")
    monkeypatch.setattr("fdcodec.cli.decode.picture_and_loss", lambda *_, **__: pytest.fail("work was begun"))
    result = cli("decode", "a.fdc", "a.pgm")
    told = ".pgm cannot hold 3 channels of 8 bits; write .ppm, by the output's name or --format ppm"
    assert (result.code, told in result.err) == (3, True)


def test_input_that_is_not_there_is_told_first(cli):
    """Where the input does not exist either, it is the input that is named."""
    assert "No such file" in cli("encode", "no/a.png").err


@pytest.mark.parametrize(
    ("command", "ending"),
    [("encode a.png out.foo", ".fdc\n"), ("encode a.png out.jpg", ".fdc\n"), ("decode a.fdc b.fdc", ".png, ")],
)
def test_last_name_that_is_no_output_is_a_usage_error(cli, idle, command, ending):
    """Of two names the last must exist, or have an output's suffix; nothing is written beside the first."""
    result = cli(*command.split())
    assert (result.code, f"if it is the output, end its name in {ending}" in result.err) == (2, True)
    assert not Path("a.fdc").exists()


def test_last_of_more_names_may_fail_alone(cli):
    """Of three names the last is an input, whatever it is called, and where it is not there the others are done."""
    Path("b.png").write_bytes(Path("a.png").read_bytes())
    result = cli("encode", "a.png", "b.png", "out.foo")
    assert (result.code, "2 of 3 done, 1 failed" in result.err) == (1, True)


def test_last_name_may_be_a_directory_of_inputs(cli):
    """A directory that is there is an input, with a slash at its end, too."""
    Path("d").mkdir()
    Path("d/b.png").write_bytes(Path("a.png").read_bytes())
    assert cli("encode", "-r", "a.png", "d/").code == 0
    assert Path("d/b.fdc").exists()


@pytest.mark.parametrize(
    "command",
    [
        *("encode a.png -o new/", "encode a.png new/", "encode a.png b.png new/"),
        *("decode a.fdc -o new/", "decode a.fdc new/", "decode a.fdc b.fdc new/", "decode a.fdc --frames -o new/"),
    ],
)
def test_output_that_ends_as_a_directory_is_a_usage_error(cli, idle, command):
    """No file of that name is written, and the option that takes a directory is named."""
    result = cli(*command.split())
    assert (result.code, "new/ is named as a directory; an output is a file" in result.err) == (2, True)


def test_either_separator_ends_a_directory(cli, idle, monkeypatch):
    """Where paths have two separators, as on Windows, an output that ends in the second is a usage error as well."""
    monkeypatch.setattr(os, "altsep", "\\")
    result = cli("encode", "a.png", "-o", "new\\")
    assert (result.code, "new\\ is named as a directory; an output is a file" in result.err) == (2, True)
    assert not Path("new").exists()


@pytest.mark.parametrize("name", ["out.png", "out.JFIF", "out.tga", "out.npy", "a.png", "out.fdt", ".png"])
def test_encode_writes_no_file_named_as_an_image_of_another_format(cli, idle, name):
    """An output whose suffix is that of a format that Pillow or `decode` writes is a usage error."""
    result = cli("encode", "a.png", "-o", name, "-f")
    assert (result.code, "end the name in .fdc" in result.err) == (2, True)
    assert not Path("out.png").exists()


@pytest.mark.parametrize("name", ["out", "out.bin", "out.FDC", "out.psd"])
def test_other_suffixes_of_outputs_are_allowed(cli, name):
    """A suffix that names no format that is written may be that of an encoded file."""
    assert cli("encode", "a.png", "-o", name, "-q", "5").code == 0
    assert Path(name).exists()


@pytest.mark.parametrize("command", ["encode", "decode"])
def test_standard_input_goes_into_no_directory(cli, command):
    """What comes from standard input has no name to be given in --out-dir."""
    result = cli(command, "-", "--out-dir", "out")
    assert (result.code, "standard input has no name" in result.err, Path("out").exists()) == (2, True, False)


def test_existing_outputs_are_skipped_if_asked(cli):
    """With --skip-existing inputs whose outputs are there are left alone and counted, and the others are done."""
    Path("b.png").write_bytes(Path("a.png").read_bytes())
    Path("a.fdc").write_bytes(b"kept")
    result = cli("encode", "a.png", "b.png", "--skip-existing")
    assert (result.code, "1 existing output skipped" in result.err) == (0, True)
    assert Path("a.fdc").read_bytes() == b"kept"
    result = cli("decode", "b.fdc", "--skip-existing")
    assert (result.code, result.err) == (0, "1 existing output skipped\n")
    Path("c.fdc").write_bytes(Path("b.fdc").read_bytes())
    assert cli("decode", "b.fdc", "c.fdc", "--skip-existing").code == 0
    assert Path("c.png").exists()


def test_output_that_is_the_input_is_not_done(cli):
    """An image that is named as our files would be written over: with --skip-existing, too, that is a failure."""
    Path("a.png").rename("x.fdc")
    result = cli("encode", "x.fdc", "--skip-existing")
    assert (result.code, "x.fdc: the output is the input itself; name another, or" in result.err) == (2, True)


def test_file_of_the_other_command_is_told_to_be_one(cli, encoded):
    """What is encoded already, or is no .fdc file, is told first where its output by default would be itself."""
    told = (
        "a.fdc: this is an .fdc file already, and the output is the input itself; name another, or did you mean decode?"
    )
    assert told in cli("encode", "a.fdc").err
    told = "a.png: this is no .fdc file, and the output is the input itself; name another, or did you mean encode?"
    assert told in cli("decode", "a.png").err


@pytest.mark.parametrize("command", ["encode", "decode"])
def test_device_as_the_last_name_is_refused_before_work(cli, encoded, command):
    """A device is no input; where it was meant as the output nothing is written beside the inputs."""
    Path("a.fdc").rename("b.fdc")
    result = cli(command, "a.png" if command == "encode" else "b.fdc", "/dev/null")
    assert (
        result.code,
        "/dev/null is a device, which is no input; if it is the output, name it with" in result.err,
    ) == (
        2,
        True,
    )
    assert {path.name for path in Path().iterdir()} == {"a.png", "b.fdc"}
    assert cli("encode", "a.png", "-o", "/dev/null").code == 0


def test_empty_output_is_not_done(cli):
    """A file of no bytes, as a full disk leaves it, does not pass for an output with --skip-existing."""
    Path("a.fdc").touch()
    assert cli("encode", "a.png", "--skip-existing").code == 1
    assert (cli("encode", "a.png", "--skip-existing", "--force").code, Path("a.fdc").stat().st_size > 0) == (0, True)


def test_what_cannot_be_done_is_not_skipped(cli):
    """An output that is another input's, the input itself or a directory is a failure also with --skip-existing."""
    Path("a.bmp").write_bytes(Path("a.png").read_bytes())
    Path("b.png").write_bytes(Path("a.png").read_bytes())
    Path("b.fdc").mkdir()
    first, again = (cli("encode", "a.bmp", "a.png", "b.png", "--skip-existing") for _ in range(2))
    assert (first.code, again.code) == (1, 1)
    assert "1 existing output skipped" in again.err
    assert "a.png: would be written to a.fdc" in again.err
    assert "b.fdc is a directory" in again.err
    Path("b.fdc").rmdir()
    again = [cli("encode", "a.bmp", "a.png", "b.png", "--skip-existing") for _ in range(2)][-1]
    assert (again.code, "2 existing outputs skipped\n" in again.err, "0 of 1 done, 1 failed" in again.err) == (
        1,
        True,
        True,
    )
    result = cli("decode", "a.fdc", "-o", "a.fdc", "--skip-existing", "--format", "png")
    assert result.code != 0


def test_pipe_whose_reader_leaves_is_a_failure_of_its_job(cli, monkeypatch):
    """An output that is a pipe without a reader fails, and the other inputs are done."""
    Path("b.png").write_bytes(Path("a.png").read_bytes())
    original = Path.write_bytes

    def gone(path, data):
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))

    os.mkfifo("a.fdc")
    monkeypatch.setattr(Path, "write_bytes", gone)
    result = cli("encode", "a.png", "b.png", "--force")
    monkeypatch.setattr(Path, "write_bytes", original)
    assert (result.code, Path("b.fdc").exists(), "a.fdc: Broken pipe" in result.err) == (1, True, True)


def test_links_in_a_circle_fail_alone(cli):
    """An output that is such a link is a failure of its own input."""
    Path("b.png").write_bytes(Path("a.png").read_bytes())
    Path("a.fdc").symlink_to("a.fdc")
    result = cli("encode", "a.png", "b.png")
    assert (result.code, Path("b.fdc").exists(), "1 of 2 done, 1 failed" in result.err) == (1, True, True)


def test_interrupted_run_says_how_far_it_came(cli, monkeypatch):
    """An interrupt among several inputs tells how many are done, and one of a single input only that it came."""
    Path("b.png").write_bytes(Path("a.png").read_bytes())
    original = encode._encode

    def interrupted(job, **options):
        if job.source.name == "b.png":
            raise KeyboardInterrupt
        return original(job, **options)

    monkeypatch.setattr(encode, "_encode", interrupted)
    result = cli("encode", "a.png", "b.png")
    assert (result.code, "interrupted: 1 of 2 done" in result.err) == (130, True)
    assert cli("encode", "b.png") == (130, b"", "\ninterrupted\n")


def test_interrupted_learning_says_what_is_lost(cli, learned_from):
    """Of a model that is interrupted nothing is kept, which is told."""
    result = cli("learn", "a.png", "-o", "a.fdt")
    assert (result.code, Path("a.fdt").exists()) == (130, False)
    assert result.err.endswith("\ninterrupted: no model is written, and nothing that was learned is kept\n")


@pytest.mark.parametrize(("arguments", "meant"), [(("a", "-o", "a"), False), (("b.fdc",), True)])
def test_other_command_is_meant_where_no_output_is_named(cli, arguments, meant):
    """An input that is its own output by the default name was meant for the opposite command; a named one was not."""
    for name in ("a", "b.fdc"):
        Path(name).write_bytes(b"x")
    result = cli("encode", *arguments, "-f")
    assert (result.code, "did you mean decode" in result.err) == (2, meant)


def test_directory_that_is_meant_as_output_has_a_hint(cli, idle):
    """A directory as the last name, as for cp, is refused, and the option that writes into it is named."""
    Path("out").mkdir()
    told = "out is a directory; add -r to take the files below it"
    assert f"{told} (--out-dir names one to write into)\n" in cli("encode", "a.png", "out").err
    for command in (("check", "out"), ("encode", "out", "--out-dir", "else"), ("learn", "out", "-o", "a.fdt")):
        assert f"{told}\n" in cli(*command).err
