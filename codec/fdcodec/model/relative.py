"""A class model as what it differs in from another one, its parent (SPEC 7.1). Build and parse face each other.

Both go by the fields of the canonical bytes; what is parsed becomes canonical bytes, which are then checked like any.
"""

from collections.abc import Iterable

import construct as c
import numpy as np
from numpy.typing import NDArray

from fdcodec.errors import damaged
from fdcodec.format.constants import ANGLE_LEVELS, PARENT_BYTES
from fdcodec.model.body import (
    BODY,
    FILTER_FIELDS,
    GROUP,
    LEARNED,
    STATE_FIELDS,
    fold,
    folded_bytes,
    reason_of,
    unfold,
    unfolded,
)

VERSION = 1
"""First byte, in the place of that of canonical bytes."""

_HALF_TURN = ANGLE_LEVELS // 2
_OWN = 255  # in the place of the index of one of the parent's learned modes
_RELATIVE = c.Struct(
    "version" / c.Const(VERSION, c.Int8ul),
    "parent" / c.Bytes(PARENT_BYTES),
    "n_dropped" / c.Rebuild(c.Int8ul, c.len_(c.this.dropped)),
    "dropped" / c.Array(c.this.n_dropped, c.Int16ub),
    "n_groups" / c.Rebuild(c.Int8ul, c.len_(c.this.groups)),
    "groups" / c.Array(c.this.n_groups, GROUP),
    *STATE_FIELDS,
    *FILTER_FIELDS,
    "n_learned" / c.Rebuild(c.Int8ul, c.len_(c.this.learned)),
    "learned" / c.Array(c.this.n_learned, c.Struct("index" / c.Int8ul, "mode" / c.If(c.this.index == _OWN, LEARNED))),
    c.Terminated,
)


def build_relative(canonical: bytes, parent: bytes, parent_hash: bytes) -> bytes:
    """Return what a model differs in from its parent; of both the canonical bytes."""
    own, base = BODY.parse(canonical), BODY.parse(parent)
    groups, inherited = _by_key(own.groups), _by_key(base.groups)
    modes = [LEARNED.build(mode) for mode in base.learned]
    fields = {
        "parent": parent_hash[:PARENT_BYTES],
        "dropped": [key for key in inherited if key not in groups],
        "groups": [_with_folded(group) for key, group in groups.items() if not _is_equal(group, inherited.get(key))],
        "start_states": _differences(_by_field(own.start_states), _by_field(base.start_states)),
        "filters": _differences(own.filters, base.filters),
        "learned": [_inherited(mode, modes) for mode in own.learned],
    }
    return bytes(_RELATIVE.build(fields))


def parse_relative(data: bytes, parent: bytes) -> bytes:
    """Return the canonical bytes of a model; FormatError where the bytes are not those of `build_relative`."""
    base = BODY.parse(parent)
    try:
        given = _RELATIVE.parse(data)
        groups = _by_key(base.groups)
        for key in given.dropped:
            del groups[key]
        own = _by_key(map(_with_angles, given.groups))
        if len(own) != len(given.groups) or not own.keys().isdisjoint(given.dropped):
            raise damaged("class model: a group comes twice, or is left out, too")
        groups |= own
        fields = {
            "groups": [groups[key] for key in sorted(groups)],
            "start_states": _by_entry(_sums(given.start_states, _by_field(base.start_states))),
            "filters": _sums(given.filters, base.filters),
            "learned": [base.learned[mode.index] if mode.mode is None else mode.mode for mode in given.learned],
        }
        return bytes(BODY.build(fields))
    except (c.ConstructError, LookupError) as error:
        reason = reason_of(error) if isinstance(error, c.ConstructError) else "the parent has no such group or mode"
        raise damaged(f"class model: not one that differs from its parent ({reason})") from error


def parent_of(data: bytes) -> bytes | None:
    """Return the first bytes of the parent's hash, None where the bytes are canonical ones; FormatError if cut."""
    if data[:1] != bytes([VERSION]):
        return None
    if len(data) <= PARENT_BYTES:
        raise damaged(f"class model: {len(data)} bytes do not name a parent")
    return data[1 : 1 + PARENT_BYTES]


def _by_key(groups: Iterable[c.Container]) -> dict[int, c.Container]:
    """Return groups by size class and mode group, the former in the upper byte."""
    return {group.size << 8 | group.group: group for group in groups}


def _is_equal(group: c.Container, other: c.Container | None) -> bool:
    return other is not None and GROUP.build(group) == GROUP.build(other)


def _with_folded(group: c.Container) -> c.Container:
    """Return a group with angles from -180 degrees on, the sign in the lowest bit, by byte: they deflate better so."""
    angles = np.frombuffer(group.angles, "<u2").astype(np.int16)
    return c.Container(group, angles=folded_bytes((angles + _HALF_TURN) % ANGLE_LEVELS - _HALF_TURN))


def _with_angles(group: c.Container) -> c.Container:
    angles = unfolded(group.angles)
    outside = angles[(angles < -_HALF_TURN) | (angles >= _HALF_TURN)]
    if len(outside):
        raise damaged(f"class model: angle {outside[0]}, expected {-_HALF_TURN}..{_HALF_TURN - 1}")
    return c.Container(group, angles=(angles % ANGLE_LEVELS).astype("<u2").tobytes())


def _inherited(mode: c.Container, modes: list[bytes]) -> dict[str, object]:
    """Return the index of a learned mode among the parent's, or the mode where it is none of them."""
    built = LEARNED.build(mode)
    return {"index": modes.index(built), "mode": None} if built in modes else {"index": _OWN, "mode": mode}


def _by_field(pairs: bytes) -> bytes:
    """Return the first bytes of all pairs and then the second ones: probabilities and counts deflate better so."""
    return np.frombuffer(pairs, np.uint8).reshape(-1, 2).T.tobytes()


def _by_entry(fields: bytes) -> bytes:
    return np.frombuffer(fields, np.uint8).reshape(2, -1).T.tobytes()


def _differences(values: bytes, base: bytes) -> bytes:
    """Return byte differences modulo 256, folded; those to 0 where the base has none."""
    signed = (_numbers(values) - _against(values, base)).view(np.int8).astype(np.int16)
    return fold(signed).astype(np.uint8).tobytes()


def _sums(differences: bytes, base: bytes) -> bytes:
    signed = unfold(_numbers(differences).astype(np.uint16)).astype(np.uint8)
    return (signed + _against(differences, base)).tobytes()


def _numbers(data: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(data, np.uint8)


def _against(values: bytes, base: bytes) -> NDArray[np.uint8]:
    return _numbers(base) if len(base) == len(values) else np.zeros(len(values), np.uint8)
