"""Sensors and disturbances from text: "Sensors(delay='2 ms')", "pulse(force=(0, 20), at=1, ...)".

The text is a call as Python has it, read by the grammar of `ulna.expressions`: bare numbers are
SI, text carries its unit, and nothing is run.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ulna.arm import Sensors
from ulna.control.controller_text import or_one_a_joint, quantity
from ulna.errors import InputError, Problem, did_you_mean, shown
from ulna.expressions import Call, ExpressionError, Fault, Kind, Value, bind, parse_call
from ulna.expressions.calls import written
from ulna.scenario.disturbances import Disturbance, chirp, formula, noise, pulse, sine, step
from ulna.units import to_si

SENSORS = "Sensors"


class Readable(NamedTuple):
    """What a text can name: the function that makes it, what it is, the kinds of its parameters."""

    make: Callable[..., Any]
    about: str
    kinds: Mapping[str, Kind]

    @property
    def defaults(self) -> dict[str, Any]:
        """The parameters with what they are unless given; `inspect.Parameter.empty` for none."""
        own = inspect.signature(self.make).parameters
        return {name: own[name].default for name in self.kinds}

    @property
    def call(self) -> list[str]:
        """The parameters as they are written in a call, with their defaults."""
        unsaid = (inspect.Parameter.empty, None, math.inf)
        return [
            name if value in unsaid else f"{name}={written(value)}"
            for name, value in self.defaults.items()
        ]


def read_sensors(text: str, what: str = "--sensors") -> Sensors:
    """Return the sensors that a text describes.

    Parameters
    ----------
    text : str
        A call of `Sensors` with its parameters by name: noise and resolution of angles and
        rates, one value for all joints or several in parentheses, one a joint; a delay; a seed;
        and the others of `ulna.Sensors`.
    what : str
        What messages call the text.

    Returns
    -------
    Sensors
        What lies between the arm and its controller.

    Raises
    ------
    InputError
        Where the text is none of this, with a caret under the fault.

    Examples
    --------
    >>> read_sensors("Sensors(angle_resolution='0.5 deg', delay='2 ms')").delay
    0.002
    """
    made: Sensors = _read(text, what, {SENSORS: ABOUT_SENSORS}, "sensors")
    return made


def read_disturbance(text: str, what: str = "--disturbance") -> Disturbance:
    """Return the disturbance that a text describes.

    Parameters
    ----------
    text : str
        A call of `step`, `pulse`, `noise`, `sine`, `chirp` or `formula` as
        `ulna.scenario.disturbances` has them, with `torque` [N·m], one a joint, or `force` on
        the tip: x, y [N], and a moment [N·m].
    what : str
        What messages call the text.

    Returns
    -------
    Disturbance
        What acts on the arm besides its torques.

    Raises
    ------
    InputError
        Where the text is none of this, with a caret under the fault.

    Examples
    --------
    >>> read_disturbance("pulse(force=('0 N', '-20 N'), at='1 s', lasting='50 ms')").force
    (0.0, -20.0)
    """
    made: Disturbance = _read(text, what, DISTURBANCES, "disturbance")
    return made


def _read(text: str, what: str, known: Mapping[str, Readable], noun: str) -> Any:
    such = f"text such as {EXAMPLES[noun]}"
    call = parse_call(text, what, EXAMPLES[noun])
    if call.name not in known:
        need = such
        if len(known) > 1:
            need = f"one of {', '.join(known)}, in a {such}"
        hint = did_you_mean(call.name, known)
        raise call.fault(None, f"unknown {noun} '{call.name}'", need, hint)
    entry = known[call.name]
    values = bind(call, entry.kinds)
    needed = [name for name, value in entry.defaults.items() if value is inspect.Parameter.empty]
    missing = [name for name in needed if name not in values]
    if missing:
        raise call.fault(None, f"'{call.name}' without {' and '.join(missing)}", such)
    try:
        return entry.make(**values)
    except InputError as error:
        raise _located(call, error) from None


def _located(call: Call, error: InputError) -> ExpressionError:
    """Place a problem of a value under its argument."""
    faults: list[Fault] = []
    for problem in error.problems:
        name = problem.what.rpartition(".")[2]
        place = name if name in call.keywords else None
        faults += call.fault(place, f"got {problem.got}", problem.need, problem.hint).faults
    return ExpressionError(*faults)


def _seed(value: Value) -> int:
    if not isinstance(value, float) or not value.is_integer():
        raise InputError(Problem("", shown(value), "a whole number of at least 0"))
    return int(value)


def _word(value: Value) -> str:
    if not isinstance(value, str):
        raise InputError(Problem("", written(value), "a word in quotes"))
    return value


def _formulas(value: Value) -> str | tuple[str | float, ...]:
    parts = value if isinstance(value, tuple) else (value,)
    if not all(isinstance(one, str | float) for one in parts):
        need = "formulas in quotes, one a value"
        raise InputError(Problem("", written(value), need, "such as ('2*sin(3*t)', '0')"))
    return value if isinstance(value, str) else parts  # type: ignore[return-value]


def _torques(value: Value) -> tuple[float, ...]:
    rows = value if isinstance(value, tuple) else (value,)
    return tuple(to_si(one, "torque") for one in rows)  # type: ignore[arg-type]


def _force(value: Value) -> tuple[float, ...]:
    if not isinstance(value, tuple) or len(value) not in (2, 3):
        got = written(value) if not isinstance(value, tuple) else f"{len(value)} values"
        need = "a force on the tip, (x, y), or (x, y, moment)"
        raise InputError(Problem("", got, need, "such as ('0 N', '-20 N')"))
    kinds = ("force", "force", "torque")
    return tuple(to_si(one, kind) for one, kind in zip(value, kinds, strict=False))  # type: ignore[arg-type]


EXAMPLES = {
    "sensors": "\"Sensors(angle_noise='0.1 deg', delay='2 ms')\"",
    "disturbance": "\"pulse(force=('0 N', '-20 N'), at='1 s', lasting='50 ms')\"",
}
_ACTING: Mapping[str, Kind] = {"torque": _torques, "force": _force}
ABOUT_SENSORS = Readable(
    Sensors,
    "what lies between the arm and its controller: sampling, bias, noise, resolution, delay",
    {
        "angle_noise": or_one_a_joint(quantity("angle")),
        "rate_noise": or_one_a_joint(quantity("speed")),
        "angle_resolution": or_one_a_joint(quantity("angle")),
        "rate_resolution": or_one_a_joint(quantity("speed")),
        "angle_bias": or_one_a_joint(quantity("angle")),
        "rate_bias": or_one_a_joint(quantity("speed")),
        "angle_noise_density": or_one_a_joint(quantity("angle_density")),
        "rate_noise_density": or_one_a_joint(quantity("speed_density")),
        "rate_from": _word,
        "rate_bandwidth": "frequency",
        "rate": "frequency",
        "delay": "time",
        "seed": _seed,
    },
)
DISTURBANCES: Mapping[str, Readable] = MappingProxyType(
    {
        "step": Readable(step, "from a time on", {**_ACTING, "at": "time"}),
        "pulse": Readable(pulse, "for a while", {**_ACTING, "at": "time", "lasting": "time"}),
        "noise": Readable(
            noise,
            "at random, drawn anew at a rate; torque and force are standard deviations",
            {**_ACTING, "rate": "frequency", "seed": _seed, "at": "time", "until": "time"},
        ),
        "sine": Readable(
            sine,
            "sinusoidal; torque and force are amplitudes",
            {
                **_ACTING,
                "frequency": "frequency",
                "phase": "angle",
                "at": "time",
                "until": "time",
            },
        ),
        "chirp": Readable(
            chirp,
            "a sine whose frequency goes evenly from one to another",
            {
                **_ACTING,
                "start_frequency": "frequency",
                "stop_frequency": "frequency",
                "lasting": "time",
                "at": "time",
            },
        ),
        "formula": Readable(
            formula,
            "formulas of t, q1, qd1, x, y, as torques take them",
            {"torque": _formulas, "force": _formulas, "at": "time", "until": "time"},
        ),
    }
)
