"""Pictures to image files, by suffix; metadata goes back where the format has a place for it."""

import warnings
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from io import BytesIO
from math import inf
from typing import Any, NamedTuple

import numpy as np
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from fdcodec.errors import ParameterError, UnsupportedError
from fdcodec.image.metadata import one_at_a_time, turn_of
from fdcodec.image.picture import EXIF_PREFIX, Picture
from fdcodec.image.resolution import Resolution, resolution_of
from fdcodec.image.tiff import tiff_bytes
from fdcodec.words import counted


class ImageFormat(NamedTuple):
    """What one output format can hold."""

    pillow_name: str
    channels: tuple[int, ...]
    sixteen_bit_gray: bool
    metadata: Mapping[str, float]  # the largest number of bytes of each kind that it holds


_EVERYTHING = {"exif": inf, "xmp": inf, "icc": inf}
_IN_MARKERS = {"exif": 65_533 - 6, "xmp": 65_533 - 29, "icc": 255 * (65_533 - 14)}  # what Pillow writes, less prefixes
_PNG = ImageFormat("PNG", (1, 2, 3, 4), True, _EVERYTHING)
_TIFF = ImageFormat("TIFF", (1, 2, 3, 4), True, _EVERYTHING)
_JPEG = ImageFormat("JPEG", (1, 3), False, _IN_MARKERS)
_WEBP = ImageFormat("WEBP", (1, 2, 3, 4), False, _EVERYTHING)  # gray as RGB of equal channels, by Pillow
FORMATS = {
    ".png": _PNG,
    ".tif": _TIFF,
    ".tiff": _TIFF,
    ".jpg": _JPEG,
    ".jpeg": _JPEG,
    ".webp": _WEBP,
    ".ppm": ImageFormat("PPM", (3,), False, {}),
    ".pgm": ImageFormat("PPM", (1,), True, {}),
    ".pnm": ImageFormat("PPM", (1, 3), True, {}),
}
"""Formats that can be written, by suffix; `.npy` is written as well and holds any samples, but no metadata."""

SUFFIXES = (*FORMATS, ".npy")

_ENCODINGS = (  # with a mark at the start; the longer marks come first, as they start with others
    *((BOM_UTF32_LE, "UTF-32"), (BOM_UTF32_BE, "UTF-32")),
    *((BOM_UTF16_LE, "UTF-16"), (BOM_UTF16_BE, "UTF-16")),
)
_MOST_DPI = {"PNG": (2**31 - 1) * 0.0254, "JPEG": 65_535}  # where a resolution is stated beside EXIF
_OPTIONS: dict[str, dict[str, Any]] = {
    "JPEG": {"quality": 95, "subsampling": 0},
    "WEBP": {"lossless": True, "exact": True},
}


def is_same_format(first: str, second: str) -> bool:
    """Tell whether two of the suffixes name the same format."""
    return first == second or (first in FORMATS and FORMATS[first] == FORMATS.get(second))


def image_bytes(picture: Picture, suffix: str, *, is_page: bool = False) -> tuple[bytes, tuple[str, ...]]:
    """Return the file of a picture in a format, and notes.

    Parameters
    ----------
    picture
        What to write.
    suffix
        One of `SUFFIXES`, in letters of any case.
    is_page
        Whether a TIFF will be one of several pages.

    Returns
    -------
    data
        The whole file.
    notes
        Sentences about metadata that the format cannot hold, or holds otherwise.

    Raises
    ------
    ParameterError
        Unknown suffix.
    UnsupportedError
        The format cannot hold these samples.
    """
    suffix = suffix.lower()
    if suffix not in SUFFIXES:
        raise ParameterError(f"output suffix {suffix!r} is not one of {', '.join(SUFFIXES)}")
    if suffix == ".npy":
        buffer = BytesIO()
        np.save(buffer, picture.array, allow_pickle=False)
        return buffer.getvalue(), tuple(without_lost(picture, suffix, {})[1])
    refuse_samples(picture.channels, picture.depth, suffix)
    image_format = FORMATS[suffix]
    held, notes = without_lost(picture, suffix, image_format.metadata)
    image = Image.fromarray(picture.samples[:, :, 0] if picture.channels == 1 else picture.samples)
    try:
        write = partial(tiff_bytes, is_page=is_page) if image_format is _TIFF else partial(_pillow_bytes, image_format)
        data, own_notes = write(image, held)
    except Exception as error:  # Pillow's writers let nearly every built-in exception out
        raise UnsupportedError(
            f"{suffix} cannot hold this picture or its metadata: {error}; write another format"
        ) from error
    return data, (*notes, *(f"{suffix}: {note}" for note in own_notes))


def _pillow_bytes(image_format: ImageFormat, image: Image.Image, picture: Picture) -> tuple[bytes, list[str]]:
    metadata, notes = _metadata(picture, image_format)
    buffer = BytesIO()
    image.save(buffer, image_format.pillow_name, **_OPTIONS.get(image_format.pillow_name, {}), **metadata)
    return buffer.getvalue(), notes


def refuse_samples(channels: int, depth: int, suffix: str) -> None:
    """Raise UnsupportedError if the format of a suffix, in lower case, cannot hold these channels at this depth."""
    if not _holds(suffix, channels, depth):
        nearest = (".ppm", ".pgm") if suffix in (".ppm", ".pgm") else ()
        able = next(other for other in (*nearest, ".png", ".npy") if _holds(other, channels, depth))
        raise UnsupportedError(
            f"{suffix} cannot hold {counted(channels, 'channel')} of {depth} bits; write {able}, by the output's name "
            f"or --format {able[1:]}"
        )


def _holds(suffix: str, channels: int, depth: int) -> bool:
    """Tell whether the format of a suffix can hold these channels at this depth."""
    if suffix == ".npy":
        return True
    image_format = FORMATS[suffix]
    return channels in image_format.channels and (depth == 8 or (image_format.sixteen_bit_gray and channels == 1))


def _metadata(picture: Picture, image_format: ImageFormat) -> tuple[dict[str, Any], list[str]]:
    options = {"exif": picture.exif, "xmp": picture.xmp, "icc_profile": picture.icc}
    kept: dict[str, Any] = {name: value for name, value in options.items() if value}
    notes: list[str] = []
    if image_format.pillow_name == "PNG" and "xmp" in kept:
        text, notes = _xmp_text(kept.pop("xmp"))
        kept["pnginfo"] = PngInfo()
        if text:
            kept["pnginfo"].add_itxt("XML:com.adobe.xmp", text)
    if image_format.pillow_name == "JPEG" and "exif" in kept:
        kept["exif"] = EXIF_PREFIX + kept["exif"]
    if image_format is _WEBP and picture.channels < 3 and kept.get("icc_profile", b"")[16:20] == b"GRAY":
        del kept["icc_profile"]
        notes.append("ICC of gray dropped, as gray is stored as RGB")
    return kept | _resolution(picture.exif, _MOST_DPI.get(image_format.pillow_name, 0)), notes


def _resolution(exif: bytes | None, most: float) -> dict[str, Resolution]:
    """Return Pillow's option for the resolution that EXIF states; none if it states none, or one above `most`."""
    if exif is None:
        return {}
    with one_at_a_time, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        resolution = resolution_of(exif)
    return {"dpi": resolution} if resolution is not None and max(resolution) <= most else {}


def _xmp_text(xmp: bytes) -> tuple[str, list[str]]:
    """Return XMP as the text that PNG holds, and a note if its encoding was not UTF-8."""
    encoding = next((name for bom, name in _ENCODINGS if xmp.startswith(bom)), "UTF-8")
    try:
        text = xmp.decode(encoding)
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:  # which PNG forbids
        return "", ["XMP dropped, as it is not UTF-8 text"]
    return text, [] if encoding == "UTF-8" else [f"XMP converted from {encoding} to UTF-8"]


def without_lost(picture: Picture, suffix: str, limits: Mapping[str, float]) -> tuple[Picture, list[str]]:
    """Return a picture without the metadata that a format of these limits cannot hold, and notes on what that is."""
    sizes = {name: len(getattr(picture, name) or b"") for name in _EVERYTHING}
    lost = [name for name, size in sizes.items() if size > limits.get(name, 0)]
    if lost and not limits:
        notes = [f"{suffix} holds no metadata: {', '.join(lost).upper()} dropped"]
    else:
        notes = [
            f"{suffix} holds {limits[name]} bytes of {name.upper()} at most: {sizes[name]} bytes dropped"
            for name in lost
        ]
    if "exif" in lost and (orientation := turn_of(picture.exif or b"")):
        notes.append(f"{suffix}: orientation {orientation} went with the EXIF, so viewers will not turn the picture")
    left_out: dict[str, Any] = dict.fromkeys(lost)
    return replace(picture, **left_out), notes
