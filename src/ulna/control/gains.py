"""Gains with a meaning: given as they are, or by how fast a joint should close a gap.

A joint that sees the inertia M behind a spring K and a damper D closes a gap e by

    M ë + D ė + K e = 0

With K = M ω² and D = 2 M ω that is two equal decays at the rate ω: as fast as it goes without
swinging over. M is what the joint sees when the arm is stretched out and the others hold still, the
most that it can be. Joints that move against one another see less, down to M/λ with λ the largest
eigenvalue of M⁻¹ diag(M), and a damper that speaks at a rate shakes them unless ω < rate/λ. A
frequency that is not given keeps well below that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from ulna.arm import Arm, Parameters
from ulna.arrays import Array, float_array
from ulna.dynamics import mass_matrix
from ulna.errors import InputError, Problem, shown

# One number for all joints, or one a joint.
Gain: TypeAlias = float | Sequence[float]

BRISK = 20.0  # [rad/s] for springs, unless the arm is too limp for it
USUAL_RATE = 1000.0  # [Hz] of a controller
CALM = 0.3  # of the frequency at which dampers at that rate begin to shake the arm
INTEGRAL_SHARE = 0.2  # of the frequency: slow enough to leave the spring and the damper alone


class Sprung(Protocol):
    """A controller with a spring and a damper at every joint."""

    @property
    def stiffness(self) -> Gain | None: ...
    @property
    def damping(self) -> Gain | None: ...
    @property
    def frequency(self) -> float | None: ...


def joint_gains(what: str, value: Any, n: int, *, above_zero: bool = False) -> Array:
    """Give gains (n,) of one number or n of them; refuses what is not finite, or negative."""
    words = f"of at least 0, or {n} of them, one a joint"
    if above_zero:
        words = f"above 0, or {n} of them, one a joint"
    refusal = InputError(Problem(what, shown(value), f"a finite number {words}"))
    try:
        gains = float_array(value, what)
    except InputError:
        raise refusal from None
    if gains.shape not in ((), (1,), (n,)) or not np.isfinite(gains).all():
        raise refusal
    if (gains < 0.0).any() or (above_zero and not gains.all()):
        raise refusal
    return np.broadcast_to(gains, (n,)).astype(np.float64)


def one_number(
    what: str, value: Any, unit: str, *, zero: bool = False, infinite: bool = False
) -> float:
    """Give a number above zero, or zero or infinity where they have a meaning."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    in_range = is_number and (value > 0.0 or (zero and value == 0.0))
    if not in_range or (math.isinf(value) and not infinite):
        size = "of at least 0" if zero else "above 0"
        need = f"a {'' if infinite else 'finite '}number {size} [{unit}]"
        raise InputError(Problem(what, shown(value), need))
    return float(value)


def seen_inertia(arm: Arm | Parameters) -> Array:
    """Give the inertia (…, n) [kg·m²] that every joint sees when the arm is stretched out."""
    return np.diagonal(mass_matrix(arm, np.zeros(arm.n)), axis1=-2, axis2=-1).copy()


def calm_frequency(arm: Arm | Parameters, brisk: float) -> Array:
    """Give a frequency (…, 1) [rad/s] to choose by default: brisk, or what does not shake."""
    mass = mass_matrix(arm, np.zeros(arm.n))
    size = np.sqrt(np.diagonal(mass, axis1=-2, axis2=-1))
    lightest = np.linalg.eigvalsh(mass / (size[..., :, None] * size[..., None, :]))[..., :1]
    return np.minimum(brisk, CALM * USUAL_RATE * lightest)


def spring_frequency(controller: Sprung, arm: Arm | Parameters) -> Array:
    """Give the frequency (…, 1) [rad/s] that gains follow from."""
    if controller.frequency is None:
        return calm_frequency(arm, BRISK)
    name = type(controller).__name__
    return np.array([one_number(f"{name}.frequency", controller.frequency, "rad/s")])


def spring_and_damper(controller: Sprung, arm: Arm | Parameters) -> Array:
    """Give stiffness and damping of every joint, (2, …, n); what is not given by frequency."""
    name = type(controller).__name__
    stiffness = damping = frequency = np.zeros(0)
    missing = controller.stiffness is None or controller.damping is None
    if missing or controller.frequency is not None:
        frequency = spring_frequency(controller, arm)
    if missing:
        inertia = seen_inertia(arm)
        stiffness, damping = inertia * frequency**2, 2.0 * inertia * frequency
    if controller.stiffness is not None:
        stiffness = joint_gains(f"{name}.stiffness", controller.stiffness, arm.n)
    if controller.damping is not None:
        damping = joint_gains(f"{name}.damping", controller.damping, arm.n)
    return np.stack(np.broadcast_arrays(stiffness, damping))
