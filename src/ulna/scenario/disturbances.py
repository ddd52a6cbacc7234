"""Disturbances that act on an arm besides its torques: steps, pulses, noise, sines, formulas.

Each is made of joint torques [N·m], one a joint, or of a force x, y [N] on the tip, and a moment.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.arm.bounded_numbers import BoundedNumber, NumberTable, read_number
from ulna.arm.control_loop import check_seed
from ulna.arrays import Array, float_array
from ulna.errors import InputError, Problem, Problems, rewording, shown
from ulna.expressions import Expression, Program
from ulna.expressions.calls import written
from ulna.namespaces import namespace
from ulna.scenario.options import is_number
from ulna.typing import ArrayLike
from ulna.units import separate

__all__ = ["Disturbance", "chirp", "formula", "noise", "pulse", "sine", "step"]

NUMBERS: NumberTable = {
    "at": BoundedNumber("time", "s"),
    "until": BoundedNumber("time", "s", infinite=True),
    "lasting": BoundedNumber("time", "s", above=0.0),
    "rate": BoundedNumber("frequency", "Hz", above=0.0),
    "frequency": BoundedNumber("frequency", "Hz", above=0.0),
    "phase": BoundedNumber("angle", "rad"),
    "start_frequency": BoundedNumber("frequency", "Hz", least=0.0),
    "stop_frequency": BoundedNumber("frequency", "Hz", least=0.0),
}

FIELDS: NumberTable = {
    "start": BoundedNumber("time", "s"),
    "stop": BoundedNumber("time", "s", infinite=True),
    "rate": BoundedNumber("frequency", "Hz", least=0.0),
}


@dataclass(frozen=True)
class Disturbance:
    """Torques on the joints, or a force on the tip, from one time to another.

    Attributes
    ----------
    torque : tuple of float or None
        Joint torques (n,) [N·m].
    force : tuple of float or None
        Force x, y [N] on the tip, and a moment [N·m] if there are three; it acts on the arm.
    start, stop : float
        The times [s] between which it acts.
    rate : float
        How often [Hz] noise is drawn, with `torque` or `force` as standard deviations; 0 of what
        is no noise.
    seed : int
        Of the noise.
    formulas : tuple of str or None
        Of what changes continuously: one that is a factor of all values, or one for each.
    text : str
        The call that made it, such as "pulse(force=(0, 20), at=1, lasting=0.05)".
    """

    torque: tuple[float, ...] | None
    force: tuple[float, ...] | None
    start: float  # [s]
    stop: float  # [s]
    rate: float = 0.0  # [Hz]
    seed: int = 0
    formulas: tuple[str, ...] | None = None
    text: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        _check_one(self.torque, self.force)
        kept: dict[str, Any] = {
            name: _values(name, getattr(self, name)) for name in ("torque", "force")
        }
        checks = Problems()
        for name in FIELDS:
            kept[name] = read_number(checks, FIELDS, name, getattr(self, name))
        with rewording(lambda problem: problem.within("disturbance")):
            checks.raise_if_any()
        if not kept["start"] <= kept["stop"]:
            got = f"{kept['start']} s to {kept['stop']} s"
            raise InputError(Problem("disturbance", got, "times that increase"))
        check_seed("disturbance.seed", self.seed)
        kept["seed"] = int(self.seed)
        if self.formulas is not None:
            kept["formulas"] = _texts(self.formulas)
        vars(self).update(kept)


def step(
    torque: ArrayLike | None = None, *, force: ArrayLike | None = None, at: float = 0.0
) -> Disturbance:
    """Make a disturbance that acts from a time on.

    Parameters
    ----------
    torque : array_like, shape (n,), optional
        Joint torques [N·m].
    force : array_like, shape (2,) or (3,), optional
        Force x, y [N] on the tip, and a moment [N·m]; in place of torques.
    at : float
        The time [s] at which it begins.

    Returns
    -------
    Disturbance
        For `disturbances` of `ulna.simulate`.

    Raises
    ------
    InputError
        Values that are no such numbers.

    Examples
    --------
    >>> step([0.5, 0.0], at=1.0).start
    1.0
    """
    numbers = _read("step", at=at)
    made = _made(torque, force, numbers["at"], math.inf)
    return _called("step", made, **numbers)


def pulse(
    torque: ArrayLike | None = None,
    *,
    force: ArrayLike | None = None,
    at: float,
    lasting: float,
) -> Disturbance:
    """Make a disturbance that acts for a while.

    Parameters
    ----------
    torque : array_like, shape (n,), optional
        Joint torques [N·m].
    force : array_like, shape (2,) or (3,), optional
        Force x, y [N] on the tip, and a moment [N·m]; in place of torques.
    at : float
        The time [s] at which it begins.
    lasting : float
        How long [s] it acts.

    Returns
    -------
    Disturbance
        For `disturbances` of `ulna.simulate`.

    Raises
    ------
    InputError
        Values that are no such numbers.

    Examples
    --------
    >>> pulse(force=[0.0, -20.0], at=1.0, lasting=0.05).stop
    1.05
    """
    numbers = _read("pulse", at=at, lasting=lasting)
    made = _made(torque, force, numbers["at"], numbers["at"] + numbers["lasting"])
    return _called("pulse", made, **numbers)


def noise(
    torque: ArrayLike | None = None,
    *,
    force: ArrayLike | None = None,
    rate: float = 1000.0,
    seed: int = 0,
    at: float = 0.0,
    until: float = math.inf,
) -> Disturbance:
    """Make a random disturbance: normal deviates, drawn at a rate and held in between.

    The same seed draws the same numbers, whatever else the run does. Of several, each draws its own
    numbers by its place among them, even with the same seed.

    Parameters
    ----------
    torque : array_like, shape (n,), optional
        Standard deviations [N·m] of joint torques.
    force : array_like, shape (2,) or (3,), optional
        Standard deviations of a force x, y [N] on the tip, and of a moment [N·m]; in place of
        torques.
    rate : float
        How often [Hz] numbers are drawn.
    seed : int
        Of the random numbers, at least 0.
    at, until : float
        The times [s] between which it acts.

    Returns
    -------
    Disturbance
        For `disturbances` of `ulna.simulate`.

    Raises
    ------
    InputError
        Values that are no such numbers.

    Examples
    --------
    >>> noise([0.1, 0.1], rate=100.0, seed=3).rate
    100.0
    """
    numbers = _read("noise", rate=rate, at=at, until=until)
    check_seed("noise.seed", seed)
    made = _made(torque, force, numbers["at"], numbers["until"], numbers["rate"], int(seed))
    return _called("noise", made, **numbers, seed=int(seed))


def sine(
    torque: ArrayLike | None = None,
    *,
    force: ArrayLike | None = None,
    frequency: float,
    phase: float = 0.0,
    at: float = 0.0,
    until: float = math.inf,
) -> Disturbance:
    """Make a sinusoidal disturbance: amplitude × sin(2π frequency (t − at) + phase).

    Parameters
    ----------
    torque : array_like, shape (n,), optional
        Amplitudes [N·m] of joint torques.
    force : array_like, shape (2,) or (3,), optional
        Amplitudes of a force x, y [N] on the tip, and of a moment [N·m]; in place of torques.
    frequency : float
        Of the oscillation [Hz].
    phase : float
        Where it begins [rad].
    at, until : float
        The times [s] between which it acts.

    Returns
    -------
    Disturbance
        For `disturbances` of `ulna.simulate`.

    Raises
    ------
    InputError
        Values that are no such numbers.

    Examples
    --------
    >>> sine([0.5, 0.0], frequency=2.0).torque
    (0.5, 0.0)
    """
    numbers = _read("sine", frequency=frequency, phase=phase, at=at, until=until)
    turn, start = 2.0 * math.pi, numbers["at"]
    rate, angle = turn * numbers["frequency"], numbers["phase"] % turn
    text = f"sin({rate!r}*(t - {start!r}) + {angle!r})"
    made = _made(torque, force, start, numbers["until"], formulas=(text,))
    return _called("sine", made, **numbers)


def chirp(
    torque: ArrayLike | None = None,
    *,
    force: ArrayLike | None = None,
    start_frequency: float,
    stop_frequency: float,
    lasting: float,
    at: float = 0.0,
) -> Disturbance:
    """Make a linear chirp: a sine whose frequency goes evenly from one to another.

    With τ = t − at it is amplitude × sin(2π (f₀ τ + (f₁ − f₀) τ² / (2 lasting))).

    Parameters
    ----------
    torque : array_like, shape (n,), optional
        Amplitudes [N·m] of joint torques.
    force : array_like, shape (2,) or (3,), optional
        Amplitudes of a force x, y [N] on the tip, and of a moment [N·m]; in place of torques.
    start_frequency, stop_frequency : float
        Frequencies [Hz] at its beginning and its end.
    lasting : float
        How long [s] it acts.
    at : float
        The time [s] at which it begins.

    Returns
    -------
    Disturbance
        For `disturbances` of `ulna.simulate`.

    Raises
    ------
    InputError
        Values that are no such numbers.

    Examples
    --------
    >>> chirp([1.0], start_frequency=0.1, stop_frequency=10.0, lasting=5.0).stop
    5.0
    """
    numbers = _read(
        "chirp", start_frequency=start_frequency, stop_frequency=stop_frequency,
        lasting=lasting, at=at,
    )  # fmt: skip
    first, last = numbers["start_frequency"], numbers["stop_frequency"]
    start, since = numbers["at"], f"(t - {numbers['at']!r})"
    sweep = math.pi * (last - first) / numbers["lasting"]
    text = f"sin(({2.0 * math.pi * first!r} + {sweep!r}*{since})*{since})"
    made = _made(torque, force, start, start + numbers["lasting"], formulas=(text,))
    return _called("chirp", made, **numbers)


def formula(
    torque: str | Sequence[str | float] | None = None,
    *,
    force: str | Sequence[str | float] | None = None,
    at: float = 0.0,
    until: float = math.inf,
) -> Disturbance:
    """Make a disturbance of formulas, as torques take them: of t, q1, qd1, x, y.

    Parameters
    ----------
    torque : str or sequence of str or float, optional
        A formula a joint [N·m], in a list or separated by commas.
    force : str or sequence of str or float, optional
        Formulas of the force x, y [N] on the tip, and of a moment [N·m]; in place of torques.
    at, until : float
        The times [s] between which it acts.

    Returns
    -------
    Disturbance
        For `disturbances` of `ulna.simulate`.

    Raises
    ------
    InputError
        Values that are no such numbers.

    Examples
    --------
    >>> formula("2*sin(3*t), -0.1*qd2", until=1.0).formulas
    ('2*sin(3*t)', '-0.1*qd2')
    """
    _check_one(torque, force)
    what, given = ("torque", torque) if torque is not None else ("force", force)
    numbers = _read("formula", at=at, until=until)
    parts = separate(given) if isinstance(given, str) else given
    is_list = isinstance(parts, Sequence) and all(
        isinstance(one, str) or is_number(one) for one in parts
    )
    if not is_list or not parts:
        need = "a formula for each value, such as '2*sin(3*t), 0'"
        raise InputError(Problem(f"disturbance.{what}", shown(given), need))
    texts = tuple(one.strip() if isinstance(one, str) else repr(float(one)) for one in parts)
    ones = (1.0,) * len(texts)
    one, other = (ones, None) if what == "torque" else (None, ones)
    made = _made(one, other, numbers["at"], numbers["until"], formulas=texts)
    return replace(made, text=_call("formula", **{what: texts}, **numbers))


def _called(maker: str, made: Disturbance, **numbers: float) -> Disturbance:
    """Return a disturbance with the call that makes it."""
    return replace(made, text=_call(maker, torque=made.torque, force=made.force, **numbers))


def _call(maker: str, **given: Any) -> str:
    """Write a call as `ulna.scenario.reading` reads it; no time of an end is never."""
    parts = [
        f"{name}={written(value)}"
        for name, value in given.items()
        if value is not None and value != math.inf
    ]
    return f"{maker}({', '.join(parts)})"


def _read(maker: str, **given: Any) -> dict[str, float]:
    """Return the numbers of a disturbance, by name."""
    checks = Problems()
    values = {name: read_number(checks, NUMBERS, name, value) for name, value in given.items()}
    with rewording(lambda problem: problem.within(maker)):
        checks.raise_if_any()
    return values


def period_of(disturbance: Disturbance) -> float:
    """Return how long [s] a number is held: 0 of what draws none, −1 of what changes always."""
    if disturbance.formulas is not None:
        return -1.0
    return 1.0 / disturbance.rate if disturbance.rate else 0.0


def wave_programs(disturbances: Sequence[Disturbance], n: int) -> list[tuple[int, Program]]:
    """Return the formulas of disturbances, each with its place.

    That is (n + 4) times the disturbance plus the value, n + 3 for a factor of all of them.
    """
    found = []
    for d, one in enumerate(disturbances):
        own = one.formulas or ()
        first = 0 if one.torque is not None else n
        values = one.torque if one.torque is not None else one.force or ()
        for k, text in enumerate(own):
            place = n + 3 if len(own) == 1 < len(values) else first + k
            found.append((d * (n + 4) + place, _program(text, n)))
    return found


@lru_cache(maxsize=256)
def _program(text: str, n: int) -> Program:
    from ulna.scenario.inputs import names_for

    return Expression.parse(text, names_for(n), "disturbance").program


def _made(
    torque: Any,
    force: Any,
    start: float,
    stop: float,
    rate: float = 0.0,
    seed: int = 0,
    formulas: tuple[str, ...] | None = None,
) -> Disturbance:
    return Disturbance(torque, force, start, stop, rate, seed, formulas)


def _texts(given: Any) -> tuple[str, ...]:
    is_list = isinstance(given, list | tuple) and all(isinstance(one, str) for one in given)
    if not is_list or not given:
        need = "formulas in text, one for all values or one for each"
        raise InputError(Problem("disturbance.formulas", shown(given), need))
    return tuple(given)


def _check_one(torque: Any, force: Any) -> None:
    if (torque is None) == (force is None):
        got = "neither" if torque is None else "both"
        raise InputError(Problem("disturbance", got, "torque= or force="))


def _values(what: str, given: Any) -> tuple[float, ...] | None:
    if given is None:
        return None
    values = np.atleast_1d(float_array(given, f"disturbance.{what}"))
    if values.ndim != 1 or not np.isfinite(values).all():
        raise InputError(Problem(f"disturbance.{what}", shown(given), "finite numbers"))
    return tuple(values.tolist())


def sizes(disturbances: Sequence[Disturbance], n: int) -> Array:
    """Return disturbances as rows (d, n+3) of torques, force and moment."""
    rows = np.zeros((len(disturbances), n + 3))
    for row, one in zip(rows, disturbances, strict=True):
        if one.torque is not None:
            if len(one.torque) != n:
                need = f"{n}, one a joint"
                raise InputError(Problem("disturbance.torque", _count(one.torque), need))
            row[:n] = one.torque
        elif one.force is not None:
            if len(one.force) not in (2, 3):
                need = "x, y [N], or x, y and a moment [N·m]"
                raise InputError(Problem("disturbance.force", _count(one.force), need))
            row[n : n + len(one.force)] = one.force
    return rows


def _count(values: Sequence[float]) -> str:
    return f"{len(values)} value{'s' * (len(values) != 1)}"


if not TYPE_CHECKING:
    __getattr__, __dir__ = namespace(__name__)
