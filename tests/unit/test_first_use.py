"""The first use of a version compiles in two processes; neither compiles what the other has."""

import subprocess
import sys
from math import inf
from types import SimpleNamespace

import pytest

from fdcodec import first_use
from fdcodec.kernels import jit
from fdcodec.kernels.reconstruction.planes import reconstruct_plane

SIGNATURES_OF = """
import sys
from importlib import import_module
from pkgutil import walk_packages

import numpy as np
from tests.images import photo

import fdcodec
from fdcodec import first_use, kernels

ROOMS = [import_module(found.name) for found in walk_packages(kernels.__path__, "fdcodec.kernels.")]

def signatures(names):
    return {name: next(vars(room)[name] for room in ROOMS if name in vars(room)).signatures for name in names}

def uses_nothing_else(names, use):
    before = signatures(names)
    use()
    assert all(before.values()), before
    assert signatures(names) == before

first_use.compile_for_encoding()
first_use.compile_for_decoding()
data = []
uses_nothing_else(first_use.BESIDE_ENCODING, lambda: data.append(fdcodec.encode(photo(16, 16), transform="photo")))
uses_nothing_else(first_use.BESIDE_DECODING, lambda: fdcodec.decode(data[0]))
"""

WAITING = """
import time
from fdcodec.first_use import end_with_parent
end_with_parent(0)
print("waiting", flush=True)
time.sleep(20)
print("outlived the first", flush=True)
"""

PARENT = f"""
import sys, time
from subprocess import PIPE, Popen
child = Popen([sys.executable, "-c", {WAITING!r}], stdin=PIPE)
time.sleep(20)
"""


@pytest.fixture
def started(monkeypatch):
    """Return the commands that would be started, on two cores; no kernel is waited for."""
    commands = []

    class Process:
        def __init__(self, command, **streams):
            assert streams["stdin"] == subprocess.PIPE
            commands.append(command)

        def poll(self):
            return None

    monkeypatch.setattr(first_use.subprocess, "Popen", Process)
    monkeypatch.setattr(first_use, "atexit", SimpleNamespace(register=lambda *call: None))
    monkeypatch.setattr(first_use, "usable_processors", lambda: 2)
    monkeypatch.setattr(jit, "_elsewhere", {})
    monkeypatch.setattr(jit, "_meanwhile", {})
    return commands


def test_no_second_process_for_lossless_files(started):
    """Where the first kernel is not one of lossy coding, nothing of lossy coding is compiled."""
    first_use.compile_beside("code_lossless_plane", encodes=True)
    assert (started, jit._elsewhere) == ([], {})


def test_no_second_process_on_one_core(started, monkeypatch):
    """One core has nothing beside."""
    monkeypatch.setattr(first_use, "usable_processors", lambda: 1)
    first_use.compile_beside("compose_rotations", encodes=True)
    assert started == []


@pytest.mark.parametrize(
    ("encodes", "arguments", "names"),
    [(False, [], first_use.BESIDE_DECODING), (True, ["encode"], first_use.BESIDE_ENCODING)],
)
def test_second_process_runs_this_module(started, encodes, arguments, names):
    """The second process is this interpreter with the module and none of the user's directory; it is waited for."""
    first_use.compile_beside("compose_rotations", encodes)
    assert started == [[sys.executable, "-P", "-m", "fdcodec.first_use", *arguments]]
    assert set(jit._elsewhere) == set(names)


def test_process_that_does_not_end_is_left(started, monkeypatch):
    """After some minutes this process compiles what it needs itself."""
    first_use.compile_beside("compose_rotations", encodes=False)
    goes_on = jit._elsewhere["reconstruct_plane"]
    assert goes_on()
    monkeypatch.setattr(first_use, "monotonic", lambda: inf)
    assert not goes_on()


def test_modules_beside_the_pictures_are_not_run(tmp_path):
    """The second process imports nothing from the directory that it is started in."""
    (tmp_path / "random.py").write_text("raise SystemExit('run')")
    command = [sys.executable, "-P", "-m", "fdcodec.first_use"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE) as process:
        assert process.wait() == 0


def test_second_process_ends_with_the_first():
    """The second process goes on while the pipe from the first is open, and ends when it is closed."""
    command = [sys.executable, "-c", WAITING]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline().split() == [b"waiting"]
        assert process.poll() is None
        process.stdin.close()
        assert process.wait(60) == 1


def test_pipe_to_the_second_process_closes_when_the_first_is_killed():
    """A killed parent closes the pipe, so that the second process does not outlive it."""
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE) as parent:
        assert parent.stdout.readline().split() == [b"waiting"]
        parent.kill()
        assert parent.stdout.read() == b""  # comes when the second process, which writes there too, has ended


def test_nothing_is_leaked_at_exit():
    """The pipe and the process are closed, not left to the interpreter, which warns of them."""
    program = "import fdcodec.first_use as f; f.usable_processors = lambda: 2; f.compile_beside('code_plane', True)"
    command = [sys.executable, "-X", "dev", "-c", program]
    assert subprocess.run(command, stderr=subprocess.PIPE, text=True, check=True).stderr == ""


def test_process_that_cannot_start_is_no_error(started, monkeypatch):
    """Where no process can be started, this one compiles everything."""

    def refuse(*command, **streams):
        raise OSError("no more processes")

    monkeypatch.setattr(first_use.subprocess, "Popen", refuse)
    first_use.compile_beside("compose_rotations", encodes=True)
    assert jit._elsewhere == {}


def test_waiting_is_used(monkeypatch):
    """Where a kernel is not there yet, what was to be done meanwhile is done, once."""
    done, found = [], iter([None, None, "compiled"])

    class Cache:
        save_overload = None

    class Kernel:
        py_func = reconstruct_plane.py_func
        _cache = Cache()

    monkeypatch.setattr(jit, "_elsewhere", {"reconstruct_plane": lambda: True})
    monkeypatch.setattr(jit, "sleep", lambda seconds: done.append("slept"))
    monkeypatch.setattr(jit, "_load", lambda kept, signature, target: next(found))
    jit.while_waiting_for("reconstruct_plane", lambda: done.append("used"))
    jit._guard_cache(Kernel)
    assert Kernel._cache.load_overload(None, None) == "compiled"
    assert (done, jit._meanwhile) == (["used", "slept"], {})


@pytest.mark.parametrize(
    ("in_cache", "alive", "result"),
    [
        (["compiled"], [True], "compiled"),
        ([None, None, "compiled"], [True, True, True], "compiled"),
        ([None, "compiled"], [True, False], "compiled"),
        ([None, None], [True, False], None),
        ([None], [False], None),
    ],
    ids=["is there", "comes", "comes as the process ends", "process ends without", "process has ended"],
)
def test_kernel_compiled_elsewhere_is_waited_for(monkeypatch, in_cache, alive, result):
    """A kernel is looked for until it is in the cache or the process has ended, and once more then."""
    found, lives = iter(in_cache), iter(alive)

    class Cache:
        save_overload = None

    class Kernel:
        py_func = reconstruct_plane.py_func
        _cache = Cache()
        get_call_template = None

    monkeypatch.setattr(jit, "_elsewhere", {"reconstruct_plane": lambda: next(lives)})
    monkeypatch.setattr(jit, "sleep", lambda seconds: None)
    monkeypatch.setattr(jit, "_load", lambda kept, signature, target: next(found))
    jit._guard_cache(Kernel)
    assert Kernel._cache.load_overload(None, None) == result
    assert (list(found), list(lives), jit._elsewhere) == ([], [], {})


def test_second_process_compiles_what_the_first_calls():
    """An encode and a decode call the kernels with the types they were compiled for beside them."""
    subprocess.run([sys.executable, "-c", SIGNATURES_OF], check=True)
