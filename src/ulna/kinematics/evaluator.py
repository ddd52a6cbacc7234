"""Quick calls for one state of an arm: what is kept of the arm between them.

A call of a kernel takes a few microseconds; packing the arm, checking arrays in NumPy and making
room to work in would take many times that. So an arm keeps, from the first such call on, its
packed numbers and memory to work in. Two threads never work in the same memory: a call takes a
piece that is free, or a copy where none is, and puts it back when it is done.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array

_FLOAT = np.dtype(np.float64)


class Call(NamedTuple):
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
        Gives memory with what the kernels read of the arm, and room to work in.
    calls
        The kernels by name. Each returns a code, 0 where all is well.
    """

    __slots__ = ("_calls", "_entries", "_new_memory", "_size", "_spare")

    def __init__(self, n: int, new_memory: Callable[[], Any], calls: dict[str, Call]) -> None:
        from ulna.kernels import size_of

        self._size: Any = size_of(n)
        self._new_memory, self._calls = new_memory, calls
        self._spare: list[Any] = []
        self._entries: dict[str, Callable[..., int]] = {}

    def run(self, name: str, *arguments: Any) -> int:
        """Run a kernel on arguments as they are: arrays of double precision, in one piece."""
        kernel = self._entries.get(name) or self._entry(name)
        # Nothing comes between taking from a list, or adding to it, and the next thread.
        try:
            memory = self._spare.pop()
        except IndexError:
            memory = self._new_memory()
        code = kernel(self._size, memory, *arguments)
        self._spare.append(memory)
        return code

    def found(self, name: str, *given: Array) -> Array | None:
        """Give what a kernel finds, or None where the arrays are not for it.

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
        found = np.empty(self._calls[name].arguments[-1])
        return None if self.run(name, *given, found) else found

    def _entry(self, name: str) -> Callable[..., int]:
        from ulna.kernels import variant

        kernel, arguments = self._calls[name]
        examples = [np.empty(one) if isinstance(one, tuple) else one for one in arguments]
        made = variant(kernel, self._size, self._new_memory(), *examples)
        return self._entries.setdefault(name, made)


def kept_evaluator(arm: object, name: str, make: Callable[[Arm], Evaluator]) -> Evaluator | None:
    """Give the evaluator that an arm keeps by this name, made when it is first wanted, or None.

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
