"""The canonical bytes of a class model: transforms, start states, filter, learned modes (SPEC 7)."""

import zlib
from collections.abc import Sequence
from math import prod
from reprlib import repr as shown
from typing import NamedTuple, TypeAlias

import construct as c
import numpy as np
from numpy.typing import NDArray

from fdcodec.errors import damaged
from fdcodec.format.constants import (
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
from fdcodec.format.contexts import KINDS, N_CONTEXTS, N_SIZES
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
FILTER_SHAPE = (KINDS, FILTER_BUCKETS, FILTER_CLASSES, FILTER_WEIGHTS)

ZONE_SIZES = (16, 64, 64, 64, 32, 64, 64)
"""Number of coefficients in the low zone, by size class."""

SIZE_NAMES = ("4x4", "8x8", "16x16", "32x32", "8x4", "16x8", "32x16")
"""What the size classes are called; of halves the longer side comes first, whichever way they lie."""


def _within(field: str, kind: c.Construct, allowed: Sequence[int]) -> c.Construct:
    """Return a number of a kind that is refused, by what it is called, unless it is among those allowed."""

    def checked(value: int, _: object) -> int:
        if value not in allowed:
            ends = (".." if isinstance(allowed, range) else " or ").join(str(end) for end in (allowed[0], allowed[-1]))
            raise c.ValidationError(f"{field} {value}, expected {ends}")
        return value

    return c.ExprSymmetricAdapter(kind, checked)


GROUP = c.Struct(
    "size" / _within("size class", c.Int8ul, range(N_SIZES)),
    "group" / c.Int8ul,
    "count" / _within("number of rotations", c.Int16ul, range(MAX_ROTATIONS + 1)),
    "pairs" / c.Bytes(2 * c.this.count),
    "angles" / c.Bytes(2 * c.this.count),
    "order" / c.Bytes(lambda this: ZONE_SIZES[this.size]),
)
LEARNED = c.Struct(
    "log2_size" / _within("log2 size of a learned mode", c.Int8ul, range(MIN_LOG2, MAX_LEARNED_LOG2 + 1)),
    "bases" / _within("bases of a learned mode", c.Int8ul, range(len(BASES) ** 2)),
    "weights" / c.Bytes(lambda this: 2 * n_inputs(this.log2_size) * n_outputs(this.log2_size)),
)
STATE_FIELDS = (
    "n_contexts" / c.Rebuild(c.Int16ul, lambda this: len(this.start_states) // 2),
    "start_states" / c.Bytes(2 * c.this.n_contexts),
)
FILTER_FIELDS = (
    "n_filter_weights"
    / c.Rebuild(_within("number of filter weights", c.Int32ul, (0, prod(FILTER_SHAPE))), c.len_(c.this.filters)),
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
        raise damaged(f"class model: {reason_of(error)}") from error
    learned = _parse_learned(body.learned)
    n_groups = [N_GROUPS + sum(m.log2_size - MIN_LOG2 == size for m in learned) for size in range(len(ZONE_SIZES))]
    transforms = dict(_parse_group(group, n_groups) for group in body.groups)
    if len(transforms) != len(body.groups) or list(transforms) != sorted(transforms):
        raise damaged("class model: the groups are not in ascending order, or one comes twice")
    if body.n_contexts not in (0, N_CONTEXTS):
        raise damaged(f"class model: {body.n_contexts} start states, expected 0 or {N_CONTEXTS}")
    states = np.frombuffer(body.start_states, np.uint8).reshape(-1, 2)
    if len(states) and states[:, 1].max() > MAX_COUNT:
        raise damaged(f"class model: start count {states[:, 1].max()}, expected 0..{MAX_COUNT}")
    outside = states[(states[:, 0] < MIN_START) | (states[:, 0] > 255 - MIN_START), 0]
    if len(outside):
        raise damaged(f"class model: start probability {outside[0]}, expected {MIN_START}..{255 - MIN_START}")
    filters = np.frombuffer(body.filters, np.int8).reshape(FILTER_SHAPE) if body.n_filter_weights else None
    return transforms, states if len(states) else None, filters, learned


def _parse_learned(modes: c.ListContainer) -> tuple[LearnedMode, ...]:
    sizes = [mode.log2_size for mode in modes]
    if sizes != sorted(sizes) or any(sizes.count(size) > MAX_LEARNED for size in sizes):
        expected = f"expected in order and at most {MAX_LEARNED} of one"
        raise damaged(f"class model: learned modes of log2 sizes {shown(sizes)}, {expected}")
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
        raise damaged(f"class model: mode group {group.group} of size class {size}, expected 0..{last}")
    zone = ZONE_SIZES[size]
    if len(pairs) and (pairs.max() >= zone or (pairs[:, 0] >= pairs[:, 1]).any() or angles.max() >= ANGLE_LEVELS):
        raise damaged(f"class model: a rotation's indices or angle are not i < j < {zone} and 0..{ANGLE_LEVELS - 1}")
    if (np.sort(order) != np.arange(zone)).any():
        raise damaged(f"class model: a scan order is no permutation of 0..{zone - 1}")
    return (size, group.group), GroupTransform(pairs, angles, order)


def reason_of(error: c.ConstructError) -> str:
    """Return why construct refuses bytes, after the name of the field where it tells it."""
    *place, reason = str(error).splitlines()
    return f"{place[0].split()[-1]}: {reason}" if place else reason


def inflate(data: bytes) -> bytes:
    """Inflate at most MAX_MODEL_BYTES; FormatError for anything else."""
    inflater = zlib.decompressobj()
    try:
        plain = inflater.decompress(data, MAX_MODEL_BYTES)
    except zlib.error as error:
        raise damaged(f"class model: not a deflate stream ({error})") from error
    if not inflater.eof or inflater.unused_data:
        raise damaged(f"class model: the deflate stream is cut, above {MAX_MODEL_BYTES} bytes or followed by others")
    return plain
