"""encode() and decode(): the stages, in order. What not every call needs is imported where one does."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fdcodec import container
from fdcodec.aliases import Region, Samples
from fdcodec.coding.settings import DecoderSettings, EncoderSettings
from fdcodec.container.file import check_pixels
from fdcodec.container.header import Header
from fdcodec.errors import FormatError, LimitError, damaged
from fdcodec.filtering.post import best_strengths
from fdcodec.format.parameters import Parameters
from fdcodec.image.canvas import Canvas
from fdcodec.image.picture import Picture
from fdcodec.limits import MAX_METADATA_BYTES
from fdcodec.model import ClassModel
from fdcodec.model.embedding import embedding, model_of
from fdcodec.model.registry import is_preset
from fdcodec.parallel import each
from fdcodec.tiles import decode_tile, encode_alpha, encode_colours, encode_exactly, join_alpha
from fdcodec.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

T = TypeVar("T")

_DEFAULTS = DecoderSettings()
LARGE_TILE = 1024  # side of the tiles of a picture that is larger than two of them


class CodedPicture(NamedTuple):
    """A picture coded with one class model: its payloads, and its errors by filter strength."""

    model: ClassModel
    payloads: list[bytes]
    errors: NDArray[np.float64]


def encode(picture: Picture, settings: EncoderSettings) -> bytes:
    """Return the file of a picture (SPEC 2 to 6)."""
    from fdcodec.choice import choose_models, choose_parameters, total_cost

    if settings.lossless is True:
        return _encode_lossless(picture, settings)
    metadata = _metadata_of(picture)
    parameters = choose_parameters(picture.samples, settings)
    header = header_of(picture, settings)
    models = choose_models(picture.samples, settings, parameters)
    code = partial(_encode_with, picture=picture, header=header, parameters=parameters, settings=settings)
    model, payloads, errors = min(
        each(code, models, settings.threads if header.tile_count == 1 else 1),
        key=lambda coded: total_cost(coded.errors, sum(map(len, coded.payloads)), parameters.step_index),
    )
    if header.channels in (2, 4):
        alpha = _over_tiles(header, settings, partial(encode_alpha, depth=picture.depth), picture)
        payloads = list(map(join_alpha, payloads, alpha))
    header = replace(header, parameters=replace(parameters, strengths=best_strengths(errors)).to_bytes())
    embeds = not is_preset(model) if settings.embed == "auto" else settings.embed
    model_ref, model_bytes = (None, embedding(model, settings.embed)) if embeds else (model.hash, None)
    return container.write(container.File(header, tuple(payloads), model_ref, model_bytes, metadata))


def decode(data: bytes, settings: DecoderSettings = _DEFAULTS) -> Picture:
    """Return the picture of a file (SPEC 2 to 6)."""
    return decode_region(data, None, settings)


def decode_region(data: bytes, region: Region | None, settings: DecoderSettings, reduce: int = 1) -> Picture:
    """Return the part (x, y, width, height) of a picture, None for all: the tiles it touches, decoded and cut.

    `reduce` is as of a `Canvas`.
    """
    wanted = None if region is None else _tiles_in(data, region, settings.max_pixels)
    file = container.read(data, tiles=wanted, max_pixels=settings.max_pixels)
    region = file.header.rectangle if region is None else region
    return decode_tiles(file, file.header.tiles_in(region), region, settings, reduce)


def _tiles_in(data: bytes, region: Region, max_pixels: int) -> set[int]:
    """Return the numbers of the tiles of a file that a part of its picture touches."""
    header = container.read_header(data)
    check_pixels(header, max_pixels)
    return set(header.tiles_in(region))


def decode_tiles(
    file: container.File,
    tiles: Sequence[int],
    region: Region,
    settings: DecoderSettings,
    reduce: int,
    refused: Callable[[int], None] | None = None,
) -> Picture:
    """Return the part (x, y, width, height) of a picture as far as some of its tiles cover it; elsewhere it is 0.

    A tile whose payload is damaged is a FormatError, or is left at 0 and told to `refused`. Without the memory for it
    a LimitError says what takes less.
    """
    header = file.header
    model, parameters = _model_and_parameters(file, settings)
    x, y, width, height = region

    def decode_into(tile: int, canvas: Canvas) -> None:
        tile_x, tile_y, tile_width, tile_height = header.tile_rectangle(tile)
        shape = (tile_height, tile_width, header.channels)
        try:
            part = decode_tile(file.payloads[tile], shape, header.depth, model, parameters)
        except FormatError:
            if refused is None:
                raise
            refused(tile)
        else:
            canvas.add(part, tile_x - x, tile_y - y)

    with _memory_for(header):
        canvas = Canvas((height, width, header.channels), header.depth, reduce)
        list(each(partial(decode_into, canvas=canvas), tiles, settings.threads))
        samples = canvas.samples()
    return Picture(samples, *file.metadata, two_dimensional=header.two_dimensional)


def _model_and_parameters(
    file: container.File, settings: DecoderSettings
) -> tuple[ClassModel | None, Parameters | None]:
    """Return the class model and the coding parameters of a file; a lossless one has neither (SPEC 3.1)."""
    header = file.header
    if not header.lossless:
        return model_of(file, settings.own), Parameters.from_bytes(header.parameters, header.depth)
    if header.parameters:
        given = counted(len(header.parameters), "byte")
        raise damaged(f"coding parameters: {given}, expected none in a lossless picture")
    return None, None


@contextmanager
def _memory_for(header: Header) -> Iterator[None]:
    """Make a LimitError, with what to do, of a MemoryError in decoding a picture."""
    try:
        yield
    except MemoryError as error:
        size = f"{header.width}x{header.height} pixels of {counted(header.channels, 'channel')}"
        less = ", or decode a region, or with reduce=4" if header.tile_count > 1 else ": its one tile is decoded whole"
        raise LimitError(f"too little memory to decode {size}; make some free{less}") from error


def _encode_with(
    model: ClassModel, picture: Picture, header: Header, parameters: Parameters, settings: EncoderSettings
) -> CodedPicture:
    """Return the tiles of a picture coded with one model."""
    code_tile = partial(encode_colours, model=model, parameters=parameters, settings=settings)
    tiles = _over_tiles(header, settings, code_tile, picture)
    return CodedPicture(model, [payload for payload, _ in tiles], np.sum([errors for _, errors in tiles], axis=0))


def _encode_lossless(picture: Picture, settings: EncoderSettings) -> bytes:
    header, metadata = header_of(picture, settings), _metadata_of(picture)
    payloads = _over_tiles(header, settings, partial(encode_exactly, depth=picture.depth), picture)
    return container.write(container.File(header, tuple(payloads), metadata=metadata))


def header_of(picture: Picture, settings: EncoderSettings) -> Header:
    """Return the header of a picture's file, without coding parameters."""
    tile = settings.tile or (LARGE_TILE if max(picture.width, picture.height) > 2 * LARGE_TILE else 0)
    return Header(
        width=picture.width,
        height=picture.height,
        channels=picture.channels,
        depth=picture.depth,
        lossless=settings.lossless is True,
        two_dimensional=picture.two_dimensional,
        tile_size=tile,
    )


def _over_tiles(
    header: Header, settings: EncoderSettings, code_tile: Callable[[Samples], T], picture: Picture
) -> list[T]:
    """Encode each tile, some of them at a time."""

    def parts() -> Iterable[Samples]:
        for index in range(header.tile_count):
            x, y, width, height = header.tile_rectangle(index)
            yield picture.samples[y : y + height, x : x + width]

    encoded = []
    for part in each(code_tile, parts(), settings.threads if header.tile_count > 1 else 1):
        encoded.append(part)
        settings.progress(len(encoded), header.tile_count)
    return encoded


def _metadata_of(picture: Picture) -> container.Metadata:
    """Return the metadata of a picture; LimitError if a block is too large. Called before samples are coded."""
    metadata = container.Metadata(picture.exif, picture.xmp, picture.icc)
    for name, block in metadata._asdict().items():
        if len(block or b"") > MAX_METADATA_BYTES:
            raise LimitError(
                f"{name.upper()} of {len(block)} bytes is above the limit of {MAX_METADATA_BYTES}; leave it out, by "
                f'--metadata or {name}=b""'
            )
    return metadata
