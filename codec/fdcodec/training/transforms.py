"""Learning the rotations and the scan order of each block size and mode group from the residuals of encoded images."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from fdcodec.format.constants import ANGLE_LEVELS, MAX_ROTATIONS
from fdcodec.kernels.reconstruction.planes import new_work
from fdcodec.kernels.reconstruction.tables import build_tables
from fdcodec.kernels.training.coefficients import collect_zones
from fdcodec.learning.structured import learn_rotations
from fdcodec.model.body import SIZE_NAMES, ZONE_SIZES, GroupTransform, Transforms
from fdcodec.parallel import each
from fdcodec.rates import log_rates
from fdcodec.training.traces import N_THREADS, Trace

Key = tuple[int, int]
Layout = list[tuple[int, int]]
# Hypercube rounds by zone size, few and many; blocks held out decide between them and the parent's transform.
LAYOUTS: dict[int, tuple[Layout, Layout]] = {
    16: ([(16, 2)], [(16, 4)]),
    32: ([(16, 2)], [(16, 3), (32, 1)]),
    64: ([(16, 2)], [(16, 3), (32, 2), (64, 1)]),
}
MIN_BLOCKS = {16: 400, 32: 700, 64: 1200}  # a group with fewer keeps what the parent model has
HELD_OUT_OF = 6  # where no image is held out, one block in so many is
MAX_BLOCKS = 20_000
RATE_STEP = 0.25  # of the quantization step: where the log-rate bends; 0.4 gains 0.2 % less, 0.8 0.3 % less
N_ITERATIONS = 100
LEAST_GAIN = 0.001  # of the cost of blocks held out, for which rotations are kept
LEVEL_COST, DOUBLING_COST = 0.45, 0.2  # squared steps that a small level costs at a lambda of 0.1, and doubling it
ENERGY_LIMIT = 4.0  # squared steps above which a coefficient counts no more for its place in the scan
_EMPTY = build_tables({})


class ZoneSamples:
    """The low coefficients of blocks by size and mode group, in units of their quantization step."""

    def __init__(self) -> None:
        self._parts: dict[Key, list[NDArray[np.float32]]] = {}
        self._held_out: dict[Key, list[bool]] = {}

    def add(self, trace: Trace, held_out: bool = False) -> None:
        """Add the blocks of every plane of a trace; those `held_out` judge what is learned from the others."""
        for k, maps in enumerate(trace.maps):
            n_cells = maps.modes.size
            zones, keys = np.zeros((n_cells, 64), np.int32), np.zeros((n_cells, 2), np.int32)
            plane, luma = trace.decoded[k], trace.decoded[0]
            count = collect_zones(trace.original[k], plane, luma, maps, _EMPTY, new_work(), zones, keys)
            for key in {(int(a), int(b)) for a, b in keys[:count]}:
                chosen = zones[:count][(keys[:count] == key).all(axis=1), : ZONE_SIZES[key[0]]]
                self._parts.setdefault(key, []).append(chosen.astype(np.float32) / trace.step)
                self._held_out.setdefault(key, []).append(held_out)

    def of(self, key: Key, seed: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return at most MAX_BLOCKS samples of a group to learn from, and those held out."""
        parts, rng = self._parts[key], np.random.default_rng(seed)
        samples: NDArray[np.float32] = np.concatenate(parts)
        flags = [np.full(len(part), held) for part, held in zip(parts, self._held_out[key], strict=True)]
        held_out = np.concatenate(flags)
        if not held_out.any():
            held_out = rng.random(len(samples)) * HELD_OUT_OF < 1
        is_worth_coding = np.abs(samples).max(axis=1, initial=0) > 0.5
        seen, unseen = samples[is_worth_coding & ~held_out], samples[is_worth_coding & held_out]
        return seen[np.sort(rng.permutation(len(seen))[:MAX_BLOCKS])], unseen

    @property
    def keys(self) -> list[Key]:
        """The sizes and groups seen, in order."""
        return sorted(self._parts)


def train_transforms(
    samples: ZoneSamples, parent: Transforms, progress: Callable[[int, int], None] = lambda done, total: None
) -> tuple[Transforms, dict[str, float], float | None]:
    """Return each group's best transform on blocks held out, and the share of their cost that it saves.

    The last result is what all of them save together, None where every group had too few blocks.

    Parameters
    ----------
    samples
        Coefficients collected from traces.
    parent
        The transforms to keep where data are few, or where learning saves nothing.
    progress
        Called with (done, total) after each group.
    """
    transforms, gains, totals = dict(parent), {}, np.zeros(2)
    learned = each(lambda key: _train_group(samples, key, parent.get(key)), samples.keys, N_THREADS)
    for done, (key, (transform, costs)) in enumerate(zip(samples.keys, learned, strict=True), 1):
        if transform is not None:
            transforms[key] = transform
        if costs is not None:
            gains[f"{SIZE_NAMES[key[0]]}/{key[1]}"] = round(1 - costs[1] / max(costs[0], 1e-9), 4)
            totals += costs
        progress(done, len(samples.keys))
    return transforms, gains, round(1 - totals[1] / max(totals[0], 1e-9), 4) if gains else None


def _train_group(
    samples: ZoneSamples, key: Key, parent: GroupTransform | None
) -> tuple[GroupTransform | None, tuple[float, float] | None]:
    """Return a group's best transform, and the parent's cost and its own; of a group with few blocks the parent's."""
    seen, unseen = samples.of(key, seed=100 * key[0] + key[1])
    if len(seen) < MIN_BLOCKS[ZONE_SIZES[key[0]]]:
        return parent, None
    best, before = parent, _cost(_transformed(unseen, parent))
    least = before
    for learned in _candidates(seen, parent):
        cost = _cost(_transformed(unseen, learned))
        if cost < least * (1 - LEAST_GAIN):
            best, least = learned, cost
    return best, (before, least)


def _candidates(blocks: NDArray[np.float32], parent: GroupTransform | None) -> Iterator[GroupTransform]:
    """Yield transforms learned from blocks alone, few and many rotations, then as many behind those of the parent."""
    for layout in LAYOUTS[blocks.shape[1]]:
        yield learn_group(blocks, N_ITERATIONS, layout)
    if parent is None:
        return
    rotated = _transformed(blocks, parent).astype(np.float32)
    for layout in LAYOUTS[blocks.shape[1]]:
        more = learn_group(rotated, N_ITERATIONS, layout)
        if len(parent.angles) + len(more.angles) <= MAX_ROTATIONS:
            pairs, angles = np.concatenate([parent.pairs, more.pairs]), np.concatenate([parent.angles, more.angles])
            yield GroupTransform(pairs, angles, more.order)


def learn_group(blocks: NDArray[np.float32], n_iterations: int, layout: Layout) -> GroupTransform:
    """Return rotations and scan order learned on zones (n, 16 to 64) in units of their step."""
    order = np.argsort(-log_rates(blocks, RATE_STEP).mean(axis=0), kind="stable")
    pairs, angles = learn_rotations(blocks[:, order], layout, RATE_STEP, n_iterations)
    placed = _in_place(order[pairs], angles)
    energy = np.minimum(rotate_zones(blocks, *placed) ** 2, ENERGY_LIMIT).mean(axis=0)
    return GroupTransform(*placed, np.argsort(-energy, kind="stable").astype(np.uint8))


def _transformed(blocks: NDArray[np.float32], transform: GroupTransform | None) -> NDArray[np.floating]:
    return blocks if transform is None else rotate_zones(blocks, transform.pairs, transform.angles)


def _in_place(pairs: NDArray[np.int64], angles: NDArray[np.int64]) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
    """Return rotations that move, each with its lower index first; swapping a pair turns the angle round."""
    swapped = pairs[:, 0] > pairs[:, 1]
    angles = np.where(swapped, -angles, angles) % ANGLE_LEVELS
    moved = angles != 0
    return np.sort(pairs, axis=1)[moved].astype(np.uint8), angles[moved].astype(np.uint16)


def rotate_zones(
    blocks: NDArray[np.floating], pairs: NDArray[np.uint8], angles: NDArray[np.uint16]
) -> NDArray[np.float64]:
    """Return zones after a group's rotations."""
    rotated = blocks.astype(np.float64)
    for (i, j), index in zip(pairs, angles, strict=True):
        cosine, sine = np.cos(2 * np.pi * index / ANGLE_LEVELS), np.sin(2 * np.pi * index / ANGLE_LEVELS)
        a, b = rotated[:, i].copy(), rotated[:, j].copy()
        rotated[:, i], rotated[:, j] = cosine * a + sine * b, cosine * b - sine * a
    return rotated


def _cost(coefficients: NDArray[np.floating]) -> float:
    """Return what coefficients cost, in squared steps: their square, or the price of a level where that is less."""
    level = LEVEL_COST + DOUBLING_COST * np.log2(np.maximum(np.abs(coefficients) / LEVEL_COST**0.5, 1))
    return float(np.minimum(coefficients**2, level).sum())
