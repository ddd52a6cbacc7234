"""The progress bar that is shown while kernels are compiled, in a terminal or a notebook.

Where no bar can be seen, as in the log of a command, one line says what takes so long: it goes to
`announce`, which the command line sets.

Typing reports every function that it has done. LLVM reports nothing; its share is estimated.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ulna.kernels.functions import Kernel, functions_of
from ulna.progress import is_seen, progress

TYPING = 0.75  # of the time that both stages take
USUAL_CODE = 2.0  # [s] that LLVM takes
INTERVAL = 0.2  # [s] between two looks
PATIENCE = 2.0  # [s] before a person wonders
WHAT = "compiling, once for this version of ulna; `ulna compile` does all of it beforehand ..."

announce: Callable[[str], None] | None = None
_announced = False


class CompileProgress:
    """How far compiling has come."""

    def __init__(self, functions: int = 1) -> None:
        self.functions, self.done = max(functions, 1), 0
        self.share = 0.0  # of the whole, that typing takes
        self.code_start: float | None = None

    def begin_typing(self) -> None:
        """Note that the kernel has to be typed first."""
        self.share = TYPING

    def typed(self, name: str) -> None:
        """Note that a function has been typed."""
        self.done += 1

    def begin_code(self) -> None:
        """Note that LLVM is at work."""
        self.code_start = time.monotonic()

    @property
    def part(self) -> float:
        """How much is done, from 0 to 1."""
        if self.code_start is None:
            return self.share * min(self.done / self.functions, 1.0)
        elapsed = time.monotonic() - self.code_start
        return self.share + (1.0 - self.share) * (1.0 - math.exp(-elapsed / USUAL_CODE))


@contextmanager
def show_progress(kernel: Kernel, size: int) -> Iterator[CompileProgress]:
    """Show a bar while a kernel is compiled, if that takes long enough to be noticed."""
    bar, over = CompileProgress(len(functions_of(kernel))), threading.Event()
    joints = f", {size} joint{'s' if size > 1 else ''}" if size else ""
    with progress(f"compiling, once for this version: {kernel.name}{joints}") as report:
        report(0.0)
        start = time.monotonic()

        def look() -> None:
            while not over.wait(INTERVAL):
                report(bar.part)
                if time.monotonic() - start > PATIENCE:
                    _announce()

        looking = threading.Thread(target=look, daemon=True)
        looking.start()
        try:
            yield bar
        finally:
            over.set()
            looking.join()


def _announce() -> None:
    global _announced  # noqa: PLW0603  (it is said once in a process)
    if announce is not None and not _announced and not is_seen():
        _announced = True
        announce(WHAT)
