# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The syntax of prediction modes, for both directions as in `trees` (SPEC 5.5).

`known` and `stream` are as in `trees`; `probable` is int64, N_PROBABLE modes and room for two.
"""

from fdcodec.format import contexts as ctx
from fdcodec.format.constants import (
    CHROMA_FROM_LUMA,
    DC,
    HORIZONTAL,
    N_MODES,
    N_PROBABLE,
    PLANAR,
    VERTICAL,
)
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.blocks import size_class
from fdcodec.kernels.reconstruction.maps import mode_at
from fdcodec.kernels.syntax.learned_modes import code_learned_mode
from fdcodec.kernels.syntax.range_coder import code_bin, code_bits

RANK_BITS = 5  # of a mode's rank among those that are not probable


@kernel()
def _append(modes, count, mode):
    """Append `mode` to the first `count` modes unless it is among them; return the new count."""
    for k in range(count):
        if modes[k] == mode:
            return count
    modes[count] = mode
    return count + 1


@kernel()
def _append_adjacent(modes, count, mode):
    """Append the two angular modes beside an angular `mode`, wrapping around."""
    if mode > DC and count < N_PROBABLE:
        count = _append(modes, count, 2 + (mode - 2 + N_MODES - 3) % (N_MODES - 2))
        if count < N_PROBABLE:
            count = _append(modes, count, 2 + (mode - 1) % (N_MODES - 2))
    return count


@kernel()
def probable_modes(known, block, modes):
    """Fill `modes` with the six most probable modes of a block, most probable first (SPEC 5.5)."""
    x, y, log2_width, log2_height = block
    left, above = PLANAR, PLANAR
    if x > 0:
        left = mode_at(known.maps, x - 1, y + (1 << log2_height) - 1)
    if y > 0:
        above = mode_at(known.maps, x + (1 << log2_width) - 1, y - 1)
    left = left if 0 <= left < N_MODES else PLANAR
    above = above if 0 <= above < N_MODES else PLANAR
    count = 0
    if known.kind == 1:
        guided = mode_at(known.guide, x, y)
        count = _append(modes, count, guided if 0 <= guided < N_MODES else PLANAR)
    count = _append(modes, count, PLANAR)
    count = _append(modes, count, left)
    count = _append(modes, count, above)
    if left > DC or above > DC:
        count = _append(modes, count, DC)
        count = _append_adjacent(modes, count, max(left, above))
        count = _append_adjacent(modes, count, min(left, above))
        angular = max(left, above)
        if count < N_PROBABLE:
            count = _append(modes, count, 2 + (angular - 2 + N_MODES - 4) % (N_MODES - 2))
        if count < N_PROBABLE:
            count = _append(modes, count, 2 + angular % (N_MODES - 2))
    for mode in (DC, VERTICAL, HORIZONTAL, VERTICAL - 4, VERTICAL + 4, VERTICAL + 1, HORIZONTAL + 1, 2):
        if count < N_PROBABLE:
            count = _append(modes, count, mode)


@kernel()
def _rank_to_mode(rank, probable):
    """Return the mode of that rank among the modes that are not probable."""
    mode = 0
    while True:
        is_probable = False
        for k in range(N_PROBABLE):
            is_probable |= probable[k] == mode
        if not is_probable:
            if rank == 0:
                return mode
            rank -= 1
        mode += 1


@kernel()
def _mode_to_rank(mode, probable):
    """Return the rank of a mode among the modes that are not probable; the inverse of `_rank_to_mode`."""
    rank = mode
    for k in range(N_PROBABLE):
        if probable[k] < mode:
            rank -= 1
    return rank


@kernel(inner=True)
def chroma_from_luma_context(known, block):
    """Return the context of the chroma from luma flag: how many of the blocks left and above use it."""
    x, y, log2_width, log2_height = block
    count = 0
    if x > 0 and mode_at(known.maps, x - 1, y) == CHROMA_FROM_LUMA:
        count += 1
    if y > 0 and mode_at(known.maps, x, y - 1) == CHROMA_FROM_LUMA:
        count += 1
    return ctx.CHROMA_FROM_LUMA + size_class(log2_width, log2_height) * ctx.N_COUNTS + count


@kernel(inner=True)
def probable_context(kind, log2_width, log2_height):
    """Return the context of the flag that a block's mode is a probable one."""
    return ctx.PROBABLE + kind * ctx.N_SIZES + size_class(log2_width, log2_height)


@kernel(inner=True)
def place_context(kind, place):
    """Return the context of the bin that tells whether a mode's place among the probable ones is a later one."""
    return ctx.PROBABLE_INDEX + kind * ctx.PLACE_BINS + place


@kernel(checked=True, merged=True)
def code_mode(stream, known, block, n_learned, probable):
    """Code a block's prediction mode (SPEC 5.5)."""
    coder, buffer, contexts = stream
    maps, kind = known.maps, known.kind
    x, y, log2_width, log2_height = block
    mode = mode_at(maps, x, y)
    if kind == 0 and log2_width == log2_height and n_learned[log2_width] > 0:
        learned = code_learned_mode(stream, maps, x, y, log2_width, n_learned[log2_width], mode)
        if learned >= 0:
            return learned
    if kind == 1:
        context = chroma_from_luma_context(known, block)
        if code_bin(coder, buffer, contexts, context, 1 if mode == CHROMA_FROM_LUMA else 0):
            return CHROMA_FROM_LUMA
    probable_modes(known, block, probable)
    index = 0
    while index < N_PROBABLE and probable[index] != mode:
        index += 1
    context = probable_context(kind, log2_width, log2_height)
    if code_bin(coder, buffer, contexts, context, 1 if index < N_PROBABLE else 0):
        coded = 0
        while coded < N_PROBABLE - 1 and code_bin(
            coder, buffer, contexts, place_context(kind, coded), 1 if index > coded else 0
        ):
            coded += 1
        return probable[coded]
    rank = code_bits(coder, buffer, _mode_to_rank(mode, probable) & ((1 << RANK_BITS) - 1), RANK_BITS)
    return _rank_to_mode(min(rank, N_MODES - N_PROBABLE - 1), probable)
