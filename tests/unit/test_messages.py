"""Messages of damaged files and of wrong arguments end with what to do."""

import ast
from pathlib import Path

import pytest

from fdcodec import errors

PACKAGE = Path(__file__).parents[2] / "codec" / "fdcodec"
SOURCES = [
    *(PACKAGE / "container").glob("*.py"),
    *(PACKAGE / "model").glob("*.py"),
    PACKAGE / "format/parameters.py",
    PACKAGE / "arguments.py",
]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_messages_say_what_to_do(source):
    """Every error of the package that a module raises has, after a semicolon, what to do."""
    calls = [node.exc for node in ast.walk(ast.parse(source.read_text())) if isinstance(node, ast.Raise)]
    own = [call for call in calls if isinstance(call, ast.Call) and ast.unparse(call.func) in vars(errors)]
    told = [ast.unparse(call) for call in own if ast.unparse(call.func) != "damaged"]
    assert [text for text in told if "; " not in text] == []


def test_damaged_says_what_is_wrong_and_what_to_do():
    """The error of a damaged file is of the kind asked for; its fault is what stands before the advice."""
    error = errors.damaged("chunk DATA: its checksum is wrong", errors.ChecksumError)
    assert isinstance(error, errors.ChecksumError)
    assert str(error) == "chunk DATA: its checksum is wrong; the file is damaged, get it again"
    assert errors.fault_of(error) == "chunk DATA: its checksum is wrong"
