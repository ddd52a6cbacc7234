"""Paths through points: straight with rounded corners, or smooth; of the tip or of the joints."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ulna.arrays import Array, float_array
from ulna.errors import InputError, Problem, shown
from ulna.motion.path import Curve, Path
from ulna.motion.rounding import bent
from ulna.motion.shapes import described
from ulna.motion.values import closing, flag, number, points, positive, whole

SHORTEST = 0.1  # of the shorter leg at a corner is rounded, if nobody says how much
MOST_TOLD = 12  # points that the text of a path repeats


def polyline(corners: Any, blend: float | None = None, closed: bool = False) -> Path:
    """Go straight from corner to corner (k, 2) [m], each rounded off by a smooth bend.

    The bend begins `blend` [m] before a corner and ends as far behind it; without it at a tenth
    of the shorter leg. With blend=0 corners are sharp, and no arm goes through them at speed.
    """
    rows = points("polyline.corners", corners, 2)
    rows = closing(rows) if flag("polyline.closed", closed) else rows
    size = None if blend is None else number("polyline.blend", blend)
    if size is not None and size < 0.0:
        raise InputError(Problem("polyline.blend", shown(blend), "a length [m] of at least 0"))
    text = _described("polyline", "corners", rows, **({} if size is None else {"blend": size}))
    legs = np.linalg.norm(np.diff(rows, axis=0), axis=-1)
    places = np.concatenate([[0.0], np.cumsum(legs)]) / legs.sum()
    places[-1] = 1.0
    path = Path(_legs(places, rows), text, tuple(places.tolist()))
    if size == 0.0 or not len(path.corners):
        return path
    # A straight line through three points has no corner at the second.
    at = np.isin(places[1:-1], path.corners)
    shorter = np.minimum(legs[:-1], legs[1:])[at]
    return bent(path, SHORTEST * shorter if size is None else np.full(at.sum(), size), text)


def _legs(places: Array, rows: Array) -> Curve:
    """Give the curve of straight legs between rows (k, d) at places (k,)."""
    slopes = np.diff(rows, axis=0) / np.diff(places)[:, None]

    def curve(s: Array) -> Array:
        leg = np.clip(np.searchsorted(places, s, "right") - 1, 0, len(slopes) - 1)
        points = rows[leg] + (s - places[leg])[:, None] * slopes[leg]
        return np.stack([points, slopes[leg], np.zeros_like(points)])

    return curve


def spline(through: Any, closed: bool = False, times: Any = None) -> Path:
    """Go smoothly through points (k, 2) [m], by cubic pieces whose second derivatives agree.

    With `times` (k,) [s] the path passes them then, if timed uniformly.
    """
    rows = points("spline.through", through, 2) if times is None else _rows(through, 2)
    text = _described("spline", "through", rows, **_options(closed, times))
    rows = closing(rows) if flag("spline.closed", closed) else rows
    return interpolated(rows, text, closed=closed, times=times)


def joints(through: Any, closed: bool = False, times: Any = None) -> Path:
    """Lead the joints smoothly through postures (k, n) [rad]; through two, straight."""
    rows = points("joints.through", through, 2, None) if times is None else _rows(through, None)
    text = _described("joints", "through", rows, **_options(closed, times))
    rows = closing(rows) if flag("joints.closed", closed) else rows
    return replace(interpolated(rows, text, closed=closed, times=times), in_joints=True)


def loops_as_printed(
    radius: float = 0.79, loop_radius: float = 0.2, loops: int = 13, samples: int = 2000
) -> Path:
    """Give paper 000's path as its listing computes it, sampled.

    The listing takes the circle's direction by differences, one-sided at both ends, which puts
    the two end points 0.3 mm beside the curve. Between the samples the path is a spline.
    """
    wide, small = positive("loops.radius", radius), positive("loops.loop_radius", loop_radius)
    turns, count = whole("loops.loops", loops, 1), whole("loops.samples", samples, 4, 1_000_000)
    angle = np.linspace(0.0, 2.0 * np.pi, count)
    circle = 1j * wide * np.exp(1j * angle)
    heading = np.gradient(circle)
    z = circle + 1j * small * heading / np.abs(heading) * np.exp(1j * turns * angle)
    text = described("loops_as_printed", radius=wide, loop_radius=small, loops=turns, samples=count)
    rows = np.stack([z.real, z.imag], axis=-1)
    return interpolated(rows, text, times=np.linspace(0.0, 60.0, count))


def interpolated(
    rows: Array, text: str, *, closed: bool = False, times: Any = None, what: str = "times"
) -> Path:
    """Make the path of cubic pieces through rows (k, d), at times if they are given."""
    if times is None:
        knots = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(rows, axis=0), axis=-1))])
        lasting = None
    else:
        knots = check_times(times, len(rows), what)
        lasting = float(knots[-1] - knots[0])
    places = (knots - knots[0]) / (knots[-1] - knots[0])
    return Path(_cubic(places, rows, closed), text, tuple(places.tolist()), duration=lasting)


def _cubic(places: Array, rows: Array, closed: bool) -> Curve:
    from scipy.interpolate import CubicSpline

    ends = "periodic" if closed else "not-a-knot" if len(rows) > 3 else "natural"
    cubic = CubicSpline(places, rows, bc_type=ends)

    def curve(s: Array) -> Array:
        return np.stack([cubic(s, order) for order in range(3)])

    return curve


def check_times(given: Any, count: int, what: str = "times") -> Array:
    """Take times [s] that increase, one a point."""
    times = np.asarray(float_array(given, what))
    if times.shape != (count,) or not np.isfinite(times).all():
        got = f"{times.size} times" if times.shape != (count,) else "nan or inf"
        need = f"{count} finite times [s], one a point, and one for the way back if it is closed"
        raise InputError(Problem(what, got, need))
    wrong = np.flatnonzero(np.diff(times) <= 0.0)
    if len(wrong):
        row = int(wrong[0]) + 1
        got = f"{times[row]:g} s after {times[row - 1]:g} s in row {row + 1}"
        raise InputError(Problem(what, got, "times that increase"))
    return times


def _rows(given: Any, width: int | None) -> Array:
    """Take points of which neighbours may be the same: where something waits."""
    rows = float_array(given, "through")
    if rows.ndim != 2 or len(rows) < 2 or width not in (None, rows.shape[-1]):
        raise InputError(Problem("through", f"an array of shape {rows.shape}", "points in rows"))
    if not np.isfinite(rows).all():
        raise InputError(Problem("through", "nan or inf", "finite numbers"))
    return np.array(rows, dtype=float)


def _options(closed: bool, times: Any) -> dict[str, Any]:
    when = {} if times is None else {"times": np.atleast_1d(float_array(times, "times"))}
    return ({"closed": True} if closed else {}) | when


def _described(name: str, points: str, rows: Array, **options: Any) -> str:
    """Write the call that makes a path; of many points only how many they are, and the ends."""
    if len(rows) <= MOST_TOLD:
        return described(name, **{points: rows}, **options)
    first, last = (", ".join(f"{value:.4g}" for value in row[:4]) for row in rows[[0, -1]])
    return f"{name} of {len(rows)} points from ({first}) to ({last})"
