"""What the modules for other libraries say where these are not installed."""

import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


@pytest.mark.parametrize(
    ("name", "missing"), [("dask", "dask.base"), ("numcodecs", "numcodecs.abc"), ("zarr", "zarr.abc.codec")]
)
def test_missing_package_is_told_with_its_extra(name, missing, monkeypatch):
    """The error of an import is still one of a missing module, and names the extra that brings it."""
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, f"fdcodec.integrations.{name}", raising=False)
    with pytest.raises(
        ModuleNotFoundError, match=rf"{missing}.*; install it with pip install -e '\.\[{name}\]'"
    ) as told:
        import_module(f"fdcodec.integrations.{name}")
    assert told.value.name == missing
    assert name in tomllib.loads(PYPROJECT.read_text())["project"]["optional-dependencies"]
