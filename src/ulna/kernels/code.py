"""Machine code: made by LLVM for this processor, loaded into this process, called by Python."""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np
from llvmlite import binding as llvm

from ulna.kernels.functions import UNROLLED

ENTRY, SIZE = "ulna_entry", "ulna_size"  # names in the code
FASTCALL = 0x0080  # how Python calls
PYTHON = (
    "PyBool_FromLong", "PyErr_BadArgument", "PyErr_Occurred", "PyEval_RestoreThread",
    "PyEval_SaveThread", "PyFloat_AsDouble", "PyFloat_FromDouble", "PyLong_AsLongLong",
    "PyLong_FromLongLong", "PyTuple_GetItem",
)  # fmt: skip
# Of the C library: what LLVM makes calls of.
MATHS = (
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "cos", "cosh",
    "erf", "erfc", "exp", "exp2", "expm1", "floor", "fmod", "hypot", "log", "log10", "log1p",
    "log2", "memcpy", "memmove", "memset", "pow", "sin", "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip

# The instructions of a loop that is unrolled. LLVM counts an operation on lanes as many: as many
# as there are registers of them.
LLVM_UNROLLED, LANES_UNROLLED = 300, 3000
REGISTER = 32  # bytes
# The heads of functions, and the numbers of their attributes.
HEADS = re.compile(r"^(define .*\)[^()]*?)((?: #\d+)? \{)$", re.MULTILINE)


@cache
def processor() -> tuple[str, str, str]:
    """Return the target of code: the system, the processor, and its features."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), features


@cache
def _machine() -> Any:
    triple, name, features = processor()
    target = llvm.Target.from_triple(triple)
    # Code that is loaded anywhere in memory needs static relocation on these.
    reloc = "static" if target.name.startswith("x86") else "default"
    return target.create_target_machine(
        cpu=name, features=features, opt=3, reloc=reloc, codemodel="jitdefault", jit=True
    )


def machine_code(bitcode: bytes, size: int, *, in_lanes: bool) -> bytes:
    """Compile a kernel for arms of so many joints, or with 0 for any number of more.

    One that works on lanes keeps many of them on the stack.
    """
    machine = _machine()
    module = llvm.parse_bitcode(bitcode)
    module.link_in(llvm.parse_assembly(_size_function(size, module)))
    _close(module)
    # LLVM has this option for the whole process, and optimises otherwise once it was ever given:
    # given each time, code does not depend on what was compiled before.
    unrolled = LANES_UNROLLED if in_lanes and size else LLVM_UNROLLED
    llvm.set_option("ulna", f"-unroll-threshold={unrolled}")
    _optimise(module, machine)
    if in_lanes:
        module = _with_aligned_stacks(module)
    made: bytes = machine.emit_object(module)
    return made


def _close(module: Any) -> None:
    """Make everything but the entry internal.

    Internal functions can be specialised for their callers, and inlined. Numba's names
    count what it has typed before: without them the same kernel gives the same code.
    """
    made = [one for one in module.functions if not one.is_declaration and one.name != ENTRY]
    made += [one for one in module.global_variables if not one.is_declaration]
    for place, one in enumerate(made):
        one.linkage, one.name = "internal", f"part{place}"


def _size_function(size: int, module: Any) -> str:
    """Return the function that says how many joints there are, given how many are asked for."""
    small = f"%small = icmp sle i64 %n, {UNROLLED}\n%any = select i1 %small, i64 -1, i64 %n\n"
    body = f"ret i64 {size}" if size else f"{small}ret i64 %any"
    head = f'target triple = "{module.triple}"\ntarget datalayout = "{module.data_layout}"\n'
    return f"{head}define i64 @{SIZE}(i64 %n) alwaysinline {{\n{body}\n}}\n"


def _with_aligned_stacks(module: Any) -> Any:
    """Align the stacks of functions to registers.

    LLVM does so by itself only where it knows beforehand that registers will be spilled. Those that
    reach across two lines of the cache take longer.
    """
    text = HEADS.sub(rf"\1 alignstack({REGISTER})\2", str(module))
    return llvm.parse_assembly(text)


def _optimise(module: Any, machine: Any) -> None:
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization, options.slp_vectorization = True, False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


_loaded: list[Any] = []  # engines: code lives as long as the one that loaded it


def load(made: bytes) -> int:
    """Load machine code; return the address of its entry."""
    _symbols()
    module = llvm.parse_assembly(f'target triple = "{processor()[0]}"\n')
    engine = llvm.create_mcjit_compiler(module, _machine())
    engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(made))
    engine.finalize_object()
    _loaded.append(engine)
    return int(engine.get_function_address(ENTRY))


@cache
def _symbols() -> None:
    """Register the addresses of Python's functions and of the C library's with the loader."""
    _check_layout()
    for name in PYTHON:
        llvm.add_symbol(name, _address(ctypes.pythonapi, name))
    library = ctypes.cdll.ucrtbase if sys.platform == "win32" else ctypes.CDLL(None)
    for name in MATHS:
        llvm.add_symbol(name, _address(library, name))


def _address(library: Any, name: str) -> int:
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0


def _check_layout() -> None:
    """Raise ImportError unless arrays lie in memory as kernels read them."""
    header = object.__basicsize__
    array = np.zeros((3, 2))
    pointer, shape = (ctypes.c_void_p.from_address(id(array) + header + k) for k in (0, 16))
    sizes = (ctypes.c_ssize_t * 2).from_address(shape.value or 0)
    if pointer.value != array.ctypes.data or tuple(sizes) != array.shape:
        raise ImportError("arrays of this version of NumPy cannot be read by compiled code")


class _Method(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("text", ctypes.c_char_p),
    )


def builtin(address: int, name: str) -> Callable[..., Any]:
    """Make a built-in function of Python's of compiled code."""
    method = _Method(name.encode(), address, FASTCALL, None)
    _loaded.append(method)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    # What it is bound to tells it what an array is.
    return cast("Callable[..., Any]", make(ctypes.addressof(method), np.ndarray, None))
