# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The encoder's choice of the samples of a sampled block, by rate and distortion, greedily one after another.

What a trial enters into the tables is written down in a journal and taken back.
"""

from typing import NamedTuple

import numpy as np

from fdcodec.coding import contexts as ctx
from fdcodec.coding.constants import CELL_LOG2, N_RECENT, SAMPLED
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.blocks import (
    END,
    LEFT,
    MODE,
    TREE_CELLS,
    UP,
    block_at,
    fill_cells,
    starts_block,
    tree_cell,
)
from fdcodec.kernels.search.costs import bin_cost, golomb_cost
from fdcodec.kernels.search.quantization import INFINITE
from fdcodec.kernels.syntax.sampled import (
    CONFIDENCE,
    N_TABLES,
    VALUE,
    expect,
    is_neighbour,
    learn,
    literal_contexts,
    predicted,
    recent_context,
    recent_index_context,
    remember,
)
from fdcodec.kernels.syntax.screens import coded_context

STRICTNESS = 3  # an error costs the samples that follow, too: choosing samples, a bit is worth this many halvings less
ERROR_SHIFT = 18  # from squared sample units to the unit of costs


class Journal(NamedTuple):
    """What to take back: `length` entries (table, slot, value, confidence), and the recent values at the mark."""

    entries: np.ndarray
    length: np.ndarray
    recent: np.ndarray


def new_journal():
    """Return an empty journal, which holds a tree's worth of entries."""
    return Journal(np.zeros((1024 * N_TABLES, 4), np.int64), np.zeros(1, np.int64), np.zeros(N_RECENT, np.int32))


@kernel()
def mark(journal, e):
    """Keep the recent values; return the length of the journal."""
    for k in range(N_RECENT):
        journal.recent[k] = e.recent[k]
    return journal.length[0]


@kernel(inner=True)
def take_back(journal, e, count):
    """Bring the tables and the recent values back to where they were at the mark."""
    for k in range(journal.length[0] - 1, count - 1, -1):
        table, slot, value, confidence = journal.entries[k]
        e.tables[table, slot, VALUE] = value
        e.tables[table, slot, CONFIDENCE] = confidence
    journal.length[0] = count
    for k in range(N_RECENT):
        e.recent[k] = journal.recent[k]


@kernel()
def _learn(journal, e, value):
    for table in range(N_TABLES):
        entry = journal.entries[journal.length[0]]
        entry[0], entry[1] = table, e.slots[table]
        entry[2] = e.tables[table, e.slots[table], VALUE]
        entry[3] = e.tables[table, e.slots[table], CONFIDENCE]
        journal.length[0] += 1
    learn(e, value)


@kernel()
def _literal_cost(contexts, kind, difference):
    """Return the cost of a value outside all lists."""
    sign_context, first = literal_contexts(kind)
    return bin_cost(contexts, sign_context, 1 if difference < 0 else 0) + golomb_cost(contexts, first, abs(difference))


@kernel()
def _recent_cost(contexts, kind, index):
    cost, first, node = 0, recent_index_context(kind), 1
    for bit in range(ctx.RECENT_BITS - 1, -1, -1):
        cost += bin_cost(contexts, first + node, (index >> bit) & 1)
        node = 2 * node + ((index >> bit) & 1)
    return cost


@kernel()
def _error(a, b):
    return (a - b) * (a - b) << ERROR_SHIFT


@kernel()
def _choose_other(e, contexts, kind, x, y, target, lagrangian):
    """Return (cost, rate, value, index) of the better of a recent value and the nearest on the grid (N_RECENT - 1)."""
    nearest, nearest_error = 0, INFINITE
    for index in range(N_RECENT):
        error = _error(target, np.int64(e.recent[index]))
        if error < nearest_error:
            nearest, nearest_error = index, error
    rate = bin_cost(contexts, recent_context(kind), 1) + _recent_cost(contexts, kind, nearest)
    cost = nearest_error + lagrangian * rate
    if nearest_error == 0:
        return cost, rate, target, nearest
    step = min((target - e.grid[0] + e.grid[2] // 2) // e.grid[2], (e.grid[1] - e.grid[0]) // e.grid[2])
    value = e.grid[0] + step * e.grid[2]
    literal = bin_cost(contexts, recent_context(kind), 0) + _literal_cost(contexts, kind, step - predicted(e, x, y))
    if _error(target, value) + lagrangian * literal < cost:
        return _error(target, value) + lagrangian * literal, literal, value, N_RECENT - 1
    return cost, rate, np.int64(e.recent[nearest]), nearest


@kernel()
def _is_safe(e, k):
    """Tell whether a candidate can be coded whatever the tables hold by then: on the grid, or a neighbour's value."""
    return is_neighbour(e.contexts[k]) or (e.values[k] - e.grid[0]) % e.grid[2] == 0


@kernel()
def _choose_sample(e, contexts, kind, x, y, is_last, target, lagrangian):
    """Return (rate, value, index of the recent values or -1) of the best way to code one sample."""
    count = expect(e, kind, x, y, is_last)
    best, best_rate, value, before = INFINITE, 0, np.int64(0), 0
    for k in range(count):
        rate = before + bin_cost(contexts, e.contexts[k], 1)
        before += bin_cost(contexts, e.contexts[k], 0)
        error = _error(target, e.values[k]) if _is_safe(e, k) else INFINITE >> 1
        if error + lagrangian * rate < best:
            best, best_rate, value = error + lagrangian * rate, rate, e.values[k]
        if error == 0 or best <= lagrangian * before:
            return best_rate, value, -1
    cost, rate, other, index = _choose_other(e, contexts, kind, x, y, target, lagrangian)
    if cost + lagrangian * before < best:
        return before + rate, other, index
    return best_rate, value, -1


@kernel()
def _choose_samples(s, tools, o, block, is_coded, budget):
    """Write the samples of a block into the plane and enter them into the tables; return their cost.

    Gives up as soon as the cost passes `budget`.
    """
    x, y, log2_width, log2_height = block
    e, total, last = tools.screen.expected, np.int64(0), x + (1 << log2_width) - 1
    strict = o.lagrangian >> STRICTNESS
    for row in range(y, y + (1 << log2_height)):
        for column in range(x, last + 1):
            target = min(max(np.int64(s.original[row, column]), o.low), o.high)
            if is_coded:
                rate, value, index = _choose_sample(e, s.contexts, o.kind, column, row, column == last, target, strict)
                if index >= 0:
                    remember(e, value, index)
            else:
                expect(e, o.kind, column, row, column == last)
                rate, value = 0, e.values[0]
                if not _is_safe(e, 0):
                    return INFINITE >> 1
            e.plane[row, column] = value
            _learn(tools.journal, e, value)
            total += _error(target, value) + o.lagrangian * rate
            if total > budget:
                return INFINITE >> 1
    return total


@kernel(inner=True)
def keep_tool(s, block, mode, end, left, up):
    """Make what stands in the plane the trial."""
    x, y, log2_width, log2_height = block
    s.trial[MODE], s.trial[END], s.trial[LEFT], s.trial[UP] = mode, end, left, up
    for row in range(1 << log2_height):
        for column in range(1 << log2_width):
            s.trial_samples[row, column] = s.plane[y + row, x + column]
            s.trial_levels[row, column] = 0


@kernel(inner=True)
def try_samples(s, tools, o, block, rate, best):
    """Return the least cost of a block: sampled, its mode at `rate`, or as it is at cost `best`; keep the better."""
    for is_coded in range(2):
        base = o.lagrangian * (rate + bin_cost(s.contexts, coded_context(o.kind, block), is_coded))
        start = mark(tools.journal, tools.screen.expected)
        cost = base + _choose_samples(s, tools, o, block, is_coded, best - base)
        take_back(tools.journal, tools.screen.expected, start)
        if cost < best:
            best = cost
            keep_tool(s, block, SAMPLED, is_coded, 0, 0)
    return best


@kernel()
def _is_coded(s, tools, kind, block):
    """Tell whether a sampled block has a sample that is not the first one expected; enter them into the tables."""
    x, y, log2_width, log2_height = block
    e, is_coded, last = tools.screen.expected, 0, x + (1 << log2_width) - 1
    for row in range(y, y + (1 << log2_height)):
        for column in range(x, last + 1):
            expect(e, kind, column, row, column == last)
            if e.values[0] != e.plane[row, column]:
                is_coded = 1
            _learn(tools.journal, e, np.int64(e.plane[row, column]))
    return is_coded


@kernel(inner=True)
def settle_samples(s, tools, kind, tree_x, tree_y):
    """Say of each sampled block of a searched tree whether its samples are coded, by what will be expected."""
    height, width = s.plane.shape
    start = mark(tools.journal, tools.screen.expected)
    for z_index in range(TREE_CELLS):
        x, y = tree_cell(tree_x, tree_y, z_index)
        if x < width and y < height and s.maps.modes[y >> CELL_LOG2, x >> CELL_LOG2] == SAMPLED:
            block = block_at(s.maps, x, y)
            if starts_block(block):
                fill_cells(s.maps.ends, block, _is_coded(s, tools, kind, block))
    take_back(tools.journal, tools.screen.expected, start)
