"""G_m-DLA, Algorithm 1 of the paper, for either objective.

A product is split into layers of factors on disjoint pairs that are updated together (Remark 5); the paper's own
algorithm is the case of one factor a layer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fdcodec.learning.iterations import Iterations
from fdcodec.learning.samples import Samples
from fdcodec.learning.statistics import Objective, SparseObjective, gram_matrix
from fdcodec.transform.blocks import FloatArray, IntArray
from fdcodec.transform.product import FactorProduct

GRID_SWEEPS = 4
"""Sweeps after the angles have moved to the grid; more change no angle on natural images."""


@dataclass(frozen=True)
class Schedule(Iterations):
    """How Algorithm 1 walks over the factors.

    Parameters
    ----------
    count, tol, callback
        K, the number of sweeps, and what `Iterations` has.
    layer_size
        Factors updated together, on disjoint pairs; 1 is the paper's algorithm (Remark 5).
    random_order
        Sweep over the layers in a random order instead of the order of their indices (Remark 5).
    min_gain
        Stop adding factors when the best one lowers the objective by less than this, to first order.
    """

    layer_size: int = 1
    random_order: bool = False
    min_gain: float = 0.0


def principal_directions(samples: Samples) -> FloatArray:
    """Return U of the singular value decomposition ``Y = U S V^T``, columns by falling singular value.

    U is the eigenbasis of ``Y Y^T``; its signs are fixed by a positive entry of largest magnitude in each column.
    """
    _, vectors = np.linalg.eigh(gram_matrix(samples))
    U = vectors[:, ::-1]
    return np.ascontiguousarray(U * np.sign(U[np.abs(U).argmax(axis=0), np.arange(len(U))]))


def starting_directions(U: FloatArray, n_starts: int, random: np.random.Generator) -> list[FloatArray]:
    """Return U, then as often with random signs: the singular value decomposition leaves the signs free."""
    return [U, *(U * random.choice([-1.0, 1.0], len(U)) for _ in range(n_starts - 1))]


def construct(objective: Objective, U: FloatArray, m: int, schedule: Schedule) -> tuple[FactorProduct, list[float]]:
    """Build m factors for the X of an orthogonal matrix U (Algorithm 1, initialization, steps 2 and 3).

    Returns
    -------
    product
        At most m factors; fewer if `schedule.min_gain` stops the construction.
    curve
        The error ``||Y - G_k .. G_1 X||^2 / ||Y||^2`` with that X after 0, 1, ... layers (figure 1); empty for the
        log-rate.
    """
    from fdcodec.kernels.learning.sweeps import construct as build

    n = objective.samples.n
    Z, value = objective.evaluate(U)
    trace = np.trace(Z)
    pairs, blocks = np.zeros((m, 2), np.int64), np.zeros((m, 2, 2))
    offsets, gains = layer_offsets(m, schedule.layer_size), np.zeros(m)
    n_layers = build(Z, pairs, blocks, offsets, schedule.min_gain / objective.slope, gains)
    product = FactorProduct(n, pairs[: offsets[n_layers]], blocks[: offsets[n_layers]])
    if not isinstance(objective, SparseObjective):
        return product, []
    start = 2.0 - value - 2.0 * trace / objective.energy
    return product, [start, *(start - 2.0 * np.cumsum(gains[:n_layers]) / objective.energy).tolist()]


def sweep_repeatedly(
    objective: Objective, product: FactorProduct, schedule: Schedule, random: np.random.Generator
) -> tuple[FactorProduct, list[float]]:
    """Update every factor, then the representations, K times (Algorithm 1, iterations).

    Parameters
    ----------
    objective
        What to lower; no sweep raises it.
    product
        Where to start.
    schedule
        Number and order of the updates.
    random
        Source of the random order.

    Returns
    -------
    product
        The factors after the last sweep.
    curve
        The objective at the start and after each sweep.
    """
    Z, value = objective.evaluate(product)
    curve = [value]
    for _ in schedule.over(curve):
        product = sweep_once(
            Z, product, layer_size=schedule.layer_size, random=random if schedule.random_order else None
        )
        Z, value = objective.evaluate(product)
        curve.append(value)
    return product, curve


def sweep_once(
    Z: FloatArray,
    product: FactorProduct,
    *,
    repick: bool = True,
    angle_levels: int = 0,
    layer_size: int = 1,
    random: np.random.Generator | None = None,
) -> FactorProduct:
    """Return the product after one sweep with the representations fixed; Z is overwritten.

    Parameters
    ----------
    Z
        ``Y X^T`` of the product.
    product
        What to update.
    repick
        Choose the pairs anew, as the paper does; else they are kept and only the blocks solved for.
    angle_levels
        Angles of the grid on which the blocks lie; 0 is no grid.
    layer_size
        Factors updated together.
    random
        Gives the order of the layers; None is that of their indices.
    """
    from fdcodec.kernels.learning.sweeps import sweep

    if len(product) == 0:
        return product
    pairs, blocks = product.pairs.copy(), product.blocks.copy()
    offsets = layer_offsets(len(pairs), layer_size)
    order = np.arange(len(offsets) - 1)
    if random is not None:
        order = random.permutation(order)
    sweep(Z, pairs, blocks, offsets, order, repick, angle_levels)
    return FactorProduct(product.n, pairs, blocks)


def finish_on_grid(
    objective: Objective, product: FactorProduct, angle_levels: int
) -> tuple[FactorProduct, list[float]]:
    """Move every angle to the grid and sweep there, pairs fixed; the objective does not rise after the first value."""
    product = product.quantized(angle_levels)
    Z, value = objective.evaluate(product)
    curve = [value]
    for _ in range(GRID_SWEEPS):
        product = sweep_once(Z, product, repick=False, angle_levels=angle_levels)
        Z, value = objective.evaluate(product)
        curve.append(value)
    return product, curve


def layer_offsets(m: int, layer_size: int) -> IntArray:
    """Return the first factor of every layer, and m."""
    return np.append(np.arange(0, m, layer_size), m)
