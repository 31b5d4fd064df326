"""The estimator of structured rotations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fdcodec.format.constants import ANGLE_LEVELS
from fdcodec.learning.choices import BASES, base_product, checked_levels, checked_rounds, make_objective
from fdcodec.learning.estimator import checked_choice, checked_integer, random_generator
from fdcodec.learning.iterations import Callback
from fdcodec.learning.learner import TransformLearner
from fdcodec.learning.samples import Samples
from fdcodec.learning.statistics import gram_matrix
from fdcodec.learning.structured import hypercube_pairs, settle_on_grid, train_angles
from fdcodec.transform.blocks import IntArray, grid_blocks
from fdcodec.transform.product import FactorProduct


class StructuredDLA(TransformLearner):
    """Rotations on a fixed hypercube layout, all angles trained together, after a fixed base.

    Parameters
    ----------
    rounds
        ``(width, n_rounds)`` entries: rounds over the `width` coefficients of most energy in the base's domain; an
        integer is that many rounds over the largest power of two of coefficients.
    base
        "identity", "haar" or "dct", as `init` of `GmDLA`.
    n_starts
        Runs, the first from zero angles and the others from random ones; the best is kept.
    sparsity, n_iterations, tol, objective, step, angle_levels, callback, random_state, n_jobs
        As in `GmDLA`.

    Attributes
    ----------
    transform_
        The base and the rotations as one `FactorProduct`.
    n_rotations_
        Number of rotations, without the base's.
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
        tol: float = 0.0,
        angle_levels: int | None = None,
        n_starts: int = 1,
        callback: Callback | None = None,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.rounds = rounds
        self.sparsity = sparsity
        self.n_iterations = n_iterations
        self.base = base
        self.objective = objective
        self.step = step
        self.tol = tol
        self.angle_levels = angle_levels
        self.n_starts = n_starts
        self.callback = callback
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learn(self, samples: Samples) -> None:
        n = samples.n
        base = base_product(checked_choice("base", self.base, BASES), n)
        objective = make_objective(samples, self.objective, self._sparsity(n), self.step)
        layout = hypercube_pairs(checked_rounds("rounds", self.rounds, n))
        atoms = base.to_dense()
        strength = np.einsum("ij,ij->j", atoms, gram_matrix(samples) @ atoms)
        pairs = np.sort(np.argsort(-strength, kind="stable")[layout[::-1]], axis=1)
        iterations, levels, starts = self._iterations(), checked_levels(self.angle_levels), self._starts(n, pairs)
        runs = [train_angles(objective, start, iterations, base=base) for start in starts]
        product, curve = min(runs, key=lambda run: run[1][-1])
        self.error_curve_, self.error_ = np.array(curve), curve[-1]
        if levels is not None:
            product = settle_on_grid(objective, product, levels, base)
            self.error_ = objective.evaluate(product.then(base))[1]
        self.transform_ = product.then(base)
        self.n_rotations_ = len(pairs)
        self.n_operations_ = self.transform_.n_operations

    def _starts(self, n: int, pairs: IntArray) -> list[FactorProduct]:
        """Return the identity, then rotations by random angles, on the pairs."""
        random = random_generator(self.random_state)
        others = checked_integer("n_starts", self.n_starts, 1) - 1
        codes = [np.zeros(len(pairs), np.int64), *(2 * random.integers(0, ANGLE_LEVELS, (others, len(pairs))))]
        return [FactorProduct(n, pairs, grid_blocks(code)) for code in codes]
