"""The command line on damaged files: `decode --partial`."""

from pathlib import Path

import numpy as np
from tests.images import photo

import fdcodec


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
    """Of a damaged picture of one tile nothing is written, and the message says which option helps."""
    Path("bad.fdc").write_bytes(encoded[:-30])
    result = cli("decode", "bad.fdc", "-o", "b.png", "--partial")
    assert (result.code, Path("b.png").exists()) == (1, False)
    assert "pictures of one tile cannot be recovered in part; encode with --tile 256" in result.err


def test_whole_file_is_no_partial_result(cli, encoded):
    """Of an intact file `--partial` changes nothing, and the exit code is 0."""
    assert cli("decode", "a.fdc", "-o", "b.npy", "--partial").code == 0
    assert np.array_equal(np.load("b.npy"), fdcodec.decode(encoded))
