# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,misc,arg-type"
"""Eight integers in one register (`registers`), for loops over the rows of blocks.

Lanes are int32, wide lanes int64. They have `+`, `-`, `*`, `>>`, `smaller`, `larger` and what is defined here.
"""

import numpy as np
from llvmlite import ir
from numba.core import types

from fdcodec.kernels.jit import kernel
from fdcodec.kernels.simd.registers import (
    INT32,
    INT64,
    RegisterType,
    lower_spread,
    lower_store,
    lowers,
    pointer_to,
    shuffle,
)

LANES = 8
_NARROW, _WIDE = RegisterType(32, LANES), RegisterType(64, LANES)


def _load(context, builder, signature, arguments, count):
    line_type, bytes_each = signature.args[0], signature.args[0].dtype.bitwidth // 8
    pointer = pointer_to(context, builder, line_type, arguments[0], (arguments[1], signature.args[1]), count)
    return builder.sext(builder.load(pointer, align=bytes_each), ir.VectorType(INT32, count))


def _type_of_load(line, start):
    return _NARROW if isinstance(line, types.Array) and line.ndim == 1 and line.dtype.bitwidth <= 32 else None


def lanes_at(line, start):
    """Return the eight values of a contiguous line, int16 or int32, from `start` on."""
    return line[start : start + LANES].astype(np.int32)


@lowers(lanes_at, _type_of_load, types.Array, types.Integer)
def _lower_lanes_at(context, builder, signature, arguments):
    return _load(context, builder, signature, arguments, LANES)


def gathered_lanes(line, places):
    """Return the values of a contiguous line of int32 at eight places."""
    return line[places]


@lowers(
    gathered_lanes,
    lambda line, places: _NARROW if places == _NARROW and line.dtype == types.int32 else None,
    *(types.Array, RegisterType),
)
def _lower_gathered_lanes(context, builder, signature, arguments):
    data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
    lanes = ir.Constant(_NARROW.vector, ir.Undefined)
    for k in range(LANES):
        place = builder.sext(builder.extract_element(arguments[1], INT32(k)), INT64)
        lanes = builder.insert_element(lanes, builder.load(builder.gep(data, [place])), INT32(k))
    return lanes


def half_lanes_at(line, start):
    """Return the four values of a contiguous line from `start` on, and four zeros."""
    return np.concatenate([line[start : start + 4], np.zeros(4, np.int32)]).astype(np.int32)


@lowers(half_lanes_at, _type_of_load, types.Array, types.Integer)
def _lower_half_lanes_at(context, builder, signature, arguments):
    four = _load(context, builder, signature, arguments, 4)
    return shuffle(builder, four, ir.Constant(four.type, [0] * 4), range(LANES))


def put_lanes(lanes, line, start):
    """Write eight values into a contiguous line of int32 from `start` on."""
    line[start : start + LANES] = lanes


lower_store(put_lanes, _NARROW)


def put_half_lanes(lanes, line, start):
    """Write the first four values into a contiguous line of int32 from `start` on."""
    line[start : start + 4] = lanes[:4]


def _type_of_half_store(lanes, line, start):
    return types.none if lanes == _NARROW and line.dtype == types.int32 else None


@lowers(put_half_lanes, _type_of_half_store, RegisterType, types.Array, types.Integer)
def _lower_put_half_lanes(context, builder, signature, arguments):
    lanes, line, start = arguments
    pointer = pointer_to(context, builder, signature.args[1], line, (start, signature.args[2]), 4)
    builder.store(shuffle(builder, lanes, lanes, range(4)), pointer, align=4)
    return context.get_dummy_value()


def spread(value):
    """Return lanes of one value."""
    return np.full(LANES, value, np.int32)


lower_spread(spread, _NARROW)


def spread_wide(value):
    """Return wide lanes of one value."""
    return np.full(LANES, value, np.int64)


lower_spread(spread_wide, _WIDE)


def wide_product(first, second):
    """Return the exact products of lanes, as wide lanes."""
    return first.astype(np.int64) * second


@lowers(wide_product, lambda first, second: _WIDE, RegisterType, RegisterType)
def _lower_wide_product(context, builder, signature, arguments):
    return builder.mul(*(builder.sext(lanes, _WIDE.vector) for lanes in arguments))


def total_of(lanes):
    """Return the sum of lanes or wide lanes, int64."""
    return lanes.sum(dtype=np.int64)


@lowers(total_of, lambda lanes: types.int64, RegisterType)
def _lower_total_of(context, builder, signature, arguments):
    lanes = builder.sext(arguments[0], _WIDE.vector)
    for count in (4, 2, 1):
        lanes = builder.add(*(shuffle(builder, lanes, lanes, range(k, k + count)) for k in (0, count)))
    return builder.extract_element(lanes, INT32(0))


def butterflies(lanes):
    """Return sum and difference of each two neighbouring lanes, in their places."""
    even, odd = lanes[::2], lanes[1::2]
    return np.stack([even + odd, even - odd], axis=1).ravel()


@lowers(butterflies, lambda lanes: lanes, RegisterType)
def _lower_butterflies(context, builder, signature, arguments):
    lanes = arguments[0]
    swapped = shuffle(builder, lanes, lanes, [k ^ 1 for k in range(LANES)])
    sums, differences = builder.add(lanes, swapped), builder.sub(swapped, lanes)
    return shuffle(builder, sums, differences, [k + LANES * (k & 1) for k in range(LANES)])


def swap_pairs(lanes):
    """Return lanes in which each pair has changed places with the one beside it."""
    return lanes.reshape(2, 2, 2)[:, ::-1].ravel()


@lowers(swap_pairs, lambda lanes: lanes, RegisterType)
def _lower_swap_pairs(context, builder, signature, arguments):
    return shuffle(builder, arguments[0], arguments[0], [k ^ 2 for k in range(LANES)])


@kernel(inner=True)
def block_lanes(line, start, width):
    """Return eight values of a row of a block, or four and four zeros where it is but four samples wide."""
    return half_lanes_at(line, start) if width < LANES else lanes_at(line, start)


@kernel(inner=True)
def put_block_lanes(lanes, line, start, width):
    """Write eight values into a row of a block, or the first four where it is but four samples wide."""
    if width < LANES:
        put_half_lanes(lanes, line, start)
    else:
        put_lanes(lanes, line, start)
