"""The public functions: validate, then call the codec. Nothing here decides a bit."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, TypeAlias

from fdcodec import container
from fdcodec.arguments import checked_encoding, checked_region, is_true
from fdcodec.decoding import checked_decoding, decode_picture
from fdcodec.errors import EmbeddingWarning, memory_as_limit, warn_caller
from fdcodec.limits import DEFAULT_MAX_PIXELS
from fdcodec.sources import Source, read_source

if TYPE_CHECKING:
    from PIL import Image

    from fdcodec.aliases import Region, Samples
    from fdcodec.image.picture import Picture
    from fdcodec.model import ClassModel

Transform: TypeAlias = "str | os.PathLike[str] | ClassModel"


def encode(
    image: Samples | Image.Image | Picture,
    *,
    quality: float | None = None,
    psnr_db: float | None = None,
    bpp: float | None = None,
    size_bytes: int | None = None,
    lossless: bool | Literal["auto"] = "auto",
    transform: Transform = "auto",
    embed: bool | Literal["auto"] = "auto",
    effort: int = 5,
    threads: int = 1,
    tile: int | None = None,
    sparsity: int | None = None,
    tune: Literal["psnr", "visual"] = "psnr",
    exif: bytes | None = None,
    xmp: bytes | None = None,
    icc: bytes | None = None,
    verify: bool = False,
) -> bytes:
    """Encode an image; give at most one of `quality`, `psnr_db`, `bpp`, `size_bytes` and ``lossless=True``.

    Parameters
    ----------
    image
        Array of shape ``(height, width)`` or ``(height, width, 1..4)``, uint8 or uint16, any strides and byte order;
        or a Pillow image. Two channels are gray and alpha, four are RGB and alpha.
    quality
        0 (smallest file) to 100 (finest), for 16-bit samples relative to their range; 75 if no target is given.
    psnr_db
        PSNR over all samples in dB, with the peak 255 or 65535; met within 0.1 if possible, by at most eight encodes.
    bpp, size_bytes
        Largest size of the whole file, in bits per pixel or in bytes. If possible, at least 97 % of it is filled, by at
        most eight encodes.
    lossless
        True keeps every sample exactly; `transform`, `embed`, `effort`, `sparsity` and `tune` then keep their defaults.
        With "auto" a drawn picture is kept so where that takes no more bytes, or fits a size; not with `psnr_db`,
        `transform`, `embed`, `sparsity`, or an effort below 4. False never keeps it so.
    transform
        "auto", the name of a preset, the path of an ``.fdt`` file, or a class model.
    embed
        Whether the file carries the class model (True) or only its hash (False). "auto" names presets by their hash,
        and stores a model that was learned from a preset as its difference from that. With False keep the model:
        `decode` takes it as `transform`, or finds it in a directory of FDCODEC_MODEL_PATH.
    effort
        1 (fastest) to 9 (smallest file).
    threads
        Threads to encode tiles with, or to try class models with; 0 is one per processor. The bytes do not depend on
        it.
    tile
        Side of the tiles that can be decoded alone, in pixels, 16..65535; None lets the size of the image decide.
    sparsity
        Largest number of coefficients kept in a block (T_s of the paper); None sets no limit.
    tune
        "psnr" for the least squared error; "visual" for pictures that people look at: smooth parts get finer steps,
        busy ones and fine detail, which hide errors, coarser ones. Screen content is coded the same.
    exif, xmp, icc
        Metadata to store. None keeps that of a Pillow image (of a TIFF, the tags that describe the picture as Pillow
        loads it); empty bytes leave it out.
    verify
        Decode the result and store the hash of the decoded samples in the file, for `fdcodec check`.

    Returns
    -------
    bytes
        The whole ``.fdc`` file.

    Raises
    ------
    ParameterError
        An argument is outside what is allowed.
    LimitError
        A side is above 65535, or a block of metadata above 16 MiB; or memory is too little.
    UnsupportedError
        The image has samples that the format does not hold.
    TransformNotFoundError, OSError
        No preset and no installed model has that name, or the ``.fdt`` file is not there; it cannot be read.
    VerificationError
        With `verify`: the file does not decode to what was encoded.

    Warns
    -----
    TargetWarning
        The PSNR or the size cannot be reached. The nearest file is returned: for a PSNR a finer one if it is no larger,
        for too small a size the smallest. `kept` of the warning is True if a size cannot be filled, or if the file has
        no error and so a higher PSNR.
    ConversionWarning
        Colours of a Pillow image are converted to RGB; or other frames, a transparent value of 16 bits, texts, or
        metadata that are damaged or have no place are left out.
    EmbeddingWarning
        With `embed=False`: the class model is not where `decode` would find it here.
    """
    from fdcodec.image.arrays import as_picture
    from fdcodec.model.embedding import absence
    from fdcodec.targets import encode_to_target

    with memory_as_limit():
        picture = as_picture(image, exif=exif, xmp=xmp, icc=icc, lossless=is_true(lossless))
        settings, target = checked_encoding(
            quality=quality,
            psnr_db=psnr_db,
            bpp=bpp,
            size_bytes=size_bytes,
            lossless=lossless,
            transform=transform,
            embed=embed,
            effort=effort,
            threads=threads,
            tile=tile,
            sparsity=sparsity,
            tune=tune,
            verify=verify,
        )
        absent = absence(transform, "the file") if settings.embed is False else ""
        encoded = encode_to_target(picture, settings, target)
    if encoded.miss is not None:
        warn_caller(encoded.miss)
    if absent:
        warn_caller(EmbeddingWarning(absent))
    return encoded.data


def decode(
    data: Source,
    *,
    max_pixels: int = DEFAULT_MAX_PIXELS,
    threads: int = 1,
    transform: Transform | None = None,
    partial: bool = False,
    reduce: int = 1,
) -> Samples:
    """Decode a file to an array.

    Parameters
    ----------
    data
        The bytes of an ``.fdc`` file, also as an array of uint8, its path, or a binary file open for reading.
    max_pixels
        Larger pictures are refused before memory is allocated for them.
    threads
        Threads to decode tiles with; 0 is one per processor. The samples do not depend on it.
    transform
        Class model for files that name one that is not installed: the path of an ``.fdt`` file, or a model.
    partial
        Decode the intact tiles of a damaged file of several tiles; samples of the others are 0.
    reduce
        Divide width and height by this, 1..64. Each sample is the mean of a square of this side, rounded half up;
        squares at the right and bottom edge may be smaller. Each channel is averaged by itself, alpha too. Memory grows
        with what is returned and one tile per thread; `max_pixels` bounds the picture at full size.

    Returns
    -------
    array
        uint8 or uint16, C-contiguous, of the shape that was encoded: ``(height, width)`` or
        ``(height, width, channels)``; with `reduce` height and width are divided and rounded up. Orientation in the
        EXIF block is not applied.

    Raises
    ------
    FormatError
        Not an ``.fdc`` file; TruncatedError where it ends too early, ChecksumError where it is damaged.
    LimitError
        The picture is above `max_pixels`, or above the memory that is free.
    UnsupportedError
        A newer version of the format, or a feature this release does not know.
    TransformNotFoundError
        The file names a class model that is not installed here, or `transform` a file that is not there.
    OSError
        A named file is not there, or cannot be read.

    Warns
    -----
    PartialWarning
        With `partial`: something is damaged. Its `missing` are the rectangles that could not be decoded, at full size.
    """
    settings = checked_decoding(max_pixels=max_pixels, threads=threads, transform=transform, partial=partial)
    return decode_picture(data, settings, reduce=reduce).array


def decode_region(
    data: Source,
    region: Region,
    *,
    max_pixels: int = DEFAULT_MAX_PIXELS,
    threads: int = 1,
    transform: Transform | None = None,
    partial: bool = False,
    reduce: int = 1,
) -> Samples:
    """Decode a rectangle: the same samples as ``decode(data)[y : y + h, x : x + w]``, from the tiles it touches only.

    Parameters
    ----------
    region
        ``(x, y, width, height)`` in pixels, inside the picture.
    data, max_pixels, threads, transform, partial, reduce
        As for `decode`. The limit bounds the whole picture, damage in other tiles is not noticed, and the squares of
        `reduce` begin at the top left corner of the rectangle.

    Raises
    ------
    ParameterError
        The region is empty or not inside the picture.
    FdcError
        As for `decode`.
    """
    settings = checked_decoding(max_pixels=max_pixels, threads=threads, transform=transform, partial=partial)
    return decode_picture(data, settings, checked_region(region), reduce).array


def read_header(data: Source) -> container.Header:
    """Return the header of a file; no pixel is decoded, and the file may end after its header.

    Parameters
    ----------
    data
        As for `decode`.

    Raises
    ------
    FormatError, LimitError, UnsupportedError
        As for `decode`.
    """
    return container.read_header(read_source(data))
