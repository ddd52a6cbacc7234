"""Arms as plain values, as JSON and TOML have them, and as the Python that makes them."""

from __future__ import annotations

from typing import Any

from ulna.arm.planar_arm import Arm
from ulna.arm.preset_arms import preset, presets
from ulna.arm.robot_files import Table, arm_table, read_arm
from ulna.errors import InputError, Problem, shown


def plain_arm(arm: Arm, *, named: bool = True) -> str | Table:
    """Return the name of a preset, where names are wanted, or the tables of a robot file."""
    known = named and arm.name in presets() and preset(arm.name) == arm
    return arm.name if known else arm_table(arm)


def read_plain_arm(value: Any) -> Arm:
    """Return the arm of a preset's name or of tables; an arm itself as it is."""
    if isinstance(value, str | Arm):
        return preset(value) if isinstance(value, str) else value
    if not isinstance(value, dict):
        raise InputError(Problem("arm", shown(value), "a preset's name, or a table"))
    return read_arm(value)


def arm_expression(value: str | Table) -> str:
    """Return the Python that makes an arm again of its plain value."""
    if isinstance(value, str):
        return f"ulna.preset({value!r})"
    return f"ulna.Arm.from_toml({read_arm(value).to_toml()!r})"
