"""The loop of an arm and a sampled controller near rest, and whether it is stable.

Near a set-point the torques answer a deviation x = (δq, δq̇) by δτ = −K δq − D f − I ∫ δq dt,
with f the rates behind a low-pass filter ω_f, and the arm obeys M δq̈ + b δq̇ + (∂G/∂q) δq = δτ.
The torque of what was measured d ticks ago is held from one tick to the next, T later:

    x⁺ = A_d x + B_d τ_d        z⁺ = z + T δq        f⁺ = f + (1 − exp(−ω_f T)) (δq̇ − f)

    | A_d  B_d |         | A  B |
    |  0    1  | = exp ( | 0  0 | T )        τ_0 = −K δq − D f⁺ − I z⁺,  τ_k⁺ = τ_{k−1}

Errors grow where an eigenvalue of that map lies outside the unit circle.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ulna.arm import Arm, Parameters
from ulna.arrays import Array
from ulna.control.timing import Timing
from ulna.dynamics import chain, gravity_torque, linearise
from ulna.dynamics.algebra import to_joint_matrix
from ulna.dynamics.linearise import static_stiffness

TERMS = 13  # of the series of exp, which is exact to rounding for matrices up to size 1/2


class Feedback(NamedTuple):
    """How torques answer small deviations from rest at set-points; (…, n, n) each."""

    stiffness: Array  # [N·m/rad]
    damping: Array  # [N·m·s/rad]
    integral: Array | None = None  # [N·m/(rad·s)]
    filter: float = math.inf  # [rad/s] of the low-pass on the rates


def diagonal(values: Array) -> Array:
    """Give matrices (…, n, n) with values (…, n) on their diagonal."""
    return np.asarray(values)[..., None] * np.eye(np.shape(values)[-1])


def gravity_gradient(arm: Arm | Parameters, q: Array) -> Array:
    """Give ∂G/∂q (…, n, n) [N·m/rad], symmetric."""
    at = chain.posture(arm, q)
    return np.asarray(to_joint_matrix(at.xp, diagonal(static_stiffness(at))))


def growth(arm: Arm, q: Array, feedback: Feedback, timing: Timing) -> Array:
    """Give the rates (…) [1/s] at which errors grow near set-points q (…, n); negative: decay."""
    with np.errstate(divide="ignore"):  # errors may be gone within a tick
        size = np.abs(np.linalg.eigvals(tick_map(arm, q, feedback, timing))).max(axis=-1)
        return np.asarray(timing.rate * np.log(size))


def tick_map(arm: Arm, q: Array, feedback: Feedback, timing: Timing) -> Array:
    """Give the map over a tick (…, k, k) of the arm's state, the controller's, and delayed torques.

    Near rest at set-points q (…, n), for the torques that hold the arm there.
    """
    n, late = arm.n, timing.ticks_late
    moved, pushed = _held(arm, q, timing.period)
    # Places of the state: angles and rates, their integral, filtered rates, torques on their way.
    own = 3 if math.isinf(feedback.filter) else 4
    own -= feedback.integral is None
    size = (own + late) * n
    angle, rate, third = (slice(k * n, (k + 1) * n) for k in range(3))
    filtered = slice((own - 1) * n, own * n)
    unit, passed = np.eye(n), -math.expm1(-feedback.filter * timing.period)
    maps = np.zeros((*np.shape(q)[:-1], size, size))
    seen = np.zeros((n, size))
    seen[:, rate] = passed * unit
    if not math.isinf(feedback.filter):
        seen[:, filtered] = (1.0 - passed) * unit
        maps[..., filtered, :] = seen
    answer = np.zeros((*maps.shape[:-2], n, size)) - feedback.damping @ seen
    answer[..., :, angle] -= feedback.stiffness
    if feedback.integral is not None:
        gathered = np.zeros((n, size))
        gathered[:, third], gathered[:, angle] = unit, timing.period * unit
        maps[..., third, :] = gathered
        answer = answer - feedback.integral @ gathered
    maps[..., : 2 * n, : 2 * n] = moved
    if late == 0:
        maps[..., : 2 * n, :] += pushed @ answer
        return maps
    first = own * n
    maps[..., : 2 * n, size - n :] += pushed
    maps[..., first : first + n, :] = answer
    maps[..., first + n :, first : size - n] = np.eye((late - 1) * n)
    return maps


def _held(arm: Arm, q: Array, period: float) -> tuple[Array, Array]:
    """Give A_d (…, 2n, 2n) and B_d (…, 2n, n): the arm near rest under torques that are held."""
    A, B = linearise(arm, q, np.zeros_like(q), gravity_torque(arm, q))
    generator = np.zeros((*A.shape[:-2], 3 * arm.n, 3 * arm.n))
    generator[..., : 2 * arm.n, : 2 * arm.n], generator[..., : 2 * arm.n, 2 * arm.n :] = A, B
    held = exponential(period * generator)[..., : 2 * arm.n, :]
    return held[..., : 2 * arm.n], held[..., 2 * arm.n :]


def exponential(matrices: Array) -> Array:
    """Give exp of matrices (…, d, d): its series for a fraction of them, squared up again."""
    size = float(np.max(np.sum(np.abs(matrices), axis=-2), initial=0.0))
    squarings = max(0, math.ceil(math.log2(2.0 * size))) if size > 0.0 else 0
    part, unit = matrices / 2.0**squarings, np.eye(matrices.shape[-1])
    result = np.broadcast_to(unit, matrices.shape)
    for term in range(TERMS, 0, -1):
        result = unit + part @ result / term
    for _ in range(squarings):
        result = result @ result
    return result
