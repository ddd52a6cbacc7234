"""Threads for compiled work, one for every core that the process may use.

Kernels let go of Python's lock, so that threads are enough. Who asks for work does a share of it:
nobody waits for a thread that waits for others.
"""

from __future__ import annotations

import os
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


def cores() -> int:
    """Give the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def share(work: Callable[[int, int], None], count: int, least: int) -> None:
    """Do work(first, last) for all of range(count), in pieces of `least` or more, on all cores.

    What does not make two pieces is done at once and here, and so is what is asked for by one of
    the threads. An exception of a piece is raised, once all that had begun have ended.
    """
    threads = min(cores(), count // least)
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
    """Give the threads of a process: one that was forked has none of its parent's."""
    return ThreadPoolExecutor(max(cores() - 1, 1), thread_name_prefix="ulna-worker")
