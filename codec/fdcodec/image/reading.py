"""Image files to pictures, through Pillow: nothing applied, nothing dropped without a note."""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from PIL import Image, PngImagePlugin, UnidentifiedImageError
from PIL.TiffImagePlugin import TiffImageFile

from fdcodec.container.constants import COMPACT_SIGNATURE, SIGNATURE
from fdcodec.errors import FdcError, FormatError, LimitError, TruncatedError
from fdcodec.image import npy, png
from fdcodec.image.arrays import above_limit, check_pixels, picture_of_pillow
from fdcodec.image.losses import frames_left_out, losses_of, notes_on
from fdcodec.image.metadata import as_stored, one_at_a_time
from fdcodec.image.picture import Picture
from fdcodec.image.pillow_modes import has_planes, refuse_deep_planes
from fdcodec.image.unread import refusal_of
from fdcodec.limits import DEFAULT_MAX_PIXELS, MAX_METADATA_BYTES
from fdcodec.paths import content_of
from fdcodec.words import first_of

READABLE_FORMATS = ("PNG", "JPEG", "TIFF", "WEBP", "AVIF", "JPEG2000", "PPM", "BMP", "DIB", "GIF")
"""Pillow's names of the formats that may be opened; its other readers would only add attack surface."""

READABLE_SUFFIXES = frozenset(
    f".{name}"
    for name in (  # noqa: SIM905
        "png apng jpg jpeg jpe jfif mpo tif tiff webp avif avifs jp2 j2k j2c jpc jpf jpx "
        "ppm pgm pnm pbm pfm bmp dib gif npy"
    ).split()
)
"""File name suffixes that a search through a directory picks up: all that Pillow knows of the formats, MPO and arrays.

Pillow's own list would need all its readers to be imported."""


class Reading(NamedTuple):
    """A picture and what the user should know about how it was read."""

    picture: Picture
    notes: tuple[str, ...]


def read_image(source: Path | bytes, *, max_pixels: int = DEFAULT_MAX_PIXELS, lossless: bool = False) -> Reading:
    """Read an image file.

    Parameters
    ----------
    source
        Path, or the bytes of the file: any of `READABLE_FORMATS`, or an array saved by `numpy.save`.
    max_pixels
        Images that declare more are refused before their pixels are read.
    lossless
        Refuse an image that would lose something: sample bits that Pillow does not read, values that it changes,
        channels, or frames, except the previews of an MPO.

    Returns
    -------
    Reading
        The picture as stored (orientation is neither applied nor dropped) and notes: what is lost of the samples, a
        mode that was converted, metadata and texts that were left out, warnings of Pillow.

    Raises
    ------
    FormatError
        Not an image of these formats, or damaged.
    LimitError
        More than `max_pixels`, or a side above 65535.
    UnsupportedError
        HEIC, JPEG XL, JPEG of more than 8 bits, a TIFF whose compression Pillow does not know, floating-point or LAB
        samples, an array that is not an image or is a stack of several, TIFF of separate planes of 16 bits, or with
        `lossless` what that refuses.
    OSError
        The file cannot be opened.
    """
    data = source if isinstance(source, bytes) else content_of(source)
    if not data:
        raise FormatError("the file is empty")
    if data.startswith((SIGNATURE, COMPACT_SIGNATURE)):
        raise FormatError("this is an .fdc file already; decode it first")
    with guarded(max_pixels) as warned:
        if data.startswith(npy.SIGNATURE):
            return Reading(npy.picture_of_npy(data, max_pixels), ())
        with opened(data) as image:
            picture, notes = read_opened(image, data, max_pixels, lossless, is_sought=False)
    return Reading(picture, (*notes, *warned))


@contextmanager
def guarded(max_pixels: int) -> Iterator[list[str]]:
    """Let Pillow work in one thread, within our limit and with our errors; afterwards the list has its warnings."""
    told: list[str] = []
    limits = _limits_of_ours(max_pixels)
    with one_at_a_time, _pillow_errors(), limits, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # from half the limit on
        yield told
    different = sorted({str(warning.message) for warning in caught})  # up to 65535 from a damaged directory
    told += first_of(different, "more warnings of Pillow")


def read_opened(
    image: Image.Image, data: bytes, max_pixels: int, lossless: bool, *, is_sought: bool
) -> tuple[Picture, list[str]]:
    """Return the picture of an opened image, and notes; other frames are no loss if this one was sought."""
    check_pixels(image.size, max_pixels)
    refuse_deep_planes(image)
    if image.format == "PNG":
        png.check_rows(data, image.tell())
    if isinstance(image, TiffImageFile):
        _check_strips(image)
    losses = [*([] if is_sought else frames_left_out(image)), *losses_of(image, data)]
    notes = notes_on(losses, lossless)
    picture, mode_notes = picture_of_pillow(as_stored(image))
    return picture, notes + mode_notes


def _check_strips(image: TiffImageFile) -> None:
    """Raise TruncatedError for a TIFF whose strips do not cover it: Pillow leaves 0 there, or another page."""
    parts = [part.extents for part in image.tile if part.codec_name == "raw" and part.extents]
    planes = len(image.getbands()) if has_planes(image) else 1
    covered = sum((right - left) * (lower - upper) for left, upper, right, lower in parts)
    if parts and covered < planes * image.width * image.height:
        raise TruncatedError("damaged image: strips of this TIFF are missing; get the whole file")


def opened(data: bytes) -> Image.Image:
    """Return the image of a file, opened; raises Pillow's errors and ours."""
    if data.startswith(png.SIGNATURE):
        png.check_checksums(data)
    try:
        return Image.open(BytesIO(data), formats=READABLE_FORMATS)
    except UnidentifiedImageError:
        raise refusal_of(data) from None


@contextmanager
def _limits_of_ours(max_pixels: int) -> Iterator[None]:
    """Let Pillow refuse what is above our limits, in frames too, and nothing below.

    Its own are 1.8 * 10^8 pixels, and a megabyte for a profile or a text in a PNG.
    """
    kept, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, (max_pixels + 1) // 2  # it refuses from twice as many on
    kept_bytes, PngImagePlugin.MAX_TEXT_CHUNK = PngImagePlugin.MAX_TEXT_CHUNK, MAX_METADATA_BYTES
    try:
        yield
    except Image.DecompressionBombError as error:
        raise above_limit("image or a frame of it", max_pixels) from error
    finally:
        Image.MAX_IMAGE_PIXELS, PngImagePlugin.MAX_TEXT_CHUNK = kept, kept_bytes


@contextmanager
def _pillow_errors() -> Iterator[None]:
    """Turn whatever Pillow raises on hostile bytes into our errors: it lets nearly every built-in exception out."""
    try:
        yield
    except FdcError:
        raise
    except MemoryError as error:
        raise LimitError("image is too large for the memory that is free; make some free, or split it") from error
    except Exception as error:
        raise FormatError(f"damaged image: {_told(error)}") from error


def _told(error: Exception) -> str:
    """Return what Pillow says about a file, with plain names of chunks; errors of its own code say nothing."""
    if isinstance(error, OSError | SyntaxError | ValueError):
        return re.sub(r"\bb'([^']*)'", r"\1", str(error))
    return "parts of it are missing, or contradict each other"
