"""How a simulation is done, checked once: the method, its steps, the dynamics, stops, its start.

What is asked of an arm at every run is computed once for it. Results that would not fit into the
memory of this machine are refused.
"""

from __future__ import annotations

import math
import os
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, Generic, TypeVar

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array, float_array
from ulna.errors import InputError, Problem, did_you_mean, shown, size_text, units_hint
from ulna.namespaces import load_extensions
from ulna.simulation.methods import METHODS, IntegrationMethod

Found = TypeVar("Found")

MOST_START = 1e9  # [rad, rad/s] of a joint: a thousandth of what counts as run away
DYNAMICS = ("full", "sequential")
PART_OF_MEMORY = 0.5  # of the machine's, which one result may take
USUAL_MEMORY = 8e9  # [bytes] of a machine that does not say


class PerArm(Generic[Found]):
    """A function of a frozen arm that caches its results.

    By which arm it is, and not by its value: to compare long arms takes longer than most of what
    there is to remember. Threads may ask at the same time; at worst both work it out.
    """

    def __init__(self, work: Callable[[Arm], Found]) -> None:
        self._work = work
        self._kept: dict[int, tuple[weakref.ref[Arm], Found]] = {}

    def __call__(self, arm: Arm) -> Found:
        """Return the value of the arm, which is shared and not to be changed."""
        kept = self._kept.get(id(arm))
        if kept is not None and kept[0]() is arm:
            return kept[1]
        found, key = self._work(arm), id(arm)

        def forget(reference: weakref.ref[Arm]) -> None:
            # Another arm may have come to the same place in memory meanwhile.
            if key in self._kept and self._kept[key][0] is reference:
                del self._kept[key]

        self._kept[key] = weakref.ref(arm, forget), found
        return found


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
    problems: list[Problem] = []
    if isinstance(method, IntegrationMethod):
        problems += _unregistered(method)
        method = None if problems else method.name
    if isinstance(method, str) and method not in METHODS:
        load_extensions()
    for what, given, known in (
        ("method", "rk4" if method is None else method, METHODS),
        ("dynamics", dynamics, DYNAMICS),
    ):
        if not isinstance(given, str) or given not in known:
            hint = did_you_mean(str(given), known)
            problems.append(Problem(what, shown(given), "one of " + ", ".join(known), hint))
    if not isinstance(stops, bool | np.bool_):
        problems.append(Problem("stops", shown(stops), "True or False"))
    for name in ("dt", "atol", "max_step", "rate"):
        need = "a time of more than 0 s" if name in ("dt", "max_step") else "a number above 0"
        # A rate has a period, which would be endless below this.
        least = 1e-300 if name == "rate" else 0.0
        _check(problems, name, numbers[name], least, math.inf, need, endless=name == "max_step")
    if rtol is not None:
        need = "a number from 1e-14 to 0.1, or None for steps of dt"
        _check(problems, "rtol", rtol, 1e-14, 0.1, need)
    _check(problems, "restitution", numbers["restitution"], 0.0, 1.0, "a number from 0 to 1")
    if sequential_damping is not None and dynamics != "sequential":
        got, hint = shown(sequential_damping), "use the damping of the joints"
        problems.append(Problem("sequential_damping", got, "dynamics='sequential'", hint))
    if problems:
        raise InputError(problems)
    return SimulationOptions(
        method=method or ("rk4" if controlled else "dop853"),
        rtol=None if rtol is None else float(rtol),
        stops=bool(stops),
        dynamics=dynamics,
        sequential_damping=_sequential_damping(n, sequential_damping),
        **{name: float(value) for name, value in numbers.items()},
    )


def _unregistered(method: IntegrationMethod) -> list[Problem]:
    known = METHODS.get(method.name)
    if known is method:
        return []
    got = f"a method '{method.name}'" + (", which is another than the known one" if known else "")
    hint = "call ulna.simulation.register_method with it first"
    return [Problem("method", got, "a method that is registered", hint)]


def _check(
    problems: list[Problem],
    what: str,
    given: Any,
    least: float,
    most: float,
    need: str,
    *,
    endless: bool = False,
) -> None:
    fits = is_number(given) and least <= given <= most
    if what != "restitution":
        fits = fits and given > 0.0
    if not fits or (given == math.inf and not endless):
        unit = {"dt": "s", "max_step": "s", "rate": "Hz"}.get(what, "")
        problems.append(Problem(what, shown(given), need, units_hint(given, unit)))


def is_number(given: Any) -> bool:
    """Return whether something is a real number, and no truth value."""
    return type(given) is float or (isinstance(given, Real) and not isinstance(given, bool))


def _sequential_damping(n: int, given: Any) -> tuple[float, ...] | None:
    if given is None:
        return None
    values = np.atleast_1d(float_array(given, "sequential_damping"))
    if values.shape != (n,) or not np.isfinite(values).all():
        need = f"{n} numbers [1/s], one a joint"
        raise InputError(Problem("sequential_damping", shown(given), need))
    return tuple(values.tolist())


def check_no_text(what: str, given: Any, unit: str) -> None:
    """Raise InputError for text in place of the angles or the rates of joints."""
    hint = units_hint(given, unit)
    if hint:
        raise InputError(
            Problem(what, shown(given), f"numbers [{unit}], one a joint", hint)
        ) from None


def read_time(what: str, given: Any) -> float:
    """Read a time [s] that is not negative."""
    if not is_number(given) or not 0.0 <= given < 1e300:
        need = "a number of seconds, at least 0"
        raise InputError(Problem(what, shown(given), need, units_hint(given, "s")))
    return float(given)


def joint_values(arm: Arm, what: str, given: Any, unit: str) -> Array:
    """Read one finite number a joint."""
    try:
        values = np.atleast_1d(float_array(given, what))
    except InputError:
        check_no_text(what, given, unit)
        raise
    if values.shape != (arm.n,) or not np.isfinite(values).all():
        need = f"{arm.n} finite number{'s' * (arm.n > 1)} [{unit}], one a joint"
        raise InputError(Problem(what, shown(given), need))
    return np.array(values, dtype=float)


@PerArm
def _has_limits(arm: Arm) -> bool:
    return bool(np.isfinite([arm.parameters.lower, arm.parameters.upper]).any())


def _far(q: Array, qd: Array) -> list[Problem]:
    return [
        Problem(
            f"{what}, joint {i + 1}",
            f"{values[i]:g} {unit}",
            f"at most {MOST_START:g} {unit} either way",
            hint,
        )
        for what, values, unit, hint in (
            ("q0", q, "rad", "angles count in radians; whole turns may be left out"),
            ("qd0", qd, "rad/s", "speeds count in radians a second"),
        )
        for i in np.flatnonzero(np.abs(values) > MOST_START)
    ]


def check_start(arm: Arm, q: Array, qd: Array, options: SimulationOptions) -> None:
    """Raise InputError for a start that no arm has, and for one beyond the stops."""
    if max(np.abs(q).max(), np.abs(qd).max()) > MOST_START:
        raise InputError(_far(q, qd))
    if not options.stops or options.dynamics == "sequential" or not _has_limits(arm):
        return
    lower, upper = arm.parameters.lower, arm.parameters.upper
    problems = [
        Problem(
            f"q0, joint {i + 1}",
            f"{q[i]:g} rad",
            f"an angle from {lower[i]:g} to {upper[i]:g} rad, its limits",
            "start inside them, or pass stops=False",
        )
        for i in np.flatnonzero((q < lower) | (q > upper))
    ]
    if problems:
        raise InputError(problems)


def machine_memory() -> float:
    """Return the memory of this machine [bytes]."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return USUAL_MEMORY


def allowance() -> float:
    """Return what one result may take of the memory [bytes]."""
    return PART_OF_MEMORY * machine_memory()


def check_memory(what: str, counted: str, size: float, hint: str) -> None:
    """Raise InputError if `size` bytes do not fit into memory; `counted` says what takes them."""
    most = allowance()
    if size > most:
        need = f"at most {size_text(most)}, half of this machine's memory"
        raise InputError(Problem(what, f"{counted}, {size_text(size)}", need, hint))
