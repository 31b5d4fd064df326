"""A tile's planes to its payload and back: the lossy codestream (SPEC 4 to 6)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fdcodec.coding.contexts import N_CONTEXTS
from fdcodec.errors import FormatError
from fdcodec.kernels.range_coder import (
    MAX_OVERRUN,
    POSITION,
    PROBABILITY_BITS,
    finish_encoder,
    new_contexts,
    new_decoder,
    new_encoder,
)
from fdcodec.kernels.reconstruction_kernels import new_work, reconstruct_plane
from fdcodec.kernels.search_kernels import Options, encode_plane, new_search
from fdcodec.kernels.syntax_kernels import code_plane, new_code_work
from fdcodec.kernels.tables import HALF_STEPS, Maps, new_maps
from fdcodec.model import ClassModel

Planes = NDArray[np.int32]
Bounds = list[tuple[int, int]]
_BYTES_PER_SAMPLE = 6  # noise at quality 100 takes 1.0, black and white noise 1.3; the refill checks its writes


class EncodedTile(NamedTuple):
    """A tile's payload, its reconstruction before the filter, the maps of each plane and the contexts it ended with."""

    payload: bytes
    planes: Planes
    maps: list[Maps]
    contexts: NDArray[np.int32]


def encode_tile(planes: Planes, model: ClassModel, options: list[Options]) -> EncodedTile:
    """Encode a tile.

    Parameters
    ----------
    planes
        Shape (1 or 3, height, width), int32 with FRACTION_BITS, sides multiples of 4.
    model
        The class model.
    options
        The search options of each plane.
    """
    coder, buffer = new_encoder(_BYTES_PER_SAMPLE * planes.size + 4096)
    contexts = start_contexts(model)
    stream, code_work, work = (coder, buffer, contexts), new_code_work(model.tables.n_learned), new_work()
    decoded, maps = np.zeros_like(planes), [new_maps(*planes.shape[1:]) for _ in planes]
    for k, plane in enumerate(planes):
        search = new_search(plane, decoded[k], decoded[0], maps[k], maps[0], contexts, model.tables, work)
        encode_plane(search, options[k], stream, code_work)
    return EncodedTile(finish_encoder(coder, buffer), decoded, maps, contexts)


def decode_tile(
    payload: bytes, shape: tuple[int, int, int], model: ClassModel, step_index: int, bounds: Bounds
) -> tuple[Planes, list[Maps]]:
    """Return the planes of a tile before the filter, and their maps.

    Parameters
    ----------
    payload
        What `encode_tile` returned.
    shape
        (number of planes, height, width), sides multiples of 4.
    model
        The class model.
    step_index
        Quantization step.
    bounds
        Range that each plane's samples are clipped to.

    Raises
    ------
    FormatError
        The payload ends before the planes do.
    """
    coder, buffer = new_decoder(payload)
    stream, code_work, work = (coder, buffer, start_contexts(model)), new_code_work(model.tables.n_learned), new_work()
    planes, maps = np.zeros(shape, np.int32), [new_maps(*shape[1:]) for _ in range(shape[0])]
    half_step, tables = int(HALF_STEPS[step_index]), model.tables
    for k in range(shape[0]):
        code_plane(stream, maps[k], maps[0], min(k, 1), tables.scans, code_work)
    if coder[POSITION] > len(payload) + MAX_OVERRUN:
        raise FormatError(f"a tile's payload of {len(payload)} bytes ends before its blocks do; the file is damaged")
    for k in range(shape[0]):
        reconstruct_plane(planes[k], planes[0], maps[k], half_step, bounds[k], tables, work)
    return planes, maps


def start_contexts(model: ClassModel) -> NDArray[np.int32]:
    """Return the contexts a tile starts with: the model's start states, or even odds."""
    contexts: NDArray[np.int32] = new_contexts(N_CONTEXTS)
    if model.start_states is not None:
        probability = (model.start_states[:, 0].astype(np.int32) << (PROBABILITY_BITS - 8)) + (
            1 << (PROBABILITY_BITS - 9)
        )
        contexts[:, 0] = contexts[:, 1] = probability
        contexts[:, 2] = model.start_states[:, 1]
    return contexts
