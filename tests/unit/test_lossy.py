"""The lossy codec: the encoder's reconstruction is the decoder's, whatever the image, quality, effort and tiles."""

import numpy as np
import pytest
from tests.blocks import as_decoded, blocks_in, levels_of
from tests.golden.cases import CASES, digest, stored
from tests.images import noise, photo, ramp

import fdcodec
from fdcodec.coding import lossy
from fdcodec.coding.lossy import Coding, decode_planes, encode_planes
from fdcodec.coding.settings import EncoderSettings
from fdcodec.coding.tuning import search_options
from fdcodec.format.constants import COPIED, LEARNED
from fdcodec.format.parameters import step_index_for
from fdcodec.image.colour import colour_matrix, plane_bounds, to_planes
from fdcodec.kernels.reconstruction import maps as maps_module
from fdcodec.model import get

IMAGES = {
    "flat": np.full((20, 36, 3), 77, np.uint8),
    "ramp": ramp(36, 44, 3),
    "photo": photo(48, 68),
    "noise": noise(24, 40, 3, seed=1),
}
TINY = [(1, 1), (1, 5), (2, 2), (3, 1), (3, 5), (5, 3)]


def tile_of(samples, quality, effort=5, sparsity=None):
    """Return (what `encode_planes` gave, step index, bounds)."""
    matrix = colour_matrix(None) if samples.shape[2] == 3 else None
    step_index, bounds = step_index_for(quality), plane_bounds(matrix)
    options = search_options(EncoderSettings(effort=effort, sparsity=sparsity), step_index, bounds)
    return encode_planes(to_planes(samples, matrix), get("photo"), options), step_index, bounds


def assert_decoders_agree(samples, quality, effort):
    """Check that the decoder's planes and maps are those the encoder left."""
    tile, step_index, bounds = tile_of(samples, quality, effort)
    planes, maps = decode_planes(tile.payload, tile.planes.shape, get("photo"), Coding(step_index, bounds))
    assert tile.planes.tolist() == planes.tolist()
    assert as_decoded(tile.maps) == as_decoded(maps)


@pytest.mark.parametrize("shape", TINY)
@pytest.mark.parametrize("channels", [1, 3])
def test_tiny_images(shape, channels):
    """Images smaller than two blocks decode to what the encoder saw."""
    assert_decoders_agree(noise(*shape, channels, seed=2), 75, 5)


@pytest.mark.parametrize("name", IMAGES)
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("quality", [5, 50, 95])
@pytest.mark.parametrize("effort", [1, 5, 9])
def test_decoder_follows_the_encoder(name, channels, quality, effort):
    """At each quality and effort the decoded planes are the encoder's reconstruction."""
    assert_decoders_agree(IMAGES[name][:, :, :channels], quality, effort)


class Filled:
    """NumPy, but for arrays without values, which hold what memory held before: one value, as odd as any."""

    def __init__(self, value):
        self.value = value

    def __getattr__(self, name):
        """Return what NumPy has."""
        return getattr(np, name)

    def empty(self, shape, dtype):
        """Return an array of the value."""
        return np.full(shape, self.value, dtype)


@pytest.mark.parametrize("name", [name for name in CASES if "lossless" not in name and "model" not in name])
@pytest.mark.parametrize("value", [-12345, COPIED, LEARNED + 5, 32767])
def test_what_memory_held_before_is_not_decoded(name, value, monkeypatch):
    """Planes, levels and cells are written before they are read, whatever was in their place."""
    data, record = stored(name)
    for module in (lossy, maps_module):
        monkeypatch.setattr(module, "np", Filled(value))
    assert digest(fdcodec.decode(data)) == record["sha256_pixels"]


@pytest.mark.parametrize("sparsity", [1, 3, 12])
def test_no_block_keeps_more_levels_than_allowed(sparsity):
    """With a sparsity of s each block has at most s nonzero levels."""
    tile, _, _ = tile_of(IMAGES["noise"], 95, sparsity=sparsity)
    most = 0
    for maps in tile.maps:
        for block in blocks_in(maps):
            end = maps.ends[block[1] // 4, block[0] // 4]
            most = max(most, np.count_nonzero(levels_of(maps, block)[:end]))
    assert most <= sparsity


@pytest.mark.parametrize("channels", [1, 3])
def test_bytes_do_not_depend_on_threads(channels):
    """Any number of threads over the tiles gives the same file."""
    image = photo(100, 150)[:, :, :channels]
    expected = fdcodec.encode(image, tile=64, threads=1)
    assert [expected] * 2 == [fdcodec.encode(image, tile=64, threads=threads) for threads in (2, 4)]


@pytest.mark.parametrize("tile", [None, 32])
def test_region_is_the_part_of_the_whole(tile):
    """Random rectangles decode to the same part of the whole picture."""
    data = fdcodec.encode(photo(70, 90), quality=60, effort=1, transform="photo", tile=tile)
    whole, rng = fdcodec.decode(data), np.random.default_rng(3)
    for _ in range(12):
        x, y = int(rng.integers(90)), int(rng.integers(70))
        width, height = int(rng.integers(1, 91 - x)), int(rng.integers(1, 71 - y))
        part = fdcodec.decode_region(data, (x, y, width, height))
        assert whole[y : y + height, x : x + width].tolist() == part.tolist()


def test_quality_never_makes_the_step_coarser():
    """The step index falls or stays as quality rises from 0 to 100."""
    steps = [step_index_for(quality / 4) for quality in range(401)]
    assert sorted(steps, reverse=True) == steps
    assert steps[0] > steps[200] > steps[400]


@pytest.mark.parametrize("name", ["ramp", "photo"])
def test_size_grows_with_quality(name):
    """A finer quality takes no fewer bytes."""
    sizes = [len(tile_of(IMAGES[name], quality)[0].payload) for quality in (5, 20, 35, 50, 65, 80, 95)]
    assert sorted(sizes) == sizes


@pytest.mark.parametrize("amplitude", [0, 1, 2, 4, 8, 30])
def test_levels_are_worth_more_than_nothing(amplitude):
    """At the coarsest step noise below it costs no more, error and bits together, than a flat image's error alone."""
    samples = (128 + noise(32, 32, 1, seed=amplitude) % (amplitude + 1)).astype(np.uint8)
    tile, step_index, _ = tile_of(samples, 5)
    planes = to_planes(samples, None)
    error = float(((planes - tile.planes) ** 2).sum())
    nothing = float(((planes - 1024) ** 2).sum())
    price = 0.13 * (2.0 ** (step_index / 32 - 1)) ** 2
    assert error + price * 8 * len(tile.payload) <= nothing + price * 8 * 4


@pytest.mark.parametrize(("channels", "quality"), [(1, 20), (3, 30)])
def test_flat_black_background_stays_black(channels, quality):
    """At a coarse step nine tenths of a flat background at the end of the range are decoded exactly."""
    samples = photo(64, 96)[:, :, :channels].copy()
    samples[:, 32:] = 0
    decoded = fdcodec.decode(fdcodec.encode(samples, quality=quality, transform="photo"))
    assert np.mean(decoded[samples == 0] == 0) > 0.9


@pytest.mark.parametrize("share", [0.3, 0.5, 1.0])
def test_trees_before_those_with_thrift_are_as_without(share):
    """A share of the trees, the last ones, is coded with thrift; those before them are the same."""
    samples = photo(96, 128)
    planes, bounds = to_planes(samples, colour_matrix(None)), plane_bounds(colour_matrix(None))
    plain, thrifty = (
        encode_planes(planes, get("photo"), search_options(EncoderSettings(thrifty_share=of), 200, bounds))
        for of in (0.0, share)
    )
    first = 12 - int(12 * share)
    same = [
        np.array_equal(*(tile.planes[0, y : y + 32, x : x + 32] for tile in (plain, thrifty)))
        for y in range(0, 96, 32)
        for x in range(0, 128, 32)
    ]
    assert all(same[:first])
    assert not any(same[first:])
    assert len(thrifty.payload) < len(plain.payload)
