"""Frames and pages of image files: how many there are, and that each is read as it is."""

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, TiffImagePlugin
from tests.images import noise, orientation_exif, saved, with_chunk
from tests.stacks import stack, with_short_frame, with_tag

from fdcodec.errors import FdcError, FormatError, TruncatedError, UnsupportedError
from fdcodec.image import frames
from fdcodec.image.frames import FrameReader, frame_count
from fdcodec.image.reading import read_image

EXIF = orientation_exif(6)
COLOURS = noise(12, 16, 9, seed=3).reshape(12, 16, 3, 3).transpose(2, 0, 1, 3)


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a file and returns its path."""

    def write(data: bytes) -> Path:
        path = tmp_path / "file"
        path.write_bytes(data)
        return path

    return write


def read_or_fault(reader: FrameReader, path: Path, frame: int):
    """Return the samples of a frame, or the error that it has."""
    try:
        return reader.read(path, frame).picture.array
    except FdcError as error:
        return type(error)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 1, 0)])
@pytest.mark.parametrize("file_format", ["TIFF", "GIF", "PNG", "WEBP", "MPO"])
def test_each_frame_is_what_pillow_seeks(written, file_format, order):
    """In whatever order they are asked for, frames have the samples that Pillow shows of them."""
    path, reader = written(stack(COLOURS, file_format)), FrameReader()
    assert frame_count(path) == 3
    for frame in order:
        with Image.open(path) as image:
            image.seek(frame)
            assert np.array_equal(reader.read(path, frame).picture.array, np.asarray(image.convert("RGB")))


def test_files_take_turns(tmp_path):
    """A frame of one file is not taken for one of the file before it."""
    reader, paths = FrameReader(), [tmp_path / "a", tmp_path / "b"]
    for path, order in zip(paths, (1, -1), strict=True):
        path.write_bytes(stack(COLOURS[::order]))
    for frame, path in ((0, 0), (1, 1), (1, 0), (2, 1)):
        assert np.array_equal(reader.read(paths[path], frame).picture.array, COLOURS[:: 1 - 2 * path][frame])


def test_frames_in_order_open_the_file_once(written, monkeypatch):
    """A stack is read once and not for each page, which would take the square of the time."""
    count = []
    path, reader = written(stack(COLOURS)), FrameReader()
    for name in ("opened", "content_of"):
        original = getattr(frames, name)
        monkeypatch.setattr(frames, name, lambda given, work=original: count.append(1) or work(given))
    for frame in range(3):
        reader.read(path, frame)
    assert len(count) == 2


@pytest.mark.parametrize("data", [b"", b"no image", saved(COLOURS[0], "PNG"), saved(COLOURS[0], "JPEG")])
def test_other_files_have_one_frame(written, data):
    """One frame is counted of single images, and of what reading will refuse."""
    assert frame_count(written(data)) == 1


def test_file_that_is_not_there_has_one_frame(tmp_path):
    """What cannot be opened is told when it is read."""
    assert frame_count(tmp_path / "none") == 1
    with pytest.raises(FileNotFoundError):
        FrameReader().read(tmp_path / "none", 0)


@pytest.mark.parametrize(("tag", "value"), [(258, 7), (259, 999), (273, 1 << 30)], ids=["bits", "method", "place"])
def test_damaged_page_costs_no_other(written, tag, value):
    """Of a stack whose second page has an odd depth, an unknown compression or no samples, the others are read."""
    path, reader = written(with_tag(stack(COLOURS[..., 0]), 1, tag, value)), FrameReader()
    assert frame_count(path) == 3
    found = [read_or_fault(reader, path, frame) for frame in range(3)]
    assert found.pop(1) is FormatError
    assert np.array_equal(found, COLOURS[::2, ..., 0])


@pytest.mark.parametrize(("share", "fails"), [(0.36, [False, True]), (0.5, [False, True, True])])
def test_pages_behind_a_cut_are_one_failure(written, share, fails):
    """A TIFF that is cut in the tags of its second page, or in its samples, has what is whole and what fails."""
    data = stack(COLOURS)
    path = written(data[: round(share * len(data))])
    assert [read_or_fault(FrameReader(), path, frame) is FormatError for frame in range(frame_count(path))] == fails


@pytest.mark.parametrize(("share", "whole"), [(0.45, 2), (0.6, 3), (0.8, 4)])
def test_a_cut_animation_has_a_frame_that_fails(written, share, whole):
    """A GIF that is cut does not pass for one of fewer frames: behind the whole ones there is one for the rest."""
    data = stack(noise(16, 16, 5, seed=4).transpose(2, 0, 1), "GIF")
    path, reader = written(data[: round(share * len(data))]), FrameReader()
    results = [read_or_fault(reader, path, frame) for frame in range(frame_count(path))]
    assert [result is FormatError for result in results] == [False] * whole + [True]


def test_pages_that_are_not_supported_open_the_file_once(written, monkeypatch):
    """What is refused, and not damaged, does not let the file be sought anew for each page."""
    path, opens = written(stack(np.ones((5, 4, 4), np.float32))), []
    monkeypatch.setattr(frames, "opened", lambda data: opens.append(0) or Image.open(BytesIO(data)))
    reader = FrameReader()
    assert [read_or_fault(reader, path, frame) for frame in range(5)] == 5 * [UnsupportedError]
    assert len(opens) == 1


def test_damaged_pages_open_the_file_once(written, monkeypatch):
    """A stack of damaged pages is not sought anew for each of them, which would take the square of the time."""
    data = stack(COLOURS[..., 0])
    for page in range(3):
        data = with_tag(data, page, 273, 1 << 30)
    path, opens, reader = written(data), [], FrameReader()
    monkeypatch.setattr(frames, "opened", lambda data: opens.append(0) or Image.open(BytesIO(data)))
    assert [read_or_fault(reader, path, frame) for frame in range(3)] == 3 * [FormatError]
    assert len(opens) == 1


def test_page_whose_strips_are_missing_is_damaged(written):
    """Rows that no strip has are not those of the page before, nor black, in a first page either."""
    path, reader = written(with_tag(stack(COLOURS[..., 0]), 1, 278, 6)), FrameReader()
    first, second, third = (read_or_fault(reader, path, frame) for frame in range(3))
    assert np.array_equal([first, third], COLOURS[::2, ..., 0])
    assert second is TruncatedError
    with pytest.raises(TruncatedError, match="strips of this TIFF are missing"):
        read_image(with_tag(stack(COLOURS[:1]), 0, 278, 6))


def test_pictures_of_a_phone_have_metadata_of_their_own(written):
    """What the first picture of an MPO says is not said of the second."""
    said = {"icc_profile": b"profile", "comment": b"text", "exif": b"Exif\0\0" + EXIF}
    path, reader = written(stack(COLOURS, "MPO", **said)), FrameReader()
    data = path.read_bytes()
    second = data.index(b"\xff\xd8", 2)
    path.write_bytes(data[:second] + data[second:].replace(b"ICC_PROFILE", b"xxx_xxxxxxx"))
    first, second = (reader.read(path, frame) for frame in range(2))
    assert (first.picture.icc, second.picture.icc) == (b"profile", None)
    assert (first.notes, first.picture.exif) == (("texts were left out: comment",), EXIF)


def test_frames_on_top_of_a_damaged_one_fail(written):
    """A frame of a GIF that is drawn on a damaged one is not made up of what there is of that."""
    data = stack(COLOURS[..., 0], "GIF")
    third = data.rindex(bytes([ord(","), 0, 0, 0, 0, 16, 0, 12, 0]))
    path, reader = written(data[: third - 150] + bytes([255]) * 100 + data[third - 50 :]), FrameReader()
    first, *others = (read_or_fault(reader, path, frame) for frame in range(frame_count(path)))
    assert (first.shape, others) == ((12, 16, 3), [FormatError, FormatError])


def test_stated_number_of_frames_is_not_trusted(written):
    """A PNG that states two billion frames has one more, at most, than it has headers of frames."""
    data = stack(COLOURS, "PNG")
    place = data.index(b"acTL") - 4
    stated = with_chunk(data[:place] + data[place + 20 :], b"acTL", b"\x7f" + bytes(7))
    assert frame_count(written(stated)) == 4
    assert frame_count(written(with_chunk(stated, b"prVt", 1000 * b"fcTL"))) == 4


def test_frames_may_be_smaller_than_the_picture(written):
    """Of a PNG whose second frame has only what differs, that has all the rows that it says."""
    second = COLOURS[0].copy()
    second[4:6, 5:8] = 0
    data = stack([COLOURS[0], second], "PNG")
    assert b"fcTL" + (1).to_bytes(4, "big") + (3).to_bytes(4, "big") + (2).to_bytes(4, "big") in data
    path, reader = written(data), FrameReader()
    assert np.array_equal(reader.read(path, 1).picture.samples, second)


def test_rows_of_each_frame_are_checked(written):
    """A frame of a PNG that ends before its last row is refused, and the one on top of it, but not that before."""
    path, reader = written(with_short_frame(stack(COLOURS, "PNG"))), FrameReader()
    first, *others = (read_or_fault(reader, path, frame) for frame in range(3))
    assert np.array_equal(first, COLOURS[0])
    assert others == [TruncatedError, FormatError]


def test_metadata_are_those_of_the_page(written):
    """A page without profile, XMP and resolution does not get those of another; a second reading gives the same."""
    file = BytesIO()
    options = {"icc_profile": b"profile", "dpi": (300, 300), "tiffinfo": {700: b"<x/>", 274: 6}}
    with TiffImagePlugin.AppendingTiffWriter(file) as pages:
        for frame, given in zip(COLOURS, (options, {"tiffinfo": {270: "second"}}, options), strict=True):
            Image.fromarray(frame).save(pages, "TIFF", **given)
            pages.newFrame()
        data = file.getvalue()
    path, reader = written(data), FrameReader()
    pictures = [reader.read(path, frame).picture for frame in (0, 1, 2, 2)]
    blocks = [(picture.icc, picture.xmp) for picture in pictures]
    assert blocks == [(b"profile", b"<x/>"), (None, None), (b"profile", b"<x/>"), (b"profile", b"<x/>")]
    assert pictures[2].exif == pictures[3].exif
    tags = Image.Exif()
    tags.load(pictures[1].exif)
    assert dict(tags) == {270: "second"}
    assert np.array_equal([picture.array for picture in pictures], COLOURS[[0, 1, 2, 2]])


@pytest.mark.parametrize("third", [8, 7], ids=["whole", "damaged"])
def test_metadata_of_the_first_page_are_not_those_of_another(third):
    """A first page without a profile, read alone, has none where a later page has, be the last of an odd depth."""
    file = BytesIO()
    with TiffImagePlugin.AppendingTiffWriter(file) as pages:
        for frame, given in zip(COLOURS[..., 0], ({}, {"icc_profile": b"profile"}, {}), strict=True):
            Image.fromarray(frame).save(pages, "TIFF", **given)
            pages.newFrame()
        data = with_tag(file.getvalue(), 2, 258, third)
    picture, notes = read_image(data)
    assert (picture.icc, len(notes)) == (None, 1)
    assert np.array_equal(picture.array, COLOURS[0, ..., 0])


def test_lossless_refuses_what_a_page_loses(written):
    """Other frames are no loss, and bits that Pillow does not read are, of the page that has them."""
    signed = with_tag(stack(COLOURS[..., 0], tiffinfo={339: 1}), 1, 339, 2)
    path, reader = written(signed), FrameReader()
    assert reader.read(path, 0, lossless=True).notes == ()
    with pytest.raises(UnsupportedError, match="lossless"):
        reader.read(path, 1, lossless=True)
