"""Strokes: what a pen draws in one go, in which order, and the travel between them.

A drawing is one path: its strokes, and straight travel with the pen up from each to the next.
`Path.strokes` says between which of its parameters the pen is down. Strokes are drawn in the order,
and each in the direction, that makes the travel short: the nearest end first (greedy), then 2-opt,
which reverses runs of strokes as long as that shortens the travel. Equal inputs have equal outputs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.columns import MOST_TOLD, Cells
from ulna.errors import InputError, Problem
from ulna.motion.paths.curve_segments import CurveSegments, bezier
from ulna.motion.paths.curves import ByLength, Cubics, Piecewise
from ulna.motion.paths.path import JOINED, Path, intervals
from ulna.motion.paths.rounding import round_corners

MOST_SWEEPS = 50  # of 2-opt over all strokes
LESS = 1e-12  # of the travel, by which a change has to shorten it
ALIKE = 1e-9  # of their extent, below which two points are the same


class StrokeOrder(NamedTuple):
    """An order of strokes, and the travel between them."""

    index: Array  # (k,) which stroke comes when,
    backwards: Array  # (k,) bool, and whether from its end to its start
    travel: float  # in the unit of the strokes
    travel_before: float  # the same in the order that was given


class Drawing(NamedTuple):
    """A drawing as a path, and how its strokes were put in order."""

    path: Path
    order: StrokeOrder


def order_strokes(starts: Array, ends: Array, *, keep: bool = False) -> StrokeOrder:
    """Order strokes from complex starts (k,) to ends (k,) so that the travel is short."""
    given = np.arange(len(starts)), np.zeros(len(starts), dtype=bool)
    before = _travel(starts, ends, *given)
    if keep or len(starts) < 2:
        return StrokeOrder(*given, before, before)
    # From every choice to the better one: the file's own order may be hard to beat.
    tried = [_two_opt(starts, ends, *one) for one in (_nearest_first(starts, ends), given)]
    lengths = [_travel(starts, ends, *one) for one in tried]
    best = tried[int(np.argmin(lengths))]
    return StrokeOrder(*best, min(lengths), before)


def _travel(starts: Array, ends: Array, index: Array, backwards: Array) -> float:
    entry, leave = _entries(starts, ends, index, backwards)
    return float(np.abs(entry[1:] - leave[:-1]).sum())


def _entries(starts: Array, ends: Array, index: Array, backwards: Array) -> tuple[Array, Array]:
    """Return where the pen is put down (k,) and lifted (k,), in order."""
    first, last = starts[index], ends[index]
    return np.where(backwards, last, first), np.where(backwards, first, last)


def _nearest_first(starts: Array, ends: Array) -> tuple[Array, Array]:
    """Begin with the first stroke, and go on to the nearest end of all that are left."""
    count = len(starts)
    index, backwards = np.zeros(count, dtype=int), np.zeros(count, dtype=bool)
    waiting, here = np.ones(count, dtype=bool), ends[0]
    waiting[0] = False
    for place in range(1, count):
        left = np.flatnonzero(waiting)
        gaps = np.abs(np.stack([starts[left], ends[left]], axis=-1) - here)
        nearest, side = divmod(int(np.argmin(gaps)), 2)
        index[place], backwards[place] = left[nearest], side == 1
        waiting[left[nearest]] = False
        here = starts[left[nearest]] if side else ends[left[nearest]]
    return index, backwards


def _two_opt(starts: Array, ends: Array, index: Array, backwards: Array) -> tuple[Array, Array]:
    """Reverse runs of strokes, each with its strokes backwards, while that shortens the travel."""
    index, backwards, count = index.copy(), backwards.copy(), len(index)
    least = LESS * max(_travel(starts, ends, index, backwards), np.finfo(float).tiny)
    for _ in range(MOST_SWEEPS):
        better = False
        for i in range(count):
            entry, leave = _entries(starts, ends, index, backwards)
            gains = _gains(entry, leave, i)
            j = i + int(np.argmax(gains))
            if gains[j - i] > least:
                index[i : j + 1] = index[i : j + 1][::-1].copy()
                backwards[i : j + 1] = ~backwards[i : j + 1][::-1]
                better = True
        if not better:
            break
    return index, backwards


def _gains(entry: Array, leave: Array, i: int) -> Array:
    """Return by how much reversing the strokes i … j shortens the travel, for j = i … k − 1."""
    gains = np.zeros(len(entry) - i)
    gains[:-1] = np.abs(entry[i + 1 :] - leave[i:-1]) - np.abs(entry[i + 1 :] - entry[i])
    if i > 0:
        gains += abs(entry[i] - leave[i - 1]) - np.abs(leave[i:] - leave[i - 1])
    return gains


def told_strokes(order: StrokeOrder, *, keep: bool, unit: str) -> list[str]:
    """Describe how many strokes there are, and the travel between them."""
    count = len(order.index)
    if count < 2:
        return []
    told = f"{count} strokes, with {order.travel:.4g} {unit} of travel between them"
    if keep:
        return [f"{told}, in the order of the file"]
    return [f"{told}, {order.travel_before:.4g} {unit} in the order of the file"]


def drawn_strokes(
    given: list[CurveSegments], text: str, blend: float, *, keep_order: bool = False
) -> Drawing:
    """Return strokes and the travel between them as a path by its length, corners rounded."""
    starts = np.array([stroke.starts[0] for stroke in given])
    ends = np.array([stroke.ends[-1] for stroke in given])
    order = order_strokes(starts, ends, keep=keep_order)
    chosen = [
        given[k].reversed() if back else given[k]
        for k, back in zip(order.index, order.backwards, strict=True)
    ]
    pieces, places = _with_travel(chosen)
    edges = np.concatenate([[0.0], np.cumsum(pieces.lengths)])
    edges /= edges[-1]
    strokes = intervals(edges[np.array(places)])
    path = Path(Drawn(pieces, edges), text, tuple(edges.tolist()), strokes=strokes)
    if blend:
        path = round_corners(path, np.full(len(path.corners), blend), text)
    return Drawing(_by_arc_length(path), order)


def _with_travel(strokes: list[CurveSegments]) -> tuple[CurveSegments, list[tuple[int, int]]]:
    """Join strokes by straight travel; return all pieces, and which of them each stroke has."""
    low, high = CurveSegments.joined(strokes).box
    parts: list[CurveSegments] = []
    places: list[tuple[int, int]] = []
    count = 0
    for stroke in strokes:
        if parts and abs(stroke.starts[0] - parts[-1].ends[-1]) > JOINED * abs(high - low):
            parts.append(CurveSegments.of([bezier(parts[-1].ends[-1], stroke.starts[0])]))
            count += 1
        parts.append(stroke)
        places.append((count, count + len(stroke)))
        count += len(stroke)
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


def _by_arc_length(path: Path) -> Path:
    """Return the same path with the length as its parameter."""
    breaks = path.lengths.parts(np.array(path.breaks))
    strokes = intervals(path.lengths.parts(np.array(path.strokes)))
    return replace(path, curve=ByLength(path), breaks=tuple(breaks.tolist()), strokes=strokes)


def pen_path(cells: Cells, rows: Array, pen: Array, text: str, *, keep_order: bool) -> Path:
    """Return the strokes through rows (k, 2) of a table as a path.

    A pen (k,) of 1 draws to a point, 0 moves there. The first point is where the drawing begins,
    whatever its pen says.
    """
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
