"""Learners of dictionaries by K-SVD: SK-SVD, Sparse K-SVD."""

from __future__ import annotations

import numpy as np

from fdcodec.errors import ParameterError
from fdcodec.learning.choices import base_product, cosine_base, cosine_line
from fdcodec.learning.complexity import cosine_operations, sparse_ksvd_operations
from fdcodec.learning.estimator import checked_choice, checked_integer, thread_count
from fdcodec.learning.gm import principal_directions
from fdcodec.learning.iterations import Callback
from fdcodec.learning.ksvd import ksvd, staged_ksvd
from fdcodec.learning.learner import TransformLearner
from fdcodec.learning.samples import ArraySamples, Samples
from fdcodec.transform.blocks import FloatArray
from fdcodec.transform.fast import Dictionary, correlations
from fdcodec.transform.sparse import SparseDictionary


class _KSVDLearner(TransformLearner):
    """A learner whose samples must be in memory, and whose dictionary is not orthogonal."""

    def _is_orthogonal(self) -> bool:
        return False

    def _array(self, samples: Samples) -> FloatArray:
        if not isinstance(samples, ArraySamples):
            raise ParameterError(f"{type(self).__name__} needs all samples in memory; call fit with one array")
        return samples.array


class SKSVD(_KSVDLearner):
    """Square dictionary by staged K-SVD: SK-SVD (paper's reference SKSVD), with approximate updates of the atoms.

    Parameters
    ----------
    sparsity
        s, atoms a sample; None is n / 16.
    n_iterations
        Updates of the dictionary in all stages together.
    n_stages
        Equal steps in which the dictionary grows to n atoms.
    tol, callback
        As in `GmDLA`; of SK-SVD in each stage.
    n_jobs
        Threads of the sparse coding; None is 1, -1 all. The result does not depend on it.

    Attributes
    ----------
    error_curve_
        The relative error at the start of each stage and after each of its updates, stage after stage, of as many atoms
        as the stage has: up to ``n_iterations + n_stages`` values.
    n_iter_
        Updates in all stages.
    """

    def __init__(
        self,
        sparsity: int | None = None,
        n_iterations: int = 150,
        *,
        n_stages: int = 4,
        tol: float = 0.0,
        callback: Callback | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.sparsity = sparsity
        self.n_iterations = n_iterations
        self.n_stages = n_stages
        self.tol = tol
        self.callback = callback
        self.n_jobs = n_jobs

    def _learn(self, samples: Samples) -> None:
        Y, n = self._array(samples), samples.n
        iterations = self._iterations()
        stages = min(checked_integer("n_stages", self.n_stages, 1), n)
        start = np.ascontiguousarray(principal_directions(samples).T)
        atoms, error, curve = staged_ksvd(Y, start, self._sparsity(n), iterations, stages, thread_count(self.n_jobs))
        self.transform_, self.error_, self.error_curve_ = np.ascontiguousarray(atoms.T), error, np.array(curve)
        self._n_stages_run = stages
        self.n_operations_ = 2 * n * n

    @property
    def n_iter_(self) -> int:
        """Updates in all stages."""
        self._check_fitted()
        return len(self.error_curve_) - self._n_stages_run


class SparseKSVD(_KSVDLearner):
    """Square dictionary whose atoms are p-sparse in a base: Sparse K-SVD over the DCT (paper, figure VSSparseKSVD).

    Parameters
    ----------
    atom_sparsity
        p, entries an atom, at most n; None is 4, or n below 4.
    sparsity
        s, atoms a sample; None is n / 16.
    n_iterations
        Updates of the dictionary.
    base
        "dct", as in the paper: the 2-D DCT of square blocks if n is a square number, the DCT of the whole vector
        otherwise; "dct-line", that of the whole vector for any n; "haar" of square blocks of a power-of-two side;
        "identity".
    tol, callback
        As in `GmDLA`.
    n_jobs
        Threads of the sparse coding; None is 1, -1 all. The result does not depend on it.
    """

    def __init__(
        self,
        atom_sparsity: int | None = None,
        sparsity: int | None = None,
        n_iterations: int = 150,
        *,
        base: str = "dct",
        tol: float = 0.0,
        callback: Callback | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.atom_sparsity = atom_sparsity
        self.sparsity = sparsity
        self.n_iterations = n_iterations
        self.base = base
        self.tol = tol
        self.callback = callback
        self.n_jobs = n_jobs

    def _learn(self, samples: Samples) -> None:
        Y, n = self._array(samples), samples.n
        p = min(4, n) if self.atom_sparsity is None else checked_integer("atom_sparsity", self.atom_sparsity, 1, n)
        base, base_operations = self._base(n)
        iterations = self._iterations()
        threads = thread_count(self.n_jobs)
        rotated = correlations(base, Y)
        atoms, curve = ksvd(rotated, np.eye(n), self._sparsity(n), iterations, atom_sparsity=p, n_threads=threads)
        self.transform_ = SparseDictionary.from_atoms(base, atoms)
        self.error_, self.error_curve_ = min(curve), np.array(curve)
        self.n_operations_ = sparse_ksvd_operations(p, n, base_operations)

    def _base(self, n: int) -> tuple[Dictionary, int]:
        """Return the base and its operations."""
        name = checked_choice("base", self.base, ("identity", "haar", "dct", "dct-line"))
        if name in ("identity", "haar"):
            product = base_product(name, n)
            return product, product.n_operations
        return cosine_base(n) if name == "dct" else cosine_line(n), cosine_operations(n)
