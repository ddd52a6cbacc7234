"""Ctrl-C, and the threads that do compiled work.

Ctrl-C: every one is noted, and none is raised where it would be lost or do harm. Python raises
KeyboardInterrupt wherever it happens to be. In a destructor, or on the way into a function that
compiled code calls, it cannot propagate, and is lost; half way through a write it leaves half a
file. So long work is done inside `listening()`: a Ctrl-C is noted as well as raised, and one that
is still pending is raised again at the next `poll`, with the next pass of the compiler, and at the
end of the block at the latest. `deferred()` and `held()` delay it. Handlers belong to the main
thread, so that in any other all of this does nothing. A handler that was installed by others is
kept: it is called, when it is safe, and decides what to do.

Threads: kernels release the global interpreter lock, so that threads suffice, one for every core
that the process may use. The thread that asks for work does a share of it, so that none waits for
a thread that waits for others.
"""

from __future__ import annotations

import functools
import os
import queue
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import pairwise
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from ulna.errors import InputError, Interrupted, Problem, shown
from ulna.typing import OnInterrupt as OnInterrupt

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

P = ParamSpec("P")
Result = TypeVar("Result")

# The functions behind those of `signal`, which make an enumeration's member of every number: that
# takes longer than a short run.
_handlers: Any = import_module("_signal")
_INTERRUPT = int(signal.SIGINT)

# Several pieces a thread, so that one which is held up by other programs does not hold up all.
PIECES = 4
CODE = 128  # a process that a signal ended has this exit code and the number of the signal


class Listener:
    """Handles signals while it is entered, which may be nested; there is one for the process."""

    def __init__(self) -> None:
        self.pending = 0  # the signal that was noted and is not yet dealt with
        self._depth = 0
        self._deferred = self._held = 0  # depths; while held, a second one is delayed too
        self._before: dict[int, Any] = {}
        self._usual: Any = None  # the handler of Ctrl-C otherwise
        self._compiler: Callable[[], None] | None = None  # stops listening to it

    def __enter__(self) -> Listener:
        if not self._depth:
            self.pending = 0
            self._install(_INTERRUPT)
        self._depth += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._depth -= 1
        if not self._depth:
            self._restore()
        try:
            if error is None or isinstance(error, Exception):
                self.check()
        finally:
            self.pending = self.pending if self._depth else 0

    def catch_termination(self) -> None:
        """Raise SystemExit, and so clean up, where the process is told to terminate."""
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                self._before[number] = _handlers.SIG_DFL
                signal.signal(number, self._handle)

    def check(self) -> None:
        """Raise the pending signal, unless it is deferred."""
        if not self._deferred and not self._held:
            self.poll()

    def poll(self) -> None:
        """Raise the pending signal, also where it is deferred."""
        if self.pending:
            self._raise(self.pending, None)

    def clear(self) -> None:
        """Discard the pending signal, which was dealt with."""
        self.pending = 0

    @contextmanager
    def defer(self, *, strictly: bool) -> Iterator[Listener]:
        """Note a signal until the block ends; a second one is raised at once unless `strictly`."""
        with self:
            self._deferred += 1
            self._held += strictly
            try:
                yield self
            finally:
                self._deferred -= 1
                self._held -= strictly

    @contextmanager
    def allowed(self) -> Iterator[None]:
        """Allow a signal to be raised inside a block that defers it."""
        kept = self._deferred, self._held
        self.poll()
        self._deferred = self._held = 0
        try:
            yield
        finally:
            self._deferred, self._held = kept

    def _install(self, number: int) -> None:
        before = _handlers.getsignal(number)
        # Whoever ignores Ctrl-C, as a process in the background does, goes on doing so.
        if callable(before):
            self._before[number] = self._usual = before
            _handlers.signal(number, self._handle)

    def _restore(self) -> None:
        while self._before:
            number, before = next(iter(self._before.items()))
            _handlers.signal(number, before)
            del self._before[number]
        if self._compiler is not None:
            self._compiler()
            self._compiler = None

    def _handle(self, number: int, frame: FrameType | None) -> None:
        again, self.pending = self.pending, max(number, self.pending)
        if self._compiler is None:
            self._compiler = _between_passes(self._stop_compiling)
        # On its way in or out of a block this module could not keep order.
        ours = frame is not None and frame.f_code.co_filename in _KEPT
        # Who ends the process does not wait for it to finish what it writes.
        waits = self._deferred and not again and number == signal.SIGINT
        if not ours and not self._held and not waits:
            self._raise(number, frame)

    def _raise(self, number: int, frame: FrameType | None) -> None:
        if number != signal.SIGINT:
            raise SystemExit(CODE + number)
        if self._usual is signal.default_int_handler:
            raise KeyboardInterrupt
        self.pending = 0
        self._usual(number, frame)

    def _stop_compiling(self) -> None:
        if self._held or not self._deferred:
            self.poll()


# The files whose code enters and leaves blocks.
_KEPT = (Listener.__enter__.__code__.co_filename, contextmanager.__code__.co_filename)
_LISTENER = Listener()


class _NullListener(Listener):
    """The listener of any thread but the main one, which does nothing."""

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        return


def listening() -> Listener:
    """Return the context in which every Ctrl-C is noted."""
    here = threading.current_thread() is threading.main_thread()
    return _LISTENER if here else _NullListener()


@contextmanager
def deferred() -> Iterator[Listener]:
    """Delay Ctrl-C until the block ends; a second one is raised at once.

    A write that was begun is finished.
    """
    with listening().defer(strictly=False) as listener:
        yield listener


@contextmanager
def held() -> Iterator[Listener]:
    """Delay Ctrl-C until the block ends, or asks for it with `poll`."""
    with listening().defer(strictly=True) as listener:
        yield listener


class _PartlyDone(KeyboardInterrupt):
    """Carries the partial result out of an interrupted function."""

    def __init__(self, text: str, result: Any) -> None:
        super().__init__(text)
        self.result = result


def interruptible(function: Callable[P, Result]) -> Callable[P, Result]:
    """Make a function raise every Ctrl-C as Interrupted, with its result if it has one.

    A partial result is returned through `return_partial`; those of functions that it calls are not
    its own.
    """

    @functools.wraps(function)
    def wrapped(*arguments: P.args, **options: P.kwargs) -> Result:
        found: list[Result] = []
        try:
            with listening():
                found.append(function(*arguments, **options))
        except _PartlyDone as partly:
            raise Interrupted(str(partly), partly.result) from None
        except KeyboardInterrupt:
            raise Interrupted(result=found[0] if found else None) from None
        return found[0]

    return wrapped


def return_partial(result: Result, on_interrupt: OnInterrupt, text: str) -> Result:
    """Return a partial result of an interruptible function, or raise Interrupted with it."""
    listening().clear()
    if on_interrupt == "return":
        return result
    raise _PartlyDone(text, result)


def check_on_interrupt(given: Any) -> None:
    """Raise InputError unless it is "raise" or "return"."""
    if given not in ("raise", "return"):
        raise InputError(Problem("on_interrupt", shown(given), "'raise' or 'return'"))


def _between_passes(poll: Callable[[], None]) -> Callable[[], None] | None:
    """Call a function between two passes of the compiler, if it is loaded.

    Returns the function that ends that. Compiling takes many seconds, with destructors and
    callbacks on the way in which a KeyboardInterrupt is lost.
    """
    if "numba" not in sys.modules:
        return None
    # Loaded by its name: it belongs to a room above, which knows Numba from within.
    internals: Any = import_module("ulna.kernels.numba_internals")
    ended: Callable[[], None] = internals.poll_between_passes(poll)
    return ended


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


@functools.cache
def _idle(process: int) -> deque[_Worker]:
    """Return the idle threads of a process: one that was forked has none of its parent's."""
    return deque()


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_inside = threading.local()


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
        for helper in begun:
            helper.exception()  # when it is done
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


@functools.cache
def _pool(process: int) -> ThreadPoolExecutor:
    """Return the threads of a process: one that was forked has none of its parent's."""
    # Loaded with the first of them: an arm by itself needs none.
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(max(cores() - 1, 1), thread_name_prefix="ulna-worker")
