"""Rotations on a fixed hypercube layout, all trained together, finished on the grid of angles.

One round over `width` coefficients (a power of two) has log2(width) stages; stage b rotates every pair of coefficients
whose numbers differ in bit b only. The pairs of a stage are disjoint, so a stage is one layer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from fdcodec.errors import ParameterError
from fdcodec.learning.samples import ArraySamples
from fdcodec.learning.statistics import Objective, RateObjective
from fdcodec.transform.blocks import ANGLE_LEVELS, FloatArray, IntArray, grid_blocks, grid_codes
from fdcodec.transform.product import FactorProduct

GRID_SWEEPS = 4
"""Passes of training after each layer that moves to the grid."""


def hypercube_pairs(rounds: Sequence[tuple[int, int]]) -> IntArray:
    """Return the pairs of a hypercube layout in analysis order.

    Parameters
    ----------
    rounds
        ``(width, n_rounds)`` entries in turn: `n_rounds` rounds over the first `width` coefficients.

    Returns
    -------
    pairs
        Shape ``(m, 2)``, i < j, with m the sum of ``n_rounds * log2(width) * width / 2``.
    """
    pairs: list[tuple[int, int]] = []
    for width, n_rounds in rounds:
        stages = [1 << bit for bit in range(width.bit_length() - 1)]
        pairs += n_rounds * [(i, i | bit) for bit in stages for i in range(width) if not i & bit]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def learn_rotations(
    coefficients: ArrayLike,
    n_rounds: int | Sequence[tuple[int, int]],
    step: float,
    n_iterations: int,
    angle_levels: int = ANGLE_LEVELS,
    init: ArrayLike | None = None,
    n_threads: int = 1,
) -> tuple[IntArray, IntArray]:
    r"""Train rotations on a hypercube layout to lower the mean log-rate, and return them on the grid of angles.

    The rate of a sample is ``sum_k log2(1 + c_k^2 / step^2)``. Analysis applies, for k = 0, 1, ... in the order
    returned, ``(a, b) -> (c a + s b, -s a + c b)`` to the coefficients ``(i, j) = pairs[k]``, with ``c, s`` the cosine
    and sine of ``2 pi angle_index[k] / angle_levels``; synthesis applies the transposes from the last to the first.
    No sweep raises the rate, and what is returned is never worse than `init`.

    Parameters
    ----------
    coefficients
        Shape ``(n_samples, n)``, in the base (for example DCT) domain, the layout's coefficients first.
    n_rounds
        Rounds over all n coefficients (n then a power of two), or ``(width, n_rounds)`` entries for `hypercube_pairs`.
    step
        Quantizer step in the unit of the coefficients, > 0.
    n_iterations
        Sweeps with free angles, >= 0.
    angle_levels
        Angles of the grid in the full circle, >= 4.
    init
        Shape ``(m,)``, starting angle indices; zeros if None.
    n_threads
        Threads; the result does not depend on it.

    Returns
    -------
    pairs
        Shape ``(m, 2)``, i < j, analysis order.
    angle_index
        Shape ``(m,)``, in ``[0, angle_levels)``.

    Raises
    ------
    ParameterError
        If an argument is outside what is allowed.
    """
    samples = _checked_samples(coefficients)
    pairs = hypercube_pairs(_checked_rounds(n_rounds, samples.shape[1]))
    if not step > 0:
        raise ParameterError(f"step is {step}; it must be above 0")
    if n_iterations < 0 or angle_levels < 4:
        raise ParameterError(f"n_iterations is {n_iterations} (>= 0), angle_levels is {angle_levels} (>= 4)")
    start = np.zeros(len(pairs), np.int64) if init is None else np.asarray(init, dtype=np.int64)
    if start.shape != (len(pairs),):
        raise ParameterError(f"init has shape {start.shape}; this layout needs ({len(pairs)},)")
    objective = RateObjective(ArraySamples(samples, n_threads), float(step))
    product = _product(samples.shape[1], pairs, start, angle_levels)
    free, values = train_angles(objective, product, n_iterations)
    finished = settle_on_grid(objective, free, angle_levels)
    return pairs, start if values[0] < objective.evaluate(finished)[1] else _angle_index(finished, angle_levels)


def train_angles(
    objective: Objective,
    product: FactorProduct,
    n_iterations: int,
    free: IntArray | None = None,
    base: FactorProduct | None = None,
) -> tuple[FactorProduct, list[float]]:
    """Sweep over the angles of fixed pairs, every rotation once a sweep; the objective never rises.

    A sweep starts from an extrapolation of the last move (Nesterov's weights); where the objective is higher there, the
    sweep is not made and the extrapolation starts afresh. That costs one pass and saves three of four sweeps.

    Parameters
    ----------
    objective
        What to lower.
    product
        Where to start; rotations only.
    n_iterations
        Number of passes over the data, one a sweep.
    free
        Indices of the rotations to train, rising; None trains all.
    base
        A fixed orthogonal product that acts after the rotations in synthesis; None is the identity.

    Returns
    -------
    product
        The same pairs with new angles.
    values
        The objective at the start, before each sweep made, and at the end.
    """
    trained = np.arange(len(product)) if free is None else free
    reached = trial = _angles(product)
    values: list[float] = []
    run = 0
    for _ in range(n_iterations):
        point = _with_angles(product, trial)
        Z, value = _evaluate(objective, point, base)
        if values and value > values[-1]:
            trial, run = reached, 0
            continue
        values.append(value)
        stepped = _swept(Z, point, trained)
        move = (stepped - reached + np.pi) % (2.0 * np.pi) - np.pi
        reached, run = stepped, run + 1
        trial = reached + (run - 1) / (run + 2) * move
    product = _with_angles(product, reached)
    return product, [*values, _evaluate(objective, product, base)[1]]


def settle_on_grid(
    objective: Objective, product: FactorProduct, angle_levels: int, base: FactorProduct | None = None
) -> FactorProduct:
    """Move the angles to the grid layer by layer, training the layers still free in between.

    What a layer loses by rounding the later ones make up for. Arguments as in `train_angles`.
    """
    layers = product.layers
    for number, layer in enumerate(layers):
        blocks = product.blocks.copy()
        blocks[layer] = grid_blocks(grid_codes(blocks[layer], angle_levels), angle_levels)
        product = FactorProduct(product.n, product.pairs, blocks)
        free = np.sort(np.concatenate([np.zeros(0, np.int64), *layers[number + 1 :]]))
        product, _ = train_angles(objective, product, GRID_SWEEPS if len(free) else 0, free, base)
    return product.quantized(angle_levels)


def _evaluate(objective: Objective, product: FactorProduct, base: FactorProduct | None) -> tuple[FloatArray, float]:
    """Return Z in the domain of the rotations, and the objective."""
    if base is None:
        return objective.evaluate(product)
    Z, value = objective.evaluate(product.then(base))
    return base.apply_transpose(Z.T).T.copy(), value


def _swept(Z: FloatArray, product: FactorProduct, free: IntArray) -> FloatArray:
    """Return the angles after one sweep over the free rotations at Z."""
    from fdcodec.kernels.learning_kernels import Rule, sweep

    blocks = product.blocks.copy()
    sweep(Z, product.pairs.copy(), blocks, np.arange(len(product) + 1), free, Rule(False, False, 0))
    return _angles(FactorProduct(product.n, product.pairs, blocks))


def _angles(product: FactorProduct) -> FloatArray:
    return np.arctan2(product.blocks[:, 0, 1], product.blocks[:, 0, 0])


def _with_angles(product: FactorProduct, angles: FloatArray) -> FactorProduct:
    c, d = np.cos(angles), np.sin(angles)
    return FactorProduct(product.n, product.pairs, np.stack([np.stack([c, d], -1), np.stack([-d, c], -1)], -2))


def _product(n: int, pairs: IntArray, angle_index: IntArray, angle_levels: int) -> FactorProduct:
    """Return the synthesis product of analysis rotations: reversed, each block the transpose of its analysis."""
    blocks = grid_blocks(2 * angle_index, angle_levels)
    return FactorProduct(n, pairs[::-1], blocks[::-1].transpose(0, 2, 1))


def _angle_index(product: FactorProduct, angle_levels: int) -> IntArray:
    """Return the nearest grid index of every rotation in analysis order."""
    return grid_codes(product.blocks[::-1].transpose(0, 2, 1), angle_levels) >> 1


def _checked_samples(coefficients: ArrayLike) -> FloatArray:
    samples = np.ascontiguousarray(coefficients, dtype=np.float64)
    if samples.ndim != 2 or len(samples) == 0 or not np.all(np.isfinite(samples)):
        raise ParameterError(f"coefficients has shape {samples.shape}; it must be (n_samples >= 1, n) and finite")
    return samples


def _checked_rounds(n_rounds: int | Sequence[tuple[int, int]], n: int) -> list[tuple[int, int]]:
    rounds = [(n, n_rounds)] if isinstance(n_rounds, int) else list(n_rounds)
    for width, count in rounds:
        if not 2 <= width <= n or width & (width - 1) or count < 0:
            raise ParameterError(f"n_rounds has ({width}, {count}); widths must be powers of two in [2, {n}]")
    return rounds
