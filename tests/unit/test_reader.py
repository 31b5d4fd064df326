"""`fdcodec.open`: what it takes, what a reader tells of itself, and damaged files."""

from io import BytesIO, StringIO
from pathlib import Path

import numpy as np
import pytest
from tests.images import photo

import fdcodec
from fdcodec.errors import ChecksumError, ParameterError, PartialWarning

IMAGE = photo(96, 128)
DATA = fdcodec.encode(IMAGE)


@pytest.mark.parametrize("source", [DATA, BytesIO(DATA), np.frombuffer(DATA, np.uint8)], ids=lambda s: type(s).__name__)
def test_open_takes_what_decode_takes(source):
    """A reader of bytes or of an open file gives what `decode` gives of them."""
    with fdcodec.open(source) as file:
        assert np.array_equal(file.read(), fdcodec.decode(DATA))


@pytest.mark.parametrize("source", [7, None, StringIO("text")])
def test_open_refuses_what_decode_refuses(source):
    """What is neither bytes, nor a path, nor a binary file is a wrong argument of `open`."""
    with pytest.raises(ParameterError, match="data: "):
        fdcodec.open(source)


WRONG = {"max_pixels": ["x", None, 0, -1, float("nan"), 10**40], "threads": [-1, "2"], "transform": [7], "partial": [1]}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_open_checks_its_arguments(name, value):
    """Arguments of the wrong kind or out of their range are refused when a file is opened, by their names."""
    with pytest.raises(ParameterError, match=name):
        fdcodec.open(DATA, **{name: value})


def test_reader_tells_what_it_reads():
    """The representation of a reader has the size, channels and depth of the picture, and whether it is closed."""
    with fdcodec.open(DATA) as file:
        assert repr(file) == "<Reader of 128x96, 3 channels of 8 bits>"
    assert repr(file) == "<Reader of 128x96, 3 channels of 8 bits, closed>"


def damaged():
    """Return a file of four tiles of which the last is damaged."""
    data = bytearray(fdcodec.encode(IMAGE, tile=64, xmp=b"<x/>"))
    data[-100] ^= 1
    return data


def test_tiles_are_checked_when_they_are_read():
    """A file with a damaged tile opens, and is read where that is not touched, as by `decode_region`."""
    data = damaged()
    with fdcodec.open(data) as file:
        assert np.array_equal(file.read((0, 0, 64, 64)), fdcodec.decode_region(data, (0, 0, 64, 64)))
        for region in (None, (60, 60, 9, 9)):
            with pytest.raises(ChecksumError):
                file.read(region)


def test_damaged_file_is_opened_in_part():
    """With `partial` a damaged file opens, and is read as by `decode`; without, damaged metadata keeps it shut."""
    data = damaged()
    data[data.index(b"<x/>")] ^= 1
    with pytest.raises(ChecksumError):
        fdcodec.open(data)
    data = damaged()
    with fdcodec.open(data, partial=True) as file:
        assert file.metadata.xmp == b"<x/>"
        with pytest.warns(PartialWarning) as told:
            part = file.read()
        assert Path(told[0].filename) == Path(__file__)
        with pytest.warns(PartialWarning):
            assert np.array_equal(part, fdcodec.decode(data, partial=True))
        assert np.array_equal(file.read((0, 0, 9, 9)), part[:9, :9])
    with pytest.raises(ParameterError, match="partial: 'no' is not allowed; give True or False"):
        fdcodec.open(data, partial="no")


def test_closed_reader_says_so():
    """Reading after the end of the `with` statement is a wrong use, not a damaged file."""
    with fdcodec.open(DATA) as file:
        pass
    with pytest.raises(ParameterError, match="closed"):
        file.read()
