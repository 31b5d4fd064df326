"""Image files that are damaged, too large, or of kinds that are not supported."""

import struct
import zlib
from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from tests.images import NEWER_PILLOW, noise, saved, with_chunk

from fdcodec.errors import FormatError, LimitError, UnsupportedError
from fdcodec.image.reading import read_image

FILM = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom"
SAMPLE_FORMAT = 339  # TIFF tag; 3 is floating point


@pytest.mark.parametrize("data", [b"", b"hello, I am text", b"\x89PNG\r\n\x1a\n", b"\x93NUMPY\x01\x00", FILM])
def test_bytes_that_are_no_image(data):
    """Text, nothing, a bare signature and a film are format errors."""
    with pytest.raises(FormatError):
        read_image(data)


@pytest.mark.parametrize("name", ["PNG", "JPEG", "TIFF", "GIF", "BMP"])
def test_every_truncation_of_an_image_is_an_error_or_an_image(name):
    """A truncated image file never lets anything but an FdcError out."""
    data = saved(noise(6, 6, 1, seed=10), name)
    for length in range(0, len(data), 7):
        try:
            read_image(data[:length])
        except FormatError:
            continue


@pytest.mark.parametrize("name", [b"IDAT", b"tEXt"])
def test_png_with_a_wrong_checksum_is_damaged(name):
    """Pixels that may not be those that were written are not stored, nor is what comes after them lost in silence."""
    data = bytearray(with_chunk(saved(noise(6, 6, 1, seed=10), "PNG"), b"tEXt", b"Author\0me", place=-12))
    place = data.index(name)
    data[place + 4 + int.from_bytes(data[place - 4 : place], "big")] ^= 1
    with pytest.raises(FormatError, match=f"^damaged image: the checksum of chunk {name.decode()} is wrong"):
        read_image(bytes(data))


def test_png_without_an_end_is_damaged():
    """All pixels are there, and yet the file was cut."""
    with pytest.raises(FormatError, match=r"^damaged image: the PNG ends before its last chunk"):
        read_image(saved(noise(6, 6, 1, seed=10), "PNG")[:-12])


@pytest.mark.parametrize("rows", [0, 5])
def test_png_without_all_rows_is_damaged(rows):
    """Rows that are missing, with all checksums right, are not taken for black ones."""
    data = saved(noise(6, 6, 1, seed=10), "PNG")
    start = data.index(b"IDAT") - 4
    with pytest.raises(FormatError, match=r"^damaged image: its data ends before the last row"):
        read_image(with_chunk(data[:start] + data[-12:], b"IDAT", zlib.compress(bytes(7 * rows))))


def test_errors_of_other_code_are_not_told(monkeypatch):
    """Where Pillow's own code fails at a file, no error of Python is told."""

    def failing(*_, **__):
        raise IndexError("list index out of range")

    monkeypatch.setattr(Image, "open", failing)
    with pytest.raises(FormatError, match=r"^damaged image: parts of it are missing, or contradict each other$"):
        read_image(saved(noise(6, 6, 1, seed=10), "TIFF"))


@pytest.mark.parametrize("brands", [b"heic\0\0\0\0mif1heic", b"mif1\0\0\0\0mif1heic"])
def test_heic_is_named_and_what_to_do(brands):
    """Photographs of phones are told as such, and not as files of no known format."""
    with pytest.raises(UnsupportedError, match=r"^HEIC is not read; convert it to PNG, JPEG or TIFF$"):
        read_image(b"\0\0\0\x18ftyp" + brands)


def with_compression(number, start=b"II*\0"):
    """Return a TIFF that says that it has this compression."""
    data = saved(noise(6, 6, 1, seed=10), "TIFF")
    none = struct.pack("<HHIHH", 259, 3, 1, 1, 0)
    assert data.count(none) == 1
    return start + data.replace(none, struct.pack("<HHIHH", 259, 3, 1, number, 0))[4:]


def of_twelve_bits():
    """Return a JPEG whose frame header says 12 bits."""
    data = bytearray(saved(noise(8, 8, 1, seed=10), "JPEG"))
    data[data.index(b"\xff\xc0") + 4] = 12
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (with_compression(33005), "TIFF with compression 33005 is not read; save it with LZW or deflate, or with none"),
        (with_compression(1, b"MM\0+"), "BigTIFF whose bytes are in big-endian order is not read; save it in little"),
        (of_twelve_bits(), r"JPEG that Pillow does not read \(cannot handle 12-bit layers\); give the samples as .npy"),
        (b"\xff\x0a\xfa\x1f", "JPEG XL is not read; convert it to PNG, JPEG or TIFF"),
        (bytes(128) + b"DICM", "DICOM is not read; save its samples as .npy or as TIFF of 16 bits"),
        (b"\0\0\0\x0cJXL \r\n\x87\n", "JPEG XL is not read; convert it to PNG, JPEG or TIFF"),
    ],
)
def test_what_is_not_read_is_named_and_what_to_do(data, told):
    """Kinds of files that Pillow does not know are not said to be no images."""
    with pytest.raises(UnsupportedError, match=f"^{told}"):
        read_image(data)


@pytest.mark.parametrize("tag", [256, 257])
def test_tiff_without_its_size_is_damaged(tag):
    """A tag that is missing is not taken for a compression."""
    size, other = (struct.pack("<HHI", number, 4, 1) for number in (tag, 40000))
    data = saved(noise(6, 6, 1, seed=10), "TIFF")
    assert size in data
    with pytest.raises(FormatError):
        read_image(data.replace(size, other))


def test_large_profile_of_a_png_is_read():
    """Of a megabyte and more, as of some displays; up to the limit of the format."""
    profile = noise(1, 1 << 21, 1, seed=20).tobytes()
    assert read_image(saved(noise(6, 6, 3, seed=10), "PNG", icc_profile=profile)).picture.icc == profile


@pytest.mark.parametrize("header", ["{'descr': foo}", "(" * 300], ids=["name", "parentheses"])
def test_damaged_array_file_is_told_without_its_header(header):
    """What NumPy quotes of a header that it cannot parse says nothing."""
    data = b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header.encode()
    with pytest.raises(FormatError, match=r"^damaged \.npy file, or one of Python objects; give an array of integers$"):
        read_image(data)


def test_pixel_limit_is_checked_before_decoding():
    """A small file that declares many pixels is refused; a limit that was given may be raised, it says."""
    data = saved(np.zeros((500, 500, 1), np.uint8), "PNG")
    for limit, told in ((249_999, "500x500"), (1000, "a frame of it")):
        with pytest.raises(LimitError, match=f"{told} is above the limit of {limit} pixels; .*, or raise max_pixels$"):
            read_image(data, max_pixels=limit)


def test_only_our_limit_of_pixels_holds(monkeypatch):
    """Pillow's limit and its warning say nothing about a file that ours lets through, and are in place again after."""
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    data = saved(np.zeros((50, 50, 1), np.uint8), "PNG")
    assert read_image(data).notes == read_image(data, max_pixels=2500).notes == ()
    with pytest.raises(LimitError, match="image of 50x50 is above the limit of 2499 pixels; split it"):
        read_image(data, max_pixels=2499)
    with pytest.raises(LimitError, match="image or a frame of it is above the limit of 999 pixels; split it"):
        read_image(data, max_pixels=999)
    assert Image.MAX_IMAGE_PIXELS == 100


def test_a_frame_above_the_limit_is_refused():
    """A GIF of 4x4 pixels whose frame claims 65535x65535, cleared after it, is refused before that is allocated."""
    frame = b"!\xf9\x04\x08\0\0\0\0,\0\0\0\0\xff\xff\xff\xff\0\x02\x02D\x01\0"
    data = b"GIF89a\x04\0\x04\0\x80\0\0\0\0\0\xff\xff\xff" + frame + b";"
    with pytest.raises(LimitError, match=r"a frame of it is above the limit of 268435456 pixels; split it$"):
        read_image(data)


@NEWER_PILLOW
def test_warnings_of_pillow_are_told_up_to_six():
    """Of a directory of tags that each have a warning six are told, and how many more there are."""
    tags = b"".join(tag.to_bytes(2, "little") + b"\x07\0\xff\xff\xff\0\0\1\0\0" for tag in range(1, 101))
    exif = b"II*\0\x08\0\0\0\x64\0" + tags + bytes(4)
    data = saved(np.zeros((4, 4, 1), np.uint8), "PNG", exif=exif, dpi=(300, 300))
    notes = read_image(data).notes
    assert len([note for note in notes if "Skipping tag" in note]) == 6
    assert notes[-1] == "94 more warnings of Pillow"


def test_pickled_arrays_are_not_loaded():
    """An array file that would run code is refused."""
    buffer = BytesIO()
    np.save(buffer, np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(FormatError, match=r"damaged \.npy file, or one of Python objects"):
        read_image(buffer.getvalue())


@pytest.mark.parametrize("array", [np.zeros((2, 2)), np.zeros((2, 2), np.int64), np.zeros((0, 2), np.uint8)])
def test_array_file_without_an_image_is_unsupported(array):
    """An array file of other samples or another shape is an unsupported file, not a wrong argument."""
    buffer = BytesIO()
    np.save(buffer, array)
    with pytest.raises(UnsupportedError, match="image: "):
        read_image(buffer.getvalue())


def test_float_image_says_what_to_do():
    """Floating point is unsupported alike in TIFF, gray or colour, and array files; the message says the bits."""
    gray, colour, array = BytesIO(), BytesIO(), BytesIO()
    Image.new("F", (4, 4)).save(gray, "TIFF")
    Image.new("RGB", (4, 4)).save(colour, "TIFF", tiffinfo={SAMPLE_FORMAT: (3, 3, 3)})
    np.save(array, np.zeros((4, 4), np.float32))
    for buffer in (gray, colour, array):
        with pytest.raises(UnsupportedError, match=r"convert it to .*16 bits"):
            read_image(buffer.getvalue())


def test_empty_file_is_named_so():
    """A file without a byte is said to be empty."""
    with pytest.raises(FormatError, match="empty"):
        read_image(b"")
