"""Files that no encoder writes, for clauses of docs/spec of which the golden files allow a wrong reading.

Two sorts: symbols drawn at random by a decoder whose range decoder chose and encoded them, and damaged payloads behind
a random class model or a parent. Each catches a decoder that got one of its clauses wrong and passed the golden files;
`forged.json` is their manifest.
"""

import json
from pathlib import Path
from typing import NamedTuple

FORGED_FILES = Path(__file__).parent / "forged"
MANIFEST = Path(__file__).parent / "forged.json"


class Forgery(NamedTuple):
    """One file of the manifest: what it tests, and the digest of its samples."""

    clauses: list[str]
    sha256_pixels: str


def forgeries() -> dict[str, Forgery]:
    """Return the manifest."""
    return {name: Forgery(**entry) for name, entry in json.loads(MANIFEST.read_text()).items()}


def forged(name: str) -> bytes:
    """Return a stored file."""
    return (FORGED_FILES / f"{name}.fdc").read_bytes()
