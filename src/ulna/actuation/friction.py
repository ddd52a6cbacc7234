"""The friction law of a joint and the losses of its gear, those that all of ulna computes with.

A joint that turns at the rate ω is resisted by the torque

    f(ω) = sign(ω) [f_c + (f_s − f_c) exp(−(ω/ω_s)²) + c ω²]

of Coulomb friction f_c, static friction f_s that falls to it over the Stribeck velocity ω_s, and
quadratic drag c. Viscous damping b ω is a term of its own, `Joint.damping`. A joint at rest is
held by any torque up to f_s: whether it stays depends on all joints at once, and is decided in
`ulna.dynamics.sticking`.

A gear of efficiencies η and η_b passes η T of a motor's torque T to a joint that it drives, and
T / η_b to one that it brakes. Where a joint rests and does not start to move, it passes T.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ulna.arm import Arm, Joint, Motor, Parameters
from ulna.arm.motors import AnyMotor
from ulna.arrays import Array

__all__ = [
    "before_gears",
    "depends_on_direction",
    "efficiencies",
    "friction_slope",
    "gear_efficiencies",
    "has_friction",
    "known",
    "may_have_friction",
    "motion_direction",
    "rates_along",
    "sliding_friction",
    "to_rest",
]

FEW = 1000
CREEP = 1e-300  # [rad/s]: a rate that has a direction and moves nothing
ROUNDING = 1e-12  # of usual rates, below which a joint is meant to stand still


def has_friction(p: Parameters) -> bool:
    """Return whether any joint of any of these arms has dry friction or drag."""
    numbers = (p.static, p.coulomb, p.drag)
    if p.static.size <= FEW:  # asked for at every call: the quickest way of few, and of many
        return any(map(np.count_nonzero, numbers))
    return any(one.max(initial=0.0) for one in numbers)


def may_have_friction(xp: Any, arm: Arm | Parameters, p: Parameters) -> bool:
    """Return whether any joint has friction, or may have where arrays of other libraries hold it.

    `p` are the numbers of the arm as arrays of `xp`. Friction that is zero has derivatives.
    """
    found: bool | None = getattr(arm, "has_friction", None)
    return (xp is not np or has_friction(p)) if found is None else found


def known(flag: Array) -> bool | None:
    """Return a truth value, or None where JAX traces it and it has none yet."""
    try:
        return bool(flag)
    except TypeError:
        return None


def sliding_friction(xp: Any, p: Parameters, rate: Array, direction: Array) -> Array:
    """Return the torques (…, n) that friction takes from joints that move this way (±1).

    At rest, where the direction is the one in which a joint starts, they are static friction.
    """
    ratio = rate / p.stribeck_velocity
    dry = p.coulomb + (p.static - p.coulomb) * xp.exp(-ratio * ratio)
    return direction * (dry + p.drag * rate * rate)


def motion_direction(xp: Any, rate: Array, acceleration: Array | None) -> Array:
    """Return which way (±1) joints move, or start to move from rest; 0 of those that rest."""
    way = xp.sign(rate)
    return way if acceleration is None else xp.where(rate == 0.0, xp.sign(acceleration), way)


def gear_efficiencies(driven: Joint | AnyMotor) -> tuple[float, float]:
    """Return η and η_b of the gear of a joint's motor, or of a motor alone."""
    motor = driven.motor if isinstance(driven, Joint) else driven
    if not isinstance(motor, Motor):
        return 1.0, 1.0
    return motor.efficiency, float(motor.backdriving_efficiency or motor.efficiency)


def efficiencies(arm: Arm | Parameters) -> Array:
    """Return η and η_b (2, n) of all gears; 1 of `Parameters`, which hold none."""
    joints: tuple[Joint, ...] = getattr(arm, "joints", ())
    return np.array([gear_efficiencies(one) for one in joints] or [(1.0, 1.0)] * arm.n).T


def before_gears(torque: Array, direction: Array, efficiency: Array) -> Array:
    """Return the torques (…, n) of motors of which these reach joints that move this way (±1, 0).

    `efficiency` (2, n) are η and η_b of their gears.
    """
    way, (out, back) = torque * direction, efficiency
    return np.asarray(np.where(way > 0.0, torque / out, np.where(way < 0.0, torque * back, torque)))


def depends_on_direction(arm: Arm | Parameters) -> bool:
    """Return whether dry friction or losses of a gear jump where a joint of an arm turns back."""
    rubs = has_friction(arm) if isinstance(arm, Parameters) else arm.has_friction
    return rubs or bool((efficiencies(arm) != 1.0).any())


def friction_slope(xp: Any, p: Parameters, rate: Array) -> Array:
    """Return ∂f/∂ω (…, n) [N·m·s/rad] of joints that move; it is negative where friction falls."""
    ratio = rate / p.stribeck_velocity
    fall = (p.static - p.coulomb) * xp.exp(-ratio * ratio) * 2.0 * xp.abs(ratio)
    return 2.0 * p.drag * xp.abs(rate) - fall / p.stribeck_velocity


def rates_along(directions: Array, rate: Array) -> Array:
    """Return rates (…, n) whose signs are the directions, those at rest as the least of such rates.

    Friction jumps where a joint turns back. On either side of that its limit is the one of a joint
    that has all but stopped, in the direction of that side.
    """
    return np.where(directions * rate > 0.0, rate, CREEP * directions)


def to_rest(rows: Array, usual: float) -> Array:
    """Return q, q̇ and q̈ (3, k, n) without rates and accelerations that are but rounding errors.

    Their signs are chance, and friction would follow them. `usual` is a rate [rad/s] that
    the motion has somewhere.
    """
    q, qd, qdd = rows
    fastest = np.maximum(np.max(np.abs(qd), axis=-1, keepdims=True), usual)
    hardest = np.maximum(np.max(np.abs(qdd), axis=-1, keepdims=True), fastest * fastest)
    still = np.abs(qd) <= ROUNDING * fastest
    steady = np.abs(qdd) <= ROUNDING * hardest
    return np.stack([q, np.where(still, 0.0, qd), np.where(steady, 0.0, qdd)])
