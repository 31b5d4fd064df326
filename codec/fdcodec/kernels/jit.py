"""The one decorator through which every kernel is compiled.

Three things that would surprise a reader:

* The cache directory is named by a digest of all package sources, because numba does not notice an edited constant
  in an imported module and would go on using machine code with the old value (a wrong bitstream after an upgrade).
* `checked=True` compiles bounds checks in. It is for kernels whose indices come from a file; numba otherwise reads and
  writes any memory.
* Kernels compute with int64 and explicit masks, or with int32 arrays whose values provably fit, so that JIT and
  `NUMBA_DISABLE_JIT=1` give the same integers.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import numba
from numba.core import config

Function = TypeVar("Function", bound=Callable[..., object])

_PACKAGE = Path(__file__).parent.parent


def _source_digest() -> str:
    digest = sha256(f"{numba.__version__} {sys.version}".encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _writable_cache() -> Path:
    """Return the cache directory of this very source tree, in the user's cache or, failing that, a temporary one."""
    home = Path(os.environ.get("FDCODEC_CACHE_DIR") or Path.home() / ".cache" / "fdcodec")
    for base in (home, Path(tempfile.gettempdir()) / f"fdcodec-{os.getuid() if hasattr(os, 'getuid') else 'user'}"):
        directory = base / _source_digest()
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(directory, os.W_OK):
            return directory
    return Path(tempfile.mkdtemp(prefix="fdcodec-"))


CACHE_DIR = _writable_cache()


def kernel(*, checked: bool = False, inline: bool = False) -> Callable[[Function], Function]:
    """Compile a function to machine code: cached, without the GIL, without fastmath.

    Parameters
    ----------
    checked
        Compile bounds checks in; required wherever file data decides an index.
    inline
        Paste the function into its callers; for the few one-liners on the hottest paths.
    """

    def compile_function(function: Function) -> Function:
        saved, config.CACHE_DIR = config.CACHE_DIR, str(CACHE_DIR)
        try:
            compiled: Function = numba.njit(
                cache=True, fastmath=False, nogil=True, boundscheck=checked, inline="always" if inline else "never"
            )(function)
        finally:
            config.CACHE_DIR = saved
        return compiled

    return compile_function
