"""Whether a file decodes, and to the right samples."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from fdcodec import container
from fdcodec.coding.settings import DecoderSettings
from fdcodec.decoding import checked_decoding
from fdcodec.errors import VerificationError, memory_as_limit
from fdcodec.limits import DEFAULT_MAX_PIXELS
from fdcodec.sources import Source, read_source

if TYPE_CHECKING:
    import os

    from fdcodec.image.picture import Picture
    from fdcodec.model import ClassModel


class Checked(NamedTuple):
    """What was checked, in words; what the file decodes to, None if it was not decoded; and whether it is lossless."""

    words: str
    picture: Picture | None = None
    lossless: bool = False


def check(
    data: Source,
    *,
    max_pixels: int = DEFAULT_MAX_PIXELS,
    threads: int = 1,
    transform: str | os.PathLike[str] | ClassModel | None = None,
) -> str:
    """Check that a file is intact, that it decodes, and that the samples have the hash that the file carries.

    ``encode(verify=True)`` stores that hash. `info` compares the checksums alone, and decodes nothing.

    Parameters
    ----------
    data, max_pixels, threads, transform
        As for `decode`.

    Returns
    -------
    str
        What was checked and is right, as `fdcodec check` says it: "structure, checksums and decoded samples", or of a
        file without a hash "structure, checksums and decoding".

    Raises
    ------
    VerificationError
        The decoded samples do not have the hash that the file carries.
    FdcError, OSError
        As for `decode`.
    """
    settings = checked_decoding(max_pixels=max_pixels, threads=threads, transform=transform, partial=False)
    return check_file(
        read_source(data), max_pixels=settings.max_pixels, threads=settings.threads, own=settings.own
    ).words


def with_pixel_hash(data: bytes, picture: Picture, own: ClassModel | None = None) -> bytes:
    """Decode a file that was just encoded and return it with the hash of its decoded samples in a `pHSH` chunk.

    `own` is the class model, where the file may name one that is not installed.

    Raises
    ------
    VerificationError
        The file does not decode to the shape and depth of `picture`, or not to its samples although it is lossless.
    """
    from fdcodec import codec

    pixels = picture.width * picture.height
    decoded, file = codec.decode(data, DecoderSettings(pixels, own=own)), container.read(data, max_pixels=pixels)
    same_kind = decoded.samples.shape == picture.samples.shape and decoded.depth == picture.depth
    if not same_kind or (file.header.lossless and decoded.samples.tobytes() != picture.samples.tobytes()):
        raise VerificationError("the encoded file does not decode to the image; please report this")
    return container.write(replace(file, pixel_hash=pixel_hash(decoded)))


def check_file(
    data: bytes,
    *,
    structure_only: bool = False,
    max_pixels: int = DEFAULT_MAX_PIXELS,
    threads: int = 1,
    own: ClassModel | None = None,
) -> Checked:
    """Check a file and return what was checked.

    Parameters
    ----------
    data
        Bytes of the file.
    structure_only
        Compare lengths and checksums only; nothing is decoded and numba is not imported.
    max_pixels
        Larger pictures are refused.
    threads
        Threads to decode with.
    own
        Class model for a file that names it.

    Raises
    ------
    VerificationError
        The decoded samples do not have the hash that the file carries.
    FdcError
        The file is damaged, too large, unsupported, or needs a class model that is not here.
    """
    with memory_as_limit():
        file = container.read(data, max_pixels=max_pixels)
        if structure_only:
            return Checked("structure and checksums")
        from fdcodec import codec

        decoded = codec.decode(data, DecoderSettings(max_pixels, threads, own))
        if file.pixel_hash is not None and pixel_hash(decoded) != file.pixel_hash:
            raise VerificationError("the decoded samples do not have the hash that the file carries")
    last = "decoding" if file.pixel_hash is None else "decoded samples"
    return Checked(f"structure, checksums and {last}", decoded, file.header.lossless)


def pixel_hash(picture: Picture) -> bytes:
    """Return the SHA-256 of the samples, row by row, channels interleaved, 16-bit ones little-endian (SPEC 2.3)."""
    samples = picture.samples
    return sha256(samples.astype(samples.dtype.newbyteorder("<"), copy=False).tobytes()).digest()
