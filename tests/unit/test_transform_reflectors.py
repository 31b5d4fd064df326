"""Householder reflectors."""

import numpy as np

from fdcodec.transform.reflectors import best_reflector, reflect


def test_best_reflector_lowers_the_error_most():
    """No random reflector beats the eigenvector's, and none is made where none helps."""
    rng = np.random.default_rng(9)
    Y, X = rng.standard_normal((5, 40)), rng.standard_normal((5, 40))
    lowest = np.sum((Y.T - reflect(X.T, best_reflector(Y @ X.T))) ** 2)
    for u in rng.standard_normal((200, 5)):
        assert lowest <= np.sum((Y.T - reflect(X.T, u / np.linalg.norm(u))) ** 2)
    np.testing.assert_array_equal(best_reflector(np.eye(3)), np.zeros(3))
