"""What lanes are without a compiler: rows of NumPy, and what kernels do with them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]

# How many numbers of a kind go side by side: two or more of the widest registers, so that one is
# worked on while the other waits; more would no longer fit into all of the registers together.
WIDTHS = {np.dtype(np.float64): 16, np.dtype(np.float32): 32}


class LaneArray(np.ndarray[Any, Any]):
    """Lanes without a compiler: an array whose last axis is taken as one number."""


def lanes(array: Array) -> Any:
    """See an array (…, W) of numbers as an array (…) of lanes."""
    return array.view(LaneArray)


def lanes_like(array: Array, other: Any) -> Any:
    """Do as `lanes` does, with as many lanes as another array has."""
    return array.view(LaneArray)


def wide_lanes(array: Array) -> Any:
    """Do as `lanes` does, with as many lanes as numbers of single precision would have."""
    return array.view(LaneArray)


def numbers(array: Any) -> Array:
    """See an array (…) of lanes as numbers (…, W); of numbers as (…, 1)."""
    return array.view(np.ndarray) if isinstance(array, LaneArray) else array[..., None]


def squeeze(array: Array) -> Array:
    """See an array (…, 1) of numbers as an array (…)."""
    return array[..., 0]


def matrix_view(array: Any, first: int, rows: int, columns: int) -> Any:
    """See a part of an array (k,), of numbers or of lanes, as an array (rows, columns)."""
    part = array[first : first + rows * columns]
    return part.reshape(rows, columns, *array.shape[1:])


def is_scalar(array: Any) -> bool:
    """Return whether an array holds numbers, and not lanes: what the compiler knows in advance."""
    return not isinstance(array, LaneArray)


def is_single(number: Any) -> bool:
    """Return whether a number, or lanes, has single precision: known to the compiler in advance."""
    return bool(getattr(number, "dtype", None) == np.float32)


def select(condition: Any, yes: Any, no: Any) -> Any:
    """Return one value or the other, in every lane by its own condition."""
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
    """Return the largest whole number that is not above."""
    return np.floor(value)


def sqrt(value: Any) -> Any:
    """Return the square root."""
    return np.sqrt(value)


def logical_and(one: Any, other: Any) -> Any:
    """Say in which lanes two conditions hold."""
    return np.logical_and(one, other)


def logical_or(one: Any, other: Any) -> Any:
    """Say in which lanes one of two conditions holds, or both."""
    return np.logical_or(one, other)


def logical_not(condition: Any) -> Any:
    """Say in which lanes a condition does not hold."""
    return np.logical_not(condition)


def bit(integer: Any, position: int) -> Any:
    """Return whether a bit of a number that is whole is set."""
    return (np.asarray(integer).astype(np.int64) >> position) & 1 != 0


def gather(rows: Array, first: int, column: int) -> Any:
    """Return a column of as many rows (b, k) as there are lanes; after the last it is repeated."""
    chosen = np.minimum(first + np.arange(WIDTHS[rows.dtype]), len(rows) - 1)
    return rows[chosen, column].view(LaneArray)


def scatter(values: Any, rows: Array, first: int, column: int) -> None:
    """Put lanes into a column of rows (b, k); what would come after the last is left out."""
    part = rows[first : first + len(values), column]
    part[:] = values[: len(part)]
