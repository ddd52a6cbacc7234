"""Checks of numbers and points that users pass, with a sentence for what is wrong."""

from __future__ import annotations

import math
from contextlib import suppress
from numbers import Real
from typing import Any

import numpy as np

from ulna.arrays import Array, float_array
from ulna.errors import InputError, Problem, shown, units_hint

SHORTEST_TIME, LONGEST_TIME = 1e-6, 1e9  # [s] of a motion, and of a step in a table of times
LARGEST = 1e9  # [m], [rad], ...: beyond it squares lose themselves, and no arm goes there
ALIKE = 1e-9  # of their extent, below which two neighbouring points are the same


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


def point(what: str, given: Any) -> complex:
    """Check a point (x, y) of the plane, and return it as x + i y."""
    values = float_array(given, what)
    if values.shape != (2,) or not (np.abs(values) <= LARGEST).all():
        raise InputError(Problem(what, shown(given), "a point (x, y) of two finite numbers [m]"))
    return complex(values[0], values[1])


def points(what: str, given: Any, least: int, width: int | None = 2) -> Array:
    """Check a list of points (k, width), no two neighbours the same."""
    values = float_array(given, what)
    per_point = "angles [rad], one a joint" if width is None else f"{width} numbers [m]"
    need = f"at least {least} points of {per_point}"
    fits = values.ndim == 2 and len(values) >= least and width in (None, values.shape[-1])
    if not fits:
        raise InputError(Problem(what, f"an array of shape {values.shape}", need))
    bad = np.flatnonzero(~(np.abs(values) <= LARGEST).all(axis=-1))
    if len(bad):
        row = int(bad[0])
        raise InputError(Problem(f"{what}, row {row + 1}", shown(values[row].tolist()), need))
    same = np.flatnonzero(np.linalg.norm(np.diff(values, axis=0), axis=-1) <= _alike(values))
    if len(same):
        row = int(same[0]) + 2
        got = f"{shown(values[row - 1].tolist())} twice in a row"
        raise InputError(Problem(f"{what}, row {row}", got, "points that differ", "leave one out"))
    return np.array(values, dtype=float)


def closing(values: Array) -> Array:
    """Return points (k, d) that end where they begin, by one more if need be."""
    if np.linalg.norm(values[-1] - values[0]) <= _alike(values):
        return np.concatenate([values[:-1], values[:1]])
    return np.concatenate([values, values[:1]])


def _alike(values: Array) -> float:
    return ALIKE * float(np.max(np.ptp(values, axis=0)))
