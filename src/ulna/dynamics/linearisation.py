"""The arm near a state: the exact derivatives of its motion, in continuous time.

In link angles, with f = M φ̈ + C φ̇ + G − pull of the tip force, differentiating the closed form
gives another of the same kind:

    K_ij = W_ij φ̈_j − M_ij φ̇_j²   (i ≠ j, rotors left out)        ∂f_i/∂φ_j = K_ij
    ∂f_i/∂φ_i = −Σ_j K_ij + ∂(G − pull)_i/∂φ_i                     ∂f_i/∂φ̇_j = 2 W_ij φ̇_j

and M ∂φ̈ = −∂f for every column.
"""

from __future__ import annotations

from typing import Any

from ulna.angles import relative_to_absolute
from ulna.arm import Arm, Parameters
from ulna.arrays import Array, namespace, tail_sum, to_float
from ulna.dynamics import algebra, chain
from ulna.dynamics.chain import Posture
from ulna.kinematics.forward_kinematics import joint_array


def linearise(
    arm: Arm | Parameters, q: Array, qd: Array, tau: Array, *, tip_force: Array | None = None
) -> tuple[Array, Array]:
    """Return A and B of the linearised arm: δẋ = A δx + B δτ for the state x = (q, q̇).

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    q : array_like, shape (..., n)
        Joint angles [rad].
    qd : array_like, shape (..., n)
        Joint rates [rad/s].
    tau : array_like, shape (..., n)
        Joint torques [N·m].
    tip_force : array_like, shape (..., 2) or (..., 3), optional
        Force on the tip [N], or with a moment [N·m]; it acts on the arm and keeps its
        direction.

    Returns
    -------
    A : array, shape (..., 2n, 2n)
        ∂ẋ/∂x.
    B : array, shape (..., 2n, n)
        ∂ẋ/∂τ.

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.

    Notes
    -----
    They are the exact derivatives of `forward_dynamics` at any state, at rest or not.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = ulna.Arm.point_masses([1.0], [1.0], gravity=(0.0, -10.0))
    >>> A, B = linearise(arm, [-np.pi / 2], [0.0], [0.0])  # hanging
    >>> A.round(12).tolist(), B.tolist()
    ([[0.0, 1.0], [-10.0, -0.0]], [[0.0], [1.0]])
    """
    qdd = chain.forward_dynamics(arm, q, qd, tau, tip_force=tip_force)
    rows = acceleration_rows(arm, q, qd, qdd, tip_force=tip_force)
    xp, n = namespace(rows), rows.shape[-2]
    unit = xp.broadcast_to(xp.eye(n, dtype=rows.dtype), (*rows.shape[:-1], n))
    zero = xp.zeros_like(unit)
    both = xp.concat([xp.concat([zero, unit, zero], axis=-1), rows], axis=-2)
    return both[..., : 2 * n], both[..., 2 * n :]


def acceleration_rows(
    arm: Arm | Parameters,
    q: Array,
    qd: Array,
    qdd: Array,
    *,
    tip_force: Array | None = None,
    by_torque: bool = True,
) -> Array:
    """Return ∂q̈/∂(q, q̇, τ) (…, n, 3n) of an arm that accelerates by qdd: the lower rows of A and B.

    Without `by_torque` those of A alone, (…, n, 2n).
    """
    at, rate = chain.moving(arm, q, qd, qdd, tip_force)
    xp, n = at.xp, at.parameters.n
    phidd = relative_to_absolute(joint_array(xp, at.parameters, qdd, "qdd"))
    unit, coupling_rate = xp.eye(n, dtype=rate.dtype), chain.coriolis_coupling(at)
    by_angle = tail_sum(xp, _angle_derivative(at, coupling_rate, rate, phidd, tip_force))
    damping = _to_link_rows(xp, at.parameters.damping[..., None] * unit)
    by_rate = tail_sum(xp, coupling_rate * (2.0 * rate)[..., None, :]) + damping
    parts = [chain.inertia(at), -by_angle, -by_rate]
    inertia, *sides = xp.broadcast_arrays(*parts, *([_to_link_rows(xp, unit)] * by_torque))
    links = xp.linalg.solve(inertia, xp.concat(sides, axis=-1))
    return xp.concat([links[..., :1, :], links[..., 1:, :] - links[..., :-1, :]], axis=-2)


def _angle_derivative(
    at: Posture, coupling_rate: Array, rate: Array, phidd: Array, tip_force: Array | None
) -> Array:
    """Return ∂f/∂φ (…, n, n), accelerations held."""
    xp = at.xp
    upper = chain.coupling(at)
    coupling = upper + xp.matrix_transpose(upper)
    cross = coupling_rate * phidd[..., None, :] - coupling * (rate**2)[..., None, :]
    own = static_stiffness(at, tip_force) - xp.sum(cross, axis=-1)
    return cross + own[..., None] * xp.eye(at.parameters.n, dtype=cross.dtype)


def static_stiffness(at: Posture, tip_force: Array | None = None) -> Array:
    """Return ∂(G − pull)_i/∂φ_i (…, n): at rest each link has a stiffness of its own, to ground."""
    p = at.parameters
    stiffness = p.gravity[..., 0:1] * at.moment_x + p.gravity[..., 1:2] * at.moment_y
    if tip_force is None:
        return stiffness
    force = to_float(at.xp, tip_force)
    return stiffness + p.length * (at.cos * force[..., 0:1] + at.sin * force[..., 1:2])


def _to_link_rows(xp: Any, matrix: Array) -> Array:
    """Return T⁻ᵀ X (…, n, n) of a symmetric matrix X: differences of its rows."""
    return xp.matrix_transpose(algebra.to_links(xp, matrix))
