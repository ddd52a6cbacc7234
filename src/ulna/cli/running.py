"""Running the engine for a command: its words, and how the command ends."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ulna.arm import Arm
from ulna.cli.outputs import Written
from ulna.errors import InputError, Problem, UlnaError
from ulna.simulation import Run, simulate
from ulna.simulation.outcome import Status

FAILED, INTERRUPTED = 3, 130

# What Python's words for a setting are called at the command line.
NAMES = {"speed": "film-speed"}
SETTING = re.compile(r"\b(method|dynamics|samples|speed|dt)='?([\w.,-]*\w)'?")


class UnfinishedError(UlnaError):
    """What a command could not do, raised after it has done all the rest."""

    def __init__(self, told: Sequence[str], exit_code: int) -> None:
        super().__init__("\n".join(told))
        self.exit_code = exit_code


class Timed(NamedTuple):
    """A run, and the time [s] that it took to compute, the engine's loading apart."""

    run: Run
    elapsed: float


def run_arm(arm: Arm, options: Mapping[str, Any]) -> Timed:
    """Simulate; raise what is wrong with an option by the name that it has here."""
    try:
        # A run of no length checks what was given, and has the engine loaded or compiled.
        simulate(arm, **{**options, "duration": 0.0, "samples": None})
        start = time.perf_counter()
        run = simulate(arm, **options, on_interrupt="return")
    except InputError as error:
        raise InputError([renamed(problem) for problem in error.problems]) from None
    return Timed(run, time.perf_counter() - start)


def spoken(text: str) -> str:
    """Return a message for Python in the words of the command line.

    >>> spoken("try stops=False, or method='semi-implicit'")
    'try --no-stops, or --method semi-implicit'
    """
    text = text.replace("pass stops=False", "add --no-stops").replace("stops=False", "--no-stops")
    text = text.replace("rate=", "--rate").replace("pass controller=", "add --controller")

    def option(match: re.Match[str]) -> str:
        return f"--{NAMES.get(match[1], match[1])} {match[2].replace(',', '')}"

    return SETTING.sub(option, text)


def renamed(problem: Problem, names: Mapping[str, str] = NAMES) -> Problem:
    """Return a problem with an option under the name that it has at the command line."""
    name, comma, rest = problem.what.partition(",")
    name = names.get(name, name)
    option = name if name.isupper() else f"--{name.replace('_', '-')}"
    option += f"{comma}{rest}"
    return replace(problem, what=option, need=spoken(problem.need), hint=spoken(problem.hint))


def raise_if_failed(status: Status, written: Written, *, cause: Exception | None = None) -> None:
    """Raise if anything went wrong, with what is kept nevertheless.

    The cause is the exception that ended a run, for those who ask for its traceback.
    """
    told = [spoken(str(trouble)) for trouble in written.troubles]
    codes = [trouble.exit_code for trouble in written.troubles]
    if not status:
        told.append(f"{spoken(status.text)}{kept(written)}")
        codes.append(INTERRUPTED if status.reason == "interrupted" else FAILED)
    if written.stopped:
        missing = ", ".join(written.missing)
        told.append("stopped" + (f"; not written: {missing}" if missing else ""))
        codes.append(INTERRUPTED)
    if told:
        raise UnfinishedError(told, codes[0]) from cause


def raise_if_unwritten(written: Written) -> None:
    """Raise if files could not be written."""
    raise_if_failed(Status(True, "done", ""), written)


def kept(written: Written) -> str:
    """Return where to find what a run did until it ended."""
    return f"; all until then is in {', '.join(written.files)}" if written.files else ""
