"""What every learner of transforms has in common: fit from anywhere, sparse codes, synthesis."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from fdcodec.errors import ParameterError
from fdcodec.learning.estimator import checked_integer, checked_real, thread_count, validated_samples
from fdcodec.learning.iterations import Callback, Iterations
from fdcodec.learning.pursuit import PursuitObjective, pursuit_codes
from fdcodec.learning.samples import ArraySamples, Batches, BatchSamples, Samples
from fdcodec.learning.statistics import SparseObjective
from fdcodec.learning.tables import TableTransformer
from fdcodec.transform.blocks import FloatArray
from fdcodec.transform.fast import Dictionary, FastTransform, synthesis


class TransformLearner(TableTransformer):
    """Base of the learners; a subclass learns in `_learn` and sets `transform_`, its errors and `n_operations_`.

    Attributes
    ----------
    transform_
        The learned transform: a `FactorProduct`, a `ReflectorProduct`, a `SparseDictionary`, or a matrix with the atoms
        in its columns. `np.asarray` gives the matrix of all of them.
    components_
        The atoms as rows, shape ``(n_features, n_features)``.
    error_curve_
        The objective after initialization and after each iteration.
    error_
        The objective of `transform_` itself on the samples of `fit`.
    n_iter_
        Iterations that were run.
    n_operations_
        Operations of one product of the transform with a vector, as the paper counts them: those of the DCT are
        ``2 n log2(n)``. `transform_.n_operations` is what is really done.
    n_features_in_
        Number of features of the samples.
    feature_names_in_
        Names of the columns that `fit` was given as a table, where all are texts.
    """

    sparsity: int | None
    n_iterations: int
    tol: float
    callback: Callback | None
    n_jobs: int | None
    transform_: Dictionary
    error_curve_: FloatArray
    error_: float
    n_operations_: int
    n_features_in_: int

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Learn the transform from samples in memory.

        Parameters
        ----------
        X
            Shape ``(n_samples, n_features)``; blocks row by row, means removed if wanted. Of a table with named columns
            `transform` and `score` want the same columns in the same order.
        y
            Ignored; there for scikit-learn's protocol.

        Raises
        ------
        ParameterError
            If X or a parameter is not allowed; the message names it.
        """
        self.fit_samples(ArraySamples(validated_samples(X), thread_count(self.n_jobs)))
        self._set_names(X)
        return self

    def fit_batches(self, batches: Batches) -> Self:
        """Learn from batches that are read again on every pass; the result equals `fit`'s on all of them, bit for bit.

        Parameters
        ----------
        batches
            A list, or whatever else can be iterated again, or a function that is called once a pass and returns an
            iterable; always the same batches in the same order, arrays of shape ``(any, n_features)``.

        Raises
        ------
        ParameterError
            If batches is an iterator, which is used up after one pass, or holds no batch, or one of another width or
            with NaN or inf.
        """
        return self.fit_samples(BatchSamples(batches, thread_count(self.n_jobs)))

    def fit_samples(self, samples: Samples) -> Self:
        """Learn from any source of samples (`ArraySamples`, `BatchSamples`, dask's)."""
        self._learn(samples)
        self.n_features_in_ = samples.n
        self._set_names(None)
        return self

    def _learn(self, samples: Samples) -> None:
        raise NotImplementedError

    def transform(self, X: ArrayLike) -> FloatArray:
        """Return the sparse codes of samples, shape ``(n_samples, n_features)``: T_s if orthogonal, OMP otherwise.

        They are an array, or after ``set_output(transform="pandas")`` a table.
        """
        from fdcodec.kernels.learning.statistics import keep_largest

        rows = self._fitted_rows(X)
        self._check_names(X)
        sparsity = self._sparsity(self.n_features_in_)
        if self._is_orthogonal():
            codes = self._analyze(rows)
            keep_largest(codes, sparsity)
        else:
            codes = pursuit_codes(self.transform_, rows, sparsity, thread_count(self.n_jobs))[0]
        return self._in_container(codes, X)

    def inverse_transform(self, codes: ArrayLike) -> FloatArray:
        """Return the samples that codes stand for: ``D x`` for each row x, shape ``(n_samples, n_features)``."""
        rows = self._fitted_rows(codes)
        return synthesis(self.transform_, rows)

    def fit_transform(self, X: ArrayLike, y: object = None) -> FloatArray:
        """Learn from X and return its sparse codes."""
        return self.fit(X).transform(X)

    def score(self, X: ArrayLike, y: object = None) -> float:
        """Return minus the relative representation error of samples (eq. reperror); larger is better, 0 is exact.

        It is ``-||Y - D X||_F^2 / ||Y||_F^2`` with Y the samples and X their codes by `transform`, at most `sparsity`
        nonzeros each, whatever objective was learned from; -1 if the samples are all zero.

        Parameters
        ----------
        X
            Shape ``(n_samples, n_features)``.
        y
            Ignored; there for scikit-learn's protocol.

        Raises
        ------
        ParameterError
            If the learner is not fitted, or X is not allowed.
        """
        samples = ArraySamples(self._fitted_rows(X), thread_count(self.n_jobs))
        self._check_names(X)
        objective = SparseObjective if self._is_orthogonal() else PursuitObjective
        return -objective(samples, self._sparsity(samples.n)).evaluate(self.transform_)[-1]

    @property
    def components_(self) -> FloatArray:
        """The atoms as rows."""
        self._check_fitted()
        return np.asarray(self.transform_).T.copy()

    @property
    def n_iter_(self) -> int:
        """Iterations that were run: the values of `error_curve_` after the first."""
        self._check_fitted()
        return len(self.error_curve_) - 1

    def _iterations(self) -> Iterations:
        if self.callback is not None and not callable(self.callback):
            raise ParameterError(f"callback is {self.callback!r}; it must be None or a function of iteration and error")
        count = checked_integer("n_iterations", self.n_iterations, 0)
        return Iterations(count, checked_real("tol", self.tol, 0.0), self.callback)

    def _sparsity(self, n: int) -> int:
        """Return s; without one, the paper's share of 4 in 64."""
        return -(-n // 16) if self.sparsity is None else checked_integer("sparsity", self.sparsity, 1, n)

    def _is_orthogonal(self) -> bool:
        return not isinstance(self.transform_, FastTransform) or self.transform_.is_orthogonal

    def _analyze(self, rows: FloatArray) -> FloatArray:
        """Return the coefficients of samples, in an array of their own."""
        if isinstance(self.transform_, FastTransform):
            return self.transform_.apply_transpose(rows)
        return np.asarray(rows @ self.transform_)

    def _fitted_rows(self, X: ArrayLike) -> FloatArray:
        self._check_fitted()
        rows = validated_samples(X)
        if rows.shape[1] != self.n_features_in_:
            name, expected = type(self).__name__, self.n_features_in_
            raise ParameterError(
                f"X has {rows.shape[1]} features, but {name} is expecting {expected} features as input"
            )
        return rows
