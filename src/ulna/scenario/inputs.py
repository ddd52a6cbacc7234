"""Torques, commands of motors, and the force on the tip: numbers, tables, formulas, functions.

What is read of any of these forms is a `Source`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ulna.arm import Arm
from ulna.arm.motors import AnyMotor, Motor, ServoMotor, StepperMotor
from ulna.arrays import Array, float_array, freeze
from ulna.errors import InputError, Problem, shown
from ulna.expressions import Expression
from ulna.motion import Plan, Plans, Trajectory
from ulna.units import separate

HOLD, LINEAR = "hold", "linear"
TORQUE, CURRENT, VOLTAGE, POSITION = "torque", "current", "voltage", "position"
UNITS = {TORQUE: "N·m", CURRENT: "A", VOLTAGE: "V", POSITION: "rad"}
MOST_PLAIN = 1e300  # of a number that is taken as it is


class InputKind(NamedTuple):
    """What a source drives: its name in messages, and what its values are."""

    name: str
    widths: tuple[int, ...]  # how many values a row may have
    need: str
    parts: tuple[str, ...]  # names of the single values


@dataclass(frozen=True)
class Source:
    """One input: a table that is held or linear, formulas, and a function."""

    times: Array  # (k,)
    rows: Array  # (k, width)
    ramp: bool = False
    formulas: dict[int, Expression] = field(default_factory=dict)
    function: InputFunction | None = None
    given: Any = None  # the same as a scenario holds it: values that nobody changes
    spacing: float = 0.0  # [s] between rows that came without times; 0 of any other input

    @property
    def is_steady(self) -> bool:
        """Whether it never changes: one row from the start on, and nothing else."""
        changes = self.ramp or self.formulas or self.function is not None
        return not changes and len(self.times) == 1 and self.times.item(0) == 0.0

    def within(self, limits: Array) -> Source:
        """Return the input with each part within ± its limit."""
        formulas = {}
        for place, formula in self.formulas.items():
            limit = limits.item(place)
            bounded = f"min(max({formula.text}, {-limit!r}), {limit!r})"
            if limit < np.inf:
                formula = Expression.parse(bounded, formula.names)
            formulas[place] = formula
        function = self.function and replace(self.function, limits=limits)
        rows = np.clip(self.rows, -limits, limits)
        return replace(self, rows=rows, formulas=formulas, function=function)


@cache
def command_kind(what: str, n: int) -> InputKind:
    """Return the kind of input that torques, currents, voltages or positions of joints are."""
    names = tuple(f"{what} {i + 1}" for i in range(n))
    return InputKind(what, (n,), f"{n} values [{UNITS[what]}], one a joint", names)


FORCE = InputKind(
    "tip_force", (2, 3), "x, y [N], or x, y and a moment [N·m]", ("x force", "y force", "moment")
)


def chosen_command(controller: Any, **given: Any) -> tuple[str, Any]:
    """Return what joints are given, torques or another command of their motors, and its values."""
    named = {name: value for name, value in given.items() if value is not None}
    if len(named) > 1:
        got, need = " and ".join(f"{name}=" for name in named), "one of them"
        raise InputError(Problem("command", got, need, "a motor takes one kind of command"))
    if not named:
        return TORQUE, None
    ((name, value),) = named.items()
    if name != TORQUE and controller is not None:
        need = "nothing beside a controller, which commands the motors itself"
        raise InputError(Problem(name, shown(value), need, "leave out one of the two"))
    return name, value


def names_for(n: int) -> tuple[str, ...]:
    """Return what formulas may name: time, the tip's place, joint angles and rates."""
    joints = range(1, n + 1)
    return ("t", "x", "y", *(f"q{i}" for i in joints), *(f"qd{i}" for i in joints))


def check_between(between: Any) -> None:
    """Raise InputError for an unknown interpolation of tables."""
    if not isinstance(between, str) or between not in (HOLD, LINEAR):
        raise InputError(Problem("between", shown(between), f"'{HOLD}' or '{LINEAR}'"))


def read_source(
    kind: InputKind, given: Any, n: int, *, between: str = HOLD, dt: float = 1e-3
) -> Source:
    """Read an input.

    `given` is None; numbers, one a part; text or a list of texts and numbers; a pair (times,
    rows); an array of rows, dt apart; or a function of t, or of (t, q, qd).
    """
    width = len(kind.parts)
    if given is None:
        return held(width)
    check_no_motion(kind, given, "torque=plan.torque_at")
    if callable(given):
        return _function(kind, given, width)
    if isinstance(given, str):
        given = separate(given)
    if holds_text(given):
        return _formulas(kind, list(given), n)
    if isinstance(given, tuple) and len(given) == 2 and depth(given[1]) == 2:
        return _table(kind, *given, between=between)
    values = float_array(given, kind.name)
    if values.ndim == 2:
        table = _table(kind, dt * np.arange(len(values)), values, between=between)
        return replace(table, given=table.given[1], spacing=dt)
    values = np.atleast_1d(values)
    if values.ndim != 1 or values.shape[0] not in kind.widths or not np.isfinite(values).all():
        raise InputError(Problem(kind.name, shown(given), f"finite numbers: {kind.need}"))
    return Source(np.zeros(1), widened(values[None, :], width), given=tuple(values.tolist()))


def check_no_motion(kind: InputKind, given: Any, torques: str) -> None:
    """Raise InputError for a motion in place of what drives it; `torques` plays a plan's."""
    first = given[0] if isinstance(given, list) and given else given
    if isinstance(first, Plan | Plans | Trajectory):
        hint = (
            f"{torques} plays a plan's torques, without feedback; controller=ComputedTorque(), "
            "reference=plan follows it"
        )
        raise InputError(Problem(kind.name, f"a {type(first).__name__}", kind.need, hint))


def short_tables(sources: Iterable[tuple[str, Source]], t: float) -> list[str]:
    """Return a warning for each table of rows without times that ends before a run does, at t."""
    return [
        f"{name}: its {len(source.rows):,} rows are dt = {source.spacing:g} s apart and reach "
        f"{len(source.rows) * source.spacing:g} s, and the last is held until {t:g} s; a pair "
        f"{name}=(times, rows) says when each applies"
        for name, source in sources
        if len(source.rows) > 1 and 0.0 < len(source.rows) * source.spacing < t * (1.0 - 1e-9)
    ]


@cache
def held(width: int) -> Source:
    """Return an input of so many parts that never changes."""
    return Source(np.zeros(1), np.zeros((1, width)))


def steady_row(kind: InputKind, given: Any) -> list[float] | None:
    """Return plain finite numbers as a whole row; None of what `read_source` has to read."""
    width = len(kind.parts)
    if given is None:
        return [0.0] * width
    if type(given) is np.ndarray and given.ndim == 1:
        given = given.tolist()
    elif type(given) is not list and type(given) is not tuple:
        return None
    if len(given) not in kind.widths:
        return None
    for value in given:
        is_plain = isinstance(value, float) or type(value) is int
        if not is_plain or not -MOST_PLAIN < value < MOST_PLAIN:
            return None
    return [*map(float, given), *[0.0] * (width - len(given))]


def depth(given: Any) -> int:
    """Return how many axes something has; of rows that differ in length as many as they need."""
    try:
        return np.ndim(given)
    except ValueError:
        return 2


def is_table(given: Any) -> bool:
    """Return whether an input, as a scenario holds it, is a table: times and rows, or rows."""
    first = given[0] if isinstance(given, tuple) and given else given
    return isinstance(first, np.ndarray)


def holds_text(given: Any) -> bool:
    """Return whether a list has text in it."""
    return isinstance(given, Sequence) and any(isinstance(part, str) for part in given)


def _formulas(kind: InputKind, parts: list[Any], n: int) -> Source:
    if len(parts) not in kind.widths:
        got = f"{len(parts)} value{'s' * (len(parts) != 1)}"
        raise InputError(Problem(kind.name, got, kind.need))
    row = np.zeros((1, len(kind.parts)))
    formulas = {}
    for place, part in enumerate(parts):
        what = kind.parts[place]
        text = part if isinstance(part, str) else repr(float(part))
        formula = Expression.parse(text.strip(), names_for(n), what)
        if not formula.is_constant:
            formulas[place] = formula
            continue
        row[0, place] = float(formula(**dict.fromkeys(formula.names, 0.0)))
        if not np.isfinite(row[0, place]):
            raise InputError(Problem(what, f"{text!r}, which is {row[0, place]}", "a number"))
    kept = tuple(formulas[k].text if k in formulas else row.item(k) for k in range(len(parts)))
    return Source(np.zeros(1), row, formulas=formulas, given=kept)


def _table(kind: InputKind, times: Any, rows: Any, *, between: str) -> Source:
    times, rows = float_array(times, kind.name), float_array(rows, kind.name)
    if rows.shape[-1] not in kind.widths:
        raise InputError(Problem(kind.name, f"rows of {rows.shape[-1]}", kind.need))
    if times.shape != rows.shape[:1] or not len(times):
        got = f"{times.size} times for {len(rows)} rows"
        raise InputError(Problem(kind.name, got, "one time a row, and at least one"))
    if not (np.isfinite(times).all() and np.isfinite(rows).all()):
        raise InputError(Problem(kind.name, "a table with nan or inf", "finite numbers"))
    backwards = np.flatnonzero(np.diff(times) <= 0.0)
    if len(backwards):
        row = int(backwards[0]) + 1
        got = f"{times[row]:g} s after {times[row - 1]:g} s in row {row + 1}"
        raise InputError(Problem(f"{kind.name} times", got, "times that increase"))
    rows = widened(np.array(rows, dtype=float), len(kind.parts))
    times = np.array(times, dtype=float)
    freeze(times, rows)
    return Source(times, rows, between == LINEAR, given=(times, rows))


@dataclass(frozen=True)
class InputFunction:
    """A function of a user, of t or of (t, q, qd), whose values are checked."""

    kind: InputKind
    function: Callable[..., Any]
    with_state: bool
    limits: Array | None = None  # that the values stay within

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        kind, width = self.kind, len(self.kind.parts)
        found = self.function(t, q, qd) if self.with_state else self.function(t)
        given = np.atleast_1d(_quick_array(found, kind.name, t))
        if self.limits is not None:
            given = np.clip(given, -self.limits, self.limits)
        if given.shape == (width,):
            return given
        if given.ndim != 1 or given.shape[0] not in kind.widths:
            got = f"shape {given.shape} from the function at t = {t:g} s"
            raise InputError(Problem(kind.name, got, kind.need))
        return widened(given[None, :], width)[0]


def _function(kind: InputKind, function: Callable[..., Any], width: int) -> Source:
    asked = InputFunction(kind, function, takes_state(function, kind.name))
    return Source(np.zeros(1), np.zeros((1, width)), function=asked, given=function)


def _quick_array(found: Any, what: str, t: float) -> Array:
    try:
        array = np.asarray(found)
    except ValueError:
        array = np.empty(0, dtype=object)
    if array.dtype.kind in "fiu" and not isinstance(found, np.ma.MaskedArray):
        return array
    return float_array(found, f"{what} at t = {t:g} s")


def check_takes_time(function: Callable[..., Any], what: str) -> None:
    """Raise InputError for a function that cannot be called with a time alone."""
    if takes_state(function, what):
        raise InputError(Problem(what, "a function of (t, q, qd)", "a function of t"))


def takes_state(function: Callable[..., Any], what: str) -> bool:
    """Return whether a function is one of (t, q, qd), and not of t alone."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return False  # of a built-in, which has no signature
    for arguments, with_state in (((0.0, 0.0, 0.0), True), ((0.0,), False)):
        try:
            signature.bind(*arguments)
            return with_state
        except TypeError:
            continue
    raise InputError(Problem(what, f"a function {signature}", "a function of t, or of (t, q, qd)"))


def widened(rows: Array, width: int) -> Array:
    """Fill up rows that leave out the moment."""
    missing = width - rows.shape[1]
    return np.pad(rows, ((0, 0), (0, missing)))


def function_name(what: str, function: Any) -> str:
    """Return what messages call a function that is an argument."""
    return f"{what} function '{getattr(function, '__name__', type(function).__name__)}'"


def takes_positions(arm: Arm) -> bool:
    """Return whether all motors of an arm are commanded positions."""
    return all(takes_position(joint.motor) for joint in arm.joints)


def takes_position(motor: AnyMotor | None) -> bool:
    """Return whether a motor is commanded a position."""
    return isinstance(motor, ServoMotor | StepperMotor)


def command_rates(arm: Arm, rate: float) -> list[float]:
    """Return how often each motor takes a position [Hz]: a servo at its own rate."""
    motors = [joint.motor for joint in arm.joints]
    return [one.update_rate if isinstance(one, ServoMotor) else rate for one in motors]


def check_given(arm: Arm, given: str) -> None:
    """Raise InputError where a joint has no motor that takes such a command."""
    wanted = {
        CURRENT: ((Motor,), "a DC motor", "Motor(voltage=..., resistance=..., ...)"),
        VOLTAGE: ((Motor,), "a DC motor", "Motor(voltage=..., resistance=..., ...)"),
        POSITION: ((ServoMotor, StepperMotor), "a servo or a stepper", "ServoMotor(...)"),
    }
    if given not in wanted:
        return
    kinds, name, hint = wanted[given]
    problems = []
    for number, joint in enumerate(arm.joints, 1):
        if not isinstance(joint.motor, kinds):
            kind = getattr(joint.motor, "kind", "ideal")
            got = f"joint {number} with {'an' if kind == 'ideal' else 'a'} {kind} motor"
            advice = f"Joint(motor={hint}), or torque=, which suits all"
            problems.append(Problem(given, got, f"{name} at every joint", advice))
    if problems:
        raise InputError(problems)
