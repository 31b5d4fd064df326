"""Where the functions take files from: bytes, paths, open files, and what is none of these."""

from io import BytesIO, StringIO

import numpy as np
import pytest
from tests.images import photo

import fdcodec
from fdcodec.errors import ParameterError, TruncatedError
from fdcodec.model import ClassModel

IMAGE = photo(96, 128)
DATA = fdcodec.encode(IMAGE)


@pytest.mark.parametrize(
    "source", [DATA, bytearray(DATA), memoryview(DATA), BytesIO(DATA)], ids=lambda s: type(s).__name__
)
def test_sources(source):
    """Bytes-like objects and open files are decoded alike."""
    assert np.array_equal(fdcodec.decode(source), fdcodec.decode(DATA))


def test_path_sources(tmp_path):
    """Paths as text and as objects are decoded, and opened."""
    path = tmp_path / "a.fdc"
    path.write_bytes(DATA)
    assert np.array_equal(fdcodec.decode(path), fdcodec.decode(str(path)))
    with fdcodec.open(path) as file:
        assert (file.header.width, file.header.height) == (128, 96)
        assert np.array_equal(file.read((3, 5, 20, 10)), file.read()[5:15, 3:23])


def test_bytes_may_lie_in_an_array():
    """A file in an array of uint8 decodes as its bytes do."""
    assert np.array_equal(fdcodec.decode(np.frombuffer(DATA, np.uint8)), fdcodec.decode(DATA))


@pytest.mark.parametrize("source", [7, None, ["a"], np.zeros(9), np.zeros((3, 3), np.uint8)])
def test_other_sources_are_refused(source):
    """What is neither bytes, nor a path, nor a file is a wrong argument."""
    with pytest.raises(ParameterError, match="data: "):
        fdcodec.decode(source)


def test_files_open_as_text_are_refused():
    """A file that gives text instead of bytes is a wrong argument, and the message says how to open it."""
    with pytest.raises(ParameterError, match='mode "rb"'):
        fdcodec.decode(StringIO("text"))


@pytest.mark.parametrize(("mode", "closed"), [("r", False), ("rb", True)])
def test_open_files_that_give_no_bytes_are_refused(mode, closed, tmp_path):
    """A file that is open as text that it is not, or closed, is a wrong argument."""
    (tmp_path / "a.fdc").write_bytes(b"\xff\xfe")
    with (tmp_path / "a.fdc").open(mode, encoding=None if mode == "rb" else "utf-8") as file:
        if closed:
            file.close()
        with pytest.raises(ParameterError, match=r'cannot be read .* mode "rb"'):
            fdcodec.decode(file)


def test_paths_that_are_numbers_are_refused():
    """What says that it is a path and gives a number is a wrong argument."""

    class Path:
        def __fspath__(self):
            return 3

    with pytest.raises(ParameterError, match="data: Path is not a path"):
        fdcodec.decode(Path())


@pytest.mark.parametrize("read", [fdcodec.decode, fdcodec.read_header, fdcodec.open, ClassModel.load])
@pytest.mark.parametrize("path", ["a\0b", "x" * 5000], ids=["null", "long"])
def test_what_cannot_be_a_path_is_a_wrong_argument(read, path):
    """What the system cannot take as a name is refused by the argument's name, and cut short."""
    with pytest.raises(ParameterError, match=r"^(data|path): '.{3,28}' cannot be a path: .*; give another$"):
        read(path)


@pytest.mark.parametrize("read", [fdcodec.decode, fdcodec.check, ClassModel.load])
def test_empty_path_is_a_wrong_argument(read):
    """An empty name, which would mean the current directory, is refused plainly."""
    with pytest.raises(ParameterError, match=r"^(data|path): the path is empty; give a name$"):
        read("")


def test_no_bytes_are_told_once():
    """A file of no bytes is empty, which says all."""
    with pytest.raises(TruncatedError, match=r"^the file is empty; get it again$"):
        fdcodec.check(b"")
