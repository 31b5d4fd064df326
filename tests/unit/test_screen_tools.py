"""The screen tools: sampled blocks against an oracle, sources of copies against a set, and whole tiles."""

from collections import defaultdict

import numpy as np
import pytest
from tests.blocks import as_decoded
from tests.images import noise, photo, ramp
from tests.reference.range_coder import AdaptiveBin, Decoder
from tests.reference.sampled import SampledPlane

import fdcodec
from fdcodec import container
from fdcodec.coding.lossy import Coding, decode_planes, encode_planes
from fdcodec.coding.settings import EncoderSettings
from fdcodec.coding.tuning import search_options
from fdcodec.filtering.post import apply_filter
from fdcodec.format import contexts as ctx
from fdcodec.format.constants import COPIED, SAMPLED
from fdcodec.format.parameters import Parameters, step_index_for
from fdcodec.image.colour import colour_matrix, plane_bounds, to_planes
from fdcodec.image.screen import count_patterns, is_screen
from fdcodec.kernels.reconstruction.maps import Known, new_maps
from fdcodec.kernels.syntax.copies import copy_block, is_source, keep_vector, likely_vectors, new_vectors
from fdcodec.kernels.syntax.interval import finish_encoder, new_encoder
from fdcodec.kernels.syntax.range_coder import new_contexts
from fdcodec.kernels.syntax.sampled import code_samples, new_expected
from fdcodec.model import ClassModel

PLAIN = ClassModel("plain")
GRID = (0, 2040, 4)


def drawn(height, width, channels, seed=1):
    """Return a drawing: a glyph of few colours, put down again and again on a flat ground."""
    rng = np.random.default_rng(seed)
    colours = rng.integers(0, 256, (4, channels), np.uint8)
    glyphs = rng.integers(0, 4, (3, 11, 7))
    samples = np.full((height, width, channels), 250, np.uint8)
    for top in range(2, height - 11, 13):
        for left in range(3, width - 7, 9):
            samples[top : top + 11, left : left + 7] = colours[glyphs[rng.integers(3)]]
    return samples


def coded(samples, quality, screen=True):
    """Return a tile of samples, its decoded planes and their maps."""
    matrix = colour_matrix(None) if samples.shape[2] == 3 else None
    planes, bounds, step_index = to_planes(samples, matrix), plane_bounds(matrix), step_index_for(quality)
    options = search_options(EncoderSettings(effort=4), step_index, bounds, screen)
    tile = encode_planes(planes, PLAIN, options, screen)
    return tile, *decode_planes(tile.payload, planes.shape, PLAIN, Coding(step_index, bounds, screen))


def test_bits_are_dearer_where_the_tools_are_on():
    """A bit is worth 0.1 squared steps there, and 0.085 elsewhere, with thrift and without (ADR 0028)."""
    plain, drawn = (search_options(EncoderSettings(), 320, [GRID[:2]], screen)[0] for screen in (False, True))
    for usual, dear in zip(plain, drawn, strict=True):
        assert dear.lagrangian / usual.lagrangian == pytest.approx(0.1 / 0.085, rel=1e-3)


@pytest.mark.parametrize("n_values", [2, 6, 300])
@pytest.mark.parametrize("kind", [0, 1])
def test_oracle_decodes_sampled_blocks(n_values, kind):
    """A decoder written from the specification reads the samples of blocks of every shape, coded or expected."""
    rng = np.random.default_rng(7)
    values = GRID[0] + GRID[2] * rng.choice(510, n_values, replace=False)
    before = [rng.choice(values[:3], (32, 32)).astype(np.int32) for _ in range(2)]
    plane = rng.choice(values, (32, 32)).astype(np.int32)
    blocks = [(0, 0, 4, 4, 1), (16, 0, 3, 4, 1), (24, 0, 3, 4, 0), (0, 16, 4, 3, 1), (0, 24, 2, 2, 0), (4, 24, 2, 2, 1)]
    coder, buffer = new_encoder(1 << 14)
    expected = new_expected(plane, *(before if kind else (plane, plane)), *GRID)
    stream = coder, buffer, new_contexts(ctx.N_CONTEXTS)
    for x, y, log2_width, log2_height, is_coded in blocks:
        code_samples(stream, expected, kind, (x, y, log2_width, log2_height), is_coded)
    bins = defaultdict(AdaptiveBin)
    oracle = SampledPlane(
        Decoder(finish_encoder(coder, buffer)), bins, kind, 32, 32, [p.tolist() for p in before], GRID
    )
    for x, y, log2_width, log2_height, is_coded in blocks:
        oracle.block(x, y, 1 << log2_width, 1 << log2_height, is_coded)
        box = np.s_[y : y + (1 << log2_height), x : x + (1 << log2_width)]
        assert plane[box].tolist() == np.array(oracle.plane)[box].tolist()


@pytest.mark.parametrize(("x", "y"), [(0, 0), (32, 0), (40, 8), (36, 44), (32, 32), (56, 40)])
def test_sources_are_decoded_samples(x, y):
    """A vector is allowed if and only if every sample it leads to is in the plane and comes before the block."""
    plane = np.zeros((64, 72), np.int32)

    def rank(column, row):
        cells = [(column >> 2) & 7, (row >> 2) & 7]
        return row >> 5, column >> 5, sum(((cells[k] >> b) & 1) << (2 * b + k) for b in range(3) for k in range(2))

    for up in range(-12, 50, 3):
        for left in range(-40, 50, 3):
            places = [(x - left + dx, y - up + dy) for dx in range(8) for dy in range(4)]
            inside = all(0 <= column < 72 and 0 <= row < 64 for column, row in places)
            allowed = inside and all(rank(*place) < rank(x, y) for place in places)
            assert is_source(plane, (x, y, 3, 2), left, up) == allowed


@pytest.mark.parametrize("vector", [(0, 0), (1, 0), (-8, 0), (0, -4), (65535, 0), (-65535, 65535), (0, 65535), (9, 1)])
def test_vectors_without_a_source_give_the_lowest_value(vector):
    """A vector that leads out of the plane or to samples not decoded fills the block with the plane's lowest value."""
    plane = np.arange(1024, dtype=np.int32).reshape(32, 32)
    copy_block(plane, (8, 0, 3, 3), *vector, -7)
    assert (plane[:8, 8:16] == -7).all()


def test_recent_vectors_are_different_and_the_last_comes_first():
    """A vector used again moves to the front; likely ones are never named twice, and (0, 0) is none."""
    vectors, maps = new_vectors(), new_maps(16, 16)
    assert likely_vectors(vectors, Known(maps, maps, 0), 4, 4) == 0
    for vector in [(5, 0), (6, 1), (5, 0), *[(k, 2) for k in range(9)], (3, 2)]:
        keep_vector(vectors, *vector)
    assert vectors.recent.tolist() == [[3, 2], [8, 2], [7, 2], [6, 2], [5, 2], [4, 2], [2, 2], [1, 2]]
    maps.modes[1, 0], maps.vectors[1, 0] = COPIED, (4, 2)
    assert likely_vectors(vectors, Known(maps, maps, 0), 4, 4) == 8
    assert vectors.likely.tolist() == [[4, 2], [3, 2], [8, 2], [7, 2], [6, 2], [5, 2], [2, 2], [1, 2]]


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("quality", [10, 60, 95])
def test_decoder_follows_the_encoder(channels, quality):
    """A drawing is decoded to what the encoder saw, by blocks that are sampled and blocks that are copied."""
    tile, planes, maps = coded(drawn(96, 100, channels), quality)
    assert tile.planes.tolist() == planes.tolist()
    assert as_decoded(tile.maps) == as_decoded(maps)
    assert {SAMPLED, COPIED} <= set(np.unique(maps[0].modes))


def test_sampled_values_can_be_coded_whatever_the_tables_hold():
    """A sample of a sampled block is on the grid or equals a neighbour: the tables may not hold it any more."""
    pasted = photo(160, 160)
    pasted[::2, 1::3] = pasted[::2, 0:-1:3]
    tile, planes, maps = coded(pasted // 24 * 24, 75)
    assert tile.planes.tolist() == planes.tolist()
    n_sampled = 0
    for plane, plane_maps, (low, _) in zip(planes, maps, plane_bounds(colour_matrix(None)), strict=True):
        around = np.pad(plane, 1, mode="edge")
        neighbours = [around[1:-1, :-2], around[:-2, 1:-1], around[:-2, 2:], around[:-2, :-2]]
        is_safe = np.any([plane == other for other in neighbours], axis=0) | ((plane - low) % 4 == 0)
        is_sampled = np.kron(plane_maps.modes == SAMPLED, np.ones((4, 4), bool))
        assert is_safe[is_sampled].all()
        n_sampled += np.count_nonzero(is_sampled)
    assert n_sampled > 1000


def test_drawings_get_smaller_and_exact():
    """At quality 90 a gray drawing takes less than half the bytes that it takes without the tools, and is exact."""
    samples = drawn(96, 96, 1)
    tile, planes, _ = coded(samples, 90)
    without, _, _ = coded(samples, 90, screen=False)
    assert 2 * len(tile.payload) < len(without.payload)
    assert (planes[0] >> 3).tolist() == samples[:, :, 0].tolist()


def test_photographs_pay_nothing():
    """A photograph is not taken for a screen, a drawing is, and a flat picture is not."""
    assert not is_screen(photo(128, 128))
    assert not is_screen(ramp(64, 64, 1))
    assert not is_screen(np.full((64, 64, 3), 9, np.uint8))
    assert not is_screen(np.zeros((7, 3, 1), np.uint8))
    assert is_screen(drawn(64, 64, 3))
    file = container.read(fdcodec.encode(photo(64, 64), transform=PLAIN))
    assert not Parameters.from_bytes(file.header.parameters, 8).screen


@pytest.mark.parametrize("channels", [1, 3])
def test_patterns_are_those_of_five_pixels(channels):
    """Each different set of a pixel with its left, upper left, upper and upper right one counts once."""
    picture = noise(40, 60, channels, seed=1) % 2
    found = {
        (picture[y, x - 1 : x + 1].tobytes(), picture[y - 1, x - 1 : x + 2].tobytes())
        for y in range(1, 40)
        for x in range(1, 59)
    }
    assert count_patterns(picture) == len(found)


def test_alpha_makes_no_pattern():
    """Alpha, which is coded in the same way with and without loss, plays no part; nor do pictures too small for one."""
    flat = np.full((9, 9, 3), 7, np.uint8)
    assert count_patterns(np.dstack([flat, noise(9, 9, 1, seed=1)])) == count_patterns(flat) == 1
    assert count_patterns(np.zeros((1, 2, 1), np.uint8)) == 0


def test_the_filter_leaves_exact_blocks_alone():
    """Samples of sampled and copied blocks are after the filter what they were before; others change."""
    _, planes, maps = coded(np.concatenate([photo(64, 48), drawn(64, 48, 3)], axis=1), 30)
    step_index, bounds, before = step_index_for(30), plane_bounds(colour_matrix(None)), planes.copy()
    apply_filter(planes, maps, PLAIN, step_index, (1, 1), bounds)
    exact = np.kron(maps[0].modes < 0, np.ones((4, 4), bool))
    assert exact.any()
    assert (planes[0] == before[0])[exact].all()
    assert (planes[0] != before[0])[~exact].any()
