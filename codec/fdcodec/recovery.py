"""Decoding what is intact of a damaged file, if the user asks for it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from fdcodec import codec, container
from fdcodec.errors import FdcError, FormatError, PartialWarning, damaged
from fdcodec.limits import MIN_TILE_SIZE
from fdcodec.words import counted, first_of, place_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fdcodec.aliases import Region
    from fdcodec.coding.settings import DecoderSettings
    from fdcodec.image.picture import Picture

_ADVISED_TILE = 256
"""Side of tiles that messages advise, so that damage costs only a part; less for smaller pictures."""


def decode_partially(
    data: bytes, region: Region | None, settings: DecoderSettings, reduce: int
) -> tuple[Picture, PartialWarning | None]:
    """Return a part of a picture and None; or, of a damaged file, what is intact of it and a warning of the rest.

    Parameters
    ----------
    data, region, settings, reduce
        As for `codec.decode_region`.

    Raises
    ------
    FormatError
        Nothing of the region is intact: the error of a whole decode. Other errors are those of `decode_region`.
    """
    try:
        return codec.decode_region(data, region, settings, reduce), None
    except FormatError as error:
        with suppress(FormatError):
            return _salvaged(data, region, settings, reduce)
        raise _explained(error, data) from None


def _explained(error: FormatError, data: bytes) -> FormatError:
    """Return the error; if the picture has one tile, with the reason why nothing can be recovered."""
    try:
        header = container.read_header(data)
    except FdcError:
        return error
    if header.tile_count > 1:
        return error
    side = min(_ADVISED_TILE, 1 << (max(header.width, header.height) - 1).bit_length() >> 1)  # below the picture's
    advice = f"; encode in tiles of side {side} (`tile`, --tile) to make it possible" if side >= MIN_TILE_SIZE else ""
    return type(error)(f"{error}; pictures of one tile cannot be recovered in part{advice}")


def _salvaged(
    data: bytes, region: Region | None, settings: DecoderSettings, reduce: int
) -> tuple[Picture, PartialWarning]:
    """Return what is intact of a part, and a warning of the rest; FormatError if nothing is."""
    file, unread, faults = container.salvage(data, max_pixels=settings.max_pixels)
    region = file.header.rectangle if region is None else region
    asked = file.header.tiles_in(region)
    lost = set(unread.intersection(asked))
    intact = [tile for tile in asked if tile not in lost]
    picture = codec.decode_tiles(file, intact, region, settings, reduce, lost.add)
    if len(lost) == len(asked):
        raise damaged("no tile is intact")
    missing = tuple(file.header.tile_rectangle(tile) for tile in sorted(lost))
    return picture, PartialWarning(loss_in_words(missing, len(asked), faults), missing)


def loss_in_words(missing: Sequence[Region], tiles: int, faults: Sequence[str]) -> str:
    """Return in one line which tiles are missing, of how many, and what else is damaged."""
    places = first_of([place_of(region) for region in missing])
    verb = "is" if len(missing) == 1 else "are"
    lost = f"{len(missing)} of {counted(tiles, 'tile')} {verb} missing and left at 0: {', '.join(places)}"
    return "; ".join(["damaged file", lost if places else "all tiles are there", *faults])
