"""How a run ended, in words: why, when, which joint, and what to try; and what happened on its way.

One rule for controllers and functions of users (torque, tip_force, reference, events): an
exception, or a value that cannot be used, ends the run with a status; all until then is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ulna.arrays import Array
from ulna.dynamics.packed import DAMPING, FORCE_X, TORQUE
from ulna.errors import InputError, Problem, shown
from ulna.scenario.inputs import FORCE, command_kind
from ulna.scenario.inputs import TORQUE as TORQUES
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Memory
from ulna.simulation.motor_use import motor_troubles, motors_of, notes_of

if TYPE_CHECKING:
    from ulna.simulation.core import SimulationCore


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
    "not run",  # the batch was ended before
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


class Sticking(NamedTuple):
    """A joint that was held at rest by static friction, away from its limits.

    Attributes
    ----------
    joint : int
        Which, counted from 1.
    episodes : int
        How often it came to stick.
    seconds : float
        How long [s] it stuck in all.
    first : float
        When [s] it first did.
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
    if answered and isinstance(error, InputError):
        problem = error.problems[0]
        return f"{who} gave {problem.got}, need {problem.need}"
    kind, text = type(error).__name__, " ".join(str(error).split())
    said = text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
    return f"{who} raised {kind}" + (f": {said}" if said else "")


def check_on_error(given: Any) -> str:
    """Check what is to become of an exception in a user's Python code."""
    if given not in (RETURN, RAISE):
        hint = "with 'return' the status of the run tells of it"
        raise InputError(Problem("on_error", shown(given), f"'{RETURN}' or '{RAISE}'", hint))
    return str(given)


NEARBY = 1e-7  # [rad, rad/s] on either side of a state
RUNAWAY = 1e12  # [rad, rad/s] at which the engine counts a state as lost
BEYOND = (1e-12, 1e-9, 1e-6)  # [s] an adaptive step stops short of where a value ends
MOST_JOINTS = 3  # at their torque limits, that a status tells of
WHATS: Mapping[int, What] = {at.HIT: "hit", at.REST: "rest", at.RELEASE: "release"}


def status_of(simulation: SimulationCore, code: int) -> Status:
    """Return the status after the engine returned a code."""
    t = simulation.t
    if code in (at.DIVERGED, at.STALLED):
        bad = _bad_input(simulation)
        return _failure(simulation, code) if bad is None else bad
    if code == at.CRAWLING:
        return _stalled(simulation)
    if code == at.CHATTERING:
        text = (
            f"stalled at t = {t:g} s: stops or events follow one another without letting time "
            "pass; try stops=False, another restitution, or fewer events"
        )
        return Status(False, "stalled", text)
    if code == at.STOPPED:
        return Status(True, "stopped", f"stopped at t = {t:.9g} s, as asked{_remarks(simulation)}")
    return Status(True, "done", f"ran to t = {t:g} s{_remarks(simulation)}")


def interrupted(simulation: SimulationCore) -> Status:
    """Return the status of a run that Ctrl-C ended."""
    return Status(False, "interrupted", f"interrupted at t = {simulation.t:g} s")


def _remarks(simulation: SimulationCore) -> str:
    """Return what a reader of the numbers should know."""
    ints = simulation.memory.ints
    chatter = ints.item(at.CHATTER)
    text = ""
    if chatter:
        joints = "once" if chatter == 1 else f"{chatter} times"
        text += f"; chatter at stops was cut short {joints}"
    logged, kept = ints.item(at.LOGGED), len(simulation.record.log)
    if logged > kept:
        text += f"; of {logged:,} events and contacts the first {kept:,} were kept"
    text += _said(saturation_of(simulation), "was at its torque limit", "at theirs")
    text += _said(sticking_of(simulation), "stuck", "did")
    text += _said_of_motors(simulation)
    return "; ".join([text, *simulation.accuracy_warnings])


def _said_of_motors(simulation: SimulationCore) -> str:
    """Return which motors were at their limits, stalled, too hot, or lost steps."""
    told = motor_troubles(simulation.arm, motors_of(simulation))
    more = len(told) - MOST_JOINTS
    if more > 0:
        told = [*told[:MOST_JOINTS], f"so it is with those of {more} more joint{'s' * (more > 1)}"]
    return "".join(f"; {one}" for one in told)


def _said(found: Sequence[Saturation | Sticking], what: str, likewise: str) -> str:
    """Return which joints it happened to, how often and for how long."""
    text = ""
    for one in found[:MOST_JOINTS]:
        often = "once, for" if one.episodes == 1 else f"{one.episodes:,} times, for"
        in_all = "" if one.episodes == 1 else " in all"
        text += f"; joint {one.joint} {what} {often} {one.seconds:.3g} s{in_all}"
    more = len(found) - MOST_JOINTS
    return text + (f"; {more} more joint{'s' * (more > 1)} {likewise}" if more > 0 else "")


def saturation_of(simulation: SimulationCore) -> tuple[Saturation, ...]:
    """Return the joints whose controller commanded more than their torque limits."""
    if not simulation.memory.ints.item(at.TICK):
        return ()
    return tuple(Saturation(*one) for one in _episodes(simulation, at.SATURATED))


def sticking_of(simulation: SimulationCore) -> tuple[Sticking, ...]:
    """Return the joints that static friction held."""
    if not simulation.memory.ints.item(at.FRICTIONAL):
        return ()
    return tuple(Sticking(*one) for one in _episodes(simulation, at.STICKING))


def _episodes(simulation: SimulationCore, first: int) -> Iterator[tuple[int, int, float, float]]:
    """Yield joint, number, seconds and beginning of what is noted from this note on."""
    lasts, count, time, since, begin = notes_of(simulation)[first : first + 5]
    seconds = time + np.where(lasts != 0.0, simulation.t - since, 0.0)
    for joint in np.flatnonzero(count):
        yield int(joint) + 1, int(count[joint]), float(seconds[joint]), float(begin[joint])


def close_saturation(simulation: SimulationCore) -> None:
    """End all episodes of saturation: the controller commands nothing any more."""
    notes = notes_of(simulation)
    there = notes[at.SATURATED] != 0.0
    notes[at.SATURATED_TIME, there] += simulation.t - notes[at.SATURATED_SINCE, there]
    notes[at.SATURATED] = 0.0


def _stalled(simulation: SimulationCore) -> Status:
    """Return the status of a run whose steps have collapsed, and why."""
    watch, memory = simulation.stall_watch, simulation.memory
    joint = _switching_joint(simulation)
    may_switch = bool(memory.ints.item(at.CHANGING) or simulation.loads.callbacks)
    switches = watch.is_refused and may_switch
    text = (
        f"stalled at t = {simulation.t:.6g} s, joint {joint + 1} at "
        f"{memory.vectors[at.STATE + 1, joint]:.3g} rad/s: steps have fallen to "
        f"{watch.pace:.1g} s"
    )
    if switches:
        text += (
            f" and {100.0 * watch.share:.0f} % of them are refused, as where a torque switches "
            "faster than any step"
        )
    text += f"; the rest would take {watch.to_go:.1g} steps; "
    if switches:
        text += (
            "try tanh(100*x) or clip(100*x, -1, 1) in place of sign(x), a controller at a rate, or "
            "method='rk4' with a small dt"
        )
    else:
        text += "try a larger rtol, method='semi-implicit' for stiff damping, or less time"
    return Status(False, "stalled", text)


def _switching_joint(simulation: SimulationCore) -> int:
    """Return the joint whose torque differs most between the two sides of the present state."""
    memory, n = simulation.memory, simulation.arm.n
    sides = []
    for side in (-NEARBY, NEARBY):
        memory.vectors[at.STAGE : at.STAGE + 2] = memory.vectors[at.STATE : at.STATE + 2] + side
        sides.append(_torques_at_stage(simulation, simulation.t)[:n])
    jumps = np.abs(sides[1] - sides[0])
    return int(np.argmax(jumps)) if jumps.any() else _worst_joint(memory)


def _torques_at_stage(simulation: SimulationCore, t: float) -> Array:
    """Return torques, force and moment (n+3,) in the state STAGE.

    A function may fail beyond where the run came: zeros there.
    """
    from ulna.simulation.engine.loop import evaluate

    links, n = simulation.memory.links, simulation.arm.n
    with np.errstate(all="ignore"):
        evaluate(simulation.size, simulation.memory, simulation.control, t)
    if simulation.loads.take_error() is not None:
        return np.zeros(n + 3)
    return np.append(links[:n, TORQUE], links[n, FORCE_X : FORCE_X + 3])


def _failure(simulation: SimulationCore, code: int) -> Status:
    t, options = simulation.t, simulation.options
    memory = simulation.memory
    joint = _worst_joint(memory)
    speed = f"joint {joint + 1} at {memory.vectors[at.STATE + 1, joint]:.3g} rad/s"
    if code == at.DIVERGED:
        hint = "try a smaller dt"
        if options.method != "semi-implicit" and np.any(memory.links[:-1, DAMPING]):
            hint += ", or method='semi-implicit' for stiff damping"
        text = f"diverged at t = {t:.6g} s, {speed}, with dt = {options.dt:g} s; {hint}"
        return Status(False, "diverged", text)
    if options.method == "gauss4":
        text = (
            f"stalled at t = {t:.6g} s, {speed}: the iterations of gauss4 do not converge with "
            f"dt = {options.dt:g} s; try a smaller dt"
        )
        return Status(False, "stalled", text)
    text = (
        f"diverged at t = {t:.6g} s, {speed}: the step of dop853 fell to "
        f"{memory.floats[at.STEP]:.1g} s{_acting(simulation)}; try a larger rtol, or "
        f"method='semi-implicit' with a small dt"
    )
    return Status(False, "diverged", text)


def _acting(simulation: SimulationCore) -> str:
    """Name the largest torque or force, where any acts."""
    vectors = simulation.memory.vectors
    vectors[at.STAGE : at.STAGE + 2] = vectors[at.STATE : at.STATE + 2]
    values = _torques_at_stage(simulation, simulation.t + simulation.memory.floats[at.STEP])
    if not np.any(values):
        return ""
    place = int(np.argmax(np.abs(values)))
    name = (*command_kind(TORQUES, simulation.arm.n).parts, *FORCE.parts)[place]
    return f", where {name} is {values[place]:.3g}"


def _worst_joint(memory: Memory) -> int:
    """Return the joint that ran away: the first without a number, else that which went furthest."""
    trial = memory.vectors[at.TRIAL : at.TRIAL + 2, :-1]
    lost = ~np.isfinite(trial).all(axis=0)
    return int(np.argmax(lost) if lost.any() else np.argmax(np.abs(trial).max(axis=0)))


def _bad_input(simulation: SimulationCore) -> Status | None:
    """Find an input that has no value in the step that failed."""
    memory, n = simulation.memory, simulation.arm.n
    vectors = memory.vectors
    step = memory.floats[at.STEP] if simulation.options.adaptive else simulation.options.dt
    names = command_kind(TORQUES, n).parts + FORCE.parts
    for t in simulation.t + np.array([0.0, 0.5 * step, step, *BEYOND]):
        vectors[at.STAGE : at.STAGE + 2] = vectors[at.STATE : at.STATE + 2]
        vectors[at.STAGE, :n] += (t - simulation.t) * vectors[at.STATE + 1, :n]
        # A torque may be NaN at states that no arm reaches.
        if not np.abs(vectors[at.STAGE : at.STAGE + 2, :n]).sum() < RUNAWAY:
            continue
        values = _torques_at_stage(simulation, t)
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            name, value = names[int(bad[0])], values[bad[0]]
            text = (
                f"{name} is {value} at t = {t:.9g} s; give it a value there, such as "
                "with '... if t < 1 else 0'"
            )
            return Status(False, "bad torque", text)
    return None


def log_of(simulation: SimulationCore) -> tuple[tuple[Event, ...], tuple[Contact, ...]]:
    """Read events and contacts from the engine's log."""
    n, log = simulation.arm.n, simulation.record.log
    lower, upper = simulation.arm.parameters.lower, simulation.arm.parameters.upper
    events: list[Event] = []
    contacts: list[Contact] = []
    for row in log[: int(simulation.memory.ints[at.LOGGED])]:
        t, which, what, speed = row[: at.LOG_STATE].tolist()
        q, qd = row[at.LOG_STATE :].reshape(2, n).copy()
        place = int(which)
        if what == at.EVENT:
            events.append(Event(simulation.signals[place - n].name, t, q, qd))
        else:
            is_upper = upper[place] - q[place] <= q[place] - lower[place]
            side: Side = "upper" if is_upper else "lower"
            contacts.append(Contact(t, place + 1, side, WHATS[what], speed))
    return tuple(events), tuple(contacts)
