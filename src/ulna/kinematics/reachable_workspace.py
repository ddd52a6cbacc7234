"""Where the tip can get: the ring of the links' lengths, or what the joints' limits leave of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ulna.angles import TURN
from ulna.arm import Arm, Parameters, parameters_of
from ulna.arrays import Array, float_array
from ulna.errors import InputError, Problem
from ulna.kinematics.arc_loops import Loop
from ulna.kinematics.arcs import circle, enclosed_area
from ulna.kinematics.critical import Linkage, attained_tip, linkage_of
from ulna.kinematics.outline import outline
from ulna.kinematics.raster import raster
from ulna.kinematics.ring import ring
from ulna.typing import PointLike

MOST_EXACT = 3  # links; the number of critical arcs grows as 4^n
SLACK = 1e-9  # part of the reach by which a point on the outline may miss it
CHUNK = 4096  # points tested at a time


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
    linkage = linkage_of(parameters)
    base = complex(*(float(value) for value in parameters.base))
    if all(hinge.turns_freely for hinge in linkage):
        return _ring(linkage, base)
    return _exact(linkage, base) if len(linkage) <= MOST_EXACT else _gridded(linkage, base)


def _ring(linkage: Linkage, base: complex) -> Workspace:
    inner, outer = _radii(linkage)
    loops: tuple[Loop, ...] = ((circle(base, outer),),)
    if inner > 0.0:
        loops += ((circle(base, inner, clockwise=True),),)
    area = math.pi * (outer - inner) * (outer + inner)
    return Workspace(_pair(base), inner, outer, False, 0.0, area, loops, _anywhere)


def _exact(linkage: Linkage, base: complex) -> Workspace:
    inner, outer = _radii(linkage)
    loops = outline(linkage)
    area = max(0.0, sum(enclosed_area(loop) for loop in loops))
    placed = tuple(tuple(arc.moved(base) for arc in loop) for loop in loops)
    inside = partial(_attained, linkage, SLACK * outer)
    return Workspace(_pair(base), inner, outer, True, 0.0, area, placed, inside)


def _gridded(linkage: Linkage, base: complex) -> Workspace:
    inner, outer = _radii(linkage)
    region = raster(linkage)
    polygons = region.polygons()
    area = sum(float(np.sum((line[:-1].conj() * line[1:]).imag)) / 2 for line in polygons)
    placed = tuple(_pairs(line + base) for line in polygons)
    return Workspace(
        _pair(base), inner, outer, True, region.tolerance, area, (), region.contains, placed
    )


def _radii(linkage: Linkage) -> tuple[float, float]:
    inner, outer = ring(np.array([hinge.length for hinge in linkage]))
    # Rounding must not pierce the disc of links that fold back exactly onto the base.
    return (float(inner) if inner > 1e-12 * outer else 0.0), float(outer)


def _attained(linkage: Linkage, slack: float, points: Array) -> Array:
    return np.abs(attained_tip(linkage, points) - points) <= slack


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
    pairs.flags.writeable = False
    return pairs


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}" + "s" * (count != 1)
