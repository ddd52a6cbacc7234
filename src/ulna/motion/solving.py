"""The joint angles along a path, exact at every place and not only at samples.

Two joints i < j are solved for in closed form; any others follow a smooth curve through postures
that were found before. With a the vector from joint i to joint j and b that from joint j to the
tip, both rigid once the others are given, they form a triangle with the line to the target: the
two-link arm is the case without others. Rates and accelerations follow from

    v = Σ q̇_k r_k⊥          r_k from joint k to the tip, r⊥ its quarter turn
    q̇_i = w · r_j / D,  q̇_j = −w · r_i / D     D = r_i × r_j,  w = v − what the others do

and the same with the accelerations, once the centripetal ones are taken off.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ulna.angles import TURN
from ulna.arm import Arm
from ulna.arrays import Array
from ulna.kinematics import joints
from ulna.kinematics.closed_form import triangle
from ulna.motion.path import Curve

CENTRE = 1e-12  # of the links: closer to the pivot than that, a target has no direction
SMALLEST = 1e-7  # of |r_i| |r_j|: a smaller D is damped, so that rates stay finite


@dataclass(frozen=True, eq=False)
class Solver:
    """Gives q, q̇, q̈ for points on a path, near postures known at knots in time."""

    arm: Arm
    times: Array  # (k,) [s] of the knots
    known: Array  # (k, n) [rad] postures there
    pair: tuple[int, int]
    bend: Array  # (k,) the sign of D at the knots
    others: Curve | None  # of time: all angles with two derivatives (3, t, n)

    def __call__(self, t: Array, points: Array) -> Array:
        """Give q, q̇ and q̈ (3, k, n) for points with two derivatives (3, k, 2)."""
        rows = np.zeros((3, len(t), self.arm.n)) if self.others is None else self.others(t)
        if self.arm.n == 1:
            return _one_link(self, t, points, rows)
        i, j = self.pair
        rows[:, :, [i, j]] = 0.0
        self._place(t, points[0], rows[0])
        base, links = _vectors(self.arm, rows[0])
        levers = points[0][:, :1] + 1j * points[0][:, 1:] - base
        self._move(points[1], levers, rows[1])
        turned = links * np.cumsum(rows[1], axis=-1) ** 2
        inward = np.sum(turned, axis=-1)
        free = points[2] + np.stack([inward.real, inward.imag], axis=-1)
        self._move(free, levers, rows[2])
        return rows

    def _place(self, t: Array, point: Array, q: Array) -> None:
        """Solve the triangle, on the side and the turn that the knots have."""
        i, j = self.pair
        pivot, first, second = self._rigid(q)
        goal = point[:, 0] + 1j * point[:, 1] - pivot
        sides = np.abs(first), np.abs(second), np.abs(goal)
        turn, lean = triangle(*sides)
        near = np.stack([np.interp(t, self.times, self.known[:, joint]) for joint in (i, j)])
        # At the very centre any direction will do, and the knots say which.
        away = sides[2] > CENTRE * (sides[0] + sides[1])
        bearing, lead = np.angle(goal), np.angle(first)
        behind = np.angle(second) - lead

        def posture(sign: Array) -> Array:
            start = np.where(away, bearing - sign * lean - lead, near[0])
            found = np.stack([start, sign * turn - behind])
            return np.asarray(found + TURN * np.round((near - found) / TURN))

        q[:, [i, j]] = self._nearer(t, near, posture).T

    def _rigid(self, q: Array) -> tuple[Array, Array, Array]:
        """Give joint i, and from it to joint j and from there to the tip, both joints straight."""
        i, j = self.pair
        if self.others is None:
            length = self.arm.parameters.length
            return complex(*self.arm.base), length[0], length[1]
        base, links = _vectors(self.arm, q)
        return base[:, i], np.sum(links[:, i:j], axis=-1), np.sum(links[:, j:], axis=-1)

    def _nearer(self, t: Array, near: Array, posture: Callable[[Array], Array]) -> Array:
        """Take the side that the knots around have; where they differ, the nearer of the two."""
        knot = np.clip(np.searchsorted(self.times, t, "right") - 1, 0, len(self.bend) - 1)
        before, after = self.bend[knot], self.bend[np.minimum(knot + 1, len(self.bend) - 1)]
        found = posture(before)
        if (before == after).all():
            return found
        other = posture(after)
        closer = np.abs(other - near).sum(axis=0) < np.abs(found - near).sum(axis=0)
        return np.where(closer, other, found)

    def _move(self, asked: Array, levers: Array, rates: Array) -> None:
        """Solve for the two rates that, with those of the others, give what is asked (k, 2)."""
        i, j = self.pair
        first, second = levers[:, i], levers[:, j]
        left = asked[:, 0] + 1j * asked[:, 1]
        if self.others is not None:
            left = left - np.sum(1j * levers * rates, axis=-1)
        area = first.real * second.imag - first.imag * second.real
        floor = SMALLEST * np.abs(first) * np.abs(second)
        part = area / np.maximum(area**2 + floor**2, np.finfo(float).tiny)
        rates[:, i] = (left.real * second.real + left.imag * second.imag) * part
        rates[:, j] = -(left.real * first.real + left.imag * first.imag) * part


def _vectors(arm: Arm, q: Array) -> tuple[Array, Array]:
    """Give the joints' places (k, n) and the links (k, n) as complex numbers."""
    links = arm.parameters.length * np.exp(1j * np.cumsum(q, axis=-1))
    start = complex(*arm.base)
    ends = start + np.cumsum(links, axis=-1)
    return np.concatenate([np.full((len(q), 1), start), ends[:, :-1]], axis=-1), links


def _one_link(solver: Solver, t: Array, points: Array, rows: Array) -> Array:
    """Point the one link at the path, which has to lie on its circle."""
    lever = points[0] - np.array(solver.arm.base)
    found = np.arctan2(lever[:, 1], lever[:, 0])
    close = np.interp(t, solver.times, solver.known[:, 0])
    rows[0, :, 0] = found + TURN * np.round((close - found) / TURN)
    square = np.sum(lever**2, axis=-1)
    for order in (1, 2):
        asked = points[order]
        rows[order, :, 0] = (lever[:, 0] * asked[:, 1] - lever[:, 1] * asked[:, 0]) / square
    return rows


def make_solver(arm: Arm, times: Array, known: Array) -> Solver:
    """Choose the two joints that are best to solve for, and let the others run smoothly."""
    if arm.n == 1:
        return Solver(arm, times, known, (0, 0), np.ones(len(times)), None)
    places = joints(arm, known)
    z = places[..., 0] + 1j * places[..., 1]
    levers = z[:, -1:] - z[:, :-1]
    areas = {
        (i, j): np.imag(np.conj(levers[:, i]) * levers[:, j])
        for i, j in combinations(range(arm.n), 2)
    }
    pair = max(areas, key=lambda key: _worth(areas[key]))
    bend = _signs(areas[pair])
    others = _smooth(times, known) if arm.n > 2 else None
    return Solver(arm, times, known, pair, bend, others)


def _worth(area: Array) -> float:
    """Give how far a pair stays from being singular; less than nothing if it passes through."""
    one_side = np.all(area > 0.0) or np.all(area < 0.0)
    return (
        float(np.min(np.abs(area))) if one_side else float(-1.0 / (1e-300 + np.max(np.abs(area))))
    )


def _signs(area: Array) -> Array:
    """Give the signs of areas (k,), where there is none that of the knot before, or the next."""
    signs = np.sign(area)
    has = np.flatnonzero(signs)
    if not len(has):
        return np.ones_like(signs)
    last = np.clip(np.searchsorted(has, np.arange(len(signs)), "right") - 1, 0, None)
    return np.asarray(signs[has[last]])


def _smooth(times: Array, known: Array) -> Curve:
    from scipy.interpolate import CubicSpline

    if len(times) == 1:
        still = np.zeros((2, 1, known.shape[-1]))
        return lambda t: np.repeat(np.concatenate([known[None], still]), len(t), axis=1)
    spline = CubicSpline(times, known)
    return lambda t: np.stack([spline(t, order) for order in range(3)])
