"""Joint angles along a path for a redundant arm, exact at every point.

The joints run along a smooth curve q̃(t) through postures that were found before, and are moved
from it, as little as possible, to where the tip is on its path:

    q = q̃ + J̃ᵀ λ        tip(q) = p          J̃ the Jacobian at q̃, λ two Lagrange multipliers

Differentiating both once and twice gives λ̇ and λ̈, and with them the exact rates:

    J (q̃' + J̃'ᵀ λ + J̃ᵀ λ̇) = ṗ
    J (q̃'' + J̃''ᵀ λ + 2 J̃'ᵀ λ̇ + J̃ᵀ λ̈) = p̈ − J̇ q̇

Points and columns of Jacobians are complex numbers here, x + i y.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array
from ulna.motion.curves import Curve
from ulna.motion.jets import as_complex, unit

ITERATIONS = 6  # of Newton's method; two suffice where postures lie close together
SINGULAR = 1e-7  # a determinant, of the squared entries, below which solving is damped
DAMPING = 1e-12  # of the squared entries


class LinkVectors(NamedTuple):
    """An arm in postures (k, n): its links, and the vector from every joint to the tip."""

    links: Array  # (k, n)
    levers: Array  # (k, n)


@dataclass(frozen=True, eq=False)
class RedundantSolver:
    """Computes q, q̇, q̈ for points on a path, close to a smooth curve of postures in time."""

    arm: Arm
    nearby: Curve  # of time: all angles with two derivatives (3, t, n)

    def __call__(self, t: Array, points: Array) -> Array:
        """Return q, q̇ and q̈ (3, k, n) for points with two derivatives (3, k, 2)."""
        position, velocity, acceleration = as_complex(points)
        guess, rate, joint_acceleration = self.nearby(t)
        links = self._link_vectors(guess).links
        omega, alpha = np.cumsum(rate, axis=-1), np.cumsum(joint_acceleration, axis=-1)
        columns, first, second = (
            1j * _beyond(links * factor) for factor in (1.0, 1j * omega, 1j * alpha - omega**2)
        )
        q, multipliers = self._reach(guess, columns, position)
        links, levers = self._link_vectors(q)
        J = 1j * levers
        known = rate + _along(first, multipliers)
        multiplier_rate = _solve(J, columns, velocity - np.sum(J * known, axis=-1))
        qd = known + _along(columns, multiplier_rate)
        inward = np.sum(links * np.cumsum(qd, axis=-1) ** 2, axis=-1)
        known = (
            joint_acceleration + _along(second, multipliers) + 2.0 * _along(first, multiplier_rate)
        )
        multiplier_acceleration = _solve(
            J, columns, acceleration + inward - np.sum(J * known, axis=-1)
        )
        return np.stack([q, qd, known + _along(columns, multiplier_acceleration)])

    def _link_vectors(self, q: Array) -> LinkVectors:
        links = self.arm.parameters.length * unit(np.cumsum(q, axis=-1))
        return LinkVectors(links, _beyond(links))

    def _reach(self, guess: Array, columns: Array, goal: Array) -> tuple[Array, Array]:
        """Find the multipliers that bring the tip to its goal; return the angles and them (k,)."""
        base, multipliers, q = complex(*self.arm.base), np.zeros_like(goal), guess
        for _ in range(ITERATIONS):
            levers = self._link_vectors(q).levers
            gap = goal - base - levers[:, 0]
            # Each on its own, so that a result does not depend on the other points.
            unsolved = np.abs(gap) > np.finfo(float).eps * self.arm.reach
            if not unsolved.any():
                break
            multipliers = np.where(
                unsolved, multipliers + _solve(1j * levers, columns, gap), multipliers
            )
            q = guess + _along(columns, multipliers)
        return q, multipliers


def _beyond(parts: Array) -> Array:
    """Return the sums (k, n) from every joint to the tip."""
    return np.cumsum(parts[:, ::-1], axis=-1)[:, ::-1]


def _along(columns: Array, multipliers: Array) -> Array:
    """Return the motion of joints (k, n) for multipliers (k,) and these columns: J̃ᵀ λ."""
    return np.real(np.conj(columns) * multipliers[:, None])


def _solve(rows: Array, columns: Array, goal: Array) -> Array:
    """Return the multipliers λ (k,) with Σ rows · (columns · λ) = goal, damped where singular."""
    by_x, by_y = (np.sum(rows * part, axis=-1) for part in (columns.real, columns.imag))
    area = by_x.real * by_y.imag - by_x.imag * by_y.real
    x = goal.real * by_y.imag - goal.imag * by_y.real
    y = by_x.real * goal.imag - by_x.imag * goal.real
    size = np.abs(by_x) ** 2 + np.abs(by_y) ** 2
    found = (x + 1j * y) / np.where(area == 0.0, 1.0, area)
    singular = np.abs(area) <= SINGULAR * size
    if not singular.any():
        return np.asarray(found)
    return np.where(singular, _least_squares(by_x, by_y, goal, DAMPING * size), found)


def _least_squares(by_x: Array, by_y: Array, goal: Array, damping: Array) -> Array:
    """Return the same by damped least squares, which keeps what can be moved moving."""
    xx, yy = np.abs(by_x) ** 2 + damping, np.abs(by_y) ** 2 + damping
    xy = np.real(np.conj(by_x) * by_y)
    to_x, to_y = np.real(np.conj(by_x) * goal), np.real(np.conj(by_y) * goal)
    area = np.maximum(xx * yy - xy**2, np.finfo(float).tiny)
    return np.asarray((yy * to_x - xy * to_y + 1j * (xx * to_y - xy * to_x)) / area)
