"""`ulna.plan`: the joint motion along a path, and the torques that it needs.

A `PlanningProblem` adds to a `PlanRequest` what that leaves open: how long the motion takes, and
when its samples are. `postures.py` finds the joint motion, and `findings.py` what
is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array, freeze
from ulna.errors import InputError, Problem
from ulna.kinematics import tip_acceleration, tip_velocity
from ulna.motion.paths.path import SAMPLE_PARAMETERS, Path
from ulna.motion.paths.svg_drawings import fitted
from ulna.motion.planning.adaptive_sampling import sample_adaptively
from ulna.motion.planning.demands import Demands
from ulna.motion.planning.fastest_timing import FASTEST, follow_timed
from ulna.motion.planning.findings import find_problems
from ulna.motion.planning.look_ahead import look_ahead, quicker
from ulna.motion.planning.plan_request import EXACT, Limits, PlanKeywords, PlanRequest
from ulna.motion.planning.plan_result import Plan, Terms, torque_terms
from ulna.motion.planning.plan_samples import even_times
from ulna.motion.planning.postures import SampledMotion, sliding_to_rest
from ulna.motion.planning.stroke_timing import fit_ramps, has_pen, is_straight, time_strokes
from ulna.motion.trajectory import EVEN, LAWS, Timing
from ulna.typing import AngleLike, ArrayLike, Branch, Derivatives, Elbow, TimingName

if TYPE_CHECKING:
    from ulna.motion.planning.plans import Plans

SMALLEST = 1e-9  # of the reach: a path of less extent is a point
DEFAULT_SPEED = 0.25  # of the reach a second: the tip's largest speed by default
ELBOWS = ("up", "down", "positive", "negative")


@overload
def plan(arm: PlanRequest) -> Plan: ...
@overload
def plan(arm: Arm, path: Path, **options: Unpack[PlanKeywords]) -> Plan: ...
@overload
def plan(
    arm: Sequence[Arm], path: Path | Sequence[Path], **options: Unpack[PlanKeywords]
) -> Plans: ...
@overload
def plan(arm: Arm, path: Sequence[Path], **options: Unpack[PlanKeywords]) -> Plans: ...
def plan(
    arm: PlanRequest | Arm | Sequence[Arm],
    path: Path | Sequence[Path] | None = None,
    *,
    duration: float | None = None,
    timing: TimingName | Timing | None = None,
    rate: float | None = None,
    derivatives: Derivatives = "exact",
    max_speed: float | None = None,
    max_acceleration: float | None = None,
    start: AngleLike | None = None,
    elbow: Elbow | None = None,
    posture: AngleLike | None = None,
    floor: float | None = None,
    tip_force: ArrayLike | Callable[[float], Any] | None = None,
    reserve: float | None = None,
    end_speeds: Sequence[float] | None = None,
    max_joint_acceleration: ArrayLike | None = None,
    smoothing: float | None = None,
) -> Plan | Plans:
    """Find the joint motion that follows a path, and the torques that it needs.

    Parameters
    ----------
    arm : PlanRequest, Arm or sequence of Arm
        The arm; or a request, which holds all of the following. A list of arms, of paths, or of
        both in pairs is planned side by side.
    path : Path or sequence of Path
        The path of the tip or of the joints; the functions of `ulna.paths` make them.
    duration : float, optional
        How long the motion takes [s]. Without it: as short as `max_speed` and `max_acceleration`
        allow; else as the path has it by itself; else with a tip speed of a quarter of the reach a
        second at most.
    timing : str or Timing, optional
        "uniform" (the path's parameter in proportion to time), "constant-speed", "cubic",
        "quintic", "trapezoid", "s-curve", or a law such as ``ulna.motion.times([0, 1, 3])``.
        Without it "uniform", or with `max_speed` and `max_acceleration` and no duration
        "trapezoid": that and "s-curve" then slow down only where they must.
        "fastest" takes the least time that torques, motors and speeds of the joints and the
        limits below allow, and stops at corners; `Plan.limiting` tells what holds it up.
    rate : float, optional
        Samples per second [Hz]. Without it 2,000 even samples, and as many between them as keep
        the tip within 1e-4 of the reach of the line between two samples.
    derivatives : {"exact", "finite"}, optional
        With "finite" rates and accelerations are differences of the sampled angles, and the two
        ends are left out.
    max_speed : float, optional
        The largest speed of the tip [m/s].
    max_acceleration : float, optional
        The largest acceleration of the tip [m/s²].
    start : array_like, shape (n,), optional
        Joint angles [rad] to begin close to.
    elbow : {"up", "down", "positive", "negative"}, optional
        The posture of two links: up or down at the first point, or the sign of sin q_2.
    posture : array_like, shape (n,), optional
        Joint angles [rad] that a redundant arm stays close to, in its null space.
    floor : float, optional
        Height [m]: samples with a joint or the tip below it are reported.
    tip_force : array_like, shape (2,) or (3,), or callable, optional
        Force x, y [N] and moment [N·m] that act on the arm: numbers, or a function of t.
    reserve : float, optional
        The part of all torques, from 0 to below 1, that the fastest timing leaves to feedback.
    end_speeds : sequence of float, optional
        Speeds along the path at start and end [m/s, of joints rad/s] of the fastest timing.
    max_joint_acceleration : array_like, shape () or (n,), optional
        The largest acceleration of the joints [rad/s²] in the fastest timing.
    smoothing : float, optional
        The window [s] over which the fastest timing is averaged: its acceleration along the path is
        then continuous, and its jerk no more than twice the largest acceleration over the window.

    Returns
    -------
    Plan or Plans
        The motion; what is wrong with it is in `Plan.problems`. A `Plans` for lists.

    Raises
    ------
    InputError
        If an argument cannot be used.
    InfeasibleError
        If a drawing without a scale has no room within the reach, or no timing keeps all limits.

    Examples
    --------
    >>> import ulna
    >>> made = plan(ulna.preset("kehl"), ulna.paths.loops())
    >>> made.ok, abs(made.tau).max(axis=0).round(2).tolist()
    (True, [78.84, 25.47])
    >>> lighter = ulna.preset("kehl").replace(gravity=(0.0, -1.62))
    >>> both = plan([ulna.preset("kehl"), lighter], ulna.paths.loops())
    >>> abs(both.tau).max(axis=1).round(2).tolist()
    [[78.84, 25.47], [16.09, 5.03]]
    """
    options: PlanKeywords = {
        "duration": duration, "timing": timing, "rate": rate, "derivatives": derivatives,
        "max_speed": max_speed, "max_acceleration": max_acceleration, "start": start,
        "elbow": elbow, "posture": posture, "floor": floor, "tip_force": tip_force,
        "reserve": reserve, "end_speeds": end_speeds,
        "max_joint_acceleration": max_joint_acceleration, "smoothing": smoothing,
    }  # fmt: skip
    if isinstance(arm, PlanRequest):
        given = [name for name, value in options.items() if value not in (None, EXACT)]
        if path is not None or given:
            got = f"a request and {', '.join(['path'] * (path is not None) + given)}"
            hint = "request.replace(...) has other values"
            raise InputError(Problem("plan", got, "one of the two", hint))
        return _planned(arm)
    if isinstance(arm, list | tuple) or isinstance(path, list | tuple):
        from ulna.motion.planning.plans import plan_all

        return plan_all(arm, path, options)
    return _planned(PlanRequest(arm=arm, path=path, **options))  # type: ignore[arg-type]


def _planned(request: PlanRequest) -> Plan:
    (problem,), (motion,) = follow_timed([opened(request)])
    rows = sliding_to_rest(motion.trajectory, motion.times, motion.rows)
    terms = torque_terms(problem.arm, rows, motion.force)
    return assemble_plan(problem, motion, terms.total, terms)


@dataclass(frozen=True, eq=False)
class PlanningProblem:
    """A request that is worked on: its path in place, its start chosen, its motion timed."""

    request: PlanRequest
    path: Path  # a drawing as it was fitted into reach
    start: Any  # the posture to start with, a branch, or None
    timing: Timing
    lasting: float  # [s] that the motion takes,
    duration_reason: str  # why,
    times: Array  # and the times (k,) [s] of its samples
    refusal: str = ""  # why there is no fastest timing

    @property
    def arm(self) -> Arm:
        """The arm."""
        return self.request.arm

    def timed(self, timing: Timing, lasting: float, reason: str) -> PlanningProblem:
        """Return the same with a timing, a duration [s] and why, and the times of its samples."""
        times = _sample_times(self.request, lasting)
        return replace(self, timing=timing, lasting=lasting, duration_reason=reason, times=times)

    def unhurried(self) -> PlanningProblem:
        """Return the same at a gentle constant speed, for a path that cannot be followed."""
        constant = LAWS["constant-speed"]
        return self.timed(*_choose_duration(self.arm, self.path, constant, None, Limits()))


def opened(request: PlanRequest) -> PlanningProblem:
    """Fit a drawing into reach, and choose duration, times and start."""
    arm, path, start = request.arm, request.path, request.start
    if not np.ptp(path.curve(SAMPLE_PARAMETERS)[0], axis=0).max() > SMALLEST * arm.reach:
        raise InputError(Problem("path", str(path), "a path of some extent"))
    if path.fit:
        path, found = fitted(path, arm)
        start = found if start is None and request.elbow is None else start
    chosen = start if request.elbow is None else _branch(arm, path, request.elbow)
    timing, lasting, reason = _choose_duration(
        arm, path, request.law, request.duration, request.limits
    )
    times = _sample_times(request, lasting)
    return PlanningProblem(request, path, chosen, timing, lasting, reason, times)


def _sample_times(request: PlanRequest, lasting: float) -> Array:
    return even_times(lasting, request.rate, whole=request.derivatives == "finite")


def _branch(arm: Arm, path: Path, elbow: Elbow) -> Branch:
    """Return the sign of sin q_2 with which the elbow begins up or down."""
    if elbow == "positive" or elbow == "negative":
        return elbow
    # Above the line from base to tip: to its left if the tip is to the right of the base.
    right = path.ends[0, 0] >= arm.base[0]
    return "negative" if (elbow == "up") == right else "positive"


def _choose_duration(
    arm: Arm, path: Path, timing: Timing, duration: float | None, limits: Limits
) -> tuple[Timing, float, str]:
    """Return a timing and a duration: as told, as the limits allow, as the path has it, or gently.

    The third is why it takes so long, in words.
    """
    if timing is LAWS["fastest"]:
        return timing, 1.0, FASTEST  # the parts of the way, to begin with
    if has_pen(path) and timing.duration is None:
        return _time_drawing(arm, path, timing, duration, limits)
    if duration is not None:
        return timing, float(duration), "as asked"
    if limits != Limits():
        return _within_limits(arm, path, timing, limits)
    if timing.duration is not None:
        return timing, timing.duration, "as the given times say"
    if path.duration is not None:
        return timing, path.duration, "as the path has it"
    speed = DEFAULT_SPEED * arm.reach
    lasting = _shortest(arm, path, timing, Limits(speed))
    return timing, lasting, f"for a tip speed of at most {speed:.3g} m/s"


def _within_limits(
    arm: Arm, path: Path, timing: Timing, limits: Limits
) -> tuple[Timing, float, str]:
    """Return a timing and a duration that limits of the tip allow: by look-ahead, or as a whole."""
    law = timing if path.in_joints else fit_ramps(timing, path.length, limits)
    lasting = _shortest(arm, path, law, limits)
    if timing.sharpness and limits.look_ahead(None) and not is_straight(path):
        ahead = quicker(arm, path, timing, limits, lasting)
        if ahead is not None:
            return ahead, ahead.duration or lasting, FASTEST
    return law, lasting, FASTEST


def _time_drawing(
    arm: Arm, path: Path, timing: Timing, duration: float | None, limits: Limits
) -> tuple[Timing, float, str]:
    """Return the same of a drawing: strokes and travel as fast as the limits allow, each alone."""
    speed = DEFAULT_SPEED * arm.reach
    kept = Limits(speed) if limits == Limits() else limits
    law = LAWS["s-curve"] if timing.name in EVEN else timing
    if law.sharpness and kept.look_ahead(duration):
        timed = look_ahead(arm, path, law, kept)
    else:
        timed = time_strokes(path, timing, kept, lambda part, law: _tip_peaks(arm, part, law))
    if duration is None:
        reason = f"for a tip speed of at most {speed:.3g} m/s" if kept is not limits else FASTEST
        return timed, timed.duration or 0.0, reason
    return _choose_duration(arm, path, timed, duration, limits)


def _shortest(arm: Arm, path: Path, timing: Timing, limits: Limits) -> float:
    """Return the duration at which the limits are just kept."""
    return limits.shortest(*_tip_peaks(arm, path, timing), f"{timing.name} along {path}")


def _tip_peaks(arm: Arm, path: Path, timing: Timing) -> tuple[float, float]:
    """Return the largest speed and acceleration of the tip, for a duration of 1 s."""

    def squares(u: Array, within: Array) -> Array:
        rows = timing.points(path, u, within)
        if path.in_joints:
            moving = tip_velocity(arm, rows[0], rows[1]), tip_acceleration(arm, *rows)
            return np.sum(np.stack(moving)[..., :2] ** 2, axis=-1).T
        return np.sum(rows[1:] ** 2, axis=-1).T

    found = sample_adaptively(squares, timing.edges(path), 1.0)
    speed, acceleration = np.sqrt(found.largest).tolist()
    return speed, acceleration


def assemble_plan(
    problem: PlanningProblem, motion: SampledMotion, tau: Array, terms: Terms | None = None
) -> Plan:
    """Check a motion with its torques against all limits, and return the plan."""
    q, qd, qdd = motion.rows
    freeze(motion.times, q, qd, qdd, tau)
    request = problem.request
    demands = Demands(problem.arm, motion.trajectory, request.force, request.floor)
    made = Plan(
        problem.arm, problem.path, motion.trajectory, motion.times, q, qd, qdd, tau, motion.tracked,
        find_problems(problem, motion, demands, tau), problem.duration_reason, demands, request,
    )  # fmt: skip
    if terms is not None:
        vars(made)["terms"] = terms  # they need not be computed again
    return made
