"""Damped least squares for redundant arms, compiled: tips moved to goals, one or a path of them.

Closed forms return some postures of a redundant arm; this finds postures that keep to the joint
limits and, in the null space, stay close to a preferred posture. Along a path each sample starts
from the one before: the step of the path yields a first-order prediction, which is corrected.
Lanes of arms are solved side by side; each ends on its own, and is left as it is while others go
on.

A goal has three parts, x and y from the base and an orientation, which counts by the arc that the
last link sweeps. Without an orientation its weight is zero, and so is that part.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ulna.arrays import Array
from ulna.kernels import inlined, inner, kernel
from ulna.lanes import (
    any_lane,
    floor,
    gather,
    lanes,
    logical_and,
    logical_or,
    matrix_view,
    scatter,
    select,
    sqrt,
)
from ulna.sincos import COS, SIN, turn_links

# Per arm: the goal of its tip and the error to it, the weight of an orientation [m], the residual
# that counts as none, the best residual found, and 1 where the arm is to be moved at all, else 0.
GOAL_X, GOAL_Y, GOAL_ANGLE, ERROR_X, ERROR_Y, ERROR_ARC = range(6)
WEIGHT, TOLERANCE, RESIDUAL, ACTIVE, KEPT_RESIDUAL = range(6, 11)
PER_ARM = 11
# Per joint, after the rows COS and SIN: link length and limits, those of a trust region, the
# preferred posture, the posture now and the best one; the column of the Jacobian, the next step,
# the part of it in the null space, and 1 where a limit holds the joint.
LENGTH, LOWER, UPPER, TRUST_LOWER, TRUST_UPPER, PREFERRED, Q, BEST, BEFORE, KEPT = range(2, 12)
JACOBIAN_X, JACOBIAN_Y, STEP, NULL_STEP, HELD = range(12, 17)
PER_JOINT = 17
LONGEST_STEP = 0.4  # [rad] a joint may turn in one iteration: the tip's circle is not a line
POSTURE_STEP = 0.3  # null-space gain: fraction of the way to the preferred posture in a step
TIP_ONLY = 0.8  # of the iterations, after which only the tip counts
PATIENCE = 20  # iterations in which a row has to get a tenth closer, or ends unsolved
CONVERGED = 1e-9  # [rad] of null-space motion that counts as none
JUMP = 1.0  # [rad] of a joint from one sample to the next: a posture that does not continue
TRUST_RADIUS = 0.3  # [rad] around a posture in which the next one is searched for first
BEND = 0.02  # [rad]
FEW, MANY = 60, 200  # iterations
TURN = 2.0 * math.pi


class Arms(NamedTuple):
    """Arms and their options, in rows."""

    length: Array  # (b, n)
    lower: Array
    upper: Array
    preferred: Array  # (b, n), read where the null-space gain is not zero
    weight: Array  # (b, 1) of an orientation [m]; 0 without one
    tolerance: Array  # (b, 1) [m]


class SolverScratch(NamedTuple):
    """Scratch memory of the solver, all of it lanes."""

    per_arm: Any  # (PER_ARM,)
    per_joint: Any  # (PER_JOINT, n+1): sines and cosines are computed in one column more


class _Factors(NamedTuple):
    """A symmetric matrix of 3 × 3 as L D Lᵀ."""

    d1: Any
    d2: Any
    d3: Any
    l21: Any
    l31: Any
    l32: Any


def scratch_size(n: int) -> int:
    """Return how many lanes of scratch memory the solver needs."""
    return PER_ARM + PER_JOINT * (n + 1)


@inlined
def _view_scratch(size: int, memory: Array) -> SolverScratch:
    """View memory (scratch_size(n), W) as the solver's scratch."""
    per_arm = lanes(memory)
    return SolverScratch(per_arm, matrix_view(per_arm, PER_ARM, PER_JOINT, size + 1))


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
    scratch, width = _view_scratch(size, memory), memory.shape[1]
    for block in range(first, last):
        row = block * width
        _load_arms(size, arms, scratch, q, row)
        _load_goal(scratch, goals, row, 0)
        _solve(size, scratch, LOWER, UPPER, null_gain, iterations)
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
    n, scratch, width = size, _view_scratch(size, memory), memory.shape[1]
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
                turn = _wrap_angle(per_arm[GOAL_ANGLE] - past_angle)
                _predict(size, scratch, move_x, move_y, turn, turns)
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
    _solve(size, scratch, TRUST_LOWER, TRUST_UPPER, null_gain, FEW)
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
    _solve(size, scratch, LOWER, UPPER, null_gain, FEW)
    stuck = logical_and(per_arm[ACTIVE] != 0.0, per_arm[RESIDUAL] > per_arm[TOLERANCE])
    if not any_lane(stuck):
        return
    per_arm[ACTIVE], per_arm[KEPT_RESIDUAL] = select(stuck, 1.0, 0.0), per_arm[RESIDUAL]
    for i in range(size):
        kept = per_joint[BEST, i]
        per_joint[KEPT, i], per_joint[Q, i] = kept, kept + BEND if i > 0 else kept
    _solve(size, scratch, LOWER, UPPER, null_gain, MANY)
    closer = per_arm[RESIDUAL] < per_arm[KEPT_RESIDUAL]
    for i in range(size):
        per_joint[BEST, i] = select(closer, per_joint[BEST, i], per_joint[KEPT, i])


@inner
def _solve(
    size: int, scratch: SolverScratch, low: int, high: int, null_gain: float, iterations: int
) -> None:
    """Move the tips of postures Q to their goals; write BEST and RESIDUAL [m].

    Joints never leave their limits, the rows `low` and `high`. Arms that cannot be solved end at
    the best posture found. With a null-space gain they move towards the preferred posture.
    """
    n, per_arm, per_joint = size, scratch.per_arm, scratch.per_joint
    tolerance = per_arm[TOLERANCE]
    active = per_arm[ACTIVE] != 0.0
    for i in range(n):
        start = _clip(per_joint[Q, i], per_joint[low, i], per_joint[high, i])
        per_joint[Q, i] = select(active, start, per_joint[Q, i])
        per_joint[BEST, i] = select(active, start, per_joint[BEST, i])
    best = before = select(active, math.inf, per_arm[RESIDUAL])
    for iteration in range(iterations):
        residual = _residual(size, scratch)
        better = logical_and(active, residual <= _maximum(best, tolerance))
        best = select(better, residual, best)
        for i in range(n):
            per_joint[BEST, i] = select(better, per_joint[Q, i], per_joint[BEST, i])
        gain = null_gain if iteration <= TIP_ONLY * iterations else 0.0
        null_motion = _find_step(size, scratch, low, high, gain)
        moving = logical_or(residual > 0.01 * tolerance, null_motion > CONVERGED)
        if iteration % PATIENCE == PATIENCE - 1:
            moving = logical_and(moving, logical_or(best < 0.9 * before, best <= tolerance))
            before = best
        for i in range(n):
            moved = per_joint[Q, i] + per_joint[STEP, i]
            moved = _clip(moved, per_joint[low, i], per_joint[high, i])
            per_joint[Q, i] = select(active, moved, per_joint[Q, i])
        active = logical_and(active, moving)
        if not any_lane(active):
            break
    per_arm[RESIDUAL] = best


@inlined
def _predict(
    size: int, scratch: SolverScratch, move_x: Any, move_y: Any, move_angle: Any, weight: float
) -> None:
    """Compute the STEP from the posture Q that moves the tip by a displacement, to first order."""
    per_joint = scratch.per_joint
    _forward(size, scratch)
    for i in range(size):
        per_joint[HELD, i] = 0.0
    turn = weight * move_angle
    factors = _factored(size, scratch, weight, move_x * move_x + move_y * move_y + turn * turn)
    x, y, z = _solved(factors, move_x, move_y, turn)
    for i in range(size):
        jacobian_x, jacobian_y = per_joint[JACOBIAN_X, i], per_joint[JACOBIAN_Y, i]
        per_joint[STEP, i] = jacobian_x * x + jacobian_y * y + weight * z


@inlined
def _residual(size: int, scratch: SolverScratch) -> Any:
    """Compute the error of the tips to their goals; return its size [m]."""
    per_arm = scratch.per_arm
    x, y = _forward(size, scratch)
    angle = 0.0
    for i in range(size):
        angle += scratch.per_joint[Q, i]
    error_x, error_y = per_arm[GOAL_X] - x, per_arm[GOAL_Y] - y
    arc = _wrap_angle(per_arm[GOAL_ANGLE] - angle) * per_arm[WEIGHT]
    per_arm[ERROR_X], per_arm[ERROR_Y], per_arm[ERROR_ARC] = error_x, error_y, arc
    return sqrt(error_x * error_x + error_y * error_y + arc * arc)


@inlined
def _forward(size: int, scratch: SolverScratch) -> Any:
    """Compute the Jacobian; return the position of the tip, from the base."""
    n, per_joint = size, scratch.per_joint
    turn_links(size, per_joint, per_joint, Q)
    x = y = 0.0
    for back in range(n):
        i = n - 1 - back
        x += per_joint[LENGTH, i] * per_joint[COS, i]
        y += per_joint[LENGTH, i] * per_joint[SIN, i]
        per_joint[JACOBIAN_X, i], per_joint[JACOBIAN_Y, i] = -y, x
    return x, y


@inlined
def _find_step(size: int, scratch: SolverScratch, low: int, high: int, null_gain: float) -> Any:
    """Compute the joints' STEP; return how far each arm still moves in its null space.

    A joint that is at its limit and would go on is held, and the others take its share.
    """
    n, per_joint = size, scratch.per_joint
    for i in range(n):
        per_joint[HELD, i] = 0.0
    for _ in range(min(3, n)):
        _solve_step(size, scratch, null_gain)
        changed = per_joint[HELD, 0] > 1.0  # none
        for i in range(n):
            step, angle = per_joint[STEP, i], per_joint[Q, i]
            down = logical_and(angle <= per_joint[low, i], step < 0.0)
            blocked = logical_or(down, logical_and(angle >= per_joint[high, i], step > 0.0))
            changed = logical_or(changed, logical_and(blocked, per_joint[HELD, i] == 0.0))
            per_joint[HELD, i] = select(blocked, 1.0, per_joint[HELD, i])
        if not any_lane(changed):
            break
    largest = null_motion = 0.0
    for i in range(n):
        null_step = select(per_joint[HELD, i] != 0.0, 0.0, per_joint[NULL_STEP, i])
        largest = _maximum(abs(per_joint[STEP, i]), largest)
        null_motion = _maximum(abs(null_step), null_motion)
    part = LONGEST_STEP / _maximum(largest, LONGEST_STEP)
    for i in range(n):
        per_joint[STEP, i] = part * per_joint[STEP, i]
    return null_motion


@inner
def _solve_step(size: int, scratch: SolverScratch, null_gain: float) -> None:
    """Compute STEP and NULL_STEP of the joints that are not held.

    The step is dq = Jᵀ(JJᵀ + λ²)⁻¹ e + N g (q₀ − q): towards the goal by the error e, and by the
    gain g towards the preferred posture q₀, projected into the null space by
    N = I − Jᵀ(JJᵀ + λ²)⁻¹ J. λ shrinks with the error, so that steps stay finite at singular
    postures far away and convergence is quadratic close by.
    """
    n, per_arm, per_joint = size, scratch.per_arm, scratch.per_joint
    error_x, error_y = per_arm[ERROR_X], per_arm[ERROR_Y]
    arc, weight = per_arm[ERROR_ARC], per_arm[WEIGHT]
    factors = _factored(size, scratch, weight, error_x * error_x + error_y * error_y + arc * arc)
    to_x, to_y, to_z = _solved(factors, error_x, error_y, arc)
    off_x = off_y = off_z = 0.0
    if null_gain != 0.0:
        for i in range(n):
            towards = null_gain * (per_joint[PREFERRED, i] - per_joint[Q, i])
            towards = select(per_joint[HELD, i] != 0.0, 0.0, towards)
            per_joint[NULL_STEP, i] = towards
            off_x += per_joint[JACOBIAN_X, i] * towards
            off_y += per_joint[JACOBIAN_Y, i] * towards
            off_z += weight * towards
        off_x, off_y, off_z = _solved(factors, off_x, off_y, off_z)
    for i in range(n):
        jacobian_x, jacobian_y = per_joint[JACOBIAN_X, i], per_joint[JACOBIAN_Y, i]
        null_step = 0.0
        if null_gain != 0.0:
            moved_tip = jacobian_x * off_x + jacobian_y * off_y + weight * off_z
            null_step = per_joint[NULL_STEP, i] - moved_tip
        step = jacobian_x * to_x + jacobian_y * to_y + weight * to_z + null_step
        held = per_joint[HELD, i] != 0.0
        per_joint[NULL_STEP, i] = select(held, 0.0, null_step)
        per_joint[STEP, i] = select(held, 0.0, step)


@inlined
def _factored(size: int, scratch: SolverScratch, weight: Any, square: Any) -> _Factors:
    """Factor JJᵀ + λ² of the joints that are not held; `square` is that of the error."""
    per_joint = scratch.per_joint
    xx = xy = yy = free = 0.0
    x_sum = y_sum = 0.0
    for i in range(size):
        held = per_joint[HELD, i] != 0.0
        x = select(held, 0.0, per_joint[JACOBIAN_X, i])
        y = select(held, 0.0, per_joint[JACOBIAN_Y, i])
        xx, xy, yy = xx + x * x, xy + x * y, yy + y * y
        x_sum, y_sum, free = x_sum + x, y_sum + y, free + select(held, 0.0, 1.0)
    xz, yz, zz = weight * x_sum, weight * y_sum, weight * weight * free
    damping = 0.01 * square + 1e-14 * (xx + yy + zz) + 1e-300
    d1 = xx + damping
    l21, l31 = xy / d1, xz / d1
    d2, rest = yy + damping - l21 * xy, yz - l31 * xy
    l32 = rest / d2
    return _Factors(d1, d2, zz + damping - l31 * xz - l32 * rest, l21, l31, l32)


@inlined
def _solved(f: _Factors, x: Any, y: Any, z: Any) -> Any:
    y = y - f.l21 * x
    z = (z - f.l31 * x - f.l32 * y) / f.d3
    y = y / f.d2 - f.l32 * z
    return x / f.d1 - f.l21 * y - f.l31 * z, y, z


@inlined
def _wrap_angle(angle: Any) -> Any:
    """Wrap an angle into −π to π."""
    return select(abs(angle) <= math.pi, angle, angle + TURN * floor(0.5 - angle / TURN))


@inlined
def _maximum(one: Any, other: Any) -> Any:
    return select(one > other, one, other)


@inlined
def _clip(value: Any, low: Any, high: Any) -> Any:
    # NaN is neither below nor above, and stays NaN.
    value = select(value < low, low, value)
    return select(value > high, high, value)
