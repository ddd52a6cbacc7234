"""Paths from drawings: the lines, curves and arcs of an .svg file, followed at an even speed."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import PurePath

import numpy as np

from ulna.arrays import Array
from ulna.errors import InputError, Problem, shown
from ulna.motion.curve_segments import CurveSegments, bezier
from ulna.motion.path import JOINED, Path
from ulna.motion.rounding import round_corners
from ulna.motion.shapes import described
from ulna.motion.strokes import read_strokes
from ulna.motion.values import number, positive
from ulna.namespaces import suggest_keywords
from ulna.storage import read_text
from ulna.typing import PathLike

LARGEST = 10_000_000  # [bytes]
LARGEST_SIZE = 1e9  # of a drawing [m, or units]
BLEND = 0.01  # of a drawing's size, by which its corners are rounded by default
SHORTEST = 1e-9  # of a drawing's size, below which a piece is left out


@suggest_keywords(path="file", filename="file", size="scale")
def svg(file: PathLike, scale: float | None = None, blend: float | None = None) -> Path:
    """Return the lines of a drawing as a path, stroke after stroke.

    Parameters
    ----------
    file : str or os.PathLike
        An .svg file.
    scale : float, optional
        The length [m] of one unit of the drawing. The lower left corner of the box around it is the
        origin, and y points up. Without a scale `ulna.plan` fits the drawing into the arm's reach.
    blend : float, optional
        The distance before a corner at which its rounding begins, and behind it at which it ends:
        in metres, or in drawing units if there is no scale. By default 1 % of the drawing's larger
        side; 0 leaves corners sharp.

    Returns
    -------
    Path
        The path of the tip at an even speed. The pen is not lifted between strokes: straight lines
        join them.

    Raises
    ------
    InputError
        If the file is not a safe and well-formed drawing with lines in it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "drawing.svg"
    ...     _ = file.write_text('<svg><circle cx="5" cy="5" r="5"/></svg>')
    ...     round(svg(file, scale=0.01).length, 6)
    0.314159
    """
    unit = None if scale is None else positive("svg.scale", scale, "m a unit")
    if blend is not None and number("svg.blend", blend) < 0.0:
        raise InputError(Problem("svg.blend", shown(blend), "a length of at least 0"))
    name = os.fspath(file)
    strokes = read_strokes(read_text(file, LARGEST), name)
    pieces, count = _joined_strokes(strokes, unit or 1.0, name)
    options = {
        key: value for key, value in (("scale", unit), ("blend", blend)) if value is not None
    }
    text = described("svg", file=PurePath(file).as_posix(), **options)
    told = f"{count} strokes, joined by straight lines: no pen is lifted"
    path = _drawn(pieces, text, (told,) if count > 1 else ())
    low, high = pieces.box
    size = BLEND * max((high - low).real, (high - low).imag) if blend is None else float(blend)
    if size:
        path = round_corners(path, np.full(len(path.corners), size), text)
    return replace(_by_arc_length(path), fit=unit is None)


def _joined_strokes(
    strokes: list[CurveSegments], unit: float, file: str
) -> tuple[CurveSegments, int]:
    """Return all pieces, joined, y up, from the origin on, and of how many strokes they are."""
    with np.errstate(over="ignore", invalid="ignore"):
        whole = CurveSegments.joined(strokes)
        low, high = whole.box
    size = max(high.real - low.real, high.imag - low.imag)
    if not whole.finite or not size * unit < LARGEST_SIZE:
        got, need = f"a size of {size * unit:g}", f"one below {LARGEST_SIZE:g}"
        raise InputError(Problem("svg", got, need, place=file))
    strokes = [stroke.chosen(stroke.lengths > SHORTEST * size) for stroke in strokes]
    strokes = [stroke for stroke in strokes if len(stroke)]
    if not strokes:
        need = "lines that lead somewhere"
        raise InputError(Problem("svg", "points only", need, place=file))
    parts = strokes[:1]
    for before, after in pairwise(strokes):
        here, there = before.ends[-1], after.starts[0]
        if abs(there - here) > JOINED * size:
            parts.append(CurveSegments.of([bezier(here, there)]))
        parts.append(after)
    corner = complex(low.real, high.imag)
    joined = CurveSegments.joined(parts)
    return joined.mapped(0.0, unit, -unit * corner.conjugate()), len(strokes)


def _drawn(pieces: CurveSegments, text: str, notes: tuple[str, ...]) -> Path:
    edges = np.concatenate([[0.0], np.cumsum(pieces.lengths)])
    edges /= edges[-1]
    return Path(Drawn(pieces, edges), text, tuple(edges.tolist()), notes=notes)


@dataclass(frozen=True, eq=False)
class Drawn:
    """CurveSegments one after the other; edges (k+1,) from 0 to 1 say where each begins."""

    pieces: CurveSegments
    edges: Array

    def __call__(self, s: Array) -> Array:
        """Return point and derivatives (3, k, 2) at parameters (k,)."""
        return self.on(s, s)

    def on(self, s: Array, within: Array) -> Array:
        """Return the same on the pieces that other parameters lie on."""
        which = np.searchsorted(self.edges, within, "right") - 1
        which = np.clip(which, 0, len(self.pieces) - 1)
        share = self.edges[which + 1] - self.edges[which]
        z = self.pieces.at(which, np.clip((s - self.edges[which]) / share, 0.0, 1.0))
        rows = np.stack([z.value, z.first / share, z.second / share**2])
        return np.stack([rows.real, rows.imag], axis=-1)


@dataclass(frozen=True, eq=False)
class ArcLength:
    """A path with the part of its length as the parameter."""

    path: Path

    def __call__(self, s: Array) -> Array:
        """Return point and derivatives (3, k, 2) at parameters (k,)."""
        return self.path.along(s)

    def on(self, s: Array, within: Array) -> Array:
        """Return the same on the pieces that other parameters lie on."""
        return self.path.along(s, within)


def _by_arc_length(path: Path) -> Path:
    """Return the same path with the length as its parameter."""
    breaks = path.lengths.parts(np.array(path.breaks))
    return replace(path, curve=ArcLength(path), breaks=tuple(breaks.tolist()))
