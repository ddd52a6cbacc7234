"""The tables [loop], [sensors] and [actuators] of robot files, read and written."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ulna import units
from ulna.arm.control_loop import (
    ACTUATOR_TIMES,
    ACTUATORS,
    LOOP,
    NO_LOOP,
    SENSOR_TIMES,
    SENSORS,
    Actuators,
    ControlLoop,
    Sensors,
)
from ulna.errors import Problems, shown

LOOP_TABLES = ("loop", "sensors", "actuators")
LOOP_KINDS: Mapping[str, Mapping[str, str]] = {
    name: {key: number.kind for key, number in numbers.items()}
    for name, numbers in (
        ("loop", LOOP),
        ("sensors", SENSORS | SENSOR_TIMES),
        ("actuators", ACTUATORS | ACTUATOR_TIMES),
    )
}
_PLAIN = {"sensors": ("seed", "rate_from")}  # keys whose values have no unit


def read_loop(checks: Problems, document: Mapping[str, Any]) -> ControlLoop | None:
    """Return the loop that a document describes, None if it has none; faults are noted."""
    tables = {name: document[name] for name in LOOP_TABLES if name in document}
    if not tables:
        return None
    before = len(checks.found)
    values = {name: _values(checks, name, table) for name, table in tables.items()}
    if len(checks.found) > before:
        return None
    parts: dict[str, Any] = dict(values.get("loop", {}))
    for name, kind in (("sensors", Sensors), ("actuators", Actuators)):
        if name in values:
            with checks.gather():
                parts[name] = kind(**values[name])
    with checks.gather("loop"):
        return ControlLoop(**parts)
    return None


def _values(checks: Problems, name: str, table: Any) -> dict[str, Any]:
    if not isinstance(table, dict):
        checks.add(name, shown(table), f"a table [{name}]")
        return {}
    kinds, plain = LOOP_KINDS[name], _PLAIN.get(name, ())
    checks.unknown_keys(table, (*kinds, *plain), name)
    values: dict[str, Any] = {}
    for key, given in table.items():
        if key in plain:
            values[key] = given
        elif key in kinds:
            with checks.gather():
                rows = given if isinstance(given, list) else [given]
                read = [units.to_si(one, kinds[key], what=f"{name}.{key}") for one in rows]
                values[key] = read if isinstance(given, list) else read[0]
    return values


def write_loop(loop: ControlLoop | None) -> str:
    """Return the tables of a loop: what differs from the defaults, exact."""
    if loop is None:
        return ""
    tables = {"loop": {} if loop.rate is None else {"rate": loop.rate}}
    for name, part in (("sensors", loop.sensors), ("actuators", loop.actuators)):
        if part is not None:
            tables[name] = {
                one.name: getattr(part, one.name)
                for one in dataclasses.fields(part)
                if getattr(part, one.name) != one.default
            }
    if loop != NO_LOOP and not tables["loop"]:
        del tables["loop"]
    return "".join(_written(name, values) for name, values in tables.items())


def _written(name: str, values: Mapping[str, Any]) -> str:
    lines = ["", f"[{name}]", *(f"{key} = {_value(value)}" for key, value in values.items())]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return repr([*value]) if isinstance(value, tuple) else repr(value)
