"""Paths through the points of .csv files."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.columns import MOST_TOLD, Cells, read_cells
from ulna.errors import InputError, Problem
from ulna.motion.path import Path
from ulna.motion.points import interpolated
from ulna.motion.shapes import described
from ulna.motion.values import ALIKE, LARGEST, closing, flag
from ulna.namespaces import suggest_keywords
from ulna.typing import PathLike
from ulna.units import to_si

LARGEST_FILE = 10_000_000  # [bytes]
MOST_POINTS = 50_000
NAME = re.compile(r"(t|time|x|y)\s*(?:\[(.*)\]|\((.*)\)|_(\w+))?", re.IGNORECASE)
HOLDS = "columns x, y or t, x, y"


class CsvColumn(NamedTuple):
    """A column that is used: which value it gives, where it stands, and its unit in SI."""

    name: str
    place: int
    factor: float


@suggest_keywords(path="file", filename="file", units="unit")
def csv(file: PathLike, unit: str = "m", closed: bool = False) -> Path:
    r"""Return a smooth path through the points of a .csv file.

    Parameters
    ----------
    file : str or os.PathLike
        A file with columns x, y or t, x, y. A line of names may come first: t, x and y in any
        order, among other columns if need be, with units as in "x [mm]" or "x_mm".
    unit : str, optional
        The unit of x and y where none stands beside a name. Times are in seconds.
    closed : bool, optional
        Whether it goes on to the first point.

    Returns
    -------
    Path
        The path of the tip. With times it takes as long as they say and, timed uniformly, passes
        the points then.

    Raises
    ------
    InputError
        If the file holds something else; the message names line and column.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "points.csv"
    ...     _ = file.write_text("x [mm], y [mm]\n400, 0\n500, 50\n600, 0\n")
    ...     csv(file)(0.0).tolist()
    [0.4, 0.0]
    """
    factor = to_si(f"1 {unit}", "length", what="csv.unit")
    cells = read_cells(file, LARGEST_FILE, HOLDS)
    columns = _columns(cells, factor)
    _check_count(cells)
    read = cells.numbers([c.place for c in columns], [c.name for c in columns])
    values = np.array(read) * np.array([c.factor for c in columns])
    extra = ({"unit": unit} if unit != "m" else {}) | ({"closed": True} if closed else {})
    text = described("csv", file=PurePath(file).as_posix(), **extra)
    rows, times = values[:, -2:], values[:, 0] if len(columns) == 3 else None
    _check_points(cells, rows, times)
    if flag("csv.closed", closed):
        if times is not None and len(closing(rows)) > len(rows):
            got, need = "points that end elsewhere", "a last row at the point of the first"
            hint = "add it, with the time of coming back"
            raise InputError(Problem("csv.closed", got, need, hint, cells.file))
        rows = closing(rows)
    try:
        return interpolated(rows, text, closed=closed, times=times)
    except InputError as error:
        raise InputError([problem.at(cells.file) for problem in error.problems]) from None


def _columns(cells: Cells, factor: float) -> list[CsvColumn]:
    """Find the columns by their names, or by their places if they have none."""
    if not cells.names:
        if cells.width not in (2, 3):
            got = f"{cells.width} column{'s' * (cells.width != 1)}"
            hint = "name the columns t, x and y if there are others"
            where = f"{cells.file}:{cells.rows[0][0]}"
            raise InputError(Problem("columns", got, HOLDS, hint, where))
        places = enumerate("txy"[-cells.width :])
        return [CsvColumn(name, place, 1.0 if name == "t" else factor) for place, name in places]
    found: dict[str, CsvColumn] = {}
    for place, title in enumerate(cells.names):
        match = NAME.fullmatch(title)
        name = match[1].lower()[0] if match else ""
        if match and name in found:
            raise InputError(Problem("columns", f"two named {name}", HOLDS, place=cells.file))
        if match:
            found[name] = CsvColumn(name, place, _factor(cells, title, match, factor))
    if not {"x", "y"} <= set(found):
        got = ", ".join(title[:40] for title in cells.names[:8])
        raise InputError(Problem("columns", f"names {got}", "x, y or t, x, y", place=cells.file))
    return [found[name] for name in "txy" if name in found]


def _factor(cells: Cells, title: str, match: re.Match[str], factor: float) -> float:
    unit = next((part for part in match.groups()[1:] if part), "")
    time = match[1].lower().startswith("t")
    if not unit:
        return 1.0 if time else factor
    try:
        return to_si(f"1 {unit}", "time" if time else "length", what=f"column '{title}'")
    except InputError as error:
        raise InputError([problem.at(cells.file) for problem in error.problems]) from None


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


def _check_points(cells: Cells, rows: Array, times: Array | None) -> None:
    problems = [
        cells.problem(
            cells.rows[row][0], "xy"[column], f"{rows[row, column]:g} m", f"up to {LARGEST:g} m"
        )
        for row, column in np.argwhere(~(np.abs(rows) <= LARGEST))[:MOST_TOLD]
    ]
    if problems:
        raise InputError(problems)
    if times is not None:
        cells.check_times(times.tolist())
        return
    steps = np.linalg.norm(np.diff(rows, axis=0), axis=-1)
    same = np.flatnonzero(steps <= ALIKE * np.ptp(rows, axis=0).max()) + 1
    if len(same):
        need, hint = "points that differ from the one before", "leave one out, or add times"
        raise InputError(
            Problem("x, y", "the same point again", need, hint, f"{cells.file}:{cells.rows[k][0]}")
            for k in same[:MOST_TOLD]
        )
