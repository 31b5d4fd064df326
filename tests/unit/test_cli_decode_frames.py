"""The command line: files decoded into the pages of one TIFF, or into a stack in .npy."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.images import noise
from tests.stacks import stack

import fdcodec

PAGES = noise(12, 16, 12, seed=1).transpose(2, 0, 1)
DEEP = noise(12, 16, 3, seed=2, dtype=np.uint16).transpose(2, 0, 1)
COLOURS = noise(12, 16, 6, seed=3).reshape(12, 16, 2, 3).transpose(2, 0, 1, 3)


def encoded(frames, **options):
    """Write a file of each frame, and return their names."""
    names = [f"s-{k:02}.fdc" for k in range(1, len(frames) + 1)]
    for name, frame in zip(names, frames, strict=True):
        Path(name).write_bytes(fdcodec.encode(frame, lossless=True, **options))
    return names


def pages(path):
    """Return the pages of a TIFF, as Pillow reads them."""
    with Image.open(path) as image:
        return [np.asarray(image) for k in range(image.n_frames) if image.seek(k) is None]


def test_one_file_gives_one_page(cli):
    """Of a single input the file has one page."""
    assert cli("decode", "--frames", *encoded(PAGES[:1]), "-o", "x.tif").code == 0
    assert np.array_equal(pages("x.tif"), PAGES[:1])


@pytest.mark.parametrize("frames", [PAGES, DEEP, COLOURS], ids=["gray", "deep", "colours"])
@pytest.mark.parametrize("threads", ["1", "3"])
def test_pages_come_back_in_order(cli, frames, threads):
    """What `encode --frames` took apart is one TIFF again, and a stack in .npy has the shape of the whole."""
    Path("in.tif").write_bytes(stack(frames))
    assert cli("encode", "in.tif", "--frames", "--lossless", "--out-dir", "parts").code == 0
    for name in ("out.tif", "out.npy"):
        result = cli("decode", "-r", "parts", "--frames", "-o", name, "-j", threads)
        assert (result.code, result.err) == (0, f"{name}: {len(frames)} pictures in one file\n")
    assert np.array_equal(pages("out.tif"), frames)
    assert np.array_equal(np.load("out.npy"), frames)


def test_narrow_gray_stacks_are_read_as_stacks(cli):
    """Gray pictures of up to four columns have an axis of channels in .npy, where they would pass for one picture."""
    assert cli("decode", "--frames", *encoded(PAGES[:3, :, :4]), "x.npy").code == 0
    assert np.load("x.npy").shape == (3, 12, 4, 1)
    assert cli("encode", "x.npy", "--frames", "--lossless").code == 0
    assert np.array_equal([fdcodec.decode(f"x-{k}.fdc")[..., 0] for k in (1, 2, 3)], PAGES[:3, :, :4])


def test_pages_may_differ(cli):
    """A TIFF takes pages of other sizes and channels; .npy refuses them, and says which differ."""
    names = encoded([PAGES[0], COLOURS[0], PAGES[1, :5]])
    assert cli("decode", "--frames", *names, "x.tif").code == 0
    assert [page.shape for page in pages("x.tif")] == [(12, 16), (12, 16, 3), (5, 16)]
    result = cli("decode", "--frames", *names, "x.npy")
    assert (result.code, Path("x.npy").exists()) == (3, False)
    assert "picture 2 is 12 x 16 x 3 of uint8, the first 12 x 16 x 1 of uint8" in result.err


def test_metadata_stay_with_their_pages(cli):
    """Each page has its description; what TIFF cannot move, as of the exposure, is left out with a note."""
    for k in (1, 2):
        exif = Image.Exif()
        exif[270] = f"page {k}"
        exif.get_ifd(0x8769)[33434] = 0.5
        Path(f"{k}.fdc").write_bytes(fdcodec.encode(PAGES[k], quality=30, exif=exif.tobytes()[6:], icc=b"profile"))
    result = cli("decode", "--frames", "1.fdc", "2.fdc", "x.tif")
    assert (result.code, result.err.count("note")) == (0, 1)
    assert "x.tif: note: .tif: tags of EXIF were left out: 34665 Exif" in result.err
    with Image.open("x.tif") as image:
        found = [(image.tag_v2[270], image.info["icc_profile"]) for k in (0, 1) if image.seek(k) is None]
    assert found == [("page 1", b"profile"), ("page 2", b"profile")]


def test_nothing_is_written_where_an_input_fails(cli):
    """The input is named, and the output as it was."""
    names = encoded(PAGES[:3])
    Path(names[1]).write_bytes(Path(names[1]).read_bytes()[:-3])
    Path("x.tif").write_bytes(b"old")
    result = cli("decode", "--frames", *names, "-o", "x.tif", "--force")
    assert (result.code, Path("x.tif").read_bytes()) == (1, b"old")
    assert result.err.startswith("fdcodec: x.tif: s-02.fdc: ")
    assert cli("decode", "--frames", *names, "absent.fdc", "-o", "y.tif").code == 1


def test_partial_pages_are_told(cli):
    """With --partial damaged pages are there as far as they go, and the exit code says so."""
    names = encoded(PAGES[:2], tile=16)
    wide = fdcodec.encode(noise(16, 40, 1, seed=4), tile=16, transform="photo")
    Path(names[1]).write_bytes(wide[:-20] + bytes([wide[-20] ^ 1]) + wide[-19:])
    result = cli("decode", "--frames", "--partial", *names, "x.tif")
    assert (result.code, len(pages("x.tif"))) == (5, 2)
    assert f"x.tif: note: {names[1]}: " in result.err


def test_json_names_all_inputs(cli):
    """One object tells of the whole file."""
    names = encoded(PAGES[:2])
    facts = json.loads(cli("decode", "--frames", *names, "x.tif", "--json").out)
    assert (facts["input"], facts["output"], facts["frames"]) == (names, "x.tif", 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--frames writes one file; name it with -o"),
        (("--out-dir", "out"), "--frames writes one file; name it with -o"),
        (("-o", "x.tif", "--out-dir", "out"), "--frames writes one file; name it with -o"),
        (("x.png",), ".png holds one picture; --frames writes .tif, .tiff, .npy"),
        (("other.tif", "-o", "other.tif", "--force"), "other.tif is one of the inputs"),
    ],
)
def test_wrong_outputs_are_usage_errors(cli, arguments, message):
    """The output must be named, hold several pictures, and be none of the inputs."""
    names = encoded(PAGES[:2])
    Path("other.tif").write_bytes(Path(names[0]).read_bytes())
    result = cli("decode", "--frames", *names, *arguments)
    assert (result.code, message in result.err) == (2, True)
