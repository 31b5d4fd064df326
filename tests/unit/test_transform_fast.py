"""Transforms that are applied by their structure, against dense matrices."""

import numpy as np
import pytest
from sklearn.base import clone
from tests.reference import learning as oracle
from tests.unit.test_structured import mixed_samples

from fdcodec.errors import ParameterError
from fdcodec.kernels.reconstruction.matrices import dct_matrix
from fdcodec.learning import HouseholderDLA, SparseKSVD
from fdcodec.learning.pursuit import pursuit_codes
from fdcodec.transform import FactorProduct, ReflectorProduct, SparseDictionary, dct_line_product


def random_reflectors(n: int) -> tuple[ReflectorProduct, np.ndarray]:
    """Return three random reflectors and an identity among them, and their matrix."""
    vectors = np.random.default_rng(n).standard_normal((4, n))
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    vectors[1] = 0.0
    D = np.eye(n)
    for u in vectors:
        D = (np.eye(n) - 2.0 * np.outer(u, u)) @ D
    return ReflectorProduct(vectors), D


def random_sparse(n: int, base: FactorProduct | np.ndarray) -> tuple[SparseDictionary, np.ndarray]:
    """Return a dictionary of up to two entries an atom over a base, and its matrix."""
    rng = np.random.default_rng(n)
    atoms = rng.standard_normal((len(np.asarray(base)), len(np.asarray(base))))
    for atom in atoms:
        atom[rng.permutation(len(atom))[rng.integers(1, 3) :]] = 0.0
    return SparseDictionary.from_atoms(base, atoms), np.asarray(base) @ atoms.T


MAKERS = {
    "reflectors": random_reflectors,
    "sparse over a matrix": lambda n: random_sparse(n, dct_matrix(n).T.copy()),
    "sparse over a product": lambda n: random_sparse(n, dct_line_product(1 << (n - 1).bit_length())[0]),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 16, 35, 64])
@pytest.mark.parametrize("n_samples", [1, 31, 70])
def test_structure_gives_what_the_matrix_gives(make, n, n_samples):
    """Synthesis and analysis of many vectors, of one, and the dense form are those of the matrix, to rounding."""
    transform, D = make(n)
    X = np.random.default_rng(0).standard_normal((n_samples, transform.n))
    np.testing.assert_allclose(transform.apply(X), X @ D.T, atol=1e-13)
    np.testing.assert_allclose(transform.apply_transpose(X), X @ D, atol=1e-13)
    np.testing.assert_allclose(transform.apply(X[0]), X[0] @ D.T, atol=1e-13)
    np.testing.assert_array_equal(transform.apply_transpose(X[0]), transform.apply_transpose(X)[0])
    np.testing.assert_allclose(np.asarray(transform), D, atol=1e-13)


def test_operations_are_those_of_the_structure():
    """Reflectors cost 4 n but for identities; sparse atoms 2 an entry, above the base, 2 n^2 if that is a matrix."""
    assert random_reflectors(16)[0].n_operations == 3 * 4 * 16
    assert random_sparse(16, dct_matrix(16))[0].n_operations == 2 * 2 * 16 + 2 * 16**2
    base = dct_line_product(16)[0]
    assert random_sparse(16, base)[0].n_operations == 2 * 2 * 16 + 6 * len(base)


def test_parts_may_be_lists():
    """Vectors, indices and values are any numbers of the right shape."""
    sparse = SparseDictionary(np.eye(3), [[0, 1], [1, 2], [2, 0]], [[2, 1], [3, 0], [4, 0]])
    np.testing.assert_array_equal(sparse.to_dense(), [[2.0, 0.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 4.0]])
    np.testing.assert_array_equal(sparse.apply_transpose([1, 1, 1]), [3.0, 3.0, 4.0])
    np.testing.assert_array_equal(ReflectorProduct([[1, 0], [0, 0]]).apply([[3, 4]]), [[-3.0, 4.0]])
    assert SparseDictionary(np.eye(2), np.zeros((2, 0)), np.zeros((2, 0))).apply([1, 2]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: ReflectorProduct(np.ones(3)), r"vectors has shape \(3,\)"),
        (lambda: ReflectorProduct(np.array([[1.0, 0.0], [0.5, 0.0]])), "vectors has a row 1 of norm 0.5"),
        (lambda: ReflectorProduct(np.full((1, 2), np.nan)), "row 0 of norm nan"),
        (lambda: SparseDictionary(np.eye(2), np.zeros((2, 1), int), np.ones((2, 2))), r"values \(2, 2\)"),
        (lambda: SparseDictionary(np.eye(2), np.zeros((3, 1), int), np.ones((3, 1))), r"indices has shape \(3, 1\)"),
        (lambda: SparseDictionary(np.eye(2), [[-1], [0]], np.ones((2, 1))), "-1 to 0; allowed is 0 to 1"),
        (lambda: SparseDictionary(np.eye(2), np.array([[0], [2]]), np.ones((2, 1))), "0 to 2; allowed is 0 to 1"),
        (lambda: random_reflectors(4)[0].apply(np.ones(5)), r"samples has shape \(5,\)"),
        (lambda: random_reflectors(4)[0].apply(np.ones((2, 2, 4))), r"samples has shape \(2, 2, 4\); it must be \(n_s"),
        (lambda: random_reflectors(4)[0].apply_transpose(4.0), r"samples has shape \(\)"),
    ],
    ids=["one vector", "norm", "NaN", "shapes", "size", "negative", "index", "samples", "stack", "number"],
)
def test_what_is_no_structure_is_refused(make, word):
    """Wrong shapes, norms and indices are a ParameterError that names them."""
    with pytest.raises(ParameterError, match=word):
        make()


LEARNERS = [HouseholderDLA(3, 3, 6), SparseKSVD(2, 3, 4), SparseKSVD(2, 3, 4, base="identity")]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("n", [12, 16])
def test_learners_code_as_with_the_matrix(learner, n):
    """Codes and what they stand for are those of the dense matrix, and a sample's do not depend on the others."""
    X = mixed_samples(n, 100, seed=3)
    learner = clone(learner).fit(X)
    D, codes = np.asarray(learner.transform_), learner.transform(X)
    top = np.array([oracle.top(list(row), 3) for row in X @ D])
    expected = top if isinstance(learner, HouseholderDLA) else pursuit_codes(D, X, 3)[0]
    np.testing.assert_allclose(codes, expected, atol=1e-9)
    np.testing.assert_allclose(learner.inverse_transform(codes), codes @ D.T, atol=1e-9)
    np.testing.assert_array_equal(learner.transform(X[40:43]), codes[40:43])


def test_no_matrix_is_made_of_reflectors(monkeypatch):
    """H_p-DLA learns, codes and scores without the dense matrix."""

    def refuse(transform):
        raise AssertionError("the dense matrix was asked for")

    monkeypatch.setattr(ReflectorProduct, "to_dense", refuse)
    X = mixed_samples(16, 100, seed=4)
    learner = HouseholderDLA(3, 3, 2).fit(X)
    assert learner.score(X) == pytest.approx(-learner.error_)
    assert learner.inverse_transform(learner.transform(X)).shape == X.shape
