"""Decoding in part: intact tiles exactly, lost ones zero and named, nothing invented, no error but an FdcError."""

import warnings
from contextlib import suppress
from itertools import pairwise

import numpy as np
import pytest
from tests.images import photo

import fdcodec
from fdcodec import container
from fdcodec.container.chunks import split_chunks
from fdcodec.container.constants import SIGNATURE
from fdcodec.errors import ChecksumError, FdcError, FormatError, ParameterError, PartialWarning, TruncatedError

IMAGE = photo(40, 56)
# No two neighbouring tiles are as long as two others: which are gone could not be told.
DATA = fdcodec.encode(IMAGE, tile=16, quality=72, exif=b"exif", icc=b"icc", verify=True)
HEADER = fdcodec.read_header(DATA)
WHOLE = fdcodec.decode(DATA)
CHUNKS = list(split_chunks(memoryview(DATA)[len(SIGNATURE) :]))
STARTS = [8 + sum(12 + chunk.length for chunk in CHUNKS[:k]) for k in range(len(CHUNKS) + 1)]
FIRST = next(k for k, chunk in enumerate(CHUNKS) if chunk.kind == b"DATA")
TILES = HEADER.tile_count


def flipped(position: int) -> bytes:
    """Return the file with one wrong bit."""
    return DATA[:position] + bytes([DATA[position] ^ 16]) + DATA[position + 1 :]


def without(*numbers: int) -> bytes:
    """Return the file without some of its chunks."""
    kept = [(a, b) for k, (a, b) in enumerate(pairwise(STARTS)) if k not in numbers]
    return SIGNATURE + b"".join(DATA[a:b] for a, b in kept)


def number_of(kind: bytes) -> int:
    """Return which chunk is of a kind."""
    return [chunk.kind for chunk in CHUNKS].index(kind)


def missing_of(data: bytes) -> tuple[set[int], str]:
    """Decode in part, check every sample against the whole picture, and return the lost tiles and the warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        samples = fdcodec.decode(data, partial=True)
    (warning,) = [entry.message for entry in caught]
    assert isinstance(warning, PartialWarning)
    expected = WHOLE.copy()
    for x, y, width, height in warning.missing:
        expected[y : y + height, x : x + width] = 0
    assert np.array_equal(samples, expected)
    lost = {tile for tile in range(TILES) if HEADER.tile_rectangle(tile) in warning.missing}
    assert len(lost) == len(warning.missing)
    return lost, str(warning)


def test_intact_file_gives_no_warning():
    """Of an intact file a decode in part is the decode."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(fdcodec.decode(DATA, partial=True), WHOLE)


@pytest.mark.parametrize("tile", [0, 5, TILES - 1])
@pytest.mark.parametrize("offset", range(12))
def test_damaged_tile_is_left_out(tile, offset):
    """A wrong bit in a tile's length, type or payload costs that tile, is named, and is refused without `partial`."""
    data = flipped(STARTS[FIRST + tile] + offset)
    x, y, width, height = HEADER.tile_rectangle(tile)
    lost, message = missing_of(data)
    assert lost == {tile}
    assert f"1 of {TILES} tiles is missing and left at 0: {width}x{height} at {x},{y}" in message
    with pytest.raises(FormatError):
        fdcodec.decode(data)


@pytest.mark.parametrize("tiles", [{0}, {4, 5}, {TILES - 1}, {1, 2, 3}])
def test_missing_chunks_do_not_move_the_others(tiles):
    """Tiles before and after chunks that are gone are found by the index, from both ends of the file."""
    assert missing_of(without(*(FIRST + tile for tile in tiles)))[0] == tiles


def test_every_prefix_gives_its_whole_tiles():
    """A file that ends early gives each tile whose chunk is whole, but for those of one length with the next."""
    lengths = [chunk.length for chunk in CHUNKS[FIRST : FIRST + TILES]]
    for length in range(len(DATA)):
        complete = sum(end <= length for end in STARTS[FIRST + 1 : FIRST + TILES + 1])
        while 0 < complete < TILES and lengths[complete - 1] == lengths[complete]:
            complete -= 1
        if complete == 0:
            with pytest.raises(TruncatedError):
                fdcodec.decode(DATA[:length], partial=True)
        elif length % 7 == 0 or length in STARTS:
            assert missing_of(DATA[:length])[0] == set(range(complete, TILES))


@pytest.mark.parametrize(("first", "second"), [(3, 2), (9, 0), (7, 1)])
def test_chunks_out_of_order_are_refused(first, second):
    """Where no chunk is missing, but they are not as long as the index says, nothing is guessed."""
    parts = [DATA[a:b] for a, b in pairwise(STARTS)]
    assert len(parts[FIRST + first]) != len(parts[FIRST + second])
    for changed in ({first: second, second: first}, {first: second}):
        mixed = [parts[FIRST + changed.get(k - FIRST, k - FIRST)] for k in range(len(parts))]
        with pytest.raises(FormatError, match="does not fit"):
            fdcodec.decode(SIGNATURE + b"".join(mixed), partial=True)


@pytest.mark.parametrize("kind", [b"TIDX", b"pHSH", b"exIf"])
def test_doubled_block_costs_no_tile(kind):
    """Of an index, a hash or metadata that come twice the first is taken, and named."""
    start, end = (STARTS[number_of(kind) + k] for k in range(2))
    lost, message = missing_of(DATA[:end] + DATA[start:end] + DATA[end:])
    assert (lost, f"chunk {kind.decode()} comes 2 times" in message) == (set(), True)


@pytest.mark.parametrize("kind", [b"FEND", b"pHSH", b"TIDX", b"exIf"])
def test_damage_beside_the_tiles_is_named(kind):
    """A wrong end, hash, index or metadata block costs no tile; a damaged block is left out and named."""
    lost, message = missing_of(flipped(STARTS[number_of(kind) + 1] - 1))
    assert not lost
    assert f"all tiles are there; chunk {kind.decode()}: its checksum is wrong" in message
    assert message.count(kind.decode()) == 1


def test_one_tile_misses_no_index():
    """A file of one tile has no index, and a warning of other damage names none."""
    data = fdcodec.encode(IMAGE, lossless=True, exif=b"exif")
    with pytest.warns(PartialWarning, match=r"all tiles are there; chunk exIf: its checksum is wrong$"):
        fdcodec.decode(data.replace(b"exIfexif", b"exIfexxf"), partial=True)


def test_missing_end():
    """All tiles of a file without its last chunks are decoded."""
    lost, message = missing_of(without(number_of(b"FEND"), number_of(b"pHSH")))
    assert (lost, "ends before its FEND" in message) == (set(), True)


def test_bytes_after_the_end():
    """What follows the end is named, and costs no tile."""
    lost, message = missing_of(DATA + b"tail")
    assert (lost, "too many at the end" in message) == (set(), True)


def test_damaged_index_and_truncated():
    """Without the index nothing tells whose the tiles of a file are that has not all of them."""
    damaged = flipped(STARTS[number_of(b"TIDX")] + 9)
    with pytest.raises(FormatError):
        fdcodec.decode(damaged[: STARTS[FIRST + 3] + 5], partial=True)


def test_tiles_that_cannot_be_told_apart_are_refused():
    """Without the index, a missing chunk leaves open which one, and nothing is guessed."""
    with pytest.raises(FormatError):
        fdcodec.decode(without(number_of(b"TIDX"), FIRST + 2), partial=True)


@pytest.mark.parametrize("kind", [b"FHDR", b"TREF"])
def test_header_and_model_are_needed(kind):
    """Nothing is decoded with a header or a class model that may be wrong."""
    with pytest.raises(ChecksumError):
        fdcodec.decode(flipped(STARTS[number_of(kind)] + 9), partial=True)


def test_payload_that_is_wrong_behind_a_right_checksum():
    """A tile that the decoder refuses is missing like any other."""
    file = container.read(DATA)
    payloads = [b"" if tile == 2 else payload for tile, payload in enumerate(file.payloads)]
    rebuilt = container.write(container.File(file.header, payloads, model_ref=file.model_ref, metadata=file.metadata))
    assert missing_of(rebuilt)[0] == {2}


def test_region_of_a_damaged_file():
    """A region warns of its own tiles only, and is an error where all of them are lost."""
    data = flipped(STARTS[FIRST] + 8)
    assert np.array_equal(fdcodec.decode_region(data, (20, 0, 30, 40), partial=True), WHOLE[:, 20:50])
    with pytest.warns(PartialWarning, match="1 of 2 tiles"):
        part = fdcodec.decode_region(data, (10, 0, 10, 10), partial=True)
    assert (part[:, :6].max(), np.array_equal(part[:, 6:], WHOLE[:10, 16:20])) == (0, True)
    with pytest.raises(ChecksumError):
        fdcodec.decode_region(data, (0, 0, 16, 16), partial=True)


@pytest.mark.parametrize("options", [{}, {"exif": b"exif"}, {"lossless": True}])
def test_one_tile_is_all_or_nothing(options):
    """Of a picture of one tile nothing is made up, and the message says so after what is damaged."""
    data = fdcodec.encode(IMAGE, **options)
    start = data.find(b"DATA") if data.startswith(SIGNATURE) else 40
    for damaged in (data[: len(data) // 2], data[: start + 9] + bytes([data[start + 9] ^ 1]) + data[start + 10 :]):
        with pytest.raises(FormatError) as whole:
            fdcodec.decode(damaged)
        with pytest.raises(type(whole.value)) as partial:
            fdcodec.decode(damaged, partial=True)
        assert str(partial.value).startswith(
            f"{whole.value}; pictures of one tile cannot be recovered in part; encode in"
        )


def test_every_flipped_bit_decodes_in_part_or_is_refused():
    """Whatever bit is wrong, what is taken is right, and nothing but an FdcError gets out."""
    payloads, taken = container.read(DATA).payloads, 0
    for bit in range(0, 8 * len(DATA), 5):
        data = bytearray(DATA)
        data[bit // 8] ^= 1 << bit % 8
        with suppress(FdcError):
            found = container.salvage(bytes(data))
            intact = set(range(TILES)) - found.lost
            assert all(found.file.payloads[tile] == payloads[tile] for tile in intact)
            taken += len(intact)
    assert taken > 0
    for position in range(0, STARTS[FIRST + 2], 3):
        try:
            fdcodec.decode(flipped(position))
        except FdcError:
            pass
        else:
            pytest.fail(f"bit {position} decodes")


@pytest.mark.parametrize("seed", range(30))
def test_random_damage(seed):
    """Cuts, insertions and noise give tiles that are right, or an FdcError."""
    rng = np.random.default_rng(seed)
    data = bytearray(DATA)
    for _ in range(1 + seed // 3 % 3):
        a, length = int(rng.integers(len(data))), int(rng.integers(1, 60))
        data[a : a + length * (seed % 3 != 0)] = rng.bytes(length * (seed % 3 != 1))
    try:
        missing_of(bytes(data))
    except FdcError:
        return


@pytest.mark.parametrize("value", [None, 1, "yes"])
def test_partial_is_a_flag(value):
    """`partial` is True or False."""
    with pytest.raises(ParameterError, match="partial: "):
        fdcodec.decode(DATA, partial=value)
