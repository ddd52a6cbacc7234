"""How long a motion takes: as told, as the path has it, as the limits allow, or gently."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array
from ulna.errors import InputError, Problem, shown
from ulna.kinematics import tip_acceleration, tip_velocity
from ulna.motion.adaptive_sampling import sample_adaptively
from ulna.motion.path import Path
from ulna.motion.timing import Timing, ramps
from ulna.motion.values import LONGEST_TIME, SHORTEST_TIME, positive

DEFAULT_SPEED = 0.25  # of the reach a second: the tip's largest speed by default


@dataclass(frozen=True)
class Limits:
    """The most that the tip may do; None for no limit."""

    speed: float | None = None  # [m/s]
    acceleration: float | None = None  # [m/s²]

    def __post_init__(self) -> None:
        if self.speed is not None:
            positive("max_speed", self.speed, "m/s")
        if self.acceleration is not None:
            positive("max_acceleration", self.acceleration, "m/s²")

    @property
    def given(self) -> bool:
        """Whether there is any."""
        return self.speed is not None or self.acceleration is not None


class TimingChoice(NamedTuple):
    """The timing and the duration [s] that were chosen, and why in words."""

    timing: Timing
    duration: float
    reason: str


def choose_duration(
    arm: Arm, path: Path, timing: Timing, duration: float | None, limits: Limits
) -> TimingChoice:
    """Choose the duration of a motion."""
    if duration is not None:
        return TimingChoice(timing, _duration(duration), "as asked")
    if limits.given:
        timing = _with_ramps(path, timing, limits)
        return TimingChoice(
            timing, _shortest(arm, path, timing, limits), "as fast as the limits allow"
        )
    if timing.duration is not None:
        return TimingChoice(timing, timing.duration, "as the given times say")
    if path.duration is not None:
        return TimingChoice(timing, path.duration, "as the path has it")
    speed = DEFAULT_SPEED * arm.reach
    lasting = _shortest(arm, path, timing, Limits(speed))
    return TimingChoice(timing, lasting, f"for a tip speed of at most {speed:.3g} m/s")


def _duration(given: float) -> float:
    value = positive("duration", given, "s")
    if value < SHORTEST_TIME:
        raise InputError(Problem("duration", shown(given), f"at least {SHORTEST_TIME:g} s"))
    return value


def _with_ramps(path: Path, timing: Timing, limits: Limits) -> Timing:
    """Shorten ramps as far as the limits allow, where both speed and acceleration have one."""
    if not timing.sharpness or limits.speed is None or limits.acceleration is None:
        return timing
    if path.in_joints:
        return timing
    ramp = timing.sharpness * limits.speed / limits.acceleration  # [s]
    cruise = path.length / limits.speed - ramp
    part = ramp / (2.0 * ramp + cruise) if cruise > 0.0 else 0.5
    return ramps(timing.name, part)


def _shortest(arm: Arm, path: Path, timing: Timing, limits: Limits) -> float:
    """Return the duration at which the limits are just kept: speeds go as 1/T."""
    speed, acceleration = tip_peaks(arm, path, timing)
    least = 0.0
    if limits.speed is not None:
        least = max(least, speed / limits.speed)
    if limits.acceleration is not None:
        least = max(least, math.sqrt(acceleration / limits.acceleration))
    if least > LONGEST_TIME:
        what = "max_speed" if limits.acceleration is None else "max_acceleration"
        limit = limits.speed if limits.acceleration is None else limits.acceleration
        got = f"{limit:g}, with which it takes {least:.3g} s"
        raise InputError(Problem(what, got, f"one that leaves at most {LONGEST_TIME:g} s"))
    if not least > 0.0:
        got = f"{timing.name} along {path}, where the tip never accelerates"
        raise InputError(Problem("max_acceleration", got, "max_speed or a duration as well"))
    return least


def tip_peaks(arm: Arm, path: Path, timing: Timing) -> tuple[float, float]:
    """Return the largest speed and acceleration of the tip, for a duration of 1 s."""

    def squares(u: Array, within: Array) -> Array:
        rows = timing.points(path, u, within)
        if path.in_joints:
            moving = tip_velocity(arm, rows[0], rows[1]), tip_acceleration(arm, *rows)
            return np.sum(np.stack(moving)[..., :2] ** 2, axis=-1).T
        return np.sum(rows[1:] ** 2, axis=-1).T

    speed, acceleration = np.sqrt(
        sample_adaptively(squares, timing.edges(path), 1.0).largest
    ).tolist()
    return speed, acceleration
