"""`ulna.plan`: follow a path with an arm, and say what it takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ulna.arm import Arm
from ulna.arrays import Array, float_array
from ulna.errors import InputError, Problem, did_you_mean, shown
from ulna.motion.findings import (
    floor_findings,
    jump_findings,
    kinematic_findings,
    limit_findings,
    range_findings,
    residual_findings,
    tip_findings,
)
from ulna.motion.finite import by_differences
from ulna.motion.fitting import fitted
from ulna.motion.pace import Limits, choose_pace
from ulna.motion.path import LOOK, Path
from ulna.motion.plan import Plan
from ulna.motion.postures import followed
from ulna.motion.terms import torque_terms
from ulna.motion.timing import Timing, read_timing
from ulna.motion.values import number, positive

SAMPLES = 2000  # if nobody says how many
SMALLEST = 1e-9  # of the reach: a path of less extent is a point
MOST_SAMPLES = 20_000_000
DERIVATIVES = ("exact", "finite")
ELBOWS = ("up", "down", "positive", "negative")


def plan(
    arm: Arm,
    path: Path,
    *,
    duration: float | None = None,
    timing: str | Timing = "uniform",
    rate: float | None = None,
    derivatives: str = "exact",
    max_speed: float | None = None,
    max_acceleration: float | None = None,
    start: ArrayLike | None = None,
    elbow: str | None = None,
    posture: ArrayLike | None = None,
    floor: float | None = None,
    tip_force: Any = None,
) -> Plan:
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

    What is wrong with the motion is in `Plan.problems`; only bad input raises.

    >>> import ulna
    >>> made = plan(ulna.preset("kehl"), ulna.paths.loops())
    >>> made.ok, abs(made.tau).max(axis=0).round(2).tolist()
    (True, [78.84, 25.47])
    """
    _check(arm, path, derivatives)
    _check_postures(arm, path, start, elbow, posture, floor)
    limits = Limits(max_speed, max_acceleration)
    if path.fit:
        path, found_start = fitted(path, arm)
        start = found_start if start is None and elbow is None else start
    pace = choose_pace(arm, path, read_timing(timing), duration, limits)
    times = _sample_times(pace.duration, rate, whole=derivatives == "finite")
    force = _force(tip_force)
    trajectory, tracked, known = followed(
        arm, path, pace, times, _start(arm, path, start, elbow), posture, floor
    )
    if derivatives == "exact":
        rows = trajectory.rows(times)
    else:
        angles = trajectory.rows(times)[0]
        times, rows = times[1:-1], by_differences(angles, float(times[1] - times[0]))
    q, qd, qdd = rows
    terms = torque_terms(arm, q, qd, qdd, None if force is None else force(times))
    for values in (times, q, qd, qdd, *terms):
        values.flags.writeable = False
    kinematic = (
        (range_findings(arm, times, q), floor_findings(arm, times, q, floor))
        if tracked is None
        else (kinematic_findings(arm, tracked, known), residual_findings(trajectory, times, q))
    )
    dynamic = (
        limit_findings(arm, times, qd, terms.total),
        tip_findings(trajectory, times, limits),
        jump_findings(trajectory),
    )
    found = tuple(chain(*kinematic, *dynamic))
    return Plan(
        arm, path, trajectory, times, q, qd, qdd, terms, tracked, found, derivatives,
        pace.reason, force,
    )  # fmt: skip


def _check(arm: Any, path: Any, derivatives: Any) -> None:
    if not isinstance(arm, Arm):
        raise InputError(Problem("arm", shown(arm), "an Arm"))
    if not isinstance(path, Path):
        hint = "make one with ulna.paths, such as ulna.paths.circle()"
        raise InputError(Problem("path", shown(path), "a Path", hint))
    if path.dimensions != (arm.n if path.in_joints else 2):
        got = f"postures of {path.dimensions} joints"
        raise InputError(Problem("path", got, f"{arm.n}, as many as the arm has"))
    if not np.ptp(path.curve(LOOK)[0], axis=0).max() > SMALLEST * arm.reach:
        raise InputError(Problem("path", str(path), "a path of some extent"))
    if not isinstance(derivatives, str) or derivatives not in DERIVATIVES:
        need = "'exact' or 'finite'"
        raise InputError(Problem("derivatives", shown(derivatives), need))


def _check_postures(
    arm: Arm, path: Path, start: Any, elbow: Any, posture: Any, floor: float | None
) -> None:
    """Refuse what picks a posture where the path itself says all postures, and odd words."""
    if path.in_joints:
        for name, value in (("start", start), ("elbow", elbow), ("posture", posture)):
            if value is not None:
                need = "nothing with a path of the joints, which says every posture"
                raise InputError(Problem(name, shown(value), need))
    _check_elbow(arm, start, elbow)
    if floor is not None:
        number("floor", floor, "a height [m]")


def _sample_times(duration: float, rate: float | None, *, whole: bool) -> Array:
    """Give the times of the samples, the end among them unless all steps are to be whole."""
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


def _check_elbow(arm: Arm, start: ArrayLike | None, elbow: Any) -> None:
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
    arm: Arm, path: Path, start: ArrayLike | None, elbow: str | None
) -> ArrayLike | str | None:
    if elbow is None or elbow in ("positive", "negative"):
        return start if elbow is None else elbow
    # Above the line from base to tip: to its left if the tip is to the right of the base.
    right = path.ends[0, 0] >= arm.base[0]
    return "negative" if (elbow == "up") == right else "positive"


def _force(given: Any) -> Callable[[Array], Array] | None:
    """Give the force on the tip as a function of times (k,)."""
    if given is None:
        return None
    if callable(given):
        return lambda times: np.array([_checked_force(given(float(t))) for t in times])
    force = _checked_force(given)
    return lambda times: np.broadcast_to(force, (len(times), len(force)))


def _checked_force(given: Any) -> Array:
    force = float_array(given, "tip_force")
    if force.shape not in ((2,), (3,)) or not np.isfinite(force).all():
        need = "x, y [N], or x, y and a moment [N·m]: finite numbers, or a function of t"
        raise InputError(Problem("tip_force", shown(given), need))
    return np.pad(force, (0, 3 - len(force)))
