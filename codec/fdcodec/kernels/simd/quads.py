# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,misc,arg-type"
"""Four int64 in one register (`registers`), one for each state of the trellis.

Quads have `+`, `-`, `&`, `|`, `<<`, `smaller`, `is_below` and what is defined here.
"""

import numpy as np
from llvmlite import ir
from numba.core import types

from fdcodec.kernels.simd.registers import (
    INT32,
    INT64,
    RegisterType,
    lower_pairs,
    lower_shift,
    lower_spread,
    lowers,
    pointer_to,
    shuffle,
)

QUAD = 4
_TYPE = RegisterType(64, QUAD)


def quad_of(first, second, third, fourth):
    """Return four values."""
    return np.array([first, second, third, fourth], np.int64)


@lowers(quad_of, lambda first, second, third, fourth: _TYPE, *QUAD * [types.Integer])
def _lower_quad_of(context, builder, signature, arguments):
    quad = ir.Constant(_TYPE.vector, ir.Undefined)
    for k, (value, kind) in enumerate(zip(arguments, signature.args, strict=True)):
        quad = builder.insert_element(quad, context.cast(builder, value, kind, types.int64), INT32(k))
    return quad


def values_of(quad):
    """Return the four values."""
    return tuple(quad)


@lowers(values_of, lambda quad: types.UniTuple(types.int64, QUAD), RegisterType)
def _lower_values_of(context, builder, signature, arguments):
    values = [builder.extract_element(arguments[0], INT32(k)) for k in range(QUAD)]
    return context.make_tuple(builder, signature.return_type, values)


def spread_quad(value):
    """Return four times one value."""
    return np.full(QUAD, value, np.int64)


lower_spread(spread_quad, _TYPE)


def put_quad(quad, line):
    """Write four values into a contiguous line of four int64."""
    line[:] = quad


@lowers(put_quad, lambda quad, line: types.none if line.dtype == types.int64 else None, RegisterType, types.Array)
def _lower_put_quad(context, builder, signature, arguments):
    start = (INT64(0), types.int64)
    builder.store(arguments[0], pointer_to(context, builder, signature.args[1], arguments[1], start, QUAD), align=8)
    return context.get_dummy_value()


def choose(mask, first, second):
    """Return the first values where the mask is set, the second elsewhere."""
    return np.where(mask < 0, first, second)


@lowers(choose, lambda mask, first, second: first, *3 * [RegisterType])
def _lower_choose(context, builder, signature, arguments):
    return builder.select(builder.icmp_signed("<", arguments[0], ir.Constant(_TYPE.vector, [0] * QUAD)), *arguments[1:])


def even_places(first, second):
    """Return the first and third value of each of two quads."""
    return np.concatenate([first[::2], second[::2]])


lower_pairs(even_places, lambda builder, first, second: shuffle(builder, first, second, [0, 2, 4, 6]))


def odd_places(first, second):
    """Return the second and fourth value of each of two quads."""
    return np.concatenate([first[1::2], second[1::2]])


lower_pairs(odd_places, lambda builder, first, second: shuffle(builder, first, second, [1, 3, 5, 7]))


def bits_above(quad, count):
    """Return the values shifted down by some bits, zeros above."""
    return (quad.view(np.uint64) >> np.uint64(count)).view(np.int64)


lower_shift(bits_above, ir.IRBuilder.lshr)
