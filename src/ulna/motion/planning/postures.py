"""The joint motion along a path: postures at waypoints, and between them exact at every place.

Postures are found one after the other. They determine on which side the elbow is, in which turn
every joint, and where the joints of a redundant arm go in its null space.

Two links form a triangle with the line to the target, solved on the side and in the turn that
the postures have. With r_k the vector from joint k to the tip and D = r_1 × r_2, the velocity v of
the tip along r_1 is the elbow's doing alone, and across it both joints':

    v · r_1 = −D q̇_2            r_1 × v = r_1² q̇_1 + r_1 · r_2 q̇_2

The same holds of accelerations, once the centripetal ones are taken off. Where the arm is straight
D vanishes, and going round with a straight arm has q̇_2 = 0: that is why it is solved in this order.

The joints of a redundant arm run along a smooth curve q̃(t) through the postures, and are moved from
it, as little as possible, to where the tip is on its path:

    q = q̃ + J̃ᵀ λ        tip(q) = p          J̃ the Jacobian at q̃, λ two Lagrange multipliers

Differentiating both once and twice gives λ̇ and λ̈, and with them the exact rates:

    J (q̃' + J̃'ᵀ λ + J̃ᵀ λ̇) = ṗ
    J (q̃'' + J̃''ᵀ λ + 2 J̃'ᵀ λ̇ + J̃ᵀ λ̈) = p̈ − J̇ q̇

Points and columns of Jacobians are complex numbers there, x + i y.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ulna.actuation.friction import depends_on_direction, rates_along
from ulna.angles import TURN, wrap
from ulna.arm import Arm, Parameters, stack
from ulna.arm.parameters import SLACK, are_limited
from ulna.arrays import Array
from ulna.errors import InputError, Problem
from ulna.kinematics import Tracked
from ulna.kinematics.inverse_kinematics import inverse, triangle
from ulna.kinematics.path_tracking import track
from ulna.motion.paths.curves import Cubics, Curve
from ulna.motion.paths.path import BESIDE
from ulna.motion.paths.shapes import unit
from ulna.motion.planning.plan_samples import SAMPLES as SAMPLE_COUNT
from ulna.motion.planning.plan_samples import sample_times
from ulna.motion.trajectory import Solver, Trajectory
from ulna.typing import AngleLike, Branch

if TYPE_CHECKING:
    from ulna.motion.planning.plan import PlanningProblem

STEP = 0.02  # of the reach, between two postures
# Waypoints at least: of two links, and of redundant arms, which take longer.
LEAST_WAYPOINTS = (2000, 401)
MOST_WAYPOINTS = (1_000_000, 20_000)
FEW = 20  # points of a path that first postures are tried on
SAMPLES = 500  # of the speed along a path, at least: PIECE for each smooth piece of few, and
PIECE, FEWEST, MANY = 21, 3, 100_000  # FEWEST where pieces are so many that there would be more
MOST_AT_ONCE = 32_000  # waypoints: more do not fit into the memory close to a processor
# Between waypoints of redundant arms, limits are looked at so many times; where they are passed,
# tracking is tried again, so often, with limits narrower by so many times what they are passed by.
BETWEEN, RETRIES, NARROWER = 4, 4, 1.5
NEAR_LIMIT = np.radians(2.0)  # [rad] closer than that to a limit, a spline may pass it
CENTRE = 1e-12  # of the links: closer to the base than that, a target has no direction
TINY = np.finfo(float).tiny
SMALLEST = 1e-7  # of |r_1| |r_2|: a smaller D is damped, so that rates stay finite
ITERATIONS = 6  # of Newton's method; two suffice where postures lie close together
SINGULAR = 1e-7  # a determinant, of the squared entries, below which solving is damped
DAMPING = 1e-12  # of the squared entries
ENDING = 1e-6  # of the duration, before its end


class SampledMotion(NamedTuple):
    """A path as it is followed: the trajectory, the postures that it was found by, its samples."""

    trajectory: Trajectory
    tracked: Tracked | None  # None where the path is one of joints
    known: Array  # (w,) [s] at which postures were found
    times: Array  # (k,) [s] of the samples
    rows: Array  # (3, k, n) angles, rates, accelerations
    force: Array | None  # (k, 3) on the tip


class Waypoints(NamedTuple):
    """Points of a path at which postures are searched for, and how."""

    times: Array  # (k,) [s]
    points: Array  # (k, 2)
    start: AngleLike | Branch | None  # the posture to begin with
    options: dict[str, Any]  # of tracking

    def track(self, arm: Arm | Parameters) -> Tracked:
        """Find the postures."""
        return track(arm, self.points, self.start, **self.options)


def follow_paths(problems: Sequence[PlanningProblem]) -> list[SampledMotion]:
    """Follow paths with arms, those that are alike side by side, and sample the motions."""
    waypoints = {
        k: _waypoints(problem) for k, problem in enumerate(problems) if not problem.path.in_joints
    }
    tracked = _track_all([problem.arm for problem in problems], waypoints)
    return [
        sample_motion(problem, *_follow(problem, waypoints[k], tracked[k]), waypoints[k].times)
        if k in waypoints
        else sample_motion(problem, _trajectory(problem, None), None, problem.times)
        for k, problem in enumerate(problems)
    ]


def sample_motion(
    problem: PlanningProblem, trajectory: Trajectory, tracked: Tracked | None, known: Array
) -> SampledMotion:
    """Return the joints at the samples, by exact derivatives or by differences."""
    request, times = problem.request, problem.times
    if request.rate is None and request.derivatives == "exact":
        times = sample_times(trajectory, SAMPLE_COUNT)
    rows = trajectory.rows(times)
    if request.derivatives == "finite":
        rows = by_differences(rows[0], float(times[1] - times[0]))
        times = times[1:-1]
    force = None if request.force is None else request.force(times)
    return SampledMotion(trajectory, tracked, known, times, rows, force)


def by_differences(q: Array, dt: float) -> Array:
    """Return q, q̇ and q̈ (3, k−2, n) of angles (k, n), dt apart.

    The rate between two samples is their difference, wrapped into half a turn either way, over dt,
    and the acceleration at a sample the difference of the rates around it, wrapped too. The rate
    that goes with a sample is the one before it, and the two ends have none.
    """
    rate = wrap(np.diff(q, axis=0)) / dt
    turning = wrap(np.diff(rate, axis=0)) / dt
    return np.stack([q[1:-1], rate[:-1], turning])


def sliding_to_rest(trajectory: Trajectory, times: Array, rows: Any) -> Any:
    """Return q, q̇ and q̈ (…, n) with joints that come to rest at the end sliding until then.

    Friction and gears act on a joint at rest as on one that starts: by its acceleration. At the end
    that would be the wrong way.
    """
    if not depends_on_direction(trajectory.arm):
        return rows
    q, qd, qdd = rows
    ends = np.abs(times - trajectory.duration) <= ENDING * trajectory.duration
    stops = ends[..., None] & (qd == 0.0)
    return np.stack([q, np.where(stops, rates_along(-np.sign(qdd), qd), qd), qdd])


def _trajectory(problem: PlanningProblem, solver: Solver | None) -> Trajectory:
    return Trajectory(problem.arm, problem.path, problem.timing, problem.lasting, solver)


def _follow(
    problem: PlanningProblem, waypoints: Waypoints, tracked: Tracked
) -> tuple[Trajectory, Tracked]:
    """Return the trajectory through postures; that of a redundant arm within its limits."""
    trajectory = _through(problem, waypoints.times, tracked)
    if problem.arm.n <= 2 or not _is_near_limit(problem.arm, tracked):
        return trajectory, tracked
    margin = 0.0
    best, least = (trajectory, tracked), _passed_by(problem.arm, waypoints.times, trajectory)
    for _ in range(RETRIES):
        if not least > 0.0:
            break
        margin += NARROWER * least
        again = _track_inside(problem.arm, waypoints, margin)
        if not again.ok.all():
            break
        trajectory = _through(problem, waypoints.times, again)
        passed = _passed_by(problem.arm, waypoints.times, trajectory)
        if passed < least:
            best, least = (trajectory, again), passed
    return best


def _through(problem: PlanningProblem, times: Array, tracked: Tracked) -> Trajectory:
    good: Array = np.isfinite(tracked.q).all(axis=-1)
    if not good.any():
        good[:] = True
    solver = _make_solver(problem.arm, times[good], np.nan_to_num(tracked.q[good]))
    return _trajectory(problem, solver)


def _is_near_limit(arm: Arm, tracked: Tracked) -> bool:
    """Return whether a path that is followed everywhere brings a joint close to a limit."""
    lower, upper = arm.parameters.lower + NEAR_LIMIT, arm.parameters.upper - NEAR_LIMIT
    return bool(tracked.ok.all() and ((tracked.q < lower) | (tracked.q > upper)).any())


def _passed_by(arm: Arm, times: Array, trajectory: Trajectory) -> float:
    """Return the angle [rad] by which joints pass their limits between waypoints."""
    first, last = times[:-1, None], times[1:, None]
    between = first + (last - first) * np.linspace(0.0, 1.0, BETWEEN, endpoint=False)
    q = trajectory(between.ravel()).q
    excess = np.maximum(arm.parameters.lower - q, q - arm.parameters.upper).max()
    return float(excess) if excess > SLACK else 0.0


def _track_inside(arm: Arm, waypoints: Waypoints, margin: float) -> Tracked:
    """Track a path with limits narrower by a margin [rad], where a joint has room for that."""
    p = arm.parameters
    margins = np.minimum(margin, 0.25 * (p.upper - p.lower))
    narrow = p._replace(lower=p.lower + margins, upper=p.upper - margins)
    return replace(waypoints.track(narrow), arm=arm)


def _waypoints(problem: PlanningProblem) -> Waypoints:
    u = np.linspace(0.0, 1.0, _count_waypoints(problem))
    points = problem.timing.points(problem.path, u)[0]
    options = {"posture": problem.request.posture, "floor": problem.request.floor}
    waypoints = Waypoints(problem.lasting * u, points, problem.start, options)
    return waypoints._replace(start=_first_posture(problem.arm, waypoints))


def _first_posture(arm: Arm, waypoints: Waypoints) -> AngleLike | Branch | None:
    """Return the first posture from which limits allow most of a path; None without limits."""
    if waypoints.start is not None or not are_limited(arm.parameters):
        return waypoints.start
    first, points = inverse(arm, waypoints.points[0]), waypoints.points
    few = points[:: max(len(points) // FEW, 1)] if arm.n > 2 else points
    best, most = None, -1
    for posture in first.q[first.within_limits]:
        followed_well = int(waypoints._replace(points=few, start=posture).track(arm).ok.sum())
        if followed_well > most:
            best, most = posture, followed_well
        if most == len(few):
            break
    return best


def _track_all(arms: Sequence[Arm], waypoints: dict[int, Waypoints]) -> dict[int, Tracked]:
    """Track all paths, those with as many joints and waypoints in one call."""
    alike: dict[Any, list[int]] = {}
    for k, one in waypoints.items():
        begin = one.start if one.start is None or isinstance(one.start, str) else "angles"
        alike.setdefault((arms[k].n, len(one.points), begin), []).append(k)
    tracked: dict[int, Tracked] = {}
    for (_, count, _), members in alike.items():
        at_once = max(1, MOST_AT_ONCE // count)
        for first in range(0, len(members), at_once):
            part = members[first : first + at_once]
            found = _track_together([arms[k] for k in part], [waypoints[k] for k in part])
            tracked |= dict(zip(part, found, strict=True))
    return tracked


def _track_together(arms: list[Arm], waypoints: list[Waypoints]) -> list[Tracked]:
    arm, first, starts = arms[0], waypoints[0], [one.start for one in waypoints]
    if len(arms) == 1:
        return [first.track(arm)]
    if any(one is not first.start for one in starts) and not isinstance(first.start, str):
        first = first._replace(start=np.array(starts))
    shared = all(one is arm for one in arms)
    together = first._replace(points=np.stack([one.points for one in waypoints]))
    found = together.track(arm if shared else stack(arms))
    return [found.path(place) for place in range(len(arms))]


def _count_waypoints(problem: PlanningProblem) -> int:
    """Return how many waypoints keep the tip's step between two so small that no turn is lost."""
    arm, path, timing = problem.arm, problem.path, problem.timing
    edges = timing.edges(path)
    least = min(PIECE, max(FEWEST, MANY // len(edges)))
    parts = [
        np.linspace(first + BESIDE, last - BESIDE, max(least, math.ceil(SAMPLES * (last - first))))
        for first, last in pairwise(edges)
    ]
    speed = np.linalg.norm(timing.points(path, np.concatenate(parts))[1], axis=-1)
    least, most = LEAST_WAYPOINTS[arm.n > 2], MOST_WAYPOINTS[arm.n > 2]
    count: int = max(least, math.ceil(1.2 * float(np.max(speed)) / (STEP * arm.reach)))
    if count > most:
        got = f"{path}, which is {count / most:.3g} times too long to be followed at once"
        raise InputError(Problem("path", got, "a shorter one", "plan it in parts"))
    return count


def _make_solver(arm: Arm, times: Array, known: Array) -> Solver:
    """Return what follows a path near postures (k, n) that are known at times (k,)."""
    if arm.n == 1:
        return OneLinkSolver(arm, times, known)
    if arm.n == 2:
        return TwoLinkSolver(arm, times, known, _signs(np.sin(known[:, 1])))
    return RedundantSolver(arm, _smooth(times, known))


def _signs(values: Array) -> Array:
    """Return the signs of values (k,), where there is none that of the one before, or the next."""
    signs = np.sign(values)
    has = np.flatnonzero(signs)
    if not len(has):
        return np.ones_like(signs)
    last = np.clip(np.searchsorted(has, np.arange(len(signs)), "right") - 1, 0, None)
    return np.asarray(signs[has[last]])


def _smooth(times: Array, known: Array) -> Curve:
    """Return a curve (3, t, n) through postures, with two derivatives by time."""
    from scipy.interpolate import CubicSpline

    if len(times) == 1:
        powers = np.concatenate([np.zeros((3, *known.shape)), known[None]])
        return Cubics(np.array([times[0], times[0]]), powers)
    return Cubics.of(CubicSpline(times, known))


@dataclass(frozen=True, eq=False)
class OneLinkSolver:
    """Points the one link at the path, which has to lie on its circle."""

    arm: Arm
    times: Array  # (k,) [s] at which
    known: Array  # (k, 1) [rad] postures are known

    def __call__(self, t: Array, points: Array) -> Array:
        """Return q, q̇ and q̈ (3, k, 1)."""
        lever = points[0] - np.array(self.arm.base)
        found = np.arctan2(lever[:, 1], lever[:, 0])
        close = np.interp(t, self.times, self.known[:, 0])
        rows = [found + TURN * np.round((close - found) / TURN)]
        square = np.sum(lever**2, axis=-1)
        rows += [
            (lever[:, 0] * asked[:, 1] - lever[:, 1] * asked[:, 0]) / square for asked in points[1:]
        ]
        return np.stack(rows)[..., None]


@dataclass(frozen=True, eq=False)
class TwoLinkSolver:
    """Solves the triangle of two links, near postures known at knots in time."""

    arm: Arm
    times: Array  # (k,) [s] of the knots
    known: Array  # (k, 2) [rad] postures there
    bend: Array  # (k,) the sign of sin q_2 there

    def __call__(self, t: Array, points: Array) -> Array:
        """Return q, q̇ and q̈ (3, k, 2)."""
        place, velocity, acceleration = np.ascontiguousarray(points.transpose(0, 2, 1))
        x, y = place - np.array(self.arm.base)[:, None]
        l1, l2 = self.arm.parameters.length
        square = x * x + y * y
        q1, q2 = self._place(t, x, y, np.sqrt(square))
        # r_1 × r_2 = l1 l2 sin q_2 and r_1 · r_2, of the triangle with sides l1, l2 and |r_1|.
        area, shared = l1 * l2 * np.sin(q2), 0.5 * (square + (l2**2 - l1**2))
        part = area / np.maximum(area * area + (SMALLEST * l2) ** 2 * square, TINY)
        # Close to the base, where the tip has no bearing, the rate of it is damped as well.
        around = square / (square * square + (SMALLEST * self.arm.reach) ** 4)

        def rates(u: Array, v: Array) -> tuple[Array, Array]:
            elbow = -part * (x * u + y * v)
            return around * (x * v - y * u - shared * elbow), elbow

        w1, w2 = rates(*velocity)
        heading = q1 + q2
        forearm_x, forearm_y = l2 * np.cos(heading), l2 * np.sin(heading)
        spin, whirl = w1 * w1, (w1 + w2) ** 2 - w1 * w1
        a1, a2 = rates(
            acceleration[0] + spin * x + whirl * forearm_x,
            acceleration[1] + spin * y + whirl * forearm_y,
        )
        rows = np.empty((3, len(t), 2))
        for row, parts in zip(rows, ((q1, q2), (w1, w2), (a1, a2)), strict=True):
            row[:, 0], row[:, 1] = parts
        return rows

    def _place(self, t: Array, x: Array, y: Array, distance: Array) -> Array:
        """Return the angles (2, k) on the side and in the turn that the knots have."""
        first, second = self.arm.parameters.length
        turn, lean = triangle(first, second, distance)
        bearing = np.arctan2(y, x)
        knot = np.clip(np.searchsorted(self.times, t, "right") - 1, 0, len(self.bend) - 1)
        before, after = self.bend[knot], self.bend[np.minimum(knot + 1, len(self.bend) - 1)]

        def posture(sign: Array, near: Array) -> Array:
            found = np.stack([bearing - sign * lean, sign * turn])
            return np.asarray(found + TURN * np.round((near - found) / TURN))

        # At the very centre any direction will do, and the knots say which.
        centre = distance <= CENTRE * (first + second)
        if (before == after).all() and not centre.any():
            return posture(before, self.known.T[:, knot])
        near = np.stack([np.interp(t, self.times, angles) for angles in self.known.T])
        found, other = posture(before, near), posture(after, near)
        # The side changes between two knots: whichever is nearer to what lies between them.
        closer = np.abs(other - near).sum(axis=0) < np.abs(found - near).sum(axis=0)
        found = np.asarray(np.where(closer, other, found))
        found[0] = np.where(centre, near[0], found[0])
        return found


@dataclass(frozen=True, eq=False)
class RedundantSolver:
    """Computes q, q̇, q̈ for points on a path, close to a smooth curve of postures in time."""

    arm: Arm
    nearby: Curve  # of time: all angles with two derivatives (3, t, n)

    def __call__(self, t: Array, points: Array) -> Array:
        """Return q, q̇ and q̈ (3, k, n) for points with two derivatives (3, k, 2)."""
        # Points (…, 2) as x + i y.
        position, velocity, acceleration = np.ascontiguousarray(points).view(complex)[..., 0]
        guess, rate, joint_acceleration = self.nearby(t)
        links = self._links(guess)
        omega, alpha = np.cumsum(rate, axis=-1), np.cumsum(joint_acceleration, axis=-1)
        columns, first, second = (
            1j * _beyond(links * factor) for factor in (1.0, 1j * omega, 1j * alpha - omega**2)
        )
        q, multipliers = self._reach(guess, columns, position)
        links = self._links(q)
        J = 1j * _beyond(links)
        known = rate + _along(first, multipliers)
        multiplier_rate = _solve(J, columns, velocity - np.sum(J * known, axis=-1))
        qd = known + _along(columns, multiplier_rate)
        inward = np.sum(links * np.cumsum(qd, axis=-1) ** 2, axis=-1)
        known = (
            joint_acceleration + _along(second, multipliers) + 2.0 * _along(first, multiplier_rate)
        )
        multiplier_acceleration = _solve(
            J, columns, acceleration + inward - np.sum(J * known, axis=-1)
        )
        return np.stack([q, qd, known + _along(columns, multiplier_acceleration)])

    def _links(self, q: Array) -> Array:
        """Return the vectors (k, n) along the links in postures (k, n)."""
        return np.asarray(self.arm.parameters.length * unit(np.cumsum(q, axis=-1)))

    def _reach(self, guess: Array, columns: Array, goal: Array) -> tuple[Array, Array]:
        """Find the multipliers that bring the tip to its goal; return the angles and them (k,)."""
        base, multipliers, q = complex(*self.arm.base), np.zeros_like(goal), guess
        for _ in range(ITERATIONS):
            levers = _beyond(self._links(q))
            gap = goal - base - levers[:, 0]
            # Each on its own, so that a result does not depend on the other points.
            unsolved = np.abs(gap) > np.finfo(float).eps * self.arm.reach
            if not unsolved.any():
                break
            multipliers = np.where(
                unsolved, multipliers + _solve(1j * levers, columns, gap), multipliers
            )
            q = guess + _along(columns, multipliers)
        return q, multipliers


def _beyond(parts: Array) -> Array:
    """Return the sums (k, n) from every joint to the tip."""
    return np.cumsum(parts[:, ::-1], axis=-1)[:, ::-1]


def _along(columns: Array, multipliers: Array) -> Array:
    """Return the motion of joints (k, n) for multipliers (k,) and these columns: J̃ᵀ λ."""
    return np.real(np.conj(columns) * multipliers[:, None])


def _solve(rows: Array, columns: Array, goal: Array) -> Array:
    """Return the multipliers λ (k,) with Σ rows · (columns · λ) = goal, damped where singular."""
    by_x, by_y = (np.sum(rows * part, axis=-1) for part in (columns.real, columns.imag))
    area = by_x.real * by_y.imag - by_x.imag * by_y.real
    x = goal.real * by_y.imag - goal.imag * by_y.real
    y = by_x.real * goal.imag - by_x.imag * goal.real
    size = np.abs(by_x) ** 2 + np.abs(by_y) ** 2
    found = (x + 1j * y) / np.where(area == 0.0, 1.0, area)
    singular = np.abs(area) <= SINGULAR * size
    if not singular.any():
        return np.asarray(found)
    return np.where(singular, _least_squares(by_x, by_y, goal, DAMPING * size), found)


def _least_squares(by_x: Array, by_y: Array, goal: Array, damping: Array) -> Array:
    """Return the same by damped least squares, which keeps what can be moved moving."""
    xx, yy = np.abs(by_x) ** 2 + damping, np.abs(by_y) ** 2 + damping
    xy = np.real(np.conj(by_x) * by_y)
    to_x, to_y = np.real(np.conj(by_x) * goal), np.real(np.conj(by_y) * goal)
    area = np.maximum(xx * yy - xy**2, np.finfo(float).tiny)
    return np.asarray((yy * to_x - xy * to_y + 1j * (xx * to_y - xy * to_x)) / area)
