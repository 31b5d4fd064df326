"""Parts of training against what their formulas give: start states, filters, rotations of groups, costs."""

import math

import numpy as np
import pytest
from tests.images import photo
from tests.reference import learning as oracle
from tests.unit.test_structured import mixed_samples

from fdcodec.format.contexts import N_CONTEXTS
from fdcodec.kernels.syntax.range_coder import new_contexts
from fdcodec.learning.structured import learn_rotations
from fdcodec.model import ClassModel
from fdcodec.model.body import GroupTransform
from fdcodec.training import transforms
from fdcodec.training.filters import FilterSums, _solve
from fdcodec.training.start_states import StartStateSums
from fdcodec.training.traces import trace
from fdcodec.training.transforms import _cost, _in_place, learn_group, rotate_zones


def test_start_states_are_drawn_to_the_parents():
    """What the parent says weighs as six updates, in the logit domain; updates are those above its counts."""
    parent = np.full((N_CONTEXTS, 2), [200, 10], np.uint8)
    contexts = new_contexts(N_CONTEXTS)
    contexts[:, 2] = 10
    contexts[0], contexts[1], contexts[2] = (9000, 9000, 40), (60000, 60000, 12), (400, 400, 4)
    sums = StartStateSums(parent)
    sums.add(contexts)
    states = sums.start_states()
    for k, updates in enumerate((30, 2, 0)):
        logits = [math.log(p / (1 - p)) for p in (200.5 / 256, contexts[k, 1] / 65536)]
        mean = (6 * logits[0] + updates * logits[1]) / (6 + updates)
        assert states[k].tolist() == [math.floor(256 / (1 + math.exp(-mean))), (6 + updates) // 4]


def test_filters_of_rare_classes_are_those_of_all_together():
    """A class that no sample is in has the weights of all classes; one with many samples has its own, within limits."""
    rng = np.random.default_rng(1)
    inputs, weights = rng.standard_normal((2, 400, 24)), rng.uniform(-0.5, 0.5, (2, 24))
    weights[1, 0] = 7.0
    matrices, vectors = np.zeros((50, 24, 24)), np.zeros((50, 24))
    for k in (0, 1):
        matrices[k] = np.triu(inputs[k].T @ inputs[k])
        vectors[k] = inputs[k].T @ inputs[k] @ weights[k]
    solved = _solve(matrices, vectors)
    np.testing.assert_allclose(solved[:2], np.clip(np.rint(128 * weights), -127, 127), atol=2)
    gram = [a + np.triu(a, 1).T for a in matrices]
    mean = np.linalg.solve(sum(gram), vectors.sum(axis=0))
    np.testing.assert_allclose(solved[2:], np.repeat(np.clip(128 * mean, -127, 127)[None], 48, axis=0), atol=1)


def test_blocks_of_the_screen_tools_train_no_filter():
    """Luma and chroma have filters of their own; where a map has copied or sampled blocks, nothing is learned."""
    traced = trace(photo(64, 64), 12.0, ClassModel("plain"), effort=1)
    sums = FilterSums()
    sums.add(traced)
    assert sums.filters(None).any(axis=(2, 3)).tolist() == 2 * [[False, True, False, False]]
    for maps in traced.maps:
        maps.modes[:] = -1
    sums = FilterSums()
    sums.add(traced)
    assert not sums.filters(None).any()


def test_groups_are_rotated_as_the_objective_has_it():
    """Rotations that were learned for a group, in its zone's numbers, lower the log-rate by what the oracle says."""
    blocks = (mixed_samples(16, 200, seed=2)[:, ::-1] / 4).astype(np.float32)
    group = learn_group(blocks, 20, [(16, 1)])
    assert (group.pairs[:, 0] < group.pairs[:, 1]).all()
    angles = 2 * np.pi * group.angles / 1024
    rotated = np.array([oracle.rotate(block, group.pairs, angles) for block in blocks])
    np.testing.assert_allclose(rotate_zones(blocks, group.pairs, group.angles), rotated, atol=1e-9)
    order = np.argsort(-np.mean(np.log2(1 + (blocks / 0.25) ** 2), axis=0), kind="stable")
    pairs, index = learn_rotations(blocks[:, order], [(16, 1)], 0.25, 20)
    expected = oracle.log_rate(blocks[:, order], pairs, 2 * np.pi * index / 1024, 0.25)
    assert np.mean(np.sum(np.log2(1 + (rotated / 0.25) ** 2), axis=1)) == pytest.approx(expected)
    assert expected < np.mean(np.sum(np.log2(1 + (blocks / 0.25) ** 2), axis=1))
    energy = np.minimum(rotated**2, 4.0).mean(axis=0)
    assert (np.diff(energy[group.order]) <= 0).all()
    assert sorted(group.order) == list(range(16))


def test_rotations_that_move_nothing_are_left_out():
    """Angles of 0 take no place in a class model, and a pair the wrong way round is turned with its angle."""
    pairs, angles = _in_place(np.array([[3, 1], [0, 2], [2, 5]]), np.array([10, 0, 1020]))
    assert (pairs.tolist(), angles.tolist()) == ([[1, 3], [2, 5]], [1014, 1020])


def test_cost_of_blocks_is_the_lesser_of_error_and_level():
    """A coefficient costs its square, or where that is less a level, whose price grows with its logarithm."""
    coefficients = np.array([[0.0, 0.5, -0.5], [2.0, -8.0, 0.67]])
    price = [0.45 + 0.2 * math.log2(value / math.sqrt(0.45)) for value in (2.0, 8.0)]
    assert _cost(coefficients) == pytest.approx(0.25 + 0.25 + 0.67**2 + sum(price))


ORDER = np.arange(16, dtype=np.uint8)


def turned(angle, pair=(0, 1)):
    """Return the transform of one rotation of a group of 4x4 blocks."""
    return GroupTransform(np.array([pair], np.uint8), np.array([angle], np.uint16), ORDER)


def pairwise_blocks(seed):
    """Return blocks whose first two coefficients are the same, so that a rotation by 45 degrees is the best of one."""
    blocks = np.random.default_rng(seed).normal(0, 1, (500, 16)).astype(np.float32)
    blocks[:, 1] = blocks[:, 0] = 9 * blocks[:, 0]
    return blocks


class Given:
    """Blocks to learn from, and others that judge."""

    def of(self, key, seed):
        """Return them."""
        return np.zeros((500, 16), np.float32), pairwise_blocks(1)


@pytest.mark.parametrize(
    ("candidates", "best"),
    [([64, 128, 100], 128), ([128, 64], 128), ([1], None), ([512], None), ([], None), ([96, 97], 97)],
)
@pytest.mark.parametrize("parent", [None, turned(0)])
def test_the_best_on_blocks_held_out_is_kept(candidates, best, parent, monkeypatch):
    """Of transforms the one of least cost is taken, and the parent's unless it costs a thousandth less than that."""
    monkeypatch.setattr(transforms, "_candidates", lambda blocks, parent: map(turned, candidates))
    found, (before, after) = transforms._train_group(Given(), (0, 3), parent)
    assert before == pytest.approx(_cost(pairwise_blocks(1)))
    if best is None:
        assert (found, after) == (parent, before)
    else:
        assert found.angles.tolist() == [best]
        assert after == pytest.approx(_cost(rotate_zones(pairwise_blocks(1), found.pairs, found.angles)))


def test_candidates_are_few_and_many_rotations_alone_and_behind_the_parents():
    """What is learned behind the parent's rotations is learned from blocks that these have rotated."""
    blocks, parent = pairwise_blocks(2)[:60], turned(128)
    alone = list(transforms._candidates(blocks, None))
    assert len(alone) == 2
    few, many, *behind = transforms._candidates(blocks, parent)
    assert [each.angles.tolist() for each in (few, many)] == [each.angles.tolist() for each in alone]
    rotated = rotate_zones(blocks, parent.pairs, parent.angles).astype(np.float32)
    for each, layout in zip(behind, transforms.LAYOUTS[16], strict=True):
        expected = learn_group(rotated, transforms.N_ITERATIONS, layout)
        assert each.pairs.tolist() == [[0, 1], *expected.pairs.tolist()]
        assert each.angles.tolist() == [128, *expected.angles.tolist()]
        assert each.order.tolist() == expected.order.tolist()


def test_rotations_are_at_most_as_many_as_the_format_has():
    """A parent with nearly all the rotations that a group can have gets none behind them."""
    parent = GroupTransform(np.tile(np.uint8([[0, 1]]), (1020, 1)), np.ones(1020, np.uint16), ORDER)
    assert len(list(transforms._candidates(pairwise_blocks(3)[:60], parent))) == 2
