"""The canonical bytes of a class model: transforms, start states, filters (SPEC 7). Build and parse face each other."""

import zlib
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import construct as c
import numpy as np
from numpy.typing import NDArray

from fdcodec.coding.constants import (
    ANGLE_LEVELS,
    FILTER_BUCKETS,
    FILTER_CLASSES,
    FILTER_WEIGHTS,
    MAX_COUNT,
    MAX_LEARNED,
    MAX_LEARNED_LOG2,
    MAX_ROTATIONS,
    MIN_LOG2,
    MIN_START,
    N_GROUPS,
)
from fdcodec.coding.contexts import KINDS, N_CONTEXTS, N_SIZES
from fdcodec.errors import FormatError
from fdcodec.kernels.reconstruction.learned_tables import BASES, LearnedMode, n_inputs, n_outputs
from fdcodec.limits import MAX_MODEL_BYTES


class GroupTransform(NamedTuple):
    """What follows the base transform in one block size and mode group.

    `pairs` (m, 2) uint8 and `angles` (m,) uint16 are rotations of the zone's coefficients, numbered row by row; `order`
    (16, 32 or 64,) uint8 lists the coefficients as they are scanned.
    """

    pairs: NDArray[np.uint8]
    angles: NDArray[np.uint16]
    order: NDArray[np.uint8]


Transforms: TypeAlias = dict[tuple[int, int], GroupTransform]

VERSION = 0
_FILTER_SHAPE = (KINDS, FILTER_BUCKETS, FILTER_CLASSES, FILTER_WEIGHTS)


ZONE_SIZES = (16, 64, 64, 64, 32, 64, 64)
"""Number of coefficients in the low zone, by size class."""

SIZE_NAMES = ("4x4", "8x8", "16x16", "32x32", "8x4", "16x8", "32x16")
"""What the size classes are called; of halves the longer side comes first, whichever way they lie."""


GROUP = c.Struct(
    "size" / c.Int8ul,
    "_size" / c.Check(c.this.size < N_SIZES),
    "group" / c.Int8ul,
    "count" / c.Int16ul,
    "_check" / c.Check(c.this.count <= MAX_ROTATIONS),
    "pairs" / c.Bytes(2 * c.this.count),
    "angles" / c.Bytes(2 * c.this.count),
    "order" / c.Bytes(lambda this: ZONE_SIZES[this.size]),
)
LEARNED = c.Struct(
    "log2_size" / c.Int8ul,
    "_check" / c.Check(lambda this: MIN_LOG2 <= this.log2_size <= MAX_LEARNED_LOG2),
    "bases" / c.Int8ul,
    "_check" / c.Check(c.this.bases < len(BASES) ** 2),
    "weights" / c.Bytes(lambda this: 2 * n_inputs(this.log2_size) * n_outputs(this.log2_size)),
)
STATE_FIELDS = (
    "n_contexts" / c.Rebuild(c.Int16ul, lambda this: len(this.start_states) // 2),
    "start_states" / c.Bytes(2 * c.this.n_contexts),
)
FILTER_FIELDS = (
    "n_filter_weights" / c.Rebuild(c.Int32ul, c.len_(c.this.filters)),
    "_check" / c.Check(lambda this: this.n_filter_weights in (0, int(np.prod(_FILTER_SHAPE)))),
    "filters" / c.Bytes(c.this.n_filter_weights),
)
BODY = c.Struct(
    "version" / c.Const(VERSION, c.Int8ul),
    "n_groups" / c.Rebuild(c.Int8ul, c.len_(c.this.groups)),
    "groups" / c.Array(c.this.n_groups, GROUP),
    *STATE_FIELDS,
    *FILTER_FIELDS,
    "n_learned" / c.Rebuild(c.Int8ul, c.len_(c.this.learned)),
    "learned" / c.Array(c.this.n_learned, LEARNED),
    c.Terminated,
)


def build_body(
    transforms: Transforms,
    start_states: NDArray[np.uint8] | None,
    filters: NDArray[np.int8] | None,
    learned: Sequence[LearnedMode] = (),
) -> bytes:
    """Return the canonical bytes; groups in ascending order, learned modes by ascending size."""
    groups = []
    for (size, group), transform in sorted(transforms.items()):
        groups.append(
            {
                "size": size,
                "group": group,
                "count": len(transform.angles),
                "pairs": np.asarray(transform.pairs, np.uint8).tobytes(),
                "angles": np.asarray(transform.angles, "<u2").tobytes(),
                "order": np.asarray(transform.order, np.uint8).tobytes(),
            }
        )
    states = b"" if start_states is None else np.asarray(start_states, np.uint8).tobytes()
    weights = b"" if filters is None else np.asarray(filters, np.int8).tobytes()
    return bytes(
        BODY.build(
            {
                "groups": groups,
                "start_states": states,
                "filters": weights,
                "learned": [_learned_fields(mode) for mode in learned],
            }
        )
    )


def _learned_fields(mode: LearnedMode) -> dict[str, object]:
    return {
        "log2_size": mode.log2_size,
        "bases": len(BASES) * mode.vertical + mode.horizontal,
        "weights": folded_bytes(mode.weights),
    }


def fold(numbers: NDArray[np.int16]) -> NDArray[np.uint16]:
    """Return signed numbers as unsigned ones, with their sign in the lowest bit (SPEC 1): they deflate better so."""
    return ((numbers << 1) ^ (numbers >> 15)).astype(np.uint16)


def unfold(numbers: NDArray[np.uint16]) -> NDArray[np.int16]:
    """Return the numbers of `fold`."""
    signed: NDArray[np.int16] = ((numbers >> 1) ^ -(numbers & 1)).astype(np.int16)
    return signed


def folded_bytes(numbers: NDArray[np.int16]) -> bytes:
    """Return folded numbers, all low bytes before all high bytes: they deflate better so."""
    folded = fold(numbers).ravel()
    return bytes((folded & 255).astype(np.uint8).tobytes() + (folded >> 8).astype(np.uint8).tobytes())


def unfolded(data: bytes) -> NDArray[np.int16]:
    """Return the numbers of `folded_bytes`, in one dimension."""
    low, high = np.frombuffer(data, np.uint8).reshape(2, -1).astype(np.uint16)
    return unfold(((high << 8) | low).astype(np.uint16))


def parse_body(
    data: bytes,
) -> tuple[Transforms, NDArray[np.uint8] | None, NDArray[np.int8] | None, tuple[LearnedMode, ...]]:
    """Return transforms, start states, filters, learned modes; FormatError where a field is outside what is allowed."""
    try:
        body = BODY.parse(data)
    except c.ConstructError as error:
        raise FormatError(f"class model: {str(error).splitlines()[0]}") from error
    learned = _parse_learned(body.learned)
    n_groups = [N_GROUPS + sum(m.log2_size - MIN_LOG2 == size for m in learned) for size in range(len(ZONE_SIZES))]
    transforms = dict(_parse_group(group, n_groups) for group in body.groups)
    if len(transforms) != len(body.groups) or list(transforms) != sorted(transforms):
        raise FormatError("class model: the groups are not in ascending order")
    if body.n_contexts not in (0, N_CONTEXTS):
        raise FormatError(f"class model: {body.n_contexts} start states, expected 0 or {N_CONTEXTS}")
    states = np.frombuffer(body.start_states, np.uint8).reshape(-1, 2)
    if len(states) and states[:, 1].max() > MAX_COUNT:
        raise FormatError(f"class model: a start state's confidence is above {MAX_COUNT}")
    if len(states) and not MIN_START <= states[:, 0].min() <= states[:, 0].max() <= 255 - MIN_START:
        raise FormatError(f"class model: a start probability is not in {MIN_START}..{255 - MIN_START}")
    filters = np.frombuffer(body.filters, np.int8).reshape(_FILTER_SHAPE) if body.n_filter_weights else None
    return transforms, states if len(states) else None, filters, learned


def _parse_learned(modes: c.ListContainer) -> tuple[LearnedMode, ...]:
    sizes = [mode.log2_size for mode in modes]
    if sizes != sorted(sizes) or any(sizes.count(size) > MAX_LEARNED for size in sizes):
        raise FormatError(f"class model: the learned modes are not in order of size, or over {MAX_LEARNED} of a size")
    return tuple(
        LearnedMode(
            mode.log2_size,
            mode.bases // len(BASES),
            mode.bases % len(BASES),
            unfolded(mode.weights).reshape(n_inputs(mode.log2_size), n_outputs(mode.log2_size)),
        )
        for mode in modes
    )


def _parse_group(group: c.Container, n_groups: Sequence[int]) -> tuple[tuple[int, int], GroupTransform]:
    pairs = np.frombuffer(group.pairs, np.uint8).reshape(-1, 2)
    angles = np.frombuffer(group.angles, "<u2").astype(np.uint16)
    order = np.frombuffer(group.order, np.uint8)
    size, last = group.size, n_groups[group.size] - 1
    if group.group > last:
        raise FormatError(f"class model: mode group {group.group} of size class {size}; there are {last + 1}")
    zone = ZONE_SIZES[size]
    if len(pairs) and (pairs.max() >= zone or (pairs[:, 0] >= pairs[:, 1]).any() or angles.max() >= ANGLE_LEVELS):
        raise FormatError("class model: a rotation's indices or angle are out of range")
    if (np.sort(order) != np.arange(zone)).any():
        raise FormatError("class model: a scan order is no permutation")
    return (size, group.group), GroupTransform(pairs, angles, order)


def inflate(data: bytes) -> bytes:
    """Inflate at most MAX_MODEL_BYTES; FormatError for anything else."""
    inflater = zlib.decompressobj()
    try:
        plain = inflater.decompress(data, MAX_MODEL_BYTES)
    except zlib.error as error:
        raise FormatError(f"class model: not a deflate stream ({error})") from error
    if not inflater.eof or inflater.unused_data:
        raise FormatError("class model: the deflate stream is cut, too long or followed by other bytes")
    return plain
