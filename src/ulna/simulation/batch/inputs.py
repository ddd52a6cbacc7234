"""What acts on the arms of a batch: one input for all, or one for each.

Arms can go in lanes together where the times and the form of their inputs are the same, whatever
the values. So every input is taken apart into forms, and for each arm a number says which is its.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar

import numpy as np

from ulna.arrays import Array, float_array
from ulna.errors import InputError, Problem, shown
from ulna.simulation.disturbances import Disturbance, sizes
from ulna.simulation.sensors import Sensors
from ulna.simulation.sources import (
    HOLD,
    LINEAR,
    InputKind,
    Source,
    check_no_motion,
    depth,
    holds_text,
    read_source,
    split_formulas,
)

Item = TypeVar("Item")

PERFECT = Sensors()


@dataclass(frozen=True)
class Form:
    """Inputs that differ in nothing but their values."""

    example: Any
    values: Array  # (1 or b, k)
    rows: Array  # (B,) which of them is an arm's

    def of(self, members: Array) -> Array:
        """Return the values of some arms, (1, k) if they are the same for all."""
        return self.values if len(self.values) == 1 else self.values[self.rows[members]]


@dataclass(frozen=True)
class Input:
    """One input of all arms."""

    labels: Array  # (B,) which form is an arm's
    forms: tuple[Form, ...]

    @property
    def count(self) -> int:
        """For how many arms it is: 1 is for any number."""
        return len(self.labels)


def for_all(example: Any, values: Array) -> Input:
    """Return the input that serves any number of arms."""
    nobody = np.zeros(1, dtype=np.intp)
    return Input(nobody, (Form(example, values.reshape(1, -1), nobody),))


def for_each(examples: Sequence[Any], key: Callable[[Any], Hashable], values: Any) -> Input:
    """Return the input of as many arms, sorted into forms by a key."""
    arms_by_form: dict[Hashable, list[int]] = {}
    for arm, example in enumerate(examples):
        arms_by_form.setdefault(key(example), []).append(arm)
    labels, rows = np.zeros((2, len(examples)), dtype=np.intp)
    for label, arms in enumerate(arms_by_form.values()):
        labels[arms], rows[arms] = label, np.arange(len(arms))
    forms = [
        Form(examples[arms[0]], np.stack([values(examples[arm]) for arm in arms]), rows)
        for arms in arms_by_form.values()
    ]
    return Input(labels, tuple(forms))


def read_input(kind: InputKind, given: Any, n: int, *, between: str, dt: float) -> Input:
    """Read torques, or forces on the tip.

    For all arms: as `ulna.simulate` takes them, but for functions. For each its own: numbers
    (B, width), rows dt apart (B, K, width), a pair of times and such rows, or a list of B.
    """
    if given is None:
        return _nothing(len(kind.parts))
    check_no_motion(kind, given, "torque=(plan.t, plan.tau)")
    if callable(given):
        need = "numbers, tables or text, which many arms can run at once"
        raise InputError(Problem(kind.name, "a function", need, "try text, or ulna.simulate"))
    if is_a_list_of_them(given, kind.widths):
        sources = [_read(kind, one, n, between, dt, arm) for arm, one in enumerate(given)]
        return for_each(sources, _form_of, _values_of)
    pair = isinstance(given, tuple) and len(given) == 2 and depth(given[1]) >= 2
    times, table = given if pair else (None, given)
    rows: Array = np.zeros(0)
    if table is not None and not isinstance(table, str) and not holds_text(table):
        rows = float_array(table, kind.name)
    if rows.shape == (len(kind.parts),) and np.isfinite(rows).all():
        row = rows[None].astype(float)
        return for_all(Source(np.zeros(1), row), row)
    if rows.ndim < (3 if pair else 2):
        source = read_source(kind, given, n, between=between, dt=dt)
        return for_all(source, _values_of(source))
    rows = rows[:, None] if rows.ndim == 2 else rows
    times = times if pair else dt * np.arange(rows.shape[1])
    return _tables(kind, times, rows, between, 0.0 if pair else dt)


@cache
def _nothing(width: int) -> Input:
    """Return the input of so many parts that is none."""
    source = Source(np.zeros(1), np.zeros((1, width)))
    return for_all(source, source.rows)


def is_a_list_of_them(given: Any, widths: Sequence[int]) -> bool:
    """Return whether something is a list with an input for each arm, and not one input.

    Formulas, one a part, are one input; a text with commas is an input of its own.
    """
    if not isinstance(given, list):
        return False
    flat = all(isinstance(one, str | int | float) for one in given)
    several = any(isinstance(one, str) and len(split_formulas(one)) > 1 for one in given)
    if flat and len(given) in widths and not several:
        return False
    return any(one is None or isinstance(one, str | tuple) or holds_text(one) for one in given)


def _read(kind: InputKind, given: Any, n: int, between: str, dt: float, arm: int) -> Source:
    name = f"{kind.name}[{arm}]"
    own = kind._replace(name=name, parts=tuple(f"{name}, {part}" for part in kind.parts))
    if callable(given):
        raise InputError(Problem(own.name, "a function", "numbers, a table or text"))
    return read_source(own, given, n, between=between, dt=dt)


def _tables(kind: InputKind, times: Any, rows: Array, between: str, spacing: float) -> Input:
    """Read tables (B, K, width) with the same times; an arm runs as far as its rows have values."""
    if rows.ndim != 3 or rows.shape[-1] not in kind.widths or not rows.size:
        need = f"(B, {kind.widths[-1]}), or (B, K, {kind.widths[-1]}): {kind.need}"
        raise InputError(Problem(kind.name, f"shape {rows.shape}", need))
    if type(times) is np.ndarray and times.tolist() == [0.0] and rows.shape[1] == 1:
        example = Source(times, np.zeros((1, len(kind.parts))))
    else:
        example = read_source(kind, (times, np.zeros(rows.shape[1:])), 1, between=between)
        example = replace(example, spacing=spacing)
    width = len(kind.parts)
    values = rows
    if rows.shape[-1] < width:
        values = np.pad(rows, ((0, 0), (0, 0), (0, width - rows.shape[-1])))
    count = len(values)
    form = Form(example, values.reshape(count, -1), np.arange(count))
    return Input(np.zeros(count, dtype=np.intp), (form,))


def _form_of(source: Source) -> Hashable:
    codes = tuple(
        (place, one.program.codes.tobytes(), one.program.arguments.tobytes())
        for place, one in source.formulas.items()
    )
    return source.times.tobytes(), source.ramp, codes


def _values_of(source: Source) -> Array:
    """Return the rows of a table, and the numbers in its formulas after them."""
    constants = [formula.program.constants for formula in source.formulas.values()]
    return np.concatenate([source.rows.reshape(-1), *constants])


def read_disturbances(given: Any, n: int) -> Input:
    """Read disturbances: a list for all arms, or a list of such lists."""
    if not isinstance(given, Sequence):
        raise InputError(Problem("disturbances", shown(given), "a list of them"))
    is_list = bool(given) and all(isinstance(one, Sequence) for one in given)
    lists = [tuple(one) for one in given] if is_list else [tuple(given)]
    if not all(isinstance(one, Disturbance) for group in lists for one in group):
        hint = "see ulna.simulation.disturbances"
        raise InputError(Problem("disturbances", shown(given), "a list of them", hint))
    if not is_list:
        return for_all(lists[0], sizes(lists[0], n)) if lists[0] else _undisturbed()
    return for_each(
        lists,
        lambda group: tuple((one.start, one.stop, one.rate, one.seed) for one in group),
        lambda group: sizes(group, n).reshape(-1),
    )


@cache
def _undisturbed() -> Input:
    return for_all((), np.zeros(0))


@cache
def _perfect(n: int) -> Input:
    """Return the sensors that show things as they are."""
    return for_all(PERFECT, PERFECT.layout(n))


def read_sensors(given: Any, n: int, rate: float) -> Input:
    """Read sensors: for all arms, or a list of them."""
    if given is None:
        return _perfect(n)
    is_list = isinstance(given, Sequence) and not isinstance(given, str)
    sensors = list(given) if is_list else [given]
    for place, one in enumerate(sensors):
        if not isinstance(one, Sensors):
            what = f"sensors[{place}]" if is_list else "sensors"
            raise InputError(Problem(what, shown(one), "Sensors(...)"))
    if not is_list:
        return for_all(sensors[0], sensors[0].layout(n))
    return for_each(
        sensors,
        lambda one: (one.ticks_late(1.0 / rate), one.seed, bool(np.any(one.layout(n)))),
        lambda one: one.layout(n).reshape(-1),
    )


def check_between(between: Any) -> None:
    """Raise InputError for an unknown interpolation of tables."""
    if between not in (HOLD, LINEAR):
        raise InputError(Problem("between", shown(between), f"'{HOLD}' or '{LINEAR}'"))
