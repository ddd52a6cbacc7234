"""A line that says how far long work has come, and leaves no trace when it is done.

It appears on a terminal only, and only once the work has taken a second.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Report: TypeAlias = Callable[[float], None]

PATIENCE = 1.0  # [s] before anything is shown
INTERVAL = 0.1  # [s] between two looks
WIDTH = 30


@contextmanager
def progress(what: str, *, shown: bool | None = None) -> Iterator[Report]:
    """Give a function that takes the part of the work that is done, from 0 to 1.

    Without `shown` the line appears if standard error is a terminal.
    """
    line = _Line(what, _is_terminal() if shown is None else shown)
    try:
        yield line.report
    finally:
        line.clear()


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


class _Line:
    def __init__(self, what: str, shown: bool) -> None:
        self.what, self.shown = what, shown
        self.start: float | None = None
        self.last = self.before = 0.0
        self.length = 0

    def report(self, done: float) -> None:
        now = time.monotonic()
        if self.start is None:
            # What came before the first word, such as compiling, says nothing about the rest.
            self.start, self.last, self.before = now, now, done
        if not self.shown or now - self.start < PATIENCE or now - self.last < INTERVAL:
            return
        self.last = now
        self.write(describe(self.what, done, now - self.start, self.before))

    def write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self.length))
        sys.stderr.flush()
        self.length = len(text)

    def clear(self) -> None:
        if self.length:
            self.write("")
            sys.stderr.write("\r")
            sys.stderr.flush()


def describe(what: str, done: float, elapsed: float, before: float = 0.0) -> str:
    """Write one line: what is done, a bar, the percentage, and the time that is left.

    The work went from the part `before` to the part `done` in the time that has elapsed.

    >>> describe("simulating", 0.5, 10.0)
    'simulating [###############...............]  50 %, 10 s left'
    """
    done = min(max(done, 0.0), 1.0)
    bar = "#" * round(WIDTH * done)
    left = ""
    if done > before:
        left = f", {elapsed * (1.0 - done) / (done - before):.0f} s left"
    return f"{what} [{bar.ljust(WIDTH, '.')}] {100.0 * done:3.0f} %{left}"
