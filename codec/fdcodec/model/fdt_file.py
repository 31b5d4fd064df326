"""The `.fdt` file: a class model on its own (SPEC 8). Build and parse face each other."""

import json
import zlib
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import construct as c

from fdcodec.container.bodies import parse
from fdcodec.errors import ChecksumError, FormatError, LimitError, damaged
from fdcodec.limits import MAX_MODEL_BYTES
from fdcodec.model.body import inflate

SIGNATURE = b"\x8bFDT"

_PART = c.Prefixed(c.Int32ul, c.GreedyBytes)
_PARTS = c.Struct("name" / _PART, "recipe" / _PART, "model" / _PART, c.Terminated)
_FILE = c.Struct(c.Const(SIGNATURE), "checksum" / c.Int32ul, "parts" / _PART, c.Terminated)


class ModelFile(NamedTuple):
    """The parts of an `.fdt` file.

    Parameters
    ----------
    name
        What the model was called when it was written, in the bytes of the file system; readers go by the file's name.
    recipe
        How it was made, as JSON has it.
    model
        Its canonical bytes, deflated.
    """

    name: bytes
    recipe: dict[str, Any]
    model: bytes


def build_file(file: ModelFile) -> bytes:
    """Return the bytes of the file."""
    recipe = zlib.compress(json.dumps(file.recipe, sort_keys=True).encode(), 9)
    parts = _PARTS.build({"name": file.name, "recipe": recipe, "model": file.model})
    return bytes(_FILE.build({"checksum": zlib.crc32(parts), "parts": parts}))


def read_file(path: Path) -> ModelFile:
    """Return the parts of a file, as of `parse_file`; OSError where it cannot be read."""
    with path.open("rb") as opened:
        return parse_file(opened.read(MAX_MODEL_BYTES + 1), str(path))


def parse_file(data: bytes, path: str) -> ModelFile:
    """Return the parts of a file, of which at most MAX_MODEL_BYTES + 1 bytes were read from `path`.

    Raises
    ------
    FormatError
        It is no `.fdt` file; TruncatedError where it ends too early, ChecksumError where it is damaged.
    LimitError
        It is longer than MAX_MODEL_BYTES.
    """
    if not data.startswith(SIGNATURE):
        raise FormatError(f"{path}: not a class model (.fdt); make one with `fdcodec learn`")
    if len(data) > MAX_MODEL_BYTES:
        raise LimitError(f"{path}: above {MAX_MODEL_BYTES} bytes, which no class model has; make it again")
    file = parse(_FILE, data, path)
    if zlib.crc32(file.parts) != file.checksum:
        raise damaged(f"{path}: its checksum is wrong", ChecksumError)
    parts = parse(_PARTS, file.parts, path)
    return ModelFile(parts.name, _parse_recipe(parts.recipe), parts.model)


def _finite(text: str) -> float:
    """Return a number of a recipe; ValueError for NaN and infinity, which JSON does not have."""
    if not isfinite(number := float(text)):
        raise ValueError(text)
    return number


def _parse_recipe(data: bytes) -> dict[str, Any]:
    """Return the recipe of deflated JSON; FormatError where it is no JSON object."""
    try:
        recipe = json.loads(inflate(data), parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError) as error:
        reason = type(error).__name__
        raise FormatError(f"class model: the recipe is not JSON ({reason}); make the model again") from error
    if not isinstance(recipe, dict):
        raise FormatError(f"class model: the recipe is a {type(recipe).__name__}, not an object; make the model again")
    return recipe
