"""TIFF files through Pillow, with EXIF as their tags.

Two things that would surprise the reader:

* EXIF also tells how the old file stored its samples, and would overrule what Pillow says of the new one. Only tags
  that describe the picture go on.
* Pillow compresses through libtiff, which takes no sub-directories, such as those of exposure and place. Where there
  are any, the samples are stored as they are.
"""

import warnings
from dataclasses import replace
from io import BytesIO
from typing import Any

from PIL import ExifTags, Image

from fdcodec.image.metadata import DIRECTORIES, PICTURE_TAGS, one_at_a_time, text_as_stored
from fdcodec.image.picture import Picture


def tiff_bytes(picture: Picture) -> tuple[bytes, list[str]]:
    """Return the TIFF file of a picture, and a note where its EXIF is damaged; raises what Pillow does."""
    if picture.exif is None:
        return _saved(picture, Image.Exif()), []
    try:
        with one_at_a_time, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            data = _saved(picture, _picture_tags(picture.exif))
    except Exception:  # Pillow lets nearly every built-in exception out where tags are damaged
        return _saved(replace(picture, exif=None), Image.Exif()), ["EXIF is damaged: dropped"]
    return data, ["EXIF is damaged: only what can be read of it is kept"] if caught else []


def _picture_tags(exif: bytes) -> Image.Exif:
    tags = Image.Exif()
    tags.load(exif)
    for tag in set(tags) - {*PICTURE_TAGS, *DIRECTORIES}:
        del tags[tag]
    for tag in set(tags) & {*PICTURE_TAGS}:
        tags[tag] = text_as_stored(tags[tag])
    return tags


def _saved(picture: Picture, tags: Image.Exif) -> bytes:
    options: dict[str, Any] = {"exif": tags, "icc_profile": picture.icc}
    if picture.xmp:
        tags[ExifTags.Base.XMLPacket] = picture.xmp
    if not any(directory in tags for directory in DIRECTORIES):
        options["compression"] = "tiff_adobe_deflate"
    buffer = BytesIO()
    Image.fromarray(picture.samples[:, :, 0] if picture.channels == 1 else picture.samples).save(
        buffer, "TIFF", **options
    )
    return buffer.getvalue()
