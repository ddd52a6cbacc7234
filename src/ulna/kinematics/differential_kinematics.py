"""How the tip moves when the joints move: the Jacobian, its rate, velocity and acceleration."""

from __future__ import annotations

from ulna.arm import Arm, Parameters
from ulna.arrays import Array, running_sum
from ulna.kinematics.forward_kinematics import KinematicChain, joint_array, kinematic_chain
from ulna.typing import AngleLike, ArrayLike, RateLike


def jacobian(arm: Arm | Parameters, q: AngleLike) -> Array:
    """Return the Jacobian (…, 3, n) of (x, y, orientation) with respect to q.

    Turning joint j moves the tip at right angles to the line from the joint to the tip:
    ∂(x, y)/∂q_j = (−(y − y_j), x − x_j), and every joint turns the tip by its own angle.
    """
    c = kinematic_chain(arm, q)
    from_joint_x = c.x[..., -1:] - c.x[..., :-1]
    from_joint_y = c.y[..., -1:] - c.y[..., :-1]
    rows = [-from_joint_y, from_joint_x, c.xp.ones_like(from_joint_x)]
    return c.xp.stack(rows, axis=-2)


def jacobian_rate(arm: Arm | Parameters, q: AngleLike, qd: RateLike) -> Array:
    """Return the derivative of the Jacobian in time.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm; stacked Parameters have leading axes, which broadcast against those of the angles.
    q : array_like, shape (..., n)
        Joint angles [rad].
    qd : array_like, shape (..., n)
        Joint rates [rad/s].

    Returns
    -------
    array, shape (..., 3, n)
        dJ/dt: rows of x, y [m/s per rad] and of the angle, which are zero.

    Raises
    ------
    InputError
        If the last axis has not one value a joint, or leading axes do not broadcast.

    Notes
    -----
    The same cross products as those of the Jacobian, of velocities in place of positions.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = ulna.preset("unit")  # two links of 1 m
    >>> ulna.kinematics.jacobian_rate(arm, [0.0, np.pi / 2], [1.0, 0.0]).round(6).tolist()
    [[-1.0, -0.0], [-1.0, -1.0], [0.0, 0.0]]
    """
    c = kinematic_chain(arm, q, qd)
    vx, vy = _velocities(c, joint_array(c.xp, c.parameters, qd, "qd"))
    from_joint_x = vx[..., -1:] - vx[..., :-1]
    from_joint_y = vy[..., -1:] - vy[..., :-1]
    rows = [-from_joint_y, from_joint_x, c.xp.zeros_like(from_joint_x)]
    return c.xp.stack(rows, axis=-2)


def tip_velocity(arm: Arm | Parameters, q: AngleLike, qd: RateLike) -> Array:
    """Return the velocity of the tip, J q̇.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm; stacked Parameters have leading axes, which broadcast against those of the angles.
    q : array_like, shape (..., n)
        Joint angles [rad].
    qd : array_like, shape (..., n)
        Joint rates [rad/s].

    Returns
    -------
    array, shape (..., 3)
        Velocity vx, vy [m/s] and angular velocity [rad/s].

    Raises
    ------
    InputError
        If the last axis has not one value a joint, or leading axes do not broadcast.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = ulna.preset("unit")  # two links of 1 m
    >>> ulna.kinematics.tip_velocity(arm, [0.0, np.pi / 2], [1.0, 0.0]).round(6).tolist()
    [-1.0, 1.0, 1.0]
    """
    c = kinematic_chain(arm, q, qd)
    qd = joint_array(c.xp, c.parameters, qd, "qd")
    vx, vy = _velocities(c, qd)
    rate = c.xp.sum(qd, axis=-1) + c.xp.zeros_like(vx[..., -1])
    return c.xp.stack([vx[..., -1], vy[..., -1], rate], axis=-1)


def tip_acceleration(arm: Arm | Parameters, q: AngleLike, qd: RateLike, qdd: ArrayLike) -> Array:
    """Return the acceleration of the tip, J q̈ + J̇ q̇.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm; stacked Parameters have leading axes, which broadcast against those of the angles.
    q : array_like, shape (..., n)
        Joint angles [rad].
    qd : array_like, shape (..., n)
        Joint rates [rad/s].
    qdd : array_like, shape (..., n)
        Joint accelerations [rad/s²].

    Returns
    -------
    array, shape (..., 3)
        Acceleration ax, ay [m/s²] and angular acceleration [rad/s²].

    Raises
    ------
    InputError
        If the last axis has not one value a joint, or leading axes do not broadcast.

    Notes
    -----
    Each link adds its own turning and its own centripetal part:
    Σ l_i [φ̈_i (−sin φ_i, cos φ_i) − φ̇_i² (cos φ_i, sin φ_i)].

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = ulna.preset("unit")  # two links of 1 m
    >>> still = [0.0, 0.0]
    >>> ulna.kinematics.tip_acceleration(arm, still, [1.0, 0.0], still).round(6).tolist()
    [-2.0, 0.0, 0.0]
    """
    c = kinematic_chain(arm, q, qd, qdd)
    xp, length = c.xp, c.parameters.length
    rate = running_sum(xp, joint_array(xp, c.parameters, qd, "qd"))
    turning = running_sum(xp, joint_array(xp, c.parameters, qdd, "qdd"))
    cos, sin = length * xp.cos(c.phi), length * xp.sin(c.phi)
    ax = xp.sum(-sin * turning - cos * rate**2, axis=-1)
    ay = xp.sum(cos * turning - sin * rate**2, axis=-1)
    return xp.stack([ax, ay, turning[..., -1] + xp.zeros_like(ax)], axis=-1)


def _velocities(c: KinematicChain, qd: Array) -> tuple[Array, Array]:
    """Return the velocities (…, n+1) of the joints and the tip, the base at rest."""
    xp, length = c.xp, c.parameters.length
    rate = running_sum(xp, qd)
    vx = running_sum(xp, -length * xp.sin(c.phi) * rate, from_zero=True)
    vy = running_sum(xp, length * xp.cos(c.phi) * rate, from_zero=True)
    return vx, vy
