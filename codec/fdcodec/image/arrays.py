"""What users hand to the public functions, turned into a `Picture`."""

from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from fdcodec.aliases import Samples
from fdcodec.errors import ConversionWarning, FdcError, FormatError, LimitError, ParameterError, warn_caller
from fdcodec.image.losses import losses_of, notes_on
from fdcodec.image.metadata import metadata_of_pillow
from fdcodec.image.picture import EXIF_PREFIX, Picture, check_sides
from fdcodec.image.pillow_modes import Notes, drops_profile, is_negative, refuse_deep_planes, samples_of_pillow
from fdcodec.limits import DEFAULT_MAX_PIXELS

_HEADER_BYTES = 1 << 16  # where JPEG 2000 and AVIF state their depth


def as_picture(
    image: Any,
    *,
    exif: bytes | None = None,
    xmp: bytes | None = None,
    icc: bytes | None = None,
    lossless: bool = False,
) -> Picture:
    """Validate a user's image.

    Parameters
    ----------
    image
        Array of shape ``(height, width)`` or ``(height, width, 1..4)``, uint8 or uint16, any strides and byte order;
        or a Pillow image; or a `Picture`.
    exif, xmp, icc
        Metadata to store. A Pillow image and a picture bring their own where these are None; empty bytes leave it out.
    lossless
        Refuse a Pillow image whose samples would lose something, as far as it can be told; more can before it is
        loaded.

    Returns
    -------
    Picture
        Contiguous native copy where the input is not so already.

    Raises
    ------
    ParameterError
        The type, the shape or the dtype is not one of those above; samples are masked; or Pillow cannot convert its
        image.
    FormatError
        The file of a Pillow image is damaged.
    UnsupportedError
        The Pillow mode has no place in the format, or what `lossless` refuses.
    LimitError
        A side is above 65535.

    Warns
    -----
    ConversionWarning
        Something of a Pillow image is converted, or left out.
    """
    if isinstance(image, Picture):
        own = image
    elif isinstance(image, Image.Image):
        own, notes = _checked_pillow(image, lossless)
        for note in notes:
            warn_caller(ConversionWarning(note))
    else:
        own = picture_of(_checked_array(image))
    return replace(
        own,
        exif=_checked_bytes("exif", exif, own.exif),
        xmp=_checked_bytes("xmp", xmp, own.xmp),
        icc=_checked_bytes("icc", icc, own.icc),
    )


def picture_of_pillow(image: Image.Image) -> tuple[Picture, Notes]:
    """Return the picture of a Pillow image, which this loads, and a note for each thing that was lost on the way."""
    samples, notes = samples_of_pillow(image)
    found, metadata_notes = metadata_of_pillow(image)
    icc = None if drops_profile(image.mode) else found["icc"]
    return replace(picture_of(samples), exif=found["exif"], xmp=found["xmp"], icc=icc), notes + metadata_notes


def picture_of(samples: Samples) -> Picture:
    """Return the `Picture` of an array of shape ``(height, width)`` or ``(height, width, channels)``."""
    flat = samples.ndim == 2
    return Picture(samples[:, :, np.newaxis] if flat else samples, two_dimensional=flat)


def _checked_pillow(image: Image.Image, lossless: bool) -> tuple[Picture, Notes]:
    if 0 in image.size:
        raise ParameterError(f"image: size {image.size} is not (width, height), both >= 1")
    try:
        refuse_deep_planes(image)
        told = _frames_left_out(image) + notes_on(losses_of(image, _data_of(image)), lossless)
        picture, notes = picture_of_pillow(image)
    except (FdcError, MemoryError):
        raise
    except (OSError, SyntaxError) as error:
        raise FormatError(f"image: its file is damaged: {error}; get the whole file") from error
    except Exception as error:  # Pillow lets nearly every built-in exception out
        raise ParameterError(
            f"image: Pillow cannot load or convert it from mode {image.mode}: {error}; open it again, or fix its info"
        ) from error
    told += ["the negative of what Pillow shows was stored: 0 is white in this TIFF"] if is_negative(image) else []
    return picture, told + notes


def _data_of(image: Image.Image) -> bytes:
    """Return the start of a file whose depth Pillow does not tell; empty if it is loaded or closed."""
    file = getattr(image, "fp", None)
    if image.format not in ("JPEG2000", "AVIF") or file is None or getattr(file, "closed", False):
        return b""
    place = file.tell()
    file.seek(0)
    data: bytes = file.read(_HEADER_BYTES)
    file.seek(place)
    return data


def _frames_left_out(image: Image.Image) -> Notes:
    """Return a note on other frames, unless one was sought.

    To find whether a GIF has more, Pillow reads it again, which would lose what was drawn on one that is loaded.
    """
    if image.tell() > 0 or (image.format == "GIF" and not getattr(image, "tile", ())):
        return []
    is_animated = getattr(image, "is_animated", False)
    return ["only the first of several frames is stored; seek to another to store that"] if is_animated else []


def _checked_array(image: Any) -> Samples:
    if not isinstance(image, np.ndarray):
        what = "open a file with PIL.Image.open" if isinstance(image, str | PathLike) else "give numpy.asarray(image)"
        raise ParameterError(f"image: {type(image).__name__} is neither a numpy array nor a Pillow image; {what}")
    if image.ndim not in (2, 3) or image.size == 0 or (image.ndim == 3 and image.shape[2] > 4):
        hint = "; encode images of a stack, or channels beyond four, one by one" if image.ndim > 2 else ""
        if image.ndim == 3 and 1 <= image.shape[0] <= 4:
            hint = "; numpy.moveaxis(image, 0, -1) is"
        raise ParameterError(
            f"image: shape {image.shape} is not (height, width) or (height, width, 1..4), all >= 1{hint}"
        )
    if np.ma.is_masked(image):
        raise ParameterError("image: a masked array, and a file holds no mask; give image.filled(value), or alpha")
    check_dtype(image)
    check_sides(image.shape[1], image.shape[0])  # before the copy: of a view that repeats samples it can be any size
    return _native(image)


def check_dtype(image: NDArray[Any]) -> None:
    """Raise ParameterError, with what to do, for an array of another dtype than pictures have."""
    if image.dtype.kind != "u" or image.dtype.itemsize > 2:
        raise ParameterError(f"image: dtype {image.dtype} is not uint8 or uint16; {_conversion(image)}")


def _conversion(image: NDArray[Any]) -> str:
    """Say how to convert an array of another dtype. Not done here: a dark picture of 16 bits may fit into 8."""
    if image.dtype.kind == "b":
        return "convert it by .astype(numpy.uint8) * 255"
    if image.dtype.kind in "iu":
        lowest, highest = int(image.min()), int(image.max())
        for name in ("uint8", "uint16"):
            if lowest >= 0 and highest <= np.iinfo(name).max:
                return f"its values {lowest}..{highest} fit: convert it by .astype(numpy.{name})"
        if lowest >= -(2**15) and highest < 2**15:
            return "it keeps its values with an offset: (image.astype(numpy.int32) + 32768).astype(numpy.uint16)"
    return "scale and convert it to 8 or 16 bits"


def _native(image: NDArray[Any]) -> Samples:
    return np.ascontiguousarray(image, dtype=image.dtype.newbyteorder("="))


def _checked_bytes(name: str, given: bytes | None, own: bytes | None) -> bytes | None:
    if given is None:
        return own
    if not isinstance(given, bytes):
        raise ParameterError(f'{name}: {type(given).__name__} is not bytes; give bytes, or b"" to leave it out')
    bare = given.removeprefix(EXIF_PREFIX) if name == "exif" else given
    return bare or None


def check_pixels(size: tuple[int, int], max_pixels: int) -> None:
    """Raise LimitError for a picture (width, height) of more pixels."""
    width, height = size
    if width * height > max_pixels:
        raise above_limit(f"image of {width}x{height}", max_pixels)


def above_limit(image: str, max_pixels: int) -> LimitError:
    """Return the error of an image of too many pixels; a limit of the caller's own can be raised."""
    or_raise = "" if max_pixels == DEFAULT_MAX_PIXELS else ", or raise max_pixels"
    return LimitError(f"{image} is above the limit of {max_pixels} pixels; split it{or_raise}")
