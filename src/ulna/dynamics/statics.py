"""Holding still: the torques a pose needs, the force that torques balance, the load they carry."""

from __future__ import annotations

from ulna.arm import Arm, Parameters
from ulna.arrays import Array
from ulna.dynamics.algebra import to_joints
from ulna.dynamics.chain import posture, tip_levers, tip_pull, weight
from ulna.kinematics.forward_kinematics import joint_array, prepared

DETERMINED = 1e-10  # of the largest singular value: a smaller one tells nothing of the force
ROUNDING = 64.0  # machine epsilons, which single precision needs instead


def holding_torque(
    arm: Arm | Parameters, q: Array, *, tip_force: Array | None = None, link_weights: bool = True
) -> Array:
    """Return the joint torques τ = G − Jᵀ F (…, n) [N·m] that hold the arm still.

    The tip force F, (…, 2) or with a moment (…, 3), acts on the arm. Without `link_weights` the
    links weigh nothing; the point masses at their ends and the payload still do.

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
    """Return the force F (…, 2) [N] on the tip for which torques tau hold the arm still.

    It undoes `holding_torque`: Jᵀ F = G − τ. What tau does not determine, the part along a
    stretched arm or a single link, is zero. An arm of more than two links balances a force only
    by torques that fit it; others get the force that leaves the least torque over.
    """
    at = posture(arm, q, tau)
    xp = at.xp
    short = to_joints(xp, weight(at)) - joint_array(xp, at.parameters, tau, "tau")
    levers = xp.matrix_transpose(to_joints(xp, tip_levers(at)))
    # A posture that is no number must not stop the others of its batch.
    known = xp.isfinite(levers)
    tolerance = max(DETERMINED, ROUNDING * float(xp.finfo(levers.dtype).eps))
    solver = xp.linalg.pinv(xp.where(known, levers, xp.zeros_like(levers)), rtol=tolerance)
    solver = xp.where(xp.matrix_transpose(known), solver, xp.nan)
    return xp.matmul(solver, short[..., None])[..., 0]


def largest_payload(arm: Arm | Parameters, q: Array, *, tip_force: Array | None = None) -> Array:
    """Return the largest mass (…) [kg] that can be added at the tip before a joint is too weak.

    Each joint gives at most its `max_torque`, to either side. The mass comes on top of the
    payload that the arm has; it is infinite where no limit is met, negative where the pose holds
    only with so much taken away, and NaN where it cannot be held with any load.
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
