"""From a path that is followed to a plan: its samples, and what is found out about them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import NamedTuple

from ulna.arrays import Array
from ulna.motion.findings import (
    floor_findings,
    jump_findings,
    kinematic_findings,
    limit_findings,
    range_findings,
    residual_findings,
    tip_findings,
)
from ulna.motion.finite import by_differences
from ulna.motion.plan import Plan
from ulna.motion.postures import Way
from ulna.motion.tasks import Task, Wishes
from ulna.motion.terms import Terms, torque_terms


class Motion(NamedTuple):
    """The samples of a motion."""

    times: Array  # (k,) [s]
    rows: Array  # (3, k, n) angles, rates, accelerations
    force: Array | None  # (k, 3) on the tip


def sampled(task: Task, way: Way, wishes: Wishes) -> Motion:
    """Give the joints at the samples, by exact derivatives or by differences."""
    times, rows = task.times, way.trajectory.rows(task.times)
    if wishes.derivatives == "finite":
        rows = by_differences(rows[0], float(times[1] - times[0]))
        times = times[1:-1]
    return Motion(times, rows, None if wishes.force is None else wishes.force(times))


def spent_on(task: Task, motion: Motion) -> Terms:
    """Take the torques of a motion apart."""
    q, qd, qdd = motion.rows
    return torque_terms(task.arm, q, qd, qdd, motion.force)


def judged(
    task: Task, way: Way, motion: Motion, tau: Array, spent: Callable[[], Terms], wishes: Wishes
) -> Plan:
    """Look for whatever is to be told of a motion with its torques, and give the plan."""
    arm, path, trajectory = task.arm, task.path, way.trajectory
    times, (q, qd, qdd) = motion.times, motion.rows
    for values in (times, q, qd, qdd, tau):
        values.flags.writeable = False
    kinematic = (
        (range_findings(arm, times, q), floor_findings(arm, times, q, wishes.floor))
        if way.tracked is None
        else (
            kinematic_findings(arm, way.tracked, way.known),
            residual_findings(trajectory, times, q),
        )
    )
    dynamic = (
        limit_findings(arm, times, qd, tau),
        tip_findings(trajectory, times, wishes.limits),
        jump_findings(trajectory),
    )
    found = tuple(chain(*kinematic, *dynamic))
    return Plan(
        arm, path, trajectory, times, q, qd, qdd, tau, spent, way.tracked, found,
        wishes.derivatives, task.pace.reason, wishes.force,
    )  # fmt: skip
