"""Step offsets of trees: what is written is what is read, what they do to blocks, and how the encoder chooses them."""

from unittest.mock import patch

import numpy as np
import pytest
from tests.blocks import as_decoded
from tests.images import noise, photo, ramp, uneven
from tests.reference.range_coder import Decoder
from tests.reference.syntax import Contexts, PlaneDecoder

import fdcodec
from fdcodec import container
from fdcodec.coding.adaptation import activities, adaptive_steps
from fdcodec.coding.lossy import Coding, Steps, decode_planes, encode_planes, local_indices, new_offsets
from fdcodec.coding.settings import EncoderSettings
from fdcodec.coding.tuning import search_options
from fdcodec.format.constants import MAX_OFFSET, MAX_STEP_INDEX, OFFSET_UNIT
from fdcodec.format.contexts import N_CONTEXTS, N_WITH_OFFSETS
from fdcodec.format.parameters import Parameters, step_index_for, visual_step_index
from fdcodec.image.colour import colour_matrix, plane_bounds, to_planes
from fdcodec.inspection import describe_bits
from fdcodec.kernels.syntax.interval import finish_encoder, new_decoder, new_encoder
from fdcodec.kernels.syntax.offsets import code_offset
from fdcodec.kernels.syntax.range_coder import new_contexts
from fdcodec.model import ClassModel

PLAIN = ClassModel("plain")
SETTINGS = EncoderSettings(effort=1)
BOUNDS = plane_bounds(colour_matrix(None))
STEP_INDEX = 260
SHAPES = [(1, 1), (1, 5), (5, 1), (3, 4)]


def code_all(stream, offsets):
    """Code the offsets of trees in raster order."""
    for row in range(offsets.shape[0]):
        for column in range(offsets.shape[1]):
            code_offset(stream, offsets, row, column)


def assert_round_trip(offsets):
    """Check that offsets are read as written, and that writing leaves them."""
    expected, (coder, buffer) = offsets.tolist(), new_encoder(4096)
    code_all((coder, buffer, new_contexts(N_WITH_OFFSETS)), offsets)
    assert expected == offsets.tolist()
    read = np.zeros_like(offsets)
    code_all((*new_decoder(finish_encoder(coder, buffer)), new_contexts(N_WITH_OFFSETS)), read)
    assert expected == read.tolist()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("offset", [0, 1, -1, MAX_OFFSET, -MAX_OFFSET])
def test_equal_offsets(shape, offset):
    """Trees that all have the same offset are read as written."""
    assert_round_trip(np.full(shape, offset, np.int64))


@pytest.mark.parametrize("first", [0, 3, -MAX_OFFSET, MAX_OFFSET])
@pytest.mark.parametrize("second", range(-MAX_OFFSET, MAX_OFFSET + 1))
def test_every_difference(first, second):
    """Any offset may stand beside any other."""
    assert_round_trip(np.array([[first, second]]))
    assert_round_trip(np.array([[first], [second]]))


@pytest.mark.parametrize("seed", range(5))
def test_random_offsets(seed):
    """Random offsets are read as written."""
    assert_round_trip(np.random.default_rng(seed).integers(-MAX_OFFSET, MAX_OFFSET, (7, 9), endpoint=True))


@pytest.mark.parametrize("seed", range(20))
def test_any_bits_give_offsets_within_range(seed):
    """Random bytes are read as the specification reads them, never outside the range."""
    payload, offsets = np.random.default_rng(seed).bytes(60), np.zeros((3, 4), np.int64)
    code_all((*new_decoder(payload), new_contexts(N_WITH_OFFSETS)), offsets)
    assert np.abs(offsets).max() <= MAX_OFFSET
    oracle = PlaneDecoder(Decoder(payload), Contexts(), 0, 0)
    for y in range(0, 96, 32):
        for x in range(0, 128, 32):
            oracle.offsets[x, y] = oracle.offset(x, y)
    assert list(oracle.offsets.values()) == offsets.ravel().tolist()


@pytest.mark.parametrize(("index", "offset", "expected"), [(0, -1, 0), (200, 0, 200), (MAX_STEP_INDEX, 1, 383)])
def test_local_steps_stay_in_their_range(index, offset, expected):
    """The step index of a tree is clipped to the range of step indices."""
    assert expected == local_indices(index, np.array(offset))


def test_trees_of_a_plane():
    """A plane has as many offsets as 32x32 trees, those cut at its edges counted."""
    shapes = [(4, 4), (32, 32), (36, 64), (100, 4)]
    assert [new_offsets(*shape).shape for shape in shapes] == [(1, 1), (1, 1), (2, 2), (4, 1)]


def steps_of(offsets, step_index):
    """Return steps of given offsets."""
    indices = local_indices(step_index, np.arange(-MAX_OFFSET, MAX_OFFSET + 1))
    options = [search_options(SETTINGS, int(index), BOUNDS) for index in indices]
    return Steps(np.array(offsets, np.int64), list(zip(*options, strict=True)))


def encoded(samples, offsets, step_index=STEP_INDEX):
    """Return a tile with given step offsets, and what it decodes to."""
    planes, options = to_planes(samples, colour_matrix(None)), search_options(SETTINGS, step_index, BOUNDS)
    tile = encode_planes(planes, PLAIN, options, steps=steps_of(offsets, step_index))
    return tile, decode_planes(tile.payload, planes.shape, PLAIN, Coding(step_index, BOUNDS, adaptive=True))


@pytest.mark.parametrize("seed", range(3))
def test_encoder_and_decoder_have_the_same_samples(seed):
    """With any offsets the encoder's reconstruction and maps are the decoder's."""
    offsets = np.random.default_rng(seed).integers(-MAX_OFFSET, MAX_OFFSET, (2, 3), endpoint=True)
    tile, (planes, maps) = encoded(uneven(40, 72), offsets)
    assert tile.planes.tolist() == planes.tolist()
    assert as_decoded(tile.maps) == as_decoded(maps)


@pytest.mark.parametrize("offset", [-MAX_OFFSET, 2])
def test_one_offset_for_all_is_another_step(offset):
    """Where all trees have the same offset, the samples are those of a picture with that step."""
    tile, (planes, _) = encoded(uneven(40, 72), np.full((2, 3), offset))
    expected, _ = encoded(uneven(40, 72), np.zeros((2, 3)), STEP_INDEX + OFFSET_UNIT * offset)
    assert expected.planes.tolist() == planes.tolist()
    assert 0 <= len(tile.payload) - len(expected.payload) <= 8


def test_contexts_of_class_models_are_without_those_of_offsets():
    """Start states go by the contexts before those of offsets, which a tile without offsets does not have."""
    tile, _ = encoded(photo(8, 8), [[1]])
    planes, options = to_planes(photo(8, 8), colour_matrix(None)), search_options(SETTINGS, STEP_INDEX, BOUNDS)
    plain = encode_planes(planes, PLAIN, options)
    assert (len(plain.contexts), len(tile.contexts)) == (N_CONTEXTS, N_WITH_OFFSETS)


def slow_activities(samples):
    """Return the mean log2(1 + 3 variance) of the gray of the 8x8 squares of each tree, sample by sample."""
    height, width, _ = samples.shape

    def square(top, left):
        places = [(y, x) for y in range(top, top + 8) for x in range(left, left + 8)]
        values = [float(np.mean(samples[min(y, height - 1), min(x, width - 1)])) for y, x in places]
        mean = sum(values) / 64
        return np.log2(1 + 3 * sum((value - mean) ** 2 for value in values) / 64)

    def tree(top, left):
        return np.mean([square(y, x) for y in range(top, top + 32, 8) for x in range(left, left + 32, 8)])

    return [[tree(y, x) for x in range(0, width, 32)] for y in range(0, height, 32)]


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("shape", [(1, 1), (32, 32), (33, 68)])
def test_activity_follows_its_formula(shape, channels):
    """The activity of a tree is the mean logarithm of variances, edges repeated past the plane; 0 where all is flat."""
    samples = noise(*shape, channels, seed=3)
    assert activities(samples) == pytest.approx(np.array(slow_activities(samples)))
    assert not activities(np.full((*shape, channels), 100, np.uint8)).any()


def test_busy_trees_have_coarser_steps():
    """From flat to ramp to noise, offsets rise, and stay within their range; gray has those of the same in RGB."""
    parts = [np.full((32, 32, 1), 90, np.uint8), ramp(32, 32, 1), noise(32, 32, 1, seed=1)]
    gray = np.concatenate(parts, axis=1)
    (offsets,) = adaptive_steps(gray, SETTINGS, STEP_INDEX, BOUNDS).offsets.tolist()
    assert -MAX_OFFSET <= offsets[0] < offsets[1] < offsets[2] <= MAX_OFFSET
    assert [offsets] == adaptive_steps(gray.repeat(3, axis=2), SETTINGS, STEP_INDEX, BOUNDS).offsets.tolist()


def test_options_follow_the_step_of_their_offset():
    """The options of an offset are those of an encode with its step, in all planes."""
    steps = adaptive_steps(np.zeros((4, 4, 3), np.uint8), SETTINGS, STEP_INDEX, BOUNDS)
    for k in range(3):
        for offset in (-MAX_OFFSET, 0, MAX_OFFSET):
            expected = search_options(SETTINGS, STEP_INDEX + OFFSET_UNIT * offset, BOUNDS)[k]
            assert expected == steps.options[k][offset + MAX_OFFSET]


def test_steps_of_qualities():
    """With weights the step of a quality is finer than without, falls with the quality, and stays in its range."""
    steps = [visual_step_index(quality) for quality in range(101)]
    assert sorted(steps, reverse=True) == steps
    assert [step_index_for(quality) - step for quality, step in enumerate(steps)] == [11] * 101
    with patch("fdcodec.format.parameters.step_index_for", return_value=3):
        assert visual_step_index(100) == 0


def is_adaptive(data):
    """Return whether a file says that it has step offsets."""
    return Parameters.from_bytes(container.read(data).header.parameters, 8).adaptive


def test_psnr_is_the_default():
    """Without `tune` files are those of "psnr", without offsets."""
    samples = uneven(40, 72)
    data = fdcodec.encode(samples, effort=1)
    assert data == fdcodec.encode(samples, effort=1, tune="psnr")
    assert not is_adaptive(data)


@pytest.mark.parametrize("channels", [1, 3])
def test_visual_files_say_so(channels):
    """A file tuned by eye has offsets, `info` tells it, and their bits are counted."""
    data = fdcodec.encode(uneven(40, 72)[:, :, :channels].copy(), effort=1, tune="visual", verify=True)
    assert is_adaptive(data)
    assert fdcodec.info(data)["tune"] == "visual"
    counts = describe_bits(data)["element_bits"]
    assert counts["luma"]["step offsets"] > 0
    assert counts["chroma"]["step offsets"] == 0


def test_screen_content_is_tuned_the_same():
    """Pictures with screen tools have no offsets."""
    screen = np.kron(noise(13, 13, 1, seed=2)[:, :, 0] >> 7, np.full((5, 5), 255)).astype(np.uint8)
    data = fdcodec.encode(screen, effort=1, tune="visual")
    assert Parameters.from_bytes(container.read(data).header.parameters, 8).screen
    assert data == fdcodec.encode(screen, effort=1)


def test_lossless_files_have_no_tune():
    """Of a lossless file `info` names no tune."""
    assert fdcodec.info(fdcodec.encode(photo(16, 16), lossless=True))["tune"] is None


def test_targets_mean_what_they_say():
    """A PSNR and a size are met with files tuned by eye, too, where files have some hundred bytes."""
    samples = photo(64, 96)
    data = fdcodec.encode(samples, psnr_db=42, effort=1, tune="visual")
    error = np.square(fdcodec.decode(data).astype(float) - samples).mean()
    assert is_adaptive(data)
    assert 10 * np.log10(255**2 / error) == pytest.approx(42, abs=0.1)
    data = fdcodec.encode(samples, size_bytes=1500, effort=1, tune="visual")
    assert is_adaptive(data)
    assert 0.97 * 1500 <= len(data) <= 1500


def test_tiles_threads_and_regions():
    """Tiles tuned by eye give the same bytes and samples in any number of threads, and decode alone."""
    samples = photo(80, 96)
    data = fdcodec.encode(samples, effort=1, tile=48, tune="visual")
    assert data == fdcodec.encode(samples, effort=1, tile=48, tune="visual", threads=3)
    whole = fdcodec.decode(data)
    assert whole.tolist() == fdcodec.decode(data, threads=2).tolist()
    assert whole[40:60, 50:90].tolist() == fdcodec.decode_region(data, (50, 40, 40, 20)).tolist()
