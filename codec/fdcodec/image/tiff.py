"""TIFF files through Pillow, with EXIF as their tags.

Two things that would surprise the reader:

* EXIF also says how the old file stored its samples, which would overrule what Pillow says about the new one. Only
  tags that describe the picture are written.
* Pillow compresses through libtiff, which takes no sub-directories, such as those of exposure and place. If there are
  any, samples are not compressed. Pages of a file of several have none: Pillow does not move what is in these
  directories to its place behind the other pages.
"""

import warnings
from collections.abc import Iterable
from io import BytesIO
from typing import Any

from PIL import ExifTags, Image, TiffTags

from fdcodec.image.metadata import DIRECTORIES, one_at_a_time, picture_tags, tags_left_out
from fdcodec.image.picture import Picture
from fdcodec.words import first_of

_ALLOWED = {ExifTags.Base.Orientation: range(1, 9), ExifTags.Base.ResolutionUnit: range(1, 4)}
"""Values of tags that libtiff takes; with others it refuses the file."""


def tiff_bytes(image: Image.Image, picture: Picture, *, is_page: bool = False) -> tuple[bytes, list[str]]:
    """Return the TIFF file of a picture, and notes on EXIF that is damaged or left out; raises Pillow's errors.

    `image` has the picture's samples; `is_page` says that it will be one of several pages.
    """
    if picture.exif is None:
        return _saved(image, picture, Image.Exif()), []
    try:
        with one_at_a_time, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tags = Image.Exif()
            tags.load(picture.exif)
            lost = tags_left_out(tags)
            tags = picture_tags(tags)
            lost += _dropped(tags, [tag for tag, allowed in _ALLOWED.items() if tags.get(tag, 1) not in allowed])
            if is_page:
                lost += _dropped(tags, DIRECTORIES)
            data = _saved(image, picture, tags)
    except Exception:  # Pillow lets nearly every built-in exception out where tags are damaged
        return _saved(image, picture, Image.Exif()), ["EXIF is damaged: dropped"]
    notes = [f"tags of EXIF were left out: {', '.join(first_of(lost))}"] if lost else []
    return data, notes + (["EXIF is damaged: only what can be read of it is kept"] if caught else [])


def _dropped(tags: Image.Exif, numbers: Iterable[int]) -> list[str]:
    """Remove tags, and return numbers and names of those that were there."""
    return [f"{tag} {TiffTags.lookup(tag).name}" for tag in numbers if tags.pop(tag, None) is not None]


def _saved(image: Image.Image, picture: Picture, tags: Image.Exif) -> bytes:
    options: dict[str, Any] = {"exif": tags, "icc_profile": picture.icc}
    if picture.xmp:
        tags[ExifTags.Base.XMLPacket] = picture.xmp
    if not any(directory in tags for directory in DIRECTORIES):
        options["compression"] = "tiff_adobe_deflate"
    buffer = BytesIO()
    image.save(buffer, "TIFF", **options)
    return buffer.getvalue()
