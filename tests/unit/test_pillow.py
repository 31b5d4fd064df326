"""Pillow opens our files as it does those of its own formats."""

import warnings
from io import BytesIO

import numpy as np
import pytest
from PIL import Image, ImageFile, UnidentifiedImageError
from tests.images import noise, photo, ramp
from tests.pillow_files import METADATA, MODES, opened, saved

import fdcodec
from fdcodec import container
from fdcodec.container import Header
from fdcodec.errors import PartialWarning


@pytest.fixture(autouse=True, scope="module")
def registered():
    """Register for all tests here."""
    fdcodec.register_pillow()


class Watched(BytesIO):
    """A file that remembers how far it was read."""

    farthest = 0

    def read(self, size=-1):
        """Read, and note where that ended."""
        data = super().read(size)
        self.farthest = max(self.farthest, self.tell())
        return data


def lying(header, **parts):
    """Return a file whose header is right and whose payloads hold no picture."""
    return container.write(container.File(header, [b""] * header.tile_count, **parts))


@pytest.mark.parametrize("mode", MODES)
def test_modes(mode):
    """Each mode that the format holds is saved and comes back as it was."""
    image = Image.fromarray(MODES[mode])
    assert image.mode == mode
    back = opened(saved(image, lossless=True))
    assert (back.format, back.mode, back.size) == ("FDC", mode, (30, 20))
    np.testing.assert_array_equal(np.asarray(back), MODES[mode])


def test_lossy_samples_are_those_of_decode():
    """Pillow gets the very samples that `decode` gives."""
    data = fdcodec.encode(photo(60, 90), quality=40)
    np.testing.assert_array_equal(np.asarray(opened(data)), fdcodec.decode(data))


@pytest.mark.parametrize("tile", [None, 16])
def test_opening_reads_no_payload(tile):
    """`Image.open` reads the header and the metadata, and nothing from the first payload on."""
    data = fdcodec.encode(noise(64, 64, 3, seed=1), lossless=True, tile=tile, **METADATA)
    file = Watched(data)
    assert Image.open(file, formats=["FDC"]).size == (64, 64)
    assert file.farthest <= data.index(b"DATA") + 4


def test_metadata_is_there_before_loading():
    """EXIF, XMP and ICC are in `info` under Pillow's names once a file is open, and EXIF is understood."""
    image = opened(fdcodec.encode(ramp(8, 8, 3), **METADATA))
    expected = {"exif": b"Exif\0\0" + METADATA["exif"], "xmp": METADATA["xmp"], "icc_profile": METADATA["icc"]}
    assert image.info == expected
    assert image.getexif()[274] == 6


@pytest.mark.parametrize("suffix", ["png", "tiff", "jpeg", "bmp"])
def test_resolution_goes_on_to_other_formats(suffix):
    """What EXIF states is in `info`, where users of Pillow look for it, and other formats take it."""
    scan = Image.new("L", (8, 8))
    scan.format, scan.info["dpi"] = "PNG", (300, 150)
    image, buffer = opened(fdcodec.encode(scan)), BytesIO()
    assert image.info["dpi"] == (300, 150)
    image.save(buffer, suffix, dpi=image.info["dpi"])
    assert Image.open(buffer).info["dpi"] == pytest.approx((300, 150), abs=0.013)


def test_bomb_guard():
    """Pillow's guard judges the size of a file in the header, whatever is behind that."""
    with pytest.raises(Image.DecompressionBombError):
        opened(lying(Header(65535, 65535)))
    with pytest.warns(Image.DecompressionBombWarning):
        opened(lying(Header(10000, 10000)))


def test_pillow_says_how_large_a_picture_may_be(monkeypatch):
    """A picture above our limit of pixels is decoded where Pillow's guard lets it through."""
    data = fdcodec.encode(ramp(20, 30, 1))
    monkeypatch.setitem(fdcodec.decode.__kwdefaults__, "max_pixels", 1)
    assert np.asarray(opened(data)).shape == (20, 30)


@pytest.mark.parametrize("data", [b"", b"\x8bfd", b"\x89PNG\r\n\x1a\n", b"\x8bFDC\r\n\x1a\n", b"\x8bfdc"])
def test_other_files_are_not_identified(data):
    """What does not start as our files do is none of ours, and so is a file that ends in its header."""
    with pytest.raises(UnidentifiedImageError):
        opened(data)


def test_every_damage_of_the_front_is_pillows_error():
    """Whatever byte is wrong or missing, from opening and loading a file nothing but OSError leaves."""
    data = fdcodec.encode(ramp(16, 16, 1), lossless=True, exif=b"exif", tile=16)
    for position in range(len(data)):
        damaged = bytearray(data)
        damaged[position] ^= 0x81
        for broken in (bytes(damaged), data[:position]):
            with warnings.catch_warnings(), pytest.raises((OSError, Image.DecompressionBombError)):
                warnings.simplefilter("ignore", Image.DecompressionBombWarning)
                opened(broken).load()


def test_verify_finds_damage_without_decoding():
    """`verify` passes a sound file, and refuses one of which a byte of a tile is wrong, or the end is missing."""
    data = fdcodec.encode(ramp(40, 40, 1), lossless=True, tile=16)
    opened(data).verify()
    for broken in (data[:200] + bytes([data[200] ^ 1]) + data[201:], data[:-1]):
        with pytest.raises(OSError, match=r"damaged|ends"):
            opened(broken).verify()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (lying(Header(4, 4, 3, 16)), "no mode"),
        (lying(Header(4, 4)).replace(b"\x8bfdc\0", b"\x8bfdc\1"), "version 1"),
    ],
)
def test_what_is_ours_but_unsupported_says_so(data, told):
    """A file that is ours and that Pillow or this release cannot hold is an OSError that says why when it is opened."""
    with pytest.raises(OSError, match=told):
        opened(data)


def test_damage_is_found_when_loading():
    """A file that ends in its payload is opened and refused when its pixels are asked for."""
    image = opened(fdcodec.encode(noise(16, 16, 1, seed=1), exif=b"exif")[:-20])
    assert image.size == (16, 16)
    with pytest.raises(OSError, match="more than there are"):
        image.load()


def test_a_missing_class_model_is_an_oserror():
    """Where a file names a class model that is not here, loading says so as Pillow expects."""
    image = opened(lying(Header(16, 16, parameters=bytes(8)), model_ref=bytes(32)))
    with pytest.raises(OSError, match="class model"):
        image.load()


def test_truncated_images_are_loaded_where_pillow_is_told_to(monkeypatch):
    """With `LOAD_TRUNCATED_IMAGES` the intact tiles of a damaged file are loaded."""
    picture = noise(32, 32, 1, seed=2)
    data = fdcodec.encode(picture, lossless=True, tile=16)[:-40]
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    with pytest.warns(PartialWarning):
        loaded = np.asarray(opened(data))
    np.testing.assert_array_equal(loaded[:16], picture[:16, :, 0])


@pytest.mark.parametrize(
    ("size", "reduce"),
    [((1, 1), 64), ((30, 30), 3), ((31.5, 24), 4), ((65, 34), 2), ((99, 9), 1), ((0, 99), 1), (None, 1)],
)
def test_draft_decodes_smaller(size, reduce):
    """`draft` sets the size to the smallest that is not below what is asked for, and loading gives those samples."""
    data = fdcodec.encode(photo(100, 130), tile=64)
    image = opened(data)
    drafted = image.draft("L", size)
    assert drafted == (None if reduce == 1 else ("RGB", (0, 0, 130 / reduce, 100 / reduce)))
    assert image.size == (-(-130 // reduce), -(-100 // reduce))
    assert reduce == 1 or image.draft(None, (1, 1)) is None
    np.testing.assert_array_equal(np.asarray(image), fdcodec.decode(data, reduce=reduce))
    assert image.draft(None, (1, 1)) is None


@pytest.mark.parametrize("mode", MODES)
def test_thumbnail_decodes_no_more_than_it_needs(mode, monkeypatch):
    """`Image.thumbnail` decodes at the reduced size in each mode but those with alpha, by which colours are weighed."""
    image = Image.fromarray(MODES[mode]).resize((190, 127))
    decoded, decode = [], fdcodec.api.decode
    monkeypatch.setattr(fdcodec.api, "decode", lambda *a, **given: decoded.append(decode(*a, **given)) or decoded[0])
    thumbnail = opened(saved(image, lossless=True))
    thumbnail.thumbnail((20, 20))
    assert (thumbnail.size, thumbnail.mode) == ((20, 13), mode)
    assert decoded[0].shape[:2] == ((127, 190) if mode.endswith("A") else (43, 64))


def test_thumbnail_looks_as_that_of_the_whole():
    """The edges of a picture lie where they do in a thumbnail of the whole, although its sides are no multiples."""
    image = Image.fromarray(photo(101, 131))
    thumbnail = opened(saved(image, lossless=True))
    thumbnail.thumbnail((16, 16))
    image.thumbnail((16, 16), reducing_gap=None)
    assert thumbnail.size == image.size
    assert np.abs(np.asarray(thumbnail, int) - np.asarray(image, int)).max() <= 8


def test_truncated_thumbnail(monkeypatch):
    """With `LOAD_TRUNCATED_IMAGES` the thumbnail of a damaged file has its intact tiles."""
    data = fdcodec.encode(photo(128, 128), lossless=True, tile=64)[:-40]
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    image = opened(data)
    with pytest.warns(PartialWarning):
        image.thumbnail((16, 16))
    assert np.asarray(image)[:6].any() and not np.asarray(image)[11:, 11:].any()


def test_the_parser_of_pillow_takes_our_files_in_pieces():
    """`ImageFile.Parser` tells the size as soon as the header is there, and gives the picture at the end."""
    data = saved(Image.fromarray(MODES["RGB"]), lossless=True)
    parser = ImageFile.Parser()
    parser.feed(data[:40])
    assert parser.image.size == (30, 20)
    parser.feed(data[40:])
    np.testing.assert_array_equal(np.asarray(parser.close()), MODES["RGB"])


def test_one_frame():
    """A file says that it has one frame, and there is no second."""
    image = opened(fdcodec.encode(ramp(8, 8, 1)))
    assert (image.n_frames, image.is_animated) == (1, False)
    image.seek(0)
    with pytest.raises(EOFError):
        image.seek(1)


def test_suffix_and_mime_type(tmp_path):
    """Files named .fdc are saved and opened by name, and are image/x-fdc."""
    Image.fromarray(MODES["L"]).save(tmp_path / "a.FDC", lossless=True)
    with Image.open(tmp_path / "a.FDC") as image:
        assert image.get_format_mimetype() == "image/x-fdc"
        np.testing.assert_array_equal(np.asarray(image), MODES["L"])


def test_imageio():
    """The library imageio reads and writes our files by its plugin for Pillow."""
    imageio = pytest.importorskip("imageio.v3")
    data = imageio.imwrite("<bytes>", MODES["RGB"], extension=".fdc", plugin="pillow", lossless=True)
    np.testing.assert_array_equal(imageio.imread(data, extension=".fdc"), MODES["RGB"])
    assert imageio.improps(data, extension=".fdc").shape == (20, 30, 3)
