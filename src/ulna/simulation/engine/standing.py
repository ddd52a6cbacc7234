"""Blocks of arms that stand in their lanes between steps, and go on when they are asked to.

What a block keeps is a slice of arrays with an axis of blocks before the others, so that nothing is
loaded anew for a step. The steps themselves are those of `block.py`, called by address: the same
code, and so the same bits, whether arms go on step by step or all the way at once.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ulna.arrays import Array
from ulna.kernels import inlined, kernel
from ulna.lanes import lanes, lanes_beside, numbers
from ulna.simulation.engine import places as at
from ulna.simulation.engine.aside import KEPT
from ulna.simulation.engine.hooks import call_part
from ulna.simulation.engine.loading import lay_arm
from ulna.simulation.engine.losing import lay_still
from ulna.simulation.engine.lots import Lot, Outcome
from ulna.simulation.engine.memory import Control, Memory, Record
from ulna.simulation.engine.times import slack

STRETCH = 1000  # steps of one call into a block


class Standing(NamedTuple):
    """Where arms are and what acts on them, by member; and what their blocks keep of them."""

    q: Array  # (B, n)
    qd: Array
    torque: Array
    codes: Array  # (B,) how they stand, as results count it
    results: Array  # what results call the engine's codes
    states: Array  # (blocks, rows that pass from step to step, n+1, width)
    steps: Array  # (blocks,) of dt that were taken


@kernel
def advance_blocks(
    run: int,
    n: int,
    memory: Memory,
    control: Control,
    alone: Memory,
    record: Record,
    lot: Lot,
    outcome: Outcome,
    standing: Standing,
    first: int,
    last: int,
    step: int,
) -> int:
    """Take blocks, from one to before another, to the end of a step; return REACHED, or COARSE.

    Steps count from the start of all. COARSE says that they are too long for an arm. The `vectors`
    and `turns` of the memory are for one block, and for any; `run` is the address of `run_blocks`.
    """
    worst = at.REACHED
    for b in range(first, last):
        m = Memory(
            memory.vectors, memory.links[b], memory.turns, memory.each[b], memory.keys[b],
            memory.tableau, memory.real[b], memory.whole[b],
        )  # fmt: skip
        own = Control(
            control.q[b], control.qd[b], control.aim[b], control.params[b], control.state[b],
            control.tau[b], control.references[b if len(control.references) > 1 else 0],
        )  # fmt: skip
        _take_up(n, m, lot, standing, b)
        while standing.steps[b] < step:
            # A product: a sum of steps would drift away from what tables of torques count by.
            m.real[at.TARGET] = (standing.steps[b] + 1) * m.real[at.DT]
            # A block all of whose arms are lost comes back early, and has to keep the time.
            while m.real[at.NOW] < m.real[at.TARGET] - slack(m.real[at.NOW]):
                m.whole[at.BLOCK], m.whole[at.LAST_BLOCK], m.whole[at.LOADED] = b, b + 1, 1
                code = call_part(run, n, m, own, alone, record, lot, outcome, STRETCH)
                if code != at.REACHED and code != at.BUDGET:
                    return code
            standing.steps[b] += 1
        worst = max(worst, _put_down(n, m, lot, outcome, standing, b))
    return worst


@inlined
def _take_up(n: int, m: Memory, lot: Lot, standing: Standing, b: int) -> None:
    """Go on from the state of a block, under the torques of its members; the lost have none."""
    width, place = m.each.shape[1], m.whole[at.TABLES + at.ROWS]
    vectors, states = lanes(m.vectors), lanes(standing.states[b])
    for k in range(len(KEPT)):
        for i in range(n):
            vectors[KEPT[k], i] = states[k, i]
    for w in range(min(width, len(lot.members) - b * width)):
        member = lot.members[b * width + w]
        alive = m.links[n, at.ALIVE, w] != 0.0
        for i in range(n):
            m.each[place + i, w] = standing.torque[member, i] if alive else 0.0


@inlined
def _put_down(n: int, m: Memory, lot: Lot, outcome: Outcome, standing: Standing, b: int) -> int:
    """Keep the state of a block and say where its members are; return COARSE, or REACHED."""
    width, worst = m.each.shape[1], at.REACHED
    vectors, states = lanes(m.vectors), lanes(standing.states[b])
    for k in range(len(KEPT)):
        for i in range(n):
            states[k, i] = vectors[KEPT[k], i]
    for w in range(min(width, len(lot.members) - b * width)):
        member = lot.members[b * width + w]
        alive, code = m.links[n, at.ALIVE, w] != 0.0, outcome.codes[member]
        for i in range(n):
            standing.q[member, i] = m.vectors[at.STATE, i, w] if alive else math.nan
            standing.qd[member, i] = m.vectors[at.STATE + 1, i, w] if alive else math.nan
        if alive:
            outcome.t_end[member] = m.real[at.TARGET]
            worst = max(worst, code)
        if code != at.STOPPED:
            standing.codes[member] = standing.results[code]
    return worst


@kernel
def lay_rows(
    n: int,
    memory: Memory,
    control: Control,
    lot: Lot,
    standing: Standing,
    rows: Array,
    fit: Array,
) -> None:
    """Put arms, by their rows in the lot, into their lanes as they start.

    Where one is not `fit` for it, its lane is left still.
    """
    width = memory.each.shape[2]
    vectors, turns = lanes(memory.vectors), lanes(memory.turns)
    for k in range(len(rows)):
        b, w = rows[k] // width, rows[k] % width
        m = Memory(
            vectors, lanes(memory.links[b]), turns, lanes(memory.each[b]), memory.keys[b],
            memory.tableau, memory.real[b], memory.whole[b],
        )  # fmt: skip
        wide = Control(
            lanes_beside(control.q[b], vectors), lanes_beside(control.qd[b], vectors),
            lanes_beside(control.aim[b], vectors), lanes_beside(control.params[b], vectors),
            lanes_beside(control.state[b], vectors), lanes_beside(control.tau[b], vectors),
            control.references[0],
        )  # fmt: skip
        if memory.links[b, n, at.ALIVE, w] == 0.0:
            m.whole[at.LOST] -= 1
        lay_still(n, m, w)  # so that nothing is left of who was there before
        if fit[k] != 0:
            m.whole[at.LOST] -= 1
            _lay(n, m, wide, lot, rows[k], w)
        for row in range(len(KEPT)):
            for i in range(n):
                standing.states[b, row, i, w] = memory.vectors[KEPT[row], i, w]


@inlined
def _lay(size: int, m: Memory, control: Control, lot: Lot, row: int, w: int) -> None:
    n, links, tau, state = (
        size,
        numbers(m.links),
        numbers(control.tau),
        numbers(control.state),
    )
    for i in range(n):
        links[i, at.LAST_HIT, w] = -math.inf
        tau[i, w] = 0.0
    for k in range(len(state)):
        state[k, w] = 0.0
    lay_arm(size, m, control, lot, row, w)
    _fill_past(n, m, w)


@inlined
def _fill_past(n: int, m: Memory, w: int) -> None:
    """Let sensors that are late show the arm as it starts until they have seen it."""
    vectors, each = numbers(m.vectors), numbers(m.each)
    for k in range(m.whole[at.DELAY] + 1):
        for part in range(2):
            for i in range(n):
                place = m.whole[at.PAST] + (k * 2 + part) * n + i
                each[place, w] = vectors[at.STATE + part, i, w]
