"""A block of arms in lanes: they are loaded, take their steps together, and are retired.

Time is common to a block: its arms share segments and steps, and only their parameters, and what
acts on them, are their own. An arm that fails is retired: its lane is idle from then on. One that
touches its stops takes the step by itself, in the engine for single arms (`stop_fallback.py`).
"""

from __future__ import annotations

from typing import Any

from ulna.kernels import inlined, inner, kernel
from ulna.lanes import (
    any_lane,
    lanes,
    lanes_like,
    logical_and,
    logical_not,
    logical_or,
    numbers,
    select,
)
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.bucket import Bucket, Outcome
from ulna.simulation.engine.hooks import call_part
from ulna.simulation.engine.load_lanes import load_lanes
from ulna.simulation.engine.loop import ON_TIME, set_end
from ulna.simulation.engine.memory import ControlMemory, Memory, Record
from ulna.simulation.engine.retire import retire
from ulna.simulation.engine.schedule import hold, open_segment
from ulna.simulation.engine.state_derivative import columns, copy, inputs, motor_torque
from ulna.simulation.engine.stepping import (
    accumulate_error,
    even_step,
    is_checked,
    take_half_steps,
    take_step,
)
from ulna.simulation.engine.stop_fallback import is_at_stop
from ulna.simulation.engine.times import slack


@kernel
def run_blocks(
    n: int,
    memory: Memory,
    control: ControlMemory,
    scalar: Memory,
    record: Record,
    bucket: Bucket,
    outcome: Outcome,
    budget: int,
) -> int:
    """Advance one block after the other; return REACHED after the last of them."""
    ints = memory.ints
    m = Memory(
        lanes(memory.vectors), lanes(memory.links), lanes(memory.turns), lanes(memory.per_arm),
        memory.keys, memory.tableau, memory.floats, memory.ints,
    )  # fmt: skip
    wide = ControlMemory(
        lanes_like(control.q, m.vectors), lanes_like(control.qd, m.vectors),
        lanes_like(control.reference, m.vectors), lanes_like(control.params, m.vectors),
        lanes_like(control.state, m.vectors), lanes_like(control.tau, m.vectors),
        control.reference_table,
    )  # fmt: skip
    for _ in range(budget):
        if ints[at.LOADED] == 0:
            if ints[at.BLOCK] >= ints[at.LAST_BLOCK]:
                return at.REACHED
            load_lanes(n, m, wide, scalar, bucket, outcome)
        code = _advance(n, m, wide, scalar, record, bucket, outcome)
        if code == at.REACHED:
            _finish(n, m, wide, bucket, outcome)
            ints[at.LOADED] = 0
            ints[at.BLOCK] += 1
        elif code != at.BUDGET:
            return code
    return at.BUDGET


@inlined
def _advance(
    size: int,
    m: Memory,
    control: ControlMemory,
    scalar: Memory,
    record: Record,
    bucket: Bucket,
    outcome: Outcome,
) -> int:
    """Take one step with all arms of the block."""
    floats, ints = m.floats, m.ints
    if ints[at.OPEN] == 0:
        code = open_segment(size, m, control)
        if code != at.BUDGET:
            return code
        inputs(size, m, floats[at.NOW])
    h = even_step(m)
    checked = is_checked(m)
    if checked:
        take_half_steps(size, m, h)
    good = _step(size, m, h)
    set_end(m, h)
    if ints[at.STOPS] != 0:
        # An arm at its stop takes the step by itself, whatever it would have done without.
        at_stop = is_at_stop(size, m)
        good = logical_or(good, at_stop)
        m.links[size, at.FALLBACK] = select(at_stop, 1.0, 0.0)
    if checked:
        accumulate_error(size, m, h)
    if any_lane(logical_and(m.links[size, at.ACTIVE] != 0.0, logical_not(good))):
        m.links[size, at.VALID] = select(good, 1.0, 0.0)
        _sample_start(size, m, bucket, outcome, h)
        _retire_failed(size, m, bucket, outcome, h)
    if ints[at.STOPS] != 0 or ints[at.METHOD] == at.GAUSS4 or _is_sampled(m, outcome, h):
        _process_step(size, m, scalar, record, bucket, outcome, h)
    else:
        copy(size, m, at.TRIAL, at.STATE)
    if ints[at.RETIRED] != 0:
        _hold_retired(size, m)
    floats[at.NOW] = floats[at.STEP_END]
    ints[at.STEP_INDEX] += 1
    if floats[at.NOW] == floats[at.STOP]:
        ints[at.OPEN] = 0
    return at.REACHED if ints[at.RETIRED] == numbers(m.per_arm).shape[1] else at.BUDGET


@inner
def _process_step(
    size: int,
    m: Memory,
    scalar: Memory,
    record: Record,
    bucket: Bucket,
    outcome: Outcome,
    h: float,
) -> None:
    """Handle stops and samples within a step, then make its end the state."""
    copy(size, m, at.TRIAL, at.NEXT_STATE)
    if m.ints[at.STOPS] != 0:
        call_part(m.ints[at.FALLBACK_PART], size, m, scalar, record, bucket, outcome, h)
    if m.ints[at.METHOD] == at.GAUSS4:
        call_part(m.ints[at.KEEP_PART], size, m, h)
    if _is_sampled(m, outcome, h):
        _take_samples(size, m, bucket, outcome, h)
    copy(size, m, at.NEXT_STATE, at.STATE)


@inner
def _step(size: int, m: Memory, h: float) -> Any:
    return take_step(size, m, m.floats[at.NOW], h)


@inlined
def _is_sampled(m: Memory, outcome: Outcome, h: float) -> bool:
    row = m.ints[at.SAMPLE]
    times = outcome.times
    return bool(row < len(times) and times[row] < m.floats[at.NOW] + h * (1.0 - ON_TIME))


@inner
def _sample_start(size: int, m: Memory, bucket: Bucket, outcome: Outcome, h: float) -> None:
    """Record what is due at the start of a step, before arms are retired."""
    times, row = outcome.times, m.ints[at.SAMPLE]
    if row < len(times) and times[row] <= m.floats[at.NOW] + h * ON_TIME:
        m.links[size, at.FALLBACK] = 0.0
        copy(size, m, at.STATE, at.STAGE)
        _write(size, m, bucket, outcome, times[row])


@inner
def _take_samples(size: int, m: Memory, bucket: Bucket, outcome: Outcome, h: float) -> None:
    now, early = m.floats[at.NOW], h * ON_TIME
    times, row = outcome.times, m.ints[at.SAMPLE]
    while row < len(times) and times[row] < now + h - early:
        t = times[row]
        if t <= now + early:
            copy(size, m, at.STATE, at.STAGE)
        else:
            _step(size, m, t - now)
            copy(size, m, at.TRIAL, at.STAGE)
        _write(size, m, bucket, outcome, t)
        row = m.ints[at.SAMPLE]


@inner
def _write(size: int, m: Memory, bucket: Bucket, outcome: Outcome, t: float) -> None:
    """Record the state STAGE of all active arms but those that took the step by themselves."""
    n, row = size, m.ints[at.SAMPLE]
    m.ints[at.SAMPLE] += 1
    with_torques = len(outcome.tau) > 0
    if with_torques:
        inputs(size, m, t)
        for i in range(n):
            m.links[i, at.MOTOR] = motor_torque(m, i, t - m.floats[at.HOLD_START])
    states, links = numbers(m.vectors), numbers(m.links)
    first = m.ints[at.BLOCK] * links.shape[2]
    for w in range(links.shape[2]):
        if links[n, at.ACTIVE, w] == 0.0 or links[n, at.FALLBACK, w] != 0.0:
            continue
        b = bucket.members[first + w]
        for i in range(n):
            outcome.q[b, row, i] = states[at.STAGE, i, w]
            outcome.qd[b, row, i] = states[at.STAGE + 1, i, w]
            if with_torques:
                outcome.tau[b, row, i] = links[i, at.MOTOR, w]


@inner
def _finish(size: int, m: Memory, control: ControlMemory, bucket: Bucket, outcome: Outcome) -> None:
    """Record how the active arms ended, and the samples that are due at the very end."""
    n, now, times = size, m.floats[at.NOW], outcome.times
    links = numbers(m.links)
    first = m.ints[at.BLOCK] * links.shape[2]
    for w in range(links.shape[2]):
        links[n, at.FALLBACK, w] = 0.0
        if links[n, at.ACTIVE, w] != 0.0:
            b = bucket.members[first + w]
            fine = links[n, at.ERROR, w] <= m.floats[at.MOST_ERROR]
            outcome.t_end[b], outcome.codes[b] = now, at.REACHED if fine else at.COARSE
    if now == 0.0:
        hold(size, m, control)
    copy(size, m, at.STATE, at.STAGE)
    while m.ints[at.SAMPLE] < len(times) and times[m.ints[at.SAMPLE]] <= now + slack(now):
        _write(size, m, bucket, outcome, now)


@inner
def _retire_failed(size: int, m: Memory, bucket: Bucket, outcome: Outcome, h: float) -> None:
    """Retire the arms that have no valid state after the step."""
    n, links = size, numbers(m.links)
    code = at.STALLED if m.ints[at.METHOD] == at.GAUSS4 else at.DIVERGED
    for w in range(links.shape[2]):
        if links[n, at.ACTIVE, w] != 0.0 and links[n, at.VALID, w] == 0.0:
            retire(size, m, bucket, outcome, w, code, h)


@inner
def _hold_retired(size: int, m: Memory) -> None:
    """Set the states of retired arms to zero, so that they cannot overflow."""
    v, active = m.vectors, m.links[size, at.ACTIVE] != 0.0
    for part in range(2):
        for i in range(columns(size, v)):
            v[at.STATE + part, i] = select(active, v[at.STATE + part, i], 0.0)
