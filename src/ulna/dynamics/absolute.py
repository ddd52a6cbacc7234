"""The same dynamics in absolute link angles φ, each measured from the x axis.

Here a "torque" is the generalised force of a link angle: what a motor that stands on the ground
and turns link i alone, by a belt say, would have to give. Motors that sit at the joints
react on the link before: Q_i = τ_i − τ_{i+1}, and the other way round τ_i = Q_i + … + Q_n.
"""

from __future__ import annotations

from typing import Any

from ulna.actuation.friction import may_have_friction
from ulna.angles import absolute_to_relative, relative_to_absolute
from ulna.arm import Arm, Parameters
from ulna.arrays import Array, namespace, to_float
from ulna.dynamics import chain
from ulna.dynamics.chain import Posture
from ulna.dynamics.dry_friction import accelerations_from_rest, motion_friction
from ulna.errors import InputError, Problem
from ulna.kinematics.forward_kinematics import joint_array, prepared


def mass_matrix(arm: Arm | Parameters, phi: Array) -> Array:
    """Return M(φ) in link angles: M_ij = a_ij cos(φ_i − φ_j) without offsets.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    phi : array_like, shape (..., n)
        Link angles φ, each from the x axis [rad].

    Returns
    -------
    array, shape (..., n, n)
        M(φ) [kg·m²].

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.
    """
    return chain.inertia(_posture(arm, phi))


def coriolis_matrix(arm: Arm | Parameters, phi: Array, phid: Array) -> Array:
    """Return C(φ, φ̇) in link angles: C_ij = a_ij sin(φ_i − φ_j) φ̇_j without offsets.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    phi : array_like, shape (..., n)
        Link angles φ, each from the x axis [rad].
    phid : array_like, shape (..., n)
        Rates φ̇ of the links [rad/s].

    Returns
    -------
    array, shape (..., n, n)
        C(φ, φ̇) [kg·m²/s].

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.
    """
    at = _posture(arm, phi, phid)
    return (
        chain.coriolis_coupling(at) * joint_array(at.xp, at.parameters, phid, "phid")[..., None, :]
    )


def gravity_torque(arm: Arm | Parameters, phi: Array) -> Array:
    """Return G(φ), to ground: every link carries its own moment and no other's.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    phi : array_like, shape (..., n)
        Link angles φ, each from the x axis [rad].

    Returns
    -------
    array, shape (..., n)
        G(φ) [N·m].

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.
    """
    return chain.weight(_posture(arm, phi))


def inverse_dynamics(
    arm: Arm | Parameters, phi: Array, phid: Array, phidd: Array, *, tip_force: Array | None = None
) -> Array:
    """Return the torques to ground that accelerate the links.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    phi : array_like, shape (..., n)
        Link angles φ, each from the x axis [rad].
    phid : array_like, shape (..., n)
        Rates φ̇ of the links [rad/s].
    phidd : array_like, shape (..., n)
        Accelerations φ̈ of the links [rad/s²].
    tip_force : array_like, shape (..., 2) or (..., 3), optional
        Force on the tip [N], or with a moment [N·m]; it acts on the arm.

    Returns
    -------
    array, shape (..., n)
        Torques to ground Q [N·m]. Damping and friction act between neighbouring links.

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.
    """
    at = _posture(arm, phi, phid, phidd, tip_force)
    xp, p = at.xp, at.parameters
    rate = joint_array(xp, p, phid, "phid")
    acceleration = joint_array(xp, p, phidd, "phidd")
    forces = chain.times(xp, chain.inertia(at), acceleration) + chain.bias(at, rate, tip_force)
    forces = forces + _damping(at, rate)
    if may_have_friction(xp, arm, p):
        motion = absolute_to_relative(rate), absolute_to_relative(acceleration)
        return forces + chain.to_links(xp, motion_friction(xp, p, *motion))
    return forces


def forward_dynamics(
    arm: Arm | Parameters, phi: Array, phid: Array, forces: Array, *, tip_force: Array | None = None
) -> Array:
    """Return the accelerations of the links under torques to ground.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    phi : array_like, shape (..., n)
        Link angles φ, each from the x axis [rad].
    phid : array_like, shape (..., n)
        Rates φ̇ of the links [rad/s].
    forces : array_like, shape (..., n)
        Torques to ground Q [N·m].
    tip_force : array_like, shape (..., 2) or (..., 3), optional
        Force on the tip [N], or with a moment [N·m]; it acts on the arm.

    Returns
    -------
    array, shape (..., n)
        Accelerations φ̈ of the links [rad/s²].

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.
    """
    at = _posture(arm, phi, phid, forces, tip_force)
    rate = joint_array(at.xp, at.parameters, phid, "phid")
    forces = joint_array(at.xp, at.parameters, forces, "forces")
    net = forces - _damping(at, rate) - chain.bias(at, rate, tip_force)
    if not may_have_friction(at.xp, arm, at.parameters):
        return chain.solve(at.xp, chain.inertia(at), net)
    qd = absolute_to_relative(rate)
    net = net - chain.to_links(at.xp, motion_friction(at.xp, at.parameters, qd, None))
    qdd = accelerations_from_rest(at.xp, at.parameters, chain.inertia(at), net, qd)
    return relative_to_absolute(qdd)


def joint_torques(forces: Array) -> Array:
    """Return torques of motors at the joints for torques to ground: τ_i = Q_i + … + Q_n.

    Parameters
    ----------
    forces : array_like, shape (..., n)
        Torques to ground Q [N·m].

    Returns
    -------
    array, shape (..., n)
        Joint torques τ [N·m].

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.
    """
    xp = namespace(forces)
    return chain.to_joints(xp, _row(xp, forces, "forces"))


def ground_torques(tau: Array) -> Array:
    """Return torques to ground for torques of motors at the joints: Q_i = τ_i − τ_{i+1}.

    Parameters
    ----------
    tau : array_like, shape (..., n)
        Joint torques [N·m].

    Returns
    -------
    array, shape (..., n)
        Torques to ground Q [N·m].

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.
    """
    xp = namespace(tau)
    return chain.to_links(xp, _row(xp, tau, "tau"))


def _row(xp: Any, values: Array, what: str) -> Array:
    values = to_float(xp, values)
    if values.ndim == 0 or values.shape[-1] == 0:
        got = "one number" if values.ndim == 0 else "none"
        raise InputError(Problem(what, got, "(..., n), one value a joint"))
    return values


def _posture(arm: Arm | Parameters, phi: Array, *more: Array | None) -> Posture:
    xp, parameters = prepared(arm, phi, *more)
    return chain.link_posture(xp, parameters, joint_array(xp, parameters, phi, "phi"))


def _damping(at: Posture, rate: Array) -> Array:
    return chain.to_links(at.xp, at.parameters.damping * absolute_to_relative(rate))
