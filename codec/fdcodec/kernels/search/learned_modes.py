# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The encoder's prices of learned modes, in 1/1024 bit. Encoder only.

`contexts` are uint16 (n_contexts, 3), `costs` and `rates` int64, one for each mode, `coefficients` int32 (32, 32).
"""

import numpy as np
from numpy.typing import NDArray

from fdcodec.format.constants import LEARNED, MIN_LOG2, N_MODES
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.learned_modes import learned_inputs, predict_learned
from fdcodec.kernels.reconstruction.transforms import forward_base, subtract_prediction
from fdcodec.kernels.search.costs import bin_cost
from fdcodec.kernels.search.quantization import INFINITE
from fdcodec.kernels.syntax.learned_modes import index_bits, learned_flag_context, learned_index_context

COST_STEPS = 16  # of the table below, to a quantization step


def _coefficient_cost() -> NDArray[np.int64]:
    """Return what a coefficient costs by its size: the error where it is dropped, else bits that grow with its log."""
    steps = (np.arange(32 * COST_STEPS) + 0.5) / COST_STEPS
    return np.rint(1024 * np.minimum(steps**2 / 0.10, 2.6 + 1.5 * np.log2(1 + steps))).astype(np.int64)


COEFFICIENT_COST = _coefficient_cost()


@kernel(inner=True)
def learned_rate(contexts, maps, x, y, log2_size, count, index):
    """Return the cost of a learned mode's flag and index."""
    first = learned_index_context(maps, log2_size, x, y)
    cost = bin_cost(contexts, learned_flag_context(maps, log2_size, x, y), 1)
    node = 1
    for k in range(index_bits(count) - 1, -1, -1):
        bit = (index >> k) & 1
        cost += bin_cost(contexts, first + node, bit)
        node = 2 * node + bit
    return cost


@kernel(inner=True)
def add_flag_rate(contexts, maps, x, y, log2_size, satd_lagrangian, costs, rates):
    """Add to the modes made by hand what it costs to say that a block is in none of the learned ones."""
    flag = bin_cost(contexts, learned_flag_context(maps, log2_size, x, y), 0)
    for mode in range(N_MODES):
        rates[mode] += flag
        if costs[mode] < INFINITE:
            costs[mode] += satd_lagrangian * flag


@kernel(inner=True)
def coding_cost(coefficients, size, half_step):
    """Return about what a block's coefficients cost, distortion counted in bits, in 1/1024 bit."""
    scale = (32 * COST_STEPS << 16) // half_step
    total = np.int64(0)
    for row in range(size):
        for column in range(size):
            index = (abs(np.int64(coefficients[row, column])) * scale) >> 16
            total += COEFFICIENT_COST[min(index, len(COEFFICIENT_COST) - 1)]
    return total


@kernel(inner=True)
def price_learned(search, options, block):
    """Enter cost and rate of each learned mode of the block's size.

    The cost is that of the residual in the mode's own bases: a text residual is cheap in one base and dear in another.
    """
    search.learned_costs[:] = INFINITE
    x, y, log2_size, log2_height = block
    count = search.tables.n_learned[log2_size]
    if search.known.kind == 1 or count == 0 or log2_height != log2_size:
        return
    contexts, maps = search.contexts, search.known.maps
    add_flag_rate(contexts, maps, x, y, log2_size, options.satd_lagrangian, search.mode_costs, search.mode_rates)
    work, size = search.work, 1 << log2_size
    mean = learned_inputs(work.references, log2_size, work.line)
    for index in range(count):
        weights = search.tables.predictors[log2_size - MIN_LOG2, index]
        predict_learned(work.line, mean, weights, log2_size, work.sums, work.prediction)
        subtract_prediction(search.original[y : y + size, x : x + size], work.prediction, work.residual)
        forward_base(work.residual, LEARNED + index, log2_size, log2_size, search.tables, work, work.coefficients)
        rate = learned_rate(contexts, maps, x, y, log2_size, count, index)
        search.mode_rates[LEARNED + index] = rate
        search.learned_costs[index] = coding_cost(work.coefficients, size, options.half_step) + rate
