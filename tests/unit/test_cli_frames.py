"""The command line: each page or frame of a file as a file of its own."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from tests.images import noise, saved
from tests.stacks import stack, with_tag

import fdcodec

PAGES = noise(12, 16, 3, seed=1).transpose(2, 0, 1)
DEEP = noise(12, 16, 10, seed=2, dtype=np.uint16).transpose(2, 0, 1)
COLOURS = noise(12, 16, 6, seed=3).reshape(12, 16, 2, 3).transpose(2, 0, 1, 3)
FAST = ("-q", "5", "-e", "1")


def names(folder="."):
    """Return the names of the encoded files of a directory, in order."""
    return sorted(path.name for path in Path(folder).glob("*.fdc"))


@pytest.fixture
def damaged(cli):
    """Write a stack whose second page has a compression that there is not."""
    Path("stack.tif").write_bytes(with_tag(stack(PAGES), 1, 259, 999))
    return cli


@pytest.mark.parametrize(
    ("frames", "file_format", "first", "last"),
    [
        (PAGES, "TIFF", "x-1.fdc", "x-3.fdc"),
        (DEEP, "TIFF", "x-01.fdc", "x-10.fdc"),
        *((COLOURS, file_format, "x-1.fdc", "x-2.fdc") for file_format in ("GIF", "PNG", "WEBP")),
    ],
)
def test_each_frame_comes_back_exactly(cli, frames, file_format, first, last):
    """Frames are numbered from 1, with as many digits as the last has, and none of them loses anything."""
    Path("x.any").write_bytes(stack(frames, file_format))
    result = cli("encode", "x.any", "--frames", "--lossless")
    assert (result.code, "note" in result.err, names()[0], names()[-1]) == (0, False, first, last)
    assert np.array_equal([fdcodec.decode(Path(name).read_bytes()) for name in names()], frames)


def test_one_frame_keeps_the_plain_name(cli):
    """A file of one frame is encoded as without the option, also to an output that is named."""
    assert cli("encode", "a.png", "--frames", *FAST).code == 0
    assert cli("encode", "a.png", "b.fdc", "--frames", *FAST).code == 0
    assert names() == ["a.fdc", "b.fdc"]


def test_trees_are_mirrored(cli):
    """Below --out-dir frames have the place of their file, whatever goes at a time."""
    Path("in/deep").mkdir(parents=True)
    Path("in/deep/s.v1.tif").write_bytes(stack(PAGES))
    for threads in ("1", "3"):
        assert cli("encode", "-r", "in", "--out-dir", threads, "--frames", "-j", threads, *FAST).code == 0
        assert names(f"{threads}/deep") == [f"s.v1-{k}.fdc" for k in (1, 2, 3)]
    for name in names("1/deep"):
        assert Path("1/deep", name).read_bytes() == Path("3/deep", name).read_bytes()


def test_damaged_page_costs_no_other(damaged):
    """A page that cannot be read is named, and the others are done."""
    result = damaged("encode", "stack.tif", "--frames", *FAST)
    assert (result.code, names()) == (1, ["stack-1.fdc", "stack-3.fdc"])
    assert "fdcodec: stack.tif, frame 2: damaged image" in result.err
    assert "2 of 3 done, 1 failed" in result.err


def test_json_has_the_numbers(damaged):
    """Each frame is an item with the file as its input and its number, failed ones too; a file of one has none."""
    lines = damaged("encode", "stack.tif", "a.png", "--frames", "--json", *FAST).out.splitlines()
    items = [json.loads(line) for line in lines]
    assert [(item["input"], item.get("frame")) for item in items] == [
        *(("stack.tif", k) for k in (1, 2, 3)),
        ("a.png", None),
    ]
    assert [item.get("output") for item in items] == ["stack-1.fdc", None, "stack-3.fdc", "a.fdc"]
    assert "damaged image" in items[1]["error"]


@pytest.mark.parametrize("output", [("b.fdc",), ("-o", "b.fdc"), ("-",)])
def test_one_output_takes_no_frames(cli, output):
    """Several frames do not go into one named file, and the message says where they go."""
    Path("s.tif").write_bytes(stack(PAGES))
    result = cli("encode", "s.tif", *output, "--frames")
    assert (result.code, names()) == (2, [])
    assert "s.tif has several frames; name a directory with --out-dir, not a file" in result.err


@pytest.mark.parametrize("command", [("encode",), ("learn", "-o", "new.fdt")])
@pytest.mark.parametrize("stream", ["-", "pipe"])
def test_streams_are_refused(cli, command, stream):
    """What can be read once only is a usage error that says what to do."""
    os.mkfifo("pipe")
    result = cli(*command, "--frames", stream, stdin=stack(PAGES))
    assert (result.code, f"{stream} is a stream; save it to a file first" in result.err) == (2, True)


@pytest.mark.parametrize(("name", "stem"), [("a.", "a"), ("b.tif.", "b.tif"), ("c", "c"), ("d.2", "d")])
def test_frames_of_files_with_odd_suffixes_have_files_of_their_own(cli, name, stem):
    """A name that ends in a dot, or has no suffix, does not take two frames to one file."""
    Path(name).write_bytes(stack(PAGES))
    assert cli("encode", "--lossless", "--frames", name, "--out-dir", "out", "--force").code == 0
    assert names("out") == [f"{stem}-{k}.fdc" for k in range(1, len(PAGES) + 1)]


def test_existing_outputs(cli):
    """Frames that are there are kept, skipped if asked, and replaced by force; the others are done."""
    Path("s.tif").write_bytes(stack(PAGES))
    Path("s-2.fdc").write_bytes(b"kept")
    command = ("encode", "s.tif", "--frames", *FAST)
    skipped = cli(*command, "--skip-existing")
    assert (skipped.code, "1 existing output skipped\n" in skipped.err, len(names())) == (0, True, 3)
    kept = cli(*command)
    assert (kept.code, kept.err.count("exists; add --force"), Path("s-2.fdc").read_bytes()) == (1, 3, b"kept")
    assert cli(*command, "--force").code == 0
    assert fdcodec.read_header("s-2.fdc").width == 16


def test_frames_and_files_of_one_name(cli):
    """A frame whose output another input has is refused as any other, with the frame and the file that has it."""
    Path("s.tif").write_bytes(stack(PAGES))
    Path("s-2.png").write_bytes(saved(PAGES[0], "PNG"))
    result = cli("encode", "s-2.png", "s.tif", "--frames", *FAST)
    assert (result.code, names()) == (1, ["s-1.fdc", "s-2.fdc", "s-3.fdc"])
    assert "s.tif, frame 2: would be written to s-2.fdc, like s-2.png; rename one of them" in result.err


def test_frames_that_are_left_out_are_told_with_the_option(cli):
    """Without the option the note, and the refusal of --lossless, name it."""
    Path("s.tif").write_bytes(stack(PAGES))
    assert "note: only the first of 3 frames was read; --frames takes them all" in cli("encode", "s.tif", *FAST).err
    result = cli("encode", "s.tif", "-f", "--lossless")
    told = "only one of the 3 frames of this TIFF file would be kept; take all with --frames, or leave --lossless out"
    assert (result.code, told in result.err) == (3, True)


def test_learning_takes_all_frames(damaged, learned_from):
    """`learn --frames` has the pages of a stack as images, those of 16 bits reduced, and names what it leaves out."""
    Path("deep.tif").write_bytes(stack(DEEP))
    result = damaged("learn", "stack.tif", "deep.tif", "a.png", "--frames", "-o", "new.fdt")
    assert [samples.shape for samples in learned_from] == [(12, 16, 1)] * 12 + [(24, 40, 3)]
    assert {samples.dtype for samples in learned_from} == {np.dtype(np.uint8)}
    assert "fdcodec: stack.tif, frame 2: damaged image" in result.err
