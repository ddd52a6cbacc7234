"""Friction in the closed form: the torques of a motion, and those that hold joints at rest."""

from __future__ import annotations

from typing import Any, NamedTuple

from ulna.actuation.friction import sliding_friction
from ulna.arm import Arm, Parameters
from ulna.arrays import Array
from ulna.kinematics.forward_kinematics import joint_array, prepared


class FrictionBand(NamedTuple):
    """The torques that friction can hold joints at rest with.

    Attributes
    ----------
    lower : array, shape (..., n)
        The least torque [N·m]: minus static friction at rest, 0 where a joint moves.
    upper : array, shape (..., n)
        The largest torque [N·m]: static friction at rest, 0 where a joint moves.
    """

    lower: Array
    upper: Array


def friction_torque(arm: Arm | Parameters, qd: Array, qdd: Array | None = None) -> Array:
    """Return the torques that a motion needs against friction: f in τ = M q̈ + C q̇ + G + b q̇ + f.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    qd : array_like, shape (..., n)
        Joint rates [rad/s].
    qdd : array_like, shape (..., n), optional
        Joint accelerations [rad/s²], which tell the direction in which joints at rest start.

    Returns
    -------
    array, shape (..., n)
        Torques of dry friction and drag [N·m], positive along the motion. For a joint at rest it is
        static friction, with the sign of its acceleration, and 0 without one. Viscous damping is
        not a part of it.

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.

    Examples
    --------
    >>> import ulna
    >>> joint = ulna.Joint(friction=ulna.Friction(coulomb=0.2, static=0.3, drag=0.01))
    >>> arm = ulna.Arm.rods([1.0], [1.0], joints=[joint])
    >>> friction_torque(arm, [-2.0]).tolist()  # 0.2 + 0.01 · 2², against a motion backwards
    [-0.24]
    >>> friction_torque(arm, [0.0], [1.5]).tolist()
    [0.3]
    """
    xp, p = prepared(arm, qd, qdd)
    rate = joint_array(xp, p, qd, "qd")
    return motion_friction(xp, p, rate, None if qdd is None else joint_array(xp, p, qdd, "qdd"))


def motion_friction(xp: Any, p: Parameters, rate: Array, acceleration: Array | None) -> Array:
    """Return the friction torques (…, n) of a motion, whose numbers are arrays of `xp`."""
    direction = xp.sign(rate)
    if acceleration is not None:
        direction = xp.where(rate == 0.0, xp.sign(acceleration), direction)
    return sliding_friction(xp, p, rate, direction)


def friction_band(arm: Arm | Parameters, qd: Array | None = None) -> FrictionBand:
    """Return the torques between which static friction holds joints at rest.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    qd : array_like, shape (..., n), optional
        Joint rates [rad/s]; all joints are at rest unless given.

    Returns
    -------
    FrictionBand
        `lower` and `upper`, each (..., n) [N·m]: ± static friction of joints at rest, and 0 of
        joints that move.

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.

    Notes
    -----
    An arm at rest stays there, all of it, if τ − `holding_torque` is within the band at every
    joint.

    Examples
    --------
    >>> import ulna
    >>> joint = ulna.Joint(friction=ulna.Friction(coulomb=0.2, static=0.3))
    >>> arm = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0], joints=[joint, joint])
    >>> friction_band(arm, [0.0, 0.5]).upper.tolist()
    [0.3, 0.0]
    """
    xp, p = prepared(arm, qd)
    static = p.static
    if qd is not None:
        rate = joint_array(xp, p, qd, "qd")
        static = xp.where(rate == 0.0, static, xp.zeros_like(static))
    return FrictionBand(0.0 - static, 0.0 + static)
