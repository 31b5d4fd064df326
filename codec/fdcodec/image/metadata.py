"""EXIF, XMP and ICC as opaque bytes, whatever corner of a Pillow image they hide in.

Two things that would surprise the reader:

* Pillow rotates TIFF images by their orientation tag while it loads them. `keep_orientation` takes the tag away from
  Pillow before that happens: pixels stay as stored and the tag stays in the metadata, as for every other format.
* A TIFF file has no EXIF block: its tags describe the file itself. Only those that describe the picture are kept.
"""

from typing import Any

from PIL import ExifTags, Image

_PICTURE_TAGS = (
    *(ExifTags.Base.ImageDescription, ExifTags.Base.Make, ExifTags.Base.Model, ExifTags.Base.Orientation),
    *(ExifTags.Base.XResolution, ExifTags.Base.YResolution, ExifTags.Base.ResolutionUnit, ExifTags.Base.Software),
    *(ExifTags.Base.DateTime, ExifTags.Base.Artist, ExifTags.Base.Copyright),
)
_RAW_PROFILE = "Raw profile type exif"


def metadata_of_pillow(image: Image.Image) -> dict[str, bytes | None]:
    """Return the keys `exif`, `xmp` and `icc` of a loaded Pillow image."""
    return {
        "exif": _exif(image.info),
        "xmp": _as_bytes(image.info.get("xmp") or image.info.get("XML:com.adobe.xmp")),
        "icc": _as_bytes(image.info.get("icc_profile")),
    }


def keep_orientation(image: Image.Image) -> None:
    """Move the tags of an opened, not yet loaded TIFF image into `info`, so that loading does not rotate it."""
    tags = image.getexif()
    kept = Image.Exif()
    kept.endian = tags.endian
    for tag in _PICTURE_TAGS:
        if tag in tags:
            kept[tag] = tags[tag]
    if len(kept):
        image.info["exif"] = kept.tobytes()
    tags.pop(ExifTags.Base.Orientation, None)


def _exif(info: dict[Any, Any]) -> bytes | None:
    if _RAW_PROFILE in info and "exif" not in info:
        return _as_bytes(bytes.fromhex("".join(info[_RAW_PROFILE].split("\n")[3:])))
    return _as_bytes(info.get("exif"))


def _as_bytes(value: Any) -> bytes | None:
    data = value.encode() if isinstance(value, str) else bytes(value or b"")
    return data.removeprefix(b"Exif\0\0") or None
