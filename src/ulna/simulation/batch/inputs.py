"""What acts on the arms of a batch: one input for all, or one for each.

Arms can go in lanes together where the times and the form of their inputs are the same, whatever
the values. So every input is taken apart into forms, and for each arm a number says which is its:
torques and tip forces, disturbances, sensors, and the laws of controllers. What controllers follow,
`References`, is computed tick by tick.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ulna.arm import Actuators, Arm, ControlLoop, Parameters, parameters_of
from ulna.arm.control_loop import NO_LOOP
from ulna.arrays import Array, float_array
from ulna.control import CompiledLaw, ControlTiming
from ulna.control.controller import check_controller, compile_controller
from ulna.errors import InputError, Problem, shown
from ulna.motion import Trajectory
from ulna.scenario.disturbances import Disturbance, sizes, wave_programs
from ulna.scenario.inputs import (
    InputKind,
    Source,
    check_no_motion,
    depth,
    held,
    holds_text,
    read_source,
)
from ulna.scenario.loops import IDEAL, PERFECT, timing_of
from ulna.scenario.references import (
    Follow,
    TickRange,
    block,
    follow_function,
    follow_motion,
    trajectory_of,
)
from ulna.simulation.sensors import Sensors, actuator_row, sensor_row
from ulna.units import separate

PERFECT_LOOP = ControlLoop(None, PERFECT, IDEAL)
MOST_WRITTEN = 8  # numbers of an array that a description holds
_FIRST = np.zeros(1, dtype=np.intp)


class Form(NamedTuple):
    """Inputs that differ in nothing but their values."""

    example: Any
    values: Array  # (1 or b, k)
    rows: Array | None  # (B,) which of them is an arm's; None if they are in the order of the arms

    def of(self, members: slice | Array) -> Array:
        """Return the values of some arms, (1, k) if they are the same for all."""
        if len(self.values) == 1:
            return self.values
        return self.values[members if self.rows is None else self.rows[members]]


class Input(NamedTuple):
    """One input of all arms."""

    labels: Array  # (B,) which form is an arm's; (1,) is for any number of arms
    forms: tuple[Form, ...]


def for_all(example: Any, values: Array) -> Input:
    """Return the input that serves any number of arms."""
    return Input(_FIRST, (Form(example, values.reshape(1, -1), _FIRST),))


NOBODY, UNDISTURBED = for_all(None, np.zeros(0)), for_all((), np.zeros(0))


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


def joint_rows(what: str, given: Any, n: int, unit: str) -> Array:
    """Read numbers (n,) for all arms, or (B, n)."""
    values = np.asarray(float_array(given, what, unit), dtype=float)
    rows = values[None] if values.ndim == 0 else values
    if rows.ndim > 2 or rows.shape[-1] != n:
        need = f"({n},) for all arms or (B, {n}), {n} value{'s' * (n > 1)} [{unit}] each"
        raise InputError(Problem(what, f"shape {values.shape}", need))
    return rows


def _listed(given: Any, what: str) -> list[tuple[str, Any]]:
    """Return one thing for all arms, or those of a list, with their names in messages."""
    if isinstance(given, Sequence) and not isinstance(given, str):
        return [(f"{what}[{arm}]", one) for arm, one in enumerate(given)]
    return [(what, given)]


def read_input(kind: InputKind, given: Any, n: int, *, between: str, dt: float) -> Input:
    """Read torques, or forces on the tip.

    For all arms: as `ulna.simulate` takes them, but for functions. For each its own: numbers
    (B, width), rows dt apart (B, K, width), a pair of times and such rows, or a list of B.
    """
    width = len(kind.parts)
    if given is None:
        return for_all(held(width), np.zeros(width))
    times, rows, spacing = None, given, dt
    if type(given) is not np.ndarray or given.dtype.kind != "f":
        check_no_motion(kind, given, "torque=(plan.t, plan.tau)")
        if callable(given):
            need = "numbers, tables or text, which many arms can run at once"
            raise InputError(Problem(kind.name, "a function", need, "try text, or ulna.simulate"))
        if is_a_list_of_them(given, kind.widths):
            sources = [_read(kind, one, n, between, dt, arm) for arm, one in enumerate(given)]
            return for_each(sources, _form_of, _values_of)
        if isinstance(given, tuple) and len(given) == 2 and depth(given[1]) >= 2:
            (times, rows), spacing = given, 0.0
        is_text = rows is None or isinstance(rows, str) or holds_text(rows)
        rows = np.zeros(0) if is_text else float_array(rows, kind.name)
    if rows.shape == (width,) and np.isfinite(rows).all():
        return for_all(held(width), rows.astype(float))
    if rows.ndim < (2 if spacing else 3):
        source = read_source(kind, given, n, between=between, dt=dt)
        return for_all(source, _values_of(source))
    rows = rows[:, None] if rows.ndim == 2 else rows
    return _tables(kind, times, rows, between, spacing)


def is_a_list_of_them(given: Any, widths: Sequence[int]) -> bool:
    """Return whether something is a list with an input for each arm, and not one input.

    Formulas, one a part, are one input; a text with commas is an input of its own.
    """
    if not isinstance(given, list):
        return False
    flat = all(isinstance(one, str | int | float) for one in given)
    several = any(isinstance(one, str) and len(separate(one)) > 1 for one in given)
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
    """Read tables (B, K, width) with the same times; an arm runs as far as its rows have values.

    Without times the rows are `spacing` [s] apart.
    """
    if rows.ndim != 3 or rows.shape[-1] not in kind.widths or not rows.size:
        need = f"(B, {kind.widths[-1]}), or (B, K, {kind.widths[-1]}): {kind.need}"
        raise InputError(Problem(kind.name, f"shape {rows.shape}", need))
    count, length, given = rows.shape
    width = len(kind.parts)
    example = held(width)
    if length > 1 or times is not None:
        instants = spacing * np.arange(length) if times is None else times
        example = read_source(kind, (instants, np.zeros((length, given))), 1, between=between)
        example = replace(example, spacing=spacing)
    if given < width:
        rows = np.pad(rows, ((0, 0), (0, 0), (0, width - given)))
    return Input(np.zeros(count, dtype=np.intp), (Form(example, rows.reshape(count, -1), None),))


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
        hint = "see ulna.scenario.disturbances"
        raise InputError(Problem("disturbances", shown(given), "a list of them", hint))
    if not is_list:
        return for_all(lists[0], _disturbance_row(lists[0], n)) if lists[0] else UNDISTURBED
    return for_each(
        lists,
        lambda group: _disturbance_form(group, n),
        lambda group: _disturbance_row(group, n),
    )


def _disturbance_form(group: Sequence[Disturbance], n: int) -> Hashable:
    times = tuple((one.start, one.stop, one.rate, one.seed) for one in group)
    programs = wave_programs(group, n)
    return times, tuple(
        (place, one.codes.tobytes(), one.arguments.tobytes()) for place, one in programs
    )


def _disturbance_row(group: Sequence[Disturbance], n: int) -> Any:
    """Return how large disturbances are, and then the numbers in their formulas."""
    constants = [one.constants for _, one in wave_programs(group, n)]
    return np.concatenate([sizes(group, n).reshape(-1), *constants])


@cache
def _perfect(n: int) -> Input:
    """Return the sensors that show things as they are, and actuators that obey at once."""
    return for_all(PERFECT_LOOP, sensor_row(PERFECT, n, 1.0))


def read_loops(arms: Any, sensors: Any, actuators: Any, n: int, rate: float) -> Input:
    """Read sensors and actuators: for all arms, or lists of them; else those of the arms' loops."""
    kinds = (("sensors", sensors, Sensors), ("actuators", actuators, Actuators))
    for name, given, kind in kinds:
        for what, one in [] if given is None else _listed(given, name):
            if not isinstance(one, kind):
                raise InputError(Problem(what, shown(one), f"{kind.__name__}(...)"))
    several = isinstance(arms, Sequence) and not isinstance(arms, Parameters)
    own = [getattr(one, "loop", None) or NO_LOOP for one in (arms if several else [arms])]
    chosen_sensors = _one_each(sensors, [loop.sensors or PERFECT for loop in own], "sensors")
    chosen = _one_each(actuators, [loop.actuators or IDEAL for loop in own], "actuators")
    count = max(len(chosen_sensors), len(chosen))
    if count == 1 and chosen_sensors[0] is PERFECT and chosen[0] is IDEAL:
        return _perfect(n)
    for one in (chosen_sensors, chosen):
        if len(one) not in (1, count):
            need = f"one for all arms, or {count}, one for each"
            raise InputError(Problem("actuators", f"{len(chosen)} of them", need))
    loops = [
        ControlLoop(None, chosen_sensors[k % len(chosen_sensors)], chosen[k % len(chosen)])
        for k in range(count)
    ]
    if count == 1:
        return for_all(loops[0], _loop_row(loops[0], n, rate))
    return for_each(loops, lambda one: _loop_form(one, n), lambda one: _loop_row(one, n, rate))


def _one_each(given: Any, own: list[Any], what: str) -> list[Any]:
    """Return what is given, or what arms have of their own; one if all are the same."""
    chosen = own if given is None else [one for _, one in _listed(given, what)]
    if not chosen:
        raise InputError(Problem(what, "none", "at least one"))
    if given is None and all(one == chosen[0] for one in chosen):
        return chosen[:1]
    return chosen


def _loop_form(loop: ControlLoop, n: int) -> Hashable:
    """Return what arms have in common whose sensors and actuators go in lanes together."""
    sensors, actuators = loop.sensors or PERFECT, loop.actuators or IDEAL
    timing = (sensors.delay, sensors.rate, sensors.rate_from, sensors.rate_bandwidth)
    numbers = bool(np.any(sensors.samples(n, 1.0)))
    return timing, sensors.seed, numbers, actuators == IDEAL, actuators.delay


def _loop_row(loop: ControlLoop, n: int, rate: float) -> Any:
    sensors, actuators = loop.sensors or PERFECT, loop.actuators or IDEAL
    own = [] if actuators == IDEAL else actuator_row(actuators, n)
    return np.concatenate([sensor_row(sensors, n, rate), own])


def read_controllers(given: Any) -> list[Any]:
    """Read a controller for all arms, or a list of one each; None is an empty list."""
    if given is None:
        return []
    listed = _listed(given, "controller")
    if not listed:
        raise InputError(Problem("controller", shown(given), "one for all arms, or one for each"))
    for what, one in listed:
        check_controller(one, what)
        if not hasattr(one, "compiled"):
            need = "a controller that is compiled, such as those of ulna.control"
            hint = "run your own in Python one by one, with ulna.simulate"
            raise InputError(Problem(what, shown(one), need, hint))
    return [one for _, one in listed]


def compile_controllers(
    controllers: list[Any],
    arms: Arm | Parameters,
    geared: Mapping[int, Arm],
    sensors: Input,
    rate: float,
    count: int,
) -> Input:
    """Compile the controllers for their arms, and group the arms by control law.

    Parameters know nothing of what gears take: `geared` are the arms that do, by their places.
    """
    if not controllers:
        return NOBODY
    labels, rows = np.zeros((2, count), dtype=np.intp)
    forms: dict[Any, list[tuple[CompiledLaw, Any]]] = {}
    n, length = arms.n, parameters_of(arms).length
    timings = [_timing(form.example, n, rate) for form in sensors.forms]
    groups = _arms_of(controllers, timings, geared, sensors, count)
    for (controller, timing, arm), own in groups.items():
        is_for_all = length.ndim == 1 or len(own) == len(length)
        model = arm or (arms if is_for_all else parameters_of(arms).rows(own))
        law = compile_controller(controllers[controller], model, timing)
        key = (law.law, len(law.params), len(law.state))
        forms.setdefault(key, []).append((law, own))
    made = []
    for label, parts in enumerate(forms.values()):
        own = np.concatenate([own for _, own in parts])
        labels[own], rows[own] = label, np.arange(len(own))
        values = np.concatenate([_law_values(law, len(own)) for law, own in parts])
        same = len(parts) == 1 and parts[0][0].params.shape[1] == parts[0][0].state.shape[1] == 1
        made.append(Form(parts[0][0], values[:1] if same else values, rows))
    return Input(labels, tuple(made))


def _timing(loop: ControlLoop, n: int, rate: float) -> ControlTiming:
    return timing_of(loop.sensors or PERFECT, loop.actuators or IDEAL, n, rate)


def _arms_of(
    controllers: list[Any],
    timings: list[ControlTiming],
    geared: Mapping[int, Arm],
    sensors: Input,
    count: int,
) -> dict[tuple[int, ControlTiming, Arm | None], Any]:
    """Return the arms by controller (the index of its first use), timing and geared arm."""
    if len(controllers) == 1 and len(set(timings)) == 1 and not geared:
        return {(0, timings[0], None): np.arange(count)}
    late = np.broadcast_to(sensors.labels, count)
    first_uses: dict[Any, int] = {}
    arms: dict[tuple[int, ControlTiming, Arm | None], list[int]] = {}
    for arm in range(count):
        one = 0 if len(controllers) == 1 else arm
        first = first_uses.setdefault(controllers[one], one)
        arms.setdefault((first, timings[late[arm]], geared.get(arm)), []).append(arm)
    return {key: np.array(found) for key, found in arms.items()}


def _law_values(law: CompiledLaw, count: int) -> Any:
    """Return params and state of so many arms, (count, p + s)."""
    values = [np.broadcast_to(part, (len(part), count)) for part in (law.params, law.state)]
    return np.concatenate(values).T


class References:
    """Set-points to hold, or functions that return the references of a block of ticks.

    Of each kind there is one for any number of arms, or one for each of `count`.
    """

    def __init__(
        self,
        postures: Array | None,
        follows: Sequence[Follow] = (),
        motions: Sequence[Trajectory | None] = (),
    ) -> None:
        self.postures, self.follows, self.motions = postures, follows, motions
        self.count = len(follows)
        self._lock = threading.Lock()
        if postures is not None:
            self.count = len(postures) if postures.ndim > 1 else 1

    @property
    def duration(self) -> float | None:
        """How long [s] the longest of the motions takes; None if there is other than motions."""
        lengths = [motion.duration for motion in self.motions if motion is not None]
        return max(lengths) if lengths and len(lengths) == len(self.motions) else None

    @property
    def start(self) -> tuple[Array, Array]:
        """The angles and rates that the motions start with."""
        firsts = [motion(0.0) for motion in self.motions if motion is not None]
        if not firsts or len(firsts) < len(self.motions):
            need = "the joint angles [rad] at the start"
            raise InputError(Problem("q0", "nothing", need))
        q, qd = np.stack([one.q for one in firsts]), np.stack([one.qd for one in firsts])
        return (q, qd) if len(firsts) > 1 else (q[0], qd[0])

    def rows(self, members: Array, width: int, asked: TickRange) -> Array:
        """Return references of the next ticks, (ticks, 3, n, 1) for all or (…, width) for each."""
        if self.count == 1:
            return block(self.follows[0], *asked)
        # One at a time: functions of users need not bear more.
        with self._lock:
            parts = [block(self.follows[arm], *asked) for arm in members.tolist()]
        parts += parts[:1] * (width - len(parts))
        return np.ascontiguousarray(np.concatenate(parts, axis=-1))


def read_references(given: Any, n: int) -> References | None:
    """Read a reference; None is each arm's own start."""
    if given is None:
        return None
    several = isinstance(given, Sequence) and any(_moves(one) for one in given)
    if not several and not _moves(given):
        return References(joint_rows("reference", given, n, "rad"))
    listed = _listed(given, "reference") if several else [("reference", given)]
    follows, motions = zip(*(_follow(one, n, what) for what, one in listed), strict=True)
    return References(None, follows, motions)


def describe_references(given: Any) -> Any:
    """Describe a reference as plain values."""
    motion = trajectory_of(given)
    if motion is not None:
        return {"path": str(motion.path), "duration": motion.duration}
    if isinstance(given, Sequence) and any(_moves(one) for one in given):
        return {"references": len(given)}
    return described(given)


def described(given: Any) -> str:
    """Describe an argument: short text, or the shape of an array."""
    if given is None:
        return "None"
    if type(given) is np.ndarray:  # whose own text takes longer than many a run
        return str(given.tolist()) if given.size <= MOST_WRITTEN else f"array of {given.shape}"
    return "()" if type(given) is tuple and not given else shown(given)


def _moves(given: Any) -> bool:
    return trajectory_of(given) is not None or callable(given)


def _follow(given: Any, n: int, what: str) -> tuple[Follow, Trajectory | None]:
    motion = trajectory_of(given)
    if motion is not None:
        return follow_motion(n, motion, what), motion
    if callable(given):
        return follow_function(n, given, what), None
    row = np.zeros((1, 3, n))
    row[0, 0] = joint_rows(what, given, n, "rad")
    return (lambda times: np.broadcast_to(row, (len(times), 3, n))), None
