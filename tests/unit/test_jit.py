"""The cache of compiled kernels follows every source that a kernel is made from."""

import shutil
from pathlib import Path
from types import FunctionType, SimpleNamespace

import pytest

from fdcodec.kernels import block_kernels, jit
from fdcodec.kernels.block_kernels import part_of

PACKAGE = Path(jit.__file__).parent.parent


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a copy of the package's sources, in which digests are taken."""
    copy = tmp_path / "fdcodec"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "presets"))
    monkeypatch.setattr(jit, "_ROOT", tmp_path)
    return copy


def edit(path, old, new):
    """Replace a text that is in a file."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def digest(package):
    """Return the digest of a kernel file that imports constants, contexts and other kernels, as they are now."""
    jit.parse_source.cache_clear()
    return jit.source_digest(package / "kernels" / "tree_syntax.py")


def test_same_sources_have_the_same_digest(package):
    """A copy of the sources has the digest of the original's content."""
    expected = digest(package)
    shutil.copytree(package, package.parent / "other")
    assert expected == digest(package)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("coding/constants.py", "MAX_UNARY = 15", "MAX_UNARY = 14"),
        ("coding/contexts.py", "END_BINS = 12", "END_BINS = 13"),
        ("kernels/range_coder.py", "MAX_COUNT = 63", "MAX_COUNT = 62"),
        ("kernels/level_syntax.py", "STRIDE = 34", "STRIDE = 35"),
    ],
)
def test_constant_of_an_imported_module_changes_the_digest(package, file, old, new):
    """An edited constant, in the file or in one that it imports, gives another digest; undone, the first again."""
    before = digest(package)
    edit(package / file, old, new)
    assert before != digest(package)
    edit(package / file, new, old)
    assert before == digest(package)


@pytest.mark.parametrize("file", ["choice.py", "kernels/lossless_kernels.py", "container/chunks.py"])
def test_module_that_is_not_imported_does_not_change_the_digest(package, file):
    """Editing a module that the kernel file does not import keeps its compiled code."""
    before = digest(package)
    with (package / file).open("a") as source:
        source.write("\nUNRELATED = 1\n")
    assert before == digest(package)


def test_only_the_first_compilation_is_told():
    """The function is called once, with the directory of the cache and the kernel, however many are compiled."""
    told = []
    listener = jit._FirstCompilation()
    listener.call = lambda *facts: told.append(facts)
    event = SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=part_of)})
    listener.on_start(event)
    listener.on_start(event)
    assert told == [(jit._cache_dir(Path(block_kernels.__file__)).parent, "part_of")]


def test_inner_kernel_is_python_to_python():
    """A kernel without an entry is called from Python as it is written, not refused and not a crash."""
    assert isinstance(part_of, FunctionType)
    assert part_of(8, 8, 3, block_kernels.LYING, 1) == (8, 12, 3, 2)
