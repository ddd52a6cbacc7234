"""Paper 000's formulas and listings as it prints them, right or not, in arrays.

Rows are samples: angles, rates and accelerations are (k, 2). Where a listing cannot run as it
stands, what is here is what it says once it does; the repairs that suggest themselves and that
go wrong have names of their own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ulna.arm import Arm

Array = NDArray[np.float64]
G = 9.81  # [m/s²]
DURATION = 60.0  # [s]
COUNT = 2000  # points of the path
CIRCLE, LOOP, LOOPS = 0.79, 0.2, 13  # [m], [m]
TIMES = np.linspace(0.0, DURATION, COUNT)
DT = float(TIMES[1] - TIMES[0])  # [s]
MATRIX = np.array([[0.9397, 0.342, 1.7057], [-0.342, 0.9397, 0.3008], [0.0, 0.0, 1.0]])
FACTORS = (
    np.array([[0.7660, -0.6428, 0.0], [0.6428, 0.7660, 0.0], [0.0, 0.0, 1.0]]),
    np.array([[0.5, 0.8660, 1.0], [-0.8660, 0.5, 0.0], [0.0, 0.0, 1.0]]),
    np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
)
# In which listing its functions are defined, and in which the first statement runs that needs them.
DEFINED = {
    "tangent_normal_frame": 1,
    "add_loops": 1,
    "compute_joint_trajectory_both": 2,
    "finite_diff_angles": 2,
    "M_matrix": 5,
    "C_matrix": 6,
    "G_vector": 7,
}
NEEDED = {
    "tangent_normal_frame": 1,
    "add_loops": 1,
    "compute_joint_trajectory_both": 3,
    "finite_diff_angles": 3,
    "M_matrix": 3,
    "C_matrix": 3,
    "G_vector": 3,
}


class KehlMotion(NamedTuple):
    """Angles [rad], rates [rad/s] and accelerations [rad/s²] of both joints, (k, 2) each."""

    q: Array
    qd: Array
    qdd: Array


class KehlConstants(NamedTuple):
    """The letters of the paper."""

    l1: float
    l2: float
    m1: float
    m2: float
    i1: float
    i2: float


def constants(arm: Arm) -> KehlConstants:
    """Return the letters for an arm of two links."""
    one, two = arm.links
    return KehlConstants(one.length, two.length, one.mass, two.mass, one.inertia, two.inertia)


def transform(degrees: float, displacement: float) -> Array:
    """Return a matrix of §2.3: a turn, and a displacement along x before it."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[c, -s, displacement], [s, c, 0.0], [0.0, 0.0, 1.0]])


def path(count: int = COUNT) -> Array:
    """Code 1 in complex numbers: a circle, its tangent by differences, and loops along it."""
    circle = 1j * CIRCLE * np.exp(1j * np.linspace(0.0, 2.0 * np.pi, count))
    tangent = np.gradient(circle)
    tangent /= np.abs(tangent)
    turning = np.exp(2j * np.pi * LOOPS * np.linspace(0.0, 1.0, count))
    z = circle + 1j * LOOP * tangent * turning
    return np.stack([z.real, z.imag], axis=-1)


def inverse_kinematics_both(x: Array, y: Array, l1: float, l2: float) -> Array:
    """Code 2: the solutions (…, 2, 2) that it calls up and down, whatever the distance."""
    cos2 = np.clip((x * x + y * y - l1 * l1 - l2 * l2) / (2 * l1 * l2), -1, 1)
    bend = np.arccos(cos2)
    both = np.stack([bend, -bend], axis=-1)
    lead = np.arctan2(l2 * np.sin(both), l1 + l2 * np.cos(both))
    return np.stack([np.arctan2(y, x)[..., None] - lead, both], axis=-1)


def wrap_delta(a: Array | float, b: Array | float) -> Array:
    """Code 2: the difference of two angles, into half a turn either way."""
    return np.asarray((np.subtract(a, b) + np.pi) % (2 * np.pi) - np.pi)


def joint_trajectory(points: Array, l1: float, l2: float, *, wrapped: bool = True) -> Array:
    """Code 2: the first solution at the first point, then always the nearer one.

    Not `wrapped`, distances count whole turns as well, which the paper rightly avoids.
    """
    both = inverse_kinematics_both(points[:, 0], points[:, 1], l1, l2)
    apart = wrap_delta if wrapped else np.subtract
    chosen = [both[0, 0]]
    for pair in both[1:]:
        away = np.hypot(*apart(pair, chosen[-1]).T)
        chosen.append(pair[0] if away[0] <= away[1] else pair[1])
    return np.array(chosen)


def motion(points: Array) -> KehlMotion:
    """Code 3: wrapped differences, twice; the rate that goes with a point is the one before it."""
    q = joint_trajectory(points, 0.5, 0.5)
    rate = wrap_delta(q[1:], q[:-1]) / DT
    return KehlMotion(q[1:-1], rate[:-1], wrap_delta(rate[1:], rate[:-1]) / DT)


def centres(arm: Arm, q: Array) -> Array:
    """§2.5.3: the centres of mass (k, 2, 2)."""
    l1, l2, *_ = constants(arm)
    a, b = q[:, 0], q.sum(axis=-1)
    first = [l1 / 2 * np.cos(a), l1 / 2 * np.sin(a)]
    second = [l1 * np.cos(a) + l2 / 2 * np.cos(b), l1 * np.sin(a) + l2 / 2 * np.sin(b)]
    return np.moveaxis(np.array([first, second]), -1, 0)


def centre_velocities(arm: Arm, q: Array, qd: Array) -> Array:
    """§2.5.3: ẋ and ẏ (k, 2, 2) of both centres."""
    l1, l2, *_ = constants(arm)
    a, b = q[:, 0], q.sum(axis=-1)
    w1, w12 = qd[:, 0], qd.sum(axis=-1)
    first = [-l1 / 2 * np.sin(a) * w1, l1 / 2 * np.cos(a) * w1]
    second = [
        -l1 * np.sin(a) * w1 - l2 / 2 * np.sin(b) * w12,
        l1 * np.cos(a) * w1 + l2 / 2 * np.cos(b) * w12,
    ]
    return np.moveaxis(np.array([first, second]), -1, 0)


def kinetic_energy(arm: Arm, q: Array, qd: Array) -> Array:
    """§2.5.4: K (k,), from the squares of the velocities and the rates of the links."""
    l1, l2, m1, m2, i1, i2 = constants(arm)
    w1, w12 = qd[:, 0], qd.sum(axis=-1)
    v1 = l1**2 / 4 * w1**2
    v2 = l1**2 * w1**2 + l2**2 / 4 * w12**2 + l1 * l2 * w1 * w12 * np.cos(q[:, 1])
    return np.asarray((m1 * v1 + m2 * v2) / 2 + (i1 * w1**2 + i2 * w12**2) / 2)


def potential_energy(arm: Arm, q: Array) -> Array:
    """§2.6: P (k,)."""
    l1, l2, m1, m2, *_ = constants(arm)
    y1, y12 = np.sin(q[:, 0]), np.sin(q.sum(axis=-1))
    return np.asarray(m1 * G * l1 / 2 * y1 + m2 * G * (l1 * y1 + l2 / 2 * y12))


def mass_matrix(arm: Arm, q: Array) -> Array:
    """§2.7: M (k, 2, 2)."""
    l1, l2, m1, m2, i1, i2 = constants(arm)
    cos = np.cos(q[:, 1])
    m11 = i1 + i2 + m1 * l1**2 / 4 + m2 * (l1**2 + l2**2 / 4 + l1 * l2 * cos)
    m12 = i2 + m2 * (l2**2 / 4 + l1 * l2 / 2 * cos)
    m22 = i2 + m2 * l2**2 / 4 + 0.0 * cos
    return np.stack([m11, m12, m12, m22], axis=-1).reshape(-1, 2, 2)


def mass_matrix_of_code_5(arm: Arm, q: Array) -> Array:
    """Code 5 with its stray parenthesis deleted: the cosine beside the diagonal lacks m2."""
    l1, l2, _, m2, _, i2 = constants(arm)
    found = mass_matrix(arm, q)
    beside = i2 + m2 * (l2 * l2) / 4 + (l1 * l2) / 2 * np.cos(q[:, 1])
    found[:, 0, 1] = found[:, 1, 0] = beside
    return found


def coriolis_matrix(arm: Arm, q: Array, qd: Array) -> Array:
    """Code 6: C (k, 2, 2)."""
    l1, l2, _, m2, _, _ = constants(arm)
    h = -m2 * l1 * (l2 / 2) * np.sin(q[:, 1])
    rows = [h * qd[:, 1], h * (qd[:, 0] + qd[:, 1]), -h * qd[:, 0], 0.0 * h]
    return np.stack(rows, axis=-1).reshape(-1, 2, 2)


def coriolis_row(arm: Arm, angle: Array, rate: Array, qd: Array) -> Array:
    """§2.7: the first row of C θ̇ (k,) with any angle in its sine and any rate in its bracket."""
    l1, l2, _, m2, _, _ = constants(arm)
    return np.asarray(-m2 * l1 * l2 / 2 * np.sin(angle) * qd[:, 1] * rate)


def gravity(arm: Arm, q: Array) -> Array:
    """§2.7: G (k, 2)."""
    l1, l2, m1, m2, _, _ = constants(arm)
    outer = m2 * l2 / 2 * G * np.cos(q.sum(axis=-1))
    return np.stack([(m1 * l1 / 2 + m2 * l1) * G * np.cos(q[:, 0]) + outer, outer], axis=-1)


def gravity_of_code_7(arm: Arm, q: Array) -> Array:
    """Code 7 with its second line indented back: a statement of its own that nobody reads."""
    found = gravity(arm, q)
    found[:, 0] -= found[:, 1]
    return found


def momenta(arm: Arm, q: Array, qd: Array) -> Array:
    """§2.7: ∂K/∂θ̇ (k, 2) with the sum of both rates beside the second column of M."""
    return times(mass_matrix(arm, q), np.stack([qd[:, 0], qd.sum(axis=-1)], axis=-1))


def energy_by_second_angle(arm: Arm, q: Array, qd: Array) -> Array:
    """§2.7: ∂K/∂θ2 (k,), without the weight that its line also has."""
    l1, l2, _, m2, _, _ = constants(arm)
    return np.asarray(-m2 * l1 * l2 / 2 * np.sin(q[:, 1]) * qd[:, 0] * (qd[:, 0] + qd[:, 1]))


def torques(arm: Arm, q: Array, qd: Array, qdd: Array) -> Array:
    """§2.7 and Code 3: M θ̈ + C θ̇ + G (k, 2)."""
    inertial = times(mass_matrix(arm, q), qdd)
    return np.asarray(inertial + times(coriolis_matrix(arm, q, qd), qd) + gravity(arm, q))


def times(matrix: Array, vector: Array) -> Array:
    """Return the products (k, 2) of matrices (k, 2, 2) and vectors (k, 2)."""
    return np.asarray((matrix @ vector[..., None])[..., 0])
