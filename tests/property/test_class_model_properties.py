"""Properties of class models over their whole domain."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import class_models

from fdcodec.errors import FdcError, FormatError
from fdcodec.model import ClassModel
from fdcodec.model.body import build_body, parse_body


def contents(model):
    """Return what a model does, as plain values."""
    transforms = {key: [part.tolist() for part in transform] for key, transform in model.transforms.items()}
    parts = [None if part is None else part.tolist() for part in (model.start_states, model.filters)]
    learned = [(*mode[:3], mode.weights.tolist()) for mode in model.learned]
    return [transforms, *parts, learned]


@settings(max_examples=40, deadline=None)
@given(class_models())
def test_bytes_give_the_model_back(model):
    """A model read from its bytes does the same and has the same identity."""
    read = ClassModel.from_bytes(model.to_bytes())
    assert contents(model) == contents(read)
    assert model.hash == read.hash


@settings(max_examples=20, deadline=None)
@given(class_models())
def test_file_gives_the_model_back(model):
    """A saved model comes back with its recipe, called as its file is."""
    with TemporaryDirectory() as directory:
        model.save(f"{directory}/a.fdt")
        read = ClassModel.load(f"{directory}/a.fdt")
    assert (read.name, read.recipe, read.hash) == ("a", model.recipe, model.hash)
    assert contents(model) == contents(read)


@settings(max_examples=60, deadline=None)
@given(class_models(), st.data())
def test_damaged_bodies_are_refused_or_are_models(model, data):
    """Canonical bytes with a changed byte, or cut, are refused or those of another model, and nothing else."""
    body = bytearray(model.canonical)
    place = data.draw(st.integers(0, min(len(body), 300) - 1))
    body[place] ^= data.draw(st.integers(1, 255))
    end = data.draw(st.sampled_from([len(body), place]))
    try:
        parts = parse_body(bytes(body[:end]))
    except FormatError:
        return
    assert bytes(body[:end]) == build_body(*parts)
    assert ClassModel("damaged", *parts).hash != model.hash


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=80))
def test_any_bytes_are_refused_or_are_a_model(data):
    """Any bytes give a model whose canonical bytes they are, or a FormatError, and nothing else."""
    try:
        parts = parse_body(data)
    except FormatError:
        return
    assert data == build_body(*parts)


@settings(max_examples=30, deadline=None)
@given(class_models(), st.data())
def test_damaged_files_are_refused(model, data):
    """An `.fdt` file with a changed byte, or cut, or with more bytes, is refused."""
    with TemporaryDirectory() as directory:
        path = Path(directory) / "a.fdt"
        model.save(path)
        good = path.read_bytes()
        place = data.draw(st.integers(0, len(good) - 1))
        changed = good[:place] + bytes([good[place] ^ data.draw(st.integers(1, 255))]) + good[place + 1 :]
        for bad in (changed, good[:place], good + b"\0"):
            path.write_bytes(bad)
            with pytest.raises(FdcError):
                ClassModel.load(path)
