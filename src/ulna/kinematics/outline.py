"""The outline of a limited linkage: the segments of critical arcs with one side out of reach.

The arcs are sorted by circle, and cut into segments at the vertices where they end, cross or touch.
Segments with one side out of reach are turned to have the inside on their left, so that outer loops
run counter-clockwise and holes clockwise, and joined end to end into closed loops.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ulna.angles import TURN
from ulna.arrays import Array
from ulna.kinematics.limited_linkage import Linkage, critical_arcs, is_attained, reach_of
from ulna.kinematics.reachable_workspace import Arc, Loop, phase

MOST_EXACT = 3  # links; the number of critical arcs grows as 4^n
# What counts as rounding, as parts of the reach: arcs, and the postures that prove a point, hold
# to 1e-15. Where the reach nearly touches itself, a coarser grain may be needed to see it closed.
GRAINS = (1e-13, 3e-12, 1e-10, 3e-9)
LOOSE = 1e-5  # part of the reach that dead ends may measure in all
# In grains, the unit of what counts as rounding:
HELD = 0.2  # how near the tip must come to a probe
STEPS = 1.0, 1e7  # how far off a segment its two sides are probed
BESIDE = 10.0  # segments closer than this run side by side
SAME = 3  # circles this close are one
NEAR = 1000  # vertices this close are one
ERROR = 0.1  # of the place of a circle


def outline(linkage: Linkage) -> tuple[Loop, ...]:
    """Return the closed loops of arcs around what the tip can reach, relative to the base."""
    arcs = critical_arcs(linkage)
    if len(linkage) == 1:  # the reach is a curve without an inside: the loop goes there and back
        return ((arcs[0], arcs[0].reversed()),)
    reach = reach_of(linkage)
    for grain in GRAINS:
        found = _outer_segments(linkage, grain * reach)
        segments = without_dead_ends(found)
        if is_balanced(segments) and _length(found) - _length(segments) <= LOOSE * reach:
            break
    return loops_of(segments)


def _outer_segments(linkage: Linkage, grain: float) -> list[ArcSegment]:
    """Return the segments with the inside on one side only, turned to have it on their left."""
    circles = circles_of(critical_arcs(linkage), grain)
    segments = segments_of(circles, grain)
    nearer, further = _sides(linkage, circles, segments, grain)
    outer = [
        segment if inside else segment.reversed()
        for segment, inside, beyond in zip(segments, nearer, further, strict=True)
        if inside != beyond
    ]
    return _without_doubles(outer, BESIDE * grain)


def _sides(
    linkage: Linkage, circles: list[Circle], segments: list[ArcSegment], grain: float
) -> Array:
    """Return (2, …) whether the inner and outer sides of each segment's circle are in reach."""
    center = np.array([complex(*segment.arc.center) for segment in segments])
    radius = np.array([segment.arc.radius for segment in segments])
    middle = np.array([segment.middle for segment in segments])
    step = np.clip(0.3 * _clearance(circles, middle), STEPS[0] * grain, STEPS[1] * grain)
    step = np.minimum(step, 0.3 * radius)
    probes = middle + np.array([[-1.0], [1.0]]) * step * (middle - center) / radius
    return is_attained(linkage, HELD * grain, probes)


def _clearance(circles: list[Circle], points: Array) -> Array:
    """Return the distance from points on some circle to the nearest other one."""
    centers = np.array([circle.center for circle in circles])
    radii = np.array([circle.radius for circle in circles])
    gaps = np.abs(np.abs(points[:, None] - centers) - radii)
    # The nearest circle is the point's own; the sentinel stands in where there is no other.
    return np.sort(np.pad(gaps, ((0, 0), (0, 1)), constant_values=np.inf), axis=1)[:, 1]


def _without_doubles(segments: list[ArcSegment], near: float) -> list[ArcSegment]:
    """Keep one of the segments that run side by side, too close for probes to fall between."""
    kept: list[ArcSegment] = []
    for segment in segments:
        rivals = [
            other for other in kept if (other.start, other.end) == (segment.start, segment.end)
        ]
        if all(abs(other.middle - segment.middle) > near for other in rivals):
            kept.append(segment)
    return kept


def _length(segments: list[ArcSegment]) -> float:
    return sum(segment.arc.length for segment in segments)


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


class ArcSegment(NamedTuple):
    """An arc from one numbered vertex to another; a whole circle begins and ends at the same."""

    arc: Arc
    start: int
    end: int

    @property
    def middle(self) -> complex:
        """The point halfway along."""
        return self.arc.at(self.arc.start + self.arc.sweep / 2)

    def reversed(self) -> ArcSegment:
        """Return the same segment, run through the other way."""
        return ArcSegment(self.arc.reversed(), self.end, self.start)


def is_balanced(segments: list[ArcSegment]) -> bool:
    """Whether as many segments lead to each vertex as leave it, so that all can be joined."""
    return Counter(one.start for one in segments) == Counter(one.end for one in segments)


def without_dead_ends(segments: list[ArcSegment]) -> list[ArcSegment]:
    """Leave out segments that come from nowhere or lead nowhere, until none is left."""
    while True:
        starts = {segment.start for segment in segments}
        ends = {segment.end for segment in segments}
        kept = [segment for segment in segments if segment.start in ends and segment.end in starts]
        if len(kept) == len(segments):
            return kept
        segments = kept


def loops_of(segments: Iterable[ArcSegment]) -> tuple[Loop, ...]:
    """Join segments into closed loops; where several meet, a loop keeps to its own inside.

    Segments that are not balanced leave some that do not close; those are left out.
    """
    circles = [segment for segment in segments if segment.arc.is_circle]
    leaving: dict[int, list[ArcSegment]] = defaultdict(list)
    for segment in segments:
        if not segment.arc.is_circle:
            leaving[segment.start].append(segment)
    loops: list[Loop] = [(segment.arc,) for segment in circles]
    while ways := next((ways for ways in leaving.values() if ways), None):
        if loop := _take_loop(ways[0], leaving):
            loops.append(_joined([segment.arc for segment in loop]))
    return tuple(loops)


def _take_loop(first: ArcSegment, leaving: dict[int, list[ArcSegment]]) -> list[ArcSegment]:
    """Remove the segments of one loop from `leaving` and return them; none if it does not close."""
    loop = [first]
    while ways := leaving[loop[-1].end]:
        onward = min(ways, key=partial(_turn_right, loop[-1]))
        ways.remove(onward)
        if onward is first:
            return loop
        loop.append(onward)
    leaving[first.start].remove(first)
    return []


def _turn_right(arriving: ArcSegment, leaving: ArcSegment) -> float:
    """Return the angle clockwise from the way back to the way on: how wide the inside is there.

    Directions are those of short chords, so that arcs that touch are told apart by their bend.
    """
    along = 0.05 * min(arriving.arc.length, leaving.arc.length)
    back = _direction(arriving.arc.reversed(), along)
    return (back - _direction(leaving.arc, along)) % TURN


def _direction(arc: Arc, along: float) -> float:
    bend = math.copysign(math.pi / 2 + along / arc.radius / 2, arc.sweep)
    return arc.start + bend


def _joined(arcs: list[Arc]) -> Loop:
    """Join neighbours in a loop that continue each other on the same circle."""
    joined = [arcs[0]]
    for arc in arcs[1:]:
        if _continues(joined[-1], arc):
            joined[-1] = replace(joined[-1], sweep=joined[-1].sweep + arc.sweep)
        else:
            joined.append(arc)
    if len(joined) > 1 and _continues(joined[-1], joined[0]):
        last = joined.pop()
        joined[0] = replace(last, sweep=last.sweep + joined[0].sweep)
    if len(joined) == 1:
        joined = [replace(joined[0], sweep=math.copysign(TURN, joined[0].sweep))]
    return tuple(joined)


def _continues(arc: Arc, after: Arc) -> bool:
    same_circle = (arc.center, arc.radius) == (after.center, after.radius)
    return same_circle and (arc.sweep > 0) == (after.sweep > 0)
