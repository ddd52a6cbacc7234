"""How a run or a batch was made, in words: what was not there is left out."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ulna.angles import relative_to_absolute
from ulna.arm import Actuators, Sensors
from ulna.arm.control_loop import ACTUATORS, MEASURED, SENSOR_TIMES, SENSORS
from ulna.arm.parameters import are_limited
from ulna.control.controller_text import without_model
from ulna.motion import PlanRequest
from ulna.scenario.disturbances import Disturbance
from ulna.scenario.inputs import UNITS, is_table
from ulna.scenario.plain_parts import read_plain_part
from ulna.scenario.references import trajectory_of
from ulna.scenario.scenario import FIELDS, Scenario, Unwritten

INPUTS = {**UNITS, "tip_force": "N, N, N·m"}
LOOP_NUMBERS = SENSORS | SENSOR_TIMES | ACTUATORS
NOTHING: tuple[Any, ...] = (None, "None", "()", [], {})  # batches have their arguments as text
PARTS: Mapping[str, Any] = {"sensors": Sensors, "actuators": Actuators}


def made_with(scenario: Scenario, *, absolute: bool = False) -> list[tuple[str, str]]:
    """Return what was set, and to what.

    Parameters
    ----------
    scenario : Scenario
        Of a `Run`, or `batch_scenario` of a batch.
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
    >>> made_with(run.scenario)[1:]
    [('start', 'angles 0.5 rad, at rest'), ('torque', '3*t N·m')]
    """
    rows = [("method", _method(scenario)), ("start", _start(scenario, absolute))]
    rows += [(name.replace("_", " "), _input(scenario, name)) for name in INPUTS]
    rows += [
        ("controller", controller_text(scenario)),
        ("reference", _reference(scenario.reference, absolute)),
        ("sensors", _part(scenario.sensors)),
        ("actuators", _part(scenario.actuators)),
        ("disturbances", _disturbances(scenario.disturbances)),
        ("events", _events(scenario.events)),
        ("until", "" if scenario.until is None else _words(scenario.until)),
        ("stops", _stops(scenario)),
        ("dynamics", _dynamics(scenario)),
    ]
    return [(what, which) for what, which in rows if which]


def batch_scenario(settings: Mapping[str, Any], arm: Any = None) -> Scenario:
    """Return what the arms of a batch have in common, as far as its settings tell.

    Parameters
    ----------
    settings : mapping
        Of a `BatchRun`.
    arm : Arm, optional
        One of its arms.

    Returns
    -------
    Scenario
        Of what differs from arm to arm it has words alone.
    """
    found = {name: settings[name] for name in FIELDS if settings.get(name) not in NOTHING}
    for name in (*INPUTS, "q0", "qd0", "controller", "disturbances"):
        if name in found:
            found[name] = Unwritten(name, str(found[name]))
    for name, kind in PARTS.items():
        if name in found:
            own = found[name]
            is_table = isinstance(own, Mapping)
            found[name] = read_plain_part(kind, own, name) if is_table else Unwritten(name, own)
    if "reference" in found:
        found["reference"] = Unwritten("reference", _reference_of_batch(found["reference"]))
    return Scenario.unchecked(arm=arm, **found)


def _reference_of_batch(reference: Any) -> str:
    if isinstance(reference, Mapping) and "path" in reference:
        return f"{reference['path']}, {reference.get('duration', math.nan):g} s"
    if isinstance(reference, Mapping):
        return f"{reference['references']:,} of them"
    return str(reference)


def part_text(part: Sensors | Actuators) -> str:
    """Return what sensors or actuators have besides the usual, with units.

    Parameters
    ----------
    part : Sensors or Actuators
        One of them.

    Returns
    -------
    str
        Words; empty where all is as usual.
    """
    told = []
    for name, value in dataclasses.asdict(part).items():
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


def _words(value: Any) -> str:
    """Return a formula, which function it was, or what is known of it."""
    if isinstance(value, Unwritten):
        return value.what
    if callable(value):
        return f"the function {getattr(value, '__name__', type(value).__name__)}"
    return str(value)


def _method(scenario: Scenario) -> str:
    method, rtol = scenario.method, scenario.rtol
    if method is None:
        return ""
    if method == "dop853" and rtol is not None:
        return f"{method}, relative error {rtol:g} a step, absolute {scenario.atol:g}"
    return f"{method}, steps of {scenario.dt:g} s"


def _start(scenario: Scenario, absolute: bool) -> str:
    if scenario.q0 is None:
        return ""
    moving, rates = ", at rest", scenario.qd0
    if isinstance(rates, tuple) and any(rates):
        moving = f", speeds {_numbers(_shown(rates, absolute))} rad/s"
    return f"{_angles(scenario.q0, absolute)}{moving}"


def _angles(q: Any, absolute: bool) -> str:
    if isinstance(q, Unwritten):
        return q.what
    return f"angles {_numbers(_shown(q, absolute))} rad{' from the x axis' * absolute}"


def _shown(values: Any, absolute: bool) -> list[float]:
    own = np.asarray(values, dtype=float)
    found: list[float] = np.asarray(relative_to_absolute(own) if absolute else own).tolist()
    return found


def _input(scenario: Scenario, name: str) -> str:
    """Return what acted: numbers and formulas as they are, of the rest what it was."""
    given: Any = getattr(scenario, name)
    if given is None:
        return ""
    if is_table(given):
        times, rows = given if isinstance(given, tuple) else (None, given)
        until = scenario.dt * (len(rows) - 1) if times is None else times[-1]
        told = "held" if scenario.between == "hold" else scenario.between
        return f"a table of {len(rows)} rows until {until} s, {told}"
    if isinstance(given, tuple):
        return f"{_numbers(given)} {INPUTS[name]}"
    return _words(given)


def controller_text(scenario: Scenario) -> str:
    """Return a controller and its rate in words, a model by its name; empty without any."""
    controller = scenario.controller
    if controller is None:
        return ""
    model = getattr(controller, "model", None)
    believes = "" if model is None else f", which believes in {model.name or 'another arm'}"
    bare = without_model(controller)
    rate = math.nan if scenario.rate is None else scenario.rate
    text = bare.what if isinstance(bare, Unwritten) else repr(bare)
    return f"{text} at {rate:g} Hz{believes}"


def _reference(reference: Any, absolute: bool) -> str:
    """Return what was to be followed: a posture, a motion, a function."""
    if reference is None:
        return ""
    motion = trajectory_of(reference)
    if motion is not None:
        return f"{motion.path}, {motion.duration:g} s"
    if isinstance(reference, PlanRequest):
        lasting = "" if reference.duration is None else f", {reference.duration:g} s"
        return f"{reference.path}{lasting}"
    return _angles(reference, absolute) if isinstance(reference, tuple) else _words(reference)


def _part(given: Any) -> str:
    """Return sensors or actuators, where they are anything."""
    if given is None:
        return ""
    return given.what if isinstance(given, Unwritten) else part_text(given)


def _disturbances(given: Any) -> str:
    return given.what if isinstance(given, Unwritten) else "; ".join(map(_disturbance, given))


def _disturbance(one: Disturbance) -> str:
    on, unit = ("torque", "N·m") if one.torque is not None else ("force", "N")
    noise = f"noise at {one.rate:g} Hz, " if one.rate else ""
    values, formulas = one.torque or one.force or (), one.formulas or ()
    # One formula is a factor of all values; several are one for each, whose values are 1.
    wave = f" times {formulas[0]}" if len(formulas) == 1 else ""
    size = _numbers(formulas if len(formulas) > 1 else values)
    until = "" if one.stop == math.inf else f" to {one.stop:g} s"
    return f"{noise}{on} {size} {unit}{wave}, from {one.start:g} s{until}"


def _events(given: Any) -> str:
    if given is None or isinstance(given, Unwritten):
        return "" if given is None else given.what
    return ", ".join(f"{name}: {_words(one)}" for name, one in given.items())


def _stops(scenario: Scenario) -> str:
    arm: Any = scenario.arm
    if arm is not None and not are_limited(arm.parameters):
        return ""
    if not scenario.stops:
        return "off"
    return "" if arm is None else f"at the joint limits, restitution {scenario.restitution:g}"


def _dynamics(scenario: Scenario) -> str:
    if scenario.dynamics != "sequential":
        return ""
    damping = scenario.sequential_damping
    return "sequential" + (f", damping {_numbers(damping)} per second" if damping else "")
