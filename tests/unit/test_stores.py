"""Chunks of array stores: numcodecs' codec for version 2 of zarr, and zarr's serializer for version 3."""

import numpy as np
import pytest
from tests.images import noise, photo, ramp

import fdcodec
from fdcodec.errors import FdcError, FormatError, LimitError, ParameterError, TargetWarning
from fdcodec.integrations.stores import StoreCodec, image_shape

numcodecs = pytest.importorskip("numcodecs")
zarr = pytest.importorskip("zarr", minversion="3.1")

from fdcodec.integrations.numcodecs import FdcCodec as NumcodecsCodec  # noqa: E402 -- what it needs may be missing
from fdcodec.integrations.zarr import FdcCodec as ZarrCodec  # noqa: E402

GRAY = ramp(40, 48, 1)[:, :, 0]
DEEP = noise(40, 48, 1, seed=1, dtype=np.uint16)[:, :, 0]


@pytest.fixture(autouse=True, scope="module")
def registered():
    """Register by hand what an installed package registers by its entry points."""
    numcodecs.register_codec(NumcodecsCodec)
    zarr.registry.register_codec("fdcodec", ZarrCodec)


def filled(array, **options):
    """Return a store with an array in it; not by `data`, which with shards leaves most of them out in zarr 3.1.0."""
    store = zarr.storage.MemoryStore()
    zarr.create_array(store, shape=array.shape, dtype=array.dtype, **options)[:] = array
    return store


def version_2(array, codec, **options):
    """Return the store of an array in zarr's version 2."""
    return filled(array, zarr_format=2, compressors=codec, filters=None, **options)


def version_3(array, codec, **options):
    """Return the store of an array in zarr's version 3."""
    return filled(array, serializer=codec, compressors=None, **options)


STORES = [(version_2, NumcodecsCodec), (version_3, ZarrCodec)]
stores = pytest.mark.parametrize(("make", "codec"), STORES, ids=["numcodecs", "zarr"])


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((5, 7), (5, 7)),
        ((5, 7, 3), (5, 7, 3)),
        ((1, 7, 3), (1, 7, 3)),
        ((1, 5, 7), (5, 7)),
        ((1, 1, 1, 5, 7), (5, 7)),
        ((1, 1, 5, 7, 4), (5, 7, 4)),
        ((2**14, 2**14), (2**14, 2**14)),
        ((65535, 8), (65535, 8)),
    ],
)
def test_image_of_a_chunk(shape, expected):
    """A chunk is an image once the axes of length 1 before it are gone."""
    assert image_shape(shape) == expected


@pytest.mark.parametrize("shape", [(), (5,), (2, 5, 7), (1, 2, 5, 7), (5, 7, 5), (2, 5, 7, 3)])
def test_chunks_that_are_no_images(shape):
    """Other shapes are refused, by their name."""
    with pytest.raises(ParameterError, match="chunk: shape"):
        image_shape(shape)


@pytest.mark.parametrize("shape", [(1, 2**14, 2**14 + 1), (2**14 + 1, 2**14), (65536, 8, 3), (8, 65536)])
def test_chunks_that_nothing_would_read_are_not_written(shape):
    """Chunks above the pixels that are decoded by default, or with a side that no file has, are refused by shape."""
    for refuse in (image_shape, lambda shape: StoreCodec().encode_chunk(np.broadcast_to(np.uint8(0), shape))):
        with pytest.raises(LimitError, match="smaller chunks"):
            refuse(shape)


@stores
@pytest.mark.parametrize(
    ("array", "chunks"),
    [
        (GRAY, (20, 24)),
        (DEEP, (32, 32)),
        (noise(24, 24, 3, seed=2), (16, 24, 3)),
        (noise(24, 24, 2, seed=3, dtype=np.uint16), (24, 24, 2)),
        (np.stack([GRAY, GRAY[::-1]])[:, np.newaxis], (1, 1, 40, 48)),
        (np.stack([noise(16, 16, 3, seed=4)] * 2), (1, 16, 16, 3)),
    ],
    ids=["gray", "deep", "colour", "deep-alpha", "planes", "frames"],
)
def test_lossless_stores(make, codec, array, chunks):
    """What is stored without loss is read again from the store as it was, chunks that reach past its edge too."""
    stored = zarr.open_array(make(array, codec(lossless=True), chunks=chunks), mode="r")
    assert stored.dtype == array.dtype
    np.testing.assert_array_equal(stored[:], array)


@stores
def test_lossy_chunks_are_files_of_encode(make, codec):
    """A chunk is what `encode` makes of its image, and an array is read as `decode` gives it."""
    picture = photo(48, 48)
    store = make(picture, codec(quality=30, effort=2), chunks=picture.shape)
    data = fdcodec.encode(picture, quality=30, effort=2)
    assert data in [bytes(item.to_bytes()) for item in store._store_dict.values()]
    np.testing.assert_array_equal(zarr.open_array(store, mode="r")[:], fdcodec.decode(data))


@stores
def test_deep_samples_are_coded_as_encode_does(make, codec):
    """An array of uint16 is coded with loss where the codec is not lossless."""
    store = make(DEEP, codec(effort=2), chunks=DEEP.shape)
    np.testing.assert_array_equal(zarr.open_array(store, mode="r")[:], fdcodec.decode(fdcodec.encode(DEEP, effort=2)))


@stores
def test_numbers_of_numpy_are_kept_as_json_takes_them(make, codec):
    """A quality or an effort that numpy made is one like any other."""
    store = make(GRAY, codec(quality=np.float32(30), effort=np.int8(2), lossless=np.bool_(False)), chunks=GRAY.shape)
    expected = fdcodec.decode(fdcodec.encode(GRAY, quality=30, effort=2))
    np.testing.assert_array_equal(zarr.open_array(store, mode="r")[:], expected)


@stores
def test_missed_target_of_a_chunk_is_told(make, codec):
    """A chunk that no quality fits into a size has the warning of `encode`."""
    with pytest.warns(TargetWarning):
        make(DEEP, codec(size_bytes=20, effort=1), chunks=DEEP.shape)


@stores
def test_other_dtypes_are_refused(make, codec):
    """Arrays of other dtypes are refused by the name of theirs."""
    with pytest.raises(ParameterError, match="float32"):
        make(GRAY.astype(np.float32), codec(lossless=True), chunks=GRAY.shape)


@pytest.mark.parametrize(("dtype", "lossless"), [("int16", False), ("int16", True), ("float32", True)])
def test_version_3_makes_no_array_that_cannot_be_filled(dtype, lossless):
    """An array of a dtype that the serializer does not take is refused before anything is stored."""
    store = {}
    with pytest.raises(ParameterError, match=f"dtype: {dtype}"):
        zarr.create_array(store, shape=(8, 8), dtype=dtype, serializer=ZarrCodec(lossless=lossless))
    assert store == {}


@pytest.mark.parametrize("chunks", [(3, 8, 8), (1, 8, 8, 8)])
def test_version_3_makes_no_array_of_chunks_that_are_no_images(chunks):
    """An array whose chunks, outside shards, have another shape than images is refused before anything is stored."""
    store, codec = {}, ZarrCodec(lossless=True)
    with pytest.raises(ParameterError, match=r"shape .* is not \(height, width\)"):
        zarr.create_array(store, shape=chunks, chunks=chunks, dtype="uint8", serializer=codec)
    assert store == {}


def test_sharded_store():
    """The serializer works within shards."""
    store = version_3(DEEP, ZarrCodec(lossless=True), chunks=(20, 24), shards=(40, 48))
    np.testing.assert_array_equal(zarr.open_array(store, mode="r")[:], DEEP)


def test_size_of_a_chunk_is_not_known_before():
    """The serializer says that chunks have sizes of their own, and no number is made up for one."""
    codec = ZarrCodec()
    assert not codec.is_fixed_size
    with pytest.raises(NotImplementedError):
        codec.compute_encoded_size(100, None)


def test_big_endian_arrays_of_version_3():
    """Version 3 stores values, so that the order of their bytes in memory does not matter."""
    array, codec = DEEP.astype(">u2"), ZarrCodec(lossless=True)
    made = zarr.create_array({}, shape=(40, 48), dtype=">u2", chunks=(40, 48), serializer=codec, compressors=None)
    made[:] = array
    for stored in (made, zarr.open_array(made.store, mode="r")):
        np.testing.assert_array_equal(stored[:], array)


@pytest.mark.parametrize(("array", "order"), [(DEEP.astype(">u2"), "C"), (GRAY, "F")], ids=["big-endian", "columns"])
def test_numcodecs_keeps_memory_or_refuses(array, order):
    """Bytes or rows in an order that a decoder cannot know are refused, not given back in another."""
    with pytest.raises(ParameterError, match="little-endian"):
        version_2(array, NumcodecsCodec(lossless=True), chunks=array.shape, order=order)


@pytest.mark.parametrize("out", [np.zeros_like(DEEP), bytearray(DEEP.nbytes)], ids=["array", "bytes"])
def test_numcodecs_decodes_into_a_buffer(out):
    """`decode` fills a buffer of the right size, of any type, with the bytes of the array."""
    codec = NumcodecsCodec(lossless=True)
    codec.decode(codec.encode(DEEP), out=out)
    assert bytes(out) == DEEP.tobytes()


@pytest.mark.parametrize("n_bytes", [DEEP.nbytes - 2, DEEP.nbytes + 2])
def test_numcodecs_refuses_a_buffer_of_another_size(n_bytes):
    """A buffer that is too small or too large is a ValueError."""
    codec = NumcodecsCodec(lossless=True)
    with pytest.raises(ValueError, match="reshape"):
        codec.decode(codec.encode(DEEP), out=bytearray(n_bytes))


@stores
def test_damaged_chunks(make, codec):
    """A chunk with any wrong byte is an FdcError."""
    store = make(GRAY[:16, :16], codec(lossless=True), chunks=(16, 16))
    name = next(name for name in store._store_dict if not name.endswith((".json", ".zarray", ".zattrs")))
    chunk = store._store_dict[name].to_bytes()
    for position in range(len(chunk)):
        damaged = chunk[:position] + bytes([chunk[position] ^ 1]) + chunk[position + 1 :]
        store._store_dict[name] = type(store._store_dict[name]).from_bytes(damaged)
        with pytest.raises(FdcError):
            zarr.open_array(store, mode="r")[:]


@pytest.mark.parametrize(
    ("image", "error"),
    [(GRAY[:20], FormatError), (DEEP, FormatError), (GRAY.T, FormatError), (np.vstack([GRAY, GRAY[:1]]), LimitError)],
    ids=["smaller", "deeper", "turned", "larger"],
)
def test_chunks_that_do_not_fit_their_array(image, error):
    """A chunk of another shape or depth than the array's is refused, a larger one before it is decoded."""
    store = version_3(GRAY, ZarrCodec(lossless=True), chunks=GRAY.shape)
    chunk = type(store._store_dict["c/0/0"]).from_bytes(fdcodec.encode(image, lossless=True))
    store._store_dict["c/0/0"] = chunk
    with pytest.raises(error):
        zarr.open_array(store, mode="r")[:]
