"""The samples of one tile to its payload and back; lossy, lossless, and the alpha of both (SPEC 3.3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fdcodec.coding.lossy import colour_payload, decode_tile, encode_tile, plane_shape
from fdcodec.coding.parameters import Parameters
from fdcodec.coding.settings import EncoderSettings
from fdcodec.filtering.post import apply_filter, strength_errors
from fdcodec.image.colour import aim_beyond, colour_matrix, from_planes, plane_bounds, to_planes
from fdcodec.image.picture import Samples, colours_of
from fdcodec.image.sample_range import eight_bits
from fdcodec.model import ClassModel


def encode_part(
    samples: Samples, model: ClassModel, parameters: Parameters, settings: EncoderSettings
) -> tuple[bytes, NDArray[np.float64]]:
    """Return the payload of one tile's colours, and its error by filter strength."""
    from fdcodec.coding.adaptation import adaptive_steps
    from fdcodec.coding.tuning import search_options

    colours = colours_of(samples)
    matrix = colour_matrix(parameters.colour) if colours.shape[2] == 3 else None
    planes = to_planes(colours, matrix, parameters.sample_range)
    bounds, step_index = plane_bounds(matrix), parameters.step_index
    options = search_options(settings, step_index, bounds, parameters.screen)
    steps = None
    if parameters.adaptive:
        steps = adaptive_steps(eight_bits(samples, parameters.sample_range), settings, step_index, bounds)
    goal = planes if parameters.screen else aim_beyond(planes, matrix)  # it costs screens 1 to 3 %
    payload, decoded, maps, _ = encode_tile(goal, model, options, parameters.screen, steps)
    return payload, strength_errors(planes, decoded, maps, model, step_index)


def encode_alpha(samples: Samples, depth: int) -> bytes:
    """Return the payload of a tile's alpha, which is coded without loss and once, whatever models are tried."""
    return exact_payload(samples[:, :, -1:], depth)


def decode_part(
    payload: bytes, shape: tuple[int, int, int], depth: int, model: ClassModel | None, parameters: Parameters | None
) -> Samples:
    """Return the samples of one tile; the inverse of `encode_part`, or of the lossless coder."""
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
    samples = from_planes(planes, matrix, height, width, parameters.sample_range)
    if channels in (1, 3):
        return samples
    return np.concatenate([samples, _exact_samples(alpha, (height, width, 1), depth)], axis=2)


def exact_payload(samples: Samples, depth: int) -> bytes:
    """Return the payload of samples that are coded without loss."""
    from fdcodec.coding.lossless import encode_planes

    return encode_planes(samples.transpose(2, 0, 1).copy(), depth)


def _exact_samples(payload: bytes, shape: tuple[int, int, int], depth: int) -> Samples:
    """Return the samples of a payload without loss; the inverse of `exact_payload`."""
    from fdcodec.coding.lossless import decode_planes

    height, width, channels = shape
    return decode_planes(payload, channels, height, width, depth).transpose(1, 2, 0)
