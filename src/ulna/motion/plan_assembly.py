"""From a path that is followed to a plan: its samples, and what is found out about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from ulna.arrays import Array, freeze
from ulna.kinematics.limits import SLACK
from ulna.motion.adaptive_sampling import TimeSamples
from ulna.motion.demands import Demands
from ulna.motion.findings import (
    OVER,
    Finding,
    floor_findings,
    jump_findings,
    kinematic_findings,
    limit_findings,
    range_findings,
    reach_findings,
    residual_findings,
    tip_findings,
)
from ulna.motion.finite import by_differences
from ulna.motion.plan_result import Plan
from ulna.motion.planning_problem import PlanningProblem, PlanOptions
from ulna.motion.postures import TrackedTrajectory
from ulna.motion.terms import Terms, torque_terms

# [rad], or of the reach: by which the joints of a redundant arm may be beyond a limit between two
# postures that keep it.
BETWEEN = 1e-3


class SampledMotion(NamedTuple):
    """The samples of a motion."""

    times: Array  # (k,) [s]
    rows: Array  # (3, k, n) angles, rates, accelerations
    force: Array | None  # (k, 3) on the tip


def sample_motion(
    problem: PlanningProblem, followed: TrackedTrajectory, options: PlanOptions
) -> SampledMotion:
    """Return the joints at the samples, by exact derivatives or by differences."""
    times, rows = problem.times, followed.trajectory.rows(problem.times)
    if options.derivatives == "finite":
        rows = by_differences(rows[0], float(times[1] - times[0]))
        times = times[1:-1]
    return SampledMotion(times, rows, None if options.force is None else options.force(times))


def motion_terms(problem: PlanningProblem, motion: SampledMotion) -> Terms:
    """Return the terms of the torques of a motion."""
    q, qd, qdd = motion.rows
    return torque_terms(problem.arm, q, qd, qdd, motion.force)


@dataclass(frozen=True, eq=False)
class KnownTerms:
    """Terms that were computed before."""

    terms: Terms

    def __call__(self) -> Terms:
        """Return them."""
        return self.terms


def assemble_plan(
    problem: PlanningProblem,
    followed: TrackedTrajectory,
    motion: SampledMotion,
    tau: Array,
    compute_terms: Callable[[], Terms],
    options: PlanOptions,
) -> Plan:
    """Check a motion with its torques against all limits, and return the plan."""
    arm, trajectory = problem.arm, followed.trajectory
    times, (q, qd, qdd) = motion.times, motion.rows
    freeze(times, q, qd, qdd, tau)
    demands = Demands(arm, trajectory, options.force, options.floor)
    samples = None
    if options.derivatives == "finite":
        # Differences have nothing between them: their samples are all there is.
        joined = np.concatenate([q, qd, qdd, tau], axis=-1)
        samples = TimeSamples(times / trajectory.duration, joined, trajectory.duration)
    found = chain(
        _kinematic(followed, demands, options.floor),
        limit_findings(demands, samples),
        tip_findings(demands, options.limits),
        jump_findings(trajectory),
    )
    return Plan(
        arm, problem.path, trajectory, times, q, qd, qdd, tau, compute_terms, followed.tracked,
        tuple(found), options.derivatives, problem.timing_choice.reason, options.force, demands,
    )  # fmt: skip


def _kinematic(
    followed: TrackedTrajectory, demands: Demands, floor: float | None
) -> Iterator[Finding]:
    """Report where the joints cannot follow, and what else is known of the postures."""
    if followed.tracked is None:
        yield from range_findings(demands, OVER)
        yield from floor_findings(demands, floor, 0.0)
        return
    yield from reach_findings(demands)
    told = list(kinematic_findings(demands.arm, followed.tracked, followed.known))
    yield from told
    yield from residual_findings(followed.trajectory, followed.known)
    exact = demands.arm.n <= 2
    searched = chain(
        range_findings(demands, SLACK if exact else BETWEEN),
        floor_findings(demands, floor, 0.0 if exact else BETWEEN * demands.arm.reach),
    )
    for finding in searched:
        if not any(_overlap(finding, other) for other in told):
            yield finding


def _overlap(one: Finding, other: Finding) -> bool:
    apart = one.when.last < other.when.first or other.when.last < one.when.first
    return one.kind == other.kind and not apart
