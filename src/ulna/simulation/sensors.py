"""How a controller measures the arm: with noise, in steps, and late."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ulna.arrays import Array, float_array
from ulna.control import ControlTiming
from ulna.errors import InputError, Problem, shown
from ulna.namespaces import suggest_keywords
from ulna.simulation.disturbances import check_seed
from ulna.simulation.options import is_number
from ulna.typing import SupportsArray

MOST_LATE = 1_000_000  # control periods that a measurement may be late: all of them are kept


@suggest_keywords(noise="angle_noise", latency="delay", resolution="angle_resolution")
@dataclass(frozen=True)
class Sensors:
    """Noise, resolution and delay of what a controller measures.

    Noise is normal, the same for the same seed, and another than that of disturbances with it. A
    resolution rounds to its multiples.

    Parameters
    ----------
    angle_noise, rate_noise : float or sequence of n float
        Standard deviations of the noise of angles [rad] and of rates [rad/s]; one number for all
        joints, or one a joint.
    angle_resolution, rate_resolution : float or sequence of n float
        Steps of angles [rad] and of rates [rad/s]; an encoder of 4096 counts has 2π/4096.
    delay : float
        How late [s] measurements are: a whole number of control periods.
    seed : int
        Of the noise, at least 0.

    Raises
    ------
    InputError
        A seed that is no whole number of at least 0.

    Examples
    --------
    >>> Sensors(angle_noise=1e-3, delay=0.002).delay
    0.002
    """

    angle_noise: float | Sequence[float] | SupportsArray = 0.0  # [rad]
    rate_noise: float | Sequence[float] | SupportsArray = 0.0  # [rad/s]
    angle_resolution: float | Sequence[float] | SupportsArray = 0.0  # [rad]
    rate_resolution: float | Sequence[float] | SupportsArray = 0.0  # [rad/s]
    delay: float = 0.0  # [s]
    seed: int = 0

    def __post_init__(self) -> None:
        check_seed("sensors.seed", self.seed)

    @property
    def are_perfect(self) -> bool:
        """Whether they measure exactly and at once, and are plainly said to."""
        noise, resolution = self.angle_noise, self.angle_resolution
        given = (noise, self.rate_noise, resolution, self.rate_resolution, self.delay)
        return all(type(one) is float and one == 0.0 for one in given)

    def layout(self, n: int) -> Array:
        """Return noise and resolution of angles and of rates.

        Parameters
        ----------
        n : int
            The number of joints.

        Returns
        -------
        ndarray, shape (2, n, 2)
            For angles and rates, and each joint: standard deviation and resolution.
        """
        angles = [_per_joint("angle_noise", self.angle_noise, n)]
        angles.append(_per_joint("angle_resolution", self.angle_resolution, n))
        rates = [_per_joint("rate_noise", self.rate_noise, n)]
        rates.append(_per_joint("rate_resolution", self.rate_resolution, n))
        return np.ascontiguousarray(np.moveaxis(np.array([angles, rates]), 1, 2))

    def rounded(self, values: Array) -> Array:
        """Return angles and rates as they are measured, but for their noise.

        Parameters
        ----------
        values : ndarray, shape (2, n)
            Angles [rad] and rates [rad/s].

        Returns
        -------
        ndarray, shape (2, n)
            Rounded to the resolution.
        """
        step = self.layout(values.shape[1])[:, :, 1]
        with np.errstate(all="ignore"):
            return np.where(step > 0.0, step * np.floor(values / step + 0.5), values)

    def ticks_late(self, period: float) -> int:
        """Return the delay in control periods.

        Parameters
        ----------
        period : float
            The control period [s].

        Returns
        -------
        int
            How many periods late measurements are.

        Raises
        ------
        InputError
            A delay that is no whole number of periods.
        """
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
        """Return when a controller is called that measures an arm with these sensors.

        Parameters
        ----------
        rate : float
            The control rate [Hz].

        Returns
        -------
        Timing
            The rate and the delay.
        """
        return ControlTiming(rate, self.ticks_late(1.0 / rate) / rate)


def _per_joint(what: str, given: Any, n: int) -> Array:
    values = float_array(given, f"sensors.{what}")
    if values.shape not in ((), (n,)) or not (np.isfinite(values) & (values >= 0.0)).all():
        need = f"one number of at least 0, or {n}, one a joint"
        raise InputError(Problem(f"sensors.{what}", shown(given), need))
    return np.broadcast_to(values, (n,))
