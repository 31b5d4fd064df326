# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,misc,arg-type"
"""Asking for memory before it is used: 64 bytes that no cache holds take as long as a hundred additions."""

from llvmlite import ir
from numba.core import types

from fdcodec.kernels.simd.registers import INT32, lowers


def fetch(line, place):
    """Have the processor bring the memory at a place of a contiguous line into its caches; nothing else happens."""


def _type_of_fetch(line, place):
    return types.none if isinstance(line, types.Array) and isinstance(place, types.Integer) else None


@lowers(fetch, _type_of_fetch, types.Array, types.Integer)
def _lower_fetch(context, builder, signature, arguments):
    line, place = arguments
    place = context.cast(builder, place, signature.args[1], types.int64)
    pointer = builder.gep(context.make_array(signature.args[0])(context, builder, line).data, [place])
    pointer = builder.bitcast(pointer, ir.IntType(8).as_pointer())
    kind = ir.FunctionType(ir.VoidType(), [pointer.type, INT32, INT32, INT32])
    prefetch = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
    builder.call(prefetch, [pointer, INT32(0), INT32(3), INT32(1)])  # to read, kept in all caches, data
    return context.get_dummy_value()


def value_at(line, place):
    """Return what a contiguous line holds at a place, known to be one of it: it is not tested."""
    return line[place]


def _type_of_value(line, place):
    return line.dtype if isinstance(line, types.Array) and line.ndim == 1 else None


@lowers(value_at, _type_of_value, types.Array, types.Integer)
def _lower_value_at(context, builder, signature, arguments):
    line, place = arguments
    place = context.cast(builder, place, signature.args[1], types.int64)
    return builder.load(builder.gep(context.make_array(signature.args[0])(context, builder, line).data, [place]))


def put_value(value, line, place):
    """Write what a contiguous line holds at a place, known to be one of it: it is not tested."""
    line[place] = value


def _type_of_put(value, line, place):
    return types.none if isinstance(line, types.Array) and line.ndim == 1 else None


@lowers(put_value, _type_of_put, types.Integer, types.Array, types.Integer)
def _lower_put_value(context, builder, signature, arguments):
    value, line, place = arguments
    value_type, line_type, place_type = signature.args
    place = context.cast(builder, place, place_type, types.int64)
    value = context.cast(builder, value, value_type, line_type.dtype)
    builder.store(value, builder.gep(context.make_array(line_type)(context, builder, line).data, [place]))
    return context.get_dummy_value()
