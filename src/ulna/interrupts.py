"""Ctrl-C: every one is heard, and none is raised where it would be lost or do harm.

Python raises KeyboardInterrupt wherever it happens to be. In a destructor, or on the way into a
function that compiled code calls, nobody can hand it on, and it is gone; half way through a write
it leaves half a file. So long work is done inside `listening()`: a Ctrl-C is noted as well as
raised, and what was noted and not answered is raised again at the next `poll`, with the next pass
of the compiler, and at the end of the block at the latest. `deferred()` and `held()` put it off.

Handlers belong to the main thread, so that in any other all of this does nothing. A handler that
somebody else installed stays in charge: it is called, when it is safe, and decides what to do.
"""

from __future__ import annotations

import functools
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FrameType, TracebackType
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar

from ulna.errors import InputError, Interrupted, Problem, shown

P = ParamSpec("P")
Result = TypeVar("Result")
OnInterrupt: TypeAlias = Literal["raise", "return"]

# The functions behind those of `signal`, which make an enumeration's member of every number: that
# takes longer than a short run.
_handlers: Any = import_module("_signal")
_INTERRUPT = int(signal.SIGINT)

CODE = 128  # a process that a signal ended has this exit code and the number of the signal


class Listener:
    """Hears signals while it is entered, as often as that is; there is one for the process."""

    def __init__(self) -> None:
        self.heard = 0  # the signal that was noted and is not answered
        self._depth = 0
        self._deferred = self._held = 0  # how often it is put off; held, even a second time
        self._before: dict[int, Any] = {}
        self._usual: Any = None  # what hears Ctrl-C otherwise
        self._compiler: Callable[[], None] | None = None  # stops listening to it

    def __enter__(self) -> Listener:
        if not self._depth:
            self.heard = 0
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
            self.heard = self.heard if self._depth else 0

    def hear_endings(self) -> None:
        """Leave with SystemExit, and so in good order, where the process is told to end."""
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                self._before[number] = _handlers.SIG_DFL
                signal.signal(number, self._hear)

    def check(self) -> None:
        """Raise what was noted, unless it is put off."""
        if not self._deferred and not self._held:
            self.poll()

    def poll(self) -> None:
        """Raise what was noted, also where it is put off."""
        if self.heard:
            self._raise(self.heard, None)

    def answer(self) -> None:
        """Take what was noted for dealt with."""
        self.heard = 0

    @contextmanager
    def put_off(self, *, strictly: bool) -> Iterator[Listener]:
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
        """Let a signal be raised inside a block that is put off."""
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
            _handlers.signal(number, self._hear)

    def _restore(self) -> None:
        while self._before:
            number, before = next(iter(self._before.items()))
            _handlers.signal(number, before)
            del self._before[number]
        if self._compiler is not None:
            self._compiler()
            self._compiler = None

    def _hear(self, number: int, frame: FrameType | None) -> None:
        again, self.heard = self.heard, max(number, self.heard)
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
        self.heard = 0
        self._usual(number, frame)

    def _stop_compiling(self) -> None:
        if self._held or not self._deferred:
            self.poll()


# The files whose code enters and leaves blocks.
_KEPT = (Listener.__enter__.__code__.co_filename, contextmanager.__code__.co_filename)
_LISTENER = Listener()


class _Deaf(Listener):
    """What any thread but the first one gets."""

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        return


def listening() -> Listener:
    """Return the context in which every Ctrl-C is heard."""
    here = threading.current_thread() is threading.main_thread()
    return _LISTENER if here else _Deaf()


@contextmanager
def deferred() -> Iterator[Listener]:
    """Keep Ctrl-C until the block ends; a second one comes at once.

    A write that was begun is finished.
    """
    with listening().put_off(strictly=False) as listener:
        yield listener


@contextmanager
def held() -> Iterator[Listener]:
    """Keep Ctrl-C until the block ends, or asks for it with `poll`."""
    with listening().put_off(strictly=True) as listener:
        yield listener


class _PartlyDone(KeyboardInterrupt):
    """What an interrupted function has, on its way out of it."""

    def __init__(self, text: str, result: Any) -> None:
        super().__init__(text)
        self.result = result


def interruptible(function: Callable[P, Result]) -> Callable[P, Result]:
    """Let a function hear every Ctrl-C and raise it as Interrupted, with its result if it has one.

    What it has before its end it gives through `given_back`; what functions have that it calls
    is no result of its own.
    """

    @functools.wraps(function)
    def heard(*arguments: P.args, **options: P.kwargs) -> Result:
        found: list[Result] = []
        try:
            with listening():
                found.append(function(*arguments, **options))
        except _PartlyDone as partly:
            raise Interrupted(str(partly), partly.result) from None
        except KeyboardInterrupt:
            raise Interrupted(result=found[0] if found else None) from None
        return found[0]

    return heard


def given_back(result: Result, on_interrupt: OnInterrupt, text: str) -> Result:
    """Return what an interruptible function has: as its result, or with Interrupted."""
    listening().answer()
    if on_interrupt == "return":
        return result
    raise _PartlyDone(text, result)


def check_on_interrupt(given: Any) -> None:
    """Refuse what is not a way to be interrupted."""
    if given not in ("raise", "return"):
        raise InputError(Problem("on_interrupt", shown(given), "'raise' or 'return'"))


def _between_passes(poll: Callable[[], None]) -> Callable[[], None] | None:
    """Have a function called between two passes of the compiler, if it is loaded.

    Returns what ends that. Compiling takes many seconds, with destructors and callbacks on the way
    in which a KeyboardInterrupt is lost.
    """
    events: Any = sys.modules.get("numba.core.event")
    if events is None:
        return None

    class Passes(events.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            poll()

        def on_end(self, event: Any) -> None:
            poll()

    passes = Passes()
    events.register("numba:run_pass", passes)
    return lambda: events.unregister("numba:run_pass", passes)
