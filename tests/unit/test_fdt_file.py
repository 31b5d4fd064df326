"""The `.fdt` file: its bytes are those of clause 8 of the specification, and what is refused."""

import json
import struct
import zlib

import pytest

from fdcodec.errors import ChecksumError, FdcError, FormatError, LimitError, TruncatedError
from fdcodec.limits import MAX_MODEL_BYTES
from fdcodec.model import ClassModel
from fdcodec.model.fdt_file import ModelFile, build_file, parse_file
from fdcodec.model.registry import PRESETS_DIR

RECIPE = {"sources": ["a"], "effort": 5}
MODEL = ClassModel("small", recipe=RECIPE)


def part(content: bytes) -> bytes:
    """Return a part as SPEC 8 lays it out."""
    return struct.pack("<I", len(content)) + content


def framed(parts: bytes, tail: bytes = b"", **changes: int) -> bytes:
    """Return a file of parts as SPEC 8 lays it out, its checksum or its length changed."""
    fields = {"checksum": zlib.crc32(parts), "length": len(parts), **changes}
    return struct.pack("<4sII", b"\x8bFDT", *fields.values()) + parts + tail


PARTS = part(b"small") + part(zlib.compress(json.dumps(RECIPE, sort_keys=True).encode(), 9)) + part(MODEL.to_bytes())


def test_bytes_are_those_of_the_specification():
    """Signature, checksum, length, name, recipe and model lie where clause 8 says, both ways."""
    file = ModelFile(b"small", RECIPE, MODEL.to_bytes())
    assert build_file(file) == framed(PARTS)
    assert parse_file(framed(PARTS), "x.fdt") == file


@pytest.mark.parametrize("path", sorted(PRESETS_DIR.glob("*.fdt")), ids=lambda path: path.stem)
def test_presets_are_built_as_they_are(path):
    """What is parsed of a preset's file gives its bytes again."""
    assert build_file(parse_file(path.read_bytes(), str(path))) == path.read_bytes()


DAMAGE = {
    "other file": (b"\x8bfdc" + framed(PARTS)[4:], FormatError, "not a class model"),
    "empty": (b"", FormatError, "not a class model"),
    "cut": (framed(PARTS)[:-1], TruncatedError, "x.fdt"),
    "a length of 4 GiB": (framed(PARTS, length=2**32 - 1), TruncatedError, "x.fdt"),
    "a byte after the end": (framed(PARTS, tail=b"\0"), FormatError, "x.fdt"),
    "a wrong checksum": (framed(PARTS, checksum=0), ChecksumError, "x.fdt: its checksum is wrong; the file is damaged"),
    "a part of 4 GiB": (framed(b"\xff" * 4 + PARTS), TruncatedError, "x.fdt"),
    "two parts": (framed(part(b"small") + part(b"")), TruncatedError, "x.fdt"),
    "four parts": (framed(PARTS + part(b"")), FormatError, "x.fdt"),
    "a recipe that is not deflated": (framed(part(b"") + part(b"{}") + part(b"")), FormatError, "deflate"),
    "as long as allowed": (framed(PARTS).ljust(MAX_MODEL_BYTES, b"\0"), FormatError, "x.fdt: bytes follow"),
    "too long": (framed(PARTS).ljust(MAX_MODEL_BYTES + 1, b"\0"), LimitError, f"x.fdt: above {MAX_MODEL_BYTES} bytes"),
}


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_recipes_hold_what_json_can_say(number):
    """A recipe with a number that is none, or infinite, is refused, as `transforms show` writes recipes as JSON."""
    recipe = zlib.compress(f'{{"size": {number}}}'.encode())
    with pytest.raises(FormatError, match="the recipe is not JSON"):
        parse_file(framed(part(b"small") + part(recipe) + part(MODEL.to_bytes())), "x.fdt")


@pytest.mark.parametrize(("recipe", "kind"), [("[]", "list"), ("7", "int"), ("null", "NoneType")])
def test_recipe_is_an_object(recipe, kind):
    """A recipe that is JSON, but no object, is refused (SPEC 8)."""
    with pytest.raises(FormatError, match=f"the recipe is a {kind}, not an object"):
        parse_file(framed(part(b"small") + part(zlib.compress(recipe.encode())) + part(MODEL.to_bytes())), "x.fdt")


@pytest.mark.parametrize(("spare_bytes", "error"), [(0, FormatError), (1, LimitError)])
def test_no_more_is_read_than_tells_that_a_file_is_too_long(tmp_path, spare_bytes, error):
    """Of a file on disk one byte above the limit is read, by which it is known to be too long."""
    (tmp_path / "a.fdt").write_bytes(framed(PARTS).ljust(MAX_MODEL_BYTES + spare_bytes, b"\0"))
    with pytest.raises(error) as raised:
        ClassModel.load(tmp_path / "a.fdt")
    assert raised.type is error


@pytest.mark.parametrize(("data", "error", "words"), DAMAGE.values(), ids=DAMAGE)
def test_what_is_refused(data, error, words):
    """Another signature, a length that lies, what is left over or too long, and a wrong checksum are refused."""
    with pytest.raises(error, match=words) as raised:
        parse_file(data, "x.fdt")
    assert raised.type is error


def test_every_flipped_bit_is_refused():
    """No single wrong bit of a file is read."""
    for bit in range(8 * len(framed(PARTS))):
        damaged = bytearray(framed(PARTS))
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(FdcError):
            parse_file(bytes(damaged), "x.fdt")


def test_name_in_the_file_is_of_no_effect(tmp_path):
    """A file that says another name, or none, holds a model of its own name and of the same identity."""
    for name in (b"other", b"", b"\xff"):
        (tmp_path / "mine.fdt").write_bytes(build_file(ModelFile(name, RECIPE, MODEL.to_bytes())))
        model = ClassModel.load(tmp_path / "mine.fdt")
        assert (model.name, model.hash, model.recipe) == ("mine", MODEL.hash, RECIPE)
