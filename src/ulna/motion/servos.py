"""Servos and what they are sent: degrees, the width of a pulse, or ticks of a position.

A servo stands at the angle ψ = zero + direction · q of its own where its joint is at q, from 0 to
its range. What it is sent goes evenly with ψ from the value at 0 to the value at the range.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ulna.arrays import Array, number, positive, whole
from ulna.errors import InputError, Problem, did_you_mean, shown
from ulna.expressions import bind, parse_call
from ulna.typing import AngleLike, ArrayLike

EXAMPLE = "\"pulse(500, 2500, range='180 deg', zero='90 deg', direction=-1)\""
HALF_TURN, TURN = math.pi, 2.0 * math.pi
MOST_TURNS = 10  # of a servo: sail winches have six; 180 rad, meant as degrees, are 29
# [µs] The widths that Arduino's Servo library can be told to send: 127 and 128 steps of 4 µs
# beyond the 544 and 2400 that it keeps to by itself.
SHORTEST_PULSE, LONGEST_PULSE = 36, 2912
MOST_TICKS = 65_536
UNITS = ("deg", "us", "ticks")
FINEST = 1e-9  # of what it is sent over its range, that a step has at least


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
        if self.unit not in UNITS:
            raise InputError(Problem("servo.unit", shown(self.unit), f"one of {', '.join(UNITS)}"))
        _check_turns("servo.range", positive("servo.range", self.range, "rad"))
        _check_turns("servo.zero", number("servo.zero", self.zero, unit="rad"))
        if self.direction not in (1, -1):
            raise InputError(Problem("servo.direction", shown(self.direction), "1 or -1"))
        if self.max_speed != math.inf:
            positive("servo.max_speed", self.max_speed, "rad/s")
        self._check_values()

    def _check_values(self) -> None:
        low, high = number("servo.low", self.low), number("servo.high", self.high)
        if not high > low:
            raise InputError(
                Problem("servo", f"{low:g} to {high:g}", "a second value above the first")
            )
        if self.unit == "us" and not SHORTEST_PULSE <= low < high <= LONGEST_PULSE:
            need = f"pulses from {SHORTEST_PULSE} to {LONGEST_PULSE} us"
            raise InputError(Problem("servo", f"{low:g} to {high:g} us", need))
        least = FINEST * (high - low)
        if not least <= positive("servo.step", self.step, "") <= high - low:
            need = f"a step from {least:g} to {high - low:g}, all that it is sent"
            raise InputError(Problem("servo.step", shown(self.step), need))
        if self.last is not None and not low < number("servo.last", self.last) <= high:
            need = f"a value above {low:g}, at most {high:g}"
            raise InputError(Problem("servo.last", shown(self.last), need))

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
        # 9001 steps of 0.01 are 90.01 to the last digit only once rounded to its decimals.
        return np.asarray(np.round(np.round(exact / self.step) * self.step, self._decimals))

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

    @property
    def is_whole(self) -> bool:
        """Whether all that it is sent are whole numbers."""
        return float(self.step).is_integer()

    @cached_property
    def _decimals(self) -> int:
        exponent = Decimal(repr(float(self.step))).as_tuple().exponent
        return max(0, -int(exponent))


class PenServo(NamedTuple):
    """The servo of a pen, with values in the unit of the servo of the first joint.

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
    low = whole("servo.shortest", shortest, SHORTEST_PULSE, LONGEST_PULSE)
    high = whole("servo.longest", longest, SHORTEST_PULSE, LONGEST_PULSE)
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


def _check_turns(what: str, angle: float) -> None:
    if abs(angle) > MOST_TURNS * TURN:
        need = f"at most {MOST_TURNS} turns, {MOST_TURNS * TURN:.4g} rad"
        hint = f"did you mean '{angle:g} deg'?"
        raise InputError(Problem(what, f"{angle:g} rad", need, hint))


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
        "pen(up=1400, down=1700)" for the servo of a pen, in the unit of the first joint's.
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
