"""Paper 002's formulas as it prints them, by the numbers of its equations.

Its q1 and q2 are both measured from the x axis; they are written phi here, (…, 2) [rad]. The force
at the tip, (…, 2) [N], acts on the arm, and torques are what they are to the paper: one for the
angle of each link.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ulna.arm import Arm

Floats = NDArray[np.float64]


class Rods(NamedTuple):
    """The paper's constants."""

    l1: float  # [m]
    l2: float
    m1: float  # [kg]
    m2: float
    g: float = 9.81  # [m/s²]


def constants(arm: Arm) -> Rods:
    """Return the paper's letters for an arm of two rods."""
    first, second = arm.links
    return Rods(first.length, second.length, first.mass, second.mass, -arm.gravity[1])


def position(p: Rods, phi: Floats) -> Floats:
    """(1), (2)"""
    x = p.l1 * np.cos(phi[..., 0]) + p.l2 * np.cos(phi[..., 1])
    y = p.l1 * np.sin(phi[..., 0]) + p.l2 * np.sin(phi[..., 1])
    return np.stack([x, y], axis=-1)


def velocity(p: Rods, phi: Floats, rate: Floats) -> Floats:
    """(3), (4)"""
    (s1, s2), (c1, c2), (w1, w2) = _pair(np.sin(phi)), _pair(np.cos(phi)), _pair(rate)
    x = -p.l1 * s1 * w1 - p.l2 * s2 * w2
    y = p.l1 * c1 * w1 + p.l2 * c2 * w2
    return np.stack([x, y], axis=-1)


def acceleration(p: Rods, phi: Floats, rate: Floats, turning: Floats) -> Floats:
    """(6), (7)"""
    (s1, s2), (c1, c2) = _pair(np.sin(phi)), _pair(np.cos(phi))
    (w1, w2), (a1, a2) = _pair(rate), _pair(turning)
    x = -p.l1 * s1 * a1 - p.l1 * c1 * w1**2 - p.l2 * s2 * a2 - p.l2 * c2 * w2**2
    y = p.l1 * c1 * a1 - p.l1 * s1 * w1**2 + p.l2 * c2 * a2 - p.l2 * s2 * w2**2
    return np.stack([x, y], axis=-1)


def elbow_up(p: Rods, point: Floats) -> tuple[Floats, Floats]:
    """(11) to (15) with atan2 as the text says: both absolute angles (…, 2), and θ (…)."""
    x, y = _pair(point)
    theta = np.where(x >= 0, 1.0, -1.0) * bend(p, x, y)
    return _from_bearing(p, np.arctan2(y, x), theta), theta


def elbow_up_from(p: Rods, point: Floats, bearing: Floats) -> Floats:
    """(11) and (13) to (15) from a bearing ϕ of the tip that is found in another way than (12)."""
    x, y = _pair(point)
    return _from_bearing(p, bearing, np.where(x >= 0, 1.0, -1.0) * bend(p, x, y))


def bend(p: Rods, x: Floats, y: Floats) -> Floats:
    """(10), its positive value"""
    cosine = (x**2 + y**2 - p.l1**2 - p.l2**2) / (2 * p.l1 * p.l2)
    return np.asarray(np.arccos(cosine))


def lean(p: Rods, theta: Floats) -> Floats:
    """(13), φ by atan2"""
    return np.asarray(np.arctan2(p.l2 * np.sin(theta), p.l1 + p.l2 * np.cos(theta)))


def potential(p: Rods, phi: Floats) -> Floats:
    """(18)"""
    s1, s2 = _pair(np.sin(phi))
    return np.asarray(p.m1 * p.g * (p.l1 / 2) * s1 + p.m2 * p.g * (p.l1 * s1 + p.l2 / 2 * s2))


def kinetic(p: Rods, phi: Floats, rate: Floats) -> Floats:
    """(19), (20)"""
    w1, w2 = _pair(rate)
    cos = np.cos(phi[..., 0] - phi[..., 1])
    v2 = (p.l1 * w1) ** 2 + (p.l2 * w2 / 2) ** 2 + 2 * (p.l1 * w1) * (p.l2 * w2 / 2) * cos
    turning = (p.m1 * p.l1**2 / 3) * w1**2 / 2 + (p.m2 * p.l2**2 / 12) * w2**2 / 2
    return np.asarray(turning + p.m2 * v2 / 2)


def by_angle(p: Rods, phi: Floats, rate: Floats) -> tuple[Floats, Floats]:
    """∂V/∂q of (23), (24) and ∂T/∂q of (25), (26)"""
    w1, w2 = _pair(rate)
    both = -p.m2 * (p.l1 * w1) * (p.l2 * w2 / 2)
    ahead = phi[..., 0] - phi[..., 1]
    return weights(p, phi), np.stack([both * np.sin(ahead), both * np.sin(-ahead)], axis=-1)


def momenta(p: Rods, phi: Floats, rate: Floats) -> Floats:
    """(27), (29)"""
    w1, w2 = _pair(rate)
    cos = np.cos(phi[..., 0] - phi[..., 1])
    first = p.m1 * p.l1**2 / 3 * w1 + p.m2 * p.l1**2 * w1 + p.m2 * p.l1 * (p.l2 * w2 / 2) * cos
    second = p.m2 * p.l2**2 / 12 * w2 + p.m2 * (p.l2 / 2) ** 2 * w2
    return np.stack([first, second + p.m2 * (p.l1 * w1) * (p.l2 / 2) * cos], axis=-1)


def momentum_rates(p: Rods, phi: Floats, rate: Floats, turning: Floats) -> Floats:
    """(28), (30)"""
    (w1, w2), (a1, a2) = _pair(rate), _pair(turning)
    cos, sin = np.cos(phi[..., 0] - phi[..., 1]), np.sin(phi[..., 0] - phi[..., 1])
    first = p.m1 * p.l1**2 / 3 * a1 + p.m2 * p.l1**2 * a1 + p.m2 * p.l1 * (p.l2 * a2 / 2) * cos
    first = first - p.m2 * p.l1 * (p.l2 * w2 / 2) * sin * (w1 - w2)
    second = p.m2 * p.l2**2 / 12 * a2 + p.m2 * (p.l2 / 2) ** 2 * a2
    second = second + p.m2 * (p.l1 * a1) * (p.l2 / 2) * cos
    return np.stack([first, second - p.m2 * (p.l1 * w1) * (p.l2 / 2) * sin * (w1 - w2)], axis=-1)


def left_sides(p: Rods, phi: Floats, rate: Floats, turning: Floats) -> Floats:
    """(33), (34), left of the equals sign"""
    (w1, w2), (a1, a2) = _pair(rate), _pair(turning)
    cos, sin = np.cos(phi[..., 0] - phi[..., 1]), np.sin(phi[..., 0] - phi[..., 1])
    first = p.m1 * p.l1**2 / 3 * a1 + p.m2 * p.l1**2 * a1 + p.m2 * p.l1 * (p.l2 * a2 / 2) * cos
    first = first + p.m2 * p.l1 * (p.l2 * w2**2 / 2) * sin
    second = p.m2 * p.l2**2 / 3 * a2 + p.m2 * (p.l1 * a1) * (p.l2 / 2) * cos
    second = second - p.m2 * (p.l1 * w1**2) * (p.l2 / 2) * sin
    return np.stack([first, second], axis=-1) + weights(p, phi)


def pull(p: Rods, phi: Floats, force: Floats, *, q_i: int = 1) -> Floats:
    """(33), (34), what the force does to both links, with the printed index i of (33) read."""
    sin_of_i = np.sin(phi[..., q_i - 1])
    fx, fy = _pair(force)
    first = -fx * p.l1 * sin_of_i + fy * p.l1 * np.cos(phi[..., 0])
    second = -fx * p.l2 * np.sin(phi[..., 1]) + fy * p.l2 * np.cos(phi[..., 1])
    return np.stack([first, second], axis=-1)


def massless(p: Rods, phi: Floats, force: Floats) -> Floats:
    """(35), (36)"""
    (s1, s2), (c1, c2), (fx, fy) = _pair(np.sin(phi)), _pair(np.cos(phi)), _pair(force)
    first, second = fx * p.l1 * s1 - fy * p.l1 * c1, fx * p.l2 * s2 - fy * p.l2 * c2
    return np.stack([first, second], axis=-1)


def statics(p: Rods, phi: Floats, force: Floats) -> Floats:
    """(38), (39)"""
    return weights(p, phi) + massless(p, phi, force)


def weights(p: Rods, phi: Floats) -> Floats:
    """(23), (24)"""
    c1, c2 = _pair(np.cos(phi))
    first = p.m1 * p.g * (p.l1 / 2) * c1 + p.m2 * p.g * p.l1 * c1
    return np.stack([first, p.m2 * p.g * (p.l2 / 2) * c2], axis=-1)


def _from_bearing(p: Rods, bearing: Floats, theta: Floats) -> Floats:
    q1 = bearing + lean(p, theta)
    return np.stack([q1, q1 - theta], axis=-1)


def _pair(values: Floats) -> tuple[Floats, Floats]:
    return values[..., 0], values[..., 1]
