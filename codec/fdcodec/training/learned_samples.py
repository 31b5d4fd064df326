"""Blocks for the training of learned modes: decoded border, original samples and what the other modes cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fdcodec.format.constants import BORDER_LOG2, CELL_LOG2, MAX_LEARNED_LOG2, MIN_LOG2, N_MODES, N_PROBABLE
from fdcodec.kernels.reconstruction.planes import new_work
from fdcodec.kernels.reconstruction.tables import Tables
from fdcodec.kernels.training.learned_modes import collect_blocks, price_modes
from fdcodec.training.held_out import HELD_OUT_OF
from fdcodec.training.traces import Trace
from fdcodec.training.transforms import RATE_STEP

SIZES = range(MIN_LOG2, MAX_LEARNED_LOG2 + 1)
MAX_BLOCKS = {2: 60_000, 3: 40_000, 4: 20_000}
LEAST_BITS = 4.0  # a block that costs less is as good as empty

Floats = NDArray[np.float32]


class Blocks(NamedTuple):
    """Blocks of one size in units of their step, the border's mean taken off.

    `inputs` (n, 2M+1) and `targets` (n, N^2); `others` (n,) is what the cheapest mode made by hand costs in bits,
    `modes` (n,) which it is, and `held_out` (n,) tells what training must not see.
    """

    inputs: Floats
    targets: Floats
    others: Floats
    modes: NDArray[np.int32]
    held_out: NDArray[np.bool_]

    def where(self, chosen: NDArray[np.bool_]) -> Blocks:
        """Return some of the blocks."""
        return Blocks(
            self.inputs[chosen], self.targets[chosen], self.others[chosen], self.modes[chosen], self.held_out[chosen]
        )


class BlockSamples:
    """Borders and originals of luma blocks, sampled evenly from traces.

    Parameters
    ----------
    held_out
        Of each trace that will be added whether training must not see it; where it may see all, one block in five is
        held out. Each gives its share of MAX_BLOCKS.
    """

    def __init__(self, held_out: Sequence[bool]) -> None:
        self._held_out = held_out
        self._count = 0
        self._parts: dict[int, list[tuple[NDArray[np.generic], ...]]] = {log2_size: [] for log2_size in SIZES}

    def add(self, trace: Trace) -> None:
        """Add blocks of the luma plane of the next trace."""
        for log2_size in SIZES:
            rng = np.random.default_rng(8 * self._count + log2_size)
            places = rng.permutation(_places(trace, log2_size))[: max(50, MAX_BLOCKS[log2_size] // len(self._held_out))]
            n, size = len(places), 1 << log2_size
            references, originals = np.zeros((n, 4 * size + 1), np.int32), np.zeros((n, size * size), np.int32)
            bits = np.zeros((n, N_MODES), np.float32)
            source = (trace.original[0], trace.decoded[0], trace.maps[0], trace.contexts)
            collect_blocks(source, log2_size, places, references, originals, bits, np.zeros(N_PROBABLE + 2, np.int64))
            held = np.full(n, self._held_out[self._count]) if any(self._held_out) else rng.random(n) < 1 / HELD_OUT_OF
            part = (references.astype(np.int16), originals.astype(np.int16), bits, np.full(n, trace.step), held)
            self._parts[log2_size].append(part)
        self._count += 1

    def of(self, log2_size: int, tables: Tables) -> Blocks:
        """Return the blocks of a size that are worth coding; `tables` hold the transforms of the modes made by hand."""
        references, originals, bits, steps, held_out = map(np.concatenate, zip(*self._parts[log2_size], strict=True))
        references, originals = references.astype(np.int32), originals.astype(np.int32)
        others, modes = np.zeros(len(steps), np.float32), np.zeros(len(steps), np.int32)
        price_modes((references, originals, bits), log2_size, steps, RATE_STEP, tables, new_work(), others, modes)
        inputs, means = _inputs(references, log2_size)
        scale = 1 / steps[:, None]
        targets = ((originals - means[:, None]) * scale).astype(np.float32)
        blocks = Blocks((inputs * scale).astype(np.float32), targets, others, modes, held_out)
        return blocks.where(others > LEAST_BITS)


def _places(trace: Trace, log2_size: int) -> NDArray[np.int64]:
    """Return where aligned blocks lie (x, y) whose chosen leaf is near this size, but for the screen tools'."""
    size, maps = 1 << log2_size, trace.maps[0]
    height, width = trace.original.shape[1:]
    rows, columns = np.mgrid[0 : height - size + 1 : size, 0 : width - size + 1 : size]
    cells = (rows >> CELL_LOG2, columns >> CELL_LOG2)
    areas = maps.log2_widths[cells] + maps.log2_heights[cells]
    near = (np.abs(areas - 2 * log2_size) <= 2) & (maps.modes[cells] >= 0)
    return np.stack([columns[near], rows[near]], axis=1)


def _inputs(references: NDArray[np.int32], log2_size: int) -> tuple[Floats, NDArray[np.int32]]:
    """Return what predictors read, and the mean taken off: `learned_inputs` for all blocks at once."""
    size = 1 << log2_size
    corner = 2 * size
    left, top = references[:, size:corner], references[:, corner + 1 : corner + 1 + size]
    means = (left.sum(axis=1) + top.sum(axis=1) + size) >> (log2_size + 1)
    if log2_size > BORDER_LOG2:
        left, top = ((side[:, ::2] + side[:, 1::2] + 1) >> 1 for side in (left, top))
    border = np.concatenate([left, references[:, corner : corner + 1], top], axis=1) - means[:, None]
    return border.astype(np.float32), means
