"""Scratch memory: what one thread needs to simulate the arms of a bucket, block by block."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.dynamics.packed import TURNS
from ulna.simulation.batch.buckets import Prepared
from ulna.simulation.batch.members import TO_RUN
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.bucket import Bucket, Outcome
from ulna.simulation.engine.memory import ControlMemory, Memory, Record, new_record, new_vectors
from ulna.simulation.reference import TickRange

TABLE, INTS = np.zeros((1, 1)), np.zeros(1, dtype=np.int64)  # that nobody reads
FIRST_BUDGET = 2000  # steps of a block of arms with one link


class LaneKind(NamedTuple):
    """The number type and width of lanes, and the method's coefficients."""

    number: Any  # their type
    width: int  # how many there are
    tableau: Any  # of the method


def block_memory(kind: LaneKind, bucket: Bucket, *blocks: int) -> Memory:
    """Allocate memory for a block of arms, or for several with a leading axis of blocks.

    `vectors` and `turns` are scratch memory, for one block in any case.
    """
    n, (number, width, tableau) = bucket.start.shape[2], kind
    return Memory(
        vectors=np.zeros((at.VECTORS, n + 1, width), dtype=number),
        links=np.zeros((*blocks, n + 1, at.COLUMNS, width), dtype=number),
        turns=np.zeros((TURNS, n + 1, width), dtype=number),
        per_arm=np.zeros((*blocks, bucket.per_arm.shape[1], width), dtype=number),
        keys=np.zeros((*blocks, width), dtype=np.int64),
        tableau=tableau,
        floats=_repeated(bucket.floats, blocks),
        ints=_repeated(bucket.ints, blocks),
    )


def block_control(kind: LaneKind, prepared: Prepared, *blocks: int) -> ControlMemory:
    """Allocate the controllers of a block, or of several; the reference table is shared."""
    bucket, law, width = prepared.bucket, prepared.law, kind.width
    n, room = bucket.start.shape[2], 0 if law is None else law.scratch_rows
    return ControlMemory(
        q=np.zeros((*blocks, n, width)),
        qd=np.zeros((*blocks, n, width)),
        reference=np.zeros((*blocks, 3, n, width)),
        params=np.zeros((*blocks, bucket.params.shape[1], width)),
        state=np.zeros((*blocks, bucket.state.shape[1] + room, width)),
        tau=np.zeros((*blocks, n, width)),
        reference_table=prepared.reference_table,
    )


def single_memory(kind: LaneKind, bucket: Bucket, times: Array) -> tuple[Memory, Record]:
    """Allocate memory for an arm that takes a step by itself, and for its samples."""
    n, floats, ints = bucket.start.shape[2], bucket.floats.copy(), bucket.ints.copy()
    if not ints[at.STOPS]:  # and so no arm will
        scalar = Memory(TABLE, TABLE, TABLE, TABLE[0], INTS, kind.tableau, floats, ints)
        return scalar, Record(TABLE, TABLE)
    scalar = Memory(
        vectors=new_vectors(n),
        links=np.zeros((n + 1, at.COLUMNS)),
        turns=np.zeros((TURNS, n + 1)),
        per_arm=np.zeros(bucket.per_arm.shape[1]),
        keys=np.zeros(1, dtype=np.int64),
        tableau=kind.tableau,
        floats=floats,
        ints=ints,
    )
    return scalar, new_record(times, n)


_addresses: dict[Any, int] = {}


def address_of_run(kind: LaneKind, *works_on: Any) -> int:
    """Return the address of the kernel that runs blocks of lanes of this kind."""
    if kind.number not in _addresses:
        from ulna.simulation.engine.block_entry import address_for

        _addresses[kind.number] = address_for(*works_on)
    return _addresses[kind.number]


def _repeated(values: Array, blocks: tuple[int, ...]) -> Array:
    return np.tile(values, (*blocks, 1)) if blocks else values.copy()


class BlockScratch:
    """The scratch memory of one thread, in which it runs blocks of a bucket one after the other."""

    def __init__(self, kind: LaneKind, prepared: Prepared, outcome: Outcome) -> None:
        from ulna.simulation.engine.block_entry import run_by_address
        from ulna.simulation.engine.parts import connect_block

        self._run_by_address = run_by_address
        self.kind, self.prepared, self.outcome = kind, prepared, outcome
        self.n = prepared.bucket.start.shape[2]
        self.memory = block_memory(kind, prepared.bucket)
        self.control = block_control(kind, prepared)
        self.scalar, self.record = single_memory(kind, prepared.bucket, outcome.times)
        works_on = (
            self.memory, self.control, self.scalar, self.record, prepared.bucket, outcome,
        )  # fmt: skip
        connect_block(self.n, *works_on)
        self._run_blocks = address_of_run(kind, *works_on)
        self.budget = max(FIRST_BUDGET // self.n, 1)

    def begin(self, first: int, last: int) -> None:
        """Set the blocks that the next calls run: first to last − 1."""
        ints = self.memory.ints
        ints[at.BLOCK], ints[at.LAST_BLOCK], ints[at.LOADED] = first, last, 0

    def extend_references(self) -> None:
        """Compute the next references of the arms of the present block."""
        floats, ints, width = self.memory.floats, self.memory.ints, self.kind.width
        first = int(ints[at.BLOCK]) * width
        asked = TickRange(int(ints[at.TICK]), float(floats[at.PERIOD]), float(floats[at.TARGET]))
        rows = self.prepared.references.rows(
            self.prepared.members[first : first + width], width, asked
        )
        self.control = self.control._replace(reference_table=rows)
        ints[at.FIRST_REFERENCE] = ints[at.TICK]

    def call(self, budget: int) -> int:
        """Take up to `budget` steps; return REACHED after the last block, or what is needed."""
        with np.errstate(all="ignore"):
            return int(
                self._run_by_address(
                    self._run_blocks, self.n, self.memory, self.control, self.scalar, self.record,
                    self.prepared.bucket, self.outcome, budget,
                )
            )  # fmt: skip

    @property
    def reached(self) -> float:
        """How many blocks are done, with the part of the present one."""
        floats, ints = self.memory.floats, self.memory.ints
        part = floats[at.NOW] / max(floats[at.TARGET], 1e-300) if ints[at.LOADED] else 0.0
        return float(ints[at.BLOCK]) + float(part)

    def leave_off(self) -> None:
        """Record how far the arms of the present block have come."""
        if not self.memory.ints[at.LOADED]:
            return
        width, outcome = self.kind.width, self.outcome
        first = int(self.memory.ints[at.BLOCK]) * width
        own = self.prepared.bucket.members[first : first + width]
        own = own[outcome.codes[own] == TO_RUN]
        outcome.codes[own], outcome.t_end[own] = at.BUDGET, self.memory.floats[at.NOW]
