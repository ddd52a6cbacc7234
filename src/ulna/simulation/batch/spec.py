"""The specification of a batch: the arms, where they start, and what acts on them.

Whatever is given is for all arms, or for each of `count`. An arm that cannot run, because of its
parameters or its start, fails alone: its code says why, and the others run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ulna.actuation.friction import efficiencies
from ulna.arm import Arm, Parameters, parameters_of
from ulna.arm.parameters import stack_parameters
from ulna.arrays import Array, float_array
from ulna.dynamics.packed import link_moments, rotor_moments
from ulna.errors import InputError, Problem, did_you_mean, shown
from ulna.scenario.checks import check_controlled
from ulna.scenario.disturbances import Disturbance
from ulna.scenario.inputs import (
    FORCE,
    TORQUE,
    check_between,
    check_given,
    chosen_command,
    command_kind,
)
from ulna.scenario.loops import DEFAULT_RATE
from ulna.scenario.methods import METHODS
from ulna.scenario.options import MOST_START, SimulationOptions, read_options, read_time
from ulna.scenario.references import block
from ulna.simulation.batch.batch_run import PLANE
from ulna.simulation.batch.inputs import (
    NOBODY,
    Input,
    References,
    compile_controllers,
    for_each,
    joint_rows,
    read_controllers,
    read_disturbances,
    read_input,
    read_loops,
    read_references,
)
from ulna.simulation.batch.statuses import CODES, TO_RUN
from ulna.simulation.build import Packed, packed_arm, packed_parameters
from ulna.simulation.motor_rows import motor_rows
from ulna.simulation.steps import check_steps

PRECISIONS = {"double": np.dtype(np.float64), "single": np.dtype(np.float32)}
AT_ONCE = 8.0  # arms in lanes that take as long as one by itself
MOST_TICKS = 2**18  # of a trajectory for all arms that is computed before the run
ENDLESS = ("lower", "upper", "max_velocity", "max_torque")  # what may be infinite
# What is positive, or zero.
POSITIVE = (
    "mass", "tip_mass", "inertia", "damping", "coulomb", "static", "drag", "rotor_inertia",
    "max_velocity", "max_torque",
)  # fmt: skip


class LaneKind(NamedTuple):
    """The number type and width of lanes, and the method's coefficients."""

    number: Any  # their type
    width: int  # how many there are
    tableau: Any  # of the method


def kind_of(precision: Any, options: SimulationOptions) -> LaneKind:
    """Read the precision, and return the kind of lanes."""
    from ulna.lanes import WIDTHS

    if not isinstance(precision, str) or precision not in PRECISIONS:
        hint = did_you_mean(str(precision), PRECISIONS)
        raise InputError(Problem("precision", shown(precision), "'double' or 'single'", hint))
    number = PRECISIONS[precision]
    return LaneKind(number, WIDTHS[number], METHODS[options.method].coefficients.table)


def read_threads(given: Any) -> int | None:
    """Read the largest number of threads; None is one for every core of this process."""
    return None if given is None else read_count("threads", given, 1)


def read_count(what: str, given: Any, least: int) -> int:
    """Read a whole number that has no upper bound."""
    if not isinstance(given, int | np.integer) or isinstance(given, bool) or given < least:
        raise InputError(Problem(what, shown(given), f"a whole number of at least {least}"))
    return int(given)


@dataclass(eq=False)
class BatchSpec:
    """Arms, their initial states, and what acts on them for how long, read and counted."""

    options: SimulationOptions
    duration: float  # [s]
    parameters: Parameters  # (n,) each, or (B, n)
    arm: Arm | None  # whose parameters they are, if all are one Arm
    count: int  # B
    n: int  # links of each
    given_start: tuple[Array, Array]  # (n,) or (B, n) angles and rates
    inputs: tuple[Input, Input, Input, Input]  # torque, tip force, disturbances, loops
    controllers: list[Any]
    given_references: References | None
    seeds: Array | None
    motors: Input = NOBODY  # that are not ideal
    geared: Mapping[int, Arm] = field(default_factory=dict)  # whose gears take a part of the torque

    @cached_property
    def start(self) -> Array:
        """Angles and rates (2, B, n)."""
        start = np.empty((2, self.count, self.n))
        start[0], start[1] = self.given_start
        return start

    @cached_property
    def keys(self) -> Array:
        """Streams of random numbers (B,)."""
        keys = np.arange(self.count)
        if self.seeds is not None:
            keys[:] = self.seeds
        return keys

    @cached_property
    def codes(self) -> Array | None:
        """Why arms (B,) cannot run, TO_RUN of those that can; None if all can."""
        p, start, codes = self.parameters, self.start, None
        stops = self.options.stops and (self.arm is None or bool(packed_arm(self.arm).limited[0]))
        # Written so that NaN is out of bounds as well.
        if stops or not (start.max() <= MOST_START and start.min() >= -MOST_START):
            bad = bad_starts(start, p.lower, p.upper, stops=stops)
            codes = np.where(bad, CODES["bad start"], TO_RUN) if bad.any() else None
        if self.arm is None and not (fine := is_an_arm(p)).all():
            codes = np.where(fine, TO_RUN if codes is None else codes, CODES["bad arm"])
        return None if codes is None else np.broadcast_to(codes, self.count).astype(np.int8)

    @cached_property
    def references(self) -> References:
        """What controllers follow; unless given, each arm is to stay where it starts."""
        return self.given_references or References(self.start[0])

    def packed(self, first: int, last: int) -> Packed:
        """Return some arms as the engine reads them, so that memory does not grow with all."""
        if self.arm is not None:
            return packed_arm(self.arm)
        if self.parameters.length.ndim == 1:
            return packed_parameters(self.parameters)
        return packed_parameters(Parameters(*(value[first:last] for value in self.parameters)))

    @property
    def disturbances(self) -> list[Disturbance]:
        """All disturbances of any arm, each kind once."""
        return [one for form in self.inputs[2].forms for one in form.example]

    def step_cost(self, members: int) -> float:
        """Estimate how long a step of dt of so many arms takes in one thread [s]."""
        options = self.options
        ticks = max(options.dt * options.rate, 1.0) if self.controllers else 1.0
        return METHODS[options.method].work * self.n * max(members / AT_ONCE, 1.0) * ticks

    def is_bad_arm(self) -> Array:
        """Return which parameters (B,) are those of no arm."""
        if self.codes is None:
            return np.zeros(self.count, dtype=bool)
        return self.codes == CODES["bad arm"]

    @cached_property
    def laws(self) -> Input:
        """The controllers, compiled for their arms."""
        sensors, rate = self.inputs[3], self.options.rate
        return compile_controllers(
            self.controllers, self._models(), self.geared, sensors, rate, self.count
        )

    def _models(self) -> Arm | Parameters:
        """Return the arm, or parameters with those of a valid arm in place of invalid ones."""
        if self.arm is not None:
            return self.arm
        p, bad = self.parameters, self.is_bad_arm()
        if not bad.any():
            return p
        if bad.all():
            rod = Arm.rods([1.0] * p.n, [1.0] * p.n).parameters
            return Parameters(*map(np.broadcast_to, rod, map(np.shape, p)))
        return p.rows(np.where(bad, np.argmin(bad), np.arange(self.count)))

    @cached_property
    def reference_table(self) -> Array:
        """A trajectory for all arms, (ticks, 3, n, 1): nothing if it has very many ticks."""
        nothing, rate = np.zeros((0, 3, self.n, 1)), self.options.rate
        ticks = math.ceil(self.duration * rate * (1.0 - 1e-9)) if self.controllers else 0
        if not 0 < ticks <= MOST_TICKS:
            return nothing
        references = self.references
        if references.postures is not None or references.count > 1:
            return nothing
        parts, known = [nothing], 0
        while known < ticks:
            parts.append(block(references.follows[0], known, 1.0 / rate, self.duration))
            known += len(parts[-1])
        return np.concatenate(parts)


def read_spec(
    arms: Any,
    *,
    q0: Any,
    qd0: Any,
    duration: float | None,
    dt: float,
    torque: Any,
    voltage: Any = None,
    current: Any = None,
    position: Any = None,
    controller: Any,
    reference: Any,
    tip_force: Any,
    method: Any,
    between: str,
    rate: float | None,
    sensors: Any,
    actuators: Any,
    disturbances: Any,
    seeds: Any,
    stops: bool,
    restitution: float,
) -> BatchSpec:
    """Read what is given for all arms or for each, and count the arms."""
    parameters, given = read_arms(arms), _listed(arms)
    arm = given[0] if len(given) == 1 and isinstance(given[0], Arm) else None
    check_between(between)
    check_controlled(controller, reference=reference, sensors=sensors, actuators=actuators)
    n = int(parameters.length.shape[-1])
    references = read_references(reference, n)
    rate = _rate_of(arms) if rate is None else rate
    options = read_options(
        n, method=method, controlled=True, rtol=None, stops=stops, dt=dt, rate=rate,
        restitution=restitution, atol=1.0, max_step=math.inf,
    )  # fmt: skip
    what, command = chosen_command(
        controller, torque=torque, voltage=voltage, current=current, position=position
    )
    inputs = (
        read_input(command_kind(what, n), command, n, between=between, dt=options.dt),
        read_input(FORCE, tip_force, n, between=between, dt=options.dt),
        read_disturbances(disturbances, n),
        read_loops(arms if controller else None, sensors, actuators, n, options.rate),
    )
    controllers = read_controllers(controller)
    q, qd = _start(references, q0, qd0, n)
    keys = _keys(seeds)
    count = common_count(
        arms=_rows_in(parameters.length), q0=_rows_in(q), qd0=_rows_in(qd),
        torque=len(inputs[0].labels), tip_force=len(inputs[1].labels),
        disturbances=len(inputs[2].labels), sensors=len(inputs[3].labels),
        controller=max(len(controllers), 1),
        reference=1 if references is None else references.count,
        seeds=1 if keys is None else len(keys),
    )  # fmt: skip
    geared = {
        place: one
        for place, one in enumerate(given if len(given) > 1 else ())
        if isinstance(one, Arm) and bool((efficiencies(one) != 1.0).any())
    }
    length = duration if duration is not None or references is None else references.duration
    spec = BatchSpec(
        options, read_time("duration", length), parameters, arm, count, n, (q, qd),
        inputs, controllers, references, keys, read_motors(arms, what, options), geared,
    )  # fmt: skip
    check_steps(
        options, 0.0, spec.duration, n, controlled=bool(controllers), disturbances=spec.disturbances
    )
    return spec


def read_motors(arms: Any, what: str, options: SimulationOptions) -> Input:
    """Read the motors of an arm, or of each of several; Parameters have none."""
    given = _listed(arms)
    known = [one for one in given if isinstance(one, Arm)]
    for arm in known:
        check_given(arm, what)
    if what != TORQUE and len(known) < len(given):
        need = "arms with motors: Parameters hold none"
        raise InputError(Problem(what, "Parameters", need, "pass an Arm, or a list of arms"))
    if not any(arm.has_motors for arm in known):
        return NOBODY
    rows = [
        motor_rows(one, what, options) if isinstance(one, Arm) and one.has_motors else None
        for one in given
    ]
    return for_each(
        rows,
        lambda one: None if one is None else one.form,
        lambda one: np.zeros(0) if one is None else one.values.ravel(),
    )


def _listed(arms: Any) -> list[Any]:
    several = isinstance(arms, Sequence) and not isinstance(arms, Parameters)
    return list(arms) if several else [arms]


def _rate_of(arms: Any) -> float:
    """Return the control rate [Hz] of the arms' loops, which is the same for all."""
    loops = [getattr(one, "loop", None) for one in _listed(arms)]
    rates = {DEFAULT_RATE if loop is None else loop.rate or DEFAULT_RATE for loop in loops}
    if len(rates) > 1:
        got = f"arms whose loops have {len(rates)} rates"
        raise InputError(Problem("rate", got, "one for all arms", "pass rate="))
    return rates.pop()


def read_arms(given: Any) -> Parameters:
    """Read an arm, stacked parameters, or a list of arms with the same number of links."""
    several = isinstance(given, Sequence) and not isinstance(given, Parameters)
    if several and len(given) and all(isinstance(one, Arm | Parameters) for one in given):
        given = stack_parameters(given)
    elif isinstance(given, Arm):
        return given.parameters  # which were checked when it was made
    if not isinstance(given, Arm | Parameters):
        got = shown(given) if not several or len(given) else "an empty list"
        raise InputError(Problem("arms", got, "an Arm, stacked Parameters, or a list of arms"))
    p = _arrays(parameters_of(given))
    try:
        lead = np.broadcast_shapes(*(value.shape[:-1] for value in p))
    except ValueError:
        counts = sorted({len(value) for value in p if value.ndim > 1})
        need = "as many rows in each, one an arm"
        raise InputError(Problem("arms", f"parameters with {counts} rows", need)) from None
    if len(lead) > 1:
        hint = "flatten the leading axes into one"
        raise InputError(Problem("arms", f"a batch of shape {lead}", "one axis of arms", hint))
    # One arm in a list is one arm.
    if lead == (1,):
        return Parameters(*(value.reshape(value.shape[-1:]) for value in p))
    return Parameters(*(np.broadcast_to(value, (*lead, value.shape[-1])) for value in p))


def _arrays(given: Parameters) -> Parameters:
    """Read the arrays of arms, each with a number for every joint, or an x and a y."""
    p = Parameters(*(float_array(value, f"arms.{name}") for name, value in given._asdict().items()))
    n = p.length.shape[-1] if p.length.ndim else 0
    if n < 1:
        raise InputError(Problem("arms.length", f"shape {p.length.shape}", "(n,) or (B, n), n ≥ 1"))
    for name, value in p._asdict().items():
        size = 2 if name in PLANE else n
        if value.shape[-1:] != (size,):
            need = f"({size},) for all arms or (B, {size})"
            raise InputError(Problem(f"arms.{name}", f"shape {value.shape}", need))
    return Parameters(*(value.astype(float) for value in p))


def is_an_arm(p: Parameters) -> Array:
    """Return which parameters are those of a valid arm."""
    fine = np.ones(p.length.shape[:-1], dtype=bool)
    with np.errstate(all="ignore"):
        for name, value in p._asdict().items():
            known = ~np.isnan(value) if name in ENDLESS else np.isfinite(value)
            fine &= known.all(axis=-1)
        for name in POSITIVE:
            fine &= (getattr(p, name) >= 0.0).all(axis=-1)
        fine &= (p.length > 0.0).all(axis=-1) & (p.lower <= p.upper).all(axis=-1)
        fine &= (p.stribeck_velocity > 0.0).all(axis=-1)
        # The last link is the lightest thing that a joint turns.
        moments = link_moments(p.length, p.mass, p.com, p.com_offset, p.inertia, p.tip_mass)
        rotor = rotor_moments(p.rotor_inertia, p.gear_ratio)
        fine &= (moments[-1] + rotor[-1])[..., -1] > 0.0
    return fine


def common_count(**counts: int) -> int:
    """Return how many members there are, of what was given for one (or all) or for each."""
    many = {name: count for name, count in counts.items() if count != 1}
    nothing = [name for name, count in many.items() if count == 0]
    if nothing:
        raise InputError(Problem(nothing[0], "none", "at least one"))
    if len(set(many.values())) > 1:
        (first, count), *others = many.items()
        name, other = next((name, other) for name, other in others if other != count)
        need = f"{count:,}, as many as {first} has, or one for all"
        raise InputError(Problem(name, f"{other:,} of them", need))
    return next(iter(many.values()), 1)


def _rows_in(values: Array) -> int:
    """Return for how many arms values are."""
    return len(values) if values.ndim > 1 else 1


def _start(references: References | None, q0: Any, qd0: Any, n: int) -> tuple[Array, Array]:
    """Return angles and rates at the start: those given, else the reference's."""
    if q0 is not None:
        q = joint_rows("q0", q0, n, "rad")
        return q, np.zeros(n) if qd0 is None else joint_rows("qd0", qd0, n, "rad/s")
    if references is None:
        raise InputError(Problem("q0", "nothing", "the joint angles [rad] at the start"))
    q, qd = references.start
    return q, qd if qd0 is None else joint_rows("qd0", qd0, n, "rad/s")


def bad_starts(start: Array, lower: Array, upper: Array, *, stops: bool) -> Array:
    """Return which angles and rates (2, B, n) are not finite, too large, or beyond the limits."""
    fine = np.abs(start) <= MOST_START
    if stops:
        fine[0] &= (start[0] >= lower) & (start[0] <= upper)
    return ~fine.all(axis=(0, 2))


def _keys(seeds: Any) -> Array | None:
    if seeds is None:
        return None
    values = np.array([None])
    with suppress(ValueError):  # of lists within lists that differ in length
        values = np.atleast_1d(np.asarray(seeds))
    are_ints = values.ndim == 1 and (values.dtype.kind in "iu" or not values.size)
    if are_ints and np.all((values >= 0) & (values < 2**63)):
        return values.astype(np.int64)
    need = "a whole number of at least 0, below 2**63, or one for each arm"
    raise InputError(Problem("seeds", shown(seeds), need))
