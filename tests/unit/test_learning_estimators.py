"""The estimators: scikit-learn's checks, what they learn, where samples come from."""

import warnings
from itertools import pairwise

import dask.array
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator
from tests.unit.test_structured import mixed_samples

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
