"""Holding still: the torques a pose needs, the force and the load they balance, the equilibria.

At rest the links feel one another only through the torques of their motors: in link angles
G_i − pull_i = R_i cos(φ_i − ψ_i) has to equal Q_i = τ_i − τ_{i+1}, an equation of φ_i alone. It
has two solutions, ψ_i ± arccos(Q_i / R_i), or none, so an arm of n links has 2ⁿ equilibria in
closed form, or none. Constant torques and a constant force have a potential: an equilibrium is
stable where it has a minimum, that is with the lower sign at every link.

Friction, which only makes holding easier, is left out but where it is named.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ulna.angles import absolute_to_relative
from ulna.arm import Arm, Parameters, parameters_of
from ulna.arm.parameters import allowed, into_window
from ulna.arrays import Array, float_array
from ulna.dynamics import chain
from ulna.dynamics.chain import Posture, posture, tip_levers, tip_pull, to_joints, weight
from ulna.dynamics.equations_of_motion import linearise
from ulna.errors import InputError, Problem, shown
from ulna.kinematics.forward_kinematics import joint_array, prepared

DETERMINED = 1e-10  # of the largest singular value: a smaller one tells nothing of the force
EPSILONS = 64.0  # of the machine, which single precision needs instead
MOST_LINKS = 10  # 1,024 equilibria
ROUNDING = 1e-12  # of the largest of its kind: less is as good as nothing
SWINGS = 1e-7  # of an eigenvalue, to the side: two that are equal part so far by rounding


def holding_torque(
    arm: Arm | Parameters, q: Array, *, tip_force: Array | None = None, link_weights: bool = True
) -> Array:
    """Return the joint torques that hold the arm still: τ = G − Jᵀ F.

    They carry the weight and balance the force. Where joints have dry friction the arm also stays
    under torques that differ from these by no more than `friction_band`.

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
    return to_joints(xp, _static_forces(at, tip_force))


def _static_forces(at: Posture, tip_force: Array | None) -> Array:
    """Return G − pull (…, n) in link angles."""
    return weight(at) if tip_force is None else weight(at) - tip_pull(at, tip_force)


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
    It undoes `holding_torque`: Jᵀ F = G − τ, without the help of friction. What tau does not
    determine, the part along a stretched arm or a single link, is zero. An arm of more than two
    links balances a force only by torques that fit it; others get the force that leaves the least
    torque over.

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
    tolerance = max(DETERMINED, EPSILONS * float(xp.finfo(levers.dtype).eps))
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
    Each joint gives at most its `max_torque`, to either side; friction, which would hold some
    more of it, is left out. What friction alone holds is `friction_payload`.

    Examples
    --------
    >>> import ulna
    >>> joint = ulna.Joint(max_torque=30.0)
    >>> arm = ulna.Arm.point_masses([1.0], [1.0], joints=[joint], gravity=(0.0, -10.0))
    >>> float(largest_payload(arm, [0.0]))  # 30 N·m hold 3 kg at 1 m, one of which is the arm's
    2.0
    """
    at = posture(arm, q, tip_force)
    return _most_mass(at, at.parameters.max_torque, tip_force)


def friction_payload(arm: Arm | Parameters, q: Array, *, tip_force: Array | None = None) -> Array:
    """Return the largest mass that can be added at the tip while friction alone holds the arm.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    q : array_like, shape (..., n)
        Joint angles [rad], in which the arm is at rest with its motors off.
    tip_force : array_like, shape (..., 2) or (..., 3), optional
        Force on the tip [N], or with a moment [N·m]; it acts on the arm.

    Returns
    -------
    array, shape (...)
        Mass on top of the payload that the arm has [kg]: infinite where no weight at the tip turns
        a joint, negative where friction holds the posture only with so much taken away, and NaN
        where it does not with any load.

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.

    Notes
    -----
    Each joint is held by at most its static friction, to either side. What motors can hold is
    `largest_payload`.

    Examples
    --------
    >>> import ulna
    >>> joint = ulna.Joint(friction=ulna.Friction(30.0))
    >>> arm = ulna.Arm.point_masses([1.0], [1.0], joints=[joint], gravity=(0.0, -10.0))
    >>> float(friction_payload(arm, [0.0]))  # 30 N·m hold 3 kg at 1 m, one of which is the arm's
    2.0
    """
    at = posture(arm, q, tip_force)
    return _most_mass(at, at.parameters.static, tip_force)


def _most_mass(at: Posture, limit: Array, tip_force: Array | None) -> Array:
    """Return the largest mass (…) [kg] at the tip that torques up to a limit (…, n) hold."""
    xp = at.xp
    now = to_joints(xp, _static_forces(at, tip_force))
    per_mass = -to_joints(xp, tip_pull(at, at.parameters.gravity))
    # An upright arm has no lever but rounding; nothing hung on it turns its joints.
    gravity = xp.sum(xp.abs(at.parameters.gravity), axis=-1, keepdims=True)
    longest = gravity * xp.sum(at.parameters.length, axis=-1, keepdims=True)
    least_lever = EPSILONS * float(xp.finfo(now.dtype).eps) * longest
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


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """One equilibrium of an arm.

    Attributes
    ----------
    q : ndarray, shape (n,)
        Joint angles [rad], each in the turn around the middle of its joint's range.
    eigenvalues : ndarray, shape (2n,)
        Of the linearised arm [1/s], without dry friction.
    kind : str
        Without dry friction, which may hold the arm at any of them:
        "focus" or "node" where the arm returns after a small disturbance, swinging or not,
        "centre" where it swings on for want of damping, "saddle" where it falls away, and
        "degenerate" where a link rests in no particular place or a stable and an unstable
        equilibrium meet.
    within_limits : bool
        Whether all joints are within their limits.
    """

    q: Array
    eigenvalues: Array
    kind: str
    within_limits: bool

    @property
    def stable(self) -> bool:
        """Whether the arm stays near after a small disturbance."""
        return self.kind in ("focus", "node", "centre")


@dataclass(frozen=True, slots=True)
class Equilibria:
    """All equilibria of an arm under constant torques, the stable ones first: a sequence.

    Attributes
    ----------
    found : tuple of Equilibrium
        The equilibria.
    reason : str
        Why there are none, if there are none.
    sticking : tuple of int
        The joints, counted from 1, that dry friction can hold. An arm that has any is in
        equilibrium around these postures as well, and where there are none: wherever `tau` less
        the holding torque is within `friction_band` at every joint.
    """

    found: tuple[Equilibrium, ...]
    reason: str = ""
    sticking: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Equilibrium]:
        return iter(self.found)

    def __getitem__(self, index: int) -> Equilibrium:
        return self.found[index]


class _LinkEquilibrium(NamedTuple):
    """One angle at which a link is in equilibrium: +1 stable, −1 unstable, 0 neither."""

    phi: float
    sign: int


def equilibria(arm: Arm | Parameters, tau: Array, *, tip_force: Array | None = None) -> Equilibria:
    """Return every equilibrium of one arm under constant torques.

    Parameters
    ----------
    arm : Arm or Parameters
        One arm, of at most ten links.
    tau : array_like, shape (n,)
        Joint torques [N·m].
    tip_force : array_like, shape (2,) or (3,), optional
        Force on the tip [N], or with a moment [N·m]; it acts on the arm and keeps its direction.

    Returns
    -------
    Equilibria
        2ⁿ of them in closed form, or none.

    Raises
    ------
    InputError
        If the arm is a batch or has too many links, or a value is not a finite number.

    Notes
    -----
    These are the postures that the torques hold exactly. With dry friction they lie in whole sets
    of equilibria: the arm stays at rest wherever |τ − `holding_torque`| is at most static friction
    at every joint. Eigenvalues and kinds are those of the arm without it.

    Examples
    --------
    >>> import ulna
    >>> [one.kind for one in equilibria(ulna.preset("bechard-1"), [4.0])]
    ['focus', 'saddle']
    """
    p = Parameters(*map(float_array, parameters_of(arm)))
    tau = joint_array(np, p, float_array(tau), "tau")
    pull = np.zeros(2) if tip_force is None else chain.force_array(np, float_array(tip_force))
    _check(p, tau, pull)
    angles = _link_equilibria(p, tau, pull)
    sticking = tuple(int(joint) + 1 for joint in np.flatnonzero(p.static > 0.0))
    stuck = [str(link + 1) for link, options in enumerate(angles) if not options]
    if stuck:
        links = f"link{'s' * (len(stuck) > 1)} {', '.join(stuck)}"
        reason = f"the torques on {links} are more than the weight can balance"
        return Equilibria((), reason + " without friction" * bool(sticking), sticking)
    choices = itertools.product(*angles)
    found = [_equilibrium(p, tau, pull, choice) for choice in choices]
    return Equilibria(tuple(sorted(found, key=lambda one: not one.stable)), "", sticking)


def _check(p: Parameters, tau: Array, pull: Array) -> None:
    for what, values in (("arm", p.length), ("tau", tau), ("tip_force", pull)):
        if values.ndim > 1:
            got, need = f"shape {tuple(values.shape)}", "one arm, one set of torques, one force"
            raise InputError(Problem(what, got, need, "go through a batch one by one"))
    for what, values in (("tau", tau), ("tip_force", pull)):
        if not np.isfinite(values).all():
            raise InputError(Problem(what, shown(values.tolist()), "finite numbers"))
    if p.n > MOST_LINKS:
        got, need = f"{p.n} links, that is 2^{p.n} postures", f"at most {MOST_LINKS} links"
        hint = "combine the angles of the single links yourself"
        raise InputError(Problem("equilibria", got, need, hint))


def _link_equilibria(p: Parameters, tau: Array, pull: Array) -> list[list[_LinkEquilibrium]]:
    """Return for each link the angles at which it is in equilibrium."""
    force, moment = pull[:2], pull[2:]
    flat, upright = (chain.link_posture(np, p, np.full(p.n, phi)) for phi in (0.0, 0.5 * math.pi))
    # With gravity and force, f(φ) = f(0) cos φ + f(π/2) sin φ; a moment adds the same at every φ.
    cosine, sine = (_static_forces(at, force) for at in (flat, upright))
    wanted = chain.to_links(np, tau)
    wanted[-1] += np.sum(moment)
    weight = np.hypot(*p.gravity) * np.hypot(flat.moment_x, flat.moment_y)
    scale = weight + p.length * np.hypot(*force)
    rows = zip(wanted, np.hypot(cosine, sine), np.arctan2(sine, cosine), scale, strict=True)
    return [_solved(*map(float, row)) for row in rows]


def _solved(wanted: float, size: float, middle: float, scale: float) -> list[_LinkEquilibrium]:
    """Solve size cos(φ − middle) = wanted, where size is what terms as large as scale leave."""
    if size <= ROUNDING * scale:
        return [_LinkEquilibrium(0.0, 0)] if abs(wanted) <= ROUNDING * scale else []
    if abs(wanted) > size * (1.0 + ROUNDING):
        return []
    if abs(wanted) >= size * (1.0 - ROUNDING):
        return [_LinkEquilibrium(middle if wanted > 0.0 else middle + math.pi, 0)]
    aside = math.acos(wanted / size)
    return [_LinkEquilibrium(middle - aside, 1), _LinkEquilibrium(middle + aside, -1)]


def _equilibrium(
    p: Parameters, tau: Array, pull: Array, angles: tuple[_LinkEquilibrium, ...]
) -> Equilibrium:
    q = into_window(p, absolute_to_relative(np.array([one.phi for one in angles])))
    state, _ = linearise(p.without_friction(), q, np.zeros(p.n), tau, tip_force=pull)
    eigenvalues = np.linalg.eigvals(state)
    kind = _kind([one.sign for one in angles], eigenvalues, damped=bool(np.any(p.damping)))
    return Equilibrium(q, eigenvalues, kind, bool(allowed(p, q).all()))


def _kind(signs: list[int], eigenvalues: Array, *, damped: bool) -> str:
    if -1 in signs:
        return "saddle"
    if 0 in signs:
        return "degenerate"
    sizes = np.abs(eigenvalues)
    swinging = np.abs(eigenvalues.imag) > SWINGS * sizes
    if not damped or np.any(swinging & (eigenvalues.real > -ROUNDING * sizes)):
        return "centre"
    return "focus" if swinging.any() else "node"
