"""Arc segments joined end to end into closed loops, the inside always on their left."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from ulna.angles import TURN
from ulna.kinematics.arcs import Arc

Loop = tuple[Arc, ...]


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


def is_balanced(segments: Iterable[ArcSegment]) -> bool:
    """Whether as many segments lead to each vertex as leave it, so that all can be joined."""
    surplus: dict[int, int] = defaultdict(int)
    for segment in segments:
        surplus[segment.start] += 1
        surplus[segment.end] -= 1
    return not any(surplus.values())


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
