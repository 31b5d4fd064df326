# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The encoder's prices of learned modes: sums of differences, and rates in 1/1024 bit. Encoder only."""

from fdcodec.coding.constants import LEARNED, MIN_LOG2, N_MODES
from fdcodec.kernels.cost_kernels import bin_cost
from fdcodec.kernels.hadamard import hadamard_cost
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.learned_kernels import learned_inputs, predict_learned
from fdcodec.kernels.learned_syntax import index_bits, learned_flag_context, learned_index_context
from fdcodec.kernels.quantization_kernels import INFINITE


@kernel()
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


@kernel()
def add_flag_rate(contexts, maps, x, y, log2_size, root, costs, rates):
    """Add to the modes made by hand what it costs to say that a block is in none of the learned ones."""
    flag = bin_cost(contexts, learned_flag_context(maps, log2_size, x, y), 0)
    for mode in range(N_MODES):
        rates[mode] += flag
        if costs[mode] < INFINITE:
            costs[mode] += root * flag


@kernel()
def price_learned(s, o, x, y, log2_size):
    """Enter cost and rate of each learned mode of the block's size."""
    s.learned_costs[:] = INFINITE
    count = s.tables.n_learned[log2_size]
    if o.kind == 1 or count == 0:
        return
    add_flag_rate(s.contexts, s.maps, x, y, log2_size, o.root, s.mode_costs, s.mode_rates)
    work = s.work
    mean = learned_inputs(work.references, log2_size, work.line)
    for index in range(count):
        weights = s.tables.predictors[log2_size - MIN_LOG2, index]
        predict_learned(work.line, mean, weights, log2_size, work.prediction)
        rate = learned_rate(s.contexts, s.maps, x, y, log2_size, count, index)
        cost = hadamard_cost(s.original, x, y, work.prediction, 1 << log2_size, s.rows)
        s.mode_rates[LEARNED + index] = rate
        s.learned_costs[index] = (cost << 8) + o.root * rate
