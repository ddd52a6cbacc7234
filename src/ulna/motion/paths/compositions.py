"""Compositions of paths: concatenated, repeated, moved and scaled.

Corners made smooth: what is close to one is replaced by a bend without any jump.

The bend is a polynomial of fifth degree that has the same position, direction and curvature at both
of its ends, so that the tip can go through it without stopping.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ulna.arrays import Array
from ulna.errors import InputError, Problem, shown
from ulna.motion.paths.jets import quintic
from ulna.motion.paths.path import BESIDE, JOINED, Curve, Path, Smooth, on_pieces
from ulna.motion.paths.shapes import cmath_unit, described
from ulna.motion.values import number, point, positive, whole
from ulna.typing import PointLike

MOST_PIECES = 100_000  # of a path that is repeated


@dataclass(frozen=True, eq=False)
class Concatenation:
    """Curves one after the other; edges (k+1,) from 0 to 1 say where each begins."""

    curves: tuple[Curve, ...]
    edges: Array

    def __call__(self, s: Array) -> Array:
        """Return point and derivatives (3, k, d) at parameters (k,)."""
        return self.on(s, s)

    def on(self, s: Array, within: Array) -> Array:
        """Return the same on the pieces that other parameters lie on."""
        which = np.clip(np.searchsorted(self.edges, within, "right") - 1, 0, len(self.curves) - 1)
        width = self.curves[0](np.zeros(1)).shape[-1]
        rows = np.empty((3, len(s), width))
        for index in np.unique(which):
            chosen = which == index
            share = self.edges[index + 1] - self.edges[index]
            local, inside = (
                np.clip((place[chosen] - self.edges[index]) / share, 0.0, 1.0)
                for place in (s, within)
            )
            steps = np.array([1.0, share, share**2])[:, None, None]
            rows[:, chosen] = on_pieces(self.curves[index], local, inside) / steps
        return rows


@dataclass(frozen=True, eq=False)
class Segment(Smooth):
    """The straight way from a point (d,) on."""

    start: Array
    way: Array

    def __call__(self, s: Array) -> Array:
        """Return point and derivatives (3, k, d) at parameters (k,)."""
        rows = np.zeros((3, len(s), len(self.way)))
        rows[0] = self.start + s[:, None] * self.way
        rows[1] = self.way
        return rows


@dataclass(frozen=True, eq=False)
class Repetition:
    """A curve so many times over, the last time up to a part of it."""

    cycle: Curve
    count: int
    end: float  # how many times in all

    def __call__(self, s: Array) -> Array:
        """Return point and derivatives (3, k, d) at parameters (k,)."""
        return self.on(s, s)

    def on(self, s: Array, within: Array) -> Array:
        """Return the same on the pieces that other parameters lie on."""
        turn = np.minimum(np.floor(within * self.end), self.count - 1.0)
        local, inside = (np.clip(place * self.end - turn, 0.0, 1.0) for place in (s, within))
        steps = np.array([1.0, self.end, self.end**2])[:, None, None]
        return on_pieces(self.cycle, local, inside) * steps


@dataclass(frozen=True, eq=False)
class Moved:
    """A curve of the plane under a linear map and a shift."""

    curve: Curve
    matrix: Array  # (2, 2), from the right
    offset: Array  # (2,)

    def __call__(self, s: Array) -> Array:
        """Return point and derivatives (3, k, 2) at parameters (k,)."""
        return self._moved(self.curve(s))

    def on(self, s: Array, within: Array) -> Array:
        """Return the same on the pieces that other parameters lie on."""
        return self._moved(on_pieces(self.curve, s, within))

    def _moved(self, rows: Array) -> Array:
        rows = rows @ self.matrix
        rows[0] += self.offset
        return rows


def chained(parts: Sequence[Path], shares: Sequence[float], text: str) -> Path:
    """Concatenate paths, each with its share of the parameter."""
    edges = np.concatenate([[0.0], np.cumsum(shares)])
    edges /= edges[-1]
    breaks: list[float] = [0.0]
    for part, start, end in zip(parts, edges[:-1], edges[1:], strict=True):
        breaks += [float(start + (end - start) * edge) for edge in part.breaks[1:]]
    breaks[-1] = 1.0
    first = parts[0]
    return Path(
        Concatenation(tuple(part.curve for part in parts), edges),
        text,
        tuple(breaks),
        in_joints=first.in_joints,
        fit=first.fit,
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )


def straight(start: Array, end: Array) -> Path:
    """Return the straight line from one point (d,) to another, of the plane or of joint angles."""
    return Path(Segment(start, end - start), "")


def then(first: Path, second: Path) -> Path:
    """Concatenate two paths, each with a share of the parameter in proportion to its length."""
    if not isinstance(second, Path):
        raise InputError(Problem("then", shown(second), "a path"))
    if (first.in_joints, first.dimensions) != (second.in_joints, second.dimensions):
        need = "two paths of the tip, or two of the same number of joints"
        raise InputError(Problem("then", f"{first} and {second}", need))
    if first.fit != second.fit:
        hint = "give the drawing a scale"
        raise InputError(Problem("then", f"{first} and {second}", "two of known size", hint))
    parts = [first, *_bridge(first.ends[1], second.ends[0], first.length), second]
    timed = first.duration is not None and second.duration is not None and len(parts) == 2
    shares = [first.duration, second.duration] if timed else [part.length for part in parts]
    path = chained(parts, [float(share or 0.0) for share in shares], f"then({first}, {second})")
    return replace(path, duration=sum(map(float, shares)) if timed else None)  # type: ignore[arg-type]


def repeated(path: Path, times: int) -> Path:
    """Return a path repeated."""
    count = whole("repeated.times", times, 1)
    if count == 1:
        return path
    pieces = count * (len(path.breaks) - 1)
    if pieces > MOST_PIECES:
        got, need = f"{pieces:,} pieces in all", f"at most {MOST_PIECES:,}"
        raise InputError(Problem("repeated.times", got, need, "repeat it fewer times"))
    back = _bridge(path.ends[1], path.ends[0], path.length)
    cycle = chained([path, *back], [part.length for part in (path, *back)], "") if back else path
    # The last time ends with the path, before the way back.
    end = count - 1.0 + (path.length / cycle.length if back else 1.0)
    edges = np.add.outer(np.arange(count), cycle.breaks[:-1]).ravel() / end
    breaks = (*edges[edges < 1.0 - JOINED / count].tolist(), 1.0)
    lasting = None if path.duration is None or back else count * path.duration
    text = f"repeated({path}, {count})"
    curve = Repetition(cycle.curve, count, end)
    return replace(path, curve=curve, text=text, breaks=breaks, duration=lasting)


def _bridge(here: Array, there: Array, size: float) -> list[Path]:
    return [straight(here, there)] if np.linalg.norm(there - here) > JOINED * size else []


def placed(path: Path, at: PointLike, angle: float) -> Path:
    """Return a path turned about the origin, then moved."""
    to, turn = point("placed.at", at), cmath_unit(number("placed.angle", angle))
    text = described("placed", at=to, angle=float(angle)).replace("(", f"({path}, ", 1)
    return _moved(path, turn, to, text, "placed")


def scaled(path: Path, factor: float, about: PointLike) -> Path:
    """Return a path scaled; a drawing without a scale thereby has one."""
    size, centre = positive("scaled.factor", factor, ""), point("scaled.about", about)
    text = described("scaled", factor=size, about=centre).replace("(", f"({path}, ", 1)
    made = _moved(path, size, centre * (1.0 - size), text, "scaled")
    return replace(made, fit=False)


def _moved(path: Path, factor: complex, shift: complex, text: str, what: str) -> Path:
    if path.in_joints:
        raise InputError(Problem(what, str(path), "a path of the tip, not of joints"))
    matrix = np.array([[factor.real, factor.imag], [-factor.imag, factor.real]])
    offset = np.array([shift.real, shift.imag])
    return replace(path, curve=Moved(path.curve, matrix, offset), text=text)


BACK = 0.999  # minus the cosine of a turn: within 2.6 degrees of straight back


def rounded(path: Path, radius: float) -> Path:
    """Replace what is closer than a radius [m] to a corner, measured along the path."""
    size = positive("rounded.radius", radius)
    return round_corners(path, np.full(len(path.corners), size), f"rounded({path}, {size!r})")


def _reversals(path: Path) -> Array:
    """Return which corners (k,) turn straight back: no bend goes round them without stopping."""
    at = np.isin(path.breaks[1:-1], path.corners)
    before, after = (rows[1, at] for rows in path.sides)
    sizes = np.linalg.norm(before, axis=-1) * np.linalg.norm(after, axis=-1)
    return np.asarray(np.sum(before * after, axis=-1) < -BACK * sizes)


def round_corners(path: Path, sizes: Array, text: str) -> Path:
    """Round corners, each with a size of its own (k,) [m], or as far as its neighbours allow."""
    turns = np.flatnonzero(~_reversals(path))
    if not len(turns):
        return path
    total = path.length
    corners, sizes = path.lengths.parts(path.corners[turns]), np.asarray(sizes)[turns]
    # Half of the way to the next corner at most, all of it to an end.
    to_next = np.diff(np.concatenate([[-corners[0]], corners, [2.0 - corners[-1]]]))
    widths = np.minimum(sizes / total, 0.5 * np.minimum(to_next[:-1], to_next[1:]))
    first, last = corners - widths, corners + widths
    start = path.along(first, np.maximum(first - BESIDE, 0.0))
    end = path.along(last, np.minimum(last + BESIDE, 1.0))
    smooth = path.lengths.parts(np.array(path.breaks[1:-1]))
    edges = np.unique(np.concatenate([[0.0], smooth, first, last, [1.0]]))
    # Bends that meet half way have one edge between them, whatever rounding makes of it.
    apart = np.diff(edges, prepend=-1.0) > BESIDE
    kept = edges[apart & ~np.isin(edges, corners)]
    kept[-1] = 1.0
    curve = RoundedCorners(path, first, last, start, end)
    return replace(path, curve=curve, text=text, breaks=tuple(kept.tolist()), duration=None)


@dataclass(frozen=True, eq=False)
class RoundedCorners:
    """A path by its length, with bends (k,) from parts of it to others, which replace it there."""

    path: Path
    first: Array  # (k,) where bends begin,
    last: Array  # and end
    start: Array  # (3, k, 2) how the path runs there, by parts of its length
    end: Array

    def __call__(self, s: Array) -> Array:
        """Return point and derivatives (3, k, d) at parameters (k,)."""
        return self._with_bends(self.path.along(s), s, s)

    def on(self, s: Array, within: Array) -> Array:
        """Return the same on the pieces that other parameters lie on."""
        return self._with_bends(self.path.along(s, within), s, within)

    def _with_bends(self, rows: Array, s: Array, within: Array) -> Array:
        which: Array = np.clip(np.searchsorted(self.first, within, "right") - 1, 0, None)
        inside = (within > self.first[which]) & (within < self.last[which])
        which = which[inside]
        first, span = self.first[which], self.last[which] - self.first[which]
        place = np.clip((s[inside] - first) / span, 0.0, 1.0)
        rows[:, inside] = quintic(self.start[:, which], self.end[:, which], span, place)
        return rows
