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

import os
import re
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config, event, types

Function = TypeVar("Function", bound=Callable[..., object])

_ROOT = Path(__file__).parent.parent.parent
_IMPORT = re.compile(r"^\s*(?:from|import) (fdcodec[\w.]*)(?: import (\w+))?", re.MULTILINE)


def _imported_files(path: Path) -> set[Path]:
    """Return a source file and all package files that it imports, directly or not."""
    found, waiting = {path}, [path]
    while waiting:
        for module, name in _IMPORT.findall(waiting.pop().read_text(encoding="utf-8")):
            base = _ROOT.joinpath(*module.split("."))
            for candidate in (base.with_suffix(".py"), base / "__init__.py", base / f"{name}.py"):
                if candidate.is_file() and candidate not in found:
                    found.add(candidate)
                    waiting.append(candidate)
    return found


def source_digest(path: Path) -> str:
    """Return a digest of everything that decides what the kernels of a source file compile to."""
    digest = sha256(f"{numba.__version__} {sys.version}".encode())
    for source in sorted(_imported_files(path)):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


@cache
def _cache_dir(path: Path) -> Path:
    """Return a writable cache directory for a source file, in the user's cache or, failing that, a temporary one."""
    home = Path(os.environ.get("FDCODEC_CACHE_DIR") or Path.home() / ".cache" / "fdcodec")
    user = os.getuid() if hasattr(os, "getuid") else "user"
    for base in (home, Path(tempfile.gettempdir()) / f"fdcodec-{user}"):
        directory = base / f"{path.stem}-{source_digest(path)}"
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(directory, os.W_OK):
            return directory
    return Path(tempfile.mkdtemp(prefix="fdcodec-"))


class _FirstCompilation(event.Listener):
    """Calls a function when numba compiles for the first time; what it finds in its cache it does not compile."""

    def __init__(self, call: Callable[[], object]) -> None:
        self._call: Callable[[], object] | None = call

    def on_start(self, event: event.Event) -> None:
        """Call the function, once."""
        call, self._call = self._call, None
        if call is not None:
            call()

    def on_end(self, event: event.Event) -> None:
        """Do nothing."""


def before_compiling(call: Callable[[], object]) -> None:
    """Call a function once, before the first kernel that is not in the cache is compiled."""
    event.register("numba:compile", _FirstCompilation(call))  # type: ignore[no-untyped-call]


def _widen_literals(compiled: Any) -> None:
    """Let a call with a constant use the int64 version of a kernel: numba would compile one version per constant."""
    if hasattr(compiled, "get_call_template"):
        original = compiled.get_call_template
        compiled.get_call_template = lambda args, kws: original(tuple(map(types.unliteral, args)), kws)


def kernel(*, checked: bool = False, inline: bool = False, allocates: bool = False) -> Callable[[Function], Function]:
    """Compile a function to machine code: cached, without the GIL, without fastmath.

    Parameters
    ----------
    checked
        Compile bounds checks in; required wherever file data decides an index.
    inline
        Paste the function into its callers; for the few one-liners on the hottest paths.
    allocates
        The kernel creates arrays, or calls one that does. Without it, references are not counted: the atomic counting
        made every call among kernels 30 ns slower. Forgetting it is a compile error, never a wrong result.
    """

    def compile_function(function: Function) -> Function:
        saved = config.CACHE_DIR  # type: ignore[attr-defined]
        config.CACHE_DIR = str(_cache_dir(Path(function.__code__.co_filename)))  # type: ignore[attr-defined]
        try:
            compiled: Function = numba.njit(  # type: ignore[call-overload]
                cache=True,
                fastmath=False,
                nogil=True,
                boundscheck=checked,
                inline="always" if inline else "never",
                _nrt=allocates,
            )(function)
        finally:
            config.CACHE_DIR = saved  # type: ignore[attr-defined]
        _widen_literals(compiled)
        return compiled

    return compile_function
