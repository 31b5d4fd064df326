"""EXIF, XMP and ICC as opaque bytes, whatever corner of a Pillow image they hide in.

Two things that would surprise the reader:

* Pillow turns TIFF images by their orientation tag while it loads them, and forgets the tag. `load_as_stored` turns
  them back, so that pixels stay as stored and the tag stays in the metadata, as for every other format.
* A TIFF file has no EXIF block: its tags describe the file itself. Only those that describe the picture are kept.
"""

from collections.abc import Callable
from threading import Lock
from typing import Any

from PIL import ExifTags, Image

_PICTURE_TAGS = (
    *(ExifTags.Base.ImageDescription, ExifTags.Base.Make, ExifTags.Base.Model, ExifTags.Base.Orientation),
    *(ExifTags.Base.XResolution, ExifTags.Base.YResolution, ExifTags.Base.ResolutionUnit, ExifTags.Base.Software),
    *(ExifTags.Base.DateTime, ExifTags.Base.Artist, ExifTags.Base.Copyright, ExifTags.Base.DocumentName),
    *(ExifTags.Base.HostComputer, ExifTags.Base.WhitePoint, ExifTags.Base.PrimaryChromaticities),
    *(ExifTags.Base.Rating, ExifTags.Base.RatingPercent, ExifTags.Base.XPTitle, ExifTags.Base.XPComment),
    *(ExifTags.Base.XPAuthor, ExifTags.Base.XPKeywords, ExifTags.Base.XPSubject),
)
"""Tags of TIFF's own that describe the picture, and not how a file stores it."""

DIRECTORIES = (ExifTags.IFD.Exif, ExifTags.IFD.GPSInfo)
"""Tags whose values are directories of their own."""

one_at_a_time = Lock()
"""Held where warnings of Pillow are caught, which are the same for all threads."""

_UNDO = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
"""What turns an image back that Pillow has turned by its orientation."""

_RAW_PROFILE = "Raw profile type exif"


def metadata_of_pillow(image: Image.Image) -> tuple[dict[str, bytes | None], list[str]]:
    """Return the keys `exif`, `xmp` and `icc` of a loaded Pillow image, and a note for each block that is unusable."""
    blocks: dict[str, bytes | None] = {}
    notes = []
    for name, find in _PLACES.items():
        try:
            blocks[name] = _as_bytes(find(image.info))
        except Exception as error:  # Pillow lets nearly every built-in exception out where tags have odd types
            blocks[name] = None
            notes.append(f"{name.upper()} was left out, as it is damaged: {error}")
    return blocks, notes


def load_as_stored(image: Image.Image) -> Image.Image:
    """Load an opened image and return it with its pixels and its orientation tag as they are in the file."""
    if image.format != "TIFF":
        image.load()
        return image
    tags = image.getexif()
    orientation, exif = tags.get(ExifTags.Base.Orientation), picture_tags(tags)
    image.load()
    stored = image.transpose(_UNDO[orientation]) if orientation in _UNDO else image
    if len(exif):
        stored.info["exif"] = exif
    return stored


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


def _text_as_stored(value: Any) -> Any:
    """Return a tag's text as bytes, which Pillow reads as Latin-1 and would write as ASCII."""
    return value.encode("latin-1") if isinstance(value, str) else value


def _exif(info: dict[Any, Any]) -> Any:
    if _RAW_PROFILE in info and "exif" not in info:
        return bytes.fromhex("".join(str(info[_RAW_PROFILE]).split("\n")[3:]))
    return info.get("exif")


_PLACES: dict[str, Callable[[dict[Any, Any]], Any]] = {
    "exif": _exif,
    "xmp": lambda info: info.get("xmp") or info.get("XML:com.adobe.xmp"),
    "icc": lambda info: info.get("icc_profile"),
}


def _as_bytes(value: Any) -> bytes | None:
    """Return a block without the prefix of JPEG, None where it is empty; raises what Pillow does, or TypeError."""
    if isinstance(value, Image.Exif):
        value = value.tobytes()
    data = value.encode() if isinstance(value, str) else value or b""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"{type(value).__name__} is not bytes")
    return bytes(data).removeprefix(b"Exif\0\0") or None
