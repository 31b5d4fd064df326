"""encode() and decode(): the stages, in order. What not every call needs is imported where one does."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fdcodec import container
from fdcodec.coding.lossy import colour_payload, decode_tile, encode_tile, join_alpha, plane_shape
from fdcodec.coding.parameters import Parameters
from fdcodec.coding.settings import EncoderSettings
from fdcodec.container.file import check_pixels
from fdcodec.container.header import Header
from fdcodec.errors import FormatError, UnsupportedError
from fdcodec.filtering.post import apply_filter, best_strengths, strength_errors
from fdcodec.image.colour import aim_beyond, colour_matrix, from_planes, plane_bounds, to_planes
from fdcodec.image.picture import Picture, Samples
from fdcodec.limits import DEFAULT_MAX_PIXELS
from fdcodec.model import ClassModel, find
from fdcodec.model.registry import is_preset
from fdcodec.parallel import each

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

T = TypeVar("T")
Region = tuple[int, int, int, int]

LARGE_TILE = 1024  # side of the tiles of a picture that is larger than two of them


class Attempt(NamedTuple):
    """A picture coded with one class model: its payloads, and its errors by filter strength."""

    model: ClassModel
    payloads: list[bytes]
    errors: NDArray[np.float64]


def encode(picture: Picture, settings: EncoderSettings) -> bytes:
    """Return the file of a picture (SPEC 1.2)."""
    from fdcodec.choice import choose_models, choose_parameters, total_cost

    if settings.lossless:
        return _encode_lossless(picture, settings)
    if picture.depth != 8:
        raise UnsupportedError("image: 16-bit samples are coded with lossless=True only; or reduce them to 8 bits")
    parameters = choose_parameters(picture.samples, settings)
    header = _header_of(picture, settings)
    models = choose_models(picture.samples.astype(np.uint8, copy=False), settings, parameters)
    attempt = partial(_encode_with, picture=picture, header=header, parameters=parameters, settings=settings)
    model, payloads, errors = min(
        each(attempt, models, settings.threads if header.tile_count == 1 else 1),
        key=lambda found: total_cost(found.errors, sum(map(len, found.payloads)), parameters.step_index),
    )
    if header.channels in (2, 4):
        payloads = list(map(join_alpha, payloads, _over_tiles(header, settings.threads, _encode_alpha, picture)))
    header = replace(header, parameters=replace(parameters, strengths=best_strengths(errors)).to_bytes())
    embedded = not is_preset(model) if settings.embed == "auto" else settings.embed
    return container.write(
        header,
        payloads,
        model_ref=None if embedded else model.hash,
        model_bytes=model.to_bytes() if embedded else None,
        metadata=_metadata_of(picture),
    )


def decode(
    data: bytes, max_pixels: int = DEFAULT_MAX_PIXELS, threads: int = 1, own: ClassModel | None = None
) -> Picture:
    """Return the picture of a file (SPEC 1.3)."""
    return decode_region(data, container.read_header(data).rectangle, max_pixels, threads, own)


def decode_region(
    data: bytes,
    region: Region,
    max_pixels: int = DEFAULT_MAX_PIXELS,
    threads: int = 1,
    own: ClassModel | None = None,
) -> Picture:
    """Return the part (x, y, width, height) of a picture: the tiles it touches, decoded and cut.

    `own` is a class model of the caller, for files that name it.
    """
    header = container.read_header(data)
    check_pixels(header, max_pixels)
    tiles = header.tiles_in(region)
    file = container.read(data, tiles=set(tiles), max_pixels=max_pixels)
    return decode_tiles(file, tiles, region, threads, own)


def decode_tiles(
    file: container.File,
    tiles: Sequence[int],
    region: Region,
    threads: int = 1,
    own: ClassModel | None = None,
    refused: Callable[[int], None] | None = None,
) -> Picture:
    """Return the part (x, y, width, height) of a picture as far as some of its tiles cover it; elsewhere it is 0.

    A tile whose payload is damaged is a FormatError, or is left at 0 and told to `refused`.
    """
    header = file.header
    model, parameters = (
        (None, None) if header.lossless else (model_of(file, own), Parameters.from_bytes(header.parameters))
    )
    x, y, width, height = region
    dtype = np.uint8 if header.depth == 8 else np.uint16
    samples = np.zeros((height, width, header.channels), dtype)

    def decode_into(tile: int) -> None:
        tile_x, tile_y, tile_width, tile_height = header.tile_rectangle(tile)
        shape = (tile_height, tile_width, header.channels)
        try:
            part = _decode_part(file.payloads[tile], shape, header.depth, model, parameters)
        except FormatError:
            if refused is None:
                raise
            refused(tile)
        else:
            _paste(samples, part, tile_x - x, tile_y - y)

    list(each(decode_into, tiles, threads))
    return Picture(samples, *file.metadata, two_dimensional=header.two_dimensional)


def _encode_with(
    model: ClassModel, picture: Picture, header: Header, parameters: Parameters, settings: EncoderSettings
) -> Attempt:
    """Return the tiles of a picture coded with one model."""
    encode_part = partial(_encode_part, model=model, parameters=parameters, settings=settings)
    tiles = _over_tiles(header, settings.threads, encode_part, picture)
    return Attempt(model, [payload for payload, _ in tiles], np.sum([errors for _, errors in tiles], axis=0))


def _encode_part(
    samples: Samples, model: ClassModel, parameters: Parameters, settings: EncoderSettings
) -> tuple[bytes, NDArray[np.float64]]:
    """Return the payload of one tile's colours, and its error by filter strength."""
    from fdcodec.coding.adaptation import adaptive_steps
    from fdcodec.coding.tuning import search_options

    n_colours = 3 if samples.shape[2] >= 3 else 1
    matrix = colour_matrix(parameters.colour) if n_colours == 3 else None
    colours = samples[:, :, :n_colours].astype(np.uint8, copy=False)
    planes = to_planes(colours, matrix)
    bounds, step_index = plane_bounds(matrix), parameters.step_index
    options = search_options(settings, step_index, bounds)
    steps = adaptive_steps(colours, settings, step_index, bounds) if parameters.adaptive else None
    goal = planes if parameters.screen else aim_beyond(planes, matrix)  # it costs screens 1 to 3 %
    payload, decoded, maps, _ = encode_tile(goal, model, options, parameters.screen, steps)
    return payload, strength_errors(planes, decoded, maps, model, step_index)


def _encode_alpha(samples: Samples) -> bytes:
    """Return the payload of a tile's alpha, which is coded without loss and once, whatever models are tried."""
    return _exact_payload(samples[:, :, -1:], 8)


def _decode_part(
    payload: bytes, shape: tuple[int, int, int], depth: int, model: ClassModel | None, parameters: Parameters | None
) -> Samples:
    """Return the samples of one tile; the inverse of `_encode_part`, or of the lossless coder."""
    height, width, channels = shape
    if model is None or parameters is None:
        return _exact_samples(payload, shape, depth)
    planes_shape = plane_shape(height, width, channels)
    matrix = colour_matrix(parameters.colour) if planes_shape[0] == 3 else None
    colours, alpha = colour_payload(payload, channels)
    bounds = plane_bounds(matrix)
    step_index, screen, adaptive = parameters.step_index, parameters.screen, parameters.adaptive
    planes, maps = decode_tile(colours, planes_shape, model, step_index, bounds, screen, adaptive)
    apply_filter(planes, maps, model, step_index, parameters.strengths, bounds)
    samples: NDArray[np.uint8] = from_planes(planes, matrix, height, width)
    if channels in (1, 3):
        return samples
    return np.concatenate([samples, _exact_samples(alpha, (height, width, 1), 8)], axis=2)


def _exact_payload(samples: Samples, depth: int) -> bytes:
    """Return the payload of samples that are coded without loss."""
    from fdcodec.coding.lossless import encode_planes

    return encode_planes(samples.transpose(2, 0, 1).copy(), depth)


def _exact_samples(payload: bytes, shape: tuple[int, int, int], depth: int) -> Samples:
    """Return the samples of a payload without loss; the inverse of `_exact_payload`."""
    from fdcodec.coding.lossless import decode_planes

    height, width, channels = shape
    return decode_planes(payload, channels, height, width, depth).transpose(1, 2, 0)


def _encode_lossless(picture: Picture, settings: EncoderSettings) -> bytes:
    header = _header_of(picture, settings)
    payloads = _over_tiles(header, settings.threads, partial(_exact_payload, depth=picture.depth), picture)
    return container.write(header, payloads, metadata=_metadata_of(picture))


def _header_of(picture: Picture, settings: EncoderSettings) -> Header:
    tile = settings.tile or (LARGE_TILE if max(picture.width, picture.height) > 2 * LARGE_TILE else 0)
    return Header(
        width=picture.width,
        height=picture.height,
        channels=picture.channels,
        depth=picture.depth,
        lossless=settings.lossless,
        two_dimensional=picture.two_dimensional,
        tile_size=tile,
    )


def _over_tiles(header: Header, threads: int, encode_part: Callable[[Samples], T], picture: Picture) -> list[T]:
    """Encode each tile, `threads` of them at a time."""

    def parts() -> Iterable[Samples]:
        for index in range(header.tile_count):
            x, y, width, height = header.tile_rectangle(index)
            yield picture.samples[y : y + height, x : x + width]

    return list(each(encode_part, parts(), threads if header.tile_count > 1 else 1))


def _metadata_of(picture: Picture) -> container.Metadata:
    return container.Metadata(picture.exif, picture.xmp, picture.icc)


def model_of(file: container.File, own: ClassModel | None = None) -> ClassModel:
    """Return the class model of a lossy file: embedded, or `own` or an installed one where its hash is named."""
    if file.model_bytes is not None:
        return ClassModel.from_bytes(file.model_bytes)
    if file.model_ref is None:
        raise FormatError("the file neither names nor holds a class model")
    return find(file.model_ref, own)


def _paste(samples: Samples, part: Samples, x: int, y: int) -> None:
    """Copy the overlap of `part`, placed at (x, y), into `samples`."""
    height, width = samples.shape[:2]
    top, left = max(y, 0), max(x, 0)
    bottom, right = min(y + part.shape[0], height), min(x + part.shape[1], width)
    samples[top:bottom, left:right] = part[top - y : bottom - y, left - x : right - x]
