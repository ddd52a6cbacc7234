"""Sensors and actuators of a run: how the engine's memory holds them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ulna.arm.control_loop import FILTERED as FILTERED
from ulna.arm.control_loop import MEASURED as MEASURED
from ulna.arm.control_loop import MOST_LATE as MOST_LATE
from ulna.arm.control_loop import (
    Actuators,
    ControlLoop,
)
from ulna.arm.control_loop import Sensors as Sensors
from ulna.arm.control_timing import whole_periods
from ulna.arrays import Array
from ulna.scenario.loops import IDEAL, PERFECT, sample_times
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import MemoryBuilders

UNLIMITED = 1e300  # [N·m/s], a rate without a limit: infinity times zero has no value


def sensor_row(sensors: Sensors, n: int, rate: float) -> Array:
    """Return bias, deviation and resolution of angles and rates, (2 n 3,)."""
    return sensors.samples(n, rate).reshape(-1)


def actuator_row(actuators: Actuators, n: int) -> Array:
    """Return what the engine knows of actuators, (n ACTUATOR_FIELDS,)."""
    table = actuators.layout(n)
    lag, rate = table[:, 0], table[:, 1]
    limited = np.isfinite(rate)
    reserve = np.where(limited, lag * np.where(limited, rate, 0.0), np.inf)
    table[:, 1] = np.where(limited, rate, UNLIMITED)
    return np.column_stack([table, reserve]).reshape(-1)


def put_loop(
    layout: dict[int, int],
    loop: ControlLoop,
    n: int,
    rate: float,
    builders: MemoryBuilders,
) -> dict[int, float]:
    """Put sensors and actuators behind all else, and return the floats that they set."""
    sensors, actuators = loop.sensors or PERFECT, loop.actuators or IDEAL
    times, numbers = sample_times(sensors, rate), sensor_row(sensors, n, rate)
    ideal = actuators == IDEAL
    delayed = whole_periods(actuators.delay, 1.0 / rate) + 2
    timed = sensors.delay > 0.0 or sensors.rate is not None or sensors.rate_from != MEASURED
    perfect = not timed and not np.any(numbers)
    layout[at.SENSOR] = builders.per_arm.put([] if perfect else numbers)
    layout[at.ACTUATOR] = builders.per_arm.put([] if ideal else actuator_row(actuators, n))
    layout[at.PAST] = builders.per_arm.put(np.zeros((1 if perfect else times.room, 2, n)))
    layout[at.QUEUE] = builders.per_arm.put(np.zeros((0 if ideal else delayed, n)))
    layout[at.LAG_STATE] = builders.per_arm.put(np.zeros((0 if ideal else 3, n)))
    layout |= {
        at.SENSOR_SEED: sensors.seed, at.PERFECT: perfect, at.SAMPLE_ROOM: times.room,
        at.SAMPLE_OFFSET: times.offset, at.LAGS: not ideal, at.COMMAND_ROOM: delayed,
    }  # fmt: skip
    share = 0.0
    if sensors.rate_from != MEASURED:
        band = sensors.rate_bandwidth
        share = 1.0 if band is None else -math.expm1(-2.0 * math.pi * band * times.period)
    return {
        at.SAMPLE_PERIOD: times.period, at.SAMPLE_PHASE: times.phase, at.SAMPLE_LAG: times.lag,
        at.SAMPLE_EDGE: math.inf if perfect else 0.0, at.RATE_SHARE: share,
        at.COMMAND_DELAY: actuators.delay, at.COMMAND_EDGE: math.inf,
    }  # fmt: skip


def begin_samples(memory: Any, measured: Array) -> None:
    """Let sensors and actuators begin in mid-run: measured (2, n) until now, commanded nothing."""
    ints, floats, per_arm = memory.ints, memory.floats, memory.per_arm
    first, room = ints.item(at.PAST), ints.item(at.SAMPLE_ROOM)
    n = measured.shape[1]
    now, period = floats.item(at.NOW), floats.item(at.SAMPLE_PERIOD)
    if not ints[at.PERFECT]:
        if floats[at.RATE_SHARE]:
            measured = np.stack([measured[0], np.zeros(n)])
        per_arm[first : first + room * 2 * n].reshape(room, 2, n)[:] = measured
        count = max(math.ceil((now - floats.item(at.SAMPLE_PHASE)) / period - 1e-6), 0)
        ints[at.SAMPLES_TAKEN] = count + ints[at.SAMPLE_OFFSET]
        floats[at.SAMPLE_EDGE] = count * period + floats[at.SAMPLE_PHASE]
    if ints[at.LAGS]:
        per_arm[ints.item(at.QUEUE) :] = 0.0
        ints[at.COMMANDS] = ints[at.ARRIVED] = ints[at.TICK]
        floats[at.LAG_START], floats[at.COMMAND_EDGE] = now, math.inf
