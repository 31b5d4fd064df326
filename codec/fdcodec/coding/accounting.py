"""Where the bits of a lossy tile go: decoded by the decoder's own syntax, with contexts that keep count."""

import numpy as np
from numpy.typing import NDArray

from fdcodec.coding.lossy import Coding, new_offsets, read_planes, refuse_short_payload, start_contexts
from fdcodec.format import contexts as ctx
from fdcodec.kernels.reconstruction.maps import Maps, new_maps
from fdcodec.kernels.syntax.interval import new_decoder
from fdcodec.kernels.syntax.range_coder import TALLY_UNIT, close_tally, new_tally
from fdcodec.model import ClassModel

ELEMENTS = {
    "cuts": (ctx.QUARTER, ctx.HALVE, ctx.STANDING),
    "modes": (ctx.CHROMA_FROM_LUMA, ctx.PROBABLE, ctx.PROBABLE_INDEX, ctx.LEARNED_FLAG, ctx.LEARNED_INDEX),
    "ends": (ctx.END_CLASS, ctx.END_DETAIL),
    "significance": (ctx.SIGNIFICANT,),
    "above one": (ctx.ABOVE_ONE,),
    "magnitudes": (ctx.MAGNITUDE,),
    "screen tools": (ctx.USES_TOOL, ctx.IS_COPIED),
    "samples": (ctx.IS_CODED, ctx.FOLLOWER, ctx.NEIGHBOUR, ctx.RECENT, ctx.RECENT_INDEX, ctx.LITERAL),
    "vectors": (ctx.LIKELY_VECTOR, ctx.VECTOR),
    "step offsets": (ctx.OFFSET_DIFFERS,),
}
"""The first context of each part of a syntax element; a part ends where the next one starts."""


def bits_of_tile(
    payload: bytes, shape: tuple[int, int, int], model: ClassModel, coding: Coding
) -> dict[str, dict[str, float]]:
    """Return the bits of each syntax element of a tile's luma (or gray) and chroma planes.

    Bypass bins count with the context coded bin before them, which is of their element, but for signs: each takes one
    bit after the bin that ended its magnitude.

    Parameters
    ----------
    payload, shape, model, coding
        As for `lossy.decode_planes`, errors too.
    """
    coder, buffer = new_decoder(payload)
    contexts, offsets = new_tally(start_contexts(model, coding.adaptive)), new_offsets(*shape[1:])
    planes, maps = np.zeros(shape, np.int32), [new_maps(*shape[1:]) for _ in range(shape[0])]
    spent = [contexts[:, 3].copy()]
    for _ in read_planes((coder, buffer, contexts), planes, maps, offsets, model, coding):
        close_tally(coder, contexts)
        spent.append(contexts[:, 3].copy())
    refuse_short_payload(coder)
    luma, chroma = spent[1] - spent[0], spent[-1] - spent[1]
    return {
        "luma": _by_element(luma / TALLY_UNIT, maps[:1]),
        "chroma": _by_element(chroma / TALLY_UNIT, maps[1:]),
    }


def _by_element(bits: NDArray[np.float64], planes: list[Maps]) -> dict[str, float]:
    """Return the bits by element, the signs of magnitudes of one and of larger ones taken out of what ended them."""
    # maps of their own, which began with zeros: a decoder's array of levels would hold others between
    ones, others = (sum(int(np.sum(test(abs(plane.levels), 1))) for plane in planes) for test in (np.equal, np.greater))
    starts = sorted(start for parts in ELEMENTS.values() for start in parts)
    sums = dict(zip(starts, np.add.reduceat(bits, starts), strict=True))
    elements = {name: float(sum(sums[start] for start in parts)) for name, parts in ELEMENTS.items()}
    elements["above one"] -= ones
    elements["magnitudes"] -= others
    return elements | {"signs": float(ones + others)}
