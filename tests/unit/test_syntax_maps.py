"""The syntax of the lossy codestream: what is written from valid maps is what is read."""

from typing import NamedTuple

import numpy as np
import pytest
from tests.blocks import ALL_SIZES, levels_of, parts_of, random_blocks

from fdcodec.coding.lossy import Coding, decode_planes
from fdcodec.errors import FormatError
from fdcodec.format.constants import CHROMA_FROM_LUMA, MAX_LEVEL, N_MODES
from fdcodec.format.contexts import N_CONTEXTS
from fdcodec.kernels.reconstruction.maps import Known, new_maps
from fdcodec.kernels.reconstruction.tables import build_tables
from fdcodec.kernels.syntax.interval import finish_encoder, new_decoder, new_encoder
from fdcodec.kernels.syntax.range_coder import new_contexts
from fdcodec.kernels.syntax.trees import code_plane, new_code_work
from fdcodec.model import ClassModel

TABLES = build_tables({})
SHAPES = [(4, 4), (4, 36), (32, 32), (36, 68)]


class Choice(NamedTuple):
    """What to put into the maps: the modes, the likely size of levels, how often blocks are cut and hold levels."""

    modes: list[int]
    levels: list[int]
    split: float
    halved: float
    filled: float


EMPTY = Choice([0], [0], 0.0, 0.0, 0.0)
ORDINARY = Choice(list(range(N_MODES)), [0, 0, 0, 0, 1, -1, 2, -3, 9, 40], 0.6, 0.4, 0.7)
LARGE = Choice([1, 18], [MAX_LEVEL, -MAX_LEVEL, 14, 15, -16, 17], 0.5, 0.4, 0.9)


def put_block(maps, block, choice, rng):
    """Put one random block into the maps."""
    x, y, log2_width, log2_height = block
    width, height = 1 << log2_width, 1 << log2_height
    cells = np.s_[y // 4 : (y + height) // 4, x // 4 : (x + width) // 4]
    end = 0 if rng.random() >= choice.filled else int(rng.integers(0, min(width * height, 70), endpoint=True))
    maps.log2_widths[cells], maps.log2_heights[cells] = log2_width, log2_height
    maps.modes[cells], maps.ends[cells] = rng.choice(choice.modes), end
    values = rng.choice(choice.levels, end)
    values[-1:] = [value if value else 1 for value in values[-1:]]
    levels_of(maps, block)[:end] = values


def random_maps(shape, choice, seed):
    """Return valid maps of a plane."""
    rng, maps = np.random.default_rng(seed), new_maps(*shape)
    for block in random_blocks(shape, choice.split, choice.halved, rng):
        put_block(maps, block, choice, rng)
    return maps


def write(planes):
    """Return the payload of the planes' maps, luma first, and the contexts after it."""
    coder, buffer = new_encoder(1 << 18)
    contexts = new_contexts(N_CONTEXTS)
    for k, maps in enumerate(planes):
        code_plane((coder, buffer, contexts), Known(maps, planes[0], min(k, 1)), new_code_work(TABLES), None, None)
    return finish_encoder(coder, buffer), contexts


def read(payload, shape, count):
    """Return the maps read from a payload, and the contexts after it."""
    coder, buffer = new_decoder(payload)
    contexts, planes = new_contexts(N_CONTEXTS), [new_maps(*shape) for _ in range(count)]
    for k, maps in enumerate(planes):
        code_plane((coder, buffer, contexts), Known(maps, planes[0], min(k, 1)), new_code_work(TABLES), None, None)
    return planes, contexts


def listed(planes):
    """Return maps as lists, to compare."""
    return [[field.tolist() for field in maps] for maps in planes]


def assert_round_trip(planes):
    """Check that maps and contexts after reading are those of writing."""
    before = listed(planes)
    payload, written = write(planes)
    decoded, contexts = read(payload, tuple(4 * side for side in planes[0].modes.shape), len(planes))
    assert before == listed(planes)
    assert before == listed(decoded)
    assert written.tolist() == contexts.tolist()


@pytest.mark.parametrize("shape", SHAPES)
def test_empty_blocks(shape):
    """Planes of the largest blocks without levels are read as written."""
    assert_round_trip([random_maps(shape, EMPTY, seed=0) for _ in range(3)])


@pytest.mark.parametrize("level", [1, -1, 2, 14, 15, 16, -MAX_LEVEL, MAX_LEVEL])
@pytest.mark.parametrize("position", [0, 1, 9, 15])
def test_one_level_in_one_block(level, position):
    """A single level of any size at any position of the scan is read as written."""
    maps = random_maps((4, 4), EMPTY, seed=0)
    maps.levels[position] = level
    maps.ends[:] = position + 1
    assert_round_trip([maps])


@pytest.mark.parametrize("sides", ALL_SIZES)
def test_every_end(sides):
    """Each end that a block can have, up to all of its places, is read as written."""
    width, height = 1 << sides[0], 1 << sides[1]
    area, maps = width * height, new_maps(32, 32)
    maps.log2_widths[:], maps.log2_heights[:] = sides
    for end in [*range(0, area, max(1, area // 32)), area - 1, area]:
        maps.levels[:] = 0
        for y in range(0, 32, height):
            for x in range(0, 32, width):
                levels_of(maps, (x, y, *sides))[:end] = 1
        maps.ends[:] = end
        assert_round_trip([maps])


@pytest.mark.parametrize("log2_side", [3, 4, 5])
@pytest.mark.parametrize("guided", ALL_SIZES)
def test_every_cut_under_every_block_of_luma(log2_side, guided):
    """Whole squares, quarters, lying and standing halves in chroma are read as written, whatever luma's blocks."""
    luma = new_maps(32, 32)
    luma.log2_widths[:], luma.log2_heights[:] = guided
    for halved in (0.0, 0.5, 1.0):
        chroma = new_maps(32, 32)
        rng = np.random.default_rng(log2_side)
        for y in range(0, 32, 1 << log2_side):
            for x in range(0, 32, 1 << log2_side):
                for block in parts_of(x, y, log2_side, halved, rng):
                    put_block(chroma, block, ORDINARY, rng)
        assert_round_trip([luma, chroma])


@pytest.mark.parametrize("mode", range(N_MODES))
@pytest.mark.parametrize("neighbour", [0, 2, 18, 34])
def test_every_mode_beside_others(mode, neighbour):
    """Each mode, after another in luma and after both in chroma, is read as written."""
    planes = [random_maps((4, 36), EMPTY, seed=0) for _ in range(2)]
    for k, maps in enumerate(planes):
        maps.modes[:, k::2], maps.modes[:, 1 - k :: 2] = mode, neighbour
    assert_round_trip(planes)


@pytest.mark.parametrize("shape", SHAPES)
def test_chroma_from_luma_everywhere(shape):
    """Chroma planes predicted from luma throughout are read as written."""
    luma = random_maps(shape, ORDINARY, seed=1)
    assert_round_trip([luma, random_maps(shape, ORDINARY._replace(modes=[CHROMA_FROM_LUMA]), seed=2)])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("split", [0.0, 0.5, 1.0])
def test_extreme_levels_in_any_partition(shape, split):
    """The greatest levels and those around the escape, in blocks of all sizes, are read as written."""
    assert_round_trip([random_maps(shape, LARGE._replace(split=split), seed=k) for k in range(2)])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(6))
def test_random_maps(shape, seed):
    """A luma and two chroma planes of random blocks are read as written."""
    chroma = ORDINARY._replace(modes=[*range(N_MODES), *[CHROMA_FROM_LUMA] * 20])
    assert_round_trip(
        [random_maps(shape, choice, 10 * seed + k) for k, choice in enumerate([ORDINARY, chroma, chroma])]
    )


@pytest.mark.parametrize("kept", [0, 1, 10, 100])
def test_payload_that_ends_early(kept):
    """A payload cut to its first bytes, of which the blocks need far more, is refused."""
    payload, _ = write([random_maps((36, 68), LARGE, seed=5)])
    assert len(payload) > kept + 1000
    # What the zeros past the end mean depends on the bytes kept; these ones leave levels to read.
    with pytest.raises(FormatError, match="ends before"):
        decode_planes(payload[:kept], (1, 36, 68), ClassModel("dct"), Coding(200, [(0, 2040)]))
