"""Putting files in place: whole or not at all."""

import errno
import os
from pathlib import Path

import pytest

from fdcodec.image import files
from fdcodec.image.files import nothing_unfinished, replace_file


def test_write_error_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    """A full disk costs neither the existing output nor a stray temporary file."""
    path = tmp_path / "out.png"
    path.write_bytes(b"precious")

    def full_disk(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left") as caught:
        replace_file(path, b"new")
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"precious"
    assert list(tmp_path.iterdir()) == [path]


def test_replaced_file_keeps_its_permissions(tmp_path):
    """A private file stays private."""
    path = tmp_path / "private"
    path.write_bytes(b"old")
    path.chmod(0o600)
    replace_file(path, b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o600)


def test_new_file_has_the_permissions_of_new_files(tmp_path):
    """A file is no more open than the umask says, and that is never changed, since other threads make files too."""
    before = os.umask(0o027)
    replace_file(tmp_path / "new", b"new")
    assert os.umask(before) == 0o027
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640


def test_links_in_a_circle_are_an_error(tmp_path):
    """A link that leads back to itself leads nowhere that could be written, and stays."""
    first, second = tmp_path / "first", tmp_path / "second"
    first.symlink_to(second)
    second.symlink_to(first)
    with pytest.raises(OSError, match="symbolic links"):
        replace_file(first, b"new")
    assert first.is_symlink()


def test_what_is_unfinished_can_be_removed(tmp_path, monkeypatch):
    """Before a process ends in the middle of a write, the temporary file can be taken away."""
    monkeypatch.setattr(files.os, "fsync", lambda descriptor: nothing_unfinished().__enter__())
    with pytest.raises(FileNotFoundError):
        replace_file(tmp_path / "new", b"new")
    assert list(tmp_path.iterdir()) == []


def test_link_stays_a_link(tmp_path):
    """Writing through a link replaces what it points to."""
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    replace_file(link, b"new")
    assert (link.is_symlink(), target.read_bytes()) == (True, b"new")


def test_pipe_is_written_to_and_stays(tmp_path):
    """A named pipe, like any device, is not replaced by a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    replace_file(pipe, b"new")
    assert (pipe.is_fifo(), os.read(reader, 10)) == (True, b"new")
    os.close(reader)


@pytest.mark.parametrize("name", ["with space", "-dash", "\N{GRINNING FACE}", "x" * 251])
def test_any_file_name(tmp_path, name):
    """Spaces, dashes, other alphabets and long names are file names."""
    path = Path(tmp_path, f"{name}.png")
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"
