"""Pictures to image files, by suffix; metadata goes back where the format has a place for it."""

from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import ExifTags, Image
from PIL.PngImagePlugin import PngInfo

from fdcodec.errors import ParameterError, UnsupportedError
from fdcodec.image.files import replace_file
from fdcodec.image.picture import Picture


class Target(NamedTuple):
    """What one output format can hold."""

    pillow_name: str
    channels: tuple[int, ...]
    sixteen_bit_gray: bool
    metadata: tuple[str, ...]


_EVERYTHING = ("exif", "xmp", "icc")
_PNG = Target("PNG", (1, 2, 3, 4), True, _EVERYTHING)
_TIFF = Target("TIFF", (1, 2, 3, 4), True, _EVERYTHING)
_JPEG = Target("JPEG", (1, 3), False, _EVERYTHING)
_WEBP = Target("WEBP", (3, 4), False, _EVERYTHING)
TARGETS = {
    ".png": _PNG,
    ".tif": _TIFF,
    ".tiff": _TIFF,
    ".jpg": _JPEG,
    ".jpeg": _JPEG,
    ".webp": _WEBP,
    ".ppm": Target("PPM", (3,), False, ()),
    ".pgm": Target("PPM", (1,), True, ()),
    ".pnm": Target("PPM", (1, 3), True, ()),
}
"""Formats that can be written, by suffix; `.npy` is written as well and holds any samples, but no metadata."""

SUFFIXES = (*TARGETS, ".npy")

_OPTIONS: dict[str, dict[str, Any]] = {
    "JPEG": {"quality": 95, "subsampling": 0},
    "WEBP": {"lossless": True, "exact": True},
    "TIFF": {"compression": "tiff_adobe_deflate"},
}


def is_same_format(first: str, second: str) -> bool:
    """Tell whether two of the suffixes name the same format."""
    return first == second or (first in TARGETS and TARGETS[first] == TARGETS.get(second))


def write_image(picture: Picture, path: Path) -> tuple[str, ...]:
    """Write a picture to a file in the format its suffix names, in one step.

    Parameters
    ----------
    picture
        What to write.
    path
        Ends in one of `SUFFIXES`; an existing file is replaced, and only once everything has succeeded.

    Returns
    -------
    notes
        Sentences about metadata that the format cannot hold.

    Raises
    ------
    ParameterError
        Unknown suffix.
    UnsupportedError
        The format cannot hold these samples.
    OSError
        The file cannot be written; nothing is changed on disk.
    """
    data, notes = image_bytes(picture, path.suffix)
    replace_file(path, data)
    return notes


def image_bytes(picture: Picture, suffix: str) -> tuple[bytes, tuple[str, ...]]:
    """Return the file of a picture in the format of `suffix`, and notes; raises as `write_image` does."""
    suffix = suffix.lower()
    if suffix not in SUFFIXES:
        raise ParameterError(f"output suffix {suffix!r} is not one of {', '.join(SUFFIXES)}")
    if suffix == ".npy":
        buffer = BytesIO()
        np.save(buffer, picture.array, allow_pickle=False)
        return buffer.getvalue(), _lost_metadata(picture, suffix, ())
    target = TARGETS[suffix]
    _check_samples(picture, target, suffix)
    return _pillow_bytes(picture, target, suffix), _lost_metadata(picture, suffix, target.metadata)


def _pillow_bytes(picture: Picture, target: Target, suffix: str) -> bytes:
    image = Image.fromarray(picture.samples[:, :, 0] if picture.channels == 1 else picture.samples)
    buffer = BytesIO()
    try:
        image.save(buffer, target.pillow_name, **_OPTIONS.get(target.pillow_name, {}), **_metadata(picture, target))
    except Exception as error:  # Pillow's writers let nearly every built-in exception out, on metadata above all
        raise UnsupportedError(f"{suffix} cannot hold this picture or its metadata: {error}") from error
    return buffer.getvalue()


def _check_samples(picture: Picture, target: Target, suffix: str) -> None:
    deep = picture.depth == 16 and not (target.sixteen_bit_gray and picture.channels == 1)
    if deep or picture.channels not in target.channels:
        kind = f"{picture.channels} channel(s) of {picture.depth} bits"
        able = ".npy" if picture.depth == 16 and picture.channels > 1 else ".png"
        raise UnsupportedError(f"{suffix} cannot hold {kind}; write {able}")


def _metadata(picture: Picture, target: Target) -> dict[str, Any]:
    options = {"exif": picture.exif, "xmp": picture.xmp, "icc_profile": picture.icc}
    kept: dict[str, Any] = {name: value for name, value in options.items() if value and target.metadata}
    if target.pillow_name == "PNG" and "xmp" in kept:
        info = PngInfo()
        info.add_itxt("XML:com.adobe.xmp", kept.pop("xmp").decode())
        kept["pnginfo"] = info
    if target.pillow_name == "JPEG" and "exif" in kept:
        kept["exif"] = b"Exif\0\0" + kept["exif"]
    if target.pillow_name == "TIFF" and "xmp" in kept:
        tags = Image.Exif()
        tags.load(kept.get("exif", b""))
        tags[ExifTags.Base.XMLPacket] = kept.pop("xmp")
        kept["exif"] = tags
    return kept


def _lost_metadata(picture: Picture, suffix: str, held: tuple[str, ...]) -> tuple[str, ...]:
    lost = [name.upper() for name in _EVERYTHING if getattr(picture, name) and name not in held]
    return (f"{suffix} holds no metadata: {', '.join(lost)} dropped",) if lost else ()
