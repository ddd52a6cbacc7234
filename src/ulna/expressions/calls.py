"""Calls in text, which name shapes and controllers: "circle(radius='5 cm')".

`parse_call` reads a call, `bind` turns its arguments into SI numbers by the kinds of parameters.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeAlias

from ulna.errors import InputError, Problem, did_you_mean
from ulna.expressions.program import CONSTANTS, FUNCTIONS, constant_value
from ulna.expressions.syntax import ExpressionError, Fault, SourceText, counted, read_tree
from ulna.units import to_si

_LONGEST, _LONGEST_SHOWN = 20_000, 60
_EXAMPLE = "\"circle(radius='5 cm')\""

# What may stand between the parentheses: lists are read as tuples, formulas as their value.
Value: TypeAlias = "float | str | bool | tuple[Value, ...] | Call | None"
# An argument's place (from 0), or a keyword argument's name.
Key: TypeAlias = int | str
# A kind by its name, or a function that turns a value into what is wanted or raises InputError.
Kind: TypeAlias = str | Callable[[Value], Any]


@dataclass(frozen=True, slots=True, repr=False)
class Call:
    """A name with arguments, as written; two are equal if name and values are.

    `call[0]` and `call["radius"]` are its arguments.

    Parameters
    ----------
    name : str
        What is called.
    arguments : tuple of Value, optional
        The positional arguments.
    keywords : mapping of str to Value, optional
        The keyword arguments.
    text : str, optional
        What was read; of a call within another, the whole text.
    columns : mapping, optional
        Column and width in `text` of every argument by its index or name, and of the call's name
        for None.
    what : str, optional
        Name of the text in messages.
    """

    name: str
    arguments: tuple[Value, ...] = ()
    keywords: Mapping[str, Value] = field(default_factory=dict, hash=False)
    text: str = field(default="", compare=False)
    columns: Mapping[Key | None, tuple[int, int]] = field(default_factory=dict, compare=False)
    what: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        for name, value in (
            ("keywords", MappingProxyType(dict(self.keywords))),
            ("columns", MappingProxyType(dict(self.columns))),
            ("text", self.text or str(self)),
        ):
            object.__setattr__(self, name, value)

    def __getitem__(self, part: Key) -> Value:
        return self.arguments[part] if isinstance(part, int) else self.keywords[part]

    def fault(
        self, part: Key | None, sentence: str, need: str = "", hint: str = ""
    ) -> ExpressionError:
        """Return an error with a caret under an argument or, for None, the name of the call.

        Parameters
        ----------
        part : int, str or None
            Index or name of the argument.
        sentence : str
            What is wrong.
        need : str, optional
            What is needed.
        hint : str, optional
            A way out.

        Returns
        -------
        ExpressionError
            To be raised.
        """
        column, width = self.columns.get(part, (0, len(self.text)))
        what = ".".join(word for word in (self.what, part) if isinstance(word, str) and word)
        return ExpressionError(Fault(what, sentence, need, hint, "", self.text, column, width))

    def __str__(self) -> str:
        keywords = (f"{name}={written(value)}" for name, value in self.keywords.items())
        return f"{self.name}({', '.join([*map(written, self.arguments), *keywords])})"

    def __repr__(self) -> str:
        return str(self) if self.arguments or self.keywords else self.name

    def __reduce__(self) -> tuple[Callable[[str, str], Call], tuple[str, str]]:
        # A read-only mapping cannot be pickled, its text can.
        return parse_call, (str(self), self.what)


def parse_call(text: str, what: str = "path", example: str = _EXAMPLE) -> Call:
    """Read a call; a bare name is a call without arguments.

    Parameters
    ----------
    text : str
        A call such as "circle(radius='5 cm')".
    what : str, optional
        Name of the text in messages.
    example : str, optional
        What a text that is no call could have been.

    Returns
    -------
    Call
        Its name and arguments.

    Raises
    ------
    ExpressionError
        Where the text does not follow the grammar.

    Examples
    --------
    >>> parse_call("circle(center=(0.2, 0.1), radius='5 cm')").keywords["center"]
    (0.2, 0.1)
    """
    source, tree = read_tree(text, what, _LONGEST, example)
    reader = _CallReader(source)
    match tree:
        case ast.Name() | ast.Call(func=ast.Name()):
            return reader.call(tree)
    raise source.fault(tree, "no call", f"text such as {example}")


@dataclass(frozen=True, slots=True)
class _CallReader:
    source: SourceText

    def call(self, node: ast.expr) -> Call:
        head = node.func if isinstance(node, ast.Call) else node
        assert isinstance(head, ast.Name)
        places: list[ast.expr] = node.args if isinstance(node, ast.Call) else []
        named = self.keywords(node) if isinstance(node, ast.Call) else {}
        columns: dict[Key | None, tuple[int, int]] = {None: self.source.span(head)}
        columns |= {place: self.source.span(argument) for place, argument in enumerate(places)}
        columns |= {name: self.source.span(keyword) for name, keyword in named.items()}
        return Call(
            name=head.id,
            arguments=tuple(self.value(argument) for argument in places),
            keywords={name: self.value(keyword.value) for name, keyword in named.items()},
            text=self.source.text,
            columns=columns,
            what=self.source.what,
        )

    def keywords(self, node: ast.Call) -> dict[str, ast.keyword]:
        named: dict[str, ast.keyword] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                raise self.source.fault(keyword, "a starred argument", "name=value")
            if keyword.arg in named:
                raise self.source.fault(keyword, f"'{keyword.arg}' given twice", "it once")
            named[keyword.arg] = keyword
        return named

    def value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=str() | bool() | None as plain):
                return plain
            case ast.Constant(value=int() | float() as number):
                return float(number)
            case ast.Tuple(elts=items) | ast.List(elts=items):
                return tuple(self.value(item) for item in items)
            case ast.Name(id=name) if name not in CONSTANTS:
                return self.call(node)
            case ast.Call(func=ast.Name(id=name)) if name not in FUNCTIONS:
                return self.call(node)
        return constant_value(self.source, node)


def written(value: Value) -> str:
    """Write a value as `parse_call` reads it."""
    if isinstance(value, str):
        return f'"{value}"' if "'" in value else f"'{value}'"
    if isinstance(value, tuple):
        comma = "," if len(value) == 1 else ""
        return f"({', '.join(map(written, value))}{comma})"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return str(value)


def bind(call: Call, signature: Mapping[str, Kind]) -> dict[str, Any]:
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
    places, faults = _places(call, signature)
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


def _places(call: Call, signature: Mapping[str, Kind]) -> tuple[dict[str, Key], list[Fault]]:
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
            faults += call.fault(name, f"unknown argument '{name}'", need, hint).faults
        else:
            places[name] = name
    return places, faults


def _located(call: Call, place: Key, parameter: str, problem: Problem) -> Fault:
    fault = call.fault(place, f"got {problem.got}", problem.need, problem.hint).faults[0]
    return replace(fault, what=f"{call.what}.{parameter}" if call.what else parameter)


def _converted(value: Value, kind: Kind) -> Any:
    if not isinstance(kind, str):
        return kind(value)
    if kind in _LISTS:
        item, need = _LISTS[kind]
        if not isinstance(value, tuple) or (kind == "point" and len(value) != 2):
            raise _refusal(value, need)
        return _each(value, item)
    if kind in _PLAIN:
        wanted, need = _PLAIN[kind]
        if not isinstance(value, wanted):
            raise _refusal(value, need)
        return value
    return _quantity(value, kind)


def _each(values: tuple[Value, ...], kind: str) -> tuple[Any, ...]:
    converted: list[Any] = []
    problems: list[Problem] = []
    for value in values:
        try:
            converted.append(_converted(value, kind))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return tuple(converted)


def _quantity(value: Value, kind: str) -> float:
    try:
        return to_si(value, kind)  # type: ignore[arg-type]  # to_si raises for others
    except InputError as error:
        if isinstance(value, str):
            raise
        raise InputError(replace(error.problems[0], got=_shown(value))) from None


def _refusal(value: Value, need: str) -> InputError:
    return InputError(Problem("", _shown(value), need))


def _shown(value: Value) -> str:
    text = repr(value) if isinstance(value, Call) else written(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


# Kinds of lists: the kind of their items, and what to say to what is none.
_LISTS: Mapping[str, tuple[str, str]] = {
    "point": ("length", "a point such as (0.2, '10 cm')"),
    "points": ("point", "points such as [(0, 0), (0.1, '20 cm')]"),
    "posture": ("angle", "one angle a joint, such as ('30 deg', 0)"),
    "postures": ("posture", "postures such as [('30 deg', 0), ('40 deg', '-10 deg')]"),
    "times": ("time", "times such as (0, 0.5, '900 ms')"),
}
# Kinds that are taken as they are: their types, and the same.
_PLAIN: Mapping[str, tuple[type, str]] = {
    "call": (Call, "a name with arguments, such as circle(radius='5 cm')"),
    "text": (str, "text in quotes"),
    "flag": (bool, "True or False"),
    "any": (object, ""),
}
