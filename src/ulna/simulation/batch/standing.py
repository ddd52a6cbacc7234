"""The arms of a lot that stay in their lanes between steps, each block in memory of its own."""

from __future__ import annotations

import math
from collections import deque
from typing import NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.dynamics.packed import LENGTH, LOWER, MASS, SECOND, UPPER
from ulna.errors import InputError, Problem
from ulna.simulation.batch.bench import (
    Kind,
    address_of_run,
    block_control,
    block_memory,
    single_memory,
)
from ulna.simulation.batch.lots import NEVER, Prepared
from ulna.simulation.engine import places as at
from ulna.simulation.engine.lots import Outcome
from ulna.simulation.engine.memory import Memory, Record
from ulna.simulation.reference import Asked

# Ticks of motions that are worked out ahead of need: of one for all arms, and of one for each.
AHEAD, AHEAD_EACH = 1024, 64
MOST_TICKS = 2**20  # in a step, where a motion is followed
# What of a block is an address in this process, and means nothing in another.
ADDRESSES = [at.LAW_CALL, at.ALONE_CALL, *range(at.PARTS, at.WHOLES)]


class Scratch(NamedTuple):
    """What a thread works in."""

    memory: Memory  # of all blocks, with room to work in of its own
    alone: Memory  # for an arm that takes a step by itself
    record: Record


class StandingLot:
    """Blocks of arms that go on together; `known` are the arrays by members of all of the batch."""

    def __init__(
        self,
        kind: Kind,
        prepared: Prepared,
        outcome: Outcome,
        known: tuple[Array, Array, Array, Array, Array],
    ) -> None:
        from ulna.simulation.engine import standing
        from ulna.simulation.engine.aside import KEPT
        from ulna.simulation.engine.parts import connect_block

        self.lot, self.members = prepared.lot, prepared.members
        self.n, self.blocks = self.lot.start.shape[2], -(-len(self.members) // kind.width)
        self._kind, self._aims, self._outcome = kind, prepared.aims, outcome
        self._kernels = standing
        one = block_memory(kind, self.lot), block_control(kind, prepared)
        alone = single_memory(kind, self.lot, outcome.times)
        connect_block(self.n, *one, *alone, self.lot, outcome)
        self._run_blocks = address_of_run(kind, *one, *alone, self.lot, outcome)
        self._memory = self._new_memory()
        control = block_control(kind, prepared, self.blocks)
        self._control = control._replace(references=np.zeros((1, 0, 3, self.n, 1)))
        states = np.zeros((self.blocks, len(KEPT), self.n + 1, kind.width), kind.number)
        taken = np.zeros(self.blocks, dtype=np.int64)
        self._standing = standing.Standing(*known, states=states, steps=taken)
        self._covered = 0  # the tick up to which what is followed is known
        self._scratch: deque[Scratch] = deque()

    def _new_memory(self) -> Memory:
        """Make memory of blocks in which no arm is yet, and every lane lies still."""
        memory, n = block_memory(self._kind, self.lot, self.blocks), self.n
        for column in (LENGTH, MASS, SECOND):
            memory.links[:, :n, column] = 1.0
        memory.links[:, :n, LOWER], memory.links[:, :n, UPPER] = -math.inf, math.inf
        memory.whole[:, at.LOADED], memory.whole[:, at.LOST] = 1, self._kind.width
        return memory

    def _take_scratch(self) -> Scratch:
        try:
            return self._scratch.pop()
        except IndexError:
            room = [np.zeros_like(one) for one in (self._memory.vectors, self._memory.turns)]
            memory = self._memory._replace(vectors=room[0], turns=room[1])
            alone, record = single_memory(self._kind, self.lot, self._outcome.times)
            parts = at.ALONE_PARTS - at.PARTS
            alone.whole[at.PARTS : at.ALONE_PARTS] = self.lot.whole[at.ALONE_PARTS :][:parts]
            return Scratch(memory, alone, record)

    def lay(self, rows: Array, fit: Array) -> None:
        """Put arms, by their rows, into their lanes as they start; those not fit are left out."""
        scratch = self._take_scratch()
        self._kernels.lay_rows(
            self.n, scratch.memory, self._control, self.lot, self._standing, rows, fit
        )
        self._scratch.append(scratch)

    def run(self, first: int, last: int, step: int) -> int:
        """Take blocks, from one to before another, to the end of a step; any thread may."""
        scratch = self._take_scratch()
        with np.errstate(all="ignore"):
            code = self._kernels.advance_blocks(
                self._run_blocks, self.n, scratch.memory, self._control, scratch.alone,
                scratch.record, self.lot, self._outcome, self._standing, first, last, step,
            )  # fmt: skip
        self._scratch.append(scratch)
        return int(code)

    def follow(self, step: int) -> None:
        """Work out what is to be followed until the end of a step, if it moves."""
        whole, real = self._memory.whole, self._memory.real
        if not whole[0, at.CONTROLLED] or whole[0, at.AIM_STILL]:
            return
        period, end = float(real[0, at.PERIOD]), step * float(real[0, at.DT])
        needed = math.floor(end / period * (1.0 + 1e-9)) + 1
        if needed <= self._covered:
            return
        first = int(whole[0, at.TICK])
        if needed - first > MOST_TICKS:
            got = f"{needed - first:,} ticks of a controller in a step"
            raise InputError(Problem("dt", got, f"at most {MOST_TICKS:,}", "try a shorter dt"))
        ticks = self._ticks(first, max(needed, first + self._ahead()), period)
        self._control = self._control._replace(references=ticks)
        whole[:, at.FIRST_REFERENCE] = first
        self._covered = first + ticks.shape[1]

    def _ahead(self) -> int:
        """Return how many ticks to work out ahead of need: functions may not bear to be asked."""
        if any(motion is None for motion in self._aims.motions):
            return 0
        return AHEAD if self._aims.count == 1 else AHEAD_EACH

    def _ticks(self, first: int, last: int, period: float) -> Array:
        """Return what is to be followed, (1, ticks, 3, n, 1) or (blocks, ticks, 3, n, width)."""
        width, aims = self._kind.width, self._aims
        found = []
        for b in range(1 if aims.count == 1 else self.blocks):
            members, tick = self.members[b * width : (b + 1) * width], first
            parts: list[Array] = []
            while tick < last:
                parts.append(aims.rows(members, width, Asked(tick, period, last * period)))
                tick += len(parts[-1])
            found.append(np.concatenate(parts))
        return np.stack(found)

    def state(self) -> list[Array]:
        """Return all that changes with time, as copies."""
        return [one.copy() for one in self._changing()]

    def restore(self, state: list[Array]) -> None:
        """Take over the state of a lot of the same arms, also from another process."""
        addresses = self._memory.whole[:, ADDRESSES].copy()
        for own, kept in zip(self._changing(), state, strict=True):
            own[...] = kept
        self._memory.whole[:, ADDRESSES] = addresses
        self._covered = 0
        self._memory.whole[:, at.FIRST_REFERENCE] = NEVER

    def _changing(self) -> list[Array]:
        m, control, lot, standing = self._memory, self._control, self.lot, self._standing
        memory = [m.links, m.each, m.keys, m.real, m.whole, standing.states, standing.steps]
        return [*memory, *control[:-1], lot.start, lot.postures]
