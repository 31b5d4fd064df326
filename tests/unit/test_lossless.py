"""Lossless planes against the plain decoder of the specification, from empty to random."""

import numpy as np
import pytest
from tests.reference import lossless as reference
from tests.reference import lossless_tables as tables

from fdcodec.coding.indexed_colours import repeats
from fdcodec.coding.lossless import Plan, _colours_to_index, _encode, decode_planes, encode_planes
from fdcodec.coding.reversible_colour import TRANSFORMS, forward, inverse
from fdcodec.errors import FormatError
from fdcodec.kernels.lossless.mixing import SQUASH, STRETCH
from fdcodec.kernels.lossless.samples import magnitude_class
from fdcodec.kernels.lossless.state import LOG_BUCKET, log_bucket


def waves(channels, height, width, seed):
    """Return smooth planes with a little noise, uint8."""
    c, y, x = np.mgrid[:channels, :height, :width]
    noise = np.random.default_rng(seed).normal(0, 3, (channels, height, width))
    return np.uint8(np.clip(128 + 60 * np.sin((x + c) / 5) + 50 * np.cos((y - 2 * c) / 4) + noise, 0, 255))


def glyphs(channels, height, width, seed):
    """Return planes of one small pattern repeated in a few colours, uint8."""
    rng = np.random.default_rng(seed)
    tile = np.kron(rng.integers(0, 2, (5, 4)), np.ones((1, 2), dtype=int))
    indices = np.tile(tile, (height // 5 + 1, width // 8 + 1))[:height, :width]
    indices[height // 2 :] += 2
    return rng.integers(0, 256, (channels, 4), np.uint8)[:, indices]


def random_planes(channels, height, width, dtype, seed):
    """Return uniform noise over the whole range of `dtype`."""
    high = np.iinfo(dtype).max
    return np.random.default_rng(seed).integers(0, high, (channels, height, width), dtype, endpoint=True)


CLIMB = {
    "01 one black sample": np.zeros((1, 1, 1), np.uint8),
    "02 one white sample of 16 bits": np.full((1, 1, 1), 65535, np.uint16),
    "03 one pixel of four channels": np.array([[[1]], [[2]], [[3]], [[255]]], np.uint8),
    "04 constant": np.full((1, 20, 30), 255, np.uint8),
    "05 constant channels": np.stack([np.full((9, 9), value, np.uint16) for value in (0, 7, 65535)]),
    "06 one row": waves(1, 1, 40, seed=1),
    "07 one column": waves(1, 40, 1, seed=2),
    "08 two values": glyphs(1, 12, 17, seed=3),
    "09 one different sample": np.pad(np.full((1, 1, 1), 9, np.uint8), ((0, 0), (4, 6), (5, 3))),
    "10 ramp": np.arange(300, dtype=np.uint16).reshape(1, 15, 20) * 200,
    "11 extremes": np.uint16(65535) * (np.indices((1, 9, 11)).sum(0) % 2).astype(np.uint16),
    "12 smooth gray": waves(1, 19, 23, seed=4),
    "13 smooth gray and alpha": waves(2, 13, 9, seed=5),
    "14 smooth colour": waves(3, 13, 15, seed=6),
    "15 smooth colour and constant alpha": np.concatenate([waves(3, 9, 9, seed=7), np.full((1, 9, 9), 77, np.uint8)]),
    "16 glyphs in colour and constant alpha": np.concatenate(
        [glyphs(3, 20, 21, seed=8), np.full((1, 20, 21), 255, np.uint8)]
    ),
    "17 repeated rows": np.repeat(waves(3, 5, 12, seed=9), 3, axis=1),
    "18 noise of 8 bits": random_planes(4, 7, 6, np.uint8, seed=10),
    "19 noise of 16 bits": random_planes(3, 7, 6, np.uint16, seed=11),
}


def plans(planes):
    """Return every plan an encoder may choose for planes."""
    n_colours = len(np.unique(planes.reshape(len(planes), -1), axis=1).T)
    transforms = range(len(TRANSFORMS)) if len(planes) >= 3 else [0]
    return [Plan(transform, count) for transform in transforms for count in (0, n_colours)]


@pytest.mark.parametrize("planes", CLIMB.values(), ids=CLIMB.keys())
def test_specification_decodes_every_plan(planes):
    """Whatever the encoder chooses, the kernels and the plain decoder of the specification give the planes back."""
    depth = 8 * planes.dtype.itemsize
    for plan in plans(planes):
        payload = _encode(planes.astype(np.int32), depth, plan)
        plain = np.array(reference.LosslessDecoder(payload, *planes.shape, depth).decode())
        decoded = decode_planes(payload, *planes.shape, depth)
        assert planes.dtype == decoded.dtype
        assert planes.tolist() == decoded.tolist()
        assert planes.tolist() == plain.tolist()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("shape", [(4, 9, 7), (3, 1, 40), (2, 20, 3)])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_specification_decodes_any_payload_behind_a_header(seed, shape, dtype):
    """Random bytes after the header of planes of the whole range decode to the same planes: no sum overflows."""
    planes, depth = random_planes(*shape, dtype, seed=seed), 8 * np.dtype(dtype).itemsize
    plan = Plan(seed % 3 if shape[0] >= 3 else 0, (seed % 2) * len(np.unique(planes.reshape(shape[0], -1).T, axis=0)))
    header = _encode(planes.astype(np.int32), depth, plan)[:24]
    payload = header + np.random.default_rng(seed).integers(0, 256, 2000, np.uint8).tobytes() + bytes(4000)
    plain = np.array(reference.LosslessDecoder(payload, *shape, depth).decode())
    assert plain.tolist() == decode_planes(payload, *shape, depth).tolist()


@pytest.mark.parametrize("planes", CLIMB.values(), ids=CLIMB.keys())
def test_chosen_plan_is_the_shortest(planes):
    """On a small picture the encoder finds the shortest payload: best transform unindexed, then indexed or not."""
    depth = 8 * planes.dtype.itemsize
    sizes = {plan: len(_encode(planes.astype(np.int32), depth, plan)) for plan in plans(planes)}
    plain = min((size, plan) for plan, size in sizes.items() if plan.n_colours == 0)
    indexed = [size for plan, size in sizes.items() if plan.n_colours and plan.transform == plain[1].transform]
    n_pixels = planes[0].size
    many_colours = any(2 * plan.n_colours > n_pixels for plan in sizes)
    expected = plain[0] if many_colours else min(plain[0], *indexed)
    assert expected == len(encode_planes(planes, depth))


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 1, 9), (1, 9, 2), (3, 2, 3), (2, 7, 9)])
def test_repeats_count_pixels_that_equal_a_neighbour(shape):
    """Of the pixels off the border those count that are as W, NW, N or NE in every channel."""
    planes = np.random.default_rng(13).integers(0, 2, shape).astype(np.int32)
    _, height, width = shape
    inner = [(y, x) for y in range(1, height) for x in range(1, width - 1)]
    equal = [
        any((planes[:, y, x] == planes[:, y + dy, x + dx]).all() for dy, dx in ((0, -1), (-1, -1), (-1, 0), (-1, 1)))
        for y, x in inner
    ]
    assert repeats(planes) == (sum(equal) / len(inner) if inner else 0)


@pytest.mark.parametrize(
    ("planes", "n_colours"),
    [
        (np.arange(32 * 33).reshape(1, 32, 33) % 16, 16),
        (np.arange(33 * 32).reshape(1, 33, 32) * 7 % 17, 0),
        (np.stack([np.arange(32 * 33).reshape(32, 33) % 256] * 2), 256),
        (np.stack([np.arange(32 * 33).reshape(32, 33) * 7 % 257] * 2), 0),
        (np.arange(32 * 32).reshape(1, 32, 32) // 3, 342),
        (np.arange(32 * 32).reshape(1, 32, 32) // 2, 512),
        (np.arange(31 * 33).reshape(1, 31, 33) // 2, 0),
    ],
    ids=["16", "17 that do not repeat", "256 of two channels", "257", "repeat", "half as many as pixels", "more"],
)
def test_indices_are_tried_for_few_colours_and_for_those_that_repeat(planes, n_colours):
    """Up to 16 colours, or 256 in pictures of several channels, are few; of more, a fifth of the pixels repeats."""
    assert _colours_to_index(planes.astype(np.int32)) == n_colours


@pytest.mark.parametrize("seed", range(12))
def test_damaged_payload_is_decoded_as_specified(seed):
    """Whatever a damaged payload says, kernels and the plain decoder give the same samples, within their depth."""
    rng = np.random.default_rng(seed)
    planes = [glyphs, waves][seed % 2](1 + seed % 4, 9, 11, seed).astype([np.uint8, np.uint16][seed // 2 % 2])
    depth, payload = 8 * planes.dtype.itemsize, bytearray(encode_planes(planes, 8 * planes.dtype.itemsize))
    for place in rng.integers(0, len(payload), 3):
        payload[place] = rng.integers(256)
    try:
        decoded = decode_planes(bytes(payload), *planes.shape, depth).tolist()
    except FormatError:
        return
    assert decoded == reference.LosslessDecoder(bytes(payload), *planes.shape, depth).decode()


def test_directions_are_told_apart_by_turns():
    """After a decode, of which the kernels are compiled for a buffer that is only read, an encode writes as before."""
    planes = np.random.default_rng(5).integers(0, 256, (3, 6, 9), np.uint8)
    payload = encode_planes(planes, 8)
    for _ in range(3):
        assert decode_planes(payload, *planes.shape, 8).tolist() == planes.tolist()
        assert encode_planes(planes, 8) == payload


def test_constant_plane_is_nearly_free():
    """A constant plane of any size takes at most a byte for 500 rows over its header."""
    payload = encode_planes(np.full((1, 4000, 50), 255, np.uint8), 8)
    assert len(payload) <= 3 + 4000 // 500
    assert (decode_planes(payload, 1, 4000, 50, 8) == 255).all()


def test_binary_shape_costs_little():
    """The alpha plane of a disc of radius 100 takes less than two bits for each pixel of its outline."""
    y, x = np.mgrid[:256, :256]
    planes = np.where((y - 128) ** 2 + (x - 128) ** 2 < 100**2, 255, 0).astype(np.uint8)[None]
    payload = encode_planes(planes, 8)
    assert 8 * len(payload) < 2 * 2 * np.pi * 100
    assert planes.tolist() == decode_planes(payload, 1, 256, 256, 8).tolist()


def test_sampled_plan_of_a_large_picture():
    """A picture larger than the sample of the plan's choice comes back, bands and growing buffer included."""
    planes = np.tile(waves(1, 64, 64, seed=12), (1, 9, 9))
    payload = encode_planes(planes, 8)
    assert planes.tobytes() == decode_planes(payload, *planes.shape, 8).tobytes()


def test_noise_expands_by_at_most_a_twentieth():
    """Incompressible samples take at most 5 % more than their own size."""
    planes = random_planes(1, 100, 200, np.uint16, seed=13)
    assert len(encode_planes(planes, 16)) <= 1.05 * planes.nbytes


@pytest.mark.parametrize("transform", range(len(TRANSFORMS)))
def test_colour_transforms_are_reversible(transform):
    """Every transform gives samples back, at the corners of the cube of 16 bits and inside it."""
    corners = np.stack(np.meshgrid(*[[0, 1, 255, 65534, 65535]] * 4)).reshape(4, 25, 25).astype(np.int32)
    assert corners.tolist() == inverse(forward(corners, transform), transform).tolist()


def test_tables_equal_their_formulas():
    """SQUASH, STRETCH and BUCKET are those of L3.2, L3.3 and L4.3."""
    assert tables.squashed == SQUASH.tolist()
    assert tables.stretched == STRETCH.tolist()
    assert [tables.bucket(value) for value in range(4096)] == LOG_BUCKET.tolist()


@pytest.mark.parametrize("value", [0, 3, 4, 4095, 4096, 4097, 8191, 65535, 1 << 20])
def test_level_beyond_its_table(value):
    """A bucket goes on, four an octave, where the table ends."""
    assert tables.bucket(value) == log_bucket(value)


def test_classes_cover_all_magnitudes():
    """Classes never decrease, start every octave from 4 on at an even number, and end at 33 for 17 bits."""
    classes = [magnitude_class(value) for value in range(1 << 17)]
    assert sorted(classes) == classes
    assert [2 * octave for octave in range(2, 17)] == [classes[1 << octave] for octave in range(2, 17)]
    assert classes[0] == 0
    assert classes[-1] == 33


@pytest.mark.parametrize(
    ("payload", "channels", "message"),
    [
        (b"\xff" * 20, 3, "transform"),
        (b"\xc0\x00\x00", 1, "lowest"),
        (b"\x00\x00\x3f\xff\xff", 1, "colours"),
    ],
)
def test_impossible_header_is_refused(payload, channels, message):
    """A header that no encoder writes is a FormatError that says what is wrong."""
    with pytest.raises(FormatError, match=message):
        decode_planes(payload, channels, 4, 4, 8)


def test_cut_payload_is_refused():
    """A payload of noise cut to a half is a FormatError."""
    payload = encode_planes(random_planes(1, 30, 30, np.uint8, seed=14), 8)
    with pytest.raises(FormatError, match="ends early"):
        decode_planes(payload[: len(payload) // 2], 1, 30, 30, 8)
