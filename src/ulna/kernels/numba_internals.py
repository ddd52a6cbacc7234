"""Numba's inner places: all that ulna uses of them, and the only module that does.

Beside public options these are a library class, a compiler class and its passes, templates of
types, the calling convention, the layout of arrays, events of the compiler, and the option _nrt. So
the versions of Numba that ulna may run with are bounded in pyproject.toml.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import numba
from llvmlite import binding as llvm
from llvmlite import ir
from numba import types
from numba.core import event
from numba.core.cgutils import (
    alloca_once,
    create_struct_proxy,
    gep_inbounds,
    get_or_insert_function,
    normalize_ir_text,
    pack_array,
    unpack_tuple,
)
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager
from numba.core.typeconv import Conversion
from numba.core.typed_passes import (
    AnnotateTypes,
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.core.untyped_passes import (
    DeadBranchPrune,
    FixupArgs,
    GenericRewrites,
    IRProcessing,
    ReconstructSSA,
    RewriteSemanticConstants,
    TranslateByteCode,
)
from numba.extending import lower_builtin

__all__ = [
    "OPTIONS", "Conversion", "TypedFunction", "alloca_once", "call_typed", "contiguous_array",
    "declared", "function_type", "gep_inbounds", "global_compiler_lock", "inner_type", "linked",
    "poll_between_passes",
    "register_lowering", "register_typing", "signature", "struct_of", "type_function",
    "typing_listeners", "unpack_tuple",
]  # fmt: skip

Function = TypeVar("Function", bound=Callable[..., Any])

# Flags that assume away NaN would hide a simulation that diverges, and gain nothing.
OPTIONS = {"fastmath": {"contract"}, "error_model": "numpy", "nogil": True, "_nrt": False}

# Of Numba's passes those that plain loops over numbers and arrays need: no closures, no objects, no
# parallel loops, no expressions of whole arrays.
PASSES = (
    TranslateByteCode, FixupArgs, IRProcessing, RewriteSemanticConstants, DeadBranchPrune,
    GenericRewrites, ReconstructSSA, DeadBranchPrune, NopythonTypeInference, PreLowerStripPhis,
    IRLegalization, AnnotateTypes, NativeLowering, NoPythonBackend,
)  # fmt: skip

_dispatchers: list[Any] = []  # their types do not keep them alive
typing_listeners: list[Callable[[str], None]] = []  # called with every function that was typed


class _InnerLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code of one function, kept as text until a kernel is put together of all that it needs.

    Numba would link every function with all that it calls, optimise that, and do so again in every
    caller: for an engine of a hundred functions that takes minutes.
    """

    attributes: tuple[str, ...] = ("noinline", "optsize")

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.texts: list[str] = []
        self.shared: Any = None  # one module of it and all that it calls

    def add_ir_module(self, ir_module: Any) -> None:
        for function in ir_module.functions:
            if not function.is_declaration and "alwaysinline" not in function.attributes:
                for attribute in self.attributes:
                    function.attributes.add(attribute)
        self.texts.append(normalize_ir_text(str(ir_module)))

    def finalize(self) -> None:
        self._finalized = True

    def add_linking_library(self, library: Any) -> None:
        self._linking_libraries.append(library)

    def _get_module_for_linking(self) -> Any:
        # Asked for by functions that are compiled as Numba usually does.
        if self.shared is None:
            self.shared = linked(self)
            for function in self.shared.functions:
                if not function.is_declaration and function.linkage == llvm.Linkage.external:
                    function.linkage = "linkonce_odr"
        return self.shared


class _KernelLibrary(_InnerLibrary):
    """Code of a kernel itself, which LLVM may put into what leads to it."""

    attributes = ()


class _InnerCompiler(Compiler):  # type: ignore[misc]
    """Stops where machine code would be made."""

    library: Any = _InnerLibrary

    def define_pipelines(self) -> Any:
        state = self.state
        flags = state.flags
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        passes = PassManager("kernel")
        for one in PASSES:
            passes.add_pass(one, one.__name__)
        passes.finalize()
        return [passes]

    def compile_extra(self, func: Any) -> Any:
        made = super().compile_extra(func)
        # Callers find a function by what Python would call. Python never calls this one, and
        # any built-in that is nobody else's stands for it.
        name = iter(()).__length_hint__  # type: ignore[attr-defined]
        self.state.targetctx.insert_user_function(name, made.fndesc, [made.library])
        for on_typed in typing_listeners:
            on_typed(func.__qualname__)
        return made._replace(entry_point=name)


class _KernelCompiler(_InnerCompiler):
    library = _KernelLibrary


def inner_type(function: Callable[..., Any], *, is_inlined: bool) -> Any:
    """Return the type by which Numba knows an inner function."""
    # Explicit, because the default is that of the caller.
    options = {"pipeline_class": _InnerCompiler, "forceinline": is_inlined}
    made = numba.njit(**OPTIONS, **options)(function)
    _dispatchers.append(made)
    return made._numba_type_


class TypedFunction(NamedTuple):
    """A function that Numba has typed, for arguments of certain kinds."""

    context: Any  # what builds code of its kinds
    library: Any  # its code
    module: Any  # an empty one, for what leads into it
    function: Any  # its declaration there
    kinds: tuple[Any, ...]
    result: Any


def type_function(
    source: Callable[..., Any], kinds: tuple[Any, ...], name: str, on_typed: Callable[[str], None]
) -> TypedFunction:
    """Type a function, with all that it calls; `on_typed` is called with the name of each."""
    options = {**OPTIONS, "pipeline_class": _KernelCompiler, "forceinline": False}
    dispatcher = numba.njit(**options)(source)
    with _counted(on_typed):
        dispatcher.compile(kinds)
    made = dispatcher.overloads[kinds]
    context, library = made.target_context, made.library
    args, result = made.signature.args, made.signature.return_type
    module = library.codegen._create_empty_module(f"{name} entry")
    shape = context.call_conv.get_function_type(result, args)
    function = ir.Function(module, shape, made.fndesc.llvm_func_name)
    return TypedFunction(context, library, module, function, args, result)


@contextmanager
def _counted(on_typed: Callable[[str], None]) -> Iterator[None]:
    typing_listeners.append(on_typed)
    try:
        yield
    finally:
        typing_listeners.remove(on_typed)


def call_typed(made: TypedFunction, builder: Any, values: Any) -> Any:
    """Call a function by Numba's convention; its errors show in its result alone."""
    convention = made.context.call_conv
    _, found = convention.call_function(builder, made.function, made.result, made.kinds, values)
    return found


def linked(library: Any, *modules: Any) -> Any:
    """Return one module of a function's code, of all that it calls, and of further modules."""
    made = llvm.parse_assembly("\n".join(normalize_ir_text(str(one)) for one in modules))
    seen, ahead = set[Any](), [library]
    while ahead:
        here = ahead.pop()
        if here in seen:
            continue
        seen.add(here)
        if not isinstance(here, _InnerLibrary):
            made.link_in(here._get_module_for_linking(), preserve=True)
            continue
        for text in here.texts:
            made.link_in(llvm.parse_assembly(text))
        ahead += here._linking_libraries
    return made


def register_typing(function: Any, typed: Callable[[Any, tuple[Any, ...]], Any]) -> None:
    """Register the types that a function takes and returns."""

    @infer_global(function)
    class RegisteredTemplate(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Any, kws: Any) -> Any:
            return typed(self.context, args)


def register_lowering(function: Any, *kinds: Any) -> Callable[[Function], Function]:
    """Register the lowering of a function for arguments of these types."""
    made: Callable[[Function], Function] = lower_builtin(function, *kinds)
    return made


def function_type(called: Any, typed: Callable[[tuple[Any, ...]], Any]) -> Any:
    """Return the type of something that kernels call; `typed` returns the signature of a call."""

    class CallTemplate(AbstractTemplate):  # type: ignore[misc]
        key = called

        def generic(self, args: Any, kws: Any) -> Any:
            return typed(args)

    return types.Function(CallTemplate)


def declared(module: Any, name: str, result: Any, *arguments: Any) -> Any:
    """Return a function of a module, declared unless it is."""
    return get_or_insert_function(module, ir.FunctionType(result, arguments), name)


def struct_of(context: Any, builder: Any, kind: Any, value: Any = None) -> Any:
    """Return a value with named fields, such as an array's `data` and `shape`."""
    make = create_struct_proxy(kind)
    return make(context, builder) if value is None else make(context, builder, value=value)


def contiguous_array(
    context: Any, builder: Any, kind: Any, data: Any, shape: Any, owner: Any = None
) -> Any:
    """Return an array without gaps; its memory is that of an owner, another array, or nobody's."""
    made = struct_of(context, builder, kind)
    item = context.get_data_type(kind.dtype)
    size = context.get_constant(types.intp, context.get_abi_sizeof(item))
    strides, count = [size], shape[0]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
        count = builder.mul(count, length)
    made.meminfo = ir.Constant(made.meminfo.type, None) if owner is None else owner.meminfo
    made.parent = ir.Constant(made.parent.type, None) if owner is None else owner.parent
    made.data, made.itemsize, made.nitems = builder.bitcast(data, item.as_pointer()), size, count
    made.shape, made.strides = pack_array(builder, shape), pack_array(builder, strides)
    return made._getvalue()


def poll_between_passes(poll: Callable[[], None]) -> Callable[[], None]:
    """Call a function between two passes of the compiler; returns the function that ends that."""

    class Passes(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            poll()

        def on_end(self, event: Any) -> None:
            poll()

    passes = Passes()
    event.register("numba:run_pass", passes)
    return lambda: event.unregister("numba:run_pass", passes)
