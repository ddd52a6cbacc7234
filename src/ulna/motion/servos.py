"""Servos and what they are sent: degrees, the width of a pulse, or ticks of a position.

A servo stands at the angle ψ = zero + direction · q of its own where its joint is at q, from 0 to
its range. What it is sent goes evenly with ψ from the value at 0 to the value at the range.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ulna.arrays import Array, number, positive, whole
from ulna.errors import InputError, Problem, did_you_mean, shown
from ulna.expressions import bind, parse_call
from ulna.typing import AngleLike, ArrayLike

EXAMPLE = "\"pulse(500, 2500, range='180 deg', zero='90 deg', direction=-1)\""
HALF_TURN, TURN = math.pi, 2.0 * math.pi
LONGEST_PULSE = 20_000  # [µs]
MOST_TICKS = 65_536


@dataclass(frozen=True)
class Servo:
    """A servo: what it is sent for an angle of its joint.

    `read_servo` makes one from text such as "pulse(500, 2500, zero='90 deg')".

    Parameters
    ----------
    unit : {"deg", "us", "ticks"}
        What it is sent: an angle, the width of a pulse [µs], or a position.
    low : float
        What it is sent at the angle 0 of its own.
    high : float
        What it is sent at the end of its range.
    range : float
        The angle [rad] that it turns.
    zero : float
        The angle [rad] of its own at which the joint's angle is 0.
    direction : int, optional
        1 if it turns as the joint does, counter-clockwise, or -1.
    max_speed : float, optional
        Its largest speed [rad/s].
    step : float, optional
        What it is sent is a multiple of this.
    last : float, optional
        The largest value that it takes, if not `high`.

    Examples
    --------
    >>> servo = Servo("us", 500.0, 2500.0, range=3.141592653589793, zero=1.5707963267948966)
    >>> servo.values([0.0, 0.7853981633974483]).tolist()
    [1500.0, 2000.0]
    """

    unit: str
    low: float
    high: float
    range: float
    zero: float
    direction: int = 1
    max_speed: float = math.inf
    step: float = 1.0
    last: float | None = None

    def __post_init__(self) -> None:
        positive("servo.range", self.range, "rad")
        number("servo.zero", self.zero)
        if self.direction not in (1, -1):
            raise InputError(Problem("servo.direction", shown(self.direction), "1 or -1"))
        if not self.max_speed > 0.0:
            need = "a speed above 0 [rad/s]"
            raise InputError(Problem("servo.max_speed", shown(self.max_speed), need))
        if not self.high > self.low:
            got = f"{self.low:g} to {self.high:g}"
            raise InputError(Problem("servo", got, "a second value above the first"))

    def values(self, q: AngleLike) -> Array:
        """Return what it is sent for joint angles, also beyond what it takes.

        Parameters
        ----------
        q : array_like, shape (...)
            Joint angles [rad].

        Returns
        -------
        ndarray, shape (...)
            Multiples of `step`.
        """
        own = self.zero + self.direction * np.asarray(q, dtype=float)
        exact = self.low + (self.high - self.low) * own / self.range
        # Divided by a whole number, 90.01 stays 90.01.
        return np.asarray(np.round(exact / self.step) / round(1.0 / self.step))

    def angles(self, values: ArrayLike) -> Array:
        """Return the joint angles at which it is sent values.

        Parameters
        ----------
        values : array_like, shape (...)
            What it is sent.

        Returns
        -------
        ndarray, shape (...)
            Joint angles [rad].
        """
        part = (np.asarray(values, dtype=float) - self.low) / (self.high - self.low)
        return np.asarray((part * self.range - self.zero) * self.direction)

    @property
    def most(self) -> float:
        """The largest value that it takes."""
        return self.high if self.last is None else self.last


class PenServo(NamedTuple):
    """The servo of a pen.

    Attributes
    ----------
    up : float
        What it is sent with the pen up.
    down : float
        What it is sent with the pen down.
    """

    up: float
    down: float


def pulse(
    shortest: float = 500.0,
    longest: float = 2500.0,
    range: float = HALF_TURN,  # noqa: A002  # what data sheets call it
    zero: float | None = None,
    direction: float = 1.0,
    max_speed: float = math.inf,
) -> Servo:
    """Return a hobby servo, sent pulses [µs] from the shortest to the longest over its range."""
    low = whole("servo.shortest", shortest, 1, LONGEST_PULSE)
    high = whole("servo.longest", longest, 1, LONGEST_PULSE)
    middle = 0.5 * range if zero is None else zero
    return Servo("us", low, high, range, middle, _turn(direction), max_speed)


def degrees(
    range: float = HALF_TURN,  # noqa: A002
    zero: float | None = None,
    direction: float = 1.0,
    max_speed: float = math.inf,
) -> Servo:
    """Return a servo that is sent its angle in degrees, to a hundredth."""
    middle = 0.5 * range if zero is None else zero
    end = math.degrees(positive("servo.range", range, "rad"))
    return Servo("deg", 0.0, end, range, middle, _turn(direction), max_speed, step=0.01)


def ticks(
    count: float = 4096.0,
    range: float = TURN,  # noqa: A002
    zero: float | None = None,
    direction: float = 1.0,
    max_speed: float = math.inf,
) -> Servo:
    """Return a servo on a bus, sent positions of so many ticks a range: Dynamixel X, Feetech."""
    steps = whole("servo.count", count, 2, MOST_TICKS)
    middle = 0.5 * range if zero is None else zero
    return Servo(
        "ticks", 0.0, steps, range, middle, _turn(direction), max_speed, last=float(steps - 1)
    )


def _turn(direction: float) -> int:
    return whole("servo.direction", direction, -1, 1)


_OWN = {"range": "angle", "zero": "angle", "direction": "number", "max_speed": "speed"}
_KINDS: Mapping[str, tuple[Callable[..., Servo], Mapping[str, str]]] = {
    "pulse": (pulse, {"shortest": "number", "longest": "number", **_OWN}),
    "degrees": (degrees, _OWN),
    "ticks": (ticks, {"count": "number", **_OWN}),
    "dynamixel": (ticks, {"count": "number", **_OWN}),
    "feetech": (ticks, {"count": "number", **_OWN}),
}


def read_servo(text: str, what: str = "servo") -> Servo | PenServo:
    """Return the servo that a text describes.

    Parameters
    ----------
    text : str
        "pulse(500, 2500, range='180 deg', zero='90 deg', direction=-1)", "degrees(...)",
        "ticks(4096, range='360 deg')" or "dynamixel()" and "feetech()" for the same; or
        "pen(up=1400, down=1700)" for the servo of a pen, in what it is sent.
    what : str, optional
        What messages call the text.

    Returns
    -------
    Servo or PenServo
        The servo.

    Raises
    ------
    InputError
        If the text is not such a call; the message points at the place in it.

    Examples
    --------
    >>> read_servo("dynamixel(direction=-1)").high
    4096
    """
    call = parse_call(text, what, EXAMPLE)
    if call.name == "pen":
        values = bind(call, {"up": "number", "down": "number"})
        if len(values) < 2:
            raise call.fault(None, "'pen' without up and down", "both, in what it is sent")
        return PenServo(**values)
    if call.name not in _KINDS:
        hint = did_you_mean(call.name, [*_KINDS, "pen"])
        need = f"one of {', '.join(_KINDS)}, pen"
        raise call.fault(None, f"unknown servo '{call.name}'", need, hint)
    make, kinds = _KINDS[call.name]
    given = bind(call, kinds)
    try:
        return make(**given)
    except InputError as error:
        (problem, *_) = error.problems
        name = problem.what.partition(".")[2]
        place = list(inspect.signature(make).parameters).index(name) if name in kinds else None
        part = name if name in call.keywords else place
        wrong = f"{name or 'servo'}: got {problem.got}"
        raise call.fault(part, wrong, problem.need, problem.hint) from None
