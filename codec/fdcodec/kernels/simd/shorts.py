# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,misc,arg-type"
"""Sixteen int16 in one register (`registers`), two of which stand in each int32 of a line.

Shorts have `+`, `-`, `smaller`, `larger`, `magnitudes` and what is defined here.
"""

import numpy as np
from llvmlite import ir
from numba.core import types

from fdcodec.kernels.simd.lanes import LANES
from fdcodec.kernels.simd.registers import (
    INT32,
    RegisterType,
    lowers,
    pointer_to,
    shuffle,
    spread_over,
)

SHORTS = 2 * LANES
_TYPE, _SUMS = RegisterType(16, SHORTS), RegisterType(32, LANES)


def _pointer(context, builder, line_type, line, place):
    """Return a pointer to the shorts of a line of int32 at a place, a value and its type."""
    lanes = pointer_to(context, builder, line_type, line, place, LANES)
    return builder.bitcast(lanes, _TYPE.vector.as_pointer())


def _is_line(line):
    return isinstance(line, types.Array) and line.dtype == types.int32


def shorts_at(line, start):
    """Return the shorts of a contiguous line of int32 from `start` on."""
    return line[start : start + LANES].copy().view(np.int16)


@lowers(shorts_at, lambda line, start: _TYPE if _is_line(line) else None, types.Array, types.Integer)
def _lower_shorts_at(context, builder, signature, arguments):
    line, start = arguments
    pointer = _pointer(context, builder, signature.args[0], line, (start, signature.args[1]))
    return builder.load(pointer, align=4)


def put_shorts(shorts, line, start):
    """Write shorts into a contiguous line of int32 from `start` on."""
    line[start : start + LANES] = shorts.view(np.int32)


@lowers(
    put_shorts,
    lambda shorts, line, start: types.none if shorts == _TYPE and _is_line(line) else None,
    *(RegisterType, types.Array, types.Integer),
)
def _lower_put_shorts(context, builder, signature, arguments):
    shorts, line, start = arguments
    pointer = _pointer(context, builder, signature.args[1], line, (start, signature.args[2]))
    builder.store(shorts, pointer, align=4)
    return context.get_dummy_value()


def spread_pair(first, second):
    """Return shorts of two values by turns."""
    return np.tile(np.array([first, second], np.int16), LANES)


@lowers(spread_pair, lambda first, second: _TYPE, types.Integer, types.Integer)
def _lower_spread_pair(context, builder, signature, arguments):
    first, second = (spread_over(builder, value, _TYPE.vector) for value in arguments)
    return shuffle(builder, first, second, [k + SHORTS * (k & 1) for k in range(SHORTS)])


def pair_sums(shorts, line, start):
    """Return, as lanes, the sums of each two neighbouring products of shorts and those of a line from `start` on."""
    products = shorts.astype(np.int32) * shorts_at(line, start)
    return products[::2] + products[1::2]


@lowers(
    pair_sums,
    lambda shorts, line, start: _SUMS if shorts == _TYPE and _is_line(line) else None,
    *(RegisterType, types.Array, types.Integer),
)
def _lower_pair_sums(context, builder, signature, arguments):
    factors = _lower_shorts_at(context, builder, signature.return_type(*signature.args[1:]), arguments[1:])
    wide = ir.VectorType(INT32, SHORTS)
    products = builder.mul(builder.sext(arguments[0], wide), builder.sext(factors, wide))
    return builder.add(*(shuffle(builder, products, products, range(k, SHORTS, 2)) for k in (0, 1)))
