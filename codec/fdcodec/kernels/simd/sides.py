# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,misc,arg-type"
"""Four int32 in one register (`registers`): what lies along a side of a cell.

Sides have `+`, `-`, `*`, `<<`, `>>`, `&`, `|`, `smaller`, `larger`, `magnitudes`, `is_below` and what is defined here.
"""

import numpy as np
from numba.core import types

from fdcodec.kernels.jit import kernel
from fdcodec.kernels.simd.registers import INT32, RegisterType, lower_load, lower_spread, lower_store, lowers, shuffle

SIDE = 4
_TYPE = RegisterType(32, SIDE)


def side_at(line, start):
    """Return the four values of a contiguous line of int32 from `start` on."""
    return line[start : start + SIDE].copy()


lower_load(side_at, _TYPE)


def put_side(side, line, start):
    """Write four values into a contiguous line of int32 from `start` on."""
    line[start : start + SIDE] = side


lower_store(put_side, _TYPE)


@kernel(merged=True)
def put_sides(sides, line, start, distance):
    """Write four sides into a contiguous line of int32, each `distance` after the one before."""
    put_side(sides[0], line, start)
    put_side(sides[1], line, start + distance)
    put_side(sides[2], line, start + 2 * distance)
    put_side(sides[3], line, start + 3 * distance)


def spread_side(value):
    """Return a side of one value."""
    return np.full(SIDE, value, np.int32)


lower_spread(spread_side, _TYPE)


def ends_of(side):
    """Return the first and the last value."""
    return np.int64(side[0]), np.int64(side[SIDE - 1])


@lowers(ends_of, lambda side: types.UniTuple(types.int64, 2) if side == _TYPE else None, RegisterType)
def _lower_ends_of(context, builder, signature, arguments):
    ends = (builder.extract_element(arguments[0], INT32(place)) for place in (0, SIDE - 1))
    values = [context.cast(builder, end, types.int32, types.int64) for end in ends]
    return context.make_tuple(builder, signature.return_type, values)


def crossed(first, second, third, fourth):
    """Return the four columns of four rows."""
    return tuple(np.stack([first, second, third, fourth], axis=1))


@lowers(crossed, lambda first, second, third, fourth: types.UniTuple(_TYPE, SIDE), *SIDE * [RegisterType])
def _lower_crossed(context, builder, signature, arguments):
    first, second, third, fourth = arguments
    upper = [shuffle(builder, first, second, order) for order in ([0, 4, 1, 5], [2, 6, 3, 7])]
    lower = [shuffle(builder, third, fourth, order) for order in ([0, 4, 1, 5], [2, 6, 3, 7])]
    orders = [0, 1, 4, 5], [2, 3, 6, 7]
    columns = [shuffle(builder, upper[half], lower[half], order) for half in (0, 1) for order in orders]
    return context.make_tuple(builder, signature.return_type, columns)
