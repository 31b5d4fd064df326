"""The first use of a version compiles in two processes; neither compiles what the other has."""

import subprocess
import sys

import pytest
from tests.images import photo

import fdcodec
from fdcodec import first_use
from fdcodec.kernels import jit
from fdcodec.kernels.reconstruction_kernels import reconstruct_plane

SIGNATURES_OF = """
import sys
import fdcodec
from fdcodec.first_use import COMPILED_BESIDE, compile_kernels
from fdcodec.filtering import post
from fdcodec.kernels import colour_kernels, reconstruction_kernels

def signatures():
    rooms = (post, colour_kernels, reconstruction_kernels)
    return {name: next(getattr(r, name) for r in rooms if hasattr(r, name)).signatures for name in COMPILED_BESIDE}

compile_kernels()
before = signatures()
fdcodec.decode(sys.stdin.buffer.read())
assert all(before.values()), before
assert signatures() == before
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
        wait = None

        def __init__(self, command, **streams):
            assert streams["stdin"] == subprocess.PIPE
            commands.append(command)

    monkeypatch.setattr(first_use.subprocess, "Popen", Process)
    monkeypatch.setattr(first_use, "_usable_cores", lambda: 2)
    monkeypatch.setattr(jit, "_elsewhere", {})
    return commands


def test_no_second_process_for_lossless_files(started):
    """Where the first kernel is not one of lossy coding, nothing of lossy coding is compiled."""
    first_use.compile_beside("code_lossless_plane")
    assert (started, jit._elsewhere) == ([], {})


def test_no_second_process_on_one_core(started, monkeypatch):
    """One core has nothing beside."""
    monkeypatch.setattr(first_use, "_usable_cores", lambda: 1)
    first_use.compile_beside("compose_rotations")
    assert started == []


def test_second_process_runs_this_module(started):
    """The second process is this interpreter with the module and none of the user's directory; it is waited for."""
    first_use.compile_beside("compose_rotations")
    assert started == [[sys.executable, "-P", "-m", "fdcodec.first_use"]]
    assert set(jit._elsewhere) == set(first_use.COMPILED_BESIDE)


def test_process_that_does_not_end_is_left():
    """After some minutes this process compiles what it needs itself."""

    class Stuck:
        def wait(self, timeout):
            raise subprocess.TimeoutExpired("fdcodec", timeout)

    first_use._wait_for(Stuck())


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


def test_process_that_cannot_start_is_no_error(started, monkeypatch):
    """Where no process can be started, this one compiles everything."""

    def refuse(*command, **streams):
        raise OSError("no more processes")

    monkeypatch.setattr(first_use.subprocess, "Popen", refuse)
    first_use.compile_beside("compose_rotations")
    assert jit._elsewhere == {}


def test_kernel_compiled_elsewhere_is_waited_for(monkeypatch):
    """A kernel that is not in the cache is looked for again once the other process has ended, and only once."""
    found, waited = iter([None, "compiled", None]), []

    class Cache:
        def load_overload(self, signature, target):
            return next(found)

    class Kernel:
        py_func = reconstruct_plane.py_func
        _cache = Cache()
        get_call_template = None

    monkeypatch.setattr(jit, "_elsewhere", {})
    jit._wait_for_others(Kernel)
    jit.compiled_elsewhere(["reconstruct_plane"], lambda: waited.append(True))
    assert [Kernel._cache.load_overload(None, None) for _ in range(2)] == ["compiled", None]
    assert waited == [True]


def test_second_process_compiles_what_a_decode_calls():
    """A decode calls the kernels with the types they were compiled for beside it."""
    data = fdcodec.encode(photo(16, 16), transform="photo")
    subprocess.run([sys.executable, "-c", SIGNATURES_OF], input=data, check=True)
