"""The estimators: scikit-learn's checks, what they learn, where samples come from, bad input."""

import warnings
from itertools import pairwise

import dask.array
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator
from tests.unit.test_structured import mixed_samples

from fdcodec.errors import ParameterError
from fdcodec.integrations import dask as dask_integration
from fdcodec.kernels.reconstruction.matrices import dct_matrix
from fdcodec.learning import (
    DCT,
    QDLA,
    SKSVD,
    GmDLA,
    HouseholderDLA,
    RmDLA,
    SparseKSVD,
    StructuredDLA,
)
from fdcodec.learning.estimator import thread_count
from fdcodec.parallel import usable_processors

ORTHOGONAL = [
    GmDLA(20, 3, 6),
    GmDLA(20, 3, 6, init="haar"),
    GmDLA(12, 3, 2, method="search"),
    GmDLA(20, 3, 6, objective="rate", step=2.0),
    GmDLA(20, 3, 6, layer_size=4),
    GmDLA(20, 3, 6, order="random", random_state=1),
    QDLA(3, 6),
    HouseholderDLA(3, 3, 6),
    StructuredDLA(1, 3, 6),
    StructuredDLA([(8, 2)], 3, 6, base="dct", objective="sparsity"),
    DCT(3),
    DCT(3, separable=False),
]
GENERAL = [RmDLA(60, 3, 10), SKSVD(3, 6), SparseKSVD(4, 3, 4, base="dct"), SparseKSVD(4, 3, 4, base="dct-line")]


@pytest.mark.parametrize(
    "estimator",
    [
        GmDLA(n_iterations=2),
        GmDLA(n_iterations=1, method="search"),
        QDLA(n_iterations=2),
        HouseholderDLA(n_iterations=2),
        StructuredDLA(n_iterations=2),
        RmDLA(n_iterations=2),
        SKSVD(n_iterations=2),
        SparseKSVD(n_iterations=2),
        DCT(),
        DCT(separable=False),
    ],
    ids=repr,
)
def test_scikit_learn_checks_pass(estimator):
    """check_estimator finds no failure."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, on_fail=None, on_skip=None)
    failed = [(check["check_name"], check["exception"]) for check in results if check["status"] == "failed"]
    assert failed == []


@pytest.mark.parametrize("estimator", ORTHOGONAL, ids=repr)
def test_orthogonal_learners(estimator):
    """Atoms are orthonormal, codes s-sparse, the curve never rises, and its last error is that of the codes."""
    X = mixed_samples(16, 150, seed=1)
    learner = clone(estimator)
    codes = learner.fit_transform(X)
    np.testing.assert_allclose(learner.components_ @ learner.components_.T, np.eye(16), atol=1e-10)
    assert np.count_nonzero(codes, axis=1).max() <= 3
    assert np.all(np.diff(learner.error_curve_) <= 1e-12 * learner.error_curve_[0])
    if getattr(learner, "objective", "sparsity") == "sparsity":
        error = np.sum((X - learner.inverse_transform(codes)) ** 2) / np.sum(X**2)
        assert pytest.approx(error) == learner.error_curve_[-1]


@pytest.mark.parametrize("estimator", GENERAL, ids=repr)
def test_general_learners(estimator):
    """Atoms have unit norm, codes are s-sparse, and the error of the codes is the lowest of the curve's tail."""
    X = mixed_samples(16, 200, seed=2)
    learner = clone(estimator)
    codes = learner.fit_transform(X)
    np.testing.assert_allclose(np.linalg.norm(learner.components_, axis=1), 1.0)
    assert np.count_nonzero(codes, axis=1).max() <= 3
    error = np.sum((X - learner.inverse_transform(codes)) ** 2) / np.sum(X**2)
    assert error <= learner.error_curve_[-1] + 1e-12
    assert error < learner.error_curve_[0]


def test_more_rotations_never_hurt_the_construction():
    """The construction's curve falls with every factor and starts at the value of figure 1's definition."""
    X = mixed_samples(16, 300, seed=3)
    learner = GmDLA(30, 2, 0).fit(X)
    curve = learner.construction_curve_
    assert len(curve) == 31
    assert np.all(np.diff(curve) <= 0.0)
    assert learner.error_curve_[0] <= curve[-1] + 1e-12


@pytest.mark.parametrize("make", [lambda k: GmDLA(16, 2, 4, n_starts=k), lambda k: RmDLA(30, 2, 3, n_starts=k)])
def test_more_starts_never_hurt(make):
    """The first start is always the canonical one, so the best of several is not worse."""
    X = mixed_samples(16, 300, seed=10)
    errors = [make(count).fit(X).error_ for count in (1, 4)]
    assert errors[1] <= errors[0]


def test_threshold_chooses_m():
    """A larger min_gain gives fewer factors."""
    X = mixed_samples(16, 300, seed=4)
    sizes = [len(GmDLA(200, 2, 0, min_gain=gain).fit(X).transform_) for gain in (0.0, 1e-3, 1e-2)]
    assert sizes[0] > sizes[1] > sizes[2] > 0


def test_search_beats_the_paper():
    """The search ends below Algorithm 1 at equal m."""
    X = mixed_samples(16, 400, seed=5)
    errors = [GmDLA(16, 2, 8, method=method).fit(X).error_ for method in ("paper", "search")]
    assert errors[1] < errors[0]


def test_quantized_learner_is_on_the_grid_at_no_cost():
    """With angle_levels every angle is on the grid, and the error is at most a thousandth higher."""
    X = mixed_samples(16, 400, seed=6)
    free, snapped = (GmDLA(24, 3, 10, angle_levels=levels).fit(X) for levels in (None, 1024))
    np.testing.assert_allclose(snapped.transform_.blocks, snapped.transform_.quantized().blocks, atol=1e-12)
    assert snapped.error_ <= 1.001 * free.error_


def test_dct_baselines_are_the_cosine_matrices():
    """The separable baseline is the 2-D cosine transform, the other the 1-D one."""
    X = mixed_samples(16, 10, seed=7)
    for learner, matrix in (
        (DCT(), np.kron(dct_matrix(4), dct_matrix(4))),
        (DCT(separable=False), dct_matrix(16)),
    ):
        match = np.abs(learner.fit(X).components_ @ matrix.T)
        np.testing.assert_allclose(np.sort(match, axis=1), np.eye(16)[::-1][[0] * 16], atol=1e-12)


@pytest.mark.parametrize("estimator", GENERAL, ids=repr)
def test_threads_change_no_code(estimator):
    """One thread and three give the same dictionary, K-SVDs included."""
    X = mixed_samples(16, 2500, seed=11)
    fits = [clone(estimator).set_params(n_jobs=jobs).fit(X).components_ for jobs in (1, 3)]
    np.testing.assert_array_equal(fits[0], fits[1])


@pytest.mark.parametrize("estimator", [*ORTHOGONAL[:1], ORTHOGONAL[6], GENERAL[0]], ids=repr)
def test_source_and_threads_change_no_bit(estimator):
    """Threads, batches of odd sizes and dask partitions give the very same transform as one thread in memory."""
    X = mixed_samples(16, 2500, seed=8)
    expected = clone(estimator).fit(X)
    cuts = [0, 100, 101, 1500, 2500]
    others = [
        clone(estimator).set_params(n_jobs=3).fit(X),
        clone(estimator).fit_batches(lambda: (X[a:b] for a, b in pairwise(cuts))),
        dask_integration.fit(clone(estimator), dask.array.from_array(X, chunks=(700, 16)), partition_size=2048),
    ]
    for other in others:
        np.testing.assert_array_equal(expected.components_, other.components_)
        np.testing.assert_array_equal(expected.error_curve_, other.error_curve_)


def test_seed_decides_the_random_order():
    """The same seed repeats the result, another may not."""
    X = mixed_samples(16, 200, seed=9)
    fits = [GmDLA(20, 3, 4, order="random", random_state=seed).fit(X).components_ for seed in (1, 1, 2)]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert not np.array_equal(fits[0], fits[2])


@pytest.mark.parametrize("seed", [0, np.uint64(2**64 - 1), np.random.RandomState(3)], ids=str)
def test_seeds_may_be_any_of_64_bits(seed):
    """None is the seed 0, and a generator of numpy that scikit-learn takes is one here, too."""
    X = mixed_samples(16, 100, seed=9)
    learner = GmDLA(20, 3, 2, order="random", random_state=seed).fit(X)
    is_default = np.array_equal(learner.components_, GmDLA(20, 3, 2, order="random").fit(X).components_)
    assert is_default == (isinstance(seed, int) and seed == 0)


def test_all_processors_learn_the_same():
    """`n_jobs` of -1 is as many threads as there are processors."""
    assert thread_count(-1) == usable_processors()
    X = mixed_samples(16, 2500, seed=11)
    np.testing.assert_array_equal(QDLA(3, 2, n_jobs=-1).fit(X).components_, QDLA(3, 2).fit(X).components_)


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
    "estimator", [GmDLA(init="haar"), StructuredDLA(base="dct"), GmDLA(init="dct"), SparseKSVD(base="haar")], ids=repr
)
def test_bases_refuse_sizes_that_are_no_product_of_factors(estimator):
    """Haar and DCT bases say that n_features must be that of a square block, or of the DCT a power of two."""
    with pytest.raises(ParameterError, match="n_features is 12"):
        estimator.fit(mixed_samples(12, 20, seed=0))


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
