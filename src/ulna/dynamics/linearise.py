"""The arm near a state: the exact derivatives of its motion, in continuous time.

In link angles, with f = M φ̈ + C φ̇ + G − pull of the tip force, differentiating the closed form
gives another of the same kind:

    K_ij = W_ij φ̈_j − M_ij φ̇_j²   (i ≠ j, rotors left out)        ∂f_i/∂φ_j = K_ij
    ∂f_i/∂φ_i = −Σ_j K_ij + ∂(G − pull)_i/∂φ_i                     ∂f_i/∂φ̇_j = 2 W_ij φ̇_j

and M ∂φ̈ = −∂f for every column.
"""

from __future__ import annotations

from typing import Any

from ulna.angles import absolute_to_relative, relative_to_absolute
from ulna.arm import Arm, Parameters
from ulna.arrays import Array, tail_sum, to_float
from ulna.dynamics import algebra, chain
from ulna.dynamics.chain import Posture


def linearise(
    arm: Arm | Parameters, q: Array, qd: Array, tau: Array, *, tip_force: Array | None = None
) -> tuple[Array, Array]:
    """Give A (…, 2n, 2n) and B (…, 2n, n): δẋ = A δx + B δτ for the state x = (q, q̇).

    They are the exact derivatives of `forward_dynamics` at any state, at rest or not. The tip
    force acts on the arm and keeps its direction.
    """
    at, rate = chain.moving(arm, q, qd, tau, tip_force)
    xp, n = at.xp, at.parameters.n
    turning = relative_to_absolute(chain.forward_dynamics(arm, q, qd, tau, tip_force=tip_force))
    unit = xp.eye(n, dtype=rate.dtype)
    by_angle = tail_sum(xp, _angle_derivative(at, rate, turning, tip_force))
    damping = _to_link_rows(xp, at.parameters.damping[..., None] * unit)
    by_rate = tail_sum(xp, 2.0 * chain.whirl(at) * rate[..., None, :]) + damping
    parts = (-by_angle, -by_rate, _to_link_rows(xp, unit), chain.inertia(at), unit)
    by_angle, by_rate, by_torque, inertia, unit = xp.broadcast_arrays(*parts)
    zero = xp.zeros_like(unit)
    links = xp.linalg.solve(inertia, xp.concat([by_angle, by_rate, by_torque], axis=-1))
    joints = xp.matrix_transpose(absolute_to_relative(xp.matrix_transpose(links)))
    above = xp.concat([zero, unit, zero], axis=-1)
    both = xp.concat([above, joints], axis=-2)
    return both[..., : 2 * n], both[..., 2 * n :]


def _angle_derivative(at: Posture, rate: Array, turning: Array, tip_force: Array | None) -> Array:
    """Give ∂f/∂φ (…, n, n), accelerations held."""
    xp = at.xp
    upper = chain.coupling(at)
    coupling = upper + xp.matrix_transpose(upper)
    cross = chain.whirl(at) * turning[..., None, :] - coupling * (rate**2)[..., None, :]
    own = static_stiffness(at, tip_force) - xp.sum(cross, axis=-1)
    return cross + own[..., None] * xp.eye(at.parameters.n, dtype=cross.dtype)


def static_stiffness(at: Posture, tip_force: Array | None = None) -> Array:
    """Give ∂(G − pull)_i/∂φ_i (…, n): at rest each link has a stiffness of its own, to ground."""
    p = at.parameters
    stiffness = p.gravity[..., 0:1] * at.moment_x + p.gravity[..., 1:2] * at.moment_y
    if tip_force is None:
        return stiffness
    force = to_float(at.xp, tip_force)
    return stiffness + p.length * (at.cos * force[..., 0:1] + at.sin * force[..., 1:2])


def _to_link_rows(xp: Any, matrix: Array) -> Array:
    """Give T⁻ᵀ X (…, n, n) of a symmetric matrix X: differences of its rows."""
    return xp.matrix_transpose(algebra.to_links(xp, matrix))
