# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The encoder's search: partition, prediction modes and levels by rate and distortion, all in integers (encoder only).

A tree is searched depth first. Modes are compared by quick quantization; the best of each block is then quantized by
the trellis, as it will be coded, and its samples stand in the plane while later blocks are tried: choices made beside
other samples than the decoder's cost 5 % (ADR 0013).
"""

from typing import NamedTuple

import numpy as np

from fdcodec.coding.constants import (
    CHROMA_FROM_LUMA,
    DC,
    LEARNED,
    MAX_LEARNED,
    MAX_LOG2,
    MIN_LOG2,
    N_MODES,
    N_PROBABLE,
)
from fdcodec.kernels.block_kernels import (
    LYING,
    STANDING,
    WHOLE,
    fill_cells,
    fill_sizes,
    part_of,
)
from fdcodec.kernels.copy_search import new_links, no_links, try_tools
from fdcodec.kernels.cost_kernels import Costs, bin_cost, mode_cost, new_costs, update_costs
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.learned_search import price_learned
from fdcodec.kernels.prediction_kernels import gather_references, predict, predict_from_luma, smooth_references
from fdcodec.kernels.quantization_kernels import INFINITE, keep_largest, optimize_levels, trellis_levels
from fdcodec.kernels.reconstruction_kernels import Work, add_residual, dequantize, predict_mode
from fdcodec.kernels.sampled_search import Journal, new_journal, settle_samples
from fdcodec.kernels.screen_kernels import Screen, fill_vectors
from fdcodec.kernels.syntax_kernels import (
    STRIDE,
    activity_context,
    code_tree,
    halve_context,
    probable_modes,
    split_context,
    standing_context,
)
from fdcodec.kernels.tables import Maps, Tables
from fdcodec.kernels.transform_kernels import forward_transform, inverse_transform

X, Y, BEST, PARTS, QUARTER, CUT = range(6)  # of an open square: place, best uncut or halved, quarters so far, next one
NODE_FIELDS = 6
MODE, END, LEFT, UP = range(4)  # of a trial; left and up are the vector of a copied block


class Search(NamedTuple):
    """Everything the search of one plane reads and writes.

    `trial_*` hold the best way found for the block in hand; `best_*` hold the best of each log2 side that is open, not
    counting its quarters, with modes and ends of its one or two blocks.
    """

    original: np.ndarray
    plane: np.ndarray
    luma: np.ndarray
    maps: Maps
    guide: Maps
    contexts: np.ndarray
    costs: Costs
    tables: Tables
    work: Work
    trial: np.ndarray
    trial_coefficients: np.ndarray
    trial_levels: np.ndarray
    trial_samples: np.ndarray
    trial_prediction: np.ndarray
    best_samples: np.ndarray
    best_levels: np.ndarray
    best_modes: np.ndarray
    best_ends: np.ndarray
    levels: np.ndarray
    magnitudes: np.ndarray
    quantizer_costs: np.ndarray
    paths: np.ndarray
    probable: np.ndarray
    mode_costs: np.ndarray
    mode_rates: np.ndarray
    learned_costs: np.ndarray
    nodes: np.ndarray
    rows: np.ndarray
    lanes: np.ndarray
    histories: np.ndarray
    screen: Screen
    journal: Journal
    links: np.ndarray
    best_vectors: np.ndarray


class Options(NamedTuple):
    """The numbers of one plane's search.

    `lagrangian` prices 1/1024 bit, `root` does for sums of differences; `n_candidates` and `fans` go by log2 of a
    square's side: modes tried in full, and the distance of the angles that are priced (0: none); `n_halves` is the
    modes tried in full in half a square (0: none is halved), `both_cuts` whether both ways to halve it are tried,
    `trellis_all` whether modes are compared by the trellis too, `n_learned` how many learned modes are tried besides;
    `skip_split` and `least_end` bound the error and the end of a block that is not worth cutting.
    """

    kind: int
    half_step: int
    lagrangian: int
    root: int
    low: int
    high: int
    n_candidates: tuple[int, ...]
    n_learned: int
    fans: tuple[int, ...]
    n_halves: int
    both_cuts: bool
    trellis_all: bool
    sparsity: int
    skip_split: int
    least_end: int


@kernel()
def hadamard_cost(original, block, prediction, rows):
    """Return the sum of absolute 4x4 Hadamard coefficients of the residual, 4 times the orthonormal scale.

    `rows` is int32 (4, 32) scratch: four rows at a time are combined over the whole width, then by fours of columns.
    """
    x, y, log2_width, log2_height = block
    total = np.int64(0)
    for row in range(0, 1 << log2_height, 4):
        for column in range(1 << log2_width):
            a = original[y + row, x + column] - prediction[row, column]
            b = original[y + row + 1, x + column] - prediction[row + 1, column]
            c = original[y + row + 2, x + column] - prediction[row + 2, column]
            d = original[y + row + 3, x + column] - prediction[row + 3, column]
            rows[0, column] = a + b + c + d
            rows[1, column] = a - b + c - d
            rows[2, column] = a + b - c - d
            rows[3, column] = a - b - c + d
        for i in range(4):
            for k in range(1 << (log2_width - 2)):
                a, b, c, d = rows[i, 4 * k], rows[i, 4 * k + 1], rows[i, 4 * k + 2], rows[i, 4 * k + 3]
                total += abs(a + b + c + d) + abs(a - b + c - d) + abs(a + b - c - d) + abs(a - b - c + d)
    return total


@kernel()
def _price_angle(mode, original, block, references, smoothed, line, lines, prediction, rows, fits):
    """Enter the Hadamard cost of a mode's residual into `fits`, unless it is there."""
    if fits[mode] < INFINITE:
        return
    predict(references, smoothed, block[2], block[3], mode, line, lines, prediction)
    fits[mode] = hadamard_cost(original, block, prediction, rows) << 8


@kernel()
def _price_fits(original, block, references, smoothed, line, lines, prediction, rows, probable, parent, fan, fits):
    """Enter the Hadamard costs of the modes worth a look.

    Planar, DC, the probable modes, the parent's best mode and angles `fan` apart, then the angles beside the best;
    `fan` 0 stops before the angles.
    """
    fits[:] = INFINITE
    for k in range(N_PROBABLE + 3):
        mode = k if k < 2 else (probable[k - 2] if k < N_PROBABLE + 2 else parent)
        _price_angle(mode, original, block, references, smoothed, line, lines, prediction, rows, fits)
    if fan == 0:
        return
    for mode in range(2, N_MODES, fan):
        _price_angle(mode, original, block, references, smoothed, line, lines, prediction, rows, fits)
    for distance in (2, 1):
        best = 2
        for mode in range(2, N_MODES):
            if fits[mode] < fits[best]:
                best = mode
        for mode in (best - distance, best + distance):
            if 2 <= mode < N_MODES:
                _price_angle(mode, original, block, references, smoothed, line, lines, prediction, rows, fits)


@kernel()
def _price_rates(contexts, maps, kind, block, root, probable, costs, rates):
    """Add the rate of each priced mode, weighed by `root`, to its cost."""
    other = mode_cost(contexts, maps, kind, block, -1, probable)
    rates[:N_MODES] = other
    for index in range(N_PROBABLE):
        rates[probable[index]] = mode_cost(contexts, maps, kind, block, probable[index], probable)
    if kind == 1:
        rates[CHROMA_FROM_LUMA] = mode_cost(contexts, maps, kind, block, CHROMA_FROM_LUMA, probable)
    for mode in range(N_MODES + 1):
        if costs[mode] < INFINITE:
            costs[mode] += root * rates[mode]


@kernel(inline=True)
def _price_modes(s, o, block, parent, fan):
    """Price the modes worth a look by the Hadamard cost of their residual and their rate."""
    work = s.work
    probable_modes(s.maps, s.guide, o.kind, block, s.probable)
    parent = parent if 0 <= parent < N_MODES else DC
    _price_fits(
        s.original, block, work.references, work.smoothed, work.line, work.lines, work.prediction, s.rows, s.probable,
        parent, 0 if o.kind == 1 else fan, s.mode_costs,
    )  # fmt: skip
    if o.kind == 1:
        predict_from_luma(s.luma, s.plane, block, work.prediction)
        s.mode_costs[CHROMA_FROM_LUMA] = hadamard_cost(s.original, block, work.prediction, s.rows) << 8
    _price_rates(s.contexts, s.maps, o.kind, block, o.root, s.probable, s.mode_costs, s.mode_rates)
    price_learned(s, o, block)


@kernel()
def _transform_residual(s, o, block, mode):
    """Write the coefficients of original minus prediction into `work.coefficients`, cut to `sparsity` if asked."""
    x, y, log2_width, log2_height = block
    width, height = 1 << log2_width, 1 << log2_height
    for row in range(height):
        for column in range(width):
            s.work.residual[row, column] = s.original[y + row, x + column] - s.work.prediction[row, column]
    forward_transform(s.work.residual, mode, log2_width, log2_height, s.tables, s.work, s.work.coefficients)
    if o.sparsity > 0:
        keep_largest(s.work.coefficients, width, height, o.sparsity, s.levels)


@kernel()
def _coded(s, o, block):
    """Return what the cost of a block's levels depends on: (kind, log2 width, log2 height, activity, scan)."""
    x, y, log2_width, log2_height = block
    activity = activity_context(s.maps, s.guide, o.kind, x, y)
    return o.kind, log2_width, log2_height, activity, s.tables.scans[log2_height, log2_width]


@kernel()
def _quantization_cost(s, o, block):
    """Return what the levels of `work.coefficients` and their error cost, by quick quantization or the trellis."""
    coded, coefficients = _coded(s, o, block), s.work.coefficients
    if o.trellis_all:
        paths = (s.paths[0], s.paths[1], s.lanes, s.histories)
        return trellis_levels(coefficients, coded, o.half_step, o.lagrangian, s.contexts, s.costs, s.levels, paths)[1]
    scratch = (s.magnitudes, s.quantizer_costs)
    return optimize_levels(coefficients, coded, o.half_step, o.lagrangian, s.contexts, s.costs, s.levels, scratch)[1]


@kernel(inline=True)
def _try_mode(s, o, block, mode, best):
    """Quantize the block in one mode and keep it if its cost is below `best`; return the lower cost."""
    predict_mode(s.plane, s.luma, block, mode, s.tables, s.work)
    _transform_residual(s, o, block, mode)
    cost = _quantization_cost(s, o, block)
    cost += o.lagrangian * s.mode_rates[mode]
    if cost >= best:
        return best
    s.trial[MODE] = mode
    for row in range(1 << block[3]):
        for column in range(1 << block[2]):
            s.trial_coefficients[row, column] = s.work.coefficients[row, column]
            s.trial_prediction[row, column] = s.work.prediction[row, column]
    return cost


@kernel()
def _settle_trial(s, o, block):
    """Quantize the trial by the trellis, as it will be coded; return its cost."""
    coded, paths = _coded(s, o, block), (s.paths[0], s.paths[1], s.lanes, s.histories)
    s.trial[END], cost = trellis_levels(
        s.trial_coefficients, coded, o.half_step, o.lagrangian, s.contexts, s.costs, s.trial_levels, paths
    )
    return cost + o.lagrangian * s.mode_rates[s.trial[MODE]]


@kernel()
def _reconstruct_trial(s, o, block):
    """Write the trial's samples, as the decoder will, into `trial_samples`; return their squared error."""
    x, y, log2_width, log2_height = block
    width, height = 1 << log2_width, 1 << log2_height
    if s.trial[END] == 0:
        s.work.residual[:height, :width] = 0
    else:
        scan = s.tables.scans[log2_height, log2_width]
        dequantize(s.trial_levels[:height, :width], scan, s.trial[END], o.half_step, s.work.coefficients)
        inverse_transform(
            s.work.coefficients, s.trial[MODE], log2_width, log2_height, s.tables, s.work, s.work.residual
        )
    origin = (0, 0, log2_width, log2_height)
    add_residual(s.trial_samples, origin, (o.low, o.high), s.trial_prediction, s.work.residual)
    error = np.int64(0)
    for row in range(height):
        for column in range(width):
            difference = np.int64(s.original[y + row, x + column] - s.trial_samples[row, column])
            error += difference * difference
    return error


@kernel()
def _search_block(s, o, block, parent, fan, n_candidates):
    """Find the best mode and levels of one block and leave them as the trial; return (cost, squared error)."""
    gather_references(s.plane, block, s.work.references)
    smooth_references(s.work.references, (1 << block[2]) + (1 << block[3]), s.work.smoothed)
    _price_modes(s, o, block, parent, fan)
    best = INFINITE
    for k in range(n_candidates + o.n_learned):
        costs, first = (s.mode_costs, 0) if k < n_candidates else (s.learned_costs, LEARNED)
        mode = np.argmin(costs)
        if costs[mode] < INFINITE:
            costs[mode] = INFINITE
            best = _try_mode(s, o, block, first + mode, best)
    cost = _settle_trial(s, o, block)
    error = _reconstruct_trial(s, o, block)
    s.trial[LEFT], s.trial[UP] = 0, 0
    if s.screen.is_on:
        cost = try_tools(s, o, block, cost)
    return cost, error


@kernel()
def _copy_samples(source, source_x, source_y, width, height, target, x, y):
    for row in range(height):
        for column in range(width):
            target[y + row, x + column] = source[source_y + row, source_x + column]


@kernel()
def _place(s, block, mode, end, vector):
    """Enter a block into the maps."""
    fill_sizes(s.maps, block)
    fill_cells(s.maps.modes, block, mode)
    fill_cells(s.maps.ends, block, end)
    fill_vectors(s.maps, block, vector[0], vector[1])


@kernel()
def _note_part(s, log2_side, block, part):
    """Note the trial as part of the best way of its square."""
    node = s.nodes[log2_side]
    s.best_modes[log2_side, part], s.best_ends[log2_side, part] = s.trial[MODE], s.trial[END]
    s.best_vectors[log2_side, part, 0], s.best_vectors[log2_side, part, 1] = s.trial[LEFT], s.trial[UP]
    x, y, width, height = block[0] - node[X], block[1] - node[Y], 1 << block[2], 1 << block[3]
    _copy_samples(s.trial_samples, 0, 0, width, height, s.best_samples[log2_side], x, y)
    _copy_samples(s.trial_levels, 0, 0, width, height, s.best_levels[log2_side], x, y)


@kernel()
def _search_halves(s, o, x, y, log2_side, cut, cost):
    """Search both halves of a square; if they cost less than what is best so far, they are its best."""
    node = s.nodes[log2_side]
    first = part_of(x, y, log2_side, cut, 0)
    part_cost, _ = _search_block(s, o, first, s.best_modes[log2_side, 0], o.fans[log2_side], o.n_halves)
    cost += part_cost
    if cost >= node[BEST]:
        return
    first_mode, first_end, vector = s.trial[MODE], s.trial[END], (s.trial[LEFT], s.trial[UP])
    _copy_samples(s.trial_samples, 0, 0, 1 << first[2], 1 << first[3], s.plane, x, y)
    _copy_samples(s.trial_levels, 0, 0, 1 << first[2], 1 << first[3], s.maps.levels, x, y)
    _place(s, first, first_mode, first_end, vector)
    second = part_of(x, y, log2_side, cut, 1)
    part_cost, _ = _search_block(s, o, second, first_mode, o.fans[log2_side], o.n_halves)
    cost += part_cost
    if cost >= node[BEST]:
        return
    node[BEST], node[CUT] = cost, cut
    _note_part(s, log2_side, second, 1)
    s.best_modes[log2_side, 0], s.best_ends[log2_side, 0] = first_mode, first_end
    s.best_vectors[log2_side, 0, 0], s.best_vectors[log2_side, 0, 1] = vector
    _copy_samples(s.plane, x, y, 1 << first[2], 1 << first[3], s.best_samples[log2_side], 0, 0)
    _copy_samples(s.maps.levels, x, y, 1 << first[2], 1 << first[3], s.best_levels[log2_side], 0, 0)


@kernel()
def _uneven_cut(s, x, y, log2_side):
    """Return the cut whose halves differ more in the energy that the trial's prediction leaves."""
    half = 1 << (log2_side - 1)
    lying, standing = np.int64(0), np.int64(0)
    for row in range(2 * half):
        for column in range(2 * half):
            residual = np.int64(s.original[y + row, x + column] - s.trial_prediction[row, column])
            lying += residual * residual if row < half else -residual * residual
            standing += residual * residual if column < half else -residual * residual
    return LYING if abs(lying) > abs(standing) else STANDING


@kernel()
def _search_cuts(s, o, x, y, log2_side, rate):
    """Try a square's lying and standing halves, or the likelier ones only; `rate` is the cost of saying so."""
    context = standing_context(s.maps, s.guide, o.kind, x, y, log2_side)
    only = WHOLE if o.both_cuts else _uneven_cut(s, x, y, log2_side)
    if only != STANDING:
        _search_halves(s, o, x, y, log2_side, LYING, rate + o.lagrangian * bin_cost(s.contexts, context, 0))
    if only != LYING:
        _search_halves(s, o, x, y, log2_side, STANDING, rate + o.lagrangian * bin_cost(s.contexts, context, 1))


@kernel()
def _place_best(s, log2_side, block, part):
    """Enter a part of the best way of a square into the maps."""
    left, up = s.best_vectors[log2_side, part]
    _place(s, block, s.best_modes[log2_side, part], s.best_ends[log2_side, part], (left, up))


@kernel(inline=True)
def _close_node(s, log2_side):
    """Decide between a square's best and its quarters, leave the better in plane and maps, and return its cost."""
    node = s.nodes[log2_side]
    if log2_side > MIN_LOG2 and node[QUARTER] == 4 and node[PARTS] < node[BEST]:
        return node[PARTS]
    x, y = node[X], node[Y]
    _copy_samples(s.best_samples[log2_side], 0, 0, 1 << log2_side, 1 << log2_side, s.plane, x, y)
    _copy_samples(s.best_levels[log2_side], 0, 0, 1 << log2_side, 1 << log2_side, s.maps.levels, x, y)
    if node[CUT] == WHOLE:
        _place_best(s, log2_side, (x, y, log2_side, log2_side), 0)
    else:
        for part in range(2):
            _place_best(s, log2_side, part_of(x, y, log2_side, node[CUT], part), part)
    return node[BEST]


@kernel()
def _open_node(s, o, x, y, log2_side):
    """Start on the square at (x, y): try it whole and in halves, and note whether its quarters are worth trying."""
    height, width = s.plane.shape
    side = 1 << log2_side
    node = s.nodes[log2_side]
    node[X], node[Y], node[BEST], node[PARTS], node[QUARTER], node[CUT] = x, y, INFINITE, 0, 0, WHOLE
    if x + side > width or y + side > height:
        return
    parent = s.best_modes[log2_side + 1, 0] if log2_side < MAX_LOG2 else DC
    block = (x, y, log2_side, log2_side)
    node[BEST], error = _search_block(s, o, block, parent, o.fans[log2_side], o.n_candidates[log2_side])
    _note_part(s, log2_side, block, 0)
    if log2_side == MIN_LOG2:
        node[QUARTER] = 4
        return
    context = split_context(s.maps, s.guide, o.kind, x, y, log2_side)
    node[PARTS] = o.lagrangian * bin_cost(s.contexts, context, 1)
    uncut = o.lagrangian * bin_cost(s.contexts, context, 0)
    context = halve_context(s.maps, o.kind, x, y, log2_side)
    node[BEST] += uncut + o.lagrangian * bin_cost(s.contexts, context, 0)
    end = s.best_ends[log2_side, 0]
    uses_tool = s.best_modes[log2_side, 0] < 0
    if not uses_tool and end < o.least_end and (end > 0 or error << 10 < np.int64(o.skip_split) << (2 * log2_side)):
        node[QUARTER] = 4
        node[PARTS] = INFINITE
    elif o.n_halves > 0:
        _search_cuts(s, o, x, y, log2_side, uncut + o.lagrangian * bin_cost(s.contexts, context, 1))


@kernel()
def search_tree(s, o, x, y):
    """Search the tree whose root is at (x, y) depth first and leave the best partition in plane and maps.

    A square past the plane's edge is quartered for nothing; a flat one is not cut; quarters are given up as soon as
    they cost more than the best without.
    """
    height, width = s.plane.shape
    log2_side = MAX_LOG2
    _open_node(s, o, x, y, log2_side)
    while True:
        node = s.nodes[log2_side]
        if node[QUARTER] < 4 and node[PARTS] < node[BEST]:
            half = 1 << (log2_side - 1)
            part_x, part_y = node[X] + (node[QUARTER] & 1) * half, node[Y] + (node[QUARTER] >> 1) * half
            if part_x >= width or part_y >= height:
                node[QUARTER] += 1
            else:
                log2_side -= 1
                _open_node(s, o, part_x, part_y, log2_side)
            continue
        cost = _close_node(s, log2_side)
        if log2_side == MAX_LOG2:
            return
        log2_side += 1
        s.nodes[log2_side, PARTS] += cost
        s.nodes[log2_side, QUARTER] += 1


@kernel()
def encode_plane(s, o, stream, code_work):
    """Search and write a plane tree by tree; costs follow the adapting contexts."""
    height, width = s.plane.shape
    for y in range(0, height, 1 << MAX_LOG2):
        for x in range(0, width, 1 << MAX_LOG2):
            update_costs(s.contexts, o.kind, s.costs)
            search_tree(s, o, x, y)
            if s.screen.is_on:
                settle_samples(s, o.kind, x, y)
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
        np.zeros(4, np.int64),
        np.zeros((32, 32), np.int32),
        np.zeros((32, 32), np.int32),
        np.zeros((32, 32), np.int32),
        np.zeros((32, 32), np.int32),
        np.zeros((MAX_LOG2 + 1, 32, 32), np.int32),
        np.zeros((MAX_LOG2 + 1, 32, 32), np.int32),
        np.zeros((MAX_LOG2 + 1, 2), np.int64),
        np.zeros((MAX_LOG2 + 1, 2), np.int64),
        np.zeros((32, 32), np.int32),
        np.zeros(STRIDE * STRIDE + 2, np.int32),
        np.zeros((3, 1024), np.int64),
        np.zeros((2, 1024, 4), np.int64),
        np.zeros(N_PROBABLE + 2, np.int64),
        np.zeros(N_MODES + 1, np.int64),
        np.zeros(LEARNED + MAX_LEARNED, np.int64),
        np.full(MAX_LEARNED, INFINITE, np.int64),
        np.zeros((MAX_LOG2 + 1, NODE_FIELDS), np.int64),
        np.zeros((4, 32), np.int32),
        np.zeros((4, 4), np.int64),
        np.zeros((2, 5, 3, 3), np.uint64),
        screen,
        new_journal(),
        new_links(original) if screen.is_on and maps is guide else no_links(),
        np.zeros((MAX_LOG2 + 1, 2, 2), np.int64),
    )
