"""The command line: files are compared with their originals."""

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from PIL import Image
from tests.images import noise, saved
from tests.stacks import stack, with_tag

from fdcodec.image import reading

FAST = ("-q", "5", "-e", "1")
FRAMES = noise(12, 16, 3, seed=1).transpose(2, 0, 1)


@contextmanager
def pipe_of(data: bytes) -> Iterator[str]:
    """Give the path of a pipe from which bytes are read."""
    os.mkfifo("pipe")
    writer = Thread(target=Path("pipe").write_bytes, args=(data,))
    writer.start()
    yield "pipe"
    writer.join()
    Path("pipe").unlink()


def write_frames(name: str) -> None:
    """Write an original of three frames, as pages or as a stack of arrays."""
    if name.endswith(".npy"):
        np.save(name, FRAMES)
    else:
        Path(name).write_bytes(stack(FRAMES))


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
    """Of a lossy file the PSNR is told, the one that its encode told."""
    encoded = json.loads(cli("encode", "a.png", "--psnr", "35", "--json").out)
    checked = json.loads(cli("check", "a.fdc", "--against", "a.png", "--json").out)
    assert (checked["equal"], checked["psnr_db"]) == (False, encoded["psnr_db"])
    assert (
        f"decoding are right; {encoded['psnr_db']:.2f} dB against the original\n"
        in cli("check", "a.fdc", "--against", "a.png").err
    )


def test_image_of_another_kind_is_exit_code_six(cli):
    """An image of another size, or number of channels, is no original of a lossy file either."""
    cli("encode", "a.png", *FAST)
    Path("gray.png").write_bytes(saved(noise(24, 41, 1, seed=1), "PNG"))
    result = cli("check", "a.fdc", "--against", "gray.png")
    told = "the file holds 40x24, 3 channels of 8 bits, but the original is 41x24, 1 channel of 8 bits; name the image"
    assert (result.code, told in result.err) == (6, True)


@pytest.mark.parametrize("name", ["s.tif", "s.npy"])
def test_lossless_frame_is_found(cli, name):
    """A file of any frame is equal to that one of its original, and the frame is told."""
    write_frames(name)
    cli("encode", name, "--frames", "--lossless")
    for k in (1, 2, 3):
        result = cli("check", f"s-{k}.fdc", "--against", name)
        assert (result.code, result.err.endswith(f"; equal to frame {k} of the original\n")) == (0, True)
    facts = json.loads(cli("check", "s-2.fdc", "--against", name, "--json").out)
    assert (facts["equal"], facts["original_frame"], facts["notes"], "found" in facts) == (True, 2, [], False)


def test_pipe_gives_the_first_frame(cli):
    """Of a pipe, which is read once, the first frame is compared; that is told, and not that another is wrong."""
    write_frames("s.tif")
    cli("encode", "s.tif", "--frames", "--lossless")
    for k, code in ((1, 0), (2, 6)):
        with pipe_of(Path("s.tif").read_bytes()) as original:
            result = cli("check", f"s-{k}.fdc", "--against", original)
        assert (result.code, "only the first of 3 frames was read" in result.err) == (code, True)
        assert "encode that again" not in result.err


def test_lossy_frame_is_compared_with_the_nearest(cli):
    """Of a lossy file the PSNR is that against the frame it is nearest to, not against the first."""
    write_frames("s.tif")
    encoded = cli("encode", "s.tif", "--frames", "--psnr", "30", "--json").out.splitlines()
    told = f"{json.loads(encoded[2])['psnr_db']:.2f} dB against frame 3 of the original, the nearest of 3\n"
    assert cli("check", "s-3.fdc", "--against", "s.tif").err.endswith(told)


def test_file_of_no_frame_is_exit_code_six(cli):
    """A lossless file that is equal to none of the frames, and any file of another kind than all, are told as that."""
    write_frames("s.tif")
    Path("b.png").write_bytes(saved(FRAMES[1, ..., None] // 2, "PNG"))
    cli("encode", "a.png", "b.png", "--lossless")
    other, differs = (cli("check", f"{name}.fdc", "--against", "s.tif") for name in "ab")
    assert (other.code, differs.code) == (6, 6)
    assert "3 channels of 8 bits, but none of the 3 frames of the original does; name the image" in other.err
    assert "equal to none of the 3 frames of the original: " in differs.err
    assert " dB against frame 2; name the image that it was made from" in differs.err


def test_frames_that_cannot_be_read_are_passed_over(cli):
    """A frame that is damaged has a note, and the others are compared; it is an error if none can be read."""
    write_frames("s.tif")
    cli("encode", "s.tif", "--frames", "--lossless")
    Path("s.tif").write_bytes(with_tag(Path("s.tif").read_bytes(), 0, 273, 1 << 30))  # where its strip would be
    result = cli("check", "s-2.fdc", "--against", "s.tif")
    assert (result.code, result.err.endswith("right; equal to frame 2 of the original\n")) == (0, True)
    assert "s-2.fdc: note: s.tif: frame 1 was not compared: damaged image" in result.err
    result = cli("check", "s-1.fdc", "--against", "s.tif")
    assert (result.code, "s.tif: frame 1 was not compared: damaged image" in result.err) == (6, True)
    large = stack([np.zeros((30, 30), np.uint8)] * 2)
    Path("s.tif").write_bytes(large)
    result = cli("check", "s-1.fdc", "--against", "s.tif", "--max-pixels", "300")
    assert (result.code, "s.tif: image " in result.err, "raise --max-pixels" in result.err) == (4, True, True)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ("b.fdc", "--against", "a.png"),
            "a.png is not a directory; for several inputs name that of their originals",
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


def test_frames_of_a_tree_have_their_originals(cli):
    """Files of frames are compared with the file of all frames; an image of one frame is no original of a frame."""
    Path("scans").mkdir()
    write_frames("scans/s.tif")
    Path("scans/a.png").write_bytes(saved(noise(8, 8, 1, seed=1), "PNG"))
    cli("encode", "-r", "scans", "--frames", "--out-dir", "out", "--lossless")
    Path("out/a.fdc").rename("out/a-1.fdc")
    result = cli("check", "-r", "out", "--against", "scans")
    assert [line.rpartition("equal to frame ")[2][0] for line in result.err.splitlines()[1:4]] == ["1", "2", "3"]
    assert (result.code, "out/a-1.fdc: scans has no image of its name" in result.err) == (1, True)


def test_file_without_one_original_is_an_error(cli):
    """Where no image or more than one may be the original, that is the fault of this file; the others are compared."""
    write_tree()
    cli("encode", "-r", "scans", "--out-dir", "out", "--lossless")
    Path("scans/1/a.png").unlink()
    Path("scans/2/b.c.jpg").write_bytes(b"")
    result = cli("check", "-r", "out", "--against", "scans")
    assert (result.code, "1 of 3 done, 2 failed" in result.err) == (1, True)
    assert "out/1/a.fdc: scans has no image of its name and place; name its original with --against" in result.err
    assert "out/2/b.c.fdc: its original may be any of b.c.jpg, b.c.png; name one with --against" in result.err


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
