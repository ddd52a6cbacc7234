"""A block of arms in lanes: they are loaded, take their steps together, and leave.

Time is common to a block: its arms share segments and steps, and only what they are, and what
acts on them, is their own. An arm that is lost is noted and laid still, and costs nothing more.
One that touches its stops takes the step by itself, in the engine for single arms (`aside.py`).
"""

from __future__ import annotations

from typing import Any

from ulna.kernels import inlined, inner, kernel
from ulna.lanes import both, choose, either, lanes, lanes_beside, numbers, opposite, some
from ulna.simulation.engine import places as at
from ulna.simulation.engine.aside import touches
from ulna.simulation.engine.hooks import call_part
from ulna.simulation.engine.loading import load
from ulna.simulation.engine.loop import ON_TIME, set_end
from ulna.simulation.engine.losing import lose
from ulna.simulation.engine.lots import Lot, Outcome
from ulna.simulation.engine.memory import Control, Memory, Record
from ulna.simulation.engine.schedule import hold, open_segment
from ulna.simulation.engine.slope import columns, copy, inputs, motor_torque
from ulna.simulation.engine.stepping import even_step, is_judged, note_error, take_halves, take_step
from ulna.simulation.engine.times import slack


@kernel
def run_blocks(
    n: int,
    memory: Memory,
    control: Control,
    alone: Memory,
    record: Record,
    lot: Lot,
    outcome: Outcome,
    budget: int,
) -> int:
    """Take steps with one block after the other; return REACHED after the last of them."""
    whole = memory.whole
    m = Memory(
        lanes(memory.vectors), lanes(memory.links), lanes(memory.turns), lanes(memory.each),
        memory.keys, memory.tableau, memory.real, memory.whole,
    )  # fmt: skip
    wide = Control(
        lanes_beside(control.q, m.vectors), lanes_beside(control.qd, m.vectors),
        lanes_beside(control.aim, m.vectors), lanes_beside(control.params, m.vectors),
        lanes_beside(control.state, m.vectors), lanes_beside(control.tau, m.vectors),
        control.references,
    )  # fmt: skip
    for _ in range(budget):
        if whole[at.LOADED] == 0:
            if whole[at.BLOCK] >= whole[at.LAST_BLOCK]:
                return at.REACHED
            load(n, m, wide, alone, lot, outcome)
        code = _advance(n, m, wide, alone, record, lot, outcome)
        if code == at.REACHED:
            _finish(n, m, wide, lot, outcome)
            whole[at.LOADED] = 0
            whole[at.BLOCK] += 1
        elif code != at.BUDGET:
            return code
    return at.BUDGET


@inlined
def _advance(
    size: int,
    m: Memory,
    control: Control,
    alone: Memory,
    record: Record,
    lot: Lot,
    outcome: Outcome,
) -> int:
    """Take one step with all arms of the block."""
    real, whole = m.real, m.whole
    if whole[at.OPEN] == 0:
        code = open_segment(size, m, control)
        if code != at.BUDGET:
            return code
        inputs(size, m, real[at.NOW])
    h = even_step(m)
    judged = is_judged(m)
    if judged:
        take_halves(size, m, h)
    good = _step(size, m, h)
    set_end(m, h)
    if whole[at.STOPS] != 0:
        # An arm at its stop takes the step by itself, whatever it would have done without.
        at_stop = touches(size, m)
        good = either(good, at_stop)
        m.links[size, at.APART] = choose(at_stop, 1.0, 0.0)
    if judged:
        note_error(size, m, h)
    if some(both(m.links[size, at.ALIVE] != 0.0, opposite(good))):
        m.links[size, at.GOOD] = choose(good, 1.0, 0.0)
        _sample_start(size, m, lot, outcome, h)
        _lose(size, m, lot, outcome, h)
    if whole[at.STOPS] != 0 or whole[at.METHOD] == at.GAUSS4 or _is_sampled(m, outcome, h):
        _look_inside(size, m, alone, record, lot, outcome, h)
    else:
        copy(size, m, at.TRIAL, at.STATE)
    if whole[at.LOST] != 0:
        _still_the_lost(size, m)
    real[at.NOW] = real[at.STEP_END]
    whole[at.STEP_INDEX] += 1
    if real[at.NOW] == real[at.STOP]:
        whole[at.OPEN] = 0
    return at.REACHED if whole[at.LOST] == numbers(m.each).shape[1] else at.BUDGET


@inner
def _look_inside(
    size: int,
    m: Memory,
    alone: Memory,
    record: Record,
    lot: Lot,
    outcome: Outcome,
    h: float,
) -> None:
    """Do what a step needs besides its end, and make its end the state."""
    copy(size, m, at.TRIAL, at.AHEAD)
    if m.whole[at.STOPS] != 0:
        call_part(m.whole[at.APART_PART], size, m, alone, record, lot, outcome, h)
    if m.whole[at.METHOD] == at.GAUSS4:
        call_part(m.whole[at.KEEP_PART], size, m, h)
    if _is_sampled(m, outcome, h):
        _take_samples(size, m, lot, outcome, h)
    copy(size, m, at.AHEAD, at.STATE)


@inner
def _step(size: int, m: Memory, h: float) -> Any:
    return take_step(size, m, m.real[at.NOW], h)


@inlined
def _is_sampled(m: Memory, outcome: Outcome, h: float) -> bool:
    row = m.whole[at.SAMPLE]
    times = outcome.times
    return bool(row < len(times) and times[row] < m.real[at.NOW] + h * (1.0 - ON_TIME))


@inner
def _sample_start(size: int, m: Memory, lot: Lot, outcome: Outcome, h: float) -> None:
    """Keep what is due at the start of a step, while all arms are still there."""
    times, row = outcome.times, m.whole[at.SAMPLE]
    if row < len(times) and times[row] <= m.real[at.NOW] + h * ON_TIME:
        m.links[size, at.APART] = 0.0
        copy(size, m, at.STATE, at.STAGE)
        _write(size, m, lot, outcome, times[row])


@inner
def _take_samples(size: int, m: Memory, lot: Lot, outcome: Outcome, h: float) -> None:
    now, early = m.real[at.NOW], h * ON_TIME
    times, row = outcome.times, m.whole[at.SAMPLE]
    while row < len(times) and times[row] < now + h - early:
        t = times[row]
        if t <= now + early:
            copy(size, m, at.STATE, at.STAGE)
        else:
            _step(size, m, t - now)
            copy(size, m, at.TRIAL, at.STAGE)
        _write(size, m, lot, outcome, t)
        row = m.whole[at.SAMPLE]


@inner
def _write(size: int, m: Memory, lot: Lot, outcome: Outcome, t: float) -> None:
    """Keep the state STAGE of all arms that run, but those that have kept theirs themselves."""
    n, row = size, m.whole[at.SAMPLE]
    m.whole[at.SAMPLE] += 1
    with_torques = len(outcome.tau) > 0
    if with_torques:
        inputs(size, m, t)
        for i in range(n):
            m.links[i, at.MOTOR] = motor_torque(m, i, t - m.real[at.HOLD_START])
    states, links = numbers(m.vectors), numbers(m.links)
    first = m.whole[at.BLOCK] * links.shape[2]
    for w in range(links.shape[2]):
        if links[n, at.ALIVE, w] == 0.0 or links[n, at.APART, w] != 0.0:
            continue
        b = lot.members[first + w]
        for i in range(n):
            outcome.q[b, row, i] = states[at.STAGE, i, w]
            outcome.qd[b, row, i] = states[at.STAGE + 1, i, w]
            if with_torques:
                outcome.tau[b, row, i] = links[i, at.MOTOR, w]


@inner
def _finish(size: int, m: Memory, control: Control, lot: Lot, outcome: Outcome) -> None:
    """Note how the arms that still run have ended, and keep what is due at the very end."""
    n, now, times = size, m.real[at.NOW], outcome.times
    links = numbers(m.links)
    first = m.whole[at.BLOCK] * links.shape[2]
    for w in range(links.shape[2]):
        links[n, at.APART, w] = 0.0
        if links[n, at.ALIVE, w] != 0.0:
            b = lot.members[first + w]
            fine = links[n, at.ERROR, w] <= m.real[at.MOST_ERROR]
            outcome.t_end[b], outcome.codes[b] = now, at.REACHED if fine else at.COARSE
    if now == 0.0:
        hold(size, m, control)
    copy(size, m, at.STATE, at.STAGE)
    while m.whole[at.SAMPLE] < len(times) and times[m.whole[at.SAMPLE]] <= now + slack(now):
        _write(size, m, lot, outcome, now)


@inner
def _lose(size: int, m: Memory, lot: Lot, outcome: Outcome, h: float) -> None:
    """Note which arms have no state after the step and why, and lay them still."""
    n, links = size, numbers(m.links)
    code = at.STALLED if m.whole[at.METHOD] == at.GAUSS4 else at.DIVERGED
    for w in range(links.shape[2]):
        if links[n, at.ALIVE, w] != 0.0 and links[n, at.GOOD, w] == 0.0:
            lose(size, m, lot, outcome, w, code, h)


@inner
def _still_the_lost(size: int, m: Memory) -> None:
    """Keep lost arms where nothing can go wrong any more."""
    v, alive = m.vectors, m.links[size, at.ALIVE] != 0.0
    for part in range(2):
        for i in range(columns(size, v)):
            v[at.STATE + part, i] = choose(alive, v[at.STATE + part, i], 0.0)
