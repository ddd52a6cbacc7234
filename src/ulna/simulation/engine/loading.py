"""How arms come into the lanes of a block."""

from __future__ import annotations

import math

from ulna.arrays import Array
from ulna.dynamics import packed as link
from ulna.kernels import inlined, inner
from ulna.lanes import numbers
from ulna.simulation.engine import places as at
from ulna.simulation.engine.losing import lay_still
from ulna.simulation.engine.lots import Lot, Outcome
from ulna.simulation.engine.memory import Control, Memory


@inner
def load(size: int, m: Memory, control: Control, alone: Memory, lot: Lot, outcome: Outcome) -> None:
    """Put the arms of the block that is due into its lanes; what is left over stays still."""
    block, last = m.whole[at.BLOCK], m.whole[at.LAST_BLOCK]
    _begin(m, lot)
    _begin(alone, lot)
    for k in range(at.ALONE_PARTS - at.PARTS):
        alone.whole[at.PARTS + k] = lot.whole[at.ALONE_PARTS + k]
    _clear(size, m, control)
    m.whole[at.BLOCK], m.whole[at.LAST_BLOCK], m.whole[at.LOADED] = block, last, 1
    width, shared = numbers(m.each).shape[1], len(lot.arms) == 1
    if shared:
        _lay_shared(size, m, lot)
    for w in range(width):
        row = block * width + w
        if row < len(lot.members) and outcome.codes[lot.members[row]] < 0:
            if not shared:
                _lay_constants(size, m, lot, lot.members[row], w)
            _lay_own(size, m, control, lot, row, w)
        else:
            lay_still(size, m, w)


@inlined
def _begin(m: Memory, lot: Lot) -> None:
    """Set time and counters to the start."""
    for k in range(len(lot.real)):
        m.real[k] = lot.real[k]
    for k in range(len(lot.whole)):
        m.whole[k] = lot.whole[k]


@inlined
def _clear(size: int, m: Memory, control: Control) -> None:
    """Leave nothing of the arms that were there before."""
    for i in range(size + 1):
        for row in range(len(m.vectors)):
            m.vectors[row, i] = 0.0
        for column in range(at.COLUMNS):
            m.links[i, column] = 0.0
    for i in range(size):
        m.links[i, at.LAST_HIT] = -math.inf
    _wipe(m.each)
    _wipe(control.params)
    _wipe(control.state)
    _wipe(control.tau)


@inlined
def _wipe(values: Array) -> None:
    for k in range(len(values)):
        values[k] = 0.0


@inner
def lay_arm(size: int, m: Memory, control: Control, lot: Lot, row: int, w: int) -> None:
    """Put an arm into a lane."""
    _lay_constants(size, m, lot, lot.members[row], w)
    _lay_own(size, m, control, lot, row, w)


@inlined
def _lay_shared(size: int, m: Memory, lot: Lot) -> None:
    """Put the constants of the one arm that serves all into all lanes at once."""
    for i in range(size + 1):
        for column in range(link.CONSTANTS):
            m.links[i, column] = lot.arms[0, i, column]


@inner
def _lay_constants(size: int, m: Memory, lot: Lot, b: int, w: int) -> None:
    """Put an arm's constants into a lane."""
    links, arm = numbers(m.links), shared_or_own(lot.arms, b)
    for i in range(size + 1):
        for column in range(link.CONSTANTS):
            links[i, column, w] = lot.arms[arm, i, column]


@inner
def _lay_own(size: int, m: Memory, control: Control, lot: Lot, row: int, w: int) -> None:
    """Put what an arm has besides its constants into a lane."""
    n, b = size, lot.members[row]
    vectors, links = numbers(m.vectors), numbers(m.links)
    limit = shared_or_own(lot.limits, b)
    for i in range(n):
        links[i, at.LIMIT, w] = lot.limits[limit, i]
        vectors[at.STATE, i, w] = lot.start[0, b, i]
        vectors[at.STATE + 1, i, w] = lot.start[1, b, i]
    links[n, at.ALIVE, w] = 1.0
    m.keys[w] = lot.keys[b]
    _lay_row(lot.each, row, m.each, w)
    _lay_row(lot.params, row, control.params, w)
    _lay_row(lot.state, row, control.state, w)
    if m.whole[at.AIM_STILL] != 0:
        aim = numbers(control.aim)
        for i in range(n):
            aim[0, i, w] = lot.postures[shared_or_own(lot.postures, row), i]


@inlined
def shared_or_own(rows: Array, k: int) -> int:
    """Return which row is an arm's: its own, or the one that serves all."""
    return k if len(rows) > 1 else 0


@inlined
def _lay_row(rows: Array, row: int, target: Array, w: int) -> None:
    values, source = numbers(target), shared_or_own(rows, row)
    for k in range(rows.shape[1]):
        values[k, w] = rows[source, k]
