"""Where the tip can get: the ring of the links' lengths, or what the joints' limits leave of it.

Inside the modules of workspaces a point of the plane is a complex number, x + iy, so that a turn is
a multiplication; at the door (`Arc`, `Workspace`) points are pairs again.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from ulna.angles import TURN, wrap
from ulna.arm import Arm, Parameters, parameters_of
from ulna.arrays import Array, float_array, freeze
from ulna.errors import InputError, Problem
from ulna.kinematics.inverse_kinematics import ring
from ulna.typing import PointLike

NEARLY_A_TURN = TURN - 1e-9  # [rad], a range from which on a joint counts as free
SLACK = 1e-9  # part of the reach by which a point on the outline may miss it
CHUNK = 4096  # points tested at a time


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc of a circle, from `start` by `sweep`: counter-clockwise where that is positive.

    Parameters
    ----------
    center : tuple of float
        The centre x, y [m].
    radius : float
        The radius [m].
    start : float
        The angle [rad] at which it starts, from the x axis, seen from the centre.
    sweep : float
        The angle [rad] that it covers, at most a turn either way.
    """

    center: tuple[float, float]
    radius: float
    start: float
    sweep: float

    @property
    def end(self) -> float:
        """The angle in radians at which the arc ends."""
        return self.start + self.sweep

    @property
    def length(self) -> float:
        """The length in metres along the arc."""
        return self.radius * abs(self.sweep)

    @property
    def is_circle(self) -> bool:
        """Whether the arc goes all the way round."""
        return abs(self.sweep) >= TURN

    @property
    def ends(self) -> tuple[complex, complex]:
        """Where the arc starts and ends, as complex numbers."""
        return self.at(self.start), self.at(self.end)

    def at(self, angle: float) -> complex:
        """Return the point of the circle at `angle`, as a complex number."""
        return complex(*self.center) + cmath.rect(self.radius, angle)

    def points(self, count: int) -> Array:
        """Return `count` points (count, 2) along the arc, its two ends among them."""
        angle = self.start + self.sweep * np.linspace(0.0, 1.0, count)
        x, y = self.center
        return np.stack([x + self.radius * np.cos(angle), y + self.radius * np.sin(angle)], axis=-1)

    def nearest(self, point: complex) -> complex:
        """Return the point of the arc that is nearest to `point`."""
        from_center = point - complex(*self.center)
        angle = phase(from_center)
        if self.covers(angle):
            return self.at(angle)
        return min(self.ends, key=lambda end: abs(end - point))

    def reversed(self) -> Arc:
        """Return the same arc, run through the other way."""
        return replace(self, start=self.end, sweep=-self.sweep)

    def moved(self, by: complex) -> Arc:
        """Return the arc shifted by a vector, a complex number."""
        x, y = self.center
        return replace(self, center=(x + by.real, y + by.imag))

    def covers(self, angle: float, slack: float = 0.0) -> bool:
        """Whether the direction `angle` falls on the arc, or misses it by at most `slack`."""
        middle, half = self.start + self.sweep / 2, abs(self.sweep) / 2
        return abs(float(wrap(angle - middle))) <= half + slack


Loop = tuple[Arc, ...]


@dataclass(frozen=True, repr=False)
class Workspace:
    """The region that the tip can reach, in any orientation.

    `workspace` returns it. Without limits it is the ring between the radii `inner` and `outer`.
    With more than three links under limits the region is computed on a grid: there are no arcs
    then, everything that can be reached is in the region, and everything in the region is within
    `tolerance` of what can be reached.

    Attributes
    ----------
    center : tuple of float
        The base x, y [m].
    inner : float
        Inner radius [m] of the ring that the links' lengths allow.
    outer : float
        Its outer radius [m].
    limited : bool
        Whether some joint has less than a turn.
    tolerance : float
        Error of the outline [m]; 0 where it is exact.
    area : float
        Area [m²], holes left out.
    loops : tuple of tuples of arcs
        The outline, with the inside on the left of the arcs: outer loops run counter-clockwise,
        holes clockwise, and the loop of a single link goes there and back.
    """

    center: tuple[float, float]
    inner: float
    outer: float
    limited: bool
    tolerance: float
    area: float
    loops: tuple[Loop, ...]
    _inside: Callable[[Array], Array] = field(compare=False)
    _polygons: tuple[Array, ...] = field(default=(), compare=False)

    def contains(self, points: PointLike) -> Array:
        """Return which points the tip can reach.

        Parameters
        ----------
        points : array_like, shape (..., 2)
            Points x, y [m].

        Returns
        -------
        ndarray of bool, shape (...)
            True for those that can be reached. A point on the outline counts, with a slack of 1e-9
            of the reach for rounding; beyond three links under limits the answer is good to
            `tolerance`, and errs towards yes.

        Raises
        ------
        InputError
            If the last axis has not two numbers.

        Examples
        --------
        >>> import ulna
        >>> workspace(ulna.preset("unit")).contains([[1.0, 1.0], [2.0, 2.0]]).tolist()
        [True, False]
        """
        away = _checked_points(points) - np.array(self.center)
        with np.errstate(over="ignore"):
            distance = np.hypot(away[..., 0], away[..., 1])
        slack = SLACK * self.outer + self.tolerance
        found = np.asarray((distance >= self.inner - slack) & (distance <= self.outer + slack))
        maybe = away[found] @ np.array([1.0, 1j])
        chunks = [self._inside(maybe[k : k + CHUNK]) for k in range(0, len(maybe), CHUNK)]
        found[found] = np.concatenate([np.empty(0, bool), *chunks])
        return found[()]

    def nearest(self, point: PointLike) -> Array:
        """Return the nearest point that the tip can reach within the joint limits.

        Parameters
        ----------
        point : array_like, shape (2,)
            A point x, y [m].

        Returns
        -------
        ndarray, shape (2,)
            The point itself if it can be reached, else the nearest on the outline [m].

        Raises
        ------
        InputError
            If the last axis has not two numbers.

        Examples
        --------
        >>> import ulna
        >>> workspace(ulna.preset("unit")).nearest([3.0, 4.0]).round(12).tolist()
        [1.2, 1.6]
        """
        pair = _checked_points(point)
        if self.contains(pair):
            return pair
        wanted = complex(*pair)
        if self._polygons:
            vertices = np.concatenate(self._polygons) @ np.array([1.0, 1j])
            found = complex(vertices[np.argmin(np.abs(vertices - wanted))])
        else:
            on_arcs = [arc.nearest(wanted) for loop in self.loops for arc in loop]
            found = min(on_arcs, key=lambda place: abs(place - wanted), default=complex("nan+nanj"))
        return np.array(_pair(found))

    def polylines(self, points_per_turn: int = 360) -> tuple[Array, ...]:
        """Return the outline as closed polylines, each ending where it starts.

        Parameters
        ----------
        points_per_turn : int, optional
            How many points a full circle gets; an outline that was computed on a grid comes as it
            is.

        Returns
        -------
        tuple of ndarray, shape (k, 2)
            Points x, y [m] of every loop.

        Examples
        --------
        >>> import ulna
        >>> [line.shape for line in workspace(ulna.preset("unit")).polylines(8)]
        [(9, 2)]
        """
        return self._polygons or tuple(_polyline(loop, points_per_turn) for loop in self.loops)

    def __repr__(self) -> str:
        ring = f"the ring from {self.inner:g} m to {self.outer:g} m about {self._place}"
        if not self.limited:
            return f"Workspace: {ring}, {self.area:.4g} m^2"
        if self._polygons:
            outline = f"{_counted(len(self._polygons), 'polygon')}, to {self.tolerance:.2g} m"
        elif not self.loops:
            outline = "no arcs: it is thinner than rounding"
        else:
            arcs = _counted(sum(map(len, self.loops)), "arc")
            outline = f"{arcs} in {_counted(len(self.loops), 'loop')}, exact"
        return f"Workspace: {self.area:.4g} m^2 inside {ring}; outline of {outline}"

    @property
    def _place(self) -> str:
        return f"({self.center[0]:g}, {self.center[1]:g})"


def workspace(arm: Arm | Parameters) -> Workspace:
    """Return what the tip of an arm can reach within the limits of its joints.

    Parameters
    ----------
    arm : Arm or Parameters
        One arm.

    Returns
    -------
    Workspace
        The region, of exact arcs for arms without limits and for up to three links; beyond that on
        a grid to a stated tolerance, about 1 % of the reach for six links.

    Raises
    ------
    InputError
        If arms are stacked, or the tolerance would be more than 5 % of the reach.

    Examples
    --------
    >>> import ulna
    >>> workspace(ulna.preset("unit"))
    Workspace: the ring from 0 m to 2 m about (0, 0), 12.57 m^2
    """
    parameters = parameters_of(arm)
    if parameters.length.ndim != 1:
        need = "one arm; try workspace of each arm apart"
        raise InputError(Problem("workspace", f"{len(parameters.length)} arms stacked", need))
    base = complex(*(float(value) for value in parameters.base))
    if np.all(parameters.upper - parameters.lower >= NEARLY_A_TURN):
        return _ring(parameters, base)
    from ulna.kinematics.outline import MOST_EXACT

    return (_exact if parameters.n <= MOST_EXACT else _gridded)(parameters, base)


def _ring(parameters: Parameters, base: complex) -> Workspace:
    inner, outer = _radii(parameters)
    loops: tuple[Loop, ...] = ((circle(base, outer),),)
    if inner > 0.0:
        loops += ((circle(base, inner, clockwise=True),),)
    area = math.pi * (outer - inner) * (outer + inner)
    return Workspace(_pair(base), inner, outer, False, 0.0, area, loops, _anywhere)


def _exact(parameters: Parameters, base: complex) -> Workspace:
    from ulna.kinematics.limited_linkage import is_attained, linkage_of
    from ulna.kinematics.outline import outline

    inner, outer = _radii(parameters)
    linkage = linkage_of(parameters)
    loops = outline(linkage)
    area = max(0.0, sum(enclosed_area(loop) for loop in loops))
    placed = tuple(tuple(arc.moved(base) for arc in loop) for loop in loops)
    inside = partial(is_attained, linkage, SLACK * outer)
    return Workspace(_pair(base), inner, outer, True, 0.0, area, placed, inside)


def _gridded(parameters: Parameters, base: complex) -> Workspace:
    from ulna.kinematics.limited_linkage import linkage_of, raster

    inner, outer = _radii(parameters)
    region = raster(linkage_of(parameters))
    polygons = region.polygons()
    area = sum(float(np.sum((line[:-1].conj() * line[1:]).imag)) / 2 for line in polygons)
    placed = tuple(_pairs(line + base) for line in polygons)
    return Workspace(
        _pair(base), inner, outer, True, region.tolerance, area, (), region.contains, placed
    )


def _radii(parameters: Parameters) -> tuple[float, float]:
    inner, outer = ring(np.array(parameters.length, dtype=float))
    # Rounding must not pierce the disc of links that fold back exactly onto the base.
    return (float(inner) if inner > 1e-12 * outer else 0.0), float(outer)


def _anywhere(points: Array) -> Array:
    return np.ones(points.shape, bool)


def _checked_points(points: PointLike) -> Array:
    array = float_array(points, "points")
    if array.ndim == 0 or array.shape[-1] != 2:
        raise InputError(Problem("points", f"shape {array.shape}", "(..., 2), x and y in m"))
    return array


def _polyline(loop: Loop, points_per_turn: int) -> Array:
    parts = [
        arc.points(1 + max(1, math.ceil(points_per_turn * abs(arc.sweep) / TURN)))[:-1]
        for arc in loop
    ]
    return np.concatenate([*parts, parts[0][:1]])


def _pair(point: complex) -> tuple[float, float]:
    return point.real, point.imag


def _pairs(points: Array) -> Array:
    pairs = np.stack([points.real, points.imag], axis=-1)
    freeze(pairs)
    return pairs


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}" + "s" * (count != 1)


def circle(center: complex, radius: float, *, clockwise: bool = False) -> Arc:
    """Return a full circle."""
    return Arc((center.real, center.imag), radius, 0.0, -TURN if clockwise else TURN)


def enclosed_area(loop: Iterable[Arc]) -> float:
    """Return the area in m² inside a closed loop, negative where it runs clockwise.

    Green's theorem: ½ ∮ (x dy − y dx), which an arc adds to with
    ½ [r² sweep + r (c_x (sin end − sin start) − c_y (cos end − cos start))].
    """
    total = 0.0
    for arc in loop:
        x, y = arc.center
        across = x * (math.sin(arc.end) - math.sin(arc.start))
        along = y * (math.cos(arc.end) - math.cos(arc.start))
        total += arc.radius * (arc.radius * arc.sweep + across - along)
    return total / 2


def phase(point: complex) -> float:
    """Return the direction of a point from the origin [rad].

    That of `cmath` takes an angle too small for its full digits for an error.
    """
    return math.atan2(point.imag, point.real)
