"""R_m-DLA, Algorithm 2 of the paper."""

from __future__ import annotations

import numpy as np

from fdcodec.learning.iterations import Iterations
from fdcodec.learning.pursuit import PursuitObjective
from fdcodec.transform.blocks import FloatArray
from fdcodec.transform.fast import Dictionary
from fdcodec.transform.product import FactorProduct


def rm_dla(
    objective: PursuitObjective, start: Dictionary, m: int, iterations: Iterations
) -> tuple[FactorProduct, float, list[float]]:
    """Learn ``D = R_m .. R_1 Delta``: build it anew each first iteration, update its blocks each second one.

    Neither the normalization nor OMP is an exact step, so errors may rise; the best pair (D, X) of the first
    iterations starts the second ones, and the best of all is returned, as the paper says.

    Parameters
    ----------
    objective
        Samples and sparsity.
    start
        Dictionary whose X starts the algorithm: in the paper the singular vectors. A product of m factors is one of
        those of which the best is taken.
    m
        Number of R-transforms.
    iterations
        K, of each of the two sets.

    Returns
    -------
    product
        The best D, its atoms of unit norm.
    error
        Its relative error.
    curve
        The relative error for the start, then after each iteration of the first and of the second set.
    """
    Z, W, error = objective.evaluate(start)
    curve, first = [error], list[float]()
    best = (error, start, Z, W) if isinstance(start, FactorProduct) and len(start) == m else None
    for _ in iterations.over(first):
        product = _construct(Z, W, m)
        Z, W, error = objective.evaluate(product)
        first.append(error)
        if best is None or error < best[0]:
            best = error, product, Z, W
    if best is None:
        product = _construct(Z, W, m)
        return product, objective.evaluate(product)[2], curve
    lowest, best_product, Z, W = best
    product, second = best_product, [lowest]
    for _ in iterations.over(second):
        product = _update(Z, W, product)
        Z, W, error = objective.evaluate(product)
        second.append(error)
        if error < lowest:
            lowest, best_product = error, product
    return best_product, lowest, curve + first + second[1:]


def normalized(product: FactorProduct) -> FactorProduct:
    """Return the product with Delta such that every atom has unit norm (eq. factorizationofD); zero atoms stay zero."""
    bare = FactorProduct(product.n, product.pairs, product.blocks)
    norms = np.sqrt(np.sum(bare.to_dense() ** 2, axis=0))
    return FactorProduct(product.n, product.pairs, product.blocks, 1.0 / np.where(norms > 0.0, norms, 1.0))


def _construct(Z: FloatArray, W: FloatArray, m: int) -> FactorProduct:
    from fdcodec.kernels.learning.general import construct_general

    pairs, blocks = np.zeros((m, 2), np.int64), np.zeros((m, 2, 2))
    built = construct_general(*_near_one(Z, W), pairs, blocks)
    return normalized(FactorProduct(len(Z), pairs[:built], blocks[:built]))


def _update(Z: FloatArray, W: FloatArray, product: FactorProduct) -> FactorProduct:
    """Return the product with new blocks; the factors see ``Delta X``."""
    from fdcodec.kernels.learning.general import update_general

    scale = np.ones(product.n) if product.scale is None else product.scale
    blocks = product.blocks.copy()
    update_general(*_near_one(Z * scale, W * scale[:, None] * scale), product.pairs, blocks)
    return normalized(FactorProduct(product.n, product.pairs, blocks))


def _near_one(Z: FloatArray, W: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Z and W divided by the power of two above W: no factor changes, and gains are sixth powers of samples."""
    exponent = -np.frexp(np.abs(W).max())[1]
    return np.ldexp(Z, exponent), np.ldexp(W, exponent)
