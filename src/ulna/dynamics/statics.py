"""Holding still: the torques a pose needs, the force that torques balance, the load they carry."""

from __future__ import annotations

from ulna.arm import Arm, Parameters
from ulna.arrays import Array
from ulna.dynamics.chain import posture, tip_levers, tip_pull, to_joints, weight
from ulna.kinematics.forward_kinematics import joint_array, prepared
from ulna.namespaces import suggest_keywords

DETERMINED = 1e-10  # of the largest singular value: a smaller one tells nothing of the force
ROUNDING = 64.0  # machine epsilons, which single precision needs instead


@suggest_keywords()
def holding_torque(
    arm: Arm | Parameters, q: Array, *, tip_force: Array | None = None, link_weights: bool = True
) -> Array:
    """Return the joint torques that hold the arm still: τ = G − Jᵀ F.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    q : array_like, shape (..., n)
        Joint angles [rad].
    tip_force : array_like, shape (..., 2) or (..., 3), optional
        Force on the tip [N], or with a moment [N·m]; it acts on the arm.
    link_weights : bool, optional
        Without them the links weigh nothing; the point masses at their ends and the payload still
        do.

    Returns
    -------
    array, shape (..., n)
        Joint torques [N·m].

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.Arm.point_masses([1.0, 1.0], [2.0, 1.0], gravity=(0.0, -10.0))
    >>> holding_torque(arm, [0.0, 0.0]).tolist()
    [40.0, 10.0]
    """
    xp, parameters = prepared(arm, q, tip_force)
    if not link_weights:
        parameters = parameters._replace(mass=xp.zeros_like(parameters.mass))
    at = posture(parameters, q, tip_force)
    forces = weight(at)
    return to_joints(xp, forces if tip_force is None else forces - tip_pull(at, tip_force))


def tip_force(arm: Arm | Parameters, q: Array, tau: Array) -> Array:
    """Return the force on the tip for which torques hold the arm still.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    q : array_like, shape (..., n)
        Joint angles [rad].
    tau : array_like, shape (..., n)
        Joint torques [N·m].

    Returns
    -------
    array, shape (..., 2)
        Force F on the tip [N].

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.

    Notes
    -----
    It undoes `holding_torque`: Jᵀ F = G − τ. What tau does not determine, the part along a
    stretched arm or a single link, is zero. An arm of more than two links balances a force only
    by torques that fit it; others get the force that leaves the least torque over.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = ulna.Arm.point_masses([1.0, 1.0], [2.0, 1.0])
    >>> q = [0.0, np.pi / 2]
    >>> tip_force(arm, q, holding_torque(arm, q, tip_force=[3.0, 4.0])).round(9).tolist()
    [3.0, 4.0]
    """
    at = posture(arm, q, tau)
    xp = at.xp
    short = to_joints(xp, weight(at)) - joint_array(xp, at.parameters, tau, "tau")
    levers = xp.matrix_transpose(to_joints(xp, tip_levers(at)))
    # A posture that is NaN must not stop the others of its batch.
    known = xp.isfinite(levers)
    tolerance = max(DETERMINED, ROUNDING * float(xp.finfo(levers.dtype).eps))
    solver = xp.linalg.pinv(xp.where(known, levers, xp.zeros_like(levers)), rtol=tolerance)
    solver = xp.where(xp.matrix_transpose(known), solver, xp.nan)
    return xp.matmul(solver, short[..., None])[..., 0]


def largest_payload(arm: Arm | Parameters, q: Array, *, tip_force: Array | None = None) -> Array:
    """Return the largest mass that can be added at the tip before a joint is too weak.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    q : array_like, shape (..., n)
        Joint angles [rad].
    tip_force : array_like, shape (..., 2) or (..., 3), optional
        Force on the tip [N], or with a moment [N·m]; it acts on the arm.

    Returns
    -------
    array, shape (...)
        Mass on top of the payload that the arm has [kg]: infinite where no limit is met, negative
        where the posture holds only with so much taken away, and NaN where it cannot be held with
        any load.

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.

    Notes
    -----
    Each joint gives at most its `max_torque`, to either side.

    Examples
    --------
    >>> import ulna
    >>> joint = ulna.Joint(max_torque=30.0)
    >>> arm = ulna.Arm.point_masses([1.0], [1.0], joints=[joint], gravity=(0.0, -10.0))
    >>> float(largest_payload(arm, [0.0]))  # 30 N·m hold 3 kg at 1 m, one of which is the arm's
    2.0
    """
    at = posture(arm, q, tip_force)
    xp, limit = at.xp, at.parameters.max_torque
    now = holding_torque(arm, q, tip_force=tip_force)
    per_mass = -to_joints(xp, tip_pull(at, at.parameters.gravity))
    # An upright arm has no lever but rounding; nothing hung on it turns its joints.
    gravity = xp.sum(xp.abs(at.parameters.gravity), axis=-1, keepdims=True)
    longest = gravity * xp.sum(at.parameters.length, axis=-1, keepdims=True)
    least_lever = ROUNDING * float(xp.finfo(now.dtype).eps) * longest
    binds = (xp.abs(per_mass) > least_lever) & xp.isfinite(limit)
    # Neutral numbers where no bound is, so that derivatives pass through untouched.
    step = xp.where(binds, per_mass, xp.ones_like(per_mass))
    bound = xp.where(binds, limit, xp.zeros_like(limit))
    one, other = (bound - now) / step, (-bound - now) / step
    most = xp.min(xp.where(binds, xp.maximum(one, other), xp.inf), axis=-1)
    least = xp.max(xp.where(binds, xp.minimum(one, other), -xp.inf), axis=-1)
    # A joint that the load does not turn has to carry its own share all the same.
    others_hold = xp.all(binds | (xp.abs(now) <= limit), axis=-1)
    return xp.where((least <= most) & others_hold, most, xp.nan)
