"""SIMD lanes: vectors of numbers on which compiled code works at once, an arm in each lane.

A formula in a kernel is written for one number. Given lanes, each of its operations is done on all
of them together, in the processor's vector registers: the same lines serve one arm and sixteen.
Nothing passes from one lane to another, so that the result of a lane does not depend on its
neighbours.

In memory lanes are the last axis of an array: `lanes(array)` views (…, W) numbers as (…) lanes, and
`numbers(array)` views them as numbers again. Branches that depend on a number are written with
`select`, `all_lanes` and `any_lane`. Without a compiler lanes are rows of NumPy, which does all of
this by itself; so what is read from an array is never changed in place, which would change the
array.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "WIDTHS",
    "all_lanes",
    "any_lane",
    "floor",
    "gather",
    "is_scalar",
    "is_single",
    "lanes",
    "lanes_like",
    "logical_and",
    "logical_not",
    "logical_or",
    "matrix_view",
    "numbers",
    "scatter",
    "select",
    "sqrt",
    "squeeze",
    "turn_quarters",
    "wide_lanes",
]

Array: TypeAlias = NDArray[Any]
Number: TypeAlias = Any  # one number, or one of each of many arms: lanes
Condition: TypeAlias = Any  # what comparing them gives

# The width of lanes: two or more of the widest registers, so that latencies overlap; more would no
# longer fit into all of the registers together.
WIDTHS = {np.dtype(np.float64): 16, np.dtype(np.float32): 32}


class LaneArray(np.ndarray[Any, Any]):
    """Lanes without a compiler: an array whose last axis is treated as one number."""


def lanes(array: Array) -> Any:
    """View an array (…, W) of numbers as an array (…) of lanes."""
    return array.view(LaneArray)


def lanes_like(array: Array, other: Any) -> Any:
    """View an array as lanes of the same width as those of another array."""
    return array.view(LaneArray)


def wide_lanes(array: Array) -> Any:
    """View an array as lanes of the width that single precision has."""
    return array.view(LaneArray)


def numbers(array: Any) -> Array:
    """View an array (…) of lanes as numbers (…, W), one of numbers as (…, 1)."""
    return array.view(np.ndarray) if isinstance(array, LaneArray) else array[..., None]


def squeeze(array: Array) -> Array:
    """View an array (…, 1) of numbers as an array (…)."""
    return array[..., 0]


def matrix_view(array: Any, first: int, rows: int, columns: int) -> Any:
    """View a part of an array (k,), of numbers or of lanes, as a matrix (rows, columns)."""
    part = array[first : first + rows * columns]
    return part.reshape(rows, columns, *array.shape[1:])


def is_scalar(array: Any) -> bool:
    """Return whether an array holds numbers, not lanes; a constant for the compiler."""
    return not isinstance(array, LaneArray)


def is_single(number: Any) -> bool:
    """Return whether a number, or lanes, has single precision; a constant for the compiler."""
    return bool(getattr(number, "dtype", None) == np.float32)


def select(condition: Condition, yes: Number, no: Number) -> Number:
    """Return one value where a condition holds and another elsewhere, lane by lane.

    Both are computed, whatever the condition is.

    Parameters
    ----------
    condition : bool or lanes of it
        What decides, as `error > 0.0`.
    yes : float or lanes
        The value where it holds.
    no : float or lanes
        The value elsewhere.

    Returns
    -------
    float or lanes
        One of both in every lane.

    Examples
    --------
    >>> select(2.0 > 1.0, 10.0, 20.0)
    10.0
    """
    if isinstance(condition, bool | np.bool_):
        return yes if condition else no
    return np.where(condition, yes, no)


def all_lanes(condition: Any) -> bool:
    """Return whether a condition holds in all lanes."""
    return bool(np.all(condition))


def any_lane(condition: Any) -> bool:
    """Return whether a condition holds in any lane."""
    return bool(np.any(condition))


def floor(value: Any) -> Any:
    """Return the largest integer that is not above a value."""
    return np.floor(value)


def sqrt(value: Number) -> Number:
    """Return the square root of a number, or of every lane.

    Parameters
    ----------
    value : float or lanes
        What is not negative.

    Returns
    -------
    float or lanes
        Its square root; NaN of a negative number.

    Examples
    --------
    >>> float(sqrt(9.0))
    3.0
    """
    return np.sqrt(value)


def logical_and(one: Condition, other: Condition) -> Condition:
    """Return in which lanes both conditions hold.

    Parameters
    ----------
    one : bool or lanes of it
        A condition.
    other : bool or lanes of it
        Another.

    Returns
    -------
    bool or lanes of it
        What `select` decides by.

    Examples
    --------
    >>> bool(logical_and(1.0 > 0.0, 2.0 > 3.0))
    False
    """
    return np.logical_and(one, other)


def logical_or(one: Condition, other: Condition) -> Condition:
    """Return in which lanes at least one of two conditions holds.

    Parameters
    ----------
    one : bool or lanes of it
        A condition.
    other : bool or lanes of it
        Another.

    Returns
    -------
    bool or lanes of it
        What `select` decides by.

    Examples
    --------
    >>> bool(logical_or(1.0 > 0.0, 2.0 > 3.0))
    True
    """
    return np.logical_or(one, other)


def logical_not(condition: Condition) -> Condition:
    """Return in which lanes a condition does not hold.

    Parameters
    ----------
    condition : bool or lanes of it
        A condition.

    Returns
    -------
    bool or lanes of it
        What `select` decides by.

    Examples
    --------
    >>> bool(logical_not(1.0 > 0.0))
    False
    """
    return np.logical_not(condition)


def turn_quarters(sine: Any, cosine: Any, turns: Any) -> tuple[Any, Any]:
    """Return the sine and the cosine of an angle plus an integral number of quarter turns."""
    count = np.asarray(turns).astype(np.int64)
    odd, back = count & 1 != 0, count & 2 != 0
    one, other = np.where(odd, cosine, sine), np.where(odd, sine, cosine)
    return np.where(back, -one, one)[()], np.where(odd ^ back, -other, other)[()]


def gather(rows: Array, first: int, column: int) -> Any:
    """Return a column of as many rows (b, k) as there are lanes; after the last it is repeated."""
    chosen = np.minimum(first + np.arange(WIDTHS[rows.dtype]), len(rows) - 1)
    return rows[chosen, column].view(LaneArray)


def scatter(values: Any, rows: Array, first: int, column: int) -> None:
    """Write lanes to a column of rows (b, k); what would come after the last is left out."""
    part = rows[first : first + len(values), column]
    part[:] = values[: len(part)]
