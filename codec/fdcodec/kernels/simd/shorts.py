# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,misc,arg-type"
"""Thirty-two int16 in one register (`registers`), for loops over the rows of a plane.

Shorts have `+`, `-`, `smaller`, `larger`, `magnitudes` and what is defined here. Sums of their products are int32 and
lie in registers in an order of their own, in which one instruction multiplies and adds two neighbours: only `put_sums`
gives them away.
"""

import numpy as np
from llvmlite import ir
from numba.core import types

from fdcodec.kernels.simd.registers import (
    RegisterType,
    lower_load,
    lower_spread,
    lower_store,
    lowers,
    pointer_to,
    shuffle,
)

SHORTS = 32
CELL_SHORTS = SHORTS // 4  # cells of four samples in a register
_TYPE, _SUMS = RegisterType(16, SHORTS), RegisterType(32, SHORTS)
_GROUPS = range(0, SHORTS, 8)


def shorts_at(line, start):
    """Return the values of a contiguous line of int16 from `start` on."""
    return line[start : start + SHORTS].copy()


lower_load(shorts_at, _TYPE)


def put_shorts(shorts, line, start):
    """Write values into a contiguous line of int16 from `start` on."""
    line[start : start + SHORTS] = shorts


lower_store(put_shorts, _TYPE)


def spread_short(value):
    """Return shorts of one value."""
    return np.full(SHORTS, value, np.int16)


lower_spread(spread_short, _TYPE)


def spread_sum(value):
    """Return sums of one value."""
    return np.full(SHORTS, value, np.int32)


lower_spread(spread_sum, _SUMS)


def weighed(first, second, weights, cell):
    """Return `first` times one weight plus `second` times another, as sums; each four values have their weights.

    `weights` is a contiguous line of int16 that holds the two of each cell side by side; `cell` is that of the first.
    """
    pairs = weights[2 * cell : 2 * (cell + CELL_SHORTS)].astype(np.int32).reshape(-1, 2).repeat(4, axis=0)
    return first * pairs[:, 0] + second * pairs[:, 1]


@lowers(
    weighed,
    lambda first, second, weights, cell: _SUMS if weights.dtype == types.int16 else None,
    *(RegisterType, RegisterType, types.Array, types.Integer),
)
def _lower_weighed(context, builder, signature, arguments):
    first, second, weights, cell = arguments
    start = builder.mul(cell, ir.Constant(cell.type, 2)), signature.args[3]
    pointer = pointer_to(context, builder, signature.args[2], weights, start, 2 * CELL_SHORTS)
    pairs = builder.load(pointer, align=2)
    return shuffle(
        builder,
        _multiply_pairs(builder, first, second, pairs, 0),
        _multiply_pairs(builder, first, second, pairs, 4),
        range(SHORTS),
    )


def _multiply_pairs(builder, first, second, pairs, half):
    """Return the sums of the first (0) or last (4) four of each eight values; the order is that of one instruction."""
    places = [group + half + k for group in _GROUPS for k in range(4)]
    values = shuffle(builder, first, second, [place + part for place in places for part in (0, SHORTS)])
    weights = shuffle(builder, pairs, pairs, [2 * (place >> 2) + part for place in places for part in (0, 1)])
    products = builder.mul(*(builder.sext(line, _SUMS.vector) for line in (values, weights)))
    return builder.add(*(shuffle(builder, products, products, range(k, SHORTS, 2)) for k in (0, 1)))


def put_sums(sums, line, start):
    """Write sums into a contiguous line of int32 from `start` on."""
    line[start : start + SHORTS] = sums


def _type_of_put(sums, line, start):
    return types.none if sums == _SUMS and line.dtype == types.int32 else None


@lowers(put_sums, _type_of_put, RegisterType, types.Array, types.Integer)
def _lower_put_sums(context, builder, signature, arguments):
    sums, start = arguments[0], (arguments[2], signature.args[2])
    order = [half + group // 2 + k for group in _GROUPS for half in (0, SHORTS // 2) for k in range(4)]
    pointer = pointer_to(context, builder, signature.args[1], arguments[1], start, SHORTS)
    builder.store(shuffle(builder, sums, sums, order), pointer, align=4)
    return context.get_dummy_value()
