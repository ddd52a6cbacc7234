"""Blocks of arms in lanes: their memory, and the threads that run them on all cores.

Kernels release the global interpreter lock, and every thread has scratch memory of its own. The
calling thread takes part, and does all where there is little work. A call into the engine lasts a
few hundredths of a second at most, after which Python can raise a KeyboardInterrupt. The arms of a
`ResidentBucket` stay in their lanes between steps, each block in memory of its own.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ulna.arrays import Array
from ulna.concurrency import Team, cores
from ulna.dynamics.packed import LENGTH, LOWER, MASS, SECOND, TURNS, UPPER
from ulna.errors import InputError, Problem
from ulna.scenario.references import TickRange
from ulna.simulation.batch.buckets import NEVER, Prepared
from ulna.simulation.batch.spec import LaneKind
from ulna.simulation.batch.statuses import TO_RUN
from ulna.simulation.core import next_budget
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import (
    Bucket,
    ControlMemory,
    Memory,
    Outcome,
    Record,
    layers_of,
    new_record,
    new_vectors,
    zeros_of_lanes,
)

UNUSED, NO_KEYS = np.zeros((1, 1)), np.zeros(1, dtype=np.int64)
MOST_KEPT = 64  # joints of arms whose scratch memory is kept for the next call
FIRST_BUDGET = 2000  # steps of a block of arms with one link


def block_memory(kind: LaneKind, bucket: Bucket, *blocks: int) -> Memory:
    """Allocate memory for a block of arms, or for several with a leading axis of blocks.

    `vectors` and `turns` are scratch memory, for one block in any case.
    """
    n, (number, width, tableau) = bucket.start.shape[2], kind
    return Memory(
        vectors=zeros_of_lanes((at.VECTORS * layers_of(bucket), n + 1, width), number),
        links=zeros_of_lanes((*blocks, n + 1, at.COLUMNS, width), number),
        turns=zeros_of_lanes((TURNS, n + 1, width), number),
        per_arm=zeros_of_lanes((*blocks, len(bucket.per_arm), width), number),
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
        reference_table=prepared.spec.reference_table,
    )


def single_memory(kind: LaneKind, bucket: Bucket, times: Array) -> tuple[Memory, Record]:
    """Allocate memory for an arm that takes a step by itself, and for its samples."""
    n, floats, ints = bucket.start.shape[2], bucket.floats.copy(), bucket.ints.copy()
    if not ints[at.WATCHING]:  # no arm will
        scalar = Memory(UNUSED, UNUSED, UNUSED, UNUSED[0], NO_KEYS, kind.tableau, floats, ints)
        return scalar, Record(UNUSED, UNUSED)
    scalar = Memory(
        vectors=new_vectors(n, driven=layers_of(bucket) > 1),
        links=np.zeros((n + 1, at.COLUMNS)),
        turns=np.zeros((TURNS, n + 1)),
        per_arm=np.zeros(len(bucket.per_arm)),
        keys=np.zeros(1, dtype=np.int64),
        tableau=kind.tableau,
        floats=floats,
        ints=ints,
    )
    return scalar, new_record(times, n)


_addresses: dict[Any, int] = {}


def address_for(kind: LaneKind, n: int, *works_on: Any) -> int:
    """Return the address of the kernel that runs blocks of arms of n joints."""
    place = kind.number, n
    if place not in _addresses:
        from ulna.simulation.engine.parts import address_of_run

        _addresses[place] = address_of_run(n, *works_on)
    return _addresses[place]


def _repeated(values: Array, blocks: tuple[int, ...]) -> Array:
    return np.tile(values, (*blocks, 1)) if blocks else values.copy()


_spare: deque[tuple[Any, Memory, ControlMemory]] = deque(maxlen=16)


class BlockScratch:
    """The scratch memory of one thread, in which it runs blocks of a bucket one after the other."""

    def __init__(self, kind: LaneKind, prepared: Prepared, outcome: Outcome) -> None:
        from ulna.simulation.engine.block import run_by_address
        from ulna.simulation.engine.parts import connect_block

        self._run_by_address = run_by_address
        self.kind, self.prepared, self.outcome = kind, prepared, outcome
        self.n = prepared.bucket.start.shape[2]
        self.memory, self.control = self._take_memory()
        self.scalar, self.record = single_memory(kind, prepared.bucket, outcome.times)
        works_on = (
            self.memory, self.control, self.scalar, self.record, prepared.bucket, outcome,
        )  # fmt: skip
        connect_block(self.n, *works_on)
        self._run_blocks = address_for(kind, self.n, *works_on)
        self.budget = max(FIRST_BUDGET // self.n, 1)

    def _take_memory(self) -> tuple[Memory, ControlMemory]:
        """Return that of an earlier call if it fits, or allocate it; loading a block clears it."""
        kind, prepared = self.kind, self.prepared
        bucket = prepared.bucket
        lengths = len(bucket.per_arm), len(bucket.floats), len(bucket.ints)
        sizes = kind.number, self.n, *lengths, layers_of(bucket)
        # Controllers have memory of their own, and references that take much of it.
        self._sizes = sizes if prepared.law is None and self.n <= MOST_KEPT else None
        with suppress(IndexError):
            kept, memory, control = _spare.pop()
            if kept == self._sizes:
                fits = memory.tableau is kind.tableau
                return memory if fits else memory._replace(tableau=kind.tableau), control
        return block_memory(kind, bucket), block_control(kind, prepared)

    def give_back(self) -> None:
        """Leave the memory to another call, once all blocks are done."""
        if self._sizes is not None:
            _spare.append((self._sizes, self.memory, self.control))

    def begin(self, first: int, last: int) -> None:
        """Set the blocks that the next calls run: first to last − 1."""
        ints = self.memory.ints
        ints[at.BLOCK], ints[at.LAST_BLOCK], ints[at.LOADED] = first, last, 0

    def extend_references(self) -> None:
        """Compute the next references of the arms of the present block."""
        floats, ints, width = self.memory.floats, self.memory.ints, self.kind.width
        first = int(ints[at.BLOCK]) * width
        asked = TickRange(int(ints[at.TICK]), float(floats[at.PERIOD]), float(floats[at.TARGET]))
        members = self.prepared.members[first : first + width]
        rows = self.prepared.spec.references.rows(members, width, asked)
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


PART = 2  # of what is left over that a thread takes at a time, were all to take as much
LEAST_SHARED = 2e-4  # [s] of work that is worth waking a thread for
LEAST_PIECE = 5e-5  # [s] of work that is worth taking apart from other work


class BlockRange(NamedTuple):
    """Blocks first to last − 1 of a bucket."""

    prepared: Prepared
    first: int
    last: int


class ThreadPool:
    """Threads that run the blocks of buckets until all is done, or an interrupt or error."""

    def __init__(self, kind: LaneKind, threads: int | None) -> None:
        self.kind, self._most = kind, threads
        self.done = 0.0  # arms
        self._lock = threading.Lock()

    def work(
        self,
        buckets: list[Prepared],
        outcome: Outcome,
        report: Callable[[float], None],
        cost: float,
    ) -> None:
        """Run all arms, at an estimated `cost` [s] in one thread; `report` gets the arms done.

        An exception of any thread is raised once all of them have ended.
        """
        worthwhile = int(cost / LEAST_SHARED)
        threads = 1 if worthwhile < 2 else min(self._most or cores(), worthwhile)
        pieces = deque(self._cut(buckets, threads, LEAST_PIECE / cost))
        helpers = min(threads, len(pieces)) - 1

        def look() -> None:
            report(self.done)

        with Team(look) as team:
            self._serve(team, pieces, outcome, look, helpers)

    def blocks_of(self, prepared: Prepared) -> int:
        """Return how many blocks the arms of a bucket fill."""
        return -(-len(prepared.bucket.members) // self.kind.width)

    def _cut(self, buckets: list[Prepared], threads: int, least: float) -> Iterator[BlockRange]:
        """Cut work into pieces, smaller and smaller, so that no thread waits long for the last.

        None is less than the part `least` of all, if it need not be; one thread takes all at once.
        """
        left = sum(self.blocks_of(one) for one in buckets)
        fewest = max(math.ceil(min(least, 1.0) * left), 1)
        for one in buckets:
            first, blocks = 0, self.blocks_of(one)
            while first < blocks:
                share = left if threads == 1 else max(left // (PART * threads), fewest)
                last = min(first + share, blocks)
                yield BlockRange(one, first, last)
                left -= last - first
                first = last

    def _serve(
        self,
        team: Team,
        pieces: deque[BlockRange],
        outcome: Outcome,
        look: Callable[[], None],
        helpers: int = 0,
    ) -> None:
        """Run ranges of blocks until none is left; submit helpers once all is compiled."""
        scratch: BlockScratch | None = None
        while pieces and not team.stopped:
            try:
                piece = pieces.popleft()
            except IndexError:  # another thread took it
                return
            if scratch is None or scratch.prepared is not piece.prepared:
                if scratch is not None:
                    scratch.give_back()
                scratch = BlockScratch(self.kind, piece.prepared, outcome)
            scratch.begin(piece.first, piece.last)
            if helpers:
                scratch.call(1)
                team.call(helpers, lambda: self._serve(team, pieces, outcome, lambda: None))
                helpers = 0
            self._run(team, scratch, piece, look)
        if scratch is not None and not team.stopped:
            scratch.give_back()

    def _run(
        self, team: Team, scratch: BlockScratch, piece: BlockRange, look: Callable[[], None]
    ) -> None:
        """Run blocks to their end, or until the team is stopped."""
        noted = float(piece.first)
        arms = len(piece.prepared.members) / self.blocks_of(piece.prepared)  # in a block
        code = at.BUDGET
        try:
            while code != at.REACHED and not team.stopped:
                code = self._call_engine(scratch)
                with self._lock:
                    self.done += arms * (scratch.reached - noted)
                noted = scratch.reached
                look()
        finally:
            scratch.leave_off()

    def _call_engine(self, scratch: BlockScratch) -> int:
        start = time.perf_counter()
        code = scratch.call(scratch.budget)
        if code == at.BUDGET:
            scratch.budget = next_budget(scratch.budget, time.perf_counter() - start)
        elif code == at.REFERENCE:
            scratch.extend_references()
        return code


# Ticks of trajectories that are computed in advance: of one for all arms, and of one for each.
AHEAD, AHEAD_EACH = 1024, 64
MOST_TICKS = 2**20  # in a step, where a trajectory is followed
# What of a block is an address in this process, and means nothing in another.
ADDRESSES = [at.LAW_CALL, at.SCALAR_CALL, *range(at.PARTS, at.INTS)]


# Of one thread: the memory of all blocks with `vectors` and `turns` of its own, and that of an arm
# that takes a step by itself, with its samples.
ResidentScratch: TypeAlias = tuple[Memory, Memory, Record]


class ResidentBucket:
    """Blocks of arms that advance together; `known` are arrays of the whole batch, by member."""

    def __init__(
        self,
        kind: LaneKind,
        prepared: Prepared,
        outcome: Outcome,
        known: tuple[Array, Array, Array, Array, Array],
    ) -> None:
        from ulna.simulation.engine import block as kernels
        from ulna.simulation.engine.parts import connect_block
        from ulna.simulation.engine.scalar_fallback import DRIVEN, PERSISTENT

        self.bucket, self.members = prepared.bucket, prepared.members
        self.n, self.blocks = self.bucket.start.shape[2], -(-len(self.members) // kind.width)
        self._kind, self._references, self._outcome = kind, prepared.spec.references, outcome
        self._kernels = kernels
        one = block_memory(kind, self.bucket), block_control(kind, prepared)
        scalar = single_memory(kind, self.bucket, outcome.times)
        connect_block(self.n, *one, *scalar, self.bucket, outcome)
        self._run_blocks = address_for(kind, self.n, *one, *scalar, self.bucket, outcome)
        self._memory = self._new_memory()
        control = block_control(kind, prepared, self.blocks)
        self._control = control._replace(reference_table=np.zeros((1, 0, 3, self.n, 1)))
        rows = len(PERSISTENT) + len(DRIVEN) * (layers_of(self.bucket) > 1)
        states = np.zeros((self.blocks, rows, self.n + 1, kind.width), kind.number)
        taken = np.zeros(self.blocks, dtype=np.int64)
        self._state = kernels.ResidentState(*known, states=states, steps=taken)
        self._covered = 0  # the tick up to which references are known
        self._scratch: deque[ResidentScratch] = deque()

    def _new_memory(self) -> Memory:
        """Allocate blocks that hold no arm yet: every lane is idle."""
        memory, n = block_memory(self._kind, self.bucket, self.blocks), self.n
        for column in (LENGTH, MASS, SECOND):
            memory.links[:, :n, column] = 1.0
        memory.links[:, :n, LOWER], memory.links[:, :n, UPPER] = -math.inf, math.inf
        memory.ints[:, at.LOADED], memory.ints[:, at.RETIRED] = 1, self._kind.width
        return memory

    def _take_scratch(self) -> ResidentScratch:
        try:
            return self._scratch.pop()
        except IndexError:
            room = [np.zeros_like(one) for one in (self._memory.vectors, self._memory.turns)]
            memory = self._memory._replace(vectors=room[0], turns=room[1])
            scalar, record = single_memory(self._kind, self.bucket, self._outcome.times)
            parts = at.SCALAR_PARTS - at.PARTS
            scalar.ints[at.PARTS : at.SCALAR_PARTS] = self.bucket.ints[at.SCALAR_PARTS :][:parts]
            return memory, scalar, record

    def load(self, rows: Array, fit: Array) -> None:
        """Load arms, by their rows, into their lanes as they start; those not fit stay out."""
        scratch = self._take_scratch()
        self._kernels.load_rows(
            self.n, scratch[0], self._control, self.bucket, self._state, rows, fit
        )
        self._scratch.append(scratch)

    def run(self, first: int, last: int, step: int) -> int:
        """Advance blocks first to last − 1 to the end of a step; any thread may call it."""
        scratch = self._take_scratch()
        with np.errstate(all="ignore"):
            code = self._kernels.advance_blocks(
                self._run_blocks, self.n, scratch[0], self._control, *scratch[1:], self.bucket,
                self._outcome, self._state, first, last, step,
            )  # fmt: skip
        self._scratch.append(scratch)
        return int(code)

    def follow(self, step: int) -> None:
        """Compute the references up to the end of a step, unless they are set-points."""
        ints, floats = self._memory.ints, self._memory.floats
        if not ints[0, at.CONTROLLED] or ints[0, at.SETPOINT]:
            return
        period, end = float(floats[0, at.PERIOD]), step * float(floats[0, at.DT])
        needed = math.floor(end / period * (1.0 + 1e-9)) + 1
        if needed <= self._covered:
            return
        first = int(ints[0, at.TICK])
        if needed - first > MOST_TICKS:
            got = f"{needed - first:,} ticks of a controller in a step"
            raise InputError(Problem("dt", got, f"at most {MOST_TICKS:,}", "try a shorter dt"))
        # Functions of users are not called in advance.
        ahead = AHEAD if self._references.count == 1 else AHEAD_EACH
        ahead *= all(motion is not None for motion in self._references.motions)
        ticks = self._ticks(first, max(needed, first + ahead), period)
        self._control = self._control._replace(reference_table=ticks)
        ints[:, at.FIRST_REFERENCE] = first
        self._covered = first + ticks.shape[1]

    def _ticks(self, first: int, last: int, period: float) -> Array:
        """Return references, (1, ticks, 3, n, 1) or (blocks, ticks, 3, n, width)."""
        width, references = self._kind.width, self._references
        found = []
        for b in range(1 if references.count == 1 else self.blocks):
            members, tick = self.members[b * width : (b + 1) * width], first
            parts: list[Array] = []
            while tick < last:
                parts.append(
                    references.rows(members, width, TickRange(tick, period, last * period))
                )
                tick += len(parts[-1])
            found.append(np.concatenate(parts))
        return np.stack(found)

    def state(self) -> list[Array]:
        """Return all that changes with time, as copies."""
        return [one.copy() for one in self._changing()]

    def restore(self, state: list[Array]) -> None:
        """Restore the state of a bucket of the same arms, also from another process."""
        addresses = self._memory.ints[:, ADDRESSES].copy()
        for own, kept in zip(self._changing(), state, strict=True):
            own[...] = kept
        self._memory.ints[:, ADDRESSES] = addresses
        self._covered = 0
        self._memory.ints[:, at.FIRST_REFERENCE] = NEVER

    def _changing(self) -> list[Array]:
        m, control, bucket, state = self._memory, self._control, self.bucket, self._state
        memory = [m.links, m.per_arm, m.keys, m.floats, m.ints, state.states, state.steps]
        return [*memory, *control[:-1], bucket.start, bucket.postures]
