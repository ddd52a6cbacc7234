"""Worker threads for compiled work, one for every core that the process may use.

Kernels release the global interpreter lock, so that threads suffice. The thread that asks for work
does a share of it, so that none waits for a thread that waits for others.
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


class WorkerTask:
    """Work that a worker thread does.

    Waiting for `is_done` is safe from Ctrl-C. Joining a thread is not: Python before 3.13 takes one
    that still runs for finished once a join was interrupted.
    """

    def __init__(self, work: Callable[[], None]) -> None:
        self.work = work
        self.is_done = threading.Event()


class _Worker(threading.Thread):
    """A thread that does one task after the other, and is idle in between."""

    def __init__(self, idle: deque[_Worker]) -> None:
        super().__init__(daemon=True, name="ulna-worker")
        self._idle = idle
        self.tasks: queue.SimpleQueue[WorkerTask] = queue.SimpleQueue()

    def run(self) -> None:
        while True:
            task = self.tasks.get()
            try:
                task.work()
                self._idle.append(self)  # before a caller that waits submits the next task
            finally:
                task.is_done.set()
            del task  # which holds on to what it worked on


def submit(work: Callable[[], None]) -> WorkerTask | None:
    """Run work, which must not raise, in a worker thread; return None where there is none.

    Threads are reused: to wake one takes a tenth of the time to start it.
    """
    idle = _idle(os.getpid())
    task = WorkerTask(work)
    try:
        worker = idle.pop()  # the one used last, whose memory is still in cache
    except IndexError:
        worker = _Worker(idle)
        try:
            worker.start()
        except RuntimeError:  # there are too many threads, or Python is shutting down
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


def parallel_for(
    work: Callable[[int, int], None], count: int, least: int, most: int | None = None
) -> None:
    """Call work(first, last) for parts of range(count), each of `least` or more, on all cores.

    What does not make two parts runs in the calling thread, and so does a nested call from one of
    the workers; with `most`, no more threads than that are used. An exception of a part is raised
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
    remaining = deque(pairwise(edges))
    helpers = _submit_helpers(threads - 1, work, remaining)
    try:
        _run_pieces(work, remaining)
    finally:
        remaining.clear()
        # One that has not begun, since the threads are busy, is not needed any more.
        begun = [helper for helper in helpers if not helper.cancel()]
        wait(begun)
    for helper in begun:
        helper.result()


def _submit_helpers(
    count: int, work: Callable[[int, int], None], remaining: deque[tuple[int, int]]
) -> list[Future[None]]:
    """Submit helpers to the pool; none can be submitted while Python shuts down."""
    helpers: list[Future[None]] = []
    with suppress(RuntimeError):
        while len(helpers) < count:
            helpers.append(_pool(os.getpid()).submit(_run_as_helper, work, remaining))
    return helpers


def _run_as_helper(work: Callable[[int, int], None], remaining: deque[tuple[int, int]]) -> None:
    _inside.working = True
    try:
        _run_pieces(work, remaining)
    except BaseException:
        remaining.clear()
        raise


def _run_pieces(work: Callable[[int, int], None], remaining: deque[tuple[int, int]]) -> None:
    while remaining:
        try:
            piece = remaining.popleft()
        except IndexError:  # another thread took it
            return
        work(*piece)


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    """Return the threads of a process: one that was forked has none of its parent's."""
    return ThreadPoolExecutor(max(cores() - 1, 1), thread_name_prefix="ulna-worker")
