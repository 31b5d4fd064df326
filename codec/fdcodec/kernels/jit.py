"""The one decorator through which every kernel is compiled.

Three things that would surprise a reader:

* The cache directory of a kernel is named by a digest of its source file and of every package file that it imports,
  directly or not, because numba does not notice an edited constant in an imported module and would go on using machine
  code with the old value (a wrong bitstream after an upgrade).
* `checked=True` compiles bounds checks in. It is for kernels whose indices come from a file; numba otherwise reads and
  writes any memory.
* Kernels compute with int64 and explicit masks, or with int32 arrays whose values provably fit, so that JIT and
  `NUMBA_DISABLE_JIT=1` give the same integers.
"""

import atexit
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from time import sleep
from typing import Any, TypeVar

import numba
from numba.core import config, event, types
from numba.core.runtime import rtsys  # type: ignore[attr-defined]
from numba.extending import register_jitable

Function = TypeVar("Function", bound=Callable[..., object])

_ROOT = Path(__file__).parent.parent.parent
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
def _cache_dir(path: Path) -> Path:
    """Return a writable cache directory for a source file, in the user's cache or, failing that, a temporary one."""
    name = f"{path.stem}-{source_digest(path)}"
    for base in (_users_cache, _shared_temporary):
        with suppress(OSError, RuntimeError):  # RuntimeError: of a user without a home directory
            directory = base() / name
            directory.mkdir(parents=True, exist_ok=True)
            if os.access(directory, os.W_OK):
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


def _claim(directory: Path) -> None:
    """Make a directory beside those of others; OSError unless it is this user's alone: numba runs what is in it."""
    directory.mkdir(mode=0o700, exist_ok=True)
    if not hasattr(os, "getuid"):
        return  # a system where each user has a temporary directory
    found = directory.lstat()  # of a link itself
    others_write = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or others_write:
        raise PermissionError(f"{directory} is not a directory of this user alone")


class _FirstCompilation(event.Listener):
    """Calls a function when numba compiles for the first time; what it finds in its cache it does not compile."""

    def __init__(self) -> None:
        self.call: Callable[[Path, str], object] | None = None
        self._is_over = False

    def on_start(self, event: event.Event) -> None:
        """Call the function, once, with the directory that keeps what is compiled, and the name of the kernel."""
        if self.call is not None and not self._is_over:
            function = event.data["dispatcher"].py_func
            self.call(_cache_dir(Path(function.__code__.co_filename)).parent, function.__name__)
        self._is_over = True

    def on_end(self, event: event.Event) -> None:
        """Do nothing."""


@cache
def _first_compilation() -> _FirstCompilation:
    """Return the one listener of the process."""
    listener = _FirstCompilation()
    event.register("numba:compile", listener)  # type: ignore[no-untyped-call]
    return listener


def before_compiling(call: Callable[[Path, str], object]) -> None:
    """Call a function before the process's first kernel that is not in the cache is compiled; the last one given."""
    _first_compilation().call = call


_elsewhere: dict[str, Callable[[], bool]] = {}
_POLL_SECONDS = 0.05


def compiled_elsewhere(names: Iterable[str], goes_on: Callable[[], bool]) -> None:
    """Say which kernels another process compiles at the moment, and how to ask whether it still does."""
    _elsewhere.update(dict.fromkeys(names, goes_on))


def _load(kept: Any, signature: object, target: object) -> object:
    """Return what a kernel's cache holds; load_overload would first import all that compiling needs, 0.2 to 0.4 s."""
    rtsys.initialize(target)
    with kept._guard_against_spurious_io_errors():
        return kept._load_overload(signature, target)


def _guard_cache(compiled: Any) -> None:
    """Take a kernel that another process compiles as soon as it is there; do without a cache, damaged or full."""
    if not hasattr(compiled, "get_call_template"):
        return
    kept, save = compiled._cache, compiled._cache.save_overload

    def load_or_none(signature: object, target: object) -> object:
        try:
            return _load(kept, signature, target)
        except Exception:  # unpickling what is damaged raises nearly anything
            with suppress(OSError):
                kept.flush()
            return None

    def load_or_wait(signature: object, target: object) -> object:
        goes_on = _elsewhere.pop(compiled.py_func.__name__, lambda: False)
        may_come = goes_on()  # asked before the cache is: the kernel may come in between
        while (found := load_or_none(signature, target)) is None and may_come:
            sleep(_POLL_SECONDS)
            may_come = goes_on()
        return found

    def save_if_possible(signature: object, data: object) -> None:
        with suppress(OSError):
            save(signature, data)

    kept.load_overload, kept.save_overload = load_or_wait, save_if_possible


def _widen_literals(compiled: Any) -> None:
    """Let a call with a constant use the int64 version of a kernel: numba would compile one version per constant."""
    if hasattr(compiled, "get_call_template"):
        original = compiled.get_call_template
        compiled.get_call_template = lambda args, kws: original(tuple(map(types.unliteral, args)), kws)


def _compile_entry(function: Function, options: dict[str, Any]) -> Function:
    """Return a function that Python and other kernels call, kept in the cache."""
    saved = config.CACHE_DIR  # type: ignore[attr-defined]
    config.CACHE_DIR = str(_cache_dir(Path(function.__code__.co_filename)))  # type: ignore[attr-defined]
    try:
        compiled: Function = numba.njit(cache=True, **options)(function)
    finally:
        config.CACHE_DIR = saved  # type: ignore[attr-defined]
    _widen_literals(compiled)
    _guard_cache(compiled)
    return compiled


def kernel(
    *, checked: bool = False, inline: bool = False, allocates: bool = False, inner: bool = False
) -> Callable[[Function], Function]:
    """Compile a function to machine code: cached, without the GIL, without fastmath.

    Parameters
    ----------
    checked
        Compile bounds checks in; required wherever file data decides an index.
    inline
        Paste the function into its callers, whose `checked` then counts; for the few one-liners on the hottest paths,
        and for large kernels with one caller: what a kernel calls is optimized again with it, so each level of calls
        costs as much as all below.
    allocates
        The kernel creates arrays, or calls one that does. Without it, references are not counted: the atomic counting
        made every call among kernels 30 ns slower. Forgetting it is a compile error, never a wrong result.
    inner
        Only kernels call it, as is so wherever the name begins with an underscore: it has no entry from Python and no
        place of its own in the cache, which cost as much to compile as the kernel. Called from Python, it is Python.
    """

    def compile_function(function: Function) -> Function:
        options = {
            "fastmath": False,
            "nogil": True,
            "boundscheck": checked,
            "inline": "always" if inline else "never",
            "no_cfunc_wrapper": True,
            "_nrt": allocates,
        }
        if (inner or function.__name__.startswith("_")) and not inline:  # pasted so, numba types it over and over
            compiled: Function = register_jitable(**options)(function)
            return compiled
        return _compile_entry(function, options)

    return compile_function
