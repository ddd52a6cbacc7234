"""The same dynamics in absolute link angles φ, the way of papers 001 and 002.

Here a "torque" is the generalised force of a link angle: what a motor that stands on the ground
and turns link i alone, by a belt say, would have to give. Motors that sit at the joints push
against the link before: Q_i = τ_i − τ_{i+1}, and the other way round τ_i = Q_i + … + Q_n. Paper
002's equations (38) and (39) are the former; motors at its joints give τ_1 = (38) + (39) and
τ_2 = (39).
"""

from __future__ import annotations

from typing import Any

from ulna.angles import absolute_to_relative
from ulna.arm import Arm, Parameters
from ulna.arrays import Array, namespace, to_float
from ulna.dynamics import algebra, chain
from ulna.dynamics.chain import Posture
from ulna.errors import InputError, Problem
from ulna.kinematics.forward_kinematics import joint_array, prepared


def mass_matrix(arm: Arm | Parameters, phi: Array) -> Array:
    """Return M(φ) (…, n, n) [kg·m²] in link angles: M_ij = a_ij cos(φ_i − φ_j) without offsets."""
    return chain.inertia(_posture(arm, phi))


def coriolis_matrix(arm: Arm | Parameters, phi: Array, phid: Array) -> Array:
    """Return C(φ, φ̇) (…, n, n) in link angles: C_ij = a_ij sin(φ_i − φ_j) φ̇_j without offsets."""
    at = _posture(arm, phi, phid)
    return chain.whirl(at) * joint_array(at.xp, at.parameters, phid, "phid")[..., None, :]


def gravity_torque(arm: Arm | Parameters, phi: Array) -> Array:
    """Return G(φ) (…, n) [N·m], to ground: every link carries its own moment and no other's."""
    return chain.weight(_posture(arm, phi))


def inverse_dynamics(
    arm: Arm | Parameters, phi: Array, phid: Array, phidd: Array, *, tip_force: Array | None = None
) -> Array:
    """Return the torques to ground Q (…, n) [N·m] that accelerate the links by phidd.

    Damping acts between neighbouring links. The tip force acts on the arm.
    """
    at = _posture(arm, phi, phid, phidd, tip_force)
    xp = at.xp
    rate = joint_array(xp, at.parameters, phid, "phid")
    turning = joint_array(xp, at.parameters, phidd, "phidd")
    forces = algebra.times(xp, chain.inertia(at), turning) + chain.bias(at, rate, tip_force)
    return forces + _damping(at, rate)


def forward_dynamics(
    arm: Arm | Parameters, phi: Array, phid: Array, forces: Array, *, tip_force: Array | None = None
) -> Array:
    """Return the accelerations φ̈ (…, n) [rad/s²] of the links under torques to ground."""
    at = _posture(arm, phi, phid, forces, tip_force)
    rate = joint_array(at.xp, at.parameters, phid, "phid")
    forces = joint_array(at.xp, at.parameters, forces, "forces")
    net = forces - _damping(at, rate) - chain.bias(at, rate, tip_force)
    return algebra.solve(at.xp, chain.inertia(at), net)


def joint_torques(forces: Array) -> Array:
    """Turn torques to ground Q (…, n) into those of motors at the joints: τ_i = Q_i + … + Q_n."""
    xp = namespace(forces)
    return algebra.to_joints(xp, _row(xp, forces, "forces"))


def ground_torques(tau: Array) -> Array:
    """Turn torques of motors at the joints (…, n) into torques to ground: Q_i = τ_i − τ_{i+1}."""
    xp = namespace(tau)
    return algebra.to_links(xp, _row(xp, tau, "tau"))


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
    return algebra.to_links(at.xp, at.parameters.damping * absolute_to_relative(rate))
