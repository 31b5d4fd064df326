"""What Pillow does not tell about a JPEG 2000: its samples, and what stands beside them (ISO 15444-1, A and I)."""

from collections.abc import Iterator

from PIL import Image

_SIGNATURE = b"jP  "  # type of the first box, where there is more than a codestream
_ENUMERATED = 1  # method of a colour specification that has no profile
_BOXES = {b"xml ": "XML", b"asoc": "labels (asoc)"}
_UUIDS = {
    bytes.fromhex("BE7ACFCB97A942E89C71999491E3AFAC"): "XMP",
    bytes.fromhex("B14BF8BD083D4B43A5AE8CD7D5A6CE03"): "the place on the map (GeoJP2)",
    b"JpgTiffExif->JP2": "EXIF",
}


def components(image: Image.Image, data: bytes) -> list[tuple[int, bool]]:
    """Return bits and sign of each component, from the SIZ marker: a byte each, followed by two others."""
    _, _, behind = data.partition(b"\xff\x4f\xff\x51")
    stored = behind[38 : 38 + 3 * len(image.getbands()) : 3]
    return [((component & 0x7F) + 1, component > 0x7F) for component in stored]


def left_out(data: bytes) -> list[str]:
    """Return what a file holds that Pillow does not read: a profile, metadata, labels; each once."""
    if data[4:8] != _SIGNATURE:
        return []
    outer = _boxes(memoryview(data))
    boxes = (box for kind, content in outer for box in (_boxes(content) if kind == b"jp2h" else [(kind, content)]))
    return list(dict.fromkeys(filter(None, (_named(*box) for box in boxes))))


def _named(kind: bytes, content: memoryview) -> str:
    """Return what a box holds that Pillow does not read; empty if that is nothing."""
    if kind == b"colr":
        return "" if content[:1] == bytes([_ENUMERATED]) else "ICC"
    if kind == b"uuid":
        return _UUIDS.get(bytes(content[:16]), "others (uuid)")
    return _BOXES.get(kind, "")


def _boxes(data: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    """Yield type and content of each box; a length of 0 means all that is left, and behind one of 1 stands the length.

    What is no box is the end.
    """
    while len(data) >= 8:
        length, kind, start = int.from_bytes(data[:4], "big"), bytes(data[4:8]), 8
        if length == 1:
            length, start = int.from_bytes(data[8:16], "big"), 16
        end = length or len(data)
        if end < start:
            return
        yield kind, data[start:end]
        data = data[end:]
