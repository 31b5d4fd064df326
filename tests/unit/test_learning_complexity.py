"""The paper's operation counts against operations counted in the kernels themselves."""

import numpy as np
import pytest

from fdcodec.errors import ParameterError
from fdcodec.kernels.learning import factors
from fdcodec.kernels.learning.factors import LANES, apply_matrix, apply_to_slab
from fdcodec.learning import DCT, QDLA, SKSVD, GmDLA, HouseholderDLA, RmDLA, SparseKSVD, StructuredDLA, complexity


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
    assert complexity.g_product_operations(3, 1, 10, 3) - 3 * 10 == 6 * 3 * 10


def test_reflectors_take_four_n_each(monkeypatch):
    """The kernel of p reflectors does 4 n p operations a sample, and 8 a reflector to end its sum, as section VII."""
    monkeypatch.setattr(factors, "dot", python(factors.dot))
    out = np.empty((5, 19), dtype=object)
    Counted.total = 0
    python(factors.apply_reflectors)(counted(np.ones((5, 19))), np.ones((3, 19)), out)
    assert Counted.total / 5 == 4 * 19 * 3 + 8 * 3
    assert complexity.reflector_operations(19, 3) == 4 * 19 * 3


def test_a_matrix_takes_two_n_squared():
    """The kernel of a dense product does 2 n^2 operations a sample, the leading term of N_Q and N_A."""
    out = np.empty((4, 5), dtype=object)
    out[:] = 0.0
    Counted.total = 0
    python(apply_matrix)(counted(np.ones((4, 5))), np.ones((5, 5)), out)
    assert Counted.total / 4 == 2 * 25
    assert complexity.orthogonal_operations(5, 1, 4) - 5 * 4 == 2 * 25 * 4


def test_formulas_at_the_papers_sizes():
    """N = 64, s = 4, N = 12288: the four costs as the paper's formulas give them by hand."""
    n, s, N = 64, 4, 12288
    assert complexity.general_operations(n, s, N) == (8192 + 1024 + 768 + 64) * N + 262144
    assert complexity.orthogonal_operations(n, s, N) == (8192 + 256) * N
    assert complexity.g_product_operations(n, s, N, 128) == (6 * 128 + 256) * N
    assert complexity.r_product_operations(n, s, N, 128) == (6 * 128 + 64 + 1024 + 768 + 64) * N + 6 * 128 * 64


def test_equivalences_of_the_paper():
    """G_351 costs what R_42 does; H_p costs what G of floor(2np/3) does; both limits are n^2 / 3."""
    assert complexity.g_factors_of_r_product(64, 4, 42) == 351
    sizes = [complexity.g_factors_of_reflectors(64, p) for p in (1, 2, 3, 4, 6, 8, 16)]
    assert sizes == [42, 85, 128, 170, 256, 341, 682]
    assert complexity.g_factors_of_orthogonal(64) == 1365
    assert complexity.r_factors_of_general(64, 4) == 1365
    assert complexity.block_transform_operations(3) == 15


@pytest.mark.parametrize("p", [1, 3, 16])
def test_reflectors_cost_as_much_as_their_factors(p):
    """4 n p operations of reflectors are 6 m of the equivalent factors, to less than one factor."""
    m = complexity.g_factors_of_reflectors(64, p)
    assert 0 <= complexity.reflector_operations(64, p) - 6 * m < 6


def test_r_limit_is_reached_for_many_samples():
    """The equivalence with a general dictionary tends to (2n^2 + s^2 n + 3sn + s^3) / 6 for N to infinity."""
    exact = complexity.r_factors_of_general(64, 1, 10**9)
    assert exact == (2 * 64**2 + 64 + 192 + 1) // 6


def test_ranges():
    """A sparsity above n is refused by name."""
    with pytest.raises(ParameterError, match="s is 9"):
        complexity.general_operations(8, 9, 1)


@pytest.mark.parametrize(
    ("learner", "operations"),
    [
        (DCT(), 6 * 128),
        (DCT(separable=False), 6 * 128),
        (SparseKSVD(4, n_iterations=0), 2 * 4 * 64 + 6 * 128),
        (SparseKSVD(2, n_iterations=0, base="dct-line"), 2 * 2 * 64 + 6 * 128),
        (SparseKSVD(2, n_iterations=0, base="identity"), 2 * 2 * 64),
        (SparseKSVD(2, n_iterations=0, base="haar"), 2 * 2 * 64 + 6 * 84),
    ],
    ids=repr,
)
def test_the_cosine_transform_costs_what_g_128_does(learner, operations):
    """The paper counts the DCT of 64 as G_128, and Sparse K-SVD as 2 p n above that, whatever product is its base."""
    assert learner.fit(np.eye(64)).n_operations_ == operations
    assert DCT().fit(np.eye(100)).n_operations_ == round(200 * np.log2(100))


@pytest.mark.parametrize(
    ("learner", "operations"),
    [
        (GmDLA(20, 2, 1), 6 * 20),
        (RmDLA(20, 2, 1), 6 * 20 + 16),
        (StructuredDLA(1, 2, 1), 6 * 32),
        (StructuredDLA(1, 2, 1, base="haar"), 6 * (32 + 20)),
        (HouseholderDLA(3, 2, 1), 4 * 16 * 3),
        (QDLA(2, 1), 2 * 16**2),
        (SKSVD(2, 1), 2 * 16**2),
    ],
    ids=repr,
)
def test_learners_tell_what_their_transform_costs(learner, operations):
    """G-transforms take 6 operations each, R-transforms n more for Delta, reflectors 4 n each, matrices 2 n^2."""
    assert learner.fit(np.random.default_rng(0).standard_normal((60, 16))).n_operations_ == operations
