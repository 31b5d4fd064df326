"""The command line: files of frames are compared with the images of all."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from tests.images import noise, saved
from tests.stacks import stack, with_tag

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
    """Where its name tells no frame, or one that is not there, a file is compared with the frame nearest to it."""
    write_frames("s.tif")
    encoded = cli("encode", "s.tif", "--frames", "--psnr", "30", "--json").out.splitlines()
    told = f"{json.loads(encoded[2])['psnr_db']:.2f} dB against frame 3 of the original"
    for name in ("s-3.fdc", "s-0.fdc", "s-4.fdc", "other-1.fdc"):
        Path("s-3.fdc").rename(name)
        nearest = "" if name == "s-3.fdc" else ", the nearest of 3"
        assert f"{told}{nearest}; no sample differs" in cli("check", name, "--against", "s.tif").err
        Path(name).rename("s-3.fdc")


def test_frames_are_compared_with_the_file_of_all(cli):
    """Files of frames need no directory: the one image that they were made from is the original of each."""
    write_frames("s.tif")
    cli("encode", "s.tif", "--frames", "--lossless")
    result = cli("check", "s-1.fdc", "s-3.fdc", "--against", "s.tif")
    assert (result.code, result.err.count("equal to frame ")) == (0, 2)
    result = cli("check", "-r", "s-1.fdc", "s-3.fdc", "--against", "s.tif")
    assert (result.code, "no file was checked that was made from s.tif frame 2; " in result.err) == (6, True)


def test_file_is_compared_with_the_frame_of_its_name(cli):
    """Files of frames that changed places are found, lossy or not; so is an image or a frame without a file."""
    Path("scans").mkdir()
    write_frames("scans/s.tif")
    Path("scans/a.png").write_bytes(saved(noise(8, 8, 1, seed=1), "PNG"))
    for options, told in (
        (("--lossless",), "the file is lossless, but not equal to frame 2 of the original: "),
        (("--psnr", "40"), " dB against frame 2 of the original, less than 30 dB; name the image"),
    ):
        cli("encode", "scans/s.tif", "--frames", "--out-dir", "out", "-f", *options)
        Path("out/s-1.fdc").rename("out/s-2.fdc")
        result = cli("check", "-r", "out", "--against", "scans", "--min-psnr", "30")
        assert (result.code, told in result.err) == (1, True)
        assert "no file was checked that was made from scans/a.png, scans/s.tif frame 1; encode what is" in result.err


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
    for k in (1, 2):
        Path(f"s-{k}.fdc").rename(f"other{k}.fdc")
    result = cli("check", "other2.fdc", "--against", "s.tif")
    assert (result.code, result.err.endswith("right; equal to frame 2 of the original\n")) == (0, True)
    assert "other2.fdc: note: s.tif: frame 1 was not compared: damaged image" in result.err
    result = cli("check", "other1.fdc", "--against", "s.tif")
    assert (result.code, "s.tif: frame 1 was not compared: damaged image" in result.err) == (6, True)
    large = stack([np.zeros((30, 30), np.uint8)] * 2)
    Path("s.tif").write_bytes(large)
    result = cli("check", "s-3.fdc", "--against", "s.tif", "--max-pixels", "300")
    assert (result.code, "s.tif: image " in result.err, "raise --max-pixels" in result.err) == (4, True, True)


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


def test_frames_behind_the_first_are_told(cli):
    """Of an image that was encoded without its other frames a check of the tree says so: they are in no file."""
    for folder in ("scans/1", "scans/2"):
        Path(folder).mkdir(parents=True)
        write_frames(f"{folder}/s.tif")
    cli("encode", "scans/1/s.tif", "--out-dir", "out/1")
    cli("encode", "scans/2/s.tif", "--frames", "--out-dir", "out/2")
    result = cli("check", "-r", "out", "--against", "scans")
    told = "scans: note: only one of several frames is in a file: scans/1/s.tif; encode --frames takes all\n"
    assert (result.code, told in result.err) == (0, True)


def test_file_of_a_stack_stands_for_none_of_its_frames(cli):
    """Beside files of frames a file named after the stack does not hide that a frame has none."""
    Path("scans").mkdir()
    write_frames("scans/s.tif")
    cli("encode", "scans/s.tif", "--frames", "--out-dir", "out")
    Path("out/s-2.fdc").unlink()
    cli("encode", "scans/s.tif", "--out-dir", "out")
    result = cli("check", "-r", "out", "--against", "scans")
    assert (result.code, "made from scans/s.tif frame 2;" in result.err) == (6, True)
