"""What the estimators are asked by others: scores for scikit-learn's model selection, batches, the default base."""

import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from tests.unit.test_learning_estimators import GENERAL, ORTHOGONAL
from tests.unit.test_structured import mixed_samples

from fdcodec.errors import ParameterError
from fdcodec.kernels.reconstruction.matrices import dct_matrix
from fdcodec.learning import DCT, QDLA, SKSVD, GmDLA, SparseKSVD, StructuredDLA
from fdcodec.learning.choices import cosine_base, cosine_line
from fdcodec.parallel import each as parallel_each
from fdcodec.transform.fast import correlations, synthesis


@pytest.mark.parametrize("estimator", [*ORTHOGONAL, *GENERAL], ids=repr)
def test_score_is_minus_the_relative_error(estimator):
    """The score of any samples is minus the share of their energy that the codes leave out."""
    X, others = mixed_samples(16, 230, seed=1)[:150], mixed_samples(16, 230, seed=1)[150:]
    learner = clone(estimator).fit(X)
    error = np.sum((others - learner.inverse_transform(learner.transform(others))) ** 2) / np.sum(others**2)
    assert learner.score(others) == pytest.approx(-error)


def test_score_before_fit_is_refused():
    """A score needs a fit, and as many features as it saw."""
    with pytest.raises(ParameterError, match="not fitted"):
        QDLA().score(np.ones((1, 4)))
    with pytest.raises(ParameterError, match="X has 5 features"):
        QDLA(n_iterations=1).fit(mixed_samples(4, 10, seed=0)).score(np.ones((1, 5)))


def test_model_selection_of_scikit_learn():
    """GridSearchCV finds that 24 rotations beat none, and cross_val_score gives a score a fold."""
    X = mixed_samples(16, 300, seed=2)
    search = GridSearchCV(GmDLA(sparsity=2, n_iterations=3), {"n_rotations": [0, 24]}, cv=3).fit(X)
    assert search.best_params_ == {"n_rotations": 24}
    scores = cross_val_score(search.best_estimator_, X, cv=3)
    assert scores.mean() == pytest.approx(search.best_score_)


def test_batches_are_what_can_be_iterated_again():
    """Lists, arrays of batches and functions, of empty batches too, give what fit gives; iterators are refused."""
    X = mixed_samples(16, 2400, seed=3)
    expected = QDLA(3, 3).fit(X).components_
    for batches in ([X[:1000], X[1000:]], (X[:7], X[7:]), X.reshape(3, 800, 16), lambda: iter([X])):
        np.testing.assert_array_equal(QDLA(3, 3).fit_batches(batches).components_, expected)
    for batches in ([X[:0], X, X[:0]], [X[:1024], X[:0], X[1024:2048], X[2048:]]):
        np.testing.assert_array_equal(QDLA(3, 3).fit_batches(batches).components_, expected)
    with pytest.raises(ParameterError, match="there are no samples"):
        QDLA().fit_batches([X[:0]])
    for batches in (iter([X]), (part for part in [X]), 5):
        with pytest.raises(ParameterError, match=r"batches is a \w+; .* give what can be iterated more than once"):
            QDLA().fit_batches(batches)


@pytest.mark.parametrize(
    "wrong",
    [1.0, np.ones(4), np.full((2, 4), np.nan), "words", np.ones((2, 4), complex), [[1.0], [2.0, 3.0]], np.ones((2, 5))],
    ids=str,
)
def test_what_is_no_batch_is_refused(wrong):
    """A number, one sample, NaN, words, complex numbers and another width are errors that say which batch it is."""
    with pytest.raises(ParameterError, match=r"batches\[1\]"):
        QDLA().fit_batches([np.ones((2, 4)), wrong])


@pytest.mark.parametrize("n", [1, 7, 8, 16, 36])
def test_default_base_is_the_cosine_transform(n):
    """The base is the 2-D DCT if n is a square number, else the 1-D one, for any n; both ways of it are one matrix."""
    side = round(n**0.5)
    matrix = np.kron(dct_matrix(side), dct_matrix(side)) if side * side == n else dct_matrix(n)
    atoms = synthesis(cosine_base(n), np.eye(n))
    np.testing.assert_allclose(np.sort(np.abs(atoms @ matrix.T), axis=1), np.eye(n)[::-1][[0] * n], atol=1e-12)
    np.testing.assert_allclose(correlations(cosine_base(n), np.eye(n)), atoms.T, atol=1e-12)


@pytest.mark.parametrize("n", [1, 8, 12, 36, 64])
def test_every_learner_of_the_cosine_transform_has_the_same(n):
    """The baseline is the base of Sparse K-SVD for any n, and where it is a product of factors the start of GmDLA."""
    X, atoms = mixed_samples(n, 50, seed=5), synthesis(cosine_base(n), np.eye(n))
    np.testing.assert_array_equal(DCT().fit(X).components_, atoms)
    if n & (n - 1) == 0:
        np.testing.assert_array_equal(StructuredDLA(0, n_iterations=0, base="dct").fit(X).components_, atoms)
        m = len(cosine_base(n))
        np.testing.assert_array_equal(GmDLA(m, n_iterations=0, init="dct").fit(X).components_, atoms)


@pytest.mark.parametrize("n", [12, 16, 36])
def test_sparse_ksvd_starts_from_the_cosine_transform(n):
    """Without iterations the dictionary of Sparse K-SVD is its base, and the paper's is the default."""
    for base, D in (("dct", cosine_base(n)), ("dct-line", cosine_line(n)), ("identity", np.eye(n))):
        learner = SparseKSVD(n_iterations=0, base=base).fit(mixed_samples(n, 50, seed=4))
        np.testing.assert_allclose(learner.components_, synthesis(D, np.eye(n)), atol=1e-12)
    assert SparseKSVD().base == "dct"


@pytest.mark.parametrize(("p", "n", "most"), [(None, 16, 4), (None, 3, 3), (1, 4, 1), (6, 8, 6)])
def test_atoms_have_as_many_entries_as_asked_for(p, n, most):
    """The default is 4 entries an atom, or n where that is less."""
    learner = SparseKSVD(p, 2, 5, base="identity").fit(mixed_samples(n, 80, seed=4))
    assert learner.transform_.indices.shape == (n, most)


def test_threads_share_all_sparse_coding(monkeypatch):
    """`n_jobs` threads code the samples in `fit`, in each stage of SK-SVD too, and in `transform`."""
    counts = []

    def each(work, items, n_threads, *most):
        counts.append(n_threads)
        return parallel_each(work, items, n_threads, *most)

    monkeypatch.setattr("fdcodec.learning.pursuit.each", each)
    X = mixed_samples(16, 2500, seed=6)
    for learner in (SKSVD(2, 2), SparseKSVD(2, 2, 1)):
        counts.clear()
        codes = clone(learner).set_params(n_jobs=2).fit(X).transform(X)
        assert set(counts) == {2}
        np.testing.assert_array_equal(codes, learner.fit(X).transform(X))


def test_use_before_fit_is_what_scikit_learn_catches():
    """What is asked of a learner before `fit` is a ParameterError, a NotFittedError, and nothing that it has."""
    for ask in (
        lambda: QDLA().transform(np.ones((1, 4))),
        lambda: QDLA().components_,
        lambda: QDLA().n_iter_,
        lambda: SKSVD().n_iter_,
        QDLA().get_feature_names_out,
    ):
        with pytest.raises(NotFittedError, match=r"this (QDLA|SKSVD) is not fitted; call fit") as caught:
            ask()
        assert isinstance(caught.value, ParameterError)
    assert not hasattr(GmDLA(), "components_")


def test_without_scikit_learn_use_before_fit_is_an_attribute_error(monkeypatch):
    """scikit-learn is not imported for its error: without it `hasattr` works, and the error is a ParameterError."""
    monkeypatch.delitem(sys.modules, "sklearn.exceptions")
    assert not hasattr(GmDLA(), "components_")
    with pytest.raises(ParameterError, match="not fitted"):
        QDLA().score(np.ones((1, 4)))
    assert "sklearn.exceptions" not in sys.modules
