"""The dynamics in closed form, M(q) q̈ + C(q, q̇) q̇ + G(q) + b q̇ + f = τ, for any array library.

It is short in absolute link angles φ_i = q_1 + … + q_i. Link i has length l_i, mass m_i with its
centre c_i along and d_i to the left, inertia I_i about it, and a point mass p_i at its far end:

    μ_i = p_i + Σ_{k>i} (m_k + p_k)                  the mass hung on the far end of link i
    s_i = m_i c_i + l_i μ_i,    e_i = m_i d_i        its first moment, along it and to its left
    a_ii = I_i + m_i (c_i² + d_i²) + l_i² μ_i        its second moment, about its near joint

    u_i = (cos φ_i, sin φ_i)        S_i = s_i u_i + e_i (−sin φ_i, cos φ_i)

    M_ii = a_ii       M_ij = l_i u_i · S_j           (i < j, symmetric)
    C_ij = W_ij φ̇_j   W_ij = l_i S_j × u_i           (i < j, W antisymmetric)
    G_i = −γ · dS_i/dφ_i                             (γ the gravity vector)

Without offsets these are a_ij cos(φ_i − φ_j), a_ij sin(φ_i − φ_j) φ̇_j and g s_i cos φ_i, with
a_ij = l_i s_j. A rotor of inertia J geared N : 1, which sits on link i−1 and turns joint i, has
the energy ½ J (φ̇_{i−1} + N q̇_i)² and so adds constants to M, some beside its diagonal.

With T the lower triangle of ones, φ = T q, the joints feel M_q = Tᵀ M T, C_q = Tᵀ C T,
G_q = Tᵀ G and τ = Tᵀ Q. Accelerations are solved for in φ, which keeps the digits of long arms.
Damping b and friction f act at the joints; which joints friction holds is found in `dry_friction`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ulna.actuation.friction import may_have_friction
from ulna.angles import absolute_to_relative, relative_to_absolute
from ulna.arm import Arm, Parameters
from ulna.arrays import Array, sum_beyond, tail_sum, to_float
from ulna.dynamics.dry_friction import accelerations_from_rest, motion_friction
from ulna.errors import InputError, Problem
from ulna.kinematics.forward_kinematics import joint_array, prepared


class Posture(NamedTuple):
    """An arm at link angles φ, as the closed form reads it; every array is (…, n)."""

    xp: Any
    parameters: Parameters
    cos: Array
    sin: Array
    moment_x: Array  # [kg·m] S_i, the first moment of link i and of all it carries
    moment_y: Array
    second_moment: Array  # [kg·m²] a_ii


def mass_matrix(arm: Arm | Parameters, q: Array) -> Array:
    """Return the mass matrix M(q), symmetric and positive definite, rotors included.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    q : array_like, shape (..., n)
        Joint angles [rad].

    Returns
    -------
    array, shape (..., n, n)
        M(q) [kg·m²].

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = ulna.Arm.point_masses([1.0, 1.0], [1.0, 1.0])
    >>> mass_matrix(arm, [0.0, np.pi / 2]).round(12).tolist()
    [[3.0, 1.0], [1.0, 1.0]]
    """
    at = posture(arm, q)
    return to_joint_matrix(at.xp, inertia(at))


def coriolis_matrix(arm: Arm | Parameters, q: Array, qd: Array) -> Array:
    """Return the Coriolis matrix by Christoffel symbols, so that Ṁ − 2C is skew-symmetric.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    q : array_like, shape (..., n)
        Joint angles [rad].
    qd : array_like, shape (..., n)
        Joint rates [rad/s].

    Returns
    -------
    array, shape (..., n, n)
        C(q, q̇) [kg·m²/s]; its product with q̇ are the Coriolis and centrifugal torques.

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = ulna.Arm.point_masses([1.0, 1.0], [1.0, 1.0])
    >>> C = coriolis_matrix(arm, [0.0, np.pi / 2], [1.0, 2.0])  # h = m_2 l_1 l_2 sin q_2 = 1
    >>> C.round(12).tolist()  # [[-h q̇_2, -h (q̇_1 + q̇_2)], [h q̇_1, 0]]
    [[-2.0, -3.0], [1.0, 0.0]]
    """
    at, rate = moving(arm, q, qd)
    return to_joint_matrix(at.xp, coriolis_coupling(at) * rate[..., None, :])


def gravity_torque(arm: Arm | Parameters, q: Array) -> Array:
    """Return the torques G(q) that carry the arm's own weight.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    q : array_like, shape (..., n)
        Joint angles [rad].

    Returns
    -------
    array, shape (..., n)
        G(q) [N·m].

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.
    """
    at = posture(arm, q)
    return to_joints(at.xp, weight(at))


def kinetic_energy(arm: Arm | Parameters, q: Array, qd: Array) -> Array:
    """Return the kinetic energy of links, point masses and rotors.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    q : array_like, shape (..., n)
        Joint angles [rad].
    qd : array_like, shape (..., n)
        Joint rates [rad/s].

    Returns
    -------
    array, shape (...)
        ½ q̇ᵀ M q̇ [J].

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.

    Examples
    --------
    >>> import ulna
    >>> rod = ulna.Arm.rods([1.0], [3.0])
    >>> float(kinetic_energy(rod, [0.0], [2.0]))  # ½ (m l²/3) ω²
    2.0
    """
    at, rate = moving(arm, q, qd)
    return 0.5 * at.xp.sum(rate * times(at.xp, inertia(at), rate), axis=-1)


def potential_energy(arm: Arm | Parameters, q: Array) -> Array:
    """Return the potential energy, zero for masses at the origin of the plane.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    q : array_like, shape (..., n)
        Joint angles [rad].

    Returns
    -------
    array, shape (...)
        Potential energy [J].

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> rod = ulna.Arm.rods([1.0], [3.0], gravity=(0.0, -10.0))
    >>> potential_energy(rod, [[-np.pi / 2], [np.pi / 2]]).tolist()  # m g l/2 sin q
    [-15.0, 15.0]
    """
    at = posture(arm, q)
    xp, p = at.xp, at.parameters
    mass = xp.sum(p.mass + p.tip_mass, axis=-1)
    x = xp.sum(at.moment_x, axis=-1) + mass * p.base[..., 0]
    y = xp.sum(at.moment_y, axis=-1) + mass * p.base[..., 1]
    return -(p.gravity[..., 0] * x + p.gravity[..., 1] * y)


def inverse_dynamics(
    arm: Arm | Parameters, q: Array, qd: Array, qdd: Array, *, tip_force: Array | None = None
) -> Array:
    """Return the joint torques of a motion: τ = M q̈ + C q̇ + G + b q̇ + f − Jᵀ F.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    q : array_like, shape (..., n)
        Joint angles [rad].
    qd : array_like, shape (..., n)
        Joint rates [rad/s].
    qdd : array_like, shape (..., n)
        Joint accelerations [rad/s²].
    tip_force : array_like, shape (..., 2) or (..., 3), optional
        Force on the tip [N], or with a moment [N·m]; it acts on the arm.

    Returns
    -------
    array, shape (..., n)
        Joint torques τ [N·m].

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.
    """
    at, rate = moving(arm, q, qd, qdd, tip_force)
    xp, p, qd = at.xp, at.parameters, to_float(at.xp, qd)
    qdd = joint_array(xp, p, qdd, "qdd")
    forces = times(xp, inertia(at), relative_to_absolute(qdd)) + bias(at, rate, tip_force)
    torques = to_joints(xp, forces) + p.damping * qd
    if may_have_friction(xp, arm, p):
        return torques + motion_friction(xp, p, qd, qdd)
    return torques


def forward_dynamics(
    arm: Arm | Parameters, q: Array, qd: Array, tau: Array, *, tip_force: Array | None = None
) -> Array:
    """Return the joint accelerations under joint torques: M q̈ = τ − C q̇ − G − b q̇ − f + Jᵀ F.

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
        Force on the tip [N], or with a moment [N·m]; it acts on the arm.

    Returns
    -------
    array, shape (..., n)
        Joint accelerations q̈ [rad/s²].

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.
    """
    at, rate = moving(arm, q, qd, tau, tip_force)
    xp, p, qd = at.xp, at.parameters, to_float(at.xp, qd)
    net = joint_array(xp, p, tau, "tau") - p.damping * qd
    others = bias(at, rate, tip_force)
    if not may_have_friction(xp, arm, p):
        return absolute_to_relative(solve(xp, inertia(at), to_links(xp, net) - others))
    net = net - motion_friction(xp, p, qd, None)
    return accelerations_from_rest(xp, p, inertia(at), to_links(xp, net) - others, qd)


def operational_mass(arm: Arm | Parameters, q: Array) -> Array:
    """Return the mass that the tip seems to have: (J M⁻¹ Jᵀ)⁻¹.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    q : array_like, shape (..., n)
        Joint angles [rad].

    Returns
    -------
    array, shape (..., 2, 2)
        Operational-space mass matrix [kg].

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.

    Notes
    -----
    Where the tip cannot move at all, as along a stretched arm or a single link, its mass is
    infinite. A number stands for it, in double precision 7e7 times the mass in the other
    direction: so nothing turns NaN, and the other direction keeps half of its digits.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = ulna.Arm.point_masses([1.0, 1.0], [1.0, 1.0])
    >>> mass = operational_mass(arm, [0.0, np.pi / 2])  # along x the tip moves alone
    >>> (mass.round(6) + 0.0).tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """
    at = posture(arm, q)
    xp = at.xp
    lever = tip_levers(at)
    mobility = xp.matmul(lever, xp.linalg.solve(inertia(at), xp.matrix_transpose(lever)))
    return inverse_of_mobility(xp, mobility)


def posture(arm: Arm | Parameters, q: Array, *more: Array | None) -> Posture:
    """Compute the posture for joint angles q (…, n), in the array library of the inputs."""
    xp, parameters = prepared(arm, q, *more)
    return link_posture(xp, parameters, relative_to_absolute(joint_array(xp, parameters, q, "q")))


def moving(
    arm: Arm | Parameters, q: Array, qd: Array, *more: Array | None
) -> tuple[Posture, Array]:
    """Compute the posture, and return the rates φ̇ (…, n) of its links."""
    at = posture(arm, q, qd, *more)
    return at, relative_to_absolute(joint_array(at.xp, at.parameters, qd, "qd"))


def link_posture(xp: Any, p: Parameters, phi: Array) -> Posture:
    """Compute the posture for link angles φ (…, n)."""
    cos, sin = xp.cos(phi), xp.sin(phi)
    hung = p.tip_mass + sum_beyond(xp, p.mass + p.tip_mass)
    along, aside = p.mass * p.com + p.length * hung, p.mass * p.com_offset
    second = p.inertia + p.mass * (p.com**2 + p.com_offset**2) + p.length**2 * hung
    return Posture(xp, p, cos, sin, along * cos - aside * sin, along * sin + aside * cos, second)


def inertia(at: Posture) -> Array:
    """Return M (…, n, n) in link angles: second moments, couplings, and rotors."""
    xp = at.xp
    upper = coupling(at)
    diagonal = at.second_moment[..., None] * xp.eye(at.parameters.n, dtype=upper.dtype)
    return upper + xp.matrix_transpose(upper) + diagonal + rotors(at)


def coupling(at: Posture) -> Array:
    """Return l_i u_i · S_j (…, n, n) above the diagonal, zero elsewhere."""
    x, y = at.parameters.length * at.cos, at.parameters.length * at.sin
    return at.xp.triu(outer(x, at.moment_x) + outer(y, at.moment_y), k=1)


def coriolis_coupling(at: Posture) -> Array:
    """Return W (…, n, n), antisymmetric: C = W diag(φ̇) in link angles."""
    x, y = at.parameters.length * at.cos, at.parameters.length * at.sin
    upper = at.xp.triu(outer(y, at.moment_x) - outer(x, at.moment_y), k=1)
    return upper - at.xp.matrix_transpose(upper)


def rotors(at: Posture) -> Array:
    """Return Σ J w wᵀ (…, n, n), where w · φ̇ = (1 − N) φ̇_{i−1} + N φ̇_i is the rate of a rotor."""
    xp, p = at.xp, at.parameters
    ratio = p.gear_ratio[..., None]
    own, carrier = (xp.eye(p.n, k=k, dtype=ratio.dtype) for k in (0, -1))
    rate = ratio * own + (1.0 - ratio) * carrier
    return xp.matmul(xp.matrix_transpose(rate), p.rotor_inertia[..., None] * rate)


def weight(at: Posture) -> Array:
    """Return G (…, n) in link angles."""
    gravity = at.parameters.gravity
    return gravity[..., 0:1] * at.moment_y - gravity[..., 1:2] * at.moment_x


def tip_levers(at: Posture) -> Array:
    """Return ∂(x, y)/∂φ (…, 2, n) of the tip."""
    length = at.parameters.length
    return at.xp.stack([-length * at.sin, length * at.cos], axis=-2)


def tip_pull(at: Posture, force: Array) -> Array:
    """Return what a force at the tip, with or without a moment, does to the link angles (…, n)."""
    xp, length = at.xp, at.parameters.length
    force = force_array(xp, force)
    pull = length * (at.cos * force[..., 1:2] - at.sin * force[..., 0:1])
    if force.shape[-1] == 2:
        return pull
    last = xp.eye(at.parameters.n, dtype=pull.dtype)[-1, :]
    return pull + force[..., 2:3] * last


def force_array(xp: Any, force: Array) -> Array:
    """Read a force (…, 2), or (…, 3) with a moment; raises where it is of another shape."""
    force = to_float(xp, force)
    if force.ndim == 0 or force.shape[-1] not in (2, 3):
        need = "(..., 2) for a force [N], or (..., 3) with a moment [N·m]"
        raise InputError(Problem("tip_force", f"shape {tuple(force.shape)}", need))
    return force


def bias(at: Posture, rate: Array, tip_force: Array | None) -> Array:
    """Return C φ̇ + G − pull (…, n) in link angles: all that is not acceleration or damping."""
    forces = times(at.xp, coriolis_coupling(at), rate**2) + weight(at)
    return forces if tip_force is None else forces - tip_pull(at, tip_force)


def to_joints(xp: Any, forces: Array) -> Array:
    """Turn generalised forces of link angles into joint torques, τ = Tᵀ Q: τ_i = Q_i + … + Q_n."""
    return tail_sum(xp, forces)


def to_links(xp: Any, tau: Array) -> Array:
    """Turn joint torques into generalised forces of link angles: Q_i = τ_i − τ_{i+1}."""
    return xp.concat([tau[..., :-1] - tau[..., 1:], tau[..., -1:]], axis=-1)


def to_joint_matrix(xp: Any, matrix: Array) -> Array:
    """Return Tᵀ X T (…, n, n) of a matrix X in link angles."""
    rows = tail_sum(xp, matrix)
    return xp.matrix_transpose(tail_sum(xp, xp.matrix_transpose(rows)))


def times(xp: Any, matrix: Array, vector: Array) -> Array:
    """Return the product (…, n) of matrices (…, n, n) and vectors (…, n)."""
    return xp.matmul(matrix, vector[..., None])[..., 0]


def solve(xp: Any, matrix: Array, vector: Array) -> Array:
    """Solve matrices (…, n, n) for vectors (…, n)."""
    return xp.linalg.solve(matrix, vector[..., None])[..., 0]


def inverse_of_mobility(xp: Any, mobility: Array) -> Array:
    """Invert symmetric 2×2 matrices (…, 2, 2), the lesser eigenvalue kept off zero."""
    a, b, d = mobility[..., 0, 0], mobility[..., 0, 1], mobility[..., 1, 1]
    eps = float(xp.finfo(mobility.dtype).eps)
    middle = 0.5 * (a + d)
    # The last term keeps the root's derivative finite where the mobility is the same all round.
    spread = xp.sqrt((0.5 * (a - d)) ** 2 + b * b + (eps * middle) ** 2)
    most, least = middle + spread, middle - spread
    lift = xp.maximum(math.sqrt(eps) * most - least, xp.zeros_like(least)) / (2.0 * spread)
    # Lifts the eigenvalue in the stuck direction and leaves the other alone.
    a, b, d = a + lift * (most - a), b - lift * b, d + lift * (most - d)
    inverse = xp.stack([xp.stack([d, -b], axis=-1), xp.stack([-b, a], axis=-1)], axis=-2)
    return inverse / (a * d - b * b)[..., None, None]


def outer(rows: Array, columns: Array) -> Array:
    """Return the products (…, n, n) of every row with every column."""
    return rows[..., :, None] * columns[..., None, :]
