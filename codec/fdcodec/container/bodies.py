"""The bodies of the chunks, declared: field by field in the order and the names of SPEC 2.4 and 2.5.

Only these small fixed structures use construct. Lengths, bounds and checksums are checked by hand (`chunks.py`), as
construct's repeaters hide truncation, and its compiled parsers are not for untrusted bytes.
"""

from typing import Any

from construct import (
    BitsInteger,
    BitStruct,
    Bytes,
    Const,
    Construct,
    ConstructError,
    Flag,
    GreedyBytes,
    If,
    IfThenElse,
    Int8ul,
    Int16ul,
    Int32ul,
    Prefixed,
    StreamError,
    Struct,
    Tell,
    Terminated,
    this,
)

from fdcodec.container.constants import COMPACT_REFERENCE_BYTES, COMPACT_SIGNATURE
from fdcodec.errors import TruncatedError, damaged

PICTURE_HEADER = Struct(
    "version" / Int8ul,
    "flags" / BitStruct("reserved" / BitsInteger(6), "two_dimensional" / Flag, "lossless" / Flag),
    "channels" / Int8ul,
    "depth" / Int8ul,
    "width" / Int32ul,
    "height" / Int32ul,
    "tile_size" / Int16ul,
    "parameters" / Prefixed(Int8ul, GreedyBytes),
    Terminated,
)
"""Body of `FHDR` (SPEC 2.4)."""

_SIDE = IfThenElse(this.flags.wide, Int16ul, Int8ul)

COMPACT_HEADER = Struct(
    Const(COMPACT_SIGNATURE),
    "version" / Int8ul,
    "flags"
    / BitStruct(
        "long" / Flag,
        "wide" / Flag,
        "named_model" / Flag,
        "two_dimensional" / Flag,
        "lossless" / Flag,
        "deep" / Flag,
        "channels_minus_1" / BitsInteger(2),
    ),
    "width" / _SIDE,
    "height" / _SIDE,
    "parameters" / Prefixed(Int8ul, GreedyBytes),
    "reference" / If(this.flags.named_model, Bytes(COMPACT_REFERENCE_BYTES)),
    "payload_length" / IfThenElse(this.flags.long, Int32ul, Int16ul),
    "payload_start" / Tell,
)
"""Everything of the compact form before its payload (SPEC 2.5)."""


def parse(structure: Construct, data: bytes, name: str) -> Any:
    """Return the fields of a structure at the start of `data`; `name` is for errors.

    Raises
    ------
    TruncatedError
        `data` ends inside the structure.
    FormatError
        Bytes are left over.
    """
    try:
        return structure.parse(data)
    except StreamError as error:
        raise damaged(f"{name}: the bytes end inside it", TruncatedError) from error
    except ConstructError as error:
        raise damaged(f"{name}: bytes follow its last field") from error
