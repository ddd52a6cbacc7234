"""Steps that an arm of a block takes by itself, because it is at a stop or might reach one.

The engine for single arms takes it from the start of the step to its end, with all that happens at
the stop in between; then it is back in its lane.
"""

from __future__ import annotations

from typing import Any

from ulna.dynamics import packed as link
from ulna.kernels import inlined, inner
from ulna.lanes import both, choose, either, numbers, some
from ulna.simulation.engine import places as at
from ulna.simulation.engine.alone import call_step
from ulna.simulation.engine.losing import lose
from ulna.simulation.engine.lots import Lot, Outcome
from ulna.simulation.engine.memory import Memory, Record
from ulna.simulation.engine.watch import TOUCH

KEPT = (at.STATE, at.STATE + 1, at.CARRY, at.CARRY + 1)  # rows that pass from step to step


@inner
def set_apart(
    size: int,
    m: Memory,
    alone: Memory,
    record: Record,
    lot: Lot,
    outcome: Outcome,
    h: float,
) -> None:
    """Let arms near their stops take the step by themselves; it ends in AHEAD as all do."""
    n = size
    links = numbers(m.links)
    alive = m.links[n, at.ALIVE] != 0.0
    apart = both(alive, _is_near(size, m, h))
    m.links[n, at.APART] = choose(apart, 1.0, 0.0)
    if not some(apart):
        return
    for w in range(links.shape[2]):
        if links[n, at.APART, w] == 0.0:
            continue
        _take_out(size, m, alone, w)
        opened = 1 if m.whole[at.STEP_INDEX] == 0 else 0
        code = call_step(m.whole[at.ALONE_CALL], n, alone, record, opened)
        _keep_samples(size, m, alone, record, lot, outcome, w)
        if code == at.BUDGET:
            _put_back(size, m, alone, w)
        else:
            lose(size, m, lot, outcome, w, code, h)


@inlined
def touches(size: int, m: Memory) -> Any:
    """Say which arms are at a stop when the step begins."""
    v, links = m.vectors, m.links
    at_one = links[0, link.STUCK] != 0.0
    for i in range(size):
        q = v[at.STATE, i]
        gap = _least(links[i, link.UPPER] - q, q - links[i, link.LOWER])
        at_one = either(at_one, either(gap <= TOUCH, links[i, link.STUCK] != 0.0))
    return at_one


@inlined
def _is_near(size: int, m: Memory, h: float) -> Any:
    """Say which arms rest at a stop, pass one in the step, or may have turned round beyond it."""
    v, links = m.vectors, m.links
    near = touches(size, m)
    for i in range(size):
        lower, upper = links[i, link.LOWER], links[i, link.UPPER]
        gap = _least(upper - v[at.STATE, i], v[at.STATE, i] - lower)
        end = _least(upper - v[at.AHEAD, i], v[at.AHEAD, i] - lower)
        first, last = v[at.STATE + 1, i], v[at.AHEAD + 1, i]
        fastest = choose(abs(first) > abs(last), abs(first), abs(last))
        turned = both(first * last < 0.0, _least(gap, end) <= h * fastest)
        near = either(near, either(turned, end <= TOUCH))
    return near


@inlined
def _least(one: Any, other: Any) -> Any:
    return choose(one < other, one, other)


@inner
def _take_out(size: int, m: Memory, alone: Memory, w: int) -> None:
    """Copy an arm from its lane to the memory of a single one."""
    n, stuck = size, 0
    vectors, links, each = numbers(m.vectors), numbers(m.links), numbers(m.each)
    for i in range(n + 1):
        for row in KEPT:
            alone.vectors[row, i] = vectors[row, i, w]
        for column in range(at.COLUMNS):
            alone.links[i, column] = links[i, column, w]
        stuck += int(i < n and alone.links[i, link.STUCK] != 0.0)
    for k in range(len(each)):
        alone.each[k] = each[k, w]
    alone.whole[at.COUPLED] = m.whole[at.COUPLED] + stuck
    for place in (at.NOW, at.HOLD_START):
        alone.real[place] = m.real[place]
    alone.real[at.PLAN_START] = m.real[at.NOW]
    alone.real[at.STOP] = alone.real[at.TARGET] = m.real[at.STEP_END]
    alone.whole[at.STEP_INDEX], alone.whole[at.STEP_COUNT], alone.whole[at.OPEN] = 0, 1, 1
    alone.whole[at.FRESH], alone.whole[at.SAMPLE] = 0, m.whole[at.SAMPLE]
    alone.whole[at.IDLE] = 0


@inner
def _keep_samples(
    size: int,
    m: Memory,
    alone: Memory,
    record: Record,
    lot: Lot,
    outcome: Outcome,
    w: int,
) -> None:
    """Take over the samples of the arm that lay in the step."""
    n = size
    b = lot.members[m.whole[at.BLOCK] * numbers(m.links).shape[2] + w]
    for row in range(m.whole[at.SAMPLE], alone.whole[at.SAMPLE]):
        for i in range(n):
            outcome.q[b, row, i] = record.samples[row, 1 + i]
            outcome.qd[b, row, i] = record.samples[row, 2 + n + i]
            if len(outcome.tau) > 0:
                outcome.tau[b, row, i] = record.samples[row, 3 + 3 * n + i]


@inner
def _put_back(size: int, m: Memory, alone: Memory, w: int) -> None:
    """Copy the arm back into its lane, as it is at the end of the step."""
    vectors, links = numbers(m.vectors), numbers(m.links)
    for i in range(size):
        for part in range(2):
            vectors[at.AHEAD + part, i, w] = alone.vectors[at.STATE + part, i]
            vectors[at.CARRY + part, i, w] = alone.vectors[at.CARRY + part, i]
        links[i, link.STUCK, w] = alone.links[i, link.STUCK]
        links[i, at.LAST_HIT, w] = alone.links[i, at.LAST_HIT]
