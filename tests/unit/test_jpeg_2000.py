"""JPEG 2000: what stands beside the samples, which Pillow does not read, is told."""

import pytest
from tests.images import noise, saved

from fdcodec.image.jpeg_2000 import left_out
from fdcodec.image.reading import read_image

PLAIN = saved(noise(16, 16, 3, seed=1), "JPEG2000")
XMP, GEO = "BE7ACFCB97A942E89C71999491E3AFAC", "B14BF8BD083D4B43A5AE8CD7D5A6CE03"
TOLD = "parts of this JPEG2000 file were left out: "


def box(kind, content):
    """Return a box."""
    return (8 + len(content)).to_bytes(4, "big") + kind + content


def long_box(kind, content):
    """Return a box whose length stands behind its type."""
    return b"\0\0\0\1" + kind + (16 + len(content)).to_bytes(8, "big") + content


def with_header(inner):
    """Return the file with a box at the end of its header."""
    start = PLAIN.index(b"jp2h") - 4
    end = start + int.from_bytes(PLAIN[start : start + 4], "big")
    return PLAIN[:start] + box(b"jp2h", PLAIN[start + 8 : end] + inner) + PLAIN[end:]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (PLAIN, ()),
        (PLAIN + box(b"free", bytes(9)), ()),
        (with_header(box(b"colr", b"\1\0\0\0\0\0\x10")), ()),
        (with_header(box(b"colr", b"\2\0\0profile")), (TOLD + "ICC",)),
        (PLAIN + box(b"uuid", bytes.fromhex(XMP) + b"<x/>"), (TOLD + "XMP",)),
        (PLAIN + long_box(b"uuid", bytes.fromhex(GEO) + b"II*\0"), (TOLD + "the place on the map (GeoJP2)",)),
        (PLAIN + box(b"uuid", b"JpgTiffExif->JP2II*\0"), (TOLD + "EXIF",)),
        (PLAIN + 2 * box(b"uuid", bytes(20)) + box(b"asoc", b""), (TOLD + "others (uuid), labels (asoc)",)),
        (PLAIN + b"\0\0\0\0xml <gml/>", (TOLD + "XML",)),
        (saved(noise(16, 16, 1, seed=1)[:, :, 0], "JPEG2000", no_jp2=True), ()),
    ],
)
def test_what_pillow_does_not_read_is_told(data, told):
    """A note has each kind of box that says something about the picture once."""
    assert read_image(data).notes == told


@pytest.mark.parametrize("length", [2, 7, 1 << 31])
def test_what_is_no_box_ends_the_search(length):
    """Behind a length that no box has, or that is beyond the file, nothing is looked for."""
    assert left_out(PLAIN + length.to_bytes(4, "big") + b"free" + box(b"xml ", b"")) == []
