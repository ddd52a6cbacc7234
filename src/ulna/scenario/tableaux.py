"""Coefficients of explicit methods, as data.

DOP853 is the method of order 8 with embedded ones of orders 5 and 3 and a dense output of order 7
that Hairer, Nørsett and Wanner publish in "Solving Ordinary Differential Equations I" (1993).
Its coefficients stand in `dop853.csv`; those that are zero are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ulna.arrays import Array, float_array
from ulna.errors import InputError, Problem

# Compiled into kernels, as are the tables below.
COUNT_DERIVATIVES, COUNT_DENSE = 16, 7  # as many as the largest method needs
NODE = WEIGHTS = COUNT_DERIVATIVES  # the column of nodes, and the row of weights
# How steps are taken: by a tableau each of whose stages depends on the one before alone, by any
# other explicit tableau, by a kernel of the method's own.
CHAINED, TABLEAU, BY_KERNEL = range(3)


class Tableau(NamedTuple):
    """Coefficients of an explicit method, as the engine reads them."""

    stages: int
    table: Array  # (17, 17) a row a stage, with its node in the last column; the weights below

    @property
    def is_chained(self) -> bool:
        """Whether a stage depends on the derivative before it alone."""
        return not np.tril(self.table[: self.stages, : self.stages], -2).any()


def explicit_tableau(what: str, rows: Sequence[Sequence[float]]) -> Tableau:
    """Read a tableau of s stages: rows of 1, 2, … s numbers, of which the last are the weights."""
    table = np.zeros((WEIGHTS + 1, NODE + 1))
    if not 0 < len(rows) <= COUNT_DERIVATIVES:
        need = f"1 to {COUNT_DERIVATIVES} stages"
        raise InputError(Problem(what, f"{len(rows)} of them", need))
    for k, given in enumerate(rows, 1):
        row = float_array(given, what)
        if row.shape != (k,) or not np.isfinite(row).all():
            need = f"{k} finite number{'s' * (k > 1)} in it"
            raise InputError(Problem(what, f"row {k} of shape {row.shape}", need))
        table[k if k < len(rows) else WEIGHTS, :k] = row
    table[:WEIGHTS, NODE] = table[:WEIGHTS, :NODE].sum(axis=1)
    total = table[WEIGHTS].sum()
    if abs(total - 1.0) > 1e-9:
        raise InputError(Problem(what, f"weights that add up to {total:g}", "a sum of 1"))
    return Tableau(len(rows), table)


def _read_dop853() -> dict[str, Array]:
    """Read its tables: stages with those of its dense output behind them, weights and nodes."""
    tables = {"stage": 16, "weight": 1, "node": 1, "error": 2, "dense": COUNT_DENSE - 3}
    found = {name: np.zeros((rows, COUNT_DERIVATIVES)) for name, rows in tables.items()}
    _, *lines = Path(__file__).with_name("dop853.csv").read_text("utf-8").splitlines()
    for name, row, column, value in (line.split(",") for line in lines):
        found[name][int(row), int(column)] = float(value)
    return found


_DOP853 = _read_dop853()
_TABLE = np.zeros((WEIGHTS + 1, NODE + 1))
_TABLE[:WEIGHTS, :NODE], _TABLE[WEIGHTS, :NODE] = _DOP853["stage"], _DOP853["weight"][0]
_TABLE[:WEIGHTS, NODE] = _DOP853["node"][0]
DOP853_TABLEAU = Tableau(12, _TABLE)
DOP853_ERRORS, DOP853_DENSE = _DOP853["error"], _DOP853["dense"]  # errors of orders 5 and 3
