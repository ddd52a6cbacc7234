"""Paths from drawings: the lines, curves and arcs of an .svg file, followed at an even speed.

A drawing without a scale is put where an arm can reach all of it.
"""

from __future__ import annotations

import math
import os
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import numpy as np

from ulna.arm import Arm
from ulna.arm.parameters import are_limited
from ulna.arrays import Array, flag, number, positive
from ulna.errors import InfeasibleError, InputError, Problem, shown
from ulna.kinematics.inverse_kinematics import inverse, ring
from ulna.kinematics.path_tracking import track
from ulna.motion.paths.compositions import LayoutNote
from ulna.motion.paths.curve_segments import CurveSegments
from ulna.motion.paths.path import SAMPLE_PARAMETERS, Path, described
from ulna.motion.paths.strokes import drawn_strokes, told_strokes
from ulna.motion.paths.svg_strokes import read_strokes
from ulna.storage import read_text
from ulna.typing import PathLike

LARGEST = 10_000_000  # [bytes]
METRES_PER_PIXEL = 0.0254 / 96.0  # of CSS [m]
LARGEST_SIZE = 1e9  # of a drawing [m, or units]
BLEND = 0.01  # of a drawing's size, by which its corners are rounded by default
SHORTEST = 1e-9  # of a drawing's size, below which a piece is left out

# Of a drawing of unknown size in the reach of an arm.
EDGE = 0.05  # of the ring's width, which a drawing keeps from its edges and singular postures
CENTRE = 0.15  # of the reach, which it keeps from the base if there is room enough
DIRECTIONS = np.radians([0, 15, -15, 30, -30, 45, -45, 60, -60, 75, -75, 90, -90, 120, -120, 180])
DISTANCES = np.linspace(0.1, 0.9, 7)  # of the way from the inner to the outer edge
SIZES = 0.8 ** np.arange(12)  # of the largest that the ring has room for
FEW = 6  # points of a drawing that are tried first, for redundant arms, which take longer
TRIED = 24  # places for such an arm


def svg(
    file: PathLike,
    scale: float | None = None,
    blend: float | None = None,
    keep_order: bool = False,
) -> Path:
    """Return the lines of a drawing as a path of strokes, with travel between them.

    Parameters
    ----------
    file : str or os.PathLike
        An .svg file.
    scale : float, optional
        A factor of the drawing's physical size: with 1 a page of 148 mm × 210 mm is as large here.
        The lower left corner of the page is the origin, and y points up. Without a scale
        `ulna.plan` fits the drawing into the arm's reach.
    blend : float, optional
        The distance before a corner at which its rounding begins, and behind it at which it ends:
        in metres, or in drawing units if there is no scale. By default 1 % of the drawing's larger
        side; 0 leaves corners sharp.
    keep_order : bool, optional
        Whether strokes are drawn in the order and the directions of the file. By default those are
        chosen so that the travel between strokes is short, and so is where closed ones begin.

    Returns
    -------
    Path
        The path of the tip by its length. `Path.strokes` are the parts with the pen down, one for
        every sub-path; between them the pen is lifted, and the tip travels straight on. What of the
        file is not drawn stands in `Path.notes`.

    Raises
    ------
    InputError
        If the file is not a safe and well-formed drawing with lines in it.

    Notes
    -----
    Width and height of the file, in mm, cm, in, pt, pc, Q or px, are its physical size, and its
    viewBox and preserveAspectRatio say how long a unit is in it. Pixels are those of CSS, 1/96 in.
    Where a file has neither width nor height, or has them in %, a unit is a pixel. A file without
    viewBox and height has no page: then the lower left corner of the box around the drawing is the
    origin, as it is without a scale. ``svg(file).scaled(0.002)`` makes one unit 2 mm, whatever the
    physical size.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "drawing.svg"
    ...     circle = '<circle cx="5" cy="5" r="5"/>'
    ...     _ = file.write_text(f'<svg width="20mm" viewBox="0 0 10 10">{circle}</svg>')
    ...     round(svg(file, scale=1).length, 6)
    0.062832
    """
    factor = None if scale is None else positive("svg.scale", scale, "")
    if blend is not None and number("svg.blend", blend) < 0.0:
        raise InputError(Problem("svg.blend", shown(blend), "a length of at least 0"))
    keep, name = flag("svg.keep_order", keep_order), os.fspath(file)
    found, page, left_out = read_strokes(read_text(file, LARGEST), name)
    unit = 1.0 / page.unit if factor is None else METRES_PER_PIXEL * factor
    strokes, dots = _placed_strokes(found, unit, None if factor is None else page.height, name)
    options: dict[str, Any] = {
        key: value for key, value in (("scale", factor), ("blend", blend)) if value is not None
    }
    options |= {"keep_order": True} if keep else {}
    text = described("svg", file=PurePath(file).as_posix(), **options)
    low, high = CurveSegments.joined(strokes).box
    size = BLEND * max((high - low).real, (high - low).imag) if blend is None else float(blend)
    path, order = drawn_strokes(strokes, text, size, keep_order=keep)
    told = [*told_strokes(order, keep=keep, fit=factor is None), *left_out]
    told += [] if factor is None else page.notes
    if dots:
        are = "1 dot without length is" if dots == 1 else f"{dots} dots without length are"
        told.append(f"{are} not drawn; draw a short line or a small circle in place of a dot")
    return replace(path, fit=factor is None, notes=tuple(told))


def _placed_strokes(
    strokes: list[CurveSegments], unit: float, page_height: float | None, file: str
) -> tuple[list[CurveSegments], int]:
    """Return the strokes that lead somewhere, y up, and how many do not.

    The lower left corner of the page is the origin, or that of the box around them.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        # A dot is not drawn, and so is no part of the box, wherever it is.
        drawn = _without(strokes, 0.0)
        drawn = _without(drawn, SHORTEST * _size(drawn)) if drawn else drawn
        if not drawn:
            need = "lines that lead somewhere"
            raise InputError(Problem("svg", "points only", need, place=file))
        size = _size(drawn) * unit
        if not size < LARGEST_SIZE:
            got, need = f"a size of {size:g}", f"one below {LARGEST_SIZE:g}"
            raise InputError(Problem("svg", got, need, place=file))
        low, high = CurveSegments.joined(drawn).box
    corner = complex(low.real, high.imag) if page_height is None else complex(0.0, page_height)
    made = [stroke.mapped(0.0, unit, -unit * corner.conjugate()) for stroke in drawn]
    return made, len(strokes) - len(made)


def _without(strokes: list[CurveSegments], shortest: float) -> list[CurveSegments]:
    """Return strokes without pieces that are no longer than a length."""
    kept = (stroke.chosen(stroke.lengths > shortest) for stroke in strokes)
    return [stroke for stroke in kept if len(stroke)]


def _size(strokes: list[CurveSegments]) -> float:
    """Return the larger side of the box around strokes."""
    low, high = CurveSegments.joined(strokes).box
    return max(high.real - low.real, high.imag - low.imag)


def fitted(path: Path, arm: Arm) -> tuple[Path, Array | None]:
    """Scale and place a drawing: upright, to the right of the base if joint limits let it.

    Returns it in its place, and the posture to start it with; None where any will do.
    Without limits it is as large as the ring between the inner and the outer reach allows there.
    With limits many places and sizes are tried, the largest first, until all of it is allowed.
    """
    ends = np.unique(path.strokes)  # no stroke is left out, however short
    points = path.curve(np.union1d(SAMPLE_PARAMETERS, [*ends, *(0.5 * (ends[:-1] + ends[1:]))]))[0]
    low, high = points.min(axis=0), points.max(axis=0)
    if not max(high - low) > 0.0:
        raise InputError(Problem("path", str(path), "a drawing of some extent"))
    if arm.n == 1:
        why = "a single link reaches but a circle; plan its joint angle, with paths.joints"
        raise InfeasibleError(f"{path}: {why}")
    inner, outer = (float(radius) for radius in ring(np.asarray(arm.parameters.length)))
    room = outer - inner
    near, far = inner + EDGE * room, outer - EDGE * room
    near = max(near, min(CENTRE * outer, inner + 0.5 * room))
    middle = 0.5 * (low + high)
    if not are_limited(arm.parameters):
        width, height = high - low
        factor = _largest(float(width), float(height), near, far)
        at = np.array([near + 0.5 * factor * width, 0.0])
        return _put(path, factor, np.array(arm.base) + at - factor * middle), None
    return _within_limits(path, arm, points - middle, middle, (near, far))


def _largest(width: float, height: float, near: float, far: float) -> float:
    """Return the scale at which a box beside the hole just fits: its far corners reach `far`."""
    a, b, c = width**2 + 0.25 * height**2, 2.0 * near * width, near**2 - far**2
    return (-b + math.sqrt(b * b - 4.0 * a * c)) / (2.0 * a)


def _put(path: Path, factor: float, at: Array) -> Path:
    """Scale and move a drawing, by numbers that a person can read and repeat."""
    factor = float(f"{factor:.6g}")
    x, y = (float(f"{part:.6g}") for part in at)
    made = path.scaled(factor).placed((x, y))
    told = LayoutNote(f"the drawing was fitted into reach: 1 unit is {1e3 * factor:.4g} mm")
    return replace(made, notes=(*path.notes, told))


def _within_limits(
    path: Path, arm: Arm, shape: Array, middle: Array, edges: tuple[float, float]
) -> tuple[Path, Array | None]:
    """Try places and sizes; what seems to be allowed is followed to see whether it is."""
    near, far = edges
    turn, out = (part.ravel() for part in np.meshgrid(DIRECTIONS, DISTANCES, indexing="ij"))
    distance = near + (far - near) * out
    centres = np.array(arm.base) + distance[:, None] * np.stack([np.cos(turn), np.sin(turn)], -1)
    room = np.minimum(far - distance, distance - near) / np.linalg.norm(shape, axis=-1).max()
    kept = _allowed(arm, centres[:, None])
    order = np.argsort(-room, kind="stable")
    order = order[kept[order]][: None if arm.n <= 2 else TRIED]
    few = shape[:: 4 if arm.n <= 2 else len(shape) // FEW]
    for size in SIZES:
        factors = size * room[order]
        fits = _allowed(arm, centres[order][:, None] + factors[:, None, None] * few)
        for k in np.flatnonzero(fits):
            goals = centres[order[k]] + factors[k] * shape
            start = _posture(arm, goals)
            if start is not None:
                at = centres[order[k]] - factors[k] * middle
                return _put(path, float(factors[k]), at), start
    raise InfeasibleError(f"{path}: no place within the arm's reach and limits holds the drawing")


def _allowed(arm: Arm, goals: Array) -> Array:
    """Return which groups (g,) of goals (g, k, 2) are within limits; of two links on one branch."""
    if not len(goals):
        return np.zeros(0, dtype=bool)
    found = inverse(arm, goals, restarts=0).within_limits
    if arm.n <= 2:
        return np.asarray(found.all(axis=1).any(axis=-1))
    return np.asarray(found.any(axis=-1).all(axis=-1))


def _posture(arm: Arm, goals: Array) -> Array | None:
    """Return a posture from which all goals (k, 2) can be followed, if there is one."""
    first = inverse(arm, goals[0], restarts=0)
    for posture in first.q[first.within_limits]:
        if track(arm, goals, posture).ok.all():
            return np.asarray(posture)
    return None
