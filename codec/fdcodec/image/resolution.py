"""Resolution in dots per inch: what a file states beside its EXIF goes into EXIF, and from there to PNG and JPEG."""

from contextlib import suppress
from numbers import Real
from typing import Any, TypeAlias

from PIL import ExifTags, Image

from fdcodec.image.picture import EXIF_PREFIX

Resolution: TypeAlias = tuple[float, float]

_AXES = (ExifTags.Base.XResolution, ExifTags.Base.YResolution)
_INCH, _CENTIMETRE = 2, 3  # of ResolutionUnit
_LEAST, _MOST = 2**-10, 2**32  # well within the rationals of EXIF


def stated_resolution(image: Image.Image) -> Resolution | None:
    """Return the resolution stated outside EXIF, None if there is none; Pillow makes one up for TIFF and JPEG."""
    is_jpeg = image.format in ("JPEG", "MPO")
    if image.format in (None, "TIFF") or (is_jpeg and image.info.get("jfif_unit") not in (1, 2)):
        return None
    return as_resolution(image.info.get("dpi"))


def as_resolution(dpi: Any) -> Resolution | None:
    """Return a resolution as Pillow's users give it, None if it is none."""
    match dpi:
        case (x, y) if all(isinstance(value, Real) and _LEAST < float(value) < _MOST for value in (x, y)):
            return float(x), float(y)
    return None


def uneven_density(image: Image.Image) -> Resolution | None:
    """Return how many pixels across are as long as how many down, if a PNG or JPEG states it without a unit."""
    name = "jfif_density" if image.info.get("jfif_unit") == 0 else "aspect"
    match image.info.get(name):
        case (int(x), int(y)) if x != y and x > 0 and y > 0:
            return x, y
    return None


def resolution_of(exif: bytes) -> Resolution | None:
    """Return what EXIF states, None if it states nothing or is damaged."""
    with suppress(Exception):  # Pillow lets nearly every built-in exception out where tags are damaged
        tags = Image.Exif()
        tags.load(exif)
        scale = {_INCH: 1.0, _CENTIMETRE: 2.54}[tags.get(ExifTags.Base.ResolutionUnit, _INCH)]
        x, y = (scale * float(tags[axis]) for axis in _AXES)
        return (x, y) if x > 0 and y > 0 else None  # a rational without a denominator is NaN
    return None


def exif_of(resolution: Resolution) -> bytes:
    """Return EXIF that states a resolution and nothing else."""
    tags = Image.Exif()
    tags[_AXES[0]], tags[_AXES[1]] = resolution
    tags[ExifTags.Base.ResolutionUnit] = _INCH
    return tags.tobytes().removeprefix(EXIF_PREFIX)


def is_only_resolution(exif: bytes) -> bool:
    """Tell whether EXIF states a resolution and nothing else, as `exif_of` makes it."""
    resolution = resolution_of(exif)
    return resolution is not None and exif == exif_of(resolution)
