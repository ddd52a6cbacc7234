"""Puts values of parameters into a case: an arm, a path's argument, a gain, a disturbance.

Every part of a case has a function that writes into it; what is chosen as a whole, an arm or a
controller, is there before its numbers are changed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from ulna.arm import Actuators, Arm, Sensors
from ulna.errors import InputError, Problem, shown
from ulna.expressions import Call
from ulna.motion.paths.path_text import SHAPES
from ulna.scenario.arm_names import changed_arm
from ulna.scenario.names import (
    by_name,
    changed_disturbances,
    changed_gains,
    changed_part,
    with_component,
)
from ulna.sweep.cases import Case
from ulna.sweep.sweep_parameters import OF_MOTION, OF_SIMULATION


def applied(base: Case, values: Mapping[str, Any]) -> Case:
    """Return a case with other parameters.

    Parameters
    ----------
    base : Case
        The case to begin with.
    values : mapping of str to float, str, bool or Choice
        What is to be otherwise, by name, in SI units.

    Returns
    -------
    Case
        With these values.

    Raises
    ------
    InputError
        If there is no such case.
    """
    groups: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        head, _, rest = name.removeprefix("simulation.").partition(".")
        if head in ("controller_model", "disturbance", *_WRITERS) and head != "arm":
            groups.setdefault(head, {})[rest] = value
        elif head in OF_SIMULATION:
            groups.setdefault("simulation", {})[head] = value
        elif head in OF_MOTION:
            groups.setdefault("motion", {})[head] = value
        else:
            groups.setdefault("arm", {})[name] = value
    if "controller_model" in groups:
        model = base.controller_model or base.arm
        base = dataclasses.replace(
            base, controller_model=changed_arm(model, groups.pop("controller_model"))
        )
    for head, write in _WRITERS.items():
        if head in groups:
            base = write(base, groups[head])
    return base


def _write_arm(case: Case, values: dict[str, Any]) -> Case:
    chosen = values.pop("arm", None)
    arm: Arm = case.arm if chosen is None else chosen.value
    return dataclasses.replace(case, arm=changed_arm(arm, values))


def _write_path(case: Case, values: dict[str, Any]) -> Case:
    chosen = values.pop("", None)
    path = case.path if chosen is None else chosen.value
    for name, value in values.items():
        if not isinstance(path, Call):
            raise InputError(Problem(f"path.{name}", shown(value), "a path made of text"))
        path = with_argument(path, name.split("."), value)
    return dataclasses.replace(case, path=path)


def with_argument(call: Call, name: list[str], value: Any) -> Call:
    """Return a path's call with another argument.

    Parameters
    ----------
    call : Call
        The call, such as circle(radius='5 cm').
    name : list of str
        Of the argument, and what it has within: ["center", "x"].
    value : float or bool
        The value, in SI units.

    Returns
    -------
    Call
        The same call with that value.

    Examples
    --------
    >>> from ulna.expressions import parse_call
    >>> str(with_argument(parse_call("circle((0.2, 0.1), '5 cm')"), ["center", "y"], 0.3))
    "circle(center=(0.2, 0.3), radius='5 cm')"
    """
    head, *inner = name
    if call.name == "then":
        place = int(head.removeprefix("path")) - 1
        parts = list(call.arguments)
        parts[place] = with_argument(parts[place], inner, value)  # type: ignore[arg-type]
        return Call(call.name, tuple(parts))
    own = by_name(call, SHAPES[call.name].kinds)
    if isinstance(own.get(head), Call):
        own[head] = with_argument(own[head], inner, value)
    elif inner:
        default = SHAPES[call.name].parameters.get(head)
        own[head] = with_component(own.get(head, default), inner[0], value, 2)
    else:
        own[head] = value
    return Call(call.name, (), own)


def _write_motion(case: Case, values: dict[str, Any]) -> Case:
    own = dict(values)
    duration = own.pop("duration", case.duration)
    return dataclasses.replace(case, duration=duration, motion={**case.motion, **own})


def _write_start(case: Case, values: dict[str, Any]) -> Case:
    return dataclasses.replace(case, start=values[""])


def _write_controller(case: Case, values: dict[str, Any]) -> Case:
    chosen = values.pop("", None)
    controller: Any = case.controller if chosen is None else chosen.value
    if values:
        controller = changed_gains(controller, values, case.arm.n)
    return dataclasses.replace(case, controller=controller)


def _write_loop(owner: str, kind: type) -> Callable[[Case, dict[str, Any]], Case]:
    def write(case: Case, values: dict[str, Any]) -> Case:
        part = getattr(case, owner) or kind()
        own = {k: int(v) if k == "seed" else v for k, v in values.items()}
        changed: dict[str, Any] = {owner: changed_part(part, own, case.arm.n, owner)}
        return dataclasses.replace(case, **changed)

    return write


def _write_vector(owner: str) -> Callable[[Case, dict[str, Any]], Case]:
    def write(case: Case, values: dict[str, Any]) -> Case:
        vector: Any = getattr(case, owner)
        for name, value in values.items():
            vector = with_component(vector, name, value, case.arm.n)
        changed: dict[str, Any] = {owner: vector}
        return dataclasses.replace(case, **changed)

    return write


def _write_disturbances(case: Case, values: dict[str, Any]) -> Case:
    changed = changed_disturbances(case.disturbances, values, case.arm.n)
    return dataclasses.replace(case, disturbances=changed)


def _write_simulation(case: Case, values: dict[str, Any]) -> Case:
    return dataclasses.replace(case, simulation={**case.simulation, **values})


def _write_seed(case: Case, values: dict[str, Any]) -> Case:
    return dataclasses.replace(case, seed=int(values[""]))


# In this order, so that a chosen arm or controller is there before its numbers are changed.
_WRITERS: Mapping[str, Callable[[Case, dict[str, Any]], Case]] = {
    "arm": _write_arm,
    "path": _write_path,
    "motion": _write_motion,
    "start": _write_start,
    "controller": _write_controller,
    "sensors": _write_loop("sensors", Sensors),
    "actuators": _write_loop("actuators", Actuators),
    "q0": _write_vector("q0"),
    "qd0": _write_vector("qd0"),
    "set_point": _write_vector("set_point"),
    "torque": _write_vector("torque"),
    "tip_force": _write_vector("tip_force"),
    "disturbance": _write_disturbances,
    "simulation": _write_simulation,
    "seed": _write_seed,
}
