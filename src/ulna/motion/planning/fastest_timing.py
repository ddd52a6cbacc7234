"""The fastest timing of a path: minimum time under all limits of an arm and its tip.

The path is followed once in the time 1. Its speed is then found on a grid by reachability
analysis (`reachability_kernels.py`), under what `timing_limits.py` says. The grid has a node
wherever the path or a friction jumps, is dense beside stops, and is halved where the result uses
less than a limit or more. Corners, where the direction jumps, and ends of strokes are stops. What
is passed between nodes is taken off all limits in the end, so that none is passed anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ulna.arrays import Array, number
from ulna.errors import InfeasibleError, InputError, Problem, shown
from ulna.motion.paths.curves import Cubics, Curve, Jet
from ulna.motion.paths.path import Path
from ulna.motion.planning.postures import (
    RedundantSolver,
    SampledMotion,
    follow_paths,
    sample_motion,
)
from ulna.motion.planning.timing_limits import PathGeometry, PathLimits
from ulna.motion.trajectory import LAWS, Solver, Timing, Trajectory

if TYPE_CHECKING:
    from ulna.motion.planning.plan import PlanningProblem

ENDS, INSIDE, MIDDLE = np.array([0.0, 1.0]), np.array([0.2, 0.5, 0.8]), 1
INTERVALS = 1000  # of a grid to begin with,
PIECE = 30  # at least so many on every smooth piece, and
MOST = 8000  # at most after halving
ROUNDS = 4  # of halving
HALVINGS = 60  # of the way to where a joint turns back
# What intervals may use of their limits without being halved.
LEAST_USE, MOST_USE = 0.997, 1.00005
PROFILES = 12  # computed at most, until tangents are those of the profile itself
SAME = 1e-6  # of the duration, by which two profiles may differ
CORRECTIONS = 6  # of limits for what is passed between nodes
KEPT = 2e-7  # of a limit: what is left of it
DENSE = np.linspace(0.05, 0.95, 10)  # of an interval: where speeds are looked at in the end, and
STRETCH = 2e-6  # of the duration, for what they are between
ACTIVE = 0.995  # of a limit: it counts as reached
LEAST_SHARE = 0.005  # of the duration: what limits for less is not told
RAISED = 1.1  # times a limit: what that would gain is told


class FastestOptions(NamedTuple):
    """What the fastest timing takes besides the limits of the tip."""

    reserve: float | None = None  # the part of torques left to feedback
    end_speeds: Sequence[float] | None = None  # along the path, at start and end [m/s or rad/s]
    max_joint_acceleration: Any = None  # (n,) or for all [rad/s²]

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


NO_OPTIONS = FastestOptions()


class Limiting(NamedTuple):
    """One limit that holds a motion up, for how long, and what more of it would gain.

    Attributes
    ----------
    limit : str
        "torque", "motor", "joint speed", "joint acceleration", "tip speed", "tip acceleration".
    joint : int or None
        The joint, counted from 1; None for the tip.
    share : float
        The part of the duration for which it is reached.
    first : float
        When it is reached first [s].
    last : float
        When it is reached last [s].
    gain : float
        The time [s] that the motion would be shorter with a limit 10 % higher.
    """

    limit: str
    joint: int | None
    share: float
    first: float
    last: float
    gain: float

    def __str__(self) -> str:
        which = self.limit if self.joint is None else f"{self.limit} of joint {self.joint}"
        return (
            f"the {which} limits it for {self.share:.1%} of the time; "
            f"10 % more would save {self.gain:.3g} s"
        )


class Profile(NamedTuple):
    """Squared speeds x along a grid of parts s of the way."""

    s: Array  # (k+1,)
    x: Array  # (k+1,) [1/s²]

    @property
    def acceleration(self) -> Array:
        """Accelerations u (k,) [1/s²] on the intervals."""
        return np.asarray(0.5 * np.diff(self.x) / np.diff(self.s))

    @property
    def durations(self) -> Array:
        """How long (k,) [s] intervals take."""
        root = np.sqrt(self.x)
        return np.asarray(2.0 * np.diff(self.s) / (root[:-1] + root[1:]))

    @property
    def duration(self) -> float:
        """How long all of it takes [s]."""
        return float(self.durations.sum())


@dataclass(frozen=True, eq=False)
class FastestLaw:
    """The part of the way at a part of the duration: parabolas between nodes."""

    profile: Profile
    grid: PathGrid
    limits: PathLimits

    @cached_property
    def edges(self) -> Array:
        """The parts (k+1,) of the duration at the nodes."""
        ends = np.cumsum(self.profile.durations)
        return np.concatenate([[0.0], ends[:-1] / ends[-1], [1.0]])

    @cached_property
    def _pieces(self) -> Cubics:
        s, x = self.profile
        T = self.profile.duration
        bend, rate = 0.5 * T**2 * self.profile.acceleration, T * np.sqrt(x[:-1])
        return Cubics(self.edges, np.stack([np.zeros_like(bend), bend, rate, s[:-1]]))

    def __call__(self, u: Jet) -> Jet:
        """Return the part of the way."""
        return self.on(u, u.value)

    def on(self, u: Jet, within: Array) -> Jet:
        """Return the same on the pieces that other parts of the duration lie on."""
        return u.through(*self._pieces.on(u.value, within))

    def reached(self, parts: Array) -> Array:
        """Return the parts (k,) of the duration at which parts (k,) of the way are reached."""
        s, x = self.profile
        which = np.clip(np.searchsorted(s, parts, "right") - 1, 0, len(s) - 2)
        way, root = parts - s[which], np.sqrt(x[which])
        square = np.maximum(x[which] + 2.0 * self.profile.acceleration[which] * way, 0.0)
        total = root + np.sqrt(square)
        spent = np.divide(2.0 * way, total, out=np.zeros_like(way), where=total > 0.0)
        found = self.edges[which] + spent / self.profile.duration
        return np.asarray(np.where(parts >= 1.0, 1.0, np.clip(found, 0.0, 1.0)))

    @cached_property
    def limiting(self) -> tuple[Limiting, ...]:
        """What limits the motion, the most of the time first."""
        use = self.grid.use(self.limits, self.profile)[1][:, MIDDLE]
        lasting = self.profile.durations
        ends = np.cumsum(lasting)
        worst, found = np.argmax(use, axis=1), list[Limiting]()
        for column, (limit, joint) in enumerate(self.limits.columns):
            held = (worst == column) & (use[:, column] >= ACTIVE)
            share = float(lasting[held].sum() / ends[-1])
            if share >= LEAST_SHARE:
                places = np.flatnonzero(held)
                first, last = ends[places[0]] - lasting[places[0]], ends[places[-1]]
                gain = self._gain(column)
                found.append(Limiting(limit, joint, share, float(first), float(last), gain))
        return tuple(sorted(found, key=lambda one: -one.share))

    def _gain(self, column: int) -> float:
        factor = self.limits.factor.copy()
        factor[column] *= RAISED
        raised = self.grid.solve(replace(self.limits, factor=factor))
        same = self.grid.solve(self.limits)
        return max(0.0, same.duration - raised.duration)


@dataclass(frozen=True, eq=False)
class PathGrid:
    """Nodes along a path, and the arm at both ends of the intervals between them."""

    s: Array  # (k+1,)
    stops: Array  # parts of the way at which the tip stands still
    ends: Array  # (2,) x at start and end
    ends_at: PathGeometry  # (2 k,) first and last ends in turn
    inside_at: PathGeometry  # (3 k,) between them

    @classmethod
    def of(cls, limits: PathLimits, s: Array, stops: Array, ends: Array) -> PathGrid:
        """Return a grid with the arm on it."""
        middles = 0.5 * (s[:-1] + s[1:])
        both = np.stack([s[:-1], s[1:]], axis=-1).ravel()
        around = limits.geometry(both, np.repeat(middles, 2))
        inner = s[:-1, None] + np.diff(s)[:, None] * INSIDE
        inside = limits.geometry(inner.ravel(), np.repeat(middles, len(INSIDE)))
        return cls(s, stops, ends, around, inside)

    def solve(self, limits: PathLimits, first: Profile | None = None) -> Profile:
        """Return the fastest profile on the grid; raise InfeasibleError where there is none."""
        v = np.ones(len(self.s)) if first is None else np.sqrt(np.interp(self.s, *first))
        found = self._solve_once(limits, v)
        for _ in range(0 if limits.is_affine else PROFILES):
            again = self._solve_once(limits, np.sqrt(found.x))
            change = abs(again.duration - found.duration)
            found = again
            if change <= SAME * found.duration:
                break
        return found

    def _solve_once(self, limits: PathLimits, v: Array) -> Profile:
        from ulna.motion.planning.reachability_kernels import FOUND, reach_profile

        count = len(self.s) - 1
        both = np.stack([v[:-1], v[1:]], axis=-1).ravel()
        rows = limits.rows(self.ends_at, both).reshape(count, 2, -1, 4)
        squares = limits.squares(self.ends_at).reshape(count, 2, 4)
        most = limits.fastest(self.ends_at).reshape(count, 2)
        top = np.minimum(np.append(most[:, 0], np.inf), np.append(np.inf, most[:, 1]))
        top[np.isin(self.s, self.stops)] = 0.0
        low, high, x = np.zeros((3, count + 1))
        code = reach_profile(
            np.diff(self.s), np.ascontiguousarray(rows), np.ascontiguousarray(squares), top,
            np.minimum(self.ends, top[[0, -1]]), low, high, x, np.zeros(2),
        )  # fmt: skip
        if code != FOUND:
            self._refuse(limits, max(code, 0))
        if ((x[:-1] == 0.0) & (x[1:] == 0.0)).any():
            self._refuse(limits, int(np.flatnonzero((x[:-1] == 0.0) & (x[1:] == 0.0))[0]))
        return Profile(self.s, x)

    def _refuse(self, limits: PathLimits, interval: int) -> None:
        """Raise InfeasibleError: what the arm would need to hold itself there."""
        still = np.zeros(2 * (len(self.s) - 1))
        use = limits.use(self.ends_at, still, still)[:, : 2 * limits.arm.n]
        row, column = np.unravel_index(np.argmax(use), use.shape)
        kind, joint = limits.columns[int(column)]
        if use[row, column] <= 1.0:
            told = f"no speed keeps all limits at {self.s[interval]:.1%} of the way"
            raise InfeasibleError(f"the path cannot be followed: {told}; lower the end speeds")
        needed = f"{use[row, column]:.4g} times the {kind} that it may have"
        if kind == "torque":
            allowed = limits.arm.parameters.max_torque[column] * (1.0 - limits.reserve)
            needed = f"{use[row, column] * allowed:.4g} N·m, {allowed:.4g} N·m allowed"
        raise InfeasibleError(
            f"the arm cannot hold itself: {self.s[(row + 1) // 2]:.1%} of the way along, joint "
            f"{joint} needs {needed}; try a stronger joint, less payload or less reserve"
        )

    def use(self, limits: PathLimits, profile: Profile) -> tuple[Array, Array]:
        """Return how much of all limits is used at ends (k, 2, m) and between them (k, 3, m)."""
        x, u = profile.x, profile.acceleration
        found = []
        for at, parts in ((self.ends_at, ENDS), (self.inside_at, INSIDE)):
            v = np.sqrt(x[:-1, None] + np.diff(x)[:, None] * parts).ravel()
            use = limits.use(at, v, np.repeat(u, len(parts)))
            found.append(use.reshape(len(u), len(parts), -1))
        return found[0], found[1]


def fastest_law(limits: PathLimits, path: Path, end_speeds: Sequence[float] | None) -> FastestLaw:
    """Return the law of minimum time along a path."""
    ends = (np.asarray(end_speeds or (0.0, 0.0), dtype=float) / path.length) ** 2
    lifts = np.unique(np.ravel(path.strokes))
    lifts = lifts[(lifts > 0.0) & (lifts < 1.0)]
    stops = path.lengths.parts(np.union1d(path.corners, lifts))
    slow = np.concatenate([stops, np.array([0.0, 1.0])[ends == 0.0]])
    breaks = np.union1d(path.lengths.parts(np.array(path.breaks)), stops)
    s = _with_turns(limits, _nodes(breaks, slow))
    grid = PathGrid.of(limits, s, stops, ends)
    profile = grid.solve(limits)
    for _ in range(ROUNDS):
        use = grid.use(limits, profile)[1].max(axis=2)
        rough = (use[:, MIDDLE] < LEAST_USE) | (use.max(axis=1) > MOST_USE)
        if not rough.any() or len(s) + rough.sum() > MOST:
            break
        s = np.sort(np.concatenate([s, 0.5 * (s[:-1] + s[1:])[rough]]))
        grid = PathGrid.of(limits, s, stops, ends)
        profile = grid.solve(limits, profile)
    return FastestLaw(_corrected(limits, grid, profile), grid, limits)


def _corrected(limits: PathLimits, grid: PathGrid, profile: Profile) -> Profile:
    """Take what is passed between nodes off all limits."""
    left = 1.0
    for _ in range(CORRECTIONS):
        worst = max(float(use.max()) for use in grid.use(limits, profile))
        if worst <= 1.0:
            break
        left *= (1.0 - KEPT) / worst
        profile = grid.solve(replace(limits, factor=limits.factor * left), profile)
    return _stretched(limits, profile)


def _stretched(limits: PathLimits, profile: Profile) -> Profile:
    """Take longer by what speeds and accelerations pass between nodes: they go as 1/T and 1/T²."""
    s, x = profile
    places = s[:-1, None] + np.diff(s)[:, None] * DENSE
    v = np.sqrt(x[:-1, None] + np.diff(x)[:, None] * DENSE)
    middles = np.repeat(0.5 * (s[:-1] + s[1:]), len(DENSE))
    at = limits.geometry(places.ravel(), middles)
    use = limits.use(at, v.ravel(), np.repeat(profile.acceleration, len(DENSE)))
    kinds = [kind for kind, _ in limits.columns]
    power = np.array([{"speed": 1.0, "acceleration": 0.5}.get(one.split()[-1], 0) for one in kinds])
    most = float((use[:, power > 0.0] ** power[power > 0.0]).max()) + STRETCH
    return profile if most <= 1.0 else Profile(s, x / most**2)


def _nodes(breaks: Array, slow: Array) -> Array:
    """Return a grid with all breaks, dense beside places where the motion is slow."""
    parts = [np.zeros(1)]
    for first, last in pairwise(breaks.tolist()):
        if not last > first:
            continue
        theta = np.linspace(0.0, 1.0, max(PIECE, int(INTERVALS * (last - first))) + 1)[1:]
        before, after = (np.isclose(slow, end, rtol=0.0, atol=1e-12).any() for end in (first, last))
        if before and after:
            theta = 0.5 - 0.5 * np.cos(np.pi * theta)
        elif before:
            theta = 1.0 - np.cos(0.5 * np.pi * theta)
        elif after:
            theta = np.sin(0.5 * np.pi * theta)
        place = first + (last - first) * theta
        place[-1] = last
        parts.append(place)
    return np.concatenate(parts)


def _with_turns(limits: PathLimits, s: Array) -> Array:
    """Add the places at which joints turn back, where friction jumps."""
    left, right, which = s[:-1], s[1:], np.arange(len(s) - 1)
    middles = 0.5 * (left + right)
    before, after = (limits.base.rows(at, middles)[1] for at in (left, right))
    turns = []
    for joint in range(limits.arm.n):
        k = which[before[:, joint] * after[:, joint] < 0.0]
        low, high, within = left[k], right[k], middles[k]
        for _ in range(HALVINGS * bool(len(k))):
            middle = 0.5 * (low + high)
            same = limits.base.rows(middle, within)[1][:, joint] * before[k, joint] > 0.0
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        turns.append(high)
    found = np.unique(np.concatenate([s, *turns]))
    # A turn that all but falls on a node needs none of its own.
    kept = np.append(True, np.diff(found) > 1e-9) | np.isin(found, s)
    return np.asarray(found[kept])


def follow_timed(
    problems: Sequence[PlanningProblem],
) -> tuple[list[PlanningProblem], list[SampledMotion]]:
    """Follow paths with arms, those that are to be fastest in the time that takes."""
    motions, timed = follow_paths(problems), list(problems)
    for place, (problem, motion) in enumerate(zip(problems, motions, strict=True)):
        if problem.timing.name == "fastest":
            timed[place], motions[place] = _retimed(problem, motion)
    return timed, motions


def _retimed(
    problem: PlanningProblem, motion: SampledMotion
) -> tuple[PlanningProblem, SampledMotion]:
    base = replace(motion.trajectory, timing=LAWS["constant-speed"])
    if not np.isfinite(base.rows(np.linspace(0.0, 1.0, INTERVALS))[0]).all():
        slow = problem.unhurried()
        return slow, follow_paths([slow])[0]
    limits = _limits(problem, base)
    if not limits.are_any:
        need = "a limit: of torque or speed of a joint, max_speed, max_acceleration"
        raise InputError(Problem("timing", "'fastest' without any limit", need))
    law = fastest_law(limits, problem.path, problem.options.end_speeds)
    T, knots = law.profile.duration, tuple(law.edges[1:-1].tolist())
    timing = Timing("fastest", law, knots=knots, duration=T)
    solver = None if base.solver is None else _retimed_solver(base.solver, law)
    made = problem.timed(timing, T, "as fast as the limits allow")
    trajectory = Trajectory(problem.arm, problem.path, timing, T, solver)
    known = T * law.reached(motion.known) if motion.tracked is not None else made.times
    return made, sample_motion(made, trajectory, motion.tracked, known)


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
    law: FastestLaw

    def __call__(self, t: Array) -> Array:
        """Return values with two derivatives by time (3, k, n)."""
        T = self.law.profile.duration
        way = self.law(Jet.variable(np.clip(t / T, 0.0, 1.0)))
        value, first, second = self.curve(np.clip(way.value, 0.0, 1.0))
        rate, turning = way.first[:, None] / T, way.second[:, None] / T**2
        return np.stack([value, first * rate, second * rate**2 + first * turning])


def _retimed_solver(solver: Any, law: FastestLaw) -> Solver:
    if isinstance(solver, RedundantSolver):
        return replace(solver, nearby=RetimedCurve(solver.nearby, law))
    made: Solver = replace(solver, times=law.profile.duration * law.reached(solver.times))
    return made
