"""The loads on an arm, torques and a force at its tip: numbers, tables, formulas, functions.

What is read of any of these forms is a `Source`. A simulation holds two of them in its `Loads`,
with the Python functions that the compiled engine calls while it works. Compiled code knows no
exceptions: an error in a function is kept, ends the engine's work, and is taken from there.
"""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ulna.arrays import Array, float_array
from ulna.errors import InputError, Problem, shown
from ulna.expressions import Expression
from ulna.kernels import DISABLED
from ulna.motion import Plan, Plans, Trajectory
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Memory
from ulna.simulation.engine.state_derivative import CALLBACK
from ulna.units import separate

if TYPE_CHECKING:
    from ulna.simulation.build import Signal

HOLD, LINEAR = "hold", "linear"
TORQUE, CURRENT, VOLTAGE, POSITION = "torque", "current", "voltage", "position"
UNITS = {TORQUE: "N·m", CURRENT: "A", VOLTAGE: "V", POSITION: "rad"}
MOST_KEPT = 20_000  # numbers of a table that the record of a run repeats
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
    described: Any = None  # for the record of how a run was made
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
    if between not in (HOLD, LINEAR):
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
        return replace(table, spacing=dt)
    values = np.atleast_1d(values)
    if values.ndim != 1 or values.shape[0] not in kind.widths or not np.isfinite(values).all():
        raise InputError(Problem(kind.name, shown(given), f"finite numbers: {kind.need}"))
    return Source(np.zeros(1), widened(values[None, :], width), described=values.tolist())


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
    described = [part if isinstance(part, str) else float(part) for part in parts]
    return Source(np.zeros(1), row, formulas=formulas, described=described)


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
    described: dict[str, Any] = {"rows": len(rows), "until": float(times[-1]), "between": between}
    if rows.size <= MOST_KEPT:
        described |= {"times": times.tolist(), "values": rows.tolist()}
    return Source(np.array(times, dtype=float), rows, between == LINEAR, described=described)


def kinds_of_inputs(sources: Iterable[Source], ints: Any) -> int:
    """Return what changes continuously, but for functions."""
    text = at.TEXT if any(source.formulas for source in sources) else at.STEADY
    return text | at.LAGGED * bool(ints[at.LAGS]) | at.WAVING * bool(ints[at.WAVES])


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
    return Source(np.zeros(1), np.zeros((1, width)), function=asked, described=named(function))


def _quick_array(found: Any, what: str, t: float) -> Array:
    try:
        array = np.asarray(found)
    except ValueError:
        array = np.empty(0, dtype=object)
    if array.dtype.kind in "fiu" and not isinstance(found, np.ma.MaskedArray):
        return array
    return float_array(found, f"{what} at t = {t:g} s")


def named(function: Callable[..., Any]) -> dict[str, str]:
    """Describe a function, which cannot be kept, by its name."""
    return {"function": getattr(function, "__name__", type(function).__name__)}


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


_NATIVE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double)


class Callback:
    """A function of time with an address; an exception in it is kept, and ends the engine's work.

    Compiled code cannot propagate exceptions: it receives 1 instead of 0, returns, and `error` is
    the exception. The function is called by a generator, which waits inside of its `try`: on the
    way into an ordinary function a KeyboardInterrupt would be raised before any `try`, and be lost.
    """

    def __init__(self, work: Callable[[float], None]) -> None:
        self.error: BaseException | None = None
        answers = self._answers(work)
        next(answers)
        if DISABLED:
            self.address = CALLBACK.keep(answers.send)
        else:
            self._native = _NATIVE(answers.send)  # the address is valid while this is alive
            self.address = ctypes.cast(self._native, ctypes.c_void_p).value or 0

    def _answers(self, work: Callable[[float], None]) -> Generator[int, float, None]:
        failed = 0
        while True:
            try:
                while True:
                    work((yield failed))
                    failed = 0
            except GeneratorExit:
                return
            except BaseException as error:
                self.error, failed = error, 1


class Loads:
    """The torques, the force on the tip, and the signals that are watched."""

    def __init__(self, n: int, *, between: str, dt: float, signals: Sequence[Signal]) -> None:
        check_between(between)
        self.n, self.between, self.dt, self.signals = n, between, dt, tuple(signals)
        self.what = TORQUE  # what joints are given: torques, or a command of their motors
        self.callbacks: list[Callback] = []  # kept alive while the engine may call them
        self.calling = ("", 0.0)  # the function that is being called, and for what time
        self._steady = False
        self._given: tuple[Any, Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        # The memory is the simulation's, and addresses are a process's own: see `connect`.
        return {**self.__dict__, "callbacks": [], "_memory": None}

    def set(
        self, command: Any, tip_force: Any, what: str = TORQUE, limits: Array | None = None
    ) -> None:
        """Read what acts, in any of its forms; torques stay within ± `limits`."""
        n, between, dt = self.n, self.between, self.dt
        sources = (
            read_source(command_kind(what, n), command, n, between=between, dt=dt),
            read_source(FORCE, tip_force, n, between=between, dt=dt),
        )
        if limits is not None and what == TORQUE:
            sources = (sources[0].within(limits), sources[1])
        self._act(sources, what)

    def follow(self, command: Any, described: Any) -> None:
        """Command positions of a reference, in place of what joints were given."""
        read = read_source(command_kind(POSITION, self.n), command, self.n)
        self._act((replace(read, described=described), self.sources[1]), POSITION)

    def drop_command(self) -> None:
        """Let nothing act on the joints."""
        self._act((held(self.n), self.sources[1]), TORQUE)

    def _act(self, sources: tuple[Source, Source], what: str) -> None:
        self._sources, self.what, self._given = sources, what, None
        # Whether there are rows without times, of which it is not known yet whether they suffice.
        self.spaced = any(source.spacing for source in self._sources)

    @property
    def sources(self) -> tuple[Source, Source]:
        """The torques, and the force on the tip."""
        if self._given is not None:
            self.set(*self._given, self.what)
        return self._sources

    def apply_in_place(
        self, torque: Any, tip_force: Any, what: str = TORQUE, limits: Array | None = None
    ) -> bool:
        """Write plain numbers over plain numbers; return whether they were such."""
        if not self._steady or what != self.what:
            return False
        n = self.n
        torques, forces = steady_row(command_kind(what, n), torque), steady_row(FORCE, tip_force)
        if torques is None or forces is None:
            return False
        if limits is not None and what == TORQUE:
            torques = np.clip(torques, -limits, limits).tolist()
        per_arm, ints = self._memory.per_arm, self._memory.ints
        first = ints.item(at.TABLES + at.ROWS)
        per_arm[first : first + n] = torques
        first = ints.item(at.TABLES + at.TABLE_FIELDS + at.ROWS)
        per_arm[first : first + at.AXES] = forces
        ints[at.OPEN] = 0
        # For the settings of a run, which few read: lists of its own, as long as what was given.
        self._given = (
            None if torque is None else torques,
            None if tip_force is None else forces[: len(tip_force)],
        )
        return True

    def connect(self, memory: Memory) -> None:
        """Connect formulas and functions to a memory."""
        self._memory = memory
        torque, force = self.sources
        links, ints = memory.links, memory.ints
        links[:-1, at.LIVE] = links[-1, at.TIP_LIVE : at.TIP_LIVE + 3] = 0.0
        ints[at.INPUTS] = kinds_of_inputs((torque, force), ints)
        self.callbacks.clear()
        if torque.function or force.function:
            ints[at.INPUTS] |= at.PYTHON
            ints[at.INPUT_CALL] = self._address(self._call_inputs)
        if any(signal.function for signal in self.signals):
            ints[at.EVENT_CALL] = self._address(self._call_events)
        self._steady = torque.is_steady and force.is_steady

    def _address(self, work: Callable[[float], None]) -> int:
        self.callbacks.append(Callback(work))
        return self.callbacks[-1].address

    def _call_inputs(self, t: float) -> None:
        links, n = self._memory.links, self.n
        q, qd = self._memory.vectors[at.STAGE : at.STAGE + 2, :n].copy()
        torque, force = self._sources
        if torque.function:
            self.calling = (function_name(self.what, torque.described), t)
            links[:n, at.LIVE] = torque.function(t, q, qd)
        if force.function:
            self.calling = (function_name("tip_force", force.described), t)
            links[n, at.TIP_LIVE : at.TIP_LIVE + 3] = force.function(t, q, qd)

    def _call_events(self, t: float) -> None:
        q, qd = self._memory.vectors[at.STAGE : at.STAGE + 2, : self.n].copy()
        first = int(self._memory.ints[at.LIVE_SIGNALS])
        for place, signal in enumerate(self.signals, first):
            if signal.function:
                self.calling = (function_name(f"event '{signal.name}'", signal.described), t)
                self._memory.floats[place] = signal.function(t, q, qd)

    def short_tables(self, t: float) -> list[str]:
        """Return warnings of tables that ended before t [s], the first time that they did."""
        if not self.spaced:
            return []
        found = short_tables(zip((self.what, "tip_force"), self._sources, strict=True), t)
        self.spaced = not found
        return found

    def take_error(self) -> Exception | None:
        """Return the error of a function since the last call; raise it if it is an interrupt."""
        error = self.clear_error()
        if error is None or isinstance(error, Exception):
            return error
        raise error

    def clear_error(self) -> BaseException | None:
        """Clear the engine's error flag, and return the first error that a function raised."""
        for callback in self.callbacks:
            if callback.error is not None:
                error, callback.error = callback.error, None
                self._memory.ints[at.FAULT] = 0
                return error
        return None


def function_name(what: str, described: Any) -> str:
    """Return what messages call a function that is an argument."""
    return f"{what} function '{described['function']}'"
