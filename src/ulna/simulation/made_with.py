"""How a run or a batch was made, in words, of its settings: what was not there is left out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ulna.angles import relative_to_absolute
from ulna.arm import Arm
from ulna.arm.control_loop import ACTUATORS, MEASURED, SENSOR_TIMES, SENSORS
from ulna.arm.parameters import are_limited
from ulna.scenario.inputs import UNITS

INPUTS = {**UNITS, "tip_force": "N, N, N·m"}
LOOP_NUMBERS = SENSORS | SENSOR_TIMES | ACTUATORS
NOTHING: tuple[Any, ...] = (None, "None", "()", [], {})  # batches have their arguments as text


def made_with(
    settings: Mapping[str, Any], arm: Arm | None = None, *, absolute: bool = False
) -> list[tuple[str, str]]:
    """Return what was set, and to what.

    Parameters
    ----------
    settings : mapping
        Of a `Run` or a `BatchRun`.
    arm : Arm, optional
        The arm of a run: what is said of stops depends on its limits.
    absolute : bool, optional
        Whether angles are told from the x axis, not from the link before.

    Returns
    -------
    list of (str, str)
        A name and some words each.

    Examples
    --------
    >>> import ulna
    >>> run = ulna.simulate(ulna.preset("bechard-1"), q0=[0.5], torque="3*t", duration=0.1)
    >>> made_with(run.settings)[1:]
    [('start', 'angles 0.5 rad, at rest'), ('torque', '3*t N·m')]
    """
    given = {name: value for name, value in settings.items() if value not in NOTHING}
    rows = [("method", _method(given)), ("start", _start(given, absolute))]
    rows += [
        (name.replace("_", " "), _input(given.get(name), unit)) for name, unit in INPUTS.items()
    ]
    rows += [
        ("controller", controller_text(given)),
        ("reference", _reference(given.get("reference"), absolute)),
        ("sensors", _part(given.get("sensors"))),
        ("actuators", _part(given.get("actuators"))),
        ("disturbances", _disturbances(given.get("disturbances"))),
        (
            "events",
            ", ".join(f"{name}: {_what(one)}" for name, one in given.get("events", {}).items()),
        ),
        ("until", _what(given["until"]) if "until" in given else ""),
        ("stops", _stops(given, arm)),
        ("dynamics", _dynamics(given)),
    ]
    return [(what, which) for what, which in rows if which]


def part_text(values: Mapping[str, Any]) -> str:
    """Return what sensors or actuators have besides the usual, with units.

    Parameters
    ----------
    values : mapping
        Their fields.

    Returns
    -------
    str
        Words; empty where all is as usual.
    """
    told = []
    for name, value in values.items():
        one_each = value if isinstance(value, list | tuple) else [value]
        usual = all(not one or one in (math.inf, MEASURED) for one in one_each)
        if name == "seed" or usual:
            continue
        unit = f" {LOOP_NUMBERS[name].unit}" if name in LOOP_NUMBERS else ""
        told.append(f"{name.replace('_', ' ')} {_numbers(one_each)}{unit}")
    return ", ".join(told)


def _numbers(values: Any) -> str:
    if not isinstance(values, list | tuple):
        return str(values)
    return ", ".join(f"{value:.9g}" if isinstance(value, float) else str(value) for value in values)


def _method(given: Mapping[str, Any]) -> str:
    method, rtol = given.get("method"), given.get("rtol")
    if method is None:
        return ""
    if method == "dop853" and rtol is not None:
        return f"{method}, relative error {rtol:g} a step, absolute {given.get('atol'):g}"
    return f"{method}, steps of {given.get('dt', math.nan):g} s"


def _start(given: Mapping[str, Any], absolute: bool) -> str:
    if "q0" not in given:
        return ""
    moving, rates = ", at rest", given.get("qd0")
    if any(rates or ()):
        moving = f", speeds {_numbers(_shown(rates, absolute))} rad/s"
    return f"{_angles(given['q0'], absolute)}{moving}"


def _angles(q: Any, absolute: bool) -> str:
    if isinstance(q, str):
        return q
    return f"angles {_numbers(_shown(q, absolute))} rad{' from the x axis' * absolute}"


def _shown(values: Any, absolute: bool) -> list[float]:
    own = np.asarray(values, dtype=float)
    found: list[float] = np.asarray(relative_to_absolute(own) if absolute else own).tolist()
    return found


def _input(source: Any, unit: str) -> str:
    """Return what acted: numbers and formulas as they are, of the rest what it was."""
    if source is None or isinstance(source, str):
        return source or ""
    if isinstance(source, Mapping) and "function" in source:
        return _what(source)
    if isinstance(source, Mapping):
        between = "held" if source.get("between") == "hold" else source.get("between")
        return f"a table of {source.get('rows')} rows until {source.get('until')} s, {between}"
    return f"{_numbers(source)} {unit}"


def _what(given: Any) -> str:
    """Return a formula, or which function it was."""
    return f"the function {given.get('function')}" if isinstance(given, Mapping) else str(given)


def controller_text(settings: Mapping[str, Any]) -> str:
    """Return a controller and its rate in words, a model by its name; empty without any."""
    bare, model = controller_and_model(settings)
    if not bare:
        return ""
    believes = "" if model is None else f", which believes in {model.name or 'another arm'}"
    return f"{bare} at {settings.get('rate', math.nan):g} Hz{believes}"


def controller_and_model(settings: Mapping[str, Any]) -> tuple[str, Arm | None]:
    """Return the text that makes the controller of a run, without its model, and the model."""
    text, robot = str(settings.get("controller") or ""), settings.get("controller_model")
    if robot is None:
        return text, None
    from ulna.arm.robot_files import parse  # which runs without such a model do without

    model, _ = parse(robot, "controller_model")
    named = f"model=<{repr(model).splitlines()[0]}>"
    return text.replace(f", {named}", "").replace(f"{named}, ", "").replace(named, ""), model


def _reference(reference: Any, absolute: bool) -> str:
    """Return what was to be followed: a posture, a motion, a function."""
    if reference is None:
        return ""
    if isinstance(reference, Mapping) and "path" in reference:
        return f"{reference['path']}, {reference.get('duration', math.nan):g} s"
    if isinstance(reference, Mapping) and "references" in reference:
        return f"{reference['references']:,} of them"
    return _what(reference) if isinstance(reference, Mapping) else _angles(reference, absolute)


def _part(given: Any) -> str:
    """Return sensors or actuators, where they are anything."""
    return part_text(given) if isinstance(given, Mapping) else given or ""


def _disturbances(given: Any) -> str:
    if given is None or isinstance(given, str):
        return given or ""
    return "; ".join(map(_disturbance, given))


def _disturbance(one: Mapping[str, Any]) -> str:
    on, unit = ("torque", "N·m") if one.get("torque") is not None else ("force", "N")
    noise = f"noise at {one['rate']:g} Hz, " if one.get("rate") else ""
    values, formulas = one.get(on) or [], one.get("formulas") or []
    # One formula is a factor of all values; several are one for each, whose values are 1.
    wave = f" times {formulas[0]}" if len(formulas) == 1 else ""
    size = _numbers(formulas if len(formulas) > 1 else values)
    until = "" if one.get("stop") is None else f" to {one['stop']:g} s"
    return f"{noise}{on} {size} {unit}{wave}, from {one['start']:g} s{until}"


def _stops(given: Mapping[str, Any], arm: Arm | None) -> str:
    if arm is not None and not are_limited(arm.parameters):
        return ""
    if not given.get("stops", True):
        return "off"
    return (
        "" if arm is None else f"at the joint limits, restitution {given.get('restitution', 0.0):g}"
    )


def _dynamics(given: Mapping[str, Any]) -> str:
    if given.get("dynamics") != "sequential":
        return ""
    damping = given.get("sequential_damping")
    return "sequential" + (f", damping {_numbers(damping)} per second" if damping else "")
