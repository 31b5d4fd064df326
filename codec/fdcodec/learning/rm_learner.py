"""The estimator of R_m-DLA."""

from __future__ import annotations

import numpy as np

from fdcodec.errors import LearningWarning, warn_caller
from fdcodec.learning.choices import checked_init, default_rotations
from fdcodec.learning.estimator import checked_integer, random_generator
from fdcodec.learning.gm import principal_directions, starting_directions
from fdcodec.learning.iterations import Callback
from fdcodec.learning.learner import TransformLearner
from fdcodec.learning.pursuit import PursuitObjective
from fdcodec.learning.rm import rm_dla
from fdcodec.learning.samples import Samples
from fdcodec.transform.fast import Dictionary


class RmDLA(TransformLearner):
    """Dictionary as a product of m R-transforms and a diagonal: R_m-DLA (paper, Algorithm 2).

    Parameters
    ----------
    n_factors
        m; None is ``n log2(n) / 3``, 128 for 64 features. Fewer are built, with a `LearningWarning`, where the samples
        are all zero.
    sparsity
        s, atoms a sample; None is n / 16, 4 for 64 features.
    n_iterations
        K of each of the two sets of iterations.
    init
        Where it starts: "svd", the singular vectors, or a transform or matrix of shape ``(n_features, n_features)``
        with atoms of unit norm in its columns, such as `transform_` of another learner. The result is not worse than
        a `FactorProduct` of m factors given so.
    tol
        Ends each set of iterations as in `GmDLA`.
    n_starts
        Starts from `init`, the first with its signs, the others with random ones; the best result is kept.
    callback
        As in `GmDLA`.
    random_state
        Seed of the random signs; None is 0.
    n_jobs
        Threads; None is 1, -1 all. The result does not depend on it.

    Attributes
    ----------
    error_curve_
        The relative error for the start and after each of the up to 2 K iterations; it may rise, and
        `transform_` is the best met.
    """

    def __init__(
        self,
        n_factors: int | None = None,
        sparsity: int | None = None,
        n_iterations: int = 150,
        *,
        init: str | Dictionary = "svd",
        tol: float = 0.0,
        n_starts: int = 1,
        callback: Callback | None = None,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_factors = n_factors
        self.sparsity = sparsity
        self.n_iterations = n_iterations
        self.init = init
        self.tol = tol
        self.n_starts = n_starts
        self.callback = callback
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learn(self, samples: Samples) -> None:
        n = samples.n
        m = default_rotations(n) if self.n_factors is None else checked_integer("n_factors", self.n_factors, 0)
        objective = PursuitObjective(samples, self._sparsity(n))
        starts = checked_integer("n_starts", self.n_starts, 1)
        random, iterations = random_generator(self.random_state), self._iterations()
        init = checked_init(self.init, n, ("svd",))
        start = principal_directions(samples) if isinstance(init, str) else init
        others = starting_directions(np.asarray(start), starts, random)[1:]
        if n == 1:
            m = 0  # no pair is there
        runs = [rm_dla(objective, D, m, iterations) for D in [start, *others]]
        self.transform_, self.error_, curve = min(runs, key=lambda run: run[1])
        self.error_curve_ = np.array(curve)
        self.n_operations_ = self.transform_.n_operations
        if (built := len(self.transform_)) < m:
            told = f"built {built} of the {m} factors asked for: the samples use no atom, as if they are all zero"
            warn_caller(LearningWarning(f"{told}; give others"))
