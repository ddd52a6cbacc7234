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

from ulna.arm import Parameters
from ulna.arrays import Array

__all__ = ["friction_slope", "has_friction", "sliding_friction"]


def has_friction(p: Parameters) -> bool:
    """Return whether any joint of any of these arms has dry friction or drag."""
    return bool((p.static != 0.0).any() or (p.drag != 0.0).any())


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
