"""The command line: the keys of --json are those that the document lists."""

import json
import re
from pathlib import Path

import pytest
from tests.images import noise
from tests.stacks import stack

FAST = ("-t", "photo", "-e", "1")
FILES = ("b-1.fdc", "b-2.fdc")


def documented_keys(command):
    """Return the keys of a command that the table of command.md lists."""
    document = (Path(__file__).parents[2] / "docs/command.md").read_text()
    table = document.partition("| command | keys |\n|---|---|\n")[2].partition("\n\n")[0]
    rows = [line.strip("|").split("|") for line in table.splitlines()]
    return {
        key
        for commands, keys in rows
        if commands.strip() == "all" or f"`{command}`" in commands
        for key in re.findall(r"`(\w+)`", keys)
    }


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        (
            "encode",
            [
                ("gone.png", "a.png", *FAST),
                ("b.tif", "--frames", "--out-dir", "out", *FAST),
                ("a.png", "--skip-existing"),
            ],
        ),
        (
            "decode",
            [*2 * [("a.fdc", "bad.fdc", "--out-dir", "out", "--skip-existing")], (*FILES, "--frames", "-o", "c.tif")],
        ),
        ("check", [("a.fdc", "--against", "a.png"), ("-r", "b-1.fdc", "b-1.fdc", "--against", "b.tif")]),
        ("info", [("a.fdc", "bad.fdc", "--bits")]),
    ],
)
def test_keys_are_documented(cli, command, runs):
    """Every key that a command writes is in its row or in that of all, and every key there is written."""
    Path("b.tif").write_bytes(stack(noise(12, 16, 2, seed=1).transpose(2, 0, 1)))
    cli("encode", "a.png", "--tile", "16", *FAST)
    cli("encode", "b.tif", "--frames", *FAST)
    Path("bad.fdc").write_bytes(Path("a.fdc").read_bytes()[:-1])
    force = ("-f",) if command in ("encode", "decode") else ()
    lines = [line for run in runs for line in cli(command, "--json", *force, *run).out.splitlines()]
    written = {key for line in lines for key in json.loads(line)}
    assert written | {"frame"} == documented_keys(command)  # only an encode has that
