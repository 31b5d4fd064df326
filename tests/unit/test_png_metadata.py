"""Metadata of PNG: chunks and texts that are kept, read as others do, or left out with a note."""

from codecs import BOM_UTF16_LE
from io import BytesIO

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from tests.images import noise, orientation_exif, saved, with_chunk

from fdcodec.image.picture import Picture
from fdcodec.image.reading import read_image
from fdcodec.image.writing import image_bytes

ICC = b"not really a profile, but opaque"
XMP = b'<x:xmpmeta xmlns:x="adobe:ns:meta/">\xc3\xa9</x:xmpmeta>'


def png_with_profile(text, kind="exif"):
    """Return a small PNG with the text in which old programs store EXIF, or other metadata."""
    info = PngInfo()
    info.add_text(f"Raw profile type {kind}", text, zip=True)
    return saved(noise(2, 2, 1, seed=1), "PNG", pnginfo=info)


def test_legacy_png_profile_counts_as_exif():
    """The hexadecimal text in which old programs store EXIF in a PNG keeps its orientation."""
    exif = b"Exif\0\0" + orientation_exif(8)
    data = png_with_profile(f"\nexif\n{len(exif):8}\n{exif.hex()}\n")
    assert read_image(data).picture.exif == orientation_exif(8)


@pytest.mark.parametrize("kind", ["xmp", "APP1"])
def test_legacy_png_profile_counts_as_xmp(kind):
    """The same text of XMP, by its own name or as the segment of a JPEG, is XMP."""
    block = (b"http://ns.adobe.com/xap/1.0/\0" if kind == "APP1" else b"") + XMP
    picture, notes = read_image(png_with_profile(f"\n{kind}\n{len(block):8}\n{block.hex()}\n", kind))
    assert (picture.xmp, picture.exif, notes) == (XMP, None, ())


def test_legacy_png_segment_counts_as_exif():
    """The text of a JPEG's segment that begins as EXIF does is EXIF."""
    exif = b"Exif\0\0" + orientation_exif(8)
    picture, notes = read_image(png_with_profile(f"\ngeneric profile\n{len(exif):8}\n{exif.hex()}\n", "APP1"))
    assert (picture.exif, picture.xmp, notes) == (orientation_exif(8), None, ())


def test_texts_of_png_are_told():
    """A note names the texts that are no metadata; XMP, which is a text too, is kept."""
    info = PngInfo()
    info.add_text("Software", "scanner")
    info.add_itxt("Author", "Zo\u00eb")
    info.add_itxt("XML:com.adobe.xmp", XMP.decode())
    picture, notes = read_image(saved(noise(2, 2, 3, seed=1), "PNG", pnginfo=info), lossless=True)
    assert (picture.xmp, notes) == (XMP, ("texts were left out: Author, Software",))


@pytest.mark.parametrize(
    ("gamma", "options", "notes"),
    [(1.0, {}, ("a gamma of 1 was left out",)), (0.45455, {}, ()), (1.0, {"icc_profile": ICC}, ())],
)
def test_gamma_of_png_is_told(gamma, options, notes):
    """A gamma that changes how samples are shown has no place, unless it is sRGB's or a profile takes its place."""
    info = PngInfo()
    info.add(b"gAMA", round(100000 * gamma).to_bytes(4, "big"))
    assert read_image(saved(noise(2, 2, 3, seed=1), "PNG", pnginfo=info, **options)).notes == notes


@pytest.mark.parametrize(("green", "options", "is_told"), [(71, {}, 1), (60, {}, 0), (71, {"icc_profile": ICC}, 0)])
def test_chromaticities_of_png_are_told(green, options, is_told):
    """Primaries that are not sRGB's, as of Adobe RGB, have no place, unless a profile takes their place."""
    stated = (31270, 32900, 64000, 33000, 30000, 1000 * green, 15000, 6000)
    content = b"".join(value.to_bytes(4, "big") for value in stated)
    data = with_chunk(saved(noise(2, 2, 3, seed=1), "PNG", **options), b"cHRM", content)
    assert read_image(data).notes == ("chromaticities (cHRM) that are not those of sRGB were left out",) * is_told


@pytest.mark.parametrize(
    ("chunks", "told"),
    [
        ({b"cICP": b"\x09\x10\0\1", b"mDCV": bytes(24)}, "colour space (cICP), mastering display (mDCV)"),
        ({b"cLLI": bytes(8), b"sBIT": b"\5\6\5"}, "light level (cLLI), significant bits (sBIT)"),
        ({b"cICP": b"\1\x0d\0\1", b"sBIT": b"\x08\x08\x08"}, None),
        ({b"tIME": bytes(7), b"prVt": b"x", b"cLLI": bytes(8)}, "light level (cLLI), prVt, tIME"),
        ({b"iDOT": bytes(28)}, None),
        ({b"vp%xd" % number: b"" for number in range(8)}, "vp7d, vp6d, vp5d, vp4d, vp3d, vp2d, 2 more"),
    ],
)
def test_chunks_of_png_without_a_place_are_told(chunks, told):
    """High dynamic range, bits that mean nothing, and chunks that are not read have a note; of sRGB there is none."""
    data = saved(noise(2, 2, 3, seed=1), "PNG")
    for name, content in chunks.items():
        data = with_chunk(data, name, content)
    assert read_image(data, lossless=True).notes == ((f"PNG chunks were left out: {told}",) if told else ())


def test_unknown_chunk_behind_the_pixels_is_told():
    """A chunk is named wherever it stands, with its control characters escaped."""
    data = saved(noise(2, 2, 3, seed=1), "PNG")
    data = with_chunk(data, b"aa\x1ba", b"", len(data) - 12)
    assert read_image(data).notes == ("PNG chunks were left out: aa\\x1ba",)


@pytest.mark.parametrize(("mode", "bits"), [("1", b"\1"), ("P", b"\x08\x08\x08")])
def test_significant_bits_are_those_of_a_palette(mode, bits):
    """Of a palette they count its colours, which have 8, however few bits an index takes."""
    buffer = BytesIO()
    Image.new("RGB", (2, 2)).convert(mode).save(buffer, "PNG", bits=1)
    assert read_image(with_chunk(buffer.getvalue(), b"sBIT", bits)).notes == ()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_xmp_in_utf_16_is_converted_for_png(encoding):
    """PNG holds XMP in UTF-8; another encoding that names itself is converted with a note, and kept elsewhere."""
    xmp = ("\ufeff" + XMP.decode()).encode(encoding)
    picture = Picture(noise(2, 2, 3, seed=3), xmp=xmp)
    data, notes = image_bytes(picture, ".png")
    assert (read_image(data).picture.xmp, notes) == (XMP, (".png: XMP converted from UTF-16 to UTF-8",))
    for suffix in (".jpg", ".webp", ".tiff"):
        data, notes = image_bytes(picture, suffix)
        assert (read_image(data).picture.xmp, notes) == (xmp, ())


@pytest.mark.parametrize(
    "xmp", [XMP.decode().encode("latin-1"), BOM_UTF16_LE + b"<", b"<x>\0</x>"], ids=["latin-1", "odd length", "null"]
)
def test_xmp_that_is_no_text_is_dropped_from_png(xmp):
    """The samples and the other metadata are written, and the note names what is not."""
    data, notes = image_bytes(Picture(noise(2, 2, 3, seed=4), xmp=xmp, icc=ICC), ".png")
    read = read_image(data).picture
    assert (read.xmp, read.icc) == (None, ICC)
    assert notes == (".png: XMP dropped, as it is not UTF-8 text",)


def test_damaged_metadata_does_not_refuse_the_image():
    """A text that is no hexadecimal profile is left out with a note, and the samples are read."""
    picture, notes = read_image(png_with_profile("\nexif\n  4\nzz zz\n"))
    assert (picture.exif, picture.samples.shape) == (None, (2, 2, 1))
    assert len(notes) == 1
    assert notes[0].startswith("EXIF was left out, as it is damaged: ")
