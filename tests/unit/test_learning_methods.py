"""Each method of the paper against an oracle with dense matrices, and what the learners' parameters stand for."""

import numpy as np
import pytest
from sklearn.base import clone
from tests.reference import learners as oracle
from tests.reference.learning import gm_dla
from tests.unit.test_structured import mixed_samples

from fdcodec.kernels.reconstruction.matrices import dct_matrix
from fdcodec.learning import QDLA, SKSVD, GmDLA, HouseholderDLA, RmDLA, SparseKSVD, StructuredDLA
from fdcodec.learning.choices import base_product
from fdcodec.learning.rm import normalized
from fdcodec.learning.samples import ArraySamples
from fdcodec.learning.statistics import RateObjective
from fdcodec.transform import FactorProduct, haar_product
from fdcodec.transform.blocks import grid_blocks, grid_codes


def singular_vectors(samples: np.ndarray) -> np.ndarray:
    """Return U of ``Y = U S V^T``, a positive entry the largest of each column."""
    U = np.linalg.svd(samples.T)[0]
    return U * np.sign(U[np.abs(U).argmax(axis=0), np.arange(len(U))])


def check(learner, expected, errors):
    """Compare the transform and the errors of a learner that was fitted with those of an oracle."""
    np.testing.assert_allclose(learner.error_curve_, errors, rtol=1e-7)
    np.testing.assert_allclose(np.asarray(learner.transform_), expected, atol=1e-6)


def test_g_m_dla_is_algorithm_1():
    """The learner starts from the singular vectors and does K sweeps."""
    X = mixed_samples(6, 40, seed=21)
    check(GmDLA(5, 2, 3).fit(X), *gm_dla(X.T, singular_vectors(X), 5, 2, 3))


def test_q_dla_is_the_oracle():
    """Q-DLA alternates T_s and the Procrustes solution from the singular vectors on."""
    X = mixed_samples(6, 40, seed=21)
    check(QDLA(2, 4).fit(X), *oracle.q_dla(X.T, singular_vectors(X), 2, 4))


@pytest.mark.parametrize("p", [1, 3])
def test_h_p_dla_is_the_oracle(p):
    """H_p-DLA gives each reflector its best vector in turn, from the X of the singular vectors on."""
    X = mixed_samples(6, 40, seed=21)
    check(HouseholderDLA(p, 2, 3).fit(X), *oracle.h_dla(X.T, singular_vectors(X), p, 2, 3))


@pytest.mark.parametrize(("m", "seed", "n_iterations"), [(4, 21, 3), (9, 22, 3), (6, 25, 3), (5, 21, 0)])
def test_r_m_dla_is_algorithm_2(m, seed, n_iterations):
    """R_m-DLA builds factors K times, refines the blocks of the best K times, and returns the best, if not the last."""
    X = mixed_samples(6, 40, seed)
    check(RmDLA(m, 2, n_iterations).fit(X), *oracle.rm_dla(X.T, singular_vectors(X), m, 2, n_iterations))


def test_delta_leaves_atoms_of_zeros():
    """Delta gives every atom unit norm but for those that are zero."""
    product = normalized(FactorProduct(3, np.array([[0, 1]]), np.array([[[2.0, 0.0], [0.0, 0.0]]])))
    np.testing.assert_array_equal(product.to_dense(), np.diag([1.0, 0.0, 1.0]))


@pytest.mark.parametrize(("p", "seed"), [(2, 21), (3, 24)])
def test_sparse_ksvd_is_the_oracle(p, seed):
    """Sparse K-SVD updates atoms of p entries over the DCT, from that on, and returns the best, if not the last."""
    X, base = mixed_samples(6, 40, seed), dct_matrix(6).T
    S, errors = oracle.ksvd(base.T @ X.T, np.eye(6), 2, 5, p)
    check(SparseKSVD(p, 2, 5).fit(X), base @ S, errors)


def test_ksvd_is_the_oracle():
    """In one stage SK-SVD is K-SVD with approximate updates, from the singular vectors on."""
    X = mixed_samples(6, 40, seed=21)
    check(SKSVD(2, 5, n_stages=1).fit(X), *oracle.ksvd(X.T, singular_vectors(X), 2, 5))


@pytest.mark.parametrize(("seed", "sizes"), [(21, [2, 4, 6]), (25, [2, 4, 6]), (21, [2, 4, 7])])
def test_sk_svd_is_the_oracle(seed, sizes):
    """Stages have equal steps, each adds the strongest directions of what is left, and the last runs half or more."""
    X = mixed_samples(sizes[-1], 40, seed)
    learner = SKSVD(2, 6, n_stages=3).fit(X)
    D, errors = oracle.staged_ksvd(X.T, 2, sizes, [1, 1, 4])
    np.testing.assert_allclose(learner.error_curve_, errors, rtol=1e-7)
    np.testing.assert_allclose(np.abs(learner.components_), np.abs(D.T), atol=1e-6)
    assert learner.error_ == min(learner.error_curve_[-5:])


def test_the_construction_curve_is_that_of_figure_1():
    """It has the errors of the X of the singular vectors after 0, 1, ... factors, and `min_gain` ends it."""
    Y = mixed_samples(6, 40, seed=21).T
    X = oracle.thresholded(singular_vectors(Y.T), Y, 2)
    product = GmDLA(8, 2, 0).fit(Y.T).transform_
    partial = [FactorProduct(6, product.pairs[:k], product.blocks[:k]).to_dense() for k in range(9)]
    expected = [oracle.error_of(D, X, Y) for D in partial]
    np.testing.assert_allclose(GmDLA(8, 2, 0).fit(Y.T).construction_curve_, expected, rtol=1e-9)
    falls = -np.diff(expected)
    gain = np.sqrt(falls[3] * falls[4])
    assert falls[:4].min() > gain > falls[4]
    np.testing.assert_allclose(GmDLA(8, 2, 0, min_gain=gain).fit(Y.T).construction_curve_, expected[:5], rtol=1e-9)


@pytest.mark.parametrize("learner", [GmDLA(5, 2, 2, objective="rate"), StructuredDLA(1, 2, 2)], ids=repr)
def test_the_step_is_the_root_mean_square(learner):
    """Without a step the log-rate takes that of the samples, and 1 where all are zero."""
    X = mixed_samples(8, 40, seed=21)
    given = clone(learner).set_params(step=float(np.sqrt(np.mean(X**2)))).fit(X)
    np.testing.assert_allclose(clone(learner).fit(X).error_curve_, given.error_curve_)
    assert clone(learner).fit(0.0 * X).error_ == 0.0


@pytest.mark.parametrize("base", ["identity", "dct"])
def test_structured_rotations_are_among_the_strongest(base):
    """Layouts number the coefficients of the base by falling energy, and analysis goes by the order of the layout."""
    variances = np.array([1.0, 9.0, 2.0, 8.0, 3.0, 7.0, 0.5, 6.0])
    X = base_product(base, 8).apply(np.diag(variances))
    learner = StructuredDLA([(4, 1), (2, 1)], n_iterations=0, base=base).fit(X)
    pairs = learner.transform_.pairs[: learner.n_rotations_]
    assert pairs[::-1].tolist() == [[1, 3], [5, 7], [1, 5], [3, 7], [1, 3]]


@pytest.mark.parametrize(("n", "sparsity", "m"), [(64, 4, 128), (16, 1, 21), (17, 2, 23), (1, 1, 0)])
def test_defaults_are_the_papers_shares(n, sparsity, m):
    """Without other numbers s is n / 16 rounded up, 4 for 64, and m is n log2(n) / 3 rounded, 128 for 64."""
    X = mixed_samples(n, 30, seed=n)
    learner = GmDLA(n_iterations=0).fit(X)
    assert np.count_nonzero(learner.transform(X), axis=1).tolist() == [sparsity] * 30
    assert len(learner.transform_) == m


@pytest.mark.parametrize(("n", "rounds", "n_rotations"), [(12, 1, 12), (8, 2, 24), (9, [(4, 1), (2, 3), (1, 2)], 7)])
def test_rounds_have_as_many_rotations_as_documented(n, rounds, n_rotations):
    """A round has log2(width) width / 2 rotations; an integer is rounds over the greatest power of two."""
    learner = StructuredDLA(rounds, n_iterations=0).fit(mixed_samples(n, 20, seed=1))
    assert learner.n_rotations_ == len(learner.transform_) == n_rotations


@pytest.mark.parametrize("m", [0, 3, 25, 40])
@pytest.mark.parametrize("options", [{"init": "haar"}, {"init": "dct"}, {"init": "identity"}, {"method": "search"}])
def test_any_start_is_brought_to_m_factors(m, options):
    """Bases of more factors lose some, others gain some; none ends above the error of no factors at all."""
    X = mixed_samples(16, 60, seed=3)
    learner = GmDLA(m, 2, 1, **options).fit(X)
    assert len(learner.transform_) == m
    assert learner.error_ <= GmDLA(0, 2, 0).fit(X).error_


@pytest.mark.parametrize("kind", ["paper", "search"])
def test_the_base_is_kept_where_it_has_m_factors(kind):
    """Samples that are sparse in the Haar transform are learned by starting from it."""
    haar = haar_product(4)
    codes = np.zeros((60, 16))
    codes[np.arange(60), np.arange(60) % 16] = np.random.default_rng(0).uniform(1, 2, 60)
    learner = GmDLA(20, 1, 2, init="haar", method=kind).fit(haar.apply(codes))
    assert learner.error_ == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("base", ["identity", "dct"])
@pytest.mark.parametrize("levels", [16, 1024])
def test_structured_rotations_end_on_the_grid(base, levels):
    """With `angle_levels` all rotations are on the grid, `error_` is what they reach, and a fine grid costs nothing."""
    X = mixed_samples(16, 200, seed=6)
    free, snapped = (StructuredDLA(1, 3, 30, base=base, step=1.0, angle_levels=k).fit(X) for k in (None, levels))
    blocks = snapped.transform_.blocks[: snapped.n_rotations_]
    np.testing.assert_allclose(blocks, grid_blocks(grid_codes(blocks, levels), levels), atol=1e-12)
    assert snapped.error_ == pytest.approx(RateObjective(ArraySamples(X), 1.0).evaluate(snapped.transform_)[1])
    assert levels < 1024 or snapped.error_ <= 1.001 * free.error_
    np.testing.assert_array_equal(snapped.error_curve_, free.error_curve_)
