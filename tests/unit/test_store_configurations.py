"""What stores keep of the codecs: their configuration, which is checked, and how they are found."""

import json
import re
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
from tests.images import ramp

from fdcodec.errors import ParameterError
from fdcodec.integrations.stores import StoreCodec

numcodecs = pytest.importorskip("numcodecs")
zarr = pytest.importorskip("zarr", minversion="3.1")

from fdcodec.integrations.numcodecs import FdcCodec as NumcodecsCodec  # noqa: E402 -- what it needs may be missing
from fdcodec.integrations.zarr import FdcCodec as ZarrCodec  # noqa: E402

ROOT = Path(__file__).parents[2]
GRAY = ramp(40, 48, 1)[:, :, 0]


@pytest.fixture(autouse=True, scope="module")
def registered():
    """Register by hand what an installed package registers by its entry points."""
    numcodecs.register_codec(NumcodecsCodec)
    zarr.registry.register_codec("fdcodec", ZarrCodec)


@pytest.mark.parametrize(
    ("configuration", "told"),
    [({"qualty": 60}, "configuration: 'qualty' is not one of quality, .*tune;"), ({"effort": "5"}, "effort: '5' is")],
)
def test_metadata_that_describe_no_codec_are_told(configuration, told):
    """A store whose metadata have a key that there is not, or a value of another kind, is an error that names it."""
    with pytest.raises(ParameterError, match=told):
        ZarrCodec.from_dict({"name": "fdcodec", "configuration": configuration})
    with pytest.raises(ParameterError, match=told):
        numcodecs.get_codec({"id": "fdcodec", **configuration})


@pytest.mark.parametrize("configuration", [None, [], 5])
def test_configuration_that_is_no_object_is_told(configuration):
    """A store whose metadata have something else in the place of the configuration is an error that says so."""
    with pytest.raises(ParameterError, match=r"configuration: .* is no object"):
        ZarrCodec.from_dict({"name": "fdcodec", "configuration": configuration})


@pytest.mark.parametrize("options", [{}, {"quality": 60.5, "transform": "photo", "embed": False, "tune": "visual"}])
def test_configurations_are_json(options):
    """Both codecs come back from the JSON of their configuration."""
    codec = NumcodecsCodec(**options)
    assert numcodecs.get_codec(json.loads(json.dumps(codec.get_config()))) == codec
    serializer = ZarrCodec(**options)
    assert ZarrCodec.from_dict(json.loads(json.dumps(serializer.to_dict()))) == serializer
    assert ZarrCodec.from_dict({"name": "fdcodec"}) == ZarrCodec()


@pytest.mark.parametrize(
    "options", [{"quality": 101}, {"quality": 5, "bpp": 1}, {"effort": 0}, {"embed": 3}, {"transform": Path("a.fdt")}]
)
def test_wrong_options_are_refused_at_once(options):
    """A codec with an argument outside what is allowed is not made, from the metadata of a store neither."""
    for make in (lambda given: StoreCodec(**given), StoreCodec.of_store):
        with pytest.raises(ParameterError, match=f"^{list(options)[-1]}|^quality"):
            make(options)


@pytest.mark.parametrize("version", [2, 3])
def test_arguments_of_the_document(version):
    """With the import and the arguments that the document names for a version, zarr makes a store of that version."""
    row = re.search(rf"^\| version {version} \| `(.+)`, after `(.+)` \|$", (ROOT / "docs/python.md").read_text(), re.M)
    names = {"zarr": zarr, "GRAY": GRAY}
    exec(row.group(2), names)
    array = eval(f"zarr.create_array({{}}, data=GRAY, {row.group(1)})", names)
    assert array.metadata.zarr_format == version
    assert np.abs(array[:].astype(int) - GRAY).max() < 32


@pytest.mark.parametrize(
    ("group", "codec"), [("numcodecs.codecs", NumcodecsCodec), ("zarr.codecs", ZarrCodec)], ids=str
)
def test_entry_points(group, codec):
    """The package tells numcodecs and zarr where their codecs are, by the name that stores keep."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert EntryPoint("fdcodec", project["entry-points"][group]["fdcodec"], group).load() is codec
    assert NumcodecsCodec.codec_id == ZarrCodec().to_dict()["name"] == "fdcodec"
