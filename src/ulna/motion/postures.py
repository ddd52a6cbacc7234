"""Postures at waypoints of a path, found one after the other before anything is exact.

They determine on which side the elbow is, in which turn every joint, and where the joints of a
redundant arm go in its null space; between them the solvers of `solving` are exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ulna.arm import Arm, stack
from ulna.arrays import Array
from ulna.errors import InputError, Problem
from ulna.kinematics import Tracked
from ulna.kinematics.inverse_kinematics import inverse
from ulna.kinematics.limits import SLACK, are_limited
from ulna.kinematics.path_tracking import track
from ulna.motion.path import Path
from ulna.motion.planning_problem import PlanningProblem
from ulna.motion.solving import make_solver
from ulna.motion.timing import Timing
from ulna.motion.trajectory import Trajectory
from ulna.typing import AngleLike, Branch

STEP = 0.02  # of the reach, between two postures
# Waypoints at least: of two links, and of redundant arms, which take longer.
LEAST_WAYPOINTS = (2000, 401)
MOST_WAYPOINTS = (1_000_000, 20_000)
FEW = 20  # points of a path that first postures are tried on
MOST_AT_ONCE = 32_000  # waypoints: more do not fit into the memory close to a processor
# Between waypoints of redundant arms, limits are looked at so many times; where they are passed,
# tracking is tried again, so often, with limits narrower by so many times what they are passed by.
BETWEEN, RETRIES, NARROWER = 4, 4, 1.5
NEAR_LIMIT = np.radians(2.0)  # [rad] closer than that to a limit, a spline may pass it


class TrackedTrajectory(NamedTuple):
    """How a path is followed: the trajectory, and the tracked joint angles with their times."""

    trajectory: Trajectory
    tracked: Tracked | None  # None where the path is one of joints
    known: Array  # (k,) [s]


class Waypoints(NamedTuple):
    """Points of a path at which postures are searched for."""

    times: Array  # (k,) [s]
    points: Array  # (k, 2)
    start: AngleLike | Branch | None  # the posture to begin with


def follow_paths(
    problems: Sequence[PlanningProblem], posture: AngleLike | None, floor: float | None
) -> list[TrackedTrajectory]:
    """Follow paths with arms, those that are alike side by side."""
    options = {"posture": posture, "floor": floor}
    waypoints = {
        k: _waypoints(problem, options)
        for k, problem in enumerate(problems)
        if not problem.path.in_joints
    }
    tracked = _track_all(problems, waypoints, options)
    return [
        _follow(problem, waypoints[k], tracked[k], options)
        if k in waypoints
        else _follow_joints(problem)
        for k, problem in enumerate(problems)
    ]


def _follow_joints(problem: PlanningProblem) -> TrackedTrajectory:
    timing_choice = problem.timing_choice
    return TrackedTrajectory(
        Trajectory(problem.arm, problem.path, timing_choice.timing, timing_choice.duration, None),
        None,
        problem.times,
    )


def _follow(
    problem: PlanningProblem, waypoints: Waypoints, tracked: Tracked, options: dict[str, Any]
) -> TrackedTrajectory:
    """Return the trajectory through postures; that of a redundant arm within its limits."""
    trajectory = _through(problem, waypoints, tracked)
    if problem.arm.n <= 2 or not _is_near_limit(problem.arm, tracked):
        return TrackedTrajectory(trajectory, tracked, waypoints.times)
    margin = 0.0
    best, least = (trajectory, tracked), _passed_by(problem.arm, waypoints.times, trajectory)
    for _ in range(RETRIES):
        if not least > 0.0:
            break
        margin += NARROWER * least
        again = _track_inside(problem.arm, waypoints, margin, options)
        if not again.ok.all():
            break
        trajectory = _through(problem, waypoints, again)
        passed = _passed_by(problem.arm, waypoints.times, trajectory)
        if passed < least:
            best, least = (trajectory, again), passed
    return TrackedTrajectory(*best, waypoints.times)


def _through(problem: PlanningProblem, waypoints: Waypoints, tracked: Tracked) -> Trajectory:
    good: Array = np.isfinite(tracked.q).all(axis=-1)
    if not good.any():
        good[:] = True
    solver = make_solver(problem.arm, waypoints.times[good], np.nan_to_num(tracked.q[good]))
    timing_choice = problem.timing_choice
    return Trajectory(
        problem.arm, problem.path, timing_choice.timing, timing_choice.duration, solver
    )


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


def _track_inside(
    arm: Arm, waypoints: Waypoints, margin: float, options: dict[str, Any]
) -> Tracked:
    """Track a path with limits narrower by a margin [rad], where a joint has room for that."""
    p = arm.parameters
    margins = np.minimum(margin, 0.25 * (p.upper - p.lower))
    narrow = p._replace(lower=p.lower + margins, upper=p.upper - margins)
    return replace(track(narrow, waypoints.points, waypoints.start, **options), arm=arm)


def _waypoints(problem: PlanningProblem, options: dict[str, Any]) -> Waypoints:
    timing = problem.timing_choice.timing
    u = np.linspace(0.0, 1.0, _count_waypoints(problem.arm, problem.path, timing))
    points = timing.points(problem.path, u)[0]
    start = _first_posture(problem.arm, points, options) if problem.start is None else problem.start
    return Waypoints(problem.timing_choice.duration * u, points, start)


def _first_posture(arm: Arm, points: Array, options: dict[str, Any]) -> Array | None:
    """Return the first posture from which limits allow most of a path; None without limits."""
    if not are_limited(arm.parameters):
        return None
    first = inverse(arm, points[0])
    few = points[:: max(len(points) // FEW, 1)] if arm.n > 2 else points
    best, most = None, -1
    for posture in first.q[first.within_limits]:
        followed_well = int(track(arm, few, posture, **options).ok.sum())
        if followed_well > most:
            best, most = posture, followed_well
        if most == len(few):
            break
    return best


def _track_all(
    problems: Sequence[PlanningProblem], waypoints: dict[int, Waypoints], options: dict[str, Any]
) -> dict[int, Tracked]:
    """Track all paths, those with as many joints and waypoints in one call."""
    alike: dict[Any, list[int]] = {}
    for k, one in waypoints.items():
        begin = one.start if one.start is None or isinstance(one.start, str) else "angles"
        alike.setdefault((problems[k].arm.n, len(one.points), begin), []).append(k)
    tracked: dict[int, Tracked] = {}
    for (_, count, _), members in alike.items():
        at_once = max(1, MOST_AT_ONCE // count)
        for first in range(0, len(members), at_once):
            part = members[first : first + at_once]
            tracked |= _track_together(part, problems, waypoints, options)
    return tracked


def _track_together(
    members: list[int],
    problems: Sequence[PlanningProblem],
    waypoints: dict[int, Waypoints],
    options: dict[str, Any],
) -> dict[int, Tracked]:
    first = members[0]
    arms, starts = [problems[k].arm for k in members], [waypoints[k].start for k in members]
    arm, start = arms[0], starts[0]
    if len(members) == 1:
        return {first: track(arm, waypoints[first].points, start, **options)}
    if any(one is not start for one in starts) and not isinstance(start, str):
        start = np.array(starts)
    shared = all(one is arm for one in arms)
    points = np.stack([waypoints[k].points for k in members])
    found = track(arm if shared else stack(arms), points, start, **options)
    return {k: found.path(place) for place, k in enumerate(members)}


def _count_waypoints(arm: Arm, path: Path, timing: Timing) -> int:
    """Return how many waypoints keep the tip's step between two so small that no turn is lost."""
    speed = np.linalg.norm(timing.points(path, timing.sample_parts(path))[1], axis=-1)
    least, most = LEAST_WAYPOINTS[arm.n > 2], MOST_WAYPOINTS[arm.n > 2]
    count = max(least, math.ceil(1.2 * float(np.max(speed)) / (STEP * arm.reach)))
    if count > most:
        got = f"{path}, which is {count / most:.3g} times too long to be followed at once"
        raise InputError(Problem("path", got, "a shorter one", "plan it in parts"))
    return count
