"""Dotted names of the parts of a scenario: "link.2.mass", "controller.kp", "sensors.delay".

A name begins with a field of the scenario or with a part of the arm, such as
"joint.1.friction.coulomb", "payload" or "gravity.y" (see `arm_names`). Components count from 1:
"q0.2", "controller.kp.1", "torque.2", "disturbances.1.frequency"; those of a point or a force are
"x", "y" and "moment". The name of a part of an arm follows "controller.model", and a field of
`PlanRequest` follows "reference".

Whole fields are replaced before their parts. A part may be set only once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ulna import units
from ulna.arm import Actuators, Arm, Sensors
from ulna.arm.components import FRICTION
from ulna.arm.loop_tables import LOOP_KINDS
from ulna.arm.motor_catalogue import catalogued
from ulna.arm.plain_arms import read_plain_arm
from ulna.arrays import float_array, number
from ulna.control import with_model
from ulna.control.controller_text import CONTROLLERS
from ulna.control.laws import LawController
from ulna.errors import InputError, Problem, did_you_mean, nearest_name, rewording, shown
from ulna.expressions import Call, parse_call
from ulna.motion import PlanRequest
from ulna.motion.planning.plan_request import KINDS as REQUEST_KINDS
from ulna.scenario.arm_names import (
    ALL,
    ARM_FIELDS,
    FRICTIONLESS,
    changed_arm,
    check_name,
    template,
)
from ulna.scenario.disturbances import Disturbance
from ulna.scenario.inputs import is_table
from ulna.scenario.reading import DISTURBANCES, read_disturbance

if TYPE_CHECKING:
    from ulna.scenario.scenario import Scenario

COMPONENTS = {"x": 0, "y": 1, "moment": 2}
PARTS = {"sensors": Sensors, "actuators": Actuators}
DISTURBANCE_FIELDS = ("torque", "force", "start", "stop", "rate", "seed", "formulas")
VECTORS = (
    "q0", "qd0", "torque", "voltage", "current", "position", "tip_force", "sequential_damping",
)  # fmt: skip
ARM_HEADS = ("link", "joint", "payload", "gravity", "base")


def get_value(scenario: Scenario, name: str) -> Any:
    """Return a part of a scenario by its name.

    Parameters
    ----------
    scenario : Scenario
        The scenario.
    name : str
        Such as "link.2.mass".

    Returns
    -------
    Any
        The value; a tuple for "all" links or joints.

    Raises
    ------
    InputError
        If there is no such part; the message suggests the nearest name.
    """
    _check_text(name)
    n, (head, _, rest) = scenario.arm.n, name.partition(".")
    if head in ARM_HEADS:
        return _arm_value(scenario.arm, name, name)
    if head not in _fields():
        raise _unknown(name, (*_fields(), *ARM_FIELDS))
    if not rest:
        return getattr(scenario, head)
    if head in PARTS:
        return _field_value(_part_of(scenario, head), rest, name, n)
    if head == "controller":
        return _controller_value(scenario, rest, name)
    if head == "disturbances":
        return _disturbance_value(scenario.disturbances, rest, name, n)
    request = _request_of(scenario)
    if head == "reference" and request is not None:
        return _field_value(request, rest, name, n)
    if head in VECTORS or head == "reference":
        values = getattr(scenario, head)
        if head == "tip_force" and isinstance(values, tuple) and not is_table(values):
            values = (*values, 0.0)[:3]  # the moment is optional
        return _component(values, rest, name, n)
    raise InputError(Problem(name, f"a part of {head}", f"the whole field {head}"))


def _check_text(name: Any) -> None:
    if not isinstance(name, str):
        raise InputError(Problem("name", shown(name), "text such as 'link.2.mass'"))


def _fields() -> tuple[str, ...]:
    from ulna.scenario.scenario import FIELDS

    return FIELDS


def _unknown(name: str, known: Iterable[str]) -> InputError:
    names = list(known)
    hint = did_you_mean(template(name), names) or nearest_name(template(name)[:80], names)
    return InputError(Problem(name, "an unknown name", "a part of the scenario", hint))


def _arm_value(arm: Arm, name: str, what: str) -> Any:
    if template(name) not in ARM_FIELDS and name not in ("gravity", "base"):
        raise _unknown(what, ARM_FIELDS)
    owner, _, rest = name.partition(".")
    if owner in ("gravity", "base"):
        return _component(getattr(arm, owner), rest, what, 2) if rest else getattr(arm, owner)
    if owner == "payload":
        return getattr(arm.payload, rest or "mass")
    check_name(name, arm)
    number, _, field = rest.partition(".")
    parts: tuple[Any, ...] = arm.links if owner == "link" else arm.joints
    if number == ALL:
        return tuple(_inner(part, field) for part in parts)
    return _inner(parts[int(number) - 1], field)


def _inner(part: Any, field: str) -> Any:
    for name in field.split("."):
        part = getattr(FRICTIONLESS if part is None and name in FRICTION else part, name)
    return part


def _part_of(scenario: Scenario, head: str) -> Any:
    """Return the sensors or actuators in effect: the given ones, or those of the arm's loop."""
    given = getattr(scenario, head)
    own = getattr(scenario.arm.loop, head, None)
    return given or own or PARTS[head]()


def _field_value(part: Any, name: str, what: str, n: int) -> Any:
    field, _, number = name.partition(".")
    known = [one.name for one in dataclasses.fields(part)]
    if field not in known:
        raise _unknown(what, (f"{what.partition('.')[0]}.{one}" for one in known))
    value = getattr(part, field)
    return _component(value, number, what, n) if number else value


def _controller_value(scenario: Scenario, rest: str, what: str) -> Any:
    controller, (field, _, number) = scenario.controller, rest.partition(".")
    if controller is None:
        raise InputError(Problem(what, "no controller", "a scenario with a controller"))
    known = (*gains_of(controller), *["model"] * hasattr(controller, "model"))
    if field not in known:
        raise _unknown(what, (f"controller.{one}" for one in known))
    if field == "model" and number:
        return _arm_value(_model_of(scenario), number, what)
    value = getattr(controller, field)
    return _component(value, number, what, scenario.arm.n) if number else value


def _model_of(scenario: Scenario) -> Arm:
    return getattr(scenario.controller, "model", None) or scenario.arm


def gains_of(controller: Any) -> tuple[str, ...]:
    """Return the names of the gains and flags of a controller."""
    if isinstance(controller, LawController):
        return controller.law.gains
    entry = CONTROLLERS.get(type(controller).__name__)
    if entry is not None:
        return tuple(entry.parameters)
    if not dataclasses.is_dataclass(controller):
        return ()
    return tuple(one.name for one in dataclasses.fields(controller) if one.name != "model")


def _disturbance_value(listed: Any, rest: str, what: str, n: int) -> Any:
    number, _, field = rest.partition(".")
    one = listed[_place(number, len(listed), what)]
    if not field or field == "size":
        return 1.0 if field else one
    head, _, part = field.partition(".")
    call = _call_with(one, head, what)
    if call is None:
        return _field_value(one, field, what, n)
    kinds, usual = DISTURBANCES[call.name].kinds, DISTURBANCES[call.name].defaults[head]
    value = by_name(call, kinds).get(head, usual)
    return _component(value, part, what, n) if part else value


def _call_with(one: Disturbance, name: str, what: str) -> Call | None:
    """Return the call that created a disturbance if it has this argument; None for a field."""
    call = parse_call(one.text) if one.text else None
    kinds = () if call is None else tuple(DISTURBANCES[call.name].kinds)
    if name in kinds:
        return call
    if name not in DISTURBANCE_FIELDS:
        owner = what.rpartition(".")[0]
        raise _unknown(what, (f"{owner}.{kind}" for kind in kinds or DISTURBANCE_FIELDS))
    return None


def _request_of(scenario: Scenario) -> PlanRequest | None:
    given = getattr(scenario.reference, "request", scenario.reference)
    return given if isinstance(given, PlanRequest) else None


def _place(number: str, count: int, what: str) -> int:
    """Return the index of a component, given by its number or by the axis of a force or point."""
    owner = what.rpartition(".")[0].rpartition(".")[2]
    if number in COMPONENTS and owner in ("", "tip_force", "force", "gravity", "base"):
        place = COMPONENTS[number]
    else:
        place = int(number) - 1 if number.isdecimal() else -1
    if not 0 <= place < count:
        raise InputError(Problem(what, f"number {shown(number)}", f"one from 1 to {count}"))
    return place


def _component(values: Any, number: str, what: str, n: int) -> Any:
    """Return a component; a single number is the value of each of n joints."""
    if is_table(values) or callable(values):
        need = "a component of numbers or formulas"
        raise InputError(Problem(what, "a component of a table or a function", need))
    if isinstance(values, tuple):
        return values[_place(number, len(values), what)]
    one_for_all = isinstance(values, float | int) and not isinstance(values, bool)
    if not one_for_all and values is not None:
        raise InputError(Problem(what, f"a component of {shown(values)}", "the whole value"))
    _place(number, n, what)
    return values


def read_value(scenario: Scenario, name: str, text: str) -> Any:
    """Convert text to the value of a part, such as "2 ms" for "sensors.delay".

    Parameters
    ----------
    scenario : Scenario
        The scenario that has the part.
    name : str
        A dotted name.
    text : str
        A number in SI units or with a unit, a word, or a value as in a TOML scenario.

    Returns
    -------
    Any
        The value, in SI units.

    Raises
    ------
    InputError
        If there is no such part, or the text is not a valid value.

    Examples
    --------
    >>> import ulna
    >>> swing = ulna.Scenario(arm=ulna.preset("kehl"))
    >>> read_value(swing, "link.2.length", "40 cm"), read_value(swing, "stops", "false")
    (0.4, False)
    """
    get_value(scenario, name)
    head, _, rest = name.partition(".")
    known = template(rest.removeprefix("model.") if head == "controller" else name)
    if known in ARM_FIELDS:
        return _read_kind(ARM_FIELDS[known].kind, text, name)
    if rest:
        return _read_kind(_kind_of(scenario, head, rest), text, name)
    from ulna.scenario.codec import CODECS

    words = text.strip()
    if isinstance(getattr(scenario, name), bool):
        return _read_kind("flag", text, name)
    value: Any = int(words) if words.isdecimal() and name in ("seed", "samples") else words
    return CODECS[name].read(value, name, scenario.arm)


def _kind_of(scenario: Scenario, head: str, rest: str) -> Any:
    """Return the kind of a part: one of `ulna.units`, a reader function, or a word or flag."""
    field, _, part = rest.partition(".")
    if head in PARTS:
        return LOOP_KINDS[head].get(field, "whole" if field == "seed" else "word")
    if head == "controller":
        name = type(scenario.controller).__name__
        entry = CONTROLLERS.get(getattr(scenario.controller, "__name__", name))
        if field == "model":
            return read_plain_arm
        return "number" if entry is None else entry.parameters[field]
    if head == "disturbances":
        one = scenario.disturbances[int(field) - 1]
        argument, _, axis = part.partition(".")
        if axis:
            return "torque" if "torque" in (argument, axis) or axis == "moment" else "force"
        kinds = DISTURBANCES[parse_call(one.text).name].kinds if one.text else {}
        return kinds.get(argument, "time" if argument in ("start", "stop") else "number")
    if head == "reference":
        return REQUEST_KINDS.get(field, "word" if _request_of(scenario) else "angle")
    if head == "tip_force":
        return "torque" if field in ("moment", "3") else "force"
    kinds = {"q0": "angle", "qd0": "speed", "position": "angle", "sequential_damping": "number"}
    return kinds.get(head, head)


def _read_kind(kind: Any, text: str, what: str) -> Any:
    words = text.strip()
    if kind == "flag":
        if words not in ("true", "false"):
            raise InputError(Problem(what, shown(text), "true or false"))
        return words == "true"
    if kind == "whole":
        value = units.to_si(words, "number", what=what)
        if not value.is_integer():
            raise InputError(Problem(what, shown(text), "a whole number"))
        return int(value)
    if kind == "motor":
        return catalogued(words, what).motor
    if kind == "word":
        return words
    given: Any = words
    with suppress(ValueError):
        given = float(words)
    if not callable(kind):
        return units.to_si(given, kind, what=what)
    with rewording(lambda problem: dataclasses.replace(problem, what=what)):
        return kind(given)


def changed_fields(scenario: Scenario, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a scenario with other values.

    Parameters
    ----------
    scenario : Scenario
        The scenario.
    values : mapping of str to Any
        New values by dotted names, in SI units.

    Returns
    -------
    dict of str to Any
        The fields that change.

    Raises
    ------
    InputError
        If there is no such part, or if a part is set twice.
    """
    if not isinstance(values, Mapping):
        raise InputError(Problem("changes", shown(values), "a mapping of names to values"))
    _check_once(values)
    groups: dict[str, dict[str, Any]] = {}
    whole: dict[str, Any] = {}
    for name, value in values.items():
        _check_text(name)
        head, _, rest = name.partition(".")
        if head in ARM_HEADS:
            groups.setdefault("arm", {})[name] = value
        elif rest:
            groups.setdefault(head, {})[rest] = value
        elif head in _fields():
            whole[name] = value
        else:
            raise _unknown(name, (*_fields(), *ARM_FIELDS))
    made = scenario.completed(**whole) if whole else scenario
    for name in values:
        get_value(made, name)  # raises for names that cannot be read
    for head, parts in groups.items():
        whole[head] = CHANGERS[head](made, head, parts)
    return whole


def _check_once(values: Mapping[str, Any]) -> None:
    """Raise InputError if one name is part of another; whole fields may precede their parts."""
    seen: list[tuple[str, list[str]]] = []
    for name in values:
        parts = _normal(str(name))
        for other, known in seen:
            outer = min(parts, known, key=len)
            whole = len(parts) != len(known) and (len(outer) == 1 or outer[-1] == "motor")
            if not whole and all(map(_overlap, parts, known)):
                got = f"a part that {other} sets as well"
                raise InputError(Problem(str(name), got, "one of the two"))
        seen.append((str(name), parts))


def _normal(name: str) -> list[str]:
    """Return the components of a name, with one spelling for each part."""
    parts = name.split(".")
    owner, last = parts[0], parts[-1]
    if last == "payload":
        parts.append("mass")
    elif owner == "disturbances" and last == "at":
        parts[-1] = "start"
    elif owner not in ("gravity", "base") and last in COMPONENTS:
        parts[-1] = str(COMPONENTS[last] + 1)
    return [str(int(part)) if part.isdecimal() else part for part in parts]


def _overlap(one: str, other: str) -> bool:
    return one == other or (ALL in (one, other) and (one + other).replace(ALL, "").isdecimal())


def _changed_arm(scenario: Scenario, _: str, values: dict[str, Any]) -> Arm:
    return changed_arm(scenario.arm, values)


def _changed_loop(scenario: Scenario, head: str, values: dict[str, Any]) -> Any:
    return changed_part(_part_of(scenario, head), values, scenario.arm.n, head)


def _changed_controller(scenario: Scenario, _: str, values: dict[str, Any]) -> Any:
    controller: Any = scenario.controller
    model = {name: value for name, value in values.items() if name.startswith("model.")}
    gains = {name: value for name, value in values.items() if name not in model}
    if gains:
        controller = changed_gains(controller, gains, scenario.arm.n)
    if model:
        inner = {name.removeprefix("model."): value for name, value in model.items()}
        controller = with_model(controller, changed_arm(_model_of(scenario), inner))
    return controller


def _changed_disturbances(scenario: Scenario, _: str, values: dict[str, Any]) -> Any:
    return changed_disturbances(scenario.disturbances, values, scenario.arm.n)


def _changed_vector(scenario: Scenario, head: str, values: dict[str, Any]) -> Any:
    vector, size = getattr(scenario, head), scenario.arm.n
    if head == "tip_force":
        size = 3 if {"moment", "3"} & values.keys() else 2
        vector = None if vector is None else (*vector, 0.0)[: max(size, len(vector))]
    for name, value in values.items():
        vector = with_component(vector, name, value, size, f"{head}.{name}")
    return vector


def _changed_reference(scenario: Scenario, head: str, values: dict[str, Any]) -> Any:
    request = _request_of(scenario)
    if request is None:
        return _changed_vector(scenario, head, values)
    for name in values:
        if "." in name:
            need = f"reference.{name.partition('.')[0]} as a whole"
            raise InputError(Problem(f"reference.{name}", "a part of it", need))
    changes: Any = values
    return request.replace(**changes)


CHANGERS: Mapping[str, Callable[[Scenario, str, dict[str, Any]], Any]] = {
    **dict.fromkeys(VECTORS, _changed_vector),
    **dict.fromkeys(PARTS, _changed_loop),
    "arm": _changed_arm,
    "controller": _changed_controller,
    "disturbances": _changed_disturbances,
    "reference": _changed_reference,
}


def changed_gains(controller: Any, values: Mapping[str, Any], n: int) -> Any:
    """Return a controller with other gains."""
    known = (*gains_of(controller), "model")
    for name, value in values.items():
        if name.partition(".")[0] not in known:
            need = f"nothing of {type(controller).__name__}"
            hint = did_you_mean(name.partition(".")[0], known) or f"known: {', '.join(known)}"
            raise InputError(Problem(f"controller.{name}", shown(value), need, hint))
        if name == "model":
            if not isinstance(value, Arm | None):
                raise InputError(Problem("controller.model", shown(value), "an Arm"))
        elif not isinstance(value, bool | None):
            float_array(value, f"controller.{name}")
    if not isinstance(controller, LawController):
        return changed_part(controller, values, n, "controller")
    own = dict(zip(controller.law.gains, controller.values, strict=True))
    for name, value in values.items():
        gain, _, joint = name.partition(".")
        what = f"controller.{name}"
        own[gain] = with_component(own[gain], joint, value, n, what) if joint else value
    return controller.law(**own)


def changed_part(part: Any, values: Mapping[str, Any], n: int, owner: str) -> Any:
    """Return a frozen dataclass with other values; "kp.2" is the value of the second joint."""
    own: dict[str, Any] = {}
    for name, value in values.items():
        field, _, joint = name.partition(".")
        current = own.get(field, getattr(part, field, 0.0))
        what = f"{owner}.{name}"
        own[field] = with_component(current, joint, value, n, what) if joint else value
    return dataclasses.replace(part, **own) if own else part


def with_component(
    values: Any, name: str, value: Any, size: int, what: str | None = None
) -> tuple[Any, ...]:
    """Return a vector with another component; a scalar is first expanded to one per joint."""
    listed = list(values) if isinstance(values, tuple | list) else [values or 0.0] * size
    listed[_place(name, len(listed), what or name)] = value
    return tuple(listed)


def changed_disturbances(
    given: Iterable[Disturbance], values: Mapping[str, Any], n: int
) -> tuple[Disturbance, ...]:
    """Return disturbances with other values, such as "1.frequency", "2.force.x" or "1.size"."""
    listed = list(given)
    # Scaling drops the call that created a disturbance, so it comes last.
    for name, value in sorted(values.items(), key=lambda pair: pair[0].endswith(".size")):
        number, _, field = name.partition(".")
        place = _place(number, len(listed), f"disturbances.{name}")
        change = _sized if field == "size" else _changed_disturbance
        listed[place] = change(listed[place], field, value, n)
    return tuple(listed)


def _changed_disturbance(one: Disturbance, field: str, value: Any, n: int) -> Disturbance:
    """Return a disturbance with another argument of its call, or another field."""
    head, _, part = field.partition(".")
    call = _call_with(one, head, f"disturbances.1.{field}")
    if call is None:
        changed: Disturbance = changed_part(one, {field: value}, n, "disturbances.1")
        return dataclasses.replace(changed, text="")
    own = by_name(call, DISTURBANCES[call.name].kinds)
    what = f"disturbances.1.{field}"
    own[head] = with_component(own.get(head), part, value, n, what) if part else value
    return read_disturbance(str(Call(call.name, (), own)), "disturbance")


def _sized(one: Disturbance, _: str, factor: Any, n: int) -> Disturbance:
    """Return a disturbance scaled by a factor."""
    factor = number("disturbances.size", factor)
    parts: dict[str, Any] = {
        name: tuple(factor * part for part in getattr(one, name))
        for name in ("torque", "force")
        if getattr(one, name) is not None
    }
    return dataclasses.replace(one, **parts, text="")


def by_name(call: Call, names: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call by name; `names` gives the order of positional ones."""
    return dict(zip(names, call.arguments, strict=False)) | dict(call.keywords)
