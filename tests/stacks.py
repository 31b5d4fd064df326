"""Image files of several frames that tests make for themselves, and damage to one of these."""

import struct
import zlib
from collections.abc import Iterable
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def stack(frames: Iterable[NDArray[Any]], file_format: str = "TIFF", **options: Any) -> bytes:
    """Return an image file of frames; WebP without loss."""
    first, *others = map(Image.fromarray, map(np.ascontiguousarray, frames))
    file, lossless = BytesIO(), {"lossless": True} if file_format == "WEBP" else {}
    first.save(file, file_format, save_all=True, append_images=others, **lossless, **options)
    return file.getvalue()


def with_tag(data: bytes, page: int, tag: int, value: int) -> bytes:
    """Return a TIFF with another value of a tag that a page has; of the short ones, whose value stands in the tag."""
    place = int.from_bytes(data[4:8], "little")
    for _ in range(page):
        place = int.from_bytes(data[_end_of(data, place) :][:4], "little")
    entries = range(place + 2, _end_of(data, place), 12)
    entry = next(entry for entry in entries if int.from_bytes(data[entry : entry + 2], "little") == tag)
    return data[: entry + 8] + struct.pack("<I", value) + data[entry + 12 :]


def _end_of(data: bytes, place: int) -> int:
    return place + 2 + 12 * int.from_bytes(data[place : place + 2], "little")


def with_short_frame(png: bytes) -> bytes:
    """Return an animated PNG whose second frame, in one chunk, lacks its last samples; checksums are right."""
    start = png.index(b"fdAT")
    end = start + 4 + int.from_bytes(png[start - 4 : start], "big")
    rows = zlib.decompress(png[start + 8 : end])
    body = png[start : start + 8] + zlib.compress(rows[:-2])
    chunk = (len(body) - 4).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")
    return png[: start - 4] + chunk + png[end + 4 :]


def saved_array(array: NDArray[Any]) -> bytes:
    """Return the bytes that `numpy.save` writes."""
    file = BytesIO()
    np.save(file, array)
    return file.getvalue()
