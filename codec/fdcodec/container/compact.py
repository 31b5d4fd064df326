"""The compact form: one tile, no metadata, the model by reference; 19 bytes around a small payload (SPEC 2.5)."""

import zlib
from typing import Any

from fdcodec.container.bodies import COMPACT_HEADER, parse
from fdcodec.container.constants import COMPACT_REFERENCE_BYTES, COMPACT_SIGNATURE, CRC_BYTES, VERSION
from fdcodec.container.file import File, check_pixels, check_version
from fdcodec.container.header import Header
from fdcodec.errors import ChecksumError, TruncatedError, damaged
from fdcodec.words import counted

MAX_HEADER_BYTES = len(COMPACT_SIGNATURE) + 2 + 4 + 256 + COMPACT_REFERENCE_BYTES + 4


def write_compact(file: File) -> bytes:
    """Return the compact file of one payload."""
    header, (payload,), model_ref = file.header, file.payloads, file.model_ref
    fields = {
        "version": VERSION,
        "flags": {
            "long": len(payload) > 0xFFFF,
            "wide": max(header.width, header.height) > 0xFF,
            "named_model": model_ref is not None,
            "two_dimensional": header.two_dimensional,
            "lossless": header.lossless,
            "deep": header.depth == 16,
            "channels_minus_1": header.channels - 1,
        },
        "width": header.width,
        "height": header.height,
        "parameters": header.parameters,
        "reference": model_ref and model_ref[:COMPACT_REFERENCE_BYTES],
        "payload_length": len(payload),
    }
    covered = COMPACT_HEADER.build(fields) + payload
    return bytes(covered + zlib.crc32(covered).to_bytes(CRC_BYTES, "little"))


def read_compact(data: memoryview, max_pixels: int) -> File:
    """Parse a compact file; raises as `container.read` does."""
    header, fields, start = _parse_header(data)
    check_pixels(header, max_pixels)
    end = start + fields.payload_length
    if end + CRC_BYTES > len(data):
        raise damaged(f"the file ends {counted(end + CRC_BYTES - len(data), 'byte')} too early", TruncatedError)
    if end + CRC_BYTES < len(data):
        raise damaged(f"{counted(len(data) - end - CRC_BYTES, 'byte')} too many at the end of the file")
    if zlib.crc32(data[:end]) != int.from_bytes(data[end:], "little"):
        raise damaged("the checksum is wrong", ChecksumError)
    return File(header, (bytes(data[start:end]),), model_ref=fields.reference)


def read_compact_header(data: memoryview) -> Header:
    """Parse only the header of a compact file."""
    return _parse_header(data)[0]


def _parse_header(data: memoryview) -> tuple[Header, Any, int]:
    """Return the header, all fields before the payload, and the position of the payload."""
    if len(data) > len(COMPACT_SIGNATURE):
        check_version(data[len(COMPACT_SIGNATURE)])
    fields = parse(COMPACT_HEADER, bytes(data[:MAX_HEADER_BYTES]), "compact header")
    header = Header(
        width=fields.width,
        height=fields.height,
        channels=fields.flags.channels_minus_1 + 1,
        depth=16 if fields.flags.deep else 8,
        lossless=fields.flags.lossless,
        two_dimensional=fields.flags.two_dimensional,
        parameters=fields.parameters,
    )
    return header, fields, fields.payload_start
