"""Learning a class model: rules that hold for any images."""

from dataclasses import replace
from hashlib import sha256
from math import isqrt

import numpy as np
import pytest
from tests.images import noise, photo
from tests.reference.prediction import coding_order, predict
from tests.reference.reconstruction import basis, place_of, size_class

from fdcodec.filtering.post import strength_errors
from fdcodec.format.contexts import N_CONTEXTS
from fdcodec.format.parameters import step_index_of
from fdcodec.kernels.reconstruction.planes import new_work
from fdcodec.kernels.reconstruction.tables import build_tables
from fdcodec.kernels.syntax.range_coder import new_contexts
from fdcodec.kernels.training.coefficients import collect_zones
from fdcodec.model import ClassModel
from fdcodec.model.body import ZONE_SIZES
from fdcodec.training.filters import FilterSums
from fdcodec.training.start_states import CONFIDENCE, StartStateSums
from fdcodec.training.traces import STEPS, trace, traces
from fdcodec.training.train import learn_model
from fdcodec.training.training_images import MAX_PIXELS, MAX_SIDE, MIN_SIDE, training_image, windows
from fdcodec.training.transforms import ZoneSamples, train_transforms

PLAIN = ClassModel("plain")


def stripes(seed, side=64):
    """Return a gray image of slanted stripes with noise, a class with a direction of its own."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:side, :side]
    waves = 60 * np.sin((x + 0.7 * y) / 2.2 + rng.uniform(0, 6)) + 30 * np.sin((x - 2 * y) / 9 + rng.uniform(0, 6))
    return np.uint8(np.clip(128 + waves + rng.normal(0, 6, (side, side)), 0, 255))[:, :, None]


IMAGES = [stripes(seed) for seed in (1, 2)] + [np.repeat(stripes(3), 3, axis=2)]


def learned_from(images, name, parent=None):
    """Return a model that is learned from arrays."""
    return learn_model([training_image(samples) for samples in images], name, parent)


@pytest.fixture(scope="module")
def model():
    """Return a model learned from the images above."""
    return learned_from(IMAGES, "stripes")


@pytest.fixture(scope="module")
def large_traces():
    """Return traces of images with a few hundred blocks."""
    return [trace(stripes(seed, 256), step, PLAIN, effort=1) for seed in (4, 5) for step in (6.0, 12.0)]


def test_recipe_says_where_the_model_comes_from(model):
    """A recipe holds the images' hashes, the steps, and the sizes before and after."""
    assert model.recipe["images"] == [sha256(image.tobytes()).hexdigest() for image in IMAGES]
    assert model.recipe["steps"] == list(STEPS)
    assert model.recipe["parent"] is None
    assert model.recipe["size_bytes_before"] > model.recipe["size_bytes_after"]


def test_recipe_says_what_parts_save(monkeypatch):
    """With five images or more a recipe has what rotations and filter save on those held out."""
    monkeypatch.setattr("fdcodec.training.transforms.MIN_BLOCKS", {16: 50, 32: 50, 64: 50})
    recipe = learned_from([stripes(seed, 96) for seed in range(5)], "stripes").recipe
    assert recipe["share_saved_by_rotations"] > 0.01
    assert 0 < recipe["share_saved_by_filter"] < 1
    assert 0 < recipe["share_saved_against_presets"] < 1


def test_rotations_that_were_not_learned_save_nothing_known(model):
    """Where every group had too few blocks there is no share that rotations save."""
    assert (model.recipe["cost_saved_by_group"], model.recipe["share_saved_by_rotations"]) == ({}, None)


def test_same_images_give_the_same_model(model):
    """Learning is deterministic, to the hash."""
    assert learned_from(IMAGES, "again").hash == model.hash


def test_photographs_shrink_on_the_second_pass():
    """Crops of a photograph are coded in fewer bytes with what was learned from them than without."""
    crops = [photo(256, 384)[y : y + 64, x : x + 64] for x, y in ((0, 0), (100, 0), (0, 64))]
    recipe = learned_from(crops, "crops").recipe
    assert recipe["size_bytes_after"] < 0.97 * recipe["size_bytes_before"]


def test_few_blocks_keep_the_parents_transforms(model):
    """Groups with too few blocks keep what the parent has; start states stay near the parent's where unused."""
    parent = replace(model, start_states=np.full((N_CONTEXTS, 2), 200, np.uint8) % [256, 64])
    parent = replace(parent, start_states=parent.start_states.astype(np.uint8))
    child = learned_from([noise(8, 8, 1, seed=1)], "child", parent)
    assert child.transforms == parent.transforms
    assert child.recipe["parent"] == parent.hash.hex()
    unused = child.start_states[:, 0] == 200
    assert unused.mean() > 0.5


def test_transforms_never_raise_the_rate(large_traces, monkeypatch):
    """No learned group costs more than its parent on blocks held out; its parts are valid."""
    monkeypatch.setattr("fdcodec.training.transforms.MIN_BLOCKS", {16: 50, 32: 50, 64: 50})
    samples = ZoneSamples()
    for each in large_traces:
        samples.add(each)
    transforms, gains, share = train_transforms(samples, {})
    assert transforms
    assert min(gains.values()) <= share <= max(gains.values())
    assert len(gains) >= len(transforms)
    assert min(gains.values()) >= 0
    assert max(gains.values()) > 0.05
    read = ClassModel.from_bytes(ClassModel("learned", transforms).to_bytes())
    assert list(read.transforms) == sorted(transforms)


@pytest.fixture(scope="module")
def cut_trace():
    """Return the trace of a photograph whose blocks are of many sizes."""
    return trace(photo(128, 192), 22.0, PLAIN, effort=5)


def test_zone_samples_are_blocks_in_steps(cut_trace):
    """Samples hold one row a block, as long as the zone of its size class, and are worth coding."""
    samples = ZoneSamples()
    samples.add(cut_trace)
    assert {size for size, _ in samples.keys} >= {0, 1, 2, 3, 4}
    for key in samples.keys:
        seen, unseen = samples.of(key, seed=1)
        assert seen.shape[1] == unseen.shape[1] == ZONE_SIZES[key[0]]
        assert (np.abs(seen).max(axis=1, initial=0) > 0.5).all()
        assert (np.abs(unseen).max(axis=1, initial=0) > 0.5).all()


def expected_zone(each, block):
    """Return the low coefficients of a block's residual in the base transform, by the oracle and without rounding."""
    x, y, width, height = block
    mode = int(each.maps[0].modes[y // 4, x // 4])
    prediction = np.array(predict(each.decoded[0].tolist(), None, x, y, width, height, mode))
    residual = each.original[0, y : y + height, x : x + width] - prediction
    coefficients = np.array(basis(height)) @ residual @ np.array(basis(width)).T / 2.0**22
    zone = [place_of(j, mode, width, height) for j in range(min(width, 8) * min(height, 8))]
    return [coefficients[place] for place in zone]


def test_zones_are_the_residuals_of_the_oracle(cut_trace):
    """Zones are collected in coding order, each as its rotations see it, whatever the block's shape and mode."""
    maps, cells = cut_trace.maps[0], cut_trace.maps[0].modes.size
    zones, keys = np.zeros((cells, 64), np.int32), np.zeros((cells, 2), np.int32)
    planes = (cut_trace.original[0], cut_trace.decoded[0], cut_trace.decoded[0])
    count = collect_zones(*planes, maps, build_tables({}), new_work(), zones, keys)
    blocks = []
    for row, column in np.ndindex(maps.modes.shape):
        x, y = 4 * column, 4 * row
        width, height = 1 << int(maps.log2_widths[row, column]), 1 << int(maps.log2_heights[row, column])
        if x % width == 0 and y % height == 0:
            blocks.append((x, y, width, height))
    blocks.sort(key=lambda block: coding_order(block[0], block[1]))
    assert len(blocks) == count
    assert any(width != height for *_, width, height in blocks)
    for block, zone, key in zip(blocks, zones, keys, strict=False):
        expected = expected_zone(cut_trace, block)
        assert key[0] == size_class(*block[2:])
        assert np.abs(zone[: len(expected)] - expected).max() < 4


def test_blocks_held_out_are_never_learned_from(large_traces):
    """Where traces are held out, samples to learn from are those of the others alone."""
    both, one = ZoneSamples(), ZoneSamples()
    both.add(large_traces[0])
    both.add(large_traces[2], held_out=True)
    one.add(large_traces[0])
    for key in one.keys:
        seen, unseen = one.of(key, seed=1)
        assert len(both.of(key, seed=1)[0]) == len(seen) + len(unseen)


def test_filter_does_not_raise_the_training_error(large_traces):
    """The learned filter at its best strength has no more error on its training images than deblocking has."""
    sums = FilterSums()
    for each in large_traces:
        sums.add(each)
    model = ClassModel("filter", filters=sums.filters(None))
    assert model.filters.any()
    errors = sum(
        strength_errors(each.original, each.decoded.copy(), each.maps, model, each.step_index) for each in large_traces
    )
    assert errors[0, 5] < errors[0, 1]
    assert errors[0].argmin() > 1


def test_what_a_filter_saves_is_what_it_takes_away(large_traces):
    """The share by the sums is that of the errors of the planes before and after the whole correction."""
    seen, unseen = FilterSums(), FilterSums()
    for each in large_traces[:2]:
        seen.add(each)
    for each in large_traces[2:]:
        unseen.add(each)
    filters = seen.filters(None)
    model = ClassModel("filter", filters=filters)
    errors = sum(
        strength_errors(each.original, each.decoded.copy(), each.maps, model, each.step_index)
        for each in large_traces[2:]
    )
    assert unseen.share_saved(filters) == pytest.approx(1 - errors[0, 5] / errors[0, 1], rel=0.05)
    assert FilterSums().share_saved(filters) is None


def test_joined_sums_are_those_of_all(large_traces):
    """Two parts of the traces joined give the filter of all of them."""
    parts, whole = [FilterSums(), FilterSums()], FilterSums()
    for k, each in enumerate(large_traces):
        parts[k % 2].add(each)
        whole.add(each)
    assert np.array_equal(parts[0].joined(parts[1]).filters(None), whole.filters(None))


def test_filter_keeps_the_parents_ranges_without_data(large_traces):
    """Step ranges that no trace reaches keep the parent's weights."""
    sums, parent = FilterSums(), np.full((2, 4, 50, 24), 3, np.int8)
    sums.add(large_traces[0])
    filters = sums.filters(parent)
    assert filters[0, 1:].tolist() == parent[0, 1:].tolist()
    assert filters[1].tolist() == parent[1].tolist()
    assert filters[0, 0].tolist() != parent[0, 0].tolist()


def test_start_states_follow_the_contexts():
    """A context that ends at a probability, well used, starts there; one never used starts at even odds."""
    contexts = new_contexts(N_CONTEXTS)
    contexts[0] = 60000, 60000, 63
    contexts[1] = 400, 400, 63
    sums = StartStateSums(None)
    for _ in range(4):
        sums.add(contexts)
    states = sums.start_states()
    assert states[0].tolist() == [60000 // 256, CONFIDENCE]
    assert states[1].tolist() == [2, CONFIDENCE]
    assert states[2].tolist() == [128, 0]


def test_steps_have_their_indices():
    """Each training step is within half an index of its own, one in each range of the filter."""
    for step in STEPS:
        assert abs(32 * (np.log2(step) + 4) - step_index_of(step)) <= 0.5
    assert [sum(step >= bound for bound in (8, 16, 32)) for step in STEPS] == [0, 1, 2, 3]


def test_windows_are_the_middles_of_images_and_smaller_where_these_are_many():
    """A window is at most MAX_SIDE high and wide, and never larger than its image; many are smaller."""
    image = np.arange(2 * (MAX_SIDE + 10), dtype=np.uint16).astype(np.uint8).reshape(-1, 2, 1)
    alone, low = windows([image])[0], windows([image[:5]])[0]
    assert alone.tolist() == image[5 : 5 + MAX_SIDE].tolist()
    assert low.tolist() == image[:5].tolist()
    side = isqrt(MAX_PIXELS // 100)
    assert {part.shape for part in windows([np.zeros((400, 500, 3), np.uint8)] * 100)} == {(side, side, 3)}
    assert windows([np.zeros((90, 70, 1), np.uint8)] * 10_000)[0].shape == (MIN_SIDE, MIN_SIDE, 1)


@pytest.mark.parametrize(("height", "width"), [(1500, 1501), (1025, 40), (1024, 1026), (90, 91)])
@pytest.mark.parametrize("n_images", [1, 10, 11, 40, 3000])
def test_windows_of_what_is_kept_are_those_of_the_images(height, width, n_images):
    """Of the last of many images no more is kept than a window needs if half of all are used, and no less."""
    image = np.arange(height * width, dtype=np.uint32).view(np.uint8).reshape(height, width, 4)[:, :, :3]
    kept = training_image(image, n_before=n_images - 1).middle
    for used in {n_images, (n_images + 1) // 2}:
        assert np.array_equal(windows([kept] * used)[0], windows([image] * used)[0])
    most = 2 * max(MAX_PIXELS // max((n_images - 1) // 2, 1), MIN_SIDE**2)
    assert kept.base is None
    assert kept.size <= 3 * min(most, (MAX_SIDE + 1) ** 2)


def test_traces_come_in_order():
    """Traces come image by image, step by step, whatever the threads do."""
    small = [stripes(seed, 16) for seed in range(3)]
    expected = [(image.tolist(), step_index_of(step)) for image in small for step in STEPS]
    seen = [(each.original[0, :, :, None] // 8, each.step_index) for each in traces(small, PLAIN)]
    assert expected == [(plane.tolist(), index) for plane, index in seen]
