"""TIFF files, deflated, with the EXIF block of a picture as it is.

Pillow's writer takes EXIF tags apart, lets those that describe the old file override its own, and compresses only
where there are no sub-directories. But an EXIF block is a TIFF file without a picture, so it becomes the front of ours:
what its tags point to, sub-directories and the notes of a camera's maker among it, stays at its offset. Only the first
directory is made anew, of those of its tags that describe the picture, and of ours.
"""

import struct
import zlib
from dataclasses import replace

from PIL import ExifTags

from fdcodec.image.metadata import PICTURE_TAGS
from fdcodec.image.picture import Picture

_Tag = ExifTags.Base
_BYTE, _SHORT, _LONG, _UNDEFINED = 1, 3, 4, 7
_CODES = {_SHORT: "H", _LONG: "I"}
_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}
"""Bytes of a value, by its type."""

_ORDERS = {b"II*\0": "<", b"MM\0*": ">"}
_HEADER_BYTES = 8
_NO_EXIF = b"II*\0\x08\0\0\0" + bytes(6)
_FIRST_PRIVATE = 0x8000
_PRIVATE_FILE_TAGS = {_Tag.InterColorProfile, *range(32995, 32999), 33421, 33422, *range(50706, 52554)}
"""Private tags that say how samples are stored: the ICC profile, which is no EXIF; volumes; raw sensors; DNG."""

_STRIP_BYTES = 1 << 16
_DEFLATE, _UNASSOCIATED_ALPHA = 8, 2


class _File:
    """A TIFF file that grows behind its front, the byte order of its numbers, and the entries of its directory."""

    def __init__(self, front: bytes, order: str, entries: dict[int, bytes]) -> None:
        self.order = order
        self._data, self._entries = bytearray(front), dict(entries)

    def append(self, block: bytes) -> int:
        """Add bytes and return their offset, which is even as the format wants it."""
        self._data += bytes(len(self._data) % 2)
        self._data += block
        return len(self._data) - len(block)

    def set_numbers(self, tag: int, kind: int, *values: int) -> None:
        """Set a tag to numbers of the type `kind`."""
        self._set(tag, kind, len(values), struct.pack(f"{self.order}{len(values)}{_CODES[kind]}", *values))

    def set_block(self, tag: int, kind: int, block: bytes | None) -> None:
        """Set a tag to a block, if there is one."""
        if block:
            self._set(tag, kind, len(block), block)

    def _set(self, tag: int, kind: int, count: int, data: bytes) -> None:
        value = data.ljust(4, b"\0") if len(data) <= 4 else struct.pack(f"{self.order}I", self.append(data))
        self._entries[tag] = struct.pack(f"{self.order}HHI", tag, kind, count) + value

    def finished(self) -> bytes:
        """Write the directory and name its place in the header."""
        entries = [self._entries[tag] for tag in sorted(self._entries)]
        start = self.append(struct.pack(f"{self.order}H", len(entries)) + b"".join(entries) + bytes(4))
        struct.pack_into(f"{self.order}I", self._data, 4, start)
        return bytes(self._data)


def tiff_bytes(picture: Picture) -> tuple[bytes, list[str]]:
    """Return the TIFF file of a picture, and a note where its EXIF is damaged; struct.error above 4 GiB."""
    exif = picture.exif or _NO_EXIF
    order = _ORDERS.get(exif[:4]) if len(exif) >= _HEADER_BYTES else None
    if order is None:
        data, notes = tiff_bytes(replace(picture, exif=None))
        return data, [*notes, "EXIF is damaged: dropped"]
    entries, whole = _kept_entries(exif, order)
    file = _File(exif, order, entries)
    _set_samples(file, picture)
    file.set_block(_Tag.XMLPacket, _BYTE, picture.xmp)
    file.set_block(_Tag.InterColorProfile, _UNDEFINED, picture.icc)
    return file.finished(), [] if whole else ["EXIF is damaged: only what can be read of it is kept"]


def _set_samples(file: _File, picture: Picture) -> None:
    samples = picture.samples.astype(f"{file.order}u{picture.depth // 8}", copy=False)
    rows = max(1, _STRIP_BYTES // samples[0].nbytes)
    strips = [zlib.compress(samples[top : top + rows].tobytes()) for top in range(0, picture.height, rows)]
    file.set_numbers(_Tag.ImageWidth, _LONG, picture.width)
    file.set_numbers(_Tag.ImageLength, _LONG, picture.height)
    file.set_numbers(_Tag.BitsPerSample, _SHORT, *[picture.depth] * picture.channels)
    file.set_numbers(_Tag.Compression, _SHORT, _DEFLATE)
    file.set_numbers(_Tag.PhotometricInterpretation, _SHORT, 1 if picture.channels < 3 else 2)
    file.set_numbers(_Tag.StripOffsets, _LONG, *[file.append(strip) for strip in strips])
    file.set_numbers(_Tag.SamplesPerPixel, _SHORT, picture.channels)
    file.set_numbers(_Tag.RowsPerStrip, _LONG, rows)
    file.set_numbers(_Tag.StripByteCounts, _LONG, *map(len, strips))
    file.set_numbers(_Tag.PlanarConfiguration, _SHORT, 1)
    if picture.channels in (2, 4):
        file.set_numbers(_Tag.ExtraSamples, _SHORT, _UNASSOCIATED_ALPHA)


def _kept_entries(exif: bytes, order: str) -> tuple[dict[int, bytes], bool]:
    """Return the entries of the first directory that may stay, by tag, and whether all of it could be read."""
    kept, whole = {}, True
    try:
        (start,) = struct.unpack_from(f"{order}I", exif, 4)
        (count,) = struct.unpack_from(f"{order}H", exif, start)
        for place in range(start + 2, start + 2 + 12 * count, 12):
            tag, kind, values, offset = struct.unpack_from(f"{order}HHII", exif, place)
            size = values * _SIZES.get(kind, 0)
            sound = 0 < size <= 4 or 0 < size <= len(exif) - offset
            whole &= sound
            if sound and _describes_picture(tag):
                kept[tag] = exif[place : place + 12]
    except struct.error:
        whole = False
    return kept, whole


def _describes_picture(tag: int) -> bool:
    """Tell whether a tag may stay: but for a few, TIFF's own say how samples are stored, and private ones do not."""
    return tag in PICTURE_TAGS or (tag >= _FIRST_PRIVATE and tag not in _PRIVATE_FILE_TAGS)
