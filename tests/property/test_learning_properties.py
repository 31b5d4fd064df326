"""Properties of the orthogonal methods on random data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fdcodec.learning import QDLA, GmDLA, HouseholderDLA, StructuredDLA


@st.composite
def samples(draw: st.DrawFn) -> np.ndarray:
    """Return small matrices: few distinct values (ties, zeros, repeated rows) or Gaussian."""
    n_samples, n = draw(st.integers(1, 40)), draw(st.integers(1, 9))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if draw(st.booleans()):
        return rng.integers(-1, 2, (n_samples, n)).astype(float)
    return rng.standard_normal((n_samples, n)) * 10.0 ** draw(st.integers(-3, 3))


@pytest.mark.parametrize(
    "make",
    [
        lambda m: GmDLA(m, n_iterations=4),
        lambda m: GmDLA(m, n_iterations=4, layer_size=1, order="random"),
        lambda m: GmDLA(m, n_iterations=4, objective="rate"),
        lambda m: GmDLA(m, n_iterations=1, method="search"),
        lambda m: HouseholderDLA(max(1, m), n_iterations=3),
        lambda m: QDLA(n_iterations=4),
        lambda m: StructuredDLA(1, n_iterations=6),
    ],
    ids=["paper", "random order", "rate", "search", "Householder", "Q", "structured"],
)
@settings(max_examples=15, deadline=None)
@given(X=samples(), m=st.integers(0, 8))
def test_curve_never_rises_and_atoms_are_orthonormal(make, X, m):
    """Every orthogonal method lowers its objective at each step and ends orthonormal, on any data."""
    learner = make(m).fit(X)
    curve = learner.error_curve_
    assert np.all(np.isfinite(curve))
    assert np.all(np.diff(curve) <= 1e-10 * max(1.0, abs(curve[0])))
    np.testing.assert_allclose(learner.components_ @ learner.components_.T, np.eye(X.shape[1]), atol=1e-9)
