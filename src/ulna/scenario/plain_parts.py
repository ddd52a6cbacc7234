"""Sensors, actuators and disturbances as plain values, and as the Python that creates them.

Plain values are those of JSON and TOML. Infinite numbers, which JSON lacks, are the text "inf".
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from ulna import units
from ulna.arm import Actuators, Sensors
from ulna.arm.loop_tables import read_loop
from ulna.errors import InputError, Problem, Problems, shown
from ulna.scenario.disturbances import Disturbance
from ulna.scenario.reading import read_disturbance, read_sensors

INFINITE = "inf"
KINDS = {"start": "time", "stop": "time", "rate": "frequency"}  # of a disturbance, with units
ALWAYS: Mapping[str, Any] = {"torque": None, "force": None, "start": 0.0, "stop": math.inf}


def plain_part(part: Sensors | Actuators) -> dict[str, Any]:
    """Return the fields that differ from their defaults."""
    values = {one.name: (getattr(part, one.name), one.default) for one in dataclasses.fields(part)}
    return {name: _plain(value) for name, (value, usual) in values.items() if value != usual}


def read_plain_part(kind: type[Sensors] | type[Actuators], value: Any, what: str) -> Any:
    """Return the sensors or actuators of a table; sensors also of the call that creates them."""
    if isinstance(value, str) and kind is Sensors:
        return read_sensors(value, what)
    if not isinstance(value, Mapping):
        raise InputError(Problem(what, shown(value), "a table, such as { delay = '2 ms' }"))
    checks = Problems()
    checks.unknown_keys(value, [one.name for one in dataclasses.fields(kind)], what)
    checks.raise_if_any()
    endless = {key: _number(one) for key, one in value.items() if one != _number(one)}
    loop = read_loop(checks, {what: {key: value[key] for key in value if key not in endless}})
    checks.raise_if_any()
    return dataclasses.replace(getattr(loop, what), **endless)


def part_expression(name: str, plain: Mapping[str, Any]) -> str:
    """Return the call of `ulna.Sensors` or `ulna.Actuators` that creates a part."""
    return f"ulna.{name}({_arguments(plain)})"


def plain_disturbance(one: Disturbance) -> Any:
    """Return the call that creates a disturbance, or the table of its fields."""
    if one.text:
        return one.text
    names = [field.name for field in dataclasses.fields(one) if field.name != "text"]
    values = {name: getattr(one, name) for name in names}
    return {name: _plain(value) for name, value in values.items() if value is not None}


def read_plain_disturbance(value: Any, what: str) -> Disturbance:
    """Return the disturbance of a call, or of a table."""
    if isinstance(value, str):
        return read_disturbance(value, what)
    if not isinstance(value, Mapping):
        raise InputError(Problem(what, shown(value), "text such as 'step(torque=(0.5, 0))'"))
    checks = Problems()
    names = [one.name for one in dataclasses.fields(Disturbance) if one.name != "text"]
    checks.unknown_keys(value, names, what)
    checks.raise_if_any()
    found = {**ALWAYS, **{key: _number(one) for key, one in value.items()}}
    for key, kind in KINDS.items():
        if isinstance(found.get(key), str):
            found[key] = units.to_si(found[key], kind, what=f"{what}.{key}")
    return Disturbance(**found)


def disturbance_expression(plain: Any) -> str:
    """Return the Python that creates a disturbance from its plain value."""
    call = plain if isinstance(plain, str) else f"Disturbance({_arguments(ALWAYS | plain)})"
    return f"ulna.scenario.disturbances.{call}"


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return INFINITE if value == math.inf else value


def _number(value: Any) -> Any:
    if isinstance(value, list):
        return [_number(one) for one in value]
    return math.inf if value == INFINITE else value


def _arguments(plain: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_python(value)}" for name, value in plain.items())


def _python(value: Any) -> str:
    if isinstance(value, list):
        return f"({', '.join(map(_python, value))}{',' * (len(value) == 1)})"
    return "float('inf')" if value in (INFINITE, math.inf) else repr(value)
