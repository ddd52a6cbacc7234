"""What leads into a kernel: from Python, and from other kernels by its address.

Python's way is that of a built-in function with an array of arguments (METH_FASTCALL); it reads
NumPy's arrays where they lie, as C extensions do, and raises a TypeError for whatever is not of the
kind that the kernel was typed for. Other kernels call one with the address of a frame, in which the
arguments are one after the other.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from ulna.kernels.code import ENTRY, SIZE
from ulna.kernels.functions import FLOAT, INT, Kernel, LanesOf, RecordOf, Signature
from ulna.kernels.lane_lowering import Lanes
from ulna.kernels.numba_internals import (
    TypedFunction,
    alloca_once,
    call_typed,
    contiguous_array,
    declared,
    function_type,
    gep_inbounds,
    global_compiler_lock,
    linked,
    register_lowering,
    type_function,
)

# Where fields of Python's and NumPy's objects are, in bytes from their beginning.
HEADER = object.__basicsize__
TYPE = HEADER - ctypes.sizeof(ctypes.c_void_p)
DATA, DIMENSIONS, SHAPE, DESCRIPTION, FLAGS = (HEADER + place for place in (0, 8, 16, 40, 48))
BYTE_ORDER, NUMBER = HEADER + 10, HEADER + 12  # of a dtype
SWAPPED = ord("<" if np.little_endian is False else ">")
CONTIGUOUS = 1  # among the flags

_BYTE, _INT, _LONG = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_POINTER = _BYTE.as_pointer()


@global_compiler_lock  # type: ignore[untyped-decorator]
def typed(
    kernel: Kernel, signature: Signature, *, framed: bool, on_typed: Callable[[str], None]
) -> bytes:
    """Return a kernel, and what leads into it, as LLVM's bitcode.

    `on_typed` is called with the name of every function that has been typed.
    """
    source, kinds = kernel.entry or kernel.py_func, tuple(map(type_of, signature))
    made = type_function(source, kinds, kernel.name, on_typed)
    build_entry = _build_frame_entry if framed else _build_python_entry
    build_entry(_Entry(made, kernel.is_folded))
    entry = linked(made.library, made.module)
    entry.verify()
    missing = [one.name for one in entry.functions if one.is_declaration and "_ZN" in one.name]
    assert not missing, missing
    bitcode: bytes = entry.as_bitcode()
    return bitcode


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


def call_type(call: Any, plain: bool) -> Any:
    """Return the type by which Numba knows what calls a function by its address."""

    @register_lowering(call, types.VarArg(types.Any))
    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        address, *values = given
        if not plain:
            values = [_framed(context, builder, signature.args[1:], values)]
        shape = ir.FunctionType(_LONG, [value.type for value in values])
        return builder.call(builder.inttoptr(address, shape.as_pointer()), values)

    return function_type(call, lambda args: types.int64(*map(_widened, args)))


def _widened(kind: Any) -> Any:
    if isinstance(kind, types.Integer | types.Boolean):
        return types.int64
    return types.float64 if isinstance(kind, types.Float) else types.unliteral(kind)


def _frame(context: Any, kinds: Any) -> Any:
    return ir.LiteralStructType([context.get_value_type(kind) for kind in kinds])


def _framed(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    place = alloca_once(builder, _frame(context, kinds))
    for k, value in enumerate(values):
        builder.store(value, gep_inbounds(builder, place, 0, k))
    return builder.bitcast(place, _POINTER)


class _Entry:
    """What the entry functions of a kernel need to know of it."""

    def __init__(self, made: TypedFunction, is_folded: bool) -> None:
        self.made, self.is_folded = made, is_folded
        self.context, self.module, self.kinds, self.result = (
            made.context, made.module, made.kinds, made.result,
        )  # fmt: skip

    def call(self, builder: Any, values: Any) -> Any:
        """Call the kernel."""
        return call_typed(self.made, builder, values)

    def size(self, builder: Any, given: Any) -> Any:
        """Return the number of joints, by a function that is replaced by a constant."""
        if not self.is_folded:
            return given
        return builder.call(declared(self.module, SIZE, _LONG, _LONG), [given])


def _build_frame_entry(entry: _Entry) -> None:
    shape = ir.FunctionType(_LONG, [_POINTER])
    function = ir.Function(entry.module, shape, ENTRY)
    builder = ir.IRBuilder(function.append_basic_block())
    frame = builder.bitcast(function.args[0], _frame(entry.context, entry.kinds).as_pointer())
    places = [gep_inbounds(builder, frame, 0, k) for k in range(len(entry.kinds))]
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
    state = builder.call(declared(module, "PyEval_SaveThread", _POINTER), [])
    found = entry.call(builder, values)
    builder.call(declared(module, "PyEval_RestoreThread", ir.VoidType(), _POINTER), [state])
    builder.ret(_boxed(entry, builder, found))


def _boxed(entry: _Entry, builder: Any, found: Any) -> Any:
    """Return the kernel's result as a Python object."""
    module = entry.module
    if isinstance(entry.result, types.Float):
        wide = entry.context.cast(builder, found, entry.result, types.float64)
        made = declared(module, "PyFloat_FromDouble", _POINTER, ir.DoubleType())
        return builder.call(made, [wide])
    if isinstance(entry.result, types.Boolean):
        made = declared(module, "PyBool_FromLong", _POINTER, _LONG)
        return builder.call(made, [builder.zext(found, _LONG)])
    number = _LONG(0)
    if isinstance(entry.result, types.Integer):
        number = entry.context.cast(builder, found, entry.result, types.int64)
    return builder.call(declared(module, "PyLong_FromLongLong", _POINTER, _LONG), [number])


class _ArgumentReader:
    """Reads Python's objects, and raises TypeError at the first of another type."""

    def __init__(self, entry: _Entry, function: Any, builder: Any) -> None:
        self.entry, self.builder = entry, builder
        self.array_type, self.objects, self.count = function.args
        self.refused = function.append_basic_block("refused")
        with builder.goto_block(self.refused):
            wrong = declared(entry.module, "PyErr_BadArgument", _INT)
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
        value = builder.call(declared(module, name, kind, _POINTER), [thing])
        wrong = kind(-1) if kind is _LONG else kind(-1.0)
        compare = builder.icmp_signed if kind is _LONG else builder.fcmp_ordered
        with builder.if_then(compare("==", value, wrong), likely=False):
            fault = builder.call(declared(module, "PyErr_Occurred", _POINTER), [])
            self._go_on(builder.icmp_unsigned("==", fault, fault.type(None)), self.failed)
        return value

    def _record(self, kind: Any, thing: Any) -> Any:
        builder, module = self.builder, self.entry.module
        item = declared(module, "PyTuple_GetItem", _POINTER, _POINTER, _LONG)
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
        return contiguous_array(context, builder, kind, self._at(thing, DATA, _POINTER), shape)

    def _at(self, thing: Any, place: int, kind: Any) -> Any:
        pointer = self.builder.gep(thing, [_LONG(place)])
        return self.builder.load(self.builder.bitcast(pointer, kind.as_pointer()))
