"""Paths tracked by redundant arms, compiled: lanes of paths, one sample after another.

Each sample starts from the one before: the step of the path yields a first-order prediction,
damped least squares correct it inside the joint limits, and the null space is used to stay close
to the preferred posture.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ulna.arrays import Array
from ulna.kernels import inner, kernel
from ulna.kinematics.least_squares import predict, solve, wrap_angle
from ulna.kinematics.solver_scratch import (
    ACTIVE,
    BEFORE,
    BEST,
    GOAL_ANGLE,
    GOAL_X,
    GOAL_Y,
    KEPT,
    KEPT_RESIDUAL,
    LENGTH,
    LOWER,
    PREFERRED,
    RESIDUAL,
    STEP,
    TOLERANCE,
    TRUST_LOWER,
    TRUST_UPPER,
    UPPER,
    WEIGHT,
    Q,
    SolverScratch,
    view_scratch,
)  # fmt: skip
from ulna.lanes import any_lane, gather, logical_and, scatter, select

JUMP = 1.0  # [rad] of a joint from one sample to the next: a posture that does not continue
TRUST_RADIUS = 0.3  # [rad] around a posture in which the next one is searched for first
BEND = 0.02  # [rad]
FEW, MANY = 60, 200  # iterations


class Arms(NamedTuple):
    """Arms and their options, in rows."""

    length: Array  # (b, n)
    lower: Array
    upper: Array
    preferred: Array  # (b, n), read where the null-space gain is not zero
    weight: Array  # (b, 1) of an orientation [m]; 0 without one
    tolerance: Array  # (b, 1) [m]


@kernel
def solve_rows(
    size: int,
    arms: Arms,
    goals: Array,
    null_gain: float,
    iterations: int,
    memory: Array,
    first: int,
    last: int,
    q: Array,
    residual: Array,
) -> None:
    """Move the tips of postures q (b, n), in place, to goals (b, 3) from the base.

    For the blocks from `first` to before `last`; writes the residuals (b, 1) as well.
    """
    scratch, width = view_scratch(size, memory), memory.shape[1]
    for block in range(first, last):
        row = block * width
        _load_arms(size, arms, scratch, q, row)
        _load_goal(scratch, goals, row, 0)
        solve(size, scratch, LOWER, UPPER, null_gain, iterations)
        for i in range(size):
            scatter(scratch.per_joint[BEST, i], q, row, i)
        scatter(scratch.per_arm[RESIDUAL], residual, row, 0)


@kernel
def track_rows(
    size: int,
    arms: Arms,
    goals: Array,
    null_gain: float,
    turns: float,
    start: Array,
    memory: Array,
    first: int,
    last: int,
    q: Array,
    jumped: Array,
) -> None:
    """Track goals (b, 3 T) with postures q (b, n T), from postures (b, n).

    `jumped` (b, T) is 1 where a posture does not continue the one before; `turns` is 1 if the
    goals have orientations, else 0.
    """
    n, scratch, width = size, view_scratch(size, memory), memory.shape[1]
    per_arm, per_joint = scratch.per_arm, scratch.per_joint
    for block in range(first, last):
        row = block * width
        _load_arms(size, arms, scratch, start, row)
        for sample in range(jumped.shape[1]):
            past_x, past_y, past_angle = per_arm[GOAL_X], per_arm[GOAL_Y], per_arm[GOAL_ANGLE]
            _load_goal(scratch, goals, row, sample)
            if sample == 0:
                _solve_anywhere(size, scratch, null_gain)
            else:
                move_x, move_y = per_arm[GOAL_X] - past_x, per_arm[GOAL_Y] - past_y
                turn = wrap_angle(per_arm[GOAL_ANGLE] - past_angle)
                predict(size, scratch, move_x, move_y, turn, turns)
                scatter(_correct(size, scratch, null_gain), jumped, row, sample)
            for i in range(n):
                per_joint[Q, i] = per_joint[BEST, i]
                scatter(per_joint[BEST, i], q, row, sample * n + i)


@inner
def _load_arms(size: int, arms: Arms, scratch: SolverScratch, q: Array, row: int) -> None:
    per_arm, per_joint = scratch.per_arm, scratch.per_joint
    per_arm[WEIGHT] = gather(arms.weight, row, 0)
    per_arm[TOLERANCE] = gather(arms.tolerance, row, 0)
    per_arm[ACTIVE] = 1.0
    for i in range(size):
        per_joint[LENGTH, i], per_joint[Q, i] = gather(arms.length, row, i), gather(q, row, i)
        per_joint[LOWER, i] = gather(arms.lower, row, i)
        per_joint[UPPER, i] = gather(arms.upper, row, i)
        per_joint[PREFERRED, i] = gather(arms.preferred, row, i)


@inner
def _load_goal(scratch: SolverScratch, goals: Array, row: int, sample: int) -> None:
    for part in range(3):
        scratch.per_arm[GOAL_X + part] = gather(goals, row, 3 * sample + part)


@inner
def _correct(size: int, scratch: SolverScratch, null_gain: float) -> Any:
    """Correct a predicted step inside a trust region, or anywhere within the limits if that fails.

    Returns 1 for arms whose posture does not continue the one before.
    """
    n, per_arm, per_joint = size, scratch.per_arm, scratch.per_joint
    per_arm[ACTIVE] = 1.0
    radius = TRUST_RADIUS
    for i in range(n):
        wide = 3.0 * abs(per_joint[STEP, i])
        radius = select(wide > radius, wide, radius)
    for i in range(n):
        now = per_joint[Q, i]
        low, high = now - radius, now + radius
        per_joint[TRUST_LOWER, i] = select(low > per_joint[LOWER, i], low, per_joint[LOWER, i])
        per_joint[TRUST_UPPER, i] = select(high < per_joint[UPPER, i], high, per_joint[UPPER, i])
        per_joint[BEFORE, i], per_joint[Q, i] = now, now + per_joint[STEP, i]
    solve(size, scratch, TRUST_LOWER, TRUST_UPPER, null_gain, FEW)
    lost = per_arm[RESIDUAL] > per_arm[TOLERANCE]
    if any_lane(lost):
        per_arm[ACTIVE] = select(lost, 1.0, 0.0)
        for i in range(n):
            per_joint[Q, i] = per_joint[BEST, i]
        _solve_anywhere(size, scratch, null_gain)
    farthest = abs(per_joint[BEST, 0] - per_joint[BEFORE, 0])
    for i in range(1, n):
        moved = abs(per_joint[BEST, i] - per_joint[BEFORE, i])
        farthest = select(moved > farthest, moved, farthest)
    return select(logical_and(lost, farthest > JUMP), 1.0, 0.0)


@inner
def _solve_anywhere(size: int, scratch: SolverScratch, null_gain: float) -> None:
    """Move the tip to its goal anywhere within the limits.

    Straight links have no first-order motion that draws the tip in; those that are stuck get a
    small bend, which has one.
    """
    per_arm, per_joint = scratch.per_arm, scratch.per_joint
    solve(size, scratch, LOWER, UPPER, null_gain, FEW)
    stuck = logical_and(per_arm[ACTIVE] != 0.0, per_arm[RESIDUAL] > per_arm[TOLERANCE])
    if not any_lane(stuck):
        return
    per_arm[ACTIVE], per_arm[KEPT_RESIDUAL] = select(stuck, 1.0, 0.0), per_arm[RESIDUAL]
    for i in range(size):
        kept = per_joint[BEST, i]
        per_joint[KEPT, i], per_joint[Q, i] = kept, kept + BEND if i > 0 else kept
    solve(size, scratch, LOWER, UPPER, null_gain, MANY)
    closer = per_arm[RESIDUAL] < per_arm[KEPT_RESIDUAL]
    for i in range(size):
        per_joint[BEST, i] = select(closer, per_joint[BEST, i], per_joint[KEPT, i])
