"""EXIF, XMP and ICC as opaque bytes, whatever corner of a Pillow image they hide in.

Two things that would surprise the reader:

* Pillow turns TIFF images by their orientation tag while it loads them, and forgets the tag. `load_as_stored` turns
  them back, so that pixels stay as stored and the tag stays in the metadata, as for every other format.
* A TIFF file has no EXIF block: its tags describe the file itself. Only those that describe the picture are kept.
"""

from typing import Any

from PIL import ExifTags, Image

_PICTURE_TAGS = (
    *(ExifTags.Base.ImageDescription, ExifTags.Base.Make, ExifTags.Base.Model, ExifTags.Base.Orientation),
    *(ExifTags.Base.XResolution, ExifTags.Base.YResolution, ExifTags.Base.ResolutionUnit, ExifTags.Base.Software),
    *(ExifTags.Base.DateTime, ExifTags.Base.Artist, ExifTags.Base.Copyright),
)
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


def metadata_of_pillow(image: Image.Image) -> dict[str, bytes | None]:
    """Return the keys `exif`, `xmp` and `icc` of a loaded Pillow image."""
    return {
        "exif": _exif(image.info),
        "xmp": _as_bytes(image.info.get("xmp") or image.info.get("XML:com.adobe.xmp")),
        "icc": _as_bytes(image.info.get("icc_profile")),
    }


def load_as_stored(image: Image.Image) -> Image.Image:
    """Load an opened image and return it with its pixels and its orientation tag as they are in the file."""
    if image.format != "TIFF":
        image.load()
        return image
    tags = image.getexif()
    orientation, exif = tags.get(ExifTags.Base.Orientation), _picture_tags(tags)
    image.load()
    stored = image.transpose(_UNDO[orientation]) if orientation in _UNDO else image
    if exif is not None:
        stored.info["exif"] = exif
    return stored


def _picture_tags(tags: Image.Exif) -> bytes | None:
    kept = Image.Exif()
    kept.endian = tags.endian
    for tag in _PICTURE_TAGS:
        if tag in tags:
            kept[tag] = tags[tag]
    return kept.tobytes() if len(kept) else None


def _exif(info: dict[Any, Any]) -> bytes | None:
    if _RAW_PROFILE in info and "exif" not in info:
        return _as_bytes(bytes.fromhex("".join(info[_RAW_PROFILE].split("\n")[3:])))
    return _as_bytes(info.get("exif"))


def _as_bytes(value: Any) -> bytes | None:
    data = value.encode() if isinstance(value, str) else bytes(value or b"")
    return data.removeprefix(b"Exif\0\0") or None
