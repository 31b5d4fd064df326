# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""Sampled blocks: a block's samples one at a time, as the rank of the value among those expected there (SPEC 5.9).

What is expected: the value that followed the same neighbours the last time (two tables, of more and of fewer), then the
neighbours left, above, above right and above left, then recent values; last, any value. In chroma the first table goes
by the samples of the planes before: a palette's colours follow from its luma.

`expected` is the `Expected` of the plane, `stream` as in `trees`.
"""

from typing import NamedTuple

import numpy as np

from fdcodec.format import contexts as ctx
from fdcodec.format.constants import FRACTION_BITS, N_RECENT, TABLE_SIZE
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.syntax.range_coder import code_bin, code_golomb

N_TABLES = 2
MAX_CANDIDATES = N_TABLES + ctx.N_SLOTS
EMPTY = -(1 << 20)  # no sample's value
MAX_CONFIDENCE = ctx.N_CONFIDENCES - 1
VALUE, CONFIDENCE = 0, 1  # of an entry of a table


class Expected(NamedTuple):
    """What sampled blocks of one plane expect, and the scratch of one sample.

    `first` and `second` are the planes decoded before (the plane itself where there is none), `tables` int32
    (N_TABLES, TABLE_SIZE, 2), `recent` the recent values, `values` and `contexts` the candidates of the present sample,
    `entries` its places in the tables; literals are values from `low` to `high`, `distance` apart.
    """

    plane: np.ndarray
    first: np.ndarray
    second: np.ndarray
    tables: np.ndarray
    recent: np.ndarray
    values: np.ndarray
    contexts: np.ndarray
    entries: np.ndarray
    low: int
    high: int
    distance: int


def new_expected(plane, first, second, low, high, distance):
    """Return the state at the start of a plane."""
    tables = np.zeros((N_TABLES, TABLE_SIZE, 2), np.int32)
    tables[:, :, VALUE] = EMPTY
    return Expected(
        plane,
        first,
        second,
        tables,
        np.full(N_RECENT, EMPTY, np.int32),
        np.zeros(MAX_CANDIDATES, np.int64),
        np.zeros(MAX_CANDIDATES, np.int64),
        np.zeros(N_TABLES, np.int64),
        low,
        high,
        distance,
    )


def grid_distance(n_planes):
    """Return the distance of the values that can be coded: one pixel value in gray, half of it in rotated colour."""
    return 1 << FRACTION_BITS if n_planes == 1 else 1 << (FRACTION_BITS - 1)


@kernel()
def _mix(total):
    """Return a table index from a sum of products."""
    return (total ^ (total >> 17) ^ (total >> 31)) & (TABLE_SIZE - 1)


@kernel(inline=True)
def _equal(a, b):
    return 1 if a == b else 0


@kernel(merged=True)
def _follower_context(kind, table, confidence, is_west, is_north):
    """Return the context of the bin that tells whether a sample is the value that a table expects."""
    row = (kind * N_TABLES + table) * ctx.N_CONFIDENCES + confidence
    return ctx.FOLLOWER + row * ctx.N_EQUALITIES + (1 if is_west else 0) + (2 if is_north else 0)


@kernel(inner=True)
def is_neighbour(context):
    """Tell, by its context, whether a candidate has the value of a neighbour."""
    return context >= ctx.NEIGHBOUR or (context - ctx.FOLLOWER) % ctx.N_EQUALITIES > 0


@kernel(inner=True)
def recent_context(kind):
    """Return the context of the flag that a value is a recent one."""
    return ctx.RECENT + kind


@kernel(inner=True)
def recent_index_context(kind):
    """Return the first context of the tree of an index of the recent values."""
    return ctx.RECENT_INDEX + (kind << ctx.RECENT_BITS)


@kernel(inner=True)
def literal_contexts(kind):
    """Return the context of a literal's sign, and the first one of its magnitude."""
    first = ctx.LITERAL + kind * (1 + ctx.PREFIX_BINS)
    return first, first + 1


@kernel(merged=True)
def _nearest(plane, x, y):
    """Return the samples left, above and above left of the one at (x, y), or what stands for them (SPEC 5.9.1)."""
    west = np.int64(plane[y, x - 1]) if x > 0 else np.int64(plane[y - 1, x] if y > 0 else 128 << FRACTION_BITS)
    north = np.int64(plane[y - 1, x]) if y > 0 else west
    return west, north, np.int64(plane[y - 1, x - 1]) if x > 0 and y > 0 else north


@kernel(inner=True)
def fill_candidates(expected, kind, x, y, is_last):
    """Enter the candidates of the sample at (x, y) into `values` and `contexts`; return how many there are.

    `is_last` tells that the sample is in its block's last column, right of which nothing may be decoded.
    """
    plane = expected.plane
    west, north, north_west = _nearest(plane, x, y)
    north_east = np.int64(plane[y - 1, x + 1]) if y > 0 and not is_last else north
    west_west = np.int64(plane[y, x - 2]) if x > 1 else west
    north_north = np.int64(plane[y - 2, x]) if y > 1 else north
    pattern = _equal(west, north) + 2 * _equal(west, north_west) + 4 * _equal(north, north_west)
    pattern += 8 * _equal(north, north_east)
    if kind == 0:
        pattern += 16 * _equal(west, north_east) + 32 * _equal(west, west_west) + 64 * _equal(north, north_north)
        second = west * 0x1E3779B1 + north * 0x05EBCA77 + north_east * 0x42B2AE3D
        first = second + north_west * 0x27D4EB2F + west_west * 0x165667B1 + north_north * 0x3C6EF372
    else:
        guide, other = np.int64(expected.first[y, x]), np.int64(expected.second[y, x])
        same_left = x > 0 and guide == expected.first[y, x - 1] and other == expected.second[y, x - 1]
        same_above = y > 0 and guide == expected.first[y - 1, x] and other == expected.second[y - 1, x]
        pattern += 16 * (1 if same_left else 0) + 32 * (1 if same_above else 0)
        first = guide * 0x1E3779B1 + other * 0x05EBCA77
        second = first + west * 0x42B2AE3D + north * 0x27D4EB2F
    expected.entries[0], expected.entries[1] = _mix(first), _mix(second)
    count = 0
    for table in range(N_TABLES):
        value = np.int64(expected.tables[table, expected.entries[table], VALUE])
        if value != EMPTY and not (count == 1 and expected.values[0] == value):
            confidence = expected.tables[table, expected.entries[table], CONFIDENCE]
            expected.values[count] = value
            expected.contexts[count] = _follower_context(kind, table, confidence, value == west, value == north)
            count += 1
    for slot in range(ctx.N_SLOTS):
        value = west if slot == 0 else (north if slot == 1 else (north_east if slot == 2 else north_west))
        is_new = True
        for k in range(count):
            is_new &= expected.values[k] != value
        if is_new:
            expected.values[count] = value
            expected.contexts[count] = ctx.NEIGHBOUR + (kind * ctx.N_SLOTS + slot) * ctx.N_PATTERNS + pattern
            count += 1
    return count


@kernel()
def update_tables(expected, value):
    """Enter the value of the sample last expected into the tables."""
    for table in range(N_TABLES):
        entry = expected.tables[table, expected.entries[table]]
        if entry[VALUE] == value:
            entry[CONFIDENCE] = min(entry[CONFIDENCE] + 1, MAX_CONFIDENCE)
        else:
            entry[VALUE] = value
            entry[CONFIDENCE] = 0


@kernel(inner=True)
def remember(expected, value, index):
    """Move a value to the front of the recent ones, from `index` or (N_RECENT - 1 at most) from outside."""
    for k in range(index, 0, -1):
        expected.recent[k] = expected.recent[k - 1]
    expected.recent[0] = value


@kernel()
def predicted(expected, x, y):
    """Return the value that one outside all lists is coded against: the median edge detector's, on the grid."""
    distance, (west, north, corner) = expected.distance, _nearest(expected.plane, x, y)
    value = min(max(west + north - corner, min(west, north)), max(west, north))
    return (value - expected.low + distance // 2) // distance


@kernel(checked=True)
def _code_literal(stream, expected, kind, x, y, value):
    """Code a value that no list holds: its difference from the prediction, in grid steps."""
    coder, buffer, contexts = stream
    base, (sign_context, first) = predicted(expected, x, y), literal_contexts(kind)
    difference = (value - expected.low) // expected.distance - base
    negative = code_bin(coder, buffer, contexts, sign_context, 1 if difference < 0 else 0)
    magnitude = code_golomb(stream, first, abs(difference))
    value = expected.low + (base - magnitude if negative else base + magnitude) * expected.distance
    return min(max(value, expected.low), expected.high)


@kernel(checked=True)
def _code_recent(stream, kind, index):
    """Code an index of the recent values by a tree of adaptive bins."""
    coder, buffer, contexts = stream
    first, node = recent_index_context(kind), 1
    for bit in range(ctx.RECENT_BITS - 1, -1, -1):
        node = 2 * node + code_bin(coder, buffer, contexts, first + node, (index >> bit) & 1)
    return node - N_RECENT


@kernel(checked=True)
def _code_other(stream, expected, kind, x, y, value):
    """Code a value that is no candidate: by its index of the recent values, or itself."""
    coder, buffer, contexts = stream
    index = 0
    while index < N_RECENT and expected.recent[index] != value:
        index += 1
    if code_bin(coder, buffer, contexts, recent_context(kind), 1 if index < N_RECENT else 0):
        index = _code_recent(stream, kind, index)
        value = np.int64(expected.recent[index])
        if value == EMPTY:  # only in a damaged payload
            value = np.int64(expected.low)
        remember(expected, value, index)
        return value
    value = _code_literal(stream, expected, kind, x, y, value)
    remember(expected, value, N_RECENT - 1)
    return value


@kernel(checked=True)
def code_samples(stream, expected, kind, block, is_coded):
    """Code a sampled block, in raster order; where not `is_coded`, every sample is the first one expected."""
    coder, buffer, contexts = stream
    x, y, log2_width, log2_height = block
    last = x + (1 << log2_width) - 1
    for row in range(y, y + (1 << log2_height)):
        for column in range(x, last + 1):
            count = fill_candidates(expected, kind, column, row, column == last)
            value = np.int64(expected.plane[row, column])
            if is_coded:
                k = 0
                while k < count:
                    if code_bin(coder, buffer, contexts, expected.contexts[k], 1 if expected.values[k] == value else 0):
                        break
                    k += 1
                value = expected.values[k] if k < count else _code_other(stream, expected, kind, column, row, value)
            else:
                value = expected.values[0]
            expected.plane[row, column] = value
            update_tables(expected, value)
