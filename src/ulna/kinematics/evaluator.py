"""Quick calls for one state of an arm: what is kept of the arm between them.

A call of a kernel takes a few microseconds; packing the arm, checking arrays in NumPy and
allocating scratch memory would take many times that. So an arm keeps, from the first such call on,
its packed numbers and scratch memory. Two threads never share that memory: a call takes a block
that is free, or a copy where none is, and puts it back when it is done.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array, float_array
from ulna.errors import InputError, Problem

_FLOAT = np.dtype(np.float64)


class KernelCall(NamedTuple):
    """A kernel, and what it is called with after the size and the memory."""

    kernel: Callable[..., int]
    arguments: tuple[Any, ...]  # the shape of an array, or any number; what is found comes last


class Evaluator:
    """Kernels for one state, bound to an arm. Threads may share it.

    Parameters
    ----------
    n
        The number of links.
    new_memory
        Returns memory with what the kernels read of the arm, and scratch memory.
    calls
        The kernels by name. Each returns a code, 0 where all is well.

    Attributes
    ----------
    run : dict of str to callable
        The kernels by name, to be called with arrays of double precision in one piece, others
        being converted at a price. Each is compiled or loaded when it is first called.
    """

    __slots__ = ("_shapes", "run")

    def __init__(self, n: int, new_memory: Callable[[], Any], calls: dict[str, KernelCall]) -> None:
        free: list[Any] = []
        self.run = {name: _bound(call, n, new_memory, free) for name, call in calls.items()}
        self._shapes = {name: call.arguments[-1] for name, call in calls.items()}

    def found(self, name: str, *given: Array) -> Array | None:
        """Return what a kernel finds, or None where the arrays are not for it.

        Those are any but NumPy's of double precision, (n,), with finite values and a finite
        outcome. Slower code has to tell what is wrong with others, if anything is.
        """
        plain = True
        for value in given:
            if type(value) is not np.ndarray or value.dtype != _FLOAT or value.ndim != 1:
                return None
            plain = plain and value.flags.carray
        if not plain:
            # Read-only, or with gaps.
            given = tuple(value.copy() for value in given)
        found = np.empty(self._shapes[name])
        return None if self.run[name](*given, found) else found


def _bound(
    call: KernelCall, n: int, new_memory: Callable[[], Any], free: list[Any]
) -> Callable[..., int]:
    """Return a kernel with its size and with memory that no other call works in."""
    from ulna.kernels import variant

    # Nothing comes between taking from a list, or adding to it, and another thread.
    acquire, release = free.pop, free.append
    kernel: Callable[..., int] | None = None

    def run(*arguments: Any) -> int:
        nonlocal kernel
        if kernel is None:
            examples = [np.empty(one) if isinstance(one, tuple) else one for one in call.arguments]
            kernel = variant(call.kernel, n, new_memory(), *examples)
        try:
            memory = acquire()
        except IndexError:
            memory = new_memory()
        try:
            code = kernel(n, memory, *arguments)
        except TypeError:
            code = kernel(n, memory, *_converted(arguments, call.arguments))
        release(memory)
        return code

    return run


def _converted(arguments: tuple[Any, ...], shapes: tuple[Any, ...]) -> list[Any]:
    """Convert numbers to the arrays that a kernel takes; such arrays are returned as they are."""
    made = []
    for value, shape in zip(arguments, shapes, strict=True):
        if isinstance(shape, tuple):
            value = np.ascontiguousarray(float_array(value), dtype=_FLOAT)
            if value.ndim != len(shape):
                raise InputError(Problem("array", f"shape {value.shape}", f"shape {shape}"))
        made.append(value)
    return made


def kept_evaluator(arm: object, name: str, make: Callable[[Arm], Evaluator]) -> Evaluator | None:
    """Return the evaluator that an arm keeps by this name, made when it is first wanted, or None.

    Only an Arm has one, for it is frozen, and only once something else has loaded compiled code:
    a script that asks for one tip should not wait for a compiler. Copies of the arm, in memory or
    in another process, make their own.
    """
    if type(arm) is not Arm:
        return None
    found: Evaluator | None = arm.__dict__.get(name)
    if found is None and "ulna.kernels" in sys.modules:
        # Two threads may both make one: either will do.
        found = arm.__dict__[name] = make(arm)
    return found
