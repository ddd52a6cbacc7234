"""How the tip moves when the joints move, how freely, and where it cannot.

The Jacobian, its rate, velocity and acceleration; its singular values, and the singular postures.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ulna.arm import Arm, Parameters, parameters_of
from ulna.arrays import Array, Floats, float_array, one_state, running_sum
from ulna.errors import InputError, Problem
from ulna.kinematics.forward_kinematics import (
    KinematicChain,
    joint_array,
    kinematic_chain,
    posture_evaluator,
    tip_by_formula,
)
from ulna.typing import AngleLike, ArrayLike, RateLike

SINGULAR = 1e2  # condition number from which a posture is called singular
TINY = np.finfo(float).tiny
MOST_LINKS_LISTED = 16  # 2¹⁵ singular postures; every further link doubles them


def jacobian(arm: Arm | Parameters, q: AngleLike) -> Array:
    """Return the Jacobian of the tip's position and orientation.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm; stacked Parameters have leading axes, which broadcast against those of the angles.
    q : array_like, shape (..., n)
        Joint angles [rad].

    Returns
    -------
    array, shape (..., 3, n)
        Derivatives of x, y [m/rad] and of the angle [1], row by row, with respect to the joints.

    Raises
    ------
    InputError
        If the last axis has not one value a joint, or leading axes do not broadcast.

    Notes
    -----
    Turning joint j moves the tip at right angles to the line from the joint to the tip:
    ∂(x, y)/∂q_j = (−(y − y_j), x − x_j), and every joint turns the tip by its own angle.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = ulna.preset("unit")  # two links of 1 m
    >>> ulna.kinematics.jacobian(arm, [0.0, np.pi / 2]).round(6).tolist()
    [[-1.0, -1.0], [1.0, 0.0], [1.0, 1.0]]
    """
    found = one_state(arm, posture_evaluator, "jacobian", q)
    return jacobian_by_formula(arm, q) if found is None else found


def jacobian_by_formula(arm: Arm | Parameters, q: AngleLike) -> Array:
    """Return the Jacobian (…, 3, n) of (x, y, orientation) with respect to q."""
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


class Ellipse(NamedTuple):
    """The tip velocities that joint rates of length one produce, drawn at the tip.

    Attributes
    ----------
    center : ndarray, shape (..., 2)
        The tip [m].
    semi_axes : ndarray, shape (..., 2)
        Semi-axes [m/s per rad/s], the longer first.
    angle : ndarray, shape (...)
        Direction of the longer axis [rad], in (−π/2, π/2].
    """

    center: Floats
    semi_axes: Floats
    angle: Floats


class Singularities(NamedTuple):
    """The postures, up to the turn of joint 1, in which the tip cannot move along the arm.

    Attributes
    ----------
    q : ndarray, shape (..., k, n)
        Joint angles [rad], the first zero.
    radius : ndarray, shape (..., k)
        Radius [m] of the circle on which the tip is then, the largest first.
    """

    q: Floats
    radius: Floats


def singular_values(arm: Arm | Parameters, q: AngleLike) -> Floats:
    """Return the singular values of the tip's position Jacobian.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm; stacked Parameters have leading axes, which broadcast against those of the angles.
    q : array_like, shape (..., n)
        Joint angles [rad].

    Returns
    -------
    ndarray, shape (..., min(n, 2))
        Singular values [m/rad], the largest first; NaN where angles are not finite.

    Raises
    ------
    InputError
        If the last axis has not one value a joint, or leading axes do not broadcast.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = ulna.preset("unit")  # two links of 1 m
    >>> ulna.kinematics.singular_values(arm, [0.0, np.pi / 2]).round(6).tolist()
    [1.618034, 0.618034]
    """
    jacobians, finite = _position_jacobian(arm, float_array(q))
    x, y = jacobians[..., 0, :], jacobians[..., 1, :]
    xx, xy, yy = (np.einsum("...i,...i", *pair) for pair in ((x, x), (x, y), (y, y)))
    largest = np.sqrt(0.5 * (xx + yy + np.hypot(xx - yy, 2.0 * xy)))
    if jacobians.shape[-1] == 1:
        return np.where(finite, largest[..., None], np.nan)
    # The product of both is the area that the rows span: the longer by what of the shorter is at
    # right angles to it, which keeps the digits of nearly parallel ones.
    swap = xx < yy
    longer, shorter = np.where(swap[..., None], y, x), np.where(swap[..., None], x, y)
    square = np.maximum(np.maximum(xx, yy), TINY)
    aside = shorter - (xy / square)[..., None] * longer
    area = np.sqrt(square * np.einsum("...i,...i", aside, aside))
    smallest = np.minimum(area / np.maximum(largest, TINY), largest)
    return np.where(finite, np.stack([largest, smallest], axis=-1), np.nan)


def manipulability(arm: Arm | Parameters, q: AngleLike) -> Floats:
    """Return Yoshikawa's manipulability: the product of the singular values.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm; stacked Parameters have leading axes, which broadcast against those of the angles.
    q : array_like, shape (..., n)
        Joint angles [rad].

    Returns
    -------
    ndarray, shape (...)
        The measure [m²/rad²], for one link [m/rad]; 0 where the posture is singular.

    Raises
    ------
    InputError
        If the last axis has not one value a joint, or leading axes do not broadcast.

    Notes
    -----
    For two links it is l_1 l_2 |sin q_2|; for one link its length, as it has one way to move.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = ulna.preset("unit")  # two links of 1 m
    >>> round(float(ulna.kinematics.manipulability(arm, [0.0, np.pi / 6])), 6)
    0.5
    """
    return np.asarray(np.prod(singular_values(arm, q), axis=-1))


def condition_number(arm: Arm | Parameters, q: AngleLike) -> Floats:
    """Return the condition number of the position Jacobian.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm; stacked Parameters have leading axes, which broadcast against those of the angles.
    q : array_like, shape (..., n)
        Joint angles [rad].

    Returns
    -------
    ndarray, shape (...)
        The ratio of the largest to the smallest singular value; inf where the posture is singular.

    Raises
    ------
    InputError
        If the last axis has not one value a joint, or leading axes do not broadcast.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = ulna.preset("unit")  # two links of 1 m
    >>> round(float(ulna.kinematics.condition_number(arm, [0.0, np.pi / 2])), 6)
    2.618034
    """
    values = singular_values(arm, q)
    with np.errstate(divide="ignore"):
        return np.asarray(values[..., 0] / values[..., -1])


def manipulability_ellipse(arm: Arm | Parameters, q: AngleLike) -> Ellipse:
    """Return the ellipse of tip velocities for joint rates of length one.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm; stacked Parameters have leading axes, which broadcast against those of the angles.
    q : array_like, shape (..., n)
        Joint angles [rad].

    Returns
    -------
    Ellipse
        `center`, `semi_axes` and `angle`. The long axis is the direction in which the tip moves
        easily; the ellipse is flat where the posture is singular.

    Raises
    ------
    InputError
        If the last axis has not one value a joint, or leading axes do not broadcast.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = ulna.preset("unit")  # two links of 1 m
    >>> ulna.kinematics.manipulability_ellipse(arm, [0.0, np.pi / 2]).semi_axes.round(6).tolist()
    [1.618034, 0.618034]
    """
    angles = float_array(q)
    jacobians, finite = _position_jacobian(arm, angles)
    directions, values, _ = np.linalg.svd(jacobians)
    values = np.where(finite, np.abs(values), np.nan)
    semi_axes = np.zeros((*values.shape[:-1], 2))
    semi_axes[..., : values.shape[-1]] = values
    easy = directions[..., :, 0]
    angle = np.arctan2(easy[..., 1], easy[..., 0])
    # An axis has no head: opposite directions are the same one.
    angle = np.where(angle > np.pi / 2, angle - np.pi, angle)
    angle = np.where(angle <= -np.pi / 2, angle + np.pi, angle)
    return Ellipse(np.asarray(tip_by_formula(arm, angles)[..., :2]), semi_axes, angle)


def singularities(arm: Arm | Parameters) -> Singularities:
    """List the singular postures: every link in line with the first, stretched or folded back.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, of at most 16 links; stacked Parameters have leading axes.

    Returns
    -------
    Singularities
        The postures `q`, shape (..., k, n) [rad], and the radii [m] of the circles of the tip:
        joint 1 turns each posture about the base. One link is never singular in the one direction
        that it has: the list is empty.

    Raises
    ------
    InputError
        If the arm has more than 16 links, of which there would be more than 2¹⁵ postures.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = ulna.preset("unit")  # two links of 1 m
    >>> ulna.kinematics.singularities(arm).radius.tolist()
    [2.0, 0.0]
    """
    parameters = parameters_of(arm)
    n = parameters.n
    if n > MOST_LINKS_LISTED:
        need = f"at most {MOST_LINKS_LISTED} links to list all 2^(n-1) singular postures"
        raise InputError(Problem("links", str(n), need, "use condition_number for one posture"))
    if n == 1:
        batch = parameters.length.shape[:-1]
        return Singularities(np.empty((*batch, 0, 1)), np.empty((*batch, 0)))
    folded = (np.arange(2 ** (n - 1))[:, None] >> np.arange(n - 1)) & 1
    direction = np.concatenate([np.ones((len(folded), 1)), 1.0 - 2.0 * folded], axis=-1)
    radius = np.abs(np.asarray(parameters.length) @ direction.T)
    bends = np.pi * np.abs(np.diff(direction, axis=-1)) / 2.0
    q = np.concatenate([np.zeros((len(folded), 1)), bends], axis=-1)
    order = np.argsort(-radius, axis=-1, kind="stable")
    return Singularities(q[order], np.take_along_axis(radius, order, axis=-1))


def elbow_side(arm: Arm | Parameters, q: AngleLike) -> Floats:
    """Return on which side of the line from base to tip the elbow of two links is.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, of two links; stacked Parameters have leading axes, which broadcast against those
        of the angles.
    q : array_like, shape (..., 2)
        Joint angles [rad].

    Returns
    -------
    ndarray, shape (...)
        1 above the line, −1 below it, and 0 where the arm is straight or folded or the line is
        vertical, which has no upper side.

    Raises
    ------
    InputError
        If the arm does not have two links.

    Notes
    -----
    "Elbow up" names a pose and not a branch: it flips where the tip passes over the base.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = ulna.preset("unit")  # two links of 1 m
    >>> float(ulna.kinematics.elbow_side(arm, [0.7, -1.0]))
    1.0
    """
    if parameters_of(arm).n != 2:
        raise InputError(Problem("links", str(parameters_of(arm).n), "2, to have one elbow"))
    angles = float_array(q)
    across = tip_by_formula(arm, angles)[..., 0] - np.asarray(parameters_of(arm).base)[..., 0]
    return np.asarray(-np.sign(_clear(np.sin(angles[..., 1]))) * np.sign(_clear(across)))


def _position_jacobian(arm: Arm | Parameters, q: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the position Jacobian (…, 2, n), and (…, 1) whether it is finite.

    A posture of NaN must not spoil the others: its Jacobian is returned as zeros.
    """
    jacobians = np.asarray(jacobian_by_formula(arm, q)[..., :2, :])
    finite = np.isfinite(jacobians).all(axis=(-2, -1))[..., None]
    return np.where(finite[..., None], jacobians, 0.0), np.asarray(finite)


def _clear(value: Floats) -> Floats:
    """Set to zero what rounding alone keeps from it."""
    return np.where(np.abs(value) < 1e-12, 0.0, value)
