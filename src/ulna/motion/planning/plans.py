"""Plans of several arms or paths, found side by side: a sequence with stacked arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ulna.actuation.friction import efficiencies
from ulna.arm import Arm, stack
from ulna.arrays import Array, freeze
from ulna.errors import InfeasibleError, InputError, Problem
from ulna.motion.planning.demands import motion_torques
from ulna.motion.planning.fastest_timing import follow_timed
from ulna.motion.planning.plan import PlanningProblem, assemble_plan, opened
from ulna.motion.planning.plan_request import PlanKeywords, PlanRequest
from ulna.motion.planning.plan_result import Plan
from ulna.motion.planning.postures import SampledMotion, sliding_to_rest

MOST_AT_ONCE = 200_000  # samples, for each of which the numbers of an arm are laid out
MOST_SHOWN = 8  # of those that are not ok


@dataclass(frozen=True, eq=False, repr=False)
class Plans(Sequence[Plan]):
    """Plans of several arms or paths: a sequence, with their arrays stacked.

    They are in the order in which arms or paths were passed. Where one ends before others, because
    it is shorter at the same rate, its rows after that are NaN.

    Attributes
    ----------
    members : tuple of Plan
        The plans.
    t : ndarray, shape (S,) or (B, S)
        Times [s] of the samples; (B, S) where they differ.
    q : ndarray, shape (B, S, n)
        Joint angles [rad]; NaN where a path is out of reach.
    qd : ndarray, shape (B, S, n)
        Joint rates [rad/s].
    qdd : ndarray, shape (B, S, n)
        Joint accelerations [rad/s²].
    tau : ndarray, shape (B, S, n)
        Joint torques [N·m].
    """

    members: tuple[Plan, ...]
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array

    def __len__(self) -> int:
        return len(self.members)

    @overload
    def __getitem__(self, place: int) -> Plan: ...
    @overload
    def __getitem__(self, place: slice) -> Plans: ...
    def __getitem__(self, place: int | slice) -> Plan | Plans:
        if not isinstance(place, slice):
            return self.members[place]
        t = self.t if self.t.ndim == 1 else self.t[place]
        stacked = (values[place] for values in (self.q, self.qd, self.qdd, self.tau))
        return Plans(self.members[place], t, *stacked)

    @property
    def ok(self) -> NDArray[np.bool_]:
        """Whether each arm can do its path (B,): all in reach, and no limit passed."""
        return np.array([plan.ok for plan in self.members], dtype=bool)

    @property
    def feasible(self) -> NDArray[np.bool_]:
        """Whether there is a motion for each (B,)."""
        return np.array([plan.feasible for plan in self.members], dtype=bool)

    @property
    def duration(self) -> Array:
        """How long each takes (B,) [s]."""
        return np.array([plan.duration for plan in self.members])

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        freeze(self.t, self.q, self.qd, self.qdd, self.tau)

    def __repr__(self) -> str:
        good = int(self.ok.sum())
        lines = [f"Plans: {good} of {len(self)} can be done, {self.q.shape[1]} samples each"]
        bad = np.flatnonzero(~self.ok)
        for place in bad[:MOST_SHOWN]:
            plan = self.members[place]
            texts = [one.text for one in plan.problems if one.blocks or one.exceeds]
            lines.append(f"  [{place}] {plan.path}: {texts[0]}")
        if len(bad) > MOST_SHOWN:
            lines.append(f"  and {len(bad) - MOST_SHOWN} more that cannot")
        return "\n".join(lines)


def plan_all(arms: Any, paths: Any, options: PlanKeywords) -> Plans:
    """Plan for lists of arms, of paths, or of both in pairs."""
    problems = _problems(arms, paths, options)
    problems, motions = follow_timed(problems)
    rows = _stacked([motion.rows for motion in motions], axis=1)
    arms, sliding = [problem.arm for problem in problems], rows
    if any(arm.has_friction for arm in arms):
        parts = [sliding_to_rest(one.trajectory, one.times, one.rows) for one in motions]
        sliding = _stacked(parts, axis=1)
    tau = _torques(arms, sliding, motions)
    members = []
    for place, (problem, motion) in enumerate(zip(problems, motions, strict=True)):
        count = len(motion.times)
        own = motion._replace(rows=rows[place][:, :count])
        members.append(assemble_plan(problem, own, tau[place, :count]))
    freeze(rows, tau)
    q, qd, qdd = rows.swapaxes(0, 1)
    return Plans(tuple(members), _times(motions), q, qd, qdd, tau)


def _problems(arms: Any, paths: Any, options: PlanKeywords) -> list[PlanningProblem]:
    """Pair arms and paths, and check each pair; errors name the member."""
    given = {"arms": arms, "paths": paths}
    lists = {name: values for name, values in given.items() if isinstance(values, list | tuple)}
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
        try:
            problems.append(opened(PlanRequest(arm=arm, path=path, **options)))
            if problems[-1].arm.n != problems[0].arm.n:
                need = f"{problems[0].arm.n}, as many as the first has"
                got, hint = f"{problems[-1].arm.n} links", "plan each n apart"
                raise InputError(Problem("arm", got, need, hint))
        except InputError as error:
            told = [problem.at(f"{name}[{place}]") for problem in error.problems]
            raise InputError(told or f"{name}[{place}]: {error}") from None
        except InfeasibleError as error:
            raise InfeasibleError(f"{name}[{place}]: {error}") from None
    return problems


def _stacked(parts: Sequence[Array], axis: int) -> Array:
    """Stack arrays that may be of different lengths along an axis; NaN fills what is missing."""
    longest = max(part.shape[axis] for part in parts)
    shape = list(parts[0].shape)
    shape[axis] = longest
    whole = np.full((len(parts), *shape), np.nan)
    for place, part in zip(whole, parts, strict=True):
        place[(slice(None),) * axis + (slice(part.shape[axis]),)] = part
    return whole


def _torques(arms: Sequence[Arm], rows: Array, motions: Sequence[SampledMotion]) -> Array:
    """Return the torques (B, S, n) of motions (B, 3, S, n), many members in one call."""
    shared = all(arm is arms[0] for arm in arms)
    forces = [motion.force for motion in motions if motion.force is not None]
    force = _stacked(forces, axis=0) if forces else None
    tau = np.empty(rows[:, 0].shape)
    at_once = max(1, MOST_AT_ONCE // rows.shape[2])
    for first in range(0, len(arms), at_once):
        part = slice(first, first + at_once)
        # What motors do is asked of each plan by itself.
        arm = arms[0] if shared else stack([one.parameters for one in arms[part]]).per_sample()
        tip_force = None if force is None else force[part]
        gears = np.stack([efficiencies(one) for one in arms[part]], axis=1)[:, :, None]
        tau[part] = motion_torques(arm, rows[part].swapaxes(0, 1), tip_force, gears)
    return tau


def _times(motions: Sequence[SampledMotion]) -> Array:
    """Return the times once, or for every member where they differ."""
    first = motions[0].times
    if all(np.array_equal(motion.times, first) for motion in motions):
        return first
    times = _stacked([motion.times for motion in motions], axis=0)
    freeze(times)
    return times
