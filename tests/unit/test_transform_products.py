"""Products of 2x2 factors: algebra, bases, bytes."""

import contextlib
import struct
from itertools import pairwise

import numpy as np
import pytest
from tests.reference import learning as oracle

from fdcodec.errors import FdcError, FormatError, LimitError, ParameterError, TruncatedError, UnsupportedError
from fdcodec.kernels.reconstruction.matrices import dct_matrix
from fdcodec.transform import FactorProduct, dct_line_product, dct_product, haar_product
from fdcodec.transform.blocks import grid_blocks, grid_codes, reflector, rotation


def random_product(n: int, m: int, seed: int, orthogonal: bool = True, scaled: bool = False) -> FactorProduct:
    """Return m random factors on n coefficients."""
    rng = np.random.default_rng(seed)
    pairs = np.array([np.sort(rng.choice(n, 2, replace=False)) for _ in range(m)]).reshape(-1, 2)
    kinds = (rotation, reflector)
    blocks = [kinds[k % 2](angle) for k, angle in enumerate(rng.uniform(0, 6.28, m))]
    blocks = blocks if orthogonal else rng.standard_normal((m, 2, 2)) + 2 * np.eye(2)
    return FactorProduct(n, pairs, np.array(blocks), rng.uniform(0.5, 2, n) if scaled else None)


def dense(product: FactorProduct) -> np.ndarray:
    """Return D as a product of n x n matrices."""
    D = np.eye(product.n) if product.scale is None else np.diag(product.scale)
    for (i, j), block in zip(product.pairs, product.blocks, strict=True):
        D = oracle.factor(product.n, i, j, block) @ D
    return D


@pytest.mark.parametrize(("n_samples", "m"), [(0, 3), (1, 0), (1, 5), (33, 20), (70, 7)])
@pytest.mark.parametrize(("orthogonal", "scaled"), [(True, False), (False, True)])
def test_apply_transpose_and_solve_are_the_dense_matrix(n_samples, m, orthogonal, scaled):
    """Factor by factor gives what the dense matrix, its transpose and its inverse give."""
    product = random_product(9, m, seed=m, orthogonal=orthogonal, scaled=scaled)
    X = np.random.default_rng(5).standard_normal((n_samples, 9))
    D = dense(product)
    np.testing.assert_allclose(product.to_dense(), D, atol=1e-12)
    np.testing.assert_allclose(product.apply(X), X @ D.T, atol=1e-10)
    np.testing.assert_allclose(product.apply_transpose(X), X @ D, atol=1e-10)
    np.testing.assert_allclose(product.solve(product.apply(X)), X, atol=1e-8)
    assert product.is_orthogonal == (orthogonal and not scaled)


def test_repr_is_one_line():
    """A product's repr says its size, number of factors, kind and cost, and prints no array."""
    text = repr(random_product(9, 40, seed=1, orthogonal=False, scaled=True))
    assert text == "FactorProduct(n=9, factors=40, orthogonal=False, operations=249)"


def test_one_vector_keeps_its_shape():
    """A vector goes in and a vector comes out."""
    product = random_product(4, 3, seed=0)
    vector = np.arange(4.0)
    np.testing.assert_allclose(product.apply(vector), product.apply(vector[None])[0])


@pytest.mark.parametrize(("block", "scale"), [(np.ones((2, 2)), None), (np.eye(2), np.array([0.0, 1.0]))])
def test_singular_product_cannot_be_solved(block, scale):
    """A singular factor or Delta makes solve refuse by name."""
    product = FactorProduct(2, np.array([[0, 1]]), block[None], scale)
    with pytest.raises(ParameterError, match="singular"):
        product.solve(np.ones(2))


def test_products_are_chained_without_a_scale_in_between():
    """The first acts first, its Delta before all; other sizes, or a Delta in between, are refused."""
    first, second = random_product(5, 4, seed=1, orthogonal=False, scaled=True), random_product(5, 3, seed=2)
    np.testing.assert_allclose(first.then(second).to_dense(), dense(second) @ dense(first), atol=1e-12)
    for wrong, word in ((random_product(6, 3, seed=2), "sizes 5 and 6"), (first, "a scale in between")):
        with pytest.raises(ParameterError, match=f"cannot chain products of .*{word}"):
            second.then(wrong)


def test_only_rotations_and_reflectors_are_orthogonal():
    """One factor that is neither makes a product that is not orthogonal, and has no angles for a grid."""
    product = random_product(5, 4, seed=1, orthogonal=False)
    assert not product.is_orthogonal
    with pytest.raises(ParameterError, match="only a product of G-transforms"):
        product.quantized()


def test_no_factors_have_no_layers():
    """The identity is a product of nothing."""
    product = FactorProduct(3, [], [])
    assert (len(product), product.layers) == (0, [])
    np.testing.assert_array_equal(product.to_dense(), np.eye(3))


def test_layers_hold_disjoint_pairs_and_give_the_same_product():
    """Factors as early as they can be, disjoint inside a layer, make the same matrix layer by layer."""
    product = random_product(12, 60, seed=1)
    order = np.concatenate(product.layers)
    for layer in product.layers:
        assert 2 * len(layer) == len(np.unique(product.pairs[layer])) > 0
    for before, layer in pairwise(product.layers):
        assert all(np.isin(pair, product.pairs[before]).any() for pair in product.pairs[layer])
    again = FactorProduct(12, product.pairs[order], product.blocks[order])
    np.testing.assert_allclose(again.to_dense(), product.to_dense(), atol=1e-12)


@pytest.mark.parametrize(
    ("size", "n_dct", "n_haar"), [(1, 0, 0), (2, 4, 4), (4, 32, 20), (8, 208, 84), (16, 1152, 340)]
)
def test_bases_have_the_known_factors_and_matrices(size, n_dct, n_haar):
    """The DCT's product is the cosine matrix, signs included; Haar's is orthogonal with one constant atom."""
    product, order = dct_product(size)
    cosines = np.kron(dct_matrix(size), dct_matrix(size))
    np.testing.assert_allclose(product.to_dense()[:, order].T, cosines, atol=1e-13)
    haar = haar_product(size)
    assert (n_dct, n_haar) == (len(product), len(haar))
    constant = haar.apply_transpose(np.full(size * size, 1.0 / size))
    np.testing.assert_allclose(np.sort(np.abs(constant)), [0.0] * (size * size - 1) + [1.0], atol=1e-13)


@pytest.mark.parametrize("size", [2, 16, 64])
def test_line_dct_is_the_cosine_matrix(size):
    """The 1-D product in the returned order is the DCT-II."""
    product, order = dct_line_product(size)
    np.testing.assert_allclose(product.to_dense()[:, order].T, dct_matrix(size), atol=1e-13)


@pytest.mark.parametrize("size", [0, 3, 12])
def test_bases_need_a_power_of_two(size):
    """Other sizes are refused by name."""
    for name, product in (("block_size", haar_product), ("block_size", dct_product), ("size", dct_line_product)):
        with pytest.raises(ParameterError, match=f"^{name} is {size}"):
            product(size)


def test_operations_are_counted_as_the_paper_does():
    """6 a factor, n for Delta."""
    assert random_product(9, 20, seed=2, orthogonal=False, scaled=True).n_operations == 6 * 20 + 9
    assert dct_product(8)[0].n_operations == 6 * 208


def test_grid_codes_invert_grid_blocks():
    """Every code of the grid, rotation and reflector, comes back from its block."""
    codes = np.arange(2048)
    np.testing.assert_array_equal(codes, grid_codes(grid_blocks(codes)))


def test_quantized_product_is_near_and_small():
    """A quantized product is within half a grid step of every angle and stores 6 bytes a factor."""
    product = random_product(16, 50, seed=3)
    quantized = product.quantized()
    assert np.abs(quantized.blocks - product.blocks).max() < np.pi / 1024
    assert len(quantized.to_bytes()) == 8 + 50 * 6


@pytest.mark.parametrize(
    ("orthogonal", "scaled", "quantize"), [(True, False, True), (True, False, False), (False, True, False)]
)
def test_bytes_round_trip(orthogonal, scaled, quantize):
    """Reading what was written gives the same factors and the same bytes."""
    product = random_product(16, 30, seed=4, orthogonal=orthogonal, scaled=scaled)
    product = product.quantized() if quantize else product
    data = product.to_bytes()
    again = FactorProduct.from_bytes(data)
    np.testing.assert_array_equal(product.pairs, again.pairs)
    np.testing.assert_allclose(again.blocks, product.blocks, atol=1e-12)
    assert data == again.to_bytes()


def test_smallest_and_largest_products_are_written_and_read():
    """One coefficient without a factor, and 65536 factors on 4096 coefficients, come back; more are refused."""
    assert FactorProduct.from_bytes(FactorProduct(1, [], []).to_bytes()).n == 1
    pairs = np.sort(np.arange(2 * 65536).reshape(-1, 2) % 4096, axis=1)
    largest = FactorProduct(4096, pairs, np.repeat(np.eye(2)[None], 65536, axis=0))
    assert FactorProduct.from_bytes(largest.to_bytes()).pairs.tolist() == pairs.tolist()
    longer = FactorProduct(4096, np.tile([[0, 1]], (65537, 1)), np.repeat(np.eye(2)[None], 65537, axis=0))
    for wrong in (longer, FactorProduct(4097, [], [])):
        with pytest.raises(LimitError, match="at most 65536 on 4096"):
            wrong.to_bytes()


def test_arrays_may_be_lists():
    """Pairs, blocks and scale are any numbers of the right shape, in what is applied and in what is written."""
    product = random_product(4, 2, seed=5, orthogonal=False, scaled=True)
    listed = FactorProduct(4, product.pairs.tolist(), product.blocks.tolist(), product.scale.tolist())
    np.testing.assert_array_equal(listed.to_dense(), product.to_dense())
    assert listed.to_bytes() == product.to_bytes()
    whole = FactorProduct(4, np.int8([[0, 2]]), [[[0, 1], [1, 0]]], [1, 2, 3, 4])
    np.testing.assert_array_equal(whole.apply([1, 1, 1, 1]), [3.0, 2.0, 1.0, 4.0])
    assert FactorProduct.from_bytes(whole.to_bytes()).scale.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_every_prefix_and_every_flipped_byte_gives_an_error_or_a_product():
    """Damaged bytes raise an FdcError or read as a product; a prefix is never a product."""
    data = random_product(16, 5, seed=6).quantized().to_bytes()
    for length in range(len(data)):
        with pytest.raises(TruncatedError):
            FactorProduct.from_bytes(data[:length])
    for position in range(len(data)):
        damaged = bytearray(data)
        damaged[position] ^= 0xFF
        with contextlib.suppress(FdcError):
            FactorProduct.from_bytes(bytes(damaged))


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (struct.pack("<BBHI", 9, 0, 4, 0), UnsupportedError),
        (struct.pack("<BBHI", 0, 8, 4, 0), FormatError),
        (struct.pack("<BBHI", 0, 0, 0, 0), FormatError),
        (struct.pack("<BBHI", 0, 0, 4, 1 << 30), LimitError),
        (struct.pack("<BBHI", 0, 0, 4, 0) + b"x", FormatError),
        (struct.pack("<BBHIHHH", 0, 0, 4, 1, 2, 1, 0), FormatError),
        (struct.pack("<BBHIHHH", 0, 0, 4, 1, 0, 4, 0), FormatError),
        (struct.pack("<BBHIHHH", 0, 0, 4, 1, 0, 1, 2048), FormatError),
        (struct.pack("<BBHIHHdddd", 0, 1, 4, 1, 0, 1, 1.0, np.nan, 0.0, 1.0), FormatError),
    ],
)
def test_bad_fields_are_refused(data, error):
    """Every field is checked before use."""
    with pytest.raises(error):
        FactorProduct.from_bytes(data)


@pytest.mark.parametrize(
    ("pairs", "blocks", "scale"),
    [
        ([[1, 0]], np.eye(2)[None], None),
        ([[1, 1]], np.eye(2)[None], None),
        ([[-1, 0]], np.eye(2)[None], None),
        ([[0, 3]], np.eye(2)[None], None),
        ([[0, 1]], np.zeros((0, 2, 2)), None),
        ([[0, 1]], np.eye(2)[None], np.ones(2)),
    ],
)
def test_wrong_factors_are_refused(pairs, blocks, scale):
    """Pairs out of order or range, too few blocks, a scale of the wrong shape."""
    with pytest.raises(ParameterError):
        FactorProduct(3, np.array(pairs), blocks, scale)


def test_numpy_takes_a_product_for_its_matrix():
    """`np.asarray` gives D, of the type that is asked for."""
    product, _ = dct_product(4)
    np.testing.assert_array_equal(np.asarray(product), product.to_dense())
    assert np.asarray(product, dtype=np.float32).dtype == np.float32
    np.testing.assert_array_equal(np.eye(16) @ product, product.to_dense())
