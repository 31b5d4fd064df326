"""The command line: what `info` tells of a file."""

import json
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.images import photo

import fdcodec
from fdcodec import container
from fdcodec.errors import ChecksumError, FormatError, ParameterError, PartialWarning
from fdcodec.format.constants import PARENT_BYTES
from fdcodec.format.contexts import N_CONTEXTS
from fdcodec.format.parameters import Parameters
from fdcodec.model import ClassModel, get
from fdcodec.model.relative import build_relative

HEADER = container.Header(4, 4, 3, parameters=Parameters(246).to_bytes())


def test_info_as_text(cli, encoded):
    """`info` writes the facts to stdout."""
    out = cli("info", "a.fdc").out.decode()
    assert "width             40" in out
    assert "FHDR" in out


def test_info_leaves_out_what_is_not_there(cli, encoded):
    """As text, `info` has no rows for what a file does not have; as JSON they are null."""
    assert cli("encode", "a.png", "b.fdc", "--lossless").code == 0
    for name in ("a.fdc", "b.fdc"):
        facts = json.loads(cli("info", name, "--json").out)
        rows = [line[2:20].strip().replace(" ", "_") for line in cli("info", name).out.decode().splitlines()[1:]]
        absent = {key for key, value in facts.items() if value is None}
        assert set(rows) == set(facts) - absent - {"input", "summary"}
        assert absent >= {"tile_size", "pixel_hash"}


@pytest.mark.parametrize(
    ("step_index", "adaptive", "quality"),
    [(246, False, 75), (235, True, 75), (168, False, 100), (157, True, 100), (157, False, None), (0, True, None)],
)
def test_info_shows_a_quality_that_gives_the_step(cli, step_index, adaptive, quality):
    """The quality is what encodes with that step again; of files that no quality gives, and without loss, none."""
    header = container.Header(4, 4, 3, parameters=Parameters(step_index, adaptive=adaptive).to_bytes())
    Path("a.fdc").write_bytes(container.write(container.File(header, [b"x"], model_ref=bytes(4))))
    assert json.loads(cli("info", "a.fdc", "--json").out)["quality"] == quality
    row = f"  quality           {quality}\n"
    assert (row in cli("info", "a.fdc").out.decode()) == (quality is not None)


def test_bits_without_elements_have_no_table_of_them(cli):
    """Of a file without loss only its parts are counted, and no heading stands over nothing."""
    Path("a.fdc").write_bytes(container.write(container.File(container.Header(4, 4, 3, lossless=True), [b"x"])))
    out = cli("info", "a.fdc", "--bits").out.decode()
    assert ("part bits" in out, "element bits" in out) == (True, False)


@pytest.mark.parametrize(("step_index", "step"), [(0, 0.0625), (128, 1.0), (252, 14.6721)])
def test_info_shows_the_step_in_sample_values(cli, step_index, step):
    """A step is 2^(index / 32 - 4) sample values (clause 4.3)."""
    header = container.Header(4, 4, 3, parameters=Parameters(step_index).to_bytes())
    Path("a.fdc").write_bytes(container.write(container.File(header, [b"x"], model_ref=bytes(4))))
    assert json.loads(cli("info", "a.fdc", "--json").out)["quantization_step"] == step
    assert f"quantization step {step}\n" in cli("info", "a.fdc").out.decode()


@pytest.mark.parametrize("metadata", ["none", "all"], ids=["of 4 bytes", "of 16 bytes"])
def test_info_shows_the_hash_as_transforms_does(cli, metadata):
    """A class model that is here has its whole hash in JSON, as by `transforms`, and 16 digits as text."""
    assert cli("encode", "a.png", "-t", "dct", "--metadata", metadata).code == 0
    assert json.loads(cli("info", "a.fdc", "--json").out)["transform_hash"] == get("dct").hash.hex()
    assert f"transform hash    {get('dct').hash.hex()[:16]}\n" in cli("info", "a.fdc").out.decode()


def test_hash_of_a_model_that_is_not_here_has_the_digits_of_the_file(cli):
    """Of a class model that is only named and not installed, no more of its hash is known."""
    header = container.Header(4, 4, 3, parameters=Parameters(128).to_bytes())
    Path("a.fdc").write_bytes(container.write(container.File(header, [b"x"], model_ref=bytes(4))))
    facts = json.loads(cli("info", "a.fdc", "--json").out)
    assert (facts["transform_name"], facts["transform_hash"]) == (None, 8 * "0")


@pytest.mark.parametrize("model", [get("dct"), ClassModel("mine", start_states=np.full((N_CONTEXTS, 2), 7, np.uint8))])
def test_embedded_class_model_is_named_by_its_hash(cli, model):
    """Of an embedded model the hash is told, and the name under which it is installed, if it is."""
    Path("a.fdc").write_bytes(fdcodec.encode(photo(16, 16), transform=model, embed=True, effort=1))
    facts = json.loads(cli("info", "a.fdc", "--json").out)
    assert (facts["transform"], facts["transform_hash"]) == ("embedded", model.hash.hex())
    assert facts["transform_name"] == (None if model.name == "mine" else "dct")


@pytest.mark.parametrize(("embed", "told"), [("auto", "photo"), (True, None)])
def test_difference_is_told_from_a_whole_class_model(embed, told):
    """What an embedded model is stored as the difference from is told by its name; a whole one has no such thing."""
    parent = get("photo")
    model = replace(parent, name="child", filters=None, recipe={"parent": parent.hash.hex()})
    facts = fdcodec.info(fdcodec.encode(photo(16, 16), transform=model, embed=embed, effort=1))
    assert (facts["transform"], facts["transform_parent"], facts["transform_hash"]) == (
        "embedded",
        told,
        model.hash.hex(),
    )


def test_step_of_sixteen_bits_is_one_of_their_values():
    """The step that is told is as large a share of their range as one of 8 bits is of 255."""
    parameters = Parameters(128, sample_range=(1000, 1510)).to_bytes()
    header = container.Header(4, 4, 1, 16, parameters=parameters)
    assert fdcodec.info(container.write(container.File(header, [b"x"], model_ref=bytes(4))))["quantization_step"] == 2


def test_parent_that_is_not_there_is_told_by_its_hash():
    """A parent that is not installed has no name, and the first bytes of its hash stand for it."""
    parent = replace(get("photo"), name="own parent", filters=None)
    model = replace(parent, name="child", learned=())
    data = zlib.compress(build_relative(model.canonical, parent.canonical, parent.hash))
    facts = fdcodec.info(container.write(container.File(HEADER, [b"x"], model_bytes=data)))
    assert (facts["transform_parent"], facts["transform_hash"]) == (parent.hash[:PARENT_BYTES].hex(), None)


@pytest.mark.parametrize(("names", "told"), [(["photo"], None), (["mine", "photo"], "mine")])
def test_class_model_is_told_by_a_name_that_finds_it(cli, monkeypatch, names, told):
    """The name of a file that a preset's name hides is that of another model, and is not told."""
    model = ClassModel("mine", start_states=np.full((N_CONTEXTS, 2), 7, np.uint8))
    Path("models").mkdir()
    for name in names:
        model.save("kept.fdt")
        Path("kept.fdt").rename(f"models/{name}.fdt")
    monkeypatch.setenv("FDCODEC_MODEL_PATH", "models")
    assert fdcodec.info(container.write(container.File(HEADER, [b"x"], model_ref=model.hash)))["transform_name"] == told


@pytest.mark.parametrize(("name", "shown"), [('caf\xe9"', 'caf\xe9"'), ("a\nb", r"a\nb")])
def test_name_of_a_class_model_is_shown_as_it_is(cli, monkeypatch, name, shown):
    """Letters and quotes of a name are those that `transforms` lists, and line breaks are escaped."""
    model = ClassModel("mine", start_states=np.full((N_CONTEXTS, 2), 7, np.uint8))
    model.save(f"{name}.fdt")
    monkeypatch.setenv("FDCODEC_MODEL_PATH", ".")
    Path("x.fdc").write_bytes(container.write(container.File(HEADER, [b"x"], model_ref=model.hash)))
    assert f"transform name    {shown}\n" in cli("info", "x.fdc").out.decode()


def test_embedded_bytes_that_are_no_class_model_have_no_hash(cli):
    """What is embedded in place of a model keeps nothing else from being told."""
    Path("a.fdc").write_bytes(container.write(container.File(HEADER, [b"x"], model_bytes=b"none")))
    facts = json.loads(cli("info", "a.fdc", "--json").out)
    assert (facts["width"], facts["transform_bytes"], facts["transform_hash"]) == (4, 4, None)


@pytest.mark.parametrize(
    ("change", "known"),
    [
        (lambda data: data[:-1], {"form": "chunked", "tiles": 6, "lost_tiles": 0}),
        (lambda data: data[:-20] + bytes([data[-20] ^ 1]) + data[-19:], {"form": "chunked", "lost_tiles": 1}),
        (lambda data: data[:60], {"form": "chunked", "width": 48, "quality": 75, "file_bytes": 60}),
        (lambda data: data[:9], {}),
    ],
)
def test_what_can_be_read_of_a_damaged_file_is_told(cli, change, known):
    """Chunks that are intact are told, else the header if that is, and the exit code is that of a damaged file."""
    Path("bad.fdc").write_bytes(change(fdcodec.encode(photo(32, 48), tile=16, effort=1)))
    result = cli("info", "bad.fdc", "--json")
    facts = json.loads(result.out)
    assert (result.code, facts.pop("input"), bool(facts.pop("error"))) == (1, "bad.fdc", True)
    assert (known.items() <= facts.items(), bool(facts)) == (True, bool(known))
    result = cli("info", "bad.fdc")
    assert (result.code, result.err.count("fdcodec: bad.fdc: "), bool(result.out)) == (1, 1, bool(known))


def test_the_form_of_a_truncated_file_of_one_tile_is_told():
    """Version and form are known where the header is, as of a compact file that has lost its end."""
    data = fdcodec.encode(photo(16, 16), effort=1)
    with pytest.warns(PartialWarning, match="^damaged file: the file ends 1 byte too early$"):
        facts = fdcodec.info(data[:-1], partial=True)
    assert (facts["format_version"], facts["form"], facts["file_bytes"]) == (0, "compact", len(data) - 1)


def test_damaged_file_is_told_in_python_where_that_is_asked_for():
    """With `partial` the facts are those of the command, with a warning; what is no file, is an error all the same."""
    data = fdcodec.encode(photo(32, 48), tile=16, effort=1)
    data = data[:-20] + bytes([data[-20] ^ 1]) + data[-19:]
    with pytest.raises(ChecksumError):
        fdcodec.info(data)
    with pytest.warns(PartialWarning, match="^damaged file: chunk DATA"):
        assert fdcodec.info(data, partial=True)["lost_tiles"] == 1
    with pytest.raises(FormatError):
        fdcodec.info(b"no file", partial=True)


def test_facts_are_told_where_bits_cannot_be_counted(cli):
    """Without its class model a file is not decoded, and all but its bits is told, with that exit code."""
    Path("a.fdc").write_bytes(container.write(container.File(HEADER, [b"x"], model_ref=bytes(4))))
    result = cli("info", "a.fdc", "--bits")
    assert (result.code, "width             4\n" in result.out.decode()) == (3, True)


@pytest.mark.parametrize("bits", [False, True])
def test_info_in_python_is_that_of_the_command(cli, encoded, bits):
    """`fdcodec.info` returns what `info --json` writes, of bytes and of a path."""
    facts = json.loads(cli("info", "a.fdc", "--json", *["--bits"] * bits).out)
    assert fdcodec.info(encoded, bits=bits) | {"input": "a.fdc", "summary": ""} == facts
    assert fdcodec.info("a.fdc") == fdcodec.info(encoded)


@pytest.mark.parametrize(
    ("arguments", "error"), [((b"no file",), FormatError), ((7,), ParameterError), ((b"", "yes"), ParameterError)]
)
def test_info_in_python_refuses(arguments, error):
    """What is no file, no source or no flag is an error of the library."""
    with pytest.raises(error):
        fdcodec.info(arguments[0], **dict(zip(["bits"], arguments[1:], strict=False)))
