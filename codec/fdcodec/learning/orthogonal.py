"""Learners of orthogonal transforms that are compared with G_m-DLA: Q-DLA, H_p-DLA, and the fixed DCT."""

from __future__ import annotations

import numpy as np

from fdcodec.learning.choices import checked_init, cosine_base, cosine_line
from fdcodec.learning.complexity import cosine_operations, reflector_operations
from fdcodec.learning.estimator import checked_integer
from fdcodec.learning.gm import principal_directions
from fdcodec.learning.iterations import Callback
from fdcodec.learning.learner import TransformLearner
from fdcodec.learning.samples import Samples
from fdcodec.learning.statistics import SparseObjective
from fdcodec.transform.blocks import FloatArray
from fdcodec.transform.fast import Dictionary
from fdcodec.transform.reflectors import ReflectorProduct, best_reflector, reflect


class QDLA(TransformLearner):
    """General orthogonal transform by alternating T_s and the Procrustes solution: Q-DLA (eq. dictionaryOrtho).

    Parameters
    ----------
    init
        Where it starts: "svd", the singular vectors, or an orthogonal transform or matrix of shape
        ``(n_features, n_features)`` with the atoms in its columns, such as the `transform_` of another learner.
    sparsity, n_iterations, tol, callback, n_jobs
        As in `GmDLA`.
    """

    def __init__(
        self,
        sparsity: int | None = None,
        n_iterations: int = 150,
        *,
        init: str | Dictionary = "svd",
        tol: float = 0.0,
        callback: Callback | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.sparsity = sparsity
        self.n_iterations = n_iterations
        self.init = init
        self.tol = tol
        self.callback = callback
        self.n_jobs = n_jobs

    def _learn(self, samples: Samples) -> None:
        objective = SparseObjective(samples, self._sparsity(samples.n))
        start = checked_init(self.init, samples.n, ("svd",), orthogonal=True)
        Q = principal_directions(samples) if isinstance(start, str) else np.asarray(start)
        Z, error = objective.evaluate(Q)
        curve = [error]
        for _ in self._iterations().over(curve):
            U, _, Vt = np.linalg.svd(Z)
            Q = np.ascontiguousarray(U @ Vt)
            Z, error = objective.evaluate(Q)
            curve.append(error)
        self.transform_, self.error_, self.error_curve_ = Q, error, np.array(curve)
        self.n_operations_ = 2 * samples.n**2


class HouseholderDLA(TransformLearner):
    """Orthogonal transform as a product of p Householder reflectors: H_p-DLA (paper's reference DictHouseholder).

    With the other reflectors moved to the sides of Y and X, the best vector of one is the eigenvector of the smallest
    eigenvalue of ``Z + Z^T`` (Remark 4); where none is negative the reflector is the identity.

    Parameters
    ----------
    n_reflectors
        p.
    sparsity, n_iterations, tol, callback, n_jobs
        As in `GmDLA`.

    Attributes
    ----------
    transform_
        The `ReflectorProduct`; its `vectors` are zeros where a reflector is the identity.
    """

    def __init__(
        self,
        n_reflectors: int = 3,
        sparsity: int | None = None,
        n_iterations: int = 150,
        *,
        tol: float = 0.0,
        callback: Callback | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_reflectors = n_reflectors
        self.sparsity = sparsity
        self.n_iterations = n_iterations
        self.tol = tol
        self.callback = callback
        self.n_jobs = n_jobs

    def _learn(self, samples: Samples) -> None:
        p = checked_integer("n_reflectors", self.n_reflectors, 1)
        objective = SparseObjective(samples, self._sparsity(samples.n))
        vectors = np.zeros((p, samples.n))

        def improved(Z: FloatArray) -> tuple[FloatArray, float]:
            update_reflectors(Z, vectors)
            return objective.evaluate(ReflectorProduct(vectors))

        Z, error = improved(objective.evaluate(principal_directions(samples))[0])
        curve = [error]
        for _ in self._iterations().over(curve):
            Z, error = improved(Z)
            curve.append(error)
        self.transform_, self.error_, self.error_curve_ = ReflectorProduct(vectors), error, np.array(curve)
        self.n_operations_ = reflector_operations(samples.n, p)


class DCT(TransformLearner):
    """The fixed cosine transform, as baseline.

    Parameters
    ----------
    separable
        True: the 2-D transform of square blocks, or where n is no square number that of the line; False: the transform
        of the whole vector as one line.
    sparsity, n_jobs
        As in `GmDLA`.
    """

    def __init__(self, sparsity: int | None = None, *, separable: bool = True, n_jobs: int | None = None) -> None:
        self.sparsity = sparsity
        self.separable = separable
        self.n_jobs = n_jobs

    def _learn(self, samples: Samples) -> None:
        self.transform_ = cosine_base(samples.n) if self.separable else cosine_line(samples.n)
        self.error_ = SparseObjective(samples, self._sparsity(samples.n)).evaluate(self.transform_)[1]
        self.error_curve_ = np.array([self.error_])
        self.n_operations_ = cosine_operations(samples.n)


def update_reflectors(Z: FloatArray, vectors: FloatArray) -> None:
    """Solve every reflector in turn at ``Z = Y X^T`` with the others fixed; `vectors` is updated in place."""
    for u in vectors[::-1]:
        Z = reflect(Z.T, u).T
    for k, u in enumerate(vectors):
        Z = reflect(Z.T, u).T
        vectors[k] = best_reflector(Z)
        Z = reflect(Z, vectors[k])
