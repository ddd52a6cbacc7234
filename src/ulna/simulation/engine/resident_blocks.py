"""Resident blocks: arms that stay in their lanes between calls.

The memory of a block is a slice of arrays with a leading axis of blocks, so that nothing is loaded
anew for a step. The steps themselves are those of `block.py`, called by address: the same code, and
so the same bits, whether arms advance step by step or all the way at once.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ulna.arrays import Array
from ulna.kernels import inlined, kernel
from ulna.lanes import lanes, lanes_like, numbers
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.bucket import Bucket, Outcome
from ulna.simulation.engine.hooks import call_part
from ulna.simulation.engine.load_lanes import load_arm
from ulna.simulation.engine.memory import ControlMemory, Memory, Record
from ulna.simulation.engine.retire import idle_lane
from ulna.simulation.engine.stop_fallback import PERSISTENT
from ulna.simulation.engine.times import slack

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
        m = Memory(
            memory.vectors, memory.links[b], memory.turns, memory.per_arm[b], memory.keys[b],
            memory.tableau, memory.floats[b], memory.ints[b],
        )  # fmt: skip
        own = ControlMemory(
            control.q[b], control.qd[b], control.reference[b], control.params[b], control.state[b],
            control.tau[b], control.reference_table[b if len(control.reference_table) > 1 else 0],
        )  # fmt: skip
        _restore_block(n, m, bucket, resident, b)
        while resident.steps[b] < step:
            # A product: a sum of steps would drift away from the times of tables of torques.
            m.floats[at.TARGET] = (resident.steps[b] + 1) * m.floats[at.DT]
            # A block all of whose arms are retired returns early, and has to keep the time.
            while m.floats[at.NOW] < m.floats[at.TARGET] - slack(m.floats[at.NOW]):
                m.ints[at.BLOCK], m.ints[at.LAST_BLOCK], m.ints[at.LOADED] = b, b + 1, 1
                code = call_part(run, n, m, own, scalar, record, bucket, outcome, STRETCH)
                if code != at.REACHED and code != at.BUDGET:
                    return code
            resident.steps[b] += 1
        worst = max(worst, _save_block(n, m, bucket, outcome, resident, b))
    return worst


@inlined
def _restore_block(n: int, m: Memory, bucket: Bucket, resident: ResidentState, b: int) -> None:
    """Restore the state of a block, and set the torques of its active members."""
    width, place = m.per_arm.shape[1], m.ints[at.TABLES + at.ROWS]
    vectors, states = lanes(m.vectors), lanes(resident.states[b])
    for k in range(len(PERSISTENT)):
        for i in range(n):
            vectors[PERSISTENT[k], i] = states[k, i]
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
    vectors, turns = lanes(memory.vectors), lanes(memory.turns)
    for k in range(len(rows)):
        b, w = rows[k] // width, rows[k] % width
        m = Memory(
            vectors, lanes(memory.links[b]), turns, lanes(memory.per_arm[b]), memory.keys[b],
            memory.tableau, memory.floats[b], memory.ints[b],
        )  # fmt: skip
        wide = ControlMemory(
            lanes_like(control.q[b], vectors), lanes_like(control.qd[b], vectors),
            lanes_like(control.reference[b], vectors), lanes_like(control.params[b], vectors),
            lanes_like(control.state[b], vectors), lanes_like(control.tau[b], vectors),
            control.reference_table[0],
        )  # fmt: skip
        if memory.links[b, n, at.ACTIVE, w] == 0.0:
            m.ints[at.RETIRED] -= 1
        idle_lane(n, m, w)  # clears what the previous arm left
        if fit[k] != 0:
            m.ints[at.RETIRED] -= 1
            _load(n, m, wide, bucket, rows[k], w)
        for row in range(len(PERSISTENT)):
            for i in range(n):
                resident.states[b, row, i, w] = memory.vectors[PERSISTENT[row], i, w]


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
    """Fill the delayed measurements with the initial state."""
    vectors, per_arm = numbers(m.vectors), numbers(m.per_arm)
    for k in range(m.ints[at.DELAY] + 1):
        for part in range(2):
            for i in range(n):
                place = m.ints[at.PAST] + (k * 2 + part) * n + i
                per_arm[place, w] = vectors[at.STATE + part, i, w]
