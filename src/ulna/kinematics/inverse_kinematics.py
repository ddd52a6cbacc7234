"""Inverse kinematics of a point: all postures that put the tip at a target.

A target with an orientation fixes the last link, so what remains is to reach its joint with the
links before it. They reach a ring: as far out as the straight chain, with a hole only where the
longest link is longer than all others together. A chain of one or two links has one or two
postures, in closed form; a longer one, a redundant arm, has infinitely many, of which four are
returned, bent at two joints and then moved into the joint limits and, in the null space, towards a
preferred posture by damped least squares (`redundant.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ulna.angles import TURN, difference
from ulna.arm import Arm, Parameters, parameters_of
from ulna.arm.parameters import allowed, are_limited, into_window
from ulna.arrays import Floats, float_array
from ulna.errors import InputError, Problem, shown
from ulna.kinematics.differential_kinematics import elbow_side
from ulna.kinematics.forward_kinematics import joint_array, tip_by_formula
from ulna.kinematics.redundant import PostureProblem, refine, solve_postures
from ulna.kinematics.solutions import ELBOW_DOWN, ELBOW_UP, Solutions
from ulna.typing import AngleLike, PointLike

EXACT = 1e-12  # of the reach: what rounding may leave between a target and the ring
SOLVED = 1e-9  # of the reach: the residual at which an iterated posture counts as solved
SIGNS = np.array([1.0, -1.0])
ONLY = ("only",)
SIGN_OF_ELBOW = ("positive", "negative")
SIGNS_OF_BENDS = ("++", "+-", "-+", "--")


def inverse(
    arm: Arm | Parameters,
    target: PointLike,
    *,
    posture: AngleLike | None = None,
    restarts: int = 8,
    tolerance: float | None = None,
) -> Solutions:
    """Find the postures that put the tip at a target.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm; stacked Parameters have leading axes, which broadcast against those of the targets.
    target : array_like, shape (..., 2) or (..., 3)
        Points x, y [m], or with the orientation of the last link from the x axis [rad].
    posture : array_like, shape (..., n), optional
        Joint angles [rad] that a redundant arm should stay close to, in its null space.
    restarts : int, optional
        How many random starts are tried for a redundant arm before a target counts as out of the
        joint limits.
    tolerance : float, optional
        Distance [m] outside its ring at which a target still counts as on the edge; by default
        1e-12 of the reach.

    Returns
    -------
    Solutions
        The postures `q`, shape (..., k, n) [rad], with what is to be known of each. Angles are
        written in the turn around the middle of each joint's range.

    Raises
    ------
    InputError
        If an argument has another shape, or holds numbers that are not finite.

    Notes
    -----
    Two links have two postures, named by the sign of sin q_2 ("positive", "negative"), and so have
    three links with an orientation; of two links `elbow` says which of them is "up". Redundant arms
    have four, kept inside the joint limits where that can be done.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> found = inverse(ulna.preset("unit"), [1.71, 0.30])
    >>> np.degrees(found.q).round(4).tolist()
    [[-19.8156, 59.5325], [39.7169, -59.5325]]
    >>> found.elbow.tolist()
    ['down', 'up']
    """
    if not isinstance(restarts, int) or restarts < 0:
        raise InputError(Problem("restarts", shown(restarts), "a whole number, 0 or more"))
    problem = inverse_problem(arm, target, tolerance)
    q, branch = _postures(problem)
    q = into_window(problem.each, q)
    if problem.chain.shape[-1] > 2 and (posture is not None or are_limited(problem.parameters)):
        preferred = None
        if posture is not None:
            preferred = posture_array(problem.parameters, posture, "posture")
        accepted = SOLVED * problem.reach
        q = refine(problem.parameters, q, problem.nearest, preferred, accepted, restarts)
    return _solutions(problem, q, branch, arm if isinstance(arm, Arm) else None)


@dataclass(frozen=True)
class InverseProblem:
    """Targets for an arm, with what is known of them before any posture is."""

    parameters: Parameters
    goal: Floats  # (…, 2 or 3)
    chain: Floats  # (…, m) lengths of the links that have to reach
    near: Nearest  # where the chain's end can get, relative to the base
    nearest: Floats  # (…, 2 or 3) the goal moved there
    slack: Floats  # [m] that counts as nothing
    reach: Floats  # [m] of the whole arm

    @property
    def each(self) -> Parameters:
        """The arms with an axis for their postures."""
        return self.parameters.per_sample()

    @property
    def reachable(self) -> NDArray[np.bool_]:
        """Whether each goal (…) lies in the ring."""
        return self.near.shortfall <= self.slack


def inverse_problem(
    arm: Arm | Parameters, target: PointLike, tolerance: float | None = None
) -> InverseProblem:
    """Compute which targets the chain can reach, and the nearest goals that it can."""
    parameters = Parameters(*(np.asarray(value, dtype=float) for value in parameters_of(arm)))
    goal = target_array(target)
    base, length = parameters.base, parameters.length
    last = np.zeros(2)
    if goal.shape[-1] == 3:
        heading = np.stack([np.cos(goal[..., 2]), np.sin(goal[..., 2])], axis=-1)
        last, length = length[..., -1:] * heading, length[..., :-1]
    end = goal[..., :2] - base - last
    near = nearest_in_ring(length, end)
    reach = np.sum(parameters.length, axis=-1)
    # A base far from the origin costs the target digits before it gets here.
    rounding = 4.0 * np.finfo(float).eps * np.sum(np.abs(goal[..., :2]), axis=-1)
    slack = EXACT * reach + rounding if tolerance is None else _allowance(tolerance)
    reachable = (near.shortfall <= slack)[..., None]
    point = np.where(reachable, goal[..., :2], base + near.point + last)
    turned = np.broadcast_to(goal[..., 2:], (*point.shape[:-1], goal.shape[-1] - 2))
    nearest = np.concatenate([point, turned], axis=-1)
    return InverseProblem(parameters, goal, length, near, nearest, slack, reach)


def _allowance(tolerance: float) -> Floats:
    if not isinstance(tolerance, Real) or not 0.0 <= tolerance < np.inf:
        need = "a distance in m, 0 or more"
        raise InputError(Problem("tolerance", shown(tolerance), need))
    return np.asarray(tolerance, dtype=float)


def target_array(target: PointLike, what: str = "target") -> Floats:
    """Check targets (…, 2) or (…, 3) of finite numbers, and return them as an array."""
    goal = np.asarray(float_array(target), dtype=float)
    if goal.ndim == 0 or goal.shape[-1] not in (2, 3):
        need = "(..., 2) for points x, y, or (..., 3) with an orientation"
        raise InputError(Problem(what, f"shape {goal.shape}", need))
    _raise_if_not_finite(goal, what)
    return goal


def posture_array(parameters: Parameters, posture: AngleLike | str, what: str) -> Floats:
    """Check joint angles (…, n) of finite numbers, and return them as an array."""
    angles: Floats = joint_array(
        np, parameters, np.asarray(float_array(posture), dtype=float), what
    )
    _raise_if_not_finite(angles, what)
    return angles


def _raise_if_not_finite(values: Floats, what: str) -> None:
    if not np.isfinite(values).all():
        first = tuple(int(i) for i in np.argwhere(~np.isfinite(values))[0])
        raise InputError(Problem(what, f"{values[first]} at index {first}", "finite numbers"))


def _postures(problem: InverseProblem) -> tuple[Floats, tuple[str, ...]]:
    """Return postures (…, k, n) of the whole arm at the nearest reachable goal."""
    links = problem.chain.shape[-1]
    names: tuple[str, ...]
    if links == 0:
        q, names = np.empty((*problem.goal.shape[:-1], 1, 0)), ONLY
    elif links == 1:
        q, names = one_link(problem.chain, problem.near.point), ONLY
    elif links == 2:
        q, names = two_links(problem.chain, problem.near.point), SIGN_OF_ELBOW
    else:
        q, names = two_bends(problem.chain, problem.near.point), SIGNS_OF_BENDS
    if problem.goal.shape[-1] == 2:
        return q, names
    last = difference(problem.goal[..., 2, None], np.sum(q, axis=-1))
    q = np.concatenate([q, last[..., None]], axis=-1)
    return (_by_sign(q), SIGN_OF_ELBOW) if links == 1 else (q, names)


def _by_sign(q: Floats) -> Floats:
    """Place the one posture of two links on the branch that it belongs to; the other is NaN."""
    positive = np.sin(q[..., 1]) >= 0.0
    here = np.stack([positive, ~positive], axis=-2)
    return np.where(here, q, np.nan)


def _solutions(
    problem: InverseProblem, q: Floats, branch: tuple[str, ...], arm: Arm | None
) -> Solutions:
    residual = distance_to_goal(problem.each, q, problem.goal[..., None, :])
    reachable = problem.reachable
    accepted = np.maximum(SOLVED * problem.reach, problem.slack)[..., None]
    valid = reachable[..., None] & (residual <= accepted)
    inside = np.all(allowed(problem.each, q), axis=-1)
    out = ~reachable[..., None]
    return Solutions(
        q=np.where(out[..., None], np.nan, q),
        valid=valid,
        within_limits=valid & inside,
        residual=np.where(out, problem.near.shortfall[..., None], residual),
        branch=branch,
        reachable=reachable,
        shortfall=np.where(reachable, 0.0, problem.near.shortfall),
        nearest=problem.nearest[..., :2],
        nearest_q=_first_usable(q, inside),
        continuum=reachable & _leaves_freedom(problem),
        target=problem.goal,
        arm=arm,
        elbow=_elbows(problem, np.where(out[..., None], np.nan, q)),
    )


def _elbows(problem: InverseProblem, q: Floats) -> NDArray[np.str_]:
    """Name for two links where the elbow (…, k) is: above the line from base to tip, or below."""
    if q.shape[-1] != 2:
        return np.zeros(q.shape[:-1], dtype="<U4")
    side = np.nan_to_num(elbow_side(problem.each, q))
    return np.where(side > 0, ELBOW_UP, np.where(side < 0, ELBOW_DOWN, ""))


def distance_to_goal(arms: Parameters, q: Floats, goal: Floats) -> Floats:
    """Return how far (…) the tips of postures (…, n) are from their goals (…, 2 or 3), in metres.

    An orientation counts by the arc that the last link sweeps to make it up.
    """
    reached = tip_by_formula(arms, q)
    miss = np.hypot(reached[..., 0] - goal[..., 0], reached[..., 1] - goal[..., 1])
    if goal.shape[-1] == 2:
        return np.asarray(miss)
    arc = difference(reached[..., 2], goal[..., 2]) * arms.length[..., -1]
    return np.asarray(np.hypot(miss, arc))


def _first_usable(q: Floats, inside: NDArray[np.bool_]) -> Floats:
    cost = np.where(np.isnan(q[..., 0]), 2, np.where(inside, 0, 1))
    chosen = np.argmin(cost, axis=-1)[..., None, None]
    return np.take_along_axis(q, chosen, axis=-2)[..., 0, :]


def _leaves_freedom(problem: InverseProblem) -> NDArray[np.bool_]:
    radius = np.hypot(problem.near.point[..., 0], problem.near.point[..., 1])
    inner, outer = ring(problem.chain)
    if problem.chain.shape[-1] < 2:
        return np.zeros(radius.shape, dtype=bool)
    if problem.chain.shape[-1] == 2:
        # Equal links folded onto the base turn freely about it.
        return (radius <= problem.slack) & (inner <= problem.slack)
    return (radius < outer - problem.slack) & (
        (radius > inner + problem.slack) | (inner <= problem.slack)
    )


def posture_near(
    parameters: Parameters,
    goal: Floats,
    begin: Floats | None,
    posture: Floats | None,
    tolerance: Floats,
) -> Floats:
    """Return for flat batches the posture (B, n) nearest to `begin`, or the best one without it."""
    if begin is None:
        return inverse(parameters, goal, posture=posture).best()
    moved, residual = solve_postures(
        PostureProblem(parameters, goal, None), begin, tolerance=tolerance
    )
    lost = residual > tolerance
    if lost.any():
        found = inverse(parameters.rows(lost), goal[lost])
        q = found.best(near=begin[lost])
        moved[lost] = q + TURN * np.round((begin[lost] - q) / TURN)
    return moved


class Nearest(NamedTuple):
    """The point of the ring nearest to a target, relative to the ring's centre."""

    point: Floats  # (…, 2)
    shortfall: Floats  # (…) distance to the target, 0 inside the ring
    outer: Floats  # (…) outer radius


def ring(length: Floats) -> tuple[Floats, Floats]:
    """Return inner and outer radius (…) of what links of the given lengths (…, m) reach.

    The outer radius is the straight chain. There is a hole only where the longest link is
    longer than all others together: folded back on it, they leave the difference.
    """
    total = np.sum(length, axis=-1)
    longest = np.max(length, axis=-1, initial=0.0)
    return np.maximum(0.0, 2.0 * longest - total), total


def nearest_in_ring(length: Floats, target: Floats) -> Nearest:
    """Move targets (…, 2), relative to the base, into the ring by the shortest way."""
    inner, outer = ring(length)
    radius = np.hypot(target[..., 0], target[..., 1])
    clamped = np.clip(radius, inner, outer)
    # From the very centre every direction is equally near; +x is as good as any.
    at_centre = radius == 0.0
    scale = clamped / np.where(at_centre, 1.0, radius)
    straight = np.stack([clamped, np.zeros_like(clamped)], axis=-1)
    moved = np.where(at_centre[..., None], straight, target * scale[..., None])
    untouched = (clamped == radius)[..., None]
    point = np.where(untouched, target, moved)
    return Nearest(point, np.abs(radius - clamped), outer + np.zeros_like(radius))


def one_link(length: Floats, goal: Floats) -> Floats:
    """Point the one link at the goal: (…, 1, 1)."""
    angle = np.arctan2(goal[..., 1], goal[..., 0]) + 0.0 * length[..., 0]
    return np.asarray(angle[..., None, None])


def two_links(length: Floats, goal: Floats) -> Floats:
    """Return both postures of a two-link chain, (…, 2, 2): sin q_2 ≥ 0 first, then ≤ 0."""
    first, second = length[..., 0], length[..., 1]
    x, y = goal[..., 0], goal[..., 1]
    turn, lean = triangle(first, second, np.hypot(x, y))
    bearing = np.arctan2(y, x)[..., None] - SIGNS * lean[..., None]
    return np.stack([bearing, SIGNS * turn[..., None]], axis=-1)


def triangle(first: Floats, second: Floats, distance: Floats) -> tuple[Floats, Floats]:
    """Solve the triangle of two links and the line to the goal.

    Returns the turn of the second link against the first, in [0, π], and the angle between the
    first link and the line to the goal. With A = (l1+l2)² − r² and B = r² − (l1−l2)² the turn is
    2 atan2(√A, √B): no arccos, and exact where the arm is straight or folded.
    """
    reach, fold = first + second, first - second
    a = np.maximum((reach + distance) * (reach - distance), 0.0)
    b = np.maximum((distance + fold) * (distance - fold), 0.0)
    turn = 2.0 * np.arctan2(np.sqrt(a), np.sqrt(b))
    # From the turn itself, so that the two agree: where one link is tiny, both are ill-conditioned
    # but the direction that they give to the goal is not.
    lean = np.arctan2(second * np.sin(turn), first + second * np.cos(turn))
    return turn, lean


def two_bends(length: Floats, goal: Floats) -> Floats:
    """Return four postures (…, 4, m) of a chain that is straight but for at most two joints.

    Three straight pieces reach all that the chain reaches if the middle piece is the link at
    half the chain's length: then no other piece is longer than half. The end of the middle
    piece is put midway between the nearest and the farthest place that it can take; each of
    the two triangles has two signs.
    """
    m = length.shape[-1]
    middle, pieces = _three_pieces(length)
    first, second, third = (pieces[..., k] for k in range(3))
    x, y = goal[..., 0], goal[..., 1]
    radius = np.hypot(x, y)
    near = np.maximum(np.abs(first - second), np.abs(radius - third))
    far = np.minimum(first + second, radius + third)
    waypoint = 0.5 * (near + np.maximum(near, far))
    inner_turn, inner_lean = triangle(first, second, waypoint)
    outer_turn, outer_lean = triangle(waypoint, third, radius)
    sign_in, sign_out = np.repeat(SIGNS, 2), np.tile(SIGNS, 2)

    bearing = np.arctan2(y, x)[..., None] - sign_out * outer_lean[..., None]
    start = bearing - sign_in * inner_lean[..., None]
    bend = sign_in * inner_turn[..., None]
    last = bearing + sign_out * outer_turn[..., None]
    headings = np.stack([start, start + bend, last], axis=-1)  # absolute, of the pieces

    piece_of_link = np.sign(np.arange(m) - middle[..., None]).astype(int) + 1
    piece_of_link = np.broadcast_to(piece_of_link[..., None, :], (*headings.shape[:-1], m))
    phi = np.take_along_axis(headings, piece_of_link, axis=-1)
    return np.diff(phi, axis=-1, prepend=0.0)


def _three_pieces(length: Floats) -> tuple[np.ndarray, Floats]:
    """Return the link in which half the chain's length falls, and the lengths (…, 3) around it."""
    along = np.cumsum(length, axis=-1)
    total = along[..., -1:]
    middle = np.argmax(along >= 0.5 * total, axis=-1)[..., None]
    up_to = np.take_along_axis(along, middle, axis=-1)
    own = np.take_along_axis(length, middle, axis=-1)
    return middle[..., 0], np.concatenate([up_to - own, own, total - up_to], axis=-1)
