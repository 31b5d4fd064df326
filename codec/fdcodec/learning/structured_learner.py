"""The estimator of structured rotations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fdcodec.errors import ParameterError
from fdcodec.learning.choices import BASES, base_product, make_objective
from fdcodec.learning.estimator import checked_choice, checked_integer
from fdcodec.learning.learner import TransformLearner
from fdcodec.learning.samples import Samples
from fdcodec.learning.statistics import gram_matrix
from fdcodec.learning.structured import hypercube_pairs, settle_on_grid, train_angles
from fdcodec.transform.product import FactorProduct


class StructuredDLA(TransformLearner):
    """Rotations on a fixed hypercube layout, all angles trained together, after a fixed base.

    Parameters
    ----------
    rounds
        ``(width, n_rounds)`` entries: rounds over the `width` coefficients of most energy in the base's domain; an
        integer is that many rounds over the largest power of two of coefficients.
    base
        "identity", "haar" or "dct".
    sparsity, n_iterations, objective, step, angle_levels, n_jobs
        As in `GmDLA`.

    Attributes
    ----------
    transform_
        The base and the rotations as one `FactorProduct`.
    n_rotations_
        Number of rotations, without the base's.
    error_
        The objective of `transform_` itself, after the grid if there is one.
    """

    def __init__(
        self,
        rounds: int | Sequence[tuple[int, int]] = 1,
        sparsity: int | None = None,
        n_iterations: int = 150,
        *,
        base: str = "identity",
        objective: str = "rate",
        step: float | None = None,
        angle_levels: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.rounds = rounds
        self.sparsity = sparsity
        self.n_iterations = n_iterations
        self.base = base
        self.objective = objective
        self.step = step
        self.angle_levels = angle_levels
        self.n_jobs = n_jobs

    def _learn(self, samples: Samples) -> None:
        n = samples.n
        base = base_product(checked_choice("base", self.base, BASES), n)
        objective = make_objective(samples, self.objective, self._sparsity(n), self.step)
        layout = hypercube_pairs(checked_rounds(self.rounds, n))
        strength = np.einsum("ij,ij->j", base.to_dense(), gram_matrix(samples) @ base.to_dense())
        pairs = np.sort(np.argsort(-strength, kind="stable")[layout[::-1]], axis=1)
        rotations = FactorProduct(n, pairs, np.repeat(np.eye(2)[None], len(pairs), axis=0))
        iterations = checked_integer("n_iterations", self.n_iterations, 0)
        product, curve = train_angles(objective, rotations, iterations, base=base)
        self.error_curve_, self.error_ = np.array(curve), curve[-1]
        if self.angle_levels is not None:
            levels = checked_integer("angle_levels", self.angle_levels, 4)
            product = settle_on_grid(objective, product, levels, base)
            self.error_ = objective.evaluate(product.then(base))[1]
        self.transform_ = product.then(base)
        self.n_rotations_ = len(pairs)
        self.n_operations_ = self.transform_.n_operations


def checked_rounds(rounds: int | Sequence[tuple[int, int]], n: int) -> list[tuple[int, int]]:
    """Return `rounds` as ``(width, n_rounds)`` entries."""
    if isinstance(rounds, (int, np.integer)):
        return [(1 << (n.bit_length() - 1), checked_integer("rounds", rounds, 0))]
    for width, count in rounds:
        checked_integer("rounds", count, 0)
        if checked_integer("rounds", width, 1, n) & (width - 1):
            raise ParameterError(f"rounds has a width of {width}; widths must be powers of two in [1, {n}]")
    return list(rounds)
