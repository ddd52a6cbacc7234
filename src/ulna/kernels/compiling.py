"""What is said of compiling: how far it has come, and why a function cannot be compiled.

A bar is shown in a terminal or a notebook. Where none can be seen, as in the log of a command, one
line says what takes so long: it goes to `announce`, which the command line sets. Typing reports
every function that it has done. LLVM reports nothing; its share is estimated.

Numba tells at length why it cannot compile a function, in its own terms. Of a user's function that
becomes a sentence with the line, what stands there, and what to write in its place.
"""

from __future__ import annotations

import dis
import math
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ulna.errors import InputError, Problem
from ulna.kernels.functions import Kernel, functions_of
from ulna.progress import is_seen, progress

TYPING = 0.75  # of the time that both stages take
USUAL_CODE = 2.0  # [s] that LLVM takes
INTERVAL = 0.2  # [s] between two looks
PATIENCE = 2.0  # [s] of compiling, of one kernel or of several, before a person wonders
WHAT = "compiling, once for this version of ulna; `ulna compile` does all of it beforehand ..."

announce: Callable[[str], None] | None = None
_announced = False
_spent = 0.0  # [s] that kernels took so far in this process


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
    global _spent  # noqa: PLW0603  (several short waits are a long one)
    bar, over = CompileProgress(len(functions_of(kernel))), threading.Event()
    joints = f", {size} joint{'s' if size > 1 else ''}" if size else ""
    with progress(f"compiling, once for this version: {kernel.name}{joints}") as report:
        report(0.0)
        start = time.monotonic()

        def look() -> None:
            while not over.wait(INTERVAL):
                report(bar.part)
                if _spent + time.monotonic() - start > PATIENCE:
                    _announce()

        looking = threading.Thread(target=look, daemon=True)
        looking.start()
        try:
            yield bar
        finally:
            over.set()
            looking.join()
            _spent += time.monotonic() - start


def _announce() -> None:
    global _announced  # noqa: PLW0603  (it is said once in a process)
    if announce is not None and not _announced and not is_seen():
        _announced = True
        announce(WHAT)


LONGEST = 300  # letters of what Numba says
PLAIN = "with NUMBA_DISABLE_JIT=1 it runs as plain Python"
# What Numba says of common mistakes, what they are, and what to write instead; {0} is what it
# found in place of the group.
_MISTAKES = (
    (
        r"mask\(lanes",
        "a branch on a number, which differs from arm to arm of a batch",
        "write select(condition, yes, no) of ulna.control, and no `if`, `while`, `and` or `or`",
    ),
    (
        r">>> (max|min)\(.*lanes",
        "{0}(), which takes no lanes",
        "write select(a > b, a, b) or select(a < b, a, b) of ulna.control",
    ),
    (r">>> pow\(.*lanes", "a power, which takes no lanes", "write a product: x * x"),
    (
        r">>> (sin|cos)\(.*lanes",
        "{0}(), which takes no lanes",
        "write sine, cosine = sincos(angle) with sincos of ulna.control",
    ),
    (
        r"Untyped global name '(\w+)': Cannot determine Numba type of <class 'function'>",
        "a call of {0}(), which is not compiled",
        "mark that with @inner of ulna.control",
    ),
    (
        "NRT required",
        "an array that is made anew",
        "compute number by number: for i in range(len(q)): tau[i] = ...",
    ),
)


@contextmanager
def explain_failure(kernel: Kernel, package: Path) -> Iterator[None]:
    """Say in a sentence why a function that does not stand in the package cannot be compiled."""
    if _stands_in(package, kernel.py_func):
        yield
        return
    what = f"{'kernel' if kernel.entry is None else 'law'} {kernel.name}"
    for function in functions_of(kernel):
        if not _stands_in(package, function):
            _check_lines(what, function)
    try:
        yield
    except Exception as error:
        if not type(error).__module__.startswith("numba."):
            raise
        file = kernel.py_func.__code__.co_filename
        raise InputError(_failure(what, file, str(error))) from None


def _stands_in(package: Path, function: Callable[..., Any]) -> bool:
    return Path(function.__code__.co_filename).is_relative_to(package)


def _check_lines(what: str, function: Callable[..., Any]) -> None:
    """Refuse what compiled code would do unheard (raise), or with a crash (print)."""
    for one in dis.get_instructions(function):
        where = f"{what}, line {one.positions.lineno}" if one.positions else what
        if one.opname == "RAISE_VARARGS":
            need = "lines that raise nothing: nobody would hear of it"
            hint = "where a law should end the run, write NaN to tau"
            raise InputError(Problem(where, "raise or assert", need, hint))
        if one.opname == "LOAD_GLOBAL" and one.argval == "print":
            need = "lines that print nothing"
            raise InputError(Problem(where, "print()", need, f"{PLAIN}, where it prints"))


def _failure(what: str, file: str, said: str) -> Problem:
    line = re.search(rf'{re.escape(Path(file).name)}(?:", line | \()(\d+)', said)
    what += f", line {line[1]}" if line else ""
    need = "a function that Numba compiles, for numbers and for lanes"
    for sign, got, hint in _MISTAKES:
        found = re.search(sign, said)
        if found:
            return Problem(what, got.format(*found.groups()), need, hint)
    lines = [part.strip() for part in said.splitlines()]
    why, *more = [part for part in lines if part and not part.startswith("Failed in")]
    why += "".join(f" {part}" for part in more[:1] if part.startswith(">>>"))
    return Problem(what, why[:LONGEST], need, f"{PLAIN}, for a debugger")
