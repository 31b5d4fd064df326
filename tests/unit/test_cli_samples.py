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
    assert "--lossless: of the more than 8 bits of this PPM file" in result.err
    assert "or leave --lossless out" in result.err
    assert "note: colour of more than 8 bits was reduced" in cli("encode", "deep.ppm").err
    np.save("deep.npy", samples)
    assert cli("encode", "deep.npy", "--lossless", "-f").code == 0
    assert cli("decode", "deep.fdc", "-o", "back.npy").code == 0
    assert np.array_equal(np.load("back.npy"), samples)


def test_array_files_of_other_integers_are_exit_code_three(cli):
    """What `fdcodec.encode` refuses as an array the command refuses as a file, with the same words."""
    array = np.full((4, 4), 200, np.int64)
    np.save("a.npy", array)
    with pytest.raises(ParameterError) as caught:
        fdcodec.encode(array)
    result = cli("encode", "a.npy", "--lossless")
    assert (result.code, str(caught.value) in result.err) == (3, True)
    assert ".astype(numpy.uint8)" in result.err
