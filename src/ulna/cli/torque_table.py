"""Torques over time from a .csv file: plain columns, or the file of an earlier run."""

from __future__ import annotations

from collections.abc import Sequence

from ulna.columns import read_cells
from ulna.errors import InputError, Problem

LARGEST = 1_000_000_000  # [bytes]


def read_table(file: str, n: int) -> tuple[list[float], list[list[float]]]:
    """Return times [s] and rows of n torques [N·m].

    A line of names may come first. With the names that runs are saved under, t and tau1 … taun,
    only those columns count; otherwise time and torques have to be all there is.
    """
    cells = read_cells(file, LARGEST, "time and torques")
    names = [name.partition("[")[0].strip().lower() for name in cells.names]
    rows = cells.numbers(_columns(names, cells.width, n, file))
    cells.check_times([row[0] for row in rows])
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
