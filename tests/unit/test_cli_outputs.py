"""The command line: outputs that cannot be, told before any work."""

from pathlib import Path

import pytest

from fdcodec import api_learn, targets


@pytest.fixture
def idle(monkeypatch):
    """Let nothing be encoded or learned."""

    def refuse(*arguments, **options):
        raise AssertionError("work was begun")

    monkeypatch.setattr(targets, "encode_to_target", refuse)
    monkeypatch.setattr(api_learn, "learn", refuse)


@pytest.mark.parametrize("command", [("encode", "a.png", "-o", "no/a.fdc"), ("learn", "a.png", "-o", "no/a.fdt")])
def test_directory_that_is_not_there_is_told_before_work(cli, idle, command):
    """An output in no directory is an error at once, and names the directory."""
    result = cli(*command)
    assert (result.code, "does not exist; create no first" in result.err) == (1, True)


def test_input_that_is_not_there_is_told_first(cli):
    """Where the input does not exist either, it is the input that is named."""
    assert "No such file" in cli("encode", "no/a.png").err


def test_last_name_that_is_no_output_is_a_usage_error(cli, idle):
    """Of two names the last must exist, or have an output's suffix; nothing is written beside the first."""
    result = cli("encode", "a.png", "out.foo")
    assert (result.code, "name an output with -o" in result.err) == (2, True)
    assert not Path("a.fdc").exists()


@pytest.mark.parametrize("command", ["encode", "decode"])
def test_standard_input_goes_into_no_directory(cli, command):
    """What comes from standard input has no name to be given in --out-dir."""
    result = cli(command, "-", "--out-dir", "out")
    assert (result.code, "standard input has no name" in result.err, Path("out").exists()) == (2, True, False)
