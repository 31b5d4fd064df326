# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The encoder's choice of the samples of a sampled block, by rate and distortion, greedily one after another.

What a trial enters into the tables is written down in a journal and taken back.

`expected` and `journal` are the `Expected` and `Journal`, `search` and `options` the `Search` and `Options` of the
plane, `tools` its `Tools`, `contexts` uint16 (n_contexts, 3).
"""

from typing import NamedTuple

import numpy as np

from fdcodec.format import contexts as ctx
from fdcodec.format.constants import N_RECENT, SAMPLED
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.blocks import TREE_CELLS, starts_block, tree_cell
from fdcodec.kernels.reconstruction.maps import block_at, enter_block, mode_at
from fdcodec.kernels.search.costs import bin_cost, golomb_cost
from fdcodec.kernels.search.quantization import INFINITE, SAMPLE_ERROR_SHIFT
from fdcodec.kernels.search.state import END, LEFT, MODE, UP
from fdcodec.kernels.syntax.sampled import (
    CONFIDENCE,
    N_TABLES,
    VALUE,
    fill_candidates,
    is_neighbour,
    literal_contexts,
    predicted,
    recent_context,
    recent_index_context,
    remember,
    update_tables,
)
from fdcodec.kernels.syntax.screens import coded_context

STRICTNESS = 3  # an error costs the samples that follow, too: choosing samples, a bit is worth this many halvings less


class Journal(NamedTuple):
    """What to take back: `length` entries (table, place, value, confidence), and the recent values at the mark."""

    entries: np.ndarray
    length: np.ndarray
    recent: np.ndarray


def new_journal():
    """Return an empty journal, which holds a tree's worth of entries."""
    return Journal(np.zeros((1024 * N_TABLES, 4), np.int64), np.zeros(1, np.int64), np.zeros(N_RECENT, np.int32))


@kernel()
def mark(journal, expected):
    """Keep the recent values; return the length of the journal."""
    for k in range(N_RECENT):
        journal.recent[k] = expected.recent[k]
    return journal.length[0]


@kernel(inner=True)
def take_back(journal, expected, count):
    """Bring the tables and the recent values back to where they were at the mark."""
    for k in range(journal.length[0] - 1, count - 1, -1):
        table, place, value, confidence = journal.entries[k]
        expected.tables[table, place, VALUE] = value
        expected.tables[table, place, CONFIDENCE] = confidence
    journal.length[0] = count
    for k in range(N_RECENT):
        expected.recent[k] = journal.recent[k]


@kernel()
def _enter_and_journal(journal, expected, value):
    """Enter the value of the sample last expected into the tables, and into the journal what was there."""
    for table in range(N_TABLES):
        entry = journal.entries[journal.length[0]]
        entry[0], entry[1] = table, expected.entries[table]
        entry[2] = expected.tables[table, expected.entries[table], VALUE]
        entry[3] = expected.tables[table, expected.entries[table], CONFIDENCE]
        journal.length[0] += 1
    update_tables(expected, value)


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
    return (a - b) * (a - b) << SAMPLE_ERROR_SHIFT


@kernel()
def _choose_other(expected, contexts, kind, x, y, target, lagrangian):
    """Return (cost, rate, value, index) of the best recent value or of the nearest on the grid, index N_RECENT - 1."""
    nearest, nearest_error = 0, INFINITE
    for index in range(N_RECENT):
        error = _error(target, np.int64(expected.recent[index]))
        if error < nearest_error:
            nearest, nearest_error = index, error
    rate = bin_cost(contexts, recent_context(kind), 1) + _recent_cost(contexts, kind, nearest)
    cost = nearest_error + lagrangian * rate
    if nearest_error == 0:
        return cost, rate, target, nearest
    low, high, distance = expected.low, expected.high, expected.distance
    step = min((target - low + distance // 2) // distance, (high - low) // distance)
    value, difference = low + step * distance, step - predicted(expected, x, y)
    literal = bin_cost(contexts, recent_context(kind), 0) + _literal_cost(contexts, kind, difference)
    if _error(target, value) + lagrangian * literal < cost:
        return _error(target, value) + lagrangian * literal, literal, value, N_RECENT - 1
    return cost, rate, np.int64(expected.recent[nearest]), nearest


@kernel()
def _is_safe(expected, k):
    """Tell whether a candidate can be coded whatever the tables hold by then: on the grid, or a neighbour's value."""
    return is_neighbour(expected.contexts[k]) or (expected.values[k] - expected.low) % expected.distance == 0


@kernel()
def _choose_sample(expected, contexts, kind, x, y, is_last, target, lagrangian):
    """Return (rate, value, index of the recent values or -1) of the best way to code one sample."""
    count = fill_candidates(expected, kind, x, y, is_last)
    best, best_rate, value, before = INFINITE, 0, np.int64(0), 0
    for k in range(count):
        rate = before + bin_cost(contexts, expected.contexts[k], 1)
        before += bin_cost(contexts, expected.contexts[k], 0)
        error = _error(target, expected.values[k]) if _is_safe(expected, k) else INFINITE >> 1
        if error + lagrangian * rate < best:
            best, best_rate, value = error + lagrangian * rate, rate, expected.values[k]
        if error == 0 or best <= lagrangian * before:
            return best_rate, value, -1
    cost, rate, other, index = _choose_other(expected, contexts, kind, x, y, target, lagrangian)
    if cost + lagrangian * before < best:
        return before + rate, other, index
    return best_rate, value, -1


@kernel()
def _choose_samples(search, tools, options, block, is_coded, budget):
    """Write the samples of a block into the plane and enter them into the tables; return their cost.

    Gives up as soon as the cost passes `budget`.
    """
    x, y, log2_width, log2_height = block
    expected, total, last = tools.screen.expected, np.int64(0), x + (1 << log2_width) - 1
    strict = options.lagrangian >> STRICTNESS
    for row in range(y, y + (1 << log2_height)):
        for column in range(x, last + 1):
            target = min(max(np.int64(search.original[row, column]), options.low), options.high)
            if is_coded:
                rate, value, index = _choose_sample(
                    expected, search.contexts, search.known.kind, column, row, column == last, target, strict
                )
                if index >= 0:
                    remember(expected, value, index)
            else:
                fill_candidates(expected, search.known.kind, column, row, column == last)
                rate, value = 0, expected.values[0]
                if not _is_safe(expected, 0):
                    return INFINITE >> 1
            expected.plane[row, column] = value
            _enter_and_journal(tools.journal, expected, value)
            total += _error(target, value) + options.lagrangian * rate
            if total > budget:
                return INFINITE >> 1
    return total


@kernel(inner=True)
def keep_tool(search, block, mode, end, left, up):
    """Make what stands in the plane the trial."""
    x, y, log2_width, log2_height = block
    search.trial[MODE], search.trial[END], search.trial[LEFT], search.trial[UP] = mode, end, left, up
    for row in range(1 << log2_height):
        for column in range(1 << log2_width):
            search.trial_samples[row, column] = search.plane[y + row, x + column]


@kernel(inner=True)
def try_samples(search, tools, options, block, rate, best):
    """Return the least cost of a block: sampled, its mode at `rate`, or as it is at cost `best`; keep the better."""
    for is_coded in range(2):
        context = coded_context(search.known.kind, block)
        base = options.lagrangian * (rate + bin_cost(search.contexts, context, is_coded))
        start = mark(tools.journal, tools.screen.expected)
        cost = base + _choose_samples(search, tools, options, block, is_coded, best - base)
        take_back(tools.journal, tools.screen.expected, start)
        if cost < best:
            best = cost
            keep_tool(search, block, SAMPLED, is_coded, 0, 0)
    return best


@kernel()
def _is_coded(search, tools, block):
    """Tell whether a sampled block has a sample that is not the first one expected; enter them into the tables."""
    x, y, log2_width, log2_height = block
    expected, is_coded, last = tools.screen.expected, 0, x + (1 << log2_width) - 1
    for row in range(y, y + (1 << log2_height)):
        for column in range(x, last + 1):
            fill_candidates(expected, search.known.kind, column, row, column == last)
            if expected.values[0] != expected.plane[row, column]:
                is_coded = 1
            _enter_and_journal(tools.journal, expected, np.int64(expected.plane[row, column]))
    return is_coded


@kernel(inner=True)
def settle_samples(search, tools, tree_x, tree_y):
    """Say of each sampled block of a searched tree whether its samples are coded, by what will be expected."""
    (height, width), maps = search.plane.shape, search.known.maps
    start = mark(tools.journal, tools.screen.expected)
    for z_index in range(TREE_CELLS):
        x, y = tree_cell(tree_x, tree_y, z_index)
        if x < width and y < height and mode_at(maps, x, y) == SAMPLED:
            block = block_at(maps, x, y)
            if starts_block(block):
                enter_block(maps, block, SAMPLED, _is_coded(search, tools, block))
    take_back(tools.journal, tools.screen.expected, start)
