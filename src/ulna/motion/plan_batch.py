"""Planning for several arms or paths at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ulna.arm import Arm, stack
from ulna.arrays import Array
from ulna.dynamics import inverse_dynamics
from ulna.errors import InfeasibleError, InputError, Problem
from ulna.motion.path import Path
from ulna.motion.plan_assembly import SampledMotion, assemble_plan, motion_terms, sample_motion
from ulna.motion.planning_problem import PlanningProblem, PlanOptions, read_problem
from ulna.motion.plans import Plans
from ulna.motion.postures import follow_paths

MOST_AT_ONCE = 200_000  # samples, for each of which the numbers of an arm are laid out


def plan_all(arms: Any, paths: Any, options: PlanOptions) -> Plans:
    """Plan for lists of arms, of paths, or of both in pairs."""
    problems = _read_problems(arms, paths, options)
    all_followed = follow_paths(problems, options.posture, options.floor)
    motions = [
        sample_motion(problem, followed, options)
        for problem, followed in zip(problems, all_followed, strict=True)
    ]
    rows = _stacked([motion.rows for motion in motions], axis=1)
    tau = _torques(problems, rows, motions)
    members = []
    for place, (problem, followed, motion) in enumerate(
        zip(problems, all_followed, motions, strict=True)
    ):
        count = len(motion.times)
        own = motion._replace(rows=rows[place][:, :count])
        compute_terms = partial(motion_terms, problem, own)
        members.append(
            assemble_plan(problem, followed, own, tau[place, :count], compute_terms, options)
        )
    for values in (rows, tau):
        values.flags.writeable = False
    q, qd, qdd = rows.swapaxes(0, 1)
    return Plans(tuple(members), _times(motions), q, qd, qdd, tau)


def _read_problems(arms: Any, paths: Any, options: PlanOptions) -> list[PlanningProblem]:
    """Pair arms and paths, and check each pair; errors name the member."""
    lists = {
        name: values
        for name, values in (("arms", arms), ("paths", paths))
        if isinstance(values, list | tuple)
    }
    for name, values in lists.items():
        if not values:
            raise InputError(Problem(name, "none", "at least one"))
    counts = {len(values) for values in lists.values()}
    if len(counts) > 1:
        got = f"{len(paths)} paths for {len(arms)} arms"
        raise InputError(Problem("paths", got, "as many as arms, or one for all"))
    (count,) = counts
    each_arm = arms if "arms" in lists else [arms] * count
    each_path = paths if "paths" in lists else [paths] * count
    name, problems = next(iter(lists)), list[PlanningProblem]()
    for place, (arm, path) in enumerate(zip(each_arm, each_path, strict=True)):
        problems.append(_read_member(arm, path, options, f"{name}[{place}]", problems))
    return problems


def _read_member(
    arm: Arm, path: Path, options: PlanOptions, place: str, before: list[PlanningProblem]
) -> PlanningProblem:
    try:
        problem = read_problem(arm, path, options)
        if before and before[0].arm.n != problem.arm.n:
            need = f"{before[0].arm.n}, as many as the first has"
            raise InputError(Problem("arm", f"{problem.arm.n} links", need, "plan each n apart"))
    except InputError as error:
        told = [problem.at(place) for problem in error.problems]
        raise InputError(told or f"{place}: {error}") from None
    except InfeasibleError as error:
        raise InfeasibleError(f"{place}: {error}") from None
    return problem


def _stacked(parts: Sequence[Array], axis: int) -> Array:
    """Stack arrays that may be of different lengths along an axis; NaN fills what is missing."""
    longest = max(part.shape[axis] for part in parts)
    shape = list(parts[0].shape)
    shape[axis] = longest
    whole = np.full((len(parts), *shape), np.nan)
    for place, part in zip(whole, parts, strict=True):
        place[(slice(None),) * axis + (slice(part.shape[axis]),)] = part
    return whole


def _torques(
    problems: Sequence[PlanningProblem], rows: Array, motions: Sequence[SampledMotion]
) -> Array:
    """Return the torques (B, S, n) of motions (B, 3, S, n), many members in one call."""
    shared = all(problem.arm is problems[0].arm for problem in problems)
    forces = [motion.force for motion in motions if motion.force is not None]
    force = _stacked(forces, axis=0) if forces else None
    tau = np.empty(rows[:, 0].shape)
    at_once = max(1, MOST_AT_ONCE // rows.shape[2])
    for first in range(0, len(problems), at_once):
        part = slice(first, first + at_once)
        arm = (
            problems[0].arm
            if shared
            else stack(problem.arm for problem in problems[part]).per_sample()
        )
        q, qd, qdd = rows[part].swapaxes(0, 1)
        tip_force = None if force is None else force[part]
        tau[part] = inverse_dynamics(arm, q, qd, qdd, tip_force=tip_force)
    return tau


def _times(motions: Sequence[SampledMotion]) -> Array:
    """Return the times once, or for every member where they differ."""
    first = motions[0].times
    if all(np.array_equal(motion.times, first) for motion in motions):
        return first
    times = _stacked([motion.times for motion in motions], axis=0)
    times.flags.writeable = False
    return times
