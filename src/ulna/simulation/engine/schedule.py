"""Inputs between two known times: tables, disturbances, and the controller's ticks.

Time is cut into segments in which nothing jumps. At the start of one all that is held is worked
out; a step never reaches across its end, so that no method ever sees a jump from inside.

Noise is random numbers that depend on nothing but their place: seed, source, arm, tick and channel.
A generator with a memory would give other numbers to an arm that stands elsewhere in a batch, or is
stepped by another thread. Here a number is a hash of where it is used. A source is named by its
kind and its index among its kind, so that two of them share no number, whatever their seeds.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ulna.arrays import Array
from ulna.dynamics import packed as link
from ulna.kernels import inlined, inner, kernel
from ulna.lanes import any_lane, is_scalar, numbers, select
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import ControlMemory, Memory
from ulna.simulation.engine.state_derivative import (
    call_control,
    call_law,
    call_motors,
    call_part,
    formula,
    name_values,
)
from ulna.sincos import sincos

SAME = 1e-12  # of a time
SAME_PERIOD = 1e-6  # of a period


@inlined
def slack(t: float) -> float:
    """Return the difference at which times near t count as one."""
    return SAME * max(1.0, abs(t))


GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
SHIFT_30, SHIFT_27, SHIFT_31, SHIFT_11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
UNIT = 2.0**-53


@inner
def scramble(key: np.uint64) -> np.uint64:
    """Turn a key into 64 pseudo-random bits (the finaliser of SplitMix64)."""
    key = (key ^ (key >> SHIFT_30)) * MIX_1
    key = (key ^ (key >> SHIFT_27)) * MIX_2
    return key ^ (key >> SHIFT_31)


@inner
def key_of(seed: int, kind: int, index: int, arm: int, tick: int) -> np.uint64:
    """Return the key that all channels of a source have in common at a tick."""
    key = scramble(np.uint64(seed) + GOLDEN)
    key = scramble(key ^ (np.uint64(kind) + GOLDEN))
    key = scramble(key ^ (np.uint64(index) + GOLDEN))
    key = scramble(key ^ (np.uint64(arm) + GOLDEN))
    return scramble(key ^ (np.uint64(tick) + GOLDEN))


@inner
def uniform(key: np.uint64, channel: int) -> float:
    """Return a number from the open interval (0, 1)."""
    bits = scramble(key ^ (np.uint64(channel) + GOLDEN))
    return (float(bits >> SHIFT_11) + 0.5) * UNIT


@inner
def normal(key: np.uint64, channel: int) -> float:
    """Return a number from the normal distribution of mean 0 and deviation 1 (Box and Muller)."""
    radius = math.sqrt(-2.0 * math.log(uniform(key, 2 * channel)))
    _, cosine = sincos(2.0 * math.pi * uniform(key, 2 * channel + 1))
    return radius * cosine


@inner
def draw_normal(m: Memory, seed: int, kind: int, index: int, tick: int, channel: int) -> Any:
    """Draw such a number for every arm, each from its own stream."""
    drawn = numbers(m.per_arm)
    place = m.ints[at.DRAWN]
    for w in range(drawn.shape[1]):
        drawn[place, w] = normal(key_of(seed, kind, index, m.keys[w], tick), channel)
    return m.per_arm[place]


@inlined
def control_tick(size: int, m: Memory, control: ControlMemory) -> int:
    """Call the controller if its tick has come; return BUDGET, or what Python has to do."""
    floats, ints = m.floats, m.ints
    t = ints[at.TICK] * floats[at.PERIOD]
    if t > floats[at.NOW] + slack(floats[at.NOW]):
        return at.BUDGET
    row = ints[at.TICK] - ints[at.FIRST_REFERENCE]
    if row >= len(control.reference_table) and ints[at.SETPOINT] == 0:
        return at.REFERENCE
    if ints[at.MEASURED] == 0:
        _measure(size, m, control)
    if ints[at.SETPOINT] == 0:
        _set_reference(size, control, row)
    if ints[at.CONTROLLED] != at.PYTHON_CONTROLLER:
        _call_law(m, control, t)
    elif ints[at.ANSWERED] == 0:
        return at.CONTROL
    if is_scalar(m.vectors):
        if not _is_answered(size, control):
            return at.FAULTY
        _note(size, m, control, t)
    _pass_on(size, m, control)
    ints[at.TICK] += 1
    ints[at.MEASURED] = ints[at.ANSWERED] = 0
    return at.BUDGET


@inlined
def _pass_on(size: int, m: Memory, control: ControlMemory) -> None:
    """Saturate the torques at the limits of the joints; motors see what was measured."""
    for i in range(size):
        most, torque = m.links[i, at.TORQUE_LIMIT], control.tau[i]
        if any_lane(abs(torque) > most):
            control.tau[i] = select(torque > most, most, select(torque < -most, -most, torque))
    if m.ints[at.MOTORS] != 0:
        _show_drivers(size, m, control)


@inner
def _show_drivers(size: int, m: Memory, control: ControlMemory) -> None:
    """Show the drivers of motors the rates that the controller measured."""
    for i in range(size):
        row = m.ints[at.MOTOR_ROWS] + i * at.MOTOR_COLUMNS
        m.per_arm[row + at.SEEN_RATE] = control.qd[i]


@inlined
def _measure(size: int, m: Memory, control: ControlMemory) -> None:
    m.ints[at.MEASURED] = 1
    if m.ints[at.PERFECT] == 0:
        call_control(size, m, control, at.SENSOR_PART)
        return
    for i in range(size):
        control.q[i] = m.vectors[at.STATE, i]
        control.qd[i] = m.vectors[at.STATE + 1, i]


@inlined
def _set_reference(size: int, control: ControlMemory, row: int) -> None:
    """Set the reference of this tick."""
    reference_table, reference = control.reference_table, numbers(control.reference)
    for part in range(3):
        for i in range(size):
            if reference_table.shape[3] == 1:
                control.reference[part, i] = reference_table[row, part, i, 0]
                continue
            for w in range(reference.shape[2]):
                reference[part, i, w] = reference_table[row, part, i, w]


@inlined
def _call_law(m: Memory, control: ControlMemory, t: float) -> None:
    """Call a compiled control law, which writes the torques."""
    call_law(
        m.ints[at.LAW_CALL],
        t,
        numbers(control.q),
        numbers(control.qd),
        numbers(control.reference),
        numbers(control.params),
        numbers(control.state),
        numbers(control.tau),
    )


@inlined
def _is_answered(size: int, control: ControlMemory) -> bool:
    """Return whether the controller of a single arm returned finite torques."""
    total, tau = 0.0, numbers(control.tau)
    for i in range(size):
        # Zero, unless the torque is infinite or NaN.
        total += tau[i, 0] * 0.0
    return bool(total == 0.0)


@inlined
def _note(size: int, m: Memory, control: ControlMemory, t: float) -> None:
    """Record a tick of a single arm's controller, before its torques are saturated."""
    _note_saturation(size, m, control, t)
    if m.ints[at.KEPT] & at.KEEP_CONTROL:
        _note_signals(size, m, control)


@inlined
def _note_saturation(size: int, m: Memory, control: ControlMemory, t: float) -> None:
    """Record which joints reach or leave their torque limits at a tick."""
    n, floats = size, m.floats
    tau, links = numbers(control.tau), numbers(m.links)
    for i in range(n):
        place = m.ints[at.NOTED] + i
        beyond = abs(tau[i, 0]) > links[i, at.TORQUE_LIMIT, 0]
        if beyond != (floats[place + at.SATURATED * n] != 0.0):
            _note_change(n, floats, place, beyond, t)


@inner
def _note_change(n: int, floats: Array, place: int, beyond: bool, t: float) -> None:
    floats[place + at.SATURATED * n] = 1.0 if beyond else 0.0
    if not beyond:
        floats[place + at.SATURATED_TIME * n] += t - floats[place + at.SATURATED_SINCE * n]
        return
    if floats[place + at.EPISODES * n] == 0.0:
        floats[place + at.SATURATED_FIRST * n] = t
    floats[place + at.EPISODES * n] += 1.0
    floats[place + at.SATURATED_SINCE * n] = t


@inlined
def _note_signals(size: int, m: Memory, control: ControlMemory) -> None:
    """Record the measurement, the reference, and the torque that was requested."""
    n, floats, noted = size, m.floats, m.ints[at.NOTED]
    q, qd, reference = numbers(control.q), numbers(control.qd), numbers(control.reference)
    tau = numbers(control.tau)
    for i in range(n):
        floats[noted + at.REQUESTED * n + i] = tau[i, 0]
        floats[noted + at.MEASUREMENT * n + i] = q[i, 0]
        floats[noted + (at.MEASUREMENT + 1) * n + i] = qd[i, 0]
        for part in range(3):
            floats[noted + (at.FOLLOWED + part) * n + i] = reference[part, i, 0]


MOST_INT = 2.0**62  # the largest count


@inlined
def _close_loop(size: int, m: Memory, control: ControlMemory) -> int:
    """Take the samples, the tick and the commands that are due; return as `control_tick` does."""
    floats, ints = m.floats, m.ints
    if ints[at.PERFECT] == 0 and floats[at.SAMPLE_EDGE] <= floats[at.NOW] + slack(floats[at.NOW]):
        call_control(size, m, control, at.SENSOR_PART)
    code = control_tick(size, m, control)
    if ints[at.LAGS] != 0 and code == at.BUDGET:
        call_control(size, m, control, at.COMMAND_PART)
    return code


@inlined
def open_segment(size: int, m: Memory, control: ControlMemory) -> int:
    """Begin the next segment; return BUDGET, or why Python has to act first."""
    floats, ints = m.floats, m.ints
    now = floats[at.NOW]
    if now >= floats[at.TARGET] - slack(now):
        return at.REACHED
    if ints[at.CONTROLLED] != at.NO_CONTROLLER:
        code = _close_loop(size, m, control)
        if code != at.BUDGET:
            return code
    stop = floats[at.TARGET]
    if ints[at.CONSTANT_INPUTS] == 0:
        stop = min(stop, _next_knot(m, at.TORQUES), _next_knot(m, at.FORCES), _next_edge(m))
    if ints[at.CONTROLLED] != at.NO_CONTROLLER:
        stop = min(stop, ints[at.TICK] * floats[at.PERIOD])
        if ints[at.PERFECT] == 0 or ints[at.LAGS] != 0:
            stop = min(stop, floats[at.SAMPLE_EDGE], floats[at.COMMAND_EDGE])
    floats[at.STOP] = stop
    if ints[at.CONSTANT_INPUTS] == 0:
        hold(size, m, control)
    else:
        _hold_constant(size, m, control)
    if ints[at.SERVOS] != 0:
        call_motors(size, m, at.READ_COMMANDS, at.NONE, at.NONE, at.NONE, now, 0.0)
    plan(m)
    ints[at.OPEN], ints[at.FSAL_VALID] = 1, 0
    return at.BUDGET


@inlined
def plan(m: Memory) -> None:
    """Cut what is left of the segment into equal steps, of dt at most."""
    floats, ints = m.floats, m.ints
    floats[at.PLAN_START] = floats[at.NOW]
    ints[at.STEP_INDEX] = 0
    if ints[at.ADAPTIVE] == 0:
        # More than an integer holds would become a negative one, and that a single step.
        wanted = min(
            (floats[at.STOP] - floats[at.NOW]) / floats[at.SUBSTEP] * (1.0 - 1e-9), MOST_INT
        )
        ints[at.STEP_COUNT] = max(math.ceil(wanted), 1)


@inner
def _next_knot(m: Memory, table: int) -> float:
    """Advance a table to its present row; return the time of the next one."""
    floats, ints, now = m.floats, m.ints, m.floats[at.NOW]
    head = at.TABLES + at.TABLE_FIELDS * table
    times, length, row = ints[head + at.TIMES], ints[head + at.LENGTH], ints[head + at.ROW]
    while row + 1 < length and floats[times + row + 1] <= now + slack(now):
        row += 1
    ints[head + at.ROW] = row
    # A table that has not begun is held at its first row until it does.
    if row == 0 and floats[times] > now + slack(now):
        return float(floats[times])
    return float(floats[times + row + 1]) if row + 1 < length else math.inf


@inner
def _next_edge(m: Memory) -> float:
    """Return when a disturbance next begins, ends, or draws another number."""
    floats, ints = m.floats, m.ints
    nearest, soon = math.inf, floats[at.NOW] + slack(floats[at.NOW])
    for d in range(ints[at.DISTURBANCES]):
        place = ints[at.EDGES] + 3 * d
        start, stop, period = floats[place], floats[place + 1], floats[place + 2]
        if start > soon:
            nearest = min(nearest, start)
        elif stop > soon:
            nearest = min(nearest, stop)
            if period > 0.0:
                draws = math.floor((soon - start) / period)
                nearest = min(nearest, start + (draws + 1.0) * period)
    return nearest


@inlined
def _hold_constant(size: int, m: Memory, control: ControlMemory) -> None:
    """Do as `hold` does for tables of one row and no disturbances."""
    n = size
    links, ints, per_arm = m.links, m.ints, m.per_arm
    m.floats[at.HOLD_START] = m.floats[at.NOW]
    torques = ints[at.TABLES + at.ROWS]
    forces = ints[at.TABLES + at.TABLE_FIELDS + at.ROWS]
    for i in range(n):
        links[i, at.HOLD], links[i, at.RAMP] = per_arm[torques + i], 0.0
    if ints[at.CONTROLLED] != at.NO_CONTROLLER:
        _add_control(size, m, control)
    for k in range(3):
        links[n, at.TIP_HOLD + k], links[n, at.TIP_RAMP + k] = per_arm[forces + k], 0.0


@inner
def hold(size: int, m: Memory, control: ControlMemory) -> None:
    """Compute all that is held from now on, and its rate."""
    n = size
    links, ints = m.links, m.ints
    m.floats[at.HOLD_START] = m.floats[at.NOW]
    _next_knot(m, at.TORQUES)
    _next_knot(m, at.FORCES)
    for i in range(n):
        links[i, at.HOLD], links[i, at.RAMP] = _read_table(m, at.TORQUES, n, i)
    for k in range(3):
        links[n, at.TIP_HOLD + k], links[n, at.TIP_RAMP + k] = _read_table(m, at.FORCES, at.AXES, k)
    if ints[at.CONTROLLED] != at.NO_CONTROLLER:
        _add_control(size, m, control)
    if ints[at.DISTURBANCES] != 0:
        call_part(ints[at.DISTURB_PART], size, m)


@inlined
def _add_control(size: int, m: Memory, control: ControlMemory) -> None:
    """Add the controller's torques, and record what it requested."""
    n, links, floats, noted = size, m.links, m.floats, m.ints[at.NOTED]
    if m.ints[at.KEPT] & at.KEEP_CONTROL:
        held = numbers(links)
        for i in range(n):
            asked = floats[noted + at.REQUESTED * n + i]
            floats[noted + at.COMMANDED * n + i] = held[i, at.HOLD, 0] + asked
    if m.ints[at.LAGS] == 0:
        for i in range(n):
            links[i, at.HOLD] += control.tau[i]


@inner
def _read_table(m: Memory, table: int, width: int, column: int) -> tuple[Any, Any]:
    """Return a value of a table now, and its rate."""
    floats, ints, per_arm, now = m.floats, m.ints, m.per_arm, m.floats[at.NOW]
    head = at.TABLES + at.TABLE_FIELDS * table
    row, times = ints[head + at.ROW], ints[head + at.TIMES]
    place = ints[head + at.ROWS] + row * width + column
    value, start = per_arm[place], floats[times + row]
    last = row + 1 >= ints[head + at.LENGTH]
    if ints[head + at.LINEAR] == 0 or last or now < start - slack(now):
        return value, 0.0 * value
    rate = (per_arm[place + width] - value) / (floats[times + row + 1] - start)
    return value + rate * (now - start), rate


@kernel
def disturb(size: int, m: Memory) -> None:
    """Add the disturbances, and keep them separate from what is held without them."""
    n, links = size, m.links
    for i in range(n):
        links[i, at.UNDISTURBED], links[i, at.DISTURBANCE_TORQUE] = links[i, at.HOLD], 0.0
    for k in range(3):
        links[n, at.TIP_UNDISTURBED + k] = links[n, at.TIP_HOLD + k]
        links[n, at.TIP_DISTURBANCE + k] = 0.0
    for d in range(m.ints[at.DISTURBANCES]):
        _add_disturbance(size, m, d)
    for i in range(n):
        disturbance = links[i, at.DISTURBANCE_TORQUE]
        links[i, at.HELD_DISTURBANCE] = disturbance
        links[i, at.HOLD] = links[i, at.UNDISTURBED] + disturbance
    for k in range(3):
        disturbance = links[n, at.TIP_DISTURBANCE + k]
        links[n, at.TIP_HELD + k] = disturbance
        links[n, at.TIP_HOLD + k] = links[n, at.TIP_UNDISTURBED + k] + disturbance


@inner
def _add_disturbance(size: int, m: Memory, d: int) -> None:
    """Add disturbance d to the torques and to the force and moment on the tip, if it acts now.

    One that changes continuously, of a negative period, is added stage by stage.
    """
    n = size
    floats, ints, links, per_arm = m.floats, m.ints, m.links, m.per_arm
    soon = floats[at.NOW] + slack(floats[at.NOW])
    place = ints[at.EDGES] + 3 * d
    start, stop, period = floats[place], floats[place + 1], floats[place + 2]
    if not start <= soon < stop or period < 0.0:
        return
    draw = int(min((soon - start) / period, MOST_INT)) if period > 0.0 else 0
    source = ints[at.SEEDS] + 2 * d
    for k in range(n + 3):
        load = per_arm[ints[at.SIZES] + d * (n + 3) + k]
        if period > 0.0 and any_lane(load != 0.0):
            seed, index = ints[source], ints[source + 1]
            load = load * draw_normal(m, seed, at.DISTURBANCE_NOISE, index, draw, k)
        if k < n:
            links[k, at.DISTURBANCE_TORQUE] += load
        else:
            links[n, at.TIP_DISTURBANCE + k - n] += load


@kernel
def add_waves(size: int, m: Memory, t: float) -> None:
    """Add what acts in this segment, for the state STAGE at time t.

    A formula is of one part of a disturbance, or a factor of all of them.
    """
    n, links, ints, floats, per_arm = size, m.links, m.ints, m.floats, m.per_arm
    name_values(size, m, t)
    soon = floats[at.HOLD_START] + slack(floats[at.HOLD_START])
    for i in range(n):
        links[i, at.DISTURBANCE_TORQUE] = links[i, at.HELD_DISTURBANCE]
    for k in range(3):
        links[n, at.TIP_DISTURBANCE + k] = links[n, at.TIP_HELD + k]
    for k in range(ints[at.FORMULAS], ints[at.FORMULAS] + ints[at.WAVES]):
        place = ints[ints[at.SPANS] + 3 * k]
        d, part = place // (n + 4), place % (n + 4)
        edges = ints[at.EDGES] + 3 * d
        if not floats[edges] <= soon < floats[edges + 1]:
            continue
        value = formula(m, k)
        sizes = ints[at.SIZES] + d * (n + 3)
        for p in range(n + 3):
            if part != n + 3 and part != p:
                continue
            load = per_arm[sizes + p] * value
            if p < n:
                links[p, at.DISTURBANCE_TORQUE] += load
                links[p, link.TORQUE] += load
            else:
                links[n, at.TIP_DISTURBANCE + p - n] += load
                links[n, link.FORCE_X + p - n] += load
