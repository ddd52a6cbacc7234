"""One door to array libraries: NumPy by default, JAX and any array-API library as they come.

The formulas of kinematics and dynamics are written once, against the array-API standard; the
library that runs them is that of the arrays that were handed in.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from ulna.errors import InputError, Problem, shown, units_hint

# An array of any library: the standard has no common static type for them.
Array: TypeAlias = Any

COLUMNS_BY_HAND = 8
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
    if xp.isdtype(value.dtype, "complex floating"):
        raise InputError(Problem("array", shown(value), "real numbers"))
    # The library's own idea of a float: JAX has single precision unless told otherwise.
    return xp.astype(value, xp.__array_namespace_info__().default_dtypes()["real floating"])


def float_array(value: Any, what: str = "array") -> Array:
    """Return a floating-point NumPy array of whatever holds numbers; `what` names it in errors."""
    refuse_masked(value, what)
    try:
        array = np.asarray(value)
        if np.issubdtype(array.dtype, np.floating):
            return array
        holds_numbers = array.dtype.kind in "biu" or (
            array.dtype.kind == "O" and all(isinstance(entry, Real) for entry in array.flat)
        )
        if holds_numbers:
            return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    need = "numbers, in rows of the same length"
    raise InputError(Problem(what, shown(value), need, units_hint(value)))


def freeze(*arrays: Array) -> None:
    """Keep arrays that are handed out from being written to."""
    for array in arrays:
        array.flags.writeable = False


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
