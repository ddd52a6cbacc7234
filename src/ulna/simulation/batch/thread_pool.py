"""A pool of threads that run the blocks of a batch in the engine, on all cores.

Kernels release the global interpreter lock, and every thread has scratch memory of its own. The
calling thread takes part, and does all where there is little work. A call into the engine lasts a
few hundredths of a second at most, so that Ctrl-C is noticed soon.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from typing import NamedTuple

from ulna.interrupts import held, listening
from ulna.simulation.batch.buckets import Prepared
from ulna.simulation.batch.scratch import BlockScratch, LaneKind
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.bucket import Outcome
from ulna.simulation.options import SimulationOptions
from ulna.simulation.steps import WORK
from ulna.workers import WorkerTask, cores, submit

CHUNK = 0.025  # [s] of work in one call
MOST_BUDGET = 10**9  # steps
PART = 2  # of what is left over that a thread takes at a time, were all to take as much
PATIENCE = 2.0  # [s] to wait for threads after Ctrl-C: a function of a user's may never return
LISTEN = 0.05  # [s] between two checks for Ctrl-C
LEAST_SHARED = 2e-4  # [s] of work that is worth waking a thread for
LEAST_PIECE = 5e-5  # [s] of work that is worth taking apart from other work
AT_ONCE = 8.0  # arms in lanes that take as long as one by itself


def cost_of(options: SimulationOptions, n: int, members: int, *, controlled: bool) -> float:
    """Estimate how long a step of dt of all arms takes in one thread [s]."""
    ticks = max(options.dt * options.rate, 1.0) if controlled else 1.0
    return WORK[options.method] * n * max(members / AT_ONCE, 1.0) * ticks


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
        self._halted = False
        self._lock = threading.Lock()
        self._errors: list[BaseException] = []
        self._helpers: list[WorkerTask] = []

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
        self._halted = False
        worthwhile = int(cost / LEAST_SHARED)
        threads = 1 if worthwhile < 2 else min(self._most or cores(), worthwhile)
        pieces = deque(self._cut(buckets, threads, LEAST_PIECE / cost))
        helpers = min(threads, len(pieces)) - 1
        try:
            # Python's own locks are not safe from an asynchronous exception.
            with held() if helpers else nullcontext(listening()) as interrupt:

                def look() -> None:
                    interrupt.poll()
                    report(self.done)

                self._serve(pieces, outcome, look, helpers)
                for helper in self._helpers:
                    while not helper.is_done.wait(LISTEN):
                        look()
        finally:
            self._halted = True
            end = time.monotonic() + PATIENCE
            for helper in self._helpers:
                helper.is_done.wait(max(end - time.monotonic(), 0.0))
        if self._errors:
            raise self._errors[0]

    @property
    def is_at_work(self) -> bool:
        """Whether a thread may still write to the outcome, as one that never returned."""
        return any(not helper.is_done.is_set() for helper in self._helpers)

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

    def _help(self, pieces: deque[BlockRange], outcome: Outcome) -> None:
        try:
            self._serve(pieces, outcome, lambda: None)
        except BaseException as error:  # raised in the calling thread
            self._errors.append(error)
            self._halted = True

    def _serve(
        self,
        pieces: deque[BlockRange],
        outcome: Outcome,
        look: Callable[[], None],
        helpers: int = 0,
    ) -> None:
        """Run ranges of blocks until none is left; submit helpers once all is compiled."""
        scratch: BlockScratch | None = None
        while pieces and not self._halted:
            try:
                piece = pieces.popleft()
            except IndexError:  # another thread took it
                return
            if scratch is None or scratch.prepared is not piece.prepared:
                scratch = BlockScratch(self.kind, piece.prepared, outcome)
            scratch.begin(piece.first, piece.last)
            if helpers:
                scratch.call(1)
                self._call(helpers, partial(self._help, pieces, outcome))
                helpers = 0
            self._run(scratch, piece, look)

    def _call(self, helpers: int, work: Callable[[], None]) -> None:
        for _ in range(helpers):
            task = submit(work)
            if task is None:
                return
            self._helpers.append(task)

    def _run(self, scratch: BlockScratch, piece: BlockRange, look: Callable[[], None]) -> None:
        """Run blocks to their end, or until the pool is halted."""
        noted = float(piece.first)
        arms = len(piece.prepared.members) / self.blocks_of(piece.prepared)  # in a block
        code = at.BUDGET
        try:
            while code != at.REACHED and not self._halted:
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
            factor = min(max(CHUNK / max(time.perf_counter() - start, 1e-6), 0.25), 8.0)
            scratch.budget = int(min(max(scratch.budget * factor, 1), MOST_BUDGET))
        elif code == at.REFERENCE:
            # Functions of users may take long, and may be interrupted.
            with listening().allowed():
                scratch.extend_references()
        return code
