"""A tile's planes to its payload and back: the lossy codestream (SPEC 4 to 6); a decoder imports no search."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fdcodec.aliases import Planes
from fdcodec.errors import damaged
from fdcodec.format.constants import MAX_LOG2, MAX_STEP_INDEX, OFFSET_UNIT, PROBABILITY_BITS
from fdcodec.format.contexts import N_CONTEXTS, N_WITH_OFFSETS
from fdcodec.format.parameters import Parameters
from fdcodec.image.colour import plane_bounds
from fdcodec.kernels.reconstruction.maps import Known, Maps, n_levels, new_maps
from fdcodec.kernels.reconstruction.planes import Work, new_work, reconstruct_plane
from fdcodec.kernels.reconstruction.tables import HALF_STEPS, Tables
from fdcodec.kernels.syntax.copies import new_vectors
from fdcodec.kernels.syntax.interval import LENGTH, finish_encoder, has_overrun, new_decoder, new_encoder
from fdcodec.kernels.syntax.range_coder import new_contexts
from fdcodec.kernels.syntax.sampled import grid_distance, new_expected
from fdcodec.kernels.syntax.screens import Screen
from fdcodec.kernels.syntax.trees import code_plane, new_code_work
from fdcodec.model import ClassModel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fdcodec.kernels.search.state import OptionsPair

_BYTES_PER_SAMPLE = 6  # noise at quality 100 takes 1.0, black and white noise 1.3; the refill checks its writes


class Coding(NamedTuple):
    """What the planes of a tile are decoded by, beside the class model.

    Parameters
    ----------
    step_index
        Quantization step.
    bounds
        Range that each plane's samples are clipped to.
    screen
        Whether the screen tools are on; then each block is reconstructed as soon as it is read.
    adaptive
        Whether trees have step offsets (SPEC 5.8) and coefficients weights.
    """

    step_index: int
    bounds: list[tuple[int, int]]
    screen: bool = False
    adaptive: bool = False


class Steps(NamedTuple):
    """What the search goes by where trees have step offsets: those, and the options by plane and offset."""

    offsets: NDArray[np.int64]
    options: list[tuple[OptionsPair, ...]]


class EncodedTile(NamedTuple):
    """A tile's payload, its reconstruction before the filter, the maps of each plane and the contexts it ended with."""

    payload: bytes
    planes: Planes
    maps: list[Maps]
    contexts: NDArray[np.uint16]


def encode_planes(
    planes: Planes, model: ClassModel, options: list[OptionsPair], screen: bool = False, steps: Steps | None = None
) -> EncodedTile:
    """Encode the planes of a tile.

    Parameters
    ----------
    planes
        Shape (1 or 3, height, width), int32 with FRACTION_BITS, sides multiples of 4.
    model
        The class model.
    options
        The search options of each plane, without and with thrift.
    screen
        Whether the screen tools are on.
    steps
        Step offsets of the trees and what goes with them; None where all have the same step.
    """
    from fdcodec.kernels.search.copies import new_tools
    from fdcodec.kernels.search.planes import encode_plane
    from fdcodec.kernels.search.state import new_search

    coder, buffer = new_encoder(_BYTES_PER_SAMPLE * planes.size + 4096)
    contexts = start_contexts(model, steps is not None)
    stream, tables, work = (coder, buffer, contexts), tables_of(model, steps is not None), new_work()
    decoded, maps = np.zeros_like(planes), [new_maps(*planes.shape[1:]) for _ in planes]
    for k, plane in enumerate(planes):
        plain, _ = options[k]
        search = new_search(plane, decoded[k], decoded[0], Known(maps[k], maps[0], min(k, 1)), contexts, tables, work)
        tools = None
        if screen:
            bounds = plain.low, plain.high
            tools = new_tools(screen_tools(decoded, k, plain.half_step, bounds, model, work), plane, k == 0)
        local = None if steps is None else (steps.offsets, steps.options[k])
        encode_plane(search, tools, options[k], stream, new_code_work(tables), local)
    return EncodedTile(finish_encoder(coder, buffer), decoded, maps, contexts)


def decode_planes(
    payload: bytes, shape: tuple[int, int, int], model: ClassModel, coding: Coding
) -> tuple[Planes, list[Maps]]:
    """Return the planes of a tile before the filter, and their maps, which share one array of levels.

    New memory costs 2 microseconds a page, a tenth of all decoding where each plane had levels of its own, and zeros in
    it a twentieth: the array holds levels of the last plane where blocks have any, elsewhere what memory held before.

    Parameters
    ----------
    payload
        What `encode_planes` returned.
    shape
        (number of planes, height, width), sides multiples of 4.
    model, coding
        What it was encoded by.

    Raises
    ------
    FormatError
        The payload ends before the planes do.
    """
    coder, buffer = new_decoder(payload)
    new_array = np.zeros if coding.screen else np.empty  # what is written before it is read need not be zero
    planes = new_array(shape, np.int32)
    levels = np.empty(n_levels(*shape[1:]), np.int16)
    maps = [new_maps(*shape[1:], levels) for _ in planes]
    offsets, tables, work = new_offsets(*shape[1:]), tables_of(model, coding.adaptive), new_work()
    stream = (coder, buffer, start_contexts(model, coding.adaptive))
    for k in read_planes(stream, planes, maps, offsets, model, coding):
        refuse_short_payload(coder)
        if k == 0:  # with which the offsets are read
            half_steps = HALF_STEPS[local_indices(coding.step_index, offsets)]
        if not coding.screen:
            reconstruct_plane(planes[k], planes[0], maps[k], half_steps, coding.bounds[k], tables, work)
    return planes, maps


def read_planes(
    stream: tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.uint16]],
    planes: Planes,
    maps: list[Maps],
    offsets: NDArray[np.int64],
    model: ClassModel,
    coding: Coding,
) -> Iterator[int]:
    """Read the planes of a tile, and yield the number of each once it is read.

    Parameters
    ----------
    stream
        Decoder, payload and contexts.
    planes
        Shape (1 or 3, height, width); with screen tools zeros, which are filled, and not touched otherwise.
    maps
        Empty maps of each plane, which are filled.
    offsets
        The step offsets of the trees, zeros, which are filled where there are any.
    model, coding
        As for `decode_planes`.
    """
    half_step, work = int(HALF_STEPS[coding.step_index]), new_code_work(model.tables)
    for k, plane in enumerate(maps):
        tools = screen_tools(planes, k, half_step, coding.bounds[k], model, new_work()) if coding.screen else None
        known, own_offsets = Known(plane, maps[0], min(k, 1)), offsets if coding.adaptive else None
        code_plane(stream, known, work, tools, own_offsets)
        yield k


def coding_of(parameters: Parameters, matrix: NDArray[np.int64] | None) -> Coding:
    """Return what the planes of a picture are coded by; `matrix` as of `picture_matrix`."""
    return Coding(parameters.step_index, plane_bounds(matrix), parameters.screen, parameters.adaptive)


def plane_shape(height: int, width: int, channels: int) -> tuple[int, int, int]:
    """Return the shape of the colour planes of a tile of so many pixels."""
    return 3 if channels >= 3 else 1, height + -height % 4, width + -width % 4


def refuse_short_payload(coder: NDArray[np.int64]) -> None:
    """Raise FormatError if a decoder has read past the end of its payload."""
    if has_overrun(coder):
        raise damaged(f"a tile's payload of {coder[LENGTH]} bytes ends before its blocks do")


def screen_tools(
    planes: Planes, k: int, half_step: int, bounds: tuple[int, int], model: ClassModel, work: Work
) -> Screen:
    """Return the screen tools at the start of plane `k`."""
    expected = new_expected(planes[k], planes[0], planes[1 if k == 2 else 0], *bounds, grid_distance(len(planes)))
    return Screen(half_step, expected, new_vectors(), model.tables, work)


def tables_of(model: ClassModel, adaptive: bool) -> Tables:
    """Return what a model lays before the kernels; with adaptive steps coefficients have weights (SPEC 4.2)."""
    return model.tables._replace(weighs=adaptive)


def new_offsets(height: int, width: int) -> NDArray[np.int64]:
    """Return step offsets of 0 for the trees of a plane."""
    side = 1 << MAX_LOG2
    return np.zeros((-(-height // side), -(-width // side)), np.int64)


def local_indices(step_index: int, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the step indices of trees by their offsets, any shape (SPEC 4.3)."""
    return np.clip(step_index + OFFSET_UNIT * offsets, 0, MAX_STEP_INDEX)


def start_contexts(model: ClassModel, adaptive: bool = False) -> NDArray[np.uint16]:
    """Return the contexts a tile starts with: the model's start states, or even odds, which those of offsets have."""
    contexts: NDArray[np.uint16] = new_contexts(N_WITH_OFFSETS if adaptive else N_CONTEXTS)
    if model.start_states is not None:
        middle = 1 << (PROBABILITY_BITS - 9)
        probability = (model.start_states[:, 0].astype(np.uint16) << (PROBABILITY_BITS - 8)) + middle
        contexts[:N_CONTEXTS, 0] = contexts[:N_CONTEXTS, 1] = probability
        contexts[:N_CONTEXTS, 2] = model.start_states[:, 1]
    return contexts
