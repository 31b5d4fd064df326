"""The one decorator through which every kernel is compiled.

Two things that would surprise a reader:

* `checked=True` compiles bounds checks in. It is for kernels whose indices come from a file; numba otherwise reads and
  writes any memory.
* Kernels compute with int64 and explicit masks, or with int32 arrays whose values provably fit, so that JIT and
  `NUMBA_DISABLE_JIT=1` give the same integers.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from time import sleep
from typing import Any, TypeVar

import numba
from numba.core import event, types
from numba.core.runtime import rtsys  # type: ignore[attr-defined]
from numba.extending import register_jitable

from fdcodec.kernels.code_cache import KernelCache, cache_dir
from fdcodec.kernels.inner_code import InnerCompiler

Function = TypeVar("Function", bound=Callable[..., object])


class _FirstCompilation(event.Listener):
    """Calls a function when numba compiles for the first time; what it finds in its cache it does not compile."""

    def __init__(self) -> None:
        self.call: Callable[[Path, str], object] | None = None
        self._is_over = False

    def on_start(self, event: event.Event) -> None:
        """Call the function, once, with the directory that keeps what is compiled, and the name of the kernel."""
        if self.call is not None and not self._is_over:
            function = event.data["dispatcher"].py_func
            self.call(cache_dir(Path(function.__code__.co_filename)).parent, function.__name__)
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
_meanwhile: dict[str, Callable[[], object]] = {}
_POLL_SECONDS = 0.05


def compiled_elsewhere(names: Iterable[str], goes_on: Callable[[], bool]) -> None:
    """Say which kernels another process compiles at the moment, and how to ask whether it still does."""
    _elsewhere.update(dict.fromkeys(names, goes_on))


def while_waiting_for(name: str, call: Callable[[], object]) -> None:
    """Say what to do, once, where a kernel that another process compiles is not there yet."""
    _meanwhile[name] = call


def _load(kept: Any, signature: object, target: object) -> object:
    """Return what a kernel's cache holds; load_overload would first import all that compiling needs, 0.2 to 0.4 s."""
    rtsys.initialize(target)
    with kept._guard_against_spurious_io_errors():
        return kept._load_overload(signature, target)


def _guard_cache(compiled: Any) -> None:
    """Take a kernel that another process compiles as soon as it is there; do without a cache, damaged or full."""
    kept, save = compiled._cache, compiled._cache.save_overload

    def load_or_none(signature: object, target: object) -> object:
        try:
            return _load(kept, signature, target)
        except Exception:  # unpickling what is damaged raises nearly anything
            with suppress(OSError):
                kept.flush()
            return None

    def load_or_wait(signature: object, target: object) -> object:
        name = compiled.py_func.__name__
        goes_on = _elsewhere.pop(name, lambda: False)
        may_come = goes_on()  # asked before the cache is: the kernel may come in between
        while (found := load_or_none(signature, target)) is None and may_come:
            _meanwhile.pop(name, partial(sleep, _POLL_SECONDS))()
            may_come = goes_on()
        return found

    def save_if_possible(signature: object, data: object) -> None:
        with suppress(OSError):
            save(signature, data)

    kept.load_overload, kept.save_overload = load_or_wait, save_if_possible


def _widen_literals(compiled: Any) -> None:
    """Let a call with a constant use the int64 version of a kernel: numba would compile one version per constant."""
    original = compiled.get_call_template
    compiled.get_call_template = lambda args, kws: original(tuple(map(types.unliteral, args)), kws)


def _compile_entry(function: Function, options: dict[str, Any]) -> Function:
    """Return a function that Python and other kernels call, kept in the cache."""
    compiled: Function = numba.njit(**options)(function)
    if compiled is not function:  # as it is with NUMBA_DISABLE_JIT=1
        dispatcher: Any = compiled
        dispatcher._cache = KernelCache(function)
        _widen_literals(dispatcher)
        _guard_cache(dispatcher)
    return compiled


def kernel(
    *, checked: bool = False, inline: bool = False, merged: bool = False, allocates: bool = False, inner: bool = False
) -> Callable[[Function], Function]:
    """Compile a function to machine code: cached, without the GIL, without fastmath.

    Parameters
    ----------
    checked
        Compile bounds checks in; required wherever file data decides an index. What the syntax has bounded, such as the
        modes and sizes that reconstruction reads from maps, is no longer file data.
    inline
        Paste the function into its callers, whose `checked` then counts: for large kernels with one caller, since what
        a kernel calls is optimized again with it, so that each level of calls costs as much to compile as all below.
    merged
        LLVM puts the kernel's code into that of its callers. For what is called for each bin, mode or block: a call
        hands over each field of each array, some hundred numbers where maps are among them. Pasted so, a kernel would
        be typed again in each place, which took half the time that a decoder's kernels took to compile (ADR 0025).
    allocates
        The kernel creates arrays, copies one into a slice of another, or calls one that does. Without it, references
        are not counted: the atomic counting made every call among kernels 30 ns slower. Forgetting it is a compile
        error, never a wrong result.
    inner
        Only kernels call it, as is so of merged ones and wherever the name begins with an underscore: it has no entry
        from Python, no machine code and no place of its own in the cache, which cost as much to compile as the kernel.
        Called from Python, it is Python.
    """

    def compile_function(function: Function) -> Function:
        options = {
            "fastmath": False,
            "nogil": True,
            "boundscheck": checked,
            "inline": "always" if inline else "never",
            "no_cfunc_wrapper": True,
            "_nrt": allocates,
            "forceinline": merged,
        }
        is_inner = inner or merged or function.__name__.startswith("_")
        if is_inner and not inline:  # pasted so, numba types it over and over
            compiled: Function = register_jitable(pipeline_class=InnerCompiler, **options)(function)
            return compiled
        return _compile_entry(function, options)

    return compile_function
