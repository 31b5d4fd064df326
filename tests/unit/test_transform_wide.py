"""G-transforms over q indices (Remark 3)."""

from itertools import combinations

import numpy as np
import pytest
from tests.reference import learning as oracle

from fdcodec.errors import ParameterError
from fdcodec.transform.wide import apply_wide, best_wide_transform


def random_z(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return Y, X and Y X^T of random samples."""
    rng = np.random.default_rng(seed)
    Y, X = rng.standard_normal((n, 40)), rng.standard_normal((n, 40))
    return Y, X, Y @ X.T


def test_two_indices_are_the_g_transform():
    """For q = 2 the best transform is the G-transform of the largest C_ij."""
    _, _, Z = random_z(6, seed=1)
    i, j, block = oracle.best_factor(Z)
    subset, wide = best_wide_transform(Z, 2)
    assert [i, j] == subset.tolist()
    np.testing.assert_allclose(wide, block, atol=1e-12)


@pytest.mark.parametrize("q", [3, 4, 6])
def test_best_of_all_subsets(q):
    """No subset's Procrustes block gives a lower squared error, and the block is orthogonal."""
    Y, X, Z = random_z(6, seed=q)
    subset, block = best_wide_transform(Z, q)
    np.testing.assert_allclose(block @ block.T, np.eye(q), atol=1e-12)
    errors = []
    for S in combinations(range(6), q):
        U, _, Vt = np.linalg.svd(Z[np.ix_(S, S)])
        errors.append(np.sum((Y.T - apply_wide(X.T, np.array(S), U @ Vt)) ** 2))
    assert pytest.approx(min(errors)) == np.sum((Y.T - apply_wide(X.T, subset, block)) ** 2)


def test_wide_transforms_are_applied_to_their_indices():
    """Samples are multiplied by the block where it is, as by the dense matrix, and left as they are elsewhere."""
    X, block = np.random.default_rng(0).standard_normal((5, 6)), np.random.default_rng(1).standard_normal((3, 3))
    subset, D = np.array([0, 2, 5]), np.eye(6)
    D[np.ix_(subset, subset)] = block
    given = X.copy()
    np.testing.assert_allclose(apply_wide(X, subset, block), X @ D.T)
    np.testing.assert_array_equal(X, given)


@pytest.mark.parametrize("q", [1, 65, 8])
def test_q_out_of_range(q):
    """Q below 2, above n, or with too many subsets is refused by name."""
    with pytest.raises(ParameterError, match=f"q is {q}"):
        best_wide_transform(np.eye(64), q)
