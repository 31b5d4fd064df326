"""Learning kernels against plain oracles."""

import numpy as np
import pytest
from tests.reference import learning as oracle
from tests.reference import rm_dla as general_oracle
from tests.unit.test_structured import mixed_samples

from fdcodec.kernels.learning.atoms import update_atoms
from fdcodec.kernels.learning.general import construct_general, least_squares_block, least_squares_gain, update_general
from fdcodec.kernels.learning.pursuit import code_by_pursuit
from fdcodec.kernels.learning.scores import nuclear_gain, procrustes
from fdcodec.kernels.learning.statistics import keep_largest
from fdcodec.kernels.learning.sweeps import construct, deletion_losses, insertion_gains, sweep
from fdcodec.learning.gm import Schedule, principal_directions, sweep_repeatedly
from fdcodec.learning.gm import construct as construct_product
from fdcodec.learning.samples import CHUNK, ArraySamples
from fdcodec.learning.search import delete, insert
from fdcodec.learning.statistics import RateObjective, SparseObjective, gram_matrix
from fdcodec.transform import FactorProduct
from fdcodec.transform.blocks import grid_blocks


def random_factors(n: int, m: int, seed: int) -> FactorProduct:
    """Return m random rotations on n coefficients."""
    rng = np.random.default_rng(seed)
    pairs = np.array([np.sort(rng.choice(n, 2, replace=False)) for _ in range(m)])
    angles = rng.uniform(0, 2 * np.pi, m)
    c, d = np.cos(angles), np.sin(angles)
    return FactorProduct(n, pairs, np.stack([np.stack([c, d], -1), np.stack([-d, c], -1)], -2))


@pytest.mark.parametrize("seed", range(8))
def test_score_is_nuclear_norm_minus_trace_and_never_negative(seed):
    """C_ij without an SVD is the SVD's, and not below 0 (Remark 2)."""
    Z = np.random.default_rng(seed).standard_normal((2, 2))
    expected = oracle.score(Z, 0, 1)
    assert pytest.approx(expected, abs=1e-12) == nuclear_gain(*Z.ravel())
    assert expected >= 0.0


def test_score_of_a_positive_semidefinite_block_is_zero():
    """Where Z is symmetric and positive semidefinite no G-transform helps (Remark 2)."""
    assert pytest.approx(0.0, abs=1e-12) == nuclear_gain(4.0, 1.0, 1.0, 2.0)


@pytest.mark.parametrize("seed", range(8))
def test_procrustes_block_is_the_svd_solution(seed):
    """The closed form is U V^T, rotation or reflector, and leaves a score of zero (Remark 6)."""
    Z = np.random.default_rng(seed).standard_normal((2, 2))
    block = np.empty((2, 2))
    procrustes(*Z.ravel(), 0, block)
    np.testing.assert_allclose(block, oracle.procrustes(Z, 0, 1), atol=1e-12)
    assert pytest.approx(0.0, abs=1e-12) == nuclear_gain(*(Z @ block.T).ravel())


@pytest.mark.parametrize("levels", [4, 5, 16, 1024])
def test_quantized_procrustes_is_the_best_of_the_grid(levels):
    """The block has the largest tr(G^T Z) of all rotations and reflectors of the grid."""
    grid, block = grid_blocks(np.arange(2 * levels), levels), np.empty((2, 2))
    for Z in np.random.default_rng(levels).standard_normal((100, 2, 2)):
        procrustes(*Z.ravel(), levels, block)
        assert pytest.approx(np.sum(grid * Z, axis=(1, 2)).max()) == np.sum(block * Z)


@pytest.mark.parametrize("sparsity", [1, 3, 8])
def test_keep_largest_is_the_oracle_with_ties(sparsity):
    """T_s keeps the largest magnitudes, the lower index among equals, on any number of rows."""
    rows = np.random.default_rng(1).integers(-3, 4, (70, 8)).astype(float)
    expected = np.array([oracle.top(list(row), sparsity) for row in rows])
    keep_largest(rows, sparsity)
    np.testing.assert_array_equal(expected, rows)


@pytest.mark.parametrize("n_samples", [1, 100, CHUNK, 2 * CHUNK + 5])
def test_statistics_are_the_dense_ones(n_samples):
    """Z and the error of a pass, over any number of chunks, are those of dense matrices; so are the log-rate's."""
    samples, product = mixed_samples(12, n_samples, seed=2), random_factors(12, 15, seed=2)
    np.testing.assert_allclose(gram_matrix(ArraySamples(samples)), samples.T @ samples, rtol=1e-10)
    C = samples @ product.to_dense()
    X = np.array([oracle.top(list(c), 3) for c in C])
    Z, error = SparseObjective(ArraySamples(samples), 3).evaluate(product)
    np.testing.assert_allclose(Z, samples.T @ X, rtol=1e-10)
    assert pytest.approx(np.sum((C - X) ** 2) / np.sum(samples**2)) == error
    Z, rate = RateObjective(ArraySamples(samples), 2.0).evaluate(product)
    np.testing.assert_allclose(Z, samples.T @ (C**3 / (4.0 + C**2)), rtol=1e-9, atol=1e-9)
    assert pytest.approx(np.mean(np.sum(np.log2(1 + C**2 / 4.0), axis=1))) == rate


@pytest.mark.parametrize(("n", "m", "sparsity"), [(2, 1, 1), (6, 4, 2), (10, 12, 3)])
def test_algorithm_1_is_the_dense_oracle(n, m, sparsity):
    """Construction and sweeps give the transform and the errors of Algorithm 1 done with dense matrices."""
    samples = mixed_samples(n, 60, seed=n)
    objective = SparseObjective(ArraySamples(samples), sparsity)
    start = principal_directions(objective.samples)
    product, _ = construct_product(objective, start, m, Schedule(3))
    product, curve = sweep_repeatedly(objective, product, Schedule(3), np.random.default_rng(0))
    expected, errors = oracle.gm_dla(samples.T, start, m, sparsity, 3)
    np.testing.assert_allclose(curve, errors, rtol=1e-9)
    np.testing.assert_allclose(product.to_dense(), expected, atol=1e-8)


@pytest.mark.parametrize(("layer_size", "random_order"), [(1, True), (3, False), (4, True)])
def test_walks_over_layers_keep_z_right(layer_size, random_order):
    """After any sweep the gain in tr(U^T Z) is what dense matrices say, so Z was right at every layer."""
    samples, product = mixed_samples(8, 80, seed=3), random_factors(8, 12, seed=3)
    product = FactorProduct(8, np.array([[0, 1], [2, 3], [4, 5], [6, 7]] * 3), product.blocks)
    objective = SparseObjective(ArraySamples(samples), 2)
    order = np.arange(-(-12 // layer_size))
    order = np.random.default_rng(0).permutation(order) if random_order else order
    Z, _ = objective.evaluate(product)
    offsets = np.append(np.arange(0, 12, layer_size), 12)
    pairs, blocks, start = product.pairs.copy(), product.blocks.copy(), Z.copy()
    for layer in order:
        before = np.sum(FactorProduct(8, pairs, blocks).to_dense() * start)
        sweep(start.copy(), pairs, blocks, offsets, np.array([layer]), True, 0)
        assert np.sum(FactorProduct(8, pairs, blocks).to_dense() * start) >= before - 1e-9
    together_pairs, together = product.pairs.copy(), product.blocks.copy()
    sweep(Z, together_pairs, together, offsets, order, True, 0)
    np.testing.assert_array_equal(pairs, together_pairs)
    np.testing.assert_allclose(blocks, together, atol=1e-9)


def test_construction_stops_at_the_threshold():
    """No factor whose C_ij is not above the threshold is built."""
    Z = np.random.default_rng(4).standard_normal((6, 6))
    pairs, blocks, gains = np.zeros((40, 2), np.int64), np.zeros((40, 2, 2)), np.zeros(40)
    built = construct(Z.copy(), pairs, blocks, np.arange(41), 0.2, gains)
    assert 0 < built < 40
    assert gains[:built].min() > 0.2


def test_insertion_gains_are_those_of_inserting():
    """The gain at each position is the rise of tr(U^T Z) that the inserted factor brings."""
    samples, product = mixed_samples(7, 60, seed=5), random_factors(7, 6, seed=5)
    Z, _ = SparseObjective(ArraySamples(samples), 2).evaluate(product)
    gains, places = np.empty(7), np.empty((7, 2), np.int64)
    insertion_gains(Z.copy(), product.pairs, product.blocks, gains, places)
    longer = insert(Z, product, 1)
    rise = np.sum(longer.to_dense() * Z) - np.sum(product.to_dense() * Z)
    assert pytest.approx(gains.max()) == rise
    for k in range(7):
        after = FactorProduct(7, product.pairs[k:], product.blocks[k:]).to_dense()
        before = FactorProduct(7, product.pairs[:k], product.blocks[:k]).to_dense()
        Z_k = after.T @ Z @ before.T
        best = max(oracle.score(Z_k, i, j) for i in range(7) for j in range(i + 1, 7))
        assert pytest.approx(best) == gains[k]


def test_deletion_losses_are_those_of_deleting():
    """The loss of each factor is the fall of tr(U^T Z) without it, and the least goes first."""
    samples, product = mixed_samples(7, 60, seed=6), random_factors(7, 6, seed=6)
    Z, _ = SparseObjective(ArraySamples(samples), 2).evaluate(product)
    losses = np.empty(6)
    deletion_losses(Z.copy(), product.pairs, product.blocks, losses)
    whole = np.sum(product.to_dense() * Z)
    for k in range(6):
        kept = np.delete(np.arange(6), k)
        without = FactorProduct(7, product.pairs[kept], product.blocks[kept])
        assert pytest.approx(whole - np.sum(without.to_dense() * Z)) == losses[k]
    kept = np.delete(np.arange(6), losses.argmin())
    np.testing.assert_array_equal(product.pairs[kept], delete(Z, product, 1).pairs)


def unit_atoms(n: int, seed: int) -> np.ndarray:
    """Return a random matrix with columns of unit norm."""
    D = np.random.default_rng(seed).standard_normal((n, n))
    return D / np.linalg.norm(D, axis=0)


def test_batch_omp_is_plain_omp():
    """Batch-OMP with its Cholesky factor gives the codes of OMP with least squares at each step."""
    D, Y = unit_atoms(10, seed=7), np.random.default_rng(7).standard_normal((30, 10))
    codes = np.empty((30, 10))
    explained = code_by_pursuit(Y @ D, D.T @ D, 4, codes)
    expected = np.array([general_oracle.omp(D, y, 4) for y in Y])
    np.testing.assert_allclose(codes, expected, atol=1e-10)
    assert pytest.approx(np.sum(Y**2) - np.sum((Y - codes @ D.T) ** 2)) == explained


def test_batch_omp_of_nothing_and_of_repeated_atoms():
    """A zero sample has a zero code, and an atom that the chosen ones span is not chosen."""
    D = np.array([[1.0, 1.0], [0.0, 0.0]])
    codes = np.empty((2, 2))
    code_by_pursuit(np.array([[0.0, 0.0], [3.0, 4.0]]) @ D, D.T @ D, 2, codes)
    np.testing.assert_allclose(codes, [[0.0, 0.0], [3.0, 0.0]])


def test_r_gain_is_that_of_least_squares_and_minus_infinity_where_singular():
    """C_ij of eq. sij is the fall of the squared error; a singular Gram matrix gives -inf."""
    rng = np.random.default_rng(8)
    Y, X = rng.standard_normal((4, 50)), rng.standard_normal((4, 50))
    expected, _ = general_oracle.r_gain(Y, X, 1, 3)
    assert pytest.approx(expected) == least_squares_gain(Y @ X.T, X @ X.T, 1, 3, False)
    X[3] = 2.0 * X[1]
    assert -np.inf == least_squares_gain(Y @ X.T, X @ X.T, 1, 3, False)


@pytest.mark.parametrize("ratio", [0.0, 0.5, -2.0, np.inf])
def test_r_gain_where_singular_is_that_of_least_squares(ratio):
    """Where atoms are used in one way, or one of them, C_ij is the fall too, and the block leaves the rest alone."""
    rng = np.random.default_rng(8)
    x, Y = rng.standard_normal(30), rng.standard_normal((4, 30))
    X = np.zeros((4, 30))
    X[1], X[3] = (0.0 * x, x) if ratio == np.inf else (x, ratio * x)
    expected, least_norm = general_oracle.r_gain(Y, X, 1, 3)
    Z, W, block = Y @ X.T, X @ X.T, np.zeros((2, 2))
    assert pytest.approx(expected) == least_squares_gain(Z, W, 1, 3, True)
    least_squares_block(Z, W, 1, 3, block)
    np.testing.assert_allclose(block @ X[[1, 3]], least_norm @ X[[1, 3]], atol=1e-9)
    unused = np.array([1.0, 0.0]) if ratio == np.inf else np.array([-ratio, 1.0])
    np.testing.assert_allclose(block @ unused, unused, atol=1e-9)


def test_r_construction_takes_the_best_pair_each_time():
    """Every R-transform is the best of all pairs at its step, with its least-squares block."""
    rng = np.random.default_rng(9)
    X = rng.standard_normal((5, 80))
    Y = rng.standard_normal((5, 5)) @ X + 0.1 * rng.standard_normal((5, 80))
    pairs, blocks = np.zeros((6, 2), np.int64), np.zeros((6, 2, 2))
    assert construct_general(Y @ X.T, X @ X.T, pairs, blocks) == 6
    for pair, block in zip(pairs, blocks, strict=True):
        gains = {(i, j): general_oracle.r_gain(Y, X, i, j) for i in range(5) for j in range(i + 1, 5)}
        best = max(gains, key=lambda p: gains[p][0])
        assert best == tuple(pair)
        np.testing.assert_allclose(block, gains[best][1], atol=1e-8)
        X = oracle.factor(5, *pair, block) @ X


def test_r_update_solves_every_block():
    """Each block of a sweep is the least-squares solution of the Kronecker system at that moment."""
    rng = np.random.default_rng(10)
    X = rng.standard_normal((5, 60))
    Y = rng.standard_normal((5, 5)) @ X
    pairs = np.array([[0, 1], [2, 4], [1, 2], [0, 4]])
    blocks = rng.standard_normal((4, 2, 2)) + 2 * np.eye(2)
    updated = blocks.copy()
    update_general(Y @ X.T, X @ X.T, pairs, updated)
    for k, (i, j) in enumerate(pairs):
        B = FactorProduct(5, pairs[k + 1 :], blocks[k + 1 :]).to_dense()
        X_k = FactorProduct(5, pairs[:k], updated[:k]).apply(X.T).T
        np.testing.assert_allclose(updated[k], general_oracle.best_block(Y, B, X_k, i, j, 5), atol=1e-7)


@pytest.mark.parametrize("atom_sparsity", [2, 6])
def test_ksvd_update_lowers_the_error_and_keeps_the_residual(atom_sparsity):
    """Atoms stay of unit norm with at most p entries, the residual stays Y - X D^T, and the error falls."""
    rng = np.random.default_rng(11)
    Y, atoms = rng.standard_normal((40, 6)), np.eye(6)
    codes = np.where(rng.random((40, 6)) < 0.4, Y @ atoms.T, 0.0)
    residual = Y - codes @ atoms
    before = np.sum(residual**2)
    update_atoms(residual, codes, atoms, atom_sparsity)
    np.testing.assert_allclose(np.linalg.norm(atoms, axis=1), 1.0)
    assert np.count_nonzero(atoms, axis=1).max() <= atom_sparsity
    np.testing.assert_allclose(residual, Y - codes @ atoms, atol=1e-12)
    assert np.sum(residual**2) < before
