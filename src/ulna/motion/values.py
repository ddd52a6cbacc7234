"""Numbers and points that people give, checked with a sentence for what is wrong."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np

from ulna.arrays import Array, float_array
from ulna.errors import InputError, Problem, shown


def number(what: str, given: Any, need: str = "a finite number") -> float:
    """Take one finite number."""
    if not isinstance(given, Real) or isinstance(given, bool) or not math.isfinite(given):
        raise InputError(Problem(what, shown(given), need))
    return float(given)


def positive(what: str, given: Any, unit: str = "m") -> float:
    """Take one finite number above zero."""
    need = f"a number above 0 [{unit}]" if unit else "a number above 0"
    value = number(what, given, need)
    if not value > 0.0:
        raise InputError(Problem(what, shown(given), need))
    return value


def whole(what: str, given: Any, least: int) -> int:
    """Take a whole number."""
    need = f"a whole number of at least {least}"
    value = number(what, given, need)
    if value != int(value) or value < least:
        raise InputError(Problem(what, shown(given), need))
    return int(value)


def point(what: str, given: Any) -> complex:
    """Take a point (x, y) of the plane, as x + i y."""
    values = float_array(given, what)
    if values.shape != (2,) or not np.isfinite(values).all():
        raise InputError(Problem(what, shown(given), "a point (x, y) of two finite numbers [m]"))
    return complex(values[0], values[1])


def points(what: str, given: Any, least: int, width: int | None = 2) -> Array:
    """Take a list of points (k, width), no two neighbours the same."""
    values = float_array(given, what)
    per_point = "angles [rad], one a joint" if width is None else f"{width} numbers [m]"
    need = f"at least {least} points of {per_point}"
    fits = values.ndim == 2 and len(values) >= least and width in (None, values.shape[-1])
    if not fits:
        raise InputError(Problem(what, f"an array of shape {values.shape}", need))
    bad = np.flatnonzero(~np.isfinite(values).all(axis=-1))
    if len(bad):
        row = int(bad[0])
        raise InputError(Problem(f"{what}, row {row + 1}", shown(values[row].tolist()), need))
    same = np.flatnonzero((np.diff(values, axis=0) == 0.0).all(axis=-1))
    if len(same):
        row = int(same[0]) + 2
        got = f"{shown(values[row - 1].tolist())} twice in a row"
        raise InputError(Problem(f"{what}, row {row}", got, "points that differ", "leave one out"))
    return np.array(values, dtype=float)
