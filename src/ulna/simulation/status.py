"""How a run ended, and what happened on its way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

Reason: TypeAlias = Literal[
    "done",
    "stopped",  # a stop condition was met
    "interrupted",  # by Ctrl-C
    "diverged",
    "stalled",  # the method cannot go on: its step is too small, its iterations do not converge
    "bad torque",  # an input has no value
    "bad start",  # beyond the stops, or not finite; of an arm in a batch, as are the next two
    "bad arm",  # parameters that no arm has
    "not run",  # Ctrl-C came first
    "coarse",  # it ran to the end by steps that are too long; of an arm in a batch
    "controller failed",  # it raised an exception, or gave no finite torques
    "function failed",  # a Python function that was given did
]
Side: TypeAlias = Literal["lower", "upper"]
What: TypeAlias = Literal["hit", "rest", "release"]


@dataclass(frozen=True, slots=True)
class Status:
    """How a run ended. It is true where the run went as it was meant to: "done" or "stopped".

    Attributes
    ----------
    ok : bool
        Whether the run went as it was meant to.
    reason : str
        In one word or two, such as "done", "stopped", "diverged" or "controller failed".
    text : str
        In a sentence, with the time and what to try.

    Examples
    --------
    >>> print(Status(True, "done", "ran to t = 2 s"))
    ran to t = 2 s
    """

    ok: bool
    reason: Reason
    text: str

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self.text


class Event(NamedTuple):
    """A condition that was met on the way, and the state of the arm at that time.

    Attributes
    ----------
    name : str
        Its name among the events, or "until".
    t : float
        When [s] it was met.
    q : ndarray, shape (n,)
        Joint angles [rad].
    qd : ndarray, shape (n,)
        Joint rates [rad/s].
    """

    name: str
    t: float  # [s]
    q: Floats  # [rad]
    qd: Floats  # [rad/s]


class Saturation(NamedTuple):
    """A joint whose controller commanded more torque than its limit, and got the limit.

    Attributes
    ----------
    joint : int
        Which, counted from 1.
    episodes : int
        How many unbroken rows of control periods there were in which it did.
    seconds : float
        How long [s] all of them were together.
    first : float
        When [s] the first began.
    """

    joint: int  # counted from 1
    episodes: int
    seconds: float  # [s] of all of them together
    first: float  # [s] at which the first began


class Contact(NamedTuple):
    """A joint at one of its limits: it hits it, comes to rest there, or leaves it.

    Attributes
    ----------
    t : float
        When [s].
    joint : int
        Which, counted from 1.
    side : {"lower", "upper"}
        At which limit.
    what : {"hit", "rest", "release"}
        What happened.
    speed : float
        Its speed [rad/s] just before.
    """

    t: float  # [s]
    joint: int  # counted from 1
    side: Side
    what: What
    speed: float  # [rad/s] before it
