"""Class models of one's own in the codecs of array stores: what they cost, and where they are missing."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from tests.images import ramp

from fdcodec.coding.contexts import N_CONTEXTS
from fdcodec.errors import EmbeddingWarning, TransformNotFoundError
from fdcodec.model import ClassModel

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


def stored(codec):
    """Return a store of an array in the version of zarr that a codec is for."""
    version_2 = isinstance(codec, NumcodecsCodec)
    options = {"zarr_format": 2, "compressors": codec} if version_2 else {"serializer": codec, "compressors": None}
    store = zarr.storage.MemoryStore()
    zarr.create_array(store, data=GRAY, chunks=GRAY.shape, **options)
    return store


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
        for quiet in ({"transform": own, "embed": True}, {"transform": own, "embed": False}, {"transform": "dct"}):
            codec(**quiet)


@codecs
@pytest.mark.parametrize(("transform", "error"), [("phto", TransformNotFoundError), ("no.fdt", FileNotFoundError)])
def test_model_that_is_not_there_is_told_at_once(codec, transform, error):
    """A codec is not made with a class model that its first chunk would not find."""
    with pytest.raises(error):
        codec(transform=transform)


@codecs
@pytest.mark.parametrize("embed", [True, False])
def test_store_is_read_by_what_its_chunks_name(codec, embed, own):
    """A store opens without the file of its model, in silence, and is read if chunks carry the model, else says so."""
    store = stored(codec(transform=own, embed=embed))
    Path(own).unlink()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        array = zarr.open_array(store, mode="r+")
    if embed:
        assert array[:].shape == GRAY.shape
    else:
        with pytest.raises(TransformNotFoundError, match="the file needs the class model"):
            array[:]
    with pytest.raises(FileNotFoundError, match=r"no file .*mine\.fdt"):
        array[:] = GRAY
