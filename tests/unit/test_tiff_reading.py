"""TIFF files that are read: channels and values that Pillow drops or changes, tags and XMP as they are in the file."""

import struct
from io import BytesIO

import numpy as np
import pytest
from PIL import ExifTags, Image
from tests.images import NEWER_PILLOW, noise, saved
from tests.stacks import stack

from fdcodec.errors import UnsupportedError
from fdcodec.image.arrays import as_picture
from fdcodec.image.frames import FrameReader
from fdcodec.image.reading import read_image

Tag = ExifTags.Base
GRAY, COLOUR, CMYK = 1, 2, 5  # PhotometricInterpretation
XMP = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description tiff:Orientation="6" a="1"/></x:xmpmeta>'


def tiff(samples, photometric, extra=(), sample_format=1):
    """Return a TIFF of samples (height, width, channels) of 8 bits, with the kinds of its extra channels."""
    height, width, channels = samples.shape
    data, place = samples.tobytes(), 8 + samples.nbytes
    tags = [(256, 4, [width]), (257, 4, [height]), (258, 3, [8] * channels), (259, 3, [1]), (262, 3, [photometric])]
    tags += [(273, 4, [8]), (277, 3, [channels]), (278, 4, [height]), (279, 4, [len(data)])]
    tags += [(338, 3, list(extra))] * bool(extra) + [(339, 3, [sample_format] * channels)]
    directory = struct.pack("<H", len(tags))
    for tag, kind, values in tags:
        packed = struct.pack(f"<{len(values)}{' HI'[kind - 2]}", *values)
        if len(packed) > 4:
            place, data, packed = place + len(packed), data + packed, struct.pack("<I", place)
        directory += struct.pack("<HHI", tag, kind, len(values)) + packed.ljust(4, b"\0")
    return b"II*\0" + struct.pack("<I", place) + data + directory + bytes(4)


@pytest.mark.parametrize(
    ("photometric", "extra", "read"),
    [
        pytest.param(GRAY, (0,), 1, marks=NEWER_PILLOW),
        (COLOUR, (0,), 3),
        (COLOUR, (0, 0), 3),
        (COLOUR, (0, 0, 0), 3),
        (COLOUR, (2, 0), 4),
        (COLOUR, (2, 0, 0), 4),
    ],
)
def test_channels_that_are_neither_colour_nor_alpha_are_told(photometric, extra, read):
    """Colour and alpha are exact; a note counts what is dropped, and where nothing may be lost that is refused."""
    channels = (1 if photometric == GRAY else 3) + len(extra)
    samples = noise(4, 6, channels, seed=1)
    picture, notes = read_image(tiff(samples, photometric, extra))
    assert np.array_equal(picture.samples, samples[:, :, :read])
    assert notes == (
        f"only the first {read} of {channels} channels were read: the others are neither colour nor alpha",
    )
    with pytest.raises(UnsupportedError, match=f"lossless: only {read} of the {channels} channels of this TIFF"):
        read_image(tiff(samples, photometric, extra), lossless=True)


@pytest.mark.parametrize(("photometric", "extra"), [(GRAY, ()), (GRAY, (2,)), (COLOUR, ()), (COLOUR, (2,))])
def test_gray_colour_and_alpha_are_exact(photometric, extra):
    """Where all channels have their place nothing is said, and every sample is the file's."""
    samples = noise(4, 6, (1 if photometric == GRAY else 3) + len(extra), seed=2)
    picture, notes = read_image(tiff(samples, photometric, extra), lossless=True)
    assert (picture.samples.tolist(), notes) == (samples.tolist(), ())


def test_channels_of_other_colours_are_counted_as_stored():
    """CMYK becomes RGB with its own note, and its four channels are all read."""
    _, notes = read_image(tiff(noise(4, 6, 4, seed=3), CMYK))
    assert notes == ("CMYK colours are stored as RGB, converted by a plain formula",)


@pytest.mark.parametrize(
    ("photometric", "stored", "note"),
    [
        pytest.param(
            GRAY, [20, 100], "La is stored as LA: its colours are divided by alpha, and rounded", marks=NEWER_PILLOW
        ),
        (COLOUR, [200, 20, 30, 100], "colours multiplied by alpha were divided by it, and rounded"),
    ],
)
def test_colours_that_are_multiplied_by_alpha_are_told(photometric, stored, note):
    """Pillow divides them by alpha, at most to 255: one note says so, and where nothing may be lost that is refused."""
    data = tiff(np.array([[stored]], np.uint8), photometric, (1,))
    picture, notes = read_image(data)
    *colours, alpha = stored
    assert picture.samples[0, 0].tolist() == [*(min(255, colour * 255 // alpha) for colour in colours), alpha]
    assert notes == (note,)
    with pytest.raises(UnsupportedError, match="lossless: the colours of this TIFF file are multiplied by alpha"):
        read_image(data, lossless=True)


def test_signed_samples_are_told():
    """Those of 8 bits are taken for unsigned with a note, and refused where nothing may be lost."""
    data = tiff(np.array([[[1], [200]]], np.uint8), GRAY, sample_format=2)
    picture, notes = read_image(data)
    assert picture.samples.ravel().tolist() == [1, 200]
    assert notes == ("signed samples were read as unsigned: -128..-1 became 128..255",)
    with pytest.raises(UnsupportedError, match="lossless: the samples of this TIFF file are signed"):
        read_image(data, lossless=True)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_xmp_is_kept_byte_for_byte_whatever_the_orientation(orientation):
    """Pillow takes the orientation out of XMP where it turns the picture; the file's own XMP is what is kept."""
    exif = Image.Exif()
    exif[Tag.Orientation], exif[Tag.XMLPacket] = orientation, XMP
    samples = noise(4, 9, 3, seed=4)
    picture, notes = read_image(saved(samples, "TIFF", exif=exif), lossless=True)
    assert (picture.xmp, picture.samples.tolist(), notes) == (XMP, samples.tolist(), ())


@pytest.mark.parametrize("orientation", [1, 6])
@pytest.mark.parametrize("is_loaded", [False, True])
def test_a_pillow_image_brings_the_tags_of_its_tiff(orientation, is_loaded):
    """The picture is what Pillow shows, which turns it, and its EXIF has the tags that describe it so."""
    exif = Image.Exif()
    exif[Tag.Orientation], exif[Tag.Model], exif[Tag.XResolution] = orientation, "Camera", 300.0
    image = Image.open(BytesIO(saved(noise(4, 9, 3, seed=5), "TIFF", exif=exif)))
    if is_loaded:
        image.load()
    picture = as_picture(image)
    tags = Image.Exif()
    tags.load(picture.exif)
    assert np.array_equal(picture.samples, np.asarray(image))
    assert (tags[Tag.Model], tags[Tag.XResolution], tags.get(Tag.Orientation, 1)) == ("Camera", 300.0, 1)
    assert as_picture(image).exif == picture.exif


@pytest.mark.parametrize("place", [5, 8, 10**6, 2**32 - 1])
def test_first_page_is_read_where_the_next_is_not_there(place):
    """Of a TIFF whose place of a next page is damaged the first is read with a note, and refused without loss."""
    samples = noise(5, 7, 1, seed=1)
    data = tiff(samples, GRAY)[:-4] + struct.pack("<I", place)
    picture, notes = read_image(data)
    assert np.array_equal(picture.samples, samples)
    assert notes[0] == "only the first frame was read: what follows it cannot be read"
    with pytest.raises(UnsupportedError, match=r"what follows the first frame of this TIFF file cannot be read"):
        read_image(data, lossless=True)


OME = '<?xml version="1.0"?><!-- x --><OME xmlns="x"><Pixels SizeZ="2"/></OME>'


@pytest.mark.parametrize(
    ("text", "pages", "is_kept"),
    [
        *(("ImageJ=1.54f\nimages=2", 2, False), (OME, 2, False), (OME, 1, True), ("ImageJ=1.54f", 1, True)),
        *(("x", 2, True), ("made with ImageJ=1.54f", 2, True), ("<OMEN/>", 2, True)),
    ],
)
def test_description_of_a_stack_is_not_that_of_a_picture(tmp_path, text, pages, is_kept):
    """What ImageJ and OME say of all pages is left out of one, with a note: readers look for them all."""
    (tmp_path / "x.tif").write_bytes(stack(pages * [noise(12, 16, 3, seed=1)], description=text))
    picture, notes = FrameReader().read(tmp_path / "x.tif", 0)
    assert (text.encode() in (picture.exif or b"")) == is_kept
    assert notes == (
        () if is_kept else ("the description of a stack (ImageJ, OME) was left out, with its units and channels",)
    )


def test_description_of_a_stack_that_is_turned_is_told(tmp_path):
    """Of pages with an orientation, which are turned back, the note is the same."""
    turned = {Tag.ImageDescription: "ImageJ=1.54f\nimages=2", Tag.Orientation: 6}
    (tmp_path / "x.tif").write_bytes(stack(2 * [noise(12, 16, 3, seed=1)], tiffinfo=turned))
    picture, notes = FrameReader().read(tmp_path / "x.tif", 0)
    assert (b"ImageJ" in (picture.exif or b""), notes) == (
        False,
        ("the description of a stack (ImageJ, OME) was left out, with its units and channels",),
    )
