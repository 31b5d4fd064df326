"""Householder reflectors."""

import numpy as np
import pytest

from fdcodec.transform.blocks import reflector
from fdcodec.transform.reflectors import best_reflector, reflect, reflector_vector


@pytest.mark.parametrize("angle", [0.0, 0.7, 2.0, 3.1, 4.0, 6.0])
def test_givens_reflector_is_a_householder_reflector(angle):
    """[[c, d], [d, -c]] is I - 2 g g^T with the g of Remark 4."""
    block = reflector(angle)
    g = reflector_vector(block)
    np.testing.assert_allclose(np.eye(2) - 2 * np.outer(g, g), block, atol=1e-12)


def test_best_reflector_lowers_the_error_most():
    """No random reflector beats the eigenvector's, and none is made where none helps."""
    rng = np.random.default_rng(9)
    Y, X = rng.standard_normal((5, 40)), rng.standard_normal((5, 40))
    lowest = np.sum((Y.T - reflect(X.T, best_reflector(Y @ X.T))) ** 2)
    for u in rng.standard_normal((200, 5)):
        assert lowest <= np.sum((Y.T - reflect(X.T, u / np.linalg.norm(u))) ** 2)
    np.testing.assert_array_equal(best_reflector(np.eye(3)), np.zeros(3))
