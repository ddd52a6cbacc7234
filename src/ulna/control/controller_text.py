"""Controllers by name, and from text: "ComputedTorque(natural_frequency=20)"."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from ulna.arm import Arm
from ulna.control.adaptive import Adaptive
from ulna.control.computed_torque import ComputedTorque
from ulna.control.controller import Controller, check_controller
from ulna.control.feedforward_pid import FeedforwardPID
from ulna.control.gravity_pd import GravityPD
from ulna.control.laws import Law
from ulna.control.open_loop import OpenLoop
from ulna.control.pd import PD
from ulna.control.pid import PID
from ulna.errors import InputError, Problem, did_you_mean, shown
from ulna.expressions import Kind, Value, bind, parse_call
from ulna.namespaces import load_extensions
from ulna.units import known_unit, split_unit, to_si
from ulna.units.table import TURN

Some = TypeVar("Some", bound=Controller)
EXAMPLE = '"ComputedTorque(natural_frequency=20)"'


class Entry(NamedTuple):
    """A controller that can be asked for by name."""

    build: Callable[..., Controller]
    about: str
    parameters: Mapping[str, Kind]


def read_controller(text: str, what: str = "--controller") -> Controller:
    """Return the controller that a text describes.

    Parameters
    ----------
    text : str
        A call such as "PID(kp=400, kd=40)". Values are in SI, or text with a unit; a frequency
        is in rad/s, or in Hz if that is said. One value is for all joints, several in
        parentheses are one a joint.
    what : str, optional
        How messages call the text.

    Returns
    -------
    Controller
        One of `ulna.control.CONTROLLERS`.

    Raises
    ------
    InputError
        If there is no such controller or parameter, or a value is not one of it.

    Examples
    --------
    >>> read_controller("PD(kp=(400, 100), kd='40 N*m*s/rad')")
    PD(kp=(400.0, 100.0), kd=40.0)
    """
    call = parse_call(text, what, EXAMPLE)
    if call.name not in CONTROLLERS:
        load_extensions()
    if call.name not in CONTROLLERS:
        need = f"one of {', '.join(CONTROLLERS)}"
        hint = did_you_mean(call.name, CONTROLLERS)
        raise call.fault(None, f"unknown controller '{call.name}'", need, hint)
    entry = CONTROLLERS[call.name]
    return entry.build(**bind(call, entry.parameters))


def with_model(controller: Some, arm: Arm) -> Some:
    """Return the same controller believing in another arm.

    Parameters
    ----------
    controller : Controller
        One that has a model.
    arm : Arm
        The arm that it is to believe in.

    Returns
    -------
    Controller
        A copy; the given one stays as it is.

    Raises
    ------
    InputError
        If the controller has no model.

    Examples
    --------
    >>> import ulna
    >>> with_model(ComputedTorque(), ulna.preset("kehl")).model == ulna.preset("kehl")
    True
    """
    if isinstance(controller, type):
        check_controller(controller)
    if type(controller) not in _WITH_MODEL:
        need = f"one that has a model: {', '.join(kind.__name__ for kind in _WITH_MODEL)}"
        raise InputError(Problem("controller", shown(controller), need))
    return dataclasses.replace(controller, model=arm)  # type: ignore[type-var]


def without_model(controller: Some) -> Some:
    """Return the same controller without a model of its own; as it is where it has none."""
    if getattr(controller, "model", None) is None:
        return controller
    return dataclasses.replace(controller, model=None)  # type: ignore[type-var]


def _angular_frequency(value: Value) -> float:
    if isinstance(value, str):
        known = known_unit(split_unit(value)[1])
        if known is not None and known[0] == "frequency":
            return TURN * to_si(value, "frequency")
    try:
        return to_si(value, "speed")  # type: ignore[arg-type]  # to_si refuses other values
    except InputError as error:
        (problem,) = error.problems
        need = "a frequency such as '20 rad/s' or '3 Hz'"
        raise InputError(dataclasses.replace(problem, need=need)) from None


def quantity(kind: str) -> Callable[[Value], float]:
    """Return what reads a value of a kind, a bare number in SI or text with a unit."""
    return lambda value: to_si(value, kind)  # type: ignore[arg-type]


def or_one_a_joint(convert: Callable[[Value], float]) -> Callable[[Value], Any]:
    """Return what reads one value for all joints, or several in parentheses, one a joint."""

    def read(value: Value) -> Any:
        if value is None:
            return None
        return tuple(map(convert, value)) if isinstance(value, tuple) else convert(value)

    return read


_FREQUENCIES = or_one_a_joint(_angular_frequency)
_NUMBERS = or_one_a_joint(quantity("number"))
_DAMPINGS = or_one_a_joint(quantity("damping"))
_GAINS: Mapping[str, Kind] = {
    "kp": or_one_a_joint(quantity("stiffness")),
    "kd": _DAMPINGS,
}
_INTEGRAL: Mapping[str, Kind] = {"ki": _NUMBERS}
_FREQUENCY: Mapping[str, Kind] = {"natural_frequency": _angular_frequency}
_FILTER: Mapping[str, Kind] = {
    "filter": _angular_frequency,
    "dead_band": or_one_a_joint(quantity("angle")),
}
_FRICTION: Mapping[str, Kind] = {"friction_compensation": "flag"}

_known: dict[str, Entry] = {
    "PD": Entry(PD, "a spring and a damper at every joint", {**_GAINS, **_FREQUENCY}),
    "PID": Entry(
        PID,
        "PD with an integral, which takes away the steady-state error",
        {**_GAINS, **_INTEGRAL, **_FREQUENCY, **_FILTER},
    ),
    "GravityPD": Entry(
        GravityPD,
        "PD with gravity compensation",
        {**_GAINS, **_FREQUENCY, "measured": "flag"},
    ),
    "FeedforwardPID": Entry(
        FeedforwardPID,
        "PID with inverse dynamics of the reference as feedforward",
        {**_GAINS, **_INTEGRAL, **_FREQUENCY, **_FILTER, **_FRICTION},
    ),
    "ComputedTorque": Entry(
        ComputedTorque,
        "inverse dynamics: the same closed loop at every joint in every posture",
        {"natural_frequency": _FREQUENCIES, "damping_ratio": _NUMBERS, **_FRICTION},
    ),
    "Adaptive": Entry(
        Adaptive,
        "inverse dynamics that learns the inertial parameters while it follows",
        {"bandwidth": _FREQUENCIES, "kd": _DAMPINGS, "adaptation": "number", **_FRICTION},
    ),
    "OpenLoop": Entry(OpenLoop, "inverse dynamics of the reference, without feedback", _FRICTION),
}
CONTROLLERS: Mapping[str, Entry] = MappingProxyType(_known)
BUILT_IN = tuple(_known)  # names of ulna's own
_WITH_MODEL = tuple(
    entry.build
    for entry in CONTROLLERS.values()
    if any(field.name == "model" for field in dataclasses.fields(entry.build))  # type: ignore[arg-type]
)


def register_law(law: Law) -> None:
    """List a law among the controllers that can be asked for by name; a later one replaces it."""
    name = law.__name__
    for ours in BUILT_IN:
        if name.replace("_", "").lower() == ours.lower():
            need = f"another name; {ours} is a controller of ulna.control"
            raise InputError(Problem("law", name, need, f"call it my_{name}"))
    units: Mapping[str, Kind] = {**_GAINS, **_INTEGRAL}
    parameters = {gain: units.get(gain, _NUMBERS) for gain in law.gains}
    about = (law.__doc__ or "a control law").strip().splitlines()[0].rstrip(".")
    _known[name] = Entry(law, about, parameters)
