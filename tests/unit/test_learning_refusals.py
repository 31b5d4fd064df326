"""What learners refuse: parameters, samples, sizes, use before fit."""

import numpy as np
import pytest
from tests.unit.test_structured import mixed_samples

from fdcodec.errors import ParameterError
from fdcodec.learning import (
    QDLA,
    SKSVD,
    GmDLA,
    HouseholderDLA,
    RmDLA,
    SparseKSVD,
    StructuredDLA,
)


@pytest.mark.parametrize(
    ("estimator", "word"),
    [
        (GmDLA(-1), "n_rotations is -1"),
        (GmDLA(2.5), "n_rotations is 2.5"),
        (GmDLA(True), "n_rotations is True"),
        (GmDLA(tol=True), "tol is True"),
        (GmDLA(tol=1e76), r"tol is 1e\+76; it must be a number in \[0, 1e\+75\]"),
        (GmDLA(n_jobs=-2), "n_jobs is -2"),
        (GmDLA(order="random", random_state=2**64), "random_state is 18446744073709551616"),
        (GmDLA(sparsity=17), r"sparsity is 17; it must be an integer in \[1, 16\]"),
        (GmDLA(n_iterations=-1), "n_iterations"),
        (GmDLA(method="best"), "method is 'best'"),
        (GmDLA(init="fourier"), "init is 'fourier'"),
        (GmDLA(objective="l1"), "objective"),
        (GmDLA(objective="rate", step=-1.0), "step is -1.0"),
        (GmDLA(objective="rate", step=1e-300), "step is 1e-300"),
        (GmDLA(min_gain=-1.0), "min_gain is -1.0"),
        (GmDLA(tol=-1.0), "tol is -1.0"),
        (GmDLA(tol=None), "tol is None"),
        (GmDLA(10**30), "n_rotations is 1000"),
        (GmDLA(n_jobs=10**30), "n_jobs is 1000"),
        (GmDLA(angle_levels=10**30), "angle_levels is 1000"),
        (GmDLA(n_starts=0), "n_starts is 0"),
        (GmDLA(layer_size=9), "layer_size is 9"),
        (GmDLA(order="best"), "order"),
        (GmDLA(angle_levels=2), "angle_levels"),
        (GmDLA(n_jobs=0), "n_jobs is 0"),
        (GmDLA(order="random", random_state=-3), "random_state"),
        (HouseholderDLA(0), "n_reflectors"),
        (StructuredDLA([(12, 1)]), "rounds"),
        (StructuredDLA(2.0), "rounds is 2.0"),
        (StructuredDLA("2"), "rounds is '2'"),
        (StructuredDLA([1, 2]), r"rounds is \[1, 2\]"),
        (StructuredDLA(10**30), "rounds is 1000"),
        (RmDLA(-2), "n_factors"),
        (SKSVD(n_stages=0), "n_stages"),
        (SparseKSVD(17), "atom_sparsity is 17"),
        (SparseKSVD(base="db4"), "base is 'db4'"),
    ],
    ids=repr,
)
def test_bad_parameters_are_named(estimator, word):
    """Every bad parameter raises a ParameterError that names it, its value and the range."""
    with pytest.raises(ParameterError, match=word):
        estimator.fit(mixed_samples(16, 20, seed=0))


def test_rounds_may_be_an_array():
    """Layouts given as pairs and as an array are the same."""
    X = mixed_samples(16, 50, seed=1)
    pairs, array = (
        StructuredDLA(rounds, n_iterations=2).fit(X) for rounds in ([(8, 1), (16, 1)], np.array([[8, 1], [16, 1]]))
    )
    np.testing.assert_array_equal(pairs.components_, array.components_)


@pytest.mark.parametrize(
    ("estimator", "n", "word"),
    [
        (GmDLA(init="haar"), 12, "init is 'haar', which needs square blocks .* n_features is 12; choose another init"),
        (GmDLA(init="haar", method="search"), 12, "init is 'haar', .* n_features is 12"),
        (GmDLA(init="haar", method="search"), 32, "init is 'haar', .* 1, 4, 16, 64, ... features; n_features is 32"),
        (GmDLA(init="dct"), 12, "init is 'dct', .* powers of two only; n_features is 12; choose another init"),
        (GmDLA(init="dct", method="search"), 36, "init is 'dct', .* n_features is 36"),
        (StructuredDLA(base="dct"), 12, "base is 'dct', .* n_features is 12; choose another base"),
        (SparseKSVD(base="haar"), 12, "base is 'haar', .* n_features is 12"),
    ],
    ids=repr,
)
def test_bases_refuse_sizes_that_are_no_product_of_factors(estimator, n, word):
    """Haar and DCT say that n_features must be that of a square block, or of the DCT a power of two."""
    with pytest.raises(ParameterError, match=word):
        estimator.fit(mixed_samples(n, 20, seed=0))


@pytest.mark.parametrize(
    ("X", "word"),
    [
        (np.full((3, 4), np.nan), "NaN"),
        (np.array([[1.0, -np.inf]]), "inf"),
        (np.array([[1.0, -1e200]]), r"X contains a magnitude of 1e\+200, .* scale it to 1e\+75 at most"),
        (np.ones(4), "shape"),
        (np.ones((0, 4)), "0 sample"),
        (np.ones((4, 0)), "0 feature"),
        (np.ones((2, 2), complex), "Complex"),
        (np.array([["a", "b"]]), "not numbers"),
        ([[1.0, 2.0], [3.0]], "rows of one length"),
    ],
)
def test_bad_samples_are_named(X, word):
    """Samples that are no finite matrix raise a ParameterError that says why."""
    with pytest.raises(ParameterError, match=word):
        QDLA(n_iterations=1).fit(X)


@pytest.mark.parametrize("learner", [GmDLA, HouseholderDLA, QDLA, RmDLA, SKSVD, SparseKSVD, StructuredDLA])
def test_the_largest_samples_allowed_are_learned(learner):
    """Samples of the greatest magnitude allowed overflow in no learner; a warning of numpy is an error."""
    X = mixed_samples(4, 20, seed=0)
    learned = learner().fit(X * (1e75 / np.abs(X).max()))
    assert np.isfinite(learned.components_).all()
    assert np.isfinite(learned.error_curve_).all()


def test_use_before_fit_and_wrong_width_are_refused():
    """Transform needs a fit, and as many features as it saw."""
    with pytest.raises(ParameterError, match="not fitted"):
        QDLA().transform(np.ones((1, 4)))
    learner = QDLA(n_iterations=1).fit(mixed_samples(4, 10, seed=0))
    with pytest.raises(ParameterError, match="X has 5 features"):
        learner.transform(np.ones((1, 5)))


def test_ksvd_needs_memory_and_batches_must_agree():
    """K-SVD refuses batches; batches of other widths, or none, are refused."""
    with pytest.raises(ParameterError, match="in memory"):
        SKSVD().fit_batches(lambda: [np.ones((3, 4))])
    with pytest.raises(ParameterError, match="batches"):
        QDLA().fit_batches(lambda: [])
    with pytest.raises(ParameterError, match="batches"):
        QDLA().fit_batches(lambda: [np.ones((3, 4)), np.ones((3, 5))])
