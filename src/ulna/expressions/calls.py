"""Calls in text, which name shapes and controllers: "circle(radius='5 cm')"."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from ulna.expressions.compiler import compile_tree
from ulna.expressions.faults import ExpressionError, Fault
from ulna.expressions.program import CONSTANTS, FUNCTIONS, run
from ulna.expressions.source import SourceText, read_tree

_LONGEST = 20_000
_EXAMPLE = "\"circle(radius='5 cm')\""

# What may stand between the parentheses: lists are read as tuples, formulas as their value.
Value: TypeAlias = "float | str | bool | tuple[Value, ...] | Call | None"
# An argument's place (from 0), or a keyword argument's name.
Key: TypeAlias = int | str


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
            case ast.Tuple(elts=items) | ast.List(elts=items):
                return tuple(self.value(item) for item in items)
            case ast.Name(id=name) if name not in CONSTANTS:
                return self.call(node)
            case ast.Call(func=ast.Name(id=name)) if name not in FUNCTIONS:
                return self.call(node)
        return self.number(node)

    def number(self, node: ast.expr) -> float:
        value = float(run(compile_tree(self.source, node, ()), ()))
        if not math.isfinite(value):
            raise self.source.fault(node, f"a result of {value}", "a finite number")
        return value


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
