"""Image files to pictures, through Pillow: nothing applied, nothing dropped without a note."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import ExifTags, Image, UnidentifiedImageError
from PIL.TiffImagePlugin import TiffImageFile

from fdcodec.container.constants import COMPACT_SIGNATURE, SIGNATURE
from fdcodec.errors import FdcError, FormatError, LimitError, ParameterError, UnsupportedError
from fdcodec.image.arrays import as_picture, picture_of_pillow
from fdcodec.image.metadata import load_as_stored, one_at_a_time
from fdcodec.image.picture import Picture
from fdcodec.image.pillow_modes import CONVERT
from fdcodec.limits import DEFAULT_MAX_PIXELS

READABLE_FORMATS = ("PNG", "JPEG", "TIFF", "WEBP", "AVIF", "JPEG2000", "PPM", "BMP", "DIB", "GIF")
"""Pillow's names of the formats that may be opened; its other readers are left out as attack surface."""

READABLE_SUFFIXES = frozenset(
    f".{name}"
    for name in "png jpg jpeg jpe mpo tif tiff webp avif jp2 j2k ppm pgm pnm pbm bmp dib gif npy".split()  # noqa: SIM905
)
"""File name suffixes that a search through a directory picks up."""

_NPY_SIGNATURE = b"\x93NUMPY"
_TIFF_SIGNATURES = (b"II*\0", b"MM\0*")


class Reading(NamedTuple):
    """A picture and what the user should know about how it was read."""

    picture: Picture
    notes: tuple[str, ...]


class _Loss(NamedTuple):
    """What is lost of an image: a note, and why that is refused where nothing may be lost, empty if it is not."""

    note: str
    refusal: str


def read_image(source: Path | bytes, *, max_pixels: int = DEFAULT_MAX_PIXELS, lossless: bool = False) -> Reading:
    """Read an image file.

    Parameters
    ----------
    source
        Path, or the bytes of the file: any of `READABLE_FORMATS`, or an array saved by `numpy.save`.
    max_pixels
        Images that declare more are refused before their pixels are read.
    lossless
        Refuse an image of which something would be lost: sample bits that Pillow does not read, values that it
        scales, or frames, but for the previews of an MPO.

    Returns
    -------
    Reading
        The picture as stored (orientation is neither applied nor dropped) and notes: a mode that was converted,
        frames that were left out, sample bits that Pillow cannot read, warnings of Pillow.

    Raises
    ------
    FormatError
        Not an image of these formats, or damaged.
    LimitError
        More than `max_pixels`, or a side above 65535.
    UnsupportedError
        Floating-point or LAB samples, an array that is no image, TIFF of separate planes of 16 bits, or with `lossless`
        colour or gray with alpha of more than 8 bits, values that Pillow scales, or more than one frame.
    OSError
        The file cannot be opened.
    """
    data = source if isinstance(source, bytes) else source.read_bytes()
    if not data:
        raise FormatError("the file is empty")
    if data.startswith((SIGNATURE, COMPACT_SIGNATURE)):
        raise FormatError("an .fdc file is no image to encode; decode it first")
    with one_at_a_time, _pillow_errors(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if data.startswith(_NPY_SIGNATURE):
            return Reading(_read_npy(data, max_pixels), ())
        picture, notes = _read_pillow(data, max_pixels, lossless)
    return Reading(picture, (*notes, *sorted({str(warning.message) for warning in caught})))


def _read_npy(data: bytes, max_pixels: int) -> Picture:
    array = np.load(BytesIO(data), allow_pickle=False)
    try:
        picture = as_picture(array)
    except ParameterError as error:  # of a file it is no argument that is wrong
        raise UnsupportedError(str(error)) from None
    _check_pixels((picture.width, picture.height), max_pixels)
    return picture


def _read_pillow(data: bytes, max_pixels: int, lossless: bool) -> tuple[Picture, list[str]]:
    with _opened(data) as image:
        _check_pixels(image.size, max_pixels)
        losses = list(_losses(image, data))
        for refusal in (loss.refusal for loss in losses if lossless and loss.refusal):
            raise UnsupportedError(f"lossless: {refusal}, or leave lossless=True out")
        _refuse_deep_planes(image, data)
        is_negative = _is_negative(image)
        picture, mode_notes = picture_of_pillow(load_as_stored(image))
        if is_negative:
            picture = replace(picture, samples=np.invert(picture.samples))
        return picture, [loss.note for loss in losses] + mode_notes


def _opened(data: bytes) -> Image.Image:
    try:
        return Image.open(BytesIO(data), formats=READABLE_FORMATS)
    except UnidentifiedImageError:
        _refuse_rare_tiff(data)
        raise


def _refuse_rare_tiff(data: bytes) -> None:
    """Raise UnsupportedError for a TIFF of samples that Pillow does not know, such as floating-point colour."""
    if not data.startswith(_TIFF_SIGNATURES):
        return
    try:
        TiffImageFile(BytesIO(data)).close()
    except SyntaxError as error:
        if "unknown pixel mode" in str(error):
            raise UnsupportedError(f"TIFF of samples that are not supported; {CONVERT}") from None


def _losses(image: Image.Image, data: bytes) -> Iterator[_Loss]:
    """Yield what is lost of an image as Pillow reads it."""
    frames = int(getattr(image, "n_frames", 1))
    if frames > 1:
        refusal = f"of the {frames} frames of this {image.format} file one would be kept; give each as a file"
        is_preview = image.format == "MPO"  # all but the first
        yield _Loss(f"only the first of {frames} frames was read", "" if is_preview else refusal)
    if (greatest := _scaled_from(image, data)) is not None:
        yield _Loss(
            f"values 0..{greatest} were scaled to the full range of 8 or 16 bits, as Pillow reads them",
            f"Pillow scales the values 0..{greatest} of this {image.format} file; give the samples as .npy",
        )
    if _loses_bits(image, data):
        yield _Loss(
            "colour of more than 8 bits was reduced to 8 bits: Pillow reads no more",
            f"of the more than 8 bits of this {image.format} file Pillow reads 8; give the samples as .npy of uint16",
        )


def _loses_bits(image: Image.Image, data: bytes) -> bool:
    """Say whether of more than 8 stored bits 8 will be read: by tags, headers, or what Pillow tells its decoders."""
    if image.mode.startswith(("I", "F")):
        return False  # read as they are, or refused
    if isinstance(image, TiffImageFile):
        return any(bits > 8 for bits in image.tag_v2.get(ExifTags.Base.BitsPerSample, ()))
    if image.format == "JPEG2000":
        return any(depth > 8 for depth in _depths_of_jpeg_2000(image, data))
    if image.format == "AVIF":
        flags = data[data.find(b"av1C") + 6 :][:1]
        return bool(flags and flags[0] & 0x40)
    tiles = getattr(image, "tile", [])
    return any(";16B" in str(tile.args) or (tile.codec_name == "ppm" and tile.args[1] > 0xFF) for tile in tiles)


def _depths_of_jpeg_2000(image: Image.Image, data: bytes) -> list[int]:
    """Return the bits of each component: in the SIZ marker, a byte for every third of a component."""
    start = data.find(b"\xff\x4f\xff\x51") + 42
    return [(depth & 0x7F) + 1 for depth in data[start : start + 3 * len(image.getbands()) : 3]]


def _scaled_from(image: Image.Image, data: bytes) -> int | None:
    """Return the greatest value that a file's samples can have, where Pillow scales that to 255 or 65535."""
    if image.format == "JPEG2000" and image.mode.startswith("I"):
        greatest = 2 ** max(_depths_of_jpeg_2000(image, data), default=16) - 1
    elif image.format == "PPM" and (tiles := getattr(image, "tile", [])) and tiles[0].codec_name.startswith("ppm"):
        greatest = tiles[0].args[-1]
    else:
        return None
    return None if greatest in (255, 65535) else greatest


def _is_negative(image: Image.Image) -> bool:
    """Tell whether 0 is white, which Pillow undoes for 8 bits only."""
    tags = image.tag_v2 if isinstance(image, TiffImageFile) else {}
    return image.mode.startswith("I;16") and tags.get(ExifTags.Base.PhotometricInterpretation) == 0


def _refuse_deep_planes(image: Image.Image, data: bytes) -> None:
    """Raise UnsupportedError for a TIFF of separate planes of 16 bits, whose bytes Pillow takes for samples."""
    separate = isinstance(image, TiffImageFile) and image.tag_v2.get(ExifTags.Base.PlanarConfiguration) == 2
    if separate and _loses_bits(image, data):
        raise UnsupportedError(
            "TIFF of separate planes of 16 bits, which Pillow does not read; give them as .npy of uint16"
        )


def _check_pixels(size: tuple[int, int], max_pixels: int) -> None:
    width, height = size
    if width * height > max_pixels:
        raise LimitError(f"image of {width}x{height} is above the limit of {max_pixels} pixels")


@contextmanager
def _pillow_errors() -> Iterator[None]:
    """Name whatever a reader raises on hostile bytes: Pillow's plugins let nearly every built-in exception out."""
    try:
        yield
    except FdcError:
        raise
    except UnidentifiedImageError:
        raise FormatError("not an image in a format that can be read") from None
    except (Image.DecompressionBombError, MemoryError) as error:
        raise LimitError(f"image is too large: {error}") from error
    except Exception as error:
        raise FormatError(f"damaged image: {error}") from error
