"""Tiles of a container: where they are, which a region needs, and that payloads are theirs."""

import pytest

from fdcodec import container
from fdcodec.container import Header
from fdcodec.errors import ChecksumError, ParameterError

HASH = bytes(range(32))
FLAT = Header(48, 33, 3, 8, parameters=b"params")
TILED = Header(70, 50, 1, 16, lossless=True, two_dimensional=True, tile_size=32, parameters=b"p" * 64)
PAYLOADS = [bytes([i]) * i for i in range(TILED.tile_count)]


def test_only_wanted_tiles_are_read_and_checked():
    """Damage in a tile that is not asked for does no harm."""
    data = bytearray(container.write(container.File(TILED, [b"tile" * 4] * TILED.tile_count)))
    data[data.index(b"tile" * 4)] ^= 1
    assert container.read(data, tiles=[1, 2]).payloads == (b"", b"tile" * 4, b"tile" * 4, b"", b"", b"")
    with pytest.raises(ChecksumError, match="DATA"):
        container.read(data)


@pytest.mark.parametrize("wrong", [[4], [1, 5], [*range(6)]], ids=str)
def test_damaged_tiles_are_counted_and_named(wrong):
    """Of several tiles, those whose checksums are wrong are told, and what gives back the others, if there are any."""
    data = container.write(container.File(TILED, [b"tile%d" % k for k in range(6)]))
    for tile in wrong:
        data = data.replace(b"tile%d" % tile, b"tilex")
    with pytest.raises(ChecksumError) as caught:
        container.read(data)
    places = {1: "32x32 at 32,0", 4: "32x18 at 32,32", 5: "6x18 at 64,32"}
    told = str(caught.value)
    assert f"the checksum of {len(wrong)} of 6 tiles is wrong, " in told
    assert all(places[tile] in told for tile in wrong if tile in places)
    assert told.endswith(", or decode the other tiles (`partial`, --partial)") == (len(wrong) < 6)


def test_tiles_cover_the_picture_once():
    """Tile rectangles partition the picture, in row order, cut at the right and the bottom."""
    rectangles = [TILED.tile_rectangle(index) for index in range(TILED.tile_count)]
    assert rectangles[0] == (0, 0, 32, 32)
    assert rectangles[-1] == (64, 32, 6, 18)
    assert sum(width * height for _, _, width, height in rectangles) == TILED.pixels


@pytest.mark.parametrize(
    ("region", "tiles"),
    [((0, 0, 1, 1), [0]), ((31, 0, 2, 1), [0, 1]), ((0, 31, 70, 2), [0, 1, 2, 3, 4, 5]), ((69, 49, 1, 1), [5])],
)
def test_tiles_of_a_region(region, tiles):
    """A region needs exactly the tiles that share a pixel with it."""
    assert TILED.tiles_in(region) == tiles


@pytest.mark.parametrize("region", [(0, 0, 0, 1), (-1, 0, 2, 2), (69, 0, 2, 1), (0, 49, 1, 2), (0, 0, 71, 51)])
def test_region_outside_the_picture(region):
    """A region that is empty or leaves the picture is a wrong argument."""
    with pytest.raises(ParameterError, match="region"):
        TILED.tiles_in(region)


def test_payloads_must_fit_the_tiles():
    """The writer refuses a wrong number of payloads and two models."""
    with pytest.raises(ParameterError):
        container.write(container.File(TILED, PAYLOADS[1:]))
    with pytest.raises(ParameterError):
        container.write(container.File(FLAT, [b""], model_ref=HASH, model_bytes=b"model"))
