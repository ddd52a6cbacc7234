"""`Scenario`: everything that a simulation takes, as one value.

The fields are the keywords of `ulna.simulate`. A scenario is checked when it is created and cannot
be changed. Its inputs are parsed once.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, Self, TypedDict, Unpack

import numpy as np

from ulna.arm import Arm
from ulna.arm.control_loop import check_seed
from ulna.arrays import Array, flag, float_array, freeze
from ulna.control.controller import ControlTiming
from ulna.errors import InputError, Problem, did_you_mean, shown
from ulna.motion import PlanRequest, Trajectory
from ulna.scenario.checks import check_controlled, check_kinds, check_tip_is_free
from ulna.scenario.events import Signal, read_events
from ulna.scenario.inputs import (
    FORCE,
    POSITION,
    TORQUE,
    Source,
    check_between,
    check_given,
    chosen_command,
    command_kind,
    read_source,
    takes_positions,
)
from ulna.scenario.loops import GivenLoop, loop_of, timing_of
from ulna.scenario.options import (
    SimulationOptions,
    check_start,
    joint_values,
    read_options,
    read_time,
)
from ulna.scenario.references import check_reference, followed_of, trajectory_of
from ulna.typing import (
    ActuatorsLike,
    ArrayLike,
    ControllerLike,
    DisturbancesLike,
    Dynamics,
    EventLike,
    EventsLike,
    Interpolation,
    Method,
    Precision,
    ReferenceLike,
    SamplesLike,
    SensorsLike,
    StateLike,
    TipForceLike,
    TorqueLike,
)

PRECISIONS = ("double", "single")
COMMANDS = ("torque", "voltage", "current", "position")


class Reading(NamedTuple):
    """The parsed inputs of a scenario."""

    options: SimulationOptions
    start: tuple[Array, Array] | None  # initial angles and velocities, if angles are given
    loop: GivenLoop
    timing: ControlTiming
    command: str  # one of COMMANDS
    sources: tuple[Source, Source]  # the command and the tip force
    signals: tuple[Signal, ...]  # events and the end of the run


class ScenarioFields(TypedDict, total=False):
    """Types of the fields of `Scenario`."""

    arm: Arm
    q0: StateLike | None
    qd0: StateLike | None
    duration: float | None
    torque: TorqueLike | None
    voltage: TorqueLike | None
    current: TorqueLike | None
    position: TorqueLike | None
    tip_force: TipForceLike | None
    between: Interpolation
    controller: ControllerLike | None
    reference: ReferenceLike | None
    rate: float | None
    sensors: SensorsLike | None
    actuators: ActuatorsLike | None
    disturbances: DisturbancesLike
    stops: bool
    restitution: float
    dynamics: Dynamics
    sequential_damping: ArrayLike | None
    method: Method | None
    dt: float
    rtol: float | None
    atol: float
    max_step: float
    samples: SamplesLike | None
    signals: bool
    events: EventsLike | None
    until: EventLike | None
    precision: Precision
    seed: int


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Scenario:
    """Everything that a simulation takes, as one immutable value.

    Scenarios with the same content are equal. `ulna.simulate(scenario)` runs a scenario.
    `Run.scenario` holds it with all defaults filled in.

    Parameters
    ----------
    arm : Arm
        Arm with n joints.
    q0 : array_like, shape (n,), optional
        Initial joint angles [rad]. Default: those at the start of the motion that is followed.
    qd0 : array_like, shape (n,), optional
        Initial joint velocities [rad/s]. Default: those at the start of the motion if `q0` is not
        given either, else zero.
    duration : float, optional
        Duration [s]. Default: that of the motion that is followed.
    torque : array_like, str, sequence of str, tuple or callable, optional
        Joint torques [N·m]: numbers (n,); text such as "100*t" with one formula per joint over t,
        x, y, q1 …, qd1 …; a pair (times, rows), or rows (k, n) that are `dt` apart; or a function
        of t, or of (t, q, qd), that returns (n,).
    voltage, current : as torque, optional
        Voltages [V] or currents [A] of DC motors at all joints, in place of torques.
    position : as torque, optional
        Commanded angles [rad] of servos or steppers at all joints, in place of torques.
    tip_force : array_like, str, sequence of str, tuple or callable, optional
        Force x, y [N] on the tip and, optionally, a moment [N·m], in the same forms as `torque`.
        It acts on the arm.
    between : {"hold", "linear"}
        Interpolation between the rows of tables.
    controller : Controller, optional
        Controller that computes torques from measurements at `rate`, see `ulna.control`. Its
        torques are added to `torque`. The drivers of motors whose command is not a torque convert
        them.
    reference : Plan, PlanRequest, Trajectory, array_like or callable, optional
        What the controller follows: a motion, a posture (n,) [rad], or a function of t that
        returns q, (q, qd) or (q, qd, qdd). Default: the initial posture. Without a controller,
        servos and steppers at all joints are commanded its angles.
    rate : float, optional
        Control rate [Hz]. Default: that of the arm's `loop`, else 1000 Hz.
    sensors : Sensors, optional
        Sensors of the controller. Default: those of the arm's `loop`, else ideal ones.
    actuators : Actuators, optional
        Actuators of the controller. Default: those of the arm's `loop`, else ideal ones.
    disturbances : sequence of Disturbance
        Additional torques and forces, see `ulna.scenario.disturbances`.
    stops : bool
        Whether joints stop at their limits. Sequential dynamics have no stops.
    restitution : float
        Fraction of its speed, from 0 to 1, that a joint keeps when it hits a stop.
    dynamics : {"full", "sequential"}
        Equations of motion, or the joint-by-joint approximation of `ulna.dynamics.sequential`,
        which takes no tip force.
    sequential_damping : array_like, shape (n,), optional
        Damping [1/s] of the sequential dynamics, in place of the damping of the joints.
    method : {"dop853", "rk4", "semi-implicit", "gauss4"}, optional
        Integrator. "dop853" adapts its steps to `rtol` and `atol`; the others take steps of `dt`.
        Use "semi-implicit" for stiff damping and "gauss4" for long runs without losses. Default:
        "rk4" with a controller, else "dop853".
    dt : float
        Step [s] of the other methods, and spacing of samples and of table rows.
    rtol : float or None
        Relative tolerance of "dop853", from 1e-14 to 0.1. With None it takes steps of `dt`.
    atol : float
        Absolute tolerance of "dop853" [rad, rad/s].
    max_step : float
        Maximum step [s] of "dop853".
    samples : int or array_like, shape (S,), optional
        Number of samples, or their times [s]. Default: one every `dt`, at most 100,001.
    signals : bool
        Whether to record measurements, references, commands and disturbances. If False, they are
        None in `Run`.
    events : mapping of str to str or callable, optional
        Formulas or functions by name whose sign changes are located, see `Run.events`.
    until : str or callable, optional
        Event that ends the run.
    precision : {"double", "single"}
        Floating-point precision. Only batches support "single".
    seed : int
        Stream from which noise is drawn.

    Raises
    ------
    InputError
        If a value is invalid.

    Examples
    --------
    >>> import ulna
    >>> swing = Scenario(arm=ulna.preset("unit"), q0=[0.0, 0.5], duration=1.0)
    >>> print(ulna.simulate(swing).status)
    ran to t = 1 s
    >>> swing.replace(duration=2.0)
    ulna.Scenario(arm=ulna.preset('unit'), q0=(0.0, 0.5), duration=2.0)
    """

    arm: Arm
    q0: StateLike | None = None
    qd0: StateLike | None = None
    duration: float | None = None
    torque: TorqueLike | None = None
    voltage: TorqueLike | None = None
    current: TorqueLike | None = None
    position: TorqueLike | None = None
    tip_force: TipForceLike | None = None
    between: Interpolation = "hold"
    controller: ControllerLike | None = None
    reference: ReferenceLike | None = None
    rate: float | None = None
    sensors: SensorsLike | None = None
    actuators: ActuatorsLike | None = None
    disturbances: DisturbancesLike = ()
    stops: bool = True
    restitution: float = 0.0
    dynamics: Dynamics = "full"
    sequential_damping: ArrayLike | None = None
    method: Method | None = None
    dt: float = 1e-3
    rtol: float | None = 1e-9
    atol: float = 1e-12
    max_step: float = math.inf
    samples: SamplesLike | None = None
    signals: bool = True
    events: EventsLike | None = None
    until: EventLike | None = None
    precision: Precision = "double"
    seed: int = 0

    def __post_init__(self) -> None:
        vars(self)["reading"] = self._read()

    @cached_property
    def reading(self) -> Reading:
        """The parsed inputs; a scenario from a run file is parsed when it is first simulated."""
        return self._read()

    def _read(self) -> Reading:
        """Check all values and store them in immutable form."""
        own = vars(self)
        if Unwritten in map(type, own.values()):
            lost = (one for one in own.values() if isinstance(one, Unwritten))
            raise InputError([one.problem() for one in lost])
        arm, controller = self.arm, self.controller
        check_kinds(arm, controller, self.sensors, self.disturbances, self.actuators)
        positioned = controller is None and self.reference is not None and takes_positions(arm)
        judged = None if positioned else self.reference
        check_controlled(
            controller, reference=judged, sensors=self.sensors, actuators=self.actuators
        )
        loop = loop_of(arm, self.rate, self.sensors, self.actuators)
        options = read_options(
            arm.n, method=self.method, controlled=controller is not None, dynamics=self.dynamics,
            sequential_damping=self.sequential_damping, rtol=self.rtol, stops=self.stops,
            dt=self.dt, atol=self.atol, max_step=self.max_step, rate=loop.rate,
            restitution=self.restitution,
        )  # fmt: skip
        start = self._keep_start(options)
        own["signals"] = flag("signals", self.signals)
        own["samples"] = _samples(self.samples)
        if not isinstance(self.precision, str) or self.precision not in PRECISIONS:
            hint = did_you_mean(str(self.precision), PRECISIONS)
            need = "'double' or 'single'"
            raise InputError(Problem("precision", shown(self.precision), need, hint))
        check_seed("seed", self.seed)
        own["seed"], own["disturbances"] = int(self.seed), tuple(self.disturbances)
        signals = read_events(self.events, self.until, arm.n)
        if self.events is not None:
            own["events"] = MappingProxyType({str(name): one for name, one in self.events.items()})
        check_between(self.between)
        if options.dynamics == "sequential":
            check_tip_is_free(self.tip_force, self.disturbances)
        timing = timing_of(loop.sensors, loop.actuators, arm.n, options.rate)
        command, sources = self._read_inputs(options, positioned)
        own["reference"] = check_reference(arm.n, self.reference)
        own["dt"], own["rtol"], own["atol"] = options.dt, options.rtol, options.atol
        own["max_step"], own["stops"] = options.max_step, options.stops
        own["restitution"] = options.restitution
        own["sequential_damping"] = options.sequential_damping
        if self.rate is not None:
            own["rate"] = options.rate
        if self.method is not None:
            own["method"] = options.method
        return Reading(options, start, loop, timing, command, sources, signals)

    def _keep_start(self, options: SimulationOptions) -> tuple[Array, Array] | None:
        """Check the initial state and the duration; return the state if it is given."""
        own, n = vars(self), self.arm.n
        if self.duration is not None:
            own["duration"] = read_time("duration", self.duration)
        qd = np.zeros(n)
        if self.qd0 is not None:
            qd = joint_values(n, "qd0", self.qd0, "rad/s")
            own["qd0"] = tuple(qd.tolist())
        if self.q0 is None:
            return None
        q = joint_values(n, "q0", self.q0, "rad")
        check_start(self.arm, q, qd, options)
        own["q0"] = tuple(q.tolist())
        freeze(q, qd)
        return q, qd

    def _read_inputs(
        self, options: SimulationOptions, positioned: bool
    ) -> tuple[str, tuple[Source, Source]]:
        """Parse the command of the joints and the force on the tip."""
        n, between, dt = self.arm.n, self.between, options.dt
        command, given = chosen_command(
            self.controller, torque=self.torque, voltage=self.voltage, current=self.current,
            position=self.position, reference=self.reference if positioned else None,
        )  # fmt: skip
        if positioned:
            check_given(self.arm, POSITION)
            command, given = TORQUE, None  # positions come from the reference
        check_given(self.arm, command)
        source = read_source(command_kind(command, n), given, n, between=between, dt=dt)
        force = read_source(FORCE, self.tip_force, n, between=between, dt=dt)
        own = vars(self)
        if given is not None:
            own[command] = source.given
        if self.tip_force is not None:
            own["tip_force"] = force.given
        return command, (source, force)

    @cached_property
    def followed(self) -> Any:
        """The reference; a `PlanRequest` is replaced by its plan."""
        return followed_of(self.reference)

    @property
    def motion(self) -> Trajectory | None:
        """The motion that is followed; None for a posture, a function, or no reference."""
        return trajectory_of(self.followed)

    @property
    def follows_by_positions(self) -> bool:
        """Whether servos or steppers follow the reference without a controller."""
        return self.controller is None and self.reference is not None

    @property
    def commands_positions(self) -> bool:
        """Whether motors are commanded positions, given directly or by the reference."""
        return self.position is not None or self.follows_by_positions

    @property
    def command(self) -> tuple[str, Any]:
        """The name of the joint command, "torque" unless another is given, and its values."""
        for name in COMMANDS:
            if getattr(self, name) is not None:
                return name, getattr(self, name)
        return TORQUE, None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that differ from their defaults as plain values for JSON or TOML.

        Returns
        -------
        dict
            Values by field name. The arm is the name of a preset or the tables of a
            robot file, a controller is a call as text, and a plan is its request.

        Raises
        ------
        InputError
            If a value cannot be written, such as a Python function. All such fields are named.
        """
        from ulna.scenario.codec import to_dict

        return to_dict(self)

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> Scenario:
        """Create a scenario from plain values.

        Parameters
        ----------
        values : mapping
            Values as returned by `to_dict`. Numbers can be text with a unit.

        Returns
        -------
        Scenario
            The scenario.

        Raises
        ------
        InputError
            If values are invalid. All of them are reported.

        Examples
        --------
        >>> asked = {"arm": "unit", "q0": ["30 deg", 0], "controller": "PD(kp=20, kd=5)"}
        >>> Scenario.from_dict(asked).to_dict()["controller"]
        'PD(kp=20.0, kd=5.0)'
        """
        from ulna.scenario.codec import from_dict

        return from_dict(values)

    def to_toml(self) -> str:
        """Return the scenario as TOML text, which `from_toml` reads back.

        Returns
        -------
        str
            The text.

        Raises
        ------
        InputError
            If a value cannot be written, such as a Python function.
        """
        from ulna.scenario.codec import to_toml

        return to_toml(self)

    @staticmethod
    def from_toml(text: str) -> Scenario:
        """Create a scenario from TOML text.

        Parameters
        ----------
        text : str
            The text.

        Returns
        -------
        Scenario
            The scenario.

        Raises
        ------
        InputError
            If values are invalid. All of them are reported, with their lines.
        """
        from ulna.scenario.codec import from_toml

        return from_toml(text)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 hash of the content, the same on every machine; functions cannot be hashed."""
        from ulna.scenario.codec import content_hash

        return content_hash(self)

    def __repr__(self) -> str:
        from ulna.scenario.codec import described

        return described(self)

    def get(self, name: str) -> Any:
        """Return the value of a field or of a part of a field.

        Parameters
        ----------
        name : str
            A field, or a dotted name: "link.2.mass", "joint.all.damping", "payload", "gravity.y",
            "controller.kp", "sensors.delay", "q0.2", "disturbances.1.frequency".

        Returns
        -------
        Any
            The value in SI units; a tuple for "all" links or joints.

        Raises
        ------
        InputError
            If there is no such part. The message suggests the nearest name.

        Examples
        --------
        >>> import ulna
        >>> Scenario(arm=ulna.preset("kehl"), q0=[0.5, 0.25]).get("q0.2")
        0.25
        """
        from ulna.scenario.names import get_value

        return get_value(self, name)

    def replace(
        self, changes: Mapping[str, Any] | None = None, /, **fields: Unpack[ScenarioFields]
    ) -> Self:
        """Return a new scenario with some values replaced.

        Parameters
        ----------
        changes : mapping of str to Any, optional
            New values in SI units by dotted names, as for `get`. Whole fields are replaced before
            their parts.
        **fields : ScenarioFields
            New values by field name.

        Returns
        -------
        Scenario
            The new scenario.

        Raises
        ------
        InputError
            If a name is unknown, a part is set twice, or a value is invalid.

        Examples
        --------
        >>> import ulna
        >>> held = Scenario(arm=ulna.preset("kehl"), q0=[0.0, 0.0], controller=ulna.control.PD())
        >>> heavy = held.replace({"link.2.mass": 2.0, "controller.kp": 30.0}, duration=1.0)
        >>> heavy.arm.links[1].mass, heavy.get("controller.kp")
        (2.0, 30.0)
        """
        from ulna.scenario.names import changed_fields

        values = {name: getattr(self, name) for name in FIELDS}
        return type(self)(**values | changed_fields(self, {**(changes or {}), **fields}))

    def completed(self, **values: Unpack[ScenarioFields]) -> Self:
        """Return a copy with defaults filled in, without checks.

        Parameters
        ----------
        **values : ScenarioFields
            Values by field name, in immutable form.

        Returns
        -------
        Scenario
            The completed scenario.
        """
        made = object.__new__(type(self))
        own = vars(made)
        own |= vars(self)
        for name in ("key", "content_hash", *["followed"] * ("reference" in values)):
            own.pop(name, None)
        own |= values
        return made

    @classmethod
    def unchecked(cls, **values: Unpack[ScenarioFields]) -> Self:
        """Create a scenario that is not checked until it is simulated.

        Parameters
        ----------
        **values : ScenarioFields
            Values by field name; the others have their defaults.

        Returns
        -------
        Scenario
            The scenario.
        """
        made = object.__new__(cls)
        vars(made).update(DEFAULTS | values)
        return made

    @cached_property
    def key(self) -> tuple[Hashable, ...]:
        """The content as a hashable value, by which scenarios are compared."""
        return tuple(_content(getattr(self, name)) for name in FIELDS)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Scenario) and self.key == other.key)

    def __hash__(self) -> int:
        return hash(self.key)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        values = {name: getattr(self, name) for name in FIELDS}
        if isinstance(self.events, MappingProxyType):  # which has no pickle
            values["events"] = dict(self.events)
        return _unpickled, (values,)


@dataclass(frozen=True)
class Unwritten:
    """Placeholder for a value that could not be written to a file, such as a function.

    Parameters
    ----------
    field : str
        Name of the field.
    what : str
        Description of the value.
    """

    field: str
    what: str

    def __repr__(self) -> str:
        return f"<{self.what}>"

    def problem(self) -> Problem:
        """Return the problem that simulating such a scenario has."""
        hint = f"pass it again: scenario.replace({self.field}=...)"
        return Problem(self.field, f"{self.what}, which was not saved", "the value itself", hint)


FIELDS = tuple(one.name for one in dataclasses.fields(Scenario))
DEFAULTS = {
    one.name: one.default
    for one in dataclasses.fields(Scenario)
    if one.default is not dataclasses.MISSING
}


def is_default(name: str, value: Any) -> bool:
    """Return whether a value is the default of a field."""
    default = DEFAULTS.get(name, dataclasses.MISSING)
    plain = isinstance(value, str | float | int | tuple) and isinstance(default, type(value))
    return value is default or bool(plain and value == default)


def _unpickled(values: dict[str, Any]) -> Scenario:
    if isinstance(values["events"], dict):
        values["events"] = MappingProxyType(values["events"])
    return Scenario.unchecked(**values)


def _samples(given: Any) -> int | Array | None:
    """Read the number of samples, or their times."""
    if given is None:
        return None
    if isinstance(given, int | np.integer) and not isinstance(given, bool):
        if given < 1:
            raise InputError(Problem("samples", shown(given), "at least 1"))
        return int(given)
    times = np.array(float_array(given, "samples"), dtype=float)
    fine = times.ndim == 1 and times.size and np.isfinite(times).all()
    if not fine or times[0] < 0.0 or np.any(np.diff(times) <= 0.0):
        need = "a number of samples, or times that increase from 0 s on"
        raise InputError(Problem("samples", shown(given), need))
    freeze(times)
    return times


def _content(value: Any) -> Hashable:
    """Return a hashable value to compare by."""
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    if isinstance(value, Mapping):
        return tuple((name, _content(one)) for name, one in value.items())
    if isinstance(value, tuple | list):
        return tuple(map(_content, value))
    request = getattr(value, "request", None)
    if isinstance(request, PlanRequest):
        return request
    try:
        hash(value)
    except TypeError:
        return id(value)
    return value  # type: ignore[no-any-return]
