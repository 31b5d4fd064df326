"""Files that a decoder must refuse: golden files, each with an edit that breaks one rule of docs/spec.

`refused.json` is their manifest. An edit has the place and what stands there before and after it, in hexadecimal:

- ``compact``: a byte of a compact file, whose checksum is computed anew;
- ``chunk`` and ``at``: the number of a chunk and a byte of its body, whose length and checksum are computed anew;
- ``chunks``: the number of a chunk, from where on whole chunks are exchanged, each as its type and its body;
- ``byte``: a byte of the file, and nothing is computed anew.
"""

import json
import struct
import zlib
from pathlib import Path
from typing import Any, NamedTuple

from tests.golden.cases import stored

REFUSED_FILES = Path(__file__).parent / "refused"
MANIFEST = Path(__file__).parent / "refused.json"
SIGNATURE_BYTES = 8

Edit = dict[str, Any]


class Refusal(NamedTuple):
    """One file of the manifest."""

    clause: str
    fault: str
    refused_as: str
    made_from: str
    edits: list[Edit]


class Chunk(NamedTuple):
    """Type and body of a chunk."""

    kind: bytes
    body: bytes

    @classmethod
    def of_text(cls, text: str) -> "Chunk":
        """Return a chunk that an edit gives as type and hexadecimal body."""
        kind, _, body = text.partition(" ")
        return cls(kind.encode(), bytes.fromhex(body))

    @property
    def framed(self) -> bytes:
        """The bytes in the file."""
        covered = self.kind + self.body
        return struct.pack("<I", len(self.body)) + covered + struct.pack("<I", zlib.crc32(covered))


def refusals() -> dict[str, Refusal]:
    """Return the manifest."""
    return {name: Refusal(**entry) for name, entry in json.loads(MANIFEST.read_text()).items()}


def refused(name: str) -> bytes:
    """Return a stored file that must be refused."""
    return (REFUSED_FILES / f"{name}.fdc").read_bytes()


def made_refused(refusal: Refusal) -> bytes:
    """Return the file that the manifest describes."""
    data = stored(refusal.made_from)[0]
    for edit in refusal.edits:
        data = edited(data, edit)
    return data


def undone(data: bytes, refusal: Refusal) -> bytes:
    """Return a refused file without its edits: the golden file."""
    for edit in reversed(refusal.edits):
        data = edited(data, edit | {"was": edit["now"], "now": edit["was"]})
    return data


def edited(data: bytes, edit: Edit) -> bytes:
    """Return a file after an edit."""
    match edit:
        case {"byte": at}:
            return _replaced(data, at, edit)
        case {"compact": at}:
            covered = _replaced(data[:-4], at, edit)
            return covered + struct.pack("<I", zlib.crc32(covered))
    chunks = split(data)
    match edit:
        case {"chunk": number, "at": at}:
            chunks[number] = chunks[number]._replace(body=_replaced(chunks[number].body, at, edit))
        case {"chunks": number, "was": was, "now": now}:
            end = number + len(was)
            _check(chunks[number:end], [Chunk.of_text(text) for text in was])
            chunks[number:end] = [Chunk.of_text(text) for text in now]
    return data[:SIGNATURE_BYTES] + b"".join(chunk.framed for chunk in chunks)


def split(data: bytes) -> list[Chunk]:
    """Return the chunks of a chunked file, whose lengths must be right."""
    chunks, position = [], SIGNATURE_BYTES
    while position < len(data):
        end = position + 8 + struct.unpack_from("<I", data, position)[0]
        chunks.append(Chunk(data[position + 4 : position + 8], data[position + 8 : end]))
        position = end + 4
    return chunks


def _replaced(data: bytes, at: int, edit: Edit) -> bytes:
    was, now = bytes.fromhex(edit["was"]), bytes.fromhex(edit["now"])
    _check(data[at : at + len(was)], was)
    return data[:at] + now + data[at + len(was) :]


def _check(found: Any, expected: Any) -> None:
    if found != expected:
        raise ValueError(f"there is {found!r} where the edit has {expected!r}")
