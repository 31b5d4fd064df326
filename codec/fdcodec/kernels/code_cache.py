"""Where compiled kernels are kept.

The cache directory of a kernel is named by a digest of its source file and of every package file that it imports,
directly or not, because numba does not notice an edited constant in an imported module and would go on using machine
code with the old value (a wrong bitstream after an upgrade). So it holds wherever the package lies and whatever the
times of its files; numba's own places go by both, and must be writable, as that of a container's image need not be.
"""

import atexit
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

import numba
from numba.core import caching

_ROOT = Path(__file__).parent.parent.parent
_ROOM_BYTES = 2**20  # of about the largest kernel
_IMPORT = re.compile(r"^\s*(?:from|import) (fdcodec[\w.]*)(?: import (\w+))?", re.MULTILINE)


@cache
def parse_source(path: Path) -> tuple[bytes, tuple[Path, ...]]:
    """Return a digest of a source file, and the package files that it imports itself; each is read once a process."""
    source = path.read_bytes()
    bases = [(_ROOT.joinpath(*module.split(".")), name) for module, name in _IMPORT.findall(source.decode())]
    candidates = [
        file for base, name in bases for file in (base.with_suffix(".py"), base / "__init__.py", base / f"{name}.py")
    ]
    return sha256(source).digest(), tuple(file for file in candidates if file.is_file())


def _imported_files(path: Path) -> set[Path]:
    """Return a source file and all package files that it imports, directly or not."""
    found, waiting = {path}, [path]
    while waiting:
        new = {file for file in parse_source(waiting.pop())[1] if file not in found}
        found |= new
        waiting += new
    return found


def source_digest(path: Path) -> str:
    """Return a digest of everything that decides what the kernels of a source file compile to."""
    digest = sha256(f"{numba.__version__} {sys.version}".encode())
    for source in sorted(_imported_files(path)):
        digest.update(parse_source(source)[0])
    return digest.hexdigest()[:16]


@cache
def cache_dir(path: Path) -> Path:
    """Return the cache directory of a source file, in the user's cache or, failing that, a temporary one.

    It is one that can be written, or one that has been: of a container's image, say.
    """
    name = f"{path.stem}-{source_digest(path)}"
    for base in (_users_cache, _shared_temporary):
        with suppress(OSError, RuntimeError):  # RuntimeError: of a user without a home directory
            directory = base() / name
            directory.mkdir(parents=True, exist_ok=True)
            if os.access(directory, os.W_OK) or any(directory.glob("*.nbi")):
                return directory
    return _private_temporary()


def _users_cache() -> Path:
    return Path(os.environ.get("FDCODEC_CACHE_DIR") or "~/.cache/fdcodec").expanduser()


def _shared_temporary() -> Path:
    user = os.getuid() if hasattr(os, "getuid") else "user"
    directory = Path(tempfile.gettempdir()) / f"fdcodec-{user}"
    _claim(directory)
    return directory


@cache
def _private_temporary() -> Path:
    """Return a directory of this process, which is removed with it."""
    directory = tempfile.mkdtemp(prefix="fdcodec-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return Path(directory)


def is_code_kept() -> bool:
    """Tell whether the next process finds what this one compiles."""
    return _private_temporary.cache_info().currsize == 0


def has_room(directory: Path) -> bool:
    """Tell whether a kernel can be written into a directory."""
    try:
        with tempfile.TemporaryFile(dir=directory) as file:
            file.write(bytes(_ROOM_BYTES))
    except OSError:
        return False
    return True


def _claim(directory: Path) -> None:
    """Make a directory beside those of others; OSError unless it is this user's alone: numba runs what is in it."""
    directory.mkdir(mode=0o700, exist_ok=True)
    if not hasattr(os, "getuid"):
        return  # a system where each user has a temporary directory
    found = directory.lstat()  # of a link itself
    others_write = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or others_write:
        raise PermissionError(f"{directory} is not a directory of this user alone")


class _Locator(caching._CacheLocator):
    """Tells numba where a function is kept."""

    def __init__(self, function: Callable[..., object], path: str) -> None:
        self._directory = cache_dir(Path(path))
        self._line = function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, py_func: Callable[..., object], py_file: str) -> "_Locator":
        """Return the locator of a function and its source file."""
        return cls(py_func, py_file)

    def ensure_cache_path(self) -> None:
        """Make the directory, should it be gone by now."""
        self._directory.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        """Return the directory."""
        return str(self._directory)

    def get_source_stamp(self) -> str:
        """Return what the source must be beside that: nothing, as the directory is named by it."""
        return ""

    def get_disambiguator(self) -> str:
        """Return what tells functions of one name in one file apart."""
        return str(self._line)


class _Entries(caching.CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012 -- as numba has it


class KernelCache(caching.FunctionCache):
    """Numba's cache of one function, in the directory of its source file."""

    _impl_class = _Entries
