"""Samples of the state as sensors take them, and what a controller has of them at its tick.

Sample i is taken at (i − o) h + φ, the first at the start; it is the state at that instant plus
bias plus noise, rounded. Rates are measured alike, or are differences of measured angles,

    v_i = v_{i−1} + α ((y_i − y_{i−1}) / h − v_{i−1}),   α = 1 − exp(−2π f h), 1 without a filter

A controller has the latest sample that is old enough. Instants of samples are ends of segments, so
that a sample is exact. Random numbers belong to the count of the sample.
"""

from __future__ import annotations

import math

from ulna.kernels import inner, kernel
from ulna.lanes import any_lane, floor, select
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import ControlMemory, Memory
from ulna.simulation.engine.schedule import MOST_INT, SAME_PERIOD, draw_normal, slack


@kernel
def read_sensors(size: int, m: Memory, control: ControlMemory) -> None:
    """Take the samples that are due, and hand the controller the latest that has arrived."""
    n, floats, ints, per_arm = size, m.floats, m.ints, m.per_arm
    now = floats[at.NOW] + slack(floats[at.NOW])
    while floats[at.SAMPLE_EDGE] <= now:
        _take_sample(size, m)
        ints[at.SAMPLES_TAKEN] += 1
        count = ints[at.SAMPLES_TAKEN] - ints[at.SAMPLE_OFFSET]
        floats[at.SAMPLE_EDGE] = count * floats[at.SAMPLE_PERIOD] + floats[at.SAMPLE_PHASE]
    t = ints[at.TICK] * floats[at.PERIOD]
    if t > now:
        return
    age = min(t / floats[at.SAMPLE_PERIOD], MOST_INT) - floats[at.SAMPLE_LAG]
    newest = math.floor(age + SAME_PERIOD) + ints[at.SAMPLE_OFFSET]
    newest = max(min(newest, ints[at.SAMPLES_TAKEN] - 1), 0)
    place = ints[at.PAST] + newest % ints[at.SAMPLE_ROOM] * 2 * n
    for i in range(n):
        control.q[i], control.qd[i] = per_arm[place + i], per_arm[place + n + i]


@inner
def _take_sample(size: int, m: Memory) -> None:
    n, ints, per_arm = size, m.ints, m.per_arm
    count, room, share = ints[at.SAMPLES_TAKEN], ints[at.SAMPLE_ROOM], m.floats[at.RATE_SHARE]
    place = ints[at.PAST] + count % room * 2 * n
    before = ints[at.PAST] + (count + room - 1) % room * 2 * n
    for part in range(2 if share == 0.0 else 1):
        for i in range(n):
            value = m.vectors[at.STATE + part, i]
            source = ints[at.SENSOR] + 3 * (part * n + i)
            bias, deviation, step = per_arm[source], per_arm[source + 1], per_arm[source + 2]
            if any_lane(bias != 0.0):
                value = value + bias
            if any_lane(deviation > 0.0):
                kind, seed = at.ANGLE_NOISE + part, ints[at.SENSOR_SEED]
                value = value + deviation * draw_normal(m, seed, kind, at.SENSORS, count, i)
            if any_lane(step > 0.0):
                value = select(step > 0.0, step * floor(value / step + 0.5), value)
            per_arm[place + part * n + i] = value
    if share != 0.0:
        _difference(size, m, place, before)
    if count == 0:  # before the start the arm was as it is now
        for k in range(1, room):
            for i in range(2 * n):
                per_arm[ints[at.PAST] + k * 2 * n + i] = per_arm[place + i]


@inner
def _difference(size: int, m: Memory, place: int, before: int) -> None:
    """Compute the rates of a sample from its angles and those of the one before."""
    n, per_arm = size, m.per_arm
    for i in range(n):
        if m.ints[at.SAMPLES_TAKEN] == 0:
            per_arm[place + n + i] = 0.0 * per_arm[place + i]
            continue
        past = per_arm[before + n + i]
        rate = (per_arm[place + i] - per_arm[before + i]) / m.floats[at.SAMPLE_PERIOD]
        per_arm[place + n + i] = past + m.floats[at.RATE_SHARE] * (rate - past)
