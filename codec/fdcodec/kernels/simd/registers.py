# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,misc,arg-type"
"""Integers side by side in one register: what `lanes` (eight) and `quads` (four) are made of.

LLVM computes several samples at a time only in loops that are long, and keeps their sums in memory: a product of 8x8
matrices took 370 ns so, and takes 80 with its sums in registers (ADR 0024). With these types a kernel says itself what
goes at a time. Their functions are functions of NumPy arrays, which run without the JIT, and beside each stands the
LLVM code that numba puts in its place. Sums and products wrap.
"""

import operator

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.datamodel.models import PrimitiveModel
from numba.extending import lower_builtin, register_model, type_callable

INT32, INT64 = ir.IntType(32), ir.IntType(64)


class RegisterType(types.Type):
    """So many integers of so many bits, to numba."""

    def __init__(self, bits, count):
        super().__init__(f"Register({bits}, {count})")
        self.vector = ir.VectorType(ir.IntType(bits), count)


@register_model(RegisterType)
class _RegisterModel(PrimitiveModel):
    def __init__(self, manager, register):
        super().__init__(manager, register, register.vector)


def lowers(function, typer, *arguments):
    """Return a decorator for what builds the LLVM code of a function; `typer` tells the type of its result."""
    type_callable(function)(lambda context: typer)
    return lower_builtin(function, *arguments)


def shuffle(builder, first, second, order):
    """Return the elements of two vectors at some places, those of the second after those of the first."""
    return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(INT32, len(order)), list(order)))


def spread_over(builder, value, vector):
    """Return a vector of one integer, cut or extended to its width."""
    is_long = value.type.width > vector.element.width
    value = builder.trunc(value, vector.element) if is_long else builder.sext(value, vector.element)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), value, INT32(0))
    return shuffle(builder, first, first, [0] * vector.count)


def lower_spread(function, register):
    """Lower a function of an integer to a register of nothing else."""

    @lowers(function, lambda value: register if isinstance(value, types.Integer) else None, types.Integer)
    def lower(context, builder, signature, arguments):
        return spread_over(builder, arguments[0], register.vector)


def pointer_to(context, builder, line_type, line, start, count):
    """Return a pointer to `count` consecutive elements of a contiguous line from `start`, a value and its type, on."""
    element = ir.IntType(line_type.dtype.bitwidth)
    start = context.cast(builder, start[0], start[1], types.int64)
    first = builder.gep(context.make_array(line_type)(context, builder, line).data, [start])
    return builder.bitcast(first, ir.VectorType(element, count).as_pointer())


def lower_load(function, register):
    """Lower reading a register from a contiguous line of integers of its width, from a place on."""
    bits, count = register.vector.element.width, register.vector.count

    def type_of_load(line, start):
        return register if isinstance(line, types.Array) and line.dtype.bitwidth == bits else None

    @lowers(function, type_of_load, types.Array, types.Integer)
    def lower(context, builder, signature, arguments):
        start = arguments[1], signature.args[1]
        pointer = pointer_to(context, builder, signature.args[0], arguments[0], start, count)
        return builder.load(pointer, align=bits // 8)


def lower_store(function, register):
    """Lower writing a register into a contiguous line of integers of its width, from a place on."""
    bits, count = register.vector.element.width, register.vector.count

    def type_of_store(values, line, start):
        return types.none if values == register and line.dtype.bitwidth == bits else None

    @lowers(function, type_of_store, RegisterType, types.Array, types.Integer)
    def lower(context, builder, signature, arguments):
        start = arguments[2], signature.args[2]
        pointer = pointer_to(context, builder, signature.args[1], arguments[1], start, count)
        builder.store(arguments[0], pointer, align=bits // 8)
        return context.get_dummy_value()


def type_of_pair(first, second):
    """Return the type of two registers if it is the same."""
    return first if isinstance(first, RegisterType) and first == second else None


def lower_pairs(function, build):
    """Lower a function of two registers of one type."""
    lowers(function, type_of_pair, RegisterType, RegisterType)(
        lambda context, builder, signature, arguments: build(builder, *arguments)
    )


for _operator, _build in (
    (operator.add, ir.IRBuilder.add),
    (operator.sub, ir.IRBuilder.sub),
    (operator.mul, ir.IRBuilder.mul),
    (operator.and_, ir.IRBuilder.and_),
    (operator.or_, ir.IRBuilder.or_),
):
    lower_pairs(_operator, _build)


def lower_shift(function, build):
    """Lower a shift of a register by a number of bits."""

    def type_of_shift(register, count):
        return register if isinstance(register, RegisterType) and isinstance(count, types.Integer) else None

    @lowers(function, type_of_shift, RegisterType, types.Integer)
    def lower(context, builder, signature, arguments):
        return build(builder, arguments[0], spread_over(builder, arguments[1], arguments[0].type))


lower_shift(operator.rshift, ir.IRBuilder.ashr)
lower_shift(operator.lshift, ir.IRBuilder.shl)


def smaller(first, second):
    """Return the smaller of each two integers."""
    return np.minimum(first, second)


def larger(first, second):
    """Return the larger of each two integers."""
    return np.maximum(first, second)


lower_pairs(smaller, lambda builder, a, b: builder.select(builder.icmp_signed("<", a, b), a, b))
lower_pairs(larger, lambda builder, a, b: builder.select(builder.icmp_signed(">", a, b), a, b))


def magnitudes(register):
    """Return the absolute values of a register."""
    return np.abs(register)


@lowers(magnitudes, lambda register: register, RegisterType)
def _lower_magnitudes(context, builder, signature, arguments):
    negative = builder.neg(arguments[0])
    return builder.select(builder.icmp_signed(">", arguments[0], negative), arguments[0], negative)


def is_below(first, second):
    """Return a mask, all bits set where the first integers are below the second."""
    return -(first < second).astype(first.dtype)


lower_pairs(is_below, lambda builder, a, b: builder.sext(builder.icmp_signed("<", a, b), a.type))
