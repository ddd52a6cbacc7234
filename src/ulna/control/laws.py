"""`@law`: a control law is one function, written for one arm and compiled for one and for many.

    law(t, q, qd, reference, state, tau, *gains)        writes the torques until the next tick

The engine calls it at every tick with the numbers of an arm, or with lanes, each of which is an arm
of a batch (see `ulna.lanes`): the same lines are compiled for both. Gains and state lie in two
arrays with a column for every arm; a gain is a row for every joint.

The arm that a controller believes in is the simulated one, unless it is told another. A law holds
it as numbers: its constants are the last of the parameters. The law's own rows of state come first,
and behind them lies scratch memory for the tables that the recursion reads.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, update_wrapper
from inspect import CO_VARARGS, CO_VARKEYWORDS
from typing import Any, NamedTuple, Protocol, overload

import numpy as np

from ulna.actuation.friction import (
    before_gears,
    depends_on_direction,
    efficiencies,
    motion_direction,
)
from ulna.arm import Arm, Parameters, parameters_of
from ulna.arm.parameters import with_ideal_motors
from ulna.arrays import Array, float_array
from ulna.control.controller import (
    CompiledLaw,
    Gain,
    Reference,
    joint_gains,
    plain_gain,
)
from ulna.dynamics.packed import (
    COLUMNS,
    CONSTANTS,
    DIRECTION,
    FRICTION,
    LENGTH,
    QDD,
    TORQUE,
    TURNS,
    pack,
)
from ulna.dynamics.recursive import inverse
from ulna.dynamics.sticking import slide
from ulna.errors import InputError, Problem, did_you_mean, rewording, shown
from ulna.kernels import DISABLED, Kernel, inlined, inner
from ulna.lanes import WIDTHS, Number, all_lanes, lanes, matrix_view, select, squeeze, wide_lanes
from ulna.sincos import sincos_near

ARGUMENTS = ("t", "q", "qd", "reference", "state", "tau")
REST = "params"  # the last argument of a law that takes whatever comes behind its gains
REF_Q, REF_QD, REF_QDD = range(3)  # rows of the reference
MANY = WIDTHS[np.dtype(np.float64)]  # arms in a block
# Rows of the motion: angles, rates, reference rates q̇_r, and the sliding variable s = q̇_r − q̇.
ANGLE, RATE, QD_REF, SLIDING = range(4)
MOTIONS = 4
_REQUIRED: Any = object()  # in place of a default


@overload
def law(function: Callable[..., None], /) -> Law: ...
@overload
def law(*, state: Sequence[float] = ()) -> Callable[[Callable[..., None]], Law]: ...
def law(
    function: Callable[..., None] | None = None, /, *, state: Sequence[float] = ()
) -> Law | Callable[[Callable[..., None]], Law]:
    """Make a control law of a function; called with gains, it gives controllers.

    The function takes (t, q, qd, reference, state, tau), and then gains, which may have defaults.
    It is compiled when it first runs, and the engine calls it at every tick, with one arm in
    `simulate` and `Simulation`, with lanes of arms in `simulate_batch` and `BatchSimulation`. A law
    is listed by `ulna list controllers` and read by `read_controller`, with its name and the first
    line of its docstring; one whose name begins with an underscore is not.

    Parameters
    ----------
    function : callable
        Writes `tau` (n,), the torques [N·m] until the next tick, given the time `t` [s], measured
        angles `q` (n,) [rad] and rates `qd` (n,) [rad/s], and `reference` (3, n): angles, rates and
        accelerations. Each gain is an array (n,), one a joint. It may change `state`.
    state : sequence of float, optional
        The numbers that the law keeps for every joint, as they are before the first tick: `state`
        (k n,) holds the first of all joints, then the second of all joints, and so on.

    Returns
    -------
    Law
        What is called with gains, one number for all joints or one a joint, to make a controller.

    Raises
    ------
    InputError
        If the function takes other arguments, or has the name of a controller of `ulna.control`;
        if it returns something; if its state or the default of a gain is no number. When it first
        runs: if it cannot be compiled, or raises or prints, which compiled code does not.

    Notes
    -----
    A law is compiled by Numba: it computes with numbers, loops over joints, and checks nothing.
    In lanes a number is one of each of many arms, so that what depends on one is written without
    `if`, as `select(error > 0.0, yes, no)`; sine and cosine come by `sincos(angle)`. Functions that
    it calls are marked with `inner`. All three are names of `ulna.control`. With
    NUMBA_DISABLE_JIT=1 it runs as plain Python, for a debugger.

    Examples
    --------
    A spring and a damper at every joint, and an integral of the error:

    >>> import ulna
    >>> @law(state=(0.0, 0.0))
    ... def integrating(t, q, qd, reference, state, tau, kp=60.0, kd=12.0, ki=40.0):
    ...     '''A spring, a damper and an integral at every joint.'''
    ...     n = len(q)
    ...     for i in range(n):
    ...         error = reference[0, i] - q[i]
    ...         state[i] += error * (t - state[n + i])
    ...         state[n + i] = t
    ...         tau[i] = kp[i] * error + kd[i] * (reference[1, i] - qd[i]) + ki[i] * state[i]
    >>> arm = ulna.Arm.rods([0.5], [1.0])
    >>> stiff = integrating(kp=80.0)
    >>> stiff
    integrating(kp=80.0)
    >>> run = ulna.simulate(arm, q0=[0.0], duration=8.0, controller=stiff, reference=[1.0])
    >>> round(float(run.q[-1, 0]), 2)
    1.0
    """
    initial = _initial_state(state)
    if function is None:
        return partial(law, state=initial)
    made = Law(function, initial)
    if not made.__name__.startswith("_"):
        from ulna.control.controller_text import register_law

        register_law(made)
    return made


class Law:
    """A control law, made by `law`; called with gains it gives a controller."""

    __name__: str
    __qualname__: str

    def __init__(self, function: Callable[..., None], state: tuple[float, ...]) -> None:
        _check_function(function)
        code = function.__code__
        names = code.co_varnames[: code.co_argcount]
        update_wrapper(self, function)
        self.function, self.state = function, state
        given = function.__defaults__ or ()
        self.gains = names[len(ARGUMENTS) :]
        self.defaults = (*[_REQUIRED] * (len(self.gains) - len(given)), *given)

    def __reduce__(self) -> str:
        return self.__qualname__

    def __repr__(self) -> str:
        return f"<law {self.__name__}({', '.join(self.gains)})>"

    def __call__(self, *values: Gain, **gains: Gain) -> LawController:
        name = self.__name__
        if len(values) > len(self.gains):
            raise TypeError(f"{name}() takes {len(self.gains)} gains, and {len(values)} were given")
        found = dict(zip(self.gains, self.defaults, strict=True))
        found |= dict(zip(self.gains, values, strict=False))
        for gain, value in gains.items():
            if gain not in self.gains:
                hint = did_you_mean(gain, self.gains)
                words = f"{name}() got an unexpected keyword argument '{gain}'"
                raise TypeError(f"{words}; {hint}" if hint else words)
            found[gain] = value
        missing = [gain for gain, value in found.items() if value is _REQUIRED]
        if missing:
            raise TypeError(f"{name}() missing its gains {', '.join(missing)}")
        return LawController(self, tuple(map(plain_gain, found.values())))

    @cached_property
    def kernel(self) -> Callable[..., None]:
        """The law as the engine calls it, (t, q, qd, reference, params, state, tau) of W arms."""
        # Written out, because compiled functions take no lists of arrays.
        made: dict[str, Any] = {"law": inner(self.function), **_VIEWS}
        exec(compile(_call_text(self.gains), __file__, "exec"), made)
        called: Callable[..., None] = made["of_arms"]
        return called if DISABLED else Kernel(self.function, called)


def _initial_state(given: Any) -> tuple[float, ...]:
    """Read the numbers that a law keeps for every joint."""
    refusal = Problem("state", shown(given), "finite numbers in a row, such as (0.0, 0.0)")
    return tuple(_finite(given, refusal, (1,)).tolist())


def _finite(given: Any, refusal: Problem, dimensions: tuple[int, ...]) -> Array:
    with rewording(lambda _: refusal):
        found = float_array(given, refusal.what)
    if isinstance(given, str) or found.ndim not in dimensions or not np.isfinite(found).all():
        raise InputError(refusal)
    return found


def _check_function(function: Any) -> None:
    """Raise InputError for what cannot be a law, or would not do as it says once it is compiled."""
    form = f"({', '.join(ARGUMENTS)}), and then gains"
    if not inspect.isfunction(function):
        got = shown(function)
        raise InputError(Problem("law", got, f"a function of {form}", "write @law above its def"))
    what, code = f"law {function.__name__}", function.__code__
    names = code.co_varnames[: code.co_argcount]
    has_others = code.co_kwonlyargcount or code.co_flags & (CO_VARARGS | CO_VARKEYWORDS)
    if names[: len(ARGUMENTS)] != ARGUMENTS or has_others:
        raise InputError(Problem(what, str(inspect.signature(function)), form))
    if not function.__name__.isidentifier():
        raise InputError(Problem("law", function.__name__, "a function with a name", "write def"))
    if not str(function.__module__).startswith("ulna."):  # ours are known to be well
        _check_defaults(what, function)
        _check_returns(what, function)


def _check_defaults(what: str, function: Any) -> None:
    need = "a finite number, or one a joint in parentheses"
    for gain, parameter in inspect.signature(function).parameters.items():
        if parameter.default is not parameter.empty:
            refusal = Problem(f"{what}, {gain}", shown(parameter.default), need)
            _finite(parameter.default, refusal, (0, 1))


def _check_returns(what: str, function: Any) -> None:
    """Refuse to return something, of which the engine would know nothing."""
    before: Any = None
    for one in dis.get_instructions(function):
        empty = before is not None and before.opname == "LOAD_CONST" and before.argval is None
        returns_value = one.opname == "RETURN_VALUE" and not empty
        returns_constant = one.opname == "RETURN_CONST" and one.argval is not None
        if returns_value or returns_constant:
            need = "torques that are written to tau, one a joint"
            hint = "for i in range(len(q)): tau[i] = ..."
            raise InputError(Problem(what, "a value that it returns", need, hint))
        before = one


@inner
def sincos(angle: Number) -> tuple[Number, Number]:
    """Return the sine and the cosine of an angle in a law, of one arm or lane by lane.

    To half a unit in the last place up to a million radians.

    Parameters
    ----------
    angle : float or lanes
        An angle [rad].

    Returns
    -------
    sine, cosine : float or lanes
        Of that angle.

    Examples
    --------
    >>> @law
    ... def _weightless(t, q, qd, reference, state, tau, weight=4.9, kd=1.0):
    ...     sine, cosine = sincos(q[0])
    ...     tau[0] = weight[0] * cosine - kd[0] * qd[0]
    """
    return sincos_near(angle)


_VIEWS = {"squeeze": squeeze, "lanes": lanes, "wide_lanes": wide_lanes}


def _call_text(gains: Sequence[str]) -> str:
    """Write the function that calls a law with the numbers of one arm, or with lanes of many."""
    rows = [f"params[{k} * n : {k + 1} * n]" for k in range(len(gains))]
    if gains[-1:] == (REST,):
        rows[-1] = f"params[{len(gains) - 1} * n :]"
    arguments = [*ARGUMENTS[1:], *rows]
    one, many, wide = (
        f"law(t, {', '.join(f'{view}({argument})' for argument in arguments)})" for view in _VIEWS
    )
    return f"""
def of_arms(t, q, qd, reference, params, state, tau):
    n = len(q)
    if q.shape[1] == 1:
        {one}
    elif q.shape[1] == {MANY}:
        {many}
    else:
        {wide}
"""


class LawState(NamedTuple):
    """What a controller of a law remembers: its gains as rows, and its state."""

    params: Array  # (p, 1)
    rows: Array  # (s, 1)


@dataclass(frozen=True, repr=False)
class LawController:
    """A controller that is a law with its gains."""

    law: Law
    values: tuple[Gain, ...]

    @property
    def __name__(self) -> str:
        return self.law.__name__

    def __getattr__(self, name: str) -> Any:
        law = self.__dict__.get("law")
        if law is None or name not in law.gains:
            raise AttributeError(f"{law.__name__ if law else 'a law'} has no gain '{name}'")
        return self.values[law.gains.index(name)]

    def __repr__(self) -> str:
        told = zip(self.law.gains, self.values, self.law.defaults, strict=True)
        parts = [f"{name}={value!r}" for name, value, default in told if value != default]
        return f"{self.__name__}({', '.join(parts)})"

    def start(self, arm: Arm | Parameters) -> LawState:
        """Return the gains of every joint, and the state before the first tick."""
        told, n = zip(self.law.gains, self.values, strict=True), arm.n
        gains = [joint_gains(f"{self.__name__}.{gain}", one, n, signed=True) for gain, one in told]
        params = np.concatenate([np.zeros(0), *gains])[:, None]
        return LawState(params, np.repeat(self.law.state, n)[:, None])

    def torque(
        self, t: float, q: Array, qd: Array, reference: Reference, state: LawState
    ) -> tuple[Array, LawState]:
        """Return the torques until the next tick, and the next state."""
        tau, rows = np.zeros((len(q), 1)), state.rows.copy()
        asked = np.stack([reference.q, reference.qd, reference.qdd])[..., None]
        measured = (np.array(part, dtype=float)[:, None] for part in (q, qd))
        self.law.kernel(float(t), *measured, asked, state.params, rows, tau)
        return tau[:, 0], LawState(state.params, rows)

    def compiled(self, arm: Arm | Parameters) -> CompiledLaw:
        """Return the law for the compiled engine, of one arm or many."""
        return CompiledLaw(self.law.kernel, *self.start(arm))


def believed(controller: object, model: Arm | None, arm: Arm | Parameters) -> Arm | Parameters:
    """Return the model of a controller of an arm; refuses one with another number of joints."""
    if model is None:
        return arm
    what = f"{type(controller).__name__}.model"
    if not isinstance(model, Arm):
        raise InputError(Problem(what, shown(model), "an Arm, or None for the simulated one"))
    if model.n != arm.n:
        need = f"{arm.n}, as many as the simulated arm has"
        got = f"an arm with {model.n} joint{'s' * (model.n != 1)}"
        raise InputError(Problem(what, got, need))
    return model


class CompensatesFriction(Protocol):
    """A controller that computes inverse dynamics of a model, with or without its losses."""

    @property
    def model(self) -> Arm | None: ...
    @property
    def friction_compensation(self) -> bool: ...


def smooth_and_friction(
    controller: CompensatesFriction, arm: Arm | Parameters
) -> tuple[Arm | Parameters, Arm | Parameters | None]:
    """Return a controller's model without losses, and with them where any are compensated.

    The first is what it computes inverse dynamics of, the second whose friction and losses of gears
    it adds.
    """
    model = believed(controller, controller.model, arm)
    compensates = controller.friction_compensation
    if not isinstance(compensates, bool | np.bool_):
        what = f"{type(controller).__name__}.friction_compensation"
        raise InputError(Problem(what, shown(compensates), "True or False"))
    if not depends_on_direction(model):
        return model, None
    smooth = with_ideal_motors(model) if isinstance(model, Arm) else model
    return smooth.without_friction(), model if compensates else None


def reference_model(controller: CompensatesFriction, arm: Arm | Parameters) -> Arm | Parameters:
    """Return the model of whose inverse dynamics a controller feeds the reference's forward."""
    smooth, friction = smooth_and_friction(controller, arm)
    return smooth if friction is None else friction


def motor_torques(model: Arm | Parameters, torque: Array, reference: Reference) -> Array:
    """Return the torques (n,) of motors of which these reach the joints of a reference."""
    direction = motion_direction(np, reference.qd, reference.qdd)
    return before_gears(torque, direction, efficiencies(model))


def constants(model: Arm | Parameters) -> Array:
    """Return the numbers of an arm in a row (…, p), as laws read them."""
    table = pack(parameters_of(model))
    return table.reshape(*table.shape[:-2], -1)


def scratch_rows(n: int) -> int:
    """Return how many rows of scratch memory a law needs for an arm of n links."""
    return (n + 1) * (COLUMNS + TURNS + MOTIONS)


@inlined
def scratch_tables(n: int, state: Array, own: int) -> tuple[Array, Array, Array]:
    """Return the tables of links, turns and motions, which lie behind a law's own rows of state."""
    turns = own + (n + 1) * COLUMNS
    motions = turns + (n + 1) * TURNS
    return (
        matrix_view(state, own, n + 1, COLUMNS),
        matrix_view(state, turns, TURNS, n + 1),
        matrix_view(state, motions, MOTIONS, n + 1),
    )


@inlined
def load_model(n: int, constants: Array, links: Array) -> None:
    """Copy the constants of the arm into the table."""
    if all_lanes(links[0, LENGTH] == constants[LENGTH]):
        return  # They are there since the tick before.
    for i in range(n + 1):
        for column in range(CONSTANTS):
            links[i, column] = constants[i * CONSTANTS + column]


@inner
def torque_of_reference(
    n: int, reference: Array, constants: Array, state: Array, own: int, tau: Array
) -> None:
    """Write the inverse dynamics of the reference; scratch lies behind the law's own rows."""
    links, turns, y = scratch_tables(n, state, own)
    load_model(n, constants, links)
    for i in range(n):
        y[ANGLE, i], y[RATE, i] = reference[REF_Q, i], reference[REF_QD, i]
        links[i, QDD] = reference[REF_QDD, i]
    inverse(n, links, turns, y, ANGLE)
    for i in range(n):
        tau[i] = links[i, TORQUE]


@inner
def add_friction(
    n: int, reference: Array, state: Array, own: int, tau: Array, out: Array, back: Array
) -> None:
    """Add the friction of the model, which is loaded, and what gears take, at the reference rates.

    At a reference rate of 0 they act against the reference acceleration, and not at all where that
    is 0 as well. `out` and `back` are the efficiencies of gears that drive and brake.
    """
    links, _, y = scratch_tables(n, state, own)
    for i in range(n):
        rate, qdd = reference[REF_QD, i], reference[REF_QDD, i]
        y[RATE, i] = rate
        way = select(rate != 0.0, rate, qdd)
        links[i, DIRECTION] = select(way > 0.0, 1.0, select(way < 0.0, -1.0, 0.0))
    slide(n, links, y, ANGLE)
    for i in range(n):
        torque = tau[i] + links[i, FRICTION]
        way = torque * links[i, DIRECTION]
        braked = select(way < 0.0, torque * back[i], torque)
        tau[i] = select(way > 0.0, torque / out[i], braked)
