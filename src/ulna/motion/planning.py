"""`ulna.plan`: the joint motion along a path, and the torques that it needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypedDict, Unpack, overload

from numpy.typing import ArrayLike

from ulna.arm import Arm
from ulna.interrupts import interruptible
from ulna.motion.pace import Limits
from ulna.motion.path import Path
from ulna.motion.plan_assembly import KnownTerms, assemble_plan, motion_terms, sample_motion
from ulna.motion.plan_batch import plan_all
from ulna.motion.plan_result import Plan
from ulna.motion.planning_problem import PlanOptions, read_force, read_problem
from ulna.motion.plans import Plans
from ulna.motion.postures import follow_paths
from ulna.motion.timing import Timing, read_timing
from ulna.namespaces import suggest_keywords
from ulna.typing import Derivatives, Elbow, TimingName


class Options(TypedDict, total=False):
    """What `plan` takes besides an arm and a path."""

    duration: float | None
    timing: TimingName | Timing
    rate: float | None
    derivatives: Derivatives
    max_speed: float | None
    max_acceleration: float | None
    start: ArrayLike | None
    elbow: Elbow | None
    posture: ArrayLike | None
    floor: float | None
    tip_force: ArrayLike | Callable[[float], Any] | None


@overload
def plan(arm: Arm, path: Path, **options: Unpack[Options]) -> Plan: ...
@overload
def plan(arm: Sequence[Arm], path: Path | Sequence[Path], **options: Unpack[Options]) -> Plans: ...
@overload
def plan(arm: Arm, path: Sequence[Path], **options: Unpack[Options]) -> Plans: ...
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
    start: ArrayLike | None = None,
    elbow: Elbow | None = None,
    posture: ArrayLike | None = None,
    floor: float | None = None,
    tip_force: ArrayLike | Callable[[float], Any] | None = None,
) -> Plan | Plans:
    """Find the joint motion that follows a path, and the torques that it takes.

    How long: `duration` [s]; else as short as `max_speed` [m/s] and `max_acceleration` [m/s²] of
    the tip allow; else as the path has it by itself; else gently. How: `timing` is "uniform" (the
    path's parameter in proportion to time), "constant-speed", "cubic", "quintic", "trapezoid",
    "s-curve", or a law such as `ulna.motion.times([0, 1, 3])`.

    Which posture: `start` (n,) [rad] to begin close to, or `elbow` for two links: "up" or "down"
    at the first point, or the sign of sin q_2, "positive" or "negative". Arms with joints to
    spare stay close to `posture`. With `floor` [m] samples below that height are reported.

    Samples are `rate` [Hz] a second, 2,000 in all without it. With derivatives="finite" rates and
    accelerations are differences of the sampled angles, as in paper 000, and the two ends are
    left out. `tip_force` (x, y [N], moment [N·m]) acts on the arm: numbers, or a function of t.

    A list of arms, of paths, or of both in pairs gives a `Plans`, found side by side.

    What is wrong with the motion is in `Plan.problems`; only bad input raises.

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
