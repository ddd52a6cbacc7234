"""The memory in which one thread works on the arms of one lot, block by block."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ulna.dynamics.packed import TURNS
from ulna.simulation.batch.lots import Prepared
from ulna.simulation.batch.members import TO_RUN
from ulna.simulation.engine import places as at
from ulna.simulation.engine.lots import Outcome
from ulna.simulation.engine.memory import Control, Memory, Record, new_record, new_vectors
from ulna.simulation.reference import Asked

FIRST_BUDGET = 2000  # steps of a block of arms with one link


class Kind(NamedTuple):
    """What the lanes of a batch are made of."""

    number: Any  # their type
    width: int  # how many there are
    tableau: Any  # of the method


class Bench:
    """Blocks of a lot, one after the other, in memory of their own."""

    def __init__(self, kind: Kind, prepared: Prepared, outcome: Outcome) -> None:
        from ulna.simulation.engine.block import run_blocks
        from ulna.simulation.engine.parts import connect_block

        self._run_blocks = run_blocks
        self.kind, self.prepared, self.outcome = kind, prepared, outcome
        self.n = prepared.lot.start.shape[2]
        self.memory, self.control = self._memory(), self._control()
        self.alone, self.record = self._for_one()
        connect_block(
            self.n, self.memory, self.control, self.alone, self.record, prepared.lot, outcome
        )
        self.budget = max(FIRST_BUDGET // self.n, 1)

    def _memory(self) -> Memory:
        lot, n, (number, width, tableau) = self.prepared.lot, self.n, self.kind
        return Memory(
            vectors=np.zeros((at.VECTORS, n + 1, width), dtype=number),
            links=np.zeros((n + 1, at.COLUMNS, width), dtype=number),
            turns=np.zeros((TURNS, n + 1, width), dtype=number),
            each=np.zeros((lot.each.shape[1], width), dtype=number),
            keys=np.zeros(width, dtype=np.int64),
            tableau=tableau,
            real=lot.real.copy(),
            whole=lot.whole.copy(),
        )

    def _for_one(self) -> tuple[Memory, Record]:
        """Give the memory for an arm that takes a step by itself."""
        lot, n = self.prepared.lot, self.n
        alone = self.memory._replace(
            vectors=new_vectors(n),
            links=np.zeros((n + 1, at.COLUMNS)),
            turns=np.zeros((TURNS, n + 1)),
            each=np.zeros(lot.each.shape[1]),
            keys=np.zeros(1, dtype=np.int64),
            real=lot.real.copy(),
            whole=lot.whole.copy(),
        )
        times = self.outcome.times if lot.whole[at.STOPS] else np.zeros(0)
        return alone, new_record(times, n)

    def _control(self) -> Control:
        lot, n, width, law = self.prepared.lot, self.n, self.kind.width, self.prepared.law
        room = 0 if law is None else law.room
        return Control(
            q=np.zeros((n, width)),
            qd=np.zeros((n, width)),
            aim=np.zeros((3, n, width)),
            params=np.zeros((lot.params.shape[1], width)),
            state=np.zeros((lot.state.shape[1] + room, width)),
            tau=np.zeros((n, width)),
            references=self.prepared.references,
        )

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
        """Take so many steps; gives REACHED after the last block, or what is needed first."""
        with np.errstate(all="ignore"):
            return int(
                self._run_blocks(
                    self.n, self.memory, self.control, self.alone, self.record,
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
