"""Structured rotations for the codec."""

from collections import deque

import numpy as np
import pytest
from tests.reference import learning as oracle

from fdcodec.errors import ParameterError
from fdcodec.kernels.learning.sweeps import angle_slopes
from fdcodec.learning import structured
from fdcodec.learning.iterations import Iterations
from fdcodec.learning.quasi_newton import descent_direction, minimize
from fdcodec.learning.samples import ArraySamples
from fdcodec.learning.statistics import RateObjective, SparseObjective
from fdcodec.learning.structured import hypercube_pairs, learn_rotations, settle_on_grid, train_angles
from fdcodec.transform import FactorProduct, dct_line_product
from fdcodec.transform.blocks import grid_blocks


def mixed_samples(n: int, n_samples: int, seed: int) -> np.ndarray:
    """Return heavy-tailed samples of variances 1, 1/4, ... mixed by a random orthogonal matrix."""
    rng = np.random.default_rng(seed)
    matrix, _ = np.linalg.qr(rng.standard_normal((n, n)))
    return (rng.laplace(size=(n_samples, n)) * 20.0 / (1.0 + np.arange(n))) @ matrix


def test_hypercube_pairs_of_eight():
    """One round over 8 coefficients has three stages of four disjoint pairs that differ in one bit."""
    pairs = hypercube_pairs([(8, 1)])
    distances = [1] * 4 + [2] * 4 + [4] * 4
    assert distances == (pairs[:, 1] - pairs[:, 0]).tolist()
    for stage in pairs.reshape(3, 8):
        assert list(range(8)) == sorted(stage.tolist())


def test_documented_order_and_rotation_agree_with_the_objective():
    """The rate of the oracle at the returned angles, applied as documented, is the rate that the learner lowered."""
    samples = mixed_samples(16, 200, seed=1)
    pairs, index = learn_rotations(samples, 1, step=1.5, n_iterations=30)
    angles = 2 * np.pi * index / 1024
    before = oracle.log_rate(samples, [], [], 1.5)
    after = oracle.log_rate(samples, pairs, angles, 1.5)
    rotated = FactorProduct(
        16,
        pairs[::-1],
        np.array([[[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]] for a in angles[::-1]]),
    )
    assert pytest.approx(after, rel=1e-12) == RateObjective(ArraySamples(samples), 1.5).evaluate(rotated)[1]
    assert after < 0.9 * before


def test_no_sweep_raises_the_rate():
    """The rate never rises, and it falls."""
    samples = mixed_samples(8, 300, seed=2)
    pairs = hypercube_pairs([(8, 2)])
    start = FactorProduct(8, pairs, grid_blocks(2 * np.random.default_rng(2).integers(0, 1024, len(pairs))))
    _, values = train_angles(RateObjective(ArraySamples(samples), 1.0), start, Iterations(25))
    assert np.all(np.diff(values) <= 1e-12 * values[0])
    assert values[-1] < values[0]


def test_layerwise_rounding_beats_rounding_at_once():
    """On a coarse grid the layers still free make up for what the rounded ones lost."""
    samples = mixed_samples(16, 400, seed=5)
    objective = RateObjective(ArraySamples(samples), 1.0)
    pairs = hypercube_pairs([(16, 2)])
    start = FactorProduct(16, pairs[::-1], np.repeat(np.eye(2)[None], len(pairs), axis=0))
    free, _ = train_angles(objective, start, Iterations(40))
    at_once = objective.evaluate(free.quantized(32))[1]
    settled = settle_on_grid(objective, free, 32)
    np.testing.assert_allclose(settled.blocks, settled.quantized(32).blocks, atol=1e-12)
    assert objective.evaluate(settled)[1] < at_once


def test_rotations_are_settled_where_rounding_costs_much():
    """On a coarse grid `learn_rotations` does not round all angles at once."""
    samples = mixed_samples(16, 400, seed=5)
    pairs, index = learn_rotations(samples, 2, 1.0, 40, 32)
    start = FactorProduct(16, pairs[::-1], np.repeat(np.eye(2)[None], len(pairs), axis=0))
    objective = RateObjective(ArraySamples(samples), 1.0)
    at_once = objective.evaluate(train_angles(objective, start, Iterations(40))[0].quantized(32))[1]
    assert oracle.log_rate(samples, pairs, 2 * np.pi * index / 32, 1.0) < 0.999 * at_once


@pytest.mark.parametrize("base", [None, dct_line_product(8)[0]], ids=["no base", "base"])
def test_layers_that_are_on_the_grid_stay_there(base, monkeypatch):
    """Layer by layer goes to the grid; in between only those behind it are trained, before the base."""
    seen = []

    def spy(objective, product, iterations, free, given):
        seen.append((product, free.copy(), given))
        return train_angles(objective, product, iterations, free, given)

    monkeypatch.setattr(structured, "train_angles", spy)
    objective = RateObjective(ArraySamples(mixed_samples(8, 60, seed=5)), 1.0)
    start = FactorProduct(8, hypercube_pairs([(8, 1)]), grid_blocks(2 * np.arange(12)))
    settled = settle_on_grid(objective, start, 16, base)
    assert [int(free.sum()) for _, free, _ in seen] == [8, 4]
    for product, free, given in seen:
        np.testing.assert_allclose(product.blocks[~free], settled.blocks[~free], atol=1e-12)
        assert given is base


def test_every_start_is_run(monkeypatch):
    """So many starts are trained, all but the first from angles of their own."""
    starts = []

    def spy(objective, product, iterations):
        starts.append(product.blocks)
        return train_angles(objective, product, iterations)

    monkeypatch.setattr(structured, "train_angles", spy)
    learn_rotations(mixed_samples(8, 60, seed=5), 1, 1.0, 2, n_starts=4)
    assert len(starts) == 4
    np.testing.assert_array_equal(starts[0], np.repeat(np.eye(2)[None], 12, axis=0))
    assert len({blocks.tobytes() for blocks in starts}) == 4


def test_only_free_angles_are_trained():
    """Rotations that are not free stay as they are, also before a base; the others lower the objective."""
    objective = RateObjective(ArraySamples(mixed_samples(8, 100, seed=2)), 1.0)
    pairs, base = hypercube_pairs([(8, 1)]), dct_line_product(8)[0]
    start, free = FactorProduct(8, pairs, grid_blocks(2 * np.arange(12))), np.arange(12) % 3 == 0
    for given in (None, base):
        trained, values = train_angles(objective, start, Iterations(6), free, given)
        np.testing.assert_allclose(trained.blocks[~free], start.blocks[~free], atol=1e-15)
        assert (np.abs(trained.blocks - start.blocks)[free].max(axis=(1, 2)) > 0).all()
        ends = [product if given is None else product.then(given) for product in (start, trained)]
        assert [objective.evaluate(product)[1] for product in ends] == pytest.approx([values[0], values[-1]])
        assert values[-1] < values[0]


def test_directions_are_those_of_bfgs():
    """Two loops over the steps give minus the gradient times the matrix of the BFGS recursion."""
    rng = np.random.default_rng(8)
    hessian = rng.standard_normal((5, 5))
    hessian = hessian @ hessian.T + np.eye(5)
    gradient, curvature = rng.standard_normal(5), rng.uniform(1, 3, 5)
    steps = rng.standard_normal((3, 5))
    history = deque((s, hessian @ s, 1.0 / (s @ hessian @ s)) for s in steps)
    s, y, _ = history[-1]
    inverse = np.diag(1.0 / curvature) * (s @ y) / (y @ (y / curvature))
    for s, y, factor in history:
        left = np.eye(5) - factor * np.outer(s, y)
        inverse = left @ inverse @ left.T + factor * np.outer(s, s)
    np.testing.assert_allclose(descent_direction(gradient, curvature, history), -inverse @ gradient)
    np.testing.assert_allclose(descent_direction(gradient, curvature, deque()), -gradient / curvature)


def test_result_is_never_worse_than_the_start():
    """With no iterations the quantized start comes back, or a better point of the grid."""
    samples = mixed_samples(16, 100, seed=3)
    init = np.random.default_rng(3).integers(0, 1024, size=32)
    pairs, index = learn_rotations(samples, 1, step=1.0, n_iterations=0, init=init)
    rates = [oracle.log_rate(samples, pairs, 2 * np.pi * a / 1024, 1.0) for a in (init, index)]
    assert rates[1] <= rates[0]


@pytest.mark.parametrize("kind", [lambda X: RateObjective(X, 2.0), lambda X: SparseObjective(X, 3)])
def test_slopes_are_those_of_the_objective(kind):
    """The gradient that L-BFGS sees is the derivative of the objective, by differences."""
    objective = kind(ArraySamples(mixed_samples(8, 400, seed=6)))
    pairs = hypercube_pairs([(8, 2)])
    angles = np.random.default_rng(6).uniform(0, 6, len(pairs))

    def at(values):
        c, d = np.cos(values), np.sin(values)
        return FactorProduct(8, pairs, np.stack([np.stack([c, d], -1), np.stack([-d, c], -1)], -2))

    slopes, curvatures = np.empty(len(pairs)), np.empty(len(pairs))
    point = at(angles)
    angle_slopes(objective.evaluate(point)[0], pairs, point.blocks, slopes, curvatures)
    for k, nudge in enumerate(1e-6 * np.eye(len(pairs))):
        difference = objective.evaluate(at(angles + nudge))[1] - objective.evaluate(at(angles - nudge))[1]
        assert pytest.approx(difference / 2e-6, rel=1e-3, abs=1e-6) == -objective.slope * slopes[k]


def test_quasi_newton_solves_a_quadratic():
    """L-BFGS ends at the minimum of a badly scaled quadratic, falling at every step."""
    scale = 10.0 ** np.arange(6)
    evaluate = lambda x: (float(scale @ (x - 1) ** 2), 2 * scale * (x - 1), np.ones(6))  # noqa: E731
    point, values = minimize(evaluate, np.zeros(6), Iterations(100))
    np.testing.assert_allclose(point, 1.0, atol=1e-5)
    assert np.all(np.diff(values) < 0)


def test_more_starts_never_hurt():
    """The best of several starts is not worse than the first."""
    samples = mixed_samples(16, 200, seed=7)
    rates = []
    for n_starts in (1, 4):
        pairs, index = learn_rotations(samples, 1, step=1.0, n_iterations=40, n_starts=n_starts)
        rates.append(oracle.log_rate(samples, pairs, 2 * np.pi * index / 1024, 1.0))
    assert rates[1] <= rates[0] + 1e-3


def test_threads_do_not_change_the_angles():
    """One thread and three give the same angles."""
    samples = mixed_samples(64, 500, seed=4)
    results = [learn_rotations(samples, [(16, 1)], 1.0, 10, n_threads=threads)[1].tolist() for threads in (1, 3)]
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"step": 0.0}, "step"),
        ({"step": "a"}, "step is 'a'"),
        ({"n_iterations": -1}, "n_iterations"),
        ({"n_iterations": 2.5}, r"n_iterations is 2\.5"),
        ({"n_threads": 0}, "n_threads is 0"),
        ({"n_rounds": 1.5}, r"n_rounds is 1\.5"),
        ({"n_rounds": [(8, 1.5)]}, r"n_rounds is 1\.5"),
        ({"n_rounds": [8, 1]}, r"n_rounds is \[8, 1\]"),
        ({"angle_levels": 2}, "angle_levels"),
        ({"n_starts": 0}, "n_starts"),
        ({"n_rounds": [(12, 1)]}, "n_rounds"),
        ({"n_rounds": [(1, 1)]}, "n_rounds"),
        ({"coefficients": np.ones((4, 12))}, "n_rounds"),
        ({"init": [0]}, "init"),
        ({"coefficients": [[np.nan] * 8]}, "coefficients"),
    ],
)
def test_bad_arguments_are_named(changes, word):
    """Every bad argument raises a ParameterError that names it."""
    arguments = {"coefficients": np.ones((4, 8)), "n_rounds": 1, "step": 1.0, "n_iterations": 1, **changes}
    with pytest.raises(ParameterError, match=word):
        learn_rotations(**arguments)


def test_arguments_may_be_numbers_of_numpy():
    """Integers of numpy count as those of Python."""
    samples = mixed_samples(16, 50, seed=3)
    expected = learn_rotations(samples, 1, 1.0, 5)
    for n_rounds in (np.int64(1), [(np.int64(16), np.int64(1))]):
        given = learn_rotations(samples, n_rounds, np.float64(1), np.int64(5))
        np.testing.assert_array_equal(given[1], expected[1])


def test_starting_angles_may_be_any_integers():
    """Angles go round: what is returned is in the full circle, whatever multiple of it a start is off."""
    samples, start = mixed_samples(8, 100, seed=5), np.arange(12)
    results = [learn_rotations(samples, 1, 1.0, 0, 64, init=start + turn)[1] for turn in (0, 64, -128)]
    np.testing.assert_array_equal(results[1:], [results[0]] * 2)
    assert results[0].min() >= 0
    assert results[0].max() < 64
