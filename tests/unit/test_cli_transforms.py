"""The command line: class models listed, shown and exported."""

import json
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.images import noise

import fdcodec
from fdcodec import model
from fdcodec.model import ClassModel
from fdcodec.model.body import GroupTransform


def test_transforms_are_listed_and_shown(cli):
    """Every installed model is listed by name and hash, and shown with what it holds."""
    listed = [json.loads(line) for line in cli("transforms", "list", "--json").out.splitlines()]
    assert [facts["name"] for facts in listed] == model.names()
    shown = json.loads(cli("transforms", "show", "dct").out)
    assert (shown["hash"], shown["rotations"]) == (model.get("dct").hash.hex(), 0)
    header, *lines = cli("transforms", "list").out.decode().splitlines()
    assert header.split() == ["name", "hash", "rotations", "bytes"]
    columns = {name: [hash_, int(rotations), int(size)] for name, hash_, rotations, size in map(str.split, lines)}
    assert columns["dct"] == [shown["hash"][:16], 0, shown["embedded_bytes"]]
    assert cli("transforms").out == cli("transforms", "list").out


def test_show_tells_what_a_model_holds(cli):
    """Of a model of one's own its rotations, learned modes, start states, filter, and the bytes in a file are told."""
    pairs, orders = np.array([[0, 1], [1, 2]], np.uint8), (np.arange(64, dtype=np.uint8), np.arange(32, dtype=np.uint8))
    transforms = {
        (1, 10): GroupTransform(pairs, np.array([7, 9], np.uint16), orders[0]),
        (4, 9): GroupTransform(pairs[:1], np.array([7], np.uint16), orders[1]),
    }
    own = replace(model.get("photo"), transforms=transforms, start_states=None)
    own = replace(own, learned=own.learned[:1], recipe={"parent": model.get("photo").hash.hex()})
    own.save("mine.fdt")
    shown = json.loads(cli("transforms", "show", "mine.fdt").out)
    file = fdcodec.info(fdcodec.encode(noise(8, 8, 1, seed=1), transform=own))
    assert {name: shown[name] for name in ("name", "hash", "embedded_bytes", "rotations", "learned_modes")} == {
        "name": "mine",
        "hash": own.hash.hex(),
        "embedded_bytes": file["transform_bytes"],
        "rotations": 3,
        "learned_modes": 1,
    }
    assert shown["rotations_by_block"] == {"8x8 learned mode 0": 2, "8x4 group 9": 1}
    assert (shown["start_states"], shown["filter"]) == (False, list(own.filters.shape))
    ClassModel("plain").save("plain.fdt")
    assert json.loads(cli("transforms", "show", "plain.fdt").out)["filter"] is None


def test_show_of_a_preset_tells_the_bytes_of_all_of_it(cli):
    """A preset is in no file but as a whole, where --embed asks for it, though it was learned from another one."""
    shown = json.loads(cli("transforms", "show", "cartoon").out)
    file = fdcodec.info(fdcodec.encode(noise(8, 8, 1, seed=1), transform="cartoon", embed=True))
    assert (shown["embedded_bytes"], shown["start_states"]) == (file["transform_bytes"], True)


def test_files_that_no_name_finds_are_told(cli, monkeypatch):
    """A model whose name is a preset's, or that of a model in a directory before, is named beside the list."""
    ClassModel("small").save("small.fdt")
    for path in ("one/photo.fdt", "one/mine.fdt", "two/mine.fdt"):
        Path(path).parent.mkdir(exist_ok=True)
        Path(path).write_bytes(Path("small.fdt").read_bytes())
    monkeypatch.setenv("FDCODEC_MODEL_PATH", os.pathsep.join(["one", "two"]))
    result = cli("transforms", "list")
    told = [line.split(": ")[1] for line in result.err.splitlines() if "rename the file" in line]
    assert (result.code, told) == (0, ["one/photo.fdt", "two/mine.fdt"])


def test_models_that_auto_took_are_told(cli):
    """After many files `auto` tells which models it took, the most frequent first; not after few, nor without loss."""
    for k in range(7):
        Image.fromarray(noise(9, 9, 1, seed=k)[:, :, 0]).save(f"{k}.png")
    files = [f"{k}.png" for k in range(7)]
    result = cli("encode", *files, "--json")
    names = [json.loads(line)["transform_name"] for line in result.out.splitlines()]
    listed = ", ".join(f"{name} for {count}" for name, count in Counter(names).most_common())
    assert f"note: auto took {listed}; naming one with -t encodes faster\n" in result.err
    for options in (files[:6], [*files, "-t", "photo"], [*files, "--lossless"]):
        result = cli("encode", *options, "--force")
        assert (result.code, "auto took" in result.err) == (0, False)


def test_exported_transform_is_the_same_model(cli):
    """An exported model encodes to the bytes of the installed one, by hash or embedded."""
    assert cli("transforms", "export", "dct", "-o", "mine.fdt").code == 0
    assert ClassModel.load("mine.fdt").hash == model.get("dct").hash
    assert cli("encode", "a.png", "-t", "mine.fdt", "-o", "x.fdc").code == 0
    assert cli("encode", "a.png", "-t", "dct", "-o", "y.fdc").code == 0
    assert Path("x.fdc").read_bytes() == Path("y.fdc").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "output"), [((), "dct.fdt"), (("x.fdt",), "x.fdt"), (("-o", "x.fdt"), "x.fdt")], ids=str
)
def test_export_writes_where_encode_would(cli, arguments, output):
    """The output is the last name or that of -o, else the model's own name."""
    assert cli("transforms", "export", "dct", *arguments).code == 0
    assert [path.name for path in Path().glob("*.fdt")] == [output]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("x.fdt", "-o", "y.fdt"), "x.fdt and -o y.fdt are two outputs of one model"),
        (("photo",), "--output: photo is no name that ends in .fdt"),
        (("-o", "x.txt"), "--output: x.txt is no name that ends in .fdt"),
        ((".fdt",), "--output: .fdt is no name that ends in .fdt"),
        (("",), "the path is empty"),
    ],
    ids=str,
)
def test_export_refuses_what_is_no_output(cli, arguments, message):
    """Two outputs, and a name by which no model is found, are usage errors and write nothing."""
    before = set(Path().iterdir())
    result = cli("transforms", "export", "dct", *arguments)
    assert (result.code, message in result.err, set(Path().iterdir())) == (2, True, before)


def test_export_keeps_what_is_there_without_force(cli):
    """An existing output is refused, and replaced with --force."""
    Path("x.fdt").write_bytes(b"precious")
    result = cli("transforms", "export", "dct", "x.fdt")
    assert (result.code, Path("x.fdt").read_bytes()) == (1, b"precious")
    assert "x.fdt exists; add --force to replace it" in result.err
    assert cli("transforms", "export", "dct", "x.fdt", "-f").code == 0
    assert ClassModel.load("x.fdt").hash == model.get("dct").hash
