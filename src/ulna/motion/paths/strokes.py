"""Strokes: what a pen draws in one go, in which order, and the travel between them.

A drawing is one path: its strokes, and straight travel with the pen up from each to the next.
`Path.strokes` says between which of its parameters the pen is down. Strokes are drawn in the order,
and each in the direction, that makes the travel short, and closed ones from where it does.

Closed strokes may begin elsewhere than in the file: at the start of any of their pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ulna.arrays import Array, runs
from ulna.columns import MOST_TOLD, Cells
from ulna.errors import InputError, Problem
from ulna.motion.paths.compositions import told_travel
from ulna.motion.paths.curve_segments import CurveSegments, bezier
from ulna.motion.paths.curves import ByLength, Cubics, Piecewise
from ulna.motion.paths.path import JOINED, SMOOTH, Path, intervals
from ulna.motion.paths.point_columns import PEN, check_distinct
from ulna.motion.paths.rounding import BACK, round_corners
from ulna.motion.paths.stroke_order import StrokeOrder, order_strokes

TOUCHING = 1e-5  # of a drawing's size, by which a stroke may begin beside the end of the last one
SLIGHT = 0.01  # of a piece's length, by which it may lean over to that end
FIRST = np.array([0])


class Drawing(NamedTuple):
    """A drawing as a path, and how its strokes were put in order."""

    path: Path
    order: StrokeOrder


def told_strokes(order: StrokeOrder, *, keep: bool, fit: bool) -> list[str]:
    """Describe how many strokes there are, and the travel between them."""
    count, unit = len(order.index), "units" if fit else "m"
    if count < 2:
        return []
    before = "" if keep else f"{order.travel_before:.4g} {unit} "
    more = f", {before}in the order of the file"
    return [told_travel(count, order.travel, fit=fit, more=more)]


def drawn_strokes(
    given: list[CurveSegments],
    text: str,
    blend: float,
    *,
    keep_order: bool = False,
    waypoints: Sequence[Array] = (),
) -> Drawing:
    """Return strokes and the travel between them as a path by its length, corners rounded.

    Strokes in the order of the file may have waypoints: points (m,) that travel leads through
    before each stroke and, one list more, behind the last.
    """
    low, high = CurveSegments.joined(given).box
    size = abs(high - low)
    chosen, order = _in_order(given, size, rounded=blend > 0.0, keep=keep_order)
    pieces, places = _with_travel(_touching(chosen, size), size, waypoints)
    lengths, up = pieces.lengths, np.ones(len(pieces), dtype=bool)
    for first, last in places:
        up[first:last] = False
    edges = np.concatenate([[0.0], np.cumsum(lengths)])
    edges /= edges[-1]
    strokes = intervals(edges[np.array(places)])
    path = Path(Drawn(pieces, edges), text, tuple(edges.tolist()), strokes=strokes)
    if blend:
        path = round_corners(path, np.full(len(path.corners), blend), text)
    # The same path with the length as its parameter.
    parts = path.lengths.parts
    breaks, strokes = parts(np.array(path.breaks)), intervals(parts(np.array(path.strokes)))
    made = replace(path, curve=ByLength(path), breaks=tuple(breaks.tolist()), strokes=strokes)
    return Drawing(made, order._replace(travel=float(lengths[up].sum())))


def _in_order(
    given: list[CurveSegments], size: float, *, rounded: bool, keep: bool
) -> tuple[list[CurveSegments], StrokeOrder]:
    """Return strokes as they are drawn, and their order."""
    starts = np.array([stroke.starts[0] for stroke in given])
    ends = np.array([stroke.ends[-1] for stroke in given])
    order = order_strokes(starts, ends, keep=keep)
    made = [
        given[k].reversed() if back else given[k]
        for k, back in zip(order.index, order.backwards, strict=True)
    ]
    if not keep:
        _begin_near(made, size, rounded=rounded)
    return made, order


def _begin_near(strokes: list[CurveSegments], size: float, *, rounded: bool) -> None:
    """Let closed strokes begin at another piece where that shortens the travel to and from them.

    A corner that is not rounded has to stay where a pen stops, or one like it: nothing goes through
    it at speed.
    """
    for k, stroke in enumerate(strokes):
        if abs(stroke.ends[-1] - stroke.starts[0]) > JOINED * size:
            continue
        travel = np.zeros(len(stroke))
        if k > 0:
            travel += np.abs(stroke.starts - strokes[k - 1].ends[-1])
        if k + 1 < len(strokes):
            travel += np.abs(stroke.starts - strokes[k + 1].starts[0])
        sharp = _sharp_corners(stroke, rounded=rounded)
        if sharp[0]:
            travel[~sharp] = np.inf
        strokes[k] = stroke.chosen(np.roll(np.arange(len(stroke)), -np.argmin(travel)))


def _touching(strokes: list[CurveSegments], size: float) -> list[CurveSegments]:
    """Let a stroke begin where the last one ended, if that is a hair's breadth away.

    As drawing programs round their numbers: the pen stays down.
    """
    made = strokes[:1]
    for stroke in strokes[1:]:
        end = complex(made[-1].ends[-1])
        gap = abs(stroke.starts[0] - end)
        near = 0.0 < gap <= TOUCHING * size
        near = near and gap <= SLIGHT * float(stroke.chosen(FIRST).lengths[0])
        made.append(stroke.starting_at(end) if near else stroke)
    return made


def _with_travel(
    strokes: list[CurveSegments], size: float, waypoints: Sequence[Array]
) -> tuple[CurveSegments, list[tuple[int, int]]]:
    """Join strokes by straight travel; return all pieces, and which of them each stroke has."""
    via = [list(points) for points in waypoints] or [[] for _ in range(len(strokes) + 1)]
    parts: list[CurveSegments] = []
    places: list[tuple[int, int]] = []
    count, here = 0, via[0][0] if via[0] else strokes[0].starts[0]
    for stroke, before in zip([*strokes, None], via, strict=True):
        for there in [*before, *([] if stroke is None else [stroke.starts[0]])]:
            if abs(there - here) > JOINED * size:
                parts.append(CurveSegments.of([bezier(here, there)]))
                count, here = count + 1, there
        if stroke is not None:
            parts.append(stroke)
            places.append((count, count + len(stroke)))
            count, here = count + len(stroke), stroke.ends[-1]
    return CurveSegments.joined(parts), places


@dataclass(frozen=True, eq=False)
class Drawn(Piecewise):
    """CurveSegments one after the other; edges (k+1,) from 0 to 1 say where each begins."""

    pieces: CurveSegments
    edges: Array

    def on(self, s: Array, within: Array) -> Array:
        which = np.searchsorted(self.edges, within, "right") - 1
        which = np.clip(which, 0, len(self.pieces) - 1)
        share = self.edges[which + 1] - self.edges[which]
        z = self.pieces.at(which, np.clip((s - self.edges[which]) / share, 0.0, 1.0))
        rows = np.stack([z.value, z.first / share, z.second / share**2])
        return np.stack([rows.real, rows.imag], axis=-1)


def pen_path(cells: Cells, rows: Array, pen: Array, text: str, *, keep_order: bool) -> Path:
    """Return the strokes through rows (k, 2) of a table as a path.

    A pen (k,) of 1 draws to a point, 0 moves there. The first point is where the drawing begins,
    whatever its pen says.
    """
    _check_pen(cells, rows, pen)
    down = pen[1:] == 1.0
    drawn = runs(down)
    strokes = [_segments(rows[a : b + 2]) for a, b in drawn]
    points = rows[:, 0] + 1j * rows[:, 1]
    ends, starts = [0, *(b + 2 for _, b in drawn)], [*(a for a, _ in drawn), len(rows)]
    waypoints = [points[a:b] for a, b in zip(ends, starts, strict=True)]
    used = waypoints if keep_order else ()
    path, order = drawn_strokes(strokes, text, 0.0, keep_order=keep_order, waypoints=used)
    told = told_strokes(order, keep=keep_order, fit=False)
    count = sum(map(len, waypoints))
    if count and not keep_order:
        left = f"{count} point{'s' * (count > 1)} with the pen up left out"
        why = "travel goes straight from stroke to stroke"
        told.append(f"{left}: {why}; keep_order keeps them, and the order of the file")
    return replace(path, notes=tuple(told))


def _check_pen(cells: Cells, rows: Array, pen: Array) -> None:
    lines = [line for line, _ in cells.rows]
    wrong = np.flatnonzero((pen != 0.0) & (pen != 1.0))[:MOST_TOLD]
    if len(wrong):
        raise InputError(cells.problem(lines[k], "pen", f"{pen[k]:g}", PEN) for k in wrong)
    if not (pen[1:] == 1.0).any():
        raise InputError(Problem("pen", "a pen that is never down", PEN, place=cells.file))
    check_distinct(cells, rows, pen[1:] == 1.0)


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


def _sharp_corners(stroke: CurveSegments, *, rounded: bool) -> Array:
    """Return which pieces (k,) begin at a corner that is not rounded."""
    which = np.arange(len(stroke))
    ahead, back = (stroke.at(which, np.full(len(stroke), t)).first for t in (0.0, 1.0))
    back = np.roll(back, 1)
    cosines = (np.conj(back) * ahead).real / np.maximum(np.abs(back * ahead), 1e-300)
    return np.asarray(cosines < (-BACK if rounded else np.cos(SMOOTH)))
