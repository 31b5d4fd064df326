"""Rotations on a fixed hypercube layout, all trained together, finished on the grid of angles.

One round over `width` coefficients (a power of two) has log2(width) stages; stage b rotates every pair of coefficients
whose numbers differ in bit b only. The pairs of a stage are disjoint, so a stage is one layer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fdcodec.errors import ParameterError
from fdcodec.format.constants import ANGLE_LEVELS
from fdcodec.learning.choices import checked_rounds
from fdcodec.learning.estimator import MOST, checked_integer, checked_real, validated_samples
from fdcodec.learning.iterations import Iterations
from fdcodec.learning.quasi_newton import minimize
from fdcodec.learning.samples import ArraySamples
from fdcodec.learning.statistics import Objective, RateObjective
from fdcodec.transform.blocks import FloatArray, IntArray, grid_blocks, grid_codes
from fdcodec.transform.product import FactorProduct

LAYER_PASSES = 4
"""Passes over the samples that train the layers still free, after each layer that moves to the grid."""

GRID_LOSS = 1e-3
"""Share of the objective that moving all layers at once may cost; with 1024 angles it costs a tenth of this."""


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
    n_starts: int = 1,
) -> tuple[IntArray, IntArray]:
    r"""Train rotations on a hypercube layout to lower the mean log-rate, and return them on the grid of angles.

    The rate of a sample is ``sum_k log2(1 + c_k^2 / step^2)``. Analysis applies, for k = 0, 1, ... in the order
    returned, ``(a, b) -> (c a + s b, -s a + c b)`` to the coefficients ``(i, j) = pairs[k]``, with ``c, s`` the cosine
    and sine of ``2 pi angle_index[k] / angle_levels``; synthesis applies the transposes from the last to the first.
    No step raises the rate, and what is returned is never worse than `init`.

    Parameters
    ----------
    coefficients
        Shape ``(n_samples, n)``, in the base (for example DCT) domain, the layout's coefficients first.
    n_rounds
        Rounds over all n coefficients (n then a power of two), or ``(width, n_rounds)`` entries for `hypercube_pairs`.
    step
        Quantizer step in the unit of the coefficients, > 0.
    n_iterations
        Passes over the samples with free angles, >= 0; 100 to 200 come close to the end.
    angle_levels
        Angles of the grid in the full circle, >= 4.
    init
        Shape ``(m,)``, starting angle indices; zeros if None.
    n_threads
        Threads; the result does not depend on it.
    n_starts
        Runs, the first from `init` and the others from random angles of fixed seeds; the best is kept. On residuals of
        photographs the best of eight saves 0.3 to 1 % of the rate against the first.

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
    samples = validated_samples(coefficients, "coefficients")
    n = samples.shape[1]
    given = [(n, n_rounds)] if isinstance(n_rounds, (int, np.integer)) else n_rounds
    pairs = hypercube_pairs(checked_rounds("n_rounds", given, n, lowest=2))
    step = checked_real("step", step, 1 / MOST)
    for name, value, low in (
        ("n_iterations", n_iterations, 0),
        ("angle_levels", angle_levels, 4),
        ("n_starts", n_starts, 1),
        ("n_threads", n_threads, 1),
    ):
        checked_integer(name, value, low)
    start = np.zeros(len(pairs), np.int64) if init is None else np.asarray(init, dtype=np.int64) % angle_levels
    if start.shape != (len(pairs),):
        raise ParameterError(f"init has shape {start.shape}; this layout needs ({len(pairs)},)")
    objective = RateObjective(ArraySamples(samples, n_threads), step)
    starts = [start] + [np.random.default_rng(k).integers(0, angle_levels, len(pairs)) for k in range(1, n_starts)]
    products = [_product(n, pairs, angles, angle_levels) for angles in starts]
    runs = [train_angles(objective, product, Iterations(n_iterations)) for product in products]
    free, values = min(runs, key=lambda run: run[1][-1])
    finished = free.quantized(angle_levels)
    if (reached := objective.evaluate(finished)[1]) > (1 + GRID_LOSS) * values[-1]:
        finished = settle_on_grid(objective, free, angle_levels)
        reached = objective.evaluate(finished)[1]
    if runs[0][1][0] < reached:
        return pairs, start
    return pairs, _angle_index(finished, angle_levels)


def train_angles(
    objective: Objective,
    product: FactorProduct,
    iterations: Iterations,
    free: NDArray[np.bool_] | None = None,
    base: FactorProduct | None = None,
) -> tuple[FactorProduct, list[float]]:
    """Train the angles of fixed pairs jointly by L-BFGS; the objective never rises.

    One pass over the data gives Z, and a walk over the factors the slope of tr(U^T Z) by every angle, which is that of
    the objective. Sweeps that solve for one angle after another at fixed X are exact too, but need four times the
    passes: where coefficients are large against the step, X pins every angle.

    Parameters
    ----------
    objective
        What to lower.
    product
        Where to start; rotations only.
    iterations
        Passes over the data, besides one at the start.
    free
        Shape ``(m,)``, which rotations to train; None trains all.
    base
        A fixed orthogonal product that acts after the rotations in synthesis; None is the identity.

    Returns
    -------
    product
        The same pairs with new angles.
    values
        The objective at the start and after each step.
    """
    trained = np.ones(len(product), np.bool_) if free is None else free

    def evaluate(angles: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        point = _with_angles(product, angles)
        Z, value = _evaluate(objective, point, base)
        slopes, curvatures = _slopes(Z, point)
        floor = np.finfo(float).tiny + 1e-9 * curvatures.max(initial=0.0)
        return value, -objective.slope * slopes * trained, objective.slope * np.maximum(curvatures, floor)

    angles, values = minimize(evaluate, _angles(product), iterations)
    return _with_angles(product, angles), values


def settle_on_grid(
    objective: Objective, product: FactorProduct, angle_levels: int, base: FactorProduct | None = None
) -> FactorProduct:
    """Move the angles to the grid layer by layer, training the layers still free in between.

    What a layer loses by rounding the later ones make up for. Arguments as in `train_angles`.
    """
    free = np.ones(len(product), np.bool_)
    for layer in product.layers:
        blocks = product.blocks.copy()
        blocks[layer] = grid_blocks(grid_codes(blocks[layer], angle_levels), angle_levels)
        product = FactorProduct(product.n, product.pairs, blocks)
        free[layer] = False
        if free.any():
            product, _ = train_angles(objective, product, Iterations(LAYER_PASSES), free, base)
    return product.quantized(angle_levels)


def _evaluate(objective: Objective, product: FactorProduct, base: FactorProduct | None) -> tuple[FloatArray, float]:
    """Return Z in the domain of the rotations, and the objective."""
    if base is None:
        return objective.evaluate(product)
    Z, value = objective.evaluate(product.then(base))
    return base.apply_transpose(Z.T).T.copy(), value


def _slopes(Z: FloatArray, product: FactorProduct) -> tuple[FloatArray, FloatArray]:
    """Return the slopes of tr(U^T Z) by the angles, and their curvatures, at fixed X."""
    from fdcodec.kernels.learning.sweeps import angle_slopes

    slopes, curvatures = np.empty(len(product)), np.empty(len(product))
    angle_slopes(Z, product.pairs, product.blocks, slopes, curvatures)
    return slopes, curvatures


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
