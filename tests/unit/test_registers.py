"""Lanes, quads, sides, shorts, memory: each function, compiled and not, against plain Python with wrapping integers."""

import numba
import numpy as np
import pytest

from fdcodec.kernels.simd import lanes as ln
from fdcodec.kernels.simd import memory as mm
from fdcodec.kernels.simd import quads as qd
from fdcodec.kernels.simd import shorts as sh
from fdcodec.kernels.simd import sides as sd
from fdcodec.kernels.simd.registers import is_below, larger, magnitudes, smaller

EXTREMES = [0, 1, -1, 2**31 - 1, -(2**31), 2**30, -77, 12345]
VALUES = np.random.default_rng(5).integers(-(2**31), 2**31, 8).tolist()
PAIRS = [(EXTREMES, VALUES), (VALUES, EXTREMES), (VALUES, VALUES)]


@pytest.fixture(params=["compiled", "plain"])
def run(request):
    """Return a way to run a kernel: as numba compiles it, or in Python."""
    return numba.njit if request.param == "compiled" else (lambda function: function)


def wrapped(values, bits=32):
    """Return integers cut to so many bits, signed."""
    return [(value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1)) for value in values]


def pairwise(a, b, out):
    """Write what lanes have of operators and functions of two, a row each."""
    first, second = ln.lanes_at(a, 0), ln.lanes_at(b, 0)
    ln.put_lanes(first + second, out[0], 0)
    ln.put_lanes(first - second, out[1], 0)
    ln.put_lanes(first * second, out[2], 0)
    ln.put_lanes(smaller(first, second), out[3], 0)
    ln.put_lanes(larger(first, second), out[4], 0)
    ln.put_lanes(first >> 5, out[5], 0)
    return ln.total_of(ln.wide_product(first, second))


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_lanes_of_two(run, a, b):
    """Sums and products of lanes wrap, wide products only in 64 bits; the smaller and the larger are Python's."""
    out = np.zeros((6, 8), np.int32)
    total = run(pairwise)(np.array(a, np.int32), np.array(b, np.int32), out)
    pairs = list(zip(a, b, strict=True))
    assert wrapped([x + y for x, y in pairs]) == out[0].tolist()
    assert wrapped([x - y for x, y in pairs]) == out[1].tolist()
    assert wrapped([x * y for x, y in pairs]) == out[2].tolist()
    assert [min(pair) for pair in pairs] == out[3].tolist()
    assert [max(pair) for pair in pairs] == out[4].tolist()
    assert [x >> 5 for x in a] == out[5].tolist()
    assert wrapped([sum(x * y for x, y in pairs)], 64) == [total]


def gather(line, where, out):
    """Read eight values from eight places."""
    ln.put_lanes(ln.gathered_lanes(line, ln.lanes_at(where, 0)), out, 0)


def test_gathered_lanes(run):
    """Each lane is read from its own place, in any order and more than once."""
    line, out = np.array([*VALUES, *EXTREMES], np.int32), np.zeros(8, np.int32)
    order = [15, 0, 3, 3, 9, 14, 1, 8]
    run(gather)(line, np.array(order, np.int32), out)
    assert [[*VALUES, *EXTREMES][place] for place in order] == out.tolist()


def places(line, out):
    """Read and write eight and four values from places that are no multiples of eight."""
    ln.put_lanes(ln.lanes_at(line, 3), out[0], 1)
    ln.put_lanes(ln.half_lanes_at(line, 5), out[1], 1)
    ln.put_half_lanes(ln.lanes_at(line, 2), out[2], 3)
    ln.put_lanes(ln.spread(line[0]), out[3], 1)
    ln.put_block_lanes(ln.block_lanes(line, 1, 4), out[4], 1, 4)
    ln.put_block_lanes(ln.block_lanes(line, 1, 16), out[5], 1, 16)


@pytest.mark.parametrize("dtype", [np.int16, np.int32])
def test_places(run, dtype):
    """Lanes are read from and written to where they are asked for, and nothing beside is written."""
    line, out = np.arange(-5, 11, dtype=dtype), np.full((6, 10), 99, np.int32)
    run(places)(line, out)
    assert [99, *range(-2, 6), 99] == out[0].tolist()
    assert out[1].tolist() == [99, 0, 1, 2, 3, 0, 0, 0, 0, 99]
    assert out[2].tolist() == [99, 99, 99, -3, -2, -1, 0, 99, 99, 99]
    assert [99, *8 * [-5], 99] == out[3].tolist()
    assert [99, -4, -3, -2, -1, *5 * [99]] == out[4].tolist()
    assert [99, *range(-4, 4), 99] == out[5].tolist()


def crosswise(line, out):
    """Write what acts within lanes."""
    ln.put_lanes(ln.butterflies(ln.lanes_at(line, 0)), out[0], 0)
    ln.put_lanes(ln.swap_pairs(ln.lanes_at(line, 0)), out[1], 0)
    ln.put_lanes(magnitudes(ln.lanes_at(line, 0)), out[2], 0)
    wide = ln.spread_wide(1 << 40) + ln.wide_product(ln.lanes_at(line, 0), ln.spread(1))
    return ln.total_of(ln.lanes_at(line, 0)), ln.total_of(wide)


def test_within_lanes(run):
    """Butterflies add and subtract neighbours, pairs change places, totals are exact."""
    values, out = [3, -8, 100, 7, -1, -1, 0, 55], np.zeros((3, 8), np.int32)
    totals = run(crosswise)(np.array(values, np.int32), out)
    assert out[0].tolist() == [-5, 11, 107, 93, -2, 0, 55, -55]
    assert out[1].tolist() == [100, 7, 3, -8, 0, 55, -1, -1]
    assert [abs(value) for value in values] == out[2].tolist()
    assert totals == (sum(values), sum(values) + 8 * 2**40)


def in_quads(a, b, out):
    """Write what quads have, a row each."""
    first, second = qd.quad_of(a[0], a[1], a[2], a[3]), qd.quad_of(b[0], b[1], b[2], b[3])
    mask = is_below(first, second)
    qd.put_quad(first + second, out[0])
    qd.put_quad(first - second, out[1])
    qd.put_quad(first & second, out[2])
    qd.put_quad(first | second, out[3])
    qd.put_quad(first << 3, out[4])
    qd.put_quad(qd.bits_above(first, 3), out[5])
    qd.put_quad(mask, out[6])
    qd.put_quad(qd.choose(mask, first, second), out[7])
    qd.put_quad(qd.even_places(first, second), out[8])
    qd.put_quad(qd.odd_places(first, second), out[9])
    qd.put_quad(smaller(first, qd.spread_quad(b[3])), out[10])
    return qd.values_of(first)


@pytest.mark.parametrize("seed", range(3))
def test_quads(run, seed):
    """Quads add, mask, choose and shift as 64-bit integers do; what is shifted down has zeros above."""
    a, b = np.random.default_rng(seed).integers(-(2**63), 2**63, (2, 4))
    out = np.zeros((11, 4), np.int64)
    values = run(in_quads)(a, b, out)
    a, b = a.tolist(), b.tolist()
    pairs = list(zip(a, b, strict=True))
    assert tuple(a) == values
    assert wrapped([x + y for x, y in pairs], 64) == out[0].tolist()
    assert wrapped([x - y for x, y in pairs], 64) == out[1].tolist()
    assert [x & y for x, y in pairs] == out[2].tolist()
    assert [x | y for x, y in pairs] == out[3].tolist()
    assert wrapped([x << 3 for x in a], 64) == out[4].tolist()
    assert [(x % 2**64) >> 3 for x in a] == out[5].tolist()
    assert [-1 if x < y else 0 for x, y in pairs] == out[6].tolist()
    assert [min(pair) for pair in pairs] == out[7].tolist()
    assert [a[0], a[2], b[0], b[2]] == out[8].tolist()
    assert [a[1], a[3], b[1], b[3]] == out[9].tolist()
    assert [min(x, b[3]) for x in a] == out[10].tolist()


def in_shorts(a, b, out, sums):
    """Write what shorts have, a row each, and the sums of their products."""
    first, second = sh.shorts_at(a, 1), sh.shorts_at(b, 0)
    sh.put_shorts(first + second, out[0], 1)
    sh.put_shorts(first - second, out[1], 1)
    sh.put_shorts(smaller(first, sh.spread_pair(7, -9)), out[2], 1)
    sh.put_shorts(larger(first, second), out[3], 1)
    sh.put_shorts(magnitudes(second), out[4], 1)
    ln.put_lanes(sh.pair_sums(first, b, 0), sums, 1)


@pytest.mark.parametrize("seed", range(3))
def test_shorts(run, seed):
    """Shorts wrap at 16 bits, and the sums of two neighbouring products are exact."""
    a, b = np.random.default_rng(seed).integers(-(2**15) + 1, 2**15, (2, 18), np.int16)
    out, sums = np.full((5, 10), 9, np.int32), np.full(10, 9, np.int32)
    run(in_shorts)(a.view(np.int32), b.view(np.int32), out, sums)
    a, b = a[2:].tolist(), b[:-2].tolist()
    pairs = list(zip(a, b, strict=True))
    limited = [min(x, -9 if k % 2 else 7) for k, x in enumerate(a)]
    rows = [[x + y for x, y in pairs], [x - y for x, y in pairs], limited, [max(xy) for xy in pairs]]
    found = [row[1:-1].view(np.int16).tolist() for row in out]
    assert [*(wrapped(row, 16) for row in rows), [abs(x) for x in b]] == found
    assert out[:, [0, -1]].ravel().tolist() == [9] * 10
    assert [9, *(a[k] * b[k] + a[k + 1] * b[k + 1] for k in range(0, 16, 2)), 9] == sums.tolist()


def in_sides(line, out, side):
    """Cross four sides, put them at distances of 6, and one moved and masked; return the ends of one."""
    rows = sd.side_at(line, 1), sd.side_at(line, 5), sd.side_at(line, 9), sd.side_at(line, 13)
    columns = sd.crossed(rows[0], rows[1], rows[2], rows[3])
    sd.put_sides(columns, out, 1, 6)
    mask = is_below(rows[0], rows[1])
    sd.put_side((rows[0] + sd.spread_side(7)) & mask, side, 1)
    return sd.ends_of(rows[2])


@pytest.mark.parametrize("seed", range(3))
def test_sides(run, seed):
    """Rows become columns, a mask keeps what is below and zeros the rest, ends are the first and the last value."""
    line, side = np.random.default_rng(seed).integers(-(2**30), 2**30, 17, np.int32), np.full(6, 9, np.int32)
    out = np.full(24, 9, np.int32)
    ends = run(in_sides)(line, out, side)
    rows = line[1:].reshape(4, 4)
    assert [[9, *column, 9] for column in rows.T.tolist()] == out.reshape(4, 6).tolist()
    kept = [a + 7 if a < b else 0 for a, b in zip(rows[0].tolist(), rows[1].tolist(), strict=True)]
    assert [9, *kept, 9] == side.tolist()
    assert (rows[2, 0], rows[2, 3]) == ends


def in_memory(line, place, value, out):
    """Fetch, read and write one place of a line."""
    mm.fetch(line, place)
    mm.put_value(value, out, place)
    return mm.value_at(line, place)


@pytest.mark.parametrize("dtype", [np.int16, np.uint16, np.int32, np.int64])
@pytest.mark.parametrize("place", [0, 3, 8])
def test_one_place_of_a_line(run, dtype, place):
    """A value is read and written at its place and nowhere else, whatever the line's type; fetching changes nothing."""
    line, out = np.arange(70, 79).astype(dtype), np.full(9, 5, dtype)
    assert run(in_memory)(line, place, np.int64(1234), out) == 70 + place
    assert line.tolist() == list(range(70, 79))
    assert out.tolist() == [1234 if k == place else 5 for k in range(9)]


def beyond(line, place):
    """Fetch what may not be there."""
    mm.fetch(line, place)
    return 1


@pytest.mark.parametrize("place", [-(2**40), -1, 9, 2**40])
def test_fetching_what_is_not_there(run, place):
    """A place outside of the line, or of all memory, can be asked for."""
    assert run(beyond)(np.zeros(9, np.int32), place) == 1
