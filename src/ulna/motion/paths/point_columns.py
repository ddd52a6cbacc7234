"""The columns of a .csv file of points: x and y, times or a pen, by their names or their places."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from ulna.arrays import Array
from ulna.columns import MOST_TOLD, Cells, is_number
from ulna.errors import InputError, Problem, rewording, shown
from ulna.units import to_si

Columns: TypeAlias = Mapping[str, tuple[int, float]]  # the place and the unit [SI] of each, by name

MOST_POINTS = 50_000
NAME = re.compile(r"(t|time|x|y)\s*(?:\[(.*)\]|\((.*)\)|_(\w+))?|pen(?:[ _-]?down)?", re.IGNORECASE)
LIKE_PEN = re.compile(r"(?:is[ _-]?)?pens?(?:[^a-z].*|up|down|state|lift(?:ed)?)?", re.IGNORECASE)
OF_A_PLAN = "pen [1]"  # as a plan is saved, with times
HOLDS = "columns x, y or t, x, y or x, y, pen"
PEN = "1 where the pen draws to the point, or 0 where it moves there"
NAMED = "if the columns are x, y and pen, name them in a first line: x,y,pen"


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
    _check_names(cells, found)
    return {name: found[name] for name in ("t", "x", "y", "pen") if name in found}


def _by_place(cells: Cells, factor: float) -> Columns:
    if cells.width not in (2, 3):
        got = f"{cells.width} column{'s' * (cells.width != 1)}"
        hint = "name the columns t, x and y if there are others"
        where = f"{cells.file}:{cells.rows[0][0]}"
        raise InputError(Problem("columns", got, HOLDS, hint, where))
    names = "txy"[-cells.width :]
    return {name: (place, 1.0 if name == "t" else factor) for place, name in enumerate(names)}


def _check_names(cells: Cells, found: Columns) -> None:
    if {"t", "pen"} <= set(found):
        hint = "leave the times out: strokes and travel are timed one by one"
        raise InputError(Problem("columns", "t and pen", "one of them", hint, cells.file))
    if "pen" in found:
        return
    like = [name for name in cells.names if LIKE_PEN.fullmatch(name) and name != OF_A_PLAN]
    if like:
        need = f"a column named pen, with {PEN}"
        raise InputError(Problem("columns", shown(like[0]), need, "did you mean pen?", cells.file))


def _factor(match: re.Match[str], factor: float) -> float:
    unit = next((part for part in match.groups()[1:] if part), "")
    time = match[1].lower().startswith("t")
    if not unit:
        return 1.0 if time else factor
    return to_si(f"1 {unit}", "time" if time else "length", what=f"column '{match[0]}'")


def read_columns(cells: Cells, columns: Columns) -> Array:
    """Return the numbers (k, m) of columns in SI units."""
    _check_count(cells)
    _check_pen_cells(cells, columns)
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


def _check_pen_cells(cells: Cells, columns: Columns) -> None:
    """Raise where a pen is given in words, and tell what else is wrong with those rows."""
    if "pen" not in columns:
        return
    place = columns["pen"][0]
    wrong = [(line, row[place]) for line, row in cells.rows if not is_number(row[place])]
    if not wrong:
        return
    problems = [
        cells.problem(line, f"column {place + 1} (pen)", shown(cell) if cell else "nothing", PEN)
        for line, cell in wrong[:MOST_TOLD]
    ]
    others = {name: column for name, column in columns.items() if name != "pen"}
    try:
        cells.numbers([column for column, _ in others.values()], list(others))
    except InputError as error:
        problems += error.problems
    raise InputError(problems[:MOST_TOLD])


def check_row_times(cells: Cells, times: Array) -> None:
    """Raise for times that do not increase; what may be a pen's column without a name is hinted."""
    with rewording(lambda one: replace(one, hint=NAMED) if _may_be_a_pen(cells) else one):
        cells.check_times(times.tolist())


def told_columns(cells: Cells, columns: Columns) -> tuple[str, ...]:
    """Note where columns may be others than they were taken for."""
    if "t" in columns and _may_be_a_pen(cells):
        return (f"the columns were read as t, x, y, and all y are 0 or 1; {NAMED}",)
    if "t" in columns and OF_A_PLAN in cells.names:
        return (f"column {OF_A_PLAN!r} is not read beside times: the pen is down all along",)
    return ()


def _may_be_a_pen(cells: Cells) -> bool:
    """Return whether a third column without a name holds 0 and 1 only."""
    if cells.names or cells.width != 3:
        return False
    return {float(row[2]) for _, row in cells.rows} == {0.0, 1.0}
