"""Where the bits of a lossy tile go: decoded by the decoder's own syntax, with contexts that keep count."""

import numpy as np
from numpy.typing import NDArray

from fdcodec.coding import contexts as ctx
from fdcodec.coding.lossy import start_contexts
from fdcodec.kernels.range_coder import TALLY_UNIT, close_tally, new_decoder, new_tally
from fdcodec.kernels.syntax_kernels import code_plane, new_code_work
from fdcodec.kernels.tables import Maps, new_maps
from fdcodec.model import ClassModel

ELEMENTS = {
    "splits": (ctx.SPLIT,),
    "modes": (ctx.CHROMA_FROM_LUMA, ctx.PROBABLE, ctx.PROBABLE_INDEX),
    "ends": (ctx.END_CLASS, ctx.END_DETAIL),
    "significance": (ctx.SIGNIFICANT,),
    "above one": (ctx.ABOVE_ONE,),
    "magnitudes": (ctx.MAGNITUDE,),
}
"""The first context of each part of a syntax element; a part ends where the next one starts."""


def bits_of_tile(payload: bytes, shape: tuple[int, int, int], model: ClassModel) -> dict[str, dict[str, float]]:
    """Return the bits of each syntax element of a tile's luma (or gray) and chroma planes.

    Bypass bins count with the context coded bin before them, which is of their element, but for signs: each takes one
    bit after the bin that ended its magnitude.

    Parameters
    ----------
    payload, shape, model
        As for `lossy.decode_tile`.
    """
    coder, buffer = new_decoder(payload)
    contexts, work = new_tally(start_contexts(model)), new_code_work()
    maps = [new_maps(*shape[1:]) for _ in range(shape[0])]
    spent, bits = [contexts[:, 3].copy()], {}
    for name, planes in (("luma", maps[:1]), ("chroma", maps[1:])):
        for plane in planes:
            code_plane((coder, buffer, contexts), plane, maps[0], int(name == "chroma"), model.tables.scans, work)
        close_tally(coder, contexts)
        spent.append(contexts[:, 3].copy())
        bits[name] = _by_element((spent[-1] - spent[-2]) / TALLY_UNIT, planes)
    return bits


def _by_element(bits: NDArray[np.float64], planes: list[Maps]) -> dict[str, float]:
    """Return the bits by element, the signs of magnitudes of one and of larger ones taken out of what ended them."""
    ones, others = (sum(int(np.sum(test(abs(plane.levels), 1))) for plane in planes) for test in (np.equal, np.greater))
    starts = sorted(start for parts in ELEMENTS.values() for start in parts)
    sums = dict(zip(starts, np.add.reduceat(bits, starts), strict=True))
    elements = {name: float(sum(sums[start] for start in parts)) for name, parts in ELEMENTS.items()}
    elements["above one"] -= ones
    elements["magnitudes"] -= others
    return elements | {"signs": float(ones + others)}
