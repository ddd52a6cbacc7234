"""`ulna.plan`: the joint motion along a path, and the torques that it needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypedDict, Unpack, overload

from ulna.arm import Arm
from ulna.concurrency import interruptible
from ulna.motion.durations import Limits
from ulna.motion.path import Path
from ulna.motion.plan_assembly import KnownTerms, assemble_plan, motion_terms, sample_motion
from ulna.motion.plan_batch import plan_all
from ulna.motion.plan_result import Plan
from ulna.motion.planning_problem import PlanOptions, read_force, read_problem
from ulna.motion.plans import Plans
from ulna.motion.postures import follow_paths
from ulna.motion.timing import Timing, read_timing
from ulna.namespaces import suggest_keywords
from ulna.typing import AngleLike, ArrayLike, Derivatives, Elbow, TimingName


class PlanKeywords(TypedDict, total=False):
    """What `plan` takes besides an arm and a path."""

    duration: float | None
    timing: TimingName | Timing
    rate: float | None
    derivatives: Derivatives
    max_speed: float | None
    max_acceleration: float | None
    start: AngleLike | None
    elbow: Elbow | None
    posture: AngleLike | None
    floor: float | None
    tip_force: ArrayLike | Callable[[float], Any] | None


@overload
def plan(arm: Arm, path: Path, **options: Unpack[PlanKeywords]) -> Plan: ...
@overload
def plan(
    arm: Sequence[Arm], path: Path | Sequence[Path], **options: Unpack[PlanKeywords]
) -> Plans: ...
@overload
def plan(arm: Arm, path: Sequence[Path], **options: Unpack[PlanKeywords]) -> Plans: ...
@interruptible
@suggest_keywords(period="duration", speed="max_speed", q0="start")
def plan(
    arm: Arm | Sequence[Arm],
    path: Path | Sequence[Path],
    *,
    duration: float | None = None,
    timing: TimingName | Timing = "uniform",
    rate: float | None = None,
    derivatives: Derivatives = "exact",
    max_speed: float | None = None,
    max_acceleration: float | None = None,
    start: AngleLike | None = None,
    elbow: Elbow | None = None,
    posture: AngleLike | None = None,
    floor: float | None = None,
    tip_force: ArrayLike | Callable[[float], Any] | None = None,
) -> Plan | Plans:
    """Find the joint motion that follows a path, and the torques that it needs.

    Parameters
    ----------
    arm : Arm or sequence of Arm
        The arm. A list of arms, of paths, or of both in pairs is planned side by side.
    path : Path or sequence of Path
        The path of the tip or of the joints; the functions of `ulna.paths` make them.
    duration : float, optional
        How long the motion takes [s]. Without it: as short as `max_speed` and `max_acceleration`
        allow; else as the path has it by itself; else with a tip speed of a quarter of the reach a
        second at most.
    timing : str or Timing, optional
        "uniform" (the path's parameter in proportion to time), "constant-speed", "cubic",
        "quintic", "trapezoid", "s-curve", or a law such as ``ulna.motion.times([0, 1, 3])``.
    rate : float, optional
        Samples a second [Hz]; 2,000 in all without it.
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

    Returns
    -------
    Plan or Plans
        The motion; what is wrong with it is in `Plan.problems`. A `Plans` for lists.

    Raises
    ------
    InputError
        If an argument cannot be used.
    InfeasibleError
        If a drawing without a scale has no room within the reach.

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
    options = PlanOptions(
        duration, read_timing(timing), rate, derivatives, Limits(max_speed, max_acceleration),
        start, elbow, posture, floor, read_force(tip_force),
    )  # fmt: skip
    if isinstance(arm, list | tuple) or isinstance(path, list | tuple):
        return plan_all(arm, path, options)
    problem = read_problem(arm, path, options)
    (followed,) = follow_paths([problem], posture, floor)
    motion = sample_motion(problem, followed, options)
    terms = motion_terms(problem, motion)
    return assemble_plan(problem, followed, motion, terms.total, KnownTerms(terms), options)
