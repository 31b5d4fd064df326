"""The command line with class models that are not installed."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from click.shell_completion import ShellComplete

from fdcodec.cli.main import fdcodec_group
from fdcodec.format import contexts as ctx
from fdcodec.model import ClassModel, get


def test_warning_of_an_absent_model_says_where_to_install_it(cli, monkeypatch):
    """The warning names a directory of FDCODEC_MODEL_PATH, or how to name one; none comes once the model is there."""
    ClassModel("mine", start_states=np.full((ctx.N_CONTEXTS, 2), 7, np.uint8)).save("mine.fdt")
    Path("models").mkdir()
    command = ("encode", "a.png", "-t", "mine.fdt", "--no-embed", "-f")
    monkeypatch.delenv("FDCODEC_MODEL_PATH", raising=False)
    assert "copy it to a directory, and name that in FDCODEC_MODEL_PATH." in cli(*command).err
    monkeypatch.setenv("FDCODEC_MODEL_PATH", "models")
    assert "copy it to models." in cli(*command).err
    Path("models/mine.fdt").write_bytes(Path("mine.fdt").read_bytes())
    assert "warning" not in cli(*command).err


@pytest.mark.parametrize(
    "words",
    [
        ("encode", "-t"),
        ("encode", "a.png", "--transform"),
        ("decode", "-t"),
        ("check", "-t"),
        ("learn", "--parent"),
        ("transforms", "show"),
        ("transforms", "export"),
    ],
)
def test_names_of_class_models_are_completed(cli, monkeypatch, words):
    """A shell is offered presets and models of FDCODEC_MODEL_PATH wherever a model is named, and paths before them."""
    Path("models").mkdir()
    ClassModel("photos-of-mine").save("models/photos-of-mine.fdt")
    monkeypatch.setenv("FDCODEC_MODEL_PATH", "models")
    complete = ShellComplete(fdcodec_group, {}, "fdcodec", "_FDCODEC_COMPLETE").get_completions
    offered = [(item.type, item.value) for item in complete(list(words), "pho")]
    assert offered == [("file", "pho"), ("plain", "photo"), ("plain", "photos-of-mine")]


@pytest.mark.parametrize("name", [b"pho\nto.fdt", b"pho\xff.fdt"])
def test_names_that_no_shell_could_take_are_not_completed(cli, monkeypatch, name):
    """A name of two lines, or that is not UTF-8, does not keep the others from being completed."""
    Path("models").mkdir()
    ClassModel("any").save(Path("models") / os.fsdecode(name))
    monkeypatch.setenv("FDCODEC_MODEL_PATH", "models")
    complete = ShellComplete(fdcodec_group, {}, "fdcodec", "_FDCODEC_COMPLETE").get_completions
    assert [item.value for item in complete(["encode", "-t"], "pho")] == ["pho", "photo"]


def test_names_of_a_list_of_class_models_are_completed():
    """Of names with commas between them the last is completed."""
    complete = ShellComplete(fdcodec_group, {}, "fdcodec", "_FDCODEC_COMPLETE").get_completions
    offered = complete(["compare", "a.png", "--transforms"], "dct,pho")
    assert [item.value for item in offered] == ["dct,photo"]


def test_model_that_is_not_installed(cli):
    """Encoding without the model warns first; decoding needs the model's file."""
    ClassModel("mine", start_states=np.full((ctx.N_CONTEXTS, 2), 7, np.uint8)).save("mine.fdt")
    assert "warning: keep mine.fdt: it is not installed" in cli("encode", "a.png", "-t", "mine.fdt", "--no-embed").err
    assert cli("decode", "a.fdc", "-o", "b.npy").code == 3
    assert cli("decode", "a.fdc", "-o", "b.npy", "-t", "mine.fdt").code == 0
    for command in (("decode", "a.fdc", "-o", "c.npy"), ("check", "a.fdc")):
        assert "give its .fdt file as `transform` (-t)" in cli(*command).err
    assert cli("check", "a.fdc", "-t", "mine.fdt").code == 0


def test_model_is_read_once_for_many_images(cli, monkeypatch):
    """Of several inputs the class model's file is read once, and not for each of them."""
    ClassModel("mine", start_states=np.full((ctx.N_CONTEXTS, 2), 7, np.uint8)).save("mine.fdt")
    for k in range(3):
        Path(f"{k}.png").write_bytes(Path("a.png").read_bytes())
    load, read = ClassModel.load, []
    monkeypatch.setattr(ClassModel, "load", lambda path: read.append(path.name) or load(path))
    assert cli("encode", *(f"{k}.png" for k in range(3)), "-t", "mine.fdt", "--no-embed", "-e", "1").code == 0
    assert read.count("mine.fdt") == 1


def test_model_that_many_files_miss_has_its_places_told_once(cli):
    """Many files whose class model is not here have a short reason each; where it was searched for is told once."""
    ClassModel("mine", start_states=np.full((ctx.N_CONTEXTS, 2), 7, np.uint8)).save("mine.fdt")
    cli("encode", "a.png", "-t", "mine.fdt", "--no-embed", "-e", "1")
    for k in range(8):
        Path(f"{k}.fdc").write_bytes(Path("a.fdc").read_bytes())
    result = cli("check", *(f"{k}.fdc" for k in range(8)))
    assert (result.code, result.err.count("which is not here\n"), result.err.count("presets: give its")) == (1, 8, 1)


@pytest.mark.parametrize("command", [("decode", "a.fdc", "-o", "b.npy"), ("check", "a.fdc")])
def test_model_that_is_another_than_the_file_names(cli, command):
    """Both hashes are told, as `transforms list` and `info` show them, and the option that takes the right one."""
    model = ClassModel("mine", start_states=np.full((ctx.N_CONTEXTS, 2), 7, np.uint8))
    model.save("mine.fdt")
    assert cli("encode", "a.png", "-t", "mine.fdt", "--no-embed").code == 0
    named = json.loads(cli("info", "a.fdc", "--json").out)["transform_hash"][:16]
    result = cli(*command, "-t", "dct")
    assert (result.code, model.hash.hex().startswith(named)) == (3, True)
    facts = f"--transform: the class model dct has the hash {get('dct').hash.hex()[:16]}, but the file names {named},"
    assert facts in result.err
    assert "give the .fdt file that it was encoded with" in result.err


def test_cost_of_an_embedded_model_is_noted_once(cli):
    """What the model takes of each file is said once a command, and only where nobody asked for it."""
    model = ClassModel("mine", start_states=np.full((ctx.N_CONTEXTS, 2), 7, np.uint8))
    model.save("mine.fdt")
    Path("b.png").write_bytes(Path("a.png").read_bytes())
    command = ("encode", "a.png", "b.png", "-f", "-t")
    notes = [line for line in cli(*command, "mine.fdt").err.splitlines() if "class model" in line]
    assert len(notes) == 1
    assert notes[0].startswith(f"note: {len(model.to_bytes())} bytes of each file are its class model; --no-embed")
    for options in (("mine.fdt", "--embed"), ("mine.fdt", "--no-embed"), ("dct",)):
        assert "bytes of each file" not in cli(*command, *options).err
    assert cli(*command, "mine.fdt", "--quiet").err == ""
    assert "bytes of each file" not in cli("encode", "a.png", "-t", "mine.fdt").err  # whose output exists, and is kept


def test_file_that_is_no_model_is_told(cli):
    """An existing file given as a class model is not taken for the name of one."""
    assert "transform: a.png is not an .fdt file" in cli("encode", "a.png", "-t", "a.png").err.replace("--", "")


def test_learned_model_must_end_in_fdt(cli):
    """A name by which the model could not be used is refused before the images are read."""
    result = cli("learn", "broken.png", "-o", "scans.txt")
    assert (result.code, "scans.txt is no name that ends in .fdt" in result.err) == (2, True)


def test_images_none_of_which_can_be_read_are_failed_inputs(cli):
    """Where no image is left to learn from, that is told of each, with exit code 1."""
    Path("broken.png").write_bytes(b"no image")
    result = cli("learn", "broken.png", "-o", "new.fdt")
    assert (result.code, result.err.count("\n"), "broken.png" in result.err) == (1, 1, True)


def test_parent_is_looked_for_before_the_images_are_read(cli):
    """A parent that is not there is told at once, not after a thousand pictures."""
    Path("broken.png").write_bytes(b"no image")
    result = cli("learn", "broken.png", "-o", "new.fdt", "--parent", "none-such")
    assert (result.code, "broken.png" in result.err) == (3, False)
    assert "fdcodec: --parent: class model 'none-such' is not known" in result.err


def test_file_of_the_name_that_was_given_is_suggested(cli):
    """A name that no model has, and a file in the current directory does, is asked after."""
    ClassModel("mine").save("mine.fdt")
    assert "did you mean the file mine.fdt?" in cli("encode", "a.png", "-t", "mine").err
    assert "did you mean" not in cli("encode", "a.png", "-t", "yours").err


def test_name_that_is_nearly_right_is_suggested(cli):
    """A name that is like one of a model is asked after, and the message begins with what the help calls it."""
    result = cli("transforms", "show", "maps")
    assert (result.code, "fdcodec: NAME: class model 'maps' is not known; known are" in result.err) == (3, True)
    assert "; did you mean map? Or give" in result.err


def test_unknown_model_is_told_with_where_models_are_sought(cli, monkeypatch):
    """The message ends with what to do, names the variable, and what it names that is no directory, and only that."""
    told = "; give the path of its .fdt file, or set FDCODEC_MODEL_PATH to the directory of that\n"
    assert cli("encode", "a.png", "-t", "xyzzy").err.endswith(told)
    Path("there").mkdir()
    monkeypatch.setenv("FDCODEC_MODEL_PATH", os.pathsep.join(["there", "nowhere"]))
    assert cli("encode", "a.png", "-t", "xyzzy").err.endswith(f"; nowhere in FDCODEC_MODEL_PATH is no directory{told}")
    monkeypatch.setenv("FDCODEC_MODEL_PATH", "there")
    assert "no directory" not in cli("encode", "a.png", "-t", "xyzzy").err


@pytest.mark.parametrize("command", [("encode",), ("learn",), ("transforms",)])
def test_helps_name_where_models_are_sought(cli, command):
    """Who looks for class models finds the variable in the help."""
    assert b"FDCODEC_MODEL_PATH" in cli(*command, "--help").out


@pytest.mark.parametrize(
    "command",
    [
        ("encode", "a.png", "-t"),
        ("decode", "a.fdc", "-t"),
        ("check", "a.fdc", "-t"),
        ("transforms", "show"),
        ("learn", "a.png", "-o", "new.fdt", "--parent"),
    ],
)
def test_model_file_that_is_not_there_is_a_missing_model(cli, command):
    """A path without a file is said to be one, of every command that takes a class model, with the code of a name."""
    result = cli(*command, "missing.fdt")
    assert (result.code, "there is no file missing.fdt; check the path" in result.err) == (3, True)
