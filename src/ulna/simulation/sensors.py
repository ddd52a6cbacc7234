"""How a controller sees the arm: with noise, in steps, and late."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ulna.arrays import Array, float_array
from ulna.control import ControlTiming
from ulna.errors import InputError, Problem, shown
from ulna.simulation.disturbances import check_seed
from ulna.simulation.options import is_number

MOST_LATE = 1_000_000  # control periods that a measurement may be late: all of them are kept


@dataclass(frozen=True)
class Sensors:
    """What lies between the arm and what its controller reads; each one number, or one a joint.

    Noise is normal with these standard deviations, the same for the same seed, and another than
    that of disturbances with it; a resolution rounds to its multiples (an encoder of 4096 counts:
    2π/4096); the delay is a whole number of control periods.
    """

    angle_noise: float | Sequence[float] = 0.0  # [rad]
    rate_noise: float | Sequence[float] = 0.0  # [rad/s]
    angle_resolution: float | Sequence[float] = 0.0  # [rad]
    rate_resolution: float | Sequence[float] = 0.0  # [rad/s]
    delay: float = 0.0  # [s]
    seed: int = 0

    def __post_init__(self) -> None:
        check_seed("sensors.seed", self.seed)

    @property
    def are_perfect(self) -> bool:
        """Whether they show things as they are, at once, and are plainly said to."""
        noise, resolution = self.angle_noise, self.angle_resolution
        given = (noise, self.rate_noise, resolution, self.rate_resolution, self.delay)
        return all(type(one) is float and one == 0.0 for one in given)

    def layout(self, n: int) -> Array:
        """Return noise and resolution of angles and of rates, (2, n, 2)."""
        angles = [_each("angle_noise", self.angle_noise, n)]
        angles.append(_each("angle_resolution", self.angle_resolution, n))
        rates = [_each("rate_noise", self.rate_noise, n)]
        rates.append(_each("rate_resolution", self.rate_resolution, n))
        return np.ascontiguousarray(np.moveaxis(np.array([angles, rates]), 1, 2))

    def rounded(self, values: Array) -> Array:
        """Return angles and rates (2, n) as they are read, but for their noise."""
        step = self.layout(values.shape[1])[:, :, 1]
        with np.errstate(all="ignore"):
            return np.where(step > 0.0, step * np.floor(values / step + 0.5), values)

    def ticks_late(self, period: float) -> int:
        """Return the delay in control periods."""
        ticks = self.delay / period if is_number(self.delay) else math.nan
        if not (math.isfinite(ticks) and ticks >= 0.0 and abs(ticks - round(ticks)) < 1e-6):
            need = f"a whole number of control periods of {period:g} s"
            hint = "choose another delay, or another rate="
            raise InputError(Problem("sensors.delay", shown(self.delay), need, hint))
        if ticks > MOST_LATE:
            need = f"at most {MOST_LATE:,} control periods, {MOST_LATE * period:g} s"
            hint = "choose a shorter delay, or a lower rate="
            raise InputError(Problem("sensors.delay", f"{self.delay:g} s", need, hint))
        return round(ticks)

    def timing(self, rate: float) -> ControlTiming:
        """Return when a controller is called that sees an arm through these sensors."""
        return ControlTiming(rate, self.ticks_late(1.0 / rate) / rate)


def _each(what: str, given: Any, n: int) -> Array:
    values = float_array(given, f"sensors.{what}")
    if values.shape not in ((), (n,)) or not (np.isfinite(values) & (values >= 0.0)).all():
        need = f"one number of at least 0, or {n}, one a joint"
        raise InputError(Problem(f"sensors.{what}", shown(given), need))
    return np.broadcast_to(values, (n,))
