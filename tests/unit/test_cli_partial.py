"""The command line on damaged files: `decode --partial`."""

import re
from pathlib import Path

import numpy as np
import pytest
from tests.images import photo

import fdcodec
from fdcodec.errors import FormatError


def test_intact_tiles_are_written(cli):
    """`decode --partial` writes the intact tiles, names the others on stderr and ends with exit code 5."""
    data = fdcodec.encode(photo(32, 48), tile=16, effort=1)
    Path("bad.fdc").write_bytes(data[:-100])
    assert cli("decode", "bad.fdc", "-o", "b.npy").code == 1
    result = cli("decode", "bad.fdc", "-o", "b.npy", "--partial")
    assert (result.code, "of 6 tiles are missing and left at 0: 16x16 at" in result.err) == (5, True)
    assert np.array_equal(np.load("b.npy")[:16, :32], fdcodec.decode(data)[:16, :32])
    assert cli("decode", "bad.fdc", "-o", "c.png", "--partial", "--quiet") == (5, b"", "")
    assert cli("decode", "bad.fdc", "-o", "d.png", "--region", "32,16,16,16", "--partial").code == 1


def test_picture_of_one_tile_says_why(cli, encoded):
    """Of a damaged picture of one tile nothing is written, and the message says which option helps, if one does."""
    Path("bad.fdc").write_bytes(encoded[:-30])
    result = cli("decode", "bad.fdc", "-o", "b.png", "--partial")
    assert (result.code, Path("b.png").exists()) == (1, False)
    assert "pictures of one tile cannot be recovered in part; encode in tiles of side 32 (`tile`, --tile)" in result.err


@pytest.mark.parametrize(
    ("shape", "side"), [((256, 256), 128), ((17, 3), 16), ((2, 600), 256), ((16, 16), 0), ((1, 1), 0)]
)
def test_advised_tiles_are_smaller_than_the_picture(shape, side):
    """Of the sides that are powers of two the largest below the picture's is advised, and none that is not allowed."""
    image = np.zeros(shape, np.uint8)
    data = fdcodec.encode(image, quality=5, effort=1)
    with pytest.raises(FormatError, match="of one tile") as told:
        fdcodec.decode(data[:-1], partial=True)
    assert re.findall(r"in tiles of side (\d+)", str(told.value)) == ([str(side)] if side else [])
    assert not side or fdcodec.info(fdcodec.encode(image, quality=5, effort=1, tile=side))["tiles"] > 1


def test_whole_file_is_no_partial_result(cli, encoded):
    """Of an intact file `--partial` changes nothing, and the exit code is 0."""
    assert cli("decode", "a.fdc", "-o", "b.npy", "--partial").code == 0
    assert np.array_equal(np.load("b.npy"), fdcodec.decode(encoded))
