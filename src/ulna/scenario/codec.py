"""Conversion of scenarios to and from plain values, TOML, and Python expressions.

`CODECS` has one entry per field. Plain values are those of JSON and TOML. Numbers are written in SI
units; text with a unit is read as well. Only fields that differ from their defaults are written.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ulna import units
from ulna.arm import Actuators, Arm, Sensors
from ulna.arm.plain_arms import arm_expression, plain_arm, read_plain_arm
from ulna.arm.robot_files import FORMAT, parse_toml, placed
from ulna.arrays import float_array, freeze
from ulna.control import read_controller, with_model
from ulna.control.controller_text import BUILT_IN, without_model
from ulna.errors import InputError, Problem, Problems, rewording, shown
from ulna.motion import PlanRequest, Trajectory
from ulna.scenario.plain_parts import (
    disturbance_expression,
    part_expression,
    plain_disturbance,
    plain_part,
    read_plain_disturbance,
    read_plain_part,
)
from ulna.scenario.scenario import FIELDS, Scenario, Unwritten, is_default
from ulna.scenario.toml_text import toml_text
from ulna.units import separate

MAX_STORED = 20_000  # numbers of a table that a run file contains
MAX_SHOWN = 200  # characters of a value that could not be read
LOST = "unwritten"  # key of the description of a value that could not be written
NO_TOLERANCE = "none"  # rtol=None, which TOML cannot express


class Codec(NamedTuple):
    """Functions that write a field as a plain value, read it, and express it in Python."""

    write: Callable[[Any, Scenario], Any]
    read: Callable[[Any, str, Arm], Any]
    express: Callable[[Any, Scenario], str]


class NotWritableError(Exception):
    """A value that cannot be written as text; the message says what it is."""


def _write(name: str, value: Any, scenario: Scenario) -> Any:
    if isinstance(value, Unwritten):
        raise NotWritableError(value.what)
    return CODECS[name].write(value, scenario)


def _express(name: str, value: Any, scenario: Scenario) -> str:
    if isinstance(value, Unwritten):
        raise NotWritableError(value.what)
    return CODECS[name].express(value, scenario)


def to_dict(scenario: Scenario) -> dict[str, Any]:
    """Return the plain values of a scenario; raise InputError naming those that have none."""
    checks, found = Problems(), dict[str, Any]()
    for name, value in given(scenario).items():
        try:
            found[name] = _write(name, value, scenario)
        except NotWritableError as error:
            checks.add(name, str(error), "a value that can be written as text")
    checks.raise_if_any()
    return found


def given(scenario: Scenario) -> dict[str, Any]:
    """Return the fields that differ from their defaults."""
    values = ((name, getattr(scenario, name)) for name in FIELDS)
    return {name: value for name, value in values if not is_default(name, value)}


def from_dict(values: Mapping[str, Any]) -> Scenario:
    """Create a scenario from plain values."""
    if not isinstance(values, Mapping):
        raise InputError(Problem("scenario", shown(values), "a mapping of its fields"))
    checks, found = Problems(), dict[str, Any]()
    checks.unknown_keys(values, FIELDS)
    if "arm" not in values:
        checks.add("arm", "nothing", 'a preset such as "kehl", or a table')
        checks.raise_if_any()
    with checks.gather():
        found["arm"] = _read_arm(values["arm"])
    if "arm" in found:
        for name, value in values.items():
            if name in CODECS and name != "arm":
                with checks.gather():
                    found[name] = CODECS[name].read(value, name, found["arm"])
    checks.raise_if_any()
    return Scenario(**found)


def to_toml(scenario: Scenario) -> str:
    """Return a scenario as TOML."""
    return toml_text({"format": FORMAT, **to_dict(scenario)})


def from_toml(text: str, name: str = "scenario") -> Scenario:
    """Create a scenario from TOML; errors name the lines."""
    if not isinstance(text, str):
        raise InputError(Problem(name, shown(text), "the text of a TOML file"))
    document = dict(parse_toml(text, name))
    version = document.pop("format", None)
    try:
        if version != FORMAT or isinstance(version, bool):
            got = "nothing" if version is None else shown(version)
            raise InputError(Problem("format", got, f"format = {FORMAT}", "put it on line 1"))
        return from_dict(document)
    except InputError as error:
        raise InputError(placed(error.problems, text, name)) from None


def content_hash(scenario: Scenario) -> str:
    """Return the hash of the content, with the numbers of the arm instead of a preset name."""
    plain = _unsigned(to_dict(scenario) | {"arm": _tables(scenario.arm)})
    text = json.dumps(plain, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _unsigned(value: Any) -> Any:
    """Return plain values without negative zeros."""
    if isinstance(value, Mapping):
        return {key: _unsigned(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_unsigned(one) for one in value]
    return value + 0.0 if isinstance(value, float) else value


def to_python(scenario: Scenario, given_names: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return Python expressions by field; `given_names` are variables to use for some fields."""
    found = dict[str, str]()
    for name, value in given(scenario).items():
        try:
            _check_size(name, value)
            known = (given_names or {}).get(name)
            found[name] = _express(name, value, scenario) if known is None else known
        except NotWritableError as error:
            raise NotWritableError(f"its {name.replace('_', ' ')} is {error}") from None
    return found


def described(scenario: Scenario) -> str:
    """Return the scenario as a Python expression; angle brackets mark values without one."""
    parts = []
    for name, value in given(scenario).items():
        try:
            parts.append(f"{name}={_express(name, value, scenario)}")
        except NotWritableError as error:
            parts.append(f"{name}=<{error}>")
    return f"ulna.Scenario({', '.join(parts)})"


def stored(scenario: Scenario) -> dict[str, Any]:
    """Return what a run file contains of a scenario: everything except functions and the like.

    The arm is written in full, since presets may change between versions.
    """
    found: dict[str, Any] = {}
    for name, value in given(scenario).items():
        try:
            _check_size(name, value)
            found[name] = _write(name, value, scenario)
        except NotWritableError as error:
            found[name] = {LOST: str(error)}
    return found | {"arm": _tables(scenario.arm)}


def _check_size(name: str, value: Any) -> None:
    """Raise NotWritableError for a table that is too long for a run file."""
    parts = value if isinstance(value, tuple) else (value,)
    tables = [one for one in parts if isinstance(one, np.ndarray)]
    if sum(one.size for one in tables) > MAX_STORED:
        what = "times" if name == "samples" else "rows"
        raise NotWritableError(f"a table of {len(tables[-1]):,} {what}")


def portable(scenario: Scenario) -> Scenario:
    """Return a copy for pickling: without functions, and with the request instead of a plan."""
    lost: dict[str, Any] = {}
    for name, value in given(scenario).items():
        try:
            _write(name, value, scenario)
        except NotWritableError as error:
            lost[name] = Unwritten(name, str(error))
    request = _request(scenario.reference)
    if request is not None and "reference" not in lost:
        lost["reference"] = request
    return scenario.completed(**lost) if lost else scenario


def read_stored(values: Mapping[str, Any]) -> Scenario:
    """Return the scenario of a run file; values that cannot be read are `Unwritten`."""
    arm = read_plain_arm(values["arm"])
    found = {
        name: _read_stored(name, value, arm)
        for name, value in values.items()
        if name in CODECS and name != "arm"
    }
    return Scenario.unchecked(arm=arm, **found)


def _read_stored(name: str, value: Any, arm: Arm) -> Any:
    if isinstance(value, Mapping) and LOST in value:
        return Unwritten(name, str(value[LOST]))
    try:
        read = CODECS[name].read(value, name, arm)
    except Exception:  # such as a law, a method or a file that no longer exists
        return Unwritten(name, str(value)[:MAX_SHOWN])
    if name == "samples" and isinstance(read, list):
        times = np.array(read, dtype=float)
        freeze(times)
        return times
    return tuple(read) if isinstance(read, list) else read


def _tables(arm: Arm) -> Mapping[str, Any]:
    plain = plain_arm(arm, named=False)
    assert not isinstance(plain, str)
    return plain


# Numbers, words and switches


def _plain(value: Any, _: Scenario) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


def _repr(value: Any, scenario: Scenario) -> str:
    plain = _plain(value, scenario)
    return repr(tuple(plain) if isinstance(plain, list) else plain)


def _quantity(kind: str) -> Codec:
    def read(value: Any, what: str, _: Arm) -> float:
        return units.to_si(value, kind, what=what)

    return Codec(_plain, read, _repr)


def _each_joint(kind: str) -> Codec:
    def read(value: Any, what: str, _: Arm) -> Any:
        listed = separate(value) if isinstance(value, str) else value
        if not isinstance(listed, list | tuple):
            return units.to_si(listed, kind, what=what)
        return [units.to_si(one, kind, what=what) for one in listed]

    return Codec(_plain, read, _repr)


def _as_it_is(value: Any, _: str, __: Arm) -> Any:
    return value


PLAIN = Codec(_plain, _as_it_is, _repr)


def _write_tolerance(value: Any, scenario: Scenario) -> Any:
    return NO_TOLERANCE if value is None else _plain(value, scenario)


def _read_tolerance(value: Any, what: str, _: Arm) -> float | None:
    return None if value == NO_TOLERANCE else units.to_si(value, "number", what=what)


# Torques, commands and forces


def _write_input(value: Any, scenario: Scenario) -> Any:
    if callable(value):
        raise NotWritableError(_function(value))
    if isinstance(value, np.ndarray):
        return {"rows": value.tolist()}
    if isinstance(value, tuple) and value and isinstance(value[0], np.ndarray):
        times, rows = value
        return {"times": times.tolist(), "rows": rows.tolist()}
    return _plain(value, scenario)


def _function(value: Any) -> str:
    return f"the function {getattr(value, '__name__', type(value).__name__)}"


def _express_input(value: Any, scenario: Scenario) -> str:
    plain = _write_input(value, scenario)
    if isinstance(plain, Mapping):
        both = "times" in plain
        return repr((plain["times"], plain["rows"])) if both else repr(plain["rows"])
    return _repr(value, scenario)


def _input(kinds: Sequence[str]) -> Codec:
    """Return the codec of an input; the last kind holds for all further components."""

    def part(value: Any, what: str, place: int) -> Any:
        kind = kinds[min(place, len(kinds) - 1)]
        try:
            return units.to_si(value, kind, what=what)
        except InputError:
            if not isinstance(value, str):
                raise
            return value.strip()  # a formula

    def read(value: Any, what: str, _: Arm) -> Any:
        if isinstance(value, Mapping):
            checks = Problems()
            checks.unknown_keys(value, ("times", "rows"), what)
            if "rows" not in value:
                checks.add(f"{what}.rows", "nothing", "the rows of the table")
            checks.raise_if_any()
            rows = float_array(value["rows"], f"{what}.rows")
            return (
                (float_array(value["times"], f"{what}.times"), rows) if "times" in value else rows
            )
        listed = separate(value) if isinstance(value, str) else value
        if not isinstance(listed, list | tuple):
            need = "a list of numbers or formulas, or a table of times and rows"
            raise InputError(Problem(what, shown(value), need))
        return [part(one, what, place) for place, one in enumerate(listed)]

    return Codec(_write_input, read, _express_input)


# Controllers, references, and the loop


def _law(controller: Any) -> str:
    """Return the call that creates a controller without its model, as text."""
    bare = without_model(controller)
    text = repr(bare)
    try:
        again = read_controller(text)
    except InputError:
        again = None
    if type(again) is not type(bare) or again != bare:
        raise NotWritableError(f"the controller {text}")
    return repr(again)  # with floats in place of integers


def _write_controller(value: Any, _: Scenario) -> Any:
    law, model = _law(value), getattr(value, "model", None)
    return law if model is None else {"law": law, "model": _tables(model)}


def _read_controller(value: Any, what: str, _: Arm) -> Any:
    if isinstance(value, str):
        return read_controller(value, what)
    if not isinstance(value, Mapping) or set(value) != {"law", "model"}:
        need = "text such as 'PD(kp=30)', or a table of a law and a model"
        raise InputError(Problem(what, shown(value), need))
    return with_model(read_controller(value["law"], what), read_plain_arm(value["model"]))


def _express_controller(value: Any, _: Scenario) -> str:
    return express_controller(value)


def express_controller(controller: Any) -> str:
    """Return the Python that creates a controller; raise NotWritableError if there is none."""
    law, model = _law(controller), getattr(controller, "model", None)
    built_in = law.partition("(")[0] in BUILT_IN
    made = f"ulna.control.{law}" if built_in else f"ulna.control.read_controller({law!r})"
    if model is None:
        return made
    return f"ulna.control.with_model({made}, {arm_expression(plain_arm(model))})"


def _request(value: Any) -> PlanRequest | None:
    found = getattr(value, "request", value)
    return found if isinstance(found, PlanRequest) else None


def _write_reference(value: Any, scenario: Scenario) -> Any:
    request = _request(value)
    if request is not None:
        try:
            plain = request.to_dict()
        except InputError as error:
            raise NotWritableError(f"a plan that cannot be written: {error}") from None
        arm = {} if request.arm == scenario.arm else {"arm": _tables(request.arm)}
        return {"plan": {**{key: one for key, one in plain.items() if key != "arm"}, **arm}}
    if isinstance(value, Trajectory):
        raise NotWritableError(f"a trajectory along {value.path}")
    if callable(value):
        raise NotWritableError(_function(value))
    return _plain(value, scenario)


def _read_reference(value: Any, what: str, arm: Arm) -> Any:
    if not isinstance(value, Mapping):
        return _each_joint("angle").read(value, what, arm)
    if set(value) != {"plan"} or not isinstance(value["plan"], Mapping):
        raise InputError(Problem(what, shown(dict(value)), "angles, or a table plan"))
    with rewording(lambda problem: problem.within(f"{what}.plan")):
        return PlanRequest.from_dict({"arm": arm, **value["plan"]})


def _express_reference(value: Any, scenario: Scenario) -> str:
    _write_reference(value, scenario)
    request = _request(value)
    return _repr(value, scenario) if request is None else repr(request)


def _part(kind: type[Sensors] | type[Actuators]) -> Codec:
    def write(value: Any, _: Scenario) -> Any:
        return plain_part(value)

    def read(value: Any, what: str, _: Arm) -> Any:
        return read_plain_part(kind, value, what)

    def express(value: Any, _: Scenario) -> str:
        return part_expression(kind.__name__, plain_part(value))

    return Codec(write, read, express)


def _write_disturbances(value: Any, _: Scenario) -> Any:
    return [plain_disturbance(one) for one in value]


def _read_disturbances(value: Any, what: str, _: Arm) -> Any:
    listed = value if isinstance(value, list | tuple) else [value]
    checks, found = Problems(), []
    for number, one in enumerate(listed, 1):
        with checks.gather():
            found.append(read_plain_disturbance(one, f"{what}.{number}"))
    checks.raise_if_any()
    return tuple(found)


def _express_disturbances(value: Any, _: Scenario) -> str:
    return f"[{', '.join(disturbance_expression(plain_disturbance(one)) for one in value)}]"


# Events


def _write_event(value: Any, scenario: Scenario) -> Any:
    if callable(value):
        raise NotWritableError(_function(value))
    return _plain(value, scenario)


def _write_events(value: Any, scenario: Scenario) -> Any:
    return {name: _write_event(one, scenario) for name, one in value.items()}


def _express_events(value: Any, scenario: Scenario) -> str:
    return repr(_write_events(value, scenario))


def _express_event(value: Any, scenario: Scenario) -> str:
    return repr(_write_event(value, scenario))


def _write_arm(value: Arm, _: Scenario) -> Any:
    return plain_arm(value)


def _express_arm(value: Arm, _: Scenario) -> str:
    return arm_expression(plain_arm(value))


def _read_arm(value: Any, what: str = "arm", _: Arm | None = None) -> Arm:
    with rewording(lambda problem: dataclasses.replace(problem, what=_of_arm(problem.what, what))):
        return read_plain_arm(value)


def _of_arm(part: str, what: str) -> str:
    """Return the name of a part in messages: "arm", or such as "arm.link.2.mass"."""
    return what if part in ("arm", "preset") else f"{what}.{part}"


CODECS: Mapping[str, Codec] = {
    **dict.fromkeys(FIELDS, PLAIN),
    "arm": Codec(_write_arm, _read_arm, _express_arm),
    "q0": _each_joint("angle"),
    "qd0": _each_joint("speed"),
    "duration": _quantity("time"),
    "torque": _input(["torque"]),
    "voltage": _input(["voltage"]),
    "current": _input(["current"]),
    "position": _input(["angle"]),
    "tip_force": _input(["force", "force", "torque"]),
    "controller": Codec(_write_controller, _read_controller, _express_controller),
    "reference": Codec(_write_reference, _read_reference, _express_reference),
    "rate": _quantity("frequency"),
    "sensors": _part(Sensors),
    "actuators": _part(Actuators),
    "disturbances": Codec(_write_disturbances, _read_disturbances, _express_disturbances),
    "restitution": _quantity("number"),
    "sequential_damping": _each_joint("number"),
    "dt": _quantity("time"),
    "rtol": Codec(_write_tolerance, _read_tolerance, _repr),
    "atol": _quantity("number"),
    "max_step": _quantity("time"),
    "events": Codec(_write_events, _as_it_is, _express_events),
    "until": Codec(_write_event, _as_it_is, _express_event),
}
