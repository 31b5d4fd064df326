# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""What each decision would cost, read from the present context states: bins and modes in 1/1024 bit. Encoder only.

`contexts` are uint16 (n_contexts, 3), `known` the `Known` of the plane, `probable` int64, N_PROBABLE modes.
"""

from typing import NamedTuple

import numpy as np

from fdcodec.format import contexts as ctx
from fdcodec.format.constants import CHROMA_FROM_LUMA, MAX_UNARY, N_PROBABLE, PROBABILITY_BITS
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.blocks import log2_area
from fdcodec.kernels.syntax.levels import coefficient_context, end_class_context, end_detail_context, magnitude_context
from fdcodec.kernels.syntax.modes import RANK_BITS, chroma_from_luma_context, place_context, probable_context

ONE_BIT = 1024
_TABLE_BITS = 10
BIN_COST = np.rint(-ONE_BIT * np.log2((np.arange(1 << _TABLE_BITS) + 0.5) / (1 << _TABLE_BITS))).astype(np.int64)
_END_CLASS = np.array([end.bit_length() for end in range(1025)])


class Costs(NamedTuple):
    """Costs of one plane kind, weighed by lambda.

    `levels[context, magnitude]`, `last_levels` the same without significance, `above_two[neighbours, magnitude]` what
    magnitudes of two and more cost after the bin that says so, in 1/1024 bit, `ends[size, fullness, class]` of end
    classes, and `end_details[size, class, bit]` what the bits after the class cost, of which the first is `bit`.
    """

    levels: np.ndarray
    last_levels: np.ndarray
    above_two: np.ndarray
    ends: np.ndarray
    end_details: np.ndarray


def new_costs() -> Costs:
    """Return empty cost tables."""
    shape = (ctx.N_LEVEL_CONTEXTS, MAX_UNARY + 1)
    ends = np.zeros((ctx.N_SIZES, ctx.N_FULLNESSES, ctx.END_BINS), np.int64)
    above_two = np.zeros((ctx.N_NEIGHBOUR_CLASSES, MAX_UNARY + 1), np.int64)
    details = np.zeros((ctx.N_SIZES, ctx.END_BINS, 2), np.int64)
    return Costs(np.zeros(shape, np.int64), np.zeros(shape, np.int64), above_two, ends, details)


@kernel(merged=True)
def bin_cost(contexts, context, bit):
    """Return the cost of a bin in its context's present state."""
    probability = (np.int64(contexts[context, 0]) + np.int64(contexts[context, 1])) >> 1
    index = probability >> (PROBABILITY_BITS - _TABLE_BITS)
    return BIN_COST[index] if bit else BIN_COST[(1 << _TABLE_BITS) - 1 - index]


@kernel(inner=True)
def golomb_cost(contexts, first, value):
    """Return the cost of `code_golomb`."""
    cost, target, n_bits = 0, value + 1, 0
    while n_bits < ctx.PREFIX_BINS:
        more = 1 if target >> (n_bits + 1) else 0
        cost += bin_cost(contexts, first + n_bits, more)
        if not more:
            break
        n_bits += 1
    return cost + n_bits * ONE_BIT


@kernel()
def _update_level_costs(contexts, kind, lagrangian, costs):
    for neighbours in range(ctx.N_NEIGHBOUR_CLASSES):
        cost = 0
        for magnitude in range(2, MAX_UNARY):
            unary = magnitude_context(kind, magnitude, neighbours)
            costs.above_two[neighbours, magnitude] = cost + bin_cost(contexts, unary, 0)
            cost += bin_cost(contexts, unary, 1)
        costs.above_two[neighbours, MAX_UNARY] = cost
    first = coefficient_context(kind, 0, 0, 0, 0)
    significant, above_one = ctx.SIGNIFICANT + first, ctx.ABOVE_ONE + first
    for context in range(ctx.N_LEVEL_CONTEXTS):
        neighbours = context % ctx.N_NEIGHBOUR_CLASSES
        flag = lagrangian * bin_cost(contexts, significant + context, 1)
        costs.levels[context, 0] = lagrangian * bin_cost(contexts, significant + context, 0)
        costs.last_levels[context, 0] = 0
        cost = ONE_BIT + bin_cost(contexts, above_one + context, 1)
        costs.last_levels[context, 1] = lagrangian * (ONE_BIT + bin_cost(contexts, above_one + context, 0))
        for magnitude in range(2, MAX_UNARY + 1):
            costs.last_levels[context, magnitude] = lagrangian * (cost + costs.above_two[neighbours, magnitude])
        for magnitude in range(1, MAX_UNARY + 1):
            costs.levels[context, magnitude] = costs.last_levels[context, magnitude] + flag


@kernel()
def _update_end_costs(contexts, kind, lagrangian, size, costs):
    n_classes = log2_area(size) + 1
    for fullness in range(ctx.N_FULLNESSES):
        first = end_class_context(kind, size, fullness)
        cost = 0
        for end_class in range(n_classes):
            costs.ends[size, fullness, end_class] = lagrangian * (cost + bin_cost(contexts, first + end_class, 0))
            cost += bin_cost(contexts, first + end_class, 1)
        costs.ends[size, fullness, n_classes] = lagrangian * cost
    for end_class in range(2, n_classes + 1):
        context = end_detail_context(kind, size, end_class)
        for bit in range(2):
            detail = bin_cost(contexts, context, bit) + (end_class - 2) * ONE_BIT
            costs.end_details[size, end_class, bit] = lagrangian * detail


@kernel()
def update_costs(contexts, kind, lagrangian, costs):
    """Fill the tables of a plane kind from the contexts, for the price of 1/1024 bit."""
    _update_level_costs(contexts, kind, lagrangian, costs)
    for size in range(ctx.N_SIZES):
        _update_end_costs(contexts, kind, lagrangian, size, costs)


@kernel(inner=True)
def end_cost(costs, size, fullness, end):
    """Return the cost of a block's end."""
    end_class = _END_CLASS[end]
    return costs.ends[size, fullness, end_class] + costs.end_details[size, end_class, (end << 2 >> end_class) & 1]


@kernel(inner=True)
def escape_cost(magnitude):
    """Return the cost of what a magnitude has above MAX_UNARY, in 1/1024 bit."""
    if magnitude < MAX_UNARY:
        return 0
    n_bits = 0
    while (magnitude - MAX_UNARY + 1) >> (n_bits + 1):
        n_bits += 1
    return (2 * n_bits + 1) * ONE_BIT


@kernel(merged=True)
def mode_cost(contexts, known, block, mode, probable):
    """Return the cost of a prediction mode, given the block's probable modes."""
    _, _, log2_width, log2_height = block
    cost = 0
    if known.kind == 1:
        context = chroma_from_luma_context(known, block)
        cost += bin_cost(contexts, context, 1 if mode == CHROMA_FROM_LUMA else 0)
        if mode == CHROMA_FROM_LUMA:
            return cost
    context = probable_context(known.kind, log2_width, log2_height)
    for index in range(N_PROBABLE):
        if probable[index] == mode:
            cost += bin_cost(contexts, context, 1)
            for k in range(min(index + 1, N_PROBABLE - 1)):
                cost += bin_cost(contexts, place_context(known.kind, k), 1 if index > k else 0)
            return cost
    return cost + bin_cost(contexts, context, 0) + RANK_BITS * ONE_BIT
