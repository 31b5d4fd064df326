"""`fdcodec compile` leaves nothing to be compiled later; other commands tell how long they compile."""

import subprocess
import sys
from pathlib import Path

import pytest

from fdcodec import first_use
from fdcodec.cli import compile as command
from fdcodec.cli.console import Console, _compiling_time
from fdcodec.kernels import code_cache, jit
from fdcodec.kernels.lossless.planes import code_row

FULL = Path("/dev/full")
NOTHING_IS_LEFT = """
import sys
from importlib import import_module
from pkgutil import walk_packages

import numpy as np
from tests.images import noise, photo

import fdcodec
from fdcodec import kernels
from fdcodec.cli.compile import uses
from fdcodec.inspection import describe_bits

ROOMS = [import_module(found.name) for found in walk_packages(kernels.__path__, "fdcodec.kernels.")]

def signatures():
    functions = {f"{room.__name__}.{name}": value for room in ROOMS for name, value in vars(room).items()}
    return {name: value.signatures for name, value in functions.items() if hasattr(value, "signatures")}

for use in uses().values():
    use()
before = signatures()
assert len(before) > 50
picture, deep = photo(64, 96), noise(16, 16, 4, seed=1, dtype=np.uint16)
drawn = np.kron(noise(6, 8, 3, seed=2) // 128 * 200, np.ones((8, 8, 1), np.uint8))
for image in (picture, picture[:, :, 0], np.dstack([picture, picture[:, :, 0]]), drawn):
    for options in ({"effort": 9, "sparsity": 3}, {"tile": 32, "threads": 2}, {"tune": "visual"}, {"lossless": True}):
        data = fdcodec.encode(image, **options)
        fdcodec.decode_region(data, (1, 1, 40, 40), threads=2)
        describe_bits(data)
for options in ({"lossless": True}, {"tune": "visual"}):
    fdcodec.decode(fdcodec.encode(deep, **options))
own = fdcodec.learn([photo(256, 384), drawn])
fdcodec.decode(fdcodec.encode(picture, transform=own, psnr_db=36))
assert signatures() == before, [name for name, value in signatures().items() if value != before[name]]
"""


def test_nothing_is_left_to_compile():
    """After what `compile` uses, no call of encode, decode, learn or info needs a kernel, or types of one, more."""
    subprocess.run([sys.executable, "-c", NOTHING_IS_LEFT], check=True)


@pytest.mark.parametrize(
    ("compiles", "last"),
    [(False, "all commands were ready: nothing to compile"), (True, "all commands are ready, kept in ")],
)
def test_each_part_has_a_line_and_the_end_is_told(cli, monkeypatch, tmp_path, compiles, last):
    """A line a part, in order; the last one says whether anything had to be compiled, and where that is kept."""

    def use():
        if compiles:
            jit._first_compilation().call(tmp_path, "code_row")

    monkeypatch.setattr(command, "uses", lambda: {"one": use, "two": lambda: None})
    monkeypatch.setattr(jit._first_compilation(), "call", None)
    result = cli("compile")
    assert (result.code, result.out) == (0, b"")
    lines = ["1 of 2, one: ready after 0 s", "2 of 2, two: ready after 0 s", last + compiles * str(tmp_path)]
    begin = ["compiling one, two: four to six minutes for all, longer on a busy machine"]
    assert result.err.splitlines() == compiles * begin + lines


def test_begin_is_told_before_the_first_kernel_is_compiled(cli, monkeypatch, tmp_path):
    """What is compiled, and for how long, stands there before the first part is done, and only once."""
    told = []

    def use():
        jit._first_compilation().call(tmp_path, "code_row")
        assert told == ["compiling one: four to six minutes for all, longer on a busy machine"]

    monkeypatch.setattr(command, "uses", lambda: {"one": use})
    monkeypatch.setattr(jit._first_compilation(), "call", None)
    monkeypatch.setattr(Console, "say", lambda self, text: told.append(text))
    assert cli("compile").code == 0
    assert len(told) == 3


def test_progress_counts_the_parts_that_are_done():
    """On a terminal the bar has the part that is compiled and how many are done before it."""
    steps = []
    command._use({"one": lambda: None, "two": lambda: None}, Console(quiet=True), lambda *step: steps.append(step))
    assert steps == [("one", 0, 2), ("two", 1, 2)]


@pytest.fixture
def not_kept(monkeypatch):
    """Let compiled code be kept in a directory of this process only; return the processes that would be started."""
    code_cache._private_temporary()
    started = []
    monkeypatch.setattr(first_use, "compile_beside", lambda *arguments, **options: started.append(arguments))
    yield started
    code_cache._private_temporary.cache_clear()


def test_code_that_cannot_be_kept_is_not_promised(not_kept, monkeypatch, tmp_path, capfd):
    """The announcement says how to keep the code, and no second process compiles what could not be taken from it."""
    monkeypatch.setattr(jit._first_compilation(), "call", None)
    Console().announce_compilation("encoding")
    jit._first_compilation().call(tmp_path, "encode_plane")
    told = capfd.readouterr().err
    assert "longer on a busy machine; it cannot be kept; set FDCODEC_CACHE_DIR to a directory that you can" in told
    assert "`fdcodec compile` does it" not in told
    assert not_kept == []


def test_code_that_cannot_be_kept_is_not_compiled_in_advance(cli, not_kept, monkeypatch):
    """`compile` ends with exit code 1 before any work where the next run would find nothing."""
    monkeypatch.setattr(command, "uses", lambda: {"one": lambda: pytest.fail("compiled")})
    result = cli("compile")
    assert (result.code, "it cannot be kept; set FDCODEC_CACHE_DIR" in result.err) == (1, True)


def test_full_cache_keeps_nothing(cli, monkeypatch, tmp_path):
    """A cache directory without room is not said to keep code, and `compile` does not fill it in vain."""
    monkeypatch.setattr(code_cache, "has_room", lambda directory: directory != tmp_path)
    monkeypatch.setattr(jit._first_compilation(), "call", None)
    Console().announce_compilation("encoding")
    jit._first_compilation().call(tmp_path, "code_row")
    assert "it cannot be kept; set FDCODEC_CACHE_DIR" in cli("--version").err
    monkeypatch.setattr(command, "uses", lambda: {"one": lambda: jit._first_compilation().call(tmp_path, "code_row")})
    result = cli("compile")
    assert (result.code, result.err.startswith("fdcodec: code is not compiled, as it cannot be kept")) == (1, True)


def test_room_is_tried(monkeypatch, tmp_path):
    """A directory has room if a file can be written there, which does not stay; a full or missing one has none."""
    assert code_cache.has_room(tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert not code_cache.has_room(tmp_path / "missing")
    if FULL.exists():
        monkeypatch.setattr(code_cache.tempfile, "TemporaryFile", lambda dir: FULL.open("wb"))
        assert not code_cache.has_room(tmp_path)


@pytest.mark.parametrize(
    ("task", "kernel", "time"),
    [
        ("encoding", "compose_rotations", "about a minute"),
        ("decoding", "compose_rotations", "about 15 s"),
        ("decoding", "rotate_colour", "about 15 s"),
        ("counting the bits of", "code_plane", "about a minute"),
        ("encoding", code_row.__name__, "about half a minute"),
        ("decoding", code_row.__name__, "about half a minute"),
        ("encoding", "encode_plane", "about a minute"),
        ("encoding", "collect_blocks", "one to two minutes"),
    ],
)
def test_time_is_that_of_what_is_missing(task, kernel, time):
    """The first kernel that is missing tells what is; where it does not, a bound is said."""
    assert _compiling_time(task, kernel) == time
