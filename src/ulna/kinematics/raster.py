"""The workspace of a limited arm of many links, on polar grids: to a tolerance that is stated.

Seen from joint k, with the links before it fixed, the tip reaches
W_k = ∪ R(q_k) (l_k + W_{k+1}) over the range of q_k. The distance to a union is the least of the
distances, so the field of distances D_k(p) = min D_{k+1}(R(−q_k) p − l_k) goes from tip to base
without a set ever being formed: on a polar grid about joint k the minimum runs along a circle.

A distance changes by at most 1 m per m, which bounds both errors of a grid with cells a by b:
interpolating is off by at most half a diagonal, h = ½ √(a² + b²), and the minimum over samples
instead of the whole range is at most b/2 too large. Summed over the joints, D̃ exceeds D by
Σ (h + b/2) at most and falls short of it by Σ h at most. So the region D̃ ≤ Σ (h + b/2) leaves out
nothing that can be reached, and holds nothing that is further from it than Σ (2 h + b/2).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ulna.angles import TURN
from ulna.arrays import Array
from ulna.errors import InputError, Problem
from ulna.kinematics.critical import Hinge, Linkage, attained_tip, reach_of

RINGS = 660  # cells from the centre to the rim
SECTORS = 4980  # cells around: at the rim they are a little narrower than long
BLOCK = 8  # rings worked on at a time, so that they stay in the cache
ARC = TURN / SECTORS  # the width b of the widest cell, as a part of the grid's radius
HALF_DIAGONAL = math.hypot(1.0 / RINGS, ARC) / 2
LEVEL = HALF_DIAGONAL + ARC / 2
TOLERANCE = 2 * HALF_DIAGONAL + ARC / 2

COARSEST = 0.05  # of the reach: an outline that is off by more is not worth its minutes


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
