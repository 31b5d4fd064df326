"""The container: both forms, their size, their limits."""

import struct
import zlib
from io import BytesIO

import pytest

from fdcodec import container
from fdcodec.container import Header, Metadata
from fdcodec.container.chunks import build_chunk
from fdcodec.errors import FormatError, LimitError, TruncatedError, UnsupportedError
from fdcodec.limits import MAX_METADATA_BYTES, MAX_OTHER_CHUNKS

HASH = bytes(range(32))
FLAT = Header(48, 33, 3, 8, parameters=b"params")
TILED = Header(70, 50, 1, 16, lossless=True, two_dimensional=True, tile_size=32, parameters=b"p" * 64)
PAYLOADS = [bytes([i]) * i for i in range(TILED.tile_count)]
METADATA = Metadata(b"exif", b"xmp", b"icc")


def header_chunk(**changes: int) -> bytes:
    """Return an FHDR chunk with a right checksum and any field changed."""
    fields = {
        "version": 0,
        "flags": 0,
        "channels": 3,
        "depth": 8,
        "width": 48,
        "height": 33,
        "tile_size": 0,
        "parameters": 0,
    }
    return build_chunk(b"FHDR", struct.pack("<4BIIHB", *{**fields, **changes}.values()))


def chunked(*chunks: bytes) -> bytes:
    """Return a chunked file of the given chunks and an end."""
    return container.chunked.names.SIGNATURE + b"".join(chunks) + build_chunk(b"FEND", b"")


DATA = build_chunk(b"DATA", b"payload")


@pytest.mark.parametrize(
    "header", [FLAT, Header(1, 1), Header(65535, 65535, 4, 16), Header(256, 255, 2, lossless=True)]
)
@pytest.mark.parametrize("model_ref", [None, HASH])
def test_compact_round_trip(header, model_ref):
    """One tile without metadata comes back from the compact form, the model by the first four bytes of its hash."""
    file = container.read(container.write(container.File(header, [b"payload"], model_ref=model_ref)), max_pixels=2**32)
    assert (file.header, file.payloads, file.model_ref) == (header, (b"payload",), model_ref and model_ref[:4])
    assert file.chunks == ()


def test_compact_long_payload():
    """A payload above 64 KiB has a longer length field."""
    payload = bytes(70000)
    assert container.read(container.write(container.File(FLAT, [payload]))).payloads == (payload,)


def test_chunked_round_trip():
    """Everything a file can hold comes back from the chunked form."""
    data = container.write(container.File(TILED, PAYLOADS, model_bytes=b"model", metadata=METADATA, pixel_hash=HASH))
    file = container.read(data)
    assert (file.header, file.payloads) == (TILED, tuple(PAYLOADS))
    assert (file.model_ref, file.model_bytes, file.metadata, file.pixel_hash) == (None, b"model", METADATA, HASH)


@pytest.mark.parametrize(
    ("data", "end"),
    [
        (container.write(container.File(FLAT, [b"payload"], model_ref=HASH)), b"payload"),
        (container.write(container.File(TILED, PAYLOADS, metadata=METADATA)), b"DATA"),
        (container.write(container.File(FLAT, [b"x"], model_bytes=b"model", metadata=Metadata(icc=b"icc"))), b"DATA"),
    ],
    ids=["compact", "tiled", "embedded"],
)
def test_front_is_header_and_metadata(data, end):
    """The front of an open file is what reading all of it gives of header and metadata, without what follows them."""
    file = container.read(data)
    for front in (data, data[: data.index(end) + len(end)]):
        assert container.read_front(BytesIO(front)) == (file.header, file.metadata)


class Frugal(BytesIO):
    """A file that refuses to be read by more than a metadata block at once."""

    def read(self, size=-1):
        """Read that many bytes."""
        assert 0 <= size <= MAX_METADATA_BYTES + 4
        return super().read(size)


@pytest.mark.parametrize(
    ("kind", "error"),
    [(b"FHDR", TruncatedError), (b"exIf", LimitError), (b"TFAC", TruncatedError), (b"quux", TruncatedError)],
)
def test_front_allocates_no_declared_length(kind, error):
    """A chunk that declares four gigabytes is refused without asking the file for them."""
    data = container.chunked.names.SIGNATURE + header_chunk() + b"\xff\xff\xff\xff" + kind + bytes(100)
    with pytest.raises(error):
        container.read_front(Frugal(data))


def test_front_without_a_header():
    """A file whose payload comes before its header is refused."""
    with pytest.raises(FormatError, match="FHDR"):
        container.read_front(BytesIO(chunked(DATA, header_chunk())))


def test_chunked_reference_is_sixteen_bytes_of_the_hash():
    """The chunked form names a model by more of its hash than the compact form does."""
    assert container.read(container.write(container.File(TILED, PAYLOADS, model_ref=HASH))).model_ref == HASH[:16]


def test_one_tile_is_written_as_no_tiles():
    """A tile size that covers the picture is the same as none."""
    assert container.read(container.write(container.File(Header(20, 20, tile_size=32), [b"x"]))).header == Header(
        20, 20
    )


@pytest.mark.parametrize("payload_length", [0, 1, 200])
def test_small_pictures_cost_few_bytes(payload_length):
    """Below 64x64 pixels the file is at most 25 bytes longer than its payload, with 6 bytes of parameters."""
    header = Header(63, 63, 3, parameters=b"6bytes")
    assert len(container.write(container.File(header, [bytes(payload_length)], model_ref=HASH))) - payload_length <= 25


def test_numbers_take_as_many_bytes_as_they_need():
    """Of a compact file sides have a byte each up to 255, and the payload's length has two up to 65535."""
    sizes = [len(container.write(container.File(Header(side, 1), [b""]))) for side in (255, 256)]
    lengths = [len(container.write(container.File(FLAT, [bytes(length)]))) for length in (65535, 65536)]
    assert (sizes[1] - sizes[0], lengths[1] - lengths[0]) == (2, 1 + 2)


def test_front_of_a_file_without_tiles_is_read():
    """The header and the metadata of a file that ends before its first tile are told."""
    header, metadata = container.read_front(BytesIO(chunked(header_chunk(), build_chunk(b"exIf", b"exif"))))
    assert (header.width, metadata) == (48, Metadata(exif=b"exif"))


def test_fixed_overhead_of_one_tile_by_reference():
    """One tile, no metadata, model by reference: at most 64 bytes around payload and parameters, at any size."""
    header = Header(65535, 65535, 4, 16, parameters=b"6bytes")
    assert len(container.write(container.File(header, [bytes(100000)], model_ref=HASH))) - 100000 - 6 <= 64


def test_header_alone_needs_no_more_than_the_start_of_the_file():
    """The header is read from a file whose rest is missing."""
    for header, payloads in ((FLAT, [b"payload"]), (TILED, PAYLOADS)):
        assert container.read_header(container.write(container.File(header, payloads))[:120]) == header


def test_metadata_limit_holds_for_the_writer():
    """What the reader would refuse is not written, and a block of as many bytes as it takes is."""
    with pytest.raises(LimitError, match="exIf"):
        container.write(container.File(FLAT, [b""], metadata=Metadata(exif=bytes(MAX_METADATA_BYTES + 1))))
    largest = container.File(FLAT, [b""], metadata=Metadata(exif=bytes(MAX_METADATA_BYTES)))
    assert container.read(container.write(largest)).metadata == largest.metadata


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"version": 1}, UnsupportedError),
        ({"flags": 0b100}, UnsupportedError),
        ({"channels": 0}, UnsupportedError),
        ({"channels": 5}, UnsupportedError),
        ({"depth": 12}, UnsupportedError),
        ({"width": 0}, FormatError),
        ({"height": 0}, FormatError),
        ({"width": 65536}, LimitError),
        ({"height": 2**32 - 1}, LimitError),
        ({"width": 2**31}, LimitError),
        ({"width": 65535, "height": 65535}, LimitError),
        ({"tile_size": 15}, FormatError),
        ({"tile_size": 16}, FormatError),
        ({"parameters": 1}, FormatError),
        ({"flags": 2}, FormatError),
    ],
)
def test_header_fields_at_their_extremes(changes, error):
    """Each field outside its range is refused although the checksum is right."""
    with pytest.raises(error):
        container.read(chunked(header_chunk(**changes), DATA))


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"width": 0}, "size 0x5 is not at least 1x1"),
        ({"height": 0}, "size 7x0 is not at least 1x1"),
        ({"tile_size": 65536}, "tile size 65536 is not 0 or 16..65535"),
        ({"parameters": bytes(65)}, "65 bytes of parameters, at most 64"),
    ],
)
def test_header_is_checked_in_every_form(fields, told):
    """What no file can mean is refused as soon as there is a header, whatever the file around it."""
    with pytest.raises(FormatError, match=told):
        Header(**{"width": 7, "height": 5} | fields)


def test_end_is_empty():
    """An FEND chunk with a body is damage, where nothing follows it, too."""
    data = chunked(header_chunk(), DATA).removesuffix(build_chunk(b"FEND", b"")) + build_chunk(b"FEND", b"x")
    with pytest.raises(FormatError, match="1 byte too many at the end of the file"):
        container.read(data)


def test_newer_version_names_both_numbers():
    """The message says what the file has and what the release reads."""
    with pytest.raises(UnsupportedError, match=r"version 7.*up to 0"):
        container.read(chunked(header_chunk(version=7), DATA))
    compact = bytearray(container.write(container.File(FLAT, [b""])))
    compact[4] = 7
    with pytest.raises(UnsupportedError, match=r"version 7.*up to 0"):
        container.read(bytes(compact))


@pytest.mark.parametrize(
    ("chunks", "error", "words"),
    [
        ([DATA, header_chunk()], FormatError, "first chunk is DATA"),
        ([header_chunk()], FormatError, "0 DATA chunks for 1 tile"),
        ([header_chunk(), DATA, DATA], FormatError, "2 DATA chunks for 1 tile"),
        ([header_chunk(), header_chunk(), DATA], FormatError, "FHDR comes 2 times"),
        ([header_chunk(), build_chunk(b"TREF", HASH), build_chunk(b"TFAC", b"m"), DATA], FormatError, "both"),
        ([header_chunk(), build_chunk(b"TREF", b"abc"), DATA], FormatError, "TREF has 3 bytes"),
        ([header_chunk(), build_chunk(b"pHSH", HASH[1:]), DATA], FormatError, "pHSH has 31 bytes"),
        ([header_chunk(), build_chunk(b"TIDX", b"\0\0\0\0"), DATA], FormatError, "index"),
        ([header_chunk(), build_chunk(b"NEWX", b""), DATA], UnsupportedError, "NEWX"),
        ([header_chunk(), build_chunk(b"N3WX", b""), DATA], FormatError, "four letters"),
        ([header_chunk(), DATA, build_chunk(b"FEND", b"")], FormatError, "12 bytes too many at the end"),
    ],
)
def test_chunks_out_of_order_or_number(chunks, error, words):
    """The chunk rules of the specification hold whatever the checksums say."""
    with pytest.raises(error, match=words):
        container.read(chunked(*chunks))


def test_most_chunks():
    """As many chunks as the limit says are read, besides one for each tile; one more is refused, in salvage too."""
    others = [build_chunk(b"neWx", b"")] * (MAX_OTHER_CHUNKS - 2)  # FHDR and FEND are the others
    assert container.read(chunked(header_chunk(), *others, DATA)).payloads == (b"payload",)
    for read in (container.read, container.salvage):
        with pytest.raises(LimitError, match="more than 1025 chunks, which is the limit; write it with fewer"):
            read(chunked(header_chunk(), *others, build_chunk(b"neWx", b""), DATA))


def test_unknown_ancillary_chunk_is_skipped():
    """A chunk that readers may skip is skipped, and listed."""
    file = container.read(chunked(header_chunk(), build_chunk(b"neWx", b"later"), DATA))
    assert file.payloads == (b"payload",)
    assert ("neWx", 5) in file.chunks


@pytest.mark.parametrize("length", [8, 2**31 - 1, 2**31, 2**32 - 1])
def test_length_beyond_the_file(length):
    """A length that reaches past the end is truncation, found without allocating it."""
    body = b"DATA" + b"payload"
    lying = struct.pack("<I", length) + body + struct.pack("<I", zlib.crc32(body))
    with pytest.raises(TruncatedError, match="DATA"):
        container.read(container.chunked.names.SIGNATURE + header_chunk() + lying)


@pytest.mark.parametrize("data", [b"", b"\x8b", b"\x8bF", b"\x8bfd", b"\x8bFDC\r\n"])
def test_signature_cut_short(data):
    """A prefix of a signature is a truncated file."""
    with pytest.raises(TruncatedError):
        container.read(data)


@pytest.mark.parametrize("data", [b"GIF89a", b"\x8bFDC\n\x1a\n\0", b"\x0bFDC\r\n\x1a\n", b"hello world"])
def test_other_files_and_mangled_signatures(data):
    """Text, other formats, changed line ends and stripped high bits are not FDC files."""
    with pytest.raises(FormatError, match=r"not an \.fdc file"):
        container.read(data)


def test_pixel_limit():
    """The caller's limit holds for both forms, and can be raised."""
    for header, payloads in ((FLAT, [b""]), (TILED, PAYLOADS)):
        data = container.write(container.File(header, payloads))
        assert container.read(data, max_pixels=header.pixels).header == header
        with pytest.raises(LimitError, match="limit"):
            container.read(data, max_pixels=header.pixels - 1)


def test_empty_file_is_named_so():
    """A file without a byte is said to be empty."""
    with pytest.raises(TruncatedError, match="empty"):
        container.read(b"")
