"""Kernels, what they are made of, and what they call by its address, as sources name them.

Nothing here loads a compiler: decorating a function only notes it.

Types of a kernel's arguments, without a compiler.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import update_wrapper
from threading import RLock
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np

INT, FLOAT = "int64", "float64"


class ArrayOf(NamedTuple):
    """A C-contiguous array."""

    number: str  # the name of its dtype
    dimensions: int


class LanesOf(NamedTuple):
    """An array of lanes of a width."""

    number: str
    dimensions: int
    width: int


class RecordOf(NamedTuple):
    """A NamedTuple."""

    kind: type
    fields: tuple[Any, ...]


Kind: TypeAlias = "str | ArrayOf | LanesOf | RecordOf"
Signature: TypeAlias = "tuple[Kind, ...]"


def signature_of(*values: Any) -> Signature:
    """Return the types of values.

    >>> signature_of(2, 0.5, np.zeros((3, 2)))
    ('int64', 'float64', ArrayOf(number='float64', dimensions=2))
    """
    return tuple([kind_of(value) for value in values])


def kind_of(value: Any) -> Kind:
    """Return the type of a value; raises TypeError for what no kernel takes."""
    if type(value) is np.ndarray:
        number = value.dtype
        if not value.flags.c_contiguous or not number.isnative:
            raise TypeError("kernels take arrays without gaps, in the machine's own byte order")
        # The name of a dtype takes long to compute.
        place = number.char, value.ndim
        if place not in _arrays:
            _arrays[place] = ArrayOf(number.name, value.ndim)
        return _arrays[place]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return RecordOf(type(value), signature_of(*value))
    if isinstance(value, int | np.integer | np.bool_):
        return INT
    if isinstance(value, float | np.floating):
        return FLOAT
    raise TypeError(f"kernels take numbers, arrays and records of arrays, not {type(value)}")


_arrays: dict[tuple[str, int], ArrayOf] = {}


def has_lanes(kind: Any) -> bool:
    """Return whether a type, or a signature, holds lanes."""
    if isinstance(kind, LanesOf):
        return True
    fields = kind.fields if isinstance(kind, RecordOf) else kind
    return type(fields) is tuple and any(map(has_lanes, fields))


def signature_text(kind: Any) -> str:
    """Return a type, or a signature, as text that is the same in every process."""
    if isinstance(kind, RecordOf):
        return f"{kind.kind.__module__}.{kind.kind.__qualname__}{signature_text(kind.fields)}"
    if isinstance(kind, LanesOf):
        return f"{kind.number}x{kind.width}[{kind.dimensions}]"
    if isinstance(kind, ArrayOf):
        return f"{kind.number}[{kind.dimensions}]"
    if isinstance(kind, tuple):
        return f"({', '.join(signature_text(one) for one in kind)})"
    return str(kind)


Function = TypeVar("Function", bound=Callable[..., Any])

DISABLED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
UNROLLED = 3  # links: arms of so many get code without loops
_compiling = RLock()


def _copy_metadata(made: Any, function: Callable[..., Any]) -> None:
    """Copy the name and the docstring of a function to its wrapper."""
    update_wrapper(made, function)


class Inner:
    """A function that is compiled as a part of the kernels that call it; Python cannot."""

    def __init__(self, function: Callable[..., Any], is_inlined: bool) -> None:
        _copy_metadata(self, function)
        self.py_func, self.is_inlined = function, is_inlined
        self._type: Any = None

    @property
    def _numba_type_(self) -> Any:
        if self._type is None:
            import ulna.kernels.lane_lowering  # noqa: F401  (tells Numba of lanes)
            from ulna.kernels.numba_internals import inner_type

            self._type = inner_type(self.py_func, is_inlined=self.is_inlined)
        return self._type


class Kernel:
    """A function that Python calls, compiled when it is first called with arguments of a kind."""

    def __init__(
        self, function: Callable[..., Any], entry: Callable[..., Any] | None = None
    ) -> None:
        _copy_metadata(self, function)
        self.py_func, self.name = function, function.__name__
        self.entry = entry  # what is compiled in its place, and calls it
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        self.is_folded = names[:1] == ("size",)
        self.entries: dict[Any, Callable[..., Any]] = {}  # by kinds of arguments and size
        self.addresses: dict[Any, int] = {}  # the same, of those that kernels call
        self.is_foreign = False  # whether it stands for what Numba has compiled elsewhere
        self._last: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        if self._last is not None:
            try:
                return self._last(*arguments)
            except TypeError:
                pass  # It is for arguments of another kind, or for another size.
        self._last = self.variant(*arguments)
        return self._last(*arguments)

    def variant(self, *arguments: Any) -> Callable[..., Any]:
        """Return the built-in function for arguments of these kinds, and arms of this size."""
        signature = signature_of(*arguments)
        size = self.size_in(arguments[0]) if self.is_folded else 0
        made = self.entries.get((signature, size))
        if made is None:
            with _compiling:
                from ulna.kernels.cache import python_function

                made = python_function(self, signature, size)
                self.entries[signature, size] = made
        return made

    def size_in(self, n: int) -> int:
        """Return the size that is a constant of the code, or 0 where it stays an argument."""
        return n if n <= UNROLLED else 0

    def address(self, signature: Signature, n: int) -> int:
        """Return the address by which other kernels call it with a frame of such arguments."""
        size = self.size_in(n) if self.is_folded else 0
        with _compiling:
            from ulna.kernels.cache import frame_function

            return frame_function(self, signature, size)


def kernel(function: Function) -> Function:
    """Compile a function that Python calls, or another kernel by its address.

    If its first argument is called `size`, that is the number of joints, and small ones are put
    into the code as constants, so that LLVM unrolls all loops over them.
    """
    return function if DISABLED else cast("Function", Kernel(function))


def inner(function: Function) -> Function:
    """Compile a function as a part of the kernels and laws that call it; Python cannot.

    Parameters
    ----------
    function : callable
        It takes numbers or arrays, and is compiled for those that it is called with.

    Returns
    -------
    callable
        What compiled functions call in its place.

    Examples
    --------
    >>> @inner
    ... def beyond(error, width):
    ...     return abs(error) - width
    """
    return function if DISABLED else cast("Function", Inner(function, False))


def inlined(function: Function) -> Function:
    """Compile an inner function into each of its callers: for the few that are hot."""
    return function if DISABLED else cast("Function", Inner(function, True))


def variant(compiled: Function, *arguments: Any) -> Function:
    """Return what to call a kernel by with arguments of these kinds, and no others.

    It raises a TypeError where it is given any others.
    """
    if isinstance(compiled, Kernel):
        return cast("Function", compiled.variant(*arguments))
    return compiled


class Hook:
    """A kind of function that kernels call without having been compiled for it.

    `call = hook.call` is to be a global of the module: inside a kernel `call(address, …)` calls
    the function with these arguments and gives a whole number. Kernels take their arguments in a
    frame; with `plain` it is a C function of numbers, such as one of Python's with an address.
    """

    def __init__(self, signature: Signature | None = None, *, plain: bool = False) -> None:
        self.signature, self.plain = signature, plain
        self._plain: dict[int, Callable[..., Any]] = {}
        compiled = cast("Any", _AddressCall(plain))
        self.call: Callable[..., int] = self._called if DISABLED else compiled

    def _called(self, address: int, *arguments: Any) -> int:
        return int(self._plain[address](*arguments) or 0)

    def address(
        self, function: Callable[..., Any], signature: Signature | None = None, n: int = 0
    ) -> int:
        """Return the address of a kernel for arguments of these kinds, compiled if need be."""
        if DISABLED:
            return self.keep(function)
        made: Any = function
        if not isinstance(made, Kernel):
            made = _adapted(made)
        return int(made.address(signature or self.signature, n))

    def keep(self, function: Callable[..., Any]) -> int:
        """Register a plain function, and return the number that identifies it."""
        self._plain[id(function)] = function
        return id(function)


class _AddressCall:
    """Calls a function by its address inside a kernel."""

    def __init__(self, plain: bool) -> None:
        self.plain = plain
        self._type: Any = None

    @property
    def _numba_type_(self) -> Any:
        if self._type is None:
            from ulna.kernels.entries import call_type

            self._type = call_type(self, self.plain)
        return self._type


_adaptations: dict[Any, Kernel] = {}


def _adapted(compiled: Any) -> Kernel:
    """Return a kernel that does nothing but call a function that Numba has compiled elsewhere."""

    # Only control laws come from elsewhere, and all of them take the same arguments.
    def call(t: Any, q: Any, qd: Any, reference: Any, params: Any, state: Any, tau: Any) -> None:
        compiled(t, q, qd, reference, params, state, tau)

    if compiled not in _adaptations:
        made = _adaptations[compiled] = Kernel(compiled.py_func, call)
        made.is_foreign = True
    return _adaptations[compiled]


def functions_of(kernel: Kernel) -> list[Callable[..., Any]]:
    """Return the functions that a kernel is made of, as far as they call one another by name."""
    found: list[Callable[..., Any]] = []
    ahead = [kernel.py_func]
    while ahead:
        function = ahead.pop()
        if function in found:
            continue
        found.append(function)
        names: dict[str, Any] = function.__globals__
        named = [names[name] for name in function.__code__.co_names if name in names]
        ahead += [one.py_func for one in named if hasattr(one, "py_func")]
    return found
