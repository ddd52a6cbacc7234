"""The table [vary] of a sweep: which parameters, and which values of each.

    "link.2.mass" = { from = "0.1 kg", to = "1 kg", count = 10 }     # scale = "log" for ratios
    "payload" = ["0 g", "100 g", "200 g"]
    "controller" = ["PD(natural_frequency=10)", "ComputedTorque()"]

is a grid. With `design = "sobol"`, "latin-hypercube" or "random", and `count` and `seed` beside it,
it is a design of so many points, whose parameters have { from, to }, { mean, std } or lists.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ulna.arm import Arm
from ulna.arrays import whole
from ulna.control import Controller, read_controller
from ulna.errors import (
    InputError,
    Problem,
    Problems,
    did_you_mean,
    nearest_name,
    shown,
    shown_key,
)
from ulna.sweep.cases import Case
from ulna.sweep.sampling import (
    DESIGNS,
    MOST_COORDINATES,
    MOST_DRAWN,
    MOST_VALUES,
    Axis,
    Design,
    Distribution,
    grid,
    plain_value,
    spaced,
)
from ulna.sweep.sweep_parameters import CHOICE, WHOLE, Choice, Parameter, parameter

SETTINGS = ("design", "count", "seed")
RANGE = ("from", "to", "count", "scale")
FORMS = "a list of values, or { from = ..., to = ..., count = ... }"
FORMS_OF_DESIGN = "{ from = ..., to = ... }, { mean = ..., std = ... }, or a list of values"

# Reads an arm, or a path, of text or as it is: its label and the thing itself.
ReadThing = Callable[[Any, str], Any]


def read_design(
    given: Any, base: Case, find_arm: ReadThing, find_path: ReadThing
) -> tuple[Design, tuple[Parameter, ...]]:
    """Read what is varied.

    Parameters
    ----------
    given : mapping, or sequence of pairs
        The table [vary].
    base : Case
        What is varied.
    find_arm, find_path : callable
        Read arms and paths, of text or as they are.

    Returns
    -------
    design : Design
        The points.
    parameters : tuple of Parameter
        What is varied, in the order of the table.

    Raises
    ------
    InputError
        With everything that is wrong with it.
    """
    table = dict(_pairs(given))
    checks = Problems()
    with checks.gather("vary"):
        settings = _settings(table)
    checks.raise_if_any()
    reader = _AxisReader(base, settings["design"] == "grid", find_arm, find_path)
    axes: list[Axis | Distribution] = []
    parameters: list[Parameter] = []
    for name, values in table.items():
        with checks.gather("vary"):
            found = parameter(name, base, table)
            parameters.append(found)
            axes.append(reader.axis(found, values))
    _check_twice(checks, parameters)
    checks.raise_if_any()
    return _design(axes, settings), tuple(parameters)


def _pairs(given: Any) -> Iterable[tuple[str, Any]]:
    pairs = given.items() if isinstance(given, Mapping) else given
    try:
        return [(str(name), value) for name, value in pairs]
    except (TypeError, ValueError):
        need = 'a table such as { "link.2.mass" = [0.1, 0.2] }'
        raise InputError(Problem("vary", shown(given), need)) from None


def _settings(table: dict[str, Any]) -> dict[str, Any]:
    """Take design, count and seed out of the table, and return them."""
    design = table.pop("design", "grid")
    if not isinstance(design, str) or design not in DESIGNS:
        hint = nearest_name(str(design), DESIGNS)
        raise InputError(Problem("design", shown(design), "the name of a design", hint))
    found = {"design": design, "count": 0, "seed": 0}
    if design == "grid":
        if "count" in table:
            need = "nothing in a grid, whose parameters have counts of their own"
            hint = 'say design = "sobol" for a design of so many points'
            raise InputError(Problem("count", shown(table["count"]), need, hint))
        return found
    found["count"] = whole("count", table.pop("count", None), 1, MOST_DRAWN)
    if "seed" in table and not isinstance(table["seed"], list | Mapping):
        found["seed"] = whole("seed", table.pop("seed"), 0, 2**53)
    return found


def _check_twice(checks: Problems, parameters: list[Parameter]) -> None:
    seen: dict[str, str] = {}
    for one in parameters:
        short = one.name.removeprefix("simulation.").removesuffix("payload.mass")
        key = short or "payload"
        if key in seen:
            checks.add(f"vary.{one.name}", f"the same as {seen[key]}", "it once")
        seen[key] = one.name


def _design(axes: list[Axis | Distribution], settings: Mapping[str, Any]) -> Design:
    if settings["design"] == "grid":
        return grid([axis for axis in axes if isinstance(axis, Axis)])
    count, dimensions = settings["count"], len(axes)
    if not axes:
        raise InputError(Problem("vary", "a design without parameters", "at least one"))
    if count * dimensions > MOST_COORDINATES:
        got = f"{count:,} points of {dimensions:,} parameters"
        raise InputError(Problem("vary.count", got, f"at most {MOST_COORDINATES:,} numbers"))
    return Design(settings["design"], tuple(axes), count, settings["seed"])


class _AxisReader:
    """Reads the values of parameters."""

    def __init__(
        self, base: Case, is_grid: bool, find_arm: ReadThing, find_path: ReadThing
    ) -> None:
        self.base, self.is_grid = base, is_grid
        self.find_arm, self.find_path = find_arm, find_path

    def axis(self, one: Parameter, given: Any) -> Axis | Distribution:
        if isinstance(given, Mapping):
            return self._range(one, given)
        listed = self._listed(one, given)
        if one.kind == CHOICE:
            return Axis(one.name, self._choices(one, listed))
        numbers = isinstance(given, np.ndarray) and given.dtype.kind in "iuf"
        if one.is_number and numbers and np.isfinite(given).all():
            return Axis(one.name, np.array(given, dtype=float))
        checks, read = Problems(), list[Any]()
        for number, value in enumerate(listed, 1):
            with checks.gather():
                read.append(one.read(plain_value(value), f"{one.name}.{number}"))
        checks.raise_if_any()
        if one.is_number and one.kind != "flag":
            return Axis(one.name, np.array(read, dtype=float))
        return Axis(one.name, tuple(read))

    def _listed(self, one: Parameter, given: Any) -> list[Any]:
        one_axis = isinstance(given, Iterable) and getattr(given, "ndim", 1) == 1
        if isinstance(given, str | Arm) or not one_axis:
            hint = f"[{shown(given)}] is a list of one" if not isinstance(given, Arm) else ""
            need = FORMS if self.is_grid else FORMS_OF_DESIGN
            raise InputError(Problem(one.name, shown(given), need, hint))
        listed = list(given)
        if not listed:
            raise InputError(Problem(one.name, "no values", "at least one"))
        return listed

    def _range(self, one: Parameter, given: Mapping[str, Any]) -> Axis | Distribution:
        if not one.is_number or one.kind == "flag":
            raise InputError(Problem(one.name, shown(dict(given)), "a list of values"))
        normal = "mean" in given or "std" in given
        known = ("mean", "std") if normal else RANGE if self.is_grid else ("from", "to", "scale")
        checks = Problems()
        for key in given:
            if key not in known:
                hint = did_you_mean(key, known)
                need = f"one of {', '.join(known)}"
                checks.add(f"{one.name}.{shown_key(key)}", "an unknown key", need, hint)
        checks.raise_if_any()
        if normal:
            return self._normal(one, given)
        low, high = self._ends(one, given, ("from", "to"))
        scale = given.get("scale", "linear")
        if scale not in ("linear", "log"):
            raise InputError(Problem(f"{one.name}.scale", shown(scale), "'linear' or 'log'"))
        if scale == "log" and not (low > 0.0 and high > 0.0):
            got = f"{low:g} to {high:g}"
            raise InputError(Problem(one.name, got, "positive ends for a logarithmic scale"))
        if not self.is_grid:
            return Distribution(one.name, low, high, scale)
        count = whole(f"{one.name}.count", given.get("count"), 1, MOST_VALUES)
        values = spaced(low, high, count, scale)
        if one.kind == WHOLE:
            return Axis(one.name, np.round(values))
        return Axis(one.name, values, scale if count > 1 else None)

    def _normal(self, one: Parameter, given: Mapping[str, Any]) -> Distribution:
        if self.is_grid:
            hint = 'say design = "sobol", or "random", and a count'
            raise InputError(Problem(one.name, shown(dict(given)), FORMS, hint))
        mean, std = self._ends(one, given, ("mean", "std"))
        if not std >= 0.0:
            raise InputError(Problem(f"{one.name}.std", shown(given["std"]), "at least 0"))
        return Distribution(one.name, mean, std, "normal")

    def _ends(
        self, one: Parameter, given: Mapping[str, Any], keys: tuple[str, str]
    ) -> tuple[float, float]:
        checks, found = Problems(), [math.nan, math.nan]
        for place, key in enumerate(keys):
            if key not in given:
                checks.add(f"{one.name}.{key}", "nothing", "a value")
                continue
            with checks.gather():
                found[place] = one.read(plain_value(given[key]), f"{one.name}.{key}")
        checks.raise_if_any()
        return found[0], found[1]

    def _choices(self, one: Parameter, listed: list[Any]) -> tuple[Choice, ...]:
        checks, found = Problems(), list[Choice]()
        for number, value in enumerate(listed, 1):
            with checks.gather():
                found.append(self._choice(one, value, f"{one.name}.{number}"))
        labels = [choice.label for choice in found]
        for label in {label for label in labels if labels.count(label) > 1}:
            checks.add(one.name, f"{shown(label)} twice", "different ones")
        checks.raise_if_any()
        return tuple(found)

    def _choice(self, one: Parameter, value: Any, what: str) -> Choice:
        if one.name == "arm":
            return self._arm(value, what)
        if one.name == "path":
            made = self.find_path(value, what)
            return Choice(str(made), made)
        if not isinstance(value, str | Controller):
            raise InputError(Problem(what, shown(value), "a controller, or text that makes one"))
        controller = read_controller(value, what) if isinstance(value, str) else value
        return Choice(repr(controller), controller)

    def _arm(self, value: Any, what: str) -> Choice:
        label = value.get("label") if isinstance(value, Mapping) else value
        arm: Arm = self.find_arm(value, what)
        if arm.n != self.base.arm.n:
            need = f"{self.base.arm.n}, as the arm of the sweep has"
            raise InputError(Problem(what, f"an arm of {arm.n} joints", need))
        if arm.loop != self.base.arm.loop:
            hint = "give sensors, actuators and rate in the sweep's file"
            need = "the loop of the sweep's arm"
            raise InputError(Problem(what, "an arm with another control loop", need, hint))
        return Choice(label if isinstance(label, str) else arm.name or str(what), arm)
