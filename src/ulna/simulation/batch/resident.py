"""Buckets whose arms stay in their lanes between steps, each block in memory of its own."""

from __future__ import annotations

import math
from collections import deque
from typing import NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.dynamics.packed import LENGTH, LOWER, MASS, SECOND, UPPER
from ulna.errors import InputError, Problem
from ulna.simulation.batch.buckets import NEVER, Prepared
from ulna.simulation.batch.thread_pool import (
    LaneKind,
    address_of_run,
    block_control,
    block_memory,
    single_memory,
)
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.bucket import Outcome
from ulna.simulation.engine.memory import Memory, Record
from ulna.simulation.ticks import TickRange

# Ticks of trajectories that are computed in advance: of one for all arms, and of one for each.
AHEAD, AHEAD_EACH = 1024, 64
MOST_TICKS = 2**20  # in a step, where a trajectory is followed
# What of a block is an address in this process, and means nothing in another.
ADDRESSES = [at.LAW_CALL, at.SCALAR_CALL, *range(at.PARTS, at.INTS)]


class ResidentScratch(NamedTuple):
    """The scratch memory of one thread."""

    memory: Memory  # of all blocks, with `vectors` and `turns` of its own
    scalar: Memory  # for an arm that takes a step by itself
    record: Record


class ResidentBucket:
    """Blocks of arms that advance together; `known` are arrays of the whole batch, by member."""

    def __init__(
        self,
        kind: LaneKind,
        prepared: Prepared,
        outcome: Outcome,
        known: tuple[Array, Array, Array, Array, Array],
    ) -> None:
        from ulna.simulation.engine import resident_blocks
        from ulna.simulation.engine.parts import connect_block
        from ulna.simulation.engine.stop_fallback import PERSISTENT

        self.bucket, self.members = prepared.bucket, prepared.members
        self.n, self.blocks = self.bucket.start.shape[2], -(-len(self.members) // kind.width)
        self._kind, self._references, self._outcome = kind, prepared.spec.references, outcome
        self._kernels = resident_blocks
        one = block_memory(kind, self.bucket), block_control(kind, prepared)
        scalar = single_memory(kind, self.bucket, outcome.times)
        connect_block(self.n, *one, *scalar, self.bucket, outcome)
        self._run_blocks = address_of_run(kind, *one, *scalar, self.bucket, outcome)
        self._memory = self._new_memory()
        control = block_control(kind, prepared, self.blocks)
        self._control = control._replace(reference_table=np.zeros((1, 0, 3, self.n, 1)))
        states = np.zeros((self.blocks, len(PERSISTENT), self.n + 1, kind.width), kind.number)
        taken = np.zeros(self.blocks, dtype=np.int64)
        self._state = resident_blocks.ResidentState(*known, states=states, steps=taken)
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
            return ResidentScratch(memory, scalar, record)

    def load(self, rows: Array, fit: Array) -> None:
        """Load arms, by their rows, into their lanes as they start; those not fit stay out."""
        scratch = self._take_scratch()
        self._kernels.load_rows(
            self.n, scratch.memory, self._control, self.bucket, self._state, rows, fit
        )
        self._scratch.append(scratch)

    def run(self, first: int, last: int, step: int) -> int:
        """Advance blocks first to last − 1 to the end of a step; any thread may call it."""
        scratch = self._take_scratch()
        with np.errstate(all="ignore"):
            code = self._kernels.advance_blocks(
                self._run_blocks, self.n, scratch.memory, self._control, scratch.scalar,
                scratch.record, self.bucket, self._outcome, self._state, first, last, step,
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
        ticks = self._ticks(first, max(needed, first + self._ahead()), period)
        self._control = self._control._replace(reference_table=ticks)
        ints[:, at.FIRST_REFERENCE] = first
        self._covered = first + ticks.shape[1]

    def _ahead(self) -> int:
        """Return how many ticks to compute in advance: none of a function of a user's."""
        if any(motion is None for motion in self._references.motions):
            return 0
        return AHEAD if self._references.count == 1 else AHEAD_EACH

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
