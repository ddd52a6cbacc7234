"""The loop between an arm and its controller: sensors, actuators, and how often it is closed.

At every tick t_k the controller reads what its sensors sampled, and commands torques. A sample is
the exact state at its instant plus bias and noise, then rounded to the resolution; it reaches the
controller late. A command is saturated, rounded, and reaches the joint late, where the torque
follows it as a first-order lag of time constant T whose rate is limited to r:

    dτ/dt = (u − τ) / T, of a size of at most r

These classes hold data only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np

from ulna.arm.bounded_numbers import BoundedNumber
from ulna.arm.control_timing import ControlTiming, whole_periods
from ulna.arrays import Array, float_array
from ulna.errors import InputError, Problem, Problems, shown, units_hint
from ulna.typing import SupportsArray

PerJoint = float | Sequence[float] | SupportsArray
MOST_LATE = 1_000_000  # periods that a measurement or a command may be late: all of them are kept
MEASURED, DIFFERENCE, FILTERED = "measured", "difference", "filtered"  # what rates come from

SENSORS = {
    "angle_noise": BoundedNumber("angle", "rad", least=0.0),
    "rate_noise": BoundedNumber("speed", "rad/s", least=0.0),
    "angle_resolution": BoundedNumber("angle", "rad", least=0.0),
    "rate_resolution": BoundedNumber("speed", "rad/s", least=0.0),
    "angle_bias": BoundedNumber("angle", "rad"),
    "rate_bias": BoundedNumber("speed", "rad/s"),
    "angle_noise_density": BoundedNumber("angle_density", "rad/√Hz", least=0.0),
    "rate_noise_density": BoundedNumber("speed_density", "rad/s/√Hz", least=0.0),
}
SENSOR_TIMES = {
    "delay": BoundedNumber("time", "s", least=0.0),
    "rate": BoundedNumber("frequency", "Hz", above=0.0),
    "rate_bandwidth": BoundedNumber("frequency", "Hz", above=0.0),
}
ACTUATORS = {
    "bandwidth": BoundedNumber("frequency", "Hz", above=0.0, infinite=True),
    "time_constant": BoundedNumber("time", "s", least=0.0),
    "max_torque_rate": BoundedNumber("torque_rate", "N·m/s", above=0.0, infinite=True),
    "torque_resolution": BoundedNumber("torque", "N·m", least=0.0),
    "max_torque": BoundedNumber("torque", "N·m", above=0.0, infinite=True),
}
ACTUATOR_TIMES = {"delay": BoundedNumber("time", "s", least=0.0)}
LOOP = {"rate": BoundedNumber("frequency", "Hz", above=0.0)}


@dataclass(frozen=True)
class Sensors:
    """What a controller measures: when it is sampled, its bias, noise and resolution, its delay.

    A sample is the exact state at its instant, plus bias, plus noise, rounded to multiples of the
    resolution; before the start the arm was as it is at the start. Noise is normal, the same for
    the same seed, and another than that of disturbances with it.

    Parameters
    ----------
    angle_noise, rate_noise : float or sequence of n float
        Standard deviations of the noise of angles [rad] and of rates [rad/s]; one number for all
        joints, or one a joint.
    angle_resolution, rate_resolution : float or sequence of n float
        Steps of angles [rad] and of rates [rad/s]; an encoder of 4096 counts has 2π/4096.
    delay : float
        How late [s] measurements are, any time.
    seed : int
        Of the noise, at least 0.
    rate : float, optional
        How often [Hz] the sensors sample, at 0, 1/rate, 2/rate…; the controller takes the latest
        sample that has reached it. Unless given there is one for every control tick t_k, taken at
        t_k − delay.
    angle_bias, rate_bias : float or sequence of n float
        What is added to angles [rad] and to rates [rad/s].
    angle_noise_density, rate_noise_density : float or sequence of n float
        One-sided densities of the noise of angles [rad/√Hz] and of rates [rad/s/√Hz]: samples at
        a rate f have a variance of density² f/2, beside that of `angle_noise` or `rate_noise`.
    rate_from : {"measured", "difference", "filtered"}
        Whether rates are measured by themselves, are differences of measured angles over the
        sample period, or those through a first-order low pass, as encoders give them.
    rate_bandwidth : float, optional
        Of that low pass [Hz].

    Raises
    ------
    InputError
        With every value that is out of its range, and for what rates that are computed from angles
        do not have.

    Examples
    --------
    >>> Sensors(angle_noise=1e-3, delay=0.0033).delay
    0.0033
    """

    angle_noise: PerJoint = 0.0  # [rad]
    rate_noise: PerJoint = 0.0  # [rad/s]
    angle_resolution: PerJoint = 0.0  # [rad]
    rate_resolution: PerJoint = 0.0  # [rad/s]
    delay: float = 0.0  # [s]
    seed: int = 0
    rate: float | None = None  # [Hz]
    angle_bias: PerJoint = 0.0  # [rad]
    rate_bias: PerJoint = 0.0  # [rad/s]
    angle_noise_density: PerJoint = 0.0  # [rad/√Hz]
    rate_noise_density: PerJoint = 0.0  # [rad/s/√Hz]
    rate_from: str = MEASURED
    rate_bandwidth: float | None = None  # [Hz]

    def __post_init__(self) -> None:
        checks = Problems()
        _keep(self, checks, "sensors", SENSORS, SENSOR_TIMES)
        with checks.gather():
            check_seed("sensors.seed", self.seed)
            object.__setattr__(self, "seed", int(self.seed))
        if self.rate_from not in (MEASURED, DIFFERENCE, FILTERED):
            need = f"'{MEASURED}', '{DIFFERENCE}' or '{FILTERED}'"
            checks.add("sensors.rate_from", shown(self.rate_from), need)
        elif self.rate_from != MEASURED:
            self._check_computed_rates(checks)
        if self.rate_from == FILTERED and self.rate_bandwidth is None:
            checks.add("sensors.rate_bandwidth", "nothing", "that of the filter of rates [Hz]")
        elif self.rate_from != FILTERED and self.rate_bandwidth is not None:
            need = f"nothing unless rate_from='{FILTERED}'"
            checks.add("sensors.rate_bandwidth", shown(self.rate_bandwidth), need)
        checks.raise_if_any()

    def _check_computed_rates(self, checks: Problems) -> None:
        for name in ("rate_noise", "rate_resolution", "rate_bias", "rate_noise_density"):
            if np.any(getattr(self, name)):
                need = f"0 with rate_from={self.rate_from!r}: rates come from measured angles"
                checks.add(f"sensors.{name}", shown(getattr(self, name)), need)

    @cached_property
    def are_perfect(self) -> bool:
        """Whether they measure exactly and at once, at every tick."""
        timed = self.delay != 0.0 or self.rate is not None or self.rate_from != MEASURED
        return not timed and all(_is_nothing(getattr(self, name)) for name in SENSORS)

    def layout(self, n: int) -> Array:
        """Return noise and resolution of angles and of rates.

        Parameters
        ----------
        n : int
            The number of joints.

        Returns
        -------
        ndarray, shape (2, n, 2)
            For angles and rates, and each joint: standard deviation, without that of densities,
            and resolution.

        Raises
        ------
        InputError
            Values for another number of joints.
        """
        return self.samples(n, 0.0)[:, :, 1:]

    def samples(self, n: int, rate: float) -> Array:
        """Return what lies between the state and a sample of it.

        Parameters
        ----------
        n : int
            The number of joints.
        rate : float
            The control rate [Hz].

        Returns
        -------
        ndarray, shape (2, n, 3)
            For angles and rates, and each joint: bias, standard deviation and resolution.

        Raises
        ------
        InputError
            Values for another number of joints.
        """
        every = {name: _for_joints("sensors", name, getattr(self, name), n) for name in SENSORS}
        half = (rate if self.rate is None else self.rate) / 2.0
        both = []
        for kind in ("angle", "rate"):
            own, density = every[f"{kind}_noise"], every[f"{kind}_noise_density"]
            deviation = np.where(density > 0.0, np.hypot(own, density * math.sqrt(half)), own)
            both.append([every[f"{kind}_bias"], deviation, every[f"{kind}_resolution"]])
        return np.ascontiguousarray(np.moveaxis(np.array(both), 1, 2))

    def rounded(self, values: Array) -> Array:
        """Return angles and rates as they are measured, but for their noise.

        Parameters
        ----------
        values : ndarray, shape (2, n)
            Angles [rad] and rates [rad/s].

        Returns
        -------
        ndarray, shape (2, n)
            With bias, rounded to the resolution.
        """
        bias, _, step = np.moveaxis(self.samples(values.shape[1], 0.0), 2, 0)
        values = values + bias
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
            How many ticks it takes until a measurement is used, at least.

        Raises
        ------
        InputError
            A delay of too many periods.
        """
        check_delay("sensors.delay", self.delay, period)
        return whole_periods(self.delay, period)

    def timing(self, rate: float) -> ControlTiming:
        """Return when a controller is called that measures an arm with these sensors.

        Parameters
        ----------
        rate : float
            The control rate [Hz].

        Returns
        -------
        ControlTiming
            The rate and the delay.
        """
        self.ticks_late(1.0 / rate)
        return ControlTiming(rate, self.delay)


@dataclass(frozen=True)
class Actuators:
    """What becomes of a controller's command: limit, resolution, delay, bandwidth, torque rate.

    A command is saturated, rounded to multiples of the resolution, and reaches the joint late;
    there the torque follows it as a first-order lag, no faster than its rate allows. Until the
    first command arrives the torque is 0.

    Parameters
    ----------
    delay : float
        How late [s] a command reaches the joint, any time.
    bandwidth : float or sequence of n float
        Of the lag [Hz]: where its gain is 1/√2. One number for all joints, or one a joint.
    time_constant : float or sequence of n float
        Of the lag [s], 1/(2π bandwidth); give one of the two.
    max_torque_rate : float or sequence of n float
        The largest rate [N·m/s] of the torque.
    torque_resolution : float or sequence of n float
        Steps of the command [N·m].
    max_torque : float or sequence of n float
        The largest command [N·m], besides the limit of the joint.

    Raises
    ------
    InputError
        With every value that is out of its range.

    Examples
    --------
    >>> float(Actuators(delay=0.001, time_constant=0.005).layout(1)[0, 0])
    0.005
    """

    delay: float = 0.0  # [s]
    bandwidth: PerJoint = math.inf  # [Hz]
    time_constant: PerJoint = 0.0  # [s]
    max_torque_rate: PerJoint = math.inf  # [N·m/s]
    torque_resolution: PerJoint = 0.0  # [N·m]
    max_torque: PerJoint = math.inf  # [N·m]

    def __post_init__(self) -> None:
        checks = Problems()
        _keep(self, checks, "actuators", ACTUATORS, ACTUATOR_TIMES)
        if not checks.found and self.bandwidth != math.inf and np.any(self.time_constant):
            got = f"{shown(self.time_constant)} beside bandwidth={shown(self.bandwidth)}"
            need = "one of the two: a bandwidth f is a time constant of 1/(2π f)"
            checks.add("actuators.time_constant", got, need)
        checks.raise_if_any()

    @property
    def are_ideal(self) -> bool:
        """Whether the torque is the command, at once."""
        return self == Actuators()

    def layout(self, n: int) -> Array:
        """Return what lies between a command and the torque.

        Parameters
        ----------
        n : int
            The number of joints.

        Returns
        -------
        ndarray, shape (n, 4)
            For each joint: time constant, largest rate, resolution and largest command.

        Raises
        ------
        InputError
            Values for another number of joints.
        """
        every = {name: _for_joints("actuators", name, getattr(self, name), n) for name in ACTUATORS}
        lag = np.where(
            np.isfinite(every["bandwidth"]),
            1.0 / (2.0 * math.pi * every["bandwidth"]),
            every["time_constant"],
        )
        others = [every[name] for name in ("max_torque_rate", "torque_resolution", "max_torque")]
        return np.ascontiguousarray(np.array([lag, *others]).T)


@dataclass(frozen=True)
class ControlLoop:
    """The loop of an arm as it is: control rate, sensors and actuators.

    Simulations use it where the caller gives no other.

    Parameters
    ----------
    rate : float, optional
        Control rate [Hz].
    sensors : Sensors, optional
        What the controller measures with.
    actuators : Actuators, optional
        What becomes of its commands.

    Raises
    ------
    InputError
        A rate that is not above 0, or parts of other kinds.

    Examples
    --------
    >>> loop = ControlLoop(rate=250.0, sensors=Sensors(delay=0.002))
    >>> loop.sensors.delay
    0.002
    """

    rate: float | None = None  # [Hz]
    sensors: Sensors | None = None
    actuators: Actuators | None = None

    def __post_init__(self) -> None:
        checks = Problems()
        if self.rate is not None:
            rate = checks.number("rate", self.rate, "Hz", above=0.0)
            object.__setattr__(self, "rate", rate)
        for name, kind in (("sensors", Sensors), ("actuators", Actuators)):
            part = getattr(self, name)
            if part is not None and not isinstance(part, kind):
                checks.add(name, shown(part), f"{kind.__name__}(...), or None")
        checks.raise_if_any()


NO_LOOP = ControlLoop()


def check_for_joints(loop: ControlLoop, n: int) -> None:
    """Raise InputError for values of a loop that are for another number of joints."""
    if loop.sensors is not None:
        loop.sensors.samples(n, 1.0)
    if loop.actuators is not None:
        loop.actuators.layout(n)


def check_seed(what: str, seed: Any) -> None:
    """Raise InputError if a seed is no whole number that fits a machine's word."""
    is_whole = isinstance(seed, Integral) and not isinstance(seed, bool)
    if not is_whole or not 0 <= seed < 2**63:
        raise InputError(Problem(what, shown(seed), "a whole number of at least 0, below 2**63"))


def check_delay(what: str, delay: float, period: float) -> None:
    """Raise InputError for a delay of more periods than can be kept."""
    if delay > MOST_LATE * period:
        need = f"at most {MOST_LATE:,} control periods, {MOST_LATE * period:g} s"
        hint = "choose a shorter delay, or a lower rate="
        raise InputError(Problem(what, f"{delay:g} s", need, hint))


def _keep(
    part: Any,
    checks: Problems,
    owner: str,
    joints: Mapping[str, BoundedNumber],
    times: Mapping[str, BoundedNumber],
) -> None:
    """Check the numbers of a part and keep them as plain floats, or tuples of one a joint."""
    for name, bounds in times.items():
        value, what = getattr(part, name), f"{owner}.{name}"
        if value is not None or name == "delay":
            _, unit, above, least, infinite, _ = bounds
            number = checks.number(what, value, unit, above=above, least=least, infinite=infinite)
            object.__setattr__(part, name, number)
    for name, bounds in joints.items():
        with checks.gather():
            value = _per_joint(f"{owner}.{name}", getattr(part, name), bounds)
            object.__setattr__(part, name, value)


def _per_joint(what: str, given: Any, bounds: BoundedNumber) -> float | tuple[float, ...]:
    if isinstance(given, str):
        need = f"one number in {bounds.unit}, or one a joint"
        raise InputError(Problem(what, shown(given), need, units_hint(given, bounds.unit)))
    values = float_array(given, what)
    good = ~np.isnan(values) & (bounds.infinite | np.isfinite(values))
    need = "one number"
    if bounds.least is not None:
        good, need = good & (values >= bounds.least), f"one number of at least {bounds.least:g}"
    elif bounds.above is not None:
        good, need = good & (values > bounds.above), f"one number above {bounds.above:g}"
    if values.ndim > 1 or not values.size or not good.all():
        raise InputError(Problem(what, shown(given), f"{need} [{bounds.unit}], or one a joint"))
    return tuple(values.tolist()) if values.ndim else float(values)


def _for_joints(owner: str, name: str, given: Any, n: int) -> Array:
    values = np.asarray(given, dtype=float)
    if values.shape not in ((), (n,)):
        what = f"{owner}.{name}"
        raise InputError(Problem(what, shown(given), f"one number, or {n}, one a joint"))
    return np.broadcast_to(values, (n,))


def _is_nothing(given: Any) -> bool:
    return type(given) is float and given == 0.0
