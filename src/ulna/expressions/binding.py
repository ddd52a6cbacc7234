"""The arguments of a call, bound to parameters and turned into SI numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from ulna.errors import InputError, Problem, did_you_mean
from ulna.expressions.calls import Call, Key, Value, written
from ulna.expressions.faults import ExpressionError, Fault, counted
from ulna.units import to_si

_LONGEST_SHOWN = 60


# A kind by its name, or a function that turns a value into what is wanted or raises InputError.
Kind: TypeAlias = str | Callable[[Value], Any]


def bind(
    call: Call, signature: Mapping[str, Kind], *, guesses: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the values of a call by parameter name, in the order of `signature`.

    Parameters
    ----------
    call : Call
        A call, as `parse_call` returns it.
    signature : mapping of str to Kind
        Every parameter with its kind: one of `units.UNITS`, or "point" (a tuple of two lengths),
        "points", "postures" (tuples of angles), "times", "text", "flag", "call", "any"; or a
        function that converts the value, and refuses it by an `InputError`. Text carries its
        unit, a bare number is SI.
    guesses : mapping of str to str, optional
        Parameters by other names that people try first, for messages.

    Returns
    -------
    dict
        The values in SI units; parameters that the call does not have are left out.

    Raises
    ------
    ExpressionError
        One for all faults.

    Examples
    --------
    >>> from ulna.expressions import parse_call
    >>> bind(parse_call("circle((0, 0.1), radius='5 cm')"), {"center": "point", "radius": "length"})
    {'center': (0.0, 0.1), 'radius': 0.05}
    """
    places, faults = _places(call, signature, guesses or {})
    values: dict[str, Any] = {}
    for parameter, place in places.items():
        kind = signature[parameter]
        try:
            values[parameter] = _converted(call[place], kind)
        except InputError as error:
            faults += [_located(call, place, parameter, problem) for problem in error.problems]
    if faults:
        raise ExpressionError(*sorted(faults, key=lambda fault: fault.column))
    return {parameter: values[parameter] for parameter in signature if parameter in values}


def _converted(value: Value, kind: Kind) -> Any:
    if isinstance(kind, str):
        return _CONVERSIONS.get(kind, _quantity)(value, kind)
    return kind(value)


def _places(
    call: Call, signature: Mapping[str, Kind], guesses: Mapping[str, str]
) -> tuple[dict[str, Key], list[Fault]]:
    parameters = list(signature)
    places: dict[str, Key] = dict(zip(parameters, range(len(call.arguments)), strict=False))
    faults: list[Fault] = []
    if len(call.arguments) > len(parameters):
        reason = f"{counted(call.arguments)} for '{call.name}'"
        need = f"at most {len(parameters)}"
        faults += call.fault(len(parameters), reason, need).faults
    for name in call.keywords:
        if name in places:
            faults += call.fault(name, f"'{name}' given twice", "it once").faults
        elif name not in signature:
            need = f"one of {', '.join(parameters)}" if parameters else "no arguments"
            hint = did_you_mean(name, parameters)
            if name in guesses:
                hint = f"did you mean '{guesses[name]}'?"
            faults += call.fault(name, f"unknown argument '{name}'", need, hint).faults
        else:
            places[name] = name
    return places, faults


def _located(call: Call, place: Key, parameter: str, problem: Problem) -> Fault:
    fault = call.fault(place, f"got {problem.got}", problem.need, problem.hint).faults[0]
    return replace(fault, what=f"{call.what}.{parameter}" if call.what else parameter)


def _quantity(value: Value, kind: str) -> float:
    try:
        return to_si(value, kind)  # type: ignore[arg-type]  # to_si raises for others
    except InputError as error:
        if isinstance(value, str):
            raise
        raise InputError(replace(error.problems[0], got=_shown(value))) from None


def _point(value: Value, _: str) -> tuple[Any, ...]:
    if not isinstance(value, tuple) or len(value) != 2:
        raise _refusal(value, "a point such as (0.2, '10 cm')")
    return _each(value, _quantity, "length")


def _points(value: Value, _: str) -> tuple[Any, ...]:
    if not isinstance(value, tuple):
        raise _refusal(value, "points such as [(0, 0), (0.1, '20 cm')]")
    return _each(value, _point, "length")


def _postures(value: Value, _: str) -> tuple[Any, ...]:
    if not isinstance(value, tuple):
        raise _refusal(value, "postures such as [('30 deg', 0), ('40 deg', '-10 deg')]")
    return _each(value, _posture, "angle")


def _posture(value: Value, kind: str) -> tuple[Any, ...]:
    if not isinstance(value, tuple):
        raise _refusal(value, "one angle a joint, such as ('30 deg', 0)")
    return _each(value, _quantity, kind)


def _times(value: Value, _: str) -> tuple[Any, ...]:
    if not isinstance(value, tuple):
        raise _refusal(value, "times such as (0, 0.5, '900 ms')")
    return _each(value, _quantity, "time")


def _call(value: Value, _: str) -> Call:
    if not isinstance(value, Call):
        raise _refusal(value, "a name with arguments, such as circle(radius='5 cm')")
    return value


def _each(
    values: tuple[Value, ...], convert: Callable[[Value, str], Any], kind: str
) -> tuple[Any, ...]:
    converted: list[Any] = []
    problems: list[Problem] = []
    for value in values:
        try:
            converted.append(convert(value, kind))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return tuple(converted)


def _text(value: Value, _: str) -> str:
    if not isinstance(value, str):
        raise _refusal(value, "text in quotes")
    return value


def _flag(value: Value, _: str) -> bool:
    if not isinstance(value, bool):
        raise _refusal(value, "True or False")
    return value


def _any(value: Value, _: str) -> Value:
    return value


def _refusal(value: Value, need: str) -> InputError:
    return InputError(Problem("", _shown(value), need))


def _shown(value: Value) -> str:
    text = repr(value) if isinstance(value, Call) else written(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


_CONVERSIONS: Mapping[str, Callable[[Value, str], Any]] = {
    "point": _point,
    "points": _points,
    "postures": _postures,
    "times": _times,
    "call": _call,
    "text": _text,
    "flag": _flag,
    "any": _any,
}
