"""The memory in which one thread works on the arms of one lot, block by block."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.dynamics.packed import TURNS
from ulna.simulation.batch.lots import Prepared
from ulna.simulation.batch.members import TO_RUN
from ulna.simulation.engine import places as at
from ulna.simulation.engine.lots import Lot, Outcome
from ulna.simulation.engine.memory import Control, Memory, Record, new_record, new_vectors
from ulna.simulation.reference import Asked

TABLE, WHOLE = np.zeros((1, 1)), np.zeros(1, dtype=np.int64)  # that nobody reads
FIRST_BUDGET = 2000  # steps of a block of arms with one link


class Kind(NamedTuple):
    """What the lanes of a batch are made of."""

    number: Any  # their type
    width: int  # how many there are
    tableau: Any  # of the method


def block_memory(kind: Kind, lot: Lot, *blocks: int) -> Memory:
    """Make memory for a block of arms, or for so many of them with an axis before the others.

    `vectors` and `turns`, to work in, are for one block in any case.
    """
    n, (number, width, tableau) = lot.start.shape[2], kind
    return Memory(
        vectors=np.zeros((at.VECTORS, n + 1, width), dtype=number),
        links=np.zeros((*blocks, n + 1, at.COLUMNS, width), dtype=number),
        turns=np.zeros((TURNS, n + 1, width), dtype=number),
        each=np.zeros((*blocks, lot.each.shape[1], width), dtype=number),
        keys=np.zeros((*blocks, width), dtype=np.int64),
        tableau=tableau,
        real=_repeated(lot.real, blocks),
        whole=_repeated(lot.whole, blocks),
    )


def block_control(kind: Kind, prepared: Prepared, *blocks: int) -> Control:
    """Make room for the controllers of a block, or of so many; what they follow is one's."""
    lot, law, width = prepared.lot, prepared.law, kind.width
    n, room = lot.start.shape[2], 0 if law is None else law.room
    return Control(
        q=np.zeros((*blocks, n, width)),
        qd=np.zeros((*blocks, n, width)),
        aim=np.zeros((*blocks, 3, n, width)),
        params=np.zeros((*blocks, lot.params.shape[1], width)),
        state=np.zeros((*blocks, lot.state.shape[1] + room, width)),
        tau=np.zeros((*blocks, n, width)),
        references=prepared.references,
    )


def single_memory(kind: Kind, lot: Lot, times: Array) -> tuple[Memory, Record]:
    """Make the memory for an arm that takes a step by itself, and for its samples at times."""
    n, real, whole = lot.start.shape[2], lot.real.copy(), lot.whole.copy()
    if not whole[at.STOPS]:  # and so no arm will
        alone = Memory(TABLE, TABLE, TABLE, TABLE[0], WHOLE, kind.tableau, real, whole)
        return alone, Record(TABLE, TABLE)
    alone = Memory(
        vectors=new_vectors(n),
        links=np.zeros((n + 1, at.COLUMNS)),
        turns=np.zeros((TURNS, n + 1)),
        each=np.zeros(lot.each.shape[1]),
        keys=np.zeros(1, dtype=np.int64),
        tableau=kind.tableau,
        real=real,
        whole=whole,
    )
    return alone, new_record(times, n)


_addresses: dict[Any, int] = {}


def address_of_run(kind: Kind, *works_on: Any) -> int:
    """Return the address of what runs blocks of such numbers, whoever the arms are."""
    if kind.number not in _addresses:
        from ulna.simulation.engine.blocks import address_for

        _addresses[kind.number] = address_for(*works_on)
    return _addresses[kind.number]


def _repeated(values: Array, blocks: tuple[int, ...]) -> Array:
    return np.tile(values, (*blocks, 1)) if blocks else values.copy()


class Bench:
    """Blocks of a lot, one after the other, in memory of their own."""

    def __init__(self, kind: Kind, prepared: Prepared, outcome: Outcome) -> None:
        from ulna.simulation.engine.blocks import run_by_address
        from ulna.simulation.engine.parts import connect_block

        self._run_by_address = run_by_address
        self.kind, self.prepared, self.outcome = kind, prepared, outcome
        self.n = prepared.lot.start.shape[2]
        self.memory = block_memory(kind, prepared.lot)
        self.control = block_control(kind, prepared)
        self.alone, self.record = single_memory(kind, prepared.lot, outcome.times)
        works_on = (
            self.memory, self.control, self.alone, self.record, prepared.lot, outcome,
        )  # fmt: skip
        connect_block(self.n, *works_on)
        self._run_blocks = address_of_run(kind, *works_on)
        self.budget = max(FIRST_BUDGET // self.n, 1)

    def begin(self, first: int, last: int) -> None:
        """Make the next calls go from one block to before another."""
        whole = self.memory.whole
        whole[at.BLOCK], whole[at.LAST_BLOCK], whole[at.LOADED] = first, last, 0

    def extend_references(self) -> None:
        """Work out what the arms of the present block are to follow next."""
        real, whole, width = self.memory.real, self.memory.whole, self.kind.width
        first = int(whole[at.BLOCK]) * width
        asked = Asked(int(whole[at.TICK]), float(real[at.PERIOD]), float(real[at.TARGET]))
        rows = self.prepared.aims.rows(self.prepared.members[first : first + width], width, asked)
        self.control = self.control._replace(references=rows)
        whole[at.FIRST_REFERENCE] = whole[at.TICK]

    def call(self, budget: int) -> int:
        """Take so many steps; return REACHED after the last block, or what is needed first."""
        with np.errstate(all="ignore"):
            return int(
                self._run_by_address(
                    self._run_blocks, self.n, self.memory, self.control, self.alone, self.record,
                    self.prepared.lot, self.outcome, budget,
                )
            )  # fmt: skip

    @property
    def reached(self) -> float:
        """How many blocks are done, with the part of the present one."""
        real, whole = self.memory.real, self.memory.whole
        part = real[at.NOW] / max(real[at.TARGET], 1e-300) if whole[at.LOADED] else 0.0
        return float(whole[at.BLOCK]) + float(part)

    def leave_off(self) -> None:
        """Note how far the arms of the present block have come."""
        if not self.memory.whole[at.LOADED]:
            return
        width, outcome = self.kind.width, self.outcome
        first = int(self.memory.whole[at.BLOCK]) * width
        own = self.prepared.lot.members[first : first + width]
        own = own[outcome.codes[own] == TO_RUN]
        outcome.codes[own], outcome.t_end[own] = at.BUDGET, self.memory.real[at.NOW]
