"""Learned modes: prediction, bases and syntax against the oracle, and how the encoder uses them."""

from dataclasses import replace

import numpy as np
import pytest
from tests.blocks import put_found
from tests.images import noise, photo
from tests.reference.learned import points, predict_learned
from tests.reference.range_coder import Decoder
from tests.reference.reconstruct import reconstruct_tile

from fdcodec.coding.lossy import Coding, decode_planes, encode_planes
from fdcodec.coding.settings import EncoderSettings
from fdcodec.coding.tuning import search_options
from fdcodec.errors import FormatError
from fdcodec.format.constants import CHROMA_FROM_LUMA, LEARNED, MAX_LEARNED, PREDICTION_LIMIT
from fdcodec.format.contexts import LEARNED_FLAG, N_CONTEXTS
from fdcodec.kernels.reconstruction.learned_tables import BASES, LearnedMode, learned_matrices, n_inputs, n_outputs
from fdcodec.kernels.reconstruction.planes import new_work, predict_block
from fdcodec.kernels.reconstruction.tables import build_tables
from fdcodec.kernels.reconstruction.transforms import forward_transform, inverse_transform
from fdcodec.model import ClassModel
from fdcodec.model.body import GroupTransform

STEP_INDEX, BOUNDS = 240, (0, 2040)


def random_mode(log2_size, seed, limit=40):
    """Return a learned mode with random weights and bases."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(-limit, limit, (n_inputs(log2_size), n_outputs(log2_size)), endpoint=True)
    return LearnedMode(log2_size, int(rng.integers(4)), int(rng.integers(4)), weights.astype(np.int16))


def random_transform(zone, seed):
    """Return random rotations and a random order."""
    rng = np.random.default_rng(seed)
    pairs = np.sort([rng.choice(zone, 2, replace=False) for _ in range(20)], axis=1).astype(np.uint8)
    angles = rng.integers(0, 1024, 20).astype(np.uint16)
    return GroupTransform(pairs, angles, rng.permutation(zone).astype(np.uint8))


def copying_mode(log2_size, bases):
    """Return a mode that predicts the mean of the border, residuals in the given pair of bases."""
    weights = np.zeros((n_inputs(log2_size), n_outputs(log2_size)), np.int16)
    return LearnedMode(log2_size, *bases, weights)


MODEL = ClassModel(
    "random",
    transforms={(0, 11): random_transform(16, 1), (1, 10): random_transform(64, 2), (2, 12): random_transform(64, 3)},
    learned=(
        *(random_mode(2, k, 12) for k in range(8)),
        *(copying_mode(3, (2, 2)), copying_mode(3, (3, 1)), random_mode(3, 8, 12)),
        *(random_mode(4, k, 12) for k in range(9, 14)),
    ),
)


def encoded(planes, model):
    """Return the encoded tile of planes."""
    bounds = [BOUNDS] * len(planes)
    return encode_planes(planes, model, search_options(EncoderSettings(), STEP_INDEX, bounds))


@pytest.mark.parametrize("log2_size", [2, 3, 4])
@pytest.mark.parametrize("place", [(0, 0), (16, 0), (0, 16), (16, 16), (48, 32)])
@pytest.mark.parametrize("limit", [40, (1 << 15) - 1])
def test_prediction_is_that_of_the_specification(log2_size, place, limit):
    """Borders with and without neighbours, ordinary and extreme weights give the oracle's prediction."""
    plane = np.random.default_rng(7).integers(-2040, 2041, (64, 64)).astype(np.int32)
    mode, work = random_mode(log2_size, log2_size, limit), new_work()
    predict_block(plane, plane, (*place, log2_size, log2_size), LEARNED, build_tables({}, [mode]), work)
    size = 1 << log2_size
    assert predict_learned(plane, *place, mode) == work.prediction[:size, :size].tolist()


def test_prediction_is_clamped():
    """No weights take a prediction past its limit."""
    plane = np.zeros((16, 16), np.int32)
    plane[:, 8:] = 2040
    mode = random_mode(3, 5, (1 << 15) - 1)
    work = new_work()
    predict_block(plane, plane, (8, 8, 3, 3), LEARNED, build_tables({}, [mode]), work)
    assert np.abs(work.prediction[:8, :8]).max() <= PREDICTION_LIMIT


@pytest.mark.parametrize("size", [4, 8, 16])
def test_bases_are_those_of_the_specification(size):
    """DCT, DST-VII, identity and Haar of 4, 8 and 16 points have the oracle's integers."""
    matrices = learned_matrices().reshape(len(BASES), 3, 32, 32)
    for kind in range(len(BASES)):
        assert points(kind, size) == matrices[kind, size.bit_length() - 3, :size, :size].tolist()


@pytest.mark.parametrize("log2_size", [2, 3, 4])
@pytest.mark.parametrize("bases", [(a, b) for a in range(4) for b in range(4)])
def test_every_pair_of_bases_is_undone(log2_size, bases):
    """Forward and inverse transform of a learned mode give the residual back but for rounding."""
    transforms = {(log2_size - 2, 10): random_transform(16 if log2_size == 2 else 64, 4)}
    tables = build_tables(transforms, [copying_mode(log2_size, bases)])
    size, (residual, coefficients, back), work = 1 << log2_size, np.zeros((3, 32, 32), np.int32), new_work()
    residual[:size, :size] = np.random.default_rng(1).integers(-2000, 2000, (size, size))
    forward_transform(residual, LEARNED, log2_size, log2_size, tables, work, coefficients)
    n_found = put_found(work, coefficients[:size, :size])
    inverse_transform(n_found, LEARNED, log2_size, log2_size, tables, work, back)
    assert np.abs(back - residual).max() <= 6


@pytest.mark.parametrize("n_planes", [1, 3])
def test_decoder_of_the_specification_gives_the_same_planes(n_planes):
    """Encoder, decoder and the oracle agree on a tile with learned modes of every size."""
    planes = np.stack([8 * noise(48, 64, 1, seed)[:, :, 0].astype(np.int32) for seed in range(n_planes)])
    planes[:, :, 32:] = 8 * photo(48, 32)[:, :, 0]
    tile = encoded(planes, MODEL)
    decoded, maps = decode_planes(tile.payload, planes.shape, MODEL, Coding(STEP_INDEX, [BOUNDS] * n_planes))
    assert tile.planes.tolist() == decoded.tolist()
    assert (maps[0].modes >= LEARNED).any()
    assert all((plane_maps.modes <= CHROMA_FROM_LUMA).all() for plane_maps in maps[1:])
    oracle = reconstruct_tile(Decoder(tile.payload), 48, 64, MODEL, STEP_INDEX, [BOUNDS] * n_planes)
    assert [plane for plane, _ in oracle] == decoded.tolist()


def test_models_without_learned_modes_do_not_pay_for_them():
    """Without learned modes nothing is coded in their contexts: their start states do not matter."""
    states = np.tile(np.array([128, 0], np.uint8), (N_CONTEXTS, 1))
    other = states.copy()
    other[LEARNED_FLAG:] = [20, 30]
    planes = 8 * photo(48, 64)[:, :, :1].transpose(2, 0, 1).astype(np.int32)
    first, second = (encoded(planes, ClassModel("plain", start_states=s)).payload for s in (states, other))
    assert first == second


def test_learned_mode_is_chosen_where_it_fits():
    """Isolated dots on a flat ground are coded in the mode whose base is the identity, in fewer bytes than without."""
    plane = np.full((1, 64, 64), 1600, np.int32)
    plane[0][np.random.default_rng(3).random((64, 64)) < 0.04] = 0
    model = ClassModel("dots", learned=(copying_mode(2, (2, 2)), copying_mode(3, (2, 2))))
    tile = encoded(plane, model)
    assert (tile.maps[0].modes >= LEARNED).mean() > 0.5
    assert len(tile.payload) < 0.9 * len(encoded(plane, ClassModel("plain")).payload)


@pytest.mark.parametrize("seed", range(8))
def test_random_payload_names_only_modes_that_there_are(seed):
    """Any payload decodes to modes of the model, or is refused; nothing else happens."""
    payload = np.random.default_rng(seed).integers(0, 256, 4000).astype(np.uint8).tobytes()
    few = replace(MODEL, transforms={}, learned=tuple(random_mode(size, size) for size in (2, 3, 3, 3)))
    try:
        _, maps = decode_planes(payload, (1, 64, 64), few, Coding(STEP_INDEX, [BOUNDS]))
    except FormatError:
        return
    for log2_size, count in ((2, 1), (3, 3), (4, 0), (5, 0)):
        squares = (maps[0].log2_widths == log2_size) & (maps[0].log2_heights == log2_size)
        assert maps[0].modes[squares].max(initial=0) < LEARNED + count
    assert maps[0].modes[maps[0].log2_widths != maps[0].log2_heights].max(initial=0) < LEARNED
    assert count <= MAX_LEARNED
