"""The parts of an `.fdc` file, whichever of the two forms it has."""

from dataclasses import dataclass
from typing import NamedTuple

from fdcodec.container.constants import VERSION
from fdcodec.container.header import Header
from fdcodec.errors import LimitError, UnsupportedError


class Metadata(NamedTuple):
    """Opaque blocks that travel with the picture; None where there is none."""

    exif: bytes | None = None
    xmp: bytes | None = None
    icc: bytes | None = None

    @property
    def size_bytes(self) -> int:
        """Size of all blocks together."""
        return sum(len(block or b"") for block in self)


NO_METADATA = Metadata()


@dataclass(frozen=True)
class File:
    """The parts of a file; of one that was read, every length is bounded and every checksum compared.

    Parameters
    ----------
    header
        The picture header.
    payloads
        Entropy-coded bytes, one for each tile in order; empty for tiles that were not asked for.
    model_ref
        SHA-256 of the class model's canonical bytes, or its first bytes if the file was read; None if none is named.
    model_bytes
        The embedded class model (SPEC 7), or None; at most one of the two is there.
    metadata
        EXIF, XMP and ICC.
    pixel_hash
        SHA-256 of the decoded samples, or None.
    chunks
        Type and body length of each chunk, in file order; empty for the compact form.
    """

    header: Header
    payloads: tuple[bytes, ...]
    model_ref: bytes | None = None
    model_bytes: bytes | None = None
    metadata: Metadata = NO_METADATA
    pixel_hash: bytes | None = None
    chunks: tuple[tuple[str, int], ...] = ()


def check_version(version: int) -> None:
    """Refuse a version that this release does not know (SPEC 2.2)."""
    if version > VERSION:
        raise UnsupportedError(f"the file has format version {version}; this release reads up to {VERSION}, update it")


def check_pixels(header: Header, max_pixels: int) -> None:
    """Refuse a picture larger than the caller allows, before anything is allocated for it."""
    if header.pixels > max_pixels:
        raise LimitError(
            f"the picture is {header.width}x{header.height}, above the limit of {max_pixels} pixels; raise max_pixels"
        )
