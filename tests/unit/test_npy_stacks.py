"""Stacks of pictures in one array of numpy.save: what is one, that each picture is a file, and what else is told."""

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from tests.images import noise
from tests.stacks import saved_array

import fdcodec
from fdcodec.errors import FormatError, LimitError, UnsupportedError
from fdcodec.image.frames import FrameReader, frame_count
from fdcodec.image.reading import read_image

GRAY = noise(12, 16, 3, seed=1).transpose(2, 0, 1)
DEEP = noise(12, 16, 30, seed=2, dtype=np.uint16).reshape(12, 16, 10, 3).transpose(2, 0, 1, 3)


@pytest.mark.parametrize("array", [GRAY, DEEP, GRAY[..., None], DEEP.astype(">u2"), np.asfortranarray(GRAY)])
def test_each_picture_of_a_stack_comes_back_exactly(cli, array):
    """Whatever the depth, the order of bytes and of axes in the file, pictures are numbered as pages are."""
    np.save("x.npy", array)
    result = cli("encode", "x.npy", "--frames", "--lossless")
    paths = sorted(Path().glob("x*.fdc"))
    assert (result.code, paths[0].name) == (0, "x-1.fdc" if len(array) < 10 else "x-01.fdc")
    decoded = np.array([fdcodec.decode(path.read_bytes()) for path in paths])
    assert (decoded.shape, decoded.dtype) == (array.shape, array.dtype.newbyteorder("="))
    assert np.array_equal(decoded, array)


@pytest.mark.parametrize(
    ("shape", "count"),
    [((12, 16), 1), ((12, 16, 4), 1), ((3, 12, 5), 3), ((2, 12, 3, 1), 2), ((2, 3, 4, 4), 2), ((1, 12, 16), 1)],
)
def test_axes_tell_what_is_a_stack(tmp_path, shape, count):
    """Four axes are a stack, and three where the last is larger than the channels that there may be."""
    np.save(tmp_path / "x.npy", np.zeros(shape, np.uint8))
    assert frame_count(tmp_path / "x.npy") == count


def test_stack_of_one_is_a_picture(cli):
    """A stack of one picture is encoded under its plain name, with the option and without."""
    np.save("x.npy", GRAY[:1])
    for options in ((), ("--frames", "--force")):
        assert cli("encode", "x.npy", "--lossless", *options).code == 0
        assert np.array_equal(fdcodec.decode(Path("x.fdc").read_bytes()), GRAY[0])


@pytest.mark.parametrize(
    ("array", "moved"),
    [(GRAY, True), (GRAY[[0, 1, 2, 0]], True), (GRAY[[0, 1, 2, 0, 1]], False), (DEEP, False)],
)
def test_stack_is_refused_without_the_option(cli, array, moved):
    """The message names the option, and what to do where the first axis could be channels."""
    np.save("x.npy", array)
    result = cli("encode", "x.npy")
    assert (result.code, list(Path().glob("*.fdc"))) == (3, [])
    assert f"an array of shape {array.shape} is a stack of pictures; take each with --frames" in result.err
    assert ("numpy.moveaxis(array, 0, -1)" in result.err) == moved


@pytest.mark.parametrize(("dtype", "told"), [(np.float32, "scale and convert"), (np.int64, "astype(numpy.uint8)")])
@pytest.mark.parametrize("options", [(), ("--frames",)])
def test_dtype_is_told_once(cli, dtype, told, options):
    """A stack of numbers that no picture has is one failure, with the conversion that fits all of it."""
    np.save("x.npy", GRAY.astype(dtype))
    result = cli("encode", "x.npy", *options)
    assert (result.code, result.err.count("\n"), told in result.err) == (3, 1, True)


@pytest.mark.parametrize(
    ("shape", "told"),
    [
        ((0, 12, 16), r"is not \(height, width\)"),
        ((2, 3, 12, 5), r"is no stack of pictures; array.reshape\(-1, 12, 5\) is one"),
        ((2, 2, 2, 2, 2), r"is no stack of pictures; array.reshape\(-1, 2, 2, 2\) is one"),
    ],
)
def test_other_shapes_are_refused(tmp_path, shape, told):
    """Of an array that is no stack either, the message says what shapes pictures have, or what makes one of it."""
    np.save(tmp_path / "x.npy", np.zeros(shape, np.uint8))
    assert frame_count(tmp_path / "x.npy") == 1
    with pytest.raises(UnsupportedError, match=told):
        read_image(tmp_path / "x.npy")


def test_header_that_exhausts_the_parser_is_damage(cli):
    """A header of thousands of signs is one damaged file, with the option and without, and the next is encoded."""
    header = b"-" * 9000 + b"1"
    Path("a.npy").write_bytes(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header)
    np.save("b.npy", GRAY[0])
    for options in ((), ("--frames", "--force")):
        result = cli("encode", "a.npy", "b.npy", "--out-dir", "out", *options)
        assert (result.code, "a.npy: damaged .npy file" in result.err, Path("out/b.fdc").is_file()) == (1, True, True)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_cut_stack_is_damaged(tmp_path, share):
    """A stack whose file ends early is one damaged file, and no picture of it is made up."""
    path, data = tmp_path / "x.npy", saved_array(GRAY)
    path.write_bytes(data[: round(share * len(data))])
    assert frame_count(path) == 1
    with pytest.raises(FormatError, match=r"damaged \.npy file"):
        read_image(path)
    with pytest.raises(FormatError, match=r"damaged \.npy file"):
        FrameReader().read(path, 0)


def test_picture_of_a_stack_above_the_limit_is_refused(tmp_path):
    """A header that claims enormous pictures allocates none of them."""
    header = BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "|u1", "fortran_order": False, "shape": (2, 40_000, 40_000)})
    with (tmp_path / "x.npy").open("wb") as file:
        file.write(header.getvalue())
        file.truncate(len(header.getvalue()) + 2 * 40_000**2)
    assert frame_count(tmp_path / "x.npy") == 2
    with pytest.raises(LimitError, match=r"40000x40000 is above the limit of \d+ pixels; split it$"):
        FrameReader().read(tmp_path / "x.npy", 1)


def test_picture_of_a_stack_is_no_part_of_the_file(tmp_path):
    """Once it is read, what is written into the file changes nothing of it."""
    np.save(tmp_path / "x.npy", GRAY)
    read = FrameReader().read(tmp_path / "x.npy", 1).picture
    with (tmp_path / "x.npy").open("r+b") as file:
        file.write(bytes((tmp_path / "x.npy").stat().st_size))
    assert np.array_equal(read.array, GRAY[1])


def test_memory_is_that_of_a_picture(tmp_path, monkeypatch):
    """The file is mapped, and not read as a whole for each picture."""
    np.save(tmp_path / "x.npy", GRAY)
    monkeypatch.setattr(Path, "read_bytes", lambda path: pytest.fail(f"{path} was read as a whole"))
    reader = FrameReader()
    assert frame_count(tmp_path / "x.npy") == 3
    found = [reader.read(tmp_path / "x.npy", frame).picture.array for frame in (2, 0, 1)]
    assert np.array_equal(found, GRAY[[2, 0, 1]])


def test_learning_takes_a_stack(cli, learned_from):
    """`learn --frames` has the pictures of a stack as images, those of 16 bits reduced."""
    np.save("x.npy", DEEP)
    cli("learn", "x.npy", "a.png", "--frames", "-o", "new.fdt")
    assert [samples.shape for samples in learned_from] == [(12, 16, 3)] * 10 + [(24, 40, 3)]
    assert {samples.dtype for samples in learned_from} == {np.dtype(np.uint8)}
