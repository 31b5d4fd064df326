"""EXIF, XMP and ICC as opaque bytes, whatever corner of a Pillow image they hide in.

Two things that would surprise the reader:

* Pillow turns TIFF images by their orientation tag while it loads them, and forgets the tag, in XMP too. `as_stored`
  turns them back, so that pixels stay as stored and the tag stays in the metadata, as for every other format.
* A TIFF file has no EXIF block: its tags describe the file itself. Only those that describe the picture, or where it
  lies on the map, are kept; a note names the others, such as those of microscopes.
"""

import re
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from reprlib import repr as shown
from threading import Lock
from typing import Any

from PIL import ExifTags, Image, TiffTags

from fdcodec.image.georeference import GEO_TAGS
from fdcodec.image.picture import EXIF_PREFIX
from fdcodec.image.resolution import exif_of, resolution_of, stated_resolution, uneven_density
from fdcodec.words import first_of

_PICTURE_TAGS = (
    *(ExifTags.Base.ImageDescription, ExifTags.Base.Make, ExifTags.Base.Model, ExifTags.Base.Orientation),
    *(ExifTags.Base.XResolution, ExifTags.Base.YResolution, ExifTags.Base.ResolutionUnit, ExifTags.Base.Software),
    *(ExifTags.Base.DateTime, ExifTags.Base.Artist, ExifTags.Base.Copyright, ExifTags.Base.DocumentName),
    *(ExifTags.Base.HostComputer, ExifTags.Base.WhitePoint, ExifTags.Base.PrimaryChromaticities),
    *(ExifTags.Base.Rating, ExifTags.Base.RatingPercent, ExifTags.Base.XPTitle, ExifTags.Base.XPComment),
    *(ExifTags.Base.XPAuthor, ExifTags.Base.XPKeywords, ExifTags.Base.XPSubject),
    ExifTags.Base.PageName,
    *GEO_TAGS,
)
"""Tags of TIFF files that describe the picture, but for number and place of a page, which Pillow writes wrongly."""

DIRECTORIES = (ExifTags.IFD.Exif, ExifTags.IFD.GPSInfo)
"""Tags whose values are directories of their own."""

_OF_STORAGE = {
    *(*range(254, 267), 273, *range(277, 282), 284, *range(288, 294), 317, *range(320, 331), 332, 334, 336),
    *(*range(338, 348), *range(512, 522), *range(529, 533), 700, *range(32995, 32999), 59932),
}
"""Tags of how a file stores its samples, of XMP, and of padding."""

_NOT_LEFT_OUT = {*_PICTURE_TAGS, *DIRECTORIES, *_OF_STORAGE, ExifTags.Base.InterColorProfile}
"""Tags that are kept, or say nothing about the picture."""

_GAMMA = 0.45455  # of sRGB, as PNG states it
_CHROMATICITIES = (0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06)  # likewise: x and y of white, red, green and blue
_IPTC = 0x0404  # among the resources of Photoshop in a JPEG

one_at_a_time = Lock()
"""Held while warnings of Pillow are caught, as all threads share the filters of warnings."""

_UNDO = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
"""What turns an image back after Pillow has turned it by its orientation."""

_OF_STACK = re.compile(r"\AImageJ=|<OME\b")
"""Descriptions by ImageJ and OME: that of a stack describes all pictures, and readers look for all of them."""

_RAW_PROFILE = "Raw profile type "
_XMP_PREFIX = b"http://ns.adobe.com/xap/1.0/\0"
_XMP_EXTENSION = b"http://ns.adobe.com/xmp/extension/\0"
_TEXTS_READ = {"XML:com.adobe.xmp", *(_RAW_PROFILE + kind for kind in ("exif", "xmp", "APP1"))}


def metadata_of_pillow(image: Image.Image) -> tuple[dict[str, bytes | None], list[str]]:
    """Return the keys `exif`, `xmp` and `icc` of a loaded Pillow image, and a note for each thing that is left out.

    A resolution that the file states outside EXIF is in `exif` if there is no other.
    """
    blocks: dict[str, bytes | None] = {}
    notes = []
    for name, find in _PLACES.items():
        try:
            blocks[name] = _as_bytes(find(image))
        except Exception as error:  # Pillow lets nearly every built-in exception out where tags have odd types
            blocks[name] = None
            notes.append(f"{name.upper()} was left out, as it is damaged: {error}")
    if (resolution := stated_resolution(image)) is not None:
        exif = blocks["exif"] = blocks["exif"] or exif_of(resolution)
        if resolution_of(exif) is None:
            notes.append("the resolution of {:g}x{:g} dpi was left out, as the EXIF has none".format(*resolution))
    return blocks, notes + _left_out(image)


def _left_out(image: Image.Image) -> list[str]:
    """Return notes on texts, comments, IPTC, tags, XMP beyond the first packet of JPEG, colours and shape of pixels."""
    texts = [shown(name)[1:-1] for name in sorted(_texts(image) - _TEXTS_READ)]
    left = {"texts": texts, "tags": tags_left_out(getattr(image, "tag_v2", ()))}
    notes = [f"{kind} were left out: {', '.join(first_of(names))}" for kind, names in left.items() if names]
    if _describes_stack(image):
        notes.append("the description of a stack (ImageJ, OME) was left out, with its units and channels")
    if _IPTC in image.info.get("photoshop", ()):
        notes.append("IPTC was left out")
    if any(segment.startswith(_XMP_EXTENSION) for _, segment in getattr(image, "applist", ())):
        notes.append("only the first of several XMP packets was read")
    if density := uneven_density(image):
        notes.append("the shape of pixels, {:g} across as long as {:g} down, was left out".format(*density))
    return notes + _colours_left_out(image.info)


def _colours_left_out(info: dict[Any, Any]) -> list[str]:
    """Return notes on the colour information of a PNG, unless it is sRGB, or a profile replaces it."""
    if {"srgb", "icc_profile"} & info.keys():
        return []
    notes = []
    match info.get("gamma"):
        case float(gamma) if abs(gamma - _GAMMA) >= 0.01:
            notes.append(f"a gamma of {gamma:g} was left out")
    stated = zip(info.get("chromaticity", ()), _CHROMATICITIES, strict=False)
    if any(abs(value - usual) >= 0.01 for value, usual in stated):
        notes.append("chromaticities (cHRM) that are not those of sRGB were left out")
    return notes


def _texts(image: Image.Image) -> set[str]:
    info = image.info
    texts = {str(name) for name, value in info.items() if isinstance(value, str)} if image.format == "PNG" else set()
    return texts | ({"comment"} if image.format in ("JPEG", "MPO", "GIF") and "comment" in info else set())


def tags_left_out(tags: Iterable[int]) -> list[str]:
    """Return numbers and names of tags that describe the picture and are not kept."""
    return [f"{tag} {TiffTags.lookup(tag).name}" for tag in sorted(set(tags) - _NOT_LEFT_OUT)]


def as_stored(image: Image.Image) -> Image.Image:
    """Return an opened image with its pixels, and with its orientation in EXIF and XMP, as they are in the file."""
    orientation = image.getexif().get(ExifTags.Base.Orientation) if image.format == "TIFF" else None
    if orientation not in _UNDO:
        return image
    info = image.info | {"exif": _tags_of_page(image)}
    image.load()
    stored = image.transpose(_UNDO[orientation])
    stored.format, stored.info = image.format, info
    kept = {"tag_v2": getattr(image, "tag_v2", {}), "is_animated": getattr(image, "is_animated", False)}
    vars(stored).update(kept)  # for the notes on what is left out
    return stored


def turn_of(exif: bytes) -> int | None:
    """Return the orientation that EXIF states, None of a picture that is shown as it is stored or of damaged EXIF."""
    with one_at_a_time, warnings.catch_warnings(), suppress(Exception):  # Pillow lets nearly all of them out
        warnings.simplefilter("ignore")
        tags = Image.Exif()
        tags.load(exif)
        orientation = tags.get(ExifTags.Base.Orientation)
        return orientation if orientation in _UNDO else None
    return None


def picture_tags(tags: Image.Exif) -> Image.Exif:
    """Return the tags that describe a picture, and the directories among them without what points into the old file."""
    kept = Image.Exif()
    kept.endian = tags.endian
    for tag in _PICTURE_TAGS:
        if tag in tags:
            kept[tag] = _text_as_stored(tags[tag])
    for directory in DIRECTORIES:
        if directory in tags:
            entries = {tag: value for tag, value in tags.get_ifd(directory).items() if tag != ExifTags.IFD.Interop}
            kept.get_ifd(directory).update(entries)
            kept[directory] = 0  # a place that Pillow fills in
    return kept


def _tags_of_page(image: Image.Image) -> Image.Exif:
    """Return the tags that describe the page of a TIFF, and not all its pages."""
    tags = picture_tags(image.getexif())
    if _describes_stack(image):
        del tags[ExifTags.Base.ImageDescription]
    return tags


def _describes_stack(image: Image.Image) -> bool:
    """Tell whether the description of a TIFF's page describes all its pages."""
    description = getattr(image, "tag_v2", {}).get(ExifTags.Base.ImageDescription, "")
    return getattr(image, "is_animated", False) and _OF_STACK.search(str(description)) is not None


def _text_as_stored(value: Any) -> Any:
    """Return a tag's text, as bytes if it is not ASCII: Pillow reads it as Latin-1 and would write it as ASCII."""
    return value.encode("latin-1") if isinstance(value, str) and not value.isascii() else value


def _exif(image: Image.Image) -> Any:
    if image.format == "TIFF" and "exif" not in image.info:
        return _tags_of_page(image)
    return image.info.get("exif") or _raw_profile(image, "exif", EXIF_PREFIX)


def _xmp(image: Image.Image) -> Any:
    return image.info.get("xmp") or image.info.get("XML:com.adobe.xmp") or _raw_profile(image, "xmp", _XMP_PREFIX)


def _raw_profile(image: Image.Image, kind: str, prefix: bytes) -> bytes | None:
    """Return what old programs store in a PNG as hexadecimal text: under its kind, or as JPEG's APP1 with a prefix."""
    for name in (kind, "APP1"):
        if text := image.info.get(_RAW_PROFILE + name):
            data = bytes.fromhex("".join(str(text).split("\n")[3:]))
            if name == kind or data.startswith(prefix):
                return data.removeprefix(prefix)
    return None


_PLACES: dict[str, Callable[[Image.Image], Any]] = {
    "exif": _exif,
    "xmp": _xmp,
    "icc": lambda image: image.info.get("icc_profile"),
}


def _as_bytes(value: Any) -> bytes | None:
    """Return a block without the prefix of JPEG, None where it is empty; raises what Pillow does, or TypeError."""
    if isinstance(value, Image.Exif):
        value = value.tobytes() if len(value) else b""
    data = value.encode() if isinstance(value, str) else value or b""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"{type(value).__name__} is not bytes")
    return bytes(data).removeprefix(EXIF_PREFIX) or None
