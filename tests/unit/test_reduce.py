"""Decoding at a fraction of the size: `reduce` of `decode`, of regions, of readers and of the command."""

import json
import tracemalloc
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from tests.images import noise, photo, ramp

import fdcodec
from fdcodec import container
from fdcodec.arguments import MAX_REDUCE
from fdcodec.errors import LimitError, ParameterError, PartialWarning
from fdcodec.image.canvas import Canvas

PHOTO = photo(96, 128)
DATA = fdcodec.encode(PHOTO, tile=40)
WHOLE = fdcodec.decode(DATA)
FACTORS = (1, 2, 3, 4, 8, 17, MAX_REDUCE)


def means(samples, reduce):
    """Return the mean of each square of an array of shape (height, width, channels), by plain loops."""
    height, width, channels = samples.shape
    rows, columns = range(0, height, reduce), range(0, width, reduce)
    result = np.empty((len(rows), len(columns), channels), samples.dtype)
    for (i, y), (j, x), channel in product(enumerate(rows), enumerate(columns), range(channels)):
        square = [int(sample) for sample in samples[y : y + reduce, x : x + reduce, channel].ravel()]
        result[i, j, channel] = (2 * sum(square) + len(square)) // (2 * len(square))  # halves up
    return result


@pytest.mark.parametrize("tile", [None, 16, 23])
@pytest.mark.parametrize("reduce", FACTORS)
def test_samples_are_the_means_of_squares(reduce, tile):
    """Each sample is the mean of its square of the whole picture, also where tiles cut squares in parts."""
    data = fdcodec.encode(noise(50, 61, 4, seed=1), lossless=True, tile=tile)
    reduced = fdcodec.decode(data, reduce=reduce)
    assert reduced.flags.c_contiguous
    np.testing.assert_array_equal(reduced, means(fdcodec.decode(data), reduce))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("width", range(1, 18))
def test_small_pictures_of_all_sides(width, dtype):
    """Pictures of all sides of 1 to 17 pixels, in one part or in three, have the means of their squares."""
    for height, reduce in product(range(1, 18), (1, 2, 4, 8)):
        samples = noise(height, width, 2, seed=height, dtype=dtype)
        for cuts in ((0, height), (0, height // 3, height // 2 + 1, height)):
            canvas = Canvas(samples.shape, 8 * samples.dtype.itemsize, reduce)
            for top, bottom in pairwise(cuts):
                if bottom > top:
                    canvas.add(samples[top:bottom], 0, top)
            np.testing.assert_array_equal(canvas.samples(), means(samples, reduce))
            assert canvas.samples().dtype == dtype


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("reduce", [2, 15, 16, 17, MAX_REDUCE])
def test_sums_of_the_largest_samples_do_not_overflow(reduce, dtype):
    """White stays white at every reduction, and halves are rounded up."""
    white = np.full((2 * reduce, reduce + 1, 1), np.iinfo(dtype).max, dtype)
    data = fdcodec.encode(white, lossless=True)
    assert (fdcodec.decode(data, reduce=reduce) == np.iinfo(dtype).max).all()
    white[::2] -= 1
    if reduce % 2 == 0:
        assert (fdcodec.decode(fdcodec.encode(white, lossless=True), reduce=reduce) == np.iinfo(dtype).max).all()


def test_gray_stays_two_dimensional():
    """A picture of shape (height, width) comes back so."""
    image = noise(33, 20, 1, seed=2)[:, :, 0]
    assert fdcodec.decode(fdcodec.encode(image, lossless=True), reduce=8).shape == (5, 3)


@pytest.mark.parametrize("reduce", FACTORS)
def test_threads_do_not_change_the_means(reduce):
    """A lossy picture has the means of its decoded samples, in any number of threads."""
    expected = means(WHOLE, reduce)
    for threads in (1, 2, 5):
        np.testing.assert_array_equal(fdcodec.decode(DATA, reduce=reduce, threads=threads), expected)


@pytest.mark.parametrize("region", [(0, 0, 128, 96), (41, 37, 1, 1), (13, 5, 70, 83), (39, 39, 3, 3)])
def test_squares_begin_at_the_corner_of_a_region(region):
    """A rectangle is cut out and then made smaller, of readers too."""
    x, y, width, height = region
    expected = means(WHOLE[y : y + height, x : x + width], 4)
    np.testing.assert_array_equal(fdcodec.decode_region(DATA, region, reduce=4), expected)
    with fdcodec.open(DATA) as file:
        np.testing.assert_array_equal(file.read(region, reduce=4), expected)
        np.testing.assert_array_equal(file.read(reduce=np.uint8(32)), means(WHOLE, 32))


def test_memory_does_not_grow_with_the_picture():
    """What is allocated is a few tiles and the smaller picture, and never the picture at full size."""
    tile = container.read(fdcodec.encode(ramp(64, 64, 3), lossless=True))
    data = container.write(
        container.File(replace(tile.header, width=1024, height=1024, tile_size=64), tile.payloads * 256)
    )
    tracemalloc.start()
    try:
        assert fdcodec.decode(data, reduce=8).shape == (128, 128, 3)
        assert tracemalloc.get_traced_memory()[1] < 1024 * 1024 * 3 // 2
    finally:
        tracemalloc.stop()


def test_missing_tiles_count_as_zeros():
    """Of a damaged file the samples of missing tiles are 0 in the means, and the warning has places at full size."""
    damaged = DATA[:-100]
    with pytest.warns(PartialWarning):
        whole = fdcodec.decode(damaged, partial=True)
    with pytest.warns(PartialWarning) as told:
        reduced = fdcodec.decode(damaged, partial=True, reduce=8)
    np.testing.assert_array_equal(reduced, means(whole, 8))
    assert told[0].message.missing[-1] == (120, 80, 8, 16)
    assert not reduced[-1, -1].any()


@pytest.mark.parametrize("reduce", [0, -1, MAX_REDUCE + 1, 2.0, "2", None, True])
def test_wrong_reductions_are_refused(reduce):
    """What is no integer in 1..64 is a wrong argument, by its name, wherever it is given."""
    with pytest.raises(ParameterError, match=r"^reduce: .* is not allowed; give an integer in 1\.\.64"):
        fdcodec.decode(DATA, reduce=reduce)
    with fdcodec.open(DATA) as file, pytest.raises(ParameterError, match="reduce"):
        file.read(reduce=reduce)


def test_limit_of_pixels_is_of_the_whole_picture():
    """What is returned may be small: the picture in the file is what is limited."""
    with pytest.raises(LimitError):
        fdcodec.decode(DATA, max_pixels=WHOLE.shape[0] * WHOLE.shape[1] - 1, reduce=64)


def test_command(cli):
    """`decode --reduce` writes the smaller picture with its metadata, alone or of a rectangle, and reports its size."""
    assert cli("encode", "a.png", "b.fdc").code == 0
    result = cli("decode", "b.fdc", "b.npy", "--reduce", "7", "--json")
    assert (result.code, json.loads(result.out)["width"], json.loads(result.out)["height"]) == (0, 6, 4)
    whole = fdcodec.decode(Path("b.fdc"))
    np.testing.assert_array_equal(np.load("b.npy"), means(whole, 7))
    assert cli("decode", "b.fdc", "c.npy", "--reduce", "2", "--region", "5,3,20,10").code == 0
    np.testing.assert_array_equal(np.load("c.npy"), means(whole[3:13, 5:25], 2))


@pytest.mark.parametrize("value", ["0", "65", "1.5", "1/8"])
def test_command_refuses_other_reductions(cli, encoded, value):
    """A reduction that there is not is a usage error that names the option, and nothing is written."""
    result = cli("decode", "a.fdc", "b.png", "--reduce", value)
    assert (result.code, "--reduce" in result.err, Path("b.png").exists()) == (2, True, False)
