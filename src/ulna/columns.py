"""Columns of numbers in .csv files: writing, reading, and saying by line and column what is wrong.

A byte-order mark, any line ends, spaces, blank lines, quotes, `#` comments and a line of names
are fine. Commas separate and a point is decimal; what else is met is named.
"""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ulna.errors import InputError, Problem, shown
from ulna.storage import read_text, whole_file

MOST_TOLD = 10  # faults of a file
ROWS_AT_ONCE = 10_000  # of a table that is turned into Python's own numbers
COMMENT = "#"
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(e[+-]?\d+)?", re.IGNORECASE)
VALUE = re.compile(r"[+-]?(\d+(,\d+|\.\d*)?|[.,]\d+)(e[+-]?\d+)?|[^\W\d]\w*", re.IGNORECASE)


class Cells(NamedTuple):
    """The cells of a file: names if it has any, then rows with the lines that they stand on."""

    file: str
    names: list[str]
    rows: list[tuple[int, list[str]]]

    @property
    def width(self) -> int:
        """How many cells the first row has."""
        return len(self.rows[0][1])

    def numbers(self, columns: Sequence[int], titles: Sequence[str] = ()) -> list[list[float]]:
        """Return the numbers of chosen columns, row by row; `titles` are what faults call them."""
        problems: list[Problem] = []
        for line, row in self.rows:
            for place, column in enumerate(columns):
                cell = row[column] if column < len(row) else ""
                if not is_number(cell):
                    title = f" ({titles[place]})" if titles else ""
                    what = f"column {column + 1}{title}"
                    problems.append(self.problem(line, what, _told(cell), "a finite number", cell))
            if len(problems) >= MOST_TOLD:
                break
        if problems:
            raise InputError(problems[:MOST_TOLD])
        return [[float(row[column]) for column in columns] for _, row in self.rows]

    def problem(self, line: int, what: str, got: str, need: str, cell: str = "") -> Problem:
        """Return a problem with a line."""
        hint = "write 0.5, not 0,5" if DECIMAL_COMMA.fullmatch(cell) else ""
        return Problem(what, got, need, hint, f"{self.file}:{line}")

    def check_times(self, times: Sequence[float]) -> None:
        """Raise InputError for times, one a row, that do not increase."""
        problems = [
            self.problem(line, "time", f"{after:g} s after {before:g} s", "times that increase")
            for before, after, (line, _) in zip(times, times[1:], self.rows[1:], strict=False)
            if not after > before
        ]
        if problems:
            raise InputError(problems[:MOST_TOLD])


def read_cells(file: str | os.PathLike[str], largest: int, holds: str) -> Cells:
    """Read a file of at most so many bytes; `holds` says what its rows should be."""
    name = os.fspath(file)
    lines = list(_lines(read_text(file, largest)))
    if lines:
        _check_separator(*lines[0], name, holds)
    rows = [(number, _cut(line, number, name)) for number, line in lines]
    names: list[str] = []
    if rows and not any(is_number(cell) or _is_nearly(cell) for cell in rows[0][1]):
        names = rows.pop(0)[1]
    if not rows:
        raise InputError(Problem("table", "no rows", holds, place=name))
    return Cells(name, names, rows)


def write_columns(file: Path, table: Mapping[str, Any]) -> None:
    """Write arrays (k,) by their headings as .csv text that reads back to the same numbers."""
    columns = list(table.values())
    with file.open("w", encoding="utf-8", newline="") as stream:
        # Its numbers are those of repr(): the shortest that give the same bits back.
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(table)
        for start in range(0, len(columns[0]), ROWS_AT_ONCE):
            block = (column[start : start + ROWS_AT_ONCE].tolist() for column in columns)
            writer.writerows(zip(*block, strict=True))


def save_columns(
    file: str | os.PathLike[str],
    table: Callable[[], Mapping[str, Any]],
    *,
    overwrite: bool,
    hint: str = "",
) -> None:
    """Write what `table` returns to a .csv file, which appears whole or not at all."""
    name = Path(file)
    if name.suffix.lower() != ".csv":
        raise InputError(Problem("file", f"'{name}'", "a name that ends in .csv", hint))
    with whole_file(file, overwrite=overwrite) as part:
        write_columns(part, table())


def is_number(cell: str) -> bool:
    """Return whether a cell holds a finite number."""
    try:
        return math.isfinite(float(cell)) and "_" not in cell
    except ValueError:
        return False


def _is_nearly(cell: str) -> bool:
    """Return whether a cell was meant as a number, though it is none: its row has no names."""
    return cell.lower().lstrip("+-") in ("nan", "inf", "infinity") or cell[:1].isdigit()


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        plain = line.partition(COMMENT)[0].strip(" ")
        if plain.strip(', \t"'):
            yield number, plain


def _cut(line: str, number: int, name: str) -> list[str]:
    if '"' not in line:
        return [cell.strip() for cell in line.split(",")]
    try:
        (cells,) = csv.reader([line], skipinitialspace=True)
    except csv.Error as error:
        place = f"{name}:{number}"
        raise InputError(Problem("row", str(error), "plain cells", place=place)) from None
    return [cell.strip() for cell in cells]


def _check_separator(number: int, line: str, name: str, holds: str) -> None:
    cells = _cut(line, number, name)
    parts = line.split()
    if any(";" in cell for cell in cells):
        word, parts = "semicolons", line.split(";")
    elif any("\t" in cell for cell in cells):
        word, parts = "tabs", line.split("\t")
    elif len(parts) > 1 and all(VALUE.fullmatch(part) for part in parts):
        word = "spaces"
    else:
        return
    decimal = any(DECIMAL_COMMA.fullmatch(part.strip()) for part in parts)
    got = f"{word} between the columns" + " and commas in the numbers" * decimal
    need = "commas between the columns" + " and points in the numbers" * decimal
    hint = f"save {holds} as comma-separated .csv"
    raise InputError(Problem("separator", got, need, hint, f"{name}:{number}"))


def _told(cell: str) -> str:
    return shown(cell) if cell else "nothing"
