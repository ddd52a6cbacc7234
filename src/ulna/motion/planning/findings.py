"""What of a motion is too much for an arm, at any time and not only at samples.

`find_problems` says where a path cannot be followed, what it exceeds, and what to know.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ulna.arm import Arm
from ulna.arm.parameters import SLACK, are_limited
from ulna.arrays import Array
from ulna.kinematics import Tracked, TrackFlag, tip
from ulna.kinematics.inverse_kinematics import nearest_in_ring, ring
from ulna.kinematics.path_tracking import FAILURES, Interval
from ulna.motion.planning.adaptive_sampling import Measure, TimeSamples, TimeSpan
from ulna.motion.planning.demands import HEIGHT, RATE, TORQUE, Demands, columns_of
from ulna.motion.planning.fastest_timing import FastestLaw
from ulna.motion.planning.look_ahead import CRUISING, look_ahead
from ulna.motion.planning.motor_demands import MotorDemands, motor_called, sampled_motors
from ulna.motion.planning.motor_limits import max_rates
from ulna.motion.trajectory import LAWS, Trajectory
from ulna.units import length_text

if TYPE_CHECKING:
    from ulna.motion.planning.plan import PlanningProblem
    from ulna.motion.planning.plan_request import Limits
    from ulna.motion.planning.postures import SampledMotion

OVER = 1e-6  # of a limit, by which it may be passed
CLOSE = 1e-8  # of the reach, by which the tip may miss its path
WORTH = 0.95  # of a duration: a look-ahead that takes less is told of
BESIDE = 1e-6  # of a path, beside a corner
RADIAL = 1e-3  # the cosine between arm and path, above which it leads out of the reach
SHORT = 1e-4  # of the reach, that is enough to stop short of its edge
JUMP = 1e-4  # of the speed beside it, by which a velocity may jump unseen
SAME_POSTURE = 1e-7  # [rad] by which rounding may part the ends of a closed motion
# [rad], or of the reach: by which the joints of a redundant arm may be beyond a limit between two
# postures that keep it.
BETWEEN = 1e-3


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


def find_problems(
    problem: PlanningProblem, motion: SampledMotion, demands: Demands, tau: Array
) -> tuple[Finding, ...]:
    """Check a motion with its torques (k, n) against all that limits it."""
    samples, motors, T = None, None, motion.trajectory.duration
    if problem.request.derivatives == "finite":
        # Differences have nothing between them: their samples are all there is.
        values = np.concatenate([*motion.rows, tau], axis=-1)
        samples = TimeSamples(motion.times / T, values, T)
        _, rate, acceleration = motion.rows
        motors = sampled_motors(motion.trajectory, motion.times, rate, acceleration, tau)
    too_much = (
        *_joint_findings(demands, samples),
        *_motor_findings(demands, motors),
    )
    whole = TimeSpan(0.0, T, T, 0.0)
    refused = [Finding("no fastest timing", whole, problem.refusal, blocks=True)]
    return (
        *(refused if problem.refusal else ()),
        *_posture_findings(motion, demands),
        *_closure_findings(motion),
        *(_stretched_findings(motion.trajectory) if too_much else ()),
        *too_much,
        *_tip_findings(demands, problem.request.limits),
        *_corner_findings(motion.trajectory),
        *_look_ahead_findings(problem, motion.trajectory),
    )


def _look_ahead_findings(problem: PlanningProblem, trajectory: Trajectory) -> Iterator[Finding]:
    """Report how long a named law with one shape for the whole path might have taken."""
    timing, limits = trajectory.timing, problem.request.limits
    ahead_already = timing.name in CRUISING or isinstance(timing.law, FastestLaw)
    if ahead_already or not limits.look_ahead(problem.request.duration):
        return
    law = LAWS["trapezoid"]
    T, ahead = trajectory.duration, look_ahead(problem.arm, problem.path, law, limits).duration
    if ahead is not None and ahead < WORTH * T:
        text = f"the timing {timing.name} has one shape for all of the path: {T:.4g} s"
        hint = f"a trapezoid, which slows down only where it must, takes {ahead:.4g} s"
        yield Finding("look-ahead", TimeSpan(0.0, T, T - ahead, T), f"{text}; {hint}")


def _stretched_findings(trajectory: Trajectory) -> Iterator[Finding]:
    """Report where the tip comes to rest at the very edge of its reach, approached along the arm.

    The joints then move as the root of the way that is left: whoever stops the tip there with an
    even deceleration stops the joints at once.
    """
    arm, path = trajectory.arm, trajectory.path
    if trajectory.solver is None or arm.n < 2:
        return
    inner, outer = ring(np.asarray(arm.parameters.length))
    places = np.unique(np.concatenate([[0.0], path.corners, [1.0]]))
    radius = np.linalg.norm(path(places) - np.array(arm.base), axis=-1)[:, None]
    edges = np.array([outer, inner] if inner > 0.0 else [outer])
    for place in places[(np.abs(radius - edges) <= CLOSE * outer).any(axis=1)]:
        lever = path(place) - np.array(arm.base)
        around = np.clip(place + np.array([-BESIDE, BESIDE]), 0.0, 1.0)
        ways = path.on(np.full(2, place), around)[1]
        along = np.abs(ways @ lever) / (np.linalg.norm(ways, axis=-1) * np.linalg.norm(lever))
        if along.max() > RADIAL:
            part = path.lengths.parts(place) if trajectory.timing.by_length else place
            t = float(trajectory.timing.reached(np.atleast_1d(part))[0]) * trajectory.duration
            where = f"at t = {t:.4g} s, at {_place(path(place))}, the edge of the reach"
            need = f"stay {length_text(SHORT * arm.reach)} short of it"
            text = f"singular stop {where}: joints cannot come to rest as the tip does; {need}"
            yield Finding("singular stop", TimeSpan(t, t, 0.0, t), text)


def _posture_findings(motion: SampledMotion, demands: Demands) -> Iterator[Finding]:
    """Report where the joints cannot follow, and what else is known of the postures."""
    if motion.tracked is None:
        yield from _range_findings(demands, OVER)
        yield from _floor_findings(demands, 0.0)
        return
    yield from _reach_findings(demands)
    told = list(_kinematic_findings(demands.arm, motion.tracked, motion.known))
    yield from told
    yield from _residual_findings(motion.trajectory, motion.known)
    exact = demands.arm.n <= 2
    searched = (
        *_range_findings(demands, SLACK if exact else BETWEEN),
        *_floor_findings(demands, 0.0 if exact else BETWEEN * demands.arm.reach),
    )
    for one in searched:
        first, last = one.when[:2]
        alike = (other.when for other in told if other.kind == one.kind)
        if not any(first <= when.last and when.first <= last for when in alike):
            yield one


def _closure_findings(motion: SampledMotion) -> Iterator[Finding]:
    """Report a closed path at whose end the arm is not posed as it was at its start."""
    trajectory, tracked = motion.trajectory, motion.tracked
    if not trajectory.path.closed or (tracked is not None and not tracked.ok.all()):
        return
    T = trajectory.duration
    start, end = trajectory.rows(np.array([0.0, T]))[0]
    change = np.remainder(end - start + np.pi, 2.0 * np.pi) - np.pi  # whole turns change no posture
    worst = float(np.abs(change).max())
    if worst > SAME_POSTURE:
        each = ", ".join(
            f"joint {number} by {np.degrees(part):+.3g} deg"
            for number, part in enumerate(change.tolist(), 1)
            if abs(part) > SAME_POSTURE
        )
        text = f"the closed path ends in another posture than it began: {each}"
        yield Finding(
            "another posture", TimeSpan(T, T, worst, T), f"{text}; played again, it jumps back"
        )


def _reach_findings(demands: Demands) -> Iterator[Finding]:
    """Report where the path is further out, or further in, than the links reach."""
    arm = demands.arm
    base, length = np.array(arm.base), np.asarray(arm.parameters.length)
    for when in demands.out_of_reach:
        point = demands.trajectory.tip(when.worst_at).position
        near = nearest_in_ring(length, point - base).point + base
        where = f"{when.peak}, at {_place(point)}, nearest {_place(near)}"
        text = f"out of reach {when}: by up to {length_text(when.worst)} {where}"
        yield Finding("out of reach", when, text, blocks=True)


def _kinematic_findings(arm: Arm, tracked: Tracked, times: Array) -> Iterator[Finding]:
    """Report where the joints cannot follow the path, and why."""
    for interval in tracked.intervals:
        if _is_checked_at_any_time(arm, interval):
            continue
        at = [float(times[k]) for k in (interval.first, interval.last, interval.worst_at)]
        when = TimeSpan(at[0], at[1], interval.worst, at[2])
        where = f" {when.peak}, at {_place(tracked.points[interval.worst_at, :2])}"
        text = f"{interval.flag.text} {when}{interval.describe_worst(where)}"
        yield Finding(interval.flag.text, when, text, blocks=bool(interval.flag & FAILURES))


def _is_checked_at_any_time(arm: Arm, interval: Interval) -> bool:
    """Return whether something is checked at any time, and need not be told of single postures."""
    if interval.flag == TrackFlag.OUT_OF_REACH:
        return True
    exact = arm.n <= 2  # between its postures too
    passed = interval.flag == TrackFlag.JOINT_LIMIT and interval.worst > 0.0
    return exact and (passed or interval.flag == TrackFlag.BELOW_FLOOR)


def _place(point: Array) -> str:
    x, y = (round(float(part), 9) + 0.0 for part in point)
    return f"({x:.4g}, {y:.4g}) m"


def _residual_findings(trajectory: Trajectory, known: Array) -> Iterator[Finding]:
    """Report where the tip leaves its path within reach: between waypoints too far apart."""
    if trajectory.arm.n <= 2 or len(known) < 2:
        return  # solved in closed form
    times = 0.5 * (known[:-1] + known[1:])
    q = trajectory.rows(times)[0]
    gap = np.linalg.norm(tip(trajectory.arm, q)[:, :2] - trajectory.tip(times).position, axis=-1)
    between = TimeSamples(times / trajectory.duration, gap[:, None], trajectory.duration)
    for when in between.passed(_size(0), CLOSE * trajectory.arm.reach):
        far = length_text(when.worst)
        text = f"not converged {when}: up to {far} off {when.peak}"
        yield Finding("not converged", when, f"{text}; give another start or posture", blocks=True)


def _size(column: int) -> Measure:
    return lambda values: np.abs(values[:, column])


def _outside(column: int, lower: float, upper: float) -> Measure:
    return lambda values: np.maximum(lower - values[:, column], values[:, column] - upper)


def _range_findings(demands: Demands, slack: float) -> Iterator[Finding]:
    """Report where angles are beyond the joints' limits by more than a slack [rad]."""
    arm = demands.arm
    if not are_limited(arm.parameters) or not len(demands.pieces):
        return
    limits = zip(arm.parameters.lower.tolist(), arm.parameters.upper.tolist(), strict=True)
    for joint, (lower, upper) in enumerate(limits):
        if math.isinf(lower) and math.isinf(upper):
            continue
        for when in demands.joints.passed(_outside(joint, lower, upper), slack):
            much = f"{np.degrees(when.worst):.3g} deg {when.peak}"
            text = f"joint limit {when}: joint {joint + 1} passes it by up to {much}"
            yield Finding("joint limit", when, text, blocks=True, joint=joint + 1)


def _floor_findings(demands: Demands, slack: float) -> Iterator[Finding]:
    """Report where a joint or the tip is below a height [m] by more than a slack [m]."""
    floor, heights = demands.floor, columns_of(HEIGHT, demands.arm.n)
    if floor is None or not len(demands.pieces):
        return
    for when in demands.joints.passed(lambda rows: floor - rows[:, heights].min(axis=-1), slack):
        text = f"below floor {when}: by up to {length_text(when.worst)} {when.peak}"
        yield Finding("below floor", when, text, blocks=True)


def _joint_findings(demands: Demands, samples: TimeSamples | None) -> Iterator[Finding]:
    """Report where rates or torques are beyond what the joints have: at any time, or at samples."""
    parameters = demands.arm.parameters
    limited = np.isfinite([max_rates(demands.arm), parameters.max_torque]).any()
    if not limited or not len(demands.pieces):
        return
    for kind, unit, place, most in (
        ("velocity limit", "rad/s", RATE, max_rates(demands.arm)),
        ("torque limit", "N·m", TORQUE, parameters.max_torque),
    ):
        for joint in np.flatnonzero(np.isfinite(most)).tolist():
            limit = float(most[joint])
            size = _size(place * demands.arm.n + joint)
            values = demands.joints if samples is None else samples
            for when in values.passed(size, limit * (1.0 + OVER)):
                text = f"{kind} of joint {joint + 1} {when}: {_beyond(when, limit, unit)}"
                yield Finding(kind, when, text, exceeds=True, joint=joint + 1)


def _motor_findings(demands: Demands, at_samples: MotorDemands | None) -> Iterator[Finding]:
    """Report where motors are too weak at their speed, or too hot: at any time, or at samples."""
    if not demands.arm.has_motors or not len(demands.pieces):
        return
    motors = at_samples or demands.motors
    for number, joint in enumerate(demands.arm.joints):
        which = f"joint {number + 1}{motor_called(joint)}"
        for kind, found in (
            ("motor limit", motors.weak(number)),
            ("overheating", motors.overheated(number)),
        ):
            for when, told in found:
                text = f"{kind} of {which} {when}: {told}"
                yield Finding(kind, when, text, exceeds=True, joint=number + 1)
        told = motors.overloaded(number)
        if told:
            when = TimeSpan(0.0, motors.duration, float(motors.peaks.torque_rms[number]), 0.0)
            text = f"repeated for ever, the motor of {which} overheats: {told}"
            yield Finding("lasting heat", when, text, joint=number + 1)


def _tip_findings(demands: Demands, limits: Limits) -> Iterator[Finding]:
    """Report where the tip is faster, or accelerates more, than it may."""
    for kind, unit, place, most in (
        ("tip speed limit", "m/s", 0, limits.speed),
        ("tip acceleration limit", "m/s²", 1, limits.acceleration),
    ):
        if most is None:
            continue
        for square in demands.tip.passed(_size(place), (most * (1.0 + OVER)) ** 2):
            when = square._replace(worst=math.sqrt(square.worst))
            yield Finding(kind, when, f"{kind} {when}: {_beyond(when, most, unit)}", exceeds=True)


def _beyond(when: TimeSpan, limit: float, unit: str) -> str:
    return f"{when.worst:.4g} {unit} {when.peak}, {limit:.4g} {unit} allowed"


def _corner_findings(trajectory: Trajectory) -> Iterator[Finding]:
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
