"""The cache of compiled kernels follows every source that a kernel is made from."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import FunctionType, SimpleNamespace

import numba
import pytest
from numba.core.codegen import JITCodeLibrary

from fdcodec.kernels import code_cache, jit
from fdcodec.kernels.reconstruction import blocks
from fdcodec.kernels.reconstruction.blocks import part_of

PACKAGE = Path(jit.__file__).parent.parent


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a copy of the package's sources, in which digests are taken."""
    copy = tmp_path / "fdcodec"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "presets"))
    monkeypatch.setattr(code_cache, "_ROOT", tmp_path)
    return copy


def edit(path, old, new):
    """Replace a text that is in a file."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def digest(package):
    """Return the digest of a kernel file that imports constants, contexts and other kernels, as they are now."""
    code_cache.parse_source.cache_clear()
    return code_cache.source_digest(package / "kernels" / "syntax" / "trees.py")


def test_same_sources_have_the_same_digest(package):
    """A copy of the sources has the digest of the original's content."""
    expected = digest(package)
    shutil.copytree(package, package.parent / "other")
    assert expected == digest(package)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("format/constants.py", "MAX_UNARY = 15", "MAX_UNARY = 14"),
        ("format/contexts.py", "END_BINS = 12", "END_BINS = 13"),
        ("kernels/syntax/interval.py", "CODER_FIELDS = 4", "CODER_FIELDS = 5"),
        ("kernels/syntax/levels.py", "STRIDE = 34", "STRIDE = 35"),
    ],
)
def test_constant_of_an_imported_module_changes_the_digest(package, file, old, new):
    """An edited constant, in the file or in one that it imports, gives another digest; undone, the first again."""
    before = digest(package)
    edit(package / file, old, new)
    assert before != digest(package)
    edit(package / file, new, old)
    assert before == digest(package)


@pytest.mark.parametrize("file", ["choice.py", "kernels/lossless/planes.py", "container/chunks.py"])
def test_module_that_is_not_imported_does_not_change_the_digest(package, file):
    """Editing a module that the kernel file does not import keeps its compiled code."""
    before = digest(package)
    with (package / file).open("a") as source:
        source.write("\nUNRELATED = 1\n")
    assert before == digest(package)


@pytest.fixture
def fallback(tmp_path, monkeypatch):
    """Return the cache directory that is taken where the user's own cannot be written; it is not there yet."""
    if not hasattr(os, "getuid"):
        pytest.skip("each user has a temporary directory")
    (tmp_path / "file").touch()
    monkeypatch.setenv("FDCODEC_CACHE_DIR", str(tmp_path / "file" / "none"))
    monkeypatch.setattr(code_cache.tempfile, "tempdir", str(tmp_path))
    code_cache._private_temporary.cache_clear()
    yield tmp_path / f"fdcodec-{os.getuid()}"
    code_cache._private_temporary.cache_clear()


def cache_dir():
    """Return the cache directory of a kernel file, chosen anew."""
    return code_cache.cache_dir.__wrapped__(Path(blocks.__file__))


def test_fallback_is_made_for_this_user_alone(fallback):
    """The cache in the temporary directory can be read and written by its user only, and is used again."""
    before = os.umask(0)
    assert cache_dir().parent == fallback
    os.umask(before)
    assert fallback.stat().st_mode & 0o777 == 0o700
    assert cache_dir().parent == fallback


@pytest.mark.parametrize("mode", [0o770, 0o702])
def test_fallback_that_others_write_is_not_used(fallback, mode):
    """What others can write is not run."""
    fallback.mkdir()
    fallback.chmod(mode)
    assert cache_dir().parent == fallback.parent
    assert list(fallback.iterdir()) == []


def test_fallback_that_is_a_link_or_a_file_is_not_used(fallback, tmp_path):
    """A link may lead to what others write."""
    (tmp_path / "own").mkdir(mode=0o700)
    fallback.symlink_to(tmp_path / "own")
    assert cache_dir().parent == tmp_path
    assert list((tmp_path / "own").iterdir()) == []
    fallback.unlink()
    fallback.touch()
    assert cache_dir().parent == tmp_path


def test_fallback_of_another_user_is_not_used(fallback, monkeypatch):
    """A directory of this name that another user has made is left alone."""
    other = os.getuid() + 1
    monkeypatch.setattr(code_cache.os, "getuid", lambda: other)
    assert cache_dir().parent == fallback.parent
    assert list(fallback.with_name(f"fdcodec-{other}").iterdir()) == []


def test_last_resort_is_one_directory_that_goes_with_the_process(fallback):
    """Where no other directory will do, all kernels share one, which is removed at exit."""
    fallback.touch()
    program = (
        "from fdcodec.kernels.code_cache import _ROOT, cache_dir; "
        "print(*{cache_dir(path) for path in list(_ROOT.rglob('*.py'))[:9]}, sep='\\n')"
    )
    environment = {**os.environ, "TMPDIR": str(fallback.parent)}
    printed = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True).stdout
    assert len(printed.splitlines()) == 1
    assert not Path(printed.decode().strip()).exists()


def test_home_that_is_not_known_is_no_error(fallback, monkeypatch):
    """A user without a home directory has a cache in the temporary one."""

    def refuse(path):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("FDCODEC_CACHE_DIR")
    monkeypatch.setattr(code_cache.Path, "expanduser", refuse)
    assert cache_dir().parent == fallback


def test_cache_that_cannot_be_written_is_read(fallback, monkeypatch, tmp_path):
    """A directory that holds compiled code is used as it is, as in a container; an empty one is not."""
    monkeypatch.setenv("FDCODEC_CACHE_DIR", str(tmp_path / "own"))
    own = cache_dir()
    monkeypatch.setattr(code_cache.os, "access", lambda path, mode: not own.samefile(path))
    assert cache_dir().parent == fallback
    (own / "kernel.nbi").touch()
    assert cache_dir() == own


@pytest.mark.parametrize(("value", "below"), [("~/x", "x"), ("", ".cache/fdcodec")])
def test_tilde_is_the_home_directory(monkeypatch, tmp_path, value, below):
    """A tilde that no shell has expanded is none in a name; without the variable the cache is the user's own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("FDCODEC_CACHE_DIR", value)
    assert cache_dir().parent == tmp_path / below


def run_kernel(directory, before=""):
    """Run a kernel in a new process with a cache directory; return how many it took from there."""
    program = "from fdcodec.kernels.lossless.guesses import bit_length as k; k(5); print(len(k.stats.cache_hits))"
    program = f"{before}\n{program}"
    environment = {**os.environ, "FDCODEC_CACHE_DIR": str(directory)}
    return int(subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True).stdout)


READ_ONLY = """
import os, tempfile
def refuse(*arguments, **options):
    raise OSError(30, "Read-only file system")
os.access, tempfile.TemporaryFile = lambda path, mode: False, refuse
"""


def test_code_of_a_read_only_cache_is_run(tmp_path):
    """Code that was compiled into a directory is taken from it where nothing can be written any more."""
    run_kernel(tmp_path)
    assert run_kernel(tmp_path, READ_ONLY) == 1


def test_code_is_found_wherever_the_package_lies(tmp_path):
    """A copy of the package, with other times, has the code of the first: a digest of the sources tells that."""
    copied = shutil.copytree(code_cache._ROOT, tmp_path / "elsewhere", copy_function=shutil.copyfile)
    run_kernel(tmp_path / "code")
    assert run_kernel(tmp_path / "code", f"import sys; sys.path.insert(0, {str(copied)!r})") == 1


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("length", [0, 40])
def test_damaged_cache_is_made_again(tmp_path, suffix, length):
    """A file of the cache that was cut short, as by a loss of power, costs one compilation."""
    run_kernel(tmp_path)
    for file in tmp_path.rglob(f"*.{suffix}"):
        file.write_bytes(file.read_bytes()[:length])
    assert [run_kernel(tmp_path) for _ in range(2)] == [0, 1]


def test_cache_that_is_full_is_done_without():
    """Where the compiled code cannot be kept, it is used all the same."""

    class Cache:
        def save_overload(self, signature, data):
            raise OSError(28, "No space left on device")

    kernel = SimpleNamespace(py_func=part_of, _cache=Cache(), get_call_template=None)
    jit._guard_cache(kernel)
    kernel._cache.save_overload(None, None)


def test_compiled_code_runs_without_what_compiles():
    """An encode whose kernels are all in the cache imports neither numba's array library nor SciPy's algebra."""
    program = (
        "import sys, numpy, fdcodec; fdcodec.encode(numpy.zeros((8, 8, 3), 'uint8'), transform='dct'); "
        "print({'numba.np.arraymath', 'scipy.linalg'} & set(sys.modules))"
    )
    printed = [subprocess.run([sys.executable, "-c", program], capture_output=True).stdout for _ in range(2)]
    assert printed[1].strip() == b"set()"


def test_only_the_first_compilation_is_told():
    """The function is called once, with the directory of the cache and the kernel, however many are compiled."""
    told = []
    listener = jit._FirstCompilation()
    listener.call = lambda *facts: told.append(facts)
    event = SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=part_of)})
    listener.on_start(event)
    listener.on_start(event)
    assert told == [(code_cache.cache_dir(Path(blocks.__file__)).parent, "part_of")]


def test_inner_kernel_is_python_to_python():
    """A kernel without an entry is called from Python as it is written, not refused and not a crash."""
    assert isinstance(part_of, FunctionType)
    assert part_of(8, 8, 3, blocks.LYING, 1) == (8, 12, 3, 2)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_inner_kernel_has_no_machine_code_of_its_own(monkeypatch):
    """A kernel that calls others is one piece of machine code, which does what they do."""

    @numba.njit
    def lower_half(x, y):
        return part_of(x, y, 3, blocks.LYING, 1)

    made, finalize = [], JITCodeLibrary._finalize_specific

    def note(library):
        made.append(library.name)
        finalize(library)

    monkeypatch.setattr(JITCodeLibrary, "_finalize_specific", note)
    assert lower_half(8, 8) == part_of(8, 8, 3, blocks.LYING, 1)
    ours = [name.rpartition(".")[2] for name in made]
    assert [name for name in ours if name in ("part_of", "lower_half")] == ["lower_half"]
