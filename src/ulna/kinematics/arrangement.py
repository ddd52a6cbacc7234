"""Arcs sorted by circle, and cut into segments at the vertices where they end, cross or touch."""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ulna.angles import TURN
from ulna.kinematics.arc_loops import ArcSegment
from ulna.kinematics.arcs import Arc, crossings, phase

# In grains, the unit of what counts as rounding:
SAME = 3  # circles this close are one
NEAR = 1000  # vertices this close are one
ERROR = 0.1  # of the place of a circle


class Circle(NamedTuple):
    """A circle, with the arcs of it that count."""

    center: complex
    radius: float  # [m]
    arcs: list[Arc]

    def covers(self, angle: float, slack: float = 0.0) -> bool:
        """Whether some arc has a point in the direction `angle`, to within `slack` [m]."""
        return any(arc.covers(angle, slack / self.radius) for arc in self.arcs)

    def direction(self, point: complex) -> float:
        """Return the angle at which a point on the circle lies."""
        return phase(point - self.center)


class Vertex(NamedTuple):
    """A point where arcs end or meet."""

    uncertainty: float  # [m] by which rounding may have moved it along the arcs
    point: complex
    circles: set[int]  # the numbers of the circles that it lies on


def circles_of(arcs: list[Arc], grain: float) -> list[Circle]:
    """Sort arcs by the circle that they lie on."""
    circles: list[Circle] = []
    for arc in arcs:
        center = complex(*arc.center)
        for circle in circles:
            shift = abs(center - circle.center) + abs(arc.radius - circle.radius)
            if shift <= SAME * grain:
                circle.arcs.append(arc)
                break
        else:
            circles.append(Circle(center, arc.radius, [arc]))
    return circles


def segments_of(circles: list[Circle], grain: float) -> list[ArcSegment]:
    """Cut the arcs of all circles at their vertices; vertices are numbered across all of them."""
    vertices = _merged(_ends(circles, grain) + _meetings(circles, grain))
    return [
        segment
        for number, circle in enumerate(circles)
        for segment in _cut(
            circle, {k: vertex for k, vertex in enumerate(vertices) if number in vertex.circles}
        )
    ]


def _ends(circles: list[Circle], grain: float) -> list[Vertex]:
    return [
        Vertex(NEAR * grain, end, {number})
        for number, circle in enumerate(circles)
        for arc in circle.arcs
        if not arc.is_circle
        for end in arc.ends
    ]


def _meetings(circles: list[Circle], grain: float) -> list[Vertex]:
    found = []
    for one, other in combinations(range(len(circles)), 2):
        first, second = circles[one], circles[other]
        for point in crossings(first.arcs[0], second.arcs[0], SAME * grain):
            uncertainty = NEAR * grain + _uncertainty(
                point - first.center, point - second.center, grain
            )
            if all(
                circle.covers(circle.direction(point), uncertainty) for circle in (first, second)
            ):
                found.append(Vertex(uncertainty, point, {one, other}))
    return found


def _uncertainty(a: complex, b: complex, grain: float) -> float:
    """How far [m] an error of two circles may move their crossing, at a and b from the centres.

    It grows as the angle between them shrinks, up to a touch, where they part as ½ Δκ s².
    """
    error = ERROR * grain
    ratio = b / a
    bend = abs(1.0 / abs(a) - math.copysign(1.0 / abs(b), ratio.real))
    sine = abs(ratio.imag) / abs(ratio)
    return error / max(sine, math.sqrt(2.0 * error * bend), 1e-7)


def _merged(found: list[Vertex]) -> list[Vertex]:
    """Merge vertices that coincide, at the position of the most certain one."""
    found = sorted(found, key=lambda vertex: vertex.uncertainty)
    points = np.array([vertex.point for vertex in found])
    uncertainties = np.array([vertex.uncertainty for vertex in found])
    left = np.ones(len(found), bool)
    vertices = []
    for number, vertex in enumerate(found):
        if left[number]:
            same = left & (np.abs(points - vertex.point) <= uncertainties)
            left &= ~same
            circles: set[int] = set().union(*(found[k].circles for k in np.flatnonzero(same)))
            vertices.append(vertex._replace(circles=circles))
    return vertices


def _cut(circle: Circle, vertices: dict[int, Vertex]) -> list[ArcSegment]:
    """Return the segments of a circle's arcs between its vertices; without any, all of it."""
    center = (circle.center.real, circle.center.imag)
    cuts = sorted((circle.direction(vertex.point), number) for number, vertex in vertices.items())
    cuts = cuts or [(0.0, -1)]
    segments = []
    for (start, leaving), (end, arriving) in zip(cuts, cuts[1:] + cuts[:1], strict=True):
        sweep = (end - start) % TURN or TURN
        if circle.covers(start + sweep / 2):
            segments.append(ArcSegment(Arc(center, circle.radius, start, sweep), leaving, arriving))
    return segments
