"""Decoding by unchecked arguments, as the library and the command have it in common."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from fdcodec import codec
from fdcodec.arguments import MAX_REDUCE, check_flags, check_integers, checked_region, checked_threads, resolved
from fdcodec.errors import PartialWarning
from fdcodec.limits import MAX_SIDE
from fdcodec.recovery import decode_partially
from fdcodec.sources import Source, read_source

if TYPE_CHECKING:
    import os

    from fdcodec.image.picture import Picture
    from fdcodec.model import ClassModel


def decode_picture(data: Source, region: codec.Region | None = None, **options: Any) -> Picture:
    """Decode a file, or a rectangle of it, to its samples and metadata; arguments and errors as for `decode_region`.

    The warning of a decode in part points at the caller of the function that calls this.
    """
    picture, loss = picture_and_loss(data, region, **options)
    if loss is not None:
        warnings.warn(loss, stacklevel=3)
    return picture


def picture_and_loss(
    data: Source,
    region: codec.Region | None,
    *,
    max_pixels: int,
    threads: int,
    transform: str | os.PathLike[str] | ClassModel | None,
    partial: bool,
    reduce: int,
) -> tuple[Picture, PartialWarning | None]:
    """Return what `decode_picture` does and, in the place of its warning, what is missing."""
    check_flags(partial=partial)
    check_integers(max_pixels=(max_pixels, 1, MAX_SIDE**2), reduce=(reduce, 1, MAX_REDUCE))
    threads, reduce = checked_threads(threads), int(reduce)
    if region is not None:
        region = checked_region(region)
    model = None if transform is None else resolved(transform)
    content = read_source(data)
    if not partial:
        return codec.decode_region(content, region, max_pixels, threads, model, reduce), None
    picture, loss = decode_partially(content, region, max_pixels, threads, model, reduce)
    return picture, None if loss is None else PartialWarning(loss.message, loss.missing)
