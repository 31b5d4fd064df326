"""The command line: what `info` tells of a file."""

import json
from pathlib import Path

import pytest

from fdcodec import container
from fdcodec.coding.parameters import Parameters
from fdcodec.model import get


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
    Path("a.fdc").write_bytes(container.write(header, [b"x"], model_ref=bytes(4)))
    assert json.loads(cli("info", "a.fdc", "--json").out)["quality"] == quality
    row = f"  quality           {quality}\n"
    assert (row in cli("info", "a.fdc").out.decode()) == (quality is not None)


def test_bits_without_elements_have_no_table_of_them(cli):
    """Of a file without loss only its parts are counted, and no heading stands over nothing."""
    Path("a.fdc").write_bytes(container.write(container.Header(4, 4, 3, lossless=True), [b"x"]))
    out = cli("info", "a.fdc", "--bits").out.decode()
    assert ("part bits" in out, "element bits" in out) == (True, False)


@pytest.mark.parametrize(("step_index", "step"), [(0, 0.0625), (128, 1.0), (252, 14.6721)])
def test_info_shows_the_step_in_sample_values(cli, step_index, step):
    """A step is 2^(index / 32 - 4) sample values (clause 4.3)."""
    header = container.Header(4, 4, 3, parameters=Parameters(step_index).to_bytes())
    Path("a.fdc").write_bytes(container.write(header, [b"x"], model_ref=bytes(4)))
    assert json.loads(cli("info", "a.fdc", "--json").out)["quantization_step"] == step
    assert f"quantization step {step}\n" in cli("info", "a.fdc").out.decode()


@pytest.mark.parametrize(("metadata", "digits", "told"), [("none", 8, 8), ("all", 32, 16)])
def test_info_shows_as_much_of_a_hash_as_transforms(cli, metadata, digits, told):
    """As text a class model's hash has the 16 digits of `transforms list`, or those that the file has."""
    assert cli("encode", "a.png", "-t", "dct", "--metadata", metadata).code == 0
    assert json.loads(cli("info", "a.fdc", "--json").out)["transform_hash"] == get("dct").hash.hex()[:digits]
    assert f"transform hash    {get('dct').hash.hex()[:told]}\n" in cli("info", "a.fdc").out.decode()
