"""The syntax of a plane: round trips of any maps, equal states, and a decoder written from the specification."""

import numpy as np
import pytest
from tests.blocks import ALL_SIZES, blocks_in, levels_of, random_blocks
from tests.reference.range_coder import Decoder
from tests.reference.syntax import Contexts, PlaneDecoder

from fdcodec.format import contexts as ctx
from fdcodec.format.constants import CHROMA_FROM_LUMA, MAX_LEVEL, MIN_LOG2, N_MODES
from fdcodec.kernels.reconstruction.blocks import log2_area, size_class
from fdcodec.kernels.reconstruction.maps import Known, levels_place, new_maps
from fdcodec.kernels.reconstruction.tables import build_tables
from fdcodec.kernels.syntax.interval import finish_encoder, new_decoder, new_encoder
from fdcodec.kernels.syntax.levels import (
    FREQUENCY_CLASS,
    NEIGHBOUR_CLASS,
    STRIDE,
    code_levels,
    coefficient_context,
    magnitude_places,
)
from fdcodec.kernels.syntax.range_coder import new_contexts
from fdcodec.kernels.syntax.trees import code_plane, new_code_work

TABLES = build_tables({})
SCANS = TABLES.scans
SHAPES = [(4, 4), (4, 36), (32, 32), (36, 68)]
ALPHABETS = {
    "zeros": [0],
    "ones": [1, -1],
    "few": [0, 0, 0, 0, 0, 1, -1, 2],
    "unary edge": [13, -14, 15, -16, 17],
    "extremes": [MAX_LEVEL, -MAX_LEVEL, 0],
    "random": list(range(-300, 300, 7)),
}


def random_maps(shape, kind, alphabet, split, seed, halved=0.4):
    """Return valid maps of random blocks: partition, modes, ends, and levels from an alphabet."""
    rng, maps = np.random.default_rng(seed), new_maps(*shape)
    for x, y, log2_width, log2_height in random_blocks(shape, split, halved, rng):
        width, height = 1 << log2_width, 1 << log2_height
        levels = np.zeros(width * height, np.int32)
        levels[: rng.integers(width * height, endpoint=True)] = 1
        levels *= rng.choice(alphabet, width * height)
        levels_of(maps, (x, y, log2_width, log2_height))[:] = levels
        cells = np.s_[y // 4 : (y + height) // 4, x // 4 : (x + width) // 4]
        maps.log2_widths[cells], maps.log2_heights[cells] = log2_width, log2_height
        maps.ends[cells] = np.max(np.nonzero(levels)[0] + 1, initial=0)
        maps.modes[cells] = rng.integers(N_MODES + kind)
    return maps


def encode(planes):
    """Return payload and final contexts of planes of maps, the first luma."""
    coder, buffer = new_encoder(8 * sum(maps.levels.size for maps in planes) + 4096)
    contexts = new_contexts(ctx.N_WITH_OFFSETS)
    for k, maps in enumerate(planes):
        code_plane((coder, buffer, contexts), Known(maps, planes[0], min(k, 1)), new_code_work(TABLES), None, None)
    return finish_encoder(coder, buffer), contexts


def decode(payload, shapes):
    """Return the planes of maps of a payload, and final contexts."""
    coder, buffer = new_decoder(payload)
    contexts, planes = new_contexts(ctx.N_WITH_OFFSETS), [new_maps(*shape) for shape in shapes]
    for k, maps in enumerate(planes):
        code_plane((coder, buffer, contexts), Known(maps, planes[0], min(k, 1)), new_code_work(TABLES), None, None)
    return planes, contexts


def as_lists(planes):
    """Return the maps of planes as lists."""
    return [[field.tolist() for field in maps] for maps in planes]


def listed(*fields):
    """Return the values that each cell has in the fields."""
    return np.stack(fields, axis=-1).tolist()


def plane_shape(maps):
    """Return height and width of a plane of samples."""
    return 4 * maps.modes.shape[0], 4 * maps.modes.shape[1]


def levels_plane(maps):
    """Return the levels of all blocks where their coefficients stand, zeros elsewhere."""
    plane = np.zeros(plane_shape(maps), np.int64)
    for block in blocks_in(maps):
        x, y, log2_width, log2_height = block
        end = maps.ends[y // 4, x // 4]
        places = SCANS[log2_height, log2_width, :end]
        plane[y + (places >> 5), x + (places & 31)] = levels_of(maps, block)[:end]
    return plane.tolist()


def sides_of(maps):
    """Return log2 of the width and height over each cell."""
    return listed(maps.log2_widths, maps.log2_heights)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("alphabet", ALPHABETS)
@pytest.mark.parametrize("split", [0, 0.5, 1])
def test_round_trip_and_equal_state(shape, alphabet, split):
    """A luma and a chroma plane of random maps come back, and both sides end with the same contexts."""
    planes = [random_maps(shape, kind, ALPHABETS[alphabet], split, seed=10 + kind) for kind in (0, 1)]
    payload, contexts = encode(planes)
    decoded, decoded_contexts = decode(payload, [shape] * 2)
    assert as_lists(planes) == as_lists(decoded)
    assert contexts.tolist() == decoded_contexts.tolist()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_decoder_of_the_specification_reads_the_same(shape, alphabet):
    """A decoder that shares no code with the kernels reads the same maps and ends with the same contexts."""
    assert_oracle_reads([random_maps(shape, kind, ALPHABETS[alphabet], 0.5, seed=20 + kind) for kind in (0, 1, 1)])


@pytest.mark.parametrize("seed", range(3))
def test_decoder_of_the_specification_reads_halves(seed):
    """The same holds where most squares are cut in halves, in chroma too, whatever luma's blocks under them."""
    planes = [random_maps((128, 132), kind, ALPHABETS["few"], 0.6, 10 * seed + kind, halved=0.8) for kind in (0, 1)]
    assert {tuple(sides) for maps in planes for row in sides_of(maps) for sides in row} >= set(ALL_SIZES[4:])
    assert_oracle_reads(planes)


def assert_oracle_reads(planes):
    """Check that the decoder of the specification reads the planes' maps and ends with the same contexts."""
    shape = plane_shape(planes[0])
    payload, contexts = encode(planes)
    coder, plain = Decoder(payload), Contexts()
    luma = PlaneDecoder(coder, plain, *shape)
    chroma = (PlaneDecoder(coder, plain, *shape, luma) for _ in planes[1:])
    for maps, decoder in zip(planes, [luma, *chroma], strict=True):
        blocks = [[decoder.at(x, y) for x in range(0, shape[1], 4)] for y in range(0, shape[0], 4)]
        assert [[list(block.log2_sides) for block in row] for row in blocks] == sides_of(maps)
        assert [[[block.mode, block.end] for block in row] for row in blocks] == listed(maps.modes, maps.ends)
        assert levels_plane(maps) == decoder.levels
    assert [bin_.state() for bin_ in plain.bins] == contexts.tolist()


@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize("mode", range(N_MODES + 1))
def test_every_mode_beside_every_mode(kind, mode):
    """Each mode is coded wherever its left and upper neighbours have any other modes."""
    if kind == 0 and mode == CHROMA_FROM_LUMA:
        mode = 0
    planes = [new_maps(8, 36 * 4) for _ in range(kind + 1)]
    for maps in planes:
        maps.log2_widths[:] = maps.log2_heights[:] = MIN_LOG2
        maps.modes[0] = np.arange(36) % N_MODES
    planes[kind].modes[1] = mode
    planes[kind].modes[1, ::2] = (mode + 7 * np.arange(18)) % N_MODES
    decoded, _ = decode(encode(planes)[0], [(8, 144)] * len(planes))
    assert as_lists(planes) == as_lists(decoded)


def test_context_numbers_exhaustively():
    """Every class of a coefficient has a context of its own, below the next element's first one."""
    numbers = [
        coefficient_context(kind, size, quantizer, frequency, neighbours)
        for kind in range(ctx.KINDS)
        for size in range(ctx.N_SIZES)
        for quantizer in range(ctx.N_QUANTIZERS)
        for frequency in range(ctx.N_FREQUENCY_CLASSES)
        for neighbours in range(ctx.N_NEIGHBOUR_CLASSES)
    ]
    assert list(range(ctx.ABOVE_ONE - ctx.SIGNIFICANT)) == numbers
    assert ctx.MAGNITUDE + (16 + 14) * ctx.N_NEIGHBOUR_CLASSES + ctx.N_NEIGHBOUR_CLASSES <= ctx.N_CONTEXTS
    assert len(Contexts().bins) == ctx.N_WITH_OFFSETS


def test_sizes_have_their_classes():
    """Squares are 0..3, halves 4..6 whether they lie or stand, and a class has one area."""
    classes = [size_class(*sides) for sides in ALL_SIZES]
    assert classes == [0, 1, 2, 3, 4, 4, 5, 5, 6, 6]
    assert [log2_area(size) for size in classes] == [sum(sides) for sides in ALL_SIZES]


@pytest.mark.parametrize("seed", range(6))
def test_any_bytes_cut_the_plane_into_blocks(seed):
    """Whatever a payload holds, every cell lies in a block that a cut can give, and the oracle reads the same cuts."""
    shape, payload = (36, 68), np.random.default_rng(seed).integers(0, 256, 9000).astype(np.uint8).tobytes()
    planes, _ = decode(payload, [shape] * 2)
    coder, plain = Decoder(payload), Contexts()
    luma = PlaneDecoder(coder, plain, *shape)
    for maps, decoder in zip(planes, (luma, PlaneDecoder(coder, plain, *shape, luma)), strict=True):
        blocks = [[decoder.at(x, y) for x in range(0, shape[1], 4)] for y in range(0, shape[0], 4)]
        assert [[list(block.log2_sides) for block in row] for row in blocks] == sides_of(maps)
        assert {tuple(sides) for row in sides_of(maps) for sides in row} <= set(ALL_SIZES)
        assert levels_plane(maps) == decoder.levels


def test_classes_are_within_their_ranges():
    """Frequencies and neighbours have classes below the number of each, and rise with what they class."""
    for log2_width, log2_height in ALL_SIZES:
        size = size_class(log2_width, log2_height)
        classes = [FREQUENCY_CLASS[size, diagonal] for diagonal in range((1 << log2_width) + (1 << log2_height) - 1)]
        assert sorted(classes) == classes
        assert set(classes) <= set(range(ctx.N_FREQUENCY_CLASSES))
    assert sorted(NEIGHBOUR_CLASS) == NEIGHBOUR_CLASS.tolist()
    assert set(NEIGHBOUR_CLASS.tolist()) == set(range(ctx.N_NEIGHBOUR_CLASSES))


@pytest.mark.filterwarnings("error")
def test_levels_do_not_depend_on_what_memory_held():
    """A decoder's array of levels need not hold zeros; the interpreter has no overflow to tell of either."""
    levels, places = np.array([3, -1, 0, 0, 2, 1], np.int16), magnitude_places()[2, 2]
    magnitudes, (coder, buffer) = np.zeros(STRIDE * STRIDE, np.int32), new_encoder(100)
    code_levels((coder, buffer, new_contexts(ctx.N_CONTEXTS)), 0, 0, places, levels, magnitudes)
    decoded = np.full(len(levels), -(1 << 15), np.int16)
    stream = (*new_decoder(finish_encoder(coder, buffer)), new_contexts(ctx.N_CONTEXTS))
    code_levels(stream, 0, 0, places, decoded, magnitudes)
    assert decoded.tolist() == levels.tolist()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("split", [0, 0.5, 1])
def test_each_block_has_places_for_its_levels(shape, split):
    """The places of the blocks of a plane lie in its array and do not overlap; whole trees leave none between."""
    maps = random_maps(shape, 0, [0], split, seed=4, halved=0.6)
    taken = np.zeros(len(maps.levels), np.int64)
    for block in blocks_in(maps):
        place = levels_place(maps, block)
        taken[place : place + (1 << (block[2] + block[3]))] += 1
    assert taken.sum() == np.prod(shape)
    assert taken.max() == 1


@pytest.mark.parametrize(("log2_width", "log2_height"), ALL_SIZES)
def test_place_of_each_level(log2_width, log2_height):
    """A level's entry has the row and column of its place in the scan, and the class of its anti-diagonal."""
    area, size = 1 << (log2_width + log2_height), size_class(log2_width, log2_height)
    places, scan = magnitude_places()[log2_height, log2_width, :area], SCANS[log2_height, log2_width, :area]
    assert (places & 0xFFFF).tolist() == [STRIDE * (place >> 5) + (place & 31) for place in scan.tolist()]
    assert (places >> 16).tolist() == [FREQUENCY_CLASS[size, (place >> 5) + (place & 31)] for place in scan.tolist()]
