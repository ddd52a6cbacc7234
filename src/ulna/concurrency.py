"""Threads that do compiled work, and what becomes of Ctrl-C.

Ctrl-C is Python's KeyboardInterrupt, raised wherever the main thread is: compiled work is called in
chunks of some hundredths of a second, between which Python raises it. There are no signal handlers.
A function with a partial result attaches it to `ulna.Interrupted`. Files are written under a
temporary name and renamed, so that no half of one is left.

Kernels release the global interpreter lock, so that threads suffice, one for every core that the
process may use. The thread that asks for work does a share of it, so that none waits for a thread
that waits for others.
"""

from __future__ import annotations

import functools
import os
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from ulna.errors import InputError, Interrupted, Problem, shown
from ulna.typing import OnInterrupt as OnInterrupt

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

P = ParamSpec("P")
Result = TypeVar("Result")

# Several pieces per thread, so that one which other programs delay does not delay all.
PIECES = 4
INTERVAL = 0.05  # [s] between two reports while the calling thread waits for helpers
PATIENCE = 2.0  # [s] to wait for helpers after an exception: a user's function may never return


class _PartlyDone(KeyboardInterrupt):
    """Carries the partial result out of an interrupted function."""

    def __init__(self, text: str, result: Any) -> None:
        super().__init__(text)
        self.result = result


def interruptible(function: Callable[P, Result]) -> Callable[P, Result]:
    """Make a function raise Ctrl-C as Interrupted, with its partial result if it has one.

    A partial result is returned through `return_partial`; those of functions that it calls are
    dropped.
    """

    @functools.wraps(function)
    def wrapped(*arguments: P.args, **options: P.kwargs) -> Result:
        try:
            return function(*arguments, **options)
        except _PartlyDone as partly:
            raise Interrupted(str(partly), partly.result) from None
        except KeyboardInterrupt:
            raise Interrupted from None

    return wrapped


def return_partial(result: Result, on_interrupt: OnInterrupt, text: str) -> Result:
    """Return the partial result of an interruptible function, or raise Interrupted with it."""
    if on_interrupt == "return":
        return result
    raise _PartlyDone(text, result)


@functools.cache
def _thread(process: int) -> ThreadPoolExecutor:
    """Return the thread of a process in which `call_in_thread` works."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(1, thread_name_prefix="ulna-files")


def call_in_thread(work: Callable[P, Result], *arguments: P.args, **options: P.kwargs) -> Result:
    """Call a function in a thread that does one thing after another; Ctrl-C is raised at once.

    What that thread has begun it finishes, and then what is left is removed there as well. In the
    main thread, libraries that clean up in callbacks (h5py, matplotlib) lose a KeyboardInterrupt
    that is raised in one, and Zarr goes on with a chunk in a thread of its own.
    """
    from concurrent.futures import wait

    task = _thread(os.getpid()).submit(work, *arguments, **options)
    while wait([task], INTERVAL).not_done:
        pass
    return task.result()


def check_on_interrupt(given: Any) -> None:
    """Raise InputError unless it is "raise" or "return"."""
    if given not in ("raise", "return"):
        raise InputError(Problem("on_interrupt", shown(given), "'raise' or 'return'"))


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@functools.cache
def _pool(process: int) -> ThreadPoolExecutor:
    """Return the threads of a process: one that was forked has none of its parent's."""
    # Loaded with the first of them: an arm by itself needs none.
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(max(cores() - 1, 1), thread_name_prefix="ulna-worker")


_inside = threading.local()


class Team:
    """The calling thread and helpers from the pool, which share work inside a `with` block.

    At its end the block waits for the helpers, and raises an exception of any of them. After an
    exception, such as KeyboardInterrupt, `stopped` is true: helpers are to return soon.

    Parameters
    ----------
    report : callable, optional
        A function that is called now and then while the block waits.
    """

    def __init__(self, report: Callable[[], object] = lambda: None) -> None:
        self.stopped = False
        self._report = report
        self._tasks: list[Future[None]] = []

    def call(self, helpers: int, work: Callable[[], None]) -> None:
        """Let helpers do work as well; there may be fewer, where threads cannot be started."""
        with suppress(RuntimeError):
            for _ in range(helpers):
                self._tasks.append(_pool(os.getpid()).submit(self._help, work))

    def _help(self, work: Callable[[], None]) -> None:
        if self.stopped:
            return
        _inside.working = True
        try:
            work()
        except BaseException:
            self.stopped = True
            raise

    def __enter__(self) -> Team:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if not self._tasks:
            return
        from concurrent.futures import wait

        # One that has not begun, since the threads are busy, is not needed any more.
        begun = [task for task in self._tasks if not task.cancel()]
        try:
            if kind is None:
                while wait(begun, INTERVAL).not_done:
                    self._report()
                for task in begun:
                    task.result()
        finally:
            self.stopped = True
            wait(begun, PATIENCE)


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
    with Team() as team:

        def run_pieces() -> None:
            while not team.stopped:
                try:
                    piece = remaining.popleft()
                except IndexError:  # there are no more
                    return
                work(*piece)

        team.call(threads - 1, run_pieces)
        run_pieces()
