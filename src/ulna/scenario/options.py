"""How a simulation is done, checked once: the method, its steps, the dynamics, stops, its start.

What every run of an arm needs is computed once for that arm.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, wraps
from numbers import Real
from typing import Any, TypeVar

import numpy as np

from ulna.arm import Arm
from ulna.arm.bounded_numbers import BoundedNumber, NumberTable, read_number
from ulna.arrays import Array, flag, float_array
from ulna.errors import (
    InputError,
    Problem,
    Problems,
    did_you_mean,
    shown,
    units_hint,
)
from ulna.namespaces import load_extensions
from ulna.scenario.methods import METHODS, IntegrationMethod

Found = TypeVar("Found")

MOST_START = 1e9  # [rad, rad/s] of a joint: a thousandth of what counts as run away
DYNAMICS = ("full", "sequential")
NUMBERS: NumberTable = {
    "dt": BoundedNumber("time", "s", above=0.0),
    "rtol": BoundedNumber("number", "", least=1e-14),
    "atol": BoundedNumber("number", "", above=0.0),
    "max_step": BoundedNumber("time", "s", above=0.0, infinite=True),
    "rate": BoundedNumber("frequency", "Hz", above=0.0),
    "restitution": BoundedNumber("number", "", least=0.0),
}
LARGEST = {"rtol": 0.1, "restitution": 1.0}


def per_arm(work: Callable[[Arm], Found]) -> Callable[[Arm], Found]:
    """Return a function that is computed once per arm; its values are shared and not to change.

    An arm is frozen and keeps its own values. Copies of it compute theirs again. Two threads may
    both compute a value: either will do.
    """
    name = f"_{work.__module__}.{work.__qualname__}"

    @wraps(work)
    def kept(arm: Arm) -> Found:
        values = vars(arm)
        if name not in values:
            values[name] = work(arm)
        found: Found = values[name]
        return found

    return kept


@dataclass(frozen=True)
class SimulationOptions:
    """Settings of a simulation; see `ulna.simulate`."""

    method: str
    dt: float
    rtol: float | None
    atol: float
    max_step: float
    rate: float
    stops: bool
    restitution: float
    dynamics: str
    sequential_damping: tuple[float, ...] | None

    @property
    def adaptive(self) -> bool:
        """Whether the method chooses its steps itself."""
        return METHODS[self.method].adaptive and self.rtol is not None


def read_options(
    n: int,
    *,
    method: str | IntegrationMethod | None,
    controlled: bool,
    dynamics: str = "full",
    sequential_damping: Any = None,
    rtol: float | None = 1e-9,
    stops: bool = True,
    **numbers: Any,
) -> SimulationOptions:
    """Check the settings and fill in the method: rk4 under a controller, else dop853."""
    given = (n, method, controlled, dynamics, sequential_damping, rtol, stops)
    try:  # they are mostly the same from call to call
        return _checked(*given, **numbers)
    except TypeError:  # a list has no hash
        return _checked.__wrapped__(*given, **numbers)


@lru_cache(maxsize=64, typed=True)
def _checked(
    n: int,
    method: Any,
    controlled: bool,
    dynamics: Any,
    sequential_damping: Any,
    rtol: Any,
    stops: Any,
    **numbers: Any,
) -> SimulationOptions:
    checks = Problems()
    if isinstance(method, IntegrationMethod):
        known = METHODS.get(method.name)
        if known is not method:
            other = ", which is another than the known one" if known else ""
            hint = "call ulna.simulation.register_method with it first"
            checks.add("method", f"a method '{method.name}'{other}", "a registered method", hint)
        method = None if checks.found else method.name
    if isinstance(method, str) and method not in METHODS:
        load_extensions()
    for what, given, names in (
        ("method", "rk4" if method is None else method, METHODS),
        ("dynamics", dynamics, DYNAMICS),
    ):
        if not isinstance(given, str) or given not in names:
            hint = did_you_mean(str(given), names)
            checks.add(what, shown(given), "one of " + ", ".join(names), hint)
    with checks.gather():
        flag("stops", stops)
    numbers |= {} if rtol is None else {"rtol": rtol}
    values = {name: _bounded(checks, name, value) for name, value in numbers.items()}
    if sequential_damping is not None and dynamics != "sequential":
        got, hint = shown(sequential_damping), "use the damping of the joints"
        checks.add("sequential_damping", got, "dynamics='sequential'", hint)
    checks.raise_if_any()
    if sequential_damping is not None:
        sequential_damping = tuple(
            joint_values(n, "sequential_damping", sequential_damping, "1/s").tolist()
        )
    return SimulationOptions(
        method=method or ("rk4" if controlled else "dop853"),
        rtol=values.pop("rtol", None),
        stops=bool(stops),
        dynamics=dynamics,
        sequential_damping=sequential_damping,
        **values,
    )


def _bounded(checks: Problems, name: str, given: Any) -> float:
    value = read_number(checks, NUMBERS, name, given)
    if value > LARGEST.get(name, math.inf):
        checks.add(name, shown(given), f"at most {LARGEST[name]:g}")
    return value


def is_number(given: Any) -> bool:
    """Return whether something is a real number, and no truth value."""
    return type(given) is float or (isinstance(given, Real) and not isinstance(given, bool))


def read_time(what: str, given: Any) -> float:
    """Read a time [s] that is not negative."""
    if not is_number(given) or not 0.0 <= given < 1e300:
        need = "a number of seconds, at least 0"
        raise InputError(Problem(what, shown(given), need, units_hint(given, "s")))
    return float(given)


def joint_values(n: int, what: str, given: Any, unit: str) -> Array:
    """Read one finite number per joint."""
    values = np.atleast_1d(float_array(given, what, unit))
    if values.shape != (n,) or not np.isfinite(values).all():
        need = f"{n} finite number{'s' * (n > 1)} [{unit}], one per joint"
        raise InputError(Problem(what, shown(given), need))
    return np.array(values, dtype=float)


@per_arm
def has_stops(arm: Arm) -> bool:
    """Return whether any joint of an arm has a limit."""
    p = arm.parameters
    return bool(np.isfinite([p.lower, p.upper]).any())


def check_start(arm: Arm, q: Array, qd: Array, options: SimulationOptions) -> None:
    """Raise InputError for a start that no arm has, and for one beyond the stops."""
    checks, (lower, upper) = Problems(), (arm.parameters.lower, arm.parameters.upper)
    for what, values, unit in (("q0", q, "rad"), ("qd0", qd, "rad/s")):
        if max(map(abs, values.tolist())) <= MOST_START:
            continue
        for i in np.flatnonzero(np.abs(values) > MOST_START):
            need = f"at most {MOST_START:g} {unit} either way"
            checks.add(f"{what}, joint {i + 1}", f"{values[i]:g} {unit}", need)
    stops = options.stops and options.dynamics != "sequential" and has_stops(arm)
    if stops and not checks.found:
        for i in np.flatnonzero((q < lower) | (q > upper)):
            need = f"an angle from {lower[i]:g} to {upper[i]:g} rad, its limits"
            hint = "start inside them, or pass stops=False"
            checks.add(f"q0, joint {i + 1}", f"{q[i]:g} rad", need, hint)
    checks.raise_if_any()
