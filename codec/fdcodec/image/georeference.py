"""Where a picture lies on the map: the tags of GeoTIFF and GDAL, which go through EXIF (OGC 19-008r4, clause 7)."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from fdcodec.image.picture import EXIF_PREFIX

if TYPE_CHECKING:
    from fdcodec.aliases import Region
    from fdcodec.image.picture import Picture

_PIXEL_SCALE, _TIEPOINTS, _TRANSFORMATION, _KEYS = 33550, 33922, 34264, 34735
_PLACE = (_PIXEL_SCALE, _TIEPOINTS, _TRANSFORMATION)
_RASTER_TYPE, _POINTS = 1025, 2  # a key, and its value where a place is that of the middle of a sample

GEO_TAGS = (*_PLACE, _KEYS, 34736, 34737, 42112, 42113)
"""Place, coordinate system with its numbers and texts, and GDAL's texts, such as the value that means no data."""


def in_place(picture: Picture, region: Region | None, reduce: int) -> tuple[Picture, tuple[str, ...]]:
    """Return a part (x, y, width, height) of a picture, reduced, with EXIF that says where on the map the part is.

    EXIF without a place is left as it is. A damaged place is left out with a note, or all of the EXIF if more is
    damaged.
    """
    if picture.exif is None or (region is None and reduce == 1):
        return picture, ()
    from fdcodec.image.metadata import one_at_a_time, picture_tags

    tags, exif, place = Image.Exif(), None, dict[int, tuple[float, ...]]()
    with one_at_a_time, warnings.catch_warnings(), suppress(Exception):  # Pillow lets nearly every one out
        warnings.simplefilter("ignore")
        tags.load(picture.exif)
        moved = picture_tags(tags)
        for tag in _PLACE:
            moved.pop(tag, None)
        with suppress(TypeError, ValueError):
            place = _moved(tags, region[:2] if region else (0, 0), reduce)
        moved.update(place)
        exif = moved.tobytes().removeprefix(EXIF_PREFIX)
    if not any(tag in tags for tag in _PLACE):
        return picture, ()
    left_out = "EXIF was left out, as it is damaged" if exif is None else "the damaged place on the map was left out"
    return replace(picture, exif=exif), () if exif is not None and place else (left_out,)


def _moved(tags: Image.Exif, corner: tuple[int, int], reduce: int) -> dict[int, tuple[float, ...]]:
    """Return the tags of a picture's place for a part from `corner` on; TypeError or ValueError if they are damaged."""
    keys, moved = np.reshape(tags.get(_KEYS, ()), (-1, 4)), {}
    is_of_points = np.any((keys[1:, 0] == _RASTER_TYPE) & (keys[1:, 3] == _POINTS))
    start = np.add(corner, (reduce - 1) / 2 if is_of_points else 0)
    if _TIEPOINTS in tags:
        points = np.reshape(tags[_TIEPOINTS], (-1, 6)).astype(np.float64)
        points[:, :2] = (points[:, :2] - start) / reduce
        moved[_TIEPOINTS] = points
    if _PIXEL_SCALE in tags:
        moved[_PIXEL_SCALE] = np.reshape(tags[_PIXEL_SCALE], 3) * (reduce, reduce, 1.0)
    if _TRANSFORMATION in tags:
        matrix = np.reshape(tags[_TRANSFORMATION], (4, 4)).astype(np.float64)
        matrix[:, 3] += matrix[:, :2] @ start
        matrix[:, :2] *= reduce
        moved[_TRANSFORMATION] = matrix
    return {tag: tuple(values.ravel().tolist()) for tag, values in moved.items()}
