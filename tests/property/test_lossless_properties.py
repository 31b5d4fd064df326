"""Properties of the lossless planes over their whole domain."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fdcodec.coding.lossless import decode_planes, encode_planes
from fdcodec.errors import FormatError

shapes = st.tuples(st.integers(1, 4), st.integers(1, 9), st.integers(1, 9))
depths = st.sampled_from([8, 16])


@st.composite
def planes(draw):
    """Return planes of any small shape and depth; samples from the whole range or from a few values."""
    depth = draw(depths)
    high = (1 << depth) - 1
    few = draw(st.booleans())
    elements = st.sampled_from([0, 1, high // 2, high]) if few else st.integers(0, high)
    return draw(arrays(np.dtype(f"uint{depth}"), draw(shapes), elements=elements))


@settings(max_examples=150, deadline=None)
@given(planes())
def test_planes_come_back(samples):
    """Decoding what was encoded gives the samples, in their type and shape."""
    depth = 8 * samples.dtype.itemsize
    decoded = decode_planes(encode_planes(samples, depth), *samples.shape, depth)
    assert samples.dtype == decoded.dtype
    assert samples.tolist() == decoded.tolist()


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60), shapes, depths)
def test_any_bytes_are_refused_or_are_planes(payload, shape, depth):
    """Any payload gives an array of the shape asked for, or a FormatError, and nothing else."""
    try:
        decoded = decode_planes(payload, *shape, depth)
    except FormatError:
        return
    assert (shape, f"uint{depth}") == (decoded.shape, decoded.dtype.name)


@settings(max_examples=100, deadline=None)
@given(planes(), st.data())
def test_damaged_payloads_are_refused_or_are_planes(samples, data):
    """A payload with one changed byte, or cut, gives planes or a FormatError, and nothing else."""
    depth = 8 * samples.dtype.itemsize
    payload = bytearray(encode_planes(samples, depth)) or bytearray(1)
    place = data.draw(st.integers(0, len(payload) - 1))
    payload[place] ^= data.draw(st.integers(1, 255))
    end = data.draw(st.integers(0, len(payload)))
    try:
        decoded = decode_planes(bytes(payload[:end]), *samples.shape, depth)
    except FormatError:
        return
    assert samples.shape == decoded.shape
