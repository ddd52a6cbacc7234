"""How the tip moves when the joints move: the Jacobian, its rate, velocity and acceleration."""

from __future__ import annotations

from ulna.arm import Arm, Parameters
from ulna.arrays import Array, running_sum
from ulna.kinematics.forward_kinematics import KinematicChain, joint_array, kinematic_chain


def jacobian(arm: Arm | Parameters, q: Array) -> Array:
    """Return the Jacobian (…, 3, n) of (x, y, orientation) with respect to q.

    Turning joint j moves the tip at right angles to the line from the joint to the tip:
    ∂(x, y)/∂q_j = (−(y − y_j), x − x_j), and every joint turns the tip by its own angle.
    """
    c = kinematic_chain(arm, q)
    from_joint_x = c.x[..., -1:] - c.x[..., :-1]
    from_joint_y = c.y[..., -1:] - c.y[..., :-1]
    rows = [-from_joint_y, from_joint_x, c.xp.ones_like(from_joint_x)]
    return c.xp.stack(rows, axis=-2)


def jacobian_rate(arm: Arm | Parameters, q: Array, qd: Array) -> Array:
    """Return dJ/dt (…, 3, n) for joint rates qd: the same cross products with the velocities."""
    c = kinematic_chain(arm, q, qd)
    vx, vy = _velocities(c, joint_array(c.xp, c.parameters, qd, "qd"))
    from_joint_x = vx[..., -1:] - vx[..., :-1]
    from_joint_y = vy[..., -1:] - vy[..., :-1]
    rows = [-from_joint_y, from_joint_x, c.xp.zeros_like(from_joint_x)]
    return c.xp.stack(rows, axis=-2)


def tip_velocity(arm: Arm | Parameters, q: Array, qd: Array) -> Array:
    """Return the velocity (…, 3) of the tip: vx, vy [m/s] and turning rate [rad/s]."""
    c = kinematic_chain(arm, q, qd)
    qd = joint_array(c.xp, c.parameters, qd, "qd")
    vx, vy = _velocities(c, qd)
    rate = c.xp.sum(qd, axis=-1) + c.xp.zeros_like(vx[..., -1])
    return c.xp.stack([vx[..., -1], vy[..., -1], rate], axis=-1)


def tip_acceleration(arm: Arm | Parameters, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the acceleration (…, 3) of the tip: ax, ay [m/s²] and angular [rad/s²].

    Each link adds its own turning and its own centripetal part:
    Σ l_i [φ̈_i (−sin φ_i, cos φ_i) − φ̇_i² (cos φ_i, sin φ_i)], equal to J q̈ + J̇ q̇.
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
