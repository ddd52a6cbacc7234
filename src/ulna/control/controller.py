"""What a controller is: the protocol, its reference, and its compiled form.

When a controller is called, and how late it learns what it measures.

The torque of a tick is held until the next, T = 1/rate later, and is worked out from what was
measured d ticks before. On average it answers to what was (d + ½) T ago: its latency. A controller
may be told of both: where its `start` or its `compiled` takes `timing`, it is handed in.

Controllers as plain values: comparable, hashable, written as they are read, and well refused.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np

from ulna.arm import Arm, Parameters
from ulna.arm.control_timing import ControlTiming as ControlTiming
from ulna.arrays import Array, float_array
from ulna.errors import InputError, Problem, shown
from ulna.kernels import DISABLED

# One number for all joints, or one a joint.
Gain: TypeAlias = float | Sequence[float]


class Reference:
    """Where the arm should be at an instant.

    Parameters
    ----------
    q : ndarray, shape (n,)
        Joint angles [rad].
    qd : ndarray, shape (n,)
        Joint rates [rad/s].
    qdd : ndarray, shape (n,)
        Joint accelerations [rad/s²].
    tip : ndarray, shape (3,), optional
        The tip: x, y [m] and orientation [rad].
    arm : Arm, optional
        Of whose posture the tip is computed when it is asked for and was not given.
    """

    __slots__ = ("_arm", "_tip", "q", "qd", "qdd")

    def __init__(
        self, q: Array, qd: Array, qdd: Array, tip: Array = None, *, arm: Arm | None = None
    ) -> None:
        self.q, self.qd, self.qdd, self._tip, self._arm = q, qd, qdd, tip, arm

    @property
    def tip(self) -> Array:
        """The tip (3,): x, y [m] and orientation [rad]."""
        if self._tip is None and self._arm is not None:
            from ulna.kinematics import tip

            self._tip = tip(self._arm, self.q)
        return self._tip

    def _replace(self, **parts: Array) -> Reference:
        """Return another with some of its parts replaced, as of a named tuple."""
        kept = {"q": self.q, "qd": self.qd, "qdd": self.qdd, "tip": self.tip}
        return Reference(**{**kept, **parts})

    def __iter__(self) -> Iterator[Array]:
        return iter((self.q, self.qd, self.qdd, self.tip))

    def __len__(self) -> int:
        return 4

    def __getitem__(self, place: int) -> Array:
        return (self.q, self.qd, self.qdd, self.tip)[place]

    def __repr__(self) -> str:
        return f"Reference(q={self.q!r}, qd={self.qd!r}, qdd={self.qdd!r}, tip={self.tip!r})"


@runtime_checkable
class Controller(Protocol):
    """What turns measurements into torques, at its control rate; the torque is held in between.

    It does not change itself: what changes is the state, which `start` returns and `torque` hands
    on. Any object with these two methods is a controller.
    """

    def start(self, arm: Arm) -> Any:
        """Return the state before the first tick.

        Parameters
        ----------
        arm : Arm
            The arm that is simulated.

        Returns
        -------
        Any
            Whatever the controller has to remember.
        """

    def torque(
        self, t: float, q: Array, qd: Array, reference: Reference, state: Any
    ) -> tuple[Array, Any]:
        """Return the torques until the next tick, and the next state.

        Parameters
        ----------
        t : float
            Time of the tick [s].
        q : ndarray, shape (n,)
            Measured joint angles [rad].
        qd : ndarray, shape (n,)
            Measured joint rates [rad/s].
        reference : Reference
            What the arm is to follow now.
        state : Any
            What `start` or the tick before returned.

        Returns
        -------
        tau : ndarray, shape (n,)
            Torques until the next tick [N·m].
        state : Any
            What is handed to the next tick.
        """


class CompiledLaw(NamedTuple):
    """A controller for the compiled engine.

    Parameters
    ----------
    law : callable
        A kernel `law(t, q, qd, reference, params, state, tau)` that writes tau (n, W) and may
        change state (s, W); q and qd are (n, W), reference (3, n, W) holds angles, rates and
        accelerations, params (p, W) numbers of the controller's own. W arms are served at a time:
        one, or a block of 16, or of 32 where arms are simulated in single precision (see
        `ulna.lanes`).
    params : ndarray, shape (p, 1) or (p, B)
        Parameters of the law, a column for each of many arms.
    state : ndarray, shape (s, 1) or (s, B)
        The state before the first tick.
    scratch_rows : int, optional
        Rows of scratch memory that the law finds behind its own rows of the state.
    """

    law: Callable[..., None]
    params: Array
    state: Array
    scratch_rows: int = 0


def check_controller(controller: Any, what: str = "controller") -> None:
    """Raise InputError for what is no controller; `what` names it in messages."""
    # Not by isinstance, which takes longer for a protocol than many a run.
    methods = (getattr(controller, name, None) for name in ("start", "torque"))
    if not isinstance(controller, type) and all(map(callable, methods)):
        return
    from ulna.control.laws import ARGUMENTS, Law

    got, hint = shown(controller), ""
    if isinstance(controller, type | Law):
        got = f"the {'class' if isinstance(controller, type) else 'law'} {controller.__name__}"
        hint = f"make one, with parentheses: {controller.__name__}()"
    elif isinstance(controller, str):
        hint = "make one of text with ulna.control.read_controller"
    elif inspect.isfunction(controller) and controller.__code__.co_varnames[:6] == ARGUMENTS:
        name = controller.__name__
        hint = f"mark it with @law of ulna.control, and make one, with parentheses: {name}()"
    need = "an object with start(arm) and torque(t, q, qd, reference, state)"
    raise InputError(Problem(what, got, need, hint))


def joint_gains(
    what: str, value: Any, n: int, *, above_zero: bool = False, signed: bool = False
) -> Array:
    """Return gains (n,) of one number or n of them; refuses what is not finite, or negative."""
    size = "" if signed else " above 0" if above_zero else " of at least 0"
    need = f"a finite number{size}, or {n} of them, one a joint"
    refusal = InputError(Problem(what, shown(value), need))
    try:
        gains = float_array(value, what)
    except InputError:
        raise refusal from None
    if gains.shape not in ((), (1,), (n,)) or not np.isfinite(gains).all():
        raise refusal
    if not signed and ((gains < 0.0).any() or (above_zero and not gains.all())):
        raise refusal
    return np.broadcast_to(gains, (n,)).astype(np.float64)


def one_number(
    what: str, value: Any, unit: str, *, zero: bool = False, infinite: bool = False
) -> float:
    """Return a number above zero, or zero or infinity where they have a meaning."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    in_range = is_number and (value > 0.0 or (zero and value == 0.0))
    if not in_range or (math.isinf(value) and not infinite):
        size = "of at least 0" if zero else "above 0"
        need = f"a {'' if infinite else 'finite '}number {size} [{unit}]"
        raise InputError(Problem(what, shown(value), need))
    return float(value)


def columns(*parts: Array) -> Array:
    """Stack numbers (…, k) of one arm or many below one another: (p, 1), or a column an arm."""
    lead = np.broadcast_shapes(*(np.shape(part)[:-1] for part in parts))
    spread = [np.broadcast_to(part, (*lead, np.shape(part)[-1])) for part in parts]
    rows = np.concatenate(spread, axis=-1)
    return np.ascontiguousarray(rows.reshape(-1, rows.shape[-1]).T)


DEFAULT_TIMING = ControlTiming()


def start_controller(controller: Any, arm: Arm | Parameters, timing: ControlTiming) -> Any:
    """Return the state of a controller before its first tick, telling it the timing if it asks."""
    return _told(controller.start, arm, timing)


def compile_controller(
    controller: Any, arm: Arm | Parameters, timing: ControlTiming
) -> CompiledLaw:
    """Return the law of a controller for the compiled engine, of one arm or many."""
    law = _told(controller.compiled, arm, timing)
    what, made_by = f"{type(controller).__name__}.compiled", "ulna.kernels.kernel, or by Numba"
    if not isinstance(law, CompiledLaw):
        raise InputError(Problem(what, shown(law), "a CompiledLaw(law, params, state)"))
    if not (DISABLED or hasattr(law.law, "py_func")):
        raise InputError(Problem(f"{what}.law", shown(law.law), f"one compiled by {made_by}"))
    return law


def _told(method: Callable[..., Any], arm: Arm | Parameters, timing: ControlTiming) -> Any:
    if _takes_timing(getattr(method, "__func__", method)):
        return method(arm, timing=timing)
    return method(arm)


@lru_cache(maxsize=256)
def _takes_timing(function: Callable[..., Any]) -> bool:
    try:
        return "timing" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # of functions that show no signature
        return False


def plain_gain(value: Any) -> Any:
    """Return a gain of any kind as a number or a tuple of numbers."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if not isinstance(value, list | tuple):
        return value
    return tuple(one.item() if isinstance(one, np.generic) else one for one in value)


@dataclasses.dataclass(frozen=True)
class FrozenController:
    """What ulna's own controllers share: they are compared, hashed and written by their gains."""

    def __post_init__(self) -> None:
        """Turn lists and arrays among the gains into tuples."""
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, plain_gain(getattr(self, field.name)))

    def __repr__(self) -> str:
        """Write the call that makes it: what differs from the defaults.

        `read_controller` reads it back, save for a model, which is named by its first line.
        """
        parts = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name == "model" and value is not None:
                parts.append(f"model=<{repr(value).splitlines()[0]}>")
            elif value != field.default:
                parts.append(f"{field.name}={value!r}")
        return f"{type(self).__name__}({', '.join(parts)})"
