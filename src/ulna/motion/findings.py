"""What a plan found out: where it cannot be followed, what it exceeds, what to know."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array
from ulna.kinematics import Tracked, Why, joints, tip
from ulna.kinematics.ring import nearest_in_ring
from ulna.kinematics.tracked import FAILURES, Interval, runs
from ulna.motion.pace import Limits
from ulna.motion.path import LOOK
from ulna.motion.trajectory import Trajectory

OVER = 1e-6  # of a limit, by which it may be passed
CLOSE = 1e-8  # of the reach, by which the tip may miss its path
NEAR = 1e-9  # of the duration, on either side of an instant
JUMP = 1e-3  # of the speed, by which a velocity may jump unseen


class Stretch(NamedTuple):
    """A stretch of time [s], and the worst value in it."""

    first: float
    last: float
    worst: float
    worst_at: float

    def __str__(self) -> str:
        if self.first == self.last:
            return f"at t = {self.first:.4g} s"
        return f"from t = {self.first:.4g} to {self.last:.4g} s"


@dataclass(frozen=True)
class Finding:
    """One thing to know about a plan, and when it holds."""

    kind: str  # "out of reach", "torque limit", ...
    when: Stretch
    text: str
    blocks: bool = False  # there is no motion at all
    exceeds: bool = False  # a limit is passed: there is a motion, but the arm cannot do it
    joint: int | None = None  # counted from 1

    def __str__(self) -> str:
        return self.text


def _stretches(times: Array, size: Array, wrong: Array) -> Iterator[Stretch]:
    for first, last in runs(wrong):
        peak = first + int(np.argmax(size[first : last + 1]))
        yield Stretch(*map(float, (times[first], times[last], size[peak], times[peak])))


def kinematic_findings(arm: Arm, tracked: Tracked, times: Array) -> Iterator[Finding]:
    """Say why the joints cannot follow the path where they cannot."""
    for interval in tracked.intervals:
        first, last, worst_at = (
            float(times[k]) for k in (interval.first, interval.last, interval.worst_at)
        )
        when = Stretch(first, last, interval.worst, worst_at)
        text = f"{interval.why.words} {when}{_measure(arm, interval, tracked, when)}"
        yield Finding(interval.why.words, when, text, blocks=bool(interval.why & FAILURES))


def _measure(arm: Arm, interval: Interval, tracked: Tracked, when: Stretch) -> str:
    point = tracked.points[interval.worst_at, :2]
    where = f"at t = {when.worst_at:.4g} s, at {_place(point)}"
    match interval.why:
        case Why.OUT_OF_REACH:
            base = np.array(arm.base)
            near = nearest_in_ring(np.asarray(arm.parameters.length), point - base).point + base
            return f": by up to {length_text(when.worst)} {where}, nearest {_place(near)}"
        case Why.BELOW_FLOOR:
            return f": by up to {length_text(when.worst)} {where}"
        case Why.JOINT_LIMIT if when.worst > 0.0:
            return f": passed by up to {np.degrees(when.worst):.3g} deg {where}"
        case Why.NOT_CONVERGED:
            return f": up to {length_text(when.worst)} off {where}"
        case Why.SINGULAR:
            much = f"{when.worst:.3g}" if when.worst < 1e12 else "beyond 1e12"
            return f": condition number {much} {where}"
    return f", at {_place(point)}"


def _place(point: Array) -> str:
    x, y = (round(float(part), 9) + 0.0 for part in point)
    return f"({x:.4g}, {y:.4g}) m"


def length_text(metres: float) -> str:
    """Write a length as a person would."""
    for unit, size in (("m", 1.0), ("mm", 1e-3), ("µm", 1e-6), ("nm", 1e-9)):
        if abs(metres) >= 0.9995 * size:
            return f"{metres / size:.3g} {unit}"
    return f"{metres:.3g} m"


def residual_findings(trajectory: Trajectory, times: Array, q: Array) -> Iterator[Finding]:
    """Say where the tip is not on its path though it could be: between postures too far apart."""
    if trajectory.arm.n <= 2:
        return  # solved in closed form
    gap = np.linalg.norm(tip(trajectory.arm, q)[:, :2] - trajectory.tip(times).position, axis=-1)
    for when in _stretches(times, gap, gap > CLOSE * trajectory.arm.reach):
        far = length_text(when.worst)
        text = f"not converged {when}: up to {far} off at t = {when.worst_at:.4g} s"
        yield Finding("not converged", when, f"{text}; give another start or posture", blocks=True)


def range_findings(arm: Arm, times: Array, q: Array) -> Iterator[Finding]:
    """Say where angles (k, n) of a path in joint space are beyond the joints' limits."""
    beyond = np.maximum(arm.parameters.lower - q, q - arm.parameters.upper)
    for joint in range(arm.n):
        for when in _stretches(times, beyond[:, joint], beyond[:, joint] > OVER):
            text = (
                f"joint limit {when}: joint {joint + 1} passes it by up to "
                f"{np.degrees(when.worst):.3g} deg at t = {when.worst_at:.4g} s"
            )
            yield Finding("joint limit", when, text, blocks=True, joint=joint + 1)


def floor_findings(arm: Arm, times: Array, q: Array, floor: float | None) -> Iterator[Finding]:
    """Say where a joint or the tip is below a height [m]."""
    if floor is None:
        return
    depth = floor - np.min(joints(arm, q)[:, 1:, 1], axis=-1)
    for when in _stretches(times, depth, depth > 0.0):
        text = (
            f"below floor {when}: by up to {length_text(when.worst)} at t = {when.worst_at:.4g} s"
        )
        yield Finding("below floor", when, text, blocks=True)


def limit_findings(arm: Arm, times: Array, qd: Array, tau: Array) -> Iterator[Finding]:
    """Say where rates or torques (k, n) are beyond what the joints have."""
    parameters = arm.parameters
    for kind, unit, values, most in (
        ("velocity limit", "rad/s", qd, parameters.max_velocity),
        ("torque limit", "N·m", tau, parameters.max_torque),
    ):
        for joint in range(arm.n):
            size, limit = np.abs(values[:, joint]), float(most[joint])
            for when in _stretches(times, size, size > limit * (1.0 + OVER)):
                text = f"{kind} of joint {joint + 1} {when}: {_beyond(when, limit, unit)}"
                yield Finding(kind, when, text, exceeds=True, joint=joint + 1)


def tip_findings(trajectory: Trajectory, times: Array, limits: Limits) -> Iterator[Finding]:
    """Say where the tip is faster, or accelerates more, than it may."""
    if not limits.given:
        return
    motion = trajectory.tip(times)
    for kind, unit, values, most in (
        ("tip speed limit", "m/s", motion.velocity, limits.speed),
        ("tip acceleration limit", "m/s²", motion.acceleration, limits.acceleration),
    ):
        if most is None:
            continue
        size = np.linalg.norm(values, axis=-1)
        for when in _stretches(times, size, size > most * (1.0 + OVER)):
            yield Finding(kind, when, f"{kind} {when}: {_beyond(when, most, unit)}", exceeds=True)


def _beyond(when: Stretch, limit: float, unit: str) -> str:
    return f"{when.worst:.4g} {unit} at t = {when.worst_at:.4g} s, {limit:.4g} {unit} allowed"


def jump_findings(trajectory: Trajectory) -> Iterator[Finding]:
    """Say where the velocity would have to change at once: at corners passed at speed."""
    path, timing = trajectory.path, trajectory.timing
    at = timing.edges(path)[1:-1]
    if not len(at):
        return
    before, after = (timing.points(path, np.clip(at + side, 0.0, 1.0))[1] for side in (-NEAR, NEAR))
    jumps = np.asarray(np.linalg.norm(after - before, axis=-1)) / trajectory.duration
    usual = np.linalg.norm(timing.points(path, LOOK)[1], axis=-1).max() / trajectory.duration
    unit = "rad/s" if path.in_joints else "m/s"
    for k in np.flatnonzero(jumps > JUMP * usual):
        t, jump = float(at[k]) * trajectory.duration, float(jumps[k])
        when = Stretch(t, t, jump, t)
        text = f"corner {when}: the velocity jumps by {jump:.3g} {unit}"
        yield Finding("corner", when, f"{text}; round it off, or stop there", exceeds=True)
