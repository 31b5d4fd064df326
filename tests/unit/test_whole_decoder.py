"""Whole files against a decoder written from the specification, and what they cost and keep."""

import numpy as np
import pytest
from tests.images import photo, ramp, uneven
from tests.reference import colour, filtering
from tests.reference.range_coder import Decoder
from tests.reference.reconstruct import reconstruct_tile
from tests.strategies import FILTER_SHAPE, learned_mode

from fdcodec import container
from fdcodec.codec import decode, encode
from fdcodec.coding.lossy import Coding, decode_planes, encode_planes
from fdcodec.coding.settings import EncoderSettings
from fdcodec.coding.tuning import search_options
from fdcodec.format.constants import ANGLE_LEVELS, MAX_LEARNED, MAX_ROTATIONS, N_GROUPS
from fdcodec.format.contexts import END_CLASS, LEARNED_FLAG, N_CONTEXTS
from fdcodec.format.parameters import Parameters, step_index_for
from fdcodec.image.colour import colour_matrix, plane_bounds, to_planes
from fdcodec.image.picture import Picture
from fdcodec.model import ClassModel, get
from fdcodec.model.body import ZONE_SIZES, GroupTransform

PLAIN = ClassModel("plain")
BANDS = [(1, 1124, 41.13), (5, 1020, 41.14), (9, 1015, 41.13)]  # effort, bytes, PSNR in decibels


def encoded(samples, quality, model=PLAIN, **settings):
    """Return the encoded tile, its decoded planes and their maps."""
    matrix = colour_matrix(None) if samples.shape[2] == 3 else None
    planes, bounds, step_index = to_planes(samples, matrix), plane_bounds(matrix), step_index_for(quality)
    tile = encode_planes(planes, model, search_options(EncoderSettings(**settings), step_index, bounds))
    return tile, *decode_planes(tile.payload, planes.shape, model, Coding(step_index, bounds))


def file_of(samples, **settings):
    """Return the file of samples with the plain model."""
    return encode(Picture(samples), EncoderSettings(model=PLAIN, **settings))


def specified(data, model):
    """Return the samples of a file of one tile, decoded by plain Python written from the specification."""
    file = container.read(data)
    header, parameters = file.header, Parameters.from_bytes(file.header.parameters, file.header.depth)
    height, width = header.height + -header.height % 4, header.width + -header.width % 4
    matrix = colour.matrix_of(parameters.colour) if header.channels == 3 else None
    bounds = colour.ranges_of(matrix)
    coder, step_index = Decoder(file.payloads[0]), parameters.step_index
    done = []
    for k, (plane, decoder) in enumerate(
        reconstruct_tile(coder, height, width, model, step_index, bounds, parameters.adaptive)
    ):
        blocks = [[decoder.at(x, y) for x in range(0, width, 4)] for y in range(0, height, 4)]
        sides = [[[block.log2_sides[k] for block in row] for row in blocks] for k in (0, 1)]
        strength, filters = parameters.strengths[min(k, 1)], model.filters[min(k, 1)]
        done.append(filtering.filtered(plane, sides, filters, step_index, strength, bounds[k]))
    pixels = [[[plane[y][x] for plane in done] for x in range(header.width)] for y in range(header.height)]
    return [[colour.samples_of(pixel, matrix, parameters.sample_range) for pixel in row] for row in pixels]


def extreme_model(rng):
    """Return a class model with everything that one may have, extremes among it, and no sense."""
    learned = tuple(learned_mode(rng, size) for size in (2, 3, 4) for _ in range(MAX_LEARNED))
    transforms = {}
    for size, zone in enumerate(ZONE_SIZES):
        for group in range(N_GROUPS + (MAX_LEARNED if size < 3 else 0)):
            count = int(rng.choice([0, 60, MAX_ROTATIONS]))
            pairs = np.sort([rng.choice(zone, 2, replace=False) for _ in range(count)], axis=-1).reshape(-1, 2)
            angles = rng.integers(0, ANGLE_LEVELS, count)
            transforms[size, group] = GroupTransform(pairs, angles, rng.permutation(zone))
    states = np.stack([rng.choice([2, 128, 253], N_CONTEXTS), rng.choice([0, 20, 63], N_CONTEXTS)], axis=1)
    states[END_CLASS:LEARNED_FLAG] = 253, 63  # so that there are many levels, and large ones
    filters = rng.choice([-128, 0, 127], FILTER_SHAPE)
    return ClassModel.from_bytes(ClassModel("extreme", transforms, states, filters, learned).to_bytes())


@pytest.mark.parametrize("name", ["photo", "screenshot"])
def test_decoder_follows_a_trained_model(name):
    """Start states, rotations and orders of presets give the same planes on both sides."""
    tile, planes, _ = encoded(photo(64, 80), 60, model=get(name))
    assert tile.planes.tolist() == planes.tolist()


@pytest.mark.parametrize("quality", [5, 50, 95])
@pytest.mark.parametrize(
    ("channels", "tune", "width", "depth"),
    [(1, "psnr", 28, 8), (1, "psnr", 28, 16), (3, "psnr", 28, 8), (3, "psnr", 28, 16), (3, "visual", 68, 8)],
)
def test_decoder_of_the_specification_gives_the_same_samples(quality, channels, tune, width, depth):
    """A whole file, decoded by plain Python written from the specification, has the package's samples."""
    samples, model = (photo if tune == "psnr" else uneven)(20, width)[:, :, :channels].copy(), get("photo")
    if depth == 16:
        samples = 37 * samples.astype(np.uint16) + 1000
    data = encode(Picture(samples), EncoderSettings(quality=quality, model=model, effort=3, tune=tune))
    assert specified(data, model) == decode(data).samples.tolist()


@pytest.mark.parametrize("seed", range(6))
def test_decoder_of_the_specification_gives_the_same_samples_of_any_payload(seed):
    """Random payloads, with models and parameters that no encoder has, decode to the same samples: no sum overflows."""
    rng = np.random.default_rng(seed)
    channels, sample_range = (3, 1)[seed % 5 == 0], (5, 65535) if seed % 2 else None
    angles = tuple(rng.integers(0, 512, 3).tolist())
    step_index = (0, 200, 383)[seed % 3]
    parameters = Parameters(step_index, angles, (7, 7), adaptive=seed % 4 > 1, sample_range=sample_range)
    header = container.Header(39, 34, channels, 16 if sample_range else 8, parameters=parameters.to_bytes())
    payload, model = rng.integers(0, 256, 4000, np.uint8).tobytes() + bytes(8000), extreme_model(rng)
    data = container.write(container.File(header, (payload,), model_bytes=model.to_bytes()))
    assert specified(data, model) == decode(data).samples.tolist()


@pytest.mark.parametrize("samples", [photo(96, 128), ramp(96, 128, 3)], ids=["photograph", "ramp"])
def test_quality_costs_bytes_and_buys_fidelity(samples):
    """From quality to quality a file grows and its squared error falls."""
    files = [file_of(samples, quality=quality) for quality in (10, 40, 70, 95)]
    errors = [np.square(decode(data).samples.astype(float) - samples).mean() for data in files]
    assert sorted(files, key=len) == files
    assert sorted(errors, reverse=True) == errors
    assert errors[-1] < 4


@pytest.mark.parametrize(("effort", "size_bytes", "psnr_db"), BANDS)
def test_size_and_fidelity_of_a_photograph(effort, size_bytes, psnr_db):
    """A crop of 128x128 at quality 75 with the plain model keeps to a size within 1 % and to a fidelity."""
    samples = photo(128, 128)
    tile, _, _ = encoded(samples, 75, effort=effort)
    error = np.square(decode(file_of(samples, effort=effort)).samples.astype(float) - samples).mean()
    assert len(tile.payload) == pytest.approx(size_bytes, rel=0.01)
    assert 10 * np.log10(255**2 / error) >= psnr_db - 0.02
