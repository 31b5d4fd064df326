"""Decoding by unchecked arguments, as the library and the command have it in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fdcodec.arguments import MAX_REDUCE, check_flags, check_integers, checked_region, checked_threads, resolved
from fdcodec.coding.settings import DecoderSettings
from fdcodec.errors import memory_as_limit, warn_caller
from fdcodec.limits import MAX_SIDE
from fdcodec.sources import Source, read_source

if TYPE_CHECKING:
    import os

    from fdcodec.aliases import Region
    from fdcodec.errors import PartialWarning
    from fdcodec.image.picture import Picture
    from fdcodec.model import ClassModel


def checked_decoding(
    *, max_pixels: int, threads: int, transform: str | os.PathLike[str] | ClassModel | None, partial: bool
) -> DecoderSettings:
    """Return the settings of a decode, from the arguments of `fdcodec.decode` that all of its regions share.

    Raises
    ------
    ParameterError
        An argument is outside what is allowed. Other errors are those of a class model that is not there.
    """
    check_flags(partial=partial)
    check_integers(max_pixels=(max_pixels, 1, MAX_SIDE**2))
    threads = checked_threads(threads)
    return DecoderSettings(int(max_pixels), threads, None if transform is None else resolved(transform), bool(partial))


def decode_picture(data: Source, settings: DecoderSettings, region: Region | None = None, reduce: int = 1) -> Picture:
    """Decode a file, or a rectangle of it, to its samples and metadata; arguments and errors as for `decode_region`."""
    picture, loss = picture_and_loss(data, settings, region, reduce)
    if loss is not None:
        warn_caller(loss)
    return picture


def picture_and_loss(
    data: Source, settings: DecoderSettings, region: Region | None, reduce: int
) -> tuple[Picture, PartialWarning | None]:
    """Return what `decode_picture` does and, in the place of its warning, what is missing."""
    from fdcodec import codec
    from fdcodec.recovery import decode_partially

    check_integers(reduce=(reduce, 1, MAX_REDUCE))
    region = None if region is None else checked_region(region)
    with memory_as_limit():
        if not settings.partial:
            return codec.decode_region(read_source(data), region, settings, int(reduce)), None
        return decode_partially(read_source(data), region, settings, int(reduce))
