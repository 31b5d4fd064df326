"""The estimator of G_m-DLA."""

from __future__ import annotations

import numpy as np

from fdcodec.learning.choices import (
    BASES,
    base_product,
    checked_init,
    checked_levels,
    default_rotations,
    make_objective,
    warm_starts,
)
from fdcodec.learning.estimator import checked_choice, checked_integer, checked_real, random_generator
from fdcodec.learning.gm import (
    Schedule,
    construct,
    finish_on_grid,
    principal_directions,
    starting_directions,
    sweep_repeatedly,
)
from fdcodec.learning.iterations import Callback, Iterations
from fdcodec.learning.learner import TransformLearner
from fdcodec.learning.samples import Samples
from fdcodec.learning.search import resized, search
from fdcodec.learning.statistics import Objective
from fdcodec.transform.blocks import FloatArray
from fdcodec.transform.fast import Dictionary
from fdcodec.transform.product import FactorProduct


class GmDLA(TransformLearner):
    """Orthogonal transform as a product of m G-transforms: G_m-DLA (paper, Algorithm 1), or a better search.

    Parameters
    ----------
    n_rotations
        m; None is ``n log2(n) / 3``, 128 for 64 features.
    sparsity
        s, coefficients kept a sample; None is n / 16, 4 for 64 features.
    n_iterations
        K sweeps of Algorithm 1, or rounds of the search.
    method
        "paper" is Algorithm 1; "search" starts from its construction, from nothing and from the bases that n allows,
        brings each to m factors, then ruins and recreates the best.
    init
        Where "paper" starts: "svd" is its own construction from the singular vectors; "identity", "haar" and "dct"
        start from that base brought to m factors, "haar" of square blocks of a power-of-two side and "dct", that of
        `DCT`, for powers of two. A `FactorProduct`, such as `transform_` of another learner, is brought to m factors
        alike; another orthogonal transform, or matrix of shape ``(n_features, n_features)`` with the atoms in its
        columns, is in the place of the singular vectors. "search" starts from all bases of square blocks of a
        power-of-two side, and from yours.
    objective
        "sparsity" is the paper's relative error; "rate" the mean of ``sum log2(1 + c^2 / step^2)``.
    step
        Quantizer step in the unit of the samples; None is their root mean square ("rate" only, else ignored).
    tol
        Stop when ten sweeps have lowered the objective by less than this share of it; 0 runs all, as the paper ("paper"
        only, else ignored).
    min_gain
        Add no factor that lowers the objective by less than this, a relative error or bits a sample; m is then the
        most ("paper" from "svd" only, else ignored).
    n_starts
        Starts from the singular vectors, the first with the signs of `principal_directions`, the others with random
        ones; the best result is kept, and the search has all for starts (ignored with "paper" from another `init`).
    layer_size
        Factors updated together on disjoint pairs, at most n / 2; 1 is the paper's algorithm (Remark 5).
    order
        "index" or "random", the order of the updates (Remark 5).
    angle_levels
        Finish with every angle on a grid of so many in the full circle; None leaves the angles free.
    callback
        Called after each iteration with its number, from 1 in each start, stage or heat, and the objective that it
        reached: `print` prints both. None calls nothing.
    random_state
        Seed of the random order and of the search; None is 0.
    n_jobs
        Threads; None is 1, -1 all. The result does not depend on it.

    Attributes
    ----------
    transform_
        The `FactorProduct`.
    error_curve_
        The objective after initialization and after each sweep (or round), never rising.
    construction_curve_
        The relative error after each factor of the construction, at the X of the singular vectors (figure 1).
    """

    def __init__(
        self,
        n_rotations: int | None = None,
        sparsity: int | None = None,
        n_iterations: int = 150,
        *,
        method: str = "paper",
        init: str | Dictionary = "svd",
        objective: str = "sparsity",
        step: float | None = None,
        tol: float = 0.0,
        min_gain: float = 0.0,
        n_starts: int = 1,
        layer_size: int = 1,
        order: str = "index",
        angle_levels: int | None = None,
        callback: Callback | None = None,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_rotations = n_rotations
        self.sparsity = sparsity
        self.n_iterations = n_iterations
        self.method = method
        self.init = init
        self.objective = objective
        self.step = step
        self.tol = tol
        self.min_gain = min_gain
        self.n_starts = n_starts
        self.layer_size = layer_size
        self.order = order
        self.angle_levels = angle_levels
        self.callback = callback
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learn(self, samples: Samples) -> None:
        n = samples.n
        m = default_rotations(n) if self.n_rotations is None else checked_integer("n_rotations", self.n_rotations, 0)
        objective = make_objective(samples, self.objective, self._sparsity(n), self.step)
        schedule, levels = self._schedule(n), checked_levels(self.angle_levels)
        product, curve, construction = self._optimize(objective, m if n > 1 else 0, schedule)
        self.error_curve_, self.construction_curve_ = np.array(curve), np.array(construction)
        self.error_ = curve[-1]
        if levels is not None:
            product, grid_curve = finish_on_grid(objective, product, levels)
            self.error_ = grid_curve[-1]
        self.transform_ = product
        self.n_operations_ = product.n_operations

    def _schedule(self, n: int) -> Schedule:
        checked_choice("order", self.order, ("index", "random"))
        layer_size = checked_integer("layer_size", self.layer_size, 1, max(1, n // 2))
        min_gain, run = checked_real("min_gain", self.min_gain, 0.0), self._iterations()
        return Schedule(run.count, run.tol, run.callback, layer_size, self.order == "random", min_gain)

    def _optimize(
        self, objective: Objective, m: int, schedule: Schedule
    ) -> tuple[FactorProduct, list[float], list[float]]:
        """Return the product, the curve of the objective and that of the construction."""
        random, n_starts = random_generator(self.random_state), checked_integer("n_starts", self.n_starts, 1)
        method = checked_choice("method", self.method, ("paper", "search"))
        start = self._start(objective.samples.n)
        if method == "paper" and isinstance(start, FactorProduct):
            return *sweep_repeatedly(objective, resized(objective, start, m), schedule, random), []
        U = start if isinstance(start, np.ndarray) else principal_directions(objective.samples)
        built = [construct(objective, V, m, schedule) for V in starting_directions(U, n_starts, random)]
        if method == "search":
            own = {str(self.init): start} if isinstance(start, FactorProduct) else {}  # a word replaces its warm start
            starts = [*(product for product, _ in built), *(warm_starts(objective.samples.n) | own).values()]
            return *search(objective, starts, m, Iterations(schedule.count, callback=schedule.callback), random), []
        runs = [sweep_repeatedly(objective, product, schedule, random) for product, _ in built]
        best = min(range(n_starts), key=lambda k: runs[k][1][-1])
        return *runs[best], built[best][1]

    def _start(self, n: int) -> FactorProduct | FloatArray | None:
        """Return `init` as a product, or as a matrix in the place of the singular vectors; None for these."""
        init = checked_init(self.init, n, ("svd", *BASES), orthogonal=True)
        if isinstance(init, str):
            return None if init == "svd" else base_product(init, n, "init")
        return init if isinstance(init, FactorProduct) and init.is_orthogonal else np.asarray(init)
