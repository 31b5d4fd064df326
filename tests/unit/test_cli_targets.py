"""The command line: targets that no file meets."""

from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (("--psnr", "110"), "110 dB was not met"),
        (("--size", "10"), "10 bytes was not met"),
        (("--bpp", "0.1"), "12 bytes was not met"),
    ],
)
def test_unreachable_target_is_said_and_exit_code_five(cli, target, words):
    """The nearest file is written, with a note and an exit code of its own, whatever the target."""
    result = cli("encode", "a.png", *target)
    assert (result.code, Path("a.fdc").exists()) == (5, True)
    assert words in result.err


def test_size_that_cannot_be_filled_is_said(cli):
    """A limit far above the finest file is met, with a note."""
    result = cli("encode", "a.png", "--size", "1000000")
    assert (result.code, "1000000 bytes cannot be filled" in result.err) == (0, True)
