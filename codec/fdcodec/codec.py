"""encode() and decode(): the stages, in order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from fdcodec import container
from fdcodec.choice import choose_model
from fdcodec.coding import lossless
from fdcodec.coding.lossy import decode_tile, encode_tile
from fdcodec.coding.parameters import Parameters, step_index_for
from fdcodec.coding.settings import EncoderSettings
from fdcodec.coding.tuning import search_options
from fdcodec.container.file import check_pixels
from fdcodec.container.header import Header
from fdcodec.errors import FormatError, UnsupportedError
from fdcodec.filtering.post import apply_filter, best_strengths, strength_errors
from fdcodec.image.colour import choose_colour, colour_matrix, from_planes, plane_bounds, to_planes
from fdcodec.image.picture import Picture, Samples
from fdcodec.image.screen import is_screen
from fdcodec.limits import DEFAULT_MAX_PIXELS
from fdcodec.model import ClassModel, find
from fdcodec.model.registry import is_preset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")

LARGE_TILE = 1024  # side of the tiles of a picture that is larger than two of them


def encode(picture: Picture, settings: EncoderSettings) -> bytes:
    """Return the file of a picture (SPEC 1.2)."""
    if settings.lossless:
        return _encode_lossless(picture, settings)
    if picture.depth != 8:
        raise UnsupportedError("image: 16-bit samples are coded with lossless=True only; or reduce them to 8 bits")
    parameters = _choose_parameters(picture.samples, settings)
    model = choose_model(settings.transform, picture.samples.astype(np.uint8, copy=False), parameters)
    header = _header_of(picture, settings)
    tiles = _over_tiles(header, settings.threads, lambda part: _encode_part(part, model, parameters, settings), picture)
    strengths = best_strengths(np.sum([errors for _, errors in tiles], axis=0))
    header = replace(header, parameters=replace(parameters, strengths=strengths).to_bytes())
    embedded = not is_preset(model) if settings.embed == "auto" else settings.embed
    return container.write(
        header,
        [payload for payload, _ in tiles],
        model_ref=None if embedded else model.hash,
        model_bytes=model.to_bytes() if embedded else None,
        metadata=_metadata_of(picture),
    )


def decode(data: bytes, max_pixels: int = DEFAULT_MAX_PIXELS) -> Picture:
    """Return the picture of a file (SPEC 1.3)."""
    header = container.read_header(data)
    return decode_region(data, (0, 0, header.width, header.height), max_pixels)


def decode_region(data: bytes, region: tuple[int, int, int, int], max_pixels: int = DEFAULT_MAX_PIXELS) -> Picture:
    """Return the part (x, y, width, height) of a picture: the tiles it touches, decoded and cut."""
    header = container.read_header(data)
    check_pixels(header, max_pixels)
    tiles = header.tiles_in(region)
    file = container.read(data, tiles=set(tiles), max_pixels=max_pixels)
    model, parameters = (None, None) if header.lossless else (_model_of(file), Parameters.from_bytes(header.parameters))
    x, y, width, height = region
    dtype = np.uint8 if header.depth == 8 else np.uint16
    samples = np.zeros((height, width, header.channels), dtype)
    for tile in tiles:
        tile_x, tile_y, tile_width, tile_height = header.tile_rectangle(tile)
        shape = (tile_height, tile_width, header.channels)
        part = _decode_part(file.payloads[tile], shape, header.depth, model, parameters)
        _paste(samples, part, tile_x - x, tile_y - y)
    return Picture(samples, *file.metadata, two_dimensional=header.two_dimensional)


def _encode_part(
    samples: Samples, model: ClassModel, parameters: Parameters, settings: EncoderSettings
) -> tuple[bytes, NDArray[np.float64]]:
    """Return the payload of one tile, and its error by filter strength.

    Colour planes come first, then alpha without loss behind a length (SPEC 3.3).
    """
    n_colours = 3 if samples.shape[2] >= 3 else 1
    matrix = colour_matrix(parameters.colour) if n_colours == 3 else None
    planes = to_planes(samples[:, :, :n_colours].astype(np.uint8, copy=False), matrix)
    options = search_options(settings, parameters.step_index, plane_bounds(matrix))
    payload, decoded, maps, _ = encode_tile(planes, model, options, parameters.screen)
    errors = strength_errors(planes, decoded, maps, model, parameters.step_index)
    if samples.shape[2] == n_colours:
        return payload, errors
    alpha = lossless.encode_planes(samples[:, :, n_colours:].transpose(2, 0, 1).copy(), 8)
    return len(payload).to_bytes(4, "little") + payload + alpha, errors


def _decode_part(
    payload: bytes, shape: tuple[int, int, int], depth: int, model: ClassModel | None, parameters: Parameters | None
) -> Samples:
    """Return the samples of one tile; the inverse of `_encode_part`, or of the lossless coder."""
    height, width, channels = shape
    if model is None or parameters is None:
        return lossless.decode_planes(payload, channels, height, width, depth).transpose(1, 2, 0)
    n_colours = 3 if channels >= 3 else 1
    matrix = colour_matrix(parameters.colour) if n_colours == 3 else None
    colours, alpha = (payload, b"") if channels == n_colours else _split_payload(payload)
    plane_shape = (n_colours, height + -height % 4, width + -width % 4)
    bounds = plane_bounds(matrix)
    planes, maps = decode_tile(colours, plane_shape, model, parameters.step_index, bounds, parameters.screen)
    apply_filter(planes, maps, model, parameters.step_index, parameters.strengths, bounds)
    samples: NDArray[np.uint8] = from_planes(planes, matrix, height, width)
    if channels == n_colours:
        return samples
    opacity = lossless.decode_planes(alpha, 1, height, width, 8).transpose(1, 2, 0)
    return np.concatenate([samples, opacity], axis=2)


def _split_payload(payload: bytes) -> tuple[bytes, bytes]:
    length = int.from_bytes(payload[:4], "little")
    if len(payload) < 4 or length > len(payload) - 4:
        raise FormatError(
            f"a tile's payload of {len(payload)} bytes says its colours take {length}; the file is damaged"
        )
    return payload[4 : 4 + length], payload[4 + length :]


def _encode_lossless(picture: Picture, settings: EncoderSettings) -> bytes:
    header = _header_of(picture, settings)

    def encode_part(samples: Samples) -> bytes:
        return lossless.encode_planes(samples.transpose(2, 0, 1).copy(), picture.depth)

    payloads = _over_tiles(header, settings.threads, encode_part, picture)
    return container.write(header, payloads, metadata=_metadata_of(picture))


def _choose_parameters(samples: Samples, settings: EncoderSettings) -> Parameters:
    step_index = step_index_for(settings.quality)
    colours = samples[:, :, : 3 if samples.shape[2] >= 3 else 1].astype(np.uint8, copy=False)
    screen = is_screen(colours)
    if colours.shape[2] == 1:
        return Parameters(step_index, screen=screen)
    return Parameters(step_index, choose_colour(colours, 2.0 ** (step_index / 32 - 4)), screen=screen)


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
    """Encode each tile, `threads` of them at a time; the kernels hold no lock."""

    def parts() -> Iterable[Samples]:
        for index in range(header.tile_count):
            x, y, width, height = header.tile_rectangle(index)
            yield picture.samples[y : y + height, x : x + width]

    if threads == 1 or header.tile_count == 1:
        return [encode_part(part) for part in parts()]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(encode_part, parts()))


def _metadata_of(picture: Picture) -> container.Metadata:
    return container.Metadata(picture.exif, picture.xmp, picture.icc)


def _model_of(file: container.File) -> ClassModel:
    if file.model_bytes is not None:
        return ClassModel.from_bytes(file.model_bytes)
    if file.model_ref is None:
        raise FormatError("the file neither names nor holds a class model")
    return find(file.model_ref)


def _paste(samples: Samples, part: Samples, x: int, y: int) -> None:
    """Copy the overlap of `part`, placed at (x, y), into `samples`."""
    height, width = samples.shape[:2]
    top, left = max(y, 0), max(x, 0)
    bottom, right = min(y + part.shape[0], height), min(x + part.shape[1], width)
    samples[top:bottom, left:right] = part[top - y : bottom - y, left - x : right - x]
