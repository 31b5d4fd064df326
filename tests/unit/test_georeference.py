"""GeoTIFF: the place on the map goes through, and that of a part is the part's."""

import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import ExifTags, Image
from PIL.TiffImagePlugin import ImageFileDirectory_v2
from tests.images import noise, saved

from fdcodec.image.georeference import GEO_TAGS, in_place
from fdcodec.image.picture import Picture

DOUBLE, SHORT, ASCII, RATIONAL, UNDEFINED = 12, 3, 2, 5, 7
SCALE, TIEPOINTS, TRANSFORMATION, KEYS = 33550, 33922, 34264, 34735
AREA, POINT = 1, 2
TAGS = {
    SCALE: (DOUBLE, (10.0, 20.0, 0.0)),
    TIEPOINTS: (DOUBLE, (0.0, 0.0, 0.0, 440_720.25, 3_751_320.5, 0.0)),
    34736: (DOUBLE, (6_378_137.0, 298.257223563)),
    34737: (ASCII, "WGS 84 / UTM zone 11N|"),
    42112: (ASCII, "<GDALMetadata/>"),
    42113: (ASCII, "-9999"),
}
MATRIX = (10.0, 1.0, 0.0, 500.0, 2.0, -20.0, 0.0, 800.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)


def keys_of(raster_type):
    """Return a directory of two keys, of degrees and of what a place is; both may be 2."""
    return (SHORT, (1, 1, 0, 2, 1024, 0, 1, 2, 1025, 0, 1, raster_type))


def geotiff(tags, samples):
    """Return a TIFF with these tags."""
    info = ImageFileDirectory_v2()
    for tag, (kind, values) in tags.items():
        info.tagtype[tag], info[tag] = kind, values
    return saved(samples, "TIFF", tiffinfo=info)


def place_of(path, x, y):
    """Return where on the map a place (x, y) of a file's picture is, x and y counted from its upper left corner."""
    with Image.open(path) as image:
        tags = dict(image.tag_v2)
    if TRANSFORMATION in tags:
        return (np.reshape(tags[TRANSFORMATION], (4, 4)) @ (x, y, 0, 1))[:2]
    at, to, scale = tags[TIEPOINTS][:2], tags[TIEPOINTS][3:5], tags[SCALE]
    return np.array([to[0] + (x - at[0]) * scale[0], to[1] - (y - at[1]) * scale[1]])


def test_tags_come_back_with_their_types(cli):
    """All tags of GeoTIFF and GDAL have in the decoded TIFF the values and types that they had, without a note."""
    tags = TAGS | {KEYS: keys_of(AREA), TRANSFORMATION: (DOUBLE, MATRIX)}
    assert tags.keys() == set(GEO_TAGS)
    Path("m.tif").write_bytes(geotiff(tags, noise(6, 7, 1, seed=1, dtype=np.uint16)))
    assert "note" not in cli("encode", "m.tif", "--lossless").err
    assert cli("decode", "m.fdc", "-o", "back.tif").code == 0
    with Image.open("back.tif") as image:
        assert {tag: (image.tag_v2.tagtype[tag], image.tag_v2[tag]) for tag in tags} == tags


@pytest.mark.parametrize("region", [(8, 12, 24, 20), None], ids=["part", "whole"])
@pytest.mark.parametrize("raster_type", [AREA, POINT])
@pytest.mark.parametrize("tags", [TAGS, {TRANSFORMATION: (DOUBLE, MATRIX)}], ids=["tiepoint", "matrix"])
def test_part_lies_where_it_lay(cli, tags, raster_type, region):
    """Each sample of a reduced part, or of a reduced picture, has the place of the middle of those it covers."""
    Path("m.tif").write_bytes(geotiff(tags | {KEYS: keys_of(raster_type)}, noise(40, 50, 1, seed=1)))
    cli("encode", "m.tif", "--lossless")
    options = ("--region", ",".join(map(str, region))) if region else ()
    assert cli("decode", "m.fdc", *options, "--reduce", "4", "-o", "part.tif").code == 0
    left, top, *_ = region or (0, 0)
    middle = 0.5 if raster_type == AREA else 0  # where the middle of the sample (0, 0) is
    for x, y in ((0, 0), (5, 3)):
        covered = (left + 4 * x + 1.5, top + 4 * y + 1.5)  # the middle of four by four samples
        whole = place_of("m.tif", *np.add(covered, middle))
        assert np.allclose(place_of("part.tif", *np.add((x, y), middle)), whole, rtol=1e-12)


def test_pages_have_their_places(cli):
    """The parts that become pages of one file are where they were, too."""
    Path("m.tif").write_bytes(geotiff(TAGS, noise(40, 50, 1, seed=1)))
    cli("encode", "m.tif", "--lossless")
    assert cli("decode", "m.fdc", "m.fdc", "--frames", "--region", "8,12,24,20", "-o", "parts.tif").code == 0
    assert np.allclose(place_of("parts.tif", 0, 0), place_of("m.tif", 8, 12), rtol=1e-12)


@pytest.mark.parametrize("damage", [(SCALE, (1.0,)), (TIEPOINTS, (0.0, 0.0, 0.0)), (KEYS, (1, 1, 0))])
def test_damaged_place_is_left_out(cli, damage):
    """A place that has too few numbers is kept with the whole picture, and a part has none, which a note says."""
    tag, values = damage
    tags = TAGS | {KEYS: keys_of(AREA)}
    Path("m.tif").write_bytes(geotiff(tags | {tag: (tags[tag][0], values)}, noise(6, 7, 1, seed=1)))
    cli("encode", "m.tif", "--lossless")
    cli("decode", "m.fdc", "-o", "back.tif")
    for options in (("part.tif",), ("parts.tif", "--frames")):
        result = cli("decode", "m.fdc", "--region", "1,1,2,2", "-o", *options)
        assert (result.code, "the damaged place on the map was left out" in result.err) == (0, True)
    with Image.open("back.tif") as whole, Image.open("part.tif") as part:
        assert (SCALE in whole.tag_v2, SCALE in part.tag_v2, 42113 in part.tag_v2) == (True, False, True)


def place_is_kept(exif):
    """Tell whether a part has EXIF if the whole picture has this, and its place."""
    part, notes = in_place(Picture(noise(2, 2, 1, seed=1), exif=exif), (1, 1, 1, 1), 1)
    assert notes == (() if part.exif is not None else ("EXIF was left out, as it is damaged",))
    return part.exif is not None


def test_place_in_damaged_exif_is_left_out():
    """A part has no EXIF if what is around its place cannot be written again."""
    tags = Image.Exif()
    tags[SCALE], tags[ExifTags.Base.XResolution] = (1.0, 1.0, 0.0), 300.0
    exif = tags.tobytes().removeprefix(b"Exif\0\0")
    assert place_is_kept(exif)
    entry = exif.index(struct.pack(">HH", ExifTags.Base.XResolution, RATIONAL))
    assert not place_is_kept(exif[: entry + 2] + struct.pack(">H", UNDEFINED) + exif[entry + 4 :])


@pytest.mark.parametrize("exif", [None, b"no EXIF", b"II*\0\x08\0\0\0\0\0"])
def test_other_pictures_are_left_as_they_are(exif):
    """EXIF without a place on the map is not written anew."""
    picture = Picture(noise(2, 2, 1, seed=1), exif=exif)
    part, notes = in_place(picture, (1, 1, 1, 1), 2)
    assert part is picture
    assert notes == ()
