"""The filter after reconstruction against the specification's text in plain Python."""

import numpy as np
import pytest
from tests.blocks import random_blocks
from tests.reference import filtering as reference

from fdcodec.filtering.post import apply_filter, best_strengths, classes_of, step_bucket, strength_errors
from fdcodec.format.constants import FILTER_BUCKETS, FILTER_CLASSES, FILTER_WEIGHTS, MAX_STEP_INDEX, MAX_STRENGTH
from fdcodec.image.colour import OPPONENT, plane_bounds
from fdcodec.kernels.filters.cell_classes import STEP_INT
from fdcodec.kernels.filters.corrections import LARGE_CLIP, SMALL_CLIP
from fdcodec.kernels.filters.deblocking import CORRECTION_LIMIT, ROUGHNESS_LIMIT, deblock_plane
from fdcodec.kernels.reconstruction.maps import new_maps
from fdcodec.model import ClassModel

INDICES = range(MAX_STEP_INDEX + 1)
SHAPE = (2, FILTER_BUCKETS, FILTER_CLASSES, FILTER_WEIGHTS)
GRAY = [(0, 2040)]


def random_sides(height, width, seed):
    """Return a random partition of a plane: log2 of the width and of the height of the block over each cell."""
    sides = np.zeros((2, height // 4, width // 4), np.int32)
    for x, y, *block in random_blocks((height, width), 0.5, 0.5, np.random.default_rng(seed)):
        for field, log2_side in zip(sides, block, strict=True):
            field[y // 4 : (y + (1 << block[1])) // 4, x // 4 : (x + (1 << block[0])) // 4] = log2_side
    return sides


def blocky_plane(height, width, amplitude, seed):
    """Return a smooth plane with steps at 8x8 blocks and a little noise."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width]
    steps = np.kron(rng.integers(-amplitude, amplitude, (height // 8 + 1, width // 8 + 1)), np.ones((8, 8)))
    noise = rng.normal(0, amplitude / 8, (height, width))
    plane = 1000 + 6 * x + 400 * np.sin(y / 40) + steps[:height, :width] + noise
    return plane.astype(np.int32)


def maps_of(sides):
    """Return maps that hold a partition and nothing else."""
    maps = new_maps(4 * sides.shape[1], 4 * sides.shape[2])
    maps.log2_widths[:], maps.log2_heights[:] = sides
    return maps


def random_model(seed):
    """Return a model with random filters."""
    return ClassModel("filters", filters=np.random.default_rng(seed).integers(-40, 41, SHAPE, np.int8))


def test_limits_of_every_step():
    """Every limit that follows the step is the specification's."""
    for share, table in ((0.04, CORRECTION_LIMIT), (0.2, SMALL_CLIP), (0.8, LARGE_CLIP), (1, STEP_INT)):
        assert [reference.share_of_step(share, index) for index in INDICES] == table.tolist()
    assert [reference.roughness_of(index) for index in INDICES] == ROUGHNESS_LIMIT.tolist()
    assert [step_bucket(index) for index in (0, 223, 224, 255, 256, 287, 288, 383)] == [0, 0, 1, 1, 2, 2, 3, 3]


def test_flat_plane_is_left():
    """A plane of one value is neither deblocked nor corrected."""
    planes, maps = np.full((1, 16, 16), 700, np.int32), [maps_of(random_sides(16, 16, seed=1))]
    apply_filter(planes, maps, random_model(1), 250, (7, 7), GRAY)
    assert np.full((1, 16, 16), 700).tolist() == planes.tolist()


def test_strength_zero_is_no_filter():
    """At strength 0 a plane stays as it is."""
    plane = blocky_plane(16, 24, 60, seed=2)
    planes = plane[None].copy()
    apply_filter(planes, [maps_of(random_sides(16, 24, seed=2))], random_model(2), 300, (0, 7), GRAY)
    assert plane.tolist() == planes[0].tolist()


@pytest.mark.parametrize("step_index", [0, 190, 205, 240, 262, 300, 345, 383])
@pytest.mark.parametrize("amplitude", [4, 30, 120])
def test_deblocking_follows_the_specification(step_index, amplitude):
    """Edges of a random partition, smooth, rough and high, are smoothed as specified."""
    plane, sides = blocky_plane(40, 68, amplitude, seed=step_index), random_sides(40, 68, seed=amplitude)
    expected = reference.deblock(plane.tolist(), sides.tolist(), step_index)
    deblock_plane(plane, maps_of(sides).cells, step_index)
    assert expected == plane.tolist()


def test_deblocking_takes_every_branch():
    """The planes above make the kernel smooth strongly, weakly with and without second samples, and not at all."""
    kinds = set()
    for step_index in (240, 300, 345):
        for amplitude in (4, 30, 120):
            plane = blocky_plane(40, 68, amplitude, seed=step_index)
            after = plane.copy()
            deblock_plane(after, maps_of(random_sides(40, 68, seed=amplitude)).cells, step_index)
            changed = (after != plane)[:, 8:64].reshape(40, 7, 8)
            kinds |= {int(np.sum(segment[[0, 1, 2, 5, 6, 7]])) for row in changed for segment in row}
    assert kinds >= {0, 1, 2, 3, 4, 5, 6}


@pytest.mark.parametrize("step_index", [240, 296])
def test_deblocking_at_its_thresholds(step_index):
    """Nearly straight segments, whose slopes and jumps lie around each threshold and on it, are as specified."""
    rng = np.random.default_rng(step_index)
    slopes = np.repeat(rng.integers(-8, 9, (800, 2)), 8, axis=1) * np.arange(16)
    jumps = np.repeat(rng.integers(-8, 9, (800, 2)), 8, axis=1)
    bends = rng.integers(0, rng.integers(1, 16, (800, 1)), (800, 16))
    plane = np.repeat(900 + slopes + jumps + bends, 4, axis=0).astype(np.int32)
    sides = np.full((2, 800, 4), 3, np.int32)
    expected = reference.deblock(plane.tolist(), sides.tolist(), step_index)
    deblock_plane(plane, maps_of(sides).cells, step_index)
    assert expected == plane.tolist()


def test_positions_beyond_15_bits():
    """Edges right of column 2^15 are smoothed alike with the JIT and without, whose integers may be narrow."""
    maps, plane = maps_of(np.full((2, 2, 8200), 5)), blocky_plane(8, 32800, 30, seed=7)
    plain = plane.copy()
    deblock_plane(plane, maps.cells, 300)
    getattr(deblock_plane, "py_func", deblock_plane)(plain, maps.cells, 300)
    assert plain.tolist() == plane.tolist()


@pytest.mark.parametrize("sides", [(3, 2), (2, 3), (4, 3), (3, 4), (5, 4), (4, 5)])
def test_oblong_blocks_have_edges_of_their_own(sides):
    """Edges of halves are smoothed on the grid of 8, as specified; samples far from every edge stay."""
    plane = blocky_plane(64, 64, 20, seed=9)
    log2_sides = np.zeros((2, 16, 16), np.int32)
    log2_sides[0], log2_sides[1] = sides
    expected = reference.deblock(plane.tolist(), log2_sides.tolist(), 300)
    after = plane.copy()
    deblock_plane(after, maps_of(log2_sides).cells, 300)
    assert expected == after.tolist()
    width, height = max(8, 1 << sides[0]), max(8, 1 << sides[1])
    inside = np.add.outer((np.arange(64) + 3) % height > 5, (np.arange(64) + 3) % width > 5) == 2
    assert (after == plane)[inside].all()
    assert (after != plane).any()


@pytest.mark.parametrize("step_index", [100, 224, 280, 383])
@pytest.mark.parametrize("seed", range(3))
def test_classes_follow_the_specification(step_index, seed):
    """Each cell of waves in every direction, and of noise, has the specified class."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:24, :64]
    angle = np.pi * (x // 8) / 8
    waves = 1000 + 40 * 4**seed * np.sin((x * np.cos(angle) + y * np.sin(angle)) * 1.3) + rng.normal(0, 4, (24, 64))
    plane = waves.astype(np.int32)
    classes = classes_of(plane, step_index)
    rows = plane.tolist()
    assert [[reference.class_of(rows, i, j, step_index) for j in range(16)] for i in range(6)] == classes.tolist()


def test_classes_of_extremes_do_not_overflow():
    """A checkerboard of the least and the greatest sample has the specified classes."""
    plane = (np.indices((12, 12)).sum(axis=0) % 2 * 2900 - 430).astype(np.int32)
    classes = classes_of(plane, 0)
    rows = plane.tolist()
    assert [[reference.class_of(rows, i, j, 0) for j in range(3)] for i in range(3)] == classes.tolist()


@pytest.mark.parametrize("strength", range(1, MAX_STRENGTH + 1))
@pytest.mark.parametrize("step_index", [200, 230, 260, 320])
def test_whole_filter_follows_the_specification(strength, step_index):
    """A luma and a chroma plane filtered at each strength and step range are the specification's."""
    planes = np.stack([blocky_plane(12, 20, 50, seed=strength + k) for k in range(3)])
    sides, model = random_sides(12, 20, seed=strength), random_model(seed=strength)
    bounds = [(0, 2040), (700, 1300), (-200, 900)]
    strengths = (strength, MAX_STRENGTH + 1 - strength)
    expected = [
        reference.filtered(
            planes[k].tolist(), sides.tolist(), model.filters[min(k, 1)], step_index, strengths[min(k, 1)], bounds[k]
        )
        for k in range(3)
    ]
    apply_filter(planes, [maps_of(sides)] * 3, model, step_index, strengths, bounds)
    assert expected == planes.tolist()


def test_extreme_weights_do_not_overflow():
    """The greatest weights on the greatest differences give the specification's integers."""
    planes = (np.indices((1, 8, 8)).sum(axis=0) % 2 * 2040).astype(np.int32)
    model = ClassModel("extreme", filters=np.full(SHAPE, 127, np.int8))
    sides = random_sides(8, 8, seed=1)
    expected = reference.filtered(planes[0].tolist(), sides.tolist(), model.filters[0], 383, 7, (0, 2040))
    apply_filter(planes, [maps_of(sides)], model, 383, (7, 7), GRAY)
    assert expected == planes[0].tolist()


@pytest.mark.parametrize("width", [28, 32, 36, 60, 100])
@pytest.mark.parametrize("step_index", [0, 250, 383])
def test_rows_of_several_registers_at_the_greatest_range(width, step_index):
    """Any row of the least and greatest samples that a plane can have, whole registers or not, is as specified."""
    low, high = min(plane_bounds(OPPONENT))
    ends = np.array([low - 2 * CORRECTION_LIMIT.max(), high + 2 * CORRECTION_LIMIT.max()])
    planes = np.random.default_rng(width + step_index).choice(ends, (1, 8, width)).astype(np.int32)
    sides, model = random_sides(8, width, seed=width), random_model(seed=width)
    weights = model.filters[0]
    expected = reference.filtered(planes[0].tolist(), sides.tolist(), weights, step_index, 7, (-9000, 9000))
    apply_filter(planes, [maps_of(sides)], model, step_index, (7, 7), [(-9000, 9000)])
    assert expected == planes[0].tolist()


@pytest.mark.parametrize("model", [ClassModel("none"), random_model(3)], ids=["deblocking", "filters"])
def test_errors_by_strength_are_those_of_the_filter(model):
    """The error that the encoder expects of strengths 0, 1 and 5 is what the decoder then makes, before clipping."""
    original = np.stack([blocky_plane(24, 32, 40, seed=k) for k in range(3)])
    decoded = original + np.random.default_rng(4).integers(-60, 61, original.shape, np.int32)
    maps = [maps_of(random_sides(24, 32, seed=5))] * 3
    errors = strength_errors(original, decoded.copy(), maps, model, 270)
    for strength in (0, 1, 5):
        planes = decoded.copy()
        apply_filter(planes, maps, model, 270, (strength, strength), [(-9000, 9000)] * 3)
        squares = ((original - planes).astype(float) ** 2).sum(axis=(1, 2))
        assert [squares[0], squares[1] + squares[2]] == errors[:, strength].tolist()


def test_best_strength_is_the_weakest_of_the_least_errors():
    """Of equal errors the weaker filter wins."""
    errors = np.array([[5, 4, 3, 3, 6, 6, 6, 6], [1, 1, 1, 1, 1, 1, 1, 1]], float)
    assert best_strengths(errors) == (2, 0)
