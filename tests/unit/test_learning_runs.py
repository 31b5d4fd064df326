"""Where learners start, when they stop, and whom they tell."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone
from tests.unit.test_learning_estimators import GENERAL, ORTHOGONAL
from tests.unit.test_structured import mixed_samples

from fdcodec.errors import ParameterError
from fdcodec.learning import DCT, QDLA, SKSVD, GmDLA, HouseholderDLA, RmDLA, SparseKSVD, StructuredDLA
from fdcodec.learning.choices import base_product
from fdcodec.learning.gm import starting_directions
from fdcodec.learning.iterations import WINDOW, Iterations
from fdcodec.learning.pursuit import pursuit_codes
from fdcodec.learning.samples import ArraySamples
from fdcodec.learning.search import iterated_local_search
from fdcodec.learning.statistics import SparseObjective
from fdcodec.transform import FactorProduct

X = mixed_samples(16, 300, seed=12)
ITERATIVE = [estimator for estimator in [*ORTHOGONAL, *GENERAL] if not isinstance(estimator, DCT)]


@pytest.mark.parametrize("make", [lambda k, **start: GmDLA(16, 3, k, **start), lambda k, **start: QDLA(3, k, **start)])
def test_a_start_goes_on_where_the_former_fit_ended(make):
    """Four iterations from the result of three are iterations four to seven, to rounding."""
    whole, first = make(7).fit(X), make(3).fit(X)
    rest = make(4, init=first.transform_).fit(X)
    np.testing.assert_allclose(rest.error_curve_, whole.error_curve_[3:], rtol=1e-9)
    np.testing.assert_allclose(rest.components_, whole.components_, atol=1e-6)


def test_other_starts_have_other_signs():
    """Starts are the same directions, the first as they are, the others with signs changed by the seed."""
    U = np.random.default_rng(0).standard_normal((16, 16))
    starts = starting_directions(U, 4, np.random.default_rng(1))
    signs = np.array([start / U for start in starts])
    np.testing.assert_array_equal(np.abs(signs), 1.0)
    np.testing.assert_array_equal(signs, np.repeat(signs[:, :1], 16, axis=1))
    assert signs[0].min() == 1.0
    assert len(np.unique(signs[:, 0], axis=0)) == 4


@pytest.mark.parametrize("learner", [GmDLA(16, 2, 4), RmDLA(30, 2, 3), StructuredDLA(1, 2, 9)], ids=repr)
def test_the_best_of_several_starts_is_kept(learner):
    """Several starts find what one does not, and the best of them is the result; the seed decides which they are."""
    one, *others = (
        clone(learner).set_params(n_starts=n_starts, random_state=seed).fit(X)
        for n_starts, seed in ((1, 0), (6, 0), (6, 0), (6, 1))
    )
    errors = [other.error_ for other in others]
    assert max(errors[:2]) < 0.9995 * one.error_
    np.testing.assert_array_equal(others[0].components_, others[1].components_)
    assert not np.array_equal(others[0].components_, others[2].components_)


@pytest.mark.parametrize(
    ("learner", "rounds"), [(GmDLA(6, 2, 3), 3), (RmDLA(6, 2, 3), 6), (StructuredDLA(1, 2, 3), 3)], ids=repr
)
def test_every_start_is_run(learner, rounds):
    """So many starts take so many times the iterations of one."""
    for n_starts in (1, 2, 3):
        told = []
        clone(learner).set_params(n_starts=n_starts, callback=lambda *seen: told.append(seen)).fit(X)  # noqa: B023
        assert len(told) == n_starts * rounds


@pytest.mark.parametrize("layer_size", [2, 5, 8])
def test_factors_of_a_layer_are_on_disjoint_pairs(layer_size):
    """Sweeps, as the construction, update up to n / 2 factors together, on pairs that share nothing."""
    pairs = GmDLA(20, 3, 3, layer_size=layer_size).fit(X).transform_.pairs
    for first in range(0, 20, layer_size):
        layer = pairs[first : first + layer_size]
        assert len(np.unique(layer)) == layer.size


def test_r_factors_given_as_a_start_are_kept_unless_better_are_found():
    """R_m-DLA from a product of m factors returns it without iterations, and nothing worse with them."""
    former = RmDLA(40, 3, 4).fit(X)
    again = RmDLA(40, 3, 0, init=former.transform_).fit(X)
    np.testing.assert_array_equal(again.components_, former.components_)
    assert RmDLA(40, 3, 4, init=former.transform_).fit(X).error_ <= former.error_


def test_rotations_are_refined_to_r_factors():
    """Rotations that are better than what is built from their codes are those whose blocks are solved for."""
    former = GmDLA(8, 3, 20).fit(X)
    learner = RmDLA(8, 3, 1, init=former.transform_).fit(X)
    assert learner.error_curve_[1] > former.error_ > learner.error_
    np.testing.assert_array_equal(learner.transform_.pairs, former.transform_.pairs)


def test_a_matrix_takes_the_place_of_the_singular_vectors():
    """With the singular vectors for `init` learners give what they give without; other matrices start elsewhere."""
    values, U = np.linalg.eigh(X.T @ X)
    U = U[:, np.argsort(-values)]
    U *= np.sign(U[np.abs(U).argmax(axis=0), np.arange(16)])
    other = np.asarray(HouseholderDLA(3, 3, 2).fit(X).transform_)
    for learner in (GmDLA(16, 3, 3), QDLA(3, 3), RmDLA(40, 3, 3)):
        expected = clone(learner).fit(X)
        same = clone(learner).set_params(init=U).fit(X)
        np.testing.assert_allclose(same.error_curve_, expected.error_curve_, rtol=1e-9)
        elsewhere = clone(learner).set_params(init=other).fit(X)
        assert elsewhere.error_curve_[0] != pytest.approx(expected.error_curve_[0], rel=1e-6)


def test_any_dictionary_starts_r_factors():
    """R_m-DLA begins its curve with the error of the dictionary that it was given, orthogonal or not."""
    for former in (SKSVD(3, 3), SparseKSVD(4, 3, 3), HouseholderDLA(3, 3, 3)):
        start = former.fit(X).transform_
        assert RmDLA(40, 3, 1, init=start).fit(X).error_curve_[0] == pytest.approx(former.error_)


def test_r_factors_start_from_atoms_of_zeros_too():
    """An atom of zeros is one that no sample uses."""
    D = np.where(np.arange(16) == 15, 0.0, np.linalg.eigh(X.T @ X)[1])
    error = np.sum((X - pursuit_codes(D, X, 3)[0] @ D.T) ** 2) / np.sum(X**2)
    assert RmDLA(20, 3, 1, init=D).fit(X).error_curve_[0] == pytest.approx(error)


def test_the_search_starts_from_a_product_too():
    """The search is not worse than the product that it was given, and goes further than Algorithm 1 from there."""
    former = GmDLA(12, 3, 20, method="search", random_state=5).fit(X)
    again = GmDLA(12, 3, 0, method="search", init=former.transform_).fit(X)
    assert again.error_curve_[0] <= former.error_ + 1e-12
    start = GmDLA(12, 3, 0).fit(X).transform_
    paper, search = (GmDLA(12, 3, 4, method=method, init=start).fit(X).error_ for method in ("paper", "search"))
    assert search < paper


@pytest.mark.parametrize(("n", "init", "n_starts"), [(32, "svd", 2), (32, "dct", 3), (16, "svd", 4), (16, "dct", 4)])
def test_the_search_starts_from_the_base_that_init_names(monkeypatch, n, init, n_starts):
    """A base that is not among those of every search is one more start; one that is, is not searched twice."""
    met = []
    monkeypatch.setattr(
        "fdcodec.learning.gm_learner.search", lambda objective, starts, *_: met.append(starts) or (starts[0], [0.0])
    )
    GmDLA(8, 2, 0, method="search", init=init).fit(mixed_samples(n, 40, seed=3))
    dct = base_product("dct", n).to_dense()
    assert len(met[0]) == n_starts
    assert any(np.array_equal(start.to_dense(), dct) for start in met[0]) == (init == "dct" or n == 16)


def test_search_returns_the_best_that_it_met(monkeypatch):
    """Where rises are accepted the last product is not the best, which is what comes back with its objective."""
    monkeypatch.setattr("fdcodec.learning.search.TEMPERATURE", 0.5)
    objective, random = SparseObjective(ArraySamples(X), 3), np.random.default_rng(1)
    product, curve = iterated_local_search(objective, GmDLA(12, 3, 4).fit(X).transform_, Iterations(12), random)
    assert objective.evaluate(product)[1] == curve[-1] < curve[0]
    assert (np.diff(curve) <= 0).all()


@pytest.mark.parametrize(("n_iterations", "numbers"), [(16, [*4 * [1, 2], *range(1, 9)]), (5, [1, 2, 3, 4, 5])])
def test_half_of_the_rounds_of_a_search_are_heats(n_iterations, numbers):
    """Four heats share half of the rounds, and the best of them has the rest: as many as asked for in all."""
    told = []
    GmDLA(6, 3, n_iterations, method="search", callback=lambda number, error: told.append(number)).fit(X[:60])
    assert told == numbers


def test_factors_that_are_no_rotations_start_as_their_matrix():
    """A product that is orthogonal only as a whole takes the place of the singular vectors, as its matrix does."""
    pairs, blocks = np.array([[0, 1], [0, 1]]), np.array([np.diag([2.0, 1.0]), np.diag([0.5, -1.0])])
    product = FactorProduct(16, pairs, blocks)
    expected = GmDLA(6, 3, 2, init=np.asarray(product)).fit(X)
    np.testing.assert_array_equal(GmDLA(6, 3, 2, init=product).fit(X).components_, expected.components_)


def test_a_pair_of_features_has_its_rotation():
    """Two features are one pair, whose best G-transform is the dictionary."""
    samples = X[:, :2]
    np.testing.assert_allclose(GmDLA(1, 1, 9).fit(samples).error_, QDLA(1, 9).fit(samples).error_)
    assert len(GmDLA(1, 1, 9).fit(samples).transform_) == 1


@pytest.mark.parametrize(
    ("learner", "word"),
    [
        (GmDLA(init=np.eye(15)), r"init has shape \(15, 15\); it must be one of svd, identity, haar, dct, or a trans"),
        (QDLA(init=np.ones(16)), r"init is array.*shape \(16, 16\) with the atoms in its columns"),
        (QDLA(init=None), "init is None; it must be one of svd, or"),
        (QDLA(init="haar"), "init is 'haar'"),
        (QDLA(init=(np.eye(16) + np.eye(16, k=1)) / np.sqrt(np.r_[1.0, [2.0] * 15])), "0.707107 off .* orthonormal"),
        (GmDLA(init=2.0 * np.eye(16)), "init has products of columns 3 off .* give orthonormal columns"),
        (QDLA(init=np.full((16, 16), np.nan)), "init has products of columns nan"),
        (RmDLA(init=2.0 * np.eye(16)), "init has .* give columns of norm 1, or zeros"),
        (QDLA(tol=-1.0), "tol is -1.0"),
        (SKSVD(callback=5), "callback is 5; it must be None or a function"),
    ],
    ids=repr,
)
def test_what_is_no_start_no_end_and_no_function_is_refused(learner, word):
    """A start of another shape or that is not orthogonal, and a wrong tol or callback, are named."""
    with pytest.raises(ParameterError, match=word):
        learner.fit(X)


@pytest.mark.parametrize("estimator", ITERATIVE, ids=repr)
def test_callback_is_told_of_every_iteration(estimator):
    """It gets numbers from 1 on and errors, and changes nothing."""
    told = []
    learner = clone(estimator).set_params(callback=lambda *seen: told.append(seen)).fit(X)
    expected = clone(estimator).fit(X)
    np.testing.assert_array_equal(learner.error_curve_, expected.error_curve_)
    numbers, errors = zip(*told, strict=True)
    assert numbers[0] == 1
    assert all(number in (1, before + 1) for before, number in pairwise(numbers))
    assert set(errors) <= set(learner.error_curve_) or getattr(learner, "method", "") == "search"


@pytest.mark.parametrize("estimator", [e for e in ITERATIVE if getattr(e, "method", "") != "search"], ids=repr)
def test_tol_ends_a_run_early(estimator):
    """It ends where ten iterations gain less than its share; 0 runs all."""
    tol, count = 0.02, 80
    curves = [clone(estimator).set_params(tol=tol, n_iterations=count).fit(X).error_curve_ for tol in (0.0, tol)]
    assert WINDOW < len(curves[1]) < len(curves[0])
    if not isinstance(estimator, (RmDLA, SKSVD)):
        np.testing.assert_array_equal(curves[1], curves[0][: len(curves[1])])
        least = np.minimum.accumulate(curves[1])
        gains = 1.0 - least[WINDOW:] / least[:-WINDOW]
        assert np.all(gains[:-1] >= tol)
        assert gains[-1] < tol


@pytest.mark.parametrize(
    ("errors", "count"),
    [
        ([1.0] * 30, 10),
        ([1.0, *[2.0] * 9, 0.5, *[0.6] * 30], 20),
        (list(0.9 ** np.arange(31)), 30),
        ([1.0] * 5, 4),
    ],
    ids=["level", "rises first", "falls", "short"],
)
def test_a_run_ends_after_ten_iterations_without_gain(errors, count):
    """What counts is the least value so far, so that rises in between end nothing."""
    curve = errors[:1]
    for number in Iterations(len(errors) - 1, tol=1e-3).over(curve):
        curve.append(errors[number + 1])
    assert len(curve) - 1 == count


@pytest.mark.parametrize(
    ("learner", "count"),
    [
        (QDLA(3, 5), 5),
        (RmDLA(20, 3, 5), 10),
        *((SKSVD(3, k), k) for k in (0, 1, 5, 12)),
        (SKSVD(3, 5, n_stages=1), 5),
        (DCT(3), 0),
    ],
)
def test_iterations_are_counted(learner, count):
    """`n_iter_` is how many iterations were run, and is not there before `fit`."""
    assert not hasattr(learner, "n_iter_")
    assert learner.fit(X).n_iter_ == count
