# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The encoder's search: how each tree is cut, by rate and distortion, all in integers (encoder only).

A tree is searched depth first, and the samples of the best way to code a block stand in the plane while later blocks
are tried: choices made beside other samples than the decoder's cost 5 % (ADR 0013).

`search` and `options` are the `Search` and `Options` of the plane, `tools` the `Tools` or None.
"""

import numpy as np

from fdcodec.format.constants import DC, MAX_LOG2, MAX_OFFSET, MIN_LOG2
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.blocks import LYING, STANDING, WHOLE, n_parts, part_of
from fdcodec.kernels.reconstruction.maps import enter_block, levels_place
from fdcodec.kernels.search.blocks import copy_levels, search_block
from fdcodec.kernels.search.costs import bin_cost, update_costs
from fdcodec.kernels.search.quantization import INFINITE
from fdcodec.kernels.search.sampled import settle_samples
from fdcodec.kernels.search.state import BEST, CUT, END, LEFT, MODE, PARTS, QUARTER, UP, X, Y
from fdcodec.kernels.simd.lanes import LANES, block_lanes, put_block_lanes
from fdcodec.kernels.syntax.offsets import code_offset
from fdcodec.kernels.syntax.screens import fill_vectors
from fdcodec.kernels.syntax.trees import code_tree, halve_context, quarter_context, standing_context


@kernel()
def _copy_samples(source, source_x, source_y, width, height, target, x, y):
    for row in range(height):
        for column in range(0, width, LANES):
            samples = block_lanes(source[source_y + row], source_x + column, width)
            put_block_lanes(samples, target[y + row], x + column, width)


@kernel(merged=True)
def _place(search, block, mode, levels, vector):
    """Enter a block and its levels up to its end into the maps."""
    maps, end = search.known.maps, len(levels)
    place = levels_place(maps, block)
    copy_levels(levels, maps.levels[place : place + end])
    enter_block(maps, block, mode, end)
    fill_vectors(maps, block, vector[0], vector[1])


@kernel(merged=True)
def _note_part(search, log2_side, block, part):
    """Note the trial as part of the best way of its square."""
    node = search.nodes[log2_side]
    search.best_modes[log2_side, part], search.best_ends[log2_side, part] = search.trial[MODE], search.trial[END]
    search.best_vectors[log2_side, part, 0] = search.trial[LEFT]
    search.best_vectors[log2_side, part, 1] = search.trial[UP]
    x, y, width, height = block[0] - node[X], block[1] - node[Y], 1 << block[2], 1 << block[3]
    _copy_samples(search.trial_samples, 0, 0, width, height, search.best_samples[log2_side], x, y)
    end, place = search.trial[END], part * width * height
    copy_levels(search.trial_levels[:end], search.best_levels[log2_side, place : place + end])


@kernel(inline=True)
def _search_halves(search, tools, options, x, y, log2_side, cut, cost):
    """Search both halves of a square; if they cost less than what is best so far, they are its best."""
    node, angle_stride, count = search.nodes[log2_side], options.angle_strides[log2_side], options.n_halves
    first, whole_mode = part_of(x, y, log2_side, cut, 0), search.best_modes[log2_side, 0]
    part_cost, _ = search_block(search, tools, options, first, whole_mode, angle_stride, count)
    cost += part_cost
    if cost >= node[BEST]:
        return
    first_mode, first_end, vector = search.trial[MODE], search.trial[END], (search.trial[LEFT], search.trial[UP])
    _copy_samples(search.trial_samples, 0, 0, 1 << first[2], 1 << first[3], search.plane, x, y)
    _place(search, first, first_mode, search.trial_levels[:first_end], vector)
    second = part_of(x, y, log2_side, cut, 1)
    part_cost, _ = search_block(search, tools, options, second, first_mode, angle_stride, count)
    cost += part_cost
    if cost >= node[BEST]:
        return
    node[BEST], node[CUT] = cost, cut
    _note_part(search, log2_side, second, 1)
    search.best_modes[log2_side, 0], search.best_ends[log2_side, 0] = first_mode, first_end
    search.best_vectors[log2_side, 0, 0], search.best_vectors[log2_side, 0, 1] = vector
    _copy_samples(search.plane, x, y, 1 << first[2], 1 << first[3], search.best_samples[log2_side], 0, 0)
    maps = search.known.maps
    place = levels_place(maps, first)
    copy_levels(maps.levels[place : place + first_end], search.best_levels[log2_side, :first_end])


@kernel()
def _uneven_cut(search, x, y, log2_side):
    """Return the cut whose halves differ more in the energy that the trial's prediction leaves."""
    half = 1 << (log2_side - 1)
    lying, standing = np.int64(0), np.int64(0)
    for row in range(2 * half):
        for column in range(2 * half):
            residual = np.int64(search.original[y + row, x + column] - search.trial_prediction[row, column])
            lying += residual * residual if row < half else -residual * residual
            standing += residual * residual if column < half else -residual * residual
    return LYING if abs(lying) > abs(standing) else STANDING


@kernel(inline=True)
def _search_cuts(search, tools, options, x, y, log2_side, rate):
    """Try a square's lying and standing halves, or the likelier ones only; `rate` is the cost of saying so."""
    context = standing_context(search.known, x, y, log2_side)
    only = WHOLE if options.both_cuts else _uneven_cut(search, x, y, log2_side)
    for cut in range(LYING, STANDING + 1):
        if only in (WHOLE, cut):
            cost = rate + options.lagrangian * bin_cost(search.contexts, context, cut - LYING)
            _search_halves(search, tools, options, x, y, log2_side, cut, cost)


@kernel(merged=True)
def _place_best(search, log2_side, block, part):
    """Enter a part of the best way of a square into the maps."""
    (left, up), place = search.best_vectors[log2_side, part], part << (block[2] + block[3])
    levels = search.best_levels[log2_side, place : place + search.best_ends[log2_side, part]]
    _place(search, block, search.best_modes[log2_side, part], levels, (left, up))


@kernel(inline=True)
def _close_node(search, log2_side):
    """Decide between a square's best and its quarters, leave the better in plane and maps, and return its cost."""
    node = search.nodes[log2_side]
    if log2_side > MIN_LOG2 and node[QUARTER] == 4 and node[PARTS] < node[BEST]:
        return node[PARTS]
    x, y = node[X], node[Y]
    _copy_samples(search.best_samples[log2_side], 0, 0, 1 << log2_side, 1 << log2_side, search.plane, x, y)
    for part in range(n_parts(node[CUT])):
        _place_best(search, log2_side, part_of(x, y, log2_side, node[CUT], part), part)
    return node[BEST]


@kernel(inline=True)
def _open_node(search, tools, options, x, y, log2_side):
    """Start on the square at (x, y): try it whole and in halves, and note whether its quarters are worth trying."""
    height, width = search.plane.shape
    side = 1 << log2_side
    node = search.nodes[log2_side]
    node[X], node[Y], node[BEST], node[PARTS], node[QUARTER], node[CUT] = x, y, INFINITE, 0, 0, WHOLE
    if x + side > width or y + side > height:
        return
    parent = search.best_modes[log2_side + 1, 0] if log2_side < MAX_LOG2 else DC
    block = (x, y, log2_side, log2_side)
    node[BEST], error = search_block(
        search, tools, options, block, parent, options.angle_strides[log2_side], options.n_candidates[log2_side]
    )
    _note_part(search, log2_side, block, 0)
    if log2_side == MIN_LOG2:
        node[QUARTER] = 4
        return
    context = quarter_context(search.known, x, y, log2_side)
    node[PARTS] = options.lagrangian * bin_cost(search.contexts, context, 1)
    uncut = options.lagrangian * bin_cost(search.contexts, context, 0)
    context = halve_context(search.known, x, y, log2_side)
    node[BEST] += uncut + options.lagrangian * bin_cost(search.contexts, context, 0)
    uses_tool = search.best_modes[log2_side, 0] < 0
    is_empty = not uses_tool and search.best_ends[log2_side, 0] == 0
    is_flat = is_empty and error << 10 < np.int64(options.flat_error) << (2 * log2_side)
    price = INFINITE if uses_tool else node[BEST]
    if is_flat or price < options.quarter_prices[log2_side]:
        node[QUARTER] = 4
        node[PARTS] = INFINITE
    if not is_flat and price > options.halve_prices[log2_side]:
        rate = uncut + options.lagrangian * bin_cost(search.contexts, context, 1)
        _search_cuts(search, tools, options, x, y, log2_side, rate)


@kernel(inline=True)
def _search_tree(search, tools, options, x, y):
    """Search the tree whose root is at (x, y) depth first and leave the best partition in plane and maps.

    A square past the plane's edge is quartered for nothing; a flat one is not cut; quarters are given up as soon as
    they cost more than the best without.
    """
    height, width = search.plane.shape
    log2_side, opens = MAX_LOG2, True
    while True:
        if opens:
            _open_node(search, tools, options, x, y, log2_side)
        node, opens = search.nodes[log2_side], False
        if node[QUARTER] < 4 and node[PARTS] < node[BEST]:
            half = 1 << (log2_side - 1)
            x, y = node[X] + (node[QUARTER] & 1) * half, node[Y] + (node[QUARTER] >> 1) * half
            opens = x < width and y < height
            if opens:
                log2_side -= 1
            else:
                node[QUARTER] += 1
            continue
        cost = _close_node(search, log2_side)
        if log2_side == MAX_LOG2:
            return
        log2_side += 1
        search.nodes[log2_side, PARTS] += cost
        search.nodes[log2_side, QUARTER] += 1


@kernel()
def _is_thrifty(shape, thrifty_share, x, y):
    """Tell whether the tree at (x, y) is among the last ones of a plane, which are coded with thrift."""
    rows, columns = (shape[0] - 1 >> MAX_LOG2) + 1, (shape[1] - 1 >> MAX_LOG2) + 1
    n_later = rows * columns - (y >> MAX_LOG2) * columns - (x >> MAX_LOG2)
    return 1 if 1024 * n_later <= thrifty_share * rows * columns else 0


@kernel()
def encode_plane(search, tools, pair, stream, code_work, steps):
    """Search and write a plane tree by tree; costs follow the adapting contexts.

    `tools` is None or screen tools; `pair` has two options, the second for the last trees, the share of which the first
    states; `steps` is None or the step offset of each tree and the options of each offset.
    """
    height, width = search.plane.shape
    for y in range(0, height, 1 << MAX_LOG2):
        for x in range(0, width, 1 << MAX_LOG2):
            if steps is not None:  # decided when compiled
                offsets, by_offset = steps
                pair = by_offset[offsets[y >> MAX_LOG2, x >> MAX_LOG2] + MAX_OFFSET]
                if search.known.kind == 0:
                    code_offset(stream, offsets, y >> MAX_LOG2, x >> MAX_LOG2)
            options = pair[_is_thrifty(search.plane.shape, pair[0].thrifty_share, x, y)]
            update_costs(search.contexts, search.known.kind, options.lagrangian, search.costs)
            _search_tree(search, tools, options, x, y)
            if tools is None:
                code_tree(stream, search.known, x, y, code_work, None)
            else:
                settle_samples(search, tools, x, y)
                code_tree(stream, search.known, x, y, code_work, tools.screen)
