"""The columns of a .csv file of points: x and y, times or a pen, by their names or their places."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from ulna.arrays import Array
from ulna.columns import MOST_TOLD, Cells
from ulna.errors import InputError, Problem, rewording
from ulna.units import to_si

Columns: TypeAlias = Mapping[str, tuple[int, float]]  # the place and the unit [SI] of each, by name

MOST_POINTS = 50_000
ALIKE = 1e-9  # of their extent, below which two neighbouring points are the same
NAME = re.compile(r"(t|time|x|y)\s*(?:\[(.*)\]|\((.*)\)|_(\w+))?|pen(?:[ _-]?down)?", re.IGNORECASE)
HOLDS = "columns x, y or t, x, y or x, y, pen"
PEN = "1 where the pen draws to the point, or 0 where it moves there"


def find_columns(cells: Cells, factor: float) -> Columns:
    """Find places and units of the columns; x and y are in units of `factor` if none is named."""
    if not cells.names:
        return _by_place(cells, factor)
    found: dict[str, tuple[int, float]] = {}
    for place, match in enumerate(map(NAME.fullmatch, cells.names)):
        name = "" if match is None else match[1].lower()[0] if match[1] else "pen"
        if match and name in found:
            raise InputError(Problem("columns", f"two named {name}", HOLDS, place=cells.file))
        if match:
            with rewording(lambda problem: problem.at(cells.file)):
                found[name] = place, _factor(match, factor) if match[1] else 1.0
    if not {"x", "y"} <= set(found):
        got = ", ".join(title[:40] for title in cells.names[:8])
        raise InputError(Problem("columns", f"names {got}", "x, y or t, x, y", place=cells.file))
    if {"t", "pen"} <= set(found):
        hint = "leave the times out: strokes and travel are timed one by one"
        raise InputError(Problem("columns", "t and pen", "one of them", hint, cells.file))
    return {name: found[name] for name in ("t", "x", "y", "pen") if name in found}


def _by_place(cells: Cells, factor: float) -> Columns:
    if cells.width not in (2, 3):
        got = f"{cells.width} column{'s' * (cells.width != 1)}"
        hint = "name the columns t, x and y if there are others"
        where = f"{cells.file}:{cells.rows[0][0]}"
        raise InputError(Problem("columns", got, HOLDS, hint, where))
    names = "txy"[-cells.width :]
    return {name: (place, 1.0 if name == "t" else factor) for place, name in enumerate(names)}


def _factor(match: re.Match[str], factor: float) -> float:
    unit = next((part for part in match.groups()[1:] if part), "")
    time = match[1].lower().startswith("t")
    if not unit:
        return 1.0 if time else factor
    return to_si(f"1 {unit}", "time" if time else "length", what=f"column '{match[0]}'")


def read_columns(cells: Cells, columns: Columns) -> Array:
    """Return the numbers (k, m) of columns in SI units."""
    _check_count(cells)
    places, factors = zip(*columns.values(), strict=True)
    numbers = cells.numbers(list(places), list(columns))
    return np.array(numbers) * np.array(factors)


def _check_count(cells: Cells) -> None:
    count = len(cells.rows)
    if count == 1:
        raise InputError(Problem("table", "one row", "at least two points", place=cells.file))
    if count > MOST_POINTS:
        need, hint = f"at most {MOST_POINTS:,}", "leave out points: a spline joins those that stay"
        raise InputError(Problem("table", f"{count:,} rows", need, hint, cells.file))
    wrong = [(line, len(row)) for line, row in cells.rows if len(row) != cells.width]
    if wrong:
        raise InputError(
            cells.problem(line, "columns", str(width), f"{cells.width} as in the first row")
            for line, width in wrong[:MOST_TOLD]
        )


def check_distinct(cells: Cells, rows: Array, drawn: Array | bool = True) -> None:
    """Raise where a point (k, 2) that a line is drawn to is the same as the one before it."""
    steps = np.linalg.norm(np.diff(rows, axis=0), axis=-1)
    still = (steps <= ALIKE * float(np.max(np.ptp(rows, axis=0)))) & drawn
    need, hint = "points that differ from the one before", "leave one out"
    problems = [
        Problem("x, y", "the same point again", need, hint, f"{cells.file}:{cells.rows[k][0]}")
        for k in np.flatnonzero(still)[:MOST_TOLD] + 1
    ]
    if problems:
        raise InputError(problems)
