"""The command line: files are compared with their originals."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.images import noise, saved
from tests.stacks import stack

FAST = ("-q", "5", "-e", "1")


def test_lossless_file_is_equal_to_its_original(cli):
    """Equal samples are told in words and in JSON, whatever file they are in."""
    cli("encode", "a.png", "--lossless")
    with Image.open("a.png") as image:
        np.save("a.npy", np.asarray(image))
    for original in ("a.png", "a.npy"):
        result = cli("check", "a.fdc", "--against", original)
        assert (result.code, result.err) == (
            0,
            "a.fdc: right: structure, checksums and decoding; equal to the original\n",
        )
    facts = json.loads(cli("check", "a.fdc", "--against", "a.png", "--json").out)
    assert (facts["equal"], facts["psnr_db"]) == (True, None)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_lossless_file_of_another_image_is_exit_code_six(cli, dtype):
    """One sample that differs by one is found, and what to do is told."""
    samples = noise(8, 8, 1, seed=1, dtype=dtype) // 2
    np.save("b.npy", samples)
    assert cli("encode", "b.npy", "--lossless").code == 0
    samples[7, 7] += 1
    np.save("b.npy", samples)
    result = cli("check", "b.fdc", "--against", "b.npy")
    psnr_db = 20 * np.log10(np.iinfo(dtype).max * 8)
    told = f"the file is lossless, but not equal to the original: {psnr_db:.2f} dB; name the image"
    assert (result.code, told in result.err) == (6, True)


def test_lossy_file_has_a_psnr(cli):
    """Of a lossy file the PSNR is told, the one that its encode told."""
    encoded = json.loads(cli("encode", "a.png", "--psnr", "35", "--json").out)
    checked = json.loads(cli("check", "a.fdc", "--against", "a.png", "--json").out)
    assert (checked["equal"], checked["psnr_db"]) == (False, encoded["psnr_db"])
    assert (
        f"decoding; {encoded['psnr_db']:.2f} dB against the original\n"
        in cli("check", "a.fdc", "--against", "a.png").err
    )


def test_image_of_another_kind_is_exit_code_six(cli):
    """An image of another size, or number of channels, is no original of a lossy file either."""
    cli("encode", "a.png", *FAST)
    Path("gray.png").write_bytes(saved(noise(24, 41, 1, seed=1), "PNG"))
    result = cli("check", "a.fdc", "--against", "gray.png")
    told = "the file holds 40x24, 3 channels of 8 bits, the original is 41x24, 1 channel of 8 bits; name the image"
    assert (result.code, told in result.err) == (6, True)


def test_frame_is_told_where_it_may_be_another(cli):
    """Of an original of several frames the first is taken, which is said, also where that is not the one."""
    Path("s.tif").write_bytes(stack(noise(12, 16, 2, seed=1).transpose(2, 0, 1)))
    cli("encode", "s.tif", "--frames", "--lossless")
    first, second = (cli("check", f"s-{k}.fdc", "--against", "s.tif") for k in (1, 2))
    assert (first.code, second.code) == (0, 6)
    assert first.err.startswith("s-1.fdc: note: s.tif: only the first of 2 frames was read\n")
    assert second.err.endswith("; s.tif: only the first of 2 frames was read\n")


@pytest.mark.parametrize("others", [("b.fdc",), ("--structure-only",)])
def test_one_file_is_compared(cli, others):
    """Several inputs, or one that is not decoded, have nothing to be compared with."""
    result = cli("check", "a.fdc", *others, "--against", "a.png")
    assert (result.code, "--against takes exactly one input" in result.err) == (2, True)


@pytest.mark.parametrize(("original", "told"), [("none.png", "No such file"), ("bad.png", "bad.png: not an image")])
def test_original_that_cannot_be_read_is_named(cli, encoded, original, told):
    """An original that is not there, or no image, is the fault that is told."""
    Path("bad.png").write_bytes(b"no image")
    result = cli("check", "a.fdc", "--against", original)
    assert (result.code, told in result.err) == (1, True)


def test_limit_holds_for_the_original(cli, encoded):
    """An original above --max-pixels is refused."""
    Path("large.png").write_bytes(saved(noise(100, 100, 3, seed=1), "PNG"))
    assert cli("check", "a.fdc", "--against", "large.png", "--max-pixels", "5000").code == 4
