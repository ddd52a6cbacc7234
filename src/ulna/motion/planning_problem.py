"""The planning problem: an arm, a path and how to follow it, checked and completed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ulna.arm import Arm, warn_unmodelled
from ulna.arrays import Array, float_array
from ulna.errors import InputError, Problem, did_you_mean, shown
from ulna.motion.durations import Limits, TimingChoice, choose_duration
from ulna.motion.fitting import fitted
from ulna.motion.path import SAMPLE_PARAMETERS, Path
from ulna.motion.timing import Timing
from ulna.motion.values import number, positive
from ulna.typing import AngleLike, Branch, Elbow

SAMPLES = 2000  # by default
SMALLEST = 1e-9  # of the reach: a path of less extent is a point
MOST_SAMPLES = 20_000_000
DERIVATIVES = ("exact", "finite")
ELBOWS = ("up", "down", "positive", "negative")


@dataclass(frozen=True)
class PlanOptions:
    """The options of `plan`: all that it takes besides arm and path."""

    duration: float | None
    timing: Timing
    rate: float | None
    derivatives: str
    limits: Limits
    start: AngleLike | None
    elbow: Elbow | None
    posture: AngleLike | None
    floor: float | None
    force: Callable[[Array], Array] | None  # on the tip, of times (k,)

    def __post_init__(self) -> None:
        if not isinstance(self.derivatives, str) or self.derivatives not in DERIVATIVES:
            need = "'exact' or 'finite'"
            raise InputError(Problem("derivatives", shown(self.derivatives), need))
        if self.floor is not None:
            number("floor", self.floor, "a height [m]")


class PlanningProblem(NamedTuple):
    """An arm, a path that fits it, when to be where on it, and the posture to start with."""

    arm: Arm
    path: Path
    timing_choice: TimingChoice
    times: Array  # (k,) [s] of the samples
    start: AngleLike | Branch | None


def read_problem(arm: Any, path: Any, options: PlanOptions) -> PlanningProblem:
    """Check arm, path and options, and fill in what was left open."""
    _check(arm, path)
    warn_unmodelled(arm)
    _check_postures(arm, path, options)
    start = options.start
    if path.fit:
        path, found_start = fitted(path, arm)
        start = found_start if start is None and options.elbow is None else start
    timing_choice = choose_duration(arm, path, options.timing, options.duration, options.limits)
    times = _sample_times(
        timing_choice.duration, options.rate, whole=options.derivatives == "finite"
    )
    return PlanningProblem(arm, path, timing_choice, times, _start(arm, path, start, options.elbow))


def read_force(given: Any) -> Callable[[Array], Array] | None:
    """Return the force on the tip as a function of times (k,)."""
    if given is None:
        return None
    return ForceOfTime(given) if callable(given) else SteadyForce(_checked_force(given))


@dataclass(frozen=True, eq=False)
class SteadyForce:
    """The same force (3,) at all times."""

    force: Array

    def __call__(self, times: Array) -> Array:
        """Return the force (k, 3) at times (k,)."""
        return np.broadcast_to(self.force, (len(times), len(self.force)))


@dataclass(frozen=True, eq=False)
class ForceOfTime:
    """A force that a function of the time gives."""

    function: Callable[[float], Any]

    def __call__(self, times: Array) -> Array:
        """Return the force (k, 3) at times (k,)."""
        forces = [_checked_force(self.function(float(t))) for t in times]
        return np.array(forces).reshape(-1, 3)


def _checked_force(given: Any) -> Array:
    force = float_array(given, "tip_force")
    if force.shape not in ((2,), (3,)) or not np.isfinite(force).all():
        need = "x, y [N], or x, y and a moment [N·m]: finite numbers, or a function of t"
        raise InputError(Problem("tip_force", shown(given), need))
    return np.pad(force, (0, 3 - len(force)))


def _check(arm: Any, path: Any) -> None:
    if not isinstance(arm, Arm):
        raise InputError(Problem("arm", shown(arm), "an Arm"))
    if not isinstance(path, Path):
        hint = "make one with ulna.paths, such as ulna.paths.circle()"
        raise InputError(Problem("path", shown(path), "a Path", hint))
    if path.dimensions != (arm.n if path.in_joints else 2):
        got = f"postures of {path.dimensions} joints"
        raise InputError(Problem("path", got, f"{arm.n}, as many as the arm has"))
    if not np.ptp(path.curve(SAMPLE_PARAMETERS)[0], axis=0).max() > SMALLEST * arm.reach:
        raise InputError(Problem("path", str(path), "a path of some extent"))


def _check_postures(arm: Arm, path: Path, options: PlanOptions) -> None:
    """Raise if a posture is chosen where the path itself determines all, or by an unknown name."""
    if path.in_joints:
        for name in ("start", "elbow", "posture"):
            value = getattr(options, name)
            if value is not None:
                need = "nothing with a path of the joints, which determines every posture"
                raise InputError(Problem(name, shown(value), need))
    _check_elbow(arm, options.start, options.elbow)


def _sample_times(duration: float, rate: float | None, *, whole: bool) -> Array:
    """Return the times of the samples, the end among them unless all steps are to be whole."""
    if rate is None:
        return np.linspace(0.0, duration, SAMPLES)
    count = duration * positive("rate", rate, "Hz")
    if count > MOST_SAMPLES:
        need = f"at most {MOST_SAMPLES:,} samples"
        raise InputError(Problem("rate", f"{rate:g} Hz, {count:,.0f} samples", need))
    steps = math.floor(count * (1.0 + 1e-9))
    if steps < 2:
        return np.linspace(0.0, duration, 3)
    times = np.arange(steps + 1) / rate
    if whole or duration - times[-1] <= 1e-9 * duration:
        return np.minimum(times, duration)
    return np.append(times, duration)


def _check_elbow(arm: Arm, start: AngleLike | None, elbow: Any) -> None:
    if elbow is None:
        return
    if not isinstance(elbow, str) or elbow not in ELBOWS:
        hint = did_you_mean(str(elbow), ELBOWS)
        raise InputError(Problem("elbow", shown(elbow), "up, down, positive or negative", hint))
    if arm.n != 2:
        got = f"{shown(elbow)} for an arm of {arm.n} link{'s' * (arm.n > 1)}"
        raise InputError(Problem("elbow", got, "an arm of two links"))
    if start is not None:
        raise InputError(Problem("elbow", f"{shown(elbow)} and a start", "one of the two"))


def _start(
    arm: Arm, path: Path, start: AngleLike | None, elbow: Elbow | None
) -> AngleLike | Branch | None:
    if elbow is None or elbow in ("positive", "negative"):
        return start if elbow is None else elbow
    # Above the line from base to tip: to its left if the tip is to the right of the base.
    right = path.ends[0, 0] >= arm.base[0]
    return "negative" if (elbow == "up") == right else "positive"
