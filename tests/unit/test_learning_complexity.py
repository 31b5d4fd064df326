"""The paper's operation counts against operations counted in the kernels themselves."""

import numpy as np
import pytest

from fdcodec.kernels.learning.factors import LANES, apply_matrix, apply_to_slab
from fdcodec.learning import complexity
from fdcodec.learning.pursuit import operations_of
from fdcodec.transform.product import FactorProduct


class Counted:
    """A number that counts additions and multiplications."""

    total = 0

    def __init__(self, value: float) -> None:
        self.value = value

    def _operate(self, value: float) -> "Counted":
        Counted.total += 1
        return Counted(value)

    def __add__(self, other: "Counted | float") -> "Counted":
        return self._operate(self.value + getattr(other, "value", other))

    def __mul__(self, other: "Counted | float") -> "Counted":
        return self._operate(self.value * getattr(other, "value", other))

    __radd__, __rmul__ = __add__, __mul__


def counted(array: np.ndarray) -> np.ndarray:
    """Return the array with every entry counting."""
    return np.array([Counted(v) for v in array.ravel()], dtype=object).reshape(array.shape)


def python(kernel):
    """Return the plain Python of a kernel, compiled or not."""
    return getattr(kernel, "py_func", kernel)


def test_factors_take_six_operations_each():
    """The kernel of m factors does 6 m operations a sample, as eq. multiply says."""
    pairs, blocks = np.array([[0, 1], [1, 2], [0, 2]]), np.random.default_rng(0).standard_normal((3, 2, 2))
    slab = counted(np.ones((3, LANES)))
    Counted.total = 0
    python(apply_to_slab)(pairs, blocks, slab)
    assert Counted.total / LANES == 6 * 3
    assert FactorProduct(3, pairs, blocks).n_operations == 6 * 3


def test_a_matrix_takes_two_n_squared():
    """The kernel of a dense product does 2 n^2 operations a sample, which is what is stated of a matrix."""
    out = np.empty((4, 5), dtype=object)
    out[:] = 0.0
    Counted.total = 0
    python(apply_matrix)(counted(np.ones((4, 5))), np.ones((5, 5)), out)
    assert Counted.total / 4 == 2 * 25
    assert operations_of(np.eye(5)) == 2 * 25


def test_equivalences_of_the_paper():
    """G_351 costs what R_42 does; H_p costs what G of floor(2np/3) does."""
    assert complexity.g_factors_of_r_product(64, 4, 42) == 351
    sizes = [complexity.g_factors_of_reflectors(64, p) for p in (1, 2, 3, 4, 6, 8, 16)]
    assert sizes == [42, 85, 128, 170, 256, 341, 682]


@pytest.mark.parametrize("p", [1, 3, 16])
def test_reflectors_cost_as_much_as_their_factors(p):
    """4 n p operations of reflectors are 6 m of the equivalent factors, to less than one factor."""
    m = complexity.g_factors_of_reflectors(64, p)
    assert 0 <= complexity.reflector_operations(64, p) - 6 * m < 6
