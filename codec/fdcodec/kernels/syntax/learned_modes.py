# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The syntax of learned modes, and its cost for the encoder (SPEC 5.5).

`maps` and `stream` are as in `trees`.
"""

from fdcodec.format import contexts as ctx
from fdcodec.format.constants import LEARNED, MIN_LOG2
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.reconstruction.maps import mode_at
from fdcodec.kernels.syntax.range_coder import code_bin


@kernel(inner=True)
def learned_flag_context(maps, log2_size, x, y):
    """Return the context of the flag: how many of the blocks left and above are in a learned mode."""
    count = 0
    if x > 0 and mode_at(maps, x - 1, y) >= LEARNED:
        count += 1
    if y > 0 and mode_at(maps, x, y - 1) >= LEARNED:
        count += 1
    return ctx.LEARNED_FLAG + (log2_size - MIN_LOG2) * ctx.N_COUNTS + count


@kernel(inner=True)
def learned_index_context(maps, log2_size, x, y):
    """Return the first context of the index's tree: by the learned mode left or else above."""
    beside = 0
    if y > 0 and mode_at(maps, x, y - 1) >= LEARNED:
        beside = mode_at(maps, x, y - 1) - LEARNED + 1
    if x > 0 and mode_at(maps, x - 1, y) >= LEARNED:
        beside = mode_at(maps, x - 1, y) - LEARNED + 1
    return ctx.LEARNED_INDEX + ((log2_size - MIN_LOG2) * ctx.N_LEARNED_BESIDE + beside) * ctx.N_LEARNED_NODES


@kernel(inner=True)
def index_bits(count):
    """Return the depth of the tree of `count` learned modes."""
    n_bits = 0
    while (1 << n_bits) < count:
        n_bits += 1
    return n_bits


@kernel(checked=True, inner=True)
def code_learned_mode(stream, maps, x, y, log2_size, count, mode):
    """Code whether a block is in one of its size's `count` learned modes, and in which; return -1 if in none."""
    coder, buffer, contexts = stream
    context = learned_flag_context(maps, log2_size, x, y)
    if code_bin(coder, buffer, contexts, context, 1 if mode >= LEARNED else 0) == 0:
        return -1
    first = learned_index_context(maps, log2_size, x, y)
    n_bits = index_bits(count)
    node = 1
    for k in range(n_bits - 1, -1, -1):
        node = 2 * node + code_bin(coder, buffer, contexts, first + node, ((mode - LEARNED) >> k) & 1)
    return LEARNED + min(node - (1 << n_bits), count - 1)
