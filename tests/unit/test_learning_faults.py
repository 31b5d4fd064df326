"""What learners do with samples and parameters that leave them little to learn, and what they tell of it."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from tests.unit.test_learning_estimators import GENERAL, ORTHOGONAL
from tests.unit.test_structured import mixed_samples

from fdcodec.errors import LearningWarning, ParameterError
from fdcodec.learning import QDLA, SKSVD, GmDLA, RmDLA, SparseKSVD, StructuredDLA


def test_threshold_chooses_m_for_the_rate():
    """`min_gain` bounds what a factor lowers the rate by, in bits a sample, as it bounds the relative error."""
    X = mixed_samples(16, 300, seed=4)
    learners = [GmDLA(200, 2, 0, objective="rate", min_gain=gain).fit(X) for gain in (0.0, 1e-2, 1e-1, 1e9)]
    sizes = [len(learner.transform_) for learner in learners]
    assert sizes[0] > sizes[1] > sizes[2] > sizes[3] == 0


@pytest.mark.parametrize("learner", [GmDLA(4, 2, 1, objective="rate"), StructuredDLA(1, 2, 1)], ids=repr)
def test_a_step_too_small_for_the_samples_is_refused(learner):
    """A rate that overflows is an error that names the step; of 1e-18 of the greatest sample it is finite."""
    X = mixed_samples(16, 50, seed=4)
    assert np.isfinite(clone(learner).set_params(step=1e-18 * np.abs(X).max()).fit(X).error_)
    with pytest.raises(ParameterError, match="step is 1e-30, too small for such samples; give 1e-18"):
        learner.set_params(step=1e-30).fit(X)


@pytest.mark.parametrize(
    ("learner", "wrong"),
    [
        (GmDLA(10, 2, 3), {"angle_levels": 2}),
        (GmDLA(10, 2, 3), {"method": "best"}),
        (GmDLA(10, 2, 3), {"n_starts": 0}),
        (StructuredDLA(1, 2, 3), {"angle_levels": 2}),
    ],
    ids=repr,
)
def test_a_refused_parameter_leaves_the_former_fit(learner, wrong):
    """A fit that refuses a parameter changes nothing of what was learned before, and learns nothing first."""
    X = mixed_samples(16, 100, seed=1)
    before = dict(vars(learner.fit(X)))
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        learner.set_params(**wrong).fit(2.0 * X)
    assert all(value is before[name] for name, value in vars(learner).items() if name not in wrong)


def test_fewer_r_factors_than_asked_for_are_told():
    """R_m-DLA has nothing to build from samples of zeros, and warns; of one feature there is no factor to ask for."""
    with pytest.warns(LearningWarning, match="built 0 of the 40 factors .* give others") as told:
        learner = RmDLA(40, 1, 2).fit(np.zeros((50, 16)))
    assert told[0].filename == __file__
    assert len(learner.transform_) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RmDLA(40, 1, 2).fit(mixed_samples(16, 50, seed=0))
        RmDLA(40, 1, 2).fit(np.ones((50, 1)))


@pytest.mark.filterwarnings("ignore::fdcodec.errors.LearningWarning")
@pytest.mark.parametrize("learner", [*ORTHOGONAL, *GENERAL], ids=repr)
def test_samples_of_zeros_are_learned(learner):
    """Samples that are all zero are an error of 1 by definition, or no bits; codes and scores of them are finite."""
    X = np.zeros((5, 16))
    learner = clone(learner).fit(X)
    assert learner.error_ == (0.0 if getattr(learner, "objective", "sparsity") == "rate" else 1.0)
    assert learner.score(X) == -1.0
    np.testing.assert_array_equal(learner.transform(X), X)


@pytest.mark.parametrize(("rank", "most"), [(1, 1e-12), (2, 0.01)])
def test_r_factors_learn_samples_of_low_rank(rank, most):
    """R_m-DLA uses all its factors for samples of rank s: the paper's rule left 39 % of rank 1 and 7 % of rank 2."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((200, rank)) @ rng.standard_normal((rank, 16))
        learner = RmDLA(40, 2, 20).fit(X)
        assert len(learner.transform_) == 40
        assert learner.error_ < most


@pytest.mark.parametrize(
    "learner", [*ORTHOGONAL, *GENERAL, RmDLA(20, 2, 0), SKSVD(2, 0), GmDLA(20, 2, 2, angle_levels=8)], ids=repr
)
def test_error_is_that_of_the_transform(learner):
    """`error_` is the error of the learned transform on the samples of `fit`: minus the score, but for a rate."""
    X = mixed_samples(16, 230, seed=1)
    learner = clone(learner).fit(X)
    if getattr(learner, "objective", "sparsity") == "sparsity":
        assert learner.error_ == pytest.approx(-learner.score(X), abs=1e-12)
    assert learner.error_ > 0.0


@pytest.mark.parametrize("exponent", [-240, -200, 200, 240])
def test_the_scale_of_samples_changes_no_r_factor(exponent):
    """R_m-DLA learns the same factors from samples times a power of two, down to 1e-72 and up to 1e72."""
    X = mixed_samples(16, 100, seed=3)
    X *= 2.0**exponent / np.abs(X).max()
    expected = RmDLA(24, 2, 4).fit(np.ldexp(X, -exponent))
    scaled = RmDLA(24, 2, 4).fit(X)
    np.testing.assert_allclose(scaled.components_, expected.components_, atol=1e-6)
    np.testing.assert_allclose(scaled.error_curve_, expected.error_curve_)


@pytest.mark.parametrize(
    "learner", [RmDLA(sparsity=15, n_iterations=10), SKSVD(15, 4), SparseKSVD(4, 15, 4), QDLA(15, 2)], ids=repr
)
def test_no_error_is_negative(learner):
    """Where next to nothing is left, errors and scores are 0, and not on its other side by rounding."""
    for seed in range(4):
        X = mixed_samples(16, 200, seed)[:, :15]
        learner = clone(learner).fit(X)
        assert learner.score(X) <= 0.0
        assert learner.error_ >= 0.0
        assert learner.error_curve_.min() >= 0.0
