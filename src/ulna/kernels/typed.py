"""Typing: from Python to LLVM's code before optimisation, done by Numba.

Beside public options this uses inner places of Numba (a library class, a compiler class, its
calling convention and the option _nrt), so that the versions it may run with are bounded in
pyproject.toml.

Two kinds of functions lead into a kernel. Python's is that of a built-in function with an array of
arguments (METH_FASTCALL); it reads NumPy's arrays where they lie, as C extensions do, and raises a
TypeError for whatever is not of the kind that the kernel was typed for. Other kernels call one
with the address of a frame, in which the arguments are one after the other.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
import numpy as np
from llvmlite import binding as llvm
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager
from numba.core.typed_passes import (
    AnnotateTypes,
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.typing.templates import AbstractTemplate
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

import ulna.lanes.lowering  # noqa: F401  (tells Numba of lanes)
from ulna.kernels.code import ENTRY, SIZE
from ulna.kernels.functions import Inner, Kernel
from ulna.kernels.signatures import FLOAT, INT, LanesOf, RecordOf, Signature
from ulna.lanes.lane_types import Lanes

# Flags that assume away NaN would hide a simulation that diverges, and gain nothing.
OPTIONS = {"fastmath": {"contract"}, "error_model": "numpy", "nogil": True, "_nrt": False}

# Of Numba's passes those that plain loops over numbers and arrays need: no closures, no objects, no
# parallel loops, no expressions of whole arrays.
PASSES = (
    TranslateByteCode, FixupArgs, IRProcessing, RewriteSemanticConstants, DeadBranchPrune,
    GenericRewrites, ReconstructSSA, DeadBranchPrune, NopythonTypeInference, PreLowerStripPhis,
    IRLegalization, AnnotateTypes, NativeLowering, NoPythonBackend,
)  # fmt: skip

# Where fields of Python's and NumPy's objects are, in bytes from their beginning.
HEADER = object.__basicsize__
TYPE = HEADER - ctypes.sizeof(ctypes.c_void_p)
DATA, DIMENSIONS, SHAPE, DESCRIPTION, FLAGS = (HEADER + place for place in (0, 8, 16, 40, 48))
BYTE_ORDER, NUMBER = HEADER + 10, HEADER + 12  # of a dtype
SWAPPED = ord("<" if np.little_endian is False else ">")
CONTIGUOUS = 1  # among the flags

_BYTE, _INT, _LONG = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_POINTER = _BYTE.as_pointer()

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
        self.texts.append(cgutils.normalize_ir_text(str(ir_module)))

    def finalize(self) -> None:
        self._finalized = True

    def add_linking_library(self, library: Any) -> None:
        self._linking_libraries.append(library)

    def _get_module_for_linking(self) -> Any:
        # Asked for by functions that are compiled as Numba usually does.
        if self.shared is None:
            self.shared = _linked(self)
            for function in self.shared.functions:
                if not function.is_declaration and function.linkage == llvm.Linkage.external:
                    function.linkage = "linkonce_odr"
        return self.shared


class _KernelLibrary(_InnerLibrary):
    """Code of a kernel itself, which LLVM may put into what leads to it."""

    attributes = ()


def _linked(library: Any, *texts: str) -> Any:
    """Return one module of a function's code and that of all that it calls."""
    made = llvm.parse_assembly("\n".join(texts))
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


def inner_type(function: Inner) -> Any:
    """Return the type by which Numba knows an inner function."""
    # Explicit, because the default is that of the caller.
    options = {"pipeline_class": _InnerCompiler, "forceinline": function.is_inlined}
    made = numba.njit(**OPTIONS, **options)(function.py_func)
    _dispatchers.append(made)
    return made._numba_type_


def call_type(call: Any, plain: bool) -> Any:
    """Return the type by which Numba knows what calls a function by its address."""

    class CallTemplate(AbstractTemplate):  # type: ignore[misc]
        key = call

        def generic(self, args: Any, kws: Any) -> Any:
            return types.int64(*map(_widened, args))

    @lower_builtin(call, types.VarArg(types.Any))  # type: ignore[untyped-decorator]
    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        address, *values = given
        if not plain:
            values = [_framed(context, builder, signature.args[1:], values)]
        shape = ir.FunctionType(_LONG, [value.type for value in values])
        return builder.call(builder.inttoptr(address, shape.as_pointer()), values)

    return types.Function(CallTemplate)


def _widened(kind: Any) -> Any:
    if isinstance(kind, types.Integer | types.Boolean):
        return types.int64
    return types.float64 if isinstance(kind, types.Float) else types.unliteral(kind)


def _frame(context: Any, kinds: Any) -> Any:
    return ir.LiteralStructType([context.get_value_type(kind) for kind in kinds])


def _framed(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    place = cgutils.alloca_once(builder, _frame(context, kinds))
    for k, value in enumerate(values):
        builder.store(value, cgutils.gep_inbounds(builder, place, 0, k))
    return builder.bitcast(place, _POINTER)


def type_of(kind: Any) -> Any:
    """Return Numba's name of a kind of argument."""
    if kind == INT:
        return types.int64
    if kind == FLOAT:
        return types.float64
    if isinstance(kind, RecordOf):
        return types.BaseTuple.from_types(tuple(map(type_of, kind.fields)), kind.kind)
    number = getattr(types, kind.number)
    if isinstance(kind, LanesOf):
        # NumPy's arrays need not be aligned to vector registers.
        return types.Array(Lanes(number, kind.width), kind.dimensions, "C", aligned=False)
    return types.Array(number, kind.dimensions, "C")


@contextmanager
def _counted(on_typed: Callable[[str], None]) -> Iterator[None]:
    typing_listeners.append(on_typed)
    try:
        yield
    finally:
        typing_listeners.remove(on_typed)


@global_compiler_lock  # type: ignore[untyped-decorator]
def typed(
    kernel: Kernel, signature: Signature, *, framed: bool, on_typed: Callable[[str], None]
) -> bytes:
    """Return a kernel, and what leads into it, as LLVM's bitcode.

    `on_typed` is called with the name of every function that has been typed.
    """
    kinds = tuple(map(type_of, signature))
    options = {**OPTIONS, "pipeline_class": _KernelCompiler, "forceinline": False}
    dispatcher = numba.njit(**options)(kernel.entry or kernel.py_func)
    with _counted(on_typed):
        dispatcher.compile(kinds)
    made = dispatcher.overloads[kinds]
    context, library = made.target_context, made.library
    module = library.codegen._create_empty_module(f"{kernel.name} entry")
    build_entry = _build_frame_entry if framed else _build_python_entry
    build_entry(_Entry(context, module, made.fndesc, made.signature, kernel.is_folded))
    entry = _linked(library, cgutils.normalize_ir_text(str(module)))
    entry.verify()
    missing = [one.name for one in entry.functions if one.is_declaration and "_ZN" in one.name]
    assert not missing, missing
    bitcode: bytes = entry.as_bitcode()
    return bitcode


class _Entry:
    """What the entry functions of a kernel need to know of it."""

    def __init__(
        self, context: Any, module: Any, described: Any, signature: Any, is_folded: bool
    ) -> None:
        self.context, self.module, self.is_folded = context, module, is_folded
        self.kinds, self.result = signature.args, signature.return_type
        shape = context.call_conv.get_function_type(self.result, self.kinds)
        self.function = ir.Function(module, shape, described.llvm_func_name)

    def call(self, builder: Any, values: Any) -> Any:
        """Call the kernel; its errors show in its result alone."""
        convention = self.context.call_conv
        _, found = convention.call_function(builder, self.function, self.result, self.kinds, values)
        return found

    def size(self, builder: Any, given: Any) -> Any:
        """Return the number of joints, by a function that is replaced by a constant."""
        if not self.is_folded:
            return given
        return builder.call(_declared(self.module, SIZE, _LONG, _LONG), [given])


def _declared(module: Any, name: str, result: Any, *arguments: Any) -> Any:
    return cgutils.get_or_insert_function(module, ir.FunctionType(result, arguments), name)


def _build_frame_entry(entry: _Entry) -> None:
    shape = ir.FunctionType(_LONG, [_POINTER])
    function = ir.Function(entry.module, shape, ENTRY)
    builder = ir.IRBuilder(function.append_basic_block())
    frame = builder.bitcast(function.args[0], _frame(entry.context, entry.kinds).as_pointer())
    places = [cgutils.gep_inbounds(builder, frame, 0, k) for k in range(len(entry.kinds))]
    values = [builder.load(place) for place in places]
    if entry.is_folded:
        values[0] = entry.size(builder, values[0])
    found = entry.call(builder, values)
    builder.ret(found if isinstance(entry.result, types.Integer) else _LONG(0))


def _build_python_entry(entry: _Entry) -> None:
    shape = ir.FunctionType(_POINTER, [_POINTER, _POINTER.as_pointer(), _LONG])
    function = ir.Function(entry.module, shape, ENTRY)
    builder = ir.IRBuilder(function.append_basic_block())
    reader = _ArgumentReader(entry, function, builder)
    values = reader.arguments()
    module = entry.module
    state = builder.call(_declared(module, "PyEval_SaveThread", _POINTER), [])
    found = entry.call(builder, values)
    builder.call(_declared(module, "PyEval_RestoreThread", ir.VoidType(), _POINTER), [state])
    builder.ret(_boxed(entry, builder, found))


def _boxed(entry: _Entry, builder: Any, found: Any) -> Any:
    """Return the kernel's result as a Python object."""
    module = entry.module
    if isinstance(entry.result, types.Float):
        wide = entry.context.cast(builder, found, entry.result, types.float64)
        made = _declared(module, "PyFloat_FromDouble", _POINTER, ir.DoubleType())
        return builder.call(made, [wide])
    if isinstance(entry.result, types.Boolean):
        made = _declared(module, "PyBool_FromLong", _POINTER, _LONG)
        return builder.call(made, [builder.zext(found, _LONG)])
    number = _LONG(0)
    if isinstance(entry.result, types.Integer):
        number = entry.context.cast(builder, found, entry.result, types.int64)
    return builder.call(_declared(module, "PyLong_FromLongLong", _POINTER, _LONG), [number])


class _ArgumentReader:
    """Reads Python's objects, and raises TypeError at the first of another type."""

    def __init__(self, entry: _Entry, function: Any, builder: Any) -> None:
        self.entry, self.builder = entry, builder
        self.array_type, self.objects, self.count = function.args
        self.refused = function.append_basic_block("refused")
        with builder.goto_block(self.refused):
            wrong = _declared(entry.module, "PyErr_BadArgument", _INT)
            builder.call(wrong, [])
            builder.ret(ir.Constant(_POINTER, None))
        self.failed = function.append_basic_block("failed")
        with builder.goto_block(self.failed):
            builder.ret(ir.Constant(_POINTER, None))

    def arguments(self) -> list[Any]:
        builder, kinds = self.builder, self.entry.kinds
        self._need(builder.icmp_signed("==", self.count, _LONG(len(kinds))))
        places = [builder.gep(self.objects, [_LONG(k)]) for k in range(len(kinds))]
        values = [
            self._value(kind, builder.load(place))
            for kind, place in zip(kinds, places, strict=True)
        ]
        if self.entry.is_folded:
            given, values[0] = values[0], self.entry.size(builder, values[0])
            self._need(builder.icmp_signed("==", given, values[0]))
        return values

    def _need(self, condition: Any) -> None:
        self._go_on(condition, self.refused)

    def _go_on(self, condition: Any, otherwise: Any) -> None:
        there = self.builder.append_basic_block()
        self.builder.cbranch(condition, there, otherwise)
        self.builder.position_at_end(there)

    def _value(self, kind: Any, thing: Any) -> Any:
        if isinstance(kind, types.Integer):
            return self._number(thing, "PyLong_AsLongLong", _LONG)
        if isinstance(kind, types.Float):
            return self._number(thing, "PyFloat_AsDouble", ir.DoubleType())
        if isinstance(kind, types.BaseTuple):
            return self._record(kind, thing)
        return self._array(kind, thing)

    def _number(self, thing: Any, name: str, kind: Any) -> Any:
        builder, module = self.builder, self.entry.module
        value = builder.call(_declared(module, name, kind, _POINTER), [thing])
        wrong = kind(-1) if kind is _LONG else kind(-1.0)
        compare = builder.icmp_signed if kind is _LONG else builder.fcmp_ordered
        with builder.if_then(compare("==", value, wrong), likely=False):
            fault = builder.call(_declared(module, "PyErr_Occurred", _POINTER), [])
            self._go_on(builder.icmp_unsigned("==", fault, fault.type(None)), self.failed)
        return value

    def _record(self, kind: Any, thing: Any) -> Any:
        builder, module = self.builder, self.entry.module
        item = _declared(module, "PyTuple_GetItem", _POINTER, _POINTER, _LONG)
        values = []
        for k, field in enumerate(kind.types):
            one = builder.call(item, [thing, _LONG(k)])
            self._go_on(builder.icmp_unsigned("!=", one, one.type(None)), self.failed)
            values.append(self._value(field, one))
        return self.entry.context.make_tuple(builder, kind, values)

    def _array(self, kind: Any, thing: Any) -> Any:
        builder, context = self.builder, self.entry.context
        described = np.dtype(str(kind.dtype)).num
        self._need(builder.icmp_unsigned("==", self._at(thing, TYPE, _POINTER), self.array_type))
        self._need(builder.icmp_signed("==", self._at(thing, DIMENSIONS, _INT), _INT(kind.ndim)))
        description = self._at(thing, DESCRIPTION, _POINTER)
        self._need(builder.icmp_signed("==", self._at(description, NUMBER, _INT), _INT(described)))
        order = self._at(description, BYTE_ORDER, _BYTE)
        self._need(builder.icmp_unsigned("!=", order, _BYTE(SWAPPED)))
        gapless = builder.and_(self._at(thing, FLAGS, _INT), _INT(CONTIGUOUS))
        self._need(builder.icmp_unsigned("!=", gapless, _INT(0)))
        shape_at = self._at(thing, SHAPE, _LONG.as_pointer())
        shape = [builder.load(builder.gep(shape_at, [_LONG(k)])) for k in range(kind.ndim)]
        return _array_value(context, builder, kind, self._at(thing, DATA, _POINTER), shape)

    def _at(self, thing: Any, place: int, kind: Any) -> Any:
        pointer = self.builder.gep(thing, [_LONG(place)])
        return self.builder.load(self.builder.bitcast(pointer, kind.as_pointer()))


def _array_value(context: Any, builder: Any, kind: Any, data: Any, shape: Any) -> Any:
    made = cgutils.create_struct_proxy(kind)(context, builder)
    item = context.get_data_type(kind.dtype)
    size = context.get_constant(types.intp, context.get_abi_sizeof(item))
    strides, total = [size], size.type(1)
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    for length in shape:
        total = builder.mul(total, length)
    nothing = ir.Constant(made.meminfo.type, None)
    made.meminfo, made.parent = nothing, ir.Constant(made.parent.type, None)
    made.data, made.itemsize, made.nitems = builder.bitcast(data, item.as_pointer()), size, total
    made.shape = cgutils.pack_array(builder, shape)
    made.strides = cgutils.pack_array(builder, strides)
    return made._getvalue()
