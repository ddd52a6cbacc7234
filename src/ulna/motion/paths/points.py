"""Paths through points: straight with rounded corners, or smooth; of the tip or of the joints.

The points are given, or stand in a .csv file.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import Any

import numpy as np

from ulna.arrays import LARGEST, Array, flag, float_array, number, positive, whole
from ulna.columns import MOST_TOLD, Cells, read_cells
from ulna.errors import InputError, Problem, rewording, shown
from ulna.motion.paths.curves import STILL, Cubics
from ulna.motion.paths.path import Path, described
from ulna.motion.paths.point_columns import (
    ALIKE,
    HOLDS,
    check_distinct,
    find_columns,
    read_columns,
)
from ulna.motion.paths.rounding import round_corners
from ulna.motion.paths.strokes import pen_path
from ulna.typing import AngleLike, PathLike, PointLike, TimesLike
from ulna.units import to_si

SHORTEST_TIME, LONGEST_TIME = 1e-6, 1e9  # [s] of a motion, and of a step in a table of times
SHORTEST = 0.1  # of the shorter line at a corner is rounded by default
MOST_WRITTEN = 12  # points that the text of a path repeats
LARGEST_FILE = 10_000_000  # [bytes] of a table


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
    path = Path(Cubics.straight(places, rows), text, tuple(places.tolist()))
    if size == 0.0 or not len(path.corners):
        return path
    # A straight line through three points has no corner at the second.
    at = np.isin(places[1:-1], path.corners)
    shorter = np.minimum(legs[:-1], legs[1:])[at]
    return round_corners(
        path, SHORTEST * shorter if size is None else np.full(at.sum(), size), text
    )


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
    return _smooth("spline", through, 2, closed, times)


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
    return replace(_smooth("joints", through, None, closed, times), in_joints=True)


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


def csv(file: PathLike, unit: str = "m", closed: bool = False, keep_order: bool = False) -> Path:
    r"""Return a smooth path through the points of a .csv file.

    Parameters
    ----------
    file : str or os.PathLike
        A file with columns x, y or t, x, y. A line of names may come first: t, x and y in any
        order, among other columns if need be, with units as in "x [mm]" or "x_mm". A column named
        pen, or pen_down, makes strokes: 1 draws to the point, 0 moves there with the pen up.
    unit : str, optional
        The unit of x and y where none stands beside a name. Times are in seconds.
    closed : bool, optional
        Whether it goes on to the first point.
    keep_order : bool, optional
        Whether strokes are drawn in the order and the directions of the file, with travel through
        all of its points, not in those with little travel between them.

    Returns
    -------
    Path
        The path of the tip. With times it takes as long as they say and, timed uniformly, passes
        the points then.

    Raises
    ------
    InputError
        If the file holds something else; the message names line and column.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "points.csv"
    ...     _ = file.write_text("x [mm], y [mm]\n400, 0\n500, 50\n600, 0\n")
    ...     csv(file)(0.0).tolist()
    [0.4, 0.0]
    """
    factor = to_si(f"1 {unit}", "length", what="csv.unit")
    cells = read_cells(file, LARGEST_FILE, HOLDS)
    columns = find_columns(cells, factor)
    values = read_columns(cells, columns)
    named = dict(zip(columns, values.T, strict=True))
    rows = values[:, list(columns).index("x") :][:, :2]
    times, pen = named.get("t"), named.get("pen")
    options = {"unit": unit != "m" and unit, "closed": closed, "keep_order": keep_order}
    extra = {name: value for name, value in options.items() if value}
    text = described("csv", file=PurePath(file).as_posix(), **extra)
    if pen is not None and not flag("csv.closed", closed):
        _check_sizes(cells, rows)
        return pen_path(cells, rows, pen, text, keep_order=flag("csv.keep_order", keep_order))
    for name, value in (("closed", closed and pen is not None), ("keep_order", keep_order)):
        if flag(f"csv.{name}", value):
            need = f"a file {'without' if name == 'closed' else 'with'} a column named pen"
            raise InputError(Problem(f"csv.{name}", "True", need, place=cells.file))
    _check_sizes(cells, rows)
    if times is None:
        check_distinct(cells, rows)
    else:
        cells.check_times(times.tolist())
    if flag("csv.closed", closed):
        if times is not None and len(closing(rows)) > len(rows):
            got, need = "points that end elsewhere", "a last row at the point of the first"
            hint = "add it, with the time of coming back"
            raise InputError(Problem("csv.closed", got, need, hint, cells.file))
        rows = closing(rows)
    with rewording(lambda problem: problem.at(cells.file)):
        return interpolated(rows, text, closed=closed, times=times)


def _smooth(name: str, through: Any, width: int | None, closed: bool, times: Any) -> Path:
    """Return a path smoothly through rows of numbers, at times if they are given."""
    what = f"{name}.through"
    options: dict[str, Any] = {"closed": True} if closed else {}
    rows = points(what, through, 2, width, distinct=times is None)
    if times is not None:
        options["times"] = np.atleast_1d(float_array(times, "times"))
    text = _described(name, "through", rows, **options)
    rows = closing(rows) if flag(f"{name}.closed", closed) else rows
    return interpolated(rows, text, closed=closed, times=times, what=f"{name}.times")


def interpolated(
    rows: Array,
    text: str,
    *,
    closed: bool = False,
    times: Any = None,
    rates: Array | None = None,
    what: str = "times",
) -> Path:
    """Return the path of cubic pieces through rows (k, d), at times if they are given.

    With rates (k, d) by time each piece has those at its ends, else second derivatives agree.
    """
    if times is None:
        knots = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(rows, axis=0), axis=-1))])
        lasting = None
    else:
        knots = check_times(times, len(rows), what)
        lasting = float(knots[-1] - knots[0])
    places = (knots - knots[0]) / (knots[-1] - knots[0])
    if rates is None:
        curve = _cubic(places, rows, closed)
    else:
        from scipy.interpolate import CubicHermiteSpline

        curve = Cubics.of(CubicHermiteSpline(places, rows, rates * (knots[-1] - knots[0])))
    breaks = np.union1d(places, _turning_back(curve))
    return Path(curve, text, tuple(breaks.tolist()), duration=lasting)


def _turning_back(curve: Cubics) -> Array:
    """Return the places (k,) inside pieces at which p' vanishes: there a path goes straight back.

    That of one joint does so wherever it turns, and that of points in a line.
    """
    slopes = curve.powers[:3] * np.array([3.0, 2.0, 1.0])[:, None, None]  # (3, k, d)
    widths = np.diff(curve.knots)
    along = int(np.argmax(np.abs(slopes).sum(axis=(0, 1))))
    a, b, c = slopes[:, :, along]
    with np.errstate(divide="ignore", invalid="ignore"):
        half = -0.5 * (b + np.copysign(np.sqrt(b * b - 4.0 * a * c), b))
        found = np.stack([half / a, c / half])
    inside = (found > ALIKE * widths) & (found < (1.0 - ALIKE) * widths)
    _, piece = np.nonzero(inside)
    places = curve.knots[piece] + found[inside]
    sizes = np.linalg.norm(curve.on(places, places)[1], axis=-1)
    typical = float(np.abs(slopes[2]).max())
    return np.asarray(places[sizes <= STILL * typical])


def _cubic(places: Array, rows: Array, closed: bool) -> Cubics:
    from scipy.interpolate import CubicSpline

    ends = "periodic" if closed else "not-a-knot" if len(rows) > 3 else "natural"
    return Cubics.of(CubicSpline(places, rows, bc_type=ends))


def points(
    what: str, given: Any, least: int, width: int | None = 2, *, distinct: bool = True
) -> Array:
    """Check a list of points (k, width), neighbours distinct unless the motion may dwell."""
    values = float_array(given, what)
    per_point = "angles [rad], one a joint" if width is None else f"{width} numbers [m]"
    need = f"at least {least} points of {per_point}"
    fits = values.ndim == 2 and len(values) >= least and width in (None, values.shape[-1])
    if not fits:
        raise InputError(Problem(what, f"an array of shape {values.shape}", need))
    bad = np.flatnonzero(~(np.abs(values) <= LARGEST).all(axis=-1))
    if len(bad):
        row = int(bad[0])
        raise InputError(Problem(f"{what}, row {row + 1}", shown(values[row].tolist()), need))
    same = np.flatnonzero(np.linalg.norm(np.diff(values, axis=0), axis=-1) <= _alike(values))
    if distinct and len(same):
        row = int(same[0]) + 2
        got = f"{shown(values[row - 1].tolist())} twice in a row"
        raise InputError(Problem(f"{what}, row {row}", got, "points that differ", "leave one out"))
    return np.array(values, dtype=float)


def closing(values: Array) -> Array:
    """Return points (k, d) that end where they begin, by one more if need be."""
    if np.linalg.norm(values[-1] - values[0]) <= _alike(values):
        return np.concatenate([values[:-1], values[:1]])
    return np.concatenate([values, values[:1]])


def _alike(values: Array) -> float:
    return ALIKE * float(np.max(np.ptp(values, axis=0)))


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


def _described(name: str, points: str, rows: Array, **options: Any) -> str:
    """Return the call that makes a path as text; of many points only the number and the ends."""
    if len(rows) <= MOST_WRITTEN:
        return described(name, **{points: rows}, **options)
    first, last = (", ".join(f"{value:.4g}" for value in row[:4]) for row in rows[[0, -1]])
    return f"{name} of {len(rows)} points from ({first}) to ({last})"


def _check_sizes(cells: Cells, rows: Array) -> None:
    lines, need = [line for line, _ in cells.rows], f"up to {LARGEST:g} m"
    problems = [
        cells.problem(lines[row], "xy"[column], f"{rows[row, column]:g} m", need)
        for row, column in np.argwhere(~(np.abs(rows) <= LARGEST))[:MOST_TOLD]
    ]
    if problems:
        raise InputError(problems)
