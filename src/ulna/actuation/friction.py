"""The friction law of a joint, the one that all of ulna computes with.

A joint that turns at the rate ω is resisted by the torque

    f(ω) = sign(ω) [f_c + (f_s − f_c) exp(−(ω/ω_s)²) + c ω²]

of Coulomb friction f_c, static friction f_s that falls to it over the Stribeck velocity ω_s, and
quadratic drag c. Viscous damping b ω is a term of its own, `Joint.damping`. A joint at rest is
held by any torque up to f_s: whether it stays depends on all joints at once, and is decided in
`ulna.dynamics.sticking`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ulna.arm import Arm, Parameters
from ulna.arrays import Array

__all__ = [
    "friction_slope",
    "has_friction",
    "known",
    "may_have_friction",
    "rates_along",
    "sliding_friction",
    "to_rest",
]

FEW = 1000
CREEP = 1e-300  # [rad/s]: a rate that has a direction and moves nothing
ROUNDING = 1e-12  # of usual rates, below which a joint is meant to stand still


def has_friction(p: Parameters) -> bool:
    """Return whether any joint of any of these arms has dry friction or drag."""
    if p.static.size <= FEW:  # asked for at every call: the quickest way of few, and of many
        return bool(np.count_nonzero(p.static) or np.count_nonzero(p.drag))
    return bool(p.static.max(initial=0.0) or p.drag.max(initial=0.0))


def may_have_friction(xp: Any, arm: Arm | Parameters, p: Parameters) -> bool:
    """Return whether any joint has friction, or may have where the arm's numbers are traced.

    `p` are the numbers of the arm as arrays of `xp`.
    """
    found: bool | None = getattr(arm, "has_friction", None)
    if found is None:
        found = has_friction(p) if xp is np else known(xp.any((p.static != 0) | (p.drag != 0)))
    return found is not False


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
