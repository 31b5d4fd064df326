# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The encoder's search: partition, prediction modes and levels by rate and distortion, all in integers (encoder only).

A tree is searched depth first with quickly quantized blocks, whose reconstruction stands in the plane while later
blocks are tried; then its chosen blocks are quantized again by the trellis, in coding order, on the decoder's own
functions.
"""

from typing import NamedTuple

import numpy as np

from fdcodec.coding.constants import (
    CELL_LOG2,
    CHROMA_FROM_LUMA,
    COPIED,
    COEFFICIENT_LIMIT,
    DC,
    MAX_LOG2,
    MIN_LOG2,
    N_MODES,
    N_PROBABLE,
    SAMPLED,
    STEP_BITS,
)
from fdcodec.kernels.copy_search import finish_copy, new_links, no_links, try_tools
from fdcodec.kernels.cost_kernels import Costs, bin_cost, mode_cost, new_costs, update_costs
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.prediction_kernels import gather_references, predict, predict_from_luma, smooth_references
from fdcodec.kernels.quantization_kernels import INFINITE, keep_largest, optimize_levels, trellis_levels
from fdcodec.kernels.reconstruction_kernels import (
    TREE_CELLS,
    Work,
    add_residual,
    predict_block,
    reconstruct_block,
    tree_cell,
)
from fdcodec.kernels.sampled_search import Journal, finish_samples, mark, new_journal, take_back
from fdcodec.kernels.screen_kernels import Screen, enter
from fdcodec.kernels.syntax_kernels import (
    STRIDE,
    activity_context,
    code_tree,
    fill_cells,
    probable_modes,
    split_context,
)
from fdcodec.kernels.tables import Maps, Tables
from fdcodec.kernels.transform_kernels import forward_transform, inverse_transform

X, Y, WHOLE, PARTS, QUARTER = range(5)  # of an open block: place, cost whole, cost of quarters so far, next quarter
NODE_FIELDS = 5


class Search(NamedTuple):
    """Everything the search of one plane reads and writes; `best_*` hold the best of each log2 size that is open."""

    original: np.ndarray
    plane: np.ndarray
    luma: np.ndarray
    maps: Maps
    guide: Maps
    contexts: np.ndarray
    costs: Costs
    tables: Tables
    work: Work
    best_levels: np.ndarray
    best_samples: np.ndarray
    best_modes: np.ndarray
    best_ends: np.ndarray
    best_prediction: np.ndarray
    levels: np.ndarray
    neighbours: np.ndarray
    magnitudes: np.ndarray
    quantizer_costs: np.ndarray
    paths: np.ndarray
    probable: np.ndarray
    mode_costs: np.ndarray
    mode_rates: np.ndarray
    nodes: np.ndarray
    rows: np.ndarray
    lanes: np.ndarray
    screen: Screen
    journal: Journal
    links: np.ndarray
    best_vectors: np.ndarray


class Options(NamedTuple):
    """The numbers of one plane's search.

    `lagrangian` prices 1/1024 bit, `root` does for sums of differences; `n_candidates` and `fans` go by log2 size:
    modes tried in full, and the distance of the angles that are priced (0: none); `skip_split` and `least_end` bound
    the error and the end of a block that is not worth splitting.
    """

    kind: int
    half_step: int
    lagrangian: int
    root: int
    low: int
    high: int
    n_candidates: tuple[int, ...]
    fans: tuple[int, ...]
    sparsity: int
    skip_split: int
    least_end: int


@kernel()
def hadamard_cost(original, x, y, prediction, size, rows):
    """Return the sum of absolute 4x4 Hadamard coefficients of the residual, 4 times the orthonormal scale.

    `rows` is int32 (4, 32) scratch: four rows at a time are combined over the whole width, then by fours of columns.
    """
    total = np.int64(0)
    for row in range(0, size, 4):
        for column in range(size):
            a = original[y + row, x + column] - prediction[row, column]
            b = original[y + row + 1, x + column] - prediction[row + 1, column]
            c = original[y + row + 2, x + column] - prediction[row + 2, column]
            d = original[y + row + 3, x + column] - prediction[row + 3, column]
            rows[0, column] = a + b + c + d
            rows[1, column] = a - b + c - d
            rows[2, column] = a + b - c - d
            rows[3, column] = a - b - c + d
        for i in range(4):
            for k in range(size >> 2):
                a, b, c, d = rows[i, 4 * k], rows[i, 4 * k + 1], rows[i, 4 * k + 2], rows[i, 4 * k + 3]
                total += abs(a + b + c + d) + abs(a - b + c - d) + abs(a + b - c - d) + abs(a - b - c + d)
    return total


@kernel()
def _price_angle(mode, original, x, y, log2_size, references, smoothed, line, lines, prediction, rows, fits):
    """Enter the Hadamard cost of a mode's residual into `fits`, unless it is there."""
    if fits[mode] < INFINITE:
        return
    predict(references, smoothed, log2_size, mode, line, lines, prediction)
    fits[mode] = hadamard_cost(original, x, y, prediction, 1 << log2_size, rows) << 8


@kernel()
def _price_fits(
    original, x, y, log2_size, references, smoothed, line, lines, prediction, rows, probable, parent, fan, fits
):  # fmt: skip
    """Enter the Hadamard costs of the modes worth a look.

    Planar, DC, the probable modes, the parent's best mode and angles `fan` apart, then the angles beside the best;
    `fan` 0 stops before the angles.
    """
    fits[:] = INFINITE
    for k in range(N_PROBABLE + 3):
        mode = k if k < 2 else (probable[k - 2] if k < N_PROBABLE + 2 else parent)
        _price_angle(mode, original, x, y, log2_size, references, smoothed, line, lines, prediction, rows, fits)
    if fan == 0:
        return
    for mode in range(2, N_MODES, fan):
        _price_angle(mode, original, x, y, log2_size, references, smoothed, line, lines, prediction, rows, fits)
    for distance in (2, 1):
        best = 2
        for mode in range(2, N_MODES):
            if fits[mode] < fits[best]:
                best = mode
        for mode in (best - distance, best + distance):
            if 2 <= mode < N_MODES:
                _price_angle(mode, original, x, y, log2_size, references, smoothed, line, lines, prediction, rows, fits)


@kernel()
def _price_rates(contexts, maps, kind, x, y, log2_size, root, probable, costs, rates):
    """Add the rate of each priced mode, weighed by `root`, to its cost."""
    other = mode_cost(contexts, maps, kind, x, y, log2_size, -1, probable)
    rates[:N_MODES] = other
    for index in range(N_PROBABLE):
        rates[probable[index]] = mode_cost(contexts, maps, kind, x, y, log2_size, probable[index], probable)
    if kind == 1:
        rates[CHROMA_FROM_LUMA] = mode_cost(contexts, maps, kind, x, y, log2_size, CHROMA_FROM_LUMA, probable)
    for mode in range(N_MODES + 1):
        if costs[mode] < INFINITE:
            costs[mode] += root * rates[mode]


@kernel(inline=True)
def _price_modes(s, o, x, y, log2_size):
    """Price the modes worth a look by the Hadamard cost of their residual and their rate."""
    work = s.work
    probable_modes(s.maps, s.guide, o.kind, x, y, 1 << log2_size, s.probable)
    parent = s.best_modes[log2_size + 1] if log2_size < MAX_LOG2 else DC
    parent = DC if parent >= N_MODES else parent
    fan = 0 if o.kind == 1 else o.fans[log2_size]
    _price_fits(
        s.original, x, y, log2_size, work.references, work.smoothed, work.line, work.lines, work.prediction,
        s.rows, s.probable, parent, fan, s.mode_costs,
    )  # fmt: skip
    if o.kind == 1:
        predict_from_luma(s.luma, s.plane, x, y, log2_size, work.prediction)
        cost = hadamard_cost(s.original, x, y, work.prediction, 1 << log2_size, s.rows)
        s.mode_costs[CHROMA_FROM_LUMA] = cost << 8
    _price_rates(s.contexts, s.maps, o.kind, x, y, log2_size, o.root, s.probable, s.mode_costs, s.mode_rates)


@kernel()
def _transform_residual(s, o, x, y, log2_size, mode):
    """Write the coefficients of original minus prediction into `work.coefficients`, cut to `sparsity` if asked."""
    size = 1 << log2_size
    for row in range(size):
        for column in range(size):
            s.work.residual[row, column] = s.original[y + row, x + column] - s.work.prediction[row, column]
    forward_transform(s.work.residual, mode, log2_size, s.tables, s.work.scratch, s.work.coefficients)
    if o.sparsity > 0:
        keep_largest(s.work.coefficients, size, o.sparsity, s.levels)


@kernel(inline=True)
def _try_mode(s, o, x, y, log2_size, mode, activity, best):
    """Quantize the block in one mode and keep it if its cost is below `best`; return the lower cost."""
    size = 1 << log2_size
    predict_block(s.plane, s.luma, x, y, log2_size, mode, s.work)
    _transform_residual(s, o, x, y, log2_size, mode)
    block = (o.kind, log2_size, activity, s.tables.scans[log2_size])
    scratch = (s.magnitudes, s.quantizer_costs)
    end, cost = optimize_levels(
        s.work.coefficients, block, o.half_step, o.lagrangian, s.contexts, s.costs, s.levels, s.neighbours, scratch
    )
    cost += o.lagrangian * s.mode_rates[mode]
    if cost >= best:
        return best
    s.best_modes[log2_size] = mode
    s.best_ends[log2_size] = end
    for row in range(size):
        for column in range(size):
            sign = 1 if s.work.coefficients[row, column] >= 0 else -1
            s.best_levels[log2_size, row, column] = sign * s.levels[row, column]
            s.best_prediction[row, column] = s.work.prediction[row, column]
    return cost


@kernel(inline=True)
def _reconstruct_trial(s, o, x, y, log2_size):
    """Write the trial reconstruction of the best mode into `best_samples`; return its squared error."""
    size = 1 << log2_size
    levels = s.best_levels[log2_size]
    if s.best_ends[log2_size] == 0:
        s.work.residual[:size, :size] = 0
    else:
        for row in range(size):
            for column in range(size):
                value = (2 * np.int64(levels[row, column]) * o.half_step) >> STEP_BITS
                s.work.coefficients[row, column] = min(max(value, -COEFFICIENT_LIMIT), COEFFICIENT_LIMIT)
        mode = s.best_modes[log2_size]
        inverse_transform(s.work.coefficients, mode, log2_size, s.tables, s.work.scratch, s.work.residual)
    add_residual(s.best_samples[log2_size], 0, 0, size, (o.low, o.high), s.best_prediction, s.work.residual)
    error = np.int64(0)
    for row in range(size):
        for column in range(size):
            difference = np.int64(s.original[y + row, x + column] - s.best_samples[log2_size, row, column])
            error += difference * difference
    return error


@kernel(inline=True)
def _search_leaf(s, o, x, y, log2_size):
    """Find the best mode and levels of one block; return its cost without the split flag."""
    gather_references(s.plane, x, y, log2_size, s.work.references)
    smooth_references(s.work.references, log2_size, s.work.smoothed)
    _price_modes(s, o, x, y, log2_size)
    activity = activity_context(s.maps, s.guide, o.kind, x, y)
    best = INFINITE
    for _ in range(o.n_candidates[log2_size]):
        mode = np.argmin(s.mode_costs)
        if s.mode_costs[mode] >= INFINITE:
            break
        s.mode_costs[mode] = INFINITE
        best = _try_mode(s, o, x, y, log2_size, mode, activity, best)
    return best


@kernel(inline=True)
def _keep_leaf(s, x, y, log2_size):
    """Put the best block of this size into the plane and the maps."""
    size = 1 << log2_size
    for row in range(size):
        for column in range(size):
            s.plane[y + row, x + column] = s.best_samples[log2_size, row, column]
    fill_cells(s.maps.log2_sizes, x, y, log2_size, log2_size)
    fill_cells(s.maps.modes, x, y, log2_size, s.best_modes[log2_size])
    fill_cells(s.maps.ends, x, y, log2_size, s.best_ends[log2_size])
    if s.best_modes[log2_size] == COPIED:
        left, up = s.best_vectors[log2_size]
        enter(s.maps, x, y, log2_size, COPIED, 0, left, up)


@kernel()
def _open_node(s, o, x, y, log2_size):
    """Start on the block at (x, y): try it whole, and note whether its quarters are worth trying."""
    height, width = s.plane.shape
    size = 1 << log2_size
    node = s.nodes[log2_size]
    node[X], node[Y], node[WHOLE], node[PARTS], node[QUARTER] = x, y, INFINITE, 0, 0
    if x + size > width or y + size > height:
        return
    node[WHOLE] = _search_leaf(s, o, x, y, log2_size)
    error = _reconstruct_trial(s, o, x, y, log2_size)
    if s.screen.is_on:
        node[WHOLE] = try_tools(s, o, x, y, log2_size, node[WHOLE])
    if log2_size == MIN_LOG2:
        node[QUARTER] = 4
        return
    context = split_context(s.maps, s.guide, o.kind, x, y, log2_size)
    node[WHOLE] += o.lagrangian * bin_cost(s.contexts, context, 0)
    node[PARTS] += o.lagrangian * bin_cost(s.contexts, context, 1)
    end = s.best_ends[log2_size]
    if s.best_modes[log2_size] >= SAMPLED:
        return
    if end < o.least_end and (end > 0 or error << 10 < np.int64(o.skip_split) << (2 * log2_size)):
        node[QUARTER] = 4
        node[PARTS] = INFINITE


@kernel(inline=True)
def _close_node(s, log2_size):
    """Decide between a block and its quarters, leave the better in plane and maps, and return its cost."""
    node = s.nodes[log2_size]
    if log2_size > MIN_LOG2 and node[QUARTER] == 4 and node[PARTS] < node[WHOLE]:
        return node[PARTS]
    _keep_leaf(s, node[X], node[Y], log2_size)
    return node[WHOLE]


@kernel()
def search_tree(s, o, x, y):
    """Search the quadtree whose root is at (x, y) depth first and leave the best partition in plane and maps.

    A block past the plane's edge is split for nothing; a flat block is not split; four quarters are given up as soon as
    they cost more than the whole.
    """
    height, width = s.plane.shape
    log2_size = MAX_LOG2
    _open_node(s, o, x, y, log2_size)
    while True:
        node = s.nodes[log2_size]
        if node[QUARTER] < 4 and node[PARTS] < node[WHOLE]:
            half = 1 << (log2_size - 1)
            part_x, part_y = node[X] + (node[QUARTER] & 1) * half, node[Y] + (node[QUARTER] >> 1) * half
            if part_x >= width or part_y >= height:
                node[QUARTER] += 1
            else:
                log2_size -= 1
                _open_node(s, o, part_x, part_y, log2_size)
            continue
        cost = _close_node(s, log2_size)
        if log2_size == MAX_LOG2:
            return
        log2_size += 1
        s.nodes[log2_size, PARTS] += cost
        s.nodes[log2_size, QUARTER] += 1


@kernel()
def _finish_block(s, o, x, y, log2_size):
    """Quantize a chosen block by the trellis, on its final neighbours, and reconstruct it as the decoder will."""
    size = 1 << log2_size
    cell_x, cell_y = x >> CELL_LOG2, y >> CELL_LOG2
    mode = np.int64(s.maps.modes[cell_y, cell_x])
    if mode == COPIED:
        finish_copy(s, o, x, y, log2_size)
        return
    if mode == SAMPLED:
        fill_cells(s.maps.ends, x, y, log2_size, finish_samples(s, o, x, y, log2_size))
        return
    predict_block(s.plane, s.luma, x, y, log2_size, mode, s.work)
    _transform_residual(s, o, x, y, log2_size, mode)
    block = (o.kind, log2_size, activity_context(s.maps, s.guide, o.kind, x, y), s.tables.scans[log2_size])
    coefficients = s.work.coefficients
    scratch = (s.magnitudes, s.quantizer_costs)
    optimize_levels(
        coefficients, block, o.half_step, o.lagrangian, s.contexts, s.costs, s.levels, s.neighbours, scratch
    )
    levels = s.maps.levels[y : y + size, x : x + size]
    paths = (s.paths[0], s.paths[1], s.lanes)
    end = trellis_levels(
        coefficients, block, o.half_step, o.lagrangian, s.contexts, s.costs, levels, s.neighbours, paths
    )
    fill_cells(s.maps.ends, x, y, log2_size, end)
    bounds = (o.low, o.high)
    reconstruct_block(s.plane, s.luma, s.maps, x, y, log2_size, o.half_step, bounds, s.tables, s.work)


@kernel()
def _finish_tree(s, o, tree_x, tree_y):
    """Finish the blocks of a searched tree in coding order."""
    height, width = s.plane.shape
    for z_index in range(TREE_CELLS):
        x, y = tree_cell(tree_x, tree_y, z_index)
        if x < width and y < height:
            log2_size = np.int64(s.maps.log2_sizes[y >> CELL_LOG2, x >> CELL_LOG2])
            if ((x | y) & ((1 << log2_size) - 1)) == 0:
                _finish_block(s, o, x, y, log2_size)


@kernel()
def encode_plane(s, o, stream, code_work):
    """Search, finish and write a plane tree by tree; costs follow the adapting contexts."""
    height, width = s.plane.shape
    for y in range(0, height, 1 << MAX_LOG2):
        for x in range(0, width, 1 << MAX_LOG2):
            update_costs(s.contexts, o.kind, s.costs)
            search_tree(s, o, x, y)
            mark(s.journal, s.screen.expected, 0)
            _finish_tree(s, o, x, y)
            take_back(s.journal, s.screen.expected, 0, 0)
            code_tree(stream, s.maps, s.guide, o.kind, x, y, s.tables.scans, code_work)


def new_search(original, plane, luma, maps, guide, contexts, tables, work, screen):
    """Gather the arrays of a plane's search and allocate its scratch."""
    return Search(
        original,
        plane,
        luma,
        maps,
        guide,
        contexts,
        new_costs(),
        tables,
        work,
        np.zeros((MAX_LOG2 + 1, 32, 32), np.int32),
        np.zeros((MAX_LOG2 + 1, 32, 32), np.int32),
        np.zeros(MAX_LOG2 + 1, np.int64),
        np.zeros(MAX_LOG2 + 1, np.int64),
        np.zeros((32, 32), np.int32),
        np.zeros((32, 32), np.int32),
        np.zeros(1024, np.int64),
        np.zeros(STRIDE * STRIDE + 2, np.int32),
        np.zeros((3, 1024), np.int64),
        np.zeros((2, 1024, 4), np.int64),
        np.zeros(N_PROBABLE + 2, np.int64),
        np.zeros(N_MODES + 1, np.int64),
        np.zeros(N_MODES + 1, np.int64),
        np.zeros((MAX_LOG2 + 1, NODE_FIELDS), np.int64),
        np.zeros((4, 32), np.int32),
        np.zeros((6, 4), np.int64),
        screen,
        new_journal(),
        new_links(original) if screen.is_on and maps is guide else no_links(),
        np.zeros((MAX_LOG2 + 1, 2), np.int64),
    )
