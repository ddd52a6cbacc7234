"""What a motion demands of an arm at any time, not only at samples, and what of it is too much.

`Demands` holds the extremes of a motion, and `find_problems` says where a path cannot be followed,
what it exceeds, and what to know.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ulna.actuation.friction import rates_along
from ulna.arm import Arm
from ulna.arm.parameters import SLACK, are_limited
from ulna.arrays import Array
from ulna.dynamics import inverse_dynamics
from ulna.kinematics import Tracked, TrackFlag, condition_number, joints, tip
from ulna.kinematics.inverse_kinematics import EXACT, nearest_in_ring, ring
from ulna.kinematics.path_tracking import FAILURES, Interval
from ulna.motion.planning.adaptive_sampling import (
    BOTH,
    INTERVALS,
    NEITHER,
    SIZE,
    AdaptiveSamples,
    Function,
    Measure,
    TimeSamples,
    TimeSpan,
    sample_adaptively,
    sign_changes,
)
from ulna.motion.trajectory import Trajectory
from ulna.units import length_text

if TYPE_CHECKING:
    from ulna.motion.planning.plan import Limits, PlanningProblem
    from ulna.motion.planning.postures import SampledMotion

STEP = 0.25  # of the reach, that the tip moves between two first samples at most
MOST_INTERVALS = 50_000
# Of its largest value, to which the distance from the base is known before extremes are refined.
FINE_REACH = 1e-4
OVER = 1e-6  # of a limit, by which it may be passed
CLOSE = 1e-8  # of the reach, by which the tip may miss its path
JUMP = 1e-4  # of the speed beside it, by which a velocity may jump unseen
# [rad], or of the reach: by which the joints of a redundant arm may be beyond a limit between two
# postures that keep it.
BETWEEN = 1e-3
CLOSEST = 1e-9  # of the duration, between two breaks
# The columns of sampled values: n each of q, q̇, q̈, τ, power and heights.
ANGLE, RATE, ACCELERATION, TORQUE, POWER, HEIGHT = range(6)


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


class Peaks(NamedTuple):
    """The extremes of a motion: the largest sizes, one a joint, and the smallest margins.

    All are extremes over time, found to 1e-3 and better, and do not depend on the samples that a
    plan was asked for; only with derivatives="finite" they are those of the samples. Where a joint
    with dry friction turns back or starts, torques are those of either side.

    Attributes
    ----------
    torque : ndarray, shape (n,)
        Largest torque [N·m].
    torque_rms : ndarray, shape (n,)
        Root mean square torque [N·m] over the whole motion.
    speed : ndarray, shape (n,)
        Largest joint rate [rad/s].
    acceleration : ndarray, shape (n,)
        Largest joint acceleration [rad/s²].
    power : ndarray, shape (n,)
        Largest mechanical power [W].
    reach_margin : float
        How far [m] the tip stays inside its reach; negative outside.
    singularity_margin : float
        The smallest reciprocal condition number of the Jacobian, 0 to 1.
    """

    torque: Array
    torque_rms: Array
    speed: Array
    acceleration: Array
    power: Array
    reach_margin: float
    singularity_margin: float


def _columns(kind: int, n: int) -> slice:
    return slice(kind * n, (kind + 1) * n)


@dataclass(frozen=True, eq=False)
class Demands:
    """A motion with the force on its tip, and its extremes."""

    arm: Arm
    trajectory: Trajectory
    force: Callable[[Array], Array] | None
    floor: float | None  # [m] below which no joint may be

    @cached_property
    def edges(self) -> Array:
        """The parts of the duration between which all is smooth."""
        edges = self.trajectory.timing.edges(self.trajectory.path)
        kept = edges[np.diff(edges, prepend=-1.0) > np.finfo(float).eps]
        kept[-1] = 1.0
        return np.asarray(kept)

    @cached_property
    def intervals(self) -> int:
        """How many intervals to begin with: more for a path that goes to and fro for long."""
        middles = 0.5 * (self.edges[:-1] + self.edges[1:])
        u = np.union1d(np.linspace(0.0, 1.0, 8 * INTERVALS + 1), middles)
        points = self.trajectory.tip_rows(u * self.trajectory.duration)[0]
        way = float(np.linalg.norm(np.diff(points, axis=0), axis=-1).sum())
        return min(max(INTERVALS, int(way / (STEP * self.arm.reach))), MOST_INTERVALS)

    def _sampled(self, function: Function, pieces: Array, **options: Any) -> AdaptiveSamples:
        return sample_adaptively(
            function, pieces, self.trajectory.duration, intervals=self.intervals, **options
        )

    @cached_property
    def reach(self) -> AdaptiveSamples:
        """The square of the tip's distance from the base [m²], one column."""
        return self._sampled(self._distance, self.edges, close=FINE_REACH)

    @cached_property
    def tip(self) -> AdaptiveSamples:
        """The tip's speed [m/s] and acceleration [m/s²], squared, two columns."""
        return sample_adaptively(self._tip_rates, self.edges, self.trajectory.duration)

    @cached_property
    def joints(self) -> AdaptiveSamples:
        """Angles, rates, accelerations, torques, powers and heights of all joints, in reach."""
        limits, n = self.arm.parameters, self.arm.n
        most = np.full(6 * n, np.inf)
        most[_columns(RATE, n)], most[_columns(TORQUE, n)] = limits.max_velocity, limits.max_torque
        # Angles and heights have extremes of their own, where somebody asks for them.
        ranges = BOTH if are_limited(limits) else NEITHER
        heights = NEITHER if self.floor is None else BOTH
        wanted = np.repeat([ranges, SIZE, SIZE, SIZE, SIZE, heights], n)
        most = np.where(most > 0.0, most, np.inf)
        return self._sampled(self._joint_values, self.pieces, limits=most, wanted=wanted)

    @cached_property
    def pieces(self) -> Array:
        """First and last parts of the duration (k, 2) of all smooth pieces that are in reach.

        Where a joint with dry friction turns back its torque jumps: that is a break too.
        """
        lost = [span[:2] for span in self.out_of_reach]
        cuts = np.unique(np.concatenate([self.edges, np.ravel(lost) / self.trajectory.duration]))
        pieces = np.stack([cuts[:-1], cuts[1:]], axis=-1)
        middles = pieces.mean(axis=1) * self.trajectory.duration
        inside = ~np.any([(middles >= a) & (middles <= b) for a, b in lost] or [False], axis=0)
        kept = np.asarray(pieces[np.broadcast_to(inside, len(pieces))])
        if not len(kept) or not self.arm.has_friction:
            return kept
        turns = sign_changes(self._sampled(self._rates, kept))
        turns = turns[np.abs(turns[:, None] - cuts).min(axis=1) > CLOSEST]
        turns = turns[np.diff(turns, prepend=-1.0) > CLOSEST]
        after = np.searchsorted(kept[:, 0], turns)
        first, last = np.insert(kept[:, 0], after, turns), np.insert(kept[:, 1], after - 1, turns)
        return np.stack([first, last], axis=-1)

    @cached_property
    def _directions(self) -> Array:
        """The direction (k, n) in which joints move on each of the pieces; 0 of one at rest."""
        middles = self.pieces.mean(axis=1)
        return np.sign(self._rates(middles, middles)[:, : self.arm.n])

    @cached_property
    def out_of_reach(self) -> list[TimeSpan]:
        """All spans out of reach, and the shortfall [m] in them."""
        if self.trajectory.solver is None:
            return []  # wherever its joints are, there is an arm
        return list(self.reach.passed(self._shortfall, EXACT * self.arm.reach))

    def peaks(self) -> Peaks:
        """Return the worst of the motion; NaN where none of it is in reach."""
        n, reach_margin = self.arm.n, 0.0 - float(np.max(self._shortfall(self.reach.values)))
        if not len(self.pieces):
            none = np.full(n, np.nan)
            return Peaks(none, none, none, none, none, reach_margin, float("nan"))
        peak, rms = self.joints.peak, self.joints.rms
        regularity = self._sampled(self._regularity, self.pieces, close=0.1)
        return Peaks(
            torque=peak[_columns(TORQUE, n)],
            torque_rms=rms[_columns(TORQUE, n)],
            speed=peak[_columns(RATE, n)],
            acceleration=peak[_columns(ACCELERATION, n)],
            power=peak[_columns(POWER, n)],
            reach_margin=reach_margin,
            singularity_margin=max(0.0, float(regularity.smallest[0])),
        )

    def largest(self, function: Callable[[Array, Array | None], Array]) -> Array:
        """Return the largest sizes of what a function makes of q, q̇, q̈ and the tip force.

        It returns values (k, m) for (3, k, n) and (k, 3); NaN (m,) where nothing is in reach.
        """
        if not len(self.pieces):
            rows, force = self._rows(np.zeros(1), np.zeros(1))
            return np.full(function(rows, force).shape[-1], np.nan)
        return self._sampled(
            lambda u, within: np.nan_to_num(function(*self._rows(u, within))), self.pieces
        ).peak

    def _rows(self, u: Array, within: Array) -> tuple[Array, Array | None]:
        """Return q, q̇ and q̈ (3, k, n), and the force on the tip (k, 3)."""
        T = self.trajectory.duration
        rows = self.trajectory.rows(u * T, within * T)
        if self.arm.has_friction and len(self.pieces):
            piece = np.searchsorted(self.pieces[:, 0], within) - 1
            rows[1] = rates_along(self._directions[piece], rows[1])
        return rows, None if self.force is None else self.force(u * T)

    def _rates(self, u: Array, within: Array) -> Array:
        """Return rates and accelerations side by side (k, 2 n)."""
        T = self.trajectory.duration
        _, qd, qdd = np.nan_to_num(self.trajectory.rows(u * T, within * T))
        return np.concatenate([qd, qdd], axis=-1)

    def _tip_rows(self, u: Array, within: Array) -> Array:
        T = self.trajectory.duration
        return self.trajectory.tip_rows(u * T, within * T)

    def _distance(self, u: Array, within: Array) -> Array:
        place = self._tip_rows(u, within)[0] - np.array(self.arm.base)
        return np.sum(place**2, axis=-1)[:, None]

    def _shortfall(self, squares: Array) -> Array:
        """Return how far (k,) [m] the tip is outside what its links reach; negative inside."""
        inner, outer = ring(np.asarray(self.arm.parameters.length))
        radius = np.sqrt(squares[:, 0])
        if inner <= 0.0:
            return np.asarray(radius - outer)
        return np.asarray(np.maximum(radius - outer, inner - radius))

    def _tip_rates(self, u: Array, within: Array) -> Array:
        return np.sum(self._tip_rows(u, within)[1:] ** 2, axis=-1).T

    def _joint_values(self, u: Array, within: Array) -> Array:
        (q, qd, qdd), force = self._rows(u, within)
        tau = np.asarray(inverse_dynamics(self.arm, q, qd, qdd, tip_force=force))
        heights = joints(self.arm, q)[:, 1:, 1]
        return np.nan_to_num(np.concatenate([q, qd, qdd, tau, tau * qd, heights], axis=-1))

    def _regularity(self, u: Array, within: Array) -> Array:
        T = self.trajectory.duration
        q = np.nan_to_num(self.trajectory.rows(u * T, within * T)[0])
        return (1.0 / condition_number(self.arm, q))[:, None]


def find_problems(
    problem: PlanningProblem, motion: SampledMotion, demands: Demands, tau: Array
) -> tuple[Finding, ...]:
    """Check a motion with its torques (k, n) against all that limits it."""
    samples = None
    if problem.derivatives == "finite":
        # Differences have nothing between them: their samples are all there is.
        T = motion.trajectory.duration
        samples = TimeSamples(motion.times / T, np.concatenate([*motion.rows, tau], axis=-1), T)
    return (
        *_posture_findings(motion, demands),
        *_joint_findings(demands, samples),
        *_tip_findings(demands, problem.limits),
        *_corner_findings(motion.trajectory),
    )


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
    for finding in searched:
        if not any(_overlap(finding, other) for other in told):
            yield finding


def _overlap(one: Finding, other: Finding) -> bool:
    apart = one.when.last < other.when.first or other.when.last < one.when.first
    return one.kind == other.kind and not apart


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
    where = f"{when.peak}, at {_place(point)}"
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


def _depth(heights: slice, floor: float) -> Measure:
    return lambda values: np.asarray(floor - np.min(values[:, heights], axis=-1))


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
    floor, heights = demands.floor, _columns(HEIGHT, demands.arm.n)
    if floor is None or not len(demands.pieces):
        return
    for when in demands.joints.passed(_depth(heights, floor), slack):
        text = f"below floor {when}: by up to {length_text(when.worst)} {when.peak}"
        yield Finding("below floor", when, text, blocks=True)


def _joint_findings(demands: Demands, samples: TimeSamples | None) -> Iterator[Finding]:
    """Report where rates or torques are beyond what the joints have: at any time, or at samples."""
    parameters = demands.arm.parameters
    limited = np.isfinite([parameters.max_velocity, parameters.max_torque]).any()
    if not limited or not len(demands.pieces):
        return
    for kind, unit, place, most in (
        ("velocity limit", "rad/s", RATE, parameters.max_velocity),
        ("torque limit", "N·m", TORQUE, parameters.max_torque),
    ):
        for joint in np.flatnonzero(np.isfinite(most)).tolist():
            limit = float(most[joint])
            size = _size(place * demands.arm.n + joint)
            values = demands.joints if samples is None else samples
            for when in values.passed(size, limit * (1.0 + OVER)):
                text = f"{kind} of joint {joint + 1} {when}: {_beyond(when, limit, unit)}"
                yield Finding(kind, when, text, exceeds=True, joint=joint + 1)


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
