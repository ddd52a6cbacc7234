"""Threads for compiled work, one for every core that the process may use.

Kernels let go of Python's lock, so that threads are enough. Who asks for work does a share of it:
nobody waits for a thread that waits for others.
"""

from __future__ import annotations

import os
import queue
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import cache
from itertools import pairwise

# Several pieces a thread, so that one which is held up by other programs does not hold up all.
PIECES = 4

_inside = threading.local()


class Task:
    """Work that another thread does.

    Waiting for `is_done` is safe from Ctrl-C. Joining a thread is not: Python before 3.13 takes one
    that still runs for done once a wait for it was interrupted.
    """

    def __init__(self, work: Callable[[], None]) -> None:
        self.work = work
        self.is_done = threading.Event()


class _Worker(threading.Thread):
    """A thread that does one task after the other, and is idle in between."""

    def __init__(self, idle: deque[_Worker]) -> None:
        super().__init__(daemon=True, name="ulna-worker")
        self._idle = idle
        self.tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()

    def run(self) -> None:
        while True:
            task = self.tasks.get()
            try:
                task.work()
                self._idle.append(self)  # before anybody who waits asks for the next thread
            finally:
                task.is_done.set()
            del task  # which holds on to what it worked on


def hand_over(work: Callable[[], None]) -> Task | None:
    """Let another thread do some work, which raises nothing; return None where there is none.

    Threads stay for the next piece of work: to wake one takes a tenth of the time to start it.
    """
    idle = _idle(os.getpid())
    task = Task(work)
    try:
        worker = idle.pop()  # the last to have worked, whose memory is near by
    except IndexError:
        worker = _Worker(idle)
        try:
            worker.start()
        except RuntimeError:  # there are too many, or Python ends
            return None
    worker.tasks.put(task)
    return task


@cache
def _idle(process: int) -> deque[_Worker]:
    """Return the idle threads of a process: one that was forked has none of its parent's."""
    return deque()


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def share(
    work: Callable[[int, int], None], count: int, least: int, most: int | None = None
) -> None:
    """Do work(first, last) for all of range(count), in pieces of `least` or more, on all cores.

    What does not make two pieces is done at once and here, and so is what is asked for by one of
    the threads; with `most`, no more threads than that are used. An exception of a piece is raised,
    once all that had begun have ended.
    """
    if count < 2 * least:
        work(0, count)
        return
    threads = min(cores() if most is None else min(cores(), most), count // least)
    if threads < 2 or getattr(_inside, "working", False):
        work(0, count)
        return
    pieces = min(PIECES * threads, count // least)
    edges = [count * piece // pieces for piece in range(pieces + 1)]
    left = deque(pairwise(edges))
    helpers = _called(threads - 1, work, left)
    try:
        _take(work, left)
    finally:
        left.clear()
        # One that has not begun, since others keep the threads busy, is not needed any more.
        begun = [helper for helper in helpers if not helper.cancel()]
        wait(begun)
    for helper in begun:
        helper.result()


def _called(
    count: int, work: Callable[[int, int], None], left: deque[tuple[int, int]]
) -> list[Future[None]]:
    """Ask threads for help; none comes any more while Python ends."""
    helpers: list[Future[None]] = []
    with suppress(RuntimeError):
        while len(helpers) < count:
            helpers.append(_pool(os.getpid()).submit(_help, work, left))
    return helpers


def _help(work: Callable[[int, int], None], left: deque[tuple[int, int]]) -> None:
    _inside.working = True
    try:
        _take(work, left)
    except BaseException:
        left.clear()
        raise


def _take(work: Callable[[int, int], None], left: deque[tuple[int, int]]) -> None:
    while left:
        try:
            piece = left.popleft()
        except IndexError:  # another thread was quicker
            return
        work(*piece)


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    """Return the threads of a process: one that was forked has none of its parent's."""
    return ThreadPoolExecutor(max(cores() - 1, 1), thread_name_prefix="ulna-worker")
