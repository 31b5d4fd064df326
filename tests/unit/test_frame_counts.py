"""Chains of pages in a TIFF, which end somewhere or not: counted up to a limit."""

import struct

import pytest

from fdcodec.errors import LimitError
from fdcodec.image import frame_counts
from fdcodec.image.frames import frame_count
from fdcodec.image.reading import read_image

PAGE = ((256, 3, 1, 1), (257, 3, 1, 1), (258, 3, 1, 8), (262, 3, 1, 1), (273, 4, 1, 0), (279, 4, 1, 1))
"""Tags of a page of one pixel."""


def chain(pages, behind):
    """Return a TIFF of this many pages, and after them as many directories without a tag."""
    data, places = bytearray(b"II*\0" + struct.pack("<I", 8)), pages + behind
    for k in range(places):
        tags = PAGE if k < pages else ()
        following = len(data) + 6 + 12 * len(tags)
        entries = b"".join(struct.pack("<HHII", *tag) for tag in tags)
        data += struct.pack("<H", len(tags)) + entries + struct.pack("<I", following if k < places - 1 else 0)
    return bytes(data)


@pytest.fixture(autouse=True)
def small_limit(monkeypatch):
    """Let there be few frames at most."""
    monkeypatch.setattr(frame_counts, "MAX_FRAMES", 2000)


def test_as_many_frames_as_are_allowed_are_counted(tmp_path):
    """A chain as long as the limit has all its pages, and the first of them is read."""
    (tmp_path / "x.tif").write_bytes(chain(2000, 0))
    assert frame_count(tmp_path / "x.tif") == 2000
    assert read_image(tmp_path / "x.tif").notes == ("only the first of 2000 frames was read",)


def test_more_frames_are_refused():
    """Counting ends at the limit, however long the chain is, with what to do."""
    with pytest.raises(LimitError, match="image of more than 2000 frames, the most that are counted; split it"):
        read_image(chain(6000, 0))


@pytest.mark.parametrize(("pages", "behind"), [(1, 100_000), (6000, 0), (3000, 100_000)])
def test_counting_ends_at_the_limit(tmp_path, monkeypatch, pages, behind):
    """No frame behind the limit is sought, of empty directories either; reading tells what is wrong."""
    (tmp_path / "x.tif").write_bytes(chain(pages, behind))
    sought, seek = [], frame_counts.TiffImageFile.seek
    monkeypatch.setattr(frame_counts.TiffImageFile, "seek", lambda image, k: sought.append(k) or seek(image, k))
    assert frame_count(tmp_path / "x.tif") == 1
    assert max(sought) == 2000
