"""Inputs between two known times: tables, disturbances, and the controller's ticks.

Time is cut into segments in which nothing jumps. At the start of one all that is held is worked
out; a step never reaches across its end, so that no method ever sees a jump from inside.
"""

from __future__ import annotations

import math
from typing import Any

from ulna.kernels import inlined, inner
from ulna.lanes import any_lane, numbers
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.control import control_tick
from ulna.simulation.engine.hooks import call_part
from ulna.simulation.engine.memory import ControlMemory, Memory
from ulna.simulation.engine.noise import draw_normal
from ulna.simulation.engine.times import slack

MOST_INT = 2.0**62  # the largest count


@inlined
def open_segment(size: int, m: Memory, control: ControlMemory) -> int:
    """Begin the next segment; return BUDGET, or why Python has to act first."""
    floats, ints = m.floats, m.ints
    now = floats[at.NOW]
    if now >= floats[at.TARGET] - slack(now):
        return at.REACHED
    if ints[at.CONTROLLED] != at.NO_CONTROLLER:
        code = control_tick(size, m, control)
        if code != at.BUDGET:
            return code
    stop = floats[at.TARGET]
    if ints[at.CONSTANT_INPUTS] == 0:
        stop = min(stop, _next_knot(m, at.TORQUES), _next_knot(m, at.FORCES), _next_edge(m))
    if ints[at.CONTROLLED] != at.NO_CONTROLLER:
        stop = min(stop, ints[at.TICK] * floats[at.PERIOD])
    floats[at.STOP] = stop
    if ints[at.CONSTANT_INPUTS] == 0:
        hold(size, m, control)
    else:
        _hold_constant(size, m, control)
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
        wanted = min((floats[at.STOP] - floats[at.NOW]) / floats[at.DT] * (1.0 - 1e-9), MOST_INT)
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


@inner
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
        links[i, at.HOLD] = links[i, at.UNDISTURBED] + links[i, at.DISTURBANCE_TORQUE]
    for k in range(3):
        disturbance = links[n, at.TIP_DISTURBANCE + k]
        links[n, at.TIP_HOLD + k] = links[n, at.TIP_UNDISTURBED + k] + disturbance


@inner
def _add_disturbance(size: int, m: Memory, d: int) -> None:
    """Add disturbance d to the torques and to the force and moment on the tip, if it acts now."""
    n = size
    floats, ints, links, per_arm = m.floats, m.ints, m.links, m.per_arm
    soon = floats[at.NOW] + slack(floats[at.NOW])
    place = ints[at.EDGES] + 3 * d
    start, stop, period = floats[place], floats[place + 1], floats[place + 2]
    if not start <= soon < stop:
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
