# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""The syntax of the step offsets of trees, for both directions as in `trees` (SPEC 5.8).

`stream` is as in `trees`, `offsets` int64, one for each tree.
"""

from fdcodec.format import contexts as ctx
from fdcodec.format.constants import MAX_OFFSET
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.syntax.range_coder import code_bin


@kernel(checked=True, inner=True)
def code_offset(stream, offsets, row, column):
    """Code a tree's offset as its difference to the mean of those left and above; `offsets` has one cell a tree."""
    coder, buffer, contexts = stream
    above = offsets[row - 1, column] if row > 0 else 0
    left = offsets[row, column - 1] if column > 0 else above
    if row == 0:
        above = left
    expected = (left + above) >> 1
    difference = offsets[row, column] - expected
    context = ctx.OFFSET_DIFFERS + min(abs(left - above), 2)
    if code_bin(coder, buffer, contexts, context, 1 if difference != 0 else 0) == 0:
        offsets[row, column] = expected
        return
    negative = code_bin(coder, buffer, contexts, ctx.OFFSET_SIGN, 1 if difference < 0 else 0)
    magnitude = 1
    while magnitude < 2 * MAX_OFFSET:
        context = ctx.OFFSET_MAGNITUDE + min(magnitude - 1, 3)
        if code_bin(coder, buffer, contexts, context, 1 if abs(difference) > magnitude else 0) == 0:
            break
        magnitude += 1
    offset = expected - magnitude if negative else expected + magnitude
    offsets[row, column] = min(max(offset, -MAX_OFFSET), MAX_OFFSET)
