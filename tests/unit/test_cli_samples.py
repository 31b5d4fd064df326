"""The command line: samples that are not stored, and what is said to do about them."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import fdcodec
from fdcodec.errors import ParameterError


def test_unsupported_samples_are_exit_code_three(cli):
    """Floating point is one class of input, whatever the file."""
    np.save("a.npy", np.zeros((4, 4), np.float32))
    Image.new("F", (4, 4)).save("a.tiff")
    for name in ("a.npy", "a.tiff"):
        result = cli("encode", name)
        assert (result.code, "16 bits" in result.err) == (3, True)


def test_lossless_keeps_all_bits_or_refuses(cli):
    """--lossless of a file whose bits cannot all be read is exit code 3; as .npy it is kept, without it reduced."""
    samples = np.arange(0, 48000, 1000, np.uint16).reshape(4, 4, 3)
    Path("deep.ppm").write_bytes(b"P6 4 4 65535\n" + samples.astype(">u2").tobytes())
    result = cli("encode", "deep.ppm", "--lossless")
    assert (result.code, Path("deep.fdc").exists()) == (3, False)
    assert "--lossless: Pillow reads only 8 bits of this PPM file" in result.err
    assert "or leave --lossless out" in result.err
    assert "note: colour of more than 8 bits was reduced" in cli("encode", "deep.ppm").err
    np.save("deep.npy", samples)
    assert cli("encode", "deep.npy", "--lossless", "-f").code == 0
    assert cli("decode", "deep.fdc", "-o", "back.npy").code == 0
    assert np.array_equal(np.load("back.npy"), samples)


def test_converted_samples_are_a_note(cli):
    """CMYK is told of by a note, and by no warning of Python."""
    Image.new("CMYK", (4, 4)).save("a.jpg")
    result = cli("encode", "a.jpg")
    assert (result.code, result.err.count("CMYK"), "Warning" in result.err) == (0, 1, False)
    assert "note: CMYK colours are stored as RGB" in result.err
    result = cli("encode", "a.jpg", "b.fdc", "--lossless")
    assert (result.code, "the CMYK colours would be converted" in result.err) == (3, True)


def test_metadata_that_a_format_cannot_hold_is_a_note(cli):
    """A picture is decoded whatever its metadata, and what is left out is told."""
    data = fdcodec.encode(np.zeros((4, 4, 3), np.uint8), exif=b"no EXIF", xmp=b"\xe9" * 70000)
    Path("a.fdc").write_bytes(data)
    for name, words in (
        ("b.png", "XMP dropped, as it is not UTF-8 text"),
        ("b.jpg", "holds 65504 bytes of XMP at most: 70000 bytes dropped"),
        ("b.tiff", "EXIF is damaged: dropped"),
    ):
        result = cli("decode", "a.fdc", "-o", name)
        assert (result.code, words in result.err, Path(name).exists()) == (0, True, True)


def test_array_files_of_other_integers_are_exit_code_three(cli):
    """What `fdcodec.encode` refuses as an array the command refuses as a file, with the same words."""
    array = np.full((4, 4), 200, np.int64)
    np.save("a.npy", array)
    with pytest.raises(ParameterError) as caught:
        fdcodec.encode(array)
    result = cli("encode", "a.npy", "--lossless")
    assert (result.code, str(caught.value) in result.err) == (3, True)
    assert ".astype(numpy.uint8)" in result.err
