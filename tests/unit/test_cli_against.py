"""The command line: files are compared with their originals."""

import errno
import json
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.images import noise, saved

import fdcodec
from fdcodec.image import reading

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
            "a.fdc: structure, checksums and decoding are right; equal to the original\n",
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
    facts = json.loads(cli("check", "b.fdc", "--against", "b.npy", "--json").out)
    assert (facts["equal"], facts["psnr_db"], told in facts["error"]) == (False, round(psnr_db, 2), True)


def test_lossy_file_has_a_psnr(cli):
    """Of a lossy file the PSNR is told, the one that its encode told, and the largest difference of two samples."""
    encoded = json.loads(cli("encode", "a.png", "--psnr", "35", "--json").out)
    checked = json.loads(cli("check", "a.fdc", "--against", "a.png", "--json").out)
    with Image.open("a.png") as image:
        largest = np.abs(np.asarray(image, int) - fdcodec.decode("a.fdc")).max()
    facts = (checked["equal"], checked["psnr_db"], checked["largest_difference"])
    assert facts == (False, encoded["psnr_db"], largest)
    told = f"right; {encoded['psnr_db']:.2f} dB against the original; no sample differs by more than {largest}\n"
    assert told in cli("check", "a.fdc", "--against", "a.png").err


def test_image_of_another_kind_is_exit_code_six(cli):
    """An image of another size, or number of channels, is no original of a lossy file either."""
    cli("encode", "a.png", *FAST)
    Path("gray.png").write_bytes(saved(noise(24, 41, 1, seed=1), "PNG"))
    result = cli("check", "a.fdc", "--against", "gray.png")
    told = "the file holds 40x24, 3 channels of 8 bits, but the original is 41x24, 1 channel of 8 bits; name the image"
    assert (result.code, told in result.err) == (6, True)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ("b.fdc", "--against", "a.png"),
            "a.png is not a directory; for several inputs that are not its frames, name the directory of their",
        ),
        (("--against", "a.png", "--structure-only"), "--structure-only decodes none; leave one of them out"),
        (("--min-psnr", "30"), "--min-psnr needs an original to compare with; name it with --against"),
        (("--against", "empty"), "no file below empty ends in"),
    ],
)
def test_what_cannot_be_compared_is_refused(cli, arguments, told):
    """Several files have several originals, and only samples are compared."""
    Path("empty").mkdir()
    result = cli("check", "a.fdc", *arguments)
    assert (result.code, told in result.err) == (2, True)


def write_tree():
    """Write two images of one name in two directories, one of another, and their lossless files below `out`."""
    for k, name in enumerate(("scans/1/a.png", "scans/2/a.tif", "scans/2/b.c.png")):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(saved(noise(8, 8, 1, seed=k), "TIFF" if name.endswith("tif") else "PNG"))


def test_tree_is_compared_with_that_of_its_originals(cli):
    """Files have their originals at the same place below the other directory, by the same name but for the suffix."""
    write_tree()
    assert cli("encode", "-r", "scans", "--out-dir", "out", "--lossless").code == 0
    facts = [json.loads(line) for line in cli("check", "-r", "out", "--against", "scans", "--json").out.splitlines()]
    assert [(fact["original"], fact["equal"]) for fact in facts] == [
        ("scans/1/a.png", True),
        ("scans/2/a.tif", True),
        ("scans/2/b.c.png", True),
    ]
    assert cli("check", "out/2/a.fdc", "--against", "scans/2").code == 0
    assert cli("check", "-r", "out", "out/1/a.fdc", "--against", "scans").code == 0


def test_original_without_a_file_is_exit_code_six(cli):
    """With -r a tree is checked whole: an image without a file fails, and files that are no images have a note."""
    write_tree()
    cli("encode", "-r", "scans", "--out-dir", "out", "--lossless")
    Path("scans/notes.txt").write_text("no image")
    whole = cli("check", "-r", "out", "--against", "scans")
    assert (whole.code, "scans: note: 1 file below directories left out, by suffix: .txt\n" in whole.err) == (0, True)
    Path("out/1/a.fdc").unlink()
    result = cli("check", "-r", "out", "--against", "scans", "--quiet")
    told = "no file was checked that was made from scans/1/a.png; encode what is missing"
    assert (result.code, result.err) == (6, f"fdcodec: scans: {told}\n")
    facts = json.loads(cli("check", "-r", "out", "--against", "scans", "--json").out.splitlines()[-1])
    assert facts == {"input": "scans", "error": told, "missing": ["scans/1/a.png"]}
    assert cli("check", "out/2/a.fdc", "--against", "scans/2").code == 0  # one file is not the whole


def test_originals_that_cannot_be_listed_have_no_file(cli, locked):
    """Nobody knows whether each image of a directory that cannot be read has a file, so it is named as one without."""
    write_tree()
    cli("encode", "-r", "scans", "--out-dir", "out", "--lossless")
    Path("scans/locked").mkdir()
    result = cli("check", "-r", "out", "--against", "scans")
    assert (result.code, "that was made from scans/locked; encode" in result.err) == (6, True)


def test_file_without_an_original_is_an_error(cli):
    """Where no image may be the original, that is the fault of this file; the others are compared."""
    write_tree()
    cli("encode", "-r", "scans", "--out-dir", "out", "--lossless")
    Path("scans/1/a.png").unlink()
    result = cli("check", "-r", "out", "--against", "scans")
    assert (result.code, "2 of 3 done, 1 failed" in result.err) == (1, True)
    assert "out/1/a.fdc: scans has no image of its name and place; name its original with --against" in result.err


def write_originals_of_one_name():
    """Write two images that differ in the suffix, and another."""
    Path("scans").mkdir()
    for k, name in enumerate(("pal.bmp", "pal.png", "b.png")):
        Path("scans", name).write_bytes(saved(noise(8, 8, 1, seed=k), name[-3:]))


@pytest.mark.parametrize("target", [("--lossless",), ("-q", "90")], ids=str)
def test_original_is_the_nearest_of_its_name(cli, target):
    """Of images of one name the equal or the nearest is the original of a file; one without a file is missing."""
    write_originals_of_one_name()
    cli("encode", "scans/pal.png", "scans/b.png", "--out-dir", "png", *target)
    cli("encode", "scans/pal.bmp", "--out-dir", "bmp", *target)
    lines = cli("check", "-r", "png", "bmp", "--against", "scans", "--json").out.splitlines()
    assert [json.loads(line)["original"] for line in lines] == ["scans/b.png", "scans/pal.png", "scans/pal.bmp"]
    result = cli("check", "-r", "png", "--against", "scans")
    assert (result.code, "scans: no file was checked that was made from scans/pal.bmp" in result.err) == (6, True)
    assert (" to pal.png" if target == ("--lossless",) else " dB against pal.png") in result.err


def test_equal_originals_of_one_name_have_one_file(cli):
    """Of images of one name that are equal none is missing: their samples are in the file."""
    write_originals_of_one_name()
    Image.open("scans/pal.png").save("scans/pal.bmp")
    cli("encode", "scans/pal.png", "scans/b.png", "--out-dir", "out", "--lossless")
    assert cli("check", "-r", "out", "--against", "scans").code == 0


def test_original_that_cannot_be_read_is_not_that_of_a_file(cli):
    """Of images of one name one that cannot be read is told, and is missing; if none can, the first is the fault."""
    write_originals_of_one_name()
    cli("encode", "scans/pal.png", "scans/b.png", "--out-dir", "out", "--lossless")
    Path("scans/pal.bmp").write_bytes(b"")
    result = cli("check", "-r", "out", "--against", "scans")
    assert (result.code, "made from scans/pal.bmp; encode" in result.err) == (6, True)
    assert "out/pal.fdc: note: not compared: scans/pal.bmp: the file is empty" in result.err
    Path("scans/pal.png").write_bytes(b"")
    result = cli("check", "-r", "out", "--against", "scans")
    assert (result.code, "out/pal.fdc: scans/pal.bmp: the file is empty" in result.err) == (1, True)


def test_lossy_file_below_the_least_psnr_is_exit_code_six(cli, encoded):
    """With --min-psnr another image of the same size is found, and what is enough passes."""
    psnr_db = json.loads(cli("check", "a.fdc", "--against", "a.png", "--json").out)["psnr_db"]
    assert cli("check", "a.fdc", "--against", "a.png", "--min-psnr", str(psnr_db - 0.1)).code == 0
    result = cli("check", "a.fdc", "--against", "a.png", "--min-psnr", "90")
    told = f"{psnr_db:.2f} dB against the original, less than 90 dB; name the image that it was made from"
    assert (result.code, told in result.err) == (6, True)


def test_depth_of_the_original_counts(cli):
    """Samples of 8 bits are not compared with those of 16, of whatever values."""
    samples = noise(8, 8, 1, seed=1)[:, :, 0]
    np.save("a.npy", samples)
    np.save("deep.npy", samples.astype(np.uint16))
    cli("encode", "a.npy", "--lossless", "-f")
    result = cli("check", "a.fdc", "--against", "deep.npy")
    told = "the file holds 8x8, 1 channel of 8 bits, but the original is 8x8, 1 channel of 16 bits"
    assert (result.code, told in result.err) == (6, True)


def test_name_that_is_only_the_number_of_a_frame_is_a_name(cli):
    """What is called as a frame is, without a name before its number, is found as any other."""
    Path("scans").mkdir()
    Path("a.png").rename("scans/-1.png")
    assert cli("encode", "scans/-1.png", "--out-dir", "out", "--lossless").code == 0
    assert "equal to the original" in cli("check", "-r", "out", "--against", "scans").err


@pytest.mark.parametrize(("original", "told"), [("none.png", "No such file"), ("bad.png", "bad.png: not an image")])
def test_original_that_cannot_be_read_is_named(cli, encoded, original, told):
    """An original that is not there, or no image, is the fault that is told."""
    Path("bad.png").write_bytes(b"no image")
    result = cli("check", "a.fdc", "--against", original)
    assert (result.code, told in result.err) == (1, True)


def test_original_that_reading_fails_of_is_named(cli, encoded, monkeypatch):
    """An error of reading that names no file is put on the original, not on the file that is checked."""

    def fail(path, **options):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(reading, "read_image", fail)
    result = cli("check", "a.fdc", "--against", "a.png")
    assert (result.code, result.err) == (1, "fdcodec: a.fdc: a.png: Input/output error\n")


def test_damage_is_told_before_the_original_is_read(cli, encoded):
    """A missing original hides no damage."""
    Path("a.fdc").write_bytes(encoded[:-1])
    result = cli("check", "a.fdc", "--against", "none.png")
    assert (result.code, "none.png" in result.err, "get it again" in result.err) == (1, False, True)


def test_original_is_no_stream(cli, encoded):
    """Standard input is refused as an original, with what to do."""
    result = cli("check", "a.fdc", "--against", "-")
    assert (result.code, "- is standard input; save the original to a file" in result.err) == (2, True)


def test_limit_holds_for_the_original(cli, encoded):
    """An original above --max-pixels is refused, and the option is named."""
    Path("large.png").write_bytes(saved(noise(100, 100, 3, seed=1), "PNG"))
    for limit in ("5000", "1000"):
        result = cli("check", "a.fdc", "--against", "large.png", "--max-pixels", limit)
        assert (result.code, "large.png: image " in result.err, ", or raise --max-pixels" in result.err) == (
            4,
            True,
            True,
        )
