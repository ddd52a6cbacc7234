"""What acts on an arm, as people type it: numbers with units, formulas, or a table in a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ulna import units
from ulna.arm import Arm
from ulna.cli.arguments import check_count, number_reader, read_force, read_joints
from ulna.cli.torque_table import read_table
from ulna.errors import InputError, Problem, shown
from ulna.expressions import Expression
from ulna.simulation.loads import names_for

SI = {"torque": "N·m", "force": "N"}
FORCE_KINDS = ("force", "force", "torque")


def read_torques(text: str, arm: Arm, what: str) -> Any:
    """Read one torque a joint, "300, 5*sin(t), 20 kg*cm", or the name of a .csv file."""
    if text.strip().lower().endswith(".csv"):
        return read_table(text.strip(), arm.n)
    items = units.separate(text)
    check_count(len(items), "torque", arm, what, "3 N*m")
    if not _any_formula(items, arm):
        return read_joints(text, "torque", arm, what, "3 N*m")
    return _each(items, ("torque",) * arm.n, arm, what)


def read_tip_force(text: str, arm: Arm, what: str) -> Any:
    """Read a force "x, y", or "x, y, moment", on the tip, in numbers or formulas."""
    items = units.separate(text)
    if len(items) not in (2, 3) or not _any_formula(items, arm):
        return read_force(text, what)
    return _each(items, FORCE_KINDS, arm, what)


def _any_formula(items: Sequence[str], arm: Arm) -> bool:
    return any(_is_formula(item, names_for(arm.n)) for item in items)


def _is_formula(item: str, names: Sequence[str]) -> bool:
    """Whether the text is no number; one with a fault in it is, and shows where the fault is."""
    amount = units.split_unit(item)[0] if _has_unit(item, names) else item
    try:
        return bool(amount) and not Expression.parse(amount, names).is_constant
    except InputError:
        return True


def _has_unit(item: str, names: Sequence[str]) -> bool:
    amount, unit = units.split_unit(item)
    # A number before a condition, "5 if t < 1 else 0", is no number of ifs.
    if not unit or unit in names or unit.split()[0] == "if":
        return False
    return units.known_unit(unit) is not None or _is_number(amount)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _each(items: Sequence[str], kinds: Sequence[str], arm: Arm, what: str) -> list[str | float]:
    """Read every item by itself, and tell all that is wrong with any."""
    values: list[str | float] = []
    problems: list[Problem] = []
    for index, (item, kind) in enumerate(zip(items, kinds, strict=False), 1):
        try:
            values.append(_value(item, kind, names_for(arm.n), f"{what}.{index}"))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return values


def _value(item: str, kind: str, names: Sequence[str], what: str) -> str | float:
    if not _has_unit(item, names):
        formula = Expression.parse(item, names, what)
        return float(number_reader(what)(item)) if formula.is_constant else item
    amount, _ = units.split_unit(item)
    if _is_formula(item, names):
        need = f"a number with a unit, or a formula in {SI[kind]} without one"
        raise InputError(Problem(what, shown(item), need, f'write "{amount}"'))
    return units.to_si(item, kind, what=what, number=number_reader(what))
