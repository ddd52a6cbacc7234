"""Events: formulas or functions whose changes of sign are located, and what ends a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ulna.arrays import Array
from ulna.errors import InputError, Problem, shown
from ulna.expressions import Expression, Op, Program
from ulna.scenario.inputs import names_for, takes_state
from ulna.scenario.options import is_number

UNTIL = "until"


@dataclass(frozen=True)
class EventFunction:
    """A function of a user, of t or of (t, q, qd), as a number that changes its sign."""

    what: str
    function: Callable[..., Any]
    with_state: bool

    def evaluate(self, t: float, q: Array, qd: Array) -> Any:
        """Call it."""
        return self.function(t, q, qd) if self.with_state else self.function(t)

    def __call__(self, t: float, q: Array, qd: Array) -> float:
        found = self.evaluate(t, q, qd)
        if isinstance(found, bool | np.bool_):
            return float(found) - 0.5
        if not is_number(found):
            got = f"{shown(found)} at t = {t:g} s"
            raise InputError(Problem(self.what, got, "a number, or a bool"))
        return float(found)


@dataclass(frozen=True)
class Signal:
    """What is watched: a formula or a function, its name, and whether the run ends there.

    A number is an event where it passes through zero; a condition where it becomes true.
    """

    name: str
    formula: Program | None
    function: EventFunction | None
    rising: bool  # of a condition: only its becoming true counts; of a function see `tried`
    ends: bool
    given: Any


def read_events(events: Mapping[str, Any] | None, until: Any, n: int) -> tuple[Signal, ...]:
    """Read events of an arm of n joints, and what ends the run."""
    if events is not None and not isinstance(events, Mapping):
        need = "a mapping from names to formulas or functions"
        hint = 'such as {"at the bottom": "q1 + pi/2"}'
        raise InputError(Problem("events", shown(events), need, hint))
    named_events = (events or {}).items()
    signals = [_signal(str(name), given, n, ends=False) for name, given in named_events]
    if until is not None:
        signals.append(_signal(UNTIL, until, n, ends=True))
    return tuple(signals)


def _signal(name: str, given: Any, n: int, *, ends: bool) -> Signal:
    what = name if ends else f"event '{name}'"
    if isinstance(given, str):
        formula = Expression.parse(given, names_for(n), what)
        condition = _is_condition(formula.program)
        program = _less_half(formula.program) if condition else formula.program
        return Signal(name, program, None, condition, ends, given)
    if not callable(given):
        raise InputError(Problem(what, shown(given), "a formula in text, or a function"))
    watched = EventFunction(what, given, takes_state(given, what))
    return Signal(name, None, watched, False, ends, given)


def tried(signals: tuple[Signal, ...], q: Array, qd: Array) -> tuple[Signal, ...]:
    """Try functions at the start: those that return a truth value are conditions."""
    if all(signal.function is None for signal in signals):
        return signals
    return tuple(
        signal
        if signal.function is None
        else replace(signal, rising=_is_true_or_false(signal.function, q, qd))
        for signal in signals
    )


def _is_true_or_false(watched: EventFunction, q: Array, qd: Array) -> bool:
    return isinstance(watched.evaluate(0.0, q.copy(), qd.copy()), bool | np.bool_)


def _is_condition(program: Program) -> bool:
    """Return whether a formula compares, alone or in a chain such as 0 < q1 < 1."""
    codes = program.codes.tolist()
    chained = len(codes) > 2 and codes[-1] == Op.MULTIPLY and codes[-3] == Op.SWAP_BELOW
    return bool((codes[-2] if chained else codes[-1]) >= Op.LESS)


def _less_half(program: Program) -> Program:
    """Return a condition, which is 1 or 0, as a signal that changes its sign."""
    constants = np.append(program.constants, 0.5)
    codes = np.append(program.codes, [Op.CONSTANT, Op.SUBTRACT])
    arguments = np.append(program.arguments, [len(constants) - 1, 0])
    return Program(codes, arguments, constants, max(program.depth, 2))
