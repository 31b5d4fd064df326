# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The encoder's search: how each tree is cut, by rate and distortion, all in integers (encoder only).

A tree is searched depth first, and the samples of the best way to code a block stand in the plane while later blocks
are tried: choices made beside other samples than the decoder's cost 5 % (ADR 0013).
"""

import numpy as np

from fdcodec.coding.constants import DC, MAX_LOG2, MAX_OFFSET, MIN_LOG2
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.blocks import (
    END,
    LEFT,
    LYING,
    MODE,
    STANDING,
    UP,
    WHOLE,
    fill_cells,
    fill_sizes,
    n_parts,
    part_of,
)
from fdcodec.kernels.search.blocks import search_block
from fdcodec.kernels.search.costs import bin_cost, update_costs
from fdcodec.kernels.search.quantization import INFINITE
from fdcodec.kernels.search.sampled import settle_samples
from fdcodec.kernels.search.state import BEST, CUT, PARTS, QUARTER, X, Y
from fdcodec.kernels.simd.lanes import LANES, block_lanes, put_block_lanes
from fdcodec.kernels.syntax.offsets import code_offset
from fdcodec.kernels.syntax.screens import fill_vectors
from fdcodec.kernels.syntax.trees import code_tree, halve_context, split_context, standing_context


@kernel()
def _copy_samples(source, source_x, source_y, width, height, target, x, y):
    for row in range(height):
        for column in range(0, width, LANES):
            samples = block_lanes(source[source_y + row], source_x + column, width)
            put_block_lanes(samples, target[y + row], x + column, width)


@kernel(merged=True)
def _place(s, block, mode, end, vector):
    """Enter a block into the maps."""
    fill_sizes(s.maps, block)
    fill_cells(s.maps.modes, block, mode)
    fill_cells(s.maps.ends, block, end)
    fill_vectors(s.maps, block, vector[0], vector[1])


@kernel(merged=True)
def _note_part(s, log2_side, block, part):
    """Note the trial as part of the best way of its square."""
    node = s.nodes[log2_side]
    s.best_modes[log2_side, part], s.best_ends[log2_side, part] = s.trial[MODE], s.trial[END]
    s.best_vectors[log2_side, part, 0], s.best_vectors[log2_side, part, 1] = s.trial[LEFT], s.trial[UP]
    x, y, width, height = block[0] - node[X], block[1] - node[Y], 1 << block[2], 1 << block[3]
    _copy_samples(s.trial_samples, 0, 0, width, height, s.best_samples[log2_side], x, y)
    _copy_samples(s.trial_levels, 0, 0, width, height, s.best_levels[log2_side], x, y)


@kernel(inline=True)
def _search_halves(s, tools, o, x, y, log2_side, cut, cost):
    """Search both halves of a square; if they cost less than what is best so far, they are its best."""
    node = s.nodes[log2_side]
    first = part_of(x, y, log2_side, cut, 0)
    part_cost, _ = search_block(s, tools, o, first, s.best_modes[log2_side, 0], o.fans[log2_side], o.n_halves)
    cost += part_cost
    if cost >= node[BEST]:
        return
    first_mode, first_end, vector = s.trial[MODE], s.trial[END], (s.trial[LEFT], s.trial[UP])
    _copy_samples(s.trial_samples, 0, 0, 1 << first[2], 1 << first[3], s.plane, x, y)
    _copy_samples(s.trial_levels, 0, 0, 1 << first[2], 1 << first[3], s.maps.levels, x, y)
    _place(s, first, first_mode, first_end, vector)
    second = part_of(x, y, log2_side, cut, 1)
    part_cost, _ = search_block(s, tools, o, second, first_mode, o.fans[log2_side], o.n_halves)
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


@kernel(inline=True)
def _search_cuts(s, tools, o, x, y, log2_side, rate):
    """Try a square's lying and standing halves, or the likelier ones only; `rate` is the cost of saying so."""
    context = standing_context(s.maps, s.guide, o.kind, x, y, log2_side)
    only = WHOLE if o.both_cuts else _uneven_cut(s, x, y, log2_side)
    for cut in range(LYING, STANDING + 1):
        if only in (WHOLE, cut):
            cost = rate + o.lagrangian * bin_cost(s.contexts, context, cut - LYING)
            _search_halves(s, tools, o, x, y, log2_side, cut, cost)


@kernel(merged=True)
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
    for part in range(n_parts(node[CUT])):
        _place_best(s, log2_side, part_of(x, y, log2_side, node[CUT], part), part)
    return node[BEST]


@kernel(inline=True)
def _open_node(s, tools, o, x, y, log2_side):
    """Start on the square at (x, y): try it whole and in halves, and note whether its quarters are worth trying."""
    height, width = s.plane.shape
    side = 1 << log2_side
    node = s.nodes[log2_side]
    node[X], node[Y], node[BEST], node[PARTS], node[QUARTER], node[CUT] = x, y, INFINITE, 0, 0, WHOLE
    if x + side > width or y + side > height:
        return
    parent = s.best_modes[log2_side + 1, 0] if log2_side < MAX_LOG2 else DC
    block = (x, y, log2_side, log2_side)
    node[BEST], error = search_block(s, tools, o, block, parent, o.fans[log2_side], o.n_candidates[log2_side])
    _note_part(s, log2_side, block, 0)
    if log2_side == MIN_LOG2:
        node[QUARTER] = 4
        return
    context = split_context(s.maps, s.guide, o.kind, x, y, log2_side)
    node[PARTS] = o.lagrangian * bin_cost(s.contexts, context, 1)
    uncut = o.lagrangian * bin_cost(s.contexts, context, 0)
    context = halve_context(s.maps, o.kind, x, y, log2_side)
    node[BEST] += uncut + o.lagrangian * bin_cost(s.contexts, context, 0)
    uses_tool = s.best_modes[log2_side, 0] < 0
    is_empty = not uses_tool and s.best_ends[log2_side, 0] == 0
    is_flat = is_empty and error << 10 < np.int64(o.skip_split) << (2 * log2_side)
    price = INFINITE if uses_tool else node[BEST]
    if is_flat or price < o.quarter_prices[log2_side]:
        node[QUARTER] = 4
        node[PARTS] = INFINITE
    if not is_flat and price > o.halve_prices[log2_side]:
        _search_cuts(s, tools, o, x, y, log2_side, uncut + o.lagrangian * bin_cost(s.contexts, context, 1))


@kernel(inline=True)
def _search_tree(s, tools, o, x, y):
    """Search the tree whose root is at (x, y) depth first and leave the best partition in plane and maps.

    A square past the plane's edge is quartered for nothing; a flat one is not cut; quarters are given up as soon as
    they cost more than the best without.
    """
    height, width = s.plane.shape
    log2_side, opens = MAX_LOG2, True
    while True:
        if opens:
            _open_node(s, tools, o, x, y, log2_side)
        node, opens = s.nodes[log2_side], False
        if node[QUARTER] < 4 and node[PARTS] < node[BEST]:
            half = 1 << (log2_side - 1)
            x, y = node[X] + (node[QUARTER] & 1) * half, node[Y] + (node[QUARTER] >> 1) * half
            opens = x < width and y < height
            if opens:
                log2_side -= 1
            else:
                node[QUARTER] += 1
            continue
        cost = _close_node(s, log2_side)
        if log2_side == MAX_LOG2:
            return
        log2_side += 1
        s.nodes[log2_side, PARTS] += cost
        s.nodes[log2_side, QUARTER] += 1


@kernel()
def _is_thrifty(shape, thrifty_share, x, y):
    """Tell whether the tree at (x, y) is among the last ones of a plane, which are coded with thrift."""
    rows, columns = (shape[0] - 1 >> MAX_LOG2) + 1, (shape[1] - 1 >> MAX_LOG2) + 1
    n_later = rows * columns - (y >> MAX_LOG2) * columns - (x >> MAX_LOG2)
    return 1 if 1024 * n_later <= thrifty_share * rows * columns else 0


@kernel()
def encode_plane(s, tools, options, stream, code_work, steps):
    """Search and write a plane tree by tree; costs follow the adapting contexts.

    `tools` is None or screen tools; `options` is a pair, the second for the last trees, the share of which the first
    states; `steps` is None or the step offset of each tree and the options of each offset.
    """
    height, width = s.plane.shape
    for y in range(0, height, 1 << MAX_LOG2):
        for x in range(0, width, 1 << MAX_LOG2):
            if steps is not None:  # decided when compiled
                offsets, by_offset = steps
                options = by_offset[offsets[y >> MAX_LOG2, x >> MAX_LOG2] + MAX_OFFSET]
                if options[0].kind == 0:
                    code_offset(stream, offsets, y >> MAX_LOG2, x >> MAX_LOG2)
            o = options[_is_thrifty(s.plane.shape, options[0].thrifty_share, x, y)]
            update_costs(s.contexts, o.kind, o.lagrangian, s.costs)
            _search_tree(s, tools, o, x, y)
            if tools is None:
                code_tree(stream, s.maps, s.guide, o.kind, x, y, s.tables.scans, code_work, None)
            else:
                settle_samples(s, tools, o.kind, x, y)
                code_tree(stream, s.maps, s.guide, o.kind, x, y, s.tables.scans, code_work, tools.screen)
