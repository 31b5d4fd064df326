# mypy: disable-error-code="no-untyped-call,no-any-return,misc,attr-defined"
"""The code of kernels that only kernels call: numba would do for each what is left to those that are called (ADR 0033).

Numba optimizes the code of each function, with that of all that it calls, and turns it into machine code; of kernels
that are only linked into others that took half the time of compiling, for nothing.
"""

from typing import Any

from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering


class _LinkedCode(JITCodeLibrary):
    """LLVM code that is never run, but linked into that of its callers and optimized there."""

    def _optimize_final_module(self) -> None:
        """Do nothing."""

    def _finalize_final_module(self) -> None:
        """Make the code ready to be linked."""
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _InnerLowering(NativeLowering):
    """Generates such code, and has callers find it."""

    _name = "inner_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower the function."""
        state.library = _LinkedCode(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        state.flags.no_compile = True
        super().run_pass(state)
        lowered, no_address = state["cr"], 0
        description = lowered.fndesc
        entry = _dynfunc.make_function(
            description.lookup_module(), description.qualname, "", no_address, lowered.env, (state.library,)
        )
        state.targetctx.insert_user_function(entry, description, [state.library])
        state["cr"] = lowered._replace(cfunc=entry)
        return True


class InnerCompiler(CompilerBase):
    """Numba's compiler, for functions that only compiled ones call."""

    def define_pipelines(self) -> list[PassManager]:
        """Return the passes of any function, but for its lowering."""
        usual, passes = DefaultPassBuilder.define_nopython_pipeline(self.state), PassManager("inner")
        for each, text in usual.passes:
            passes.add_pass(_InnerLowering if each is NativeLowering else each, text)
        passes.finalize()
        return [passes]
