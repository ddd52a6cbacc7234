"""References: motions, functions of time and set-points, computed at the ticks of a controller."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array, float_array
from ulna.errors import InputError, Problem
from ulna.motion import Plan, PlanRequest, Trajectory, plan
from ulna.scenario.inputs import check_takes_time, command_rates
from ulna.scenario.options import joint_values

# Returns angles, rates and accelerations (k, 3, n) at times (k,).
Follow: TypeAlias = Callable[[Array], Array]
BLOCK = 4096  # ticks that are worked out together
POSES = 5  # of a motion at which a controller is judged beforehand


def trajectory_of(given: Any) -> Trajectory | None:
    """Return the motion that a plan or a trajectory describes, None of anything else."""
    if isinstance(given, Plan):
        return given.trajectory
    return given if isinstance(given, Trajectory) else None


def followed_of(given: Any) -> Any:
    """Return a reference as it is followed: of a request, its plan."""
    return plan(given) if isinstance(given, PlanRequest) else given


def check_reference(n: int, given: Any) -> Any:
    """Return a reference as a scenario holds it: a posture as a tuple, all else as it is."""
    motion = given if isinstance(given, PlanRequest) else trajectory_of(given)
    if motion is not None:
        check_motion(n, motion)
    elif callable(given):
        check_takes_time(given, "reference")
    elif given is not None:
        return tuple(joint_values(n, "reference", given, "rad").tolist())
    return given


def read_reference(arm: Arm, given: Any, q0: Array, *, start: float = 0.0) -> Blocks:
    """Read a reference: a plan or a trajectory, a set-point (n,), or a function of t.

    The function returns q, (q, qd) or (q, qd, qdd). Without any the arm is to stay where it starts.
    Motions and functions begin at the time `start` [s].
    """
    motion = trajectory_of(given)
    if motion is not None:
        return Blocks(follow_motion(arm.n, motion), start=start)
    if callable(given):
        follow = partial(_rows_until_failure, follow_function(arm.n, given))
        return Blocks(follow, function=given, start=start)
    posture = q0 if given is None else joint_values(arm.n, "reference", given, "rad")
    rows = np.zeros((3, arm.n))
    rows[0] = posture
    return Blocks(partial(_still_rows, rows), still=True)


def _still_rows(rows: Array, times: Array) -> Array:
    return np.broadcast_to(rows, (len(times), *rows.shape))


def reference_poses(arm: Arm, given: Any, q0: Array) -> Array:
    """Return some poses (k, n) [rad] of a reference; of a function of time only where it starts."""
    motion = trajectory_of(given)
    if motion is not None:
        poses = motion.rows(np.linspace(0.0, motion.duration, POSES))[0]
        return np.asarray(poses[np.isfinite(poses).all(axis=-1)])
    if given is None or callable(given):
        return q0[None]
    return joint_values(arm.n, "reference", given, "rad")[None]


def check_motion(n: int, motion: Trajectory | PlanRequest, what: str = "reference") -> None:
    """Raise InputError for a motion of another number of joints."""
    if motion.arm.n != n:
        got = f"a motion of {motion.arm.n} joints"
        raise InputError(Problem(what, got, f"{n}, as many as the arm has"))


def follow_motion(n: int, motion: Trajectory, what: str = "reference") -> Follow:
    """Return what follows a motion."""
    check_motion(n, motion, what)
    return partial(_motion_rows, motion, what)


def _motion_rows(motion: Trajectory, what: str, times: Array) -> Array:
    found = motion.rows(times)
    if not np.isfinite(found).all():
        lost = np.flatnonzero(~np.isfinite(found).all(axis=(0, 2)))
        got = f"a path that is out of reach at t = {times[lost[0]]:.4g} s"
        hint = "look at the plan's problems"
        raise InputError(Problem(what, got, "one in reach", hint))
    return found.transpose(1, 0, 2)


def follow_function(n: int, given: Callable[[float], Any], what: str = "reference") -> Follow:
    """Return what follows a function of time that gives q, (q, qd) or (q, qd, qdd)."""
    check_takes_time(given, what)
    return partial(_function_rows, n, given, what)


def _function_rows(n: int, given: Callable[[float], Any], what: str, times: Array) -> Array:
    return np.array([function_row(n, given(t), what, t) for t in times.tolist()])


def function_row(n: int, found: Any, what: str, t: float) -> Array:
    """Return what a function gave at a time as angles, rates and accelerations (3, n)."""
    parts = found if isinstance(found, tuple) else (found,)
    if len(parts) > 3:
        raise InputError(Problem(what, f"{len(parts)} parts", "q, qd and qdd at most"))
    result = np.zeros((3, n))
    for line, part in zip(result, parts, strict=False):
        if _is_plain(part, n):
            line[:] = part
            continue
        values = np.atleast_1d(float_array(part, what))
        if values.shape != (n,) or not np.isfinite(values).all():
            got = f"{values.tolist()} at t = {t:g} s"
            need = f"{n} finite numbers each for q, and qd and qdd if they are given"
            raise InputError(Problem(what, got, need))
        line[:] = values
    return result


def _is_plain(part: Any, n: int) -> bool:
    """Return whether something is a list of n finite numbers, which need no further look."""
    if type(part) is np.ndarray and part.shape == (n,) and part.dtype == np.float64:
        part = part.tolist()
    is_list = type(part) in (list, tuple) and len(part) == n
    return is_list and all(isinstance(one, float) and math.isfinite(one) for one in part)


def _rows_until_failure(follow: Follow, times: Array) -> Array:
    """Return a function's rows up to the first that fails, which the next call then begins with."""
    found: list[Array] = []
    for k in range(len(times)):
        try:
            found.append(follow(times[k : k + 1])[0])
        except Exception:
            if not found:
                raise
            break
    return np.array(found)


@dataclass(frozen=True, eq=False)
class Blocks:
    """A reference, block by block of ticks."""

    follow: Follow
    function: Callable[[float], Any] | None = None
    still: bool = False  # it is the same at all times
    start: float = 0.0  # [s] when it begins

    def at_times(self, times: Array) -> Array:
        """Return what is to be followed (k, 3, n) at times (k,) [s] of the simulation."""
        return self.follow(np.maximum(times - self.start, 0.0) if self.start else times)


class TickRange(NamedTuple):
    """Which ticks a block begins with, how far apart they are, and when they end [s]."""

    first: int
    period: float
    until: float


def block(follow: Follow, first: int, period: float, until: float) -> Array:
    """Return what is to be followed at the next ticks before a time, (ticks, 3, n, 1)."""
    left = math.ceil((until / period - first) * (1.0 - 1e-9))
    ticks = np.arange(first, first + min(max(left, 1), BLOCK))
    return np.array(follow(ticks * period)[..., None], order="C")


def _position(n: int, blocks: Blocks, t: float) -> Array:
    """Return the angles (n,) [rad] of a function of time that is followed."""
    assert blocks.function is not None
    found = blocks.function(max(t - blocks.start, 0.0))
    return np.asarray(function_row(n, found, "reference", t)[0])


def position_command(arm: Arm, reference: Any, blocks: Blocks, rate: float) -> Any:
    """Return the positions that make servos and steppers follow a reference.

    A motion is sampled where servos read their commands, and for steppers `rate` times a second.
    """
    if blocks.still:
        return blocks.at_times(np.zeros(1))[0, 0]
    motion = trajectory_of(reference)
    if motion is None:
        return partial(_position, arm.n, blocks)
    rates, end = set(command_rates(arm, rate)), blocks.start + motion.duration
    times = np.unique(np.concatenate([np.arange(np.ceil(end * one) + 1.0) / one for one in rates]))
    # Servos of nearly the same rate read at nearly the same times.
    times = times[np.append(True, np.diff(times) > 1e-12 * (1.0 + end))]
    return times, blocks.at_times(times)[:, 0]
