"""All cores at work: threads that take blocks of arms through the engine until none is left.

Kernels hold no lock, and every thread has memory of its own to work in. A call into the engine
lasts a few hundredths of a second at most, so that there is always somebody to listen to Ctrl-C.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from ulna.interrupts import held
from ulna.simulation.batch.bench import Bench, Kind
from ulna.simulation.batch.lots import Prepared
from ulna.simulation.engine import places as at
from ulna.simulation.engine.lots import Outcome

CHUNK = 0.025  # [s] of work in one call
MOST_BUDGET = 10**9  # steps
SHARES = 8  # pieces of work for every thread, so that none waits long for the last
LISTEN = 0.05  # [s] between two looks at the world


class Piece(NamedTuple):
    """Blocks of a lot, from one to before another."""

    prepared: Prepared
    first: int
    last: int


class Hand(threading.Thread):
    """A thread that says when it is done.

    Waiting for that is safe from Ctrl-C. Joining a thread is not: Python before 3.13 takes one
    that still runs for done once a wait for it was interrupted.
    """

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self._work = work
        self.is_done = threading.Event()

    def run(self) -> None:
        """Do the work."""
        try:
            self._work()
        finally:
            self.is_done.set()

    @property
    def is_at_work(self) -> bool:
        """Whether it has begun and is not done."""
        return self.ident is not None and not self.is_done.is_set()


class Crew:
    """Threads that work on lots until all is done, or somebody calls halt."""

    def __init__(self, kind: Kind, threads: int) -> None:
        self.kind, self.threads = kind, threads
        self.done = 0.0  # arms
        self._halted = False
        self._lock = threading.Lock()
        self._errors: list[BaseException] = []
        self._hands: list[Hand] = []

    def work(self, lots: list[Prepared], outcome: Outcome, report: Callable[[float], None]) -> None:
        """Run all arms; `report` is told how many are done."""
        pieces = self._cut(lots)
        # Whatever has to be compiled is, before there is more than one thread to wait for it.
        Bench(self.kind, lots[0], outcome).call(1)
        queue = iter(pieces)
        hands = [
            Hand(partial(self._serve, queue, outcome))
            for _ in range(min(self.threads, len(pieces)))
        ]
        self._hands = hands
        try:
            # Python's own locks are not safe from an exception that comes at any moment.
            with held() as interrupt:
                for hand in hands:
                    hand.start()
                for hand in hands:
                    while not hand.is_done.wait(LISTEN):
                        interrupt.poll()
                        report(self.done)
        finally:
            self._halted = True
            for hand in hands:
                if hand.is_at_work:
                    hand.is_done.wait()
        if self._errors:
            raise self._errors[0]

    @property
    def is_at_work(self) -> bool:
        """Whether a thread may still write to the outcome, as after a second Ctrl-C."""
        return any(hand.is_at_work for hand in self._hands)

    def blocks_of(self, prepared: Prepared) -> int:
        """Give how many blocks the arms of a lot fill."""
        return -(-len(prepared.lot.members) // self.kind.width)

    def _cut(self, lots: list[Prepared]) -> list[Piece]:
        self._halted = False
        total = sum(self.blocks_of(one) for one in lots)
        share = max(total // (self.threads * SHARES), 1)
        return [
            Piece(one, first, min(first + share, self.blocks_of(one)))
            for one in lots
            for first in range(0, self.blocks_of(one), share)
        ]

    def _serve(self, queue: Iterator[Piece], outcome: Outcome) -> None:
        """Take one piece of work after the other, in a thread of its own."""
        bench: Bench | None = None
        try:
            while not self._halted:
                with self._lock:
                    piece = next(queue, None)
                if piece is None:
                    return
                if bench is None or bench.prepared is not piece.prepared:
                    bench = Bench(self.kind, piece.prepared, outcome)
                self._run(bench, piece)
        except BaseException as error:  # for the one who asked, in whose thread it is raised
            self._errors.append(error)
            self._halted = True

    def _run(self, bench: Bench, piece: Piece) -> None:
        """Take blocks to their end, or to where they are when somebody calls halt."""
        bench.begin(piece.first, piece.last)
        noted = float(piece.first)
        arms = len(piece.prepared.members) / self.blocks_of(piece.prepared)  # in a block
        code = at.BUDGET
        while code != at.REACHED:
            if self._halted:
                bench.leave_off()
                return
            start = time.perf_counter()
            code = bench.call(bench.budget)
            if code == at.BUDGET:
                factor = min(max(CHUNK / max(time.perf_counter() - start, 1e-6), 0.25), 8.0)
                bench.budget = int(min(max(bench.budget * factor, 1), MOST_BUDGET))
            elif code == at.REFERENCE:
                bench.extend_references()
            with self._lock:
                self.done += arms * (bench.reached - noted)
            noted = bench.reached
