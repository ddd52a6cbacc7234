"""The loop between an arm and its controller: its parts, sample times and latency."""

from __future__ import annotations

from typing import Any, NamedTuple

from ulna.arm import Actuators, Arm, Sensors
from ulna.arm.control_loop import NO_LOOP, check_delay
from ulna.arm.control_timing import ControlTiming, whole_periods
from ulna.errors import InputError, Problem, shown

DEFAULT_RATE = 1000.0  # [Hz] of controllers
PERFECT, IDEAL = Sensors(), Actuators()


class GivenLoop(NamedTuple):
    """Rate [Hz], sensors and actuators of a loop."""

    rate: float
    sensors: Sensors
    actuators: Actuators

    def timing(self, n: int) -> ControlTiming:
        """Return the rate and the latency that a controller of n joints has."""
        return timing_of(self.sensors, self.actuators, n, self.rate)


PLAIN_LOOP = GivenLoop(DEFAULT_RATE, PERFECT, IDEAL)


def loop_of(
    arm: Arm, rate: float | None, sensors: Sensors | None, actuators: Actuators | None
) -> GivenLoop:
    """Return the given parts of a loop; the others are those of the arm, or the usual ones."""
    own = arm.loop or NO_LOOP
    if own is NO_LOOP and rate is None and sensors is None and actuators is None:
        return PLAIN_LOOP
    sensors, actuators = sensors or own.sensors, actuators or own.actuators
    # The engine recognises PERFECT and IDEAL by identity.
    return GivenLoop(
        own.rate or DEFAULT_RATE if rate is None else rate,
        PERFECT if sensors is None or sensors == PERFECT else sensors,
        IDEAL if actuators is None or actuators == IDEAL else actuators,
    )


def check_loop(sensors: Any, actuators: Any) -> None:
    """Raise InputError for what is neither None nor sensors or actuators."""
    for given, kind in ((sensors, Sensors), (actuators, Actuators)):
        if given is not None and not isinstance(given, kind):
            need = f"{kind.__name__}(...)"
            raise InputError(Problem(kind.__name__.lower(), shown(given), need))


class SampleTimes(NamedTuple):
    """When sensors sample: sample i at (i − offset) period + phase, the first at the start."""

    period: float  # [s]
    phase: float  # [s]
    lag: float  # of a sample and the phase, in periods
    offset: int
    room: int  # samples to keep


def sample_times(sensors: Sensors, rate: float) -> SampleTimes:
    """Return when sensors sample for a controller of a rate [Hz]."""
    period = 1.0 / (rate if sensors.rate is None else sensors.rate)
    check_delay("sensors.delay", sensors.delay, period)
    late = whole_periods(sensors.delay, period)
    if sensors.rate is not None:
        return SampleTimes(period, 0.0, sensors.delay / period, 0, late + 2)
    phase = late * period - sensors.delay
    offset = int(phase > 2e-6 * period)
    return SampleTimes(period, phase if offset else 0.0, float(late), offset, late + 2)


def timing_of(sensors: Sensors, actuators: Actuators, n: int, rate: float) -> ControlTiming:
    """Return the rate, and the delay of the whole loop: of sensors, actuators and their lag."""
    if sensors is PERFECT and actuators is IDEAL:
        return ControlTiming(rate, 0.0)
    sample_times(sensors, rate)
    check_delay("actuators.delay", actuators.delay, 1.0 / rate)
    lag = 0.0 if actuators == IDEAL else float(actuators.layout(n)[:, 0].max())
    own = 0.0 if sensors.rate is None else max(1.0 / sensors.rate - 1.0 / rate, 0.0) / 2.0
    return ControlTiming(rate, sensors.delay + own + actuators.delay + lag)
