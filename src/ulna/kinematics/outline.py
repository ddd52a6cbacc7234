"""The outline of a limited linkage: the segments of critical arcs with one side out of reach.

Segments are turned to have the inside on their left, so that outer loops run counter-clockwise
and holes clockwise.
"""

from __future__ import annotations

import numpy as np

from ulna.arrays import Array
from ulna.kinematics.arc_loops import ArcSegment, Loop, is_balanced, loops_of, without_dead_ends
from ulna.kinematics.arrangement import Circle, circles_of, segments_of
from ulna.kinematics.critical import Linkage, attained_tip, critical_arcs, reach_of

# What counts as rounding, as parts of the reach: arcs, and the postures that prove a point, hold
# to 1e-15. Where the reach nearly touches itself, a coarser grain may be needed to see it closed.
GRAINS = (1e-13, 3e-12, 1e-10, 3e-9)
LOOSE = 1e-5  # part of the reach that dead ends may measure in all
# In grains:
HELD = 0.2  # how near the tip must come to a probe
STEPS = 1.0, 1e7  # how far off a segment its two sides are probed
BESIDE = 10.0  # segments closer than this run side by side


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
    return np.abs(attained_tip(linkage, probes) - probes) <= HELD * grain


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
