"""Properties of the container over its whole domain."""

from hypothesis import given
from hypothesis import strategies as st

from fdcodec import container
from fdcodec.container import Header, Metadata
from fdcodec.errors import FdcError

blocks = st.none() | st.binary(max_size=40)


@st.composite
def headers(draw: st.DrawFn) -> Header:
    """Return any header of a picture of at most 300x300 pixels."""
    channels = draw(st.integers(1, 4))
    return Header(
        draw(st.integers(1, 300)),
        draw(st.integers(1, 300)),
        channels,
        draw(st.sampled_from([8, 16])),
        draw(st.booleans()),
        channels == 1 and draw(st.booleans()),
        draw(st.sampled_from([0, 64, 100])),
        draw(st.binary(max_size=64)),
    )


@given(
    headers(), st.data(), st.builds(Metadata, blocks, blocks, blocks), st.none() | st.binary(min_size=32, max_size=32)
)
def test_what_is_written_is_read(header, data, metadata, pixel_hash):
    """Reading gives back header, payloads, metadata and hash; only a tile size without effect is normalized."""
    count = header.tile_count
    payloads = data.draw(st.lists(st.binary(max_size=30), min_size=count, max_size=count))
    file = container.read(container.write(container.File(header, payloads, metadata=metadata, pixel_hash=pixel_hash)))
    expected = header if count > 1 else Header(**{**vars(header), "tile_size": 0})
    assert (file.header, file.payloads, file.metadata, file.pixel_hash) == (
        expected,
        tuple(payloads),
        metadata,
        pixel_hash,
    )


@given(st.binary(max_size=200), st.sampled_from([b"", b"\x8bfdc", b"\x8bFDC\r\n\x1a\n", b"\x8bfdc\0"]))
def test_any_bytes_are_a_file_or_an_error(data, start):
    """Arbitrary bytes, also behind a right signature, let nothing but an FdcError out."""
    try:
        container.read(start + data)
    except FdcError:
        return
