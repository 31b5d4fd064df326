"""The command line: what was reached, and targets that no file meets."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from tests.images import noise, photo, saved

from fdcodec.cli.options import byte_count
from fdcodec.image.reading import read_image
from fdcodec.targets import psnr_db


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (("--psnr", "110"), "110 dB was not met"),
        (("--size", "10"), "10 bytes was not met"),
        (("--bpp", "0.1"), "12 bytes was not met"),
        (("--bpp", "0.001"), "a size of less than a byte was not met"),
        (("--size", "1"), "a size of 1 byte was not met"),
        (("--bpp", "0.1"), " bits per pixel instead of 0.1"),
    ],
)
def test_unreachable_target_is_said_and_exit_code_five(cli, target, words):
    """The nearest file is written, with a note and an exit code of its own, whatever the target."""
    result = cli("encode", "a.png", *target)
    assert (result.code, Path("a.fdc").exists()) == (5, True)
    assert words in result.err


def test_one_of_several_that_misses_a_target_gives_all_its_exit_code(cli):
    """Nothing has failed where a file is written, but not as asked, and yet a script is to see it."""
    Path("flat.png").write_bytes(saved(np.full((16, 16, 3), 128, np.uint8), "PNG"))
    result = cli("encode", "a.png", "flat.png", "--size", "60")
    assert (result.code, "2 of 2 done\n" in result.err) == (5, True)
    assert result.err.count("was not met") == 1


@pytest.mark.parametrize("kind", ["8 bits", "short range of 16 bits"])
def test_size_that_cannot_be_filled_is_said(cli, kind):
    """A limit far above the finest file is met, with a note, and one on what leaves no error."""
    image = photo(64, 96) if kind == "8 bits" else np.uint16(5) * photo(64, 96)[:, :, 0] + noise(64, 96, 1, 0)[..., 0]
    np.save("photo.npy", image)
    result = cli("encode", "photo.npy", "--size", "1MB")
    told = "1000000 bytes were not filled; the nearest below of the files tried has"
    assert (result.code, told in result.err) == (0, True)
    assert "note: --lossless gives back every sample exactly" in result.err


def test_psnr_that_is_just_missed_is_told_in_digits_that_show_it(cli):
    """Where a PSNR is 0.1 dB away but for some thousandths, the note has these."""
    result = cli("encode", "a.png", "--psnr", "110")
    assert re.search(r"the one that is kept has \d+\.\d{3} dB$", result.err, re.MULTILINE)


@pytest.mark.parametrize(("target", "told"), [("99", True), ("30", False), ("1", False)])
def test_psnr_above_the_best_has_a_hint_at_lossless(cli, target, told):
    """A PSNR that no quality reaches is answered with what leaves no error; one that is met or exceeded is not."""
    Path("photo.png").write_bytes(saved(photo(64, 96), "PNG"))
    result = cli("encode", "photo.png", "--psnr", target)
    assert ("note: --lossless gives back every sample exactly" in result.err) == told


def test_psnr_that_was_reached_is_told(cli):
    """With --psnr the line and the JSON have the PSNR of the file; without it nothing is measured."""
    Path("photo.png").write_bytes(saved(photo(64, 96), "PNG"))
    line = cli("encode", "photo.png", "--psnr", "36").err.splitlines()[-1]
    reached = psnr_db(read_image(Path("photo.png")).picture, Path("photo.fdc").read_bytes())
    assert line.endswith(f" bytes, {8 * Path('photo.fdc').stat().st_size / (64 * 96):.3f} bpp, {reached:.2f} dB")
    assert json.loads(cli("encode", "photo.png", "-f", "--psnr", "36", "--json").out)["psnr_db"] == round(reached, 2)
    assert json.loads(cli("encode", "photo.png", "-f", "--json").out)["psnr_db"] is None


@pytest.mark.parametrize("target", [("--psnr", "60"), ("--size", "9999", "-t", "map"), ("--lossless",)], ids=str)
def test_picture_that_comes_back_exactly_is_told_to_be_exact(cli, target):
    """A file without an error is as asked: `exact` is true in JSON, the PSNR null, and there is no hint."""
    Path("flat.png").write_bytes(saved(np.full((16, 16, 3), 255, np.uint8), "PNG"))
    result = cli("encode", "flat.png", *target, "--json")
    facts = json.loads(result.out)
    assert (result.code, facts["exact"], facts["psnr_db"], facts["not_as_asked"]) == (0, True, None, False)
    assert facts["summary"].endswith(" bpp, exact")
    assert not any("--lossless" in note for note in facts["notes"])
    assert json.loads(cli("encode", "a.png", "-f", "--psnr", "40", "--json").out)["exact"] is False


@pytest.mark.parametrize(
    ("text", "count"), [("40000", 40000), ("40k", 40000), ("40kB", 40000), ("40 KB", 40000), ("1.5M", 1500000)]
)
def test_sizes_have_units(text, count):
    """A size is a number of bytes, or of thousands or millions of them."""
    assert byte_count(None, None, text) == count


@pytest.mark.parametrize("text", ["", "k", "1.5", "-3", "3 G", "3G", "1e3", "10KiB"])
def test_other_sizes_are_usage_errors(cli, text):
    """What is no number of bytes is refused with examples."""
    result = cli("encode", "a.png", f"--size={text}")
    assert (result.code, "such as 40000, 40k or 1.5M; k and kB are 1000 bytes" in result.err) == (2, True)
