"""The fastest timing of a path: minimum time under all limits of an arm and its tip.

`speed_profile.py` finds the fastest speed along the path. Corners, where the direction jumps, and
ends of strokes are stops; where a pen is moved the tip waits for it. `smoothing.py` makes the
acceleration continuous, where that is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ulna.arrays import Array, number, positive
from ulna.errors import InfeasibleError, InputError, Problem, shown
from ulna.motion.paths.curves import Curve, Jet
from ulna.motion.paths.path import Path
from ulna.motion.planning.law_pieces import LawPieces, PiecewiseLaw, joined, pause
from ulna.motion.planning.limiting import Limiting, find_limiting
from ulna.motion.planning.postures import (
    RedundantSolver,
    SampledMotion,
    follow_paths,
    sample_motion,
)
from ulna.motion.planning.smoothing import sections, smooth_sections
from ulna.motion.planning.speed_profile import INTERVALS, SolvedPath, solve_path
from ulna.motion.planning.stroke_timing import PEN_TIME, pen_moves
from ulna.motion.planning.timing_limits import PathLimits, SpeedLimits
from ulna.motion.trajectory import LAWS, Solver, Timing, Trajectory

if TYPE_CHECKING:
    from ulna.motion.planning.plan import PlanningProblem

FASTEST = "as fast as the limits allow"


class FastestOptions(NamedTuple):
    """What the fastest timing takes besides the limits of the tip."""

    reserve: float | None = None  # the part of torques left to feedback
    end_speeds: Sequence[float] | None = None  # along the path, at start and end [m/s or rad/s]
    max_joint_acceleration: Any = None  # (n,) or for all [rad/s²]
    smoothing: float | None = None  # the window [s] that the law is averaged over

    def check(self, *, is_fastest: bool) -> None:
        """Raise for what cannot be used."""
        for name, value in self._asdict().items():
            if value is not None and not is_fastest:
                raise InputError(Problem(name, shown(value), "timing='fastest' with it"))
        if self.reserve is not None:
            number("reserve", self.reserve, "a part of the torque, from 0 to below 1")
            if not 0.0 <= self.reserve < 1.0:
                raise InputError(Problem("reserve", shown(self.reserve), "from 0 to below 1"))
        if self.end_speeds is not None:
            speeds = np.asarray(self.end_speeds, dtype=float)
            if speeds.shape != (2,) or not (np.isfinite(speeds) & (speeds >= 0.0)).all():
                need = "two speeds along the path, at start and end, not negative"
                raise InputError(Problem("end_speeds", shown(self.end_speeds), need))
        if self.max_joint_acceleration is not None:
            most = np.asarray(self.max_joint_acceleration, dtype=float)
            if not (most > 0.0).all():
                got = shown(self.max_joint_acceleration)
                raise InputError(Problem("max_joint_acceleration", got, "above 0 rad/s²"))
        if self.smoothing is not None:
            self._check_smoothing()

    def _check_smoothing(self) -> None:
        positive("smoothing", self.smoothing, "s")
        if self.end_speeds is not None and np.any(self.end_speeds):
            got = f"{shown(self.smoothing)} with end_speeds {shown(self.end_speeds)}"
            raise InputError(Problem("smoothing", got, "a motion from rest to rest"))


NO_OPTIONS = FastestOptions()


@dataclass(frozen=True, eq=False)
class FastestLaw(PiecewiseLaw):
    """The part of the way at a part of the duration, and what it was found from."""

    solved: SolvedPath
    length: float  # of the path, and
    unit: str  # its unit: "m", or "rad" of joints
    lifts: Array  # parts of the way at which the pen is moved
    window: float  # [s] of smoothing; 0 without

    @property
    def waiting(self) -> float:
        """How long it waits for the pen [s]."""
        return PEN_TIME * len(self.lifts)

    @cached_property
    def limiting(self) -> tuple[Limiting, ...]:
        """What holds the motion up: first limits, then corners, the most of the time first."""
        return find_limiting(self)


def fastest_law(
    limits: SpeedLimits,
    path: Path,
    end_speeds: Sequence[float] | None = None,
    window: float = 0.0,
    most_share: float = np.inf,
) -> FastestLaw:
    """Return the law of minimum time along a path, averaged over a window [s].

    The window is no longer than a part of the fastest time of each section between stops.
    """
    ends = (np.asarray(end_speeds or (0.0, 0.0), dtype=float) / path.length) ** 2
    edges = np.unique(np.ravel(path.strokes))
    edges = edges[(edges > 0.0) & (edges < 1.0)]
    stops = path.lengths.parts(np.union1d(path.corners, edges))
    solved = solve_path(limits, path, stops, ends)
    lifts = path.lengths.parts(np.array(pen_moves(path)))
    if window > 0.0:
        found = smooth_sections(solved, window, most_share)
    else:
        found = [solved.profile.pieces(*span) for span in sections(solved.grid)]
    unit = "rad" if path.in_joints else "m"
    return FastestLaw(_with_pauses(found, lifts), solved, path.length, unit, lifts, window)


def _with_pauses(found: Sequence[LawPieces], lifts: Array) -> LawPieces:
    """Join sections, with a pause where the pen is moved."""
    parts = list[LawPieces]()
    for part in found:
        start = float(part.powers[3, 0])
        if (start == lifts).any():
            parts.append(pause(start, PEN_TIME))
        parts.append(part)
    return joined(parts)


def law_timing(name: str, law: PiecewiseLaw) -> Timing:
    """Return a law in pieces as a timing."""
    return Timing(name, law, knots=tuple(law.edges[1:-1].tolist()), duration=law.duration)


def follow_timed(
    problems: Sequence[PlanningProblem],
) -> tuple[list[PlanningProblem], list[SampledMotion]]:
    """Follow paths with arms, those that are to be fastest in the time that takes."""
    motions, timed = follow_paths(problems), list(problems)
    for place, problem in enumerate(problems):
        if problem.timing is not LAWS["fastest"]:
            continue
        try:
            timed[place], motions[place] = _retimed(problem, motions[place])
        except InfeasibleError as error:
            raise error if len(problems) == 1 else InfeasibleError(f"[{place}]: {error}") from None
    return timed, motions


def _retimed(
    problem: PlanningProblem, motion: SampledMotion
) -> tuple[PlanningProblem, SampledMotion]:
    base = replace(motion.trajectory, timing=LAWS["constant-speed"])
    if not _is_followed(motion, base):
        slow = problem.unhurried()
        return slow, follow_paths([slow])[0]
    limits, options = _limits(problem, base), problem.options
    if not limits.are_any:
        need = "a limit: of torque or speed of a joint, max_speed, max_acceleration"
        raise InputError(Problem("timing", "'fastest' without any limit", need))
    law = fastest_law(limits, problem.path, options.end_speeds, options.smoothing or 0.0)
    T, timing = law.duration, law_timing("fastest", law)
    solver = None if base.solver is None else _retimed_solver(base.solver, law)
    made = problem.timed(timing, T, FASTEST)
    trajectory = Trajectory(problem.arm, problem.path, timing, T, solver)
    known = T * law.reached(motion.known) if motion.tracked is not None else made.times
    return made, sample_motion(made, trajectory, motion.tracked, known)


def _is_followed(motion: SampledMotion, base: Trajectory) -> bool:
    """Return whether there is a motion at all, of which the fastest can be asked for."""
    if motion.tracked is not None and not motion.tracked.ok.all():
        return False
    return bool(np.isfinite(base.rows(np.linspace(0.0, 1.0, INTERVALS))[0]).all())


def _limits(problem: PlanningProblem, base: Trajectory) -> PathLimits:
    n, options, force = problem.arm.n, problem.options, None
    if problem.force is not None:
        given = getattr(problem.force, "given", None)
        if callable(given):
            got, need = "a function of t", "numbers with timing='fastest'"
            raise InputError(Problem("tip_force", got, need))
        force = given
    turning = options.max_joint_acceleration
    return PathLimits(
        problem.arm,
        base,
        force,
        np.inf if problem.limits.speed is None else problem.limits.speed,
        np.inf if problem.limits.acceleration is None else problem.limits.acceleration,
        np.broadcast_to(np.asarray(np.inf if turning is None else turning, dtype=float), (n,)),
        options.reserve or 0.0,
        np.ones(4 * n + 2),
    )


@dataclass(frozen=True, eq=False)
class RetimedCurve:
    """A curve of the part of the way, as one of time."""

    curve: Curve
    law: PiecewiseLaw

    def __call__(self, t: Array) -> Array:
        """Return values with two derivatives by time (3, k, n)."""
        T = self.law.duration
        way = self.law(Jet.variable(np.clip(t / T, 0.0, 1.0)))
        value, first, second = self.curve(np.clip(way.value, 0.0, 1.0))
        rate, turning = way.first[:, None] / T, way.second[:, None] / T**2
        return np.stack([value, first * rate, second * rate**2 + first * turning])


def _retimed_solver(solver: Any, law: PiecewiseLaw) -> Solver:
    if isinstance(solver, RedundantSolver):
        return replace(solver, nearby=RetimedCurve(solver.nearby, law))
    made: Solver = replace(solver, times=law.duration * law.reached(solver.times))
    return made
