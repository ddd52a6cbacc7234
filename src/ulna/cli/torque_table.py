"""Torques over time from a .csv file: plain columns, or the file of an earlier run."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence

from ulna.errors import InputError, Problem, shown
from ulna.storage import read_text

LARGEST = 1_000_000_000  # [bytes]
MOST_TOLD = 10  # faults of a file


def read_table(file: str, n: int) -> tuple[list[float], list[list[float]]]:
    """Give times [s] and rows of n torques [N·m].

    A line of names may come first. With the names that runs are saved under, t and tau1 … taun,
    only those columns count; otherwise time and torques have to be all there is.
    """
    text = read_text(file, LARGEST)
    lines = list(enumerate(csv.reader(text.splitlines()), 1))
    lines = [(line, [cell.strip() for cell in row]) for line, row in lines if any(row)]
    names: list[str] = []
    if lines and not any(map(_is_number, lines[0][1])):
        names = [cell.partition("[")[0].strip().lower() for cell in lines[0][1]]
        lines = lines[1:]
    if not lines:
        raise InputError(Problem("table", "no rows", "time and torques", place=file))
    columns = _columns(names, len(lines[0][1]), n, file)
    rows = _numbers(lines, columns, file)
    _check_times([line for line, _ in lines], rows, file)
    return [row[0] for row in rows], [row[1:] for row in rows]


def _columns(names: Sequence[str], width: int, n: int, file: str) -> list[int]:
    wanted = ["t", *(f"tau{joint}" for joint in range(1, n + 1))]
    if set(wanted) <= set(names):
        return [names.index(name) for name in wanted]
    if width != n + 1:
        need = f"{n + 1}: time [s], and the torque [N·m] of every joint"
        got = f"{width} column{'s' * (width != 1)}"
        hint = "separate them by commas" if width == 1 else f"or name them {', '.join(wanted)}"
        raise InputError(Problem("columns", got, need, hint, place=file))
    return list(range(n + 1))


def _numbers(
    lines: Sequence[tuple[int, Sequence[str]]], columns: Sequence[int], file: str
) -> list[list[float]]:
    problems: list[Problem] = []
    for line, row in lines:
        for column in columns:
            cell = row[column] if column < len(row) else ""
            if not _is_number(cell):
                place = f"{file}:{line}"
                got = shown(cell) if cell else "nothing"
                problems.append(Problem(f"column {column + 1}", got, "a finite number", "", place))
        if len(problems) >= MOST_TOLD:
            break
    if problems:
        raise InputError(problems[:MOST_TOLD])
    return [[float(row[column]) for column in columns] for _, row in lines]


def _check_times(lines: Sequence[int], rows: Sequence[Sequence[float]], file: str) -> None:
    for before, after, line in zip(rows, rows[1:], lines[1:], strict=False):
        if not after[0] > before[0]:
            got = f"{after[0]:g} s after {before[0]:g} s"
            place = f"{file}:{line}"
            raise InputError(Problem("time", got, "times that increase", "", place))


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False
