"""Paths through points: straight with rounded corners, or smooth; of the tip or of the joints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ulna.arrays import Array, float_array
from ulna.errors import InputError, Problem, shown
from ulna.motion.cubics import Cubics
from ulna.motion.path import Path
from ulna.motion.rounding import round_corners
from ulna.motion.shapes import described
from ulna.motion.values import (
    ALIKE,
    LONGEST_TIME,
    SHORTEST_TIME,
    closing,
    flag,
    number,
    points,
    positive,
    whole,
)
from ulna.namespaces import suggest_keywords
from ulna.typing import AngleLike, PointLike, TimesLike

SHORTEST = 0.1  # of the shorter line at a corner is rounded by default
MOST_TOLD = 12  # points that the text of a path repeats


@suggest_keywords(points="corners", waypoints="corners", radius="blend")
def polyline(corners: PointLike, blend: float | None = None, closed: bool = False) -> Path:
    """Return straight lines from corner to corner, each corner rounded by a smooth bend.

    Parameters
    ----------
    corners : array_like, shape (k, 2)
        Points x, y [m], no two neighbours the same.
    blend : float, optional
        The distance [m] before a corner at which its bend begins, and behind it at which it ends;
        by default a tenth of the shorter line. With 0 corners are sharp, and no arm goes through
        them at speed.
    closed : bool, optional
        Whether it goes on to the first point.

    Returns
    -------
    Path
        The path of the tip.

    Raises
    ------
    InputError
        If there are fewer than two points, or two neighbours are the same.

    Examples
    --------
    >>> corners = [(0.4, 0.0), (0.6, 0.0), (0.6, 0.2)]
    >>> len(polyline(corners, blend=0).corners), len(polyline(corners).corners)
    (1, 0)
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
    path = Path(LineSegments.through(places, rows), text, tuple(places.tolist()))
    if size == 0.0 or not len(path.corners):
        return path
    # A straight line through three points has no corner at the second.
    at = np.isin(places[1:-1], path.corners)
    shorter = np.minimum(legs[:-1], legs[1:])[at]
    return round_corners(
        path, SHORTEST * shorter if size is None else np.full(at.sum(), size), text
    )


@dataclass(frozen=True, eq=False)
class LineSegments:
    """Straight legs between points (k, d) at parameters (k,)."""

    places: Array
    points: Array
    slopes: Array  # (k-1, d)

    @classmethod
    def through(cls, places: Array, points: Array) -> LineSegments:
        """Return the legs through points."""
        return cls(places, points, np.diff(points, axis=0) / np.diff(places)[:, None])

    def __call__(self, s: Array) -> Array:
        """Return point and derivatives (3, k, d) at parameters (k,)."""
        return self.on(s, s)

    def on(self, s: Array, within: Array) -> Array:
        """Return the same on the legs that other parameters lie on."""
        leg = np.searchsorted(self.places, within, "right") - 1
        leg = np.clip(leg, 0, len(self.slopes) - 1)
        points = self.points[leg] + (s - self.places[leg])[:, None] * self.slopes[leg]
        return np.stack([points, self.slopes[leg], np.zeros_like(points)])


@suggest_keywords(points="through", waypoints="through", t="times", periodic="closed")
def spline(through: PointLike, closed: bool = False, times: TimesLike | None = None) -> Path:
    """Return a cubic spline through points, whose second derivatives agree.

    Parameters
    ----------
    through : array_like, shape (k, 2)
        Points x, y [m].
    closed : bool, optional
        Whether it goes on to the first point, and smoothly through it.
    times : array_like, shape (k,), optional
        Times [s] that increase: if timed uniformly, the path passes the points then.

    Returns
    -------
    Path
        The path of the tip.

    Raises
    ------
    InputError
        If there are fewer than two points, two neighbours are the same, or times do not increase.

    Examples
    --------
    >>> spline([(0.4, 0.0), (0.5, 0.1), (0.6, 0.0)])(0.5).round(6).tolist()
    [0.5, 0.1]
    """
    rows = points("spline.through", through, 2) if times is None else _rows(through, 2)
    text = _described("spline", "through", rows, **_options(closed, times))
    rows = closing(rows) if flag("spline.closed", closed) else rows
    return interpolated(rows, text, closed=closed, times=times, what="spline.times")


@suggest_keywords(postures="through", q="through", points="through", t="times")
def joints(through: AngleLike, closed: bool = False, times: TimesLike | None = None) -> Path:
    """Return a path of the joints, smoothly through postures; through two, straight.

    Parameters
    ----------
    through : array_like, shape (k, n)
        Joint angles [rad].
    closed : bool, optional
        Whether it goes on to the first posture, and smoothly through it.
    times : array_like, shape (k,), optional
        Times [s] that increase: if timed uniformly, the path passes the postures then.

    Returns
    -------
    Path
        The path of the joints.

    Raises
    ------
    InputError
        If there are fewer than two postures, two neighbours are the same, or times do not increase.

    Examples
    --------
    >>> joints([(0.0, 0.0), (1.0, -0.5)])(0.5).tolist()
    [0.5, -0.25]
    """
    rows = points("joints.through", through, 2, None) if times is None else _rows(through, None)
    text = _described("joints", "through", rows, **_options(closed, times))
    rows = closing(rows) if flag("joints.closed", closed) else rows
    path = interpolated(rows, text, closed=closed, times=times, what="joints.times")
    return replace(path, in_joints=True)


def loops_as_printed(
    radius: float = 0.79, loop_radius: float = 0.2, loops: int = 13, samples: int = 2000
) -> Path:
    """Return the epitrochoid of `loops` as a published listing samples it.

    Parameters
    ----------
    radius : float, optional
        The radius [m] of the circle.
    loop_radius : float, optional
        The radius [m] of the loops.
    loops : int, optional
        How many loops one turn has.
    samples : int, optional
        How many samples the path is a spline through.

    Returns
    -------
    Path
        The path of the tip, with a duration of 60 s.

    Raises
    ------
    InputError
        If a value is not a finite number, or out of its range.

    Notes
    -----
    The listing computes the circle's direction by differences, one-sided at both ends, which puts
    the two end points 0.3 mm beside the curve. `docs/origins.md` names it.

    Examples
    --------
    >>> loops_as_printed(samples=500).duration
    60.0
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
    """Return the path of cubic pieces through rows (k, d), at times if they are given."""
    if times is None:
        knots = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(rows, axis=0), axis=-1))])
        lasting = None
    else:
        knots = check_times(times, len(rows), what)
        lasting = float(knots[-1] - knots[0])
    places = (knots - knots[0]) / (knots[-1] - knots[0])
    return Path(_cubic(places, rows, closed), text, tuple(places.tolist()), duration=lasting)


def _cubic(places: Array, rows: Array, closed: bool) -> Cubics:
    from scipy.interpolate import CubicSpline

    ends = "periodic" if closed else "not-a-knot" if len(rows) > 3 else "natural"
    return Cubics.of(CubicSpline(places, rows, bc_type=ends))


def check_times(given: Any, count: int, what: str = "times") -> Array:
    """Check times [s] that increase, one a point."""
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
    _check_span(times, what)
    return times


def _check_span(times: Array, what: str) -> None:
    """Raise if times are out of bounds, or so close that steps lose their digits."""
    if len(times) and not np.abs(times).max() <= LONGEST_TIME:
        got = f"{times[np.argmax(np.abs(times))]:g} s"
        raise InputError(Problem(what, got, f"times of at most {LONGEST_TIME:g} s"))
    steps = np.diff(times)
    least = max(SHORTEST_TIME, ALIKE * float(np.sum(steps)))
    short = np.flatnonzero(steps < least)
    if len(short):
        row = int(short[0]) + 1
        got = f"{steps[row - 1]:g} s from row {row} to row {row + 1}"
        need = f"at least {least:g} s from a time to the next"
        raise InputError(Problem(what, got, need, "leave one of the points out"))


def _rows(given: Any, width: int | None) -> Array:
    """Check points of which neighbours may be the same, where the motion dwells."""
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
    """Return the call that makes a path as text; of many points only the number and the ends."""
    if len(rows) <= MOST_TOLD:
        return described(name, **{points: rows}, **options)
    first, last = (", ".join(f"{value:.4g}" for value in row[:4]) for row in rows[[0, -1]])
    return f"{name} of {len(rows)} points from ({first}) to ({last})"
