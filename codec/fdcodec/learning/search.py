"""Better optimizers than Algorithm 1: warm starts, growing and shrinking, iterated local search.

Algorithm 1 fixes the first factors before it knows the last ones and stops in poor local minima for small m. Here a
factor is inserted at whatever position lowers the objective most, the factor whose loss is least is deleted, the
representations are renewed inside, and a search ruins a few factors and recreates them, again and again.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fdcodec.learning.gm import Schedule, sweep_once, sweep_repeatedly
from fdcodec.learning.iterations import Iterations
from fdcodec.learning.statistics import Objective
from fdcodec.transform.blocks import FloatArray
from fdcodec.transform.product import FactorProduct

INSERT_BATCH, DELETE_BATCH, RECREATE_BATCH = 2, 2, 4
"""Factors changed between two renewals of the representations: growing, shrinking, recreating."""
START_SWEEPS, ROUND_SWEEPS, LAST_SWEEPS = 60, 6, 150
RUIN_SHARE = 0.12
"""Largest share of the factors that one round deletes."""
RUIN_SPREAD = 1.0
"""Standard deviation of the logarithm of the noise on the losses that choose the deleted factors."""
INSERT_NOISE = 0.2
HEATS = 4
TEMPERATURE = 1e-3
"""Relative rise of the objective that the first rounds accept with probability 1/e; falls linearly to zero."""


def resized(objective: Objective, product: FactorProduct, m: int) -> FactorProduct:
    """Return a product of m factors made from `product` by best insertions or least deletions."""
    while len(product) < m:
        Z, _ = objective.evaluate(product)
        product = insert(Z, product, min(INSERT_BATCH, m - len(product)))
        product = refined(objective, product, 1)
    while len(product) > m:
        Z, _ = objective.evaluate(product)
        product = delete(Z, product, min(DELETE_BATCH, len(product) - m))
        product = refined(objective, product, 1, repick=False)
    return product


def refined(objective: Objective, product: FactorProduct, n_sweeps: int, repick: bool = True) -> FactorProduct:
    """Return the product after some sweeps of Algorithm 1; its objective is not evaluated."""
    for _ in range(n_sweeps):
        Z, _ = objective.evaluate(product)
        product = sweep_once(Z, product, repick=repick)
    return product


def insert(
    Z: FloatArray, product: FactorProduct, count: int, random: np.random.Generator | None = None
) -> FactorProduct:
    """Return the product with `count` factors more, each at the position and pair of the largest C_ij.

    Parameters
    ----------
    Z
        ``Y X^T`` of the product; kept.
    product
        Where to insert.
    count
        Number of factors to insert, one after another at the same X.
    random
        Perturbs the C_ij that choose the positions by a fifth; None does not.
    """
    from fdcodec.kernels.learning.sweeps import insertion_block, insertion_gains

    for _ in range(count):
        m = len(product)
        gains, places, block = np.empty(m + 1), np.empty((m + 1, 2), np.int64), np.empty((2, 2))
        insertion_gains(Z.copy(), product.pairs, product.blocks, gains, places)
        if random is not None:
            gains *= 1.0 + INSERT_NOISE * random.standard_normal(m + 1)
        k = int(gains.argmax())
        insertion_block(Z.copy(), product.pairs, product.blocks, k, places[k], block)
        pairs = np.insert(product.pairs, k, places[k], axis=0)
        product = FactorProduct(product.n, pairs, np.insert(product.blocks, k, block, axis=0))
    return product


def delete(
    Z: FloatArray, product: FactorProduct, count: int, random: np.random.Generator | None = None
) -> FactorProduct:
    """Return the product without the `count` factors of least loss; `random` perturbs the losses."""
    from fdcodec.kernels.learning.sweeps import deletion_losses

    losses = np.empty(len(product))
    deletion_losses(Z.copy(), product.pairs, product.blocks, losses)
    if random is not None:
        losses *= np.exp(RUIN_SPREAD * random.standard_normal(len(losses)))
    kept = np.sort(np.argsort(losses, kind="stable")[count:])
    return FactorProduct(product.n, product.pairs[kept], product.blocks[kept])


def ruin_and_recreate(objective: Objective, product: FactorProduct, random: np.random.Generator) -> FactorProduct:
    """Return the product after deleting a few factors, inserting as many, and some sweeps."""
    m = len(product)
    Z, _ = objective.evaluate(product)
    product = delete(Z, product, max(1, int(m * RUIN_SHARE * random.random())), random)
    while len(product) < m:
        Z, _ = objective.evaluate(product)
        product = insert(Z, product, min(RECREATE_BATCH, m - len(product)), random)
    return refined(objective, product, ROUND_SWEEPS)


def iterated_local_search(
    objective: Objective, product: FactorProduct, rounds: Iterations, random: np.random.Generator
) -> tuple[FactorProduct, list[float]]:
    """Ruin and recreate again and again, accepting small rises at first; return the best product found.

    Parameters
    ----------
    objective
        What to lower.
    product
        Where to start.
    rounds
        Number of rounds, and whom to tell.
    random
        Source of all choices.

    Returns
    -------
    product
        The best product met.
    curve
        The best objective so far at the start and after each round.
    """
    best, current = product, product
    value = objective.evaluate(product)[1]
    curve = [value]
    for number in rounds.over(curve):
        candidate = ruin_and_recreate(objective, current, random)
        candidate_value = objective.evaluate(candidate)[1]
        allowed = TEMPERATURE * (1.0 - number / rounds.count) * value * random.exponential()
        if candidate_value <= value + allowed:
            current, value = candidate, candidate_value
        if value < curve[-1]:
            best = current
        curve.append(min(curve[-1], value))
    return best, curve


def search(
    objective: Objective, starts: list[FactorProduct], m: int, rounds: Iterations, random: np.random.Generator
) -> tuple[FactorProduct, list[float]]:
    """Bring every start to m factors, search from the best of them, and end with sweeps of Algorithm 1.

    Half of the rounds go to heats that start alike, the rest to the winner: searches of a hundred rounds differ more by
    luck (18.9 to 19.4 % at m = 128 on the paper's images) than by anything that was tried in their steps.

    Returns
    -------
    product
        The best product found.
    curve
        The objective of the best start, after each round of the winner, and after each last sweep; it never rises.
    """
    resized_starts = [refined(objective, resized(objective, start, m), START_SWEEPS) for start in starts]
    start = min(resized_starts, key=lambda product: objective.evaluate(product)[1])
    heat = replace(rounds, count=rounds.count // (2 * HEATS))
    heats = [iterated_local_search(objective, start, heat, random) for _ in range(HEATS)]
    best, curve = min(heats, key=lambda run: run[1][-1])
    rest = replace(rounds, count=rounds.count - HEATS * heat.count)
    best, final = iterated_local_search(objective, best, rest, random)
    best, last = sweep_repeatedly(objective, best, Schedule(LAST_SWEEPS), random)
    return best, curve + final[1:] + last[1:]
