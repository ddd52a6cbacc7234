"""The fastest timing of a path: minimum time under all limits of an arm and its tip.

`speed_profile.py` finds the fastest speed along the path. Corners, where the direction jumps, and
ends of strokes are stops; where a pen is moved the tip waits for it. `smoothing.py` makes the
acceleration continuous, where that is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.arrays import Array
from ulna.errors import InfeasibleError
from ulna.motion.paths.curves import Curve, Jet
from ulna.motion.paths.path import Path
from ulna.motion.planning.law_pieces import LawPieces, PiecewiseLaw, joined, pause
from ulna.motion.planning.limiting import Limiting, find_limiting
from ulna.motion.planning.motor_demands import MotorDemands
from ulna.motion.planning.motor_limits import SPREAD, gets_warm
from ulna.motion.planning.path_nodes import INTERVALS
from ulna.motion.planning.postures import (
    RedundantSolver,
    SampledMotion,
    follow_paths,
    sample_motion,
)
from ulna.motion.planning.smoothing import SmoothedPath, smooth_path
from ulna.motion.planning.speed_profile import SolvedPath, solve_path
from ulna.motion.planning.stroke_timing import PEN_TIME, pen_moves
from ulna.motion.planning.timing_limits import PathLimits, SpeedLimits, WindingTemperatures
from ulna.motion.trajectory import LAWS, Solver, Timing, Trajectory
from ulna.progress import progress

if TYPE_CHECKING:
    from ulna.motion.planning.plan import PlanningProblem

FASTEST = "as fast as the limits allow"
PARTS = np.array([0.0, 0.5, 1.0])  # of a piece of a law, where heat is looked at
WARMINGS = 8  # times that a law is found again for the temperatures which the last one leads to


@dataclass(frozen=True, eq=False)
class FastestLaw(PiecewiseLaw):
    """The part of the way at a part of the duration, and what it was found from."""

    solved: SolvedPath
    length: float  # of the path, and
    unit: str  # its unit: "m", or "rad" of joints
    lifts: Array  # parts of the way at which the pen is moved
    smoothed: SmoothedPath | None  # if it is
    has_ramps: bool  # of an s-curve: it is averaged over the time that they take

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
    window: float | None = 0.0,
    most_share: float = np.inf,
) -> FastestLaw:
    """Return the law of minimum time along a path, averaged over a window [s].

    None is the time that ramps to the largest speed of the tip take. The window is no longer than a
    part of the fastest time of each section between stops.
    """
    given = (0.0, 0.0) if end_speeds is None else end_speeds
    ends = (np.asarray(given, dtype=float) / path.length) ** 2
    edges = np.unique(np.ravel(path.strokes))
    edges = edges[(edges > 0.0) & (edges < 1.0)]
    stops = path.lengths.parts(np.union1d(path.corners, edges))
    with progress("timing the path") as report:
        solved = solve_path(limits, path, stops, ends, report)
    lifts = path.lengths.parts(np.array(pen_moves(path)))
    unit, smoothed = "rad" if path.in_joints else "m", None
    seconds = limits.ramp_time if window is None else window
    if seconds > 0.0:
        smoothed = smooth_path(solved, seconds, most_share)
        found = smoothed.sections
    else:
        whole = solved.profile.pieces
        found = [whole.between(*span) for span in solved.grid.sections]
    pieces = _with_pauses(found, lifts)
    return FastestLaw(pieces, solved, path.length, unit, lifts, smoothed, window is None)


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
    """Follow paths with arms, those that are to be fastest in the time that takes.

    Of several, one that has no fastest timing disturbs no other: it is followed gently and says so.
    """
    motions, timed = follow_paths(problems), list(problems)
    for place, problem in enumerate(problems):
        if problem.timing is not LAWS["fastest"]:
            continue
        try:
            timed[place], motions[place] = _retimed(problem, motions[place])
        except InfeasibleError as error:
            if len(problems) == 1:
                raise
            timed[place] = replace(problem.unhurried(), refusal=str(error))
            motions[place] = follow_paths([timed[place]])[0]
    return timed, motions


def _retimed(
    problem: PlanningProblem, motion: SampledMotion
) -> tuple[PlanningProblem, SampledMotion]:
    base = replace(motion.trajectory, timing=LAWS["constant-speed"])
    if not _is_followed(motion, base):
        slow = problem.unhurried()
        return slow, follow_paths([slow])[0]
    law = _law(_limits(problem, base), problem)
    T, timing = law.duration, law_timing("fastest", law)
    solver = None if base.solver is None else _retimed_solver(base.solver, law)
    made = problem.timed(timing, T, FASTEST)
    trajectory = Trajectory(problem.arm, problem.path, timing, T, solver)
    known = T * law.reached(motion.known) if motion.tracked is not None else made.times
    return made, sample_motion(made, trajectory, motion.tracked, known)


def _law(limits: PathLimits, problem: PlanningProblem) -> FastestLaw:
    """Return the fastest law with windings as warm as it makes them."""
    request = problem.request

    def solve() -> FastestLaw:
        return fastest_law(limits, problem.path, request.end_speeds, request.smoothing or 0.0)

    limits.check_accelerations()
    law, warm = solve(), any(map(gets_warm, limits.arm.joints))
    for _ in range(WARMINGS if warm else 0):
        found = _temperatures(limits, law)
        if np.abs(found.celsius - limits.temperature(found.s)).max() <= 0.5 * SPREAD:
            break
        limits = replace(limits, temperatures=found)
        law = solve()
    return law


def _temperatures(limits: PathLimits, law: FastestLaw) -> WindingTemperatures:
    """Return how warm windings get along the way."""
    places, speeds, accelerations = law.pieces.at(PARTS)
    times = law.pieces.times[:-1, None] + law.pieces.widths[:, None] * PARTS
    s, v, a = (
        np.clip(places.ravel(), 0.0, 1.0),
        np.maximum(speeds, 0.0).ravel(),
        accelerations.ravel(),
    )
    at = limits.geometry(s, np.repeat(places[:, 1], len(PARTS)))
    turning = at.first * a[:, None] + at.second * (v * v)[:, None]
    rates, torque = at.first * v[:, None], limits.torque(at, v, a)
    T, u = law.duration, times.ravel() / law.duration
    found = MotorDemands(limits.arm, T, u, rates, turning, torque).warmth
    # Where it waits for the pen, windings cool down: as warm as before counts.
    s, first = np.unique(s, return_index=True)
    return WindingTemperatures(s, found[first])


def _is_followed(motion: SampledMotion, base: Trajectory) -> bool:
    """Return whether there is a motion at all, of which the fastest can be asked for."""
    if motion.tracked is not None and not motion.tracked.ok.all():
        return False
    return bool(np.isfinite(base.rows(np.linspace(0.0, 1.0, INTERVALS))[0]).all())


def _limits(problem: PlanningProblem, base: Trajectory) -> PathLimits:
    request, n = problem.request, problem.arm.n
    limits, turning = request.limits, request.max_joint_acceleration
    return PathLimits(
        problem.arm,
        base,
        None if request.force is None else request.force.given,
        np.inf if limits.speed is None else limits.speed,
        np.inf if limits.acceleration is None else limits.acceleration,
        np.full(n, np.inf if turning is None else turning, dtype=float),
        request.reserve or 0.0,
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
