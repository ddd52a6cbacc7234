"""Which tips a linkage with joint limits attains: exactly, or on a grid to a stated tolerance.

At a point of the outline no joint that can still move either way moves the tip off one line.
So each joint stands at a limit or is aligned: the free joints and the tip lie on one straight
line. Turning the first free joint then draws a *critical arc*; the outline is made of those.

Beyond three links the workspace is computed on polar grids. Seen from joint k, with the links
before it fixed, the tip reaches W_k = ∪ R(q_k) (l_k + W_{k+1}) over the range of q_k. The distance
to a union is the least of the distances, so the field of distances
D_k(p) = min D_{k+1}(R(−q_k) p − l_k) goes from tip to base without a set ever being formed: on a
polar grid about joint k the minimum runs along a circle.

A distance changes by at most 1 m per m, which bounds both errors of a grid with cells a by b:
interpolating is off by at most half a diagonal, h = ½ √(a² + b²), and the minimum over samples
instead of the whole range is at most b/2 too large. Summed over the joints, D̃ exceeds D by
Σ (h + b/2) at most and falls short of it by Σ h at most. So the region D̃ ≤ Σ (h + b/2) leaves out
nothing that can be reached, and holds nothing that is further from it than Σ (2 h + b/2).
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
from ulna.errors import InputError, Problem
from ulna.kinematics.reachable_workspace import NEARLY_A_TURN, Arc, phase

ROUNDING = 1e-13  # [rad] that an aligned joint may miss its limits by, and as a part of lengths
CONCENTRIC = 1e-9  # part of the radius; circles whose centres are nearer share their points

RINGS = 660  # cells from the centre to the rim
SECTORS = 4980  # cells around: at the rim they are a little narrower than long
BLOCK = 8  # rings worked on at a time, so that they stay in the cache
ARC = TURN / SECTORS  # the width b of the widest cell, as a part of the grid's radius
HALF_DIAGONAL = math.hypot(1.0 / RINGS, ARC) / 2
LEVEL = HALF_DIAGONAL + ARC / 2
TOLERANCE = 2 * HALF_DIAGONAL + ARC / 2

COARSEST = 0.05  # of the reach: an outline that is off by more is not worth its minutes


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
    hinges = []
    for length, lower, upper in np.array(list(rows)).tolist():
        # Far from zero the sines of limits lose digits: whole turns are taken away.
        free = upper - lower >= NEARLY_A_TURN
        turns = 0.0 if free else TURN * round((lower + upper) / (2.0 * TURN))
        limits = (-math.pi, math.pi) if free else (lower - turns, upper - turns)
        hinges.append(Hinge(length, *limits))
    return tuple(hinges)


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


def is_attained(linkage: Linkage, slack: float, points: Array) -> Array:
    """Return which points are attained, or missed by at most so many metres."""
    return np.abs(attained_tip(linkage, points) - points) <= slack


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


class Field(NamedTuple):
    """Distances on a polar grid, RINGS + 1 by SECTORS + 1; the last column repeats the first."""

    radius: float  # [m] of the outermost ring
    first: float  # [rad] of the first column, within half a turn of the x axis
    values: Array  # [m]

    def at(self, points: Array) -> Array:
        """Interpolate at complex points; one outside the grid is as far as the rim, and more."""
        ring = np.abs(points) * np.float32(RINGS / self.radius)
        sector = (np.angle(points) - np.float32(self.first)) * np.float32(SECTORS / TURN)
        sector += np.where(sector < 0, np.float32(SECTORS), np.float32(0.0))
        row = np.minimum(ring, RINGS - 1).astype(np.intp)
        column = np.minimum(sector, SECTORS - 1).astype(np.intp)
        u, v = np.minimum(ring - row, 1), sector - column
        corner = row * (SECTORS + 1) + column
        near = self._along(corner, v)
        far = self._along(corner + (SECTORS + 1), v)
        outside = np.maximum(ring - RINGS, 0) * np.float32(self.radius / RINGS)
        return near + u * (far - near) + outside

    def _along(self, place: Array, v: Array) -> Array:
        value = self.values.take(place)
        return value + v * (self.values.take(place + 1) - value)


class Raster(NamedTuple):
    """The region where a field of distances from what the tip can reach is at most `level`."""

    field: Field
    level: float  # [m]
    tolerance: float  # [m]

    def contains(self, points: Array) -> Array:
        """Return whether complex points, relative to the base, lie in the region."""
        return self.field.at(points.astype(np.complex64)) <= self.level

    def polygons(self) -> list[Array]:
        """Return the outline as closed polygons of complex points, the inside on their left."""
        from contourpy import contour_generator

        radius, first, values = self.field
        lines = contour_generator(z=values).lines(self.level)
        return [
            line[:, 1] * (radius / RINGS) * np.exp(1j * (first + ARC * line[:, 0]))
            for line in _sewn([np.asarray(line) for line in lines])
        ]


def raster(linkage: Linkage) -> Raster:
    """Compute the field of a linkage of two links or more, from tip to base."""
    reaches = [reach_of(linkage[number:]) for number in range(len(linkage) - 1)]
    share = TOLERANCE * sum(reaches) / reaches[0]
    if share > COARSEST:
        got = f"{len(linkage)} links with joint limits, good to {share:.0%} of the reach on a grid"
        need = f"an arm whose outline is good to {COARSEST:.0%}"
        raise InputError(Problem("workspace", got, need, "the plain ring needs no joint limits"))
    # Each grid goes beyond its reach by the tolerance, so that the bounds hold wherever it matters.
    margin = TOLERANCE * sum(reaches) / (1.0 - TOLERANCE * len(reaches))
    radii = [reach + margin for reach in reaches]
    field = None
    for number in reversed(range(len(reaches))):
        field = _swept(linkage[number], linkage[number + 1 :], field, radii[number])
    assert field is not None
    return Raster(field, LEVEL * sum(radii), TOLERANCE * sum(radii))


def _swept(hinge: Hinge, rest: Linkage, beyond: Field | None, radius: float) -> Field:
    """Return the distances about a hinge from those about the next one, or from the last link."""
    # Samples lie inside the range and centred, so that none of it is further than half a cell.
    count = SECTORS if hinge.turns_freely else 1 + int((hinge.upper - hinge.lower) / ARC)
    first = (hinge.upper + hinge.lower - (count - 1) * ARC) / 2
    circle = np.exp(1j * ARC * np.arange(SECTORS)).astype(np.complex64)
    values = np.empty((RINGS + 1, SECTORS + 1), np.float32)
    for top in range(0, RINGS + 1, BLOCK):
        block = slice(top, min(top + BLOCK, RINGS + 1))
        rings = np.arange(block.start, block.stop) * (radius / RINGS)
        points = rings[:, None].astype(np.float32) * circle - np.float32(hinge.length)
        if beyond is None:
            distances = np.abs(points - attained_tip(rest, points))
        else:
            distances = beyond.at(points)
        values[block, :-1] = _least_behind(distances, count)
    values[:, -1] = values[:, 0]
    return Field(radius, math.remainder(first, TURN), values)


def _least_behind(values: Array, count: int) -> Array:
    """Return the least of each value and the `count` − 1 before it, round the circle.

    Windows double until they suffice; the last two overlap, which a minimum does not mind.
    """
    least = np.concatenate([values[:, SECTORS - count + 1 :], values], axis=1)
    width = 1
    while width < count:
        step = min(width, count - width)
        least = np.minimum(least[:, step:], least[:, :-step])
        width += step
    return least


def _sewn(lines: list[Array]) -> list[Array]:
    """Close contour lines of (column, row) points that break off between last and first column.

    Both of these hold the same values, so a line goes on in the row in which another ended.
    """
    closed, begun = [], {}
    for line in lines:
        if np.array_equal(line[0], line[-1]):
            closed.append(line)
        else:
            begun[_row(line[0])] = line
    while begun:
        parts = [begun.pop(next(iter(begun)))]
        while (follower := begun.pop(_row(parts[-1][-1]), None)) is not None:
            parts.append(follower[1:])
        closed.append(np.concatenate(parts))
    return closed


def _row(place: Array) -> float:
    return round(float(place[1]), 6)
