"""Compositions of paths: concatenated, repeated, moved and scaled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ulna.arrays import Array
from ulna.errors import InputError, Problem, shown
from ulna.motion.curves import Curve, Smooth, on_pieces
from ulna.motion.path import JOINED, Path
from ulna.motion.shapes import cmath_unit, described
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
