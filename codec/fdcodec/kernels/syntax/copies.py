# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""Block copy: a block is what an earlier part of the same plane is, a vector away (SPEC 5.10).

`known` and `stream` are as in `trees`, `maps` the `Maps` of a plane, `plane` is int32 (height, width).
"""

from typing import NamedTuple

import numpy as np

from fdcodec.format import contexts as ctx
from fdcodec.format.constants import CELL_LOG2, COPIED, N_LIKELY, N_RECENT_VECTORS
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.maps import mode_at
from fdcodec.kernels.reconstruction.references import is_decoded
from fdcodec.kernels.syntax.range_coder import code_bin, code_golomb


class Vectors(NamedTuple):
    """Vectors, int64 (n, 2) of how far left and up: those used last in a plane, and the likely ones of a block."""

    recent: np.ndarray
    likely: np.ndarray


def new_vectors():
    """Return the state at the start of a plane: no vector, which is (0, 0), in all places."""
    return Vectors(np.zeros((N_RECENT_VECTORS, 2), np.int64), np.zeros((N_LIKELY, 2), np.int64))


@kernel()
def _append(likely, count, left, up):
    """Append a vector to the first `count` likely ones unless it is none, among them, or one too many."""
    if count == N_LIKELY or (left == 0 and up == 0):
        return count
    for k in range(count):
        if likely[k, 0] == left and likely[k, 1] == up:
            return count
    likely[count, 0], likely[count, 1] = left, up
    return count + 1


@kernel()
def _append_from(likely, count, maps, x, y):
    """Append the vector of the block that covers a sample, if it is copied."""
    if mode_at(maps, x, y) != COPIED:
        return count
    vector = maps.vectors[y >> CELL_LOG2, x >> CELL_LOG2]
    return _append(likely, count, np.int64(vector[0]), np.int64(vector[1]))


@kernel()
def likely_vectors(vectors, known, x, y):
    """Fill `likely`: in chroma luma's vector, those left and above, recent ones; return how many there are."""
    count = 0
    if known.kind == 1:
        count = _append_from(vectors.likely, count, known.guide, x, y)
    if x > 0:
        count = _append_from(vectors.likely, count, known.maps, x - 1, y)
    if y > 0:
        count = _append_from(vectors.likely, count, known.maps, x, y - 1)
    for k in range(N_RECENT_VECTORS):
        count = _append(vectors.likely, count, vectors.recent[k, 0], vectors.recent[k, 1])
    return count


@kernel()
def keep_vector(vectors, left, up):
    """Move a vector to the front of the recent ones."""
    place = 0
    while place < N_RECENT_VECTORS - 1 and (vectors.recent[place, 0] != left or vectors.recent[place, 1] != up):
        place += 1
    for k in range(place, 0, -1):
        vectors.recent[k, 0], vectors.recent[k, 1] = vectors.recent[k - 1, 0], vectors.recent[k - 1, 1]
    vectors.recent[0, 0], vectors.recent[0, 1] = left, up


@kernel()
def is_source(plane, block, left, up):
    """Tell whether all samples of the block a vector away lie in the plane and are decoded."""
    x, y, log2_width, log2_height = block
    height, width = plane.shape
    start_x, start_y = x - left, y - up
    end_x, end_y = start_x + (1 << log2_width), start_y + (1 << log2_height)
    if start_x < 0 or start_y < 0 or end_x > width or end_y > height:
        return False
    for cell_y in range(start_y >> CELL_LOG2, ((end_y - 1) >> CELL_LOG2) + 1):
        for cell_x in range(start_x >> CELL_LOG2, ((end_x - 1) >> CELL_LOG2) + 1):
            if not is_decoded(cell_x, cell_y, x, y):
                return False
    return True


@kernel()
def copy_block(plane, block, left, up, low):
    """Copy a block from a vector away; where that is no source, which only a damaged payload says, it is all `low`."""
    x, y, log2_width, log2_height = block
    is_allowed = is_source(plane, block, left, up)
    for row in range(y, y + (1 << log2_height)):
        for column in range(x, x + (1 << log2_width)):
            plane[row, column] = plane[row - up, column - left] if is_allowed else low


@kernel(inner=True)
def likely_context(kind, index):
    """Return the context of the bin that tells whether a block's vector is the likely one of an index."""
    return ctx.LIKELY_VECTOR + kind * N_LIKELY + index


@kernel(inner=True)
def vector_contexts(kind):
    """Return the context of a vector's direction, and the first ones of how far left and how far up it leads."""
    first = ctx.VECTOR + kind * (1 + 2 * ctx.PREFIX_BINS)
    return first, first + 1, first + 1 + ctx.PREFIX_BINS


@kernel(checked=True, inner=True)
def code_vector(stream, vectors, known, x, y):
    """Code a block's vector: its index of the likely ones, or itself; enter it into the recent ones."""
    coder, buffer, contexts = stream
    vector = known.maps.vectors[y >> CELL_LOG2, x >> CELL_LOG2]
    left, up = np.int64(vector[0]), np.int64(vector[1])
    count = likely_vectors(vectors, known, x, y)
    index = 0
    while index < count:
        is_it = 1 if vectors.likely[index, 0] == left and vectors.likely[index, 1] == up else 0
        if code_bin(coder, buffer, contexts, likely_context(known.kind, index), is_it):
            break
        index += 1
    if index < count:
        left, up = vectors.likely[index, 0], vectors.likely[index, 1]
    else:
        right_context, left_context, up_context = vector_contexts(known.kind)
        is_right = code_bin(coder, buffer, contexts, right_context, 1 if left < 0 else 0)
        left, up = code_golomb(stream, left_context, abs(left)), code_golomb(stream, up_context, up)
        left = -left if is_right else left
    keep_vector(vectors, left, up)
    return left, up
