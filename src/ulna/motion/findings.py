"""What a plan found out: where it cannot be followed, what it exceeds, what to know."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array
from ulna.kinematics import Tracked, TrackFlag, tip
from ulna.kinematics.limits import are_limited
from ulna.kinematics.ring import nearest_in_ring
from ulna.kinematics.tracked import FAILURES, Interval
from ulna.motion.adaptive_sampling import Measure, TimeSamples
from ulna.motion.demands import Columns, Demands
from ulna.motion.durations import Limits
from ulna.motion.trajectory import Trajectory
from ulna.units import length_text

OVER = 1e-6  # of a limit, by which it may be passed
CLOSE = 1e-8  # of the reach, by which the tip may miss its path
JUMP = 1e-4  # of the speed beside it, by which a velocity may jump unseen


class TimeSpan(NamedTuple):
    """A span of time, and the worst value in it.

    Attributes
    ----------
    first : float
        When it begins [s].
    last : float
        When it ends [s].
    worst : float
        The worst value.
    worst_at : float
        When that is [s].
    """

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
    """One thing to know about a plan, and when it holds.

    Attributes
    ----------
    kind : str
        What it is: "out of reach", "joint limit", "torque limit" and others.
    when : TimeSpan
        First and last time [s], the worst value and the time of it [s].
    text : str
        A sentence about it.
    blocks : bool
        Whether there is no motion at all.
    exceeds : bool
        Whether a limit is passed: there is a motion, but the arm cannot do it.
    joint : int or None
        The joint, counted from 1.
    """

    kind: str
    when: TimeSpan
    text: str
    blocks: bool = False
    exceeds: bool = False
    joint: int | None = None

    def __str__(self) -> str:
        return self.text


def _spans(values: TimeSamples, measure: Measure, limit: float) -> Iterator[TimeSpan]:
    return (TimeSpan(*found) for found in values.passed(measure, limit))


def reach_findings(demands: Demands) -> Iterator[Finding]:
    """Report where the path is further out, or further in, than the links reach."""
    arm = demands.arm
    base, length = np.array(arm.base), np.asarray(arm.parameters.length)
    for when in (TimeSpan(*found) for found in demands.out_of_reach):
        point = demands.trajectory.tip(when.worst_at).position
        near = nearest_in_ring(length, point - base).point + base
        where = f"at t = {when.worst_at:.4g} s, at {_place(point)}, nearest {_place(near)}"
        text = f"out of reach {when}: by up to {length_text(when.worst)} {where}"
        yield Finding("out of reach", when, text, blocks=True)


def kinematic_findings(arm: Arm, tracked: Tracked, times: Array) -> Iterator[Finding]:
    """Report where the joints cannot follow the path, and why."""
    for interval in tracked.intervals:
        if _is_checked_at_any_time(arm, interval):
            continue
        first, last, worst_at = (
            float(times[k]) for k in (interval.first, interval.last, interval.worst_at)
        )
        when = TimeSpan(first, last, interval.worst, worst_at)
        text = f"{interval.flag.text} {when}{_measure(interval, tracked, when)}"
        yield Finding(interval.flag.text, when, text, blocks=bool(interval.flag & FAILURES))


def _is_checked_at_any_time(arm: Arm, interval: Interval) -> bool:
    """Return whether something is checked at any time, and need not be told of single postures."""
    if interval.flag == TrackFlag.OUT_OF_REACH:
        return True
    exact = arm.n <= 2  # between its postures too
    passed = interval.flag == TrackFlag.JOINT_LIMIT and interval.worst > 0.0
    return exact and (passed or interval.flag == TrackFlag.BELOW_FLOOR)


def _measure(interval: Interval, tracked: Tracked, when: TimeSpan) -> str:
    point = tracked.points[interval.worst_at, :2]
    where = f"at t = {when.worst_at:.4g} s, at {_place(point)}"
    match interval.flag:
        case TrackFlag.BELOW_FLOOR:
            return f": by up to {length_text(when.worst)} {where}"
        case TrackFlag.JOINT_LIMIT if when.worst > 0.0:
            return f": passed by up to {np.degrees(when.worst):.3g} deg {where}"
        case TrackFlag.NOT_CONVERGED:
            return f": up to {length_text(when.worst)} off {where}"
        case TrackFlag.SINGULAR:
            much = f"{when.worst:.3g}" if when.worst < 1e12 else "beyond 1e12"
            return f": condition number {much} {where}"
    return f", at {_place(point)}"


def _place(point: Array) -> str:
    x, y = (round(float(part), 9) + 0.0 for part in point)
    return f"({x:.4g}, {y:.4g}) m"


def residual_findings(trajectory: Trajectory, known: Array) -> Iterator[Finding]:
    """Report where the tip leaves its path within reach: between waypoints too far apart."""
    if trajectory.arm.n <= 2 or len(known) < 2:
        return  # solved in closed form
    times = 0.5 * (known[:-1] + known[1:])
    q = trajectory.rows(times)[0]
    gap = np.linalg.norm(tip(trajectory.arm, q)[:, :2] - trajectory.tip(times).position, axis=-1)
    between = TimeSamples(times / trajectory.duration, gap[:, None], trajectory.duration)
    for when in _spans(between, ColumnSize(0), CLOSE * trajectory.arm.reach):
        far = length_text(when.worst)
        text = f"not converged {when}: up to {far} off at t = {when.worst_at:.4g} s"
        yield Finding("not converged", when, f"{text}; give another start or posture", blocks=True)


@dataclass(frozen=True)
class ColumnSize:
    """The size of the values in a column."""

    place: int

    def __call__(self, values: Array) -> Array:
        """Return the sizes (k,)."""
        return np.abs(values[:, self.place])


@dataclass(frozen=True)
class Beyond:
    """By how much the values in a column are outside of a range."""

    place: int
    lower: float
    upper: float

    def __call__(self, values: Array) -> Array:
        """Return the excess (k,)."""
        value = values[:, self.place]
        return np.maximum(self.lower - value, value - self.upper)


@dataclass(frozen=True)
class Depth:
    """How deep below a floor the lowest of the heights in columns is."""

    places: slice
    floor: float

    def __call__(self, values: Array) -> Array:
        """Return the depth (k,)."""
        return np.asarray(self.floor - np.min(values[:, self.places], axis=-1))


def range_findings(demands: Demands, slack: float) -> Iterator[Finding]:
    """Report where angles are beyond the joints' limits by more than a slack [rad]."""
    arm = demands.arm
    if not are_limited(arm.parameters) or not len(demands.pieces):
        return
    limits = zip(arm.parameters.lower.tolist(), arm.parameters.upper.tolist(), strict=True)
    for joint, (lower, upper) in enumerate(limits):
        if math.isinf(lower) and math.isinf(upper):
            continue
        for when in _spans(demands.joints, Beyond(joint, lower, upper), slack):
            text = (
                f"joint limit {when}: joint {joint + 1} passes it by up to "
                f"{np.degrees(when.worst):.3g} deg at t = {when.worst_at:.4g} s"
            )
            yield Finding("joint limit", when, text, blocks=True, joint=joint + 1)


def floor_findings(demands: Demands, floor: float | None, slack: float) -> Iterator[Finding]:
    """Report where a joint or the tip is below a height [m] by more than a slack [m]."""
    if floor is None or not len(demands.pieces):
        return
    depth = Depth(Columns(demands.arm.n).of(5), floor)
    for when in _spans(demands.joints, depth, slack):
        text = (
            f"below floor {when}: by up to {length_text(when.worst)} at t = {when.worst_at:.4g} s"
        )
        yield Finding("below floor", when, text, blocks=True)


def limit_findings(demands: Demands, samples: TimeSamples | None) -> Iterator[Finding]:
    """Report where rates or torques are beyond what the joints have: at any time, or at samples."""
    parameters, columns = demands.arm.parameters, Columns(demands.arm.n)
    if not np.isfinite([parameters.max_velocity, parameters.max_torque]).any():
        return
    if not len(demands.pieces):
        return
    for kind, unit, place, most in (
        ("velocity limit", "rad/s", 1, parameters.max_velocity),
        ("torque limit", "N·m", 3, parameters.max_torque),
    ):
        for joint in np.flatnonzero(np.isfinite(most)).tolist():
            limit = float(most[joint])
            column = ColumnSize(columns.of(place).start + joint)
            values = demands.joints if samples is None else samples
            for when in _spans(values, column, limit * (1.0 + OVER)):
                text = f"{kind} of joint {joint + 1} {when}: {_beyond(when, limit, unit)}"
                yield Finding(kind, when, text, exceeds=True, joint=joint + 1)


def tip_findings(demands: Demands, limits: Limits) -> Iterator[Finding]:
    """Report where the tip is faster, or accelerates more, than it may."""
    for kind, unit, place, most in (
        ("tip speed limit", "m/s", 0, limits.speed),
        ("tip acceleration limit", "m/s²", 1, limits.acceleration),
    ):
        if most is None:
            continue
        for square in _spans(demands.tip, ColumnSize(place), (most * (1.0 + OVER)) ** 2):
            when = square._replace(worst=math.sqrt(square.worst))
            yield Finding(kind, when, f"{kind} {when}: {_beyond(when, most, unit)}", exceeds=True)


def _beyond(when: TimeSpan, limit: float, unit: str) -> str:
    return f"{when.worst:.4g} {unit} at t = {when.worst_at:.4g} s, {limit:.4g} {unit} allowed"


def jump_findings(trajectory: Trajectory) -> Iterator[Finding]:
    """Report where the velocity would have to change at once: at corners passed at speed."""
    path, timing = trajectory.path, trajectory.timing
    edges = timing.edges(path)
    at, middles = edges[1:-1], 0.5 * (edges[:-1] + edges[1:])
    if not len(at):
        return
    between = timing.points(path, middles)[1]
    # By the formulas of both pieces at the very instant: what differs is a jump, and not what a
    # motion without any does in a while, however short.
    before, after = (timing.points(path, at, within)[1] for within in (middles[:-1], middles[1:]))
    jumps = np.linalg.norm(after - before, axis=-1) / trajectory.duration
    around = (before, after, between[:-1], between[1:])
    usual = np.max([np.linalg.norm(rates, axis=-1) for rates in around], axis=0)
    usual /= trajectory.duration
    unit = "rad/s" if path.in_joints else "m/s"
    for k in np.flatnonzero(jumps > JUMP * usual):
        t, jump = float(at[k]) * trajectory.duration, float(jumps[k])
        when = TimeSpan(t, t, jump, t)
        text = f"corner {when}: the velocity jumps by {jump:.3g} {unit}"
        yield Finding("corner", when, f"{text}; round it off, or stop there", exceeds=True)
