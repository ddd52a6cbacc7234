"""What compiled code shares: how it is compiled and cached, sizes known in advance, functions.

Kernels take bare arrays and check nothing. They are compiled by Numba when first called, and
kept on disk in a folder whose name carries a hash of their sources: a function's own file does
not tell of the functions that it calls. With NUMBA_DISABLE_JIT=1 they run as plain Python.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.extending import intrinsic, overload

from ulna.kernel_cache import KernelCache
from ulna.kernel_sources import fingerprint
from ulna.storage import cache_folder

Function = TypeVar("Function", bound=Callable[..., Any])

UNROLLED = 3  # links: arms of so many get code without loops

# Beside public options this uses four inner places of Numba (a library class, a compiler class, the
# option _nrt and a function's cache), so that the versions it may run with are bounded in
# pyproject.toml.

# Flags that assume away NaN would hide a simulation that diverges, and gain nothing.
OPTIONS = {"fastmath": {"contract"}, "error_model": "numpy", "nogil": True, "_nrt": False}


class _InnerLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code that is linked into kernels as it is, and optimised there, once and as a whole.

    Numba would optimise every function with all that it calls, and again in every caller, and
    LLVM would put all of them into one another: for an engine of a hundred functions that takes
    minutes.
    """

    def add_ir_module(self, ir_module: Any) -> None:
        for function in ir_module.functions:
            if not function.is_declaration and "alwaysinline" not in function.attributes:
                function.attributes.add("noinline")
                function.attributes.add("optsize")
        super().add_ir_module(ir_module)

    def _optimize_final_module(self) -> None:
        return

    def _finalize_final_module(self) -> None:
        self._finalized = True


class _InnerCompiler(Compiler):  # type: ignore[misc]
    """Stops where machine code would be made."""

    def define_pipelines(self) -> Any:
        state = self.state
        flags = state.flags
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        state.library = _InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().define_pipelines()

    def compile_extra(self, func: Any) -> Any:
        made = super().compile_extra(func)
        # Callers find a function by what Python would call. Python never calls this one, and
        # any built-in that is nobody else's stands for it.
        name = iter(()).__length_hint__  # type: ignore[attr-defined]
        self.state.targetctx.insert_user_function(name, made.fndesc, [made.library])
        return made._replace(entry_point=name)


def kernel(function: Function) -> Function:
    """Compile a function that Python calls, when it is first called, and keep it on disk."""
    made: Any = numba.njit(**OPTIONS)(function)
    if not numba.config.DISABLE_JIT:
        made._cache = KernelCache(function, folder(Path(inspect.getfile(function))))
    compiled: Function = made
    return compiled


def inner(function: Function) -> Function:
    """Compile a function as a part of the kernels that call it; Python cannot."""
    # Said aloud, because otherwise it would take after its caller.
    options = {**OPTIONS, "pipeline_class": _InnerCompiler, "forceinline": False}
    made: Function = numba.njit(**options)(function)
    return made


def inlined(function: Function) -> Function:
    """Compile an inner function into each of its callers: for the few that are hot."""
    options = {**OPTIONS, "pipeline_class": _InnerCompiler, "forceinline": True}
    made: Function = numba.njit(**options)(function)
    return made


@cache
def folder(file: Path) -> Path:
    """Give the folder for the compiled kernels of a file, one for every state of their sources."""
    return cache_folder() / f"kernels-{fingerprint(file)}"


def variant(compiled: Function, *arguments: Any) -> Function:
    """Give what to call a kernel by with arguments of these types, and no others."""
    return compiled


def size_of(n: int) -> Any:
    """Give n in the form that kernels take: for small arms a tuple, whose length is its type."""
    return (0,) * n if n <= UNROLLED else n


def count(size: Any) -> int:
    """Give n back; for a tuple the compiler knows it in advance and unrolls every loop."""
    return len(size) if isinstance(size, tuple) else int(size)


@overload(count, strict=False)  # type: ignore[untyped-decorator]
def _count(size: Any) -> Callable[[Any], int]:
    if isinstance(size, types.BaseTuple):
        known = len(size)
        return lambda size: known
    return lambda size: size


class Hook:
    """A kind of function that compiled code calls without having been compiled for it.

    `at = hook.at` is to be a global of the module: inside a kernel `at(address)` is the function.
    Passing the function itself would compile
    every kernel anew for each one, and unboxing it takes longer than a short run.
    """

    def __init__(self, result: Any, *arguments: Any) -> None:
        self.type = types.FunctionType(result(*arguments))
        self._plain: dict[int, Callable[..., Any]] = {}
        self.at = self._plain.__getitem__ if numba.config.DISABLE_JIT else _reader(self.type)

    def address(self, function: Callable[..., Any]) -> int:
        """Give the address of a kernel for this signature, compiled if need be."""
        if numba.config.DISABLE_JIT:
            return self.keep(function)
        made: Any = function
        result = made.get_compile_result(self.type.signature)
        return int(result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name))

    def keep(self, function: Callable[..., Any]) -> int:
        """Note a plain function, and give what stands for it."""
        self._plain[id(function)] = function
        return id(function)


def _reader(kind: types.FunctionType) -> Callable[[int], Any]:
    @intrinsic  # type: ignore[untyped-decorator]
    def function_at(typing: Any, address: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = context.get_value_type(types.voidptr)
            made = cgutils.create_struct_proxy(kind)(context, builder)
            made.c_addr = builder.inttoptr(arguments[0], pointer)
            made.py_addr = made.jit_addr = ir.Constant(pointer, None)
            return made._getvalue()

        return kind(types.int64), code

    reader: Callable[[int], Any] = function_at
    return reader
