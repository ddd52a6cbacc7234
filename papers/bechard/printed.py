"""Paper 001's formulas as they are printed, errata included. Its angles θ are absolute.

The equations of motion are sums in plain Python, which an integrator calls thousands of times.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from ulna.arm import Arm

G = 9.81  # [m/s²]

Slope: TypeAlias = Callable[[float, np.ndarray], Sequence[float]]
Torques: TypeAlias = Sequence[float] | Callable[[float], Sequence[float]]


def one_joint(L: float, m: float, tau: float, B: float) -> Slope:
    """§3.1: y1' = y2, y2' = (τ − m g L cos y1)/(m L²) − B y2."""

    def slope(_t: float, y: np.ndarray) -> tuple[float, float]:
        return y[1], (tau - m * G * L * math.cos(y[0])) / (m * L * L) - B * y[1]

    return slope


def sequential(arm: Arm, tau: Torques, B: Sequence[float]) -> Slope:
    """§4.1: about every joint, the masses beyond it add up inertia and weight.

    The state is all angles, then all rates.
    """
    n = arm.n
    lengths, masses = [link.length for link in arm.links], [link.mass for link in arm.links]

    def slope(t: float, y: np.ndarray) -> list[float]:
        state: list[float] = y.tolist()
        now = tau(t) if callable(tau) else tau
        accelerations = []
        for a in range(n):
            x = z = inertia = weight = 0.0
            for b in range(a, n):
                x += lengths[b] * math.cos(state[b])
                z += lengths[b] * math.sin(state[b])
                inertia += masses[b] * (x * x + z * z)
                weight += masses[b] * G * x
            accelerations.append((now[a] - weight) / inertia - B[a] * state[n + a])
        return state[n:] + accelerations

    return slope


def net_torque(L: float, m: float, tau: float, theta: float) -> float:
    """§3.1, the net torque with a length too many: τ − m g L cos(θ) L."""
    return tau - m * G * L * math.cos(theta) * L


def turning_by_an_angle(L: float, m: float, theta_app: float, theta: float) -> float:
    """§3.1, with θ_app where τ_app is meant: (θ_app − m g L cos θ)/(m L²)."""
    return (theta_app - m * G * L * math.cos(theta)) / (m * L * L)


def weight_of_two(lengths: Sequence[float], masses: Sequence[float], theta: np.ndarray) -> float:
    """§4.1, the weight about joint 1 of two joints, the cosine twice in its last term."""
    x, z = (float(np.dot(lengths, part)) for part in (np.cos(theta), np.sin(theta)))
    reach, bearing = math.hypot(x, z), math.atan2(z, x)
    first = masses[0] * lengths[0] * math.cos(theta[0]) * G
    return first + masses[1] * reach * math.cos(bearing) * math.cos(bearing) * G


def inertia_to_joints(lengths: Sequence[float], masses: Sequence[float]) -> float:
    """§4.1, I_1 of a straight arm with u_{1,b} from joint 1 to joint b, and m_1 L_1² by itself."""
    joints = [sum(lengths[:b]) for b in range(len(lengths))]
    beyond = sum(m * x * x for m, x in zip(masses[1:], joints[1:], strict=True))
    return beyond + masses[0] * lengths[0] ** 2


def weight_by_division(mass: float, x: float, z: float) -> float:
    """§4.2, the weight of a mass by m g r (x/r): 0/0 if the mass is at the joint."""
    with np.errstate(invalid="ignore"):
        r = np.sqrt(np.float64(x) ** 2 + np.float64(z) ** 2)
        return float(mass * G * r * (np.float64(x) / r))


def clock(frame: int, duration: float, frames: int) -> float:
    """§3.2, the time written into a frame of the animation: i · duration / frames."""
    return frame * (duration / frames)


def weight_by_sine(m: float, r: float, theta: float) -> float:
    """§5: m g r sin θ."""
    return m * G * r * math.sin(theta)
