"""Circular arcs, and where circles meet: the geometry that the outline of a workspace is made of.

Inside these modules a point of the plane is a complex number, x + iy, so that a turn is a
multiplication; at the door (`Arc`, `Workspace`) points are pairs again.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from ulna.angles import TURN, wrap
from ulna.arrays import Array


def phase(point: complex) -> float:
    """Return the direction of a point from the origin [rad].

    That of `cmath` takes an angle too small for its full digits for an error.
    """
    return math.atan2(point.imag, point.real)


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


def directions_at(distance: Array, center: complex, radius: float) -> Array:
    """Return both directions (2, …) from the origin to a circle's points at `distance` from it.

    By the law of cosines, with the angle d between them and the direction of the centre:
    r² + c² − 2 r c cos d = ρ². Where the circle stays nearer or further than that, both are the
    direction to its point that comes closest, which also makes tangency harmless.
    """
    far = abs(center)
    denominator = 2.0 * far * distance
    numerator = distance**2 + (far - radius) * (far + radius)
    safe = np.where(denominator > 0.0, denominator, 1.0)
    aside = np.arccos(np.clip(numerator / safe, -1.0, 1.0))
    return phase(center) + np.stack([aside, -aside])


def crossings(first: Arc, second: Arc, miss: float) -> list[complex]:
    """Return the points that the circles of two arcs share: two, one for a touch, or none.

    A touch is allowed to `miss` [m]; circles that share their centre have no such points.
    """
    between = complex(*second.center) - complex(*first.center)
    apart, radius, other = abs(between), first.radius, second.radius
    if apart <= miss or not abs(radius - other) - miss <= apart <= radius + other + miss:
        return []
    cosine = (radius**2 + (apart - other) * (apart + other)) / (2.0 * radius * apart)
    aside = math.acos(min(1.0, max(-1.0, cosine)))
    toward = phase(between)
    return [first.at(toward + turn) for turn in ({aside, -aside} if aside < math.pi else {aside})]
