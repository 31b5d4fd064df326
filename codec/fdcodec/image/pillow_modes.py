"""Every Pillow mode to the samples fdcodec codes, with a note for each loss that Pillow's modes force."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image

from fdcodec.aliases import Samples
from fdcodec.errors import UnsupportedError

Notes: TypeAlias = list[str]

_PLAIN = {"1": "L", "L": "L", "LA": "LA", "RGB": "RGB", "RGBA": "RGBA", "PA": "RGBA"}
_PREMULTIPLIED = {"La": "LA", "RGBa": "RGBA"}
_WITH_TRANSPARENCY = {"1": "LA", "L": "LA", "RGB": "RGBA", "P": "RGBA"}
_GREATEST_GRAY = {"L;2": 3, "L;4": 15}  # by Pillow's names of what a PNG stores
_COLOUR_SPACES = {"CMYK": "RGB", "YCbCr": "RGB", "HSV": "RGB", "RGBX": "RGB"}
_SEPARATE = 2  # of PlanarConfiguration

CONVERT = "convert it to gray or RGB of 8 bits, or to gray of 16 bits"
"""What to do with samples that have no place in the format."""


def samples_of_pillow(image: Image.Image) -> tuple[Samples, Notes]:
    """Return the samples of a Pillow image and a note for each thing that was lost on the way.

    Parameters
    ----------
    image
        Any mode but F and LAB; palettes are expanded, transparent colours become an alpha channel.

    Returns
    -------
    samples
        Shape ``(height, width)`` for opaque gray, else ``(height, width, 2..4)``; uint8, or uint16 for 16-bit gray.
    notes
        Sentences for the user; empty when nothing was lost.

    Raises
    ------
    UnsupportedError
        The mode has no place in the format.
    """
    transparency_notes = _settle_transparency(image)
    if image.mode.startswith("I"):
        return _integers(image)
    target, notes = _target_mode(image)
    converted = image if image.mode == target else image.convert(target)
    return np.ascontiguousarray(np.asarray(converted, dtype=np.uint8)), transparency_notes + notes


def _settle_transparency(image: Image.Image) -> Notes:
    """Scale the transparent gray of a PNG as Pillow scales its samples; drop a 16-bit colour, as Pillow reads 8 bits.

    This changes the image's `info`: once an image is loaded, Pillow no longer tells what the file stores.
    """
    stored = next((tile.args for tile in getattr(image, "tile", ())), None) if "transparency" in image.info else None
    if stored == "RGB;16B":
        del image.info["transparency"]
        return ["the transparent colour was dropped: Pillow reads 8 of its 16 bits"]
    if stored in _GREATEST_GRAY:
        greatest = _GREATEST_GRAY[stored]
        image.info["transparency"] = (image.info["transparency"] & greatest) * (255 // greatest)
    return []


def _target_mode(image: Image.Image) -> tuple[str, Notes]:
    if "transparency" in image.info and image.mode in _WITH_TRANSPARENCY:
        return _WITH_TRANSPARENCY[image.mode], []
    if image.mode == "P":
        return ("RGBA" if image.has_transparency_data else "RGB"), []
    if image.mode in _COLOUR_SPACES:
        return _COLOUR_SPACES[image.mode], [_conversion_note(image)]
    if image.mode in _PREMULTIPLIED:
        target = _PREMULTIPLIED[image.mode]
        return target, [f"{image.mode} is stored as {target}: its colours are divided by alpha, and rounded"]
    if image.mode in _PLAIN:
        return _PLAIN[image.mode], []
    kind = " (floating point)" if image.mode == "F" else ""
    raise UnsupportedError(f"image mode {image.mode}{kind} is not supported; {CONVERT}")


def _conversion_note(image: Image.Image) -> str:
    """Say how colours that the format does not hold are converted: by Pillow's formula, without colour management."""
    profile = "; its colour profile, not one of RGB, is left out" if "icc_profile" in image.info else ""
    return f"{image.mode} colours are stored as RGB, converted by a plain formula{profile}"


def _integers(image: Image.Image) -> tuple[NDArray[np.uint16], Notes]:
    values = 65535 - np.asarray(image) if is_negative(image) else np.asarray(image)
    if values.size and (values.min() < 0 or values.max() > 65535):
        raise UnsupportedError("image mode I holds values outside 0..65535; scale them, or add 32768 to signed ones")
    notes = ["the transparent gray value was dropped: 16-bit gray has no alpha"] if "transparency" in image.info else []
    return np.ascontiguousarray(values, dtype=np.uint16), notes


def is_negative(image: Image.Image) -> bool:
    """Tell whether 0 is white in a TIFF, which Pillow inverts only if it has 8 bits."""
    tags = getattr(image, "tag_v2", {})
    return image.mode.startswith("I;16") and tags.get(ExifTags.Base.PhotometricInterpretation) == 0


def refuse_deep_planes(image: Image.Image) -> None:
    """Raise UnsupportedError for a TIFF of separate planes of 16 bits: Pillow takes their bytes for samples."""
    tags = getattr(image, "tag_v2", {})
    bits = tags.get(ExifTags.Base.BitsPerSample, ())
    if has_planes(image) and tags.get(ExifTags.Base.SamplesPerPixel, 1) > 1 and any(depth > 8 for depth in bits):
        raise UnsupportedError(
            "TIFF of separate planes of 16 bits, which Pillow does not read; give them as .npy of uint16"
        )


def has_planes(image: Image.Image) -> bool:
    """Tell whether a TIFF stores its channels as separate planes."""
    return getattr(image, "tag_v2", {}).get(ExifTags.Base.PlanarConfiguration) == _SEPARATE


def drops_profile(mode: str) -> bool:
    """Tell whether the conversion of `mode` changes the colour space, so that the ICC profile no longer applies."""
    return mode in _COLOUR_SPACES
