"""A block of arms in lanes: they are loaded, take their steps together, and are retired.

Time is common to a block: its arms share segments and steps, and only their parameters, and what
acts on them, are their own. An arm that fails is retired: its lane is idle from then on. One that
touches its stops, or whose joints stick or reverse against friction, takes the step by itself, in
the engine for single arms (`scalar_fallback.py`).

`run_blocks` takes one block after the other all the way. Arms of a `BatchSimulation` stay in their
lanes between calls: the memory of a block is then a slice of arrays with a leading axis of blocks,
and `advance_blocks` calls `run_blocks` by its address. So it is compiled once, and both take the
same steps to the last bit.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ulna.arrays import Array
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
from ulna.simulation.engine.load_lanes import idle_lane, load_arm, load_lanes, retire
from ulna.simulation.engine.loop import ON_TIME, set_end
from ulna.simulation.engine.memory import Bucket, ControlMemory, Memory, Outcome, Record
from ulna.simulation.engine.scalar_fallback import DRIVEN, PERSISTENT, is_resting
from ulna.simulation.engine.schedule import hold, open_segment, slack
from ulna.simulation.engine.state_derivative import (
    call_motors,
    call_part,
    columns,
    copy,
    inputs,
    motor_torque,
)
from ulna.simulation.engine.stepping import (
    accumulate_error,
    even_step,
    is_checked,
    take_half_steps,
    take_step,
)


@kernel
def run_blocks(
    size: int,
    m: Memory,
    control: ControlMemory,
    scalar: Memory,
    record: Record,
    bucket: Bucket,
    outcome: Outcome,
    budget: int,
) -> int:
    """Advance one block after the other; return REACHED after the last of them."""
    ints = m.ints
    for _ in range(budget):
        if ints[at.LOADED] == 0:
            if ints[at.BLOCK] >= ints[at.LAST_BLOCK]:
                return at.REACHED
            load_lanes(size, m, control, scalar, bucket, outcome)
        code = _advance(size, m, control, scalar, record, bucket, outcome)
        if code == at.REACHED:
            _finish(size, m, control, bucket, outcome)
            ints[at.LOADED] = 0
            ints[at.BLOCK] += 1
        elif code != at.BUDGET:
            return code
    return at.BUDGET


@inlined
def _in_lanes(memory: Memory) -> Memory:
    """View the memory of a block as lanes."""
    return Memory(
        lanes(memory.vectors), lanes(memory.links), lanes(memory.turns), lanes(memory.per_arm),
        memory.keys, memory.tableau, memory.floats, memory.ints,
    )  # fmt: skip


@inlined
def _control_in_lanes(control: ControlMemory, vectors: Array) -> ControlMemory:
    """View what controllers read and write as lanes of the same width."""
    return ControlMemory(
        lanes_like(control.q, vectors), lanes_like(control.qd, vectors),
        lanes_like(control.reference, vectors), lanes_like(control.params, vectors),
        lanes_like(control.state, vectors), lanes_like(control.tau, vectors),
        control.reference_table,
    )  # fmt: skip


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
    if ints[at.WATCHING] != 0:
        # An arm with a joint at rest takes the step by itself, whatever it would have done without.
        resting = is_resting(size, m)
        good = logical_or(good, resting)
        m.links[size, at.FALLBACK] = select(resting, 1.0, 0.0)
    if checked:
        accumulate_error(size, m, h)
    if any_lane(logical_and(m.links[size, at.ACTIVE] != 0.0, logical_not(good))):
        m.links[size, at.VALID] = select(good, 1.0, 0.0)
        _sample_start(size, m, bucket, outcome, h)
        _retire_failed(size, m, bucket, outcome, h)
    if ints[at.WATCHING] != 0 or ints[at.ITERATIVE] != 0 or _is_sampled(m, outcome, h):
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
    """Handle stops, friction and samples within a step, then make its end the state."""
    copy(size, m, at.TRIAL, at.NEXT_STATE)
    if m.ints[at.WATCHING] != 0:
        call_part(m.ints[at.FALLBACK_PART], size, m, scalar, record, bucket, outcome, h)
    if m.ints[at.ITERATIVE] != 0:
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
        if m.ints[at.MOTORS] != 0:
            call_motors(size, m, at.DRIVE, at.NONE, at.NONE, at.NONE, t, 0.0)
        else:
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
    code = at.STALLED if m.ints[at.ITERATIVE] != 0 else at.DIVERGED
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


@kernel
def run_by_address(
    run: int,
    n: int,
    memory: Memory,
    control: ControlMemory,
    scalar: Memory,
    record: Record,
    bucket: Bucket,
    outcome: Outcome,
    budget: int,
) -> int:
    """Call `run_blocks`."""
    m = _in_lanes(memory)
    own = _control_in_lanes(control, m.vectors)
    return call_part(run, n, m, own, scalar, record, bucket, outcome, budget)


STRETCH = 1000  # steps of one call into a block


class ResidentState(NamedTuple):
    """States and torques of the arms, by member, and the states of their blocks."""

    q: Array  # (B, n)
    qd: Array
    torque: Array
    codes: Array  # (B,) their status codes
    results: Array  # the status code for each of the engine's codes
    states: Array  # (blocks, rows that pass from step to step, n+1, width)
    steps: Array  # (blocks,) the steps of dt that were taken


@kernel
def advance_blocks(
    run: int,
    n: int,
    memory: Memory,
    control: ControlMemory,
    scalar: Memory,
    record: Record,
    bucket: Bucket,
    outcome: Outcome,
    resident: ResidentState,
    first: int,
    last: int,
    step: int,
) -> int:
    """Advance blocks first to last − 1 to the end of a step; return REACHED, or COARSE.

    Steps count from the start of all. COARSE says that they are too long for an arm. The `vectors`
    and `turns` of the memory are for one block, and for any; `run` is the address of `run_blocks`.
    """
    worst = at.REACHED
    for b in range(first, last):
        m = _block(memory, b)
        wide = _in_lanes(m)
        own = _control_in_lanes(_block_control(control, b), wide.vectors)
        _restore_block(n, m, bucket, resident, b)
        while resident.steps[b] < step:
            # A product: a sum of steps would drift away from the times of tables of torques.
            m.floats[at.TARGET] = (resident.steps[b] + 1) * m.floats[at.DT]
            # A block all of whose arms are retired returns early, and has to keep the time.
            while m.floats[at.NOW] < m.floats[at.TARGET] - slack(m.floats[at.NOW]):
                m.ints[at.BLOCK], m.ints[at.LAST_BLOCK], m.ints[at.LOADED] = b, b + 1, 1
                code = call_part(run, n, wide, own, scalar, record, bucket, outcome, STRETCH)
                if code != at.REACHED and code != at.BUDGET:
                    return code
            resident.steps[b] += 1
        worst = max(worst, _save_block(n, m, bucket, outcome, resident, b))
    return worst


@inlined
def _block(memory: Memory, b: int) -> Memory:
    return Memory(
        memory.vectors, memory.links[b], memory.turns, memory.per_arm[b], memory.keys[b],
        memory.tableau, memory.floats[b], memory.ints[b],
    )  # fmt: skip


@inlined
def _block_control(control: ControlMemory, b: int) -> ControlMemory:
    return ControlMemory(
        control.q[b], control.qd[b], control.reference[b], control.params[b], control.state[b],
        control.tau[b], control.reference_table[b if len(control.reference_table) > 1 else 0],
    )  # fmt: skip


@inlined
def _restore_block(n: int, m: Memory, bucket: Bucket, resident: ResidentState, b: int) -> None:
    """Restore the state of a block, and set the torques of its active members."""
    width, place = m.per_arm.shape[1], m.ints[at.TABLES + at.ROWS]
    vectors, states = lanes(m.vectors), lanes(resident.states[b])
    for k in range(len(PERSISTENT)):
        for i in range(n):
            vectors[PERSISTENT[k], i] = states[k, i]
    if m.ints[at.MOTORS] != 0:
        for k in range(len(DRIVEN)):
            for i in range(n):
                vectors[DRIVEN[k], i] = states[len(PERSISTENT) + k, i]
    for w in range(min(width, len(bucket.members) - b * width)):
        member = bucket.members[b * width + w]
        active = m.links[n, at.ACTIVE, w] != 0.0
        for i in range(n):
            m.per_arm[place + i, w] = resident.torque[member, i] if active else 0.0


@inlined
def _save_block(
    n: int, m: Memory, bucket: Bucket, outcome: Outcome, resident: ResidentState, b: int
) -> int:
    """Save the state of a block and of its members; return COARSE, or REACHED."""
    width, worst = m.per_arm.shape[1], at.REACHED
    vectors, states = lanes(m.vectors), lanes(resident.states[b])
    for k in range(len(PERSISTENT)):
        for i in range(n):
            states[k, i] = vectors[PERSISTENT[k], i]
    if m.ints[at.MOTORS] != 0:
        for k in range(len(DRIVEN)):
            for i in range(n):
                states[len(PERSISTENT) + k, i] = vectors[DRIVEN[k], i]
    for w in range(min(width, len(bucket.members) - b * width)):
        member = bucket.members[b * width + w]
        active, code = m.links[n, at.ACTIVE, w] != 0.0, outcome.codes[member]
        for i in range(n):
            resident.q[member, i] = m.vectors[at.STATE, i, w] if active else math.nan
            resident.qd[member, i] = m.vectors[at.STATE + 1, i, w] if active else math.nan
        if active:
            outcome.t_end[member] = m.floats[at.TARGET]
            worst = max(worst, code)
        if code != at.STOPPED:
            resident.codes[member] = resident.results[code]
    return worst


@kernel
def load_rows(
    n: int,
    memory: Memory,
    control: ControlMemory,
    bucket: Bucket,
    resident: ResidentState,
    rows: Array,
    fit: Array,
) -> None:
    """Load arms, by their rows in the bucket, into their lanes as they start.

    Where one is not `fit` for it, its lane is left idle.
    """
    width = memory.per_arm.shape[2]
    for k in range(len(rows)):
        b, w = rows[k] // width, rows[k] % width
        m = _in_lanes(_block(memory, b))
        wide = _control_in_lanes(_block_control(control, b), m.vectors)
        if memory.links[b, n, at.ACTIVE, w] == 0.0:
            m.ints[at.RETIRED] -= 1
        idle_lane(n, m, w)  # clears what the previous arm left
        if fit[k] != 0:
            m.ints[at.RETIRED] -= 1
            _load(n, m, wide, bucket, rows[k], w)
        for row in range(len(PERSISTENT)):
            for i in range(n):
                resident.states[b, row, i, w] = memory.vectors[PERSISTENT[row], i, w]
        if m.ints[at.MOTORS] != 0:
            for k in range(len(DRIVEN)):
                for i in range(n):
                    resident.states[b, len(PERSISTENT) + k, i, w] = memory.vectors[DRIVEN[k], i, w]


@inlined
def _load(size: int, m: Memory, control: ControlMemory, bucket: Bucket, row: int, w: int) -> None:
    n, links = size, numbers(m.links)
    tau, state = numbers(control.tau), numbers(control.state)
    for i in range(n):
        links[i, at.LAST_HIT, w] = -math.inf
        tau[i, w] = 0.0
    for k in range(len(state)):
        state[k, w] = 0.0
    load_arm(size, m, control, bucket, row, w)
    _fill_past(n, m, w)


@inlined
def _fill_past(n: int, m: Memory, w: int) -> None:
    """Fill the samples of sensors with the initial state."""
    vectors, per_arm = numbers(m.vectors), numbers(m.per_arm)
    for k in range(m.ints[at.SAMPLE_ROOM] if m.ints[at.PERFECT] == 0 else 1):
        for part in range(2):
            for i in range(n):
                place = m.ints[at.PAST] + (k * 2 + part) * n + i
                per_arm[place, w] = vectors[at.STATE + part, i, w]
                if m.floats[at.RATE_SHARE] != 0.0:
                    source = m.ints[at.SENSOR] + 3 * i
                    bias, step = per_arm[source, w], per_arm[source + 2, w]
                    value = vectors[at.STATE, i, w] + bias
                    value = step * math.floor(value / step + 0.5) if step > 0.0 else value
                    per_arm[place, w] = value if part == 0 else 0.0
