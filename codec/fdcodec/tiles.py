"""The samples of one tile to its payload and back; lossy, lossless, and the alpha of both (SPEC 3.3).

A lossy tile is encoded in parts, for its alpha is the same whatever class model its colours are tried with:
`encode_colours`, `encode_alpha` and `join_alpha`. `decode_tile` takes these back. `encode_exactly` is all of a lossless
tile.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fdcodec.aliases import Samples
from fdcodec.coding.lossy import coding_of, decode_planes, encode_planes, plane_shape
from fdcodec.coding.settings import EncoderSettings
from fdcodec.errors import damaged
from fdcodec.filtering.post import apply_filter, strength_errors
from fdcodec.format.parameters import Parameters
from fdcodec.image.colour import aim_beyond, from_planes, picture_matrix, plane_bounds, to_planes
from fdcodec.image.picture import colours_of
from fdcodec.image.sample_range import eight_bits
from fdcodec.model import ClassModel


def decode_tile(
    payload: bytes, shape: tuple[int, int, int], depth: int, model: ClassModel | None, parameters: Parameters | None
) -> Samples:
    """Return the samples of one tile; without a model and parameters, of a lossless one."""
    if model is None or parameters is None:
        return _decode_exactly(payload, shape, depth)
    height, width, channels = shape
    colours, alpha = split_alpha(payload, channels)
    samples = _decode_colours(colours, shape, model, parameters)
    if channels in (1, 3):
        return samples
    return np.concatenate([samples, _decode_exactly(alpha, (height, width, 1), depth)], axis=2)


def encode_colours(
    samples: Samples, model: ClassModel, parameters: Parameters, settings: EncoderSettings
) -> tuple[bytes, NDArray[np.float64]]:
    """Return the payload of one tile's colours, and its error by filter strength."""
    from fdcodec.coding.adaptation import adaptive_steps
    from fdcodec.coding.tuning import search_options

    colours = colours_of(samples)
    matrix = picture_matrix(parameters, colours.shape[2])
    planes = to_planes(colours, matrix, parameters.sample_range)
    bounds, step_index = plane_bounds(matrix), parameters.step_index
    options = search_options(settings, step_index, bounds, parameters.screen)
    steps = None
    if parameters.adaptive:
        steps = adaptive_steps(eight_bits(samples, parameters.sample_range), settings, step_index, bounds)
    goal = planes if parameters.screen else aim_beyond(planes, matrix)  # it costs screens 1 to 3 %
    payload, decoded, maps, _ = encode_planes(goal, model, options, parameters.screen, steps)
    return payload, strength_errors(planes, decoded, maps, model, step_index)


def _decode_colours(payload: bytes, shape: tuple[int, int, int], model: ClassModel, parameters: Parameters) -> Samples:
    """Return the gray or RGB samples of a tile of a shape (height, width, 1..4); the inverse of `encode_colours`."""
    height, width, channels = shape
    matrix = picture_matrix(parameters, channels)
    coding = coding_of(parameters, matrix)
    planes, maps = decode_planes(payload, plane_shape(*shape), model, coding)
    apply_filter(planes, maps, model, coding.step_index, parameters.strengths, coding.bounds)
    return from_planes(planes, matrix, height, width, parameters.sample_range)


def join_alpha(colours: bytes, alpha: bytes) -> bytes:
    """Return the payload of a lossy tile with alpha: the colours behind their length, then alpha (SPEC 3.3)."""
    return len(colours).to_bytes(4, "little") + colours + alpha


def split_alpha(payload: bytes, channels: int) -> tuple[bytes, bytes]:
    """Return the payloads of a lossy tile's colours and of its alpha, which is empty where there is none (SPEC 3.3)."""
    if channels in (1, 3):
        return payload, b""
    length = int.from_bytes(payload[:4], "little")
    if len(payload) < 4 or length > len(payload) - 4:
        raise damaged(f"a tile's payload of {len(payload)} bytes says its colours take {length}")
    return payload[4 : 4 + length], payload[4 + length :]


def encode_alpha(samples: Samples, depth: int) -> bytes:
    """Return the payload of a tile's alpha, which is coded without loss."""
    return encode_exactly(samples[:, :, -1:], depth)


def encode_exactly(samples: Samples, depth: int) -> bytes:
    """Return the payload of samples that are coded without loss."""
    from fdcodec.coding import lossless

    return lossless.encode_planes(samples.transpose(2, 0, 1).copy(), depth)


def _decode_exactly(payload: bytes, shape: tuple[int, int, int], depth: int) -> Samples:
    """Return the samples of a payload without loss; the inverse of `encode_exactly`."""
    from fdcodec.coding import lossless

    height, width, channels = shape
    return lossless.decode_planes(payload, channels, height, width, depth).transpose(1, 2, 0)
