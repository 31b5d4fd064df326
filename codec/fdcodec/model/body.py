"""The canonical bytes of a class model: transforms, start states, filters (SPEC 7). Build and parse face each other."""

from typing import NamedTuple, TypeAlias

import construct as c
import numpy as np
from numpy.typing import NDArray

from fdcodec.coding.constants import (
    ANGLE_LEVELS,
    FILTER_BUCKETS,
    FILTER_CLASSES,
    FILTER_WEIGHTS,
    N_GROUPS,
)
from fdcodec.coding.contexts import KINDS, N_CONTEXTS, N_SIZES
from fdcodec.errors import FormatError


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
MAX_ROTATIONS = 1024
MAX_UPDATE_COUNT = 63
MIN_START = 2  # start probabilities are 2..253, in 1/256
_FILTER_SHAPE = (KINDS, FILTER_BUCKETS, FILTER_CLASSES, FILTER_WEIGHTS)


ZONE_SIZES = (16, 64, 64, 64, 32, 64, 64)
"""Number of coefficients in the low zone, by size class."""


_GROUP = c.Struct(
    "size" / c.Int8ul,
    "_size" / c.Check(c.this.size < N_SIZES),
    "group" / c.Int8ul,
    "count" / c.Int16ul,
    "_check" / c.Check(c.this.count <= MAX_ROTATIONS),
    "pairs" / c.Bytes(2 * c.this.count),
    "angles" / c.Bytes(2 * c.this.count),
    "order" / c.Bytes(lambda this: ZONE_SIZES[this.size]),
)
_BODY = c.Struct(
    "version" / c.Const(VERSION, c.Int8ul),
    "n_groups" / c.Int8ul,
    "groups" / c.Array(c.this.n_groups, _GROUP),
    "n_contexts" / c.Int16ul,
    "start_states" / c.Bytes(2 * c.this.n_contexts),
    "n_filter_weights" / c.Int32ul,
    "_check" / c.Check(lambda this: this.n_filter_weights in (0, int(np.prod(_FILTER_SHAPE)))),
    "filters" / c.Bytes(c.this.n_filter_weights),
    c.Terminated,
)


def build_body(
    transforms: Transforms, start_states: NDArray[np.uint8] | None, filters: NDArray[np.int8] | None
) -> bytes:
    """Return the canonical bytes; groups in ascending order."""
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
        _BODY.build(
            {
                "n_groups": len(groups),
                "groups": groups,
                "n_contexts": len(states) // 2,
                "start_states": states,
                "n_filter_weights": len(weights),
                "filters": weights,
            }
        )
    )


def parse_body(data: bytes) -> tuple[Transforms, NDArray[np.uint8] | None, NDArray[np.int8] | None]:
    """Return transforms, start states and filters; FormatError where a field is outside what is allowed."""
    try:
        body = _BODY.parse(data)
    except c.ConstructError as error:
        raise FormatError(f"class model: {str(error).splitlines()[0]}") from error
    transforms = dict(_parse_group(group) for group in body.groups)
    if len(transforms) != len(body.groups) or list(transforms) != sorted(transforms):
        raise FormatError("class model: the groups are not in ascending order")
    if body.n_contexts not in (0, N_CONTEXTS):
        raise FormatError(f"class model: {body.n_contexts} start states, expected 0 or {N_CONTEXTS}")
    states = np.frombuffer(body.start_states, np.uint8).reshape(-1, 2)
    if len(states) and states[:, 1].max() > MAX_UPDATE_COUNT:
        raise FormatError(f"class model: a start state's confidence is above {MAX_UPDATE_COUNT}")
    if len(states) and not MIN_START <= states[:, 0].min() <= states[:, 0].max() <= 255 - MIN_START:
        raise FormatError(f"class model: a start probability is not in {MIN_START}..{255 - MIN_START}")
    filters = np.frombuffer(body.filters, np.int8).reshape(_FILTER_SHAPE) if body.n_filter_weights else None
    return transforms, states if len(states) else None, filters


def _parse_group(group: c.Container) -> tuple[tuple[int, int], GroupTransform]:
    pairs = np.frombuffer(group.pairs, np.uint8).reshape(-1, 2)
    angles = np.frombuffer(group.angles, "<u2").astype(np.uint16)
    order = np.frombuffer(group.order, np.uint8)
    if group.group >= N_GROUPS:
        raise FormatError(f"class model: mode group {group.group} of size class {group.size}; there are {N_GROUPS}")
    zone = ZONE_SIZES[group.size]
    if len(pairs) and (pairs.max() >= zone or (pairs[:, 0] >= pairs[:, 1]).any() or angles.max() >= ANGLE_LEVELS):
        raise FormatError("class model: a rotation's indices or angle are out of range")
    if (np.sort(order) != np.arange(zone)).any():
        raise FormatError("class model: a scan order is no permutation")
    return (group.size, group.group), GroupTransform(pairs, angles, order)
