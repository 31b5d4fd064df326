"""The public functions."""

from hashlib import sha256
from struct import pack

import numpy as np
import pytest
from PIL import Image
from tests.images import noise, orientation_exif, photo

import fdcodec
from fdcodec import codec, container
from fdcodec.errors import LimitError, ParameterError, VerificationError
from fdcodec.image.arrays import as_picture
from fdcodec.limits import MAX_METADATA_BYTES

IMAGE = photo(96, 128)
DATA = fdcodec.encode(IMAGE)


def test_default_is_quality_75():
    """Without a target the quality is 75."""
    assert fdcodec.encode(IMAGE, quality=75) == DATA


@pytest.mark.parametrize(
    "shape", [(9, 7), (9, 7, 1), (9, 7, 2), (9, 7, 3), (9, 7, 4), (1, 1), (1, 1, 3), (1, 33), (33, 1, 4)]
)
def test_shape_comes_back_as_given(shape):
    """Lossy and lossless decoding give the shape and the type that were encoded."""
    array = noise(shape[0], shape[1], shape[2] if len(shape) == 3 else 1, seed=1).reshape(shape)
    for options in ({}, {"lossless": True}):
        decoded = fdcodec.decode(fdcodec.encode(array, **options))
        assert (decoded.shape, decoded.dtype) == (array.shape, array.dtype)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_lossless_gives_back_every_sample(dtype, channels):
    """With lossless=True decoding is the inverse of encoding, for every number of channels and depth."""
    array = noise(13, 11, channels, seed=2, dtype=dtype)
    data = fdcodec.encode(array, lossless=True)
    assert np.array_equal(fdcodec.decode(data), array)
    assert fdcodec.read_header(data).lossless


def test_memory_layout_does_not_change_the_file():
    """A view encodes to the bytes of its contiguous copy."""
    view = np.asfortranarray(IMAGE)[::-1, ::2]
    assert fdcodec.encode(view) == fdcodec.encode(np.ascontiguousarray(view))


def test_pillow_image_equals_its_array():
    """A Pillow image without metadata encodes to the bytes of its array."""
    assert fdcodec.encode(Image.fromarray(IMAGE)) == DATA


def test_transparent_pixels_keep_their_alpha():
    """Alpha is exact, whatever the quality."""
    array = noise(12, 12, 4, seed=3)
    array[:6, :, 3] = 0
    assert np.array_equal(fdcodec.decode(fdcodec.encode(array, quality=10))[:, :, 3], array[:, :, 3])


def test_only_what_is_public_is_listed():
    """`dir` of the package names what it offers."""
    assert dir(fdcodec) == sorted(fdcodec.__all__)


@pytest.mark.parametrize("region", [(0, 0, 1, 1), (127, 95, 1, 1), (10, 20, 50, 40), (31, 31, 2, 2), (0, 0, 128, 96)])
def test_region_is_the_slice_of_the_whole(region):
    """A region is bit for bit what decoding everything and cutting it out gives."""
    data = fdcodec.encode(IMAGE, tile=32)
    x, y, width, height = region
    assert np.array_equal(fdcodec.decode_region(data, region), fdcodec.decode(data)[y : y + height, x : x + width])


@pytest.mark.parametrize(
    "region", [(122, 0, 7, 1), (0, 0, 0, 1), (1, 2, 3), "abcd", (0.0, 0, 1, 1), np.zeros((4, 4), int), 7, None]
)
def test_region_that_is_none(region):
    """A region that leaves the picture, is empty or is not four integers is a wrong argument."""
    with pytest.raises(ParameterError, match="region"):
        fdcodec.decode_region(DATA, region)


def test_metadata_is_stored_and_read():
    """EXIF, XMP and ICC come back from the file byte for byte."""
    exif = orientation_exif(5)
    data = fdcodec.encode(IMAGE, exif=exif, xmp=b"<x/>", icc=b"profile")
    assert container.read(data).metadata == (exif, b"<x/>", b"profile")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"quality": 50, "lossless": True}, "quality and lossless"),
        ({"psnr_db": 30, "bpp": 1}, "psnr_db and bpp"),
        ({"quality": -1}, "quality: -1"),
        ({"quality": 100.5}, "quality: 100.5"),
        ({"quality": True}, "quality: True"),
        ({"quality": float("nan")}, "quality: nan"),
        ({"psnr_db": 0.9}, "psnr_db: 0.9"),
        ({"psnr_db": 120.1}, "psnr_db: 120.1"),
        ({"bpp": 9e-7}, "bpp: 9e-07"),
        ({"bpp": 64.1}, "bpp: 64.1"),
        ({"size_bytes": 0.9}, "size_bytes: 0.9"),
        ({"size_bytes": 10**12 + 1}, "size_bytes: 1000000000001"),
        ({"effort": 0}, "effort: 0"),
        ({"effort": 10}, "effort: 10"),
        ({"threads": -1}, "threads: -1"),
        ({"threads": 65}, "threads: 65"),
        ({"tile": 15}, "tile: 15"),
        ({"tile": 65536}, "tile: 65536"),
        ({"sparsity": 0}, "sparsity: 0"),
        ({"sparsity": 65536}, "sparsity: 65536"),
        ({"tune": "ssim"}, "tune: 'ssim' is not allowed; give psnr or visual"),
        ({"tune": None}, "tune: None"),
        ({"tune": np.ones(2)}, r"tune: array\("),
        ({"exif": "text"}, "exif: str"),
        ({"quality": "high"}, "quality: 'high'"),
        ({"effort": 5.5}, "effort: 5.5"),
        ({"transform": 7}, "transform: 7"),
        ({"embed": "yes"}, "embed: 'yes'"),
        ({"embed": np.ones(2)}, r"embed: array\("),
        ({"lossless": np.ones(2)}, r"lossless: array\("),
        ({"verify": None}, "verify: None"),
        ({"effort": None}, "effort: None"),
        ({"threads": None}, "threads: None"),
        ({"effort": True}, "effort: True"),
        ({"transform": None}, "transform: None"),
        ({"size_bytes": float("inf")}, "size_bytes: inf"),
        ({"size_bytes": 10**400}, "size_bytes: 100"),
        ({"quality": np.ones(2)}, r"quality: array\("),
    ],
)
def test_wrong_arguments_name_themselves(options, words):
    """Each argument outside its range is refused by name and value."""
    with pytest.raises(ParameterError, match=words):
        fdcodec.encode(IMAGE, **options)


@pytest.mark.parametrize("options", [{"max_pixels": None}, {"threads": 1.5}, {"threads": 65}, {"transform": 3}])
def test_wrong_arguments_of_decode_name_themselves(options):
    """Each argument of decode outside its range is refused by name."""
    with pytest.raises(ParameterError, match=next(iter(options))):
        fdcodec.decode(DATA, **options)


def test_unknown_keyword_is_a_type_error():
    """A misspelt option is not ignored."""
    with pytest.raises(TypeError, match="qualty"):
        fdcodec.encode(IMAGE, qualty=50)


def test_pixel_limit():
    """Decoding refuses a picture above the caller's limit."""
    with pytest.raises(LimitError):
        fdcodec.decode(DATA, max_pixels=96 * 128 - 1)


@pytest.mark.parametrize("image", [IMAGE, 257 * IMAGE[:32, :32, :1].astype(np.uint16)], ids=["8 bits", "16 bits"])
def test_verify_stores_the_hash_of_the_samples(image):
    """With verify the file carries the hash of what it decodes to, 16-bit ones little-endian; nothing else changes."""
    data = fdcodec.encode(image, verify=True)
    decoded = fdcodec.decode(data)
    code = "B" if decoded.dtype == np.uint8 else "H"
    assert container.read(data).pixel_hash == sha256(pack(f"<{decoded.size}{code}", *decoded.ravel().tolist())).digest()
    np.testing.assert_array_equal(decoded, fdcodec.decode(fdcodec.encode(image)))


@pytest.mark.parametrize(
    ("other", "lossless"), [(IMAGE ^ 1, True), (IMAGE[:-1], False), (IMAGE.astype(np.uint16), False)]
)
def test_verify_notices_a_wrong_decode(monkeypatch, other, lossless):
    """A lossless file of other samples, or any file of another shape or depth, is an error and not a result."""
    monkeypatch.setattr(codec, "decode", lambda *_: as_picture(other))
    with pytest.raises(VerificationError, match="does not decode to the image; please report this"):
        fdcodec.encode(IMAGE, lossless=lossless, verify=True)


@pytest.mark.parametrize("lossless", [False, True])
def test_threads_do_not_change_the_samples(lossless):
    """Whole pictures and regions decode to the same samples in any number of threads."""
    data = fdcodec.encode(IMAGE, tile=16, lossless=lossless)
    for threads in (0, 2, 5):
        assert np.array_equal(fdcodec.decode(data, threads=threads), fdcodec.decode(data))
        part = fdcodec.decode_region(data, (3, 5, 20, 14), threads=threads)
        assert np.array_equal(part, fdcodec.decode(data)[5:19, 3:23])


@pytest.mark.parametrize(("shape", "tile"), [((64, 96), 32), ((64, 96), None), ((272, 256), None)])
def test_threads_do_not_change_the_file(shape, tile):
    """The bytes are the same with one thread and with four: over tiles, over finalists, over samples of each model."""
    image = photo(*shape)
    assert fdcodec.encode(image, tile=tile, threads=4) == fdcodec.encode(image, tile=tile, threads=1)


def test_public_names():
    """The face of the package is what its documentation lists."""
    assert set(fdcodec.__all__) <= set(dir(fdcodec))
    for name in fdcodec.__all__:
        assert getattr(fdcodec, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        fdcodec.nothing  # noqa: B018


@pytest.mark.parametrize("options", [{"lossless": True}, {"quality": 50}])
@pytest.mark.parametrize("name", ["exif", "xmp", "icc"])
def test_metadata_above_the_limit_are_refused_before_the_work(name, options, monkeypatch):
    """No sample is coded for a file that cannot hold a block; the message says how to leave that out."""
    monkeypatch.setattr(codec, "_over_tiles", None)
    with pytest.raises(LimitError, match=rf"^{name.upper()} of 16777217 bytes .* by --metadata or {name}=b\"\"$"):
        fdcodec.encode(IMAGE, **options, **{name: bytes(MAX_METADATA_BYTES + 1)})
