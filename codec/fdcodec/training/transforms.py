"""Learning the rotations and the scan order of each block size and mode group from the residuals of encoded images."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fdcodec.coding.constants import ANGLE_LEVELS
from fdcodec.kernels.reconstruction_kernels import new_work
from fdcodec.kernels.tables import build_tables
from fdcodec.kernels.training_kernels import collect_zones
from fdcodec.learning.structured import learn_rotations
from fdcodec.model.body import ZONE_SIZES, GroupTransform, Transforms
from fdcodec.training.traces import Trace

Key = tuple[int, int]
LAYOUTS = {16: [(16, 4)], 32: [(16, 3), (32, 1)], 64: [(16, 3), (32, 2), (64, 1)]}  # hypercube rounds by zone size
MIN_BLOCKS = {16: 400, 32: 700, 64: 1200}  # a group with fewer keeps what the parent model has
MAX_BLOCKS = 30_000
SIZE_NAMES = ("4x4", "8x8", "16x16", "32x32", "8x4", "16x8", "32x16")
RATE_STEP = 0.25  # of the quantization step: where the log-rate bends; 0.4 gains 0.2 % less, 0.8 0.3 % less
N_ITERATIONS = 120
ENERGY_LIMIT = 4.0  # squared steps above which a coefficient counts no more for its place in the scan
_EMPTY = build_tables({})


class ZoneSamples:
    """The low coefficients of blocks by size and mode group, in units of their quantization step."""

    def __init__(self) -> None:
        self._parts: dict[Key, list[NDArray[np.float32]]] = {}
        self._held_out: dict[Key, list[bool]] = {}

    def add(self, trace: Trace, held_out: bool = False) -> None:
        """Add the blocks of every plane of a trace; `held_out` marks those that `without_held_out` leaves out."""
        step = np.float32(2.0 ** (trace.step_index / 32 - 4) * 8)
        for k, maps in enumerate(trace.maps):
            n_cells = maps.modes.size
            zones, keys = np.zeros((n_cells, 64), np.int32), np.zeros((n_cells, 2), np.int32)
            plane, luma = trace.decoded[k], trace.decoded[0]
            count = collect_zones(trace.original[k], plane, luma, maps, _EMPTY, new_work(), zones, keys)
            for key in {(int(a), int(b)) for a, b in keys[:count]}:
                chosen = zones[:count][(keys[:count] == key).all(axis=1), : ZONE_SIZES[key[0]]]
                self._parts.setdefault(key, []).append(chosen.astype(np.float32) / step)
                self._held_out.setdefault(key, []).append(held_out)

    def without_held_out(self) -> ZoneSamples:
        """Return the samples without those held out."""
        rest = ZoneSamples()
        for key, parts in self._parts.items():
            kept = [part for part, held_out in zip(parts, self._held_out[key], strict=True) if not held_out]
            if kept:
                rest._parts[key] = kept
        return rest

    def of(self, key: Key, seed: int) -> NDArray[np.float32]:
        """Return at most MAX_BLOCKS samples of a group, those with a coefficient worth coding."""
        parts = self._parts.get(key, [np.zeros((0, ZONE_SIZES[key[0]]), np.float32)])
        samples: NDArray[np.float32] = np.concatenate(parts)
        samples = samples[np.abs(samples).max(axis=1, initial=0) > 0.5]
        keep = np.random.default_rng(seed).permutation(len(samples))[:MAX_BLOCKS]
        return samples[np.sort(keep)]

    @property
    def keys(self) -> list[Key]:
        """The sizes and groups seen, in order."""
        return sorted(self._parts)


def train_transforms(samples: ZoneSamples, parent: Transforms) -> tuple[Transforms, dict[str, float]]:
    """Return transforms for each group with enough blocks, the parent's elsewhere, and the log-rate each saves.

    Parameters
    ----------
    samples
        Coefficients collected from traces.
    parent
        The transforms to keep where data are few.
    """
    transforms, gains = dict(parent), {}
    for key in samples.keys:
        blocks = samples.of(key, seed=100 * key[0] + key[1])
        if len(blocks) < MIN_BLOCKS[ZONE_SIZES[key[0]]]:
            continue
        transforms[key], rotated = learn_group(blocks, N_ITERATIONS)
        gains[f"{SIZE_NAMES[key[0]]}/{key[1]}"] = round((_log_rate(blocks) - _log_rate(rotated)) / 2, 4)
    return transforms, gains


def learn_group(blocks: NDArray[np.float32], n_iterations: int) -> tuple[GroupTransform, NDArray[np.float64]]:
    """Return rotations and scan order learned on zones (n, 16 or 64) in units of their step, and the rotated zones."""
    order = np.argsort(-np.log2(1 + (blocks / RATE_STEP) ** 2).mean(axis=0), kind="stable")
    pairs, angles = learn_rotations(blocks[:, order], LAYOUTS[blocks.shape[1]], RATE_STEP, n_iterations, ANGLE_LEVELS)
    placed = _in_place(order[pairs], angles)
    rotated = rotate_zones(blocks, *placed)
    energy = np.minimum(rotated**2, ENERGY_LIMIT).mean(axis=0)
    return GroupTransform(*placed, np.argsort(-energy, kind="stable").astype(np.uint8)), rotated


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


def _log_rate(coefficients: NDArray[np.floating]) -> float:
    return float(np.log2(1 + (coefficients / RATE_STEP) ** 2).sum(axis=1).mean())
