"""The joint angles along a path, exact at every place and not only at samples.

Two links form a triangle with the line to the target, solved on the side and in the turn that
postures found before have. With r_k the vector from joint k to the tip and D = r_1 × r_2, the
velocity v of the tip along r_1 is the elbow's doing alone, and across it both joints':

    v · r_1 = −D q̇_2            r_1 × v = r_1² q̇_1 + r_1 · r_2 q̇_2

The same holds of accelerations, once the centripetal ones are taken off. Where the arm is straight
D vanishes, and going round with a straight arm has q̇_2 = 0: that is why it is solved in this order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ulna.angles import TURN
from ulna.arm import Arm
from ulna.arrays import Array
from ulna.kinematics.closed_form import triangle
from ulna.motion.cubics import Cubics
from ulna.motion.curves import Curve
from ulna.motion.redundant_solver import RedundantSolver

# Returns q, q̇ and q̈ (3, k, n) at times (k,) for points with two derivatives (3, k, 2).
Solver: TypeAlias = Callable[[Array, Array], Array]

CENTRE = 1e-12  # of the links: closer to the base than that, a target has no direction
TINY = np.finfo(float).tiny
SMALLEST = 1e-7  # of |r_1| |r_2|: a smaller D is damped, so that rates stay finite


@dataclass(frozen=True, eq=False)
class OneLinkSolver:
    """Points the one link at the path, which has to lie on its circle."""

    arm: Arm
    times: Array  # (k,) [s] at which
    known: Array  # (k, 1) [rad] postures are known

    def __call__(self, t: Array, points: Array) -> Array:
        """Return q, q̇ and q̈ (3, k, 1)."""
        lever = points[0] - np.array(self.arm.base)
        found = np.arctan2(lever[:, 1], lever[:, 0])
        close = np.interp(t, self.times, self.known[:, 0])
        rows = [found + TURN * np.round((close - found) / TURN)]
        square = np.sum(lever**2, axis=-1)
        rows += [
            (lever[:, 0] * asked[:, 1] - lever[:, 1] * asked[:, 0]) / square for asked in points[1:]
        ]
        return np.stack(rows)[..., None]


@dataclass(frozen=True, eq=False)
class TwoLinkSolver:
    """Solves the triangle of two links, near postures known at knots in time."""

    arm: Arm
    times: Array  # (k,) [s] of the knots
    known: Array  # (k, 2) [rad] postures there
    bend: Array  # (k,) the sign of sin q_2 there

    def __call__(self, t: Array, points: Array) -> Array:
        """Return q, q̇ and q̈ (3, k, 2)."""
        place, velocity, acceleration = np.ascontiguousarray(points.transpose(0, 2, 1))
        x, y = place - np.array(self.arm.base)[:, None]
        l1, l2 = self.arm.parameters.length
        square = x * x + y * y
        q1, q2 = self._place(t, x, y, np.sqrt(square))
        # r_1 × r_2 = l1 l2 sin q_2 and r_1 · r_2, of the triangle with sides l1, l2 and |r_1|.
        area, shared = l1 * l2 * np.sin(q2), 0.5 * (square + (l2**2 - l1**2))
        part = area / np.maximum(area * area + (SMALLEST * l2) ** 2 * square, TINY)
        # Close to the base, where the tip has no bearing, the rate of it is damped as well.
        around = square / (square * square + (SMALLEST * self.arm.reach) ** 4)

        def rates(u: Array, v: Array) -> tuple[Array, Array]:
            elbow = -part * (x * u + y * v)
            return around * (x * v - y * u - shared * elbow), elbow

        w1, w2 = rates(*velocity)
        heading = q1 + q2
        forearm_x, forearm_y = l2 * np.cos(heading), l2 * np.sin(heading)
        spin, whirl = w1 * w1, (w1 + w2) ** 2 - w1 * w1
        a1, a2 = rates(
            acceleration[0] + spin * x + whirl * forearm_x,
            acceleration[1] + spin * y + whirl * forearm_y,
        )
        rows = np.empty((3, len(t), 2))
        for row, parts in zip(rows, ((q1, q2), (w1, w2), (a1, a2)), strict=True):
            row[:, 0], row[:, 1] = parts
        return rows

    def _place(self, t: Array, x: Array, y: Array, distance: Array) -> Array:
        """Return the angles (2, k) on the side and in the turn that the knots have."""
        first, second = self.arm.parameters.length
        turn, lean = triangle(first, second, distance)
        bearing = np.arctan2(y, x)
        knot = np.clip(np.searchsorted(self.times, t, "right") - 1, 0, len(self.bend) - 1)
        before, after = self.bend[knot], self.bend[np.minimum(knot + 1, len(self.bend) - 1)]

        def posture(sign: Array, near: Array) -> Array:
            found = np.stack([bearing - sign * lean, sign * turn])
            return np.asarray(found + TURN * np.round((near - found) / TURN))

        # At the very centre any direction will do, and the knots say which.
        centre = distance <= CENTRE * (first + second)
        if (before == after).all() and not centre.any():
            return posture(before, self.known.T[:, knot])
        near = np.stack([np.interp(t, self.times, angles) for angles in self.known.T])
        found, other = posture(before, near), posture(after, near)
        # The side changes between two knots: whichever is nearer to what lies between them.
        closer = np.abs(other - near).sum(axis=0) < np.abs(found - near).sum(axis=0)
        found = np.asarray(np.where(closer, other, found))
        found[0] = np.where(centre, near[0], found[0])
        return found


def make_solver(arm: Arm, times: Array, known: Array) -> Solver:
    """Return what follows a path near postures (k, n) that are known at times (k,)."""
    if arm.n == 1:
        return OneLinkSolver(arm, times, known)
    if arm.n == 2:
        return TwoLinkSolver(arm, times, known, _signs(np.sin(known[:, 1])))
    return RedundantSolver(arm, _smooth(times, known))


def _signs(values: Array) -> Array:
    """Return the signs of values (k,), where there is none that of the one before, or the next."""
    signs = np.sign(values)
    has = np.flatnonzero(signs)
    if not len(has):
        return np.ones_like(signs)
    last = np.clip(np.searchsorted(has, np.arange(len(signs)), "right") - 1, 0, None)
    return np.asarray(signs[has[last]])


def _smooth(times: Array, known: Array) -> Curve:
    """Return a curve (3, t, n) through postures, with two derivatives by time."""
    from scipy.interpolate import CubicSpline

    if len(times) == 1:
        powers = np.concatenate([np.zeros((3, *known.shape)), known[None]])
        return Cubics(np.array([times[0], times[0]]), powers)
    return Cubics.of(CubicSpline(times, known))
