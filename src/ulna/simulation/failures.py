"""Python code of users that fails while the engine runs, and the status that it ends the run with.

One rule for controllers and for functions (torque, tip_force, reference, events): an exception, or
a value that cannot be used, ends the run with a status, and all until then is kept.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ulna.errors import InputError, Problem, shown
from ulna.simulation.status import Reason, Status

RETURN, RAISE = "return", "raise"
LONGEST = 300  # letters of a message


class Failed(Exception):  # noqa: N818 - it says what happened to a run, and nobody sees it raised
    """An exception of a user's code, on its way to where it ends the run."""

    def __init__(
        self, reason: Reason, who: str, t: float, error: Exception, *, answered: bool = False
    ) -> None:
        super().__init__(who)
        self.reason, self.who, self.t, self.error = reason, who, t, error
        self.answered = answered  # the error is ours, about an answer that was given

    def as_failure(self) -> Failure:
        """Return what is kept of it."""
        said = _text_of(self.who, self.error, answered=self.answered)
        text = f"{self.reason} at t = {self.t:.9g} s: {said}"
        return Failure(self.who, Status(False, self.reason, text), self.error)


class Failure(NamedTuple):
    """What failed, how the run stands after it, and the exception, which copies do without."""

    who: str  # "PD.torque", or "torque function 'lift'"
    status: Status
    error: Exception | None


def _text_of(who: str, error: Exception, *, answered: bool) -> str:
    problems = getattr(error, "problems", ())
    if answered and problems:
        return f"{who} gave {problems[0].got}, need {problems[0].need}"
    kind, text = type(error).__name__, " ".join(str(error).split())
    said = text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
    return f"{who} raised {kind}" + (f": {said}" if said else "")


def check_on_error(given: Any) -> str:
    """Check what is to become of an exception in a user's Python code."""
    if given not in (RETURN, RAISE):
        hint = "with 'return' the status of the run tells of it"
        raise InputError(Problem("on_error", shown(given), f"'{RETURN}' or '{RAISE}'", hint))
    return str(given)
