"""Learning the modes of a class: clusters of blocks, each with its own predictor, bases and rotations (SPEC 4.4)."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fdcodec.format.constants import DC, MAX_LEARNED, MIN_LOG2, N_GROUPS, N_MODES
from fdcodec.kernels.reconstruction.learned_tables import LearnedMode
from fdcodec.kernels.reconstruction.tables import build_tables
from fdcodec.model import ClassModel
from fdcodec.model.body import Transforms
from fdcodec.parallel import each
from fdcodec.training.learned_samples import SIZES, Blocks, BlockSamples, Floats
from fdcodec.training.predictors import (
    Mode,
    bits_of,
    choose_bases,
    coefficients,
    finished,
    fit_predictor,
    learn_mode_rotations,
    mode_of,
    start_mode,
)
from fdcodec.training.traces import N_THREADS

MIN_BLOCKS = 1500  # a size with fewer gets no learned modes
MIN_CLUSTER = 60
N_ROUNDS = 8
ROTATION_ROUNDS = 2
FINAL_ROUNDS = 2  # on all blocks, those held out too, once they have shown what the modes are worth
GATE = 0.3  # at first a block may cost this share more than the other modes and still train; at the end, nothing
LEAST_GAIN = 0.005  # of the log-rate of held-out blocks, for which a size's modes are kept
LEAST_SHARE = 0.01  # of the blocks in learned modes, with which a mode is kept


class Odds(NamedTuple):
    """How often a block is in a learned mode, and in which of them then."""

    learned: float
    each: NDArray[np.float32]


def train_learned(
    samples: BlockSamples,
    transforms: Transforms,
    parent: ClassModel,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[tuple[LearnedMode, ...], Transforms, dict[str, float]]:
    """Return learned modes, the transforms with theirs added, and the share of held-out log-rate saved by block side.

    Parameters
    ----------
    samples
        Blocks collected from traces.
    transforms
        Those of the model, learned without the blocks held out, as learned modes must show their worth beside them.
    parent
        The model whose learned modes of a size are kept where they save more, or where blocks are too few.
    progress
        Called with (done, total) after each block size.
    """
    tables = build_tables(transforms)
    learned: list[LearnedMode] = []
    added, gains = dict(transforms), {}
    for done, log2_size in enumerate(SIZES, 1):
        modes, gain = _train_size(samples.of(log2_size, tables), log2_size, parent)
        if gain is not None:
            gains[f"{1 << log2_size}"] = round(gain, 4)
        progress(done, len(SIZES))
        for index, mode in enumerate(modes):
            learned.append(finished(mode)[0])
            if mode.transform is not None:
                added[log2_size - MIN_LOG2, N_GROUPS + index] = mode.transform
    return tuple(learned), added, gains


def _train_size(blocks: Blocks, log2_size: int, parent: ClassModel) -> tuple[list[Mode], float | None]:
    """Return the modes of a block size and the share of log-rate they save, the parent's where blocks are too few."""
    inherited = _inherited(parent, log2_size)
    if (~blocks.held_out).sum() < MIN_BLOCKS or blocks.held_out.sum() < MIN_BLOCKS // 10:
        return inherited, None
    return _better(inherited, blocks, log2_size)


def _inherited(parent: ClassModel, log2_size: int) -> list[Mode]:
    """Return the learned modes that a parent model has of a size."""
    modes = [mode for mode in parent.learned if mode.log2_size == log2_size]
    keys = [(log2_size - MIN_LOG2, N_GROUPS + index) for index in range(len(modes))]
    return [mode_of(mode, parent.transforms.get(key)) for mode, key in zip(modes, keys, strict=True)]


def _better(inherited: list[Mode], blocks: Blocks, log2_size: int) -> tuple[list[Mode], float]:
    """Return modes learned from blocks or those inherited, whichever save more, and how much; none that save little."""
    modes, gain = _learn_size(blocks, log2_size)
    if inherited:
        kept, inherited_gain = _worth(inherited, blocks.where(blocks.held_out))
        if inherited_gain > gain:
            modes, gain = kept, inherited_gain
    return (modes if gain >= LEAST_GAIN else []), gain


def _learn_size(blocks: Blocks, log2_size: int) -> tuple[list[Mode], float]:
    """Return the modes of a block size, and the share of log-rate that they save on the blocks held out."""
    seen, unseen = blocks.where(~blocks.held_out), blocks.where(blocks.held_out)
    modes = [start_mode(log2_size, seen.inputs[of], seen.targets[of]) for of in _first_clusters(seen)]
    odds = _even_odds(modes)
    for k in range(N_ROUNDS + ROTATION_ROUNDS):
        gate = 1 + GATE * max(0.0, 1 - k / (N_ROUNDS - 1))
        modes, odds = _improve(modes, odds, seen, gate, with_rotations=k >= N_ROUNDS)
    modes, gain = _worth([finished(mode)[1] for mode in modes], unseen)
    odds = _even_odds(modes)
    for _ in range(FINAL_ROUNDS if gain >= LEAST_GAIN else 0):
        modes, odds = _improve(modes, odds, blocks, 1.0, with_rotations=True)
    return modes, gain


def _worth(modes: list[Mode], blocks: Blocks) -> tuple[list[Mode], float]:
    """Return the modes that are used, and the share of log-rate that they save."""
    prices = _prices(modes, blocks)
    odds = _adapted(prices, blocks.others, _even_odds(modes))
    kept = np.flatnonzero(odds.each >= LEAST_SHARE)
    if len(kept) == 0:
        return [], 0.0
    odds = _adapted(prices[:, kept], blocks.others, Odds(odds.learned, odds.each[kept]))
    costs, flags = _costs(prices[:, kept], odds), _flag_bits(odds)
    total = np.minimum(costs.min(axis=1), blocks.others + flags).sum()
    return [modes[k] for k in kept], float(1 - total / blocks.others.sum())


def _even_odds(modes: list[Mode]) -> Odds:
    return Odds(0.5, np.full(len(modes), 1 / max(len(modes), 1), np.float32))


def _first_clusters(blocks: Blocks) -> list[NDArray[np.bool_]]:
    """Return the blocks whose best mode is planar or DC, then those of equal ranges of angles."""
    ranges = 1 + (blocks.modes - DC - 1) * (MAX_LEARNED - 1) // (N_MODES - DC - 1)
    cluster = np.where(blocks.modes <= DC, 0, ranges)
    return [of for of in (cluster == k for k in range(MAX_LEARNED)) if of.sum() >= MIN_CLUSTER]


def _improve(
    modes: list[Mode], odds: Odds, blocks: Blocks, gate: float, with_rotations: bool
) -> tuple[list[Mode], Odds]:
    """Assign blocks to their cheapest mode, fit each mode again to those that it serves well, and count the odds."""
    costs = _costs(_prices(modes, blocks), odds)
    nearest, least = costs.argmin(axis=1), costs.min(axis=1)
    served = least < (blocks.others + _flag_bits(odds)) * gate

    def refit(k: int) -> Mode:
        of = (nearest == k) & served
        if of.sum() < MIN_CLUSTER:
            return modes[k]
        return _fit(modes[k], blocks.inputs[of], blocks.targets[of], with_rotations)

    fitted = list(each(refit, range(len(modes)), N_THREADS))
    return fitted, _counted(costs, blocks.others + _flag_bits(odds))


def _fit(mode: Mode, inputs: Floats, targets: Floats, with_rotations: bool) -> Mode:
    if with_rotations:
        return fit_predictor(learn_mode_rotations(mode, inputs, targets), inputs, targets)
    return choose_bases(fit_predictor(mode, inputs, targets), inputs, targets)


def _prices(modes: list[Mode], blocks: Blocks) -> Floats:
    """Return the log-rate of each block (rows) in each mode."""
    return np.stack([bits_of(coefficients(mode, blocks.inputs, blocks.targets)) for mode in modes], axis=1)


def _costs(prices: Floats, odds: Odds) -> Floats:
    """Return prices with the bits that say which learned mode it is."""
    costs: Floats = prices - np.log2(odds.learned * odds.each + 1e-4).astype(np.float32)
    return costs


def _flag_bits(odds: Odds) -> float:
    """Return the bits that say that a block is in no learned mode."""
    return -float(np.log2(1 - odds.learned))


def _counted(costs: Floats, others: Floats) -> Odds:
    """Return the odds with which these costs choose."""
    wins = costs.min(axis=1) < others
    each = np.bincount(costs.argmin(axis=1)[wins], minlength=costs.shape[1]).astype(np.float32)
    return Odds(float(np.clip(wins.mean(), 0.01, 0.99)), (each + 1e-3) / (each.sum() + 1e-3 * len(each)))


def _adapted(prices: Floats, others: Floats, odds: Odds) -> Odds:
    """Return the odds after a few rounds of choosing and counting."""
    for _ in range(4):
        odds = _counted(_costs(prices, odds), others + _flag_bits(odds))
    return odds
