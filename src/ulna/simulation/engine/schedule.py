"""Inputs between two known times: tables, disturbances, and the controller's ticks.

Time is cut into segments in which nothing jumps. At the start of one all that is held is worked
out; a step never reaches across its end, so that no method ever sees a jump from inside.
"""

from __future__ import annotations

import math
from typing import Any

from ulna.kernels import inlined, inner
from ulna.lanes import numbers, some
from ulna.simulation.engine import places as at
from ulna.simulation.engine.control import let_control
from ulna.simulation.engine.hooks import call_part
from ulna.simulation.engine.memory import Control, Memory
from ulna.simulation.engine.noise import draw_normal
from ulna.simulation.engine.times import slack

MOST_WHOLE = 2.0**62  # that a count may be


@inlined
def open_segment(size: int, m: Memory, control: Control) -> int:
    """Begin the next segment; return BUDGET, or why Python has to act first."""
    real, whole = m.real, m.whole
    now = real[at.NOW]
    if now >= real[at.TARGET] - slack(now):
        return at.REACHED
    if whole[at.CONTROLLED] != at.NOBODY:
        code = let_control(size, m, control)
        if code != at.BUDGET:
            return code
    stop = real[at.TARGET]
    if whole[at.STILL] == 0:
        stop = min(stop, _next_knot(m, at.TORQUES), _next_knot(m, at.FORCES), _next_edge(m))
    if whole[at.CONTROLLED] != at.NOBODY:
        stop = min(stop, whole[at.TICK] * real[at.PERIOD])
    real[at.STOP] = stop
    if whole[at.STILL] == 0:
        hold(size, m, control)
    else:
        _hold_still(size, m, control)
    plan(m)
    whole[at.OPEN], whole[at.FRESH] = 1, 0
    return at.BUDGET


@inlined
def plan(m: Memory) -> None:
    """Cut what is left of the segment into equal steps, of dt at most."""
    real, whole = m.real, m.whole
    real[at.PLAN_START] = real[at.NOW]
    whole[at.STEP_INDEX] = 0
    if whole[at.ADAPTIVE] == 0:
        # More than a whole number holds would become a negative one, and that a single step.
        wanted = min((real[at.STOP] - real[at.NOW]) / real[at.DT] * (1.0 - 1e-9), MOST_WHOLE)
        whole[at.STEP_COUNT] = max(math.ceil(wanted), 1)


@inner
def _next_knot(m: Memory, table: int) -> float:
    """Move a table on to its row for now; return when the next row comes."""
    real, whole, now = m.real, m.whole, m.real[at.NOW]
    head = at.TABLES + at.TABLE_PLACES * table
    times, length, row = whole[head + at.TIMES], whole[head + at.LENGTH], whole[head + at.ROW]
    while row + 1 < length and real[times + row + 1] <= now + slack(now):
        row += 1
    whole[head + at.ROW] = row
    # A table that has not begun is held at its first row until it does.
    if row == 0 and real[times] > now + slack(now):
        return float(real[times])
    return float(real[times + row + 1]) if row + 1 < length else math.inf


@inner
def _next_edge(m: Memory) -> float:
    """Return when a disturbance next begins, ends, or draws another number."""
    real, whole = m.real, m.whole
    nearest, soon = math.inf, real[at.NOW] + slack(real[at.NOW])
    for d in range(whole[at.DISTURBANCES]):
        place = whole[at.EDGES] + 3 * d
        start, stop, period = real[place], real[place + 1], real[place + 2]
        if start > soon:
            nearest = min(nearest, start)
        elif stop > soon:
            nearest = min(nearest, stop)
            if period > 0.0:
                draws = math.floor((soon - start) / period)
                nearest = min(nearest, start + (draws + 1.0) * period)
    return nearest


@inlined
def _hold_still(size: int, m: Memory, control: Control) -> None:
    """Do as `hold` does where tables have but one row, and nothing disturbs."""
    n = size
    links, whole, each = m.links, m.whole, m.each
    m.real[at.HOLD_START] = m.real[at.NOW]
    torques = whole[at.TABLES + at.ROWS]
    forces = whole[at.TABLES + at.TABLE_PLACES + at.ROWS]
    for i in range(n):
        links[i, at.HOLD], links[i, at.RAMP] = each[torques + i], 0.0
    if whole[at.CONTROLLED] != at.NOBODY:
        _add_control(size, m, control)
    for k in range(3):
        links[n, at.TIP_HOLD + k], links[n, at.TIP_RAMP + k] = each[forces + k], 0.0


@inner
def hold(size: int, m: Memory, control: Control) -> None:
    """Work out all that is held from now on, and how it ramps."""
    n = size
    links, whole = m.links, m.whole
    m.real[at.HOLD_START] = m.real[at.NOW]
    _next_knot(m, at.TORQUES)
    _next_knot(m, at.FORCES)
    for i in range(n):
        links[i, at.HOLD], links[i, at.RAMP] = _read_table(m, at.TORQUES, n, i)
    for k in range(3):
        links[n, at.TIP_HOLD + k], links[n, at.TIP_RAMP + k] = _read_table(m, at.FORCES, at.AXES, k)
    if whole[at.CONTROLLED] != at.NOBODY:
        _add_control(size, m, control)
    if whole[at.DISTURBANCES] != 0:
        call_part(whole[at.DISTURB_PART], size, m)


@inlined
def _add_control(size: int, m: Memory, control: Control) -> None:
    """Let the controller's torques act, and note what it asked for."""
    n, links, real, noted = size, m.links, m.real, m.whole[at.NOTED]
    if m.whole[at.KEPT] & at.KEEP_CONTROL:
        held = numbers(links)
        for i in range(n):
            asked = real[noted + at.ASKED * n + i]
            real[noted + at.COMMANDED * n + i] = held[i, at.HOLD, 0] + asked
    for i in range(n):
        links[i, at.HOLD] += control.tau[i]


@inner
def _read_table(m: Memory, table: int, width: int, column: int) -> tuple[Any, Any]:
    """Return a value of a table now, and its rate."""
    real, whole, each, now = m.real, m.whole, m.each, m.real[at.NOW]
    head = at.TABLES + at.TABLE_PLACES * table
    row, times = whole[head + at.ROW], whole[head + at.TIMES]
    place = whole[head + at.ROWS] + row * width + column
    value, start = each[place], real[times + row]
    last = row + 1 >= whole[head + at.LENGTH]
    if whole[head + at.LINEAR] == 0 or last or now < start - slack(now):
        return value, 0.0 * value
    rate = (each[place + width] - value) / (real[times + row + 1] - start)
    return value + rate * (now - start), rate


@inner
def disturb(size: int, m: Memory) -> None:
    """Add all that disturbs, and keep it apart from what is held without it."""
    n, links = size, m.links
    for i in range(n):
        links[i, at.OWN], links[i, at.PUSH] = links[i, at.HOLD], 0.0
    for k in range(3):
        links[n, at.TIP_OWN + k], links[n, at.TIP_PUSH + k] = links[n, at.TIP_HOLD + k], 0.0
    for d in range(m.whole[at.DISTURBANCES]):
        _push(size, m, d)
    for i in range(n):
        links[i, at.HOLD] = links[i, at.OWN] + links[i, at.PUSH]
    for k in range(3):
        links[n, at.TIP_HOLD + k] = links[n, at.TIP_OWN + k] + links[n, at.TIP_PUSH + k]


@inner
def _push(size: int, m: Memory, d: int) -> None:
    n = size
    real, whole, links, each = m.real, m.whole, m.links, m.each
    soon = real[at.NOW] + slack(real[at.NOW])
    place = whole[at.EDGES] + 3 * d
    start, stop, period = real[place], real[place + 1], real[place + 2]
    if not start <= soon < stop:
        return
    draw = int(min((soon - start) / period, MOST_WHOLE)) if period > 0.0 else 0
    source = whole[at.SEEDS] + 2 * d
    for k in range(n + 3):
        push = each[whole[at.SIZES] + d * (n + 3) + k]
        if period > 0.0 and some(push != 0.0):
            seed, index = whole[source], whole[source + 1]
            push = push * draw_normal(m, seed, at.PUSH_NOISE, index, draw, k)
        if k < n:
            links[k, at.PUSH] += push
        else:
            links[n, at.TIP_PUSH + k - n] += push
