"""Damped least squares, compiled: move a posture until the tip is where it should be.

Where an arm has joints to spare, closed forms give some postures; this gives postures that keep
to the joint limits and stay close to a wanted posture. Lanes of arms are worked on side by side;
each ends on its own, and is left as it is while others go on.

A goal has three parts, x and y from the base and an orientation, which counts by the arc that the
last link sweeps. Where no orientation is asked for its weight is zero, and so is that part.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ulna.kernels import inlined, inner
from ulna.kinematics.solver_room import (
    ACTIVE,
    BEST,
    GOAL_ANGLE,
    GOAL_X,
    GOAL_Y,
    HELD,
    LENGTH,
    MISS_ARC,
    MISS_X,
    MISS_Y,
    RESIDUAL,
    SIDEWAYS,
    SLOPE_X,
    SLOPE_Y,
    STEP,
    TOLERANCE,
    WANTED,
    WEIGHT,
    Q,
    Room,
)  # fmt: skip
from ulna.lanes import any_lane, floor, logical_and, logical_or, select, sqrt
from ulna.sincos import COS, SIN, turn_links

LONGEST_STEP = 0.4  # [rad] a joint may turn in one iteration: the tip's circle is not a line
POSTURE_STEP = 0.3  # fraction of the way to the wanted posture taken in one iteration
SHARPENING = 0.8  # of the iterations, after which only the tip counts
PATIENCE = 20  # iterations in which a row has to get a tenth closer, or is given up
SETTLED = 1e-9  # [rad] of posture motion that counts as none
TURN = 2.0 * math.pi


class Factors(NamedTuple):
    """A symmetric matrix of 3 × 3 as L D Lᵀ."""

    d1: Any
    d2: Any
    d3: Any
    l21: Any
    l31: Any
    l32: Any


@inner
def settle(size: int, room: Room, low: int, high: int, pull: float, iterations: int) -> None:
    """Bring the tips of postures Q to their goals; leaves BEST and RESIDUAL [m].

    Joints never leave their limits, the rows `low` and `high`. Arms that cannot be solved end at
    the best posture found on their way. With a `pull` they are drawn to the wanted posture.
    """
    n, own, joints = size, room.own, room.joints
    tolerance = own[TOLERANCE]
    going = own[ACTIVE] != 0.0
    for i in range(n):
        start = _within(joints[Q, i], joints[low, i], joints[high, i])
        joints[Q, i] = select(going, start, joints[Q, i])
        joints[BEST, i] = select(going, start, joints[BEST, i])
    best = before = select(going, math.inf, own[RESIDUAL])
    for iteration in range(iterations):
        residual = _look(size, room)
        better = logical_and(going, residual <= _larger(best, tolerance))
        best = select(better, residual, best)
        for i in range(n):
            joints[BEST, i] = select(better, joints[Q, i], joints[BEST, i])
        wish = pull if iteration <= SHARPENING * iterations else 0.0
        drift = _find_step(size, room, low, high, wish)
        moving = logical_or(residual > 0.01 * tolerance, drift > SETTLED)
        if iteration % PATIENCE == PATIENCE - 1:
            moving = logical_and(moving, logical_or(best < 0.9 * before, best <= tolerance))
            before = best
        for i in range(n):
            moved = _within(joints[Q, i] + joints[STEP, i], joints[low, i], joints[high, i])
            joints[Q, i] = select(going, moved, joints[Q, i])
        going = logical_and(going, moving)
        if not any_lane(going):
            break
    own[RESIDUAL] = best


@inlined
def predict(size: int, room: Room, way_x: Any, way_y: Any, way_turn: Any, weight: float) -> None:
    """Find the STEP from the posture Q that moves the tip by a way, to first order."""
    joints = room.joints
    _lay_out(size, room)
    for i in range(size):
        joints[HELD, i] = 0.0
    turn = weight * way_turn
    factors = _factored(size, room, weight, way_x * way_x + way_y * way_y + turn * turn)
    x, y, z = _solved(factors, way_x, way_y, turn)
    for i in range(size):
        joints[STEP, i] = joints[SLOPE_X, i] * x + joints[SLOPE_Y, i] * y + weight * z


@inlined
def shorter_way(angle: Any) -> Any:
    """Bring a turn to between −π and π."""
    return select(abs(angle) <= math.pi, angle, angle + TURN * floor(0.5 - angle / TURN))


@inlined
def _larger(one: Any, other: Any) -> Any:
    return select(one > other, one, other)


@inlined
def _within(value: Any, low: Any, high: Any) -> Any:
    # What is no number is neither below nor above, and stays what it is.
    value = select(value < low, low, value)
    return select(value > high, high, value)


@inlined
def _lay_out(size: int, room: Room) -> Any:
    """Note how the tip moves with every joint; return where it is, from the base."""
    n, joints = size, room.joints
    turn_links(size, joints, joints, Q)
    x = y = 0.0
    for back in range(n):
        i = n - 1 - back
        x += joints[LENGTH, i] * joints[COS, i]
        y += joints[LENGTH, i] * joints[SIN, i]
        joints[SLOPE_X, i], joints[SLOPE_Y, i] = -y, x
    return x, y


@inlined
def _look(size: int, room: Room) -> Any:
    """Lay the arms out; return how far their tips are from their goals [m]."""
    own = room.own
    x, y = _lay_out(size, room)
    angle = 0.0
    for i in range(size):
        angle += room.joints[Q, i]
    miss_x, miss_y = own[GOAL_X] - x, own[GOAL_Y] - y
    arc = shorter_way(own[GOAL_ANGLE] - angle) * own[WEIGHT]
    own[MISS_X], own[MISS_Y], own[MISS_ARC] = miss_x, miss_y, arc
    return sqrt(miss_x * miss_x + miss_y * miss_y + arc * arc)


@inlined
def _find_step(size: int, room: Room, low: int, high: int, pull: float) -> Any:
    """Find the joints' STEP; return how far each arm still moves for its posture's sake.

    A joint that stands at its limit and would go on is held, and the others take its share.
    """
    n, joints = size, room.joints
    for i in range(n):
        joints[HELD, i] = 0.0
    for _ in range(min(3, n)):
        _solve_free(size, room, pull)
        news = joints[HELD, 0] > 1.0  # nobody
        for i in range(n):
            step, place = joints[STEP, i], joints[Q, i]
            down = logical_and(place <= joints[low, i], step < 0.0)
            blocked = logical_or(down, logical_and(place >= joints[high, i], step > 0.0))
            news = logical_or(news, logical_and(blocked, joints[HELD, i] == 0.0))
            joints[HELD, i] = select(blocked, 1.0, joints[HELD, i])
        if not any_lane(news):
            break
    largest = drift = 0.0
    for i in range(n):
        sideways = select(joints[HELD, i] != 0.0, 0.0, joints[SIDEWAYS, i])
        largest = _larger(abs(joints[STEP, i]), largest)
        drift = _larger(abs(sideways), drift)
    part = LONGEST_STEP / _larger(largest, LONGEST_STEP)
    for i in range(n):
        joints[STEP, i] = part * joints[STEP, i]
    return drift


@inner
def _solve_free(size: int, room: Room, pull: float) -> None:
    """Find STEP and SIDEWAYS of the joints that are not held.

    The step is dq = Jᵀ(JJᵀ + λ²)⁻¹ miss, and the motion to the wanted posture without what of it
    would move the tip. λ shrinks with the miss, so that singular postures are survived far away
    and convergence is quadratic close by.
    """
    n, own, joints = size, room.own, room.joints
    miss_x, miss_y, arc, weight = own[MISS_X], own[MISS_Y], own[MISS_ARC], own[WEIGHT]
    factors = _factored(size, room, weight, miss_x * miss_x + miss_y * miss_y + arc * arc)
    to_x, to_y, to_z = _solved(factors, miss_x, miss_y, arc)
    off_x = off_y = off_z = 0.0
    if pull != 0.0:
        for i in range(n):
            wish = pull * (joints[WANTED, i] - joints[Q, i])
            wish = select(joints[HELD, i] != 0.0, 0.0, wish)
            joints[SIDEWAYS, i] = wish
            off_x += joints[SLOPE_X, i] * wish
            off_y += joints[SLOPE_Y, i] * wish
            off_z += weight * wish
        off_x, off_y, off_z = _solved(factors, off_x, off_y, off_z)
    for i in range(n):
        slope_x, slope_y = joints[SLOPE_X, i], joints[SLOPE_Y, i]
        sideways = 0.0
        if pull != 0.0:
            sideways = joints[SIDEWAYS, i] - (slope_x * off_x + slope_y * off_y + weight * off_z)
        step = slope_x * to_x + slope_y * to_y + weight * to_z + sideways
        held = joints[HELD, i] != 0.0
        joints[SIDEWAYS, i] = select(held, 0.0, sideways)
        joints[STEP, i] = select(held, 0.0, step)


@inlined
def _factored(size: int, room: Room, weight: Any, square: Any) -> Factors:
    """Factor JJᵀ + λ² of the joints that are not held; `square` is that of the way to go."""
    joints = room.joints
    xx = xy = yy = free = 0.0
    x_sum = y_sum = 0.0
    for i in range(size):
        held = joints[HELD, i] != 0.0
        x, y = select(held, 0.0, joints[SLOPE_X, i]), select(held, 0.0, joints[SLOPE_Y, i])
        xx, xy, yy = xx + x * x, xy + x * y, yy + y * y
        x_sum, y_sum, free = x_sum + x, y_sum + y, free + select(held, 0.0, 1.0)
    xz, yz, zz = weight * x_sum, weight * y_sum, weight * weight * free
    damping = 0.01 * square + 1e-14 * (xx + yy + zz) + 1e-300
    d1 = xx + damping
    l21, l31 = xy / d1, xz / d1
    d2, rest = yy + damping - l21 * xy, yz - l31 * xy
    l32 = rest / d2
    return Factors(d1, d2, zz + damping - l31 * xz - l32 * rest, l21, l31, l32)


@inlined
def _solved(f: Factors, x: Any, y: Any, z: Any) -> Any:
    y = y - f.l21 * x
    z = (z - f.l31 * x - f.l32 * y) / f.d3
    y = y / f.d2 - f.l32 * z
    return x / f.d1 - f.l21 * y - f.l31 * z, y, z
