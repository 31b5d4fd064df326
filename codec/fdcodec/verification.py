"""Whether a file decodes, and to what it should."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from math import inf, isfinite
from typing import TYPE_CHECKING, NamedTuple

from fdcodec import container
from fdcodec.coding.settings import DecoderSettings
from fdcodec.errors import VerificationError
from fdcodec.limits import DEFAULT_MAX_PIXELS
from fdcodec.words import counted

if TYPE_CHECKING:
    from fdcodec.image.picture import Picture
    from fdcodec.model import ClassModel


class Checked(NamedTuple):
    """What was checked, in words, and the PSNR against the original: infinite for equal samples, None without one."""

    words: str
    psnr_db: float | None = None


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
    original: Picture | None = None,
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
    original
        What the decoded samples are compared with, too.

    Raises
    ------
    VerificationError
        The decoded samples do not have the hash that the file carries; or are of another size or kind than those of
        the original, or not equal to them although the file is lossless.
    FdcError
        The file is damaged, too large, unsupported, or needs a class model that is not here.
    """
    file = container.read(data, max_pixels=max_pixels)
    if structure_only:
        return Checked("structure and checksums")
    from fdcodec import codec

    decoded = codec.decode(data, DecoderSettings(max_pixels, threads, own))
    if file.pixel_hash is not None and pixel_hash(decoded) != file.pixel_hash:
        raise VerificationError("the decoded samples do not have the hash that the file carries")
    words = f"structure, checksums and {'decoding' if file.pixel_hash is None else 'decoded samples'}"
    if original is None:
        return Checked(words)
    psnr_db = _psnr_against(original, decoded, file.header.lossless)
    found = f"{psnr_db:.2f} dB against" if isfinite(psnr_db) else "equal to"
    return Checked(f"{words}; {found} the original", psnr_db)


def _psnr_against(original: Picture, decoded: Picture, lossless: bool) -> float:
    """Return the PSNR of decoded samples, infinite where they are equal to the original's, as lossless ones must be."""
    from fdcodec.image.psnr import psnr

    if (original.samples.shape, original.depth) != (decoded.samples.shape, decoded.depth):
        kinds = f"the file holds {_kind_of(decoded)}, the original is {_kind_of(original)}"
        raise VerificationError(f"{kinds}; name the image that the file was made from")
    if (original.samples == decoded.samples).all():
        return inf
    psnr_db = psnr(original.samples, decoded.samples)
    if lossless:
        differs = f"the file is lossless, but not equal to the original: {psnr_db:.2f} dB"
        raise VerificationError(f"{differs}; name the image that it was made from, or encode that anew")
    return psnr_db


def _kind_of(picture: Picture) -> str:
    return f"{picture.width}x{picture.height}, {counted(picture.channels, 'channel')} of {picture.depth} bits"


def pixel_hash(picture: Picture) -> bytes:
    """Return the SHA-256 of the samples, row by row, channels interleaved, 16-bit ones little-endian (SPEC 2.3)."""
    samples = picture.samples
    return sha256(samples.astype(samples.dtype.newbyteorder("<"), copy=False).tobytes()).digest()
