"""An arm as a row of one-joint problems: a decoupled approximation, under its own name.

Every joint a is treated as if all that lies beyond it were frozen into one rigid body:

    I_a θ̈_a = τ_a − Σ_{k≥a} m_k g x_{a,k} − I_a B_a θ̇_a        I_a = Σ_{k≥a} m_k r_{a,k}²

with absolute angles θ, r_{a,k} the distance from joint a to mass k and x_{a,k} its horizontal
part. In the terms of the true dynamics this is diag(M_q)⁻¹ (τ − G_q) put in place of the link
accelerations. It leaves out what the joints do to one another: the mass matrix beside its
diagonal, the Coriolis and centrifugal terms, and the reaction of each motor on the link that
carries it. So it does not conserve energy or angular momentum, swings at wrong frequencies, and
cannot show a skater who spins faster as the arms come in. For one joint it is exact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ulna.angles import absolute_to_relative
from ulna.arm import Arm, Parameters
from ulna.arrays import Array, sum_beyond, tail_sum
from ulna.dynamics import packed as at
from ulna.kinematics.forward_kinematics import (
    KinematicChain,
    centre_coordinates,
    joint_array,
    kinematic_chain,
    prepared,
)

# What a joint adds to the frozen arm beyond it, in columns of the table of links that the true
# dynamics has for what neighbours exchange: the inertia [kg·m²] of the rotors that it turns, and
# damping B [1/s] of its acceleration.
ROTORS, PER_SECOND = at.CARRIER, at.CROSS


class Frozen(NamedTuple):
    """What each joint sees beyond it, frozen: inertia [kg·m²] and weight torque [N·m], (…, n)."""

    inertia: Array
    weight: Array


def forward_dynamics(
    arm: Arm | Parameters,
    theta: Array,
    thetad: Array,
    tau: Array,
    *,
    sequential_damping: Array | None = None,
) -> Array:
    """Return the accelerations of the links, each joint by itself.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    theta : array_like, shape (..., n)
        Link angles θ, each from the x axis [rad].
    thetad : array_like, shape (..., n)
        Rates θ̇ of the links [rad/s].
    tau : array_like, shape (..., n)
        Joint torques [N·m].
    sequential_damping : array_like, shape (..., n), optional
        B, at the level of accelerations [1/s]; without it the joints' damping b [N·m·s/rad] acts
        on the absolute rates.

    Returns
    -------
    array, shape (..., n)
        Accelerations θ̈ of the links [rad/s²].

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.
    """
    c = _laid_out(arm, theta, thetad, tau, sequential_damping)
    rate = joint_array(c.xp, c.parameters, thetad, "thetad")
    tau = joint_array(c.xp, c.parameters, tau, "tau")
    seen = _frozen(c)
    if sequential_damping is None:
        return (tau - seen.weight - c.parameters.damping * rate) / seen.inertia
    per_second = joint_array(c.xp, c.parameters, sequential_damping, "sequential_damping")
    return (tau - seen.weight) / seen.inertia - per_second * rate


def frozen(arm: Arm | Parameters, theta: Array) -> Frozen:
    """Return inertia and weight torque of all that lies beyond each joint, about that joint.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    theta : array_like, shape (..., n)
        Link angles θ, each from the x axis [rad].

    Returns
    -------
    Frozen
        Inertia [kg·m²] and weight torque [N·m], (..., n) each.
    """
    return _frozen(_laid_out(arm, theta))


def _laid_out(arm: Arm | Parameters, theta: Array, *more: Array | None) -> KinematicChain:
    xp, parameters = prepared(arm, theta, *more)
    theta = joint_array(xp, parameters, theta, "theta")
    return kinematic_chain(parameters, absolute_to_relative(theta), *more)


def _frozen(c: KinematicChain) -> Frozen:
    xp, p = c.xp, c.parameters
    of_links, link_weight = _about_joints(c, p.mass, *centre_coordinates(c))
    of_ends, end_weight = _about_joints(c, p.tip_mass, c.x[..., 1:], c.y[..., 1:])
    inertia = tail_sum(xp, p.inertia) + of_links + of_ends + _rotor_inertia(xp, p)
    return Frozen(inertia, link_weight + end_weight)


def _rotor_inertia(xp: Any, p: Parameters) -> Array:
    # A rotor turns geared with its own joint, and as a part of its link with the joints before.
    return p.rotor_inertia * p.gear_ratio**2 + sum_beyond(xp, p.rotor_inertia)


def _about_joints(c: KinematicChain, mass: Array, x: Array, y: Array) -> tuple[Array, Array]:
    """Return inertia and weight torque (…, n) about each joint of the masses beyond it."""
    xp, gravity = c.xp, c.parameters.gravity
    dx = x[..., None, :] - c.x[..., :-1, None]
    dy = y[..., None, :] - c.y[..., :-1, None]
    pull = gravity[..., 0:1, None] * dy - gravity[..., 1:2, None] * dx
    about = (xp.triu(mass[..., None, :] * part) for part in (dx**2 + dy**2, pull))
    inertia, weight = (xp.sum(part, axis=-1) for part in about)
    return inertia, weight


def pack_frozen(p: Parameters, sequential_damping: Array | None) -> Array:
    """Return the constants (n+1, 16) for the sequential model, damping of its own included."""
    rows = at.pack(p)
    own = rows[:-1]
    own[:, at.CARRIER : at.STUCK + 1] = 0.0
    own[:, ROTORS] = _rotor_inertia(np, p)
    if sequential_damping is not None:
        own[:, PER_SECOND], own[:, at.DAMPING] = sequential_damping, 0.0
    return rows


def sweep(size: int, links: Array, turns: Array, y: Array, rates: int) -> None:
    """Turn joint torques into joint accelerations, each joint by itself: O(n), from the tip.

    For a table of links packed by `pack_frozen`, as they stand, and the rates y[rates]. Compiled
    where it is used.
    """
    n = size
    gravity_x, gravity_y = links[n, at.GRAVITY_X], links[n, at.GRAVITY_Y]
    mass = moment_x = moment_y = inertia = rate = 0.0
    for i in range(n):
        rate += y[rates, i]
    for back in range(n):
        i = n - 1 - back
        cos, sin = turns[at.COS, i], turns[at.SIN, i]
        l_cos, l_sin = links[i, at.LENGTH] * cos, links[i, at.LENGTH] * sin
        # What lies beyond is seen from this joint, not from the next.
        inertia += 2.0 * (l_cos * moment_x + l_sin * moment_y)
        inertia += mass * (l_cos * l_cos + l_sin * l_sin) + links[i, at.SECOND]
        moment_x += mass * l_cos + links[i, at.ALONG] * cos - links[i, at.ASIDE] * sin
        moment_y += mass * l_sin + links[i, at.ALONG] * sin + links[i, at.ASIDE] * cos
        mass += links[i, at.MASS]
        weight = gravity_x * moment_y - gravity_y * moment_x
        net = links[i, at.TORQUE] - weight - links[i, at.DAMPING] * rate
        links[i, at.RHO] = net / (inertia + links[i, ROTORS]) - links[i, PER_SECOND] * rate
        rate -= y[rates, i]
    before = 0.0
    for i in range(n):
        links[i, at.QDD] = links[i, at.RHO] - before
        before = links[i, at.RHO]
