"""`fdcodec compile` leaves nothing to be compiled later; other commands tell how long they compile."""

import subprocess
import sys

import pytest

from fdcodec.cli import compile as command
from fdcodec.cli.console import _compiling_time
from fdcodec.kernels import jit
from fdcodec.kernels.lossless_kernels import code_row

NOTHING_IS_LEFT = """
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
from tests.images import noise, photo

import fdcodec
from fdcodec import kernels
from fdcodec.cli.compile import uses
from fdcodec.inspection import describe_bits

ROOMS = [import_module(f"fdcodec.kernels.{path.stem}") for path in Path(kernels.__file__).parent.glob("*.py")]

def signatures():
    functions = {f"{room.__name__}.{name}": value for room in ROOMS for name, value in vars(room).items()}
    return {name: value.signatures for name, value in functions.items() if hasattr(value, "signatures")}

for use in uses().values():
    use()
before = signatures()
picture, deep = photo(64, 96), noise(16, 16, 4, seed=1, dtype=np.uint16)
drawn = np.kron(noise(6, 8, 3, seed=2) // 128 * 200, np.ones((8, 8, 1), np.uint8))
for image in (picture, picture[:, :, 0], np.dstack([picture, picture[:, :, 0]]), drawn):
    for options in ({"effort": 9, "sparsity": 3}, {"tile": 32, "threads": 2}, {"tune": "visual"}, {"lossless": True}):
        data = fdcodec.encode(image, **options)
        fdcodec.decode_region(data, (1, 1, 40, 40), threads=2)
        describe_bits(data)
fdcodec.decode(fdcodec.encode(deep, lossless=True))
own = fdcodec.learn([photo(256, 384), drawn])
fdcodec.decode(fdcodec.encode(picture, transform=own, psnr_db=36))
assert signatures() == before, [name for name, value in signatures().items() if value != before[name]]
"""


def test_nothing_is_left_to_compile():
    """After what `compile` uses, no call of encode, decode, learn or info needs a kernel, or types of one, more."""
    subprocess.run([sys.executable, "-c", NOTHING_IS_LEFT], check=True)


@pytest.mark.parametrize(
    ("compiles", "last"), [(False, "all was ready: there is nothing left to compile"), (True, "all is ready, kept in ")]
)
def test_each_part_has_a_line_and_the_end_is_told(cli, monkeypatch, tmp_path, compiles, last):
    """A line a part, in order; the last one says whether anything had to be compiled, and where that is kept."""

    def use():
        if compiles:
            jit._first_compilation().call(tmp_path, "code_row")

    monkeypatch.setattr(command, "uses", lambda: {"one": use, "two": use})
    monkeypatch.setattr(jit._first_compilation(), "call", None)
    result = cli("compile")
    assert (result.code, result.out) == (0, b"")
    assert result.err.splitlines() == ["one: ready after 0 s", "two: ready after 0 s", last + compiles * str(tmp_path)]


@pytest.mark.parametrize(
    ("task", "kernel", "time"),
    [
        ("encoding", "compose_rotations", "about 40 s"),
        ("decoding", "compose_rotations", "about 15 s"),
        ("decoding", "rotate_colour", "about 15 s"),
        ("encoding", code_row.__name__, "about 15 s"),
        ("decoding", code_row.__name__, "about 15 s"),
        ("encoding", "encode_plane", "about 40 s"),
        ("encoding", "collect_blocks", "up to a minute"),
    ],
)
def test_time_is_that_of_what_is_missing(task, kernel, time):
    """The first kernel that is missing tells what is; where it does not, a bound is said."""
    assert _compiling_time(task, kernel) == time
