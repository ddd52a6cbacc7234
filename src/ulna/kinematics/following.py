"""Paths followed by arms with joints to spare, compiled: lanes of paths, one sample after another.

Each sample starts from the one before: the step of the path gives a first-order prediction,
damped least squares correct it inside the joint limits, and what the tip leaves free goes to
the wanted posture.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ulna.arrays import Array
from ulna.kernels import inner, kernel
from ulna.kinematics.least_squares import predict, settle, shorter_way
from ulna.kinematics.solver_room import (
    ACTIVE,
    BEFORE,
    BEST,
    FENCE_LOWER,
    FENCE_UPPER,
    GOAL_ANGLE,
    GOAL_X,
    GOAL_Y,
    KEPT,
    KEPT_RESIDUAL,
    LENGTH,
    LOWER,
    RESIDUAL,
    STEP,
    TOLERANCE,
    UPPER,
    WANTED,
    WEIGHT,
    Q,
    Room,
    make_room,
)  # fmt: skip
from ulna.lanes import any_lane, gather, logical_and, scatter, select

JUMP = 1.0  # [rad] by which a joint leaves its path for another posture
CLOSE = 0.3  # [rad] around a predicted posture in which the corrected one is looked for first
BEND = 0.02  # [rad]
FEW, MANY = 60, 200  # iterations


class Arms(NamedTuple):
    """Arms and what is asked of them, in rows."""

    length: Array  # (b, n)
    lower: Array
    upper: Array
    wanted: Array  # (b, n), read where there is a pull
    weight: Array  # (b, 1) of an orientation [m]; 0 without one
    tolerance: Array  # (b, 1) [m]


@kernel
def settle_rows(
    size: int,
    arms: Arms,
    goals: Array,
    pull: float,
    iterations: int,
    memory: Array,
    first: int,
    last: int,
    q: Array,
    residual: Array,
) -> None:
    """Bring the tips of postures q (b, n), in place, to goals (b, 3) from the base.

    For the blocks from `first` to before `last`; leaves the residuals (b, 1) as well.
    """
    room, width = make_room(size, memory), memory.shape[1]
    for block in range(first, last):
        row = block * width
        _put(size, arms, room, q, row)
        _aim(room, goals, row, 0)
        settle(size, room, LOWER, UPPER, pull, iterations)
        for i in range(size):
            scatter(room.joints[BEST, i], q, row, i)
        scatter(room.own[RESIDUAL], residual, row, 0)


@kernel
def lead_rows(
    size: int,
    arms: Arms,
    goals: Array,
    pull: float,
    turns: float,
    start: Array,
    memory: Array,
    first: int,
    last: int,
    q: Array,
    jumped: Array,
) -> None:
    """Follow goals (b, 3 T) with postures q (b, n T), from postures (b, n).

    `jumped` (b, T) is 1 where a posture does not continue the one before; `turns` is 1 if the
    goals have orientations, else 0.
    """
    n, room, width = size, make_room(size, memory), memory.shape[1]
    own, joints = room.own, room.joints
    for block in range(first, last):
        row = block * width
        _put(size, arms, room, start, row)
        for sample in range(jumped.shape[1]):
            past_x, past_y, past_angle = own[GOAL_X], own[GOAL_Y], own[GOAL_ANGLE]
            _aim(room, goals, row, sample)
            if sample == 0:
                _go_freely(size, room, pull)
            else:
                way_x, way_y = own[GOAL_X] - past_x, own[GOAL_Y] - past_y
                predict(size, room, way_x, way_y, shorter_way(own[GOAL_ANGLE] - past_angle), turns)
                scatter(_follow(size, room, pull), jumped, row, sample)
            for i in range(n):
                joints[Q, i] = joints[BEST, i]
                scatter(joints[BEST, i], q, row, sample * n + i)


@inner
def _put(size: int, arms: Arms, room: Room, q: Array, row: int) -> None:
    own, joints = room.own, room.joints
    own[WEIGHT], own[TOLERANCE] = gather(arms.weight, row, 0), gather(arms.tolerance, row, 0)
    own[ACTIVE] = 1.0
    for i in range(size):
        joints[LENGTH, i], joints[Q, i] = gather(arms.length, row, i), gather(q, row, i)
        joints[LOWER, i], joints[UPPER, i] = gather(arms.lower, row, i), gather(arms.upper, row, i)
        joints[WANTED, i] = gather(arms.wanted, row, i)


@inner
def _aim(room: Room, goals: Array, row: int, sample: int) -> None:
    for part in range(3):
        room.own[GOAL_X + part] = gather(goals, row, 3 * sample + part)


@inner
def _follow(size: int, room: Room, pull: float) -> Any:
    """Go on by a predicted step: close to it where that is possible, freely where it is not.

    Returns 1 for arms that had to leave for a posture that does not continue the one before.
    """
    n, own, joints = size, room.own, room.joints
    own[ACTIVE] = 1.0
    around = CLOSE
    for i in range(n):
        wide = 3.0 * abs(joints[STEP, i])
        around = select(wide > around, wide, around)
    for i in range(n):
        now = joints[Q, i]
        low, high = now - around, now + around
        joints[FENCE_LOWER, i] = select(low > joints[LOWER, i], low, joints[LOWER, i])
        joints[FENCE_UPPER, i] = select(high < joints[UPPER, i], high, joints[UPPER, i])
        joints[BEFORE, i], joints[Q, i] = now, now + joints[STEP, i]
    settle(size, room, FENCE_LOWER, FENCE_UPPER, pull, FEW)
    lost = own[RESIDUAL] > own[TOLERANCE]
    if any_lane(lost):
        own[ACTIVE] = select(lost, 1.0, 0.0)
        for i in range(n):
            joints[Q, i] = joints[BEST, i]
        _go_freely(size, room, pull)
    farthest = abs(joints[BEST, 0] - joints[BEFORE, 0])
    for i in range(1, n):
        moved = abs(joints[BEST, i] - joints[BEFORE, i])
        farthest = select(moved > farthest, moved, farthest)
    return select(logical_and(lost, farthest > JUMP), 1.0, 0.0)


@inner
def _go_freely(size: int, room: Room, pull: float) -> None:
    """Go wherever the tip comes to its goal.

    Straight links have no first-order way to draw the tip in; those that are stuck get a small
    bend, which gives them one.
    """
    own, joints = room.own, room.joints
    settle(size, room, LOWER, UPPER, pull, FEW)
    stuck = logical_and(own[ACTIVE] != 0.0, own[RESIDUAL] > own[TOLERANCE])
    if not any_lane(stuck):
        return
    own[ACTIVE], own[KEPT_RESIDUAL] = select(stuck, 1.0, 0.0), own[RESIDUAL]
    for i in range(size):
        kept = joints[BEST, i]
        joints[KEPT, i], joints[Q, i] = kept, kept + BEND if i > 0 else kept
    settle(size, room, LOWER, UPPER, pull, MANY)
    closer = own[RESIDUAL] < own[KEPT_RESIDUAL]
    for i in range(size):
        joints[BEST, i] = select(closer, joints[BEST, i], joints[KEPT, i])
