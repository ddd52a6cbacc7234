"""Which tips a limited linkage attains: its critical arcs, and a posture that proves a point.

At a point of the outline no joint that can still move either way moves the tip off one line.
So each joint stands at a limit or is aligned: the free joints and the tip lie on one straight
line. Turning the first free joint then draws a *critical arc*; the outline is made of those.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np

from ulna.angles import TURN, wrap
from ulna.arm import Parameters
from ulna.arrays import Array
from ulna.kinematics.arcs import Arc, directions_at, phase

NEARLY_A_TURN = TURN - 1e-9  # [rad], a range from which on a joint counts as free
ROUNDING = 1e-13  # [rad] that an aligned joint may miss its limits by, and as a part of lengths
CONCENTRIC = 1e-9  # part of the radius; circles whose centres are nearer share their points


class Hinge(NamedTuple):
    """A joint with the link that it turns; a range of a turn or more leaves the joint free."""

    length: float  # [m]
    lower: float  # [rad]
    upper: float  # [rad]

    @property
    def turns_freely(self) -> bool:
        """Whether every direction can be had."""
        return self.upper - self.lower >= TURN

    def nearest(self, angle: Array) -> Array:
        """Return the angle within the limits that is nearest to `angle`, up to whole turns."""
        return np.clip(wrap(angle, (self.lower + self.upper) / 2), self.lower, self.upper)

    def allows(self, angle: float) -> bool:
        """Whether some whole turn away from `angle` lies within the limits."""
        return abs(float(wrap(self.nearest(angle) - angle))) <= ROUNDING


Linkage = tuple[Hinge, ...]


def linkage_of(parameters: Parameters) -> Linkage:
    """Return the hinges of an arm, with the limits of free joints set to half a turn either way."""
    rows = zip(parameters.length, parameters.lower, parameters.upper, strict=True)
    return tuple(
        Hinge(float(length), -math.pi, math.pi)
        if upper - lower >= NEARLY_A_TURN
        else Hinge(float(length), *_nearest_turn(float(lower), float(upper)))
        for length, lower, upper in rows
    )


def _nearest_turn(lower: float, upper: float) -> tuple[float, float]:
    """Return the same limits, whole turns taken away: far from zero their sines lose digits."""
    turns = TURN * round((lower + upper) / (2.0 * TURN))
    return lower - turns, upper - turns


def reach_of(linkage: Linkage) -> float:
    """Return the length in metres of the straight linkage."""
    return sum(hinge.length for hinge in linkage)


def critical_arcs(linkage: Linkage) -> list[Arc]:
    """Return every arc that the tip draws with all joints but the first free one locked or aligned.

    Each is attained as a whole, and together they hold the outline; there are at most
    2^(n−1) (2^n − 1) of them.
    """
    choices = [
        (None,) if hinge.turns_freely else (None, hinge.lower, hinge.upper) for hinge in linkage
    ]
    return [
        arc
        for locks in product(*choices)
        if None in locks
        for arc in _arcs_with(linkage, locks)
        if arc.radius > ROUNDING * reach_of(linkage)
    ]


class _Body(NamedTuple):
    """Links that locked joints hold together, in the frame of their first link."""

    hinge: Hinge  # the free joint that turns them
    vector: complex  # [m] to the next free joint, or the tip
    turn: float  # [rad] from the first link to the last


def _arcs_with(linkage: Linkage, locks: tuple[float | None, ...]) -> Iterator[Arc]:
    free = [number for number, lock in enumerate(locks) if lock is None]
    pivot, heading = _held(linkage[: free[0]], [lock or 0.0 for lock in locks[: free[0]]])
    bodies = [
        _Body(linkage[a], *_held(linkage[a:b], [0.0, *(lock or 0.0 for lock in locks[a + 1 : b])]))
        for a, b in pairwise([*free, len(linkage)])
    ]
    first, along = bodies[0].hinge, phase(bodies[0].vector)
    for signs in product((1, -1), repeat=len(bodies) - 1):
        if not _can_align(bodies, signs):
            continue
        signed = sum(s * abs(body.vector) for s, body in zip((1, *signs), bodies, strict=True))
        start = heading + first.lower + along + (math.pi if signed < 0 else 0.0)
        yield Arc((pivot.real, pivot.imag), abs(signed), start, first.upper - first.lower)


def _held(linkage: Linkage, angles: list[float]) -> tuple[complex, float]:
    """Return the end of a rigid chain of links and the direction of its last one."""
    end, heading = 0j, 0.0
    for hinge, angle in zip(linkage, angles, strict=True):
        heading += angle
        end += cmath.rect(hinge.length, heading)
    return end, heading


def _can_align(bodies: list[_Body], signs: tuple[int, ...]) -> bool:
    """Whether the limits let every body lie along the first one, or against it."""
    line, heading = phase(bodies[0].vector), bodies[0].turn
    for body, sign in zip(bodies[1:], signs, strict=True):
        direction = line + (math.pi if sign < 0 else 0.0) - phase(body.vector)
        points_somewhere = abs(body.vector) > ROUNDING * body.hinge.length
        if points_somewhere and not body.hinge.allows(direction - heading):
            return False
        heading = direction + body.turn
    return True


def attained_tip(linkage: Linkage, points: Array) -> Array:
    """Return for each point a tip attained within the limits: the point itself if it is.

    Seen from the base, a point at distance r can be had if the circle of radius r meets the
    rest of the linkage, held at q_1 = 0, at an angle that q_1 can make up for. If so, it does
    where q_1 is at a limit or where the circle enters the rest's workspace, through one of its
    critical arcs. Every such q_1 is tried, and the closest tip found is handed back: right to
    rounding for a point that can be reached, and no bound on the distance for one that cannot.
    """
    hinge, rest = linkage[0], linkage[1:]
    direction = np.angle(points)
    if not rest:
        return hinge.length * np.exp(1j * hinge.nearest(direction))
    q = hinge.nearest(direction - _entries(hinge, rest, points))
    beyond = hinge.length + attained_tip(rest, points * np.exp(-1j * q) - hinge.length)
    # Turning the first joint once more undoes what rounding near a straight arm does to q.
    tips = beyond * np.exp(1j * hinge.nearest(np.angle(points * np.conj(beyond))))
    best = np.argmin(np.abs(tips - points), axis=0)
    return np.take_along_axis(tips, best[None], axis=0)[0]


def _entries(hinge: Hinge, rest: Linkage, points: Array) -> Array:
    """Return directions (k, …) in which circles through the points may enter the rest's reach."""
    distance = np.abs(points)
    found: list[Array] = []
    for arc in critical_arcs(rest):
        center = hinge.length + complex(*arc.center)
        if abs(center) > CONCENTRIC * arc.radius:
            found.extend(directions_at(distance, center, arc.radius))
        else:  # the circles are concentric: they share the arc, which begins and ends
            found.extend(np.full_like(distance, angle) for angle in (arc.start, arc.end))
    if len(rest) > 1:  # a single link's reach is a curve, with no inside for a limit to fall in
        direction = np.angle(points)
        found.extend([direction - hinge.lower, direction - hinge.upper])
    return np.stack(found)
