"""Which way a call goes: by the arrays that were handed in.

The formulas of kinematics and dynamics are written once, against the array-API standard; the
library that runs them is that of the arrays: NumPy by default, JAX and any array-API library as
they come. Two kinds of NumPy's double precision are quicker by compiled code, which differs by
rounding at most:

- One state of an Arm goes through `one_state`, where compiled code has been loaded, by a
  simulation, a batch or `ulna.compiled`: by itself it is not worth loading a compiler. A call of a
  kernel takes a few microseconds; packing the arm, checking arrays in NumPy and allocating scratch
  memory would take many times that. So an arm keeps, from the first such call on, the kernels of an
  `Evaluator` with its packed numbers and scratch memory.
- Rows of states go through `run_in_blocks`, many side by side in lanes and on all cores.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ulna.errors import InputError, Problem, shown, units_hint

# An array of any library: the standard has no common static type for them.
Array: TypeAlias = Any
Floats: TypeAlias = NDArray[np.float64]

COLUMNS_BY_HAND = 8
LARGEST = 1e9  # [m], [rad], ...: beyond it squares lose themselves, and no arm goes there
_DOUBLE = np.dtype(np.float64)
_OWN = (np.ndarray, np.generic, float, int, list, tuple, type(None))


def namespace(*values: Any) -> Any:
    """Return the array library of `values`: NumPy unless one of them belongs to another.

    NumPy arrays, lists and numbers mix with arrays of one other library, so that an arm whose
    parameters are NumPy can be posed by JAX angles, and the other way round.
    """
    # Most are NumPy's own, and asking for its type is ten times quicker than the general question.
    others = [value for value in values if type(value) is not np.ndarray]
    foreign = [value for value in others if _is_foreign(value)]
    if not foreign:
        return np  # which is one of them itself, and its own namespace
    from array_api_compat import array_namespace

    return array_namespace(*foreign)


def _is_foreign(value: Any) -> bool:
    """Return whether a value is an array of a library other than NumPy."""
    if isinstance(value, _OWN):
        return False
    # It loads all of NumPy, down to its tests, and takes as long as NumPy itself.
    from array_api_compat import is_array_api_obj

    return bool(is_array_api_obj(value))


def to_float(xp: Any, value: Any) -> Array:
    """Turn `value` into a floating-point array of the library `xp`."""
    if xp is np and type(value) is np.ndarray and value.dtype.kind == "f":
        return value
    if not _is_foreign(value):
        array = float_array(value)
        return array if xp is np else xp.asarray(array)
    if xp.isdtype(value.dtype, "real floating"):
        return value
    if xp.isdtype(value.dtype, ("bool", "complex floating")):
        raise InputError(Problem("array", shown(value), "real numbers"))
    # The library's own idea of a float: JAX has single precision unless told otherwise.
    return xp.astype(value, xp.__array_namespace_info__().default_dtypes()["real floating"])


def float_array(value: Any, what: str = "array", unit: str = "") -> Array:
    """Return a floating-point NumPy array of whatever holds numbers, which booleans are not.

    Errors name it `what`, and tell how to read text with units as a number of `unit`.
    """
    refuse_masked(value, what)
    try:
        array = np.asarray(value)
        if np.issubdtype(array.dtype, np.floating):
            return array
        holds_numbers = array.dtype.kind in "iu" or (
            array.dtype.kind == "O"
            and all(isinstance(one, Real) and not isinstance(one, bool) for one in array.flat)
        )
        if holds_numbers:
            return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    need = "numbers, in rows of the same length"
    raise InputError(Problem(what, shown(value), need, units_hint(value, unit)))


def number(what: str, given: Any, need: str = "a finite number", unit: str = "") -> float:
    """Check one finite number."""
    value = math.nan
    if isinstance(given, Real) and not isinstance(given, bool):
        with suppress(OverflowError):
            value = float(given)
    if not abs(value) <= LARGEST:
        largest = f", at most {LARGEST:g}" if math.isfinite(value) else ""
        raise InputError(Problem(what, shown(given), need + largest, units_hint(given, unit)))
    return value


def positive(what: str, given: Any, unit: str = "m") -> float:
    """Check one finite number above zero."""
    need = f"a number above 0 [{unit}]" if unit else "a number above 0"
    value = number(what, given, need, unit)
    if not value > 0.0:
        raise InputError(Problem(what, shown(given), need))
    return value


def flag(what: str, given: Any) -> bool:
    """Check a truth value."""
    if not isinstance(given, bool | np.bool_):
        raise InputError(Problem(what, shown(given), "True or False"))
    return bool(given)


def whole(what: str, given: Any, least: int, most: int = 10_000) -> int:
    """Check a whole number."""
    need = f"a whole number from {least} to {most:,}"
    value = number(what, given, need)
    if value != int(value) or not least <= value <= most:
        raise InputError(Problem(what, shown(given), need))
    return int(value)


def freeze(*arrays: Array) -> None:
    """Keep arrays that are handed out from being written to."""
    for array in arrays:
        array.flags.writeable = False


def plain(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return values as JSON takes them: arrays as lists, None for what is not finite.

    >>> plain({"size": np.float64(2.0), "times": np.array([1.0, np.nan])})
    {'size': 2.0, 'times': [1.0, None]}
    """
    return {str(name): _plain(value) for name, value in found.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return plain(value)
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def refuse_masked(value: Any, what: str, depth: int = 3) -> None:
    """Raise InputError for masked entries, whose numbers NumPy would take as they are."""
    if isinstance(value, list | tuple):
        for part in value if depth else ():
            refuse_masked(part, what, depth - 1)
    elif isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        count = int(np.ma.getmaskarray(value).sum())
        got = f"a masked array, {count:,} of {value.size:,} entries masked"
        hint = "leave out what is masked, or fill it in by .filled(...)"
        raise InputError(Problem(what, got, "numbers, none of them missing", hint))


def running_sum(xp: Any, values: Array, *, from_zero: bool = False) -> Array:
    """Return the running sums of values (…, n) along the last axis; with `from_zero`, (…, n+1).

    Libraries sum along a short last axis row by row; for the arms that people build it is
    several times faster to add columns.
    """
    if values.shape[-1] > COLUMNS_BY_HAND:
        return xp.cumulative_sum(values, axis=-1, include_initial=from_zero)
    columns = [values[..., 0]]
    for index in range(1, values.shape[-1]):
        columns.append(columns[-1] + values[..., index])
    if from_zero:
        columns.insert(0, xp.zeros_like(columns[0]))
    return xp.stack(columns, axis=-1)


def tail_sum(xp: Any, values: Array) -> Array:
    """Return for every place of values (…, n) the sum from there to the end of the last axis."""
    return xp.flip(running_sum(xp, xp.flip(values, axis=-1)), axis=-1)


def sum_beyond(xp: Any, values: Array) -> Array:
    """Return for every place of values (…, n) the sum of what follows it along the last axis."""
    total = tail_sum(xp, values)
    return xp.concat([total[..., 1:], xp.zeros_like(total[..., :1])], axis=-1)


def runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return first and last place of every run of true flags."""
    edges = np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8))
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
    return [(int(first), int(last)) for first, last in zip(starts, ends, strict=True)]


def one_state(
    arm: Any, family: Callable[[Any], Evaluator], name: str, *given: Array
) -> Array | None:
    """Return what a kernel finds for one state of an arm, or None where the arrays are not for it.

    Those are any but NumPy's of double precision, (n,), with finite values and a finite outcome.
    Slower code has to tell what is wrong with others, if anything is.

    Only an Arm keeps kernels, for it is frozen; a `family` of them is made when one of it is first
    wanted. Copies of the arm, in memory or in another process, make their own.
    """
    kept: dict[str, Any] | None = getattr(arm, "_kernels", None)
    if kept is None:
        return None
    if name not in kept:
        if "ulna.kernels" not in sys.modules:
            return None
        # Two threads may both make them: either will do.
        kept.update(family(arm).results)
    plain = True
    for value in given:
        if type(value) is not np.ndarray or value.dtype != _DOUBLE or value.ndim != 1:
            return None
        plain = plain and value.flags.carray
    if not plain:
        # Read-only, or with gaps.
        given = tuple(value.copy() for value in given)
    run, shape = kept[name]
    found = np.empty(shape)
    return None if run(*given, found) else found


class KernelCall(NamedTuple):
    """A kernel, and what it is called with after the size and the memory."""

    kernel: Callable[..., int]
    arguments: tuple[Any, ...]  # the shape of an array, or any number; what is found comes last


class Evaluator:
    """Kernels for one state, bound to an arm. Threads may share it.

    Two threads never share memory: a call takes a block that is free, or a copy where none is, and
    puts it back when it is done.

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
    results : dict of str to tuple
        The same, each with the shape of what it finds.
    """

    __slots__ = ("results", "run")

    def __init__(self, n: int, new_memory: Callable[[], Any], calls: dict[str, KernelCall]) -> None:
        free: list[Any] = []
        self.run = {name: _bound(call, n, new_memory, free) for name, call in calls.items()}
        self.results = {name: (self.run[name], calls[name].arguments[-1]) for name in calls}


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
            value = np.ascontiguousarray(float_array(value), dtype=_DOUBLE)
            if value.ndim != len(shape):
                raise InputError(Problem("array", f"shape {value.shape}", f"shape {shape}"))
        made.append(value)
    return made


def run_in_blocks(
    work: Callable[[Array, int, int], None], rows: int, scratch: int, least: int = 1
) -> None:
    """Call work(memory, first, last) for all blocks of so many rows in lanes, on all cores.

    Its memory has so many lanes; a thread gets at least so many blocks.
    """
    from ulna.concurrency import parallel_for
    from ulna.lanes import WIDTHS

    width = WIDTHS[_DOUBLE]

    def share(first: int, last: int) -> None:
        with np.errstate(all="ignore"):
            work(np.zeros((scratch, width)), first, last)

    parallel_for(share, -(-rows // width), least)
