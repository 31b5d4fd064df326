"""Decoding by unchecked arguments, as the library and the command have it in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fdcodec import codec
from fdcodec.arguments import check_flags, check_integers, checked_region, checked_threads, resolved
from fdcodec.errors import PartialWarning
from fdcodec.limits import MAX_SIDE
from fdcodec.recovery import decode_partially
from fdcodec.sources import Source, read_source

if TYPE_CHECKING:
    import os

    from fdcodec.image.picture import Picture
    from fdcodec.model import ClassModel


def picture_and_loss(
    data: Source,
    region: codec.Region | None,
    *,
    max_pixels: int,
    threads: int,
    transform: str | os.PathLike[str] | ClassModel | None,
    partial: bool,
) -> tuple[Picture, PartialWarning | None]:
    """Return what `decode_picture` does and, in the place of its warning, what is missing."""
    check_flags(partial=partial)
    check_integers(max_pixels=(max_pixels, 1, MAX_SIDE**2))
    threads = checked_threads(threads)
    if region is not None:
        region = checked_region(region)
    model = None if transform is None else resolved(transform)
    content = read_source(data)
    if not partial:
        return codec.decode_region(content, region, max_pixels, threads, model), None
    picture, loss = decode_partially(content, region, max_pixels, threads, model)
    return picture, None if loss is None else PartialWarning(loss.message, loss.missing)
