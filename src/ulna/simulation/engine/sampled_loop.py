"""Between an arm and its controller: samples of sensors, and torques that follow commands.

Sample i is taken at (i − o) h + φ, the first at the start; it is the state at that instant plus
bias plus noise, rounded. Rates are measured alike, or are differences of measured angles,

    v_i = v_{i−1} + α ((y_i − y_{i−1}) / h − v_{i−1}),   α = 1 − exp(−2π f h), 1 without a filter

A controller has the latest sample that is old enough. Instants of samples are ends of segments, so
that a sample is exact. Random numbers belong to the count of the sample.

A command u that arrives at t0, where the torque is τ0, is followed in closed form: at the rate r
until the distance is g = min(|u − τ0|, r T), from then on exponentially,

    τ(t) = τ0 ± r (t − t0)                    before t1 = t0 + (|u − τ0| − g) / r
    τ(t) = u ∓ g exp(−(t − t1) / T)           from then on

Arrivals are ends of segments. At t1 the torque bends, and a step ends there: adaptive steps with
their segment, others early, so that what is left of them follows.
"""

from __future__ import annotations

import math
from typing import Any

from ulna.arrays import Array
from ulna.dynamics import packed as link
from ulna.kernels import inlined, inner, kernel
from ulna.lanes import any_lane, floor, is_scalar, numbers, select
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


@kernel
def command_part(size: int, m: Memory, control: ControlMemory) -> None:
    """Take the command of a tick, let those that have arrived act, and find the next edge."""
    n, floats, ints, per_arm = size, m.floats, m.ints, m.per_arm
    now, room = floats[at.NOW], ints[at.COMMAND_ROOM]
    if ints[at.COMMANDS] < ints[at.TICK]:
        ints[at.COMMANDS] = ints[at.TICK]
        place = ints[at.QUEUE] + (ints[at.TICK] - 1) % room * n
        for i in range(n):
            per_arm[place + i] = _rounded(m, i, control.tau[i])
    due = ints[at.ARRIVED]
    while due < ints[at.COMMANDS] and _arrival(m, due) <= now + slack(now):
        due += 1
    if due > ints[at.ARRIVED]:
        place = ints[at.QUEUE] + (due - 1) % room * n
        for i in range(n):
            here = ints[at.LAG_STATE] + 2 * i
            per_arm[here + 1] = _followed(size, m, i, max(now - floats[at.LAG_START], 0.0))
            per_arm[here] = per_arm[place + i]
        ints[at.ARRIVED], floats[at.LAG_START] = due, now
    edge = _arrival(m, due) if due < ints[at.COMMANDS] else math.inf
    if is_scalar(m.vectors):
        edge = min(edge, next_bend(size, m) if ints[at.ADAPTIVE] != 0 else math.inf)
    floats[at.COMMAND_EDGE] = edge


@inlined
def _arrival(m: Memory, command: int) -> float:
    return float(command * m.floats[at.PERIOD] + m.floats[at.COMMAND_DELAY])


@inlined
def _rounded(m: Memory, i: int, torque: Any) -> Any:
    """Return a command within its limit, rounded to its resolution."""
    place = m.ints[at.ACTUATOR] + at.ACTUATOR_FIELDS * i
    step, most = m.per_arm[place + 2], m.per_arm[place + 3]
    torque = select(torque > most, most, select(torque < -most, -most, torque))
    if any_lane(step > 0.0):
        torque = select(step > 0.0, step * floor(torque / step + 0.5), torque)
    return torque


@inlined
def bend_of(m: Memory, per_arm: Array, i: int) -> Any:
    """Return when the torque of a joint ends its linear course; LAG_START if it has none."""
    place, here = m.ints[at.ACTUATOR] + at.ACTUATOR_FIELDS * i, m.ints[at.LAG_STATE] + 2 * i
    gap = abs(per_arm[here] - per_arm[here + 1]) - per_arm[place + 4]
    return m.floats[at.LAG_START] + select(gap > 0.0, gap, 0.0) / per_arm[place + 1]


@inner
def next_bend(size: int, m: Memory) -> float:
    """Return when a torque of a single arm next bends."""
    found, now = math.inf, m.floats[at.NOW]
    for i in range(size):
        bend = bend_of(m, numbers(m.per_arm)[:, 0], i)
        if bend > now + slack(now):
            found = min(found, bend)
    return found


@inner
def _followed(size: int, m: Memory, i: int, since: float) -> Any:
    """Return the torque of a joint so long after its command arrived."""
    per_arm = m.per_arm
    place, here = m.ints[at.ACTUATOR] + at.ACTUATOR_FIELDS * i, m.ints[at.LAG_STATE] + 2 * i
    lag, most = per_arm[place], per_arm[place + 1]
    command, start = per_arm[here], per_arm[here + 1]
    gap, reserve = abs(command - start), per_arm[place + 4]
    sign = select(command > start, 1.0, -1.0)
    left = select(gap < reserve, gap, reserve)
    kink = (gap - left) / most
    decay = _decay(size, m, i, (since - kink) / select(lag > 0.0, lag, 1.0))
    decay = select(lag > 0.0, decay, 0.0 * lag)
    return select(since < kink, start + sign * most * since, command - sign * left * decay)


@inner
def _decay(size: int, m: Memory, i: int, x: Any) -> Any:
    """Return exp(−x) of every lane, 1 of what is negative."""
    place = m.ints[at.LAG_STATE] + 2 * size + i
    m.per_arm[place] = x
    row = numbers(m.per_arm)
    for w in range(row.shape[1]):
        row[place, w] = math.exp(-max(row[place, w], 0.0))
    return m.per_arm[place]


@kernel
def follow_commands(size: int, m: Memory, t: float) -> None:
    """Add the torques of the actuators at time t."""
    since = max(t - m.floats[at.LAG_START], 0.0)
    for i in range(size):
        torque = _followed(size, m, i, since)
        m.links[i, at.ACTUATED] = torque
        m.links[i, link.TORQUE] += torque
