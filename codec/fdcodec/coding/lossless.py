# mypy: disable-error-code="no-untyped-call"
"""Lossless coding of planes: header, reversible colour, choice of mode, rows (SPEC L1 to L8).

Serves the lossless mode of the codec (gray, RGB, alpha; 8 and 16 bits) and the alpha plane of lossy files.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fdcodec.aliases import Planes, Samples
from fdcodec.coding.indexed_colours import appearance_indices, count_colours, repeats
from fdcodec.coding.reversible_colour import TRANSFORMS, forward, inverse
from fdcodec.errors import damaged
from fdcodec.kernels.lossless.planes import code_row
from fdcodec.kernels.lossless.state import PAD, State, new_state
from fdcodec.kernels.syntax.interval import (
    LENGTH,
    POSITION,
    decodes,
    finish_encoder,
    has_overrun,
    new_decoder,
    new_encoder,
)
from fdcodec.kernels.syntax.range_coder import code_bits

MAX_COLOURS = 1 << 16
FEW_COLOURS = (16, 256)
"""Colours of pictures of one plane, and of several, up to which indices are always tried: dither seldom repeats."""

LEAST_REPEATS = 1 / 5
"""Share of pixels that equal a neighbour at which indices of more colours are tried; most photographs have less."""

SAMPLE_PIXELS = 1 << 16
SAMPLE_BANDS = 8
MAX_SAMPLE_BYTES = 64
"""More than the bins of one sample, or of one guess, can take at 11.5 bits each."""


class Plan(NamedTuple):
    """What the encoder decides and the header says: the colour transform and the number of colours (0: not indexed)."""

    transform: int
    n_colours: int


def encode_planes(planes: Samples, depth: int) -> bytes:
    """Encode planes so that `decode_planes` returns them exactly.

    Parameters
    ----------
    planes
        Shape (channels, height, width), uint8 for depth 8 or uint16 for depth 16; three or four channels are taken as
        red, green, blue (and alpha). Every dimension is at least 1.
    depth
        8 or 16.

    Returns
    -------
    payload
        The bytes of one range coder run (SPEC L1). Shape and depth are not in it.
    """
    samples = planes.astype(np.int32)
    sample = _sample_rows(samples)
    plan, payload = _shortest(sample, depth)
    if sample is samples:
        return payload
    n_colours = count_colours(samples) if plan.n_colours else 0
    return _encode(samples, depth, plan._replace(n_colours=n_colours if n_colours <= MAX_COLOURS else 0))


def decode_planes(payload: bytes, channels: int, height: int, width: int, depth: int) -> Samples:
    """Decode what `encode_planes` wrote.

    Parameters
    ----------
    payload
        Bytes of any origin.
    channels, height, width, depth
        As given to `encode_planes`, from the file's header; the caller bounds them.

    Returns
    -------
    planes
        Shape (channels, height, width), uint8 or uint16.

    Raises
    ------
    FormatError
        If the payload cannot be one of these planes. Other damage gives other samples.
    """
    coder, buffer = new_decoder(payload)
    plan, limits = _code_header(coder, buffer, Plan(0, 0), np.zeros((channels, 2), dtype=np.int64), depth)
    _check_header(plan, limits, height * width)
    state = new_state(coder, buffer, limits, (height, width), plan.n_colours)
    _code_rows(state, None)
    decoded = inverse(state.planes[:, 2:, PAD:-PAD], plan.transform)
    return decoded.astype(np.uint8) if depth == 8 else decoded.astype(np.uint16)


def _encode(samples: Planes, depth: int, plan: Plan) -> bytes:
    """Return the payload of `samples` under `plan`."""
    planes = forward(samples, plan.transform)
    limits = np.stack([planes.min((1, 2)), planes.max((1, 2))], axis=1).astype(np.int64)
    coder, buffer = new_encoder(1 << 12)
    _code_header(coder, buffer, plan, limits, depth)
    _, height, width = planes.shape
    state = new_state(coder, buffer, limits, (height, width), plan.n_colours)
    state.planes[:, 2:, PAD:-PAD] = planes
    state = _code_rows(state, appearance_indices(samples) if plan.n_colours else None)
    return finish_encoder(state.coder, state.buffer)


def _code_rows(state: State, indices: NDArray[np.int64] | None) -> State:
    """Code every row, growing the encoder's buffer, refusing a decoder's overrun; return the state with its buffer."""
    channels, padded_height, padded_width = state.planes.shape
    width = padded_width - 2 * PAD
    was_copy = 0
    for y in range(padded_height - 2):
        if decodes(state.buffer):
            _check_overrun(state.coder)
        else:
            state = state._replace(buffer=_grown(state.coder, state.buffer, width * (channels + 1) * MAX_SAMPLE_BYTES))
        if indices is not None:
            state.wanted[:] = indices[y]
        was_copy = code_row(state, y, width, was_copy)
    if decodes(state.buffer):
        _check_overrun(state.coder)
    return state


def _check_overrun(coder: NDArray[np.int64]) -> None:
    """Refuse a payload that the decoder has run past."""
    if has_overrun(coder):
        raise damaged(f"the lossless payload of {coder[LENGTH]} bytes ends early")


def _grown(coder: NDArray[np.int64], buffer: NDArray[np.uint8], spare_bytes: int) -> NDArray[np.uint8]:
    """Return the encoder's buffer with room for `spare_bytes` more."""
    needed = int(coder[POSITION]) + spare_bytes
    if needed <= len(buffer):
        return buffer
    grown = np.zeros(2 * needed, dtype=np.uint8)
    grown[: len(buffer)] = buffer
    coder[LENGTH] = len(grown)
    return grown


def _code_number(coder: NDArray[np.int64], buffer: NDArray[np.uint8], value: int, n_bits: int) -> int:
    """Code a number of up to 32 equiprobable bits."""
    if n_bits > 16:
        high = code_bits(coder, buffer, value >> 16, n_bits - 16)
        return int(high) << 16 | int(code_bits(coder, buffer, value & 0xFFFF, 16))
    return int(code_bits(coder, buffer, value, n_bits))


def _code_header(
    coder: NDArray[np.int64], buffer: NDArray[np.uint8], plan: Plan, limits: NDArray[np.int64], depth: int
) -> tuple[Plan, NDArray[np.int64]]:
    """Code the header, either direction (SPEC L1)."""
    transform = _code_number(coder, buffer, plan.transform, 2) if len(limits) >= 3 else 0
    offset = 1 << depth
    flat = [_code_number(coder, buffer, int(limit) + offset, depth + 1) - offset for limit in limits.ravel()]
    n_colours = 0
    if _code_number(coder, buffer, 1 if plan.n_colours else 0, 1):
        n_colours = _code_number(coder, buffer, plan.n_colours - 1, 16) + 1
    return Plan(transform, n_colours), np.array(flat, dtype=np.int64).reshape(-1, 2)


def _check_header(plan: Plan, limits: NDArray[np.int64], n_pixels: int) -> None:
    """Refuse what no encoder writes."""
    if plan.transform >= len(TRANSFORMS):
        raise damaged(f"colour transform {plan.transform} of a lossless payload is not one of 0 to 2")
    if (limits[:, 0] > limits[:, 1]).any():
        raise damaged("a plane's lowest sample is above its highest in a lossless payload")
    if plan.n_colours > n_pixels:
        raise damaged(f"a lossless payload declares {plan.n_colours} colours for {n_pixels} pixels")


def _shortest(samples: Planes, depth: int) -> tuple[Plan, bytes]:
    """Return the plan whose payload of some samples is the shortest, and that payload."""
    transforms = range(len(TRANSFORMS)) if len(samples) >= 3 else range(1)
    payloads = {plan: _encode(samples, depth, plan) for plan in (Plan(transform, 0) for transform in transforms)}
    plan = min(payloads, key=lambda plan: len(payloads[plan]))
    if n_colours := _colours_to_index(samples):
        indexed = plan._replace(n_colours=n_colours)
        payloads[indexed] = _encode(samples, depth, indexed)
        plan = min(plan, indexed, key=lambda plan: len(payloads[plan]))
    return plan, payloads[plan]


def _colours_to_index(samples: Planes) -> int:
    """Return the number of colours if they are few enough, or repeat enough, for indices to be tried; 0 if not."""
    n_colours = count_colours(samples)
    if 2 * n_colours > samples[0].size or n_colours > MAX_COLOURS:
        return 0
    return n_colours if n_colours <= FEW_COLOURS[len(samples) > 1] or repeats(samples) >= LEAST_REPEATS else 0


def _sample_rows(samples: Planes) -> Planes:
    """Return all rows of a small picture, of a large one eight bands spread over it."""
    _, height, width = samples.shape
    rows = max(SAMPLE_PIXELS // width, SAMPLE_BANDS)
    if height <= 2 * rows:
        return samples
    band = rows // SAMPLE_BANDS
    starts = np.linspace(0, height - band, SAMPLE_BANDS).astype(int)
    return np.concatenate([samples[:, start : start + band] for start in starts], axis=1)
