"""Properties of the lossy tile over its whole domain."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.blocks import as_decoded

from fdcodec.codec import decode, encode
from fdcodec.coding.lossy import Coding, decode_planes, encode_planes
from fdcodec.coding.settings import EncoderSettings
from fdcodec.coding.tuning import search_options
from fdcodec.errors import FormatError
from fdcodec.filtering.post import apply_filter
from fdcodec.format.parameters import step_index_for
from fdcodec.image.colour import colour_matrix, plane_bounds, to_planes
from fdcodec.image.picture import Picture
from fdcodec.model import ClassModel, get

PLAIN = ClassModel("plain")
MODELS = {"plain": PLAIN, "photo": get("photo")}
models = st.sampled_from(sorted(MODELS))
angles = st.none() | st.tuples(*[st.integers(0, 511)] * 3)


@st.composite
def pictures(draw, channels=(1, 2, 3, 4)):
    """Return samples of any small shape: from the whole range, or from a few values."""
    shape = draw(st.integers(1, 21)), draw(st.integers(1, 21)), draw(st.sampled_from(channels))
    elements = st.integers(0, 255) if draw(st.booleans()) else st.sampled_from([0, 127, 128, 255])
    return draw(arrays(np.uint8, shape, elements=elements))


@settings(max_examples=120, deadline=None)
@given(pictures(channels=(1, 3)), st.integers(0, 100), st.integers(1, 9), models, angles, st.booleans())
def test_decoder_follows_the_encoder(samples, quality, effort, name, colour, screen):
    """Any picture, at any quality, effort, model and colour, screen tools or not, decodes to what the encoder saw."""
    matrix = colour_matrix(colour) if samples.shape[2] == 3 else None
    planes, bounds, step_index = to_planes(samples, matrix), plane_bounds(matrix), step_index_for(quality)
    options = search_options(EncoderSettings(effort=effort), step_index, bounds)
    tile = encode_planes(planes, MODELS[name], options, screen)
    decoded, maps = decode_planes(tile.payload, planes.shape, MODELS[name], Coding(step_index, bounds, screen))
    assert tile.planes.tolist() == decoded.tolist()
    assert as_decoded(tile.maps) == as_decoded(maps)


@settings(max_examples=60, deadline=None)
@given(pictures(), st.integers(0, 100), models)
def test_files_keep_the_shape_and_the_alpha(samples, quality, name):
    """A file gives back the shape of its picture, and alpha exactly."""
    data = encode(Picture(samples), EncoderSettings(quality=quality, model=MODELS[name], effort=1))
    decoded = decode(data).samples
    assert (samples.shape, samples.dtype) == (decoded.shape, decoded.dtype)
    if samples.shape[2] in (2, 4):
        assert samples[:, :, -1].tolist() == decoded[:, :, -1].tolist()


@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=120),
    st.sampled_from([1, 3]),
    st.integers(0, 383),
    st.integers(0, 7),
    models,
    st.booleans(),
    st.data(),
)
def test_any_payload_is_refused_or_is_planes(payload, n_planes, step_index, strength, name, screen, data):
    """Any payload gives planes within their ranges, before and after any filter, or a FormatError."""
    height, width = (4 * data.draw(st.integers(1, 12)) for _ in range(2))
    bounds = plane_bounds(colour_matrix(None) if n_planes == 3 else None)
    try:
        planes, maps = decode_planes(
            payload, (n_planes, height, width), MODELS[name], Coding(step_index, bounds, screen)
        )
    except FormatError:
        return
    for plane, (low, high) in zip(planes, bounds, strict=True):
        assert low <= plane.min() <= plane.max() <= high
    apply_filter(planes, maps, MODELS[name], step_index, (strength, strength), bounds)
    for plane, (low, high) in zip(planes, bounds, strict=True):
        reach = (high - low) if strength == 1 else 0  # deblocking does not clip
        assert low - reach <= plane.min() <= plane.max() <= high + reach
