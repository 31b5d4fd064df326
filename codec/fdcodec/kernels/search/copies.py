# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The encoder's search for the vector of a copied block: likely vectors, and in luma equal 8x8 blocks by their hash.

`plane` and `links` are int32 (height, width); `search` and `options` are the `Search` and `Options` of the plane.
"""

from typing import NamedTuple

import numpy as np

from fdcodec.format.constants import COPIED
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.search.costs import bin_cost, golomb_cost
from fdcodec.kernels.search.quantization import SAMPLE_ERROR_SHIFT
from fdcodec.kernels.search.sampled import Journal, keep_tool, new_journal, try_samples
from fdcodec.kernels.syntax.copies import copy_block, is_source, likely_context, likely_vectors, vector_contexts
from fdcodec.kernels.syntax.screens import Screen, copied_context, tool_context

HASHED_LOG2 = 3
HASHED = 1 << HASHED_LOG2  # side of the hashed blocks
HEAD_BITS = 16
MAX_LINKS = 32  # positions of the same hash that are looked at
MISTRUST_SHIFT = 3  # samples that are not exact serve blocks that follow badly: a transformed block costs 1/8 more
NOWHERE = -1


@kernel()
def _hash(plane, x, y):
    """Return the hash of the 8x8 block at (x, y), or `NOWHERE` if all its samples are equal."""
    total, is_flat = np.int64(0), True
    for row in range(y, y + HASHED):
        for column in range(x, x + HASHED):
            is_flat &= plane[row, column] == plane[y, x]
            total = (total * 0x01000193 + plane[row, column]) & 0xFFFFFFFF
    return NOWHERE if is_flat else (total ^ (total >> HEAD_BITS)) & ((1 << HEAD_BITS) - 1)


@kernel()
def link_positions(plane, heads, links):
    """Link each position, y * width + x, to the one before it in raster order with the same hash."""
    height, width = plane.shape
    for y in range(height - HASHED + 1):
        for x in range(width - HASHED + 1):
            value = _hash(plane, x, y)
            if value != NOWHERE:
                links[y, x] = heads[value]
                heads[value] = y * width + x


def new_links(plane):
    """Return the links of a plane's positions."""
    links = np.full(plane.shape, NOWHERE, np.int32)
    link_positions(plane, np.full(1 << HEAD_BITS, NOWHERE, np.int32), links)
    return links


class Tools(NamedTuple):
    """The screen tools of a plane as its search needs them, with `links`, the positions of equal blocks (luma only)."""

    screen: Screen
    journal: Journal
    links: np.ndarray


def new_tools(screen, plane, is_luma):
    """Return the screen tools of a plane's search."""
    return Tools(screen, new_journal(), new_links(plane) if is_luma else np.full((1, 1), NOWHERE, np.int32))


@kernel()
def _vector_rate(search, count, index, left, up):
    """Return the cost of the likely vector `index`, or of one that is not among the `count` likely ones."""
    rate = 0
    for k in range(min(index + 1, count)):
        rate += bin_cost(search.contexts, likely_context(search.known.kind, k), 1 if k == index else 0)
    if index < count:
        return rate
    right_context, left_context, up_context = vector_contexts(search.known.kind)
    rate += bin_cost(search.contexts, right_context, 1 if left < 0 else 0)
    return rate + golomb_cost(search.contexts, left_context, abs(left)) + golomb_cost(search.contexts, up_context, up)


@kernel()
def _copy_error(search, block, left, up, limit):
    """Return the squared error of copying from a vector away, or more than `limit`."""
    x, y, log2_width, log2_height = block
    error = np.int64(0)
    for row in range(y, y + (1 << log2_height)):
        for column in range(x, x + (1 << log2_width)):
            difference = np.int64(search.original[row, column]) - search.plane[row - up, column - left]
            error += difference * difference
        if error > limit:
            return error
    return error


@kernel()
def _try_vector(search, options, block, left, up, rate, best):
    """Return the lesser of `best` and the cost of a vector; keep the copy if it is the better."""
    base = options.lagrangian * rate
    if base >= best or not is_source(search.plane, block, left, up):
        return best
    limit = (best - base) >> SAMPLE_ERROR_SHIFT
    cost = base + (_copy_error(search, block, left, up, limit) << SAMPLE_ERROR_SHIFT)
    if cost >= best:
        return best
    copy_block(search.plane, block, left, up, options.low)
    keep_tool(search, block, COPIED, 0, left, up)
    return cost


@kernel()
def _try_copies(search, tools, options, block, rate, best):
    """Return the least cost of a block: copied, its mode at `rate`, or as it is at the cost `best`."""
    x, y, log2_width, log2_height = block
    count = likely_vectors(tools.screen.vectors, search.known, x, y)
    likely = tools.screen.vectors.likely
    for index in range(count):
        left, up = likely[index, 0], likely[index, 1]
        vector_rate = _vector_rate(search, count, index, left, up)
        best = _try_vector(search, options, block, left, up, rate + vector_rate, best)
    if min(log2_width, log2_height) < HASHED_LOG2 or tools.links.shape[0] == 1:
        return best
    width, place = search.plane.shape[1], tools.links[y, x]
    for _ in range(MAX_LINKS):
        if place == NOWHERE:
            break
        left, up = x - place % width, y - place // width
        vector_rate = _vector_rate(search, count, count, left, up)
        best = _try_vector(search, options, block, left, up, rate + vector_rate, best)
        place = tools.links[place // width, place % width]
    return best


@kernel(inner=True)
def try_tools(search, tools, options, block, whole):
    """Return the least cost of a block: by a screen tool, or as it is at the cost `whole`; keep the better."""
    context = tool_context(search.known, block)
    best = whole + (whole >> MISTRUST_SHIFT) + options.lagrangian * bin_cost(search.contexts, context, 0)
    rate = bin_cost(search.contexts, context, 1)
    context = copied_context(search.known, block)
    best = _try_copies(search, tools, options, block, rate + bin_cost(search.contexts, context, 1), best)
    return try_samples(search, tools, options, block, rate + bin_cost(search.contexts, context, 0), best)
