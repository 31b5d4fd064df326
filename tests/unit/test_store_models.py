"""Class models of one's own in the codecs of array stores: what they cost, and where they are missing."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.images import ramp

import fdcodec
from fdcodec.errors import EmbeddingWarning, TransformNotFoundError
from fdcodec.format.contexts import N_CONTEXTS
from fdcodec.model import ClassModel, get
from fdcodec.model.embedding import embedded

numcodecs = pytest.importorskip("numcodecs")
zarr = pytest.importorskip("zarr", minversion="3.1")

from fdcodec.integrations.numcodecs import FdcCodec as NumcodecsCodec  # noqa: E402 -- what it needs may be missing
from fdcodec.integrations.zarr import FdcCodec as ZarrCodec  # noqa: E402

GRAY = ramp(40, 48, 1)[:, :, 0]
codecs = pytest.mark.parametrize("codec", [NumcodecsCodec, ZarrCodec], ids=["numcodecs", "zarr"])


@pytest.fixture(autouse=True, scope="module")
def registered():
    """Register by hand what an installed package registers by its entry points."""
    numcodecs.register_codec(NumcodecsCodec)
    zarr.registry.register_codec("fdcodec", ZarrCodec)


def made(codec):
    """Return an array in a store, in the version of zarr that a codec is for."""
    version_2 = isinstance(codec, NumcodecsCodec)
    options = {"zarr_format": 2, "compressors": codec} if version_2 else {"serializer": codec, "compressors": None}
    return zarr.create_array(zarr.storage.MemoryStore(), data=GRAY, chunks=GRAY.shape, **options)


def coded(transform):
    """Return what the image of the array decodes to, coded by itself with a class model."""
    return fdcodec.decode(fdcodec.encode(GRAY, transform=transform, embed=True))


@pytest.fixture
def own(tmp_path):
    """Return the path of a class model that is no preset."""
    ClassModel("mine", start_states=np.full((N_CONTEXTS, 2), 7, np.uint8)).save(tmp_path / "mine.fdt")
    return str(tmp_path / "mine.fdt")


@codecs
def test_model_in_each_chunk_is_told(codec, own):
    """A codec with a model of one's own tells what each chunk carries, unless `embed` is given."""
    with pytest.warns(EmbeddingWarning, match=rf"{len(ClassModel.load(own).to_bytes())} bytes of each chunk") as told:
        codec(transform=own)
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for quiet in ({"transform": own, "embed": True}, {"transform": "dct"}, {"transform": "dct", "embed": False}):
            codec(**quiet)


@codecs
def test_model_that_is_nowhere_found_is_told(codec, own, monkeypatch):
    """With embed=False a model outside FDCODEC_MODEL_PATH has a warning, and one inside has none."""
    with pytest.warns(
        EmbeddingWarning, match=r"class model .*mine\.fdt is not installed, .* a directory .*FDCODEC_MODEL_PATH"
    ) as told:
        codec(transform=own, embed=False)
    assert told[0].filename == __file__
    monkeypatch.setenv("FDCODEC_MODEL_PATH", str(Path(own).parent))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        codec(transform=own, embed=False)


@codecs
@pytest.mark.filterwarnings("ignore::fdcodec.errors.EmbeddingWarning")
def test_codec_keeps_its_own_model(codec, own):
    """The array that was made with a model reads and writes chunks that only name it, wherever its file is by then."""
    array, expected = made(codec(transform=own, embed=False)), coded(own)
    Path(own).unlink()
    array[:] = GRAY // 2
    array[:] = GRAY
    np.testing.assert_array_equal(array[:], expected)


@codecs
@pytest.mark.filterwarnings("ignore::fdcodec.errors.EmbeddingWarning")
def test_model_learned_from_a_preset_is_in_chunks_as_differences(codec, tmp_path):
    """Chunks hold what a model differs in from its parent, and are read without its file."""
    photo = get("photo")
    child = replace(photo, filters=None, recipe={"parent": photo.hash.hex()})
    child.save(tmp_path / "child.fdt")
    array = made(codec(transform=str(tmp_path / "child.fdt")))
    (tmp_path / "child.fdt").unlink()
    embedded.cache_clear()
    assert max(map(len, (value.to_bytes() for value in array.store._store_dict.values()))) < len(child.to_bytes()) // 10
    np.testing.assert_array_equal(zarr.open_array(array.store)[:], coded(child))


@codecs
def test_wrong_argument_is_told_of_the_codec(codec):
    """The error of an argument that there is not names the class that users wrote."""
    with pytest.raises(TypeError, match=r"^FdcCodec\.__init__\(\) got an unexpected keyword argument 'foo'"):
        codec(foo=1)


@codecs
@pytest.mark.parametrize("transform", ["phto", "no.fdt"])
def test_model_that_is_not_there_is_told_at_once(codec, transform):
    """A codec is not made with a class model that its first chunk would not find."""
    with pytest.raises(TransformNotFoundError):
        codec(transform=transform)


@codecs
@pytest.mark.parametrize("embed", [True, False])
@pytest.mark.filterwarnings("ignore::fdcodec.errors.EmbeddingWarning")
def test_store_is_read_by_what_its_chunks_name(codec, embed, own):
    """A store opens without the file of its model, in silence, and is read if chunks carry the model, else says so."""
    store, expected = made(codec(transform=own, embed=embed)).store, coded(own)
    Path(own).unlink()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        array = zarr.open_array(store, mode="r+")
    if embed:
        np.testing.assert_array_equal(array[:], expected)
    else:
        with pytest.raises(
            TransformNotFoundError,
            match=r"the file needs the class model .*a store looks only in FDCODEC_MODEL_PATH, .*mine",
        ):
            array[:]
    with pytest.raises(TransformNotFoundError, match=r"no file .*mine\.fdt; .* written with transform=.* directory"):
        array[:] = GRAY


def test_store_whose_model_has_no_file_here_is_not_written():
    """A codec of a store that names a model which is not known says so, and what the store is written with."""
    codec = NumcodecsCodec.from_config({"transform": "nowhere"})
    with pytest.raises(TransformNotFoundError, match=r"nowhere.* is not known.*written with transform='nowhere'"):
        codec.encode(GRAY)


def test_codec_of_a_store_keeps_the_model_that_it_writes_with(own):
    """It has one warning of a model that is nowhere found when it first writes, and reads what it wrote."""
    codec = NumcodecsCodec.from_config({"transform": own, "embed": False})
    with pytest.warns(EmbeddingWarning, match=r"class model .*mine\.fdt is not"):
        data = codec.encode(GRAY)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        codec.encode(GRAY)
    np.testing.assert_array_equal(codec.decode(data), coded(own))


@pytest.mark.parametrize("embed", [np.False_, False])
def test_encode_with_a_model_that_is_nowhere_found_is_told(own, embed, monkeypatch):
    """`encode` with embed=False warns of a model outside FDCODEC_MODEL_PATH, by its name or path, of no other."""
    for transform, called in ((own, r".*mine\.fdt"), (ClassModel.load(own), "mine")):
        with pytest.warns(EmbeddingWarning, match=rf"^embed: class model {called} is not installed") as told:
            fdcodec.encode(GRAY, transform=transform, embed=embed)
        assert told[0].filename == __file__
    monkeypatch.setenv("FDCODEC_MODEL_PATH", str(Path(own).parent))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for transform in (own, "dct", "auto"):
            fdcodec.encode(GRAY, transform=transform, embed=embed)
