"""Python code of users that fails while the engine runs: what is said of it.

One rule for controllers and for functions (torque, tip_force, reference, events): an exception, or
an answer that cannot be used, ends the run with a status, and all until then is kept.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ulna.errors import InputError, Problem, shown
from ulna.simulation.status import Reason, Status

RETURN, RAISE = "return", "raise"
LONGEST = 300  # letters of a message


class Failure(NamedTuple):
    """What failed: "PD.torque" or "torque function 'push'", at what time, and how."""

    reason: Reason
    who: str
    t: float  # [s]
    error: Exception
    answered: bool = False  # the error is ours, about an answer that it gave

    @property
    def status(self) -> Status:
        """How the run stands after it."""
        return Status(False, self.reason, f"{self.reason} at t = {self.t:.9g} s: {self._told()}")

    def _told(self) -> str:
        problems = getattr(self.error, "problems", ())
        if self.answered and problems:
            return f"{self.who} gave {problems[0].got}, need {problems[0].need}"
        kind, text = type(self.error).__name__, " ".join(str(self.error).split())
        said = text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
        return f"{self.who} raised {kind}" + (f": {said}" if said else "")


def check_on_error(given: Any) -> str:
    """Take what is to become of an exception in a user's Python code."""
    if given not in (RETURN, RAISE):
        hint = "with 'return' the status of the run tells of it"
        raise InputError(Problem("on_error", shown(given), f"'{RETURN}' or '{RAISE}'", hint))
    return str(given)
