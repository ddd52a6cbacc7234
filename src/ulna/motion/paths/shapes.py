"""Shapes of one formula: lines, circles, ellipses, and curves with loops.

Every shape is written as z = x + i y over the place s from 0 to 1: as a sum of epicycles, which
circles, ellipses, roses and loops are, or as a formula over jets; see `curves`.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass

import numpy as np

from ulna.arrays import Array, flag, number, positive, whole
from ulna.errors import InputError, Problem, shown
from ulna.motion.paths.curves import Cubics, Jet, cos, sin
from ulna.motion.paths.path import Path, described, point
from ulna.typing import PointLike

TURN = 2.0 * math.pi
ORIGIN = (0.0, 0.0)


class Smooth:
    """A curve of one piece: the same from either side."""

    def __call__(self, s: Array) -> Array:
        """Return point and derivatives (3, k, 2) at parameters (k,)."""
        raise NotImplementedError

    def on(self, s: Array, _within: Array) -> Array:
        """Return the same: there is one piece."""
        return self(s)


@dataclass(frozen=True, eq=False)
class Lemniscate(Smooth):
    """Bernoulli's figure of eight about a point, one of its ends `radius` from there."""

    middle: complex
    radius: complex

    def __call__(self, s: Array) -> Array:
        around = TURN * Jet.variable(s)
        c, d = cos(around), sin(around)
        return (self.middle + self.radius * ((c + 1j * (d * c)) / (1.0 + d * d))).points


@dataclass(frozen=True, eq=False)
class Epicycles(Smooth):
    """Epicycles: z = middle + Σ a e^{i w s} for pairs of a and w."""

    middle: complex
    turning: tuple[tuple[complex, float], ...]

    def __call__(self, s: Array) -> Array:
        rows = np.zeros((3, len(s)), dtype=np.complex128)
        rows[0] = self.middle
        for size, rate in self.turning:
            spoke = size * unit(rate * s)
            for row in rows:
                row += spoke
                spoke *= 1j * rate
        return rows.view(np.float64).reshape(*rows.shape, 2)


def unit(angle: Array) -> Array:
    """Return e^{i angle} of plain angles, quicker than a complex exponential."""
    value = np.empty(np.shape(angle), dtype=np.complex128)
    value.real, value.imag = np.cos(angle), np.sin(angle)
    return value


def line(start: PointLike, end: PointLike) -> Path:
    """Return the straight line from one point to another.

    Parameters
    ----------
    start : array_like, shape (2,)
        The first point x, y [m].
    end : array_like, shape (2,)
        The last point x, y [m].

    Returns
    -------
    Path
        The path of the tip.

    Raises
    ------
    InputError
        If the points are the same, or not of two finite numbers.

    Examples
    --------
    >>> line((0.0, 0.0), (0.3, 0.4)).length
    0.5
    """
    first, last = point("line.start", start), point("line.end", end)
    if first == last:
        raise InputError(Problem("line.end", shown(end), "another point than line.start"))
    text = described("line", start=first, end=last)
    ends = np.array([[first.real, first.imag], [last.real, last.imag]])
    return Path(Cubics.straight(np.array([0.0, 1.0]), ends), text)


def arc(
    center: PointLike = ORIGIN, radius: float = 0.1, start: float = 0.0, end: float = 0.5 * math.pi
) -> Path:
    """Return an arc of a circle.

    Parameters
    ----------
    center : array_like, shape (2,), optional
        The centre x, y [m].
    radius : float, optional
        The radius [m].
    start : float, optional
        The angle [rad] at which the arc starts, counted from the x axis.
    end : float, optional
        The angle [rad] at which it ends; clockwise if that is smaller.

    Returns
    -------
    Path
        The path of the tip.

    Raises
    ------
    InputError
        If the angles are the same, or a value is not a finite number.

    Examples
    --------
    >>> round(arc((0.0, 0.0), 0.5, 0.0, math.pi).length, 6)
    1.570796
    """
    middle, size = point("arc.center", center), positive("arc.radius", radius)
    first, last = number("arc.start", start), number("arc.end", end)
    if first == last:
        raise InputError(Problem("arc.end", shown(end), "another angle [rad] than arc.start"))
    text = described("arc", center=middle, radius=size, start=first, end=last)
    return Path(Epicycles(middle, ((cmath.rect(size, first), last - first),)), text)


def circle(
    center: PointLike = ORIGIN, radius: float = 0.1, start: float = 0.0, clockwise: bool = False
) -> Path:
    """Return a circle, run through once.

    Parameters
    ----------
    center : array_like, shape (2,), optional
        The centre x, y [m].
    radius : float, optional
        The radius [m].
    start : float, optional
        The angle [rad] at which the path starts, counted from the x axis.
    clockwise : bool, optional
        Whether it runs clockwise.

    Returns
    -------
    Path
        The path of the tip.

    Raises
    ------
    InputError
        If a value is not a finite number, or out of its range.

    Examples
    --------
    >>> circle((0.5, 0.0), 0.1)(0.25).round(6).tolist()
    [0.5, 0.1]
    """
    middle, size = point("circle.center", center), positive("circle.radius", radius)
    way = -TURN if flag("circle.clockwise", clockwise) else TURN
    first = number("circle.start", start)
    text = described("circle", center=middle, radius=size, start=first, clockwise=clockwise)
    return Path(Epicycles(middle, ((cmath.rect(size, first), way),)), text)


def ellipse(
    center: PointLike = ORIGIN, radii: PointLike = (0.2, 0.1), tilt: float = 0.0, start: float = 0.0
) -> Path:
    """Return an ellipse, run through once, counter-clockwise.

    Parameters
    ----------
    center : array_like, shape (2,), optional
        The centre x, y [m].
    radii : array_like, shape (2,), optional
        The two radii [m], along x and y before it is tilted.
    tilt : float, optional
        The angle [rad] from the x axis to the first radius.
    start : float, optional
        The angle [rad] of the ellipse's parameter at which the path starts.

    Returns
    -------
    Path
        The path of the tip.

    Raises
    ------
    InputError
        If a value is not a finite number, or out of its range.

    Examples
    --------
    >>> ellipse((0.5, 0.0), (0.2, 0.1))([0.0, 0.25]).round(6).tolist()
    [[0.7, 0.0], [0.5, 0.1]]
    """
    middle, sizes = point("ellipse.center", center), point("ellipse.radii", radii)
    for size in (sizes.real, sizes.imag):
        positive("ellipse.radii", size)
    lean, first = cmath.rect(1.0, number("ellipse.tilt", tilt)), number("ellipse.start", start)
    text = described("ellipse", center=middle, radii=sizes, tilt=float(tilt), start=first)

    # a cos θ + i b sin θ is one epicycle forwards and a smaller one backwards.
    there, back = 0.5 * (sizes.real + sizes.imag), 0.5 * (sizes.real - sizes.imag)
    begin = cmath.rect(1.0, first)
    turning = (lean * there * begin, TURN), (lean * back / begin, -TURN)
    return Path(Epicycles(middle, turning), text)


def lemniscate(center: PointLike = ORIGIN, radius: float = 0.2, tilt: float = 0.0) -> Path:
    """Return Bernoulli's lemniscate, a figure of eight, run through once.

    Parameters
    ----------
    center : array_like, shape (2,), optional
        The centre x, y [m].
    radius : float, optional
        The distance [m] from its centre to its ends.
    tilt : float, optional
        The angle [rad] by which it is turned about its centre.

    Returns
    -------
    Path
        The path of the tip.

    Raises
    ------
    InputError
        If a value is not a finite number, or out of its range.

    Examples
    --------
    >>> lemniscate((0.5, 0.0), 0.2)([0.0, 0.5])[:, 0].round(6).tolist()
    [0.7, 0.3]
    """
    middle, size = point("lemniscate.center", center), positive("lemniscate.radius", radius)
    lean = cmath.rect(1.0, number("lemniscate.tilt", tilt))
    text = described("lemniscate", center=middle, radius=size, tilt=float(tilt))
    return Path(Lemniscate(middle, lean * size), text)


def rose(
    center: PointLike = ORIGIN, radius: float = 0.2, petals: int = 5, tilt: float = 0.0
) -> Path:
    """Return a rose, a curve of petals r = cos kθ.

    Parameters
    ----------
    center : array_like, shape (2,), optional
        The centre x, y [m].
    radius : float, optional
        The length [m] of a petal.
    petals : int, optional
        How many petals: an odd number, or one that four divides; no rose has another.
    tilt : float, optional
        The angle [rad] by which it is turned about its centre.

    Returns
    -------
    Path
        The path of the tip.

    Raises
    ------
    InputError
        If no rose has so many petals, or a value is not a finite number.

    Examples
    --------
    >>> rose(petals=5).closed
    True
    """
    middle, size = point("rose.center", center), positive("rose.radius", radius)
    count, lean = whole("rose.petals", petals, 3, 1000), cmath.rect(1.0, number("rose.tilt", tilt))
    # cos kθ has k petals in half a turn if k is odd, and 2 k in a whole one if k is even.
    if count % 4 == 2:
        need = "an odd number, or one that 4 divides: no rose has another"
        raise InputError(Problem("rose.petals", shown(petals), need))
    waves, way = (count, 0.5 * TURN) if count % 2 else (count // 2, TURN)
    text = described("rose", center=middle, radius=size, petals=count, tilt=float(tilt))
    # cos kθ e^{iθ} is two epicycles of half the size.
    half = 0.5 * lean * size
    return Path(
        Epicycles(
            middle,
            (
                (half, (1 + waves) * way),
                (half, (1 - waves) * way),
            ),
        ),
        text,
    )


def loops(radius: float = 0.79, loop_radius: float = 0.2, loops: int = 13) -> Path:
    """Return a circle with loops on it, an epitrochoid, in 60 s.

    Parameters
    ----------
    radius : float, optional
        The radius R [m] of the circle.
    loop_radius : float, optional
        The radius r [m] of the loops.
    loops : int, optional
        How many loops k one turn has.

    Returns
    -------
    Path
        The path of the tip, with a duration of its own.

    Raises
    ------
    InputError
        If a value is not a finite number, or out of its range.

    Notes
    -----
    z = R e^{i(θ + π/2)} + r e^{i((k + 1) θ − π/2)} for θ from 0 to 2π.

    Examples
    --------
    >>> loops(0.79, 0.2, 13)(0.0).round(6).tolist()
    [0.0, 0.59]
    """
    wide, small = positive("loops.radius", radius), positive("loops.loop_radius", loop_radius)
    count = whole("loops.loops", loops, 1, 1000)
    text = described("loops", radius=wide, loop_radius=small, loops=count)

    turning = (1j * wide, TURN), (-1j * small, (count + 1) * TURN)
    return Path(Epicycles(0.0, turning), text, duration=60.0)
