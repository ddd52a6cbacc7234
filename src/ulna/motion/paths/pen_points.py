"""Strokes through the points of a table with a pen column: 1 draws to a point, 0 moves there.

The first point is where the drawing begins, whatever its pen says.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ulna.arrays import Array
from ulna.columns import MOST_TOLD, Cells
from ulna.errors import InputError, Problem
from ulna.motion.paths.curve_segments import CurveSegments
from ulna.motion.paths.curves import Cubics
from ulna.motion.paths.path import Path
from ulna.motion.paths.strokes import drawn_strokes, told_strokes

ALIKE = 1e-9  # of their extent, below which two points are the same


def pen_path(cells: Cells, rows: Array, pen: Array, text: str, *, keep_order: bool) -> Path:
    """Return the strokes through rows (k, 2) of a table as a path; pen (k,) is 0 or 1."""
    _check_pen(cells, rows, pen)
    down = pen[1:] == 1.0
    first = np.flatnonzero(down & ~np.concatenate([[False], down[:-1]]))
    last = np.flatnonzero(down & ~np.concatenate([down[1:], [False]])) + 1
    strokes = [_segments(rows[a : b + 1]) for a, b in zip(first, last, strict=True)]
    path, order = drawn_strokes(strokes, text, 0.0, keep_order=keep_order)
    return replace(path, notes=tuple(told_strokes(order, keep=keep_order, unit="m")))


def _check_pen(cells: Cells, rows: Array, pen: Array) -> None:
    lines = [line for line, _ in cells.rows]
    wrong = np.flatnonzero((pen != 0.0) & (pen != 1.0))[:MOST_TOLD]
    need = "1 where the pen draws to the point, or 0 where it moves there"
    if len(wrong):
        raise InputError(cells.problem(lines[k], "pen", f"{pen[k]:g}", need) for k in wrong)
    if not (pen[1:] == 1.0).any():
        raise InputError(Problem("pen", "a pen that is never down", need, place=cells.file))
    steps = np.linalg.norm(np.diff(rows, axis=0), axis=-1)
    still = (steps <= ALIKE * np.ptp(rows, axis=0).max()) & (pen[1:] == 1.0)
    same = np.flatnonzero(still)[:MOST_TOLD] + 1
    if len(same):
        raise InputError(
            Problem(
                "x, y",
                "the same point again, with the pen down",
                "points that differ from the one before",
                "leave one out",
                f"{cells.file}:{lines[k]}",
            )
            for k in same
        )


def _segments(rows: Array) -> CurveSegments:
    """Return cubic pieces smoothly through points (k, 2); through two, a line."""
    from scipy.interpolate import CubicSpline

    steps = np.linalg.norm(np.diff(rows, axis=0), axis=-1)
    knots = np.concatenate([[0.0], np.cumsum(steps)])
    ends = "not-a-knot" if len(rows) > 3 else "natural"
    pieces = Cubics.of(CubicSpline(knots, rows, bc_type=ends))
    # Powers of the part of a piece, the lowest first.
    powers = pieces.powers[::-1] * (np.diff(knots) ** np.arange(4.0)[:, None])[..., None]
    none = np.zeros(len(steps))
    flat = np.zeros(len(steps), dtype=complex)
    return CurveSegments((powers[..., 0] + 1j * powers[..., 1]).T, flat, flat, none, none)
